package hyper

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Posterior is a density on R^d as samplers want it: a logit or a logarithm is between its
// coordinates and the values, and draws are recorded as values. It owns its workspace.
type Posterior struct {
	*Space
	likelihood Likelihood
	v          []float64 // values
	gp, g      []float64 // gradients in v of the prior and of everything
}

// Dim returns the number of values.
func (t *Posterior) Dim() int { return len(t.v) }

// LogDensity returns log prior + log likelihood + log |det J| at x, and its gradient.
func (t *Posterior) LogDensity(x, grad []float64) float64 {
	t.wantDim("x", len(x))
	t.wantDim("grad", len(grad))
	lp := t.logNorm + t.transform(t.v, x)
	if !allFinite(t.v) {
		// exp has overflowed, which is as good as outside the support, unless x itself is NaN.
		if slices.ContainsFunc(x, math.IsNaN) {
			return math.NaN()
		}
		return math.Inf(-1)
	}
	lp += t.logPrior()
	if math.IsNaN(lp) || math.IsInf(lp, -1) {
		return lp
	}
	if !allFinite(t.gp) {
		return math.Inf(-1) // so near an end of the support that 1/v overflows
	}
	clear(t.g)
	if t.likelihood != nil {
		lp += t.likelihood(t.v, t.g)
	}
	if math.IsNaN(lp) || math.IsInf(lp, -1) {
		return lp
	}
	for i, g := range t.gp {
		t.g[i] += g
	}
	from := 0
	for i := range t.parameters {
		p := &t.parameters[i]
		to := from + p.count()
		p.interval().PullBack(grad[from:to], x[from:to], t.v[from:to], t.g[from:to])
		from = to
	}
	return lp
}

// transform writes the values at x into v and returns log |det J|.
func (t *Posterior) transform(v, x []float64) float64 {
	logJ := 0.0
	from := 0
	for i := range t.parameters {
		p := &t.parameters[i]
		to := from + p.count()
		logJ += p.interval().Constrain(v[from:to], x[from:to])
		from = to
	}
	return logJ
}

// logPrior returns the log prior at t.v without its constants, and leaves its gradient in t.gp.
func (t *Posterior) logPrior() float64 {
	lp := 0.0
	at := 0
	for i, kernel := range t.kernels {
		for range t.parameters[i].count() {
			l, dl := kernel(t.v[at])
			lp += l
			t.gp[at] = dl
			at++
		}
	}
	return lp
}

// Names returns the names of the values.
func (t *Posterior) Names() []string { return slices.Clone(t.names) }

// Constrain writes the values at x into dst.
func (t *Posterior) Constrain(dst, x []float64) {
	t.wantDim("x", len(x))
	t.wantDim("dst", len(dst))
	t.transform(dst, x)
}

// Initial draws x from the priors, truncated to the intervals. Where a hundred attempts give nothing
// usable, as with a flat prior, it is uniform on (-2, 2).
func (t *Posterior) Initial(x []float64, r *rand.Rand) {
	t.wantDim("x", len(x))
	from := 0
	for _, p := range t.parameters {
		to := from + p.count()
		if at := x[from:to]; !p.draw(at, t.v[from:to], r) {
			for j := range at {
				at[j] = 4*r.Float64() - 2
			}
		}
		from = to
	}
}

// attempts bounds the rejections of draw.
const attempts = 100

// draw draws the values of one parameter from its prior, by rejection, and reports whether that came
// to anything.
func (p *Parameter) draw(x, v []float64, r *rand.Rand) bool {
	for range attempts {
		for i := range v {
			for range attempts {
				if v[i] = p.Prior.Rand(r); v[i] > p.Lo && v[i] < p.Hi {
					break
				}
			}
			if !(v[i] > p.Lo && v[i] < p.Hi) {
				return false
			}
		}
		if p.interval().Unconstrain(x, v) == nil && allFinite(x) {
			return true
		}
	}
	return false
}

func (t *Posterior) wantDim(what string, got int) {
	if want := len(t.v); got != want {
		panic(fmt.Sprintf("target: len(%s) is %d, want %d", what, got, want))
	}
}

// allFinite reports whether v holds neither NaN nor an infinity.
func allFinite(v []float64) bool {
	sum := 0.0
	for _, w := range v {
		sum += 0 * w
	}
	return sum == 0
}
