package model

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"bayeskernel/engine"

	"bayeskernel/priors"
)

// Model is a list of declarations: data, parameters with their distributions, what is computed of
// them, and what was observed. Declarations do not fail: Compile reports all that is wrong with
// them, with file and line.
type Model struct {
	graph        engine.Graph
	declared     int // of a program: so many of the nodes were declared, the others come from rewrites
	factors      []*Factor
	indices      []*Index
	matrices     []*Matrix
	parameters   []*parameter
	free         int      // coordinates of all of them
	records      []record // in order of declaration
	data         []*engine.Node
	observations []*observation
	densities    []*engine.Node // AddLogDensity
	factored     []*observation // Density
	predictions  []*observation
	latents      []*latent
	names        map[string]string // where declared
	wrong        []string
}

// New returns an empty model.
func New() *Model { return &Model{names: map[string]string{}} }

// parameter is a block of unconstrained coordinates.
type parameter struct {
	name      string
	node      *engine.Node
	transform priors.Transform
	of        *engine.Node        // the parameter as declared: node, or shift + scale node
	prior     engine.Distribution // of the values of of
	// Dist is what its term in the density has: of the values of of, or, not centred, of node.
	dist         engine.Distribution
	lo, hi       float64 // support of the values of of, if constant
	x, free      int
	where        string
	shift, scale *engine.Node // nil where of is node
	jacobian     *engine.Node // log derivative of of in node, nil where there is none
	between      bool         // of lies between shift and shift + scale
	ordered      bool
	forced       bool // Centred was asked for
}

// record is what draws have a column for: values of a node.
type record struct {
	name      string
	node      *engine.Node
	parameter bool
}

// observation is data with a distribution, or a prediction of some.
type observation struct {
	name  string
	y     *engine.Node // nil for a prediction
	n     int
	dist  engine.Distribution
	where string
	drawn *engine.Node // what Predict returned
	known []int        // the values that LogLik has, nil for all
}

// nth is the place of value i of those that are known, nil for all.
func nth(known []int, i int) int {
	if known == nil {
		return i
	}
	return known[i]
}

// caller is the file and line outside this package from which it was called.
func caller() string {
	var pc [24]uintptr
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "bayeskernel/model.") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "unknown"
		}
	}
}

func (m *Model) failAt(where, format string, args ...any) {
	m.wrong = append(m.wrong, where+": "+fmt.Sprintf(format, args...))
}

// elementName is what values of vectors and matrices are called.
var elementName = regexp.MustCompile(`\[[0-9]+(,[0-9]+)*\]$`)

// declareName wants a new name, on one line, that is not that of a value of a vector: a[1] is the first of a.
func (m *Model) declareName(name, where string) {
	switch before, taken := m.names[name]; {
	case strings.TrimSpace(name) == "":
		m.failAt(where, "a declaration has no name")
	case strings.ContainsFunc(name, unicode.IsControl):
		m.failAt(where, "the name %q has a line break, or another control character, want none", name)
	case elementName.MatchString(name):
		m.failAt(where, "the name %s is that of a value of a vector, want one without an index", name)
	case taken:
		m.failAt(where, "the name %s is taken: see %s", name, before)
	default:
		m.names[name] = where
	}
}

// Data declares a vector of data. Programs can exchange its values: see Program.With.
func (m *Model) Data(name string, values []float64) Expr {
	where := caller()
	m.declareName(name, where)
	if len(values) == 0 {
		m.failAt(where, "data %s: it has no values, want at least one", name)
		return Expr{m.brokenNode(where)}
	}
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			m.failAt(where, "data %s: value %d is %v, want a finite number (see Missing)", name, i+1, v)
			return Expr{m.brokenNode(where)}
		}
	}
	n := m.add(&engine.Node{N: len(values), Value: slices.Clone(values), Fixed: true},
		declaration{what: "data " + name, where: where})
	m.data = append(m.data, n)
	return Expr{n}
}

// Counts declares a vector of whole numbers.
func (m *Model) Counts(name string, values []int) Expr {
	v := make([]float64, len(values))
	for i, k := range values {
		v[i] = float64(k)
	}
	return m.Data(name, v)
}

// Option changes how a parameter is sampled, never its distribution.
type Option int

const (
	// NonCentred samples z with location 0 and scale 1 in place of the parameter, which is location +
	// scale z: better where the data say little about each value of a group. Without this option and
	// Centred, warm-up learns what is best for each value.
	NonCentred Option = iota + 1
	// Centred samples a parameter itself.
	Centred
)

// Real declares a parameter that may be any number.
func (m *Model) Real(name string, d Dist, o ...Option) Expr {
	return m.parameter(name, 1, true, nil, math.Inf(-1), math.Inf(1), d, o)
}

// Positive declares a positive parameter.
func (m *Model) Positive(name string, d Dist, o ...Option) Expr {
	return m.parameter(name, 1, true, nil, 0, math.Inf(1), d, o)
}

// Interval declares a parameter between two constants, of which one may be infinite.
func (m *Model) Interval(name string, lo, hi float64, d Dist) Expr {
	return m.parameter(name, 1, true, nil, lo, hi, d, nil)
}

// Reals declares n parameters with the same distribution or, if its arguments have n values, one for
// each.
func (m *Model) Reals(name string, n int, d Dist, o ...Option) Expr {
	return m.parameter(name, n, false, nil, math.Inf(-1), math.Inf(1), d, o)
}

// Positives declares n positive parameters.
func (m *Model) Positives(name string, n int, d Dist, o ...Option) Expr {
	return m.parameter(name, n, false, nil, 0, math.Inf(1), d, o)
}

// Intervals declares n parameters between two constants.
func (m *Model) Intervals(name string, n int, lo, hi float64, d Dist) Expr {
	return m.parameter(name, n, false, nil, lo, hi, d, nil)
}

// Reals declares a parameter for each label.
func (f *Factor) Reals(name string, d Dist, o ...Option) Expr {
	return f.m.parameter(name, len(f.labels), false, f, math.Inf(-1), math.Inf(1), d, o)
}

// Positives declares a positive parameter for each label.
func (f *Factor) Positives(name string, d Dist, o ...Option) Expr {
	return f.m.parameter(name, len(f.labels), false, f, 0, math.Inf(1), d, o)
}

// Intervals declares a parameter between two constants for each label.
func (f *Factor) Intervals(name string, lo, hi float64, d Dist) Expr {
	return f.m.parameter(name, len(f.labels), false, f, lo, hi, d, nil)
}

// Ordered declares n values in increasing order. Their density is n! times that of n independent
// ones; where these have arguments of their own, so that the factor is another one, it is left out.
func (m *Model) Ordered(name string, n int, d Dist) Expr {
	where := caller()
	return m.block(name, n, false, nil, priors.Ordered{}, math.Inf(-1), math.Inf(1), d, where)
}

// PositiveOrdered declares n positive values in increasing order, as Ordered does.
func (m *Model) PositiveOrdered(name string, n int, d Dist) Expr {
	return m.block(name, n, false, nil, priors.PositiveOrdered{}, 0, math.Inf(1), d, caller())
}

// Simplex declares n positive values with sum 1; d is Dirichlet or Flat.
func (m *Model) Simplex(name string, n int, d Dist) Expr {
	where := caller()
	if n < 2 {
		m.failAt(where, "%s: a simplex of %s, want at least 2", name, plural(n, "value"))
		return Expr{m.brokenNode(where)}
	}
	return m.block(name, n, false, nil, priors.Simplex{}, 0, 1, d, where)
}

// Between declares a parameter between two expressions, of which the first must be below the second. Its distribution
// is truncated there, normalised for the ends as they are; [Flat] has density 1.
func (m *Model) Between(name string, lo, hi Expr, d Dist) Expr {
	where := caller()
	if lo.node == nil || hi.node == nil {
		m.failAt(where, "%s: an end is an Expr that no model made", name)
		return Expr{m.brokenNode(where)}
	}
	if !lo.node.Scalar || !hi.node.Scalar {
		m.failAt(where, "%s: its ends have %s and %s, want numbers", name, sizeOf(lo.node),
			sizeOf(hi.node))
		return Expr{m.brokenNode(where)}
	}
	m.declareName(name, where)
	if lo.about().summed || hi.about().summed {
		m.failAt(where, "%s: its ends depend on a latent", name)
		return Expr{m.brokenNode(where)}
	}
	u := &parameter{name: name, transform: priors.Interval{Lo: 0, Hi: 1}, lo: math.Inf(-1),
		hi: math.Inf(1), where: where}
	u.node = m.add(&engine.Node{N: 1, Scalar: true},
		declaration{param: u, what: "parameter " + name, where: where})
	width := hi.Sub(lo)
	v := lo.Add(width.Mul(Expr{u.node}))
	v.about().what, v.about().where = about(u.node).what, where
	u.jacobian = width.Log().node
	u.shift, u.scale, u.of = lo.node, width.node, v.node
	u.between = true
	if f, ok := d.d.(family); ok && f.f.Name != "flat" && !isUniformOf(f, lo, hi) {
		d = TruncateAt(d, lo, hi)
	}
	u.dist = d.in(m, name, where)
	u.prior = u.dist
	m.distribute(u)
	m.place(u)
	m.records = append(m.records, record{name, v.node, true})
	return v
}

// isUniformOf reports whether a distribution is uniform between two expressions, so that nothing of it is cut off.
func isUniformOf(f family, lo, hi Expr) bool {
	is := func(a argument, e Expr) bool {
		if a.expr != nil {
			return a.expr == e.node || formula(a.expr) == formula(e.node)
		}
		return a.fixed && e.node.Fixed && e.node.Value != nil && a.value[0] == e.node.Value[0]
	}
	return f.f.Name == "uniform" && f.cut == nil && is(f.args[0], lo) && is(f.args[1], hi)
}

// parameter declares values in an interval.
func (m *Model) parameter(name string, n int, scalar bool, over *Factor, lo, hi float64, d Dist,
	options []Option) Expr {
	where := caller()
	if !(lo < hi) {
		m.declareName(name, where)
		m.failAt(where, "%s: its ends are %v and %v, want the first below the second", name, lo, hi)
		return Expr{m.brokenNode(where)}
	}
	if slices.Contains(options, NonCentred) {
		return m.nonCentred(name, n, scalar, over, lo, hi, d, where)
	}
	e := m.block(name, n, scalar, over, priors.Interval{Lo: lo, Hi: hi}, lo, hi, d, where)
	if e.about().param != nil {
		e.about().param.forced = slices.Contains(options, Centred)
	}
	return e
}

func (m *Model) block(name string, n int, scalar bool, over *Factor, t priors.Transform, lo,
	hi float64, d Dist, where string) Expr {
	m.declareName(name, where)
	if !m.someValues(name, n, where) {
		return Expr{m.brokenNode(where)}
	}
	p := &parameter{name: name, transform: t, lo: lo, hi: hi, where: where}
	p.node = m.add(&engine.Node{N: n, Scalar: scalar},
		declaration{over: over, param: p, what: "parameter " + name, where: where})
	p.of = p.node
	switch t.(type) {
	case priors.Ordered, priors.PositiveOrdered:
		p.ordered = true
	}
	p.dist = d.in(m, name, where)
	p.prior = p.dist
	m.distribute(p)
	m.place(p)
	m.records = append(m.records, record{name, p.node, true})
	return Expr{p.node}
}

// place gives a parameter its coordinates.
func (m *Model) place(p *parameter) {
	p.x, p.free = m.free, p.transform.Free(p.node.N)
	m.free += p.free
	m.parameters = append(m.parameters, p)
}

func (m *Model) someValues(name string, n int, where string) bool {
	const most = 1 << 24
	if n < 1 || n > most {
		m.failAt(where, "%s: it has %s, want 1 to %d", name, plural(n, "value"), most)
		return false
	}
	return true
}

// nonCentred declares z, and name as location + scale z.
func (m *Model) nonCentred(name string, n int, scalar bool, over *Factor, lo, hi float64, d Dist,
	where string) Expr {
	m.declareName(name, where)
	if !m.someValues(name, n, where) {
		return Expr{m.brokenNode(where)}
	}
	in := d.in(m, name, where)
	if in == nil {
		return Expr{m.brokenNode(where)}
	}
	u, ok := in.(*engine.Univariate)
	if !ok || u.Family.Location < 0 || u.Cut != nil {
		m.failAt(where, "%s: %s is no location-scale distribution: it cannot be non-centred", name,
			d.name())
		return Expr{m.brokenNode(where)}
	}
	if !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		m.failAt(where, "%s: it is confined to (%v, %v): only what may be any number can be "+
			"non-centred", name, lo, hi)
		return Expr{m.brokenNode(where)}
	}
	p := &parameter{name: name, transform: priors.Real(), lo: lo, hi: hi, where: where}
	p.node = m.add(&engine.Node{N: n, Scalar: scalar},
		declaration{over: over, param: p, what: "the standardised parameter " + name, where: where})
	location, scale := Expr{u.Args[u.Family.Location]}, Expr{u.Args[u.Family.Scale]}
	std := *u
	std.Args = slices.Clone(u.Args)
	std.Args[u.Family.Location], std.Args[u.Family.Scale] = m.constant(0), m.constant(1)
	p.dist, p.prior = &std, u
	if dependsOnLatents(u) {
		m.failAt(where, "%s: its distribution depends on a latent: it cannot be non-centred", name)
		return Expr{m.brokenNode(where)}
	}
	p.shift, p.scale = location.node, scale.node
	for _, a := range []Expr{location, scale} {
		if !a.about().broken && !a.node.Scalar && a.node.N != n {
			m.failAt(where, "%s: %s from %s for %s", name, sizeOf(a.node), labelOf(a.node), plural(n,
				"parameter"))
			return Expr{m.brokenNode(where)}
		}
	}
	v := location.Add(scale.Mul(Expr{p.node}))
	if v.node.Scalar != scalar || v.node.N != n {
		if !v.about().broken {
			m.failAt(where, "%s: %s from its location or scale for %s", name, sizeOf(v.node),
				sizeOf(p.node))
		}
		return Expr{m.brokenNode(where)}
	}
	v.about().what, v.about().where, v.about().over = "parameter "+name, where, over
	p.of = v.node
	m.place(p)
	m.records = append(m.records, record{name, v.node, true})
	return v
}

// distribute checks that a parameter can have its distribution.
func (m *Model) distribute(p *parameter) {
	if p.dist == nil {
		return
	}
	at := engine.Place{N: p.node.N, Transform: p.transform, Lo: p.lo, Hi: p.hi, Moved: p.of != p.node, Between: p.between}
	if err := p.dist.ForParameter(at); err != nil {
		m.failAt(p.where, "%s: %v", p.name, err)
	}
}

// Observe says that y, which is data, has distribution d.
func (m *Model) Observe(y Expr, d Dist) {
	where := caller()
	if y.node == nil {
		m.failAt(where, "Observe: what was observed is an Expr that no model made")
		return
	}
	name := strings.TrimPrefix(y.about().what, "data ")
	if name == "" || name == y.about().what {
		name = fmt.Sprintf("observation %d", len(m.observations)+1)
	}
	o := &observation{name: name, y: y.node, n: y.node.N, where: where, dist: d.in(m, name, where)}
	if y.about().m != m {
		m.failAt(where, "Observe: %s belongs to another model", labelOf(y.node))
		return
	}
	if o.dist == nil || y.about().broken {
		return
	}
	if err := o.dist.ForValues(y.node, name); err != nil {
		m.failAt(where, "%v", err)
	}
	if y.about().summed {
		m.failAt(where, "Observe: %s depends on a latent, want data", formula(y.node))
	} else if !isData(y.node) {
		m.failAt(where, "Observe: %s depends on parameters, want data: say Density for a density "+
			"of what is computed", formula(y.node))
	}
	m.observations = append(m.observations, o)
}

// Density multiplies the density by that of d at e, which may be computed of parameters: smoothness of a
// random effect, for example, or a prior of a ratio. The name is for messages. As in Stan there is no
// Jacobian: where e stands for a parameter, add the log of its derivative. There is nothing to draw from
// in such a factor: Prior and Reference do without, and simulations are refused. Autoregression, ICAR and
// SumToZero are distributions of parameters, which can be drawn.
func (m *Model) Density(name string, e Expr, d Dist) {
	where := caller()
	m.declareName(name, where)
	if e.node == nil || e.about().m != m {
		m.failAt(where, "%s: the argument is an Expr of no model or of another one", name)
		return
	}
	o := &observation{name: name, y: e.node, n: e.node.N, where: where, dist: d.in(m, name, where)}
	if o.dist == nil || e.about().broken {
		return
	}
	if err := o.dist.ForValues(e.node, name); err != nil {
		m.failAt(where, "%v", err)
		return
	}
	if e.about().summed || dependsOnLatents(o.dist) {
		m.failAt(where, "%s: a factor depends on a latent, want data observed given latents", name)
		return
	}
	m.factored = append(m.factored, o)
}

// AddLogDensity adds the sum of the values of e to the log density.
func (m *Model) AddLogDensity(e Expr) {
	where := caller()
	if e.node == nil || e.about().m != m {
		m.failAt(where, "AddLogDensity: the argument is an Expr of no model or of another one")
		return
	}
	m.densities = append(m.densities, e.node)
}

// Quantity records e with each draw; where e depends on predictions, with the draws of these.
func (m *Model) Quantity(name string, e Expr) {
	where := caller()
	m.declareName(name, where)
	if e.node == nil || e.about().m != m {
		m.failAt(where, "%s: the quantity is an Expr of no model or of another one", name)
		return
	}
	if e.about().summed || m.predictedBy()[e.node.ID] != nil {
		m.predictions = append(m.predictions, &observation{name: name, n: e.node.N, where: where,
			dist: &engine.Exactly{E: e.node}})
		return
	}
	m.records = append(m.records, record{name, e.node, false})
}

// Missing declares data of which the NaNs are missing: they become parameters, called by their places among the
// values, as name[3] and name[5], with a flat density of their own. Observe the result, which gives them their
// distribution.
func (m *Model) Missing(name string, values []float64) Expr {
	where := caller()
	known, at, gaps := []float64{}, make([]int, len(values)), []int{}
	for _, v := range values {
		if !math.IsNaN(v) {
			known = append(known, v)
		}
	}
	k := 0
	for i, v := range values {
		if math.IsNaN(v) {
			at[i] = len(known) + len(gaps)
			gaps = append(gaps, i)
			continue
		}
		at[i] = k
		k++
	}
	if len(gaps) == 0 {
		return m.Data(name, values)
	}
	if len(known) == 0 {
		m.declareName(name, where)
		m.failAt(where, "data %s: all values are missing", name)
		return Expr{m.brokenNode(where)}
	}
	p := m.Reals(name, len(gaps), Flat())
	if p.about().broken {
		return p
	}
	p.about().places = gaps
	out := Stack(m.Values(known), p).At(at)
	out.about().what = "data " + name
	return out
}

// check returns all that is wrong.
func (m *Model) check() error {
	wrong := slices.Clone(m.wrong)
	wrong = append(wrong, m.usedTooEarly()...)
	if len(m.parameters) == 0 && len(wrong) == 0 {
		wrong = append(wrong, "it has no parameters")
	}
	if len(wrong) == 0 {
		return nil
	}
	slices.Sort(wrong)
	wrong = slices.Compact(wrong)
	if len(wrong) == 1 {
		return errors.New("model: " + wrong[0])
	}
	return fmt.Errorf("model: %d errors\n\t%s", len(wrong), strings.Join(wrong, "\n\t"))
}
