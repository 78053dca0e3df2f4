package features

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/internal/rng"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/floats"
)

// Map is a feature map. A map does not change and may be shared by goroutines.
type Map interface {
	Dim() int // columns of a row
	Len() int // features of a row
	// Write writes the features of points, row by row, into dst, which has Len elements for each.
	Write(dst, points []float64)
}

// FourierOptions say how frequencies are drawn.
type FourierOptions struct {
	Pairs      int // of a cosine and a sine (256)
	Orthogonal bool
	Seed       uint64
}

// Fourier are random Fourier features of a radial kernel.
type Fourier struct {
	kernel      kernels.Stationary
	dim, pairs  int
	frequencies []float64 // of pair p at p*dim
	scale       float64   // 1/sqrt(pairs)
}

// NewFourier draws frequencies for a radial kernel of rows of dim columns.
func NewFourier(k kernels.Kernel, dim int, o FourierOptions) (*Fourier, error) {
	if k == nil {
		return nil, errors.New("features: kernel is nil, want a kernel")
	}
	if dim < 1 {
		return nil, fmt.Errorf("features: number of columns is %d, want at least 1", dim)
	}
	s, ok := kernels.AsStationary(k)
	if !ok {
		return nil, fmt.Errorf("features: kernel is %T, want a radial one", k)
	}
	if err := k.Check(dim); err != nil {
		return nil, fmt.Errorf("features: %w", err)
	}
	if o.Pairs == 0 {
		o.Pairs = 256
	}
	if o.Pairs < 1 {
		return nil, fmt.Errorf("features: number of pairs is %d, want at least 1", o.Pairs)
	}
	source, err := rng.New(rng.PCG, rng.Name{Seed: o.Seed, Purpose: "features: fourier"}, 0)
	if err != nil {
		return nil, fmt.Errorf("features: %w", err)
	}
	r := rand.New(source)
	f := &Fourier{kernel: s, dim: dim, pairs: o.Pairs, frequencies: make([]float64, o.Pairs*dim),
		scale: 1 / math.Sqrt(float64(o.Pairs))}
	for p := 0; p < o.Pairs; p += dim {
		count := min(dim, o.Pairs-p)
		block := f.frequencies[p*dim : (p+count)*dim]
		for i := range block {
			block[i] = r.NormFloat64()
		}
		if o.Orthogonal {
			orthogonalise(block, dim, r)
		}
	}
	for p := range o.Pairs {
		w := f.frequencies[p*dim : (p+1)*dim]
		rate, err := mixing(s.Radial, r)
		if err != nil {
			return nil, err
		}
		for a := range w {
			w[a] *= rate / s.Theta[min(a, len(s.Theta)-1)]
		}
	}
	return f, nil
}

// orthogonalise makes rows orthogonal by Gram and Schmidt, twice for the digits, and gives each the
// length of a normal vector of its own.
func orthogonalise(block []float64, dim int, r *rand.Rand) {
	for p := range len(block) / dim {
		w := block[p*dim : (p+1)*dim]
		for range 2 {
			for q := range p {
				u := block[q*dim : (q+1)*dim]
				floats.AddScaled(w, -floats.Dot(u, w), u)
			}
			floats.Scale(1/floats.Norm(w, 2), w)
		}
	}
	for p := range len(block) / dim {
		square := 0.0
		for range dim {
			z := r.NormFloat64()
			square += z * z
		}
		floats.Scale(math.Sqrt(square), block[p*dim:(p+1)*dim])
	}
}

// mixing draws the 1/s with which k is a mixture of squared exponentials exp(-q/(2 s²)).
func mixing(k kernels.Radial, r *rand.Rand) (float64, error) {
	switch k := k.(type) {
	case kernels.SE:
		return 1, nil
	case kernels.Matern:
		return math.Sqrt(k.Nu / gamma(k.Nu, r)), nil
	case kernels.RQ:
		return math.Sqrt(gamma(k.Alpha, r) / k.Alpha), nil
	case kernels.Mixture:
		u := r.Float64()
		for j, w := range k.Weights {
			if u -= w; u < 0 || j == len(k.Weights)-1 {
				return 1 / k.Widths[j], nil
			}
		}
	}
	return 0, fmt.Errorf("features: kernel is %v, want se, matern, rq or mixture", k)
}

// gamma draws from the gamma distribution of rate 1 (Marsaglia and Tsang, 2000).
func gamma(shape float64, r *rand.Rand) float64 {
	boost := 1.0
	if shape < 1 {
		boost = math.Pow(r.Float64(), 1/shape)
		shape++
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(r.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return boost * d * v
		}
	}
}

// Dim is the number of columns.
func (f *Fourier) Dim() int { return f.dim }

// Len is twice the number of pairs.
func (f *Fourier) Len() int { return 2 * f.pairs }

// Write writes cosines and then sines of each point.
func (f *Fourier) Write(dst, points []float64) {
	checkLengths(f, dst, points)
	for i := 0; i*f.dim < len(points); i++ {
		x := points[i*f.dim : (i+1)*f.dim]
		row := dst[i*2*f.pairs : (i+1)*2*f.pairs]
		for p := range f.pairs {
			w := f.frequencies[p*f.dim : (p+1)*f.dim]
			s := 0.0
			for a, v := range x {
				s += v * w[a]
			}
			sin, cos := math.Sincos(s)
			row[p], row[f.pairs+p] = f.scale*cos, f.scale*sin
		}
	}
}

func checkLengths(m Map, dst, points []float64) {
	if len(points)%m.Dim() != 0 || len(dst) != len(points)/m.Dim()*m.Len() {
		panic("features: Write: lengths do not fit")
	}
}

// Frequencies returns them, a row for each pair.
func (f *Fourier) Frequencies() [][]float64 {
	var out [][]float64
	for p := range f.pairs {
		out = append(out, append([]float64(nil), f.frequencies[p*f.dim:(p+1)*f.dim]...))
	}
	return out
}

// StandardError is that of f(x)'f(y) around k(x, y), of frequencies that are independent.
func (f *Fourier) StandardError(x, y []float64) float64 {
	k := f.kernel.At(x, y)
	twice := make([]float64, len(x))
	for a := range twice {
		twice[a] = 2*x[a] - y[a] // at twice the distance from y
	}
	return math.Sqrt(max(0, (1+f.kernel.At(twice, y))/2-k*k) / float64(f.pairs))
}

// Bound is a bound of the probability that f(x)'f(y) is off by more than e at a given pair of
// points.
func (f *Fourier) Bound(e float64) float64 {
	return min(1, 2*math.Exp(-float64(f.pairs)*e*e/2))
}

// UniformBound is one of the probability that it is off by more than e at any pair in a region of
// this diameter. Both are for independent frequencies.
func (f *Fourier) UniformBound(e, diameter float64) float64 {
	_, logKappa, _ := f.kernel.Radial.Profile(0)
	square := 0.0 // E |w|², the trace of the second derivative at zero
	for a := range f.dim {
		t := f.kernel.Theta[min(a, len(f.kernel.Theta)-1)]
		square += math.Exp(logKappa) / (t * t)
	}
	ratio := square * diameter * diameter / (e * e)
	if !(ratio >= 1) { // the proof needs it
		return 1
	}
	return min(1, 256*ratio*math.Exp(-float64(f.pairs)*e*e/(4*float64(f.dim+2))))
}
