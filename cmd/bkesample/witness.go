package main

import (
	"cmp"
	"context"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/embedding"
	"bayeskernel/internal/rng"

	"gonum.org/v1/gonum/mat"
)

const (
	lineGrid      = 200  // points of a picture of one column
	planeGrid     = 40   // points along each side of a picture of two columns
	listedPoints  = 100  // points at which more columns are looked at
	mostDraws     = 1000 // of the hyperparameters
	fewerDraws    = 200  // the same where each is dear
	fewestDraws   = 40   // with a million rows
	functionDraws = 1000
	manyRows      = 50000
	simultaneous  = 0.95 // level of the band for statements about all points at once
	decided       = 0.95 // credibility from which a difference counts as seen
	fewRows       = 5    // with 2 or 3, level 0.95 is passed in 30 or 15% of cases where P = Q
)

// witness is the posterior of the witness function, or of the embedding of a single sample, at the
// points of a picture or a list.
type witness struct {
	single             bool
	noise              string
	level              float64
	draws, functions   int
	points             *mat.Dense // in the units of the data
	axes               [][]float64
	mean, sd           []float64
	lower, upper       []float64 // pointwise band
	simLower, simUpper []float64 // simultaneous band
	positive           []float64 // probability that the function is positive
	excludes           []int     // as embedding.Band.Excludes of the pointwise band
	share              float64
	intervals          []embedding.Interval
	simIntervals       []embedding.Interval
	certainty          float64    // the largest level of a simultaneous band that excludes zero
	mmd2               [4]float64 // posterior mean, 5%, 50%, 95%
	strongest          []int      // points by |mean|/sd, the largest first
	fewest             float64    // effective rows of the smaller sample
}

// newWitness computes the witness from draws of the hyperparameters.
func newWitness(s *study, f *witnessFlags, params []bke.Params) (*witness, error) {
	noise, err := embedding.ParseNoise(f.noise)
	if err != nil {
		return nil, err
	}
	w := &witness{single: s.q == nil, noise: f.noise, level: f.band, draws: len(params)}
	w.fewest = s.fewestRows()
	if err := w.place(s); err != nil {
		return nil, err
	}
	at, err := s.inUnits(w.points)
	if err != nil {
		return nil, err
	}
	bw, err := embedding.NewWitness(s.model, s.sample(0), s.sample(1), params,
		embedding.Options{Noise: noise})
	if err != nil {
		return nil, s.explain(err)
	}
	src, err := rng.New("", rng.Name{Seed: s.flags.seed, Purpose: "functions"}, 0)
	if err != nil {
		return nil, err
	}
	w.functions = functionDraws
	if len(w.axes) != 2 {
		fn, err := bw.Functions(at, functionDraws, rand.New(src))
		if err != nil {
			return nil, s.explain(err)
		}
		if err := w.bands(fn.Pointwise); err != nil {
			return nil, err
		}
		return w, w.simultaneous(fn, true)
	}
	// Whole functions on a grid of the plane would take minutes, and most of it is far from the
	// data: they are drawn at fewer points, all among the data.
	post, err := bw.At(at)
	if err != nil {
		return nil, s.explain(err)
	}
	if err := w.bands(post); err != nil {
		return nil, err
	}
	centres, err := w.centres(s, s.all)
	if err != nil {
		return nil, err
	}
	fn, err := bw.Functions(centres, functionDraws, rand.New(src))
	if err != nil {
		return nil, s.explain(err)
	}
	return w, w.simultaneous(fn, false)
}

// bands reads off what is known point by point.
func (w *witness) bands(post *embedding.Pointwise) error {
	w.mean, w.sd, w.positive = post.Mean, post.SD, post.Positive()
	band, err := post.Band(w.level)
	if err != nil {
		return err
	}
	w.lower, w.upper = band.Lower, band.Upper
	w.excludes, w.share = band.Excludes(), band.Share()
	if len(w.axes) == 1 {
		w.intervals = inDataUnits(band, w.points)
	}
	w.rank()
	return nil
}

// simultaneous reads off what is known of all points at once; same is set if they are those of
// the pointwise bands.
func (w *witness) simultaneous(fn *embedding.Functions, same bool) error {
	band, err := fn.Band(simultaneous)
	if err != nil {
		return err
	}
	if same {
		w.simLower, w.simUpper = band.Lower, band.Upper
	}
	if len(w.axes) == 1 {
		w.simIntervals = inDataUnits(band, w.points)
	}
	w.certainty = fn.Certainty()
	mmd := fn.MMD2(nil)
	for _, v := range mmd {
		w.mmd2[0] += v / float64(len(mmd))
	}
	slices.Sort(mmd)
	for i, p := range []float64{0.05, 0.5, 0.95} {
		w.mmd2[i+1] = mmd[int(p*float64(len(mmd)-1)+0.5)]
	}
	return nil
}

// rank puts the points in the order of their strength.
func (w *witness) rank() {
	w.strongest = make([]int, len(w.mean))
	for j := range w.strongest {
		w.strongest[j] = j
	}
	slices.SortStableFunc(w.strongest, func(a, b int) int {
		return cmp.Compare(w.strength(b), w.strength(a))
	})
}

// strength is how many posterior sds the mean is from zero.
func (w *witness) strength(j int) float64 {
	if w.sd[j] == 0 {
		return 0
	}
	return math.Abs(w.mean[j]) / w.sd[j]
}

// inDataUnits returns the intervals of a band over points that are given in other units.
func inDataUnits(b *embedding.Band, points *mat.Dense) []embedding.Interval {
	c := *b
	c.Points = points
	return c.Intervals()
}

// place chooses the points, in the units of the data.
func (w *witness) place(s *study) error {
	all := s.data.pooled()
	_, dim := all.Dims()
	if dim <= 2 && s.model.Rank() == dim {
		count := lineGrid
		if dim == 2 {
			count = planeGrid
		}
		for a := range dim {
			w.axes = append(w.axes, axis(mat.Col(nil, a, all), count))
		}
		if dim == 1 {
			w.axes[0] = s.refine(w.axes[0])
			w.points = mat.NewDense(len(w.axes[0]), 1, w.axes[0])
			return nil
		}
		w.points = mat.NewDense(count*count, 2, nil)
		for i := range count * count {
			w.points.SetRow(i, []float64{w.axes[0][i/count], w.axes[1][i%count]})
		}
		return nil
	}
	points, err := w.centres(s, all)
	w.points = points
	return err
}

// refine adds quantiles of the data to a grid that is coarser than half a lengthscale, and so may
// step over clusters.
func (s *study) refine(grid []float64) []float64 {
	theta := math.Inf(1)
	for _, m := range s.fit.Modes {
		theta = min(theta, m.Params.Theta[0])
	}
	if s.scaling != nil {
		theta *= s.scaling.SD[0]
	}
	if grid[1]-grid[0] <= theta/2 {
		return grid
	}
	values := mat.Col(nil, 0, s.data.pooled())
	slices.Sort(values)
	for i := range lineGrid {
		v := values[i*(len(values)-1)/(lineGrid-1)]
		if v >= grid[0] && v <= grid[lineGrid-1] {
			grid = append(grid, v)
		}
	}
	slices.Sort(grid)
	return slices.Compact(grid)
}

// centres are some points among the rows.
func (w *witness) centres(s *study, rows mat.Matrix) (*mat.Dense, error) {
	n, dim := rows.Dims()
	in, err := inputs.Choose(context.Background(), rows, inputs.Options{Kind: inputs.KMeans,
		Number: min(n, max(dim+1, min(listedPoints, n/2))), Seed: s.flags.seed})
	if err != nil {
		return nil, s.explain(err)
	}
	return in.Z, nil
}

// axis spreads count points over the range of the values, but not far into tails that hold less
// than a hundredth of them.
func axis(values []float64, count int) []float64 {
	slices.Sort(values)
	n := len(values)
	lo, hi := values[0], values[n-1]
	a, b := values[n/100], values[n-1-n/100]
	lo, hi = max(lo, a-0.75*(b-a)), min(hi, b+0.75*(b-a))
	if !(lo < hi) {
		lo, hi = values[0], values[n-1]
	}
	out := make([]float64, count)
	for i := range out {
		t := float64(i) / float64(count-1)
		out[i] = (1-t)*lo + t*hi
	}
	return out
}

// witnessCSV writes a row for each point.
func witnessCSV(w *witness, out io.Writer, columns []string) error {
	var b []byte
	for _, c := range columns {
		b = append(b, csvField(c)...)
		b = append(b, ',')
	}
	b = append(b, "mean,sd,lower,upper,"...)
	if w.simLower != nil {
		b = append(b, "simultaneous_lower,simultaneous_upper,"...)
	}
	b = append(b, "prob_positive,excludes_zero\n"...)
	for j := range w.mean {
		row := append(slices.Clone(w.points.RawRowView(j)), w.mean[j], w.sd[j], w.lower[j],
			w.upper[j])
		if w.simLower != nil {
			row = append(row, w.simLower[j], w.simUpper[j])
		}
		for _, v := range append(row, w.positive[j]) {
			b = append(strconv.AppendFloat(b, v, 'g', -1, 64), ',')
		}
		b = append(strconv.AppendInt(b, int64(w.excludes[j]), 10), '\n')
	}
	_, err := out.Write(b)
	return err
}

// csvField quotes a name where a CSV file needs that.
func csvField(s string) string {
	for _, r := range s {
		if r == ',' || r == '"' || r == '\n' || r == '\r' {
			return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
	}
	return s
}

// witnessFlags say how the witness is observed and shown.
type witnessFlags struct {
	noise   string
	observe string
	band    float64
}

func (f *witnessFlags) define(s *flagSet) {
	s.group("Witness")
	s.choice(&f.noise, "noise", "clt", []string{"clt", "iid"}, "the `covariance` of the error of "+
		"the sample mean: clt (as in the central limit theorem), or iid (as in the paper; its bands "+
		"are too narrow)")
	s.retired(&f.observe, "observe")
	s.number(&f.band, "band", 0.8, "the posterior `probability` of the band at each point")
}

func (f *witnessFlags) check(s *flagSet) error {
	if !(f.band > 0 && f.band < 1) {
		return usagef("-band is %v, want it between 0 and 1", f.band)
	}
	if s.given("observe") {
		return usagef("-observe is no longer a flag: embeddings are now observed at the points drawn, " +
			"so there is nothing to choose")
	}
	return nil
}

// drawsWanted is how many draws of the hyperparameters the witness is integrated over. The work is
// their number times that of the rows, and with many rows they hardly differ.
func drawsWanted(s *study) int {
	n, dim := s.all.Dims()
	switch {
	case n > manyRows:
		return max(fewestDraws, fewerDraws*manyRows/n)
	case dim > 1:
		return fewerDraws
	}
	return mostDraws
}
