package stan

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/hmc"
	"bayeskernel/internal/centring"
	"bayeskernel/stan/record"
	"bayeskernel/stan/syntax"
	"bayeskernel/stan/types"
)

// Program is a program that was read and whose types are right.
type Program struct {
	tree  *syntax.Program
	notes []syntax.Error
}

// Parse reads a program and checks it. The error is syntax.Errors: all that is wrong, each with its place.
func Parse(source string) (*Program, error) {
	tree, err := syntax.Parse(source)
	if err != nil {
		return nil, err
	}
	library, err := record.Library()
	if err != nil {
		return nil, err
	}
	info, err := types.Check(tree, library)
	if err != nil {
		return nil, err
	}
	return &Program{tree, syntax.Sorted(append(info.Notes, tree.Notes...))}, nil
}

// Notes are on old syntax, the first place of each, and on statements that are never reached.
func (p *Program) Notes() []syntax.Error { return p.notes }

// Format writes the program in its canonical, modern form.
func (p *Program) Format() string { return syntax.Format(p.tree) }

// Data has the values of the data block by their names: numbers, and lists of lists.
type Data = record.Data

// ParseData reads data as CmdStan does, from a JSON object or what R's dump writes.
func ParseData(b []byte) (Data, error) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if text := bytes.TrimSpace(b); len(text) > 0 && text[0] != '{' && text[0] != '[' {
		d, err := parseDump(b)
		if err != nil {
			return nil, fmt.Errorf("stan: data: %w", err)
		}
		return d, nil
	}
	d, err := parseJSON(b)
	if err != nil {
		return nil, fmt.Errorf("stan: data: %w", err)
	}
	return d, nil
}

// Model is a program with its data.
type Model struct {
	p       *record.Program
	seed    uint64
	names   []string // parameters and transformed parameters
	columns []string // and generated quantities, as draws have them
	effects *record.Effects
	units   []record.Stretch // the coordinates of unit vectors
}

// Options change how a program is run.
type Options struct {
	Seed         uint64       // of random numbers in transformed data
	ODETolerance float64      // in the place of those of the program, if not 0
	Print        func(string) // receives what print says; nil: it is lost
}

// Bind reads the data of a program.
func (p *Program) Bind(d Data, o Options) (*Model, error) {
	m, err := record.BindPrinting(p.tree, d, o.Seed, o.Print)
	if err != nil {
		return nil, fmt.Errorf("stan: %w", err)
	}
	m.ODETolerance = o.ODETolerance
	out := &Model{p: m, seed: o.Seed, units: m.UnitVectors()}
	// Names need a point that the program does not reject.
	r := rand.New(rand.NewPCG(1, 2))
	u := make([]float64, m.Dim())
	for try := range 200 {
		if out.names, err = m.Names(u); err == nil || !record.Rejected(err) {
			break
		}
		for i := range u {
			u[i] = (4*r.Float64() - 2) * min(1, float64(try+1)/20)
		}
	}
	if err == nil {
		out.effects, err = m.Effects(u)
		v := slices.Clone(u)
		for try := 0; try < 50 && record.Rejected(err); try++ {
			for i := range v {
				v[i] = (4*r.Float64() - 2) * min(1, float64(try+1)/20)
			}
			out.effects, err = m.Effects(v)
		}
	}
	if err != nil && !record.Rejected(err) {
		return nil, fmt.Errorf("stan: %w", err)
	}
	if out.names == nil && err != nil {
		return nil, fmt.Errorf("stan: the program rejects all points tried: %w", err)
	}
	all, err := m.Columns(u, out.random(u))
	if err != nil && !record.Rejected(err) {
		return nil, fmt.Errorf("stan: %w", err)
	}
	if err != nil {
		all = out.names
	}
	for _, n := range all {
		out.columns = append(out.columns, bracketed(n))
	}
	return out, nil
}

// random is the stream of the generated quantities at u. It follows from the seed and u alone, so that a
// draw has the same quantities wherever and whenever it is computed.
func (m *Model) random(u []float64) *rand.Rand {
	h := fnv.New64a()
	var b [8]byte
	for _, v := range u {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		h.Write(b[:])
	}
	return rand.New(rand.NewPCG(m.seed, h.Sum64()))
}

// Dim is the number of unconstrained coordinates.
func (m *Model) Dim() int { return m.p.Dim() }

// Names are those of parameters and transformed parameters in Stan's order: theta.1.2, the first index
// fastest.
func (m *Model) Names() []string { return m.names }

// LogDensity returns the log density at u with its gradient: -Inf, with the reason, where the program
// rejects u.
func (m *Model) LogDensity(u, grad []float64) (float64, error) {
	lp, _, err := m.Evaluate(u, grad)
	return lp, err
}

// Evaluate is LogDensity that also returns the values that Names names, nil where the program rejects u.
func (m *Model) Evaluate(u, grad []float64) (lp float64, values []float64, err error) {
	lp, values, err = m.p.Evaluate(u, grad)
	if err != nil && !record.Rejected(err) {
		err = fmt.Errorf("stan: %w", err)
	}
	return lp, values, err
}

// Rejected reports whether an error says that the density is 0 at a point.
func Rejected(err error) bool { return record.Rejected(err) }

// Values are parameters and transformed parameters at u.
func (m *Model) Values(u []float64) ([]float64, error) { return m.p.Values(u) }

// Target makes the density of one chain: Model.Target is an hmc.Factory. Warm-up may sample values whose normal
// or Student-t density has a scale that is a parameter in other coordinates than those declared: see package
// internal/centring. Draws are as declared.
func (m *Model) Target() (hmc.Target, error) {
	t := &target{m: m, c: m.p.NewChain()}
	if !m.effects.None() {
		t.centring = centring.New(m.effects.Evaluator(), m.Dim())
	}
	return t, nil
}

type target struct {
	m        *Model
	c        *record.Chain
	centring *centring.Map // nil: there is nothing to learn
}

var _ hmc.Reparametrizer = (*target)(nil)

func (t *target) Dim() int { return t.m.Dim() }

// Approximate implements hmc.Approximator.
func (t *target) Approximate() bool { return t.m.p.Approximate() }

func (t *target) LogDensity(x, grad []float64) float64 {
	if t.centring == nil || t.centring.Now() == nil {
		return t.c.LogDensity(x, grad)
	}
	own, logJ := t.centring.Declared(x)
	lp := t.c.LogDensity(own, grad) + logJ
	if math.IsNaN(lp) || math.IsInf(lp, -1) {
		return math.Inf(-1)
	}
	t.centring.Pull(grad)
	return lp
}

// Failed implements hmc.Failer: it is an error of the program, other than a reject, at the last point.
func (t *target) Failed() error {
	if why := t.c.Why(); why != nil && !record.Rejected(why) {
		return fmt.Errorf("stan: %w", why)
	}
	return nil
}

// own is a position as declared.
func (t *target) own(x []float64) []float64 {
	if t.centring != nil {
		x, _ = t.centring.Declared(x)
	}
	return x
}

// SetCoordinates implements hmc.Reparametrizer.
func (t *target) SetCoordinates(c []float64) error {
	if t.centring == nil {
		if c != nil {
			return fmt.Errorf("stan: coordinates for a program that has none to choose")
		}
		return nil
	}
	return t.centring.Set(c)
}

// Learn implements hmc.Reparametrizer.
func (t *target) Learn(x, grad [][]float64) []float64 {
	if t.centring == nil {
		return nil
	}
	return t.centring.Learn(x, grad)
}

// Carry implements hmc.Reparametrizer.
func (t *target) Carry(from, to, x, grad []float64) {
	if t.centring != nil {
		t.centring.Carry(from, to, x, grad)
	}
}

// Names are those of parameters, transformed parameters and generated quantities: theta[1,2].
func (t *target) Names() []string { return t.m.columns }

// Constrain writes them; what a program rejects is NaN.
func (t *target) Constrain(dst, x []float64) {
	x = t.own(x)
	values, err := t.c.Generate(x, t.m.random(x))
	if err != nil { // of the generated quantities, perhaps: the rest is known
		values, _ = t.m.p.Values(x)
	}
	for i := copy(dst, values); i < len(dst); i++ {
		dst[i] = math.NaN()
	}
}

// Why is Explain with the place in the program, an error that wraps a *record.Error; nil where there is nothing to say.
func (t *target) Why(x []float64) error { return t.m.p.Why(t.own(x)) }

// Explain says why a point has no density.
func (t *target) Explain(x []float64) string {
	return t.m.p.Explain(t.own(x))
}

// bracketed turns theta.1.2 into theta[1,2].
func bracketed(name string) string {
	b := []byte(name)
	open := false
	for i, c := range b {
		if c == '.' && !open {
			b[i], open = '[', true
		} else if c == '.' {
			b[i] = ','
		}
	}
	if open {
		b = append(b, ']')
	}
	return string(b)
}
