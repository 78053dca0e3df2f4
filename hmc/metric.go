package hmc

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/draws"
)

// MetricKind is what Adapt.Metric asks for: AutoMetric, or a kind of metric. A kind's name, String,
// is how runs record it; where Stan has such a metric it is Stan's name.
type MetricKind interface {
	String() string
	// in returns the kind that warm-up estimates in d dimensions.
	in(d int) kind
}

// kinds lists the kinds of metric. A new one is a file that has its kind and its Metric, and a word
// here, by which settings accept it and records of it are read back.
func kinds() []kind { return []kind{UnitMetric, DiagMetric, DenseMetric, LowRankMetric} }

// kind is a kind of metric: how metrics are made that have its shape.
type kind interface {
	MetricKind
	// read is the inverse of Record.
	read(r draws.Metric) (Metric, error)
	// from returns a metric of another kind in the shape of this one, without what it cannot hold. It
	// is an error if a chain should rather not start from that.
	from(m Metric) (Metric, error)
	// least is how many draws a window in d dimensions needs at least for such a metric, 0 if few do.
	least(d int) int
	// learner returns what estimates such a metric in warm-up, nil if nothing does.
	learner(p plan) learner
}

// plan is what a learner is made for.
type plan struct {
	Dim       int
	Estimator Estimator
	Diagonal  bool // a diagonal metric may be chosen instead
}

// learner estimates metrics from the draws of windows of warm-up. Its exported fields are its state
// in a checkpoint.
type learner interface {
	// add takes a draw of the present window with the gradient there.
	add(x, grad []float64)
	// metric ends the window: it estimates a metric, old being that in force, and notes in said how
	// it was chosen.
	metric(old Metric, said *draws.Window) (Metric, error)
	// moved reports whether the metric now, the latest, is of another place than was.
	moved(was, now Metric) bool
	// next opens the next window.
	next()
}

// Metric is an inverse metric W, an estimate of the covariance of the target. Momenta are drawn
// from N(0, W^-1), and the velocity of a momentum p is W p; so the kinetic energy is p'W p/2.
type Metric interface {
	Kind() MetricKind
	Dim() int
	// Record returns the metric as a run keeps it; NewMetric is its inverse.
	Record() draws.Metric

	// momentum draws z.P, from normals taken in the order of the components, and sets z.V, and
	// z.wg if leapfrog carries it.
	momentum(z *Point, r Rand)
	// leapfrog moves z by one step as Hamiltonian.Leapfrog says.
	leapfrog(h *Hamiltonian, z *Point, eps float64)
	// apply sets dst = W p.
	apply(dst, p []float64)
	// whiten turns x into a y with y'y = x'W^-1 x.
	whiten(x []float64)
	// diagonal returns the diagonal of W, which the caller may change; dense all of W by rows.
	diagonal() []float64
	dense() []float64
	// correlated reports whether W has elements off its diagonal.
	correlated() bool
	// own returns the metric with memory of its own for products, for one goroutine.
	own() Metric
}

// NewMetric returns the metric that a run has kept: the inverse of Metric.Record.
func NewMetric(r draws.Metric) (Metric, error) {
	k, err := kindNamed(r.Kind)
	if err != nil {
		return nil, err
	}
	return k.read(r)
}

// kindNamed returns the kind of a name.
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

// as returns m in the shape of a kind.
func as(k kind, m Metric) (Metric, error) {
	if m.Kind() == k {
		return m, nil
	}
	return k.from(m)
}

// AutoMetric lets the draws of warm-up choose: see the package's documentation. It is the default.
const AutoMetric autoMetric = "auto"

type autoMetric string

func (k autoMetric) String() string { return string(k) }

// autoDense is the largest dimension at which AutoMetric estimates a full matrix: a refresh costs
// O(d^3) and a leapfrog step O(d^2).
const autoDense = 100

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

// carried is the leapfrog step of a metric m whose velocity is carried along by W grad, so that a
// step costs one product of matrix and vector and not two.
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

// ones returns d of them.
func ones(d int) []float64 { return slices.Repeat([]float64{1}, d) }

// divergence returns the sum over pairs about their mean of g'Wg + x'W^-1 x, as fisherFit does.
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
