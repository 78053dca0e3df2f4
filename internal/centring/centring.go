// Package centring samples values θ with location μ and scale σ, both of which depend on other coordinates, in
// the coordinates
//
//	u = (θ - μ) / σ^(1-λ),   0 ≤ λ < 1,
//
// or as they are, λ = 1, and learns each λ from draws: λ = 0 is the form that is not centred. Where the data say
// much about a value λ = 1 samples best, and where they say little λ = 0.
//
// [Map] carries positions and gradients between such coordinates; what it needs to know of the values it asks
// [Effects].
package centring

import (
	"fmt"
	"math"
	"slices"
)

// Effects are the values whose centring may change.
type Effects interface {
	// Coordinates are the places of the values among the coordinates.
	Coordinates() []int
	// Groups has the group of each value, from 0: the values of one statement, in order.
	Groups() []int
	// Depends lists the coordinates that locations and scales depend on. None is that of a value.
	Depends() []int
	// Locate writes the location and the scale of each value at the position x.
	Locate(x, loc, sd []float64)
	// PullBack adds to grad the derivatives, in the coordinates, of the sum of dloc loc and dsd sd at the
	// position of the last Locate.
	PullBack(grad, dloc, dsd []float64)
	// Slope is the derivative in θ of the log density of value i given its location and scale.
	Slope(i int, theta, loc, sd float64) float64
}

// Map is the memory of one chain.
type Map struct {
	e              Effects
	at, group      []int
	c              []float64 // λ of each value; nil: as declared
	loc, sd, scale []float64
	dloc, dsd      []float64
	x              []float64
}

// New returns a map for positions of dim coordinates.
func New(e Effects, dim int) *Map {
	n := len(e.Coordinates())
	return &Map{e: e, at: e.Coordinates(), group: e.Groups(), loc: make([]float64, n), sd: make([]float64, n),
		scale: make([]float64, n), dloc: make([]float64, n), dsd: make([]float64, n), x: make([]float64, dim)}
}

// Now is the λ of each value, nil if all are as declared.
func (m *Map) Now() []float64 { return m.c }

// Set chooses coordinates: λ of each value, or nil.
func (m *Map) Set(c []float64) error {
	if c == nil {
		m.c = nil
		return nil
	}
	if len(c) != len(m.at) {
		return fmt.Errorf("centring: %d numbers describe coordinates, want %d", len(c), len(m.at))
	}
	for _, l := range c {
		if !(l >= 0 && l <= 1) {
			return fmt.Errorf("centring: a degree of centring is %v, want 0 to 1", l)
		}
	}
	m.c = slices.Clone(c)
	return nil
}

// locate finds locations and the powers of scales at x, of which values are not looked at.
func (m *Map) locate(c, x []float64) (logJ float64) {
	m.e.Locate(x, m.loc, m.sd)
	for i, l := range c {
		m.scale[i] = 1
		switch {
		case l == 0:
			m.scale[i] = m.sd[i]
			logJ += math.Log(m.sd[i])
		case l < 1:
			w := (1 - l) * math.Log(m.sd[i])
			m.scale[i] = math.Exp(w)
			logJ += w
		}
	}
	return logJ
}

// Declared returns the position as declared of u in the coordinates of the map, and the log of the Jacobian. The
// position is overwritten by the next call.
func (m *Map) Declared(u []float64) (x []float64, logJ float64) { return m.declared(m.c, u) }

func (m *Map) declared(c, u []float64) ([]float64, float64) {
	copy(m.x, u)
	if c == nil {
		return m.x, 0
	}
	logJ := m.locate(c, m.x)
	for i, l := range c {
		if l < 1 {
			m.x[m.at[i]] = m.loc[i] + m.scale[i]*u[m.at[i]]
		}
	}
	return m.x, logJ
}

// Pull turns the gradient at the position of the last Declared into that in the coordinates of the map, with the
// Jacobian.
func (m *Map) Pull(grad []float64) {
	if m.c != nil {
		m.pull(m.c, m.x, grad)
	}
}

// pull: with g the derivative in θ, that in u is σ^(1-λ) g, μ gains g and σ gains (1-λ) ((θ-μ) g + 1)/σ. Locate
// has been at x.
func (m *Map) pull(c, x, grad []float64) {
	m.gains(c, x, func(i int) float64 { return grad[m.at[i]] })
	for i := range c {
		grad[m.at[i]] *= m.scale[i]
	}
	m.e.PullBack(grad, m.dloc, m.dsd)
}

func (m *Map) gains(c, x []float64, g func(i int) float64) {
	for i, l := range c {
		m.dloc[i], m.dsd[i] = 0, 0
		if l < 1 {
			m.dloc[i] = g(i)
			m.dsd[i] = (1 - l) * ((x[m.at[i]]-m.loc[i])*g(i) + 1) / m.sd[i]
		}
	}
}

// Carry maps a position and its gradient, unless that is nil, from some coordinates to others.
func (m *Map) Carry(from, to, x, grad []float64) {
	if from != nil {
		own, _ := m.declared(from, x)
		copy(x, own)
		if grad != nil { // the other way round
			for i := range from {
				grad[m.at[i]] /= m.scale[i]
			}
			m.gains(from, x, func(i int) float64 { return grad[m.at[i]] })
			for i := range m.dloc {
				m.dloc[i], m.dsd[i] = -m.dloc[i], -m.dsd[i]
			}
			m.e.PullBack(grad, m.dloc, m.dsd)
		}
	}
	if to == nil {
		return
	}
	m.locate(to, x)
	if grad != nil {
		m.pull(to, x, grad)
	}
	for i, l := range to {
		if l < 1 {
			x[m.at[i]] = (x[m.at[i]] - m.loc[i]) / m.scale[i]
		}
	}
}
