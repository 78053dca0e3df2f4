package bags

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/diagnostics"
	"bayeskernel/distreg"
	"bayeskernel/distreg/target"
	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/loo"
	"bayeskernel/nuts"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// flags say how labels are learned.
type flags struct {
	standardize string
	landmarks   int
	level       float64
	sample      bool
	seed        uint64
}

func (f *flags) define(s *cli.FlagSet) {
	s.Group("Learning")
	s.Choice(&f.standardize, "standardize", "columns", []string{"columns", "none"}, "`how` columns are "+
		"scaled: columns (each is divided by its sd over all rows) or none (not at all)")
	s.Whole(&f.landmarks, "landmarks", 30, "`number` of points at which the distributions are compared")
	s.Number(&f.level, "level", 0.9, "`level` of each interval")
	s.Yes(&f.sample, "sample", "predict new bags by NUTS over the weights, not by the closed form: slower, to "+
		"check it; classes always take it")
	s.Seed(&f.seed, "seed", 1, "the `seed` of the landmarks and chains")
}

// check returns an error if the flags are wrong.
func (f *flags) check() error {
	switch {
	case !(f.level >= 0.5 && f.level <= 0.99):
		return cli.Usagef("-level is %v, want 0.5 to 0.99", f.level)
	case f.landmarks < 2 || f.landmarks > 500:
		return cli.Usagef("-landmarks is %d, want 2 to 500", f.landmarks)
	}
	return nil
}

// prediction is that of a bag. Of classes the mean is the probability of the second, and there is no
// interval.
type prediction struct {
	name               string
	rows               int
	truth              float64
	mean, lower, upper float64
}

// result is what was learned.
type result struct {
	flags    *flags
	data     *input.Bags
	fit      *distreg.Fit
	scaling  *bke.Scaling // nil for none
	bags     []prediction // of the known bags, each without its own label
	new      []prediction
	chains   *draws.Summary // nil without chains
	warnings []string
	// drawn is, of new bags that are predicted by chains, the mean ratio of their intervals' widths to those of the closed form;
	// 0 without.
	drawn float64
	// held is the share of known values in the model's own intervals; where that is too small or too large all are wider
	// by a factor, otherwise 0.
	held, wider float64
}

// learn fits the labels, and predicts them.
func learn(ctx context.Context, con *cli.Console, data *input.Bags, f *flags) (*result, error) {
	out := &result{flags: f, data: data}
	var err error
	if f.standardize == "columns" {
		if _, out.scaling, err = bke.StandardizeBulk(data.P); err != nil {
			return nil, fmt.Errorf("%s: %w", data.Source, err)
		}
	}
	bags, err := out.scaled(data.Of)
	if err != nil {
		return nil, err
	}
	line := con.Working("learning from %s", cli.Plural(len(bags), "bag"))
	defer line.End()
	rows, _ := data.P.Dims()
	out.fit, err = distreg.Learn(ctx, bags, data.Y, distreg.LearnOptions{Landmarks: min(f.landmarks, rows), Seed: f.seed})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	var fresh []mat.Matrix
	if data.New != nil {
		if fresh, err = out.scaled(data.New.Of); err != nil {
			return nil, err
		}
	}
	if data.Classes != nil {
		return out, out.classify(ctx, fresh)
	}
	average, err := out.fit.Average()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	mean, variance := average.LeaveOneOut()
	for i, name := range data.Names {
		p := out.interval(name, data.Of[i], mean[i], variance[i])
		p.truth = data.Y[i]
		out.bags = append(out.bags, p)
	}
	if mean, variance, err = average.Predict(fresh); err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	if f.sample && fresh != nil {
		post, run, err := out.sample(ctx, false)
		if err != nil {
			return nil, err
		}
		found, err := post.Predict(out.fit.Model, run, fresh)
		if err != nil {
			return nil, err
		}
		for i, p := range found {
			out.drawn += math.Sqrt(p.Variance/variance[i]) / float64(len(found))
			mean[i], variance[i] = p.Mean, p.Variance
		}
	}
	for i := range mean {
		out.new = append(out.new, out.interval(data.New.Names[i], data.New.Of[i], mean[i], variance[i]))
	}
	out.calibrate()
	return out, nil
}

// clearly is how many standard errors the share of known values in their intervals is from the level where these are
// made wider or narrower: chance alone puts it there once in 20 times, on each side.
const clearly = 1.645

// calibrate makes all intervals wider or narrower by one factor where clearly too few or too many known values lie in
// theirs, each predicted without its own: by the quantile of how far they are off, in half widths, as in conformal
// prediction.
func (r *result) calibrate() {
	n, level := float64(len(r.bags)), r.flags.level
	off := make([]float64, len(r.bags))
	for i, b := range r.bags {
		off[i] = math.Abs(b.truth-b.mean) / ((b.upper - b.lower) / 2)
		if off[i] <= 1 {
			r.held += 1 / n
		}
	}
	if math.Abs(r.held-level) <= clearly*math.Sqrt(level*(1-level)/n) {
		return
	}
	slices.Sort(off)
	r.wider = off[min(int(math.Ceil((n+1)*level)), len(off))-1]
	for k, list := range [][]prediction{r.bags, r.new} {
		if k == 1 && r.drawn > 0 {
			break // the factor is that of the closed form
		}
		for i := range list {
			p := &list[i]
			half := r.wider * (p.upper - p.lower) / 2
			p.lower, p.upper = p.mean-half, p.mean+half
		}
	}
}

// scaled puts bags into the units of the model.
func (r *result) scaled(of []*mat.Dense) (out []mat.Matrix, err error) {
	for _, x := range of {
		var y mat.Matrix = x
		if r.scaling != nil {
			if y, err = r.scaling.Apply(x); err != nil {
				return nil, fmt.Errorf("%s: %w", r.data.Source, err)
			}
		}
		out = append(out, y)
	}
	return out, nil
}

// interval is a normal one.
func (r *result) interval(name string, x *mat.Dense, mean, variance float64) prediction {
	n, _ := x.Dims()
	half := distuv.UnitNormal.Quantile((1+r.flags.level)/2) * math.Sqrt(variance)
	return prediction{name: name, rows: n, mean: mean, lower: mean - half, upper: mean + half}
}

const (
	chains = 4
	accept = 0.95 // few classes leave the scale of the weights a funnel
	warmup = 500
	kept   = 1000
)

// sample draws the weights.
func (r *result) sample(ctx context.Context, classes bool) (*target.Posterior, *draws.Run, error) {
	post, err := target.New(r.fit.Model, r.fit.Params, target.Options{Classes: classes})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.data.Source, err)
	}
	run, err := nuts.Sample(ctx, post.Target, nuts.Config{Settings: hmc.Settings{Chains: chains, Warmup: warmup,
		Draws: kept, Seed: r.flags.seed, TargetAccept: accept}})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.data.Source, err)
	}
	r.chains = run.Summary()
	return post, run, nil
}

// classify predicts classes. Known bags are predicted without their own class by leave-one-out from the
// draws.
func (r *result) classify(ctx context.Context, fresh []mat.Matrix) error {
	post, run, err := r.sample(ctx, true)
	if err != nil {
		return err
	}
	ll, err := post.LogLik(run)
	if err != nil {
		return err
	}
	ll.Names = r.data.Names
	left, err := loo.LOO(ctx, ll, loo.Options{})
	if err != nil {
		return err
	}
	var unsure []string
	limit := diagnostics.ParetoKThreshold(chains * kept)
	for _, p := range left.Points {
		if p.K > limit {
			unsure = append(unsure, p.Name)
		}
	}
	if len(unsure) > 0 {
		r.warnings = []string{fmt.Sprintf("Predictions without their own class are uncertain of %s: the Pareto shape of their weights is "+
			"above %.2f.", cli.AndList(unsure), limit)}
	}
	for i, name := range r.data.Names {
		p := math.Exp(left.Points[i].ELPD)
		if r.data.Y[i] == 0 {
			p = 1 - p
		}
		n, _ := r.data.Of[i].Dims()
		r.bags = append(r.bags, prediction{name: name, rows: n, truth: r.data.Y[i], mean: min(max(p, 0), 1)})
	}
	if fresh == nil {
		return nil
	}
	found, err := post.Predict(r.fit.Model, run, fresh)
	if err != nil {
		return err
	}
	for i, p := range found {
		n, _ := r.data.New.Of[i].Dims()
		r.new = append(r.new, prediction{name: r.data.New.Names[i], rows: n, truth: math.NaN(), mean: p.Mean})
	}
	return nil
}
