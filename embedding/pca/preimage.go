package pca

import (
	"fmt"
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// PreImage is a point whose feature vector is near to the projection of that of a given point.
type PreImage struct {
	Point []float64
	// Distance is the squared distance of its feature vector to the projection. A projection need
	// not be the feature vector of any point, so that it is seldom 0.
	Distance   float64
	Iterations int
	Converged  bool
}

// maxIterations is more than is needed where the fixed point attracts.
const maxIterations = 1000

// PreImage denoises a point z: it looks for the t that minimises |k(., t) - P z|², where P z is the
// projection of z, with the centre put back, sum_i g_i k(., x_i). For radial kernels, and no
// others, the gradient is zero where
//
//	t = sum_i g_i kappa(t, x_i) x_i / sum_i g_i kappa(t, x_i),
//
// which is iterated from z (Mika et al., 1999). A step that would not come nearer is halved. Other
// starts may end nearer still.
func (p *PCA) PreImage(z []float64) (*PreImage, error) {
	s, ok := kernels.AsStationary(p.kernel)
	if !ok {
		return nil, fmt.Errorf("pca: kernel is %T, want a radial one for a pre-image", p.kernel)
	}
	if _, _, _, err := rows.Finite("point", mat.NewDense(1, max(1, len(z)), z)); err != nil {
		return nil, fmt.Errorf("pca: %w", err)
	}
	if len(z) != p.dim {
		return nil, fmt.Errorf("pca: point has %s, want %d", rows.Count(len(z), "column"), p.dim)
	}
	f := p.inverse(s, z)
	out := &PreImage{Point: append([]float64(nil), z...)}
	next := make([]float64, p.dim)
	value := f.value(out.Point)
	for out.Iterations < maxIterations && !out.Converged {
		out.Iterations++
		if !f.step(next, out.Point) {
			break
		}
		length := 0.0
		for halvings := 0; ; halvings++ {
			length = 0
			for a, v := range next {
				u := (v - out.Point[a]) / f.theta(a)
				length += u * u
			}
			if v := f.value(next); v >= value || halvings == 50 {
				value = v
				break
			}
			for a := range next {
				next[a] = (next[a] + out.Point[a]) / 2
			}
		}
		copy(out.Point, next)
		out.Converged = math.Sqrt(length) <= 1e-9
	}
	out.Distance = max(0, 1-2*value+f.square)
	return out, nil
}

// function is P z = sum_i g_i k(., x_i).
type function struct {
	*PCA
	kernel kernels.Stationary
	g      []float64
	square float64 // its squared norm
	q, k   []float64
}

// inverse expands the projection of z.
func (p *PCA) inverse(s kernels.Stationary, z []float64) *function {
	f := &function{PCA: p, kernel: s, g: make([]float64, p.n), q: make([]float64, p.n),
		k: make([]float64, p.n)}
	p.centred(f.k, z)
	scores := make([]float64, p.Components())
	p.score(scores, f.k)
	for c, v := range scores {
		floats.AddScaled(f.g, v, p.coef[c*p.n:(c+1)*p.n])
	}
	// sum_i g_i phi~_i + centre, as coefficients of the k(., x_i).
	floats.AddScaled(f.g, 1-floats.Sum(f.g), p.centre)
	for i, g := range f.g {
		kernels.Fill(f.k, p.kernel, fused.Best(), p.row(i), p.x, p.dim)
		f.square += g * floats.Dot(f.k, f.g)
	}
	return f
}

func (f *function) theta(a int) float64 { return f.kernel.Theta[min(a, len(f.kernel.Theta)-1)] }

// value is P z at t: the larger, the nearer is k(., t) to P z.
func (f *function) value(t []float64) float64 {
	kernels.Fill(f.k, f.PCA.kernel, fused.Best(), t, f.x, f.dim)
	return floats.Dot(f.k, f.g)
}

// step writes the right-hand side of the fixed point. It reports whether its denominator is
// positive, as it is near a maximum.
func (f *function) step(dst, t []float64) bool {
	for i := range f.q {
		q := 0.0
		for a, v := range f.row(i) {
			u := (t[a] - v) / f.theta(a)
			q += u * u
		}
		f.q[i] = q
	}
	kernels.Profiles(f.kernel.Radial, fused.Best(), f.q, f.k, nil, nil, f.q)
	sum := 0.0
	clear(dst)
	for i, g := range f.g {
		w := g * f.k[i]
		sum += w
		floats.AddScaled(dst, w, f.row(i))
	}
	if !(sum > 0) {
		return false
	}
	floats.Scale(1/sum, dst)
	return !floats.HasNaN(dst)
}
