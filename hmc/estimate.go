package hmc

import (
	"fmt"
	"math"

	"bayeskernel/draws"
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
	// wherever the draws lie. If there are few draws for the dimension, it keeps only the
	// directions that predict a held-out part of the window, and is diagonal otherwise.
	Fisher
)

// Acceptance says which acceptance statistic the step size is tuned to.
type Acceptance int

// The acceptance statistics. D = H0 - H is the fall in energy from the start of the trajectory to a
// state.
const (
	// AutoAcceptance is the default: SymmetricAcceptance.
	AutoAcceptance Acceptance = iota
	// PlainAcceptance is Stan's: the mean of min(1, e^D). A fall in energy scores the same as no
	// change. Steps tuned to it come out shorter than the target asks for.
	PlainAcceptance
	// SymmetricAcceptance is the mean of 2/(1+e^|D|), which treats rises and falls in energy alike.
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

// moments accumulates means and sums of squares (and products, if full) of draws and gradients by
// Welford's updates.
type moments struct {
	N            int
	Full         bool
	MeanX, MeanG []float64
	SumX, SumG   []float64 // of deviations: d, or d*d by rows if full

	kind     kind // of the metric
	estimate func(m *moments, old Metric) (Metric, error)
}

// newMoments returns moments that estimate metrics of kind k by estimate. full says whether
// estimate needs all products.
func newMoments(k kind, d int, full bool,
	estimate func(m *moments, old Metric) (Metric, error)) *moments {
	n := d
	if full {
		n = d * d
	}
	return &moments{Full: full, MeanX: make([]float64, d), MeanG: make([]float64, d),
		SumX: make([]float64, n), SumG: make([]float64, n), kind: k, estimate: estimate}
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
	// The product of the deviations from the old and the new mean. It is symmetric because the
	// former is n/(n-1) times the latter.
	f := float64(n) / float64(n-1)
	for i, v := range x {
		a := f * (v - mean[i])
		row := sum[i*d : (i+1)*d]
		for j, u := range x {
			row[j] += a * (u - mean[j])
		}
	}
}

func (m *moments) metric(old Metric, said *draws.Window) (Metric, error) {
	said.Draws, said.Kind = m.N, m.kind.String()
	if m.Full {
		said.Rank = len(m.MeanX)
	}
	return m.estimate(m, old)
}

// moved returns false: moments cannot tell.
func (m *moments) moved(was, now Metric) bool { return false }

func (m *moments) next() {
	m.N = 0
	clear(m.MeanX)
	clear(m.MeanG)
	clear(m.SumX)
	clear(m.SumG)
}

// stanDiag is the sample variance times n/(n+5), plus 1e-3 times 5/(n+5). With fewer than two
// draws the sample term keeps the old metric, as Stan's does.
func (m *moments) stanDiag(old Metric) (Metric, error) {
	n := float64(m.N)
	w := old.diagonal()
	for i, v := range w {
		if m.N > 1 {
			v = m.SumX[i] / (n - 1)
		}
		w[i] = n/(n+5)*v + 1e-3*5/(n+5)
	}
	if err := finite(w); err != nil {
		return nil, err
	}
	return NewDiagMetric(w)
}

// stanDense is stanDiag with the covariance in place of the variance.
func (m *moments) stanDense(old Metric) (Metric, error) {
	n := float64(m.N)
	d := len(m.MeanX)
	w := old.dense()
	for i := range d {
		for j := range d {
			v := w[i*d+j]
			if m.N > 1 {
				v = m.SumX[i*d+j] / (n - 1)
			}
			w[i*d+j] = n / (n + 5) * v
		}
		w[i*d+i] += 1e-3 * 5 / (n + 5)
	}
	if err := finite(w); err != nil {
		return nil, err
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

// scales returns the diagonal Fisher metric, sqrt(var x_i / var g_i). If either variance is zero or
// not finite, it keeps the element of the old metric.
func (m *moments) scales(old Metric) []float64 {
	d := len(m.MeanX)
	w := make([]float64, d)
	var was []float64
	for i := range w {
		k := i
		if m.Full {
			k = i*d + i
		}
		w[i] = math.Sqrt(m.SumX[k]) / math.Sqrt(m.SumG[k])
		if !(w[i] >= 1e-200 && w[i] <= 1e200) {
			if was == nil {
				was = old.diagonal()
			}
			w[i] = was[i]
		}
	}
	return w
}

func (m *moments) fisherDiag(old Metric) (Metric, error) {
	if m.N < 2 {
		return old, nil
	}
	return NewDiagMetric(m.scales(old))
}

// String returns the name of the statistic.
func (a Acceptance) String() string {
	switch a {
	case AutoAcceptance:
		return "auto"
	case PlainAcceptance:
		return "plain"
	case SymmetricAcceptance:
		return "symmetric"
	}
	return fmt.Sprintf("Acceptance(%d)", int(a))
}
