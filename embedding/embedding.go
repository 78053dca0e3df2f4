package embedding

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/internal/rng"
	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Embedding is the posterior of the mean embedding mu(t) = E k(X, t) of the distribution of one
// sample, at given hyperparameters: a Gaussian process. It can be shared by goroutines.
type Embedding struct {
	problem *problem
	params  bke.Params
}

// New conditions on a sample. Parameters that the model fixes need not be given.
func New(m *bke.Model, s Sample, p bke.Params, o Options) (*Embedding, error) {
	own, err := newSample(m, "sample", s)
	if err != nil {
		return nil, err
	}
	pr, err := newProblem(m, o, own)
	if err != nil {
		return nil, err
	}
	if p, err = pr.complete(p); err != nil {
		return nil, err
	}
	return &Embedding{problem: pr, params: p}, nil
}

// fitted is the process at the points.
func (e *Embedding) fitted(points mat.Matrix, joint bool) (w process, mean, vary [][]float64,
	err error) {
	t, err := e.problem.model.Coordinates("points", points)
	if err != nil {
		return nil, nil, nil, err
	}
	if e.problem.opts.Noise == IID {
		w = newIID(e.problem, t, rankTol) // no digit is spared
	} else {
		w = newCLT(context.Background(), e.problem, t, []bke.Params{e.params}, joint, false).process()
	}
	mean, vary, err = w.fit(e.params)
	return w, mean, vary, err
}

// At returns the posterior mean and standard deviation of mu at each of the points. With noise CLT
// each is observed alone: what else is asked for makes no difference, and a point costs O(n). With
// negative weights the means are those of the sample, and all standard deviations NaN.
func (e *Embedding) At(points mat.Matrix) (mean, sd []float64, err error) {
	_, means, varies, err := e.fitted(points, false)
	if err != nil {
		return nil, nil, err
	}
	return slices.Clone(means[0]), roots(varies[0]), nil
}

// Joint returns the posterior mean and covariance of mu at the points, observed at all of them.
// Means differ from those of At by about a hundredth of a standard deviation with 50 rows, less
// with more, and standard deviations by a thousandth. It takes O(q r n + q² r) for q points, n rows
// and r pivots, a few dozen on a grid of one column and up to q elsewhere, and q² numbers of
// memory.
func (e *Embedding) Joint(points mat.Matrix) (mean []float64, cov *mat.SymDense, err error) {
	if err := e.problem.banded(); err != nil {
		return nil, nil, err
	}
	w, _, _, err := e.fitted(points, true)
	if err != nil {
		return nil, nil, err
	}
	mean, full, err := w.posterior()
	if err != nil {
		return nil, nil, err
	}
	return mean, mat.NewSymDense(len(mean), full), nil
}

// countable returns an error if fewer than one are to be drawn.
func countable(what string, count int) error {
	if count < 1 {
		return fmt.Errorf("embedding: %d %s asked for, want at least 1", count, what)
	}
	return nil
}

// Draws returns count draws of the function mu, each a row of its values at the points.
func (e *Embedding) Draws(points mat.Matrix, count int, seed uint64) (*mat.Dense, error) {
	if err := countable("draws", count); err != nil {
		return nil, err
	}
	if err := e.problem.banded(); err != nil {
		return nil, err
	}
	w, mean, _, err := e.fitted(points, true)
	if err != nil {
		return nil, err
	}
	if err := w.ready(); err != nil {
		return nil, err
	}
	src, err := rng.New("", rng.Name{Seed: seed, Purpose: "draws"}, 0)
	if err != nil {
		return nil, err
	}
	r := rand.New(src)
	out := mat.NewDense(count, len(mean[0]), nil)
	for i := range count {
		w.draw(out.RawRowView(i), r)
	}
	return out, nil
}

// Expectations returns the joint posterior of the expectations of functions in the span of the
// kernel: row j of coef holds the coefficients a_l of
//
//	f_j = sum_l a_l k(., t_l), of which E f_j(X) = sum_l a_l mu(t_l) under the sample's law,
//
// where t_l is row l of points. For other functions the model says nothing: approximate them by
// one of these first.
func (e *Embedding) Expectations(coef, points mat.Matrix) (mean []float64, cov *mat.SymDense,
	err error) {
	functions, terms := 0, 0
	if coef != nil {
		functions, terms = coef.Dims()
	}
	mu, sigma, err := e.Joint(points)
	if err != nil {
		return nil, nil, err
	}
	if functions == 0 || terms != len(mu) {
		return nil, nil, fmt.Errorf("embedding: coef has %s, want %d, one for each point",
			rows.Count(terms, "column"), len(mu))
	}
	a, _, _, err := rows.Finite("coef", coef)
	if err != nil {
		return nil, nil, fmt.Errorf("embedding: %w", err)
	}
	c := mat.NewDense(functions, terms, a)
	var out mat.VecDense
	out.MulVec(c, mat.NewVecDense(len(mu), mu))
	var half, full mat.Dense
	half.Mul(c, sigma)
	full.Mul(&half, c.T())
	cov = mat.NewSymDense(functions, nil)
	for i := range functions {
		for j := range i + 1 {
			cov.SetSym(i, j, full.At(i, j))
		}
	}
	return out.RawVector().Data, cov, nil
}

func fillNormal(dst []float64, r *rand.Rand) {
	for i := range dst {
		dst[i] = r.NormFloat64()
	}
}
