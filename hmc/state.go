package hmc

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/draws"
)

// chainState is what a checkpoint keeps of a chain.
type chainState struct {
	Search    bool // a window has ended, and a step size is to be found under its metric
	Started   bool // the initial point is found and, if there is warm-up, a first step size
	Iteration int  // transitions made
	X, Grad   []float64
	LogP      float64
	Random    []byte // state of the random stream
	Metric    draws.Metric
	Warmup    *Adaptation // nil after warm-up
	// Coordinates of a Reparametrizer.
	Coordinates coordinates
	Out         draws.Chain
}

// save brings state up to date with the chain. After a step that did not end, that is the state
// before it: the position has not changed yet, and the random stream is turned back.
func (c *chain) save() error {
	st := &c.state
	if c.unfinished {
		c.src.Rewind()
		c.unfinished = false
	}
	st.X = append(st.X[:0], c.z.X...)
	st.Grad = append(st.Grad[:0], c.z.Grad...)
	st.LogP = c.z.LogP
	st.Metric = c.h.metric.Record()
	st.Out.Last = c.own()
	random, err := c.src.MarshalBinary()
	st.Random = slices.Clone(random)
	return err
}

// restore puts the chain where state says, and makes sure that the target is still the same.
func (c *chain) restore(st chainState) error {
	if !st.Started {
		return nil
	}
	d := c.h.Dim()
	if len(st.X) != d || len(st.Grad) != d {
		return fmt.Errorf("hmc: checkpoint holds a position of %d components: the target has %d",
			len(st.X), d)
	}
	metric, err := NewMetric(st.Metric)
	if err != nil {
		return err
	}
	if metric.Dim() != d {
		return fmt.Errorf("hmc: checkpoint holds a metric of dimension %d: the target has %d",
			metric.Dim(), d)
	}
	if err := c.src.UnmarshalBinary(st.Random); err != nil {
		return err
	}
	c.h.SetMetric(metric)
	if t := c.reparametrizer(); t != nil {
		if err := t.SetCoordinates(st.Coordinates.Now); err != nil {
			return fmt.Errorf("hmc: checkpoint is of another target: %w", err)
		}
	}
	copy(c.z.X, st.X)
	c.h.Evaluate(c.z)
	same := math.Float64bits(c.z.LogP) == math.Float64bits(st.LogP)
	for i, g := range st.Grad {
		same = same && math.Float64bits(g) == math.Float64bits(c.z.Grad[i])
	}
	if !same {
		return fmt.Errorf("hmc: checkpoint is of another target: the log density at %s was %v "+
			"and is %v (are data, code and processor the same?)", formatPoint(st.X), st.LogP,
			c.z.LogP)
	}
	if st.Iteration > c.settings.Warmup+c.settings.Draws {
		return fmt.Errorf("hmc: checkpoint holds %d draws: Draws is %d, and cannot be fewer",
			st.Iteration-c.settings.Warmup, c.settings.Draws)
	}
	c.state = st
	return nil
}
