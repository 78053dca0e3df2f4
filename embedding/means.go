package embedding

import (
	"errors"
	"fmt"
	"math"

	"bayeskernel/bke"
	"bayeskernel/kernels"
)

// newMeans checks a sample given by means of kernel values instead of rows.
func newMeans(m *bke.Model, name string, given Sample) (*sample, error) {
	if given.X != nil || given.Weights != nil {
		return nil, fmt.Errorf("embedding: %s has rows or weights beside means, want one or the other",
			name)
	}
	if _, se := m.Kernel().(kernels.SE); !se || given.Means.At == nil || m.Rank() != m.Dim() {
		return nil, fmt.Errorf("embedding: kernel of %s is %v, want se for means of kernel values", name,
			m.Kernel())
	}
	if given.Means.Rows < 1 {
		return nil, fmt.Errorf("embedding: %s has %d rows, want at least 2", name, given.Means.Rows)
	}
	return &sample{name: name, n: given.Means.Rows, square: 1 / float64(given.Means.Rows),
		means: given.Means}, nil
}

// held checks that the rows of all samples are there.
func (p *problem) held() error {
	for _, s := range p.samples {
		if s.means != nil {
			return errors.New("embedding: the rows of a sample are not held, only means of kernel values: " +
				"want noise clt, and no weights of rows")
		}
	}
	return nil
}

// aloneMeans is alone for means of kernel values: the square of the kernel is the kernel of
// lengthscale theta/sqrt2, so that its mean is one of these too.
func (a *accumulator) aloneMeans(mean, vary []float64, f *field, s *sample, points []float64) {
	theta := f.theta()
	a.note(s.means.At(mean, theta, points))
	a.note(s.means.At(vary, theta/math.Sqrt2, points))
	for j, m := range mean {
		vary[j] = max(vary[j]-m*m, 0) * s.square / (1 - s.square)
	}
}

// jointMeans is joint for means of kernel values, by
//
//	k(x,p) k(x,p') = exp(-|p-p'|²/(4 theta²)) exp(-|x-(p+p')/2|²/theta²).
func (a *accumulator) jointMeans(mean, cov []float64, f *field, s *sample, points []float64) {
	theta, d := f.theta(), f.dim
	a.note(s.means.At(mean, theta, points))
	a.middles = a.middles[:0]
	for j := range mean {
		for l := range j + 1 {
			for c := range d {
				a.middles = append(a.middles, points[j*d+c]/2+points[l*d+c]/2)
			}
		}
	}
	a.note(s.means.At(cov, theta/math.Sqrt2, a.middles))
	scale := s.square / (1 - s.square)
	at := 0
	for j := range mean {
		for l := range j + 1 {
			q := 0.0
			for c := range d {
				u := (points[j*d+c] - points[l*d+c]) / theta
				q += u * u
			}
			cov[at] = scale * (math.Exp(-q/4)*cov[at] - mean[j]*mean[l])
			at++
		}
		cov[at-1] = max(cov[at-1], 0)
	}
}

// note keeps the first error.
func (a *accumulator) note(err error) {
	if a.err == nil && err != nil {
		a.err = fmt.Errorf("embedding: %w", err)
	}
}

// theta is the lengthscale of a field with one.
func (f *field) theta() float64 { return f.k.(kernels.Stationary).Theta[0] }
