package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/figure"
	"bayeskernel/kerneltest/bayesfactor"

	"gonum.org/v1/gonum/mat"
)

// measureAll measures what is not in the file yet and prints the tables.
func measureAll(ctx context.Context, s report.Study, plot string, out io.Writer) error {
	list := problems()
	done, err := report.MeasureEach(ctx, s, list, func(c problem) report.Case { return report.Case{Name: c.name, Sets: c.sets} },
		func(c problem, set int) (result, error) { return c.measure(ctx, s.Seed, set) })
	if err != nil {
		return err
	}
	var b bytes.Buffer
	tables(&b, list, done)
	if err := published(&b); err != nil {
		return err
	}
	if err := pairings(&b); err != nil {
		return err
	}
	if _, err := out.Write(b.Bytes()); err != nil || plot == "" {
		return err
	}
	f, err := picture(list, done).Draw()
	if err != nil {
		return err
	}
	return atomicfile.Write(plot, f.WritePNG)
}

// values are those of the data sets that there are.
func values(of map[int]result, get func(r result) float64) []float64 {
	var out []float64
	for _, r := range of {
		out = append(out, get(r))
	}
	slices.Sort(out)
	return out
}

func median(v []float64) float64 { return report.Median(v) }

// above is the share of values above a bound.
func above(v []float64, bound float64) float64 {
	k := 0
	for _, x := range v {
		if x > bound {
			k++
		}
	}
	return float64(k) / float64(len(v))
}

func logBF(r result) float64 { return r.LogBF }

// odds is log BF at a probability.
func odds(p float64) float64 { return math.Log(p / (1 - p)) }

func tables(b *bytes.Buffer, list []problem, done map[string]map[int]result) {
	fmt.Fprintln(b, "| P and Q | sets | floor | median log BF | P(H1) > .5 | > .75 | > .9 | > .95 | "+
		"p ≤ .05 | MMD p ≤ .05 |")
	fmt.Fprintln(b, "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |")
	for _, p := range list {
		of := done[p.name]
		if len(of) == 0 {
			continue
		}
		v := values(of, logBF)
		fmt.Fprintf(b, "| %s | %d | %.2f | %.2f |", p.name, len(v), median(values(of, func(r result) float64 {
			return r.Floor
		})), median(v))
		for _, at := range []float64{0.5, 0.75, 0.9, 0.95} {
			fmt.Fprintf(b, " %.2f |", above(v, odds(at)))
		}
		if p.kind == alter {
			fmt.Fprintf(b, " %.2f | %.2f |\n", 1-above(values(of, func(r result) float64 { return r.P }), 0.05),
				1-above(values(of, func(r result) float64 { return r.MMD }), 0.05))
			continue
		}
		fmt.Fprintln(b, " | |")
	}
	fmt.Fprintln(b, "\n| model | P and Q | median log BF | P(H1) > .5 | > .9 | > .95 |")
	fmt.Fprintln(b, "| --- | --- | --: | --: | --: | --: |")
	for _, p := range list {
		of := done[p.name]
		if len(of) == 0 {
			continue
		}
		row := func(model string, get func(r result) float64) {
			v := values(of, get)
			fmt.Fprintf(b, "| %s | %s | %.2f | %.2f | %.2f | %.2f |\n", model, p.name, median(v), above(v, 0),
				above(v, odds(0.9)), above(v, odds(0.95)))
		}
		switch p.kind {
		case paired:
			row("as pairs", func(r result) float64 { return r.Pairs })
			row("not as pairs", logBF)
		case points:
			row("points, pooled covariance", func(r result) float64 { return r.Pooled })
			row("points, the samples' own", func(r result) float64 { return r.Separate })
			row("points, that of pairs", func(r result) float64 { return r.AsPairs })
		}
	}
}

//go:embed b1_x.csv b1_y.csv b1_z.csv
var files embed.FS

// column reads one of the files.
func column(name string) (*mat.Dense, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	out := mat.NewDense(len(lines), 1, nil)
	for i, line := range lines {
		v, err := strconv.ParseFloat(line[0], 64)
		if err != nil {
			return nil, err
		}
		out.Set(i, 0, v)
	}
	return out, nil
}

// published prints the answers to one question on 12 and 12 rows and 6 points.
func published(b *bytes.Buffer) error {
	var m [3]*mat.Dense
	for i, name := range []string{"b1_x.csv", "b1_y.csv", "b1_z.csv"} {
		var err error
		if m[i], err = column(name); err != nil {
			return err
		}
	}
	a, err := bayesfactor.Published(m[0], m[1], m[2])
	if err != nil {
		return err
	}
	r, err := bayesfactor.Density(context.Background(), m[0], m[1], bayesfactor.Options{})
	if err != nil {
		return err
	}
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	fmt.Fprintf(b, "\n| 12 and 12 rows, 6 points | log BF | P(H1) |\n| --- | --: | --: |\n")
	for _, row := range []struct {
		name string
		v    float64
	}{{"published densities, as compiled", a.Compiled},
		{"published densities, as the algebra wants", a.Intended},
		{"published sampler, independent samples", logit(a.SamplerIndependent)},
		{"published sampler, pairs", logit(a.SamplerPaired)}, {"density", r.LogBF}} {
		fmt.Fprintf(b, "| %s | %.3f | %.2g |\n", row.name, row.v, 1/(1+math.Exp(-row.v)))
	}
	return nil
}

// pairings pairs the rows of one pair of independent samples in 100 ways.
func pairings(b *bytes.Buffer) error {
	r := rand.New(rand.NewPCG(1, 60))
	const n = 60
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, r.NormFloat64())
		y.Set(i, 0, 0.5+r.NormFloat64())
	}
	o := bayesfactor.Options{Nodes: 17}
	one, err := bayesfactor.Density(context.Background(), x, y, o)
	if err != nil {
		return err
	}
	var all []float64
	for range 100 {
		again := mat.NewDense(n, 1, nil)
		for i, j := range r.Perm(n) {
			again.Set(i, 0, y.At(j, 0))
		}
		p, err := bayesfactor.Paired(context.Background(), x, again, o)
		if err != nil {
			return err
		}
		all = append(all, p.LogBF)
	}
	fmt.Fprintf(b, "\n60 and 60 independent rows, shift .5: log BF %.2f; as pairs, paired in 100 ways, %.2f to "+
		"%.2f.\n", one.LogBF, slices.Min(all), slices.Max(all))
	return nil
}

// picture shows log BF of samples of one law by the number of rows, with the floor.
func picture(list []problem, done map[string]map[int]result) figure.Curves {
	all := figure.Series{Name: "median, and 5% to 95%"}
	floor := figure.Series{Name: "floor"}
	for _, p := range list {
		of := done[p.name]
		if p.kind != null || len(of) == 0 {
			continue
		}
		v := values(of, logBF)
		at := func(level float64) float64 { return v[int(level*float64(len(v)-1)+0.5)] }
		all.X, all.Y = append(all.X, float64(p.n)), append(all.Y, median(v))
		all.Lower, all.Upper = append(all.Lower, at(0.05)), append(all.Upper, at(0.95))
		floor.X = append(floor.X, float64(p.n))
		floor.Y = append(floor.Y, median(values(of, func(r result) float64 { return r.Floor })))
	}
	return figure.Curves{Title: "Samples of one law", Series: []figure.Series{all, floor}, LogX: true,
		XLabel: "rows of each sample", YLabel: "log BF",
		Lines: []figure.Mark{{Y: math.Log(9), Label: "P(H1) = .9"}}}
}
