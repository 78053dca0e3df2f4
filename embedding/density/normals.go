package density

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Normals is a mixture of normal distributions. It does not change.
type Normals struct {
	Weights []float64
	Means   *mat.Dense // a row for each
	Covs    []*mat.SymDense

	dim   int
	roots []*mat.TriDense // of the covariances, for draws and densities; nil if one is singular
}

// NewNormals makes a mixture with the rows of means. Weights are not negative and have sum 1;
// covariances may be singular.
func NewNormals(weights []float64, means mat.Matrix, covs []*mat.SymDense) (*Normals, error) {
	at, count, dim, err := rows.Finite("means", means)
	if err != nil {
		return nil, fmt.Errorf("density: %w", err)
	}
	if len(weights) != count || len(covs) != count {
		return nil, fmt.Errorf("density: there are %d weights, %d means and %d covariances, want as "+
			"many of each", len(weights), count, len(covs))
	}
	sum := 0.0
	for c, w := range weights {
		if !(w >= 0) {
			return nil, fmt.Errorf("density: weight %d is %v, want a number not below 0", c+1, w)
		}
		sum += w
		if covs[c].SymmetricDim() != dim {
			return nil, fmt.Errorf("density: component %d has a mean of %d and a covariance of %d "+
				"columns, want as many of each", c+1, dim, covs[c].SymmetricDim())
		}
	}
	if !(math.Abs(sum-1) <= 1e-9) {
		return nil, fmt.Errorf("density: sum of the weights is %.12g, want 1", sum)
	}
	p := &Normals{Weights: weights, Means: mat.NewDense(count, dim, at), Covs: covs,
		dim: dim}
	for _, s := range covs {
		var c mat.Cholesky
		if !c.Factorize(s) {
			p.roots = nil
			break
		}
		root := new(mat.TriDense)
		c.LTo(root)
		p.roots = append(p.roots, root)
	}
	return p, nil
}

// Draw writes a draw into dst. It panics if a covariance is singular.
func (p *Normals) Draw(dst []float64, r *rand.Rand) {
	if p.roots == nil {
		panic("density: Draw: a covariance is singular")
	}
	u, c := r.Float64(), 0
	for c < len(p.Weights)-1 && u >= p.Weights[c] {
		u -= p.Weights[c]
		c++
	}
	z := make([]float64, p.dim)
	for i := range z {
		z[i] = r.NormFloat64()
	}
	for i := range dst {
		dst[i] = p.Means.At(c, i)
		for j := range i + 1 {
			dst[i] += p.roots[c].At(i, j) * z[j]
		}
	}
}

// LogDensity returns that of the mixture at x. It panics if a covariance is singular.
func (p *Normals) LogDensity(x []float64) float64 {
	if p.roots == nil {
		panic("density: LogDensity: a covariance is singular")
	}
	logs := make([]float64, 0, len(p.Weights))
	top := math.Inf(-1)
	y := make([]float64, p.dim)
	for c, w := range p.Weights {
		l := math.Log(w) - float64(p.dim)*math.Log(2*math.Pi)/2
		for i := range y {
			y[i] = x[i] - p.Means.At(c, i)
			for j := range i {
				y[i] -= p.roots[c].At(i, j) * y[j]
			}
			d := p.roots[c].At(i, i)
			y[i] /= d
			l -= y[i]*y[i]/2 + math.Log(d)
		}
		logs = append(logs, l)
		top = math.Max(top, l)
	}
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l - top)
	}
	return top + math.Log(sum)
}

// Embed writes the mean embedding E k(x, X) of the mixture at each of the points into dst, and
// returns its squared norm E k(X, X'). The kernel is Linear, Polynomial of degree 1 to 3, or
// SquaredExponential with one lengthscale. With u = a'b + offset, v = x'Sx and components (m, S),
// (a, A), (b, B):
//
//	                  at x                                  pairs
//	degree 1          u                                     u
//	degree 2          u² + v                                u² + b'Ab + a'Ba + tr AB
//	degree 3          u³ + 3uv                              u³ + 3u (b'Ab + a'Ba + tr AB) + 6 a'BAb
//	SE                |I+S/t²|^(-1/2) exp(-(x-m)'(S+t²I)^-1(x-m)/2)  so, S = A+B, x = a, m = b
func (p *Normals) Embed(k kernels.Kernel, dst []float64, points mat.Matrix) (float64, error) {
	e, err := p.moments(k)
	if err != nil {
		return 0, err
	}
	if points != nil {
		data, n, dim, err := rows.Finite("points", points)
		if err != nil {
			return 0, fmt.Errorf("density: %w", err)
		}
		if dim != p.dim || len(dst) != n {
			return 0, fmt.Errorf("density: %d points have %d columns, want %d points of %d", n, dim,
				len(dst), p.dim)
		}
		for i := range n {
			dst[i] = 0
			for c, w := range p.Weights {
				dst[i] += w * e.pair(data[i*dim:(i+1)*dim], nil, p.Means.RawRowView(c), p.Covs[c])
			}
		}
	}
	norm := 0.0
	for c, w := range p.Weights {
		for d, v := range p.Weights {
			norm += w * v * e.pair(p.Means.RawRowView(c), p.Covs[c], p.Means.RawRowView(d), p.Covs[d])
		}
	}
	return norm, nil
}

// expectations has E k(X, Y) of two normal variables.
type expectations struct {
	degree int // 0 for the squared exponential
	offset float64
	theta2 float64
}

func (p *Normals) moments(k kernels.Kernel) (expectations, error) {
	if k == nil {
		return expectations{}, errors.New("density: kernel is nil, want a kernel")
	}
	if err := k.Check(p.dim); err != nil {
		return expectations{}, fmt.Errorf("density: %w", err)
	}
	name := fmt.Sprintf("%T", k)
	switch k := k.(type) {
	case kernels.Linear:
		return expectations{degree: 1}, nil
	case kernels.Polynomial:
		if k.Degree <= 3 {
			return expectations{degree: k.Degree, offset: k.Offset}, nil
		}
	case kernels.Stationary:
		if _, is := k.Radial.(kernels.SE); is && len(k.Theta) == 1 {
			return expectations{theta2: k.Theta[0] * k.Theta[0]}, nil
		}
		name = k.Radial.String()
	}
	return expectations{}, fmt.Errorf("density: kernel is %s, want Linear, Polynomial up to degree 3 "+
		"or SquaredExponential with one lengthscale", name)
}

// pair is E k(X, Y) for X of N(a, A), A nil for the point a, and Y of N(b, B).
func (e expectations) pair(a []float64, sa *mat.SymDense, b []float64, sb *mat.SymDense) float64 {
	if e.degree == 0 {
		return e.squaredExponential(a, sa, b, sb)
	}
	d := len(a)
	u := e.offset
	for i := range a {
		u += a[i] * b[i]
	}
	if e.degree == 1 {
		return u
	}
	// Second moments: b'Ab + a'Ba + tr AB, and a'BAb.
	second, third := 0.0, 0.0
	ba := make([]float64, d) // Ba
	for i := range d {
		for j := range d {
			v := sb.At(i, j)
			ba[i] += v * a[j]
			second += a[i] * v * a[j]
			if sa != nil {
				second += b[i]*sa.At(i, j)*b[j] + sa.At(i, j)*v
			}
		}
	}
	if e.degree == 2 {
		return u*u + second
	}
	if sa != nil {
		for i := range d {
			for j := range d {
				third += ba[i] * sa.At(i, j) * b[j]
			}
		}
	}
	return u*u*u + 3*u*second + 6*third
}

func (e expectations) squaredExponential(a []float64, sa *mat.SymDense, b []float64,
	sb *mat.SymDense) float64 {
	d := len(a)
	s := mat.NewSymDense(d, nil)
	s.CopySym(sb)
	if sa != nil {
		s.AddSym(sa, sb)
	}
	for i := range d {
		s.SetSym(i, i, s.At(i, i)+e.theta2)
	}
	var c mat.Cholesky
	if !c.Factorize(s) {
		return math.NaN()
	}
	diff, solved := mat.NewVecDense(d, nil), mat.NewVecDense(d, nil)
	for i := range d {
		diff.SetVec(i, a[i]-b[i])
	}
	if err := c.SolveVecTo(solved, diff); err != nil && math.IsNaN(solved.AtVec(0)) {
		return math.NaN()
	}
	return math.Exp(-(c.LogDet() - float64(d)*math.Log(e.theta2) + mat.Dot(diff, solved)) / 2)
}
