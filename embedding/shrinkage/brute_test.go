package shrinkage

import (
	"context"
	"fmt"
	"math"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// held is |sum_j w_j k(., x_j) - k(., x_i)|².
func held(gram *mat.SymDense, w []float64, i int) float64 {
	n := gram.SymmetricDim()
	v := mat.NewVecDense(n, append([]float64(nil), w...))
	v.SetVec(i, v.AtVec(i)-1)
	return mat.Inner(v, gram, v)
}

// solve is (a + c I)^-1 b for the rows and columns in keep.
func solve(t *testing.T, gram *mat.SymDense, keep []int, c float64, scale float64,
	b []float64) []float64 {
	t.Helper()
	n := len(keep)
	a, rhs := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for i, k := range keep {
		for j, l := range keep {
			a.Set(i, j, scale*gram.At(k, l))
		}
		a.Set(i, i, a.At(i, i)+c)
		rhs.SetVec(i, b[k])
	}
	var out mat.VecDense
	if err := out.SolveVec(a, rhs); err != nil {
		t.Fatal(err)
	}
	return out.RawVector().Data
}

// Scores are compared with the deletion of each row.
func TestScoresByDeletion(t *testing.T) {
	for _, n := range []int{2, 3, 17} {
		x := fixture.Normals(3, n, 3, 0.5)
		for j := range 3 {
			x.Set(1, j, x.At(0, j)) // two equal rows: K is singular
		}
		for name, k := range theKernels(1.5) {
			gram := fixture.Gram(t, k, x)
			p := fixture.Get[*Problem](t)(New(context.Background(), gram))
			for _, l := range []float64{0.01, 0.3, 2, 40} {
				byTarget, byTruth, bySteps := 0.0, 0.0, 0.0
				f := p.Landweber(7)
				for i := range n {
					var all, others []int
					target := make([]float64, n) // sum over the others of K_j
					for j := range n {
						all = append(all, j)
						if j == i {
							continue
						}
						others = append(others, j)
						for m := range n {
							target[m] += gram.At(m, j)
						}
					}
					for m := range target {
						target[m] /= float64(n)
					}
					w := solve(t, gram, all, l, float64(n-1)/float64(n), target)
					byTarget += held(gram, w, i) / float64(n)
					for m := range target {
						target[m] *= float64(n) / float64(n-1)
					}
					few := solve(t, gram, others, l, 1, target)
					w = make([]float64, n)
					for a, j := range others {
						w[j] = few[a]
					}
					byTruth += held(gram, w, i) / float64(n)
					bySteps += held(gram, landweber(gram, p.d[0], i, 7), i) / float64(n)
				}
				what := fmt.Sprint(name, ", ", n, " rows, lambda ", l)
				var got [1]float64
				p.SpectralScores(got[:], []float64{l}, TargetOnly)
				near(t, what+", target only", got[0], byTarget, p.vr, 1e-12)
				p.SpectralScores(got[:], []float64{l}, TrueLeaveOneOut)
				near(t, what+", leave-one-out", got[0], byTruth, p.vr, 1e-12)
				near(t, what+", Landweber", p.FilterScore(f), bySteps, p.vr, 1e-12)
			}
		}
	}
}

// landweber descends from 0 towards the mean of the rows but i, b <- b + (t - Kb)/top, with weights
// t = 1/(n-1) there: its weights after some steps, filtered as f(K) t.
func landweber(gram *mat.SymDense, top float64, i, steps int) []float64 {
	n := gram.SymmetricDim()
	t, b := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for j := range n {
		if j != i {
			t.SetVec(j, 1/float64(n-1))
		}
	}
	for range steps {
		var r mat.VecDense
		r.SubVec(t, b)
		r.MulVec(gram, &r)
		b.AddScaledVec(b, 1/top, &r)
	}
	return b.RawVector().Data
}

// Derivatives of the scores in log lambda against differences.
func TestScoreSlopes(t *testing.T) {
	x := fixture.Normals(5, 12, 2, 0.3)
	for name, k := range theKernels(1.5) {
		p := fixture.Get[*Problem](t)(New(context.Background(), fixture.Gram(t, k, x)))
		for _, score := range []Score{TargetOnly, TrueLeaveOneOut} {
			for _, l := range []float64{0.02, 0.5, 10} {
				at := func(s float64) float64 {
					v, _ := p.scoreSlope(l*math.Exp(s), score)
					return v
				}
				d := func(h float64) float64 { return (at(h) - at(-h)) / (2 * h) }
				_, got := p.scoreSlope(l, score)
				near(t, fmt.Sprint(name, " ", score, " at ", l), got, (4*d(5e-4)-d(1e-3))/3, p.vr, 1e-10)
			}
		}
	}
}

// The two routes to the decomposition agree, and so do all that follows.
func TestLowRank(t *testing.T) {
	x := fixture.Normals(7, 200, 2, 0)
	k := kernels.SquaredExponential(4)
	dense := fixture.Get[*Problem](t)(New(context.Background(), fixture.Gram(t, k, x)))
	low := fixture.Get[*Problem](t)(NewRows(context.Background(), k, x, 0))
	if low.rank >= 100 || low.u == nil {
		t.Fatalf("rank is %d", low.rank)
	}
	lambdas := []float64{1e-6, 1e-2, 1, 50}
	a, b := make([]float64, 4), make([]float64, 4)
	for _, s := range []Score{TargetOnly, TrueLeaveOneOut} {
		dense.SpectralScores(a, lambdas, s)
		low.SpectralScores(b, lambdas, s)
		for i := range a {
			near(t, fmt.Sprint(s, " at ", lambdas[i]), b[i], a[i], 0, 1e-9)
		}
		e, f := dense.ShrinkSpectral(s), low.ShrinkSpectral(s)
		near(t, "lambda", f.Lambda, e.Lambda, 0, 1e-6)
		for i := range e.Weights {
			near(t, "weight", f.Weights[i], e.Weights[i], 0, 1e-7)
		}
	}
	near(t, "scalar", low.ShrinkScalar().Lambda, dense.ShrinkScalar().Lambda, 0, 1e-11)
	rough := kernels.SquaredExponential(0.05)
	same := fixture.Get[*Problem](t)(NewRows(context.Background(), rough, x, 0))
	if want := fixture.Get[*Problem](t)(New(context.Background(), fixture.Gram(t, rough, x))); same.rank != want.rank ||
		same.rho != want.rho {
		t.Error("a kernel of full rank is not decomposed as its Gram matrix is")
	}
}

// With a tolerance the rank is lower, and scores are those of a kernel within it.
func TestTolerance(t *testing.T) {
	const tol = 0.01
	x := fixture.Normals(7, 200, 2, 0)
	k := kernels.SquaredExponential(1)
	all := fixture.Get[*Problem](t)(NewRows(context.Background(), k, x, 0))
	low := fixture.Get[*Problem](t)(NewRows(context.Background(), k, x, tol))
	if low.rank >= all.rank/2 {
		t.Errorf("ranks are %d and %d", low.rank, all.rank)
	}
	lambdas := []float64{1e-2, 1, 50}
	a, b := make([]float64, 3), make([]float64, 3)
	for _, s := range []Score{TargetOnly, TrueLeaveOneOut} {
		all.SpectralScores(a, lambdas, s)
		low.SpectralScores(b, lambdas, s)
		for i := range a {
			near(t, fmt.Sprint(s, " at ", lambdas[i]), b[i], a[i], 0, 2*tol)
		}
	}
	near(t, "tr K/n", low.vr, all.vr, 0, tol)
}

// A filter of one factor is ShrinkScalar; Tikhonov once is ShrinkSpectral; the others have theirs.
func TestFilters(t *testing.T) {
	x := fixture.Normals(9, 15, 2, 0.5)
	gram := fixture.Gram(t, rbf(2), x)
	p := fixture.Get[*Problem](t)(New(context.Background(), gram))
	s := p.ShrinkScalar()
	flat := Filter{"flat", s.Lambda, func(float64) float64 { return 1 / (1 + s.Lambda) }}
	near(t, "score of one factor", p.FilterScore(flat), s.Score, 0, 1e-12)
	for _, c := range []struct {
		got, want Filter
	}{
		{p.IteratedTikhonov(0.7, 1), p.Tikhonov(0.7)},
		{p.Landweber(1), Filter{"", 1, func(d float64) float64 { return d / p.d[0] }}},
		{p.Truncated(3), Filter{"", 1, func(d float64) float64 {
			if d >= p.d[2] {
				return 1
			}
			return 0
		}}},
	} {
		a, b := p.Shrink(c.got), p.Shrink(c.want)
		for i := range a.Weights {
			near(t, c.got.Name, a.Weights[i], b.Weights[i], 0.01, 1e-12)
		}
	}
	// Iterated: what is left after each round is filtered again.
	w := make([]float64, p.n)
	for range 3 {
		left := make([]float64, p.n)
		for i := range left {
			for j := range w {
				left[i] += gram.At(i, j) * (1/float64(p.n) - w[j])
			}
		}
		all := make([]int, p.n)
		for i := range all {
			all[i] = i
		}
		for i, v := range solve(t, gram, all, 0.7, 1, left) {
			w[i] += v
		}
	}
	got := p.Shrink(p.IteratedTikhonov(0.7, 3))
	for i := range w {
		near(t, "iterated", got.Weights[i], w[i], 0.01, 1e-12)
	}
	var all []Filter
	for steps := 1; steps < 1<<12; steps *= 2 {
		all = append(all, p.Landweber(steps))
	}
	e := fixture.Get[Estimate](t)(p.Choose(all))
	for _, f := range all {
		if p.FilterScore(f) < e.Score {
			t.Errorf("%v is better than what was chosen", f.Lambda)
		}
	}
	if _, err := p.Choose(nil); err == nil {
		t.Error("no filters are accepted")
	}
	near(t, "all eigenvalues", p.Shrink(p.Truncated(99)).Weights[2], 1/float64(p.n), 0, 1e-15)
}

// The minimum is one: no lambda of a fine grid has a lower score.
func TestShrinkSpectralIsTheMinimum(t *testing.T) {
	for seed := range uint64(6) {
		x := fixture.Normals(seed, 20, 2, float64(seed)/2)
		for name, k := range theKernels(3) {
			p := fixture.Get[*Problem](t)(New(context.Background(), fixture.Gram(t, k, x)))
			for _, s := range []Score{TargetOnly, TrueLeaveOneOut} {
				e := p.ShrinkSpectral(s)
				var v [1]float64
				for l := 2e-10 * p.d[0]; l < 1e4*p.d[0]; l *= 1.05 {
					p.SpectralScores(v[:], []float64{l}, s)
					if v[0] < e.Score-1e-3*math.Abs(e.Score-p.Empirical().Score)-1e-9*p.vr {
						t.Errorf("%s, %s: score is %v at %v, %v at %v", name, s, v[0], l, e.Score,
							e.Lambda)
						break
					}
				}
			}
		}
	}
}
