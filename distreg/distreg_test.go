package distreg

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// some are bags of unequal sizes, one of them empty.
func some(seed uint64, dim int) ([]mat.Matrix, []float64) {
	r := rand.New(rand.NewPCG(seed, 3))
	var bags []mat.Matrix
	var y []float64
	for i := range 25 {
		n := []int{1, 2, 5, 12, 40}[i%5]
		centre := r.NormFloat64()
		x := mat.NewDense(n, dim, nil)
		x.Apply(func(int, int, float64) float64 { return centre + r.NormFloat64() }, x)
		bags, y = append(bags, x), append(y, centre+.3*r.NormFloat64())
	}
	return append(bags, nil), append(y, .1)
}

func landmarksOf(dim int) *mat.Dense {
	z := mat.NewDense(5, dim, nil)
	z.Apply(func(i, j int, _ float64) float64 { return float64(i) - 2 + .3*float64(j*i%3) }, z)
	return z
}

var everyForm = func() (out []Form) {
	for _, noise := range noises {
		for _, r := range rs {
			for _, prior := range priors {
				out = append(out, Form{Noise: noise, R: r, Prior: prior, N0: 8, Floor: 1e-3, AlphaMean: .2, AlphaSD: 3, Jitter: 1e-3})
			}
		}
	}
	return out
}()

// Gradients against differences, with jitter, one-row bags and an empty one, in every form.
func TestGradient(t *testing.T) {
	bags, y := some(1, 2)
	at := [5]float64{-.7, .2, -.1, .15, .3}
	params := func(v [5]float64) Params {
		return Params{math.Exp(v[0]), math.Exp(v[1]), math.Exp(v[2]), math.Exp(v[3]), math.Exp(v[4])}
	}
	for _, f := range everyForm {
		m, err := New(Data{bags, y, landmarksOf(2)}, f)
		if err != nil {
			t.Fatal(err)
		}
		grad := make([]float64, 5)
		m.LogEvidence(grad, params(at))
		for k := range grad {
			value := func(h float64) float64 {
				v := at
				v[k] += h
				return m.LogEvidence(nil, params(v))
			}
			const h = 1e-3
			d := (8*(value(h)-value(-h)) - value(2*h) + value(-2*h)) / (12 * h)
			if math.Abs(d-grad[k]) > 1e-7*max(1, math.Abs(d)) {
				t.Errorf("%v %v %v: derivative %v is %v, differences give %v", f.Noise, f.R, f.Prior, k, grad[k], d)
			}
		}
	}
}

// The order of bags, rows and landmarks does not matter; neither do the units of labels and rows.
func TestInvariance(t *testing.T) {
	bags, y := some(2, 2)
	z := landmarksOf(2)
	p := Params{Sigma: .5, Kappa: 1.2, Eta: .9, S: 1.1, Theta: 1.3}
	flipped := func(x mat.Matrix) mat.Matrix {
		if x == nil {
			return nil
		}
		n, d := x.Dims()
		out := mat.NewDense(n, d, nil)
		for i := range n {
			out.SetRow(n-1-i, mat.Row(nil, i, x))
		}
		return out
	}
	scaled := func(x mat.Matrix) mat.Matrix {
		if x == nil {
			return nil
		}
		var out mat.Dense
		out.Scale(4, x)
		return &out
	}
	for _, f := range everyForm {
		m, err := New(Data{bags, y, z}, f)
		if err != nil {
			t.Fatal(err)
		}
		want := m.LogEvidence(nil, p)
		var back []mat.Matrix
		for _, b := range bags {
			back = append(back, flipped(b))
		}
		slices.Reverse(back)
		yy := slices.Clone(y)
		slices.Reverse(yy)
		other, err := New(Data{back, yy, flipped(z)}, f)
		if err != nil {
			t.Fatal(err)
		}
		if got := other.LogEvidence(nil, p); math.Abs(got-want) > 1e-10*math.Abs(want) {
			t.Errorf("%v %v %v: %.15g in another order, want %.15g", f.Noise, f.R, f.Prior, got, want)
		}
		var wide []mat.Matrix
		for _, b := range bags {
			wide = append(wide, scaled(b))
		}
		g := f
		g.AlphaMean, g.AlphaSD = 3+2*f.AlphaMean, 2*f.AlphaSD
		for i := range yy {
			yy[i] = 3 + 2*y[i]
		}
		if other, err = New(Data{wide, yy, scaled(z)}, g); err != nil {
			t.Fatal(err)
		}
		q := Params{Sigma: 2 * p.Sigma, Kappa: 2 * p.Kappa, Eta: p.Eta, S: p.S, Theta: 4 * p.Theta}
		want -= float64(len(y)) * math.Ln2
		if got := other.LogEvidence(nil, q); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("%v %v %v: %.15g in other units, want %.15g", f.Noise, f.R, f.Prior, got, want)
		}
	}
}

// LeaveOneOut against fits without the bag, at landmarks where the frame does not know its rows: with R
// unit, and weights that do not depend on the bags, all that a bag changes is C and m0.
func TestLeaveOneOut(t *testing.T) {
	bags, y := some(3, 1)
	p := Params{Sigma: .5, Kappa: 1.2, Eta: .9, S: 1.1, Theta: 1.3}
	m, err := New(Data{bags, y, landmarksOf(1)}, Form{R: "unit", N0: 8, AlphaSD: 3, Jitter: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	mean, variance, err := m.LeaveOneOut(p)
	if err != nil {
		t.Fatal(err)
	}
	at, err := m.prepare(p.Theta, false)
	if err != nil {
		t.Fatal(err)
	}
	in := m.inferAll(at, p, 0)
	for _, i := range []int{0, 3, 7, len(y) - 1} {
		// The model without bag i, in the frame of all.
		n := len(y) - 1
		v := mat.NewSymDense(n, nil)
		cross, e := make([]float64, 0, n), make([]float64, 0, n)
		var rest []int
		for k := range y {
			if k != i {
				rest = append(rest, k)
				e = append(e, y[k])
			}
		}
		cov := func(a, b int) float64 {
			return 9 + p.Kappa*p.Kappa*mat.Dot(in.means.RowView(a), in.means.RowView(b))
		}
		for a, k := range rest {
			for b := a; b < n; b++ {
				v.SetSym(a, b, cov(k, rest[b]))
			}
			v.SetSym(a, a, v.At(a, a)+p.Sigma*p.Sigma+p.Kappa*p.Kappa*in.bags[k].t)
			cross = append(cross, cov(i, k))
		}
		var chol mat.Cholesky
		if !chol.Factorize(v) {
			t.Fatal("no Cholesky factor")
		}
		var u mat.VecDense
		if err := chol.SolveVecTo(&u, mat.NewVecDense(n, e)); err != nil {
			t.Fatal(err)
		}
		want := mat.Dot(&u, mat.NewVecDense(n, cross))
		if math.Abs(mean[i]-want) > 1e-9 {
			t.Errorf("bag %v: %v, want %v", i, mean[i], want)
		}
		if !(variance[i] > p.Sigma*p.Sigma) {
			t.Errorf("bag %v: variance %v is not above sigma²", i, variance[i])
		}
	}
}

// What is wrong is one line that names it.
func TestErrors(t *testing.T) {
	ok := []mat.Matrix{mat.NewDense(2, 1, []float64{0, 1}), mat.NewDense(1, 1, []float64{2})}
	z := mat.NewDense(1, 1, []float64{0})
	for _, c := range []struct {
		d    Data
		f    Form
		want string
	}{
		{Data{ok, []float64{1}, z}, Form{}, "2 bags and 1 labels"},
		{Data{ok, []float64{1, math.NaN()}, z}, Form{}, "label 2 is NaN"},
		{Data{ok, []float64{1, 2}, nil}, Form{}, "no landmarks"},
		{Data{ok[:1], []float64{1}, z}, Form{}, "1 bags"},
		{Data{ok, []float64{1, 2}, z}, Form{Noise: "josef"}, `Form.Noise is "josef"`},
		{Data{ok, []float64{1, 2}, z}, Form{Jitter: -1}, "Form.Jitter is -1"},
		{Data{[]mat.Matrix{ok[1], ok[1]}, []float64{1, 2}, z}, Form{}, "no bag has two rows"},
		{Data{[]mat.Matrix{ok[0], mat.NewDense(1, 2, nil)}, []float64{1, 2}, z}, Form{}, "bag 2 has 2 columns"},
		{Data{[]mat.Matrix{ok[0], mat.NewDense(1, 1, []float64{math.Inf(1)})}, []float64{1, 2}, z}, Form{}, "row 1 of bag 2 has +Inf in column 1"},
	} {
		if _, err := New(c.d, c.f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if _, err := Learn(context.Background(), ok, []float64{1, 1}, LearnOptions{}); err == nil || !strings.Contains(err.Error(), "standard deviation") {
		t.Errorf("equal labels: %v", err)
	}
	for _, theta := range []float64{-1, 0, math.NaN(), math.Inf(1)} {
		want := fmt.Sprintf("distreg: theta is %v; it must be positive and finite", theta)
		if _, err := Learn(context.Background(), ok, []float64{1, 2}, LearnOptions{Thetas: []float64{1, theta}}); err == nil || err.Error() != want {
			t.Errorf("error %v, want %v", err, want)
		}
	}
	for want, bag := range map[string]mat.Matrix{
		"distreg: bag 3 is a nil pointer":               (*mat.Dense)(nil),
		"distreg: row 2 of bag 3 has NaN in column 1; ": mat.NewDense(2, 1, []float64{1, math.NaN()}),
		"distreg: bag 3 has 2 columns":                  mat.NewDense(1, 2, nil),
	} {
		bags := []mat.Matrix{ok[0], ok[1], bag}
		if _, err := Learn(context.Background(), bags, []float64{1, 2, 3}, LearnOptions{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
	m, err := New(Data{ok, []float64{1, 2}, landmarksOf(1)}, Form{AlphaSD: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Evidence(nil, Params{1, 1, 1, 1, 1}); err == nil || !strings.Contains(err.Error(), "singular") {
		t.Errorf("five landmarks and one pair of rows: %v", err)
	}
	if v := m.LogEvidence(nil, Params{1, 1, 1, 1, 1}); !math.IsInf(v, -1) {
		t.Errorf("log evidence %v, want -Inf", v)
	}
	if _, _, err := m.Predict(Params{}, nil); err == nil || !strings.Contains(err.Error(), "Params.Sigma is 0") {
		t.Errorf("no parameters: %v", err)
	}
}
