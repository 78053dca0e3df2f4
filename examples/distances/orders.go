package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"bayeskernel/embedding/energy"
	"bayeskernel/examples/internal/report"

	"gonum.org/v1/gonum/mat"
)

// several are samples of which some have one distribution.
type several struct {
	name string
	rows []int
	dim  int
	draw func(dst []float64, r *rand.Rand)
	// shift is added to the first column of sample 3 on, once for each: 0 if all are equal.
	shift float64
}

func ordered() []several {
	gauss := each(func(r *rand.Rand) float64 { return r.NormFloat64() })
	expo := each(func(r *rand.Rand) float64 { return r.ExpFloat64() })
	coin := each(func(r *rand.Rand) float64 { return float64(r.IntN(2)) })
	heavy := each(drawStudent3)
	alike := func(k, n int) []int {
		out := make([]int, k)
		for i := range out {
			out[i] = n
		}
		return out
	}
	return []several{
		{"3 normals of 10 rows", alike(3, 10), 1, gauss, 0},
		{"3 normals of 50 rows", alike(3, 50), 1, gauss, 0},
		{"3 normals of 10, 30 and 90 rows", []int{10, 30, 90}, 1, gauss, 0},
		{"3 exponentials of 20 rows", alike(3, 20), 1, expo, 0},
		{"3 t with 3 degrees of 20 rows", alike(3, 20), 1, heavy, 0},
		{"3 coins of 20 rows", alike(3, 20), 1, coin, 0},
		{"3 normals of 5 columns and 20 rows", alike(3, 20), 5, gauss, 0},
		{"6 normals of 20 rows", alike(6, 20), 1, gauss, 0},
		{"shifts 0, 0 and 1, 30 rows", alike(3, 30), 1, gauss, 1},
		{"shifts 0, 0, 1 and 2, 50 rows", alike(4, 50), 1, gauss, 1},
	}
}

// orders measures how often an order is claimed.
func orders(ctx context.Context, s report.Study, out io.Writer) error {
	all := ordered()
	var cases []report.Case
	for _, c := range all {
		cases = append(cases, report.Case{Name: c.name, Sets: 1000})
	}
	results, err := report.Measure(ctx, s, cases, func(i, set int) (measured, error) {
		c := all[i]
		r := rand.New(rand.NewPCG(s.Seed, 1<<60+uint64(i)<<32+uint64(set)))
		m := measured{Case: c.name, Set: set}
		var x []mat.Matrix
		at := make([]float64, len(c.rows)) // of the samples
		for k, n := range c.rows {
			at[k] = c.shift * max(0, float64(k-1))
			rows := sample(n, c.dim, c.draw, r)
			for l := range n {
				rows.Set(l, 0, rows.At(l, 0)+at[k])
			}
			x = append(x, rows)
		}
		d, err := energy.Between(ctx, x, energy.Options{Seed: s.Seed + uint64(set), Parallel: 1})
		if err != nil {
			return m, err
		}
		for a := range at {
			for b := range a {
				for e := range at {
					for f := range e {
						if d.Closer(a, b, e, f) {
							m.Claimed = true
							near, far := at[a]-at[b], at[e]-at[f]
							m.Wrong = m.Wrong || near >= far
						}
					}
				}
			}
		}
		return m, nil
	})
	if err != nil {
		return err
	}
	rows := [][]string{{"samples", "sets", "an order claimed", "a wrong one"}}
	for _, c := range cases {
		claimed, wrong := 0, 0
		for _, m := range results[c.Name] {
			if m.Claimed {
				claimed++
			}
			if m.Wrong {
				wrong++
			}
		}
		if n := len(results[c.Name]); n > 0 {
			rows = append(rows, []string{c.Name, fmt.Sprint(n), fmt.Sprintf("%.3f", float64(claimed)/float64(n)),
				fmt.Sprintf("%.3f", float64(wrong)/float64(n))})
		}
	}
	return report.Table(out, rows)
}
