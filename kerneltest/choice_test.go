package kerneltest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/bke/quadrature"
	"bayeskernel/internal/fixture"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// rounded has normal rows rounded to a multiple of step, so that there are ties.
func rounded(seed uint64, n, dim int, step float64) *mat.Dense {
	x := fixture.Normals(seed, n, dim, 0)
	x.Apply(func(_, _ int, v float64) float64 { return math.Round(v/step) * step }, x)
	return x
}

// exchanged returns the rows of x in another order.
func exchanged(x *mat.Dense, seed uint64) *mat.Dense {
	n, dim := x.Dims()
	out := mat.NewDense(n, dim, nil)
	for to, from := range rand.New(rand.NewPCG(seed, 1)).Perm(n) {
		out.SetRow(to, x.RawRowView(from))
	}
	return out
}

// The kernel does not depend on labels, nor on the order of rows, to the last bit: this is what
// keeps a permutation test exact.
func TestChoiceIsBlind(t *testing.T) {
	ctx := context.Background()
	for rule := Ladder; rule < Given; rule++ {
		for _, x := range []*mat.Dense{
			fixture.Normals(5, 60, 1, 0), rounded(6, 60, 1, 0.5),
			rounded(7, 40, 2, 0.01), fixture.Normals(8, 30, 4, 0),
		} {
			n, dim := x.Dims()
			orders := uint64(3)
			if rule == PosteriorMean {
				orders = 1
				if dim > 1 {
					continue // it has the model of Learned
				}
			}
			o := Options{Seed: 3}
			c := Choice{Rule: rule, Quantiles: 8}
			if rule == Modes {
				c.Inputs.Kind = inputs.HeldOut
			}
			want, _, err := c.choose(ctx, x.RawMatrix().Data, dim, o, "x")
			if err != nil {
				t.Fatal(err)
			}
			for seed := range orders {
				y := exchanged(x, seed)
				y.Set(0, 0, y.At(0, 0)+0)
				got, _, err := c.choose(ctx, y.RawMatrix().Data, dim, o, "x")
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got.Kernels, want.Kernels) {
					t.Errorf("%v, %d x %d: theta %v in one order of rows and %v in another", rule,
						n, dim, want.Theta, got.Theta)
				}
			}
		}
	}
}

func TestSwappedLabels(t *testing.T) {
	x, y := fixture.Normals(1, 30, 2, 0), fixture.Normals(2, 20, 2, 0.5)
	o := Options{Standardize: StandardizeAlways}
	a := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
	b := fixture.Get[*Result](t)(TwoSample(context.Background(), y, x, o))
	if a.Kernel.Theta[0] != b.Kernel.Theta[0] ||
		!slices.Equal(a.Kernel.Scaling.SD, b.Kernel.Scaling.SD) {
		t.Errorf("theta %v, and %v with the samples exchanged", a.Kernel.Theta, b.Kernel.Theta)
	}
	if math.Abs(a.Biased-b.Biased) > 1e-14 || math.Abs(a.Unbiased-b.Unbiased) > 1e-14 {
		t.Errorf("statistics %v, %v, and %v, %v with the samples exchanged", a.Biased, a.Unbiased,
			b.Biased, b.Unbiased)
	}
}

// The learned lengthscale is that of package bke with its defaults, on the sorted rows.
func TestLearned(t *testing.T) {
	x := fixture.Normals(11, 80, 1, 0)
	rows := mat.NewDense(80, 1, rows.Sort(x.RawMatrix().Data, 1))
	in := fixture.Get[*inputs.Set](t)(inputs.Choose(context.Background(), rows, inputs.Options{}))
	m := fixture.Get[*bke.Model](t)(bke.NewModel(rows, in.Z, bke.Options{}))
	fit := fixture.Get[*bke.Fit](t)(m.Learn(context.Background(), bke.LearnOptions{Priors: &bke.Priors{}}))
	want := fit.Modes[0].Params.Theta[0]
	if m.Doubling([]float64{want}).Wanted {
		t.Fatal("the example wants more pseudo-inputs: choose another")
	}
	for _, c := range []struct {
		choice Choice
		theta  []float64
	}{
		{Choice{}, []float64{want, 4 * want}},
		{Choice{Rule: Learned}, []float64{want}},
		{Choice{Rule: Ladder, Rungs: []float64{-1, 0, 1.5}},
			[]float64{want / 2, want, want * math.Exp2(1.5)}},
		{Choice{Rule: PosteriorMean}, []float64{want}},
		{Choice{Rule: Bayes, Rungs: []float64{1, 2}, Amplitudes: []float64{1, 4}},
			[]float64{2 * want, 2 * want, 4 * want, 4 * want}},
	} {
		got, _, err := c.choice.choose(context.Background(), x.RawMatrix().Data, 1, Options{}, "x")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Theta, c.theta) || got.Model.M() != m.M() ||
			got.Model.Weight() != m.Weight() || got.Inputs.Kind != inputs.Quantiles {
			t.Errorf("%v: theta %v, want %v", c.choice.Rule, got.Theta, c.theta)
		}
		if len(got.Kernels) != len(c.theta) {
			t.Errorf("%v: %d kernels, want %d", c.choice.Rule, len(got.Kernels), len(c.theta))
		}
		for k, rung := range got.Rungs {
			if !(math.Abs(rung*want/c.theta[k]-1) < 1e-15) || len(got.Rungs) != len(c.theta) {
				t.Errorf("%v: rungs %v of theta %v", c.choice.Rule, got.Rungs, got.Theta)
			}
		}
		if again, _, err := got.Choice().choose(context.Background(), x.RawMatrix().Data, 1, Options{},
			"x"); err != nil || !slices.Equal(again.Rungs, got.Rungs) {
			t.Error(again, err)
		}
	}
	for _, c := range []Choice{{Rule: PlainMedian}, Lengthscale(1), {Rule: AggGrid}} {
		got, _, err := c.choose(context.Background(), x.RawMatrix().Data, 1, Options{}, "x")
		if err != nil || got.Rungs != nil {
			t.Error(got.Rungs, err)
		}
	}
}

// Where one kernel is wanted the default is the learned one, and a ladder that was asked for is not
// taken away, however many rows there are.
func TestSingleKernel(t *testing.T) {
	x, y := fixture.Normals(1, 30, 1, 0), fixture.Normals(2, 30, 1, 0.5)
	one, long := x.Slice(0, 1, 0, 1), fixture.Normals(3, denseRows, 1, 0)
	rungs := Choice{Rungs: []float64{0, 1, 2}}
	for _, c := range []struct {
		x, y mat.Matrix
		o    Options
		rule Rule
		want int
	}{
		{x, y, Options{}, Broad, 4},
		{x, y, Options{Unbiased: true, Stop: 10}, Broad, 4},
		{x, y, Options{Combine: Fuse}, Bayes, 3},
		{x, y, Options{Null: statistic.Spectral}, Learned, 1},
		{one, y, Options{}, Learned, 1},
		{x, long, Options{Kernel: Choice{Inputs: inputs.Options{Number: 5}}}, Broad, 4},
		{x, y, Options{Kernel: rungs}, Ladder, 3},
	} {
		c.o.Permutations = 19
		r := fixture.Get[*Result](t)(TwoSample(context.Background(), c.x, c.y, c.o))
		if r.Kernel.Rule != c.rule || len(r.Candidates) != c.want {
			t.Errorf("%d and %d rows, null %v: rule %v with %d kernels, want %v with %d", r.RowsX,
				r.RowsY, c.o.Null, r.Kernel.Rule, len(r.Candidates), c.rule, c.want)
		}
	}
	_, err := TwoSample(context.Background(), x, y, Options{Kernel: rungs, Null: statistic.Spectral})
	if err == nil || !strings.Contains(err.Error(), "null is spectral with 3 kernels") {
		t.Errorf("error %v", err)
	}
	for n, want := range map[int]int{3: 1, 30: 5} {
		r := fixture.Get[*Result](t)(Independence(context.Background(), x.Slice(0, n, 0, 1),
			y.Slice(0, n, 0, 1), Options{Permutations: 19}))
		if len(r.Candidates) != want {
			t.Errorf("%d pairs of rows: %d pairs of kernels, want %d", n, len(r.Candidates), want)
		}
	}
}

// The mean over 64 quantiles is that over 2000 to within half a quantile's weight at each end,
// where the kernel is between 0 and 1.
func TestPosteriorMean(t *testing.T) {
	x := fixture.Normals(12, 60, 1, 0)
	got, _, err := Choice{Rule: PosteriorMean}.choose(context.Background(), x.RawMatrix().Data, 1,
		Options{}, "x")
	if err != nil {
		t.Fatal(err)
	}
	q := fixture.Get[*quadrature.Result](t)(quadrature.Integrate(context.Background(), got.Model, bke.Priors{}))
	for _, d := range []float64{0.1, 0.3, 1} {
		const cells = 2000
		want := 0.0
		for i := range cells {
			k := math.Exp(-d * d / 2 / math.Pow(q.Quantile(0, (float64(i)+0.5)/cells), 2))
			want += k / cells
		}
		at := got.Kernels[0].At([]float64{0}, []float64{d})
		if math.Abs(at-want) > 1e-3 {
			t.Errorf("kernel at distance %v is %v, want %v", d, at, want)
		}
	}
}

// The rules that look at distances, against the sorted list of all distances.
func TestDistanceRules(t *testing.T) {
	distanceRules(t, rounded(9, 70, 2, 0.25))
	// Without ties, so that a quantile of another level is another number.
	distanceRules(t, fixture.Normals(9, 70, 2, 0))
}

func distanceRules(t *testing.T, x *mat.Dense) {
	t.Helper()
	var d []float64
	for i := range 70 {
		for j := range i {
			v := math.Hypot(x.At(i, 0)-x.At(j, 0), x.At(i, 1)-x.At(j, 1))
			if v > 0 {
				d = append(d, v)
			}
		}
	}
	slices.Sort(d)
	low, high := d[len(d)*5/100], d[len(d)*95/100]
	fuseGrid, aggGrid := make([]float64, 10), make([]float64, 10)
	for i := range fuseGrid {
		fuseGrid[i] = low/2 + (2*high-low/2)*float64(i)/9
		aggGrid[i] = low / 2 * math.Pow(4*d[len(d)-1]/low, float64(i)/9) / math.Sqrt2
	}
	m := fixture.Get[kernels.Medians](t)(kernels.MedianDistance(x, 0))
	for rule, want := range map[Rule][]float64{
		FuseGrid: fuseGrid, AggGrid: aggGrid, PlainMedian: {m.All},
		MedianOverSqrt2: {m.All / math.Sqrt2}, Sqrt2Median: {m.All * math.Sqrt2},
	} {
		got, _, err := Choice{Rule: rule}.choose(context.Background(), x.RawMatrix().Data, 2,
			Options{Standardize: StandardizeNever}, "x")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got.Theta, want, func(a, b float64) bool {
			return math.Abs(a-b) <= 1e-12*b
		}) {
			t.Errorf("%v: lengthscales %v, want %v", rule, got.Theta, want)
		}
	}
}

// Data from which nothing can be learned have a kernel all the same, and a note.
func TestChoiceOfDegenerateData(t *testing.T) {
	constant := mat.NewDense(12, 1, nil)
	binary := mat.NewDense(12, 1, []float64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1})
	one := mat.NewDense(12, 1, []float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})
	flat := mat.NewDense(12, 2, nil)
	for i := range 12 {
		flat.Set(i, 0, float64(i*i))
	}
	for rule := Ladder; rule < Given; rule++ {
		for name, x := range map[string]*mat.Dense{
			"constant": constant, "binary": binary, "one": one, "flat": flat,
		} {
			_, dim := x.Dims()
			got, _, err := Choice{Rule: rule, Quantiles: 4}.choose(context.Background(),
				x.RawMatrix().Data, dim, Options{}, "x")
			if err != nil {
				t.Errorf("%v of %s data: %v", rule, name, err)
				continue
			}
			for _, theta := range got.Theta {
				if !(theta > 0) || math.IsInf(theta, 1) {
					t.Errorf("%v of %s data: lengthscale %v", rule, name, theta)
				}
			}
			if name == "constant" && len(got.Notes) == 0 {
				t.Errorf("%v of %s data: no note", rule, name)
			}
		}
	}
}

func TestChoiceErrors(t *testing.T) {
	x := fixture.Normals(1, 20, 2, 0)
	for _, c := range []struct {
		choice Choice
		want   string
	}{
		{Choice{Rule: 77}, "unknown rule Rule(77)"},
		{Choice{Rule: Given}, "rule is given with 0 kernels"},
		{Choice{Rule: Modes, Kernels: []kernels.Kernel{se(1)}}, "rule is modes with 1 kernels"},
		{Fixed(se(1, 2, 3)), "3 lengthscales for 2 columns"},
		{Fixed(nil), "kernel is nil"},
		{Choice{Quantiles: -1}, "quantiles are -1"},
		{Choice{Inputs: inputs.Options{Number: 1}}, "1 pseudo-input asked for"},
		{Choice{Inputs: inputs.Options{Kind: inputs.Quantiles}}, "quantiles of 2 columns"},
		{Choice{Model: bke.Options{Weight: -1}}, "Weight is -1"},
		{Choice{Rungs: []float64{0, 1e9}}, "rung 2 of the ladder is 1e+09"},
		{Choice{Rungs: []float64{math.NaN()}}, "rung 1 of the ladder is NaN"},
		{Choice{Rungs: []float64{0, 1, math.Inf(-1)}}, "rung 3 of the ladder is -Inf"},
		{Choice{Rungs: []float64{}}, "the ladder has no rungs"},
		{Choice{Rule: Bayes, Rungs: []float64{}}, "the ladder has no rungs"},
		{Choice{Rule: Bayes, Amplitudes: []float64{}}, "rule bayes has 0 amplitudes"},
		{Choice{Rule: Bayes, Amplitudes: []float64{1, 0}}, "amplitude 2 is 0"},
		{Choice{Rule: Learned, Amplitudes: []float64{1}}, "rule learned has 1 amplitudes"},
	} {
		_, _, err := c.choice.choose(context.Background(), x.RawMatrix().Data, 2, Options{}, "x")
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(fmt.Sprint(err), "kernel") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: error %v, want one with %q", c.choice.Rule, err, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	for r := Default; r <= Given; r++ {
		if got, err := ParseRule(r.String()); err != nil || got != r {
			t.Errorf("ParseRule(%v) = %v, %v", r, got, err)
		}
	}
	for c := Largest; c <= Aggregate; c++ {
		if got, err := ParseCombination(c.String()); err != nil || got != c {
			t.Errorf("ParseCombination(%v) = %v, %v", c, got, err)
		}
	}
	if _, err := ParseRule("best"); err == nil {
		t.Error("ParseRule reads anything")
	}
	if _, err := ParseCombination("mix"); err == nil {
		t.Error("ParseCombination reads anything")
	}
}

// On a grid of clusters the posterior of theta has modes near the size of a cluster and far above
// it, hundreds of nats apart. The mean is to have none but the first, whose posterior standard
// deviation is a few hundredths, whatever the seed.
func TestPosteriorMeanHasNoModeWithoutMass(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	x := mat.NewDense(540, 2, nil)
	for i := range 540 {
		x.SetRow(i, []float64{float64(10*(i%3)) + r.NormFloat64(), float64(10*(i/3%3)) + r.NormFloat64()})
	}
	for seed := range uint64(1) {
		c := Choice{Rule: PosteriorMean, Inputs: inputs.Options{Number: 60}}
		got, _, err := c.choose(context.Background(), x.RawMatrix().Data, 2,
			Options{Seed: seed, Standardize: StandardizeNever}, "x")
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Fit.Modes) < 2 {
			t.Fatalf("modes %+v, want another far away", got.Fit.Modes)
		}
		for _, k := range got.Kernels[0].(kernels.Mean) {
			theta := k.(kernels.Stationary).Theta[0]
			if best := got.Theta[0]; theta < best/1.3 || theta > best*1.3 {
				t.Fatalf("seed %d: theta %v in the mean, want near %v", seed, theta, best)
			}
		}
	}
}

// More parameters than quadrature can do are refused in a plain line.
func TestPosteriorMeanRefuses(t *testing.T) {
	x := fixture.Normals(12, 60, 2, 0)
	for _, c := range []struct {
		o    bke.Options
		want string
	}{
		{bke.Options{ARD: true}, "posterior-mean with a lengthscale for each of 2 columns"},
		{bke.Options{Nu: bke.Gaussian}, "3 parameters [theta tau2 eta] are free"},
	} {
		_, _, err := Choice{Rule: PosteriorMean, Model: c.o}.choose(context.Background(),
			x.RawMatrix().Data, 2, Options{}, "x")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.o, err, c.want)
		}
	}
}

// The mode may lie on a bound of the model, and the mean stays within.
func TestPosteriorMeanWithinBounds(t *testing.T) {
	x := fixture.Normals(12, 60, 1, 0)
	for _, o := range []bke.Options{{ThetaMax: 0.02}, {ThetaMin: 2}, {ThetaMin: 2, ThetaMax: 3}} {
		got, _, err := Choice{Rule: PosteriorMean, Model: o}.choose(context.Background(),
			x.RawMatrix().Data, 1, Options{}, "x")
		if err != nil {
			t.Errorf("%+v: %v", o, err)
			continue
		}
		for _, k := range got.Kernels[0].(kernels.Mean) {
			theta := k.(kernels.Stationary).Theta[0]
			if !(theta >= o.ThetaMin) || o.ThetaMax > 0 && theta > o.ThetaMax {
				t.Errorf("%+v: theta %v", o, theta)
			}
		}
	}
}
