package draws

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"

	"bayeskernel/diagnostics"
	"bayeskernel/internal/workers"
)

// A Summary describes a run without its draws: statistics of every parameter, and warnings.
type Summary struct {
	SchemaVersion int            `json:"schema_version" doc:"The version of this schema."`
	Model         string         `json:"model" doc:"What was sampled."`
	Seed          uint64         `json:"seed" doc:"The seed of random numbers."`
	Sampler       Sampler        `json:"sampler" doc:"How the run was made."`
	Stopped       string         `json:"stopped" doc:"Which rule stopped the run; empty without a rule."`
	Interrupted   string         `json:"interrupted" doc:"The error or signal that ended the run early, or empty."`
	Draws         int            `json:"draws" doc:"The number of draws of each chain used, once cut to equal length."`
	Chains        []ChainSummary `json:"chains" doc:"What each chain did."`
	Parameters    []Parameter    `json:"parameters" doc:"Each parameter."`
	Warnings      []Warning      `json:"warnings" doc:"What is wrong with the draws."`
	Notes         []string       `json:"notes" doc:"What to keep in mind although nothing is wrong."`
}

// Parameter summarises one parameter. Statistics that are undefined are NaN. Pareto's k and the
// error are used for warnings and not written to files.
type Parameter struct {
	Name  string
	Label string // what tables and warnings call it; "" for Name
	diagnostics.Estimates
	more *more // columns that are not in Estimates
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
// Diagnostics need chains of equal length. If lengths differ because a chain failed or the run was
// interrupted, longer chains are cut and shorter ones left out, so as to keep the most draws in
// total. The summary records which chains were used. That of a nil run is that of an empty one.
func (r *Run) Summary() *Summary {
	if r == nil {
		r = new(Run)
	}
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

// Warnings lists possible problems with the draws, most serious first. It computes a Summary; if
// you already have one, use its Warnings.
func (r *Run) Warnings() []Warning { return r.Summary().Warnings }

// summarize computes parameters in parallel. Each is computed by one goroutine, so the results do
// not depend on the number of goroutines.
func (v view) summarize() []Parameter {
	params, columns := make([]Parameter, len(v.Names)), Columns()
	errs := workers.Run(context.Background(), len(v.Names), runtime.GOMAXPROCS(0), func(j int) error {
		params[j] = estimate(v.Names[j], v.column(j), columns)
		if len(v.Labels) == len(v.Names) && v.Labels[j] != v.Names[j] {
			params[j].Label = v.Labels[j]
		}
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
		Chain: c + 1, Draws: ch.Len(), StepSize: ch.StepSize, Gradients: ch.Gradients,
		WarmupGradients: ch.WarmupGradients, Divergences: ch.divergences(),
		Metric: ch.Metric.Kind, MetricRank: ch.Metric.Rank, Windows: ch.Windows,
	}
	if ch.Err != nil {
		out.Error = ch.Err.Error()
	}
	energy := make([]float64, 0, ch.Len())
	_ = ch.EachStat(func(_ int, st Stat) { // a file that cannot be read is told in the notes
		out.AcceptStat += st.AcceptStat
		out.LP += st.LP
		energy = append(energy, st.Energy)
		if s.saturated(st) {
			out.MaxDepthHits++
		}
	})
	n := float64(len(energy)) // 0/0 is NaN, as it should be
	out.AcceptStat, out.LP, out.EBFMI = out.AcceptStat/n, out.LP/n, diagnostics.EBFMI(energy)
	return out
}

// divergences counts the divergences after warm-up. A run read from a file only knows the
// divergences of kept draws.
func (c *Chain) divergences() int {
	if c.File != nil {
		return len(c.Divergences) // every one, kept or not
	}
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

// view cuts chains to a common length and leaves out shorter ones. It chooses the length that keeps
// the most draws in total; among ties, the one with more chains.
func (r *Run) view() view {
	v := view{Run: r}
	for _, ch := range r.Chains {
		n := ch.Len()
		var chains []int
		for c := range r.Chains {
			if r.Chains[c].Len() >= n {
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

// Used returns the chains, counted from 0, that the statistics use, and the number of draws of
// each. They are chosen to keep the most draws in total when cut to one length.
func (r *Run) Used() (chains []int, n int) {
	v := r.view()
	return v.chains, v.n
}

// column returns the j-th parameter of the chains used.
func (v view) column(j int) [][]float64 {
	out := make([][]float64, len(v.chains))
	for k, c := range v.chains {
		var err error
		if out[k], err = v.Chains[c].Column(j, v.n); err != nil {
			out[k] = make([]float64, v.n) // notes say why
			for i := range out[k] {
				out[k][i] = math.NaN()
			}
		}
	}
	return out
}

// notes returns remarks that the statistics cannot express.
func (v view) notes() []string {
	notes := []string{}
	for _, c := range v.chains {
		if _, err := v.Chains[c].Column(0, v.n); err != nil {
			notes = append(notes, fmt.Sprintf("The draws of chain %d cannot be read: %v.", c+1, err))
		}
	}
	longest := 0
	for _, c := range v.chains {
		longest = max(longest, v.Chains[c].Len())
	}
	if longest > v.n {
		notes = append(notes, fmt.Sprintf("Chains differ in length: the statistics use the first "+
			"%d draws of each, at most %d are left out of a chain.", v.n, longest-v.n))
	}
	if v.Ending == RuleMet && v.n < v.planned() {
		notes = append(notes, fmt.Sprintf("The stopping rule ended the run with %d of %d draws per chain: %s. "+
			"Diagnostics that were watched to decide when to stop look a little better than they are.", v.n,
			v.planned(), strings.TrimRight(v.Stopped, ".")))
	}
	if n := v.warmupNote(); n != "" {
		notes = append(notes, n)
	}
	return notes
}
