package draws

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"bayeskernel/diagnostics"
)

// A Summary is what is to be known of a run without its draws.
type Summary struct {
	SchemaVersion int            `json:"schema_version"`
	Model         string         `json:"model"`
	Seed          uint64         `json:"seed"`
	Sampler       Sampler        `json:"sampler"`
	Stopped       string         `json:"stopped"`
	Draws         int            `json:"draws"` // of each chain used, once cut to equal length
	Chains        []ChainSummary `json:"chains"`
	Parameters    []Parameter    `json:"parameters"`
	Warnings      []Warning      `json:"warnings"`
	Notes         []string       `json:"notes"` // what to keep in mind although nothing is wrong
}

// Parameter summarises one parameter. MCSE are Monte Carlo standard errors. Statistics that are
// undefined are NaN.
type Parameter struct {
	Name     string  `json:"name"`
	Mean     float64 `json:"mean"`
	SD       float64 `json:"sd"`
	MCSEMean float64 `json:"mcse_mean"`
	MCSESD   float64 `json:"mcse_sd"`
	Q05      float64 `json:"q05"`
	Q50      float64 `json:"q50"`
	Q95      float64 `json:"q95"`
	MCSEQ05  float64 `json:"mcse_q05"`
	MCSEQ50  float64 `json:"mcse_q50"`
	MCSEQ95  float64 `json:"mcse_q95"`
	RHat     float64 `json:"rhat"`
	ESSBulk  float64 `json:"ess_bulk"`
	ESSTail  float64 `json:"ess_tail"`
}

// ChainSummary summarises one chain, over all the draws that it kept.
type ChainSummary struct {
	Chain           int     `json:"chain"` // counted from 1, as in file names and messages
	Used            bool    `json:"used"`  // in the parameters' statistics
	Draws           int     `json:"draws"`
	StepSize        float64 `json:"step_size"`
	AcceptStat      float64 `json:"accept_stat"` // mean
	LP              float64 `json:"lp"`          // mean
	EBFMI           float64 `json:"ebfmi"`
	Divergences     int     `json:"divergences"`
	MaxDepthHits    int     `json:"max_depth_hits"`
	Gradients       int     `json:"gradients"`
	WarmupGradients int     `json:"warmup_gradients"`
	Error           string  `json:"error"` // why it ended early, or empty
}

// Summary computes the statistics of every parameter, and what deserves a warning.
//
// Diagnostics need chains of equal length. Where chains are not, because one failed or the run was
// interrupted, they are cut, and chains too short are left out, such that as many draws as possible
// remain in all. Which chains were used is recorded.
func (r *Run) Summary() *Summary {
	v := r.view()
	s := &Summary{
		SchemaVersion: SchemaVersion, Model: r.Model, Seed: r.Seed, Sampler: r.Sampler,
		Stopped: r.Stopped, Draws: v.n, Chains: make([]ChainSummary, len(r.Chains)),
	}
	for c := range r.Chains {
		s.Chains[c] = summarizeChain(&r.Chains[c], c, &r.Sampler)
	}
	for _, c := range v.chains {
		s.Chains[c].Used = true
	}
	var faults []fault
	s.Parameters, faults = v.summarize()
	s.Warnings, s.Notes = v.warnings(s, faults), v.notes()
	return s
}

// Warnings returns what deserves attention before the draws are believed, most serious first. It is
// Summary().Warnings.
func (r *Run) Warnings() []Warning { return r.Summary().Warnings }

// fault is what may be wrong with one parameter's draws beside what its summary shows.
type fault struct {
	err     error   // of diagnostics.Check
	paretoK float64 // NaN if there are too few draws to tell
}

// summarize works on several parameters at once; each is computed by one goroutine alone, so the
// results do not depend on their number.
func (v view) summarize() ([]Parameter, []fault) {
	params, faults := make([]Parameter, len(v.Names)), make([]fault, len(v.Names))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(v.Names)) {
		wg.Go(func() {
			for j := int(next.Add(1)) - 1; j < len(v.Names); j = int(next.Add(1)) - 1 {
				x := v.column(j)
				params[j] = summarize(v.Names[j], x)
				faults[j] = fault{diagnostics.Check(x), math.NaN()}
				if len(v.chains)*v.n >= minTail {
					faults[j].paretoK = diagnostics.ParetoK(x)
				}
			}
		})
	}
	wg.Wait()
	return params, faults
}

func summarize(name string, x [][]float64) Parameter {
	return Parameter{
		Name: name,
		Mean: diagnostics.Mean(x), MCSEMean: diagnostics.MCSEMean(x),
		SD: diagnostics.SD(x), MCSESD: diagnostics.MCSESD(x),
		Q05: diagnostics.Quantile(x, 0.05), MCSEQ05: diagnostics.MCSEQuantile(x, 0.05),
		Q50: diagnostics.Quantile(x, 0.5), MCSEQ50: diagnostics.MCSEQuantile(x, 0.5),
		Q95: diagnostics.Quantile(x, 0.95), MCSEQ95: diagnostics.MCSEQuantile(x, 0.95),
		RHat: diagnostics.RHat(x), ESSBulk: diagnostics.ESSBulk(x), ESSTail: diagnostics.ESSTail(x),
	}
}

func summarizeChain(ch *Chain, c int, s *Sampler) ChainSummary {
	out := ChainSummary{
		Chain: c + 1, Draws: len(ch.Values), StepSize: ch.StepSize, Gradients: ch.Gradients,
		WarmupGradients: ch.WarmupGradients, Divergences: ch.divergences(),
	}
	if ch.Err != nil {
		out.Error = ch.Err.Error()
	}
	energy := make([]float64, len(ch.Stats))
	for i, st := range ch.Stats {
		out.AcceptStat += st.AcceptStat
		out.LP += st.LP
		energy[i] = st.Energy
		if s.saturated(st) {
			out.MaxDepthHits++
		}
	}
	n := float64(len(ch.Stats)) // 0/0 is NaN, as it should be
	out.AcceptStat, out.LP, out.EBFMI = out.AcceptStat/n, out.LP/n, diagnostics.EBFMI(energy)
	return out
}

// divergences counts them after warm-up. A run that was read from a file knows only those at draws
// that were kept.
func (c *Chain) divergences() int {
	n := 0
	for _, s := range c.Stats {
		if s.Divergent {
			n++
		}
	}
	return max(n, len(c.Divergences))
}

// saturated reports whether the trajectory was cut off by the limit on its depth.
func (s *Sampler) saturated(st Stat) bool { return s.MaxDepth > 0 && st.TreeDepth >= s.MaxDepth }

// view is a run seen as chains of equal length.
type view struct {
	*Run
	chains []int // those used
	n      int   // draws of each
}

// view chooses the length that leaves the most draws in all when shorter chains are left out and
// longer ones cut; of equal choices, the one with more chains.
func (r *Run) view() view {
	v := view{Run: r}
	for _, ch := range r.Chains {
		n := len(ch.Values)
		var chains []int
		for c := range r.Chains {
			if len(r.Chains[c].Values) >= n {
				chains = append(chains, c)
			}
		}
		have, best := n*len(chains), v.n*len(v.chains)
		if n > 0 && (have > best || have == best && len(chains) > len(v.chains)) {
			v.chains, v.n = chains, n
		}
	}
	return v
}

// column returns the j-th parameter of the chains used.
func (v view) column(j int) [][]float64 {
	out := make([][]float64, len(v.chains))
	for k, c := range v.chains {
		out[k] = make([]float64, v.n)
		for i, row := range v.Chains[c].Values[:v.n] {
			out[k][i] = row[j]
		}
	}
	return out
}

// notes says what the numbers cannot say.
func (v view) notes() []string {
	notes := []string{}
	longest := 0
	for _, c := range v.chains {
		longest = max(longest, len(v.Chains[c].Values))
	}
	if longest > v.n {
		notes = append(notes, fmt.Sprintf("Chains differ in length: the statistics use the first "+
			"%d draws of each, at most %d are left out of a chain.", v.n, longest-v.n))
	}
	if v.Modes == nil {
		notes = append(notes, "No search for modes was made: R-hat cannot see a mode that no "+
			"chain visited.")
	}
	return notes
}
