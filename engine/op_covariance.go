package engine

import (
	"math"
	"strings"

	"bayeskernel/internal/fused"
	"bayeskernel/kernels"
)

// Covariance is the covariance function of a Gaussian process: one of those of package kernels, with parameters
// of its own, or made of such. Parameters are one vector, those of the parts one after the other.
type Covariance interface {
	// Parameters is the number of parameters for points of dim numbers.
	Parameters(dim int) int
	String() string
	bind(n, dim int) covarianceRow
}

// covarianceRow computes the covariances of one point and others.
type covarianceRow interface {
	// fill writes those of x and each point of y, for parameters p.
	fill(out, x, y, p []float64)
	// back adds to dp the derivatives, given adj, those in what the last fill at the same arguments wrote.
	back(adj, x, y, p, dp []float64)
}

// Radial is a radial kernel with one lengthscale, or one for each column. Without a Kernel it is the
// Laplacian one, exp(-r).
type Radial struct {
	Kernel kernels.Radial
	Each   bool // a lengthscale for each column
}

func (k Radial) Parameters(dim int) int {
	if k.Each {
		return dim
	}
	return 1
}

func (k Radial) String() string {
	if k.Kernel == nil {
		return "laplacian"
	}
	return k.Kernel.String()
}

func (k Radial) bind(n, dim int) covarianceRow {
	return &radialRow{Radial: k, dim: dim, value: make([]float64, n), kappa: make([]float64, n)}
}

type radialRow struct {
	Radial
	dim          int
	value, kappa []float64
}

func (r *radialRow) fill(out, x, y, p []float64) {
	n := len(out)
	for j := range n {
		q := 0.0
		for a, v := range y[j*r.dim : (j+1)*r.dim] {
			d := (x[a] - v) / p[a%len(p)]
			q += d * d
		}
		out[j] = q
	}
	kappa := r.kappa[:n]
	if r.Kernel != nil {
		kernels.Profiles(r.Kernel, fused.Best(), out, kappa, nil, nil, out)
		return
	}
	for j, q := range out {
		root := math.Sqrt(q)
		out[j] = kernels.Laplacian{Theta: p}.At(x, y[j*r.dim:(j+1)*r.dim])
		if kappa[j] = 0; root > 0 {
			kappa[j] = out[j] / root
		}
	}
}

// back: with q = sum d_a²/l_a² the derivative of phi(q) in l_a is kappa d_a²/l_a³.
func (r *radialRow) back(adj, x, y, p, dp []float64) {
	for j, w := range adj {
		w *= r.kappa[j]
		if w == 0 {
			continue
		}
		for a, v := range y[j*r.dim : (j+1)*r.dim] {
			l := p[a%len(p)]
			d := (x[a] - v) / l
			dp[a%len(p)] += w * d * d / l
		}
	}
}

// Periodic is the kernel of that name, whose parameters are the period and the lengthscale.
type Periodic struct{}

func (Periodic) Parameters(int) int            { return 2 }
func (Periodic) String() string                { return "periodic" }
func (Periodic) bind(_, dim int) covarianceRow { return periodicRow{dim} }

type periodicRow struct{ dim int }

func (r periodicRow) fill(out, x, y, p []float64) {
	for j := range out {
		out[j] = kernels.Periodic{Period: p[0], Theta: p[1]}.At(x, y[j*r.dim:(j+1)*r.dim])
	}
}

func (r periodicRow) back(adj, x, y, p, dp []float64) {
	for j, w := range adj {
		_, period, theta := kernels.Periodic{Period: p[0], Theta: p[1]}.Slopes(x, y[j*r.dim:(j+1)*r.dim])
		dp[0] += w * period
		dp[1] += w * theta
	}
}

// Plain is a kernel without parameters, such as the linear one.
type Plain struct {
	Kernel kernels.Kernel
	Name   string
}

func (Plain) Parameters(int) int              { return 0 }
func (k Plain) String() string                { return k.Name }
func (k Plain) bind(_, dim int) covarianceRow { return plainRow{k.Kernel, dim} }

type plainRow struct {
	k   kernels.Kernel
	dim int
}

func (r plainRow) fill(out, x, y, _ []float64) {
	for j := range out {
		out[j] = r.k.At(x, y[j*r.dim:(j+1)*r.dim])
	}
}

func (plainRow) back(_, _, _, _, _ []float64) {}

// Scaled is the square of an amplitude, the first parameter, times a covariance function.
type Scaled struct{ Of Covariance }

func (k Scaled) Parameters(dim int) int { return 1 + k.Of.Parameters(dim) }
func (k Scaled) String() string         { return "amplitude² " + k.Of.String() }

func (k Scaled) bind(n, dim int) covarianceRow {
	return &scaledRow{k.Of.bind(n, dim), make([]float64, n), make([]float64, n)}
}

type scaledRow struct {
	of         covarianceRow
	value, adj []float64
}

func (r *scaledRow) fill(out, x, y, p []float64) {
	v, a := r.value[:len(out)], p[0]
	r.of.fill(v, x, y, p[1:])
	for j, k := range v {
		out[j] = a * a * k
	}
}

func (r *scaledRow) back(adj, x, y, p, dp []float64) {
	own, a := r.adj[:len(adj)], p[0]
	for j, w := range adj {
		dp[0] += 2 * a * w * r.value[j]
		own[j] = a * a * w
	}
	r.of.back(own, x, y, p[1:], dp[1:])
}

// Combined is the sum of covariance functions, or their product.
type Combined struct {
	Of      []Covariance
	Product bool
}

func (k Combined) Parameters(dim int) int {
	n := 0
	for _, c := range k.Of {
		n += c.Parameters(dim)
	}
	return n
}

func (k Combined) String() string {
	s := make([]string, len(k.Of))
	for i, c := range k.Of {
		s[i] = c.String()
	}
	if k.Product {
		return "(" + strings.Join(s, " * ") + ")"
	}
	return "(" + strings.Join(s, " + ") + ")"
}

func (k Combined) bind(n, dim int) covarianceRow {
	r := &combinedRow{product: k.Product, own: make([]float64, n)}
	for _, c := range k.Of {
		r.of = append(r.of, c.bind(n, dim))
		r.parameters = append(r.parameters, c.Parameters(dim))
		r.values = append(r.values, make([]float64, n))
	}
	return r
}

type combinedRow struct {
	product    bool
	of         []covarianceRow
	parameters []int
	values     [][]float64
	own        []float64
}

func (r *combinedRow) fill(out, x, y, p []float64) {
	for i, c := range r.of {
		v := r.values[i][:len(out)]
		c.fill(v, x, y, p[:r.parameters[i]])
		p = p[r.parameters[i]:]
		for j, k := range v {
			switch {
			case i == 0:
				out[j] = k
			case r.product:
				out[j] *= k
			default:
				out[j] += k
			}
		}
	}
}

func (r *combinedRow) back(adj, x, y, p, dp []float64) {
	for i, c := range r.of {
		w := adj
		if r.product {
			w = r.own[:len(adj)]
			copy(w, adj)
			for other, v := range r.values {
				for j := range w {
					if other != i {
						w[j] *= v[j]
					}
				}
			}
		}
		n := r.parameters[i]
		c.back(w, x, y, p[:n], dp[:n])
		p, dp = p[n:], dp[n:]
	}
}

// covarianceStep is a matrix of such covariances. Backwards it computes each row again.
type covarianceStep struct {
	Kernel
	row                  covarianceRow
	out, adj, x, p, last []float64
	jitter, dp, dJitter  []float64
}

func (k Kernel) bindCovariance(out, adj []float64, in, din [][]float64) Step {
	return &covarianceStep{Kernel: k, row: k.Covariance.bind(k.N, k.Dim), out: out, adj: adj, x: in[0], p: in[1],
		jitter: in[3], dp: din[1], dJitter: din[3], last: make([]float64, k.N)}
}

func (s *covarianceStep) Forward() {
	if !(s.jitter[0] >= 0) {
		fill(s.out, math.NaN())
		return
	}
	for i := range s.N {
		row := s.out[i*s.N : i*s.N+i+1]
		s.row.fill(row, s.x[i*s.Dim:(i+1)*s.Dim], s.x[:(i+1)*s.Dim], s.p)
		for j, v := range row {
			s.out[j*s.N+i] = v
		}
		row[i] += s.jitter[0]
	}
}

func (s *covarianceStep) Backward() {
	byJitter := 0.0
	for i := range s.N {
		byJitter += s.adj[i*s.N+i]
		if s.dp == nil {
			continue
		}
		x, y, adj := s.x[i*s.Dim:(i+1)*s.Dim], s.x[:(i+1)*s.Dim], s.last[:i+1]
		s.row.fill(adj, x, y, s.p)
		for j := range i {
			adj[j] = s.adj[i*s.N+j] + s.adj[j*s.N+i]
		}
		adj[i] = s.adj[i*s.N+i]
		s.row.back(adj, x, y, s.p, s.dp)
	}
	if s.dJitter != nil {
		s.dJitter[0] += byJitter
	}
}
