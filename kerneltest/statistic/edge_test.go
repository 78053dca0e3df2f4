package statistic

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

func constant(n int, v float64) *mat.SymDense {
	g := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			g.SetSym(i, j, v)
		}
	}
	return g
}

func with(g *mat.SymDense, i, j int, v float64) *mat.SymDense {
	g.SetSym(i, j, v)
	return g
}

func TestNullNames(t *testing.T) {
	for n := Auto; n <= GammaDHSIC; n++ {
		if got, err := ParseNull(n.String()); err != nil || got != n {
			t.Errorf("ParseNull(%q) = %v, %v", n.String(), got, err)
		}
	}
	if _, err := ParseNull("chi2"); err == nil || !strings.Contains(err.Error(), `"chi2"`) {
		t.Errorf("ParseNull of chi2: %v", err)
	}
	if s := Null(99).String(); s != "Null(99)" {
		t.Errorf("Null(99) is %s", s)
	}
}

func TestBadInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ok := constant(5, 1)
	x := mat.NewDense(5, 1, []float64{1, 2, 3, 4, 5})
	mmd := func(g *mat.SymDense, m int) error { _, err := NewMMD(g, m); return err }
	hsic := func(k, l *mat.SymDense) error { _, err := NewHSIC(k, l); return err }
	linear := func(k kernels.Kernel, x, y mat.Matrix) error { _, err := Linear(k, x, y); return err }
	newFactor := func(k kernels.Kernel, x mat.Matrix, tol float64) error {
		_, err := NewFactor(k, x, tol)
		return err
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{mmd(nil, 1), "gram is empty"},
		{mmd(&mat.SymDense{}, 1), "gram is empty"},
		{mmd(ok, 0), "has 0 of 5 rows"},
		{mmd(ok, 5), "has 5 of 5 rows"},
		{mmd(ok, -1), "has -1 of 5 rows"},
		{mmd(constant(1, 1), 1), "has 1 of 1 rows"},
		{mmd(with(constant(5, 1), 1, 3, nan), 2), "gram is NaN in row 2, column 4"},
		{mmd(with(constant(5, 1), 4, 4, inf), 2), "gram is +Inf in row 5, column 5"},
		{mmd(with(with(constant(5, 1), 0, 1, inf), 2, 3, -inf), 2), "gram is +Inf in row 1"},
		{mmd(constant(5, 1e308), 2), "overflows"},
		{hsic(ok, nil), "gramY is empty"},
		{hsic(ok, constant(4, 1)), "5 and 4 rows"},
		{hsic(with(constant(5, 1), 0, 0, nan), ok), "gramX is NaN in row 1, column 1"},
		{hsic(constant(1, 1), constant(1, 1)), "want at least 2"},
		{linear(nil, x, x), "kernel is nil"},
		{linear(gaussian(-1), x, x), "-1"},
		{linear(gaussian(1), nil, x), "x is nil"},
		{linear(gaussian(1), x, mat.NewDense(5, 2, nil)), "y has width 2"},
		{linear(gaussian(1), x, mat.NewDense(1, 1, []float64{nan})), "y is NaN in row 1"},
		{linear(gaussian(1), x, mat.NewDense(3, 1, nil)), "smaller sample has 3 rows"},
		{newFactor(gaussian(1), x, -1), "tolerance is -1"},
		{newFactor(gaussian(1), x, nan), "tolerance is NaN"},
		{newFactor(gaussian(0), x, 0), "0"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error is %v, want one with %q", c.err, c.want)
		} else if strings.Contains(c.err.Error(), "\n") {
			t.Errorf("error %q has more than a line", c.err)
		}
	}
}

func TestNullsThatDoNotApply(t *testing.T) {
	g := fixture.Gram(t, gaussian(1), fixture.Normals(4, 5, 1, 0))
	s := fixture.Get[*MMD](t)(NewMMD(g, 2))
	h := fixture.Get[*HSIC](t)(NewHSIC(g, g))
	f := fixture.Get[*Factor](t)(FactorGram(g, 0))
	low, lowH := fixture.Get[*MMD](t)(NewMMDFactor(f, 2)), fixture.Get[*HSIC](t)(NewHSICFactor(f, f))
	second := func(_ Tail, err error) error { return err }
	number := func(_ float64, err error) error { return err }
	average := func(_ Averaged, err error) error { return err }
	_, sizes := NewMMDFactor(f, 5)
	for i, err := range []error{
		second(s.Tail(Auto)), second(s.Tail(Permutation)), second(s.Tail(GammaKCI)),
		second(s.Tail(Gamma)), second(h.Tail(Permutation)), second(h.Tail(Gamma)),
		second(h.Tail(GammaDHSIC)), second(h.Tail(Null(99))), second(low.Tail(Gamma)),
		second(lowH.Tail(Gamma)), number(low.Paired()), number(low.PairedVariance()),
		average(low.Linear()), average(low.Block()), sizes,
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "statistic: ") {
			t.Errorf("case %d: error is %v", i, err)
		}
	}
}

// Nothing to see: constant kernels, whatever their value, give 0 and a p-value of 1.
func TestConstantKernel(t *testing.T) {
	for _, v := range []float64{0, 1e-150, 0.1, 1. / 3, 1, 1e150} {
		for _, n := range []int{8, 13} {
			g := constant(n, v)
			s := fixture.Get[*MMD](t)(NewMMD(g, 4))
			if math.Abs(s.Biased()) > 1e-15*v {
				t.Errorf("constant %v: Biased = %v", v, s.Biased())
			}
			for _, null := range []Null{Spectral, Pearson} {
				if p := fixture.Get[Tail](t)(s.Tail(null)); p.P != 1 || p.Null != null {
					t.Errorf("constant %v: MMD tail %v", v, p)
				}
			}
			if n == 8 {
				if p := fixture.Get[Tail](t)(s.Tail(Gamma)); p.P != 1 {
					t.Errorf("constant %v: MMD tail %v", v, p)
				}
			}
			if a := fixture.Get[Averaged](t)(s.Linear()); a.P != 1 || a.MMD2 != 0 {
				t.Errorf("constant %v: Linear = %v", v, a)
			}
			if e, err := s.SignalToNoise(); err == nil {
				t.Errorf("constant %v: signal to noise %v, want an error", v, e)
			}
			h := fixture.Get[*HSIC](t)(NewHSIC(g, fixture.Gram(t, gaussian(1), fixture.Normals(4, n, 1, 0))))
			for null := Spectral; null <= GammaDHSIC; null++ {
				if p := fixture.Get[Tail](t)(h.Tail(null)); p.P != 1 || p.Null != null {
					t.Errorf("constant %v: HSIC tail %v", v, p)
				}
			}
		}
	}
}

// Identical samples: Biased is 0 and no null is doubted; the averages of nothing are 0.
func TestIdenticalSamples(t *testing.T) {
	x := fixture.Normals(8, 20, 2, 0)
	s := fixture.Get[*MMD](t)(NewMMD(fixture.Gram(t, gaussian(1), fixture.Pooled(x, x)), 20))
	if s.Biased() > 1e-15 {
		t.Errorf("Biased = %v", s.Biased())
	}
	for _, null := range []Null{Spectral, Pearson} {
		if p := fixture.Get[Tail](t)(s.Tail(null)); p.P < 0.999 {
			t.Errorf("%v: P = %v", null, p.P)
		}
	}
	for _, a := range []Averaged{fixture.Get[Averaged](t)(s.Linear()), fixture.Get[Averaged](t)(s.Block())} {
		if a.MMD2 != 0 || a.P != 1 {
			t.Errorf("averaged: %v", a)
		}
	}
	// Mean and variance of the paired gamma are 0 here, as h is.
	if p, err := s.Tail(Gamma); err == nil {
		t.Errorf("gamma: %v, want an error", p)
	}
}

// Two values, all of one in X and all of the other in Y: the terms of the averages do not vary.
func TestSeparatedTies(t *testing.T) {
	x, y := mat.NewDense(10, 1, nil), mat.NewDense(10, 1, nil)
	for i := range 10 {
		y.Set(i, 0, 1)
	}
	s := fixture.Get[*MMD](t)(NewMMD(fixture.Gram(t, gaussian(0.01), fixture.Pooled(x, y)), 10))
	if math.Abs(s.Biased()-2) > 1e-14 {
		t.Errorf("Biased = %v, want 2", s.Biased())
	}
	// One eigenvalue, 1/2: the statistic is 5 x 2, and P is that of a chi-square at 20.
	p := fixture.Get[Tail](t)(s.Tail(Spectral))
	if want := math.Erfc(math.Sqrt(10)); math.Abs(p.P-want) > 1e-12*want+1e-16 {
		t.Errorf("P = %v, want %v", p.P, want)
	}
	if q := fixture.Get[Tail](t)(s.Tail(Pearson)); fixture.Relative(q.P, p.P) > 1e-9 {
		t.Errorf("Pearson = %v, want that of Spectral, %v", q.P, p.P)
	}
	if a, err := s.Linear(); err == nil {
		t.Errorf("Linear = %v, want an error", a)
	}
}

// One point in each sample has one eigenvalue and the largest of the two possible values.
func TestOnePointEach(t *testing.T) {
	s := fixture.Get[*MMD](t)(NewMMD(fixture.Gram(t, gaussian(1), mat.NewDense(2, 1, []float64{0, 1})), 1))
	p := fixture.Get[Tail](t)(s.Tail(Spectral))
	// The statistic is (1-k), the eigenvalue (1-k)/2.
	if want := math.Erfc(1); math.Abs(p.P-want) > 1e-13 {
		t.Errorf("P = %v, want %v", p.P, want)
	}
	if _, err := s.Variance(); err == nil {
		t.Error("Variance of one point is accepted")
	}
	if _, err := s.NullVariance(); err == nil {
		t.Error("NullVariance of one point is accepted")
	}
}

// A kernel that is not positive definite, as one typed in wrongly, is refused where it matters.
func TestIndefiniteGram(t *testing.T) {
	g := mat.NewSymDense(6, nil)
	r := rand.New(rand.NewPCG(3, 3))
	for i := range 6 {
		for j := i; j < 6; j++ {
			g.SetSym(i, j, r.NormFloat64())
		}
		g.SetSym(i, i, 1)
	}
	s := fixture.Get[*MMD](t)(NewMMD(g, 3))
	if p, err := s.Tail(Spectral); err == nil {
		t.Errorf("indefinite: %v", p)
	}
	g.SetSym(2, 2, -1)
	if _, err := FactorGram(g, 0); err == nil {
		t.Error("a negative diagonal is accepted")
	}
}

// With narrow kernels the rank of a large Gram matrix is that of its size: the factor stops, and
// says what it leaves out.
func TestFactorOfLimitedRank(t *testing.T) {
	x := mat.NewDense(3*MaxRank, 1, nil)
	for i := range 3 * MaxRank {
		x.Set(i, 0, float64(i))
	}
	f := fixture.Get[*Factor](t)(NewFactor(spike{}, x, 1e-10))
	// Of the 2201 values of rank 1 each and the others of rank 1 together, 1000 are taken.
	if f.Rank() != MaxRank || f.TraceError() < 0.4 || f.TraceError() > 0.7 {
		t.Errorf("rank %d, trace error %v", f.Rank(), f.TraceError())
	}
	f = fixture.Get[*Factor](t)(NewFactor(gaussian(500), x, 1e-10))
	if f.Rank() < 5 || f.Rank() > 100 || f.TraceError() != 0 {
		t.Errorf("rank = %d, trace error %v", f.Rank(), f.TraceError())
	}
}

// spike is 1 for equal values up to 2200, and for any two above.
type spike struct{}

func (spike) At(x, y []float64) float64 {
	a, b := min(x[0], 2200), min(y[0], 2200)
	if a == b {
		return 1
	}
	return 0
}

func (spike) Check(dim int) error {
	if dim != 1 {
		return errors.New("spike: want one column")
	}
	return nil
}

// Gram matrices of any scale: the p-value does not change, or there is an error.
func TestScaleOfGram(t *testing.T) {
	g := fixture.Gram(t, gaussian(1), fixture.Pooled(fixture.Normals(1, 12, 1, 0), fixture.Normals(2, 12, 1, 0.5)))
	for null := Spectral; null <= GammaDHSIC; null++ {
		for _, scale := range []float64{1, 1e-300, 1e-60, 1e40, 1e120, 1e300} {
			var big mat.SymDense
			big.ScaleSym(scale, g)
			s, h := fixture.Get[*MMD](t)(NewMMD(&big, 12)), fixture.Get[*HSIC](t)(NewHSIC(&big, g))
			unit, unitH := fixture.Get[*MMD](t)(NewMMD(g, 12)), fixture.Get[*HSIC](t)(NewHSIC(g, g))
			if null <= Gamma {
				if p, err := s.Tail(null); err == nil {
					if want := fixture.Get[Tail](t)(unit.Tail(null)); !(math.Abs(p.P-want.P) < 1e-9) {
						t.Errorf("MMD, %v, scale %v: P = %v, want %v", null, scale, p.P, want.P)
					}
				} else if scale == 1 {
					t.Error(err)
				}
			}
			if p, err := h.Tail(null); err == nil {
				if want := fixture.Get[Tail](t)(unitH.Tail(null)); !(math.Abs(p.P-want.P) < 1e-9) {
					t.Errorf("HSIC, %v, scale %v: P = %v, want %v", null, scale, p.P, want.P)
				}
			} else if scale == 1 {
				t.Error(err)
			}
		}
	}
}
