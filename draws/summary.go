package draws

import (
	"context"
	"fmt"
	"runtime"

	"bayeskernel/diagnostics"
	"bayeskernel/internal/workers"
)

// A Summary describes a run without its draws: statistics of every parameter, and warnings.
type Summary struct {
	SchemaVersion int            `json:"schema_version"`
	Model         string         `json:"model"`
	Seed          uint64         `json:"seed"`
	Sampler       Sampler        `json:"sampler"`
	Stopped       string         `json:"stopped"`     // by a rule
	Interrupted   string         `json:"interrupted"` // by an error or a signal
	Draws         int            `json:"draws"`       // of each chain used, once cut to equal length
	Chains        []ChainSummary `json:"chains"`
	Parameters    []Parameter    `json:"parameters"`
	Warnings      []Warning      `json:"warnings"`
	Notes         []string       `json:"notes"` // what to keep in mind although nothing is wrong
}

// Parameter summarises one parameter. Statistics that are undefined are NaN. Pareto's k and the
// error, which warnings are made of, are not written to files.
type Parameter struct {
	Name string
	diagnostics.Estimates
	more *more // what Columns has beside them
}

// more has statistics by the keys of their columns.
type more map[string]float64

// ChainSummary summarises one chain, over all the draws that it kept.
type ChainSummary struct {
	Chain           int      `json:"chain" doc:"The number of the chain, from 1."`
	Used            bool     `json:"used" doc:"Whether the parameters' statistics use it."`
	Draws           int      `json:"draws" doc:"The number of draws that it kept."`
	StepSize        float64  `json:"step_size" doc:"The step size."`
	AcceptStat      float64  `json:"accept_stat" doc:"The mean acceptance statistic."`
	LP              float64  `json:"lp" doc:"The mean log density."`
	EBFMI           float64  `json:"ebfmi" doc:"The estimated Bayesian fraction of missing information."`
	Divergences     int      `json:"divergences" doc:"The number of transitions that diverged."`
	MaxDepthHits    int      `json:"max_depth_hits" doc:"The number of transitions that reached the largest depth."`
	Gradients       int      `json:"gradients" doc:"The number of gradients after warm-up."`
	WarmupGradients int      `json:"warmup_gradients" doc:"The number of gradients in warm-up."`
	Metric          string   `json:"metric" doc:"The kind of metric after warm-up."`
	MetricRank      int      `json:"metric_rank" doc:"The number of directions of a low-rank metric."`
	Windows         []Window `json:"windows,omitempty" doc:"How warm-up chose the metric, window by window."`
	Error           string   `json:"error" doc:"Why the chain ended early; empty if it did not."`
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
		Stopped: r.Stopped, Interrupted: r.Interrupted, Draws: v.n,
		Chains: make([]ChainSummary, len(r.Chains)),
	}
	for c := range r.Chains {
		s.Chains[c] = summarizeChain(&r.Chains[c], c, &r.Sampler)
	}
	for _, c := range v.chains {
		s.Chains[c].Used = true
	}
	s.Parameters = v.summarize()
	s.Warnings, s.Notes = v.warnings(s), v.notes()
	return s
}

// Warnings returns what deserves attention before the draws are believed, most serious first. It
// makes a Summary for that; who has one finds them in it.
func (r *Run) Warnings() []Warning { return r.Summary().Warnings }

// summarize works on several parameters at once; each is computed by one goroutine alone, so the
// results do not depend on their number.
func (v view) summarize() []Parameter {
	params, columns := make([]Parameter, len(v.Names)), Columns()
	errs := workers.Run(context.Background(), len(v.Names), runtime.GOMAXPROCS(0), func(j int) error {
		params[j] = estimate(v.Names[j], v.column(j), columns)
		return nil
	})
	for _, err := range errs {
		if err != nil { // a panic, which is the caller's
			panic(err)
		}
	}
	return params
}

func summarizeChain(ch *Chain, c int, s *Sampler) ChainSummary {
	out := ChainSummary{
		Chain: c + 1, Draws: len(ch.Values), StepSize: ch.StepSize, Gradients: ch.Gradients,
		WarmupGradients: ch.WarmupGradients, Divergences: ch.divergences(),
		Metric: ch.Metric.Kind, MetricRank: ch.Metric.Rank, Windows: ch.Windows,
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

// Used returns the chains that statistics are made of, counted from 0, and how many draws of each:
// as many chains, cut to one length, as leave the most draws in all.
func (r *Run) Used() (chains []int, n int) {
	v := r.view()
	return v.chains, v.n
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
