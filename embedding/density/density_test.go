package density

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/embedding/shrinkage"
	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s is %.17g, want %.17g", what, got, want)
	}
}

func theKernels(sigma2 float64) map[string]kernels.Kernel {
	return map[string]kernels.Kernel{
		"lin": kernels.Linear{}, "poly2": kernels.Polynomial{Degree: 2, Offset: 1},
		"poly3": kernels.Polynomial{Degree: 3, Offset: 1},
		"rbf":   kernels.SquaredExponential(math.Sqrt(sigma2)),
	}
}

func TestEmbedReference(t *testing.T) {
	var ref struct {
		X       [][]float64
		Pi      []float64
		Mu      [][]float64
		S       [][][]float64
		Sigma2  float64
		Kernels map[string]struct {
			M []string
			C string
		}
	}
	fixture.JSON(t, "../shrinkage/testdata/kmse.json", &ref)
	var covs []*mat.SymDense
	for _, s := range ref.S {
		covs = append(covs, mat.NewSymDense(2, []float64{s[0][0], s[0][1], s[1][0], s[1][1]}))
	}
	p := fixture.Get[*Normals](t)(NewNormals(ref.Pi, fixture.Matrix(ref.Mu), covs))
	got := make([]float64, len(ref.X))
	for name, k := range theKernels(ref.Sigma2) {
		norm := fixture.Get[float64](t)(p.Embed(k, got, fixture.Matrix(ref.X)))
		want, _ := strconv.ParseFloat(ref.Kernels[name].C, 64)
		near(t, name+" norm", norm, want, 1e-13)
		for i, text := range ref.Kernels[name].M {
			want, _ := strconv.ParseFloat(text, 64)
			near(t, fmt.Sprint(name, " at ", i), got[i], want, 1e-13)
		}
	}
}

// Draws have the moments of the mixture, and its density integrates to one. The sample means are of
// 40,000 draws and held to 4.5 standard errors: a false alarm in 1 of 20,000 seeds.
func TestNormals(t *testing.T) {
	cov := mat.NewSymDense(2, []float64{1, 0.5, 0.5, 2})
	wide := mat.NewSymDense(2, []float64{3, 0, 0, 0.5})
	p := fixture.Get[*Normals](t)(NewNormals([]float64{0.3, 0.7}, mat.NewDense(2, 2, []float64{1, 2, -1, 0}),
		[]*mat.SymDense{cov, wide}))
	k := kernels.Polynomial{Degree: 2, Offset: 1}
	want := []float64{0}
	point := mat.NewDense(1, 2, []float64{0.5, -1})
	if _, err := p.Embed(k, want, point); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, 2)
	const n = 40000
	sum, squares := 0.0, 0.0
	for range n {
		p.Draw(x, r)
		v := k.At(x, point.RawRowView(0))
		sum += v
		squares += v * v
	}
	mean := sum / n
	se := math.Sqrt((squares/n - mean*mean) / n)
	if math.Abs(mean-want[0]) > 4.5*se {
		t.Errorf("mean of k is %v, want %v within %v", mean, want[0], se)
	}
	total, h := 0.0, 0.05
	for a := -12.0; a <= 12; a += h {
		for b := -12.0; b <= 12; b += h {
			total += h * h * math.Exp(p.LogDensity([]float64{a, b}))
		}
	}
	near(t, "integral", total, 1, 1e-9)
}

// Small programs against the minimum over all supports, solved one by one.
func TestMinimiseByEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for trial := range 300 {
		n := 1 + trial%6
		rank := 1 + r.IntN(n)
		a := mat.NewDense(rank, n, nil)
		a.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, a)
		m := mat.NewSymDense(n, nil)
		m.SymOuterK(1, a.T())
		b := make([]float64, n)
		for j := range b {
			for k := range rank { // in the range of M, as that of an embedding is
				b[j] += a.At(k, j) * 2 * r.NormFloat64()
			}
		}
		s := fixture.Get[*Solution](t)(Minimise(m, b))
		best := enumerate(m, b)
		if s.Objective > best+1e-9*(1+math.Abs(best)) || s.KKT > 1e-8 {
			t.Errorf("trial %d: objective is %v, want %v; KKT %v", trial, s.Objective, best, s.KKT)
		}
		sum := 0.0
		for _, w := range s.Weights {
			sum += w
			if w < 0 {
				t.Errorf("trial %d: weight is %v", trial, w)
			}
		}
		near(t, "sum", sum, 1, 1e-12)
	}
}

// enumerate is the smallest objective over the minima on each support that are in the simplex.
func enumerate(m *mat.SymDense, b []float64) float64 {
	n, best := len(b), math.Inf(1)
	for set := 1; set < 1<<n; set++ {
		var use []int
		for j := range n {
			if set>>j&1 == 1 {
				use = append(use, j)
			}
		}
		s := len(use)
		kkt, rhs := mat.NewDense(s+1, s+1, nil), mat.NewVecDense(s+1, nil)
		for a, i := range use {
			for c, j := range use {
				kkt.Set(a, c, m.At(i, j))
			}
			kkt.Set(a, s, 1)
			kkt.Set(s, a, 1)
			rhs.SetVec(a, b[i])
		}
		rhs.SetVec(s, 1)
		var w mat.VecDense
		if err := w.SolveVec(kkt, rhs); err != nil {
			continue // a smaller support has the same minimum
		}
		value, ok := 0.0, true
		for a, i := range use {
			ok = ok && w.AtVec(a) >= -1e-12
			value -= 2 * b[i] * w.AtVec(a)
			for c, j := range use {
				value += w.AtVec(a) * w.AtVec(c) * m.At(i, j)
			}
		}
		if ok {
			best = min(best, value)
		}
	}
	return best
}

// A larger program, near singular: the conditions hold, and the weights that made b come back as an
// embedding.
func TestMinimiseLarge(t *testing.T) {
	x := fixture.Normals(1, 300, 2, 0)
	m := fixture.Gram(t, kernels.SquaredExponential(2), x)
	r := rand.New(rand.NewPCG(7, 8))
	w, sum := make([]float64, 300), 0.0
	for j := range w {
		w[j] = r.ExpFloat64()
		sum += w[j]
	}
	b := make([]float64, 300)
	for i := range b {
		for j := range w {
			b[i] += m.At(i, j) * w[j] / sum
		}
	}
	s := fixture.Get[*Solution](t)(Minimise(m, b))
	least := 0.0
	for i := range w {
		least -= b[i] * w[i] / sum
	}
	if s.KKT > 1e-9 || s.Objective > least+1e-9 {
		t.Errorf("KKT is %v, objective %v, want %v", s.KKT, s.Objective, least)
	}
}

// Round covariances as matrices and as numbers.
func TestRound(t *testing.T) {
	a, b := []float64{0.5, -1, 2}, []float64{1, 0.25, -0.5}
	cov := func(s float64) *mat.SymDense {
		return mat.NewSymDense(3, []float64{s * s, 0, 0, 0, s * s, 0, 0, 0, s * s})
	}
	c := fixture.Get[*Normals](t)(NewNormals([]float64{1}, mat.NewDense(1, 3, a), []*mat.SymDense{cov(1)}))
	for name, k := range theKernels(1.5) {
		e := fixture.Get[expectations](t)(c.moments(k))
		near(t, name, e.round(a, 0.7, b, 1.2), e.pair(a, cov(0.7), b, cov(1.2)), 1e-13)
		near(t, name+" at a point", e.round(a, 0, b, 1.2), e.pair(a, nil, b, cov(1.2)), 1e-13)
		near(t, name+" of points", e.round(a, 0, b, 0), k.At(a, b), 1e-13)
	}
}

func TestMatch(t *testing.T) {
	law := fixture.Get[*Normals](t)(NewNormals([]float64{0.25, 0.75}, mat.NewDense(2, 1, []float64{-2, 1}),
		[]*mat.SymDense{mat.NewSymDense(1, []float64{0.25}), mat.NewSymDense(1, []float64{0.25})}))
	r := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(2000, 1, nil)
	for i := range 2000 {
		law.Draw(x.RawRowView(i), r)
	}
	k := kernels.SquaredExponential(0.7)
	given := Centres{mat.NewDense(4, 1, []float64{-2, 1, 4, -6}), []float64{0.5}}
	p, s, err := Match(k, x, nil, given)
	if err != nil {
		t.Fatal(err)
	}
	// A share of a quarter is known to 0.01: 4.5 standard errors.
	for j, want := range []float64{0.25, 0.75, 0, 0} {
		if math.Abs(p.Weights[j]-want) > 0.045 {
			t.Errorf("weight %d is %v, want %v", j, p.Weights[j], want)
		}
	}
	if s.KKT > 1e-12 {
		t.Errorf("KKT is %v", s.KKT)
	}
	c := fixture.Get[Centres](t)(KMeans(context.Background(), x, 12, 1))
	q, s, err := Match(k, x, nil, c)
	if err != nil {
		t.Fatal(err)
	}
	// The law has mean 0.25 and variance 0.25 + 0.1875 * 9.
	plain := fixture.Get[*Normals](t)(NewNormals([]float64{1}, mat.NewDense(1, 1, []float64{0.25}),
		[]*mat.SymDense{mat.NewSymDense(1, []float64{1.9375})}))
	kl, normal, h := 0.0, 0.0, 0.01 // divergences from the law of the estimate and of a normal
	for v := -5.0; v < 4; v += h {
		l := law.LogDensity([]float64{v})
		kl += h * math.Exp(l) * (l - q.LogDensity([]float64{v}))
		normal += h * math.Exp(l) * (l - plain.LogDensity([]float64{v}))
	}
	if kl > normal/4 || s.KKT > 1e-10 {
		t.Errorf("divergence is %v, that of a normal %v; KKT %v", kl, normal, s.KKT)
	}
}

// Weights that are shrunk ask for less, and the weights of the mixture have sum 1 all the same.
func TestMatchShrunk(t *testing.T) {
	x := fixture.Normals(3, 12, 2, 0)
	k := kernels.SquaredExponential(1)
	p := fixture.Get[*shrinkage.Problem](t)(shrinkage.NewRows(context.Background(), k, x, 0))
	c := Centres{x, []float64{0.5}}
	for _, e := range []shrinkage.Estimate{p.Empirical(), p.ShrinkScalar(),
		p.ShrinkSpectral(shrinkage.TrueLeaveOneOut)} {
		q, s, err := Match(k, x, e.Weights, c)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, w := range q.Weights {
			sum += w
		}
		near(t, e.Method, sum, 1, 1e-12)
		if s.KKT > 1e-12 {
			t.Errorf("%s: KKT is %v", e.Method, s.KKT)
		}
	}
}

func TestErrors(t *testing.T) {
	x := fixture.Normals(1, 5, 2, 0)
	k := kernels.SquaredExponential(1)
	one := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	match := func(k kernels.Kernel, w []float64, c Centres) error {
		_, _, err := Match(k, x, w, c)
		return err
	}
	mixture := func(w, m []float64, s []*mat.SymDense) error {
		_, err := NewNormals(w, mat.NewDense(1, len(m), m), s)
		return err
	}
	for want, err := range map[string]error{
		"want 1 or 5":            match(k, nil, Centres{x, []float64{1, 2}}),
		"spread 1 is 0":          match(k, nil, Centres{x, []float64{0}}),
		"there are 2 weights":    match(k, make([]float64, 2), Centres{x, []float64{1}}),
		"centres have 3 columns": match(k, nil, Centres{fixture.Normals(1, 5, 3, 0), []float64{1}}),
		"kernel is matern32": match(kernels.Matern32(1), nil,
			Centres{x, []float64{1}}),
		"kernel is nil":             match(nil, nil, Centres{x, []float64{1}}),
		"sum of the weights is 0.5": mixture([]float64{0.5}, []float64{1, 2}, []*mat.SymDense{one}),
		"weight 1 is -1":            mixture([]float64{-1}, []float64{1, 2}, []*mat.SymDense{one}),
		"component 1 has a mean":    mixture([]float64{1}, []float64{1}, []*mat.SymDense{one}),
		"as many of each":           mixture(nil, []float64{1}, nil),
	} {
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "density: ") {
			t.Errorf("error is %v, want %q in it", err, want)
		}
	}
	if _, err := Minimise(one, []float64{1}); err == nil {
		t.Error("b of another length is accepted")
	}
	if _, err := Minimise(one, []float64{1, math.NaN()}); err == nil {
		t.Error("NaN is accepted")
	}
}
