package work

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/cmd/bkesample/internal/cli"
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
	Simultaneous  = 0.95 // level of the band for statements about all points at once
	Decided       = 0.95 // credibility from which a difference counts as seen
	FewRows       = 5    // with 2 or 3, level 0.95 is passed in 30 or 15% of cases where P = Q
)

// Witness is the posterior of the witness function, or of the embedding of a single sample, at the
// points of a picture or a list.
type Witness struct {
	Single             bool
	Noise              string
	Level              float64
	Draws, Functions   int
	Points             *mat.Dense // in the units of the data
	Axes               [][]float64
	Mean, Sd           []float64
	Lower, Upper       []float64 // pointwise band
	SimLower, SimUpper []float64 // simultaneous band
	Positive           []float64 // probability that the function is positive
	Excludes           []int     // as embedding.Band.Excludes of the pointwise band
	Share              float64
	Intervals          []embedding.Interval
	SimIntervals       []embedding.Interval
	Certainty          float64    // the largest level of a simultaneous band that excludes zero
	Mmd2               [4]float64 // posterior mean, 5%, 50%, 95%
	Strongest          []int      // points by |mean|/sd, the largest first
	Fewest             float64    // effective rows of the smaller sample
}

// newWitness computes the witness from draws of the hyperparameters.
func newWitness(s *Study, f *WitnessFlags, params []bke.Params) (*Witness, error) {
	noise, err := embedding.ParseNoise(f.noise)
	if err != nil {
		return nil, err
	}
	w := &Witness{Single: s.Q == nil, Noise: f.noise, Level: f.band, Draws: len(params)}
	w.Fewest = s.fewestRows()
	if err := w.place(s); err != nil {
		return nil, err
	}
	at, err := s.inUnits(w.Points)
	if err != nil {
		return nil, err
	}
	bw, err := embedding.NewWitness(s.Model, s.sample(0), s.sample(1), params,
		embedding.Options{Noise: noise})
	if err != nil {
		return nil, s.explain(err)
	}
	src, err := rng.New("", rng.Name{Seed: s.Flags.Seed, Purpose: "functions"}, 0)
	if err != nil {
		return nil, err
	}
	w.Functions = functionDraws
	if len(w.Axes) != 2 {
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
	centres, err := w.centres(s, s.All)
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
func (w *Witness) bands(post *embedding.Pointwise) error {
	w.Mean, w.Sd, w.Positive = post.Mean, post.SD, post.Positive()
	band, err := post.Band(w.Level)
	if err != nil {
		return err
	}
	w.Lower, w.Upper = band.Lower, band.Upper
	w.Excludes, w.Share = band.Excludes(), band.Share()
	if len(w.Axes) == 1 {
		w.Intervals = inDataUnits(band, w.Points)
	}
	w.rank()
	return nil
}

// simultaneous reads off what is known of all points at once; same is set if they are those of
// the pointwise bands.
func (w *Witness) simultaneous(fn *embedding.Functions, same bool) error {
	band, err := fn.Band(Simultaneous)
	if err != nil {
		return err
	}
	if same {
		w.SimLower, w.SimUpper = band.Lower, band.Upper
	}
	if len(w.Axes) == 1 {
		w.SimIntervals = inDataUnits(band, w.Points)
	}
	w.Certainty = fn.Certainty()
	mmd := fn.MMD2(nil)
	for _, v := range mmd {
		w.Mmd2[0] += v / float64(len(mmd))
	}
	slices.Sort(mmd)
	for i, p := range []float64{0.05, 0.5, 0.95} {
		w.Mmd2[i+1] = mmd[int(p*float64(len(mmd)-1)+0.5)]
	}
	return nil
}

// rank puts the points in the order of their strength.
func (w *Witness) rank() {
	w.Strongest = make([]int, len(w.Mean))
	for j := range w.Strongest {
		w.Strongest[j] = j
	}
	slices.SortStableFunc(w.Strongest, func(a, b int) int {
		return cmp.Compare(w.Strength(b), w.Strength(a))
	})
}

// Strength is how many posterior sds the mean is from zero.
func (w *Witness) Strength(j int) float64 {
	if w.Sd[j] == 0 {
		return 0
	}
	return math.Abs(w.Mean[j]) / w.Sd[j]
}

// inDataUnits returns the intervals of a band over points that are given in other units.
func inDataUnits(b *embedding.Band, points *mat.Dense) []embedding.Interval {
	c := *b
	c.Points = points
	return c.Intervals()
}

// place chooses the points, in the units of the data.
func (w *Witness) place(s *Study) error {
	all := s.Data.Pooled()
	_, dim := all.Dims()
	if dim <= 2 && s.Model.Rank() == dim {
		count := lineGrid
		if dim == 2 {
			count = planeGrid
		}
		for a := range dim {
			w.Axes = append(w.Axes, axis(mat.Col(nil, a, all), count))
		}
		if dim == 1 {
			w.Axes[0] = s.refine(w.Axes[0])
			w.Points = mat.NewDense(len(w.Axes[0]), 1, w.Axes[0])
			return nil
		}
		w.Points = mat.NewDense(count*count, 2, nil)
		for i := range count * count {
			w.Points.SetRow(i, []float64{w.Axes[0][i/count], w.Axes[1][i%count]})
		}
		return nil
	}
	points, err := w.centres(s, all)
	w.Points = points
	return err
}

// refine adds quantiles of the data to a grid that is coarser than half a lengthscale, and so may
// step over clusters.
func (s *Study) refine(grid []float64) []float64 {
	theta := math.Inf(1)
	for _, m := range s.Fit.Modes {
		theta = min(theta, m.Params.Theta[0])
	}
	if s.Scaling != nil {
		theta *= s.Scaling.SD[0]
	}
	if grid[1]-grid[0] <= theta/2 {
		return grid
	}
	values := mat.Col(nil, 0, s.Data.Pooled())
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
func (w *Witness) centres(s *Study, rows mat.Matrix) (*mat.Dense, error) {
	n, dim := rows.Dims()
	in, err := inputs.Choose(context.Background(), rows, inputs.Options{Kind: inputs.KMeans,
		Number: min(n, max(dim+1, min(listedPoints, n/2))), Seed: s.Flags.Seed})
	if err != nil {
		return nil, s.explain(err)
	}
	return in.Z, nil
}

// WitnessFlags say how the witness is observed and shown.
type WitnessFlags struct {
	noise   string
	observe string
	band    float64
}

// Define defines the flags.
func (f *WitnessFlags) Define(s *cli.FlagSet) {
	s.Group("Witness")
	s.Choice(&f.noise, "noise", "clt", []string{"clt", "iid"}, "the `covariance` of the error of "+
		"the sample mean: clt (as in the central limit theorem), or iid (as in the paper; its bands "+
		"are too narrow)")
	s.Retired(&f.observe, "observe")
	s.Number(&f.band, "band", 0.8, "the posterior `probability` of the band at each point")
}

// Check finds what is wrong with the flags.
func (f *WitnessFlags) Check(s *cli.FlagSet) error {
	if !(f.band > 0 && f.band < 1) {
		return cli.Usagef("-band is %v, want it between 0 and 1", f.band)
	}
	if s.Given("observe") {
		return cli.Usagef("-observe is no longer a flag: embeddings are now observed at the points drawn, " +
			"so there is nothing to choose")
	}
	return nil
}

// drawsWanted is how many draws of the hyperparameters the witness is integrated over. The work is
// their number times that of the rows, and with many rows they hardly differ.
func drawsWanted(s *Study) int {
	n, dim := s.All.Dims()
	switch {
	case n > manyRows:
		return max(fewestDraws, fewerDraws*manyRows/n)
	case dim > 1:
		return fewerDraws
	}
	return mostDraws
}
