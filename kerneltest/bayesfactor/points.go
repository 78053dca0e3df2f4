package bayesfactor

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Noise is the covariance of the witness at given points under H0, for PointsAt.
type Noise int

const (
	// PooledNoise is (1/n_P + 1/n_Q) times the covariance of all rows with divisor N-1: exact under
	// relabelling.
	PooledNoise Noise = iota
	// SeparateNoise is C_P/n_P + C_Q/n_Q with the covariances of the samples.
	SeparateNoise
	// PairedNoise is S/n with the covariance S of the differences of rows taken as pairs. With few
	// rows and many points it is nearly singular, along the mean difference too: Hotelling's trap.
	PairedNoise
)

// PointsAt is log BF of the model of the witness at given points, for comparison with Density: its
// empirical value is normal with covariance V under H0, V + g v exp(-d²/(4 theta²)) under H1, with
// v the mean variance of a feature. V has a nugget of 1e-9 times its mean diagonal element. There
// is no limit as points are added: the nugget decides.
func PointsAt(x, y, points mat.Matrix, theta, g float64, noise Noise) (float64, error) {
	c, err := newContrast(x, y, nil, nil)
	if err != nil {
		return 0, err
	}
	at, err := c.points(points)
	if err != nil {
		return 0, err
	}
	if !(theta > 0 && g >= 0) {
		return 0, fmt.Errorf("bayesfactor: lengthscale and amplitude are %v and %v, want positive "+
			"numbers", theta, g)
	}
	xs, _, _, _ := finiteRows("x", x) // newContrast has read them
	ys, _, _, _ := finiteRows("y", y)
	p, q := float64(c.x), float64(c.y)
	kx, ky := gaussian(xs, at, c.dim, theta), gaussian(ys, at, c.dim, theta)
	var all mat.Dense
	all.Stack(kx, ky)
	mx, cx := moments(kx)
	my, cy := moments(ky)
	_, pooled := moments(&all)
	pooled.ScaleSym((p+q)/(p+q-1), pooled)
	v := plus(pooled, 1/p+1/q, pooled, 0, 0)
	if noise == SeparateNoise {
		v = plus(cx, 1/(p-1), cy, 1/(q-1), 0)
	}
	if noise == PairedNoise {
		if c.x != c.y {
			return 0, fmt.Errorf("bayesfactor: samples have %d and %d rows, want as many for pairs", c.x, c.y)
		}
		var d mat.Dense
		d.Sub(kx, ky)
		_, s := moments(&d)
		v = plus(s, 1/(p-1), s, 0, 0)
	}
	m := v.SymmetricDim()
	v = plus(v, 1, v, 0, 1e-9*mat.Trace(v)/float64(m))
	scale := g * mat.Trace(pooled) / float64(m)
	wide := gaussian(at, at, c.dim, math.Sqrt2*theta)
	r := mat.NewSymDense(m, nil)
	for i := range m {
		for j := i; j < m; j++ {
			r.SetSym(i, j, scale*wide.At(i, j))
		}
	}
	mx.SubVec(mx, my)
	return shift(r, v, mx)
}
