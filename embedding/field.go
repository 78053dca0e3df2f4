package embedding

import (
	"math"

	"bayeskernel/bke"
	"bayeskernel/internal/fused"
)

// field evaluates the kernel k and the prior covariance r of the embedding at given hyperparameters,
// over all pairs of two sets of points. It is all that this package knows of the kernel.
type field struct {
	kind fused.Kind
	nu   bke.Nu
	dim  int
	inv  []float64 // 1/theta_a
	amp  float64   // r is amp exp(-d/4 - far)
	far  []float64 // for Gaussian, the weight of ((x_a+y_a)/theta_a)²; else empty
}

// largest bounds the amplitude of r. Against noise below 1 nothing changes long before.
const largestAmplitude = 1e150

func newField(m *bke.Model) *field {
	kind, _ := fused.Parse(m.Path()) // the model has checked the name
	return &field{kind: kind, nu: m.Nu(), dim: m.Rank()}
}

// set takes new hyperparameters.
func (f *field) set(p bke.Params) {
	f.inv, f.far = f.inv[:0], f.far[:0]
	logAmp := 0.0
	for a := range f.dim {
		t := p.Theta[0]
		if len(p.Theta) > 1 {
			t = p.Theta[a]
		}
		f.inv = append(f.inv, 1/t)
		switch f.nu {
		case bke.Lebesgue:
			logAmp += math.Log(t) + math.Log(math.Pi)/2
		case bke.Gaussian:
			u := p.Eta / t
			logAmp -= math.Log1p(2*u*u) / 2
			f.far = append(f.far, 1/(4*(1+2*u*u)))
		}
	}
	f.amp = min(math.Exp(logAmp), largestAmplitude)
}

// kernel writes k(x_i, y_j) into dst[i*ny+j].
func (f *field) kernel(dst, x, y []float64) { f.fill(dst, x, y, 0.5, nil) }

// correlation writes what r is under Unit, which has unit diagonal, into dst[i*ny+j].
func (f *field) correlation(dst, x, y []float64) { f.fill(dst, x, y, 0.25, nil) }

// prior writes r(x_i, y_j) into dst[i*ny+j].
func (f *field) prior(dst, x, y []float64) {
	f.fill(dst, x, y, 0.25, f.far)
	if f.amp != 1 {
		for i := range dst {
			dst[i] *= f.amp
		}
	}
}

// diagonal writes r(x_i, x_i).
func (f *field) diagonal(dst, x []float64) {
	for i := range dst {
		dst[i] = f.amp
		if len(f.far) == 0 {
			continue
		}
		s := 0.0
		for a, w := range f.far {
			c := 2 * x[i*f.dim+a] * f.inv[a]
			s += c * c * w
		}
		dst[i] *= math.Exp(-s)
	}
}

// isCorrelation reports whether r is a multiple of correlation, and which.
func (f *field) isCorrelation() (amp float64, ok bool) { return f.amp, len(f.far) == 0 }

// fill writes exp(-near d(x_i, y_j) - far terms), where d is the squared distance in units of theta.
func (f *field) fill(dst, x, y []float64, near float64, far []float64) {
	ny := len(y) / f.dim
	for i := 0; i*f.dim < len(x); i++ {
		xi, row := x[i*f.dim:(i+1)*f.dim], dst[i*ny:(i+1)*ny]
		if f.dim == 1 {
			squares(row, y, xi[0], f.inv[0])
		} else {
			for j := range row {
				s := 0.0
				for a, v := range y[j*f.dim : (j+1)*f.dim] {
					d := (xi[a] - v) * f.inv[a]
					s += d * d
				}
				row[j] = s
			}
		}
		for j := 0; len(far) > 0 && j < ny; j++ {
			s := 0.0
			for a, v := range y[j*f.dim : (j+1)*f.dim] {
				c := (xi[a] + v) * f.inv[a]
				s += c * c * far[a]
			}
			row[j] += s / near
		}
	}
	f.kind.ExpNeg(dst, dst, near)
}

// squares writes ((x-y_j) inv)² into dst[j].
func squares(dst, y []float64, x, inv float64) {
	for len(dst) >= 4 && len(y) >= 4 {
		d0, d1, d2, d3 := (x-y[0])*inv, (x-y[1])*inv, (x-y[2])*inv, (x-y[3])*inv
		dst[0], dst[1], dst[2], dst[3] = d0*d0, d1*d1, d2*d2, d3*d3
		dst, y = dst[4:], y[4:]
	}
	for j := range dst {
		d := (x - y[j]) * inv
		dst[j] = d * d
	}
}
