package onepass

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/internal/fused"
	"bayeskernel/internal/rows"
	"bayeskernel/internal/workers"
	"bayeskernel/kernels"
	"bayeskernel/kernels/features"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

const (
	landmarks     = 16    // of each variable
	landmarkRows  = 10000 // that they are chosen from
	medianRows    = 1000  // that the median distance is of
	passBlock     = 2048  // rows whose features are in hand at a time
	passParts     = 64    // of the rows, whose sums are added in their order
	leastFeature  = 1e-9  // eigenvalue over the largest below which a feature is left out
	leastPassRows = 1000
)

// passScales are the lengthscales of each variable, in units of the median distance.
var passScales = []float64{1, 0.25}

// Independence tests whether the variables whose values are the rows of x and of y are
// independent, in one pass over any number of rows. Features phi and psi of the two are the kernel at a
// few landmarks, whitened, so that the statistic is that of HSIC with the kernels' projections: with C
// the covariance of phi and psi over n rows,
//
//	n |C|²,   under independence a sum of lambda_i mu_j Z_ij²,
//
// lambda and mu the eigenvalues of the covariances of phi and of psi, and Z independent and normal
// (Zhang, Filippi, Gretton and Sejdinovic, 2018, without the random features). The kernel of each is the
// mean of two squared exponentials. It takes O(n) and is for large n: the level is that of the limit.
// Of the options it uses Alpha, Standardize and Seed.
func Independence(ctx context.Context, x, y mat.Matrix, o kerneltest.Options) (*kerneltest.Result, error) {
	xs, n, dx, err := rows.Finite("x", x)
	if err != nil {
		return nil, fmt.Errorf("onepass: %w", err)
	}
	ys, ny, dy, err := rows.Finite("y", y)
	if err != nil {
		return nil, fmt.Errorf("onepass: %w", err)
	}
	if n != ny || n < leastPassRows {
		return nil, fmt.Errorf("onepass: x and y have %d and %d rows, want as many in both, and at "+
			"least %d for one pass", n, ny, leastPassRows)
	}
	if o, err = o.Complete(n); err != nil {
		return nil, err
	}
	if o.Blocks != nil {
		return nil, fmt.Errorf("onepass: one pass has no blocks, want a permutation test of fewer rows")
	}
	p := &onePass{n: n}
	for k, v := range []struct {
		rows []float64
		dim  int
	}{{xs, dx}, {ys, dy}} {
		if p.of[k], err = newPassSide(ctx, v.rows, v.dim, o); err != nil {
			return nil, err
		}
	}
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	return p.result(o)
}

// onePass is a test under way.
type onePass struct {
	n  int
	of [2]*passSide
	// total has the sums over the rows of the features of x and y, one after the other, and of their
	// products.
	total *passSums
}

// passSide is one variable.
type passSide struct {
	x         []float64 // in the units of the kernels
	dim       int
	points    []float64
	thetas    []float64
	whiten    []*mat.Dense // for each lengthscale, landmarks by features
	features  int
	scaling   *bke.Scaling
	constants []float64 // near the means of the features
}

// passSums are sums of features less constants, and of their products.
type passSums struct {
	one []float64
	two *mat.Dense
}

// newPassSide chooses landmarks and lengthscales.
func newPassSide(ctx context.Context, x []float64, dim int, o kerneltest.Options) (*passSide, error) {
	s := &passSide{x: x, dim: dim}
	n := len(x) / dim
	all := mat.NewDense(n, dim, x)
	if o.Standardize.Of(dim) {
		var err error
		if all, s.scaling, err = bke.StandardizeBulk(all); err != nil {
			return nil, fmt.Errorf("onepass: %w", err)
		}
		s.x = all.RawMatrix().Data
	}
	few := thin(s.x, dim, medianRows)
	med, err := kernels.MedianDistance(mat.NewDense(len(few)/dim, dim, few), o.Seed)
	if err != nil {
		return nil, fmt.Errorf("onepass: %w", err)
	}
	median, some := med.Lengthscale(kernels.Median), thin(s.x, dim, landmarkRows)
	number := min(max(landmarks, dim+1), len(rows.Distinct(some, dim)))
	in, err := inputs.Choose(ctx, mat.NewDense(len(some)/dim, dim, some), inputs.Options{Number: number,
		Seed: o.Seed})
	if err != nil {
		return nil, fmt.Errorf("onepass: %w", err)
	}
	s.points = slices.Clone(in.Z.RawMatrix().Data)
	for _, c := range passScales {
		s.thetas = append(s.thetas, c*median)
	}
	return s, s.decompose()
}

// thin returns at most so many rows, at even distances.
func thin(x []float64, dim, most int) []float64 {
	n := len(x) / dim
	if n <= most {
		return x
	}
	var out []float64
	for i := range most {
		at := i * n / most * dim
		out = append(out, x[at:at+dim]...)
	}
	return out
}

// decompose finds what makes features of kernel values, K_zz^(-1/2).
func (s *passSide) decompose() error {
	m := len(s.points) / s.dim
	for _, theta := range s.thetas {
		gram := mat.NewDense(m, m, nil)
		kernels.Fill(gram.RawMatrix().Data, s.kernel(theta), fused.Best(), s.points, s.points, s.dim)
		sym := mat.NewSymDense(m, nil)
		for i := range m {
			for j := range i + 1 {
				sym.SetSym(i, j, gram.At(i, j))
			}
		}
		vectors, values, err := features.Directions(sym, leastFeature)
		if err != nil {
			return fmt.Errorf("onepass: %w", err)
		}
		w := mat.NewDense(m, len(values), nil)
		for c, v := range values {
			for i := range m {
				w.Set(i, c, vectors.At(i, c)/math.Sqrt(v*float64(len(s.thetas))))
			}
		}
		s.whiten = append(s.whiten, w)
		s.features += len(values)
	}
	s.constants = make([]float64, s.features)
	some := s.x[:min(len(s.x), passBlock*s.dim)]
	f := mat.NewDense(len(some)/s.dim, s.features, nil)
	s.fill(f, some)
	for j := range s.constants {
		s.constants[j] = mat.Sum(f.ColView(j)) / float64(len(some)/s.dim)
	}
	return nil
}

func (s *passSide) kernel(theta float64) kernels.Kernel {
	return kernels.Stationary{Radial: kernels.SE{}, Theta: []float64{theta}}
}

// fill writes the features of rows, less the constants.
func (s *passSide) fill(dst *mat.Dense, x []float64) {
	n, m := len(x)/s.dim, len(s.points)/s.dim
	k := mat.NewDense(n, m, nil)
	at := 0
	for t, theta := range s.thetas {
		kernels.Fill(k.RawMatrix().Data, s.kernel(theta), fused.Best(), x, s.points, s.dim)
		_, r := s.whiten[t].Dims()
		part := dst.Slice(0, n, at, at+r).(*mat.Dense)
		part.Mul(k, s.whiten[t])
		for i := range n {
			for j := range r {
				part.Set(i, j, part.At(i, j)-s.constants[at+j])
			}
		}
		at += r
	}
}

// run makes the pass: parts of the rows from as many goroutines as there are processors, whose sums are
// added in order.
func (p *onePass) run(ctx context.Context) error {
	parts := make([]*passSums, passParts)
	for _, err := range workers.Run(ctx, passParts, 0, func(k int) error {
		parts[k] = p.part(k*p.n/passParts, (k+1)*p.n/passParts)
		return nil
	}) {
		if err != nil {
			return fmt.Errorf("onepass: %w", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("onepass: the pass stopped before the end: %w", err)
	}
	p.total = parts[0]
	for _, s := range parts[1:] {
		for j, v := range s.one {
			p.total.one[j] += v
		}
		p.total.two.Add(p.total.two, s.two)
	}
	return nil
}

// part sums over the rows first to last-1.
func (p *onePass) part(first, last int) *passSums {
	a, b := p.of[0], p.of[1]
	width := a.features + b.features
	s := &passSums{make([]float64, width), mat.NewDense(width, width, nil)}
	var product mat.Dense
	for ; first < last; first += passBlock {
		end := min(first+passBlock, last)
		f := mat.NewDense(end-first, width, nil)
		a.fill(f.Slice(0, end-first, 0, a.features).(*mat.Dense), a.x[first*a.dim:end*a.dim])
		b.fill(f.Slice(0, end-first, a.features, width).(*mat.Dense), b.x[first*b.dim:end*b.dim])
		product.Reset()
		product.Mul(f.T(), f)
		s.two.Add(s.two, &product)
		for i := range end - first {
			for j, v := range f.RawRowView(i) {
				s.one[j] += v
			}
		}
	}
	return s
}

// result compares the statistic with its limit under independence.
func (p *onePass) result(o kerneltest.Options) (*kerneltest.Result, error) {
	n, a := float64(p.n), p.of[0].features
	width := len(p.total.one)
	cov := func(i, j int) float64 {
		return (p.total.two.At(i, j) - p.total.one[i]*p.total.one[j]/n) / n
	}
	cross := 0.0
	for i := range a {
		for j := a; j < width; j++ {
			cross += cov(i, j) * cov(i, j)
		}
	}
	var spectra [2][]float64
	for k, ends := range [2][2]int{{0, a}, {a, width}} {
		sym := mat.NewSymDense(ends[1]-ends[0], nil)
		for i := range ends[1] - ends[0] {
			for j := range i + 1 {
				sym.SetSym(i, j, cov(ends[0]+i, ends[0]+j))
			}
		}
		var e mat.EigenSym
		if !e.Factorize(sym, false) {
			return nil, fmt.Errorf("onepass: covariance of the features cannot be decomposed")
		}
		spectra[k] = e.Values(nil)
	}
	var weights []float64
	mean, variance := 0.0, 0.0
	for _, l := range spectra[0] {
		for _, m := range spectra[1] {
			w := max(l, 0) * max(m, 0)
			weights = append(weights, w)
			mean += w
			variance += 2 * w * w
		}
	}
	tail := statistic.Tail{Null: statistic.Spectral, Statistic: n * cross, Mean: mean, Variance: variance}
	var err error
	if tail.P, tail.Bound, err = statistic.Imhof(weights, n*cross); err != nil {
		return nil, fmt.Errorf("onepass: %w", err)
	}
	r := &kerneltest.Result{RowsX: p.n, RowsY: p.n, Null: statistic.Spectral, Alpha: o.Alpha, P: tail.P, Tail: &tail,
		Statistic: cross, Biased: cross, Unbiased: math.NaN(), Ratio: math.NaN(),
		Kernel: p.of[0].chosen(), KernelY: p.of[1].chosen()}
	r.Candidates = []kerneltest.Candidate{{Kernel: p.of[0].mean(), KernelY: p.of[1].mean(),
		Statistic: cross, P: r.P, Weight: 1}}
	r.Notes = append(r.Notes, fmt.Sprintf("The test made one pass over the rows: covariances of %d and %d features at %d and %d "+
		"landmarks, at two lengthscales of each variable. It takes the rows to be independent of each "+
		"other.", a, width-a, len(p.of[0].points)/p.of[0].dim, len(p.of[1].points)/p.of[1].dim))
	r.Decide()
	return r, nil
}

// mean is the kernel, the mean of those of the lengthscales.
func (s *passSide) mean() kernels.Mean {
	var mean kernels.Mean
	for _, theta := range s.thetas {
		mean = append(mean, s.kernel(theta))
	}
	return mean
}

// chosen says what it is the mean of.
func (s *passSide) chosen() *kerneltest.Chosen {
	return &kerneltest.Chosen{Rule: kerneltest.PlainMedian, Kernels: s.mean(), Theta: s.thetas, Scaling: s.scaling}
}
