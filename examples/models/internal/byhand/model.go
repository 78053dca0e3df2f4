package byhand

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"bayeskernel/hmc"
	"bayeskernel/priors"
)

// LogLikelihood returns the log likelihood at the values v of all parameters, on their own scale
// and in the order of declaration, and writes its gradient into grad, which has the length of v
// and comes zeroed. It must neither change nor keep v or grad. Outside its support it returns
// -Inf.
type LogLikelihood func(v, grad []float64) float64

// Model is a list of named parameters with their supports and priors, and of quantities derived
// from them. The zero value is an empty model. Declarations do not fail: what is wrong with them
// is reported, all at once, by the factory that Factory returns.
//
// A prior may reach beyond the support of its parameter, as in a normal prior on a positive
// parameter. It is then truncated, and the constant that would normalise it again is left out;
// likewise the k! of a prior on k ordered values. A nil prior is priors.Flat. A prior confined to
// less than the support of its parameter is an error, for a sampler that follows gradients would
// run into its walls: declare the parameter with the narrower support.
type Model struct {
	blocks     []block
	quantities []quantity
	values     int // values declared so far
	free       int // unconstrained coordinates behind them
	errs       []error
}

// block is one declared parameter: n values behind free coordinates.
type block struct {
	name    string
	scalar  bool
	v, n    int // offset and number of the values
	x, free int // offset and number of the unconstrained coordinates
	t       priors.Transform
	prior   priors.Prior     // of each value; nil where joint is in force
	joint   priors.Dirichlet // of all values together
}

// quantity is a derived quantity of n values.
type quantity struct {
	name   string
	scalar bool
	n      int
	f      func(dst, v []float64)
}

// Vector locates a parameter of several values within the values of a model.
type Vector struct{ Offset, Len int }

// Of returns the part of v, values or gradient, that belongs to the parameter.
func (p Vector) Of(v []float64) []float64 { return v[p.Offset : p.Offset+p.Len : p.Offset+p.Len] }

// Real declares a real parameter. Like all the declarations of one value, it returns the index of
// the parameter in the values v and the gradient of a LogLikelihood.
func (m *Model) Real(name string, prior priors.Prior) int {
	return m.scalar(name, priors.Real(), prior)
}

// Positive declares a positive parameter.
func (m *Model) Positive(name string, prior priors.Prior) int {
	return m.scalar(name, priors.Positive(), prior)
}

// Interval declares a parameter between lo and hi, either of which may be infinite.
func (m *Model) Interval(name string, lo, hi float64, prior priors.Prior) int {
	return m.scalar(name, priors.Interval{Lo: lo, Hi: hi}, prior)
}

// Reals declares n real parameters, name[1] to name[n], with the same prior.
func (m *Model) Reals(name string, n int, prior priors.Prior) Vector {
	return m.Declare(name, n, priors.Real(), prior)
}

// Positives declares n positive parameters with the same prior.
func (m *Model) Positives(name string, n int, prior priors.Prior) Vector {
	return m.Declare(name, n, priors.Positive(), prior)
}

// Intervals declares n parameters between lo and hi with the same prior.
func (m *Model) Intervals(name string, n int, lo, hi float64, prior priors.Prior) Vector {
	return m.Declare(name, n, priors.Interval{Lo: lo, Hi: hi}, prior)
}

// Ordered declares n values in increasing order; prior is that of each value.
func (m *Model) Ordered(name string, n int, prior priors.Prior) Vector {
	return m.Declare(name, n, priors.Ordered{}, prior)
}

// Simplex declares n positive values with sum 1 and a Dirichlet prior: uniform without alpha,
// symmetric with one alpha, general with n of them.
func (m *Model) Simplex(name string, n int, alpha ...float64) Vector {
	switch len(alpha) {
	case 0:
		alpha = []float64{1}
	case 1, n:
	default:
		m.fail("%s: %d values of alpha for a simplex of %d, want none, 1 or %d",
			name, len(alpha), n, n)
		alpha = alpha[:1]
	}
	return m.declare(block{name: name, n: n, t: priors.Simplex{},
		joint: priors.Dirichlet{Alpha: alpha}})
}

// Declare declares n values with any transform; prior is that of each value.
func (m *Model) Declare(name string, n int, t priors.Transform, prior priors.Prior) Vector {
	return m.declare(block{name: name, n: n, t: t, prior: prior})
}

func (m *Model) scalar(name string, t priors.Transform, prior priors.Prior) int {
	return m.declare(block{name: name, scalar: true, n: 1, t: t, prior: prior}).Offset
}

// Quantity declares a quantity derived from the values of the parameters, which is recorded after
// them. All chains call f at the same time, so that it may write nothing shared.
func (m *Model) Quantity(name string, f func(v []float64) float64) {
	q := quantity{name: name, scalar: true, n: 1}
	if f != nil {
		q.f = func(dst, v []float64) { dst[0] = f(v) }
	}
	m.derive(q)
}

// Quantities is Quantity for n of them, name[1] to name[n], which f writes into dst.
func (m *Model) Quantities(name string, n int, f func(dst, v []float64)) {
	m.derive(quantity{name: name, n: n, f: f})
}

// Factory returns the factory of the posterior density given by the parameters declared so far and
// a log likelihood. It calls likelihood once for each chain, so that a function with a workspace
// can make one; nil leaves the priors alone. The targets also implement hmc.Constrainer and
// hmc.Initializer. Their log density includes the constants of the priors.
func (m *Model) Factory(likelihood func() LogLikelihood) hmc.Factory {
	c, err := m.compile()
	return func() (hmc.Target, error) {
		if err != nil {
			return nil, err
		}
		t := c.target()
		if likelihood != nil {
			if t.likelihood = likelihood(); t.likelihood == nil {
				return nil, errors.New("byhand: the function that makes the likelihood returned nil")
			}
		}
		return t, nil
	}
}

// Unconstrain returns the point of the sampler's space behind the values v of all parameters, for
// use as a starting point.
func (m *Model) Unconstrain(v []float64) ([]float64, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if len(v) != m.values {
		return nil, fmt.Errorf("byhand: got %d values for the parameters, want %d", len(v), m.values)
	}
	x := make([]float64, m.free)
	for _, b := range m.blocks {
		if err := b.t.Unconstrain(b.coords(x), b.part(v)); err != nil {
			return nil, fmt.Errorf("byhand: %s: %s", b.name, unprefixed(err))
		}
	}
	return x, nil
}

func (m *Model) declare(b block) Vector {
	if !m.checkSize(b.name, b.n) {
		return Vector{Offset: m.values}
	}
	switch alpha := b.joint.Alpha; {
	case len(alpha) == 1:
		b.joint.Alpha = slices.Repeat(alpha, b.n)
	case alpha != nil:
		b.joint.Alpha = slices.Clone(alpha)
	case b.prior == nil:
		b.prior = priors.Flat{}
	}
	if b.t == nil {
		m.fail("%s: the transform is nil", b.name)
		b.t = priors.Real()
	}
	b.v, b.x, b.free = m.values, m.free, b.t.Free(b.n)
	m.checkSupport(b)
	m.blocks = append(m.blocks, b)
	m.values += b.n
	m.free += b.free
	return Vector{b.v, b.n}
}

// checkSupport compares the support of a parameter with that of its prior.
func (m *Model) checkSupport(b block) {
	lo, hi := b.t.Bounds()
	switch {
	case !(lo < hi):
		m.fail("%s: its support goes from %v to %v, want the first below the second", b.name, lo, hi)
		return
	case finite(lo) && finite(hi) && !finite(hi-lo):
		m.fail("%s: its support (%v, %v) is too wide for double precision", b.name, lo, hi)
		return
	case b.free < 1:
		m.fail("%s: %d values leave nothing free, want more of them", b.name, b.n)
		return
	}
	check := b.joint.Check
	if b.prior != nil {
		check = b.prior.Check
	}
	if err := check(); err != nil {
		m.fail("%s: %s", b.name, unprefixed(err))
		return
	}
	if b.prior == nil {
		return
	}
	if plo, phi := b.prior.Support(); !(plo <= lo && hi <= phi) {
		m.fail("%s: the prior %v is confined to (%v, %v) but the parameter to (%v, %v), want it "+
			"declared with a support within the prior's", b.name, b.prior, plo, phi, lo, hi)
	}
}

func (m *Model) derive(q quantity) {
	if q.f == nil {
		m.fail("%s: the function that derives it is nil", q.name)
	} else if m.checkSize(q.name, q.n) {
		m.quantities = append(m.quantities, q)
	}
}

// checkSize wants a number of values that is positive and will not exhaust memory.
func (m *Model) checkSize(name string, n int) bool {
	const most = 1 << 24
	if n < 1 || n > most {
		m.fail("%s: declared with %d values, want 1 to %d", name, n, most)
		return false
	}
	return true
}

// unprefixed is the message of an error from package priors, for one that starts with this
// package's name and that of the parameter.
func unprefixed(err error) string { return strings.TrimPrefix(err.Error(), "priors: ") }

func (m *Model) fail(format string, args ...any) {
	m.errs = append(m.errs, fmt.Errorf(format, args...))
}

// check returns everything that is wrong with the declarations, in one line.
func (m *Model) check() error {
	var wrong []string
	for _, err := range m.errs {
		wrong = append(wrong, err.Error())
	}
	if m.values == 0 && len(wrong) == 0 {
		wrong = append(wrong, "it has no parameters")
	}
	wrong = append(wrong, m.checkNames()...)
	if wrong == nil {
		return nil
	}
	return errors.New("byhand: " + strings.Join(wrong, "; "))
}

// checkNames looks for missing and repeated names, also among the names of single values.
func (m *Model) checkNames() (wrong []string) {
	declared := make(map[string]int)
	for _, b := range m.blocks {
		declared[b.name]++
	}
	for _, q := range m.quantities {
		declared[q.name]++
	}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		if name == "" {
			wrong = append(wrong, "a parameter or quantity has no name")
		} else if declared[name] > 1 {
			wrong = append(wrong, fmt.Sprintf("the name %s is used %d times", name, declared[name]))
		}
	}
	if wrong != nil {
		return wrong
	}
	seen := make(map[string]bool)
	for _, name := range m.names() {
		if seen[name] {
			return []string{fmt.Sprintf("the name %s is used twice", name)}
		}
		seen[name] = true
	}
	return nil
}

// names lists what is recorded: parameters, then quantities.
func (m *Model) names() []string {
	var names []string
	add := func(name string, scalar bool, n int) {
		for i := range n {
			if scalar {
				names = append(names, name)
			} else {
				names = append(names, fmt.Sprintf("%s[%d]", name, i+1))
			}
		}
	}
	for _, b := range m.blocks {
		add(b.name, b.scalar, b.n)
	}
	for _, q := range m.quantities {
		add(q.name, q.scalar, q.n)
	}
	return names
}

func (b block) part(v []float64) []float64   { return v[b.v : b.v+b.n : b.v+b.n] }
func (b block) coords(x []float64) []float64 { return x[b.x : b.x+b.free : b.x+b.free] }

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
