package embedding

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/bke"
)

// problem is a model, one or two samples and the options: all that is known before the
// hyperparameters and the points are.
type problem struct {
	model   *bke.Model
	dim     int
	opts    Options
	samples []*sample
}

func newProblem(m *bke.Model, o Options, samples ...*sample) (*problem, error) {
	o, err := o.resolved()
	if err != nil {
		return nil, err
	}
	for _, s := range samples {
		if o.Noise == CLT {
			err = s.spread()
		} else {
			err = s.unsigned()
		}
		if err != nil {
			return nil, err
		}
	}
	p := &problem{model: m, dim: m.Rank(), opts: o, samples: samples}
	if o.Noise == IID {
		return p, p.held()
	}
	return p, nil
}

// kernelAt returns the hyperparameters of the kernel in use, which are those of a draw but for the
// rung.
func (p *problem) kernelAt(h bke.Params) bke.Params {
	if p.opts.Rung != 1 {
		h.Theta = slices.Clone(h.Theta)
		for a := range h.Theta {
			h.Theta[a] *= p.opts.Rung
		}
	}
	return h
}

// complete checks the hyperparameters, also at the rung.
func (p *problem) complete(h bke.Params) (bke.Params, error) {
	if p.opts.AtTest {
		h.Tau2 = 1 // it does not count
	}
	h, err := p.model.Complete(h)
	if err != nil {
		return h, err
	}
	for _, t := range h.Theta {
		if c := t * p.opts.Rung; !(c > 1e-150 && c < 1e150) {
			return h, fmt.Errorf("embedding: theta of the kernel is %v, want it between 1e-150 "+
				"and 1e150", c)
		}
	}
	return h, nil
}

// noiseScale returns s, given v at the theta of the hyperparameters.
func (p *problem) noiseScale(h bke.Params, v float64) (float64, error) {
	if p.opts.AtTest {
		return 1, nil
	}
	if !(v > 0) {
		return 0, fmt.Errorf("embedding: mean variance of k(X, z) over the data is %v at theta = "+
			"%v, want it positive for noise clt", v, h.Theta)
	}
	return h.Tau2 / v, nil
}

// banded checks that all samples have a band.
func (p *problem) banded() error {
	for _, s := range p.samples {
		if err := s.unsigned(); err != nil {
			return err
		}
	}
	return nil
}

// process is the posterior of the embeddings of the samples at given points, independent given the
// hyperparameters. It is a workspace, for one goroutine.
type process interface {
	// fit takes hyperparameters, and returns the mean and the variance of each sample at every
	// point. They are valid until the next call.
	fit(h bke.Params) (mean, vary [][]float64, err error)
	// ready prepares draws at the hyperparameters of the last fit.
	ready() error
	// draw writes a draw of mu of the first sample less, if there are two, mu of the second, at all
	// points.
	draw(dst []float64, src *rand.Rand)
	// posterior returns the joint posterior of the first sample at the last fit.
	posterior() (mean, cov []float64, err error)
}

// The tolerances of draws, in units of the largest posterior variance. A draw may lack the first.
// Below the second a point has its mean in every draw, since rounding errors of covariances are as
// large.
const (
	lacking = 1e-11
	pinned  = 1e-10
)

// roots returns the square roots.
func roots(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Sqrt(v)
	}
	return out
}
