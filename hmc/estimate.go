package hmc

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Estimator says how warm-up turns the draws of a window into a metric.
type Estimator int

// The estimators.
const (
	// AutoEstimator is the default: Fisher.
	AutoEstimator Estimator = iota
	// Covariance is Stan's: the sample covariance of the draws, shrunk towards a thousandth of the
	// identity.
	Covariance
	// Fisher is the geometric mean of the covariance of the draws and the inverse covariance of
	// their gradients (Seyboldt, Carlson and Carpenter 2026). For a normal target it is exact,
	// wherever the draws lie. A dense metric needs half as many draws again as dimensions; from
	// fewer, only its diagonal is set.
	Fisher
)

// Acceptance says which statistic of acceptance the step size is tuned to.
type Acceptance int

// The statistics of acceptance. D is the energy that a state of the trajectory has lost.
const (
	// AutoAcceptance is the default: symmetric.
	AutoAcceptance Acceptance = iota
	// PlainAcceptance is Stan's: the mean of min(1, e^D). Gains of energy count for no more than
	// none, so it overstates, and the steps come out shorter than they were asked to be.
	PlainAcceptance
	// SymmetricAcceptance is the mean of 2/(1+e^|D|), which counts gains and losses alike.
	SymmetricAcceptance
)

// String returns the name that a run records.
func (e Estimator) String() string {
	switch e {
	case AutoEstimator:
		return "auto"
	case Covariance:
		return "covariance"
	case Fisher:
		return "fisher"
	}
	return fmt.Sprintf("Estimator(%d)", int(e))
}

// moments accumulates means and sums of squares (and of products, if full) of draws and of their
// gradients, by Welford's updates.
type moments struct {
	N            int
	Full         bool
	MeanX, MeanG []float64
	SumX, SumG   []float64 // of deviations: d, or d*d by rows if full
}

func newMoments(d int, full bool) *moments {
	n := d
	if full {
		n = d * d
	}
	return &moments{Full: full, MeanX: make([]float64, d), MeanG: make([]float64, d),
		SumX: make([]float64, n), SumG: make([]float64, n)}
}

func (m *moments) reset() {
	m.N = 0
	clear(m.MeanX)
	clear(m.MeanG)
	clear(m.SumX)
	clear(m.SumG)
}

func (m *moments) add(x, grad []float64) {
	m.N++
	welford(m.MeanX, m.SumX, x, m.N, m.Full)
	welford(m.MeanG, m.SumG, grad, m.N, m.Full)
}

func welford(mean, sum, x []float64, n int, full bool) {
	d := len(x)
	if !full {
		for i, v := range x {
			delta := v - mean[i]
			mean[i] += delta / float64(n)
			sum[i] += (v - mean[i]) * delta
		}
		return
	}
	for i, v := range x {
		mean[i] += (v - mean[i]) / float64(n)
	}
	if n < 2 {
		return
	}
	// The product of deviations from the old and from the new mean, which is symmetric because
	// the former is n/(n-1) times the latter.
	f := float64(n) / float64(n-1)
	for i, v := range x {
		a := f * (v - mean[i])
		row := sum[i*d : (i+1)*d]
		for j, u := range x {
			row[j] += a * (u - mean[j])
		}
	}
}

// metric turns the moments into a metric of the wanted kind, old being the metric in force.
func (m *moments) metric(kind MetricKind, est Estimator, old Metric) (Metric, error) {
	switch {
	case m.N < 2 && est == Fisher:
		return old, nil
	case kind == DiagMetric && est == Fisher:
		return m.fisherDiag(old)
	case kind == DenseMetric && est == Fisher:
		return m.fisherDense(old)
	case kind == DiagMetric:
		return m.stanDiag(old)
	case kind == DenseMetric:
		return m.stanDense(old)
	}
	return old, nil
}

// stanDiag is the sample variance times n/(n+5), plus 1e-3 times 5/(n+5). With fewer than two
// draws the sample term keeps the old metric, as Stan's does.
func (m *moments) stanDiag(old Metric) (Metric, error) {
	n := float64(m.N)
	w := make([]float64, len(m.MeanX))
	for i := range w {
		v := 1.0
		if old.kind == DiagMetric {
			v = old.diag[i]
		}
		if m.N > 1 {
			v = m.SumX[i] / (n - 1)
		}
		w[i] = n/(n+5)*v + 1e-3*5/(n+5)
	}
	if err := finite(w); err != nil {
		return Metric{}, err
	}
	return NewDiagMetric(w)
}

// stanDense is stanDiag with the covariance for the variance.
func (m *moments) stanDense(old Metric) (Metric, error) {
	n := float64(m.N)
	d := len(m.MeanX)
	w := make([]float64, d*d)
	for i := range d {
		for j := range d {
			v := 0.0
			switch {
			case m.N > 1:
				v = m.SumX[i*d+j] / (n - 1)
			case old.kind == DenseMetric:
				v = old.dense[i*d+j]
			case i == j:
				v = 1
			}
			w[i*d+j] = n / (n + 5) * v
		}
		w[i*d+i] += 1e-3 * 5 / (n + 5)
	}
	if err := finite(w); err != nil {
		return Metric{}, err
	}
	return newDense(d, w)
}

func finite(w []float64) error {
	for _, v := range w {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("hmc: overflow in the adaptation of the metric: "+
				"the draws of warm-up spread over more than %.0g", math.Sqrt(math.MaxFloat64))
		}
	}
	return nil
}

// scales returns the diagonal Fisher metric, sqrt(var x_i / var g_i); where either variance is zero
// or not finite, the old metric's element.
func (m *moments) scales(old Metric) []float64 {
	d := len(m.MeanX)
	w := make([]float64, d)
	for i := range w {
		k := i
		if m.Full {
			k = i*d + i
		}
		w[i] = math.Sqrt(m.SumX[k]) / math.Sqrt(m.SumG[k])
		if !(w[i] >= 1e-20 && w[i] <= 1e20) {
			w[i] = 1
			switch old.kind {
			case DiagMetric:
				w[i] = old.diag[i]
			case DenseMetric:
				w[i] = old.dense[i*d+i]
			}
		}
	}
	return w
}

func (m *moments) fisherDiag(old Metric) (Metric, error) {
	return NewDiagMetric(m.scales(old))
}

// fisherDense is the geometric mean of A = Cov(x) and B = Cov(g)^-1: the one positive definite W
// with W B^-1 W = A. With B^-1 = L L', W = L'^-1 (L' A L)^(1/2) L^-1.
//
// Both covariances are first scaled by the diagonal Fisher metric, so that all their diagonals are
// alike, and a little of the identity is added to both, which pulls W towards that diagonal: it
// keeps W positive definite when draws are few, and a normal target costs it nothing visible.
func (m *moments) fisherDense(old Metric) (Metric, error) {
	d := len(m.MeanX)
	s := m.scales(old)
	if 2*m.N < 3*d {
		if old.correlated() {
			return old, nil // learned from more draws than these
		}
		return diagAsDense(s)
	}
	root := make([]float64, d)
	for i, v := range s {
		root[i] = math.Sqrt(v)
	}
	n := float64(m.N - 1)
	a, b := mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			a.SetSym(i, j, m.SumX[i*d+j]/(n*root[i]*root[j]))
			b.SetSym(i, j, m.SumG[i*d+j]/n*root[i]*root[j])
		}
	}
	// In these units an element of either diagonal is the product of the standard deviations of
	// draw and gradient, which is 1 for a normal.
	for i := range d {
		a.SetSym(i, i, a.At(i, i)+fisherRidge)
		b.SetSym(i, i, b.At(i, i)+fisherRidge)
	}
	w, ok := geometricMean(a, b)
	if !ok {
		return diagAsDense(s)
	}
	flat := make([]float64, d*d)
	for i := range d {
		for j := range d {
			flat[i*d+j] = w.At(i, j) * root[i] * root[j]
		}
	}
	metric, err := newDense(d, flat)
	if err != nil {
		return diagAsDense(s)
	}
	return metric, nil
}

// fisherRidge is what is added to the scaled covariances, as nuts-rs does (0.18).
const fisherRidge = 1e-5

func diagAsDense(s []float64) (Metric, error) {
	d := len(s)
	w := make([]float64, d*d)
	for i, v := range s {
		w[i*d+i] = v
	}
	return newDense(d, w)
}

// geometricMean returns the positive definite W with W b W = a, or false where rounding has made
// either indefinite.
func geometricMean(a, b *mat.SymDense) (*mat.SymDense, bool) {
	d := a.SymmetricDim()
	var chol mat.Cholesky
	if !chol.Factorize(b) {
		return nil, false
	}
	var l mat.TriDense
	chol.LTo(&l)
	var t, mid mat.Dense
	t.Mul(a, &l)
	mid.Mul(l.T(), &t)
	sym := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			sym.SetSym(i, j, (mid.At(i, j)+mid.At(j, i))/2)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(sym, true) {
		return nil, false
	}
	var q mat.Dense
	eig.VectorsTo(&q)
	// W = L'^-1 Q diag(sqrt) Q' L^-1 = F F' with F = L'^-1 Q diag(lambda^(1/4)).
	values := eig.Values(nil)
	for j, v := range values {
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, false
		}
		f := math.Sqrt(math.Sqrt(v))
		for i := range d {
			q.Set(i, j, q.At(i, j)*f)
		}
	}
	var f mat.Dense
	if err := f.Solve(l.T(), &q); err != nil {
		if _, cond := err.(mat.Condition); !cond {
			return nil, false
		}
	}
	w := mat.NewSymDense(d, nil)
	w.SymOuterK(1, &f)
	return w, true
}
