package ica

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// sources draws independent columns of variance about 1: uniform, Laplace, two bumps, exponential.
func sources(r *rand.Rand, n, m int) *mat.Dense {
	s := mat.NewDense(n, m, nil)
	s.Apply(func(_, j int, _ float64) float64 {
		switch j {
		case 0:
			return math.Sqrt(12) * (r.Float64() - 0.5)
		case 1:
			return (r.ExpFloat64() - r.ExpFloat64()) / math.Sqrt2
		case 2:
			return 0.95*float64(2*r.IntN(2)-1) + 0.3*r.NormFloat64()
		}
		return r.ExpFloat64() - 1
	}, s)
	return s
}

// amari is the distance of W A from a permutation with scales, 0 to 1.
func amari(w, a *mat.Dense) float64 {
	var p mat.Dense
	p.Mul(w, a)
	m, _ := p.Dims()
	sum := 0.0
	for i := range m {
		var row, col, topRow, topCol float64
		for j := range m {
			u, v := math.Abs(p.At(i, j)), math.Abs(p.At(j, i))
			row, col = row+u, col+v
			topRow, topCol = max(topRow, u), max(topCol, v)
		}
		sum += row/topRow - 1 + col/topCol - 1
	}
	return sum / float64(2*m*(m-1))
}

// white gives sources that are nearly so the unit covariance, by its inverse root, which turns them
// least.
func white(s *mat.Dense) *mat.Dense {
	n, m := s.Dims()
	data := append([]float64(nil), s.RawMatrix().Data...)
	_, axes, err := whiten(data, n, m) // rows z = D V'(s - mean), and V D V' = V z's
	if err != nil {
		panic(err)
	}
	back := mat.NewDense(m, m, nil)
	for i := range m {
		norm := mat.Norm(axes.RowView(i), 2)
		for j := range m {
			back.Set(i, j, axes.At(i, j)/norm)
		}
	}
	var out mat.Dense
	out.Mul(mat.NewDense(n, m, data), back)
	return &out
}

// A known mixing of 2 to 4 sources comes back, and HSIC is not above that of the true unmixing, the
// whitened one.
func TestFind(t *testing.T) {
	for m := 2; m <= 4; m++ {
		for seed := range uint64(2) {
			r := rand.New(rand.NewPCG(seed, uint64(m)))
			const n = 2000
			s := sources(r, n, m)
			a := mat.NewDense(m, m, nil)
			a.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, a)
			var x mat.Dense
			x.Mul(s, a.T())
			got := fixture.Get[*Result](t)(Find(t.Context(), &x, Options{Seed: seed}))
			distance := amari(got.Unmixing, a)
			truth := newContrast(white(s).RawMatrix().Data, m, 16, 0.7).value(identity(m))
			t.Logf("%d sources: distance %.4f, HSIC %.3g, that of the sources %.3g, %d steps, "+
				"gradient %.2g, minima %.3g", m, distance, got.HSIC, truth, got.Steps, got.Gradient,
				got.Minima)
			if distance > 0.05 || !got.Converged || got.HSIC > truth {
				t.Errorf("%d sources: distance is %v, HSIC %v, that of the sources %v, converged %v", m,
					distance, got.HSIC, truth, got.Converged)
			}
			y := make([]float64, m)
			got.Components(y, x.RawRowView(5))
			var back mat.VecDense
			back.MulVec(got.Mixing, mat.NewVecDense(m, y))
			for j := range m {
				if d := back.AtVec(j) + got.Mean[j] - x.At(5, j); math.Abs(d) > 1e-10 {
					t.Errorf("row comes back off by %v", d)
				}
			}
		}
	}
}

// F is the sum of HSIC of the features' kernel, and that is near the squared exponential.
func TestValue(t *testing.T) {
	x := fixture.Normals(1, 80, 3, 0)
	theta := 1.1
	c := newContrast(x.RawMatrix().Data, 3, 200, theta)
	got := c.value(identity(3))
	var exact, same float64
	gram := func(j int, k func(d float64) float64) *mat.SymDense {
		g := mat.NewSymDense(80, nil)
		for i := range 80 {
			for l := range i + 1 {
				g.SetSym(i, l, k(x.At(i, j)-x.At(l, j)))
			}
		}
		return g
	}
	se := kernels.SquaredExponential(theta)
	features := func(d float64) float64 {
		s := 0.0
		for _, w := range c.w {
			s += math.Cos(w*d) / float64(len(c.w))
		}
		return s
	}
	smooth := func(d float64) float64 { return se.At([]float64{d}, []float64{0}) }
	for i := range 3 {
		for j := range i {
			same += fixture.Get[*statistic.HSIC](t)(statistic.NewHSIC(gram(i, features),
				gram(j, features))).Biased()
			exact += fixture.Get[*statistic.HSIC](t)(statistic.NewHSIC(gram(i, smooth),
				gram(j, smooth))).Biased()
		}
	}
	if math.Abs(got-same) > 1e-12 || math.Abs(got-exact) > 0.02*exact {
		t.Errorf("F is %v, want %v and near %v", got, same, exact)
	}
}

// The gradient in all matrices, and the one on the group, against differences.
func TestGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for m := 2; m <= 4; m++ {
		s := &search{contrast: newContrast(sources(r, 60, m).RawMatrix().Data, m, 9, 0.8)}
		q := rotation(m, r)
		s.value(q)
		e := mat.NewDense(m, m, nil)
		s.gradient(e)
		g := s.skew(q)
		for i := range m {
			for j := range m {
				f := func(h float64) float64 {
					p := mat.DenseCopyOf(q)
					p.Set(i, j, p.At(i, j)+h)
					return s.value(p)
				}
				check(t, fmt.Sprint("element ", i, j), e.At(i, j), f)
				turn := mat.NewDense(m, m, nil) // skew: the slope is (G_ij - G_ji)/2
				turn.Set(i, j, 1)
				turn.Set(j, i, turn.At(j, i)-1)
				if i != j {
					check(t, fmt.Sprint("turn ", i, j), g.At(i, j),
						func(h float64) float64 { return s.value(moved(q, turn, -h)) })
				}
			}
		}
		// A step stays on the group.
		p := moved(q, g, 3)
		var unit mat.Dense
		unit.Mul(p, p.T())
		if !mat.EqualApprox(&unit, identity(m), 1e-12) {
			t.Error("a step leaves the group")
		}
	}
}

func check(t *testing.T, what string, got float64, f func(h float64) float64) {
	t.Helper()
	d := func(h float64) float64 { return (f(h) - f(-h)) / (2 * h) }
	if want := (4*d(5e-4) - d(1e-3)) / 3; math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestErrors(t *testing.T) {
	find := func(x mat.Matrix, o Options) error {
		_, err := Find(context.Background(), x, o)
		return err
	}
	x := fixture.Normals(1, 20, 2, 0)
	flat := mat.DenseCopyOf(x)
	for i := range 20 {
		flat.Set(i, 1, 2*flat.At(i, 0))
	}
	nan := mat.DenseCopyOf(x)
	nan.Set(3, 1, math.NaN())
	for want, err := range map[string]error{
		"want at least 2 columns":  find(fixture.Normals(1, 20, 1, 0), Options{}),
		"more rows than columns":   find(fixture.Normals(1, 2, 2, 0), Options{}),
		"want positive numbers":    find(x, Options{Theta: -1}),
		"determined by the others": find(flat, Options{}),
		"row 4, column 2":          find(nan, Options{}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "ica: ") {
			t.Errorf("error is %v, want %q in it", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Find(ctx, x, Options{}); err == nil {
		t.Error("a context that is done does not end the search")
	}
}
