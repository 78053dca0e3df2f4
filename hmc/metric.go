package hmc

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bayeskernel/draws"
)

// MetricKind is AutoMetric or a kind of metric, for Adapt.Metric. Runs record the kind by its
// String; metrics that Stan has use Stan's name.
type MetricKind interface {
	String() string
	// in returns the kind that warm-up estimates in d dimensions.
	in(d int) kind
}

// kinds lists the kinds of metric. To add one, write a file with its kind and its Metric and list
// it here. Settings then accept it, and its records can be read back.
func kinds() []kind { return []kind{UnitMetric, DiagMetric, DenseMetric, LowRankMetric} }

// kind is a kind of metric: it makes metrics of its shape.
type kind interface {
	MetricKind
	// read is the inverse of Record.
	read(r draws.Metric) (Metric, error)
	// from converts a metric of another kind to this one and drops what it cannot represent. It
	// returns an error if a chain should not start from the result.
	from(m Metric) (Metric, error)
	// least returns the smallest number of draws that a window in d dimensions needs, or 0 if a few
	// are enough.
	least(d int) int
	// learner returns the estimator of such a metric for warm-up, or nil if it is not adapted.
	learner(p plan) learner
}

// plan holds the arguments of learner.
type plan struct {
	Dim       int
	Estimator Estimator
	Diagonal  bool    // a diagonal metric may be chosen instead
	Cost      float64 // of an evaluation of the target, in multiplications
}

// learner estimates metrics from the draws of windows of warm-up. Its exported fields are its state
// in a checkpoint.
type learner interface {
	// add adds a draw of the current window and its gradient.
	add(x, grad []float64)
	// metric ends the window. It estimates a metric, given the current one, and records in said how
	// it was chosen.
	metric(old Metric, said *draws.Window) (Metric, error)
	// moved reports whether the chain has moved: whether the latest metric, now, describes a
	// different place than was.
	moved(was, now Metric) bool
	// next opens the next window.
	next()
}

// Metric is an inverse metric W, an estimate of the covariance of the target. Momenta are drawn
// from N(0, W^-1), and the velocity of a momentum p is W p; the kinetic energy is p'W p/2.
type Metric interface {
	Kind() MetricKind
	Dim() int
	// Record returns the metric in the form that a run saves; NewMetric is its inverse.
	Record() draws.Metric

	// momentum draws z.P from normals, in the order of the components. It sets z.V, and z.wg if
	// leapfrog uses it.
	momentum(z *Point, r Rand)
	// leapfrog moves z by one step as Hamiltonian.Leapfrog says.
	leapfrog(h *Hamiltonian, z *Point, eps float64)
	// apply sets dst = W p.
	apply(dst, p []float64)
	// whiten turns x into a y with y'y = x'W^-1 x.
	whiten(x []float64)
	// colour turns g into a y with y'y = g'Wg.
	colour(g []float64)
	// diagonal returns a copy of the diagonal of W; dense returns W by rows.
	diagonal() []float64
	dense() []float64
	// correlated reports whether W has elements off its diagonal.
	correlated() bool
	// own returns the metric with its own scratch memory, for use by one goroutine.
	own() Metric
}

// NewMetric returns the metric that a run has saved. It is the inverse of Metric.Record.
func NewMetric(r draws.Metric) (Metric, error) {
	k, err := kindNamed(r.Kind)
	if err != nil {
		return nil, err
	}
	return k.read(r)
}

// kindNamed returns the kind with the given name.
func kindNamed(name string) (kind, error) {
	var known []string
	for _, k := range kinds() {
		if k.String() == name {
			return k, nil
		}
		known = append(known, k.String())
	}
	return nil, fmt.Errorf("hmc: kind of metric is %q, want %s", name, strings.Join(known, ", "))
}

// as converts m to kind k.
func as(k kind, m Metric) (Metric, error) {
	if m.Kind() == k {
		return m, nil
	}
	return k.from(m)
}

// AutoMetric lets warm-up choose from its draws: see the package documentation. It is the default.
const AutoMetric autoMetric = "auto"

type autoMetric string

func (k autoMetric) String() string { return string(k) }

// in returns the family that AutoMetric chooses from; each holds diagonal metrics too.
func (autoMetric) in(d int) kind {
	if d <= autoDense {
		return DenseMetric
	}
	return LowRankMetric
}

// normals fills p with standard normals.
func normals(p []float64, r Rand) {
	for i := range p {
		p[i] = r.NormFloat64()
	}
}

// carried is a leapfrog step that updates the velocity by W grad. It costs one matrix-vector
// product instead of two.
func carried(m Metric, h *Hamiltonian, z *Point, eps float64) {
	half := 0.5 * eps
	n := len(z.X)
	x, p, v, g, wg := z.X, z.P[:n], z.V[:n], z.Grad[:n], z.wg[:n]
	for i := range x {
		p[i] += half * g[i]
		v[i] += half * wg[i]
		x[i] += eps * v[i]
	}
	h.Evaluate(z)
	m.apply(wg, g)
	for i := range g {
		p[i] += half * g[i]
		v[i] += half * wg[i]
	}
}

// diagonalMatrix returns diag(w) by rows.
func diagonalMatrix(w []float64) []float64 {
	d := len(w)
	all := make([]float64, d*d)
	for i, v := range w {
		all[i*d+i] = v
	}
	return all
}

// ones returns d ones.
func ones(d int) []float64 { return slices.Repeat([]float64{1}, d) }

// needs returns the log of the number of gradients per effective draw that pairs promise, up to a
// constant, with its standard error. The number is the root of the largest variance of a draw in any
// direction, times that of a gradient, in the units of m.
func needs(m Metric, x, g [][]float64) (log, noise float64) {
	a, u := largest(x, m.whiten)
	b, v := largest(g, m.colour)
	return (math.Log(a) + math.Log(b)) / 2, math.Sqrt(u+v) / 2
}

// largest returns the largest variance of the points in any direction after each, minus their mean,
// was turned by turn, by the power method, and the square of its relative standard error.
func largest(points [][]float64, turn func([]float64)) (variance, noise float64) {
	n, d := len(points), len(points[0])
	mean := make([]float64, d)
	for _, p := range points {
		floats.AddScaled(mean, 1/float64(n), p)
	}
	rows := mat.NewDense(n, d, nil)
	at, longest := 0, 0.0
	for j, p := range points {
		row := rows.RawRowView(j)
		floats.SubTo(row, p, mean)
		turn(row)
		if s := dot(row, row); s > longest {
			at, longest = j, s
		}
	}
	if longest == 0 {
		return 0, 0
	}
	v, w := slices.Clone(rows.RawRowView(at)), make([]float64, d)
	for range powerSteps {
		norm := math.Sqrt(dot(v, v))
		clear(w)
		for j := range n {
			row := rows.RawRowView(j)
			floats.AddScaled(w, floats.Dot(row, v)/norm/float64(n), row)
		}
		v, w = w, v
	}
	norm := math.Sqrt(dot(v, v))
	along := make([]float64, n)
	for j := range along {
		along[j] = dot(rows.RawRowView(j), v) / norm
	}
	p := peak{n: float64(n)}
	p.row(along)
	return p.mean, p.noise
}

// divergence returns the sum over centred pairs of g'Wg + x'W^-1 x, as fisherFit does.
func divergence(m Metric, x, g [][]float64) float64 {
	d := m.Dim()
	f := fisherFit{scale: ones(d)}
	cx, cg := f.centred(x, false), f.centred(g, true)
	sum := 0.0
	v, w := make([]float64, d), make([]float64, d)
	for j := range x {
		mat.Col(v, j, cg)
		m.apply(w, v)
		sum += dot(v, w)
		mat.Col(v, j, cx)
		m.whiten(v)
		sum += dot(v, v)
	}
	return sum
}
