package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/bke"
	"bayeskernel/embedding/energy"
	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/internal/tables"
	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

//go:embed testdata/*.csv
var files embed.FS

func records(name string) ([][]string, error) {
	text, err := files.ReadFile("testdata/" + name + ".csv")
	if err != nil {
		return nil, err
	}
	return csv.NewReader(bytes.NewReader(text)).ReadAll()
}

// here are the tables of testdata, elsewhere those of package tables.
var here = []string{"iris", "chickwts", "InsectSprays", "PlantGrowth", "warpbreaks", "ToothGrowth"}

var elsewhere = []string{"wine", "vehicle", "digits"}

// read returns the groups of a table and their rows, with columns divided by their standard
// deviations.
func read(name string) (names []string, x []mat.Matrix, err error) {
	var all *mat.Dense
	var group []string
	if slices.Contains(elsewhere, name) {
		var class []int
		if all, class, err = tables.Read(name); err != nil {
			return nil, nil, err
		}
		for _, c := range class {
			group = append(group, fmt.Sprint(c))
		}
	} else {
		lines, err := records(name)
		if err != nil {
			return nil, nil, err
		}
		all = mat.NewDense(len(lines)-1, len(lines[0])-1, nil)
		for i, line := range lines[1:] {
			group = append(group, line[0])
			for j, field := range line[1:] {
				v, err := strconv.ParseFloat(field, 64)
				if err != nil {
					return nil, nil, err
				}
				all.Set(i, j, v)
			}
		}
	}
	if all, _, err = bke.Standardize(all); err != nil {
		return nil, nil, err
	}
	_, dim := all.Dims()
	of := map[string][]float64{}
	for i, g := range group {
		if of[g] == nil {
			names = append(names, g)
		}
		of[g] = append(of[g], all.RawRowView(i)...)
	}
	for _, g := range names {
		x = append(x, mat.NewDense(len(of[g])/dim, dim, of[g]))
	}
	return names, x, nil
}

// references returns R's energy distances of each table by the names of the pair: those of edist
// without their factor nm/(n+m).
func references() (map[string]map[[2]string]float64, error) {
	lines, err := records("edist")
	if err != nil {
		return nil, err
	}
	out := map[string]map[[2]string]float64{}
	for _, line := range lines[1:] {
		v, err := strconv.ParseFloat(line[3], 64)
		if err != nil {
			return nil, err
		}
		if out[line[0]] == nil {
			out[line[0]] = map[[2]string]float64{}
		}
		out[line[0]][[2]string{line[1], line[2]}] = v
	}
	return out, nil
}

// scales is the sum of unbiased squared discrepancies with squared exponential kernels whose
// lengthscales are the median distance of all rows times powers of 2 from 2^-steps to 2^steps.
func scales(x []mat.Matrix, steps int) *mat.SymDense {
	var all []float64
	var owner []int
	_, dim := x[0].Dims()
	for a, rows := range x {
		n, _ := rows.Dims()
		for i := range n {
			all = append(all, mat.Row(nil, i, rows)...)
			owner = append(owner, a)
		}
	}
	distance := func(i, j int) float64 {
		return rows.Distance(all[i*dim:(i+1)*dim], all[j*dim:(j+1)*dim])
	}
	var some []float64
	by := max(1, len(owner)/500)
	for i := 0; i < len(owner); i += by {
		for j := 0; j < i; j += by {
			some = append(some, distance(i, j))
		}
	}
	slices.Sort(some)
	median := some[len(some)/2]
	k := len(x)
	sum, count := mat.NewSymDense(k, nil), mat.NewSymDense(k, nil)
	for i, a := range owner {
		for j, b := range owner[:i] {
			d := distance(i, j) / median
			v := 0.0
			for s := -steps; s <= steps; s++ {
				v += math.Exp(-d * d / 2 * math.Pow(4, -float64(s)))
			}
			sum.SetSym(a, b, sum.At(a, b)+v)
			count.SetSym(a, b, count.At(a, b)+1)
		}
	}
	out := mat.NewSymDense(k, nil)
	mean := func(a, b int) float64 { return sum.At(a, b) / count.At(a, b) }
	for a := range k {
		for b := range a {
			out.SetSym(a, b, mean(a, a)+mean(b, b)-2*mean(a, b))
		}
	}
	return out
}

// compared is how distances of one table agree with R's.
type compared struct {
	name                   string
	samples, rows, columns int
	energy, wide, narrow   float64 // rank correlations
	sure, pairs            int     // comparisons of two pairs
	direct                 float64 // largest relative difference from R's values
	names                  []string
	distances              *energy.Distances
}

// compare measures one table.
func compare(ctx context.Context, name string, seed uint64, ref map[[2]string]float64) (*compared, error) {
	names, x, err := read(name)
	if err != nil {
		return nil, err
	}
	d, err := energy.Between(ctx, x, energy.Options{Seed: seed})
	if err != nil {
		return nil, err
	}
	_, dim := x[0].Dims()
	out := &compared{name: name, samples: len(x), columns: dim, names: names, distances: d}
	wide, narrow := scales(x, 3), scales(x, 0)
	within := func(a int) float64 { // mean distance of a row to another
		n, _ := x[a].Dims()
		sum := 0.0
		for i := range n {
			for j := range i {
				sum += 2 * rows.Distance(mat.Row(nil, i, x[a]), mat.Row(nil, j, x[a]))
			}
		}
		return sum / float64(n*(n-1))
	}
	var r, ours, w, m []float64
	for a := range x {
		n, _ := x[a].Dims()
		out.rows += n
		for b := range a {
			l, _ := x[b].Dims()
			v, ok := ref[[2]string{names[b], names[a]}]
			if !ok {
				return nil, fmt.Errorf("%s: no reference for %s and %s", name, names[b], names[a])
			}
			r, ours = append(r, v*float64(n+l)/float64(n*l)), append(ours, d.Squared.At(a, b))
			w, m = append(w, wide.At(a, b)), append(m, narrow.At(a, b))
			// R's value has each row with itself among the pairs
			biased := d.Squared.At(a, b) + within(a)/float64(n) + within(b)/float64(l)
			out.direct = max(out.direct, math.Abs(biased/r[len(r)-1]-1))
		}
	}
	rank := func(v []float64) float64 { return stat.Correlation(ranks(r), ranks(v), nil) }
	out.energy, out.wide, out.narrow = rank(ours), rank(w), rank(m)
	all := d.Pairs()
	for i, p := range all {
		for _, q := range all[:i] {
			out.pairs++
			if d.Closer(q.A, q.B, p.A, p.B) {
				out.sure++
			}
		}
	}
	return out, nil
}

func onTables(ctx context.Context, s report.Study, out io.Writer) error {
	refs, err := references()
	if err != nil {
		return err
	}
	lines := [][]string{{"table", "samples", "rows", "columns", "energy", "7 scales", "1 scale",
		"orders sure", "closest", "farthest"}}
	for _, name := range slices.Concat(here, elsewhere) {
		if !strings.Contains(name, s.Only) {
			continue
		}
		c, err := compare(ctx, name, s.Seed, refs[name])
		if err != nil {
			return err
		}
		pairs := c.distances.Pairs()
		word := func(p energy.Pair) string {
			return fmt.Sprintf("%s, %s: %.2f (%.2f to %.2f)", c.names[p.A], c.names[p.B], p.Distance, p.Lower, p.Upper)
		}
		lines = append(lines, []string{c.name, fmt.Sprint(c.samples), fmt.Sprint(c.rows), fmt.Sprint(c.columns),
			fmt.Sprintf("%.3f", c.energy), fmt.Sprintf("%.3f", c.wide), fmt.Sprintf("%.3f", c.narrow),
			fmt.Sprintf("%d of %d", c.sure, c.pairs), word(pairs[0]), word(pairs[len(pairs)-1])})
	}
	return report.Table(out, lines)
}
