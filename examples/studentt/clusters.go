package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"bayeskernel/examples/internal/report"
	"bayeskernel/kernels"
	"bayeskernel/nuts"
	"bayeskernel/studentt"
	"bayeskernel/studentt/fantasy"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// prior is one under which fantasy data are made, with the mean number of clusters that an independent
// program found in 4 data sets, drawn from a grid of step 0.2.
type prior struct {
	scale, alpha, clusters float64
}

func (p prior) name() string { return fmt.Sprintf("Scale2 %v, Alpha %v", p.scale, p.alpha) }

func priors() []prior {
	return []prior{{0.1, 0.01, 3.2}, {0.1, 1, 3.2}, {0.1, 10, 1.0}, {0.01, 0.01, 2.8}, {0.01, 1, 2.0},
		{0.01, 10, 1.0}}
}

// sampled is what was found in fantasy data, from a grid and from the sampler.
type sampled struct {
	Case     string
	Set      int
	Clusters [2]int
	RHat     float64 // the share of rows whose R-hat is below 1.05
}

// Of names the case and the data set.
func (s sampled) Of() (string, int) { return s.Case, s.Set }

// Fantasy data: 50 rows in a box of 12 lengthscales a side.
const (
	fantasyRows = 50
	halfBox     = 6.0
	gridSide    = 60
)

func clusters(ctx context.Context, s report.Study, out io.Writer) error {
	var cases []report.Case
	for _, p := range priors() {
		cases = append(cases, report.Case{Name: p.name(), Sets: 8})
	}
	done, err := report.Measure(ctx, s, cases, func(i, set int) (sampled, error) {
		return priors()[i].sample(ctx, s.Seed, set)
	})
	if err != nil {
		return err
	}
	fmt.Fprint(out, "Clusters of 50 fantasy rows, mean and standard error\n\n| Scale2 | Alpha | from a "+
		"grid | sampler | rows with R-hat below 1.05 | independent program |\n"+
		"|---|---|---|---|---|---|\n")
	var means []float64
	for _, p := range priors() {
		sets := done[p.name()]
		if len(sets) < 2 {
			continue
		}
		var counts [2][]float64
		share := 0.0
		for _, c := range sets {
			for i, n := range c.Clusters {
				counts[i] = append(counts[i], float64(n))
			}
			share += c.RHat / float64(len(sets))
		}
		fmt.Fprintf(out, "| %v | %v |", p.scale, p.alpha)
		for _, c := range counts {
			mean, sd := stat.MeanStdDev(c, nil)
			fmt.Fprintf(out, " %.1f ± %.1f |", mean, sd/math.Sqrt(float64(len(c))))
		}
		fmt.Fprintf(out, " %.0f%% | %.1f |\n", 100*share, p.clusters)
		means = append(means, stat.Mean(counts[1], nil))
	}
	verdict := "was not measured"
	if len(means) == len(priors()) {
		verdict = "was not reproduced"
		if means[2] < means[0] && means[5] < means[3] {
			verdict = "was reproduced"
		}
	}
	_, err = fmt.Fprintf(out, "\nThe paper's claim that a larger Alpha makes tighter data %s.\n", verdict)
	return err
}

func (p prior) sample(ctx context.Context, seed uint64, set int) (sampled, error) {
	out := sampled{Case: p.name(), Set: set}
	k := kernels.SquaredExponential(1)
	params := studentt.Params{Alpha: p.alpha, Beta: 0.01, Scale2: p.scale}
	box := fantasy.Box{Half: []float64{halfBox}}
	m, err := studentt.New(k, 2, params)
	if err != nil {
		return out, err
	}
	if err := fromGrid(ctx, m, box, rand.New(rand.NewPCG(seed, uint64(set)))); err != nil {
		return out, err
	}
	out.Clusters[0] = linked(m.Points())
	if m, err = studentt.New(k, 2, params); err != nil {
		return out, err
	}
	x, quality, err := fantasy.Sample(ctx, m, fantasy.Options{Rows: fantasyRows, Box: box,
		Config: nuts.Config{Settings: nuts.Settings{Seed: seed*1000 + uint64(set)}}})
	if err != nil {
		return out, err
	}
	out.Clusters[1] = linked(x)
	for _, q := range quality {
		if q.RHat < 1.05 {
			out.RHat += 1 / float64(len(quality))
		}
	}
	return out, nil
}

// fromGrid draws the rows from the cells of a grid, at a point of the cell.
func fromGrid(ctx context.Context, m *studentt.Model, box fantasy.Box, r *rand.Rand) error {
	if err := m.Add([]float64{0, 0}); err != nil {
		return err
	}
	for m.Rows() < fantasyRows {
		points, probs, err := fantasy.Grid(ctx, m, box, gridSide)
		if err != nil {
			return err
		}
		u, at := r.Float64(), 0
		for at < len(probs)-1 && u >= probs[at] {
			u -= probs[at]
			at++
		}
		x := points.RawRowView(at)
		for j := range x {
			x[j] += 2 * halfBox / gridSide * (r.Float64() - 0.5)
		}
		if err := m.Add(x); err != nil {
			return err
		}
	}
	return nil
}

// linked counts the clusters of rows that are linked by steps of at most a lengthscale, 1.
func linked(x *mat.Dense) int {
	n, _ := x.Dims()
	seen := make([]bool, n)
	count := 0
	var reach func(i int)
	reach = func(i int) {
		seen[i] = true
		for j := range n {
			if !seen[j] && math.Hypot(x.At(i, 0)-x.At(j, 0), x.At(i, 1)-x.At(j, 1)) <= 1 {
				reach(j)
			}
		}
	}
	for i := range n {
		if !seen[i] {
			count++
			reach(i)
		}
	}
	return count
}
