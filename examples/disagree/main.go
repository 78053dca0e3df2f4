// Disagree counts warnings on targets whose chains should disagree: several modes, funnels, regions
// where a chain is stuck, topics whose labels can be exchanged. A warm-up that chains share must not
// hide what a warm-up of fixed length, each chain for itself, shows. All targets are made up.
package main

import (
	"context"
	"fmt"
	"io"

	"bayeskernel/diagnostics"
	"bayeskernel/examples/internal/report"
	"bayeskernel/hmc"
	"bayeskernel/nuts"
)

func main() { report.Program(run) }

// runs is the number of runs of a target in the study.
const runs = 200

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return report.RunStudy(ctx, "disagree", args, stdout, stderr, nil, study)
}

// result is one run with each warm-up, of the same seed.
type result struct {
	Target        string
	Set           int
	Fixed, Shared outcome
}

// Of says which run this is.
func (r result) Of() (string, int) { return r.Target, r.Set }

// outcome is what a run showed.
type outcome struct {
	Warned, High  bool // a warning; an R-hat above 1.01
	Moved, Warmup int  // chains that were moved, transitions of warm-up
}

func study(ctx context.Context, s report.Study, out io.Writer) error {
	all := targets()
	var cases []report.Case
	for _, t := range all {
		cases = append(cases, report.Case{Name: t.name, Sets: runs})
	}
	done, err := report.Measure(ctx, s, cases, func(i, set int) (result, error) {
		r := result{Target: all[i].name, Set: set}
		seed := s.Seed + uint64(set)
		var err error
		if r.Fixed, err = measure(ctx, all[i].target, seed, true); err != nil {
			return r, err
		}
		r.Shared, err = measure(ctx, all[i].target, seed, false)
		return r, err
	})
	if len(done) == 0 {
		return err
	}
	fmt.Fprintf(out, "Runs of 4 chains, 1000 draws each, seeds from %d: how many warn, how many have an R-hat above "+
		"1.01, chains moved, mean warm-up.\np: one-sided sign test that the shared warm-up warns less.\n\n", s.Seed)
	fmt.Fprintln(out, "| target | runs | warn, fixed | warn, shared | p | R-hat, fixed | R-hat, shared | p | moved | warm-up |")
	fmt.Fprintln(out, "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |")
	for _, t := range all {
		if n := len(done[t.name]); n > 0 {
			fmt.Fprintln(out, row(t.name, done[t.name]))
		}
	}
	return err
}

func measure(ctx context.Context, t hmc.Target, seed uint64, fixed bool) (outcome, error) {
	var cfg nuts.Config
	cfg.Seed, cfg.Adapt.Fixed, cfg.Parallel = seed, fixed, 1
	r, err := nuts.Sample(ctx, hmc.Shared(t), cfg)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{Warned: len(r.Warnings()) > 0, Warmup: r.Chains[0].Warmup}
	for j := range r.Names {
		if diagnostics.RHat(r.Column(j)) > 1.01 {
			o.High = true
			break
		}
	}
	for _, c := range r.Chains {
		if c.MovedFrom != nil {
			o.Moved++
		}
	}
	return o, nil
}

// row is a target's row of the table.
func row(name string, done map[int]result) string {
	var warn, high pair
	moved, length := 0, 0
	for _, r := range done {
		warn.add(r.Fixed.Warned, r.Shared.Warned)
		high.add(r.Fixed.High, r.Shared.High)
		moved += r.Shared.Moved
		length += r.Shared.Warmup
	}
	return fmt.Sprintf("| %s | %d | %s | %s | %d | %d |", name, len(done), warn, high, moved, length/len(done))
}

// pair counts what runs of the same seed show with both warm-ups.
type pair struct{ fixed, shared, lost, gained int }

func (p *pair) add(fixed, shared bool) {
	if fixed {
		p.fixed++
	}
	if shared {
		p.shared++
	}
	switch {
	case fixed && !shared:
		p.lost++
	case shared && !fixed:
		p.gained++
	}
}

func (p pair) String() string {
	return fmt.Sprintf("%d | %d | %.2g", p.fixed, p.shared, signTest(p.lost, p.gained))
}

// signTest is the probability of at least lost heads in lost+gained throws of a fair coin.
func signTest(lost, gained int) float64 {
	n := lost + gained
	p := make([]float64, n+1) // of so many heads
	p[0] = 1
	for i := range n {
		for k := i + 1; k >= 0; k-- {
			if p[k] /= 2; k > 0 {
				p[k] += p[k-1] / 2
			}
		}
	}
	sum := 0.0
	for _, v := range p[lost:] {
		sum += v
	}
	return sum
}
