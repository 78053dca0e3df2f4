package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"bayeskernel/engine"
)

// Compile sums latents out in four steps. Each term of the log density that depends on latents is a
// factor. What a row of it depends on are slots: for one slot, each row has one value of one latent. For
// every combination of states of the slots, the expressions of the factor are computed once, over all
// rows, with the states in the place of latents: these are its columns. Latents that share factors are
// a block, and an operation of the engine sums a block out.

// factor is a term of the log density that depends on latents.
type factor struct {
	name, where string
	dist        engine.Distribution
	y           *engine.Node
	added       bool // y is a term itself, and there is no distribution
	together    bool // the values have one density
	rows        int
	observation *observation // nil of the others
	prior       bool         // of a latent
	slots       []*slot
}

// slot is a value of a latent for each row of a factor.
type slot struct {
	of *latent
	at []int
}

// dependsOnLatents reports whether an argument of a distribution does.
func dependsOnLatents(d engine.Distribution) bool {
	return d != nil && slices.ContainsFunc(d.Arguments(), func(n *engine.Node) bool { return about(n).summed })
}

// block is latents that are summed out together.
type block struct {
	latents    []*latent
	first      []int // the first variable of each: variables are the values of all
	states     []int // of each variable
	factors    []*factor
	component  []int // of each variable: components do not depend on each other
	components int
	op         engine.Operation
	columns    []*engine.Node // its arguments
	sum        *engine.Node
	added      bool // AddLogDensity depends on the latents
	parameters bool // the distribution of a parameter does
	// What LogLik has: the name, and components in the order of the rows that were observed.
	name     string
	observed []int
}

// called names the latents.
func (b *block) called() string {
	var names []string
	for _, l := range b.latents {
		names = append(names, l.name)
	}
	return strings.Join(names, ", ")
}

// String says how the block is summed out.
func (b *block) String() string {
	how := ""
	switch op := b.op.(type) {
	case engine.Independent:
		how = fmt.Sprintf("one by one, %d states each", op.States)
	case engine.HiddenMarkov:
		how = fmt.Sprintf("as %s of %d states", plural(len(op.Lengths), "chain"), op.States)
	case *engine.Elimination:
		how = fmt.Sprintf("by elimination, in %s, tables of at most %s", plural(b.components, "component"),
			plural(op.Largest(), "value"))
	}
	return fmt.Sprintf("sum over %s: %s", b.called(), how)
}

// factors lists the terms that depend on latents.
func (p *Program) factors() []*factor {
	var out []*factor
	add := func(f *factor) {
		switch f.dist.(type) {
		case nil, *engine.Univariate, *engine.Mixture, *engine.Categorical, *engine.Ordinal:
		default:
			f.together = true
		}
		f.rows = f.y.N
		if f.together {
			f.rows = 1
		}
		out = append(out, f)
	}
	for _, l := range p.m.latents {
		if d, ok := l.dist.(*engine.Markov); ok {
			for _, f := range p.chainFactors(l, d) {
				add(f)
			}
			continue
		}
		add(&factor{name: l.name, where: l.where, dist: l.dist, y: l.node, prior: true})
	}
	for _, q := range p.m.parameters {
		if dependsOnLatents(q.dist) {
			add(&factor{name: q.name, where: q.where, dist: q.dist, y: q.of})
		}
	}
	for _, o := range p.m.observations {
		if dependsOnLatents(o.dist) {
			add(&factor{name: o.name, where: o.where, dist: o.dist, y: o.y, observation: o})
		}
	}
	for _, e := range p.m.densities {
		if about(e).summed {
			e = termsOf(e)
			add(&factor{name: "AddLogDensity", where: about(e).where, y: e, added: true})
		}
	}
	return out
}

// termsOf is what a sum adds up, which goes into the log density one by one as well.
func termsOf(e *engine.Node) *engine.Node {
	if s, ok := e.Op.(engine.Sum); ok && s.Scale == 1 {
		return termsOf(e.Args[0])
	}
	return e
}

// chainFactors are those of the first states of chains and those of two states in succession.
func (p *Program) chainFactors(l *latent, d *engine.Markov) []*factor {
	var firsts, befores, afters []int
	i := 0
	for _, n := range d.Chains(l.node.N) {
		firsts = append(firsts, i)
		for range n - 1 {
			befores, afters = append(befores, i), append(afters, i+1)
			i++
		}
		i++
	}
	values := func(at []int) *engine.Node {
		return p.m.compute(engine.Gather{At: at}, len(at), false, l.where, l.node)
	}
	out := []*factor{{dist: &engine.Categorical{P: d.Initial, K: d.K}, y: values(firsts)}}
	if len(befores) > 0 {
		from := values(befores)
		if d.Transition.N > d.K*d.K {
			rows := make([]float64, len(afters))
			for j, t := range afters {
				rows[j] = float64(t * d.K)
			}
			at := p.m.add(&engine.Node{N: len(rows), Value: rows, Fixed: true}, declaration{where: l.where})
			from = p.m.compute(engine.Add, len(rows), false, l.where, from, at)
		}
		rows := p.m.compute(engine.Pick{Lo: 1, Width: d.K}, len(afters)*d.K, false, l.where, d.Transition,
			from)
		out = append(out, &factor{dist: &engine.Categorical{P: rows, K: d.K}, y: values(afters)})
	}
	for _, f := range out {
		f.name, f.where, f.prior = l.name, l.where, true
	}
	return out
}

// sumOut makes the blocks of the model. Rows that were observed are left out if hold says so, which is
// given the block and the component.
func (p *Program) sumOut(held func(b *block, component int) bool) ([]*block, error) {
	if len(p.m.latents) == 0 {
		return nil, nil
	}
	factors := p.factors()
	var wrong []string
	for _, f := range factors {
		if err := f.findSlots(); err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %s: %v", f.where, f.name, err))
		}
	}
	if wrong != nil {
		return nil, p.m.also(wrong)
	}
	blocks := p.group(factors)
	for _, b := range blocks {
		b.connect()
		if err := p.eliminate(b, held); err != nil {
			var large *engine.TableError
			if errors.As(err, &large) {
				err = fmt.Errorf("%s: summing out %s: %w", b.latents[0].where, b.named(large.Latents), err)
			}
			wrong = append(wrong, err.Error())
		}
	}
	if wrong != nil {
		return nil, p.m.also(wrong)
	}
	return blocks, nil
}

// also is the error of a model of which this is wrong.
func (m *Model) also(wrong []string) error {
	c := *m
	c.wrong = wrong
	return c.check()
}

// named lists some variables of a block.
func (b *block) named(variables []int) string {
	if len(variables) == 0 {
		return b.called()
	}
	var names []string
	for k, v := range variables {
		if k == 4 {
			names = append(names, "...")
			break
		}
		l, at := b.variable(v)
		names = append(names, l.name+placeOf(l.node, at))
	}
	return strings.Join(names, ", ")
}

// variable returns the latent that a variable is part of, and its place there.
func (b *block) variable(v int) (*latent, int) {
	for k := len(b.first) - 1; ; k-- {
		if v >= b.first[k] {
			return b.latents[k], v - b.first[k]
		}
	}
}

// group joins latents that share factors.
func (p *Program) group(factors []*factor) []*block {
	of := map[*latent]*latent{}
	var root func(l *latent) *latent
	root = func(l *latent) *latent {
		if of[l] == nil || of[l] == l {
			return l
		}
		return root(of[l])
	}
	place := map[*latent]int{}
	for k, l := range p.m.latents {
		place[l] = k
	}
	for _, f := range factors {
		for _, s := range f.slots[1:] {
			a, b := root(f.slots[0].of), root(s.of)
			if place[b] < place[a] {
				a, b = b, a
			}
			if a != b {
				of[b] = a
			}
		}
	}
	blocks := map[*latent]*block{}
	var out []*block
	for _, l := range p.m.latents {
		r := root(l)
		b := blocks[r]
		if b == nil {
			b = &block{}
			blocks[r] = b
			out = append(out, b)
		}
		b.latents, b.first = append(b.latents, l), append(b.first, len(b.states))
		for range l.node.N {
			b.states = append(b.states, l.states)
		}
	}
	for _, f := range factors {
		b := blocks[root(f.slots[0].of)]
		b.factors = append(b.factors, f)
		b.added = b.added || f.added
		b.parameters = b.parameters || !f.added && !f.prior && f.observation == nil
	}
	return out
}

// variables are those of a row of a factor.
func (b *block) variables(f *factor, row int) []int {
	out := make([]int, len(f.slots))
	for k, s := range f.slots {
		out[k] = b.first[slices.Index(b.latents, s.of)] + s.at[row]
	}
	return out
}

// connect finds the components, in the order of their first variables, and those that were observed,
// in the order of the rows.
func (b *block) connect() {
	parent := make([]int, len(b.states))
	for v := range parent {
		parent[v] = v
	}
	root := func(v int) int {
		for parent[v] != v {
			parent[v] = parent[parent[v]]
			v = parent[v]
		}
		return v
	}
	for _, f := range b.factors {
		for row := range f.rows {
			of := b.variables(f, row)
			for _, v := range of[1:] {
				u, w := root(of[0]), root(v)
				parent[max(u, w)] = min(u, w)
			}
		}
	}
	b.component = make([]int, len(b.states))
	for v := range parent {
		if r := root(v); r == v {
			b.component[v] = b.components
			b.components++
		} else {
			b.component[v] = b.component[r]
		}
	}
	seen := make([]bool, b.components)
	var names []string
	for _, f := range b.factors {
		if f.observation == nil {
			continue
		}
		names = append(names, f.name)
		for row := range f.rows {
			if c := b.component[b.variables(f, row)[0]]; !seen[c] {
				seen[c] = true
				b.observed = append(b.observed, c)
			}
		}
	}
	b.name = strings.Join(names, "+")
}

// eliminate makes the operation of a block.
func (p *Program) eliminate(b *block, held func(b *block, component int) bool) error {
	single, chain := len(b.latents) == 1, (*engine.Markov)(nil)
	if single {
		chain, _ = b.latents[0].dist.(*engine.Markov)
	}
	for _, f := range b.factors {
		single = single && (len(f.slots) == 1 || chain != nil && f.prior)
	}
	if chain != nil && (about(chain.Initial).summed || about(chain.Transition).summed) {
		single = false
	}
	n := b.latents[0].node.N
	var terms []engine.LatentTerm
	for _, f := range b.factors {
		if single && chain != nil && f.prior {
			continue
		}
		var keep []int
		for row := range f.rows {
			of := b.component[b.variables(f, row)[0]]
			if held == nil || f.observation == nil || !held(b, of) {
				keep = append(keep, row)
			}
		}
		if len(keep) == 0 {
			continue
		}
		if single {
			at := make([]int, len(keep))
			for k, row := range keep {
				at[k] = f.slots[0].at[row]
			}
			columns, err := p.columns(f, keep, at, n)
			if err != nil {
				return err
			}
			b.columns = append(b.columns, columns...)
			continue
		}
		term := engine.LatentTerm{}
		for _, s := range f.slots {
			term.States = append(term.States, s.of.states)
		}
		groups, at := map[string]int{}, make([]int, len(keep))
		for k, row := range keep {
			of := b.variables(f, row)
			var key []byte
			for _, v := range of {
				key = binary.AppendUvarint(key, uint64(v))
			}
			g, ok := groups[string(key)]
			if !ok {
				g = len(groups)
				groups[string(key)] = g
				term.Rows = append(term.Rows, of)
			}
			at[k] = g
		}
		columns, err := p.columns(f, keep, at, len(term.Rows))
		if err != nil {
			return err
		}
		b.columns = append(b.columns, columns...)
		terms = append(terms, term)
	}
	switch {
	case !single:
		op, err := engine.NewElimination(b.states, terms)
		if err != nil {
			return err
		}
		b.op = op
	case chain != nil:
		k := chain.K
		b.op = engine.HiddenMarkov{States: k, Lengths: chain.Chains(n), Terms: true,
			Starts: chain.Initial.N > k, Varying: chain.Transition.N > k*k}
		b.columns = append([]*engine.Node{chain.Initial, chain.Transition}, b.columns...)
	default:
		b.op = engine.Independent{Latents: n, States: b.latents[0].states}
	}
	b.sum = p.m.graph.Apply(b.op, 1, true, b.columns...)
	b.sum.Note = &declaration{m: p.m, what: "the sum over " + b.called(), where: b.latents[0].where}
	return nil
}

// mostColumns is the largest number of combinations of states for which a factor is computed.
const mostColumns = 1 << 16

// columns computes a factor for each combination of states of its slots: the sums over the rows
// of each of n groups, or a number if it is the same for all groups.
func (p *Program) columns(f *factor, keep, at []int, n int) ([]*engine.Node, error) {
	size := 1.0
	for _, s := range f.slots {
		size *= float64(s.of.states)
	}
	if size > mostColumns {
		var of []string
		for k, s := range f.slots {
			if k == 4 {
				of = append(of, "...")
				break
			}
			of = append(of, s.of.name+placeOf(s.of.node, s.at[0]))
		}
		return nil, fmt.Errorf("%s: %s: a value depends on %s together, %d in all, which have %.4g "+
			"combinations of states, at most %d", f.where, f.name, strings.Join(of, ", "), len(f.slots), size,
			mostColumns)
	}
	c := newCopier(p, f)
	group := p.grouping(keep, at, f.rows, n)
	var out []*engine.Node
	c.state = make([]int, len(f.slots))
	for range int(size) {
		column, err := c.column()
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", f.where, f.name, err)
		}
		out = append(out, group(column))
		for k := len(c.state) - 1; k >= 0; k-- {
			if c.state[k]++; c.state[k] < f.slots[k].of.states {
				break
			}
			c.state[k] = 0
		}
	}
	return out, nil
}

// grouping returns what adds up the rows that are kept of each of n groups.
func (p *Program) grouping(keep, at []int, rows, n int) func(*engine.Node) *engine.Node {
	asIs := len(keep) == rows && rows == n
	for k := range at {
		asIs = asIs && at[k] == k
	}
	count := make([]int, n)
	for _, g := range at {
		count[g]++
	}
	once := !slices.ContainsFunc(count, func(c int) bool { return c != 1 })
	apply := func(op engine.Operation, n int, arg *engine.Node) *engine.Node {
		out := p.m.graph.Apply(op, n, false, arg)
		out.Note = &declaration{m: p.m, where: about(arg).where}
		return out
	}
	return func(c *engine.Node) *engine.Node {
		switch {
		case c.N == 1 && once || c.N == rows && asIs:
			return c
		case c.N == 1:
			c = apply(engine.Gather{At: make([]int, len(keep))}, len(keep), c)
		case len(keep) < rows:
			c = apply(engine.Gather{At: keep}, len(keep), c)
		}
		return apply(engine.GroupSum{At: at, N: n}, n, c)
	}
}

// path says which value of a node belongs to each value of what is computed of it, row by row. Nodes of
// which all values are needed in each row have a path with all set.
type path struct {
	id    int
	at    []int
	width int // values in a row
	all   bool
}

// walker finds the slots of a factor.
type walker struct {
	f     *factor
	paths map[string]*path
	found map[string]int   // slots, by latent and places
	slots map[string][]int // of nodes, by node and path
	known map[[3]int]*path // from a node, or a node and a path, to one of its arguments
}

func newWalker(f *factor) *walker {
	return &walker{f: f, paths: map[string]*path{}, found: map[string]int{}, slots: map[string][]int{},
		known: map[[3]int]*path{}}
}

// once computes a path if it is not known yet.
func (w *walker) once(key [3]int, make func() *path) *path {
	p := w.known[key]
	if p == nil {
		p = make()
		w.known[key] = p
	}
	return p
}

func (w *walker) path(at []int, width int, all bool) *path {
	key := binary.AppendUvarint(nil, uint64(width))
	if all {
		key = append(key, 1)
	}
	for _, k := range at {
		key = binary.AppendUvarint(key, uint64(k))
	}
	p := w.paths[string(key)]
	if p == nil {
		p = &path{id: len(w.paths), at: at, width: width, all: all}
		w.paths[string(key)] = p
	}
	return p
}

// every is the path to all values of a node, in each row.
func (w *walker) every(n *engine.Node) *path {
	return w.once([3]int{n.ID, -1, 0}, func() *path { return w.path(places(n.N), 1, true) })
}

// places are the numbers from 0 to n - 1.
func places(n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	return at
}

// byRows is the path to a node whose values belong to rows, so many to each; those of a number belong
// to all.
func (w *walker) byRows(n *engine.Node, width int) *path {
	shared := n.Scalar || n.N == width && w.f.rows > 1
	if shared && width > 1 {
		return w.every(n)
	}
	return w.once([3]int{n.ID, -2, width}, func() *path {
		if shared {
			return w.path(make([]int, w.f.rows), 1, false)
		}
		return w.path(places(n.N), width, false)
	})
}

// next is the path to argument k of a node.
func (w *walker) next(n *engine.Node, k int, p *path) *path {
	return w.once([3]int{n.ID, k, p.id}, func() *path { return w.find(n, k, p) })
}

func (w *walker) find(n *engine.Node, k int, p *path) *path {
	arg := n.Args[k]
	moved := func(to func(int) int, width int) *path {
		at := make([]int, len(p.at))
		for i, v := range p.at {
			at[i] = to(v)
		}
		return w.path(at, width, p.all)
	}
	switch op := n.Op.(type) {
	case engine.View:
		return moved(func(i int) int { return i + op.Lo }, p.width)
	case engine.Gather:
		return moved(func(i int) int { return op.At[i] }, p.width)
	case engine.Pick:
		if k == 0 {
			return w.every(arg)
		}
		if arg.N == 1 {
			return moved(func(int) int { return 0 }, p.width)
		}
		return moved(func(i int) int { return i / op.Width }, p.width)
	case engine.Unary, engine.Linear, engine.Power, engine.Binary, engine.Indicator, engine.If:
		if arg.N == 1 {
			return moved(func(int) int { return 0 }, p.width)
		}
		return p
	case engine.GroupSum:
		if cols := rowsIn(op.At, op.N); cols > 0 {
			return w.path(spread(p.at, cols), p.width*cols, p.all)
		}
	case engine.GroupLogSumExp:
		if cols := rowsIn(op.At, op.N); cols > 0 {
			return w.path(spread(p.at, cols), p.width*cols, p.all)
		}
	}
	return w.every(arg)
}

// rowsIn is the number of columns if the groups of values are the n rows of a matrix, else 0.
func rowsIn(at []int, n int) int {
	cols := len(at) / n
	for i, k := range at {
		if cols == 0 || i/cols != k {
			return 0
		}
	}
	return cols
}

// spread are the places of rows of so many columns.
func spread(rows []int, cols int) []int {
	at := make([]int, 0, len(rows)*cols)
	for _, i := range rows {
		for j := range cols {
			at = append(at, i*cols+j)
		}
	}
	return at
}

func key(n *engine.Node, p *path) string { return fmt.Sprint(n.ID, " ", p.id) }

// visit returns the slots that a node depends on.
func (w *walker) visit(n *engine.Node, p *path) []int {
	if !about(n).summed {
		return nil
	}
	k := key(n, p)
	if s, ok := w.slots[k]; ok {
		return s
	}
	set := map[int]bool{}
	if l := about(n).latent; l != nil {
		w.reach(l, p, set)
	} else {
		for i, a := range n.Args {
			for _, s := range w.visit(a, w.next(n, i, p)) {
				set[s] = true
			}
		}
	}
	w.slots[k] = slices.Sorted(maps.Keys(set))
	return w.slots[k]
}

// reach adds the slots of a latent: one with a value for each row or, where all values are needed or
// those of a row differ, one for each value.
func (w *walker) reach(l *latent, p *path, set map[int]bool) {
	if !p.all {
		if at := p.rows(); at != nil {
			set[w.slot(l, at)] = true
			return
		}
	}
	for _, i := range p.at {
		at := make([]int, w.f.rows)
		for r := range at {
			at[r] = i
		}
		set[w.slot(l, at)] = true
	}
}

// rows are the places by rows, nil if those of a row differ.
func (p *path) rows() []int {
	at := make([]int, len(p.at)/p.width)
	for r := range at {
		at[r] = p.at[r*p.width]
		for _, v := range p.at[r*p.width : (r+1)*p.width] {
			if v != at[r] {
				return nil
			}
		}
	}
	return at
}

func (w *walker) slot(l *latent, at []int) int {
	k := w.slotKey(l, at)
	if i, ok := w.found[k]; ok {
		return i
	}
	w.found[k] = len(w.f.slots)
	w.f.slots = append(w.f.slots, &slot{l, at})
	return w.found[k]
}

func (w *walker) slotKey(l *latent, at []int) string {
	key := binary.AppendUvarint(nil, uint64(l.node.ID))
	for _, k := range at {
		key = binary.AppendUvarint(key, uint64(k))
	}
	return string(key)
}

// arguments calls do with the arguments of a factor and the paths to them.
func (w *walker) arguments(do func(n *engine.Node, p *path)) {
	f := w.f
	row := func(nodes ...*engine.Node) {
		for _, n := range nodes {
			do(n, w.byRows(n, 1))
		}
	}
	switch d := f.dist.(type) {
	case nil:
		row(f.y)
		return
	case *engine.Univariate:
		row(d.Arguments()...)
	case *engine.Mixture:
		if d.Rows > 0 {
			do(d.Weights, w.byRows(d.Weights, len(d.Parts)))
		} else {
			do(d.Weights, w.every(d.Weights))
		}
		for _, u := range d.Parts {
			row(u.Arguments()...)
		}
	case *engine.Categorical:
		do(d.P, w.byRows(d.P, d.K))
	case *engine.Ordinal:
		row(d.Eta)
		do(d.Cuts, w.every(d.Cuts))
	default:
		for _, n := range append([]*engine.Node{f.y}, d.Arguments()...) {
			do(n, w.every(n))
		}
		return
	}
	row(f.y)
}

// findSlots finds what the rows of the factor depend on.
func (f *factor) findSlots() error {
	w := newWalker(f)
	var wrong error
	w.arguments(func(n *engine.Node, p *path) {
		if m := flowIn(n); m != nil {
			wrong = fmt.Errorf("a differential equation depends on a latent (%s), which is not here",
				about(m).where)
		}
		w.visit(n, p)
	})
	return wrong
}

// flowIn finds an ODE that depends on latents.
func flowIn(n *engine.Node) *engine.Node {
	if !about(n).summed {
		return nil
	}
	if _, ok := n.Op.(*engine.Flow); ok {
		return n
	}
	for _, a := range n.Args {
		if m := flowIn(a); m != nil {
			return m
		}
	}
	return nil
}

// copier copies the expressions of a factor with states in the place of latents.
type copier struct {
	*walker
	p     *Program
	state []int // of each slot, counted from 0
	done  map[string]*engine.Node
}

func newCopier(p *Program, f *factor) *copier {
	// The slots are found once more, in the same order.
	g := *f
	g.slots = nil
	c := &copier{walker: newWalker(&g), p: p, done: map[string]*engine.Node{}}
	c.arguments(func(n *engine.Node, p *path) { c.visit(n, p) })
	return c
}

// column is the factor at the states, a value for each row or a number.
func (c *copier) column() (*engine.Node, error) {
	f := c.f
	to := map[*engine.Node]*engine.Node{}
	byRow := false
	c.arguments(func(n *engine.Node, p *path) {
		to[n] = c.copy(n, p)
		byRow = byRow || n != f.y && !p.all && to[n].N > p.width
	})
	y := to[f.y]
	if f.added {
		return y, nil
	}
	dist := f.dist.Mapped(func(n *engine.Node) *engine.Node { return to[n] })
	if m, ok := dist.(*engine.Mixture); ok && m.Weights.N == len(m.Parts) {
		m.Rows = 0
	}
	if byRow && y.N == 1 && f.rows > 1 { // a latent
		y = c.p.m.graph.Apply(engine.Gather{At: make([]int, f.rows)}, f.rows, false, y)
	}
	out, err := c.p.m.graph.ApplyPointwise(dist, y, f.together)
	if err != nil {
		return nil, err
	}
	out.Note = &declaration{m: c.p.m, where: f.where}
	return out, nil
}

// copy is a node at the states: a number where it is the same in all rows.
func (c *copier) copy(n *engine.Node, p *path) *engine.Node {
	if !about(n).summed {
		return n
	}
	slots := c.visit(n, p)
	id := []byte(key(n, p))
	for _, s := range slots {
		id = binary.AppendUvarint(id, uint64(c.state[s]))
	}
	out := c.done[string(id)]
	if out == nil {
		out = c.make(n, p)
		c.done[string(id)] = out
	}
	return out
}

func (c *copier) make(n *engine.Node, p *path) *engine.Node {
	g := &c.p.m.graph
	if l := about(n).latent; l != nil {
		return g.Add(c.values(l, p))
	}
	args := make([]*engine.Node, len(n.Args))
	one := true // all are numbers
	for k, a := range n.Args {
		args[k] = c.copy(a, c.next(n, k, p))
		one = one && args[k].N == 1
	}
	size, scalar := n.N, n.Scalar
	op := n.Op
	switch o := op.(type) {
	case engine.GroupSum:
		if a := args[0].N; a < n.Args[0].N { // one row for all
			op, size, scalar = engine.GroupSum{At: make([]int, a), N: 1}, 1, true
			if a == 1 {
				op = engine.Linear{Scale: float64(n.Args[0].N / n.N)}
			}
		}
	case engine.GroupLogSumExp:
		if a := args[0].N; a < n.Args[0].N {
			op, size, scalar = engine.GroupLogSumExp{At: make([]int, a), N: 1}, 1, true
			if a == 1 {
				op = engine.Linear{Scale: 1, Shift: math.Log(float64(n.Args[0].N / n.N))}
			}
		}
	case engine.View, engine.Gather:
		if args[0].N == 1 && n.Args[0].N > 1 {
			return args[0]
		}
	case engine.Unary, engine.Linear, engine.Power, engine.Binary, engine.Indicator:
		if one {
			size, scalar = 1, true
			break
		}
		size = tile(g, args)
	case engine.If:
		if z := args[0]; z.Fixed && z.N == 1 {
			k := 2
			if z.Value[0] != 0 {
				k = 1
			}
			if args[k].N == 1 && !p.all || args[k].N == n.N {
				return args[k]
			}
		}
		if one {
			size, scalar = 1, true
			break
		}
		size = tile(g, args)
	case engine.Pick:
		op, size, scalar = picked(o, args)
		if !scalar && size == 1 {
			scalar = n.Scalar
		}
		args = args[:1]
	}
	out := g.Apply(op, size, scalar, args...)
	d := *about(n)
	d.summed, d.latent, d.predicted, d.m = false, nil, nil, c.p.m
	out.Note = &d
	return out
}

// tile repeats rows that are the same for all where others are not, and returns the number of values.
func tile(g *engine.Graph, args []*engine.Node) int {
	size := 1
	for _, a := range args {
		size = max(size, a.N)
	}
	for k, a := range args {
		if a.N == 1 || a.N == size {
			continue
		}
		at := make([]int, size)
		for i := range at {
			at[i] = i % a.N
		}
		args[k] = g.Apply(engine.Gather{At: at}, size, false, a)
		args[k].Note = a.Note
	}
	return size
}

// picked is what Pick is at given states: part of its first argument.
func picked(o engine.Pick, args []*engine.Node) (op engine.Operation, size int, scalar bool) {
	z, rows := args[1].Value, args[1].N
	var w []float64
	if len(args) > 2 {
		w, rows = args[2].Value, max(rows, args[2].N)
	}
	at := make([]int, 0, rows*o.Width)
	for i := range rows {
		k := (int(z[i%len(z)]) - o.Lo) * o.Width
		if w != nil {
			k = (int(z[i%len(z)])-o.Lo)*o.Cols + int(w[i%len(w)]) - o.Lo2
		}
		for j := range o.Width {
			at = append(at, k+j)
		}
	}
	if rows == 1 {
		return engine.View{Lo: at[0], Hi: at[0] + o.Width}, o.Width, o.Width == 1
	}
	return engine.Gather{At: at}, len(at), false
}

// values are the states of a latent: one for all rows, or those of its values.
func (c *copier) values(l *latent, p *path) *engine.Node {
	if !p.all {
		if at := p.rows(); at != nil {
			k := c.state[c.found[c.slotKey(l, at)]]
			return &engine.Node{N: 1, Scalar: true, Fixed: true, Value: []float64{float64(l.lo + k)}}
		}
	}
	v := make([]float64, l.node.N)
	for i := range v {
		v[i] = float64(l.lo)
	}
	for _, i := range p.at {
		at := make([]int, c.f.rows)
		for r := range at {
			at[r] = i
		}
		v[i] = float64(l.lo + c.state[c.found[c.slotKey(l, at)]])
	}
	return &engine.Node{N: len(v), Fixed: true, Value: v, Scalar: l.node.Scalar}
}
