package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"bayeskernel/bke"
	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/internal/tables"
	"bayeskernel/kernels"
	"bayeskernel/studentt"

	"gonum.org/v1/gonum/mat"
)

// shares of the linear kernel that tails compares.
var shares = []float64{0, 0.001, studentt.DefaultTails, 0.1, 1}

// tails measures what the linear kernel of WithTails does to ordinary novelty: each class of some tables
// is known by half of its rows, and the other half is to be told from the other classes.
func tails(ctx context.Context, s report.Study, out io.Writer) error {
	lines := [][]string{{"table", "theta/median"}}
	for _, share := range shares {
		lines[0] = append(lines[0], fmt.Sprint(share))
	}
	for _, name := range []string{"wine", "vehicle", "glass", "vowel", "digits", "wdbc"} {
		if !strings.Contains(name, s.Only) {
			continue
		}
		x, class, err := tables.Read(name)
		if err != nil {
			return err
		}
		for _, factor := range []float64{1, 0.4} {
			line := []string{name, fmt.Sprint(factor)}
			means, classes := make([]float64, len(shares)), 0.0
			for c := range 20 {
				aucs, err := oneClass(ctx, x, class, c, factor, s.Seed)
				if err != nil {
					return err
				}
				if aucs == nil {
					continue
				}
				classes++
				for i, v := range aucs {
					means[i] += v
				}
			}
			for _, v := range means {
				line = append(line, fmt.Sprintf("%.2f", 100*v/classes))
			}
			lines = append(lines, line)
		}
	}
	return report.Table(out, lines)
}

// oneClass is the AUC for one class and each share; nil for a class of fewer than 30 rows.
func oneClass(ctx context.Context, x *mat.Dense, class []int, c int, factor float64, seed uint64) (
	[]float64, error) {
	var in, rest []int
	for i, k := range class {
		if k == c {
			in = append(in, i)
		} else {
			rest = append(rest, i)
		}
	}
	if len(in) < 30 {
		return nil, nil
	}
	r := rand.New(rand.NewPCG(seed, uint64(c)))
	for _, list := range [][]int{in, rest} {
		r.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
	}
	pick := func(list []int) *mat.Dense {
		_, dim := x.Dims()
		m := mat.NewDense(len(list), dim, nil)
		for i, k := range list {
			m.SetRow(i, x.RawRowView(k))
		}
		return m
	}
	known, scaling, err := bke.Standardize(pick(in[:len(in)/2]))
	if err != nil {
		return nil, err
	}
	usual, err := scaling.Apply(pick(in[len(in)/2:]))
	if err != nil {
		return nil, err
	}
	strange, err := scaling.Apply(pick(rest[:min(len(rest), 300)]))
	if err != nil {
		return nil, err
	}
	medians, err := kernels.MedianDistance(known, seed)
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, share := range shares {
		k := kernels.Kernel(kernels.SquaredExponential(factor * medians.Lengthscale(kernels.Median)))
		if share > 0 {
			if k, err = studentt.WithTails(k, known, share); err != nil {
				return nil, err
			}
		}
		_, dim := known.Dims()
		m, err := studentt.New(k, dim, studentt.Params{Alpha: 1, Beta: 0.01, Scale2: 0.01})
		if err != nil {
			return nil, err
		}
		if err := m.AddAll(ctx, known); err != nil {
			return nil, err
		}
		score := func(rows *mat.Dense) []float64 {
			n, _ := rows.Dims()
			e, out := m.Evaluator(), make([]float64, n)
			for i := range out {
				out[i] = e.Form(rows.RawRowView(i))
			}
			return out
		}
		wins, low, high := 0.0, score(usual), score(strange)
		for _, a := range low {
			for _, b := range high {
				switch {
				case b > a:
					wins++
				case a == b:
					wins += 0.5
				}
			}
		}
		out = append(out, wins/float64(len(low)*len(high)))
	}
	return out, nil
}
