package bke

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Noise is the covariance of the errors of the empirical embedding at the observation points.
type Noise int

const (
	// CLT is what the central limit theorem says it is: (tau2/v) C/n, where C is the sample's
	// covariance of k(X, p) over the observation points p, and v = mean_l Var k(X, z_l) over the
	// data of the fit, so that tau2 keeps its meaning as the level and the data give the shape.
	// Where a sample has no rows, or where all of them are equal, C is zero and the embedding counts
	// as known: with 30 rows against 400, and a grid that goes where only the 400 are, simultaneous
	// 80% bands of the witness covered it in 57 to 65% of data sets.
	CLT Noise = iota
	// IID is (tau2/n) I, as in eq. (7) of the paper. Errors at neighbouring points are in truth
	// nearly the same error, so its bands are too narrow, the more so the larger the sample.
	IID
)

// String returns the name that ParseNoise reads.
func (e Noise) String() string {
	switch e {
	case CLT:
		return "clt"
	case IID:
		return "iid"
	}
	return fmt.Sprintf("Noise(%d)", int(e))
}

// ParseNoise reads "clt" or "iid".
func ParseNoise(name string) (Noise, error) {
	for e := CLT; e <= IID; e++ {
		if name == e.String() {
			return e, nil
		}
	}
	return 0, fmt.Errorf("bke: noise is %q, want clt or iid", name)
}

// EmbeddingOptions says how an embedding is observed. The zero value is the default.
type EmbeddingOptions struct {
	Noise Noise
	// Points are the observation points, where the empirical embedding is looked at. The default
	// of CLT is min(n, 40) quantiles of the n rows of the fit in one dimension, min(n, 200) k-means
	// centres in more: further points change nothing. The default of IID is the sample's own rows,
	// of which each counts as a fresh look.
	Points mat.Matrix
}

// Embedding is the posterior of the mean embedding mu(t) = E k(X, t) of the distribution of one
// sample, at given hyperparameters: a Gaussian process. It owns a workspace and is not for several
// goroutines at once.
type Embedding struct {
	Params Params
	Noise  Noise
	Points *mat.Dense // the observation points

	model *Model
	work  *conditioning
	tri   lowrank.Cholesky // of the covariance, for draws
}

// Embedding conditions on a sample, which need not be among the rows of the fit. Its columns are
// those of the model; where the model was projected onto a plane, it lies on that plane.
// Parameters that the model fixes need not be given.
func (m *Model) Embedding(sample mat.Matrix, p Params, o EmbeddingOptions) (*Embedding, error) {
	x, err := m.sample("sample", sample, o.Noise)
	if err != nil {
		return nil, err
	}
	if p, err = m.complete(p); err != nil {
		return nil, err
	}
	points, err := m.observed(o.Noise, o.Points)
	if err != nil {
		return nil, err
	}
	e := &Embedding{Params: p, Noise: o.Noise, model: m}
	e.work = m.conditioning(o.Noise, points, x)
	if points == nil {
		points = x
	}
	e.Points = m.lift(points)
	return e, e.work.fit(p)
}

// At returns the posterior means and standard deviations of mu at the points.
func (e *Embedding) At(points mat.Matrix) (mean, sd []float64, err error) {
	t, err := e.model.place("points", points)
	if err != nil {
		return nil, nil, err
	}
	if err := e.work.at(t); err != nil {
		return nil, nil, err
	}
	s := e.work.samples[0]
	return slices.Clone(s.mean), roots(s.vary), nil
}

// Joint returns the posterior mean and covariance of mu at the points.
func (e *Embedding) Joint(points mat.Matrix) (mean []float64, cov *mat.SymDense, err error) {
	t, err := e.model.place("points", points)
	if err != nil {
		return nil, nil, err
	}
	if err := e.work.at(t); err != nil {
		return nil, nil, err
	}
	s := e.work.samples[0]
	cov = mat.NewSymDense(len(s.mean), nil)
	col := make([]float64, len(s.mean))
	for i := range col {
		e.work.column(col, t, i)
		for j, v := range col[:i] {
			cov.SetSym(i, j, v)
		}
		cov.SetSym(i, i, s.vary[i])
	}
	return slices.Clone(s.mean), cov, nil
}

// Draws returns count draws of the function mu, each a row of its values at the points.
func (e *Embedding) Draws(points mat.Matrix, count int, r *rand.Rand) (*mat.Dense, error) {
	if count < 1 {
		return nil, fmt.Errorf("bke: %d draws asked for, want at least 1", count)
	}
	t, err := e.model.place("points", points)
	if err != nil {
		return nil, err
	}
	if err := e.work.at(t); err != nil {
		return nil, err
	}
	e.work.root(&e.tri, t)
	mean := e.work.samples[0].mean
	out := mat.NewDense(count, len(mean), nil)
	normals := make([]float64, len(mean))
	for i := range count {
		fillNormal(normals, r)
		row := out.RawRowView(i)
		copy(row, mean)
		addDraw(row, &e.tri, normals)
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
		return nil, nil, fmt.Errorf("bke: coef has %s, want %d, one for each point",
			rows.Count(terms, "column"), len(mu))
	}
	a, _, _, err := rows.Finite("coef", coef)
	if err != nil {
		return nil, nil, fmt.Errorf("bke: %w", err)
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

// sample copies and checks a sample. Its rows are sorted: their order then makes no difference.
func (m *Model) sample(name string, a mat.Matrix, noise Noise) ([]float64, error) {
	if noise != CLT && noise != IID {
		return nil, fmt.Errorf("bke: noise is %v, want CLT or IID", noise)
	}
	x, err := m.place(name, a)
	if err != nil {
		return nil, err
	}
	if n := len(x) / m.dim; noise == CLT && n < 2 {
		return nil, fmt.Errorf("bke: %s has %s, want at least 2 for noise clt", name,
			rows.Count(n, "row"))
	}
	return rows.Sort(x, m.dim), nil
}

// place copies points into the coordinates of the model.
func (m *Model) place(name string, a mat.Matrix) ([]float64, error) { return m.Coordinates(name, a) }

// lift is the inverse of place.
func (m *Model) lift(data []float64) *mat.Dense {
	if m.plane != nil {
		data = m.plane.Lift(data)
	}
	return mat.NewDense(len(data)/m.width, m.width, slices.Clone(data))
}

// observed returns the observation points, nil for each sample's own.
func (m *Model) observed(noise Noise, given mat.Matrix) ([]float64, error) {
	if given != nil {
		return m.place("observation points", given)
	}
	if noise == IID {
		return nil, nil
	}
	return m.observationPoints()
}

// complete checks hyperparameters and fills in those that the model fixes.
func (m *Model) complete(p Params) (Params, error) { return m.Complete(p) }

// addDraw adds to dst the factor times standard normals, of which there are enough for full rank.
func addDraw(dst []float64, f *lowrank.Cholesky, normals []float64) {
	lowrank.Combine(dst, 1, normals[:len(f.Pivots)], f.Columns())
}

func fillNormal(dst []float64, r *rand.Rand) {
	for i := range dst {
		dst[i] = r.NormFloat64()
	}
}

// roots returns the square roots.
func roots(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Sqrt(v)
	}
	return out
}
