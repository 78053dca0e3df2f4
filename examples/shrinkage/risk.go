package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/embedding/density"
	"bayeskernel/embedding/shrinkage"
	"bayeskernel/examples/internal/report"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// size is a number of rows and of columns.
type size struct{ n, d int }

func (s size) name() string { return fmt.Sprintf("%d %d", s.n, s.d) }

func sizes() []size {
	return []size{{20, 2}, {20, 5}, {20, 10}, {20, 20}, {20, 50}, {20, 100}, {5, 20}, {10, 20},
		{50, 20}, {100, 20}}
}

// The estimators, by the index of their loss.
const (
	empirical = iota
	scalar
	plugIn
	targetOnly
	trueOut
	bestScalar // of all lambdas, by the true loss
	bestSpectral
	posteriorBest // of all tau2, by the true loss
	posteriorML
	estimators
)

func kernelNames() []string { return []string{"LIN", "POLY2", "POLY3", "RBF"} }

// losses are those of the estimators on one data set, by kernel; those that need a radial kernel
// are 0 for the others.
type losses struct {
	Case string
	Set  int
	Loss map[string][]float64
}

// Of names the case and the data set.
func (l losses) Of() (string, int) { return l.Case, l.Set }

// errTooFew says why there is no picture.
var errTooFew = errors.New("a picture takes all cases, and two data sets of each")

// risk measures the risk of all estimators, and draws it if there is a name for the picture.
func risk(ctx context.Context, s report.Study, picture string, out io.Writer) error {
	var cases []report.Case
	for _, z := range sizes() {
		cases = append(cases, report.Case{Name: z.name(), Sets: 30})
	}
	done, err := report.Measure(ctx, s, cases, func(i, set int) (losses, error) {
		return sizes()[i].measure(ctx, s.Seed, set)
	})
	if err != nil {
		return err
	}
	if picture != "" {
		if err := drawRisk(picture, done); err != nil {
			return err
		}
	}
	return riskTable(out, done)
}

// measure draws a distribution and a sample of it.
func (z size) measure(ctx context.Context, seed uint64, set int) (losses, error) {
	h := fnv.New64a()
	fmt.Fprint(h, z.name(), " ", seed)
	r := rand.New(rand.NewPCG(h.Sum64(), uint64(set)))
	out := losses{z.name(), set, map[string][]float64{}}
	law, err := mixture(r, z.d)
	if err != nil {
		return out, err
	}
	x := mat.NewDense(z.n, z.d, nil)
	for i := range z.n {
		law.Draw(x.RawRowView(i), r)
	}
	for i, k := range []kernels.Kernel{kernels.Linear{}, kernels.Polynomial{Degree: 2, Offset: 1},
		kernels.Polynomial{Degree: 3, Offset: 1}, nil} {
		theta := math.Sqrt(medianSquare(x))
		if k == nil {
			k = kernels.SquaredExponential(theta)
		}
		l, err := measureKernel(ctx, k, law, x)
		if err != nil {
			return out, err
		}
		if i == 3 {
			if err := posterior(l, theta, law, x); err != nil {
				return out, err
			}
		}
		out.Loss[kernelNames()[i]] = l
	}
	return out, nil
}

// mixture is that of the paper: four normals of weights .05, .3, .4, .25; means uniform on (-10,
// 10); covariances Wishart with 7 degrees of freedom and scale 2 I; and noise of variance 0.2.
func mixture(r *rand.Rand, d int) (*density.Normals, error) {
	weights := []float64{0.05, 0.3, 0.4, 0.25}
	means := mat.NewDense(len(weights), d, nil)
	var covs []*mat.SymDense
	for c := range weights {
		m := means.RawRowView(c)
		for i := range m {
			m[i] = 20*r.Float64() - 10
		}
		s := mat.NewSymDense(d, nil)
		z := mat.NewVecDense(d, nil)
		for range 7 {
			for i := range d {
				z.SetVec(i, math.Sqrt2*r.NormFloat64())
			}
			s.SymRankOne(s, 1, z)
		}
		for i := range d {
			s.SetSym(i, i, s.At(i, i)+0.2)
		}
		covs = append(covs, s)
	}
	return density.NewNormals(weights, means, covs)
}

// medianSquare is the median of the squared distances of the rows.
func medianSquare(x *mat.Dense) float64 {
	n, d := x.Dims()
	var all []float64
	for i := range n {
		for j := range i {
			s := 0.0
			for a := range d {
				u := x.At(i, a) - x.At(j, a)
				s += u * u
			}
			all = append(all, s)
		}
	}
	return report.Median(all)
}

// truth is what the loss of an estimate is computed from: |sum_i w_i k(., x_i) - mu|².
type truth struct {
	gram  *mat.SymDense
	means []float64 // mu at the rows
	norm  float64   // |mu|²
}

func (t truth) loss(w []float64) float64 {
	v := mat.NewVecDense(len(w), w)
	sum := mat.Inner(v, t.gram, v) + t.norm
	for i, m := range t.means {
		sum -= 2 * w[i] * m
	}
	return sum
}

func measureKernel(ctx context.Context, k kernels.Kernel, law *density.Normals, x *mat.Dense) ([]float64, error) {
	n, _ := x.Dims()
	t := truth{new(mat.SymDense), make([]float64, n), 0}
	if err := kernels.Gram(t.gram, k, x); err != nil {
		return nil, err
	}
	var err error
	if t.norm, err = law.Embed(k, t.means, x); err != nil {
		return nil, err
	}
	p, err := shrinkage.New(ctx, t.gram)
	if err != nil {
		return nil, err
	}
	out := make([]float64, estimators)
	for i, e := range []shrinkage.Estimate{p.Empirical(), p.ShrinkScalar(), p.ShrinkPlugIn(),
		p.ShrinkSpectral(shrinkage.TargetOnly), p.ShrinkSpectral(shrinkage.TrueLeaveOneOut)} {
		out[i] = t.loss(e.Weights)
	}
	equal, w := p.Empirical().Weights, make([]float64, n)
	out[bestScalar], out[bestSpectral] = out[empirical], out[empirical]
	for s := 0.0; s < 1; s += 0.002 {
		for i := range w {
			w[i] = s * equal[i]
		}
		out[bestScalar] = min(out[bestScalar], t.loss(w))
	}
	top := p.Eigenvalues()[0]
	for l := 1e-6 * top; l < 1e4*top; l *= 1.1 {
		p.SpectralWeights(w, l)
		out[bestSpectral] = min(out[bestSpectral], t.loss(w))
	}
	return out, nil
}

// posterior measures the posterior mean sum_j v_j r(., x_j), r(x, y) = exp(-|x-y|²/4 theta²). In
// the space of k it has <r_x, r_y> = (2/sqrt3)^d exp(-|x-y|²/6 theta²) and <r_x, mu> = E r(x, X).
func posterior(l []float64, theta float64, law *density.Normals, x *mat.Dense) error {
	n, d := x.Dims()
	se := func(c float64) kernels.Kernel {
		return kernels.SquaredExponential(theta * math.Sqrt(c))
	}
	var gram, prior mat.SymDense
	t := truth{new(mat.SymDense), make([]float64, n), 0}
	for dst, k := range map[*mat.SymDense]kernels.Kernel{&gram: se(1), &prior: se(2), t.gram: se(3)} {
		if err := kernels.Gram(dst, k, x); err != nil {
			return err
		}
	}
	t.gram.ScaleSym(math.Pow(4.0/3, float64(d)/2), t.gram)
	if _, err := law.Embed(se(2), t.means, x); err != nil {
		return err
	}
	var err error
	if t.norm, err = law.Embed(se(1), nil, nil); err != nil {
		return err
	}
	l[posteriorBest] = math.Inf(1)
	likelihood := math.Inf(-1)
	for tau2 := 1e-6; tau2 < 1e8; tau2 *= 1.2 {
		v, err := shrinkage.PosteriorWeights(&prior, &gram, tau2)
		if err != nil {
			return err
		}
		loss := t.loss(v)
		l[posteriorBest] = min(l[posteriorBest], loss)
		if e := evidence(&prior, &gram, v, tau2); e > likelihood {
			likelihood, l[posteriorML] = e, loss
		}
	}
	return nil
}

// evidence is the log likelihood of tau2 given the empirical embedding y at the rows, normal with
// covariance R + tau2/n I, whose inverse times y is v.
func evidence(prior, gram *mat.SymDense, v []float64, tau2 float64) float64 {
	n := prior.SymmetricDim()
	s := mat.NewSymDense(n, nil)
	s.CopySym(prior)
	form := 0.0
	for i := range n {
		s.SetSym(i, i, s.At(i, i)+tau2/float64(n))
		y := 0.0
		for j := range n {
			y += gram.At(i, j) / float64(n)
		}
		form += y * v[i]
	}
	var c mat.Cholesky
	if !c.Factorize(s) {
		return math.Inf(-1)
	}
	return -(form + c.LogDet()) / 2
}

// sorted returns the losses of an estimator in the order of the data sets.
func column(sets map[int]losses, kernel string, estimator int) []float64 {
	var at []int
	for set := range sets {
		at = append(at, set)
	}
	slices.Sort(at)
	var out []float64
	for _, set := range at {
		out = append(out, sets[set].Loss[kernel][estimator])
	}
	return out
}
