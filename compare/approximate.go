package compare

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/internal/rng"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// approximateDraws is their number: theta is narrow, and the function changes slowly with it.
const approximateDraws = 200

// approximate draws from the normal approximation of the posterior, on the logarithms of the
// hyperparameters u. The modes are those of the density on the natural scales, whose Hessian in u
// is -A. The density of u has sum u besides, so that near a mode it is normal with mean u +
// inverse(A) 1 and covariance inverse(A), to second order. Each mode has draws in proportion to its
// mass. Where a bound holds, or A is not positive definite, the mode itself stands for them.
func approximate(of *kerneltest.Chosen, seed uint64) (*Posterior, error) {
	src, err := rng.New("", rng.Name{Seed: seed, Purpose: "compare/theta"}, 0)
	if err != nil {
		return nil, err
	}
	r := rand.New(src)
	out := &Posterior{Model: of.Model, Scaling: of.Scaling}
	count := shares(of.Fit.Modes, approximateDraws)
	for k, mode := range of.Fit.Modes {
		around := newAround(mode)
		for range count[k] {
			out.Draws = append(out.Draws, around.draw(of, r))
		}
	}
	return out, nil
}

// shares is the number of draws of each mode.
func shares(modes []bke.Mode, count int) []int {
	top, all := math.Inf(-1), 0.0
	for _, m := range modes {
		top = max(top, m.LogMass)
	}
	for _, m := range modes {
		all += math.Exp(m.LogMass - top)
	}
	out, upTo, given := make([]int, len(modes)), 0.0, 0
	for k, m := range modes {
		upTo += math.Exp(m.LogMass - top)
		next := int(math.Round(float64(count) * upTo / all))
		out[k], given = next-given, next
	}
	return out
}

// around is the normal approximation at a mode.
type around struct {
	mode   bke.Mode
	centre []float64     // of the logarithms
	root   *mat.Cholesky // of A; nil where the mode stands alone
}

func newAround(mode bke.Mode) *around {
	a := &around{mode: mode, centre: slices.Clone(mode.Logs)}
	n := len(mode.Logs)
	h := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			h.SetSym(i, j, -mode.Hessian[i][j])
		}
	}
	var c mat.Cholesky
	if len(mode.AtBound) > 0 || !c.Factorize(h) {
		return a
	}
	ones := mat.NewVecDense(n, nil)
	for i := range n {
		ones.SetVec(i, 1)
	}
	var step mat.VecDense
	if err := c.SolveVecTo(&step, ones); err != nil {
		return a
	}
	for i := range n {
		a.centre[i] += min(max(step.AtVec(i), -1), 1) // where the posterior is as wide as that it is skew
	}
	a.root = &c
	return a
}

// draw solves U u = z with A = U'U.
func (a *around) draw(of *kerneltest.Chosen, r *rand.Rand) bke.Params {
	n := len(a.centre)
	z := mat.NewVecDense(n, nil)
	for i := range n {
		z.SetVec(i, r.NormFloat64())
	}
	v := slices.Clone(a.centre)
	if a.root != nil {
		var u mat.TriDense
		a.root.UTo(&u)
		var step mat.VecDense
		if err := step.SolveVec(&u, z); err == nil {
			for i := range n {
				v[i] += step.AtVec(i)
			}
		}
	}
	for i, name := range of.Fit.Names {
		v[i] = math.Exp(v[i])
		if name != "tau2" && name != "eta" { // a lengthscale
			v[i] = min(max(v[i], of.Fit.ThetaMin), cmp.Or(of.Fit.ThetaMax, math.Inf(1)))
		}
	}
	return of.Model.Params(v)
}
