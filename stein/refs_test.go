package stein

import (
	"math"
	"slices"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

func TestThinReference(t *testing.T) {
	for i, c := range load(t, "thinning") {
		for _, r := range c.Runs {
			for _, regular := range []bool{false, true} {
				want := r.Index
				if regular {
					want = r.EntropyOnly
				}
				if want == nil {
					continue
				}
				got, err := Thin(c.X.dense(), c.Score.dense(), c.Density.floats(), c.M, Thinning{r.Preconditioner, r.Standardise, regular})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("case %d, %s, standardised %v, regularised %v: %v, want %v", i, r.Preconditioner, r.Standardise, regular, got, want)
				}
			}
			x, u := mat.Matrix(c.X.dense()), mat.Matrix(c.Score.dense())
			if r.Standardise {
				x, u, _ = standardise(x, u)
			}
			a, err := precondition(x, r.Preconditioner)
			if err != nil {
				t.Fatal(err)
			}
			if d := apart(a, r.GammaInverse.dense()); d > 1e-10*largest(a) {
				t.Errorf("case %d, %s: A off by %g", i, r.Preconditioner, d)
			}
		}
	}
}

func TestWeightsReference(t *testing.T) {
	for i, c := range load(t, "weights") {
		gram, err := c.kernel(t).Matrix(c.X.dense(), c.Score.dense())
		if err != nil {
			t.Fatal(err)
		}
		w, err := Weights(gram, 0)
		if err != nil {
			t.Fatal(err)
		}
		for j, want := range c.Weights.floats() {
			if math.Abs(w[j]-want) > 1e-6 {
				t.Errorf("case %d: weight %d is %g, want %g", i, j, w[j], want)
			}
		}
		if got, want := weighted(gram, w), float64(c.Squared); math.Abs(got-want) > 1e-9*want {
			t.Errorf("case %d: %.12g, want %.12g", i, got, want)
		}
	}
}

func TestConditionalReference(t *testing.T) {
	for i, c := range load(t, "conditional") {
		d := len(c.Y[0])
		k, err := New(c.KernelY.radial(t), ard(c.ThetaY.floats(), d))
		if err != nil {
			t.Fatal(err)
		}
		of := c.KernelX.radial(t)
		n := len(c.X)
		gx := mat.NewSymDense(n, nil)
		for a := range n {
			for b := range n {
				q := 0.0
				for j := range c.X[a] {
					v := float64(c.X[a][j]-c.X[b][j]) / float64(c.ThetaX[min(j, len(c.ThetaX)-1)])
					q += v * v
				}
				v, _, _ := of.Profile(q)
				gx.SetSym(a, b, v)
			}
		}
		h, err := k.Conditional(gx, c.Y.dense(), c.ScoreY.dense())
		if err != nil {
			t.Fatal(err)
		}
		scale := largest(c.Matrix.dense())
		if e := apart(h, c.Matrix.dense()); e > 1e-11*scale {
			t.Errorf("case %d: off by %g", i, e)
		}
		for j, s := range c.Signs {
			if got := wildU(h, s.floats()); math.Abs(got-float64(c.WildU[j])) > 1e-11*scale {
				t.Errorf("case %d: wild U %g, want %g", i, got, c.WildU[j])
			}
		}
	}
}

func TestAggregateReference(t *testing.T) {
	read := func(s []string) [][]float64 {
		var out [][]float64
		for _, row := range s {
			var v []float64
			for _, c := range row {
				v = append(v, map[rune]float64{'+': 1, '-': -1}[c])
			}
			out = append(out, v)
		}
		return out
	}
	for i, c := range load(t, "aggregate") {
		var all []*mat.SymDense
		for _, theta := range c.Theta {
			k, err := New(c.Kernel.radial(t), Lengthscale(float64(theta), len(c.X[0])))
			if err != nil {
				t.Fatal(err)
			}
			m, err := k.Matrix(c.X.dense(), c.Score.dense())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, m)
		}
		r := aggregate(all, float64(c.Alpha), read(c.SignsQuantiles), read(c.SignsLevel))
		for j := range all {
			if math.Abs(r.Statistic[j]-float64(c.Statistic[j])) > 1e-12 {
				t.Errorf("case %d: U = %.15g, want %.15g", i, r.Statistic[j], c.Statistic[j])
			}
			if math.Abs(r.P[j]-float64(c.P[j])) > 1e-12 {
				t.Errorf("case %d: p = %g, want %g", i, r.P[j], c.P[j])
			}
			if math.Abs(r.Threshold-float64(c.Threshold[j])) > 1e-9 {
				t.Errorf("case %d: threshold %g, want %g", i, r.Threshold, c.Threshold[j])
			}
		}
		if r.Reject != c.Reject {
			t.Errorf("case %d: rejects %v, want %v", i, r.Reject, c.Reject)
		}
	}
}

// k_p of many points against one is that of the matrix.
func TestRowAgainstMatrix(t *testing.T) {
	for i, c := range load(t, "kernel") {
		k := c.kernel(t)
		p, err := k.read(c.X.dense(), c.Score.dense())
		if err != nil {
			t.Fatal(err)
		}
		w, want := k.newRow(p), c.Stein.dense()
		scale := largest(want)
		for j := range p.n {
			w.against(p.x[j*p.dim:(j+1)*p.dim], p.u[j*p.dim:(j+1)*p.dim])
			for l, v := range w.value {
				if math.Abs(v-want.At(l, j)) > 1e-11*scale {
					t.Errorf("case %d: [%d][%d] = %g, want %g", i, l, j, v, want.At(l, j))
				}
			}
		}
	}
}

func normals(n, d int, seed uint64) (x, u *mat.Dense) {
	r := source(seed)
	x, u = mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			v := r.NormFloat64()
			x.Set(i, j, v)
			u.Set(i, j, -v)
		}
	}
	return x, u
}

func BenchmarkThin(b *testing.B) {
	x, u := normals(100000, 10, 1)
	for b.Loop() {
		if _, err := Thin(x, u, nil, 100, Thinning{Preconditioner: "med"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMatrix(b *testing.B) {
	x, u := normals(2000, 10, 1)
	k, _ := New(kernels.RQ{Alpha: .5}, Lengthscale(3, 10))
	for b.Loop() {
		if _, err := k.Matrix(x, u); err != nil {
			b.Fatal(err)
		}
	}
}

func TestEdges(t *testing.T) {
	k, err := New(kernels.RQ{Alpha: .5}, Lengthscale(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	one := mat.NewDense(1, 1, []float64{2})
	if _, err := k.V(one, one); err != nil {
		t.Error(err)
	}
	if _, err := k.U(one, one); err == nil {
		t.Error("U of one row")
	}
	bad := mat.NewDense(2, 1, []float64{0, math.NaN()})
	fine := mat.NewDense(2, 1, []float64{1, 1})
	if _, err := k.V(fine, bad); err == nil {
		t.Error("a score of NaN")
	}
	if _, err := Thin(fine, fine, nil, 2, Thinning{Preconditioner: "med"}); err == nil {
		t.Error("a median of 0")
	}
	if _, err := Thin(fine, fine, nil, 2, Thinning{}); err != nil {
		t.Error(err)
	}
	if got, err := SupportPoints(fine, nil, 3); err != nil || len(got) != 3 {
		t.Error(got, err)
	}
	if _, err := New(kernels.Matern{Nu: 1}, Lengthscale(1, 1)); err == nil {
		t.Error("Matern 1 has no second derivative")
	}
}

// Weights are optimal: no row outside has a slope below that of the rows inside, and these have one slope, repeated
// rows and far ones included.
func TestWeightsAreOptimal(t *testing.T) {
	for seed := range uint64(20) {
		d := 1 + int(seed)%4
		x, u := normals(60, d, seed)
		for j := range d {
			x.Set(1, j, x.At(0, j)) // a row that is there twice
			u.Set(1, j, u.At(0, j))
			x.Set(2, j, 8) // and one that is far
			u.Set(2, j, -8)
		}
		k := fixture.Get[*Kernel](t)(New(kernels.RQ{Alpha: .5}, Lengthscale(1.5, d)))
		gram := fixture.Get[*mat.SymDense](t)(k.Matrix(x, u))
		for _, ridge := range []float64{0, 0.3} {
			w := fixture.Get[[]float64](t)(Weights(gram, ridge))
			slope, level, sum := make([]float64, len(w)), 0.0, 0.0
			for i := range w {
				slope[i] = ridge * w[i]
				for j, v := range w {
					slope[i] += gram.At(i, j) * v
				}
				level += w[i] * slope[i]
				sum += w[i]
			}
			for i, s := range slope {
				if w[i] < 0 || w[i] > 0 && math.Abs(s-level) > 1e-9*gram.At(0, 0) || s < level-1e-9*gram.At(0, 0) {
					t.Errorf("seed %d, ridge %v: weight %d is %g, its slope %g, that of all %g", seed, ridge, i, w[i], s, level)
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("weights add up to %v", sum)
			}
		}
	}
}
