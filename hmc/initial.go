package hmc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// initialTries is how many random points are tried before a chain gives up, as in Stan.
const initialTries = 100

// initialPoint sets z to the starting point of a chain: the given point, or a random one with
// finite density and gradient. chain counts from 0. carry maps points from the target's own
// coordinates to those in use.
func initialPoint(ctx context.Context, h *Hamiltonian, z *Point, s *Settings, chain int,
	r *rand.Rand, carry func(x []float64)) error {
	var given []float64
	if p := pick(s.Start.Points, chain); p != nil {
		given = *p
	}
	if given == nil {
		if w := pick(s.Start.Warm, chain); w != nil {
			given = w.Position
		}
	}
	if given != nil {
		if len(given) != len(z.X) {
			return fmt.Errorf("hmc: initial point of chain %d has %d components: "+
				"the target has %d", chain+1, len(given), len(z.X))
		}
		copy(z.X, given)
		carry(z.X)
		h.Evaluate(z)
		if reason := unusable(z, h.target); reason != "" {
			return fmt.Errorf("hmc: chain %d cannot start at the point given, %s: %s",
				chain+1, formatPoint(z.X), reason)
		}
		if h.Err() != nil {
			return h.Err()
		}
		return h.untouched(z)
	}
	if _, ok := h.target.(Initializer); s.Start.From == InitTarget && !ok {
		return fmt.Errorf("hmc: InitTarget was asked for, but the target (%T) has no method Initial",
			h.target)
	}
	draw := func() {
		if s.Start.Draw(h.target, z.X, r); s.Start.From == InitTarget {
			carry(z.X)
		}
	}
	return h.drawInitial(ctx, z, draw, func(f *failures) error { return f.error(s, chain) })
}

// Draw draws a point for t into x. With InitTarget, t must be an Initializer.
func (s Start) Draw(t Target, x []float64, r *rand.Rand) {
	if s.From == InitTarget {
		t.(Initializer).Initial(x, r)
		return
	}
	for i := range x {
		x[i] = s.Radius * (2*r.Float64() - 1)
	}
}

// agreeing is the number of points with comparable log densities that drawInitial looks for. The
// chain starts at the first of them.
const agreeing = 3

// astronomical is the largest gap in log density, per dimension, between a starting point and the
// best one. No chain returns from further down, where a recursion has exploded, say: the gradients
// there say nothing about the posterior, yet they set the step size.
const astronomical = 1e4

// drawInitial draws points until several with finite density and gradient lie within a bound of the
// highest density found. It sets z to the first of them.
func (h *Hamiltonian) drawInitial(ctx context.Context, z *Point, draw func(),
	none func(*failures) error) error {
	failed := failures{}
	bound := astronomical * float64(len(z.X))
	var usable []*Point
	highest := math.Inf(-1)
	for range initialTries {
		if err := ctx.Err(); err != nil {
			return err
		}
		draw()
		h.Evaluate(z)
		if h.Err() != nil {
			return h.Err()
		}
		if reason := unusable(z, h.target); reason != "" {
			failed.add(reason, z)
			continue
		}
		if err := h.untouched(z); err != nil {
			return err
		}
		p := NewPoint(len(z.X))
		p.CopyPosition(z)
		highest = math.Max(highest, p.LogP)
		usable = append(usable, p)
		near := 0
		for _, p := range usable {
			if p.LogP >= highest-bound {
				near++
			}
		}
		if near == agreeing {
			break
		}
	}
	for _, p := range usable {
		if p.LogP >= highest-bound {
			z.CopyPosition(p)
			return nil
		}
	}
	return none(&failed)
}

// untouched checks that the target did not change the position it evaluated.
func (h *Hamiltonian) untouched(z *Point) error {
	for i, v := range h.at {
		if z.X[i] != v {
			return fmt.Errorf("hmc: the target changed its argument: %s was %v and is %v; "+
				"LogDensity must leave x alone", componentName(h.target, i), v, z.X[i])
		}
	}
	return nil
}

// unusable says why a chain cannot start at z, and names the component at fault if it can. It
// returns "" if the chain can start.
func unusable(z *Point, t Target) string {
	for i, v := range z.X {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprintf("position is %v in %s", v, componentName(t, i))
		}
	}
	reason := ""
	switch {
	case math.IsInf(z.LogP, -1):
		return "log density is -Inf" + explained(t, z.X)
	case math.IsInf(z.LogP, 1):
		return "log density is +Inf"
	case math.IsNaN(z.LogP):
		reason = "log density is NaN" + explained(t, z.X)
	}
	for i, g := range z.Grad {
		if math.IsNaN(g) || math.IsInf(g, 0) {
			if reason != "" {
				reason += ", "
			}
			return reason + fmt.Sprintf("gradient is %v in %s", g, componentName(t, i))
		}
	}
	return reason
}

// explained returns the target's own explanation of a point.
func explained(t Target, x []float64) string {
	if e, ok := t.(Explainer); ok {
		if why := e.Explain(x); why != "" {
			return " (" + why + ")"
		}
	}
	return ""
}

func componentName(t Target, i int) string {
	if c, ok := t.(Constrainer); ok {
		if names := c.Names(); len(names) == t.Dim() {
			return names[i]
		}
	}
	return fmt.Sprintf("x[%d]", i)
}

// failures counts why initial points were unusable. Reasons that differ in their numbers alone are one.
type failures struct {
	kinds []failure
	last  []float64
}

type failure struct {
	kind, first string
	count       int
}

func (f *failures) add(reason string, z *Point) {
	f.last = append(f.last[:0], z.X...)
	kind := numbers.ReplaceAllString(reason, "0")
	for i := range f.kinds {
		if f.kinds[i].kind == kind {
			f.kinds[i].count++
			return
		}
	}
	f.kinds = append(f.kinds, failure{kind, reason, 1})
}

var numbers = regexp.MustCompile(`[-+]?[0-9.]+(e[-+]?[0-9]+)?`)

// mostReasons is how many reasons an error gives.
const mostReasons = 3

// error returns a message with the count of each reason and what may help.
func (f *failures) error(s *Settings, chain int) error {
	slices.SortStableFunc(f.kinds, func(a, b failure) int { return b.count - a.count })
	var parts []string
	for _, k := range f.kinds[:min(len(f.kinds), mostReasons)] {
		parts = append(parts, fmt.Sprintf("%s (%s)", k.first, times(k.count)))
	}
	if left := len(f.kinds) - mostReasons; left > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", left))
	}
	from := fmt.Sprintf("uniform on (-%g, %g)", s.Start.Radius, s.Start.Radius)
	if s.Start.From == InitTarget {
		from = "drawn by the target"
	}
	return &StartError{Tries: initialTries, From: from, One: len(f.kinds) == 1, Last: slices.Clone(f.last),
		text: fmt.Sprintf("hmc: chain %d found no point to start from in %d tries, %s: %s; the last was %s; check where "+
			"the density is positive, or start elsewhere", chain+1, initialTries, from, strings.Join(parts, ", "),
			formatPoint(f.last))}
}

// StartError is the error of a chain that found no point to start from.
type StartError struct {
	Tries int
	From  string    // where they were drawn from, in words
	One   bool      // all failed for the same reason
	Last  []float64 // the last point
	text  string
}

// Error returns one line with the reasons.
func (e *StartError) Error() string { return e.text }

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// pick returns the entry for a chain. The list has one entry for all chains or one per chain; pick
// returns nil if it is empty.
func pick[T any](list []T, chain int) *T {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return &list[0]
	}
	return &list[chain]
}
