package calibration

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/diagnostics"
	"bayeskernel/hmc"
	"bayeskernel/internal/rng"
	"bayeskernel/nuts"

	"gonum.org/v1/gonum/stat"
)

// Joint is a model, and a transition with a fixed step size, for Geweke's test. Zero values mean
// the defaults in parentheses.
type Joint struct {
	Dim int
	// Prior draws parameters, on the sampler's scale.
	Prior func(theta []float64, r *rand.Rand)
	// Posterior draws data given theta, and returns the target of the parameters given these data.
	// The second result, which may be nil, is any function of the parameters and these data. It
	// detects most errors if it depends on all data and shares no code with the target.
	Posterior func(theta []float64, r *rand.Rand) (hmc.Target, func(theta []float64) float64)

	Transition func(h *hmc.Hamiltonian) hmc.Transition // (NUTS)
	StepSize   float64                                 // with the identity as metric (0.5)
	Steps      int                                     // (20000)
	Seed       uint64
}

// Moment is an expectation under the joint distribution of parameters and data, estimated twice.
type Moment struct {
	// Name is x[i], x[i] x[j], lp (the target's log density) or g (the function from Posterior).
	Name  string
	Prior float64 // from independent draws of prior and data
	Chain float64 // from the chain of transitions and data
	// Z is their difference in standard errors: +Inf if these cannot be estimated, say because the
	// chain does not move.
	Z float64
}

// Geweke tests a transition together with its target (Geweke 2004). Parameters drawn from the prior
// and data given them have a joint distribution. A chain that alternates between a transition for
// the parameters given the data and fresh data given the parameters keeps that distribution, if the
// transition keeps the posterior. So both must have the same moments: the Z are standard normal.
//
// Nothing is adapted, every step counts, and no posterior needs to be known. So the test finds smaller
// errors in less time than ranks do, but only errors of the transition itself. Small data sets work
// best: the more informative the data, the slower the chain moves.
func (j Joint) Geweke(ctx context.Context) ([]Moment, error) {
	if j.Dim < 1 || j.Prior == nil || j.Posterior == nil {
		return nil, fmt.Errorf("calibration: Dim is %d, Prior given %t and Posterior "+
			"given %t, want a positive Dim and both", j.Dim, j.Prior != nil, j.Posterior != nil)
	}
	if j.Transition == nil {
		j.Transition = func(h *hmc.Hamiltonian) hmc.Transition { return nuts.New(h, 10) }
	}
	if j.StepSize == 0 {
		j.StepSize = 0.5
	}
	if j.Steps == 0 {
		j.Steps = 20000
	}
	if !(j.StepSize > 0) || math.IsInf(j.StepSize, 1) || j.Steps < 100 {
		return nil, fmt.Errorf("calibration: StepSize is %v and Steps is %d, want the first "+
			"positive and finite, the second at least 100", j.StepSize, j.Steps)
	}
	var prior, chain [][]float64
	err := guard(func() (err error) {
		if prior, err = j.simulate(ctx, "geweke prior", j.independent); err == nil {
			chain, err = j.simulate(ctx, "geweke chain", j.alternate)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return j.compare(prior, chain), nil
}

// observer sees a draw of parameters and data: g is the user's function of these data.
type observer func(z *hmc.Point, g func(theta []float64) float64)

// simulate returns the values of each moment's function along one of the two ways to draw.
func (j Joint) simulate(ctx context.Context, purpose string,
	way func(context.Context, *rand.Rand, observer) error) ([][]float64, error) {
	src, err := rng.New(rng.PCG, rng.Name{Seed: j.Seed, Purpose: "calibration " + purpose}, 0)
	if err != nil {
		return nil, err
	}
	values := make([][]float64, j.Dim+j.Dim*(j.Dim+1)/2+2)
	err = way(ctx, rand.New(src), func(z *hmc.Point, g func([]float64) float64) {
		k := 0
		add := func(v float64) {
			values[k] = append(values[k], v)
			k++
		}
		for _, v := range z.X {
			add(v)
		}
		for a, v := range z.X {
			for _, w := range z.X[a:] {
				add(v * w)
			}
		}
		add(z.LogP)
		if g != nil {
			add(g(z.X))
		}
	})
	return values, err
}

// independent draws parameters and data from the model.
func (j Joint) independent(ctx context.Context, r *rand.Rand, see observer) error {
	d := j.drawer()
	for i := range j.Steps {
		if ctx.Err() != nil {
			return fmt.Errorf("calibration: stopped after %d of %d steps: %w", i, j.Steps,
				context.Cause(ctx))
		}
		j.Prior(d.z.X, r)
		if err := d.data(r); err != nil {
			return err
		}
		see(d.z, d.g)
	}
	return nil
}

// alternate draws them by the chain.
func (j Joint) alternate(ctx context.Context, r *rand.Rand, see observer) error {
	d := j.drawer()
	step := j.Transition(d.h)
	j.Prior(d.z.X, r)
	for i := range j.Steps {
		if ctx.Err() != nil {
			return fmt.Errorf("calibration: stopped after %d of %d steps: %w", i, j.Steps,
				context.Cause(ctx))
		}
		if err := d.data(r); err != nil {
			return err
		}
		step.Step(d.z, j.StepSize, r)
		if err := d.h.Err(); err != nil {
			return err
		}
		see(d.z, d.g)
	}
	return nil
}

// drawer holds parameters and data: the latter in a target that changes with them under the
// transition.
type drawer struct {
	joint  Joint
	h      *hmc.Hamiltonian
	z      *hmc.Point
	target *changing
	g      func(theta []float64) float64
}

type changing struct {
	hmc.Target
	dim int
}

func (c *changing) Dim() int { return c.dim }

func (j Joint) drawer() *drawer {
	t := &changing{dim: j.Dim}
	return &drawer{joint: j, h: hmc.NewHamiltonian(t, hmc.NewUnitMetric(j.Dim)),
		z: hmc.NewPoint(j.Dim), target: t}
}

// data draws data and evaluates the target that they make.
func (d *drawer) data(r *rand.Rand) error {
	z := d.z
	d.target.Target, d.g = d.joint.Posterior(z.X, r)
	if t := d.target.Target; t == nil || t.Dim() != len(z.X) {
		return fmt.Errorf("calibration: Posterior made a target that is not of dimension %d",
			len(z.X))
	}
	d.h.Evaluate(z)
	if math.IsNaN(z.LogP) || math.IsInf(z.LogP, 0) {
		return fmt.Errorf("calibration: log density is %v at parameters %v, "+
			"which data were just drawn from", z.LogP, z.X)
	}
	return nil
}

func (j Joint) compare(prior, chain [][]float64) []Moment {
	var names []string
	for a := range j.Dim {
		names = append(names, fmt.Sprintf("x[%d]", a))
	}
	for a := range j.Dim {
		for b := a; b < j.Dim; b++ {
			names = append(names, names[a]+" "+names[b])
		}
	}
	names = append(names, "lp", "g")
	var moments []Moment
	for k, name := range names {
		if len(prior[k]) == 0 || len(chain[k]) == 0 {
			continue
		}
		m := Moment{Name: name}
		var sd float64
		m.Prior, sd = stat.MeanStdDev(prior[k], nil)
		m.Chain = stat.Mean(chain[k], nil)
		m.Z = (m.Chain - m.Prior) / math.Hypot(sd/math.Sqrt(float64(len(prior[k]))),
			diagnostics.MCSEMean(chain[k:k+1]))
		if math.IsNaN(m.Z) { // no error can be estimated: the chain did not move
			m.Z = math.Inf(1)
		}
		moments = append(moments, m)
	}
	return moments
}
