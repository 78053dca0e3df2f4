package engine

import (
	"cmp"
	"math"
	"slices"
)

// Rolled is a density made of scalars: those of a kind became vectors again.
type Rolled struct {
	Graph   *Graph
	Input   *Node // all inputs
	Density *Density
	Base    float64 // what is added
}

// smallGroup is the number of scalars of a kind below which they stay scalars.
const smallGroup = 12

// widest is the number of operands of an instruction up to which many like it become one operation on as
// many vectors.
const widest = 64

// Roll makes vectors of scalars: instructions become one operation where they are of one kind, come from one
// site of the program, and do not depend on each other. The operands of such a group are a number, part of a
// vector, or values that are picked. Log densities that are terms of the sum of the roots become terms of
// vectors, which are rewritten as those of models are. What is left goes into segments of scalars, which
// alternate with vectors. Guards is told when a guard comes out otherwise.
//
// Values are those of the run that recorded the scalars: of guards and constants.
func Roll(s *Scalars, values []float64, sites []int32, roots []int32, guards *bool) *Rolled {
	r := &roller{s: s, values: values, sites: sites, guards: guards, g: &Graph{}, known: map[uint64][]operandNode{}}
	r.input = r.g.Add(&Node{N: s.Inputs, Scalar: s.Inputs == 1})
	r.d = NewDensity(r.g, nil)
	r.plan(roots)
	r.group()
	r.emit()
	r.terms()
	r.d.Fuse()
	return &Rolled{Graph: r.g, Input: r.input, Density: r.d, Base: r.base}
}

type roller struct {
	s      *Scalars
	values []float64
	sites  []int32
	guards *bool
	g      *Graph
	d      *Density
	input  *Node

	weight []float64 // of roots
	base   float64
	uses   []int32 // by what is needed
	level  []int32
	groups []*rollGroup
	parts  []*rollGroup // log densities that are terms
	tests  []*rollGroup
	phase  []int32 // even: of vectors; odd: of scalars

	node  []*Node // where each value stands
	at    []int32
	known map[uint64][]operandNode
}

// rollKey is what instructions of a group have in common.
type rollKey struct {
	code  Code
	f     uint16
	site  int32
	level int32
	count int32  // of operands
	fixed uint64 // which operands are constants
}

type rollGroup struct {
	rollKey
	members []int32
	phase   int32
}

type operandNode struct {
	places []int32
	node   *Node
}

func isGuard(c Code) bool { return c >= Less && c <= Equal }

// plan finds what is needed. Sums at the roots are taken apart, so that their terms are roots.
func (r *roller) plan(roots []int32) {
	code := r.s.Code
	r.weight, r.uses = make([]float64, len(code)), make([]int32, len(code))
	for _, p := range roots {
		r.weight[p]++
	}
	for i := len(code) - 1; i > 0; i-- {
		c := &code[i]
		if w := r.weight[i]; w != 0 && r.uses[i] == 0 && r.split(c, w) {
			r.weight[i] = 0
			continue
		}
		if r.weight[i] != 0 || r.uses[i] > 0 || isGuard(c.Code) {
			r.s.Operands(i, func(p int32) { r.uses[p]++ })
		}
	}
}

// split adds the weight of a sum to its terms.
func (r *roller) split(c *Instruction, w float64) bool {
	switch c.Code {
	case AddTo:
		r.weight[c.A] += w
		r.weight[c.B] += w
	case SubFrom:
		r.weight[c.A] += w
		r.weight[c.B] -= w
	case Negative:
		r.weight[c.A] -= w
	case MulBy:
		switch {
		case r.s.Code[c.A].Code == Constant:
			r.weight[c.B] += w * r.values[c.A]
		case r.s.Code[c.B].Code == Constant:
			r.weight[c.A] += w * r.values[c.B]
		default:
			return false
		}
	case SumOf:
		for _, p := range r.s.Lists[c.A : c.A+c.B] {
			r.weight[p] += w
		}
	default:
		return false
	}
	return true
}

// key is the group of instruction i.
func (r *roller) key(i int, level int32) rollKey {
	c := &r.s.Code[i]
	k := rollKey{code: c.Code, f: c.F, site: r.sites[i], level: level}
	r.s.Operands(i, func(p int32) {
		if k.count < 64 && r.s.Code[p].Code == Constant {
			k.fixed |= 1 << k.count
		}
		k.count++
	})
	if k.count > widest {
		k.site = -int32(i) // alone
	}
	return k
}

// group puts like with like and decides in which order all is computed.
func (r *roller) group() {
	code := r.s.Code
	r.level = make([]int32, len(code))
	all := map[rollKey]*rollGroup{}
	last := map[int32]*rollGroup{} // by site: most often it is this
	put := func(i int, level int32, list *[]*rollGroup) {
		k := r.key(i, level)
		g := last[k.site]
		if g == nil || g.rollKey != k {
			g = all[k]
			if g == nil {
				g = &rollGroup{rollKey: k}
				all[k] = g
				*list = append(*list, g)
			}
			last[k.site] = g
		}
		g.members = append(g.members, int32(i))
	}
	for i := 1; i < len(code); i++ {
		c := code[i].Code
		if c == Constant || c == InputOf {
			continue
		}
		if isGuard(c) {
			put(i, -1, &r.tests)
			continue
		}
		if c == ResultOf {
			r.level[i] = r.level[code[i].A]
			continue
		}
		if r.uses[i] == 0 && r.weight[i] == 0 {
			continue
		}
		if c == LogDensity && r.uses[i] == 0 && r.weight[i] == 1 && r.s.Tables.Families[code[i].F].Tail == Whole {
			put(i, -2, &r.parts)
			r.weight[i] = 0
			continue
		}
		level := int32(0)
		r.s.Operands(i, func(p int32) { level = max(level, r.level[p]) })
		r.level[i] = level + 1
		if c == CallOf {
			r.groups = append(r.groups, &rollGroup{rollKey: rollKey{code: CallOf, level: level + 1}, members: []int32{int32(i)}})
			continue
		}
		put(i, level+1, &r.groups)
	}
	slices.SortStableFunc(r.groups, func(a, b *rollGroup) int { return cmp.Compare(a.level, b.level) })
	r.groups = r.unbraid(r.groups)
	r.phase = make([]int32, len(code))
	for _, g := range r.groups {
		odd := int32(0)
		if !g.vector() {
			odd = 1
		}
		phase := func(i int32) int32 {
			p := int32(0)
			r.s.Operands(int(i), func(q int32) { p = max(p, r.phase[q]) })
			return p + (p+odd)&1
		}
		for _, i := range g.members {
			r.phase[i] = phase(i)
			g.phase = max(g.phase, r.phase[i])
		}
		if odd == 1 {
			continue
		}
		for _, i := range g.members {
			r.phase[i] = g.phase
			if g.code == CallOf {
				for k := range r.s.Calls[code[i].A].N {
					r.phase[int(i)+1+k] = g.phase
				}
			}
		}
	}
}

// mostStrands is the number of groups that a group of one site may fall into.
const mostStrands = 4

// unbraid takes groups apart whose members take turns: where an iteration of a loop does the same with one value and with
// another, or with what became of these, as with the components of a mixture, each has a group of its own. The value is
// then a number in each group, instead of one that is picked for each member. Groups come in the order of their levels.
func (r *roller) unbraid(groups []*rollGroup) []*rollGroup {
	of := make([]int32, len(r.s.Code)) // where values are from: a group, as a negative number, or a place of their own
	for i := range of {
		of[i] = int32(i)
	}
	var out []*rollGroup
	for _, g := range groups {
		n := 1
		if g.code != CallOf && g.count <= widest {
			n = r.strands(g, of)
		}
		for k := range n {
			strand := &rollGroup{rollKey: g.rollKey}
			for i := k; i < len(g.members); i += n {
				strand.members = append(strand.members, g.members[i])
			}
			out = append(out, strand)
			if len(strand.members) < smallGroup {
				continue
			}
			for _, i := range strand.members {
				of[i] = -int32(len(out))
			}
		}
	}
	return out
}

// strands is the least period with which an operand comes from different places, or groups, in turn; 1 if there is none.
func (r *roller) strands(g *rollGroup, of []int32) int {
	for n := 2; n <= mostStrands && n*smallGroup <= len(g.members); n++ {
		for k := range g.count {
			var turn []int32
			periodic := true
			for i, member := range g.members {
				from := of[r.operandOf(member, k)]
				if i < n {
					periodic = periodic && !slices.Contains(turn, from)
					turn = append(turn, from)
				}
				if periodic = periodic && from == turn[i%n]; !periodic {
					break
				}
			}
			if periodic {
				return n
			}
		}
	}
	return 1
}

// operandOf is operand k of instruction i.
func (r *roller) operandOf(i, k int32) int32 {
	var out int32
	r.s.Operands(int(i), func(p int32) {
		if k == 0 {
			out = p
		}
		k--
	})
	return out
}

// vector reports whether a group becomes one operation.
func (g *rollGroup) vector() bool {
	return len(g.members) >= smallGroup || g.code == CallOf || g.count > widest
}

// emit makes nodes, phase by phase.
func (r *roller) emit() {
	code := r.s.Code
	r.node, r.at = make([]*Node, len(code)), make([]int32, len(code))
	for i := range r.s.Inputs {
		r.node[i+1], r.at[i+1] = r.input, int32(i)
	}
	vectors, scalars := map[int32][]*rollGroup{}, map[int32][]int32{}
	last := int32(0)
	for _, g := range r.groups {
		if g.vector() {
			vectors[g.phase] = append(vectors[g.phase], g)
			last = max(last, g.phase)
			continue
		}
		for _, i := range g.members {
			scalars[r.phase[i]] = append(scalars[r.phase[i]], i)
			last = max(last, r.phase[i])
		}
	}
	for phase := range last + 1 {
		for _, g := range vectors[phase] {
			r.vector(g)
		}
		if list := scalars[phase]; len(list) > 0 {
			slices.Sort(list)
			r.segment(list)
		}
	}
}

// vector makes the node of a group.
func (r *roller) vector(g *rollGroup) {
	i := int(g.members[0])
	switch {
	case g.code == CallOf:
		r.call(i)
		return
	case len(g.members) < smallGroup:
		for _, i := range g.members {
			r.set([]int32{i}, r.wide(int(i)))
		}
		return
	}
	args := r.columns(g)
	r.set(g.members, r.apply(g, args, len(g.members)))
}

// set says where values stand. A node with one value for many members has it for all.
func (r *roller) set(members []int32, n *Node) {
	for k, i := range members {
		r.node[i] = n
		if n.N > 1 {
			r.at[i] = int32(k)
		}
	}
}

// columns are the operands of a group.
func (r *roller) columns(g *rollGroup) []*Node {
	cols := make([][]int32, g.count)
	for k := range cols {
		cols[k] = make([]int32, 0, len(g.members))
	}
	for _, i := range g.members {
		k := 0
		r.s.Operands(int(i), func(p int32) {
			cols[k] = append(cols[k], p)
			k++
		})
	}
	out := make([]*Node, len(cols))
	for k, c := range cols {
		out[k] = r.operand(c, true)
	}
	return out
}

// apply adds the node of n instructions of a kind.
func (r *roller) apply(g *rollGroup, args []*Node, n int) *Node {
	same := true
	for _, a := range args {
		same = same && a.Scalar
	}
	if same {
		n = 1
	}
	add := func(op Operation, args ...*Node) *Node { return r.g.Apply(op, n, n == 1, args...) }
	number := func(k int) (float64, bool) {
		if args[k].Fixed && args[k].Scalar {
			return args[k].Value[0], true
		}
		return 0, false
	}
	switch g.code {
	case AddTo:
		if c, ok := number(0); ok {
			return add(Linear{1, c}, args[1])
		} else if c, ok := number(1); ok {
			return add(Linear{1, c}, args[0])
		}
		return add(Add, args...)
	case SubFrom:
		if c, ok := number(0); ok {
			return add(Linear{-1, c}, args[1])
		} else if c, ok := number(1); ok {
			return add(Linear{1, -c}, args[0])
		}
		return add(Sub, args...)
	case MulBy:
		if c, ok := number(0); ok {
			return add(Linear{c, 0}, args[1])
		} else if c, ok := number(1); ok {
			return add(Linear{c, 0}, args[0])
		}
		return add(Mul, args...)
	case DivBy:
		return add(Div, args...)
	case Negative:
		return add(Linear{-1, 0}, args...)
	case ExpOf:
		return add(Exp, args...)
	case LogOf:
		return add(Log, args...)
	case SquareOf:
		return add(Square, args...)
	case Apply1:
		f := r.s.Tables.Unary[g.f]
		if op, ok := unaryNames[f.Name]; ok {
			return add(op, args...)
		}
		return add(Each{f}, args...)
	case Apply2:
		f := r.s.Tables.Binary[g.f]
		if f.Name == "log_sum_exp" {
			return add(RowLogSumExp{}, args...)
		}
		return add(Each2{f}, args...)
	case SumOf:
		return add(RowSum{}, args...)
	case LogSumOf:
		return add(RowLogSumExp{}, args...)
	case DotOf:
		half := len(args) / 2
		if n := r.regression(args[:half], args[half:], n); n != nil {
			return n
		}
		if n := r.regression(args[half:], args[:half], n); n != nil {
			return n
		}
		return add(RowDot{}, args...)
	case LogDensity:
		return add(LogDensities{r.s.Tables.Families[g.f]}, args...)
	}
	panic("engine: unreachable")
}

var unaryNames = map[string]Unary{"sqrt": Sqrt, "inv": Inv, "abs": Abs, "inv_logit": InvLogit, "logit": Logit,
	"log1p_exp": Softplus, "log1p": Log1p, "expm1": Expm1, "tanh": Tanh, "sin": Sin, "cos": Cos, "Phi": Phi}

// regression is the product of a matrix of data and numbers that are the same for all rows, nil where
// the arguments are something else.
func (r *roller) regression(x, b []*Node, n int) *Node {
	if n < 2 {
		return nil
	}
	for k := range x {
		if !x[k].Fixed || b[k].Fixed || !b[k].Scalar {
			return nil
		}
	}
	op := MatVec{Rows: n, Cols: len(x)}
	for _, c := range x {
		for i := range n {
			op.X = append(op.X, c.Value[i%c.N])
		}
	}
	return r.g.Apply(op, n, false, r.stack(b))
}

// stack puts numbers one after the other: they are part of one vector, most often.
func (r *roller) stack(b []*Node) *Node {
	first, ok := b[0].Op.(View)
	for k, n := range b {
		v, is := n.Op.(View)
		ok = ok && is && n.Args[0] == b[0].Args[0] && v.Lo == first.Lo+k
	}
	if ok {
		return r.view(b[0].Args[0], first.Lo, first.Lo+len(b))
	}
	return r.g.Apply(Stack{}, len(b), len(b) == 1, b...)
}

func (r *roller) view(n *Node, lo, hi int) *Node {
	if lo == 0 && hi == n.N {
		return n
	}
	return r.g.Apply(View{lo, hi}, hi-lo, hi-lo == 1, n)
}

// wide is an instruction with many operands.
func (r *roller) wide(i int) *Node {
	c := &r.s.Code[i]
	list := r.s.Lists[c.A : c.A+c.B]
	switch c.Code {
	case SumOf:
		return r.g.Apply(Sum{Scale: 1}, 1, true, r.operand(list, false))
	case LogSumOf:
		return r.g.Apply(LogSumExp{}, 1, true, r.operand(list, false))
	}
	x, y := r.operand(list[:c.B/2], false), r.operand(list[c.B/2:], false)
	var product *Node
	switch {
	case x == y:
		product = r.g.Apply(Square, x.N, x.Scalar, x)
	default:
		product = r.g.Apply(Mul, x.N, x.Scalar, x, y)
	}
	return r.g.Apply(Sum{Scale: 1}, 1, true, product)
}

// call is an operation on vectors.
func (r *roller) call(i int) {
	c := &r.s.Calls[r.s.Code[i].A]
	args := make([]*Node, len(c.Args))
	for k, a := range c.Args {
		if a.Places == nil {
			args[k] = r.g.Add(&Node{N: len(a.Fixed), Scalar: len(a.Fixed) == 1, Fixed: true, Value: a.Fixed})
			continue
		}
		args[k] = r.operand(a.Places, false)
	}
	n := r.g.Apply(c.Op, c.N, c.N == 1, args...)
	for k := range c.N {
		r.node[i+1+k], r.at[i+1+k] = n, int32(k)
	}
}

// operand is a vector of values; where all are the same and numbers will do it is a number.
func (r *roller) operand(places []int32, numbers bool) *Node {
	h := uint64(len(places))
	if numbers {
		h = ^h
	}
	for _, p := range places {
		h = (h ^ uint64(p)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	for _, k := range r.known[h] {
		if slices.Equal(k.places, places) {
			return k.node
		}
	}
	n := r.find(places, numbers)
	r.known[h] = append(r.known[h], operandNode{places, n})
	return n
}

func (r *roller) find(places []int32, numbers bool) *Node {
	first := places[0]
	same, fixed, constants, run := true, true, 0, true
	node := r.node[first]
	for k, p := range places {
		isFixed := r.s.Code[p].Code == Constant
		if isFixed {
			constants++
		}
		fixed = fixed && isFixed
		same = same && p == first
		if r.node[p] != node || isFixed {
			node = nil
		}
		run = run && node != nil && r.at[p] == r.at[first]+int32(k)
	}
	switch {
	case fixed:
		v := make([]float64, len(places))
		for k, p := range places {
			v[k] = r.values[p]
		}
		if same && numbers {
			v = v[:1]
		}
		return r.g.Add(&Node{N: len(v), Scalar: len(v) == 1, Fixed: true, Value: v})
	case same && (numbers || len(places) == 1):
		return r.view(r.node[first], int(r.at[first]), int(r.at[first])+1)
	case node != nil && run:
		return r.view(node, int(r.at[first]), int(r.at[first])+len(places))
	case node != nil:
		g := Gather{At: make([]int, len(places))}
		for k, p := range places {
			g.At[k] = int(r.at[p])
		}
		return r.g.Apply(g, len(places), false, node)
	}
	return r.pick(places, constants)
}

// pick takes values of several vectors. Long runs of each are put one after the other.
func (r *roller) pick(places []int32, constants int) *Node {
	if constants == 0 {
		var parts [][2]int
		for lo := 0; lo < len(places) && len(parts) <= 8; {
			hi := lo + 1
			for hi < len(places) && r.node[places[hi]] == r.node[places[lo]] && r.at[places[hi]] == r.at[places[lo]]+int32(hi-lo) {
				hi++
			}
			parts = append(parts, [2]int{lo, hi})
			lo = hi
		}
		if len(parts) <= 8 && len(places) >= 8*len(parts) {
			args := make([]*Node, len(parts))
			for k, p := range parts {
				from := int(r.at[places[p[0]]])
				args[k] = r.view(r.node[places[p[0]]], from, from+p[1]-p[0])
			}
			return r.g.Apply(Stack{}, len(places), false, args...)
		}
	}
	op := PickEach{make([]int32, len(places)), make([]int32, len(places))}
	var args []*Node
	number := map[*Node]int32{}
	var data []float64
	for k, p := range places {
		if r.s.Code[p].Code == Constant {
			op.From[k], op.At[k] = -1, int32(len(data))
			data = append(data, r.values[p])
			continue
		}
		n := r.node[p]
		id, ok := number[n]
		if !ok {
			id = int32(len(args))
			number[n] = id
			args = append(args, n)
		}
		op.From[k], op.At[k] = id, r.at[p]
	}
	if data != nil {
		for k, from := range op.From {
			if from < 0 {
				op.From[k] = int32(len(args))
			}
		}
		args = append(args, r.g.Add(&Node{N: len(data), Scalar: len(data) == 1, Fixed: true, Value: data}))
	}
	return r.g.Apply(op, len(places), false, args...)
}

// segment makes one node of scalars.
func (r *roller) segment(list []int32) {
	seg := &Segment{Scalars: Scalars{Tables: r.s.Tables}}
	to := map[int32]int32{}
	var in []int32
	var fixed []int32
	for _, i := range list {
		to[i] = 0
	}
	for _, i := range list {
		r.s.Operands(int(i), func(p int32) {
			if _, ok := to[p]; ok {
				return
			}
			if r.s.Code[p].Code == Constant {
				fixed = append(fixed, p)
			} else {
				in = append(in, p)
			}
			to[p] = 0
		})
	}
	slices.Sort(in)
	next := int32(1)
	place := func(p int32) {
		to[p] = next
		next++
	}
	for _, p := range in {
		place(p)
	}
	for _, p := range fixed {
		place(p)
		seg.Fixed = append(seg.Fixed, r.values[p])
	}
	seg.Inputs = len(in)
	seg.Code = make([]Instruction, next, int(next)+len(list))
	for _, i := range list {
		place(i)
		c := r.s.Code[i]
		switch c.Code {
		case SumOf, DotOf, LogSumOf, LogDensity:
			at := int32(len(seg.Lists))
			for _, p := range r.s.Lists[c.A : c.A+c.B] {
				seg.Lists = append(seg.Lists, to[p])
			}
			c.A = at
		default:
			c.A = to[c.A]
			if c.Code <= DivBy || c.Code == Apply2 {
				c.B = to[c.B]
			}
		}
		seg.Code = append(seg.Code, c)
	}
	n := r.g.Apply(seg, len(list), len(list) == 1, r.operand(in, false))
	r.set(list, n)
}

// terms are those of the density: guards first.
func (r *roller) terms() {
	for _, g := range r.tests {
		t := guardPart{code: g.code, flag: r.guards, want: make([]bool, len(g.members))}
		for k, i := range g.members {
			t.want[k] = r.values[i] == 1
		}
		args := r.columns(g)
		t.a, t.b = args[0], args[1]
		r.d.Terms = append(r.d.Terms, t)
	}
	for _, g := range r.parts {
		args := r.columns(g)
		y := args[0]
		if len(g.members) > 1 && y.N == 1 { // one value for each term
			y = r.repeated(g)
		}
		u := &Univariate{Family: r.s.Tables.Families[g.f].Family, Args: args[1:]}
		r.d.Terms = append(r.d.Terms, r.d.Rewrite(u, y))
	}
	var plain []int32
	byWeight := map[float64][]int32{}
	var weights []float64
	for i, w := range r.weight {
		if w == 0 {
			continue
		}
		if r.s.Code[i].Code == Constant {
			r.base += w * r.values[i]
			continue
		}
		if w == 1 {
			plain = append(plain, int32(i))
			continue
		}
		if byWeight[w] == nil {
			weights = append(weights, w)
		}
		byWeight[w] = append(byWeight[w], int32(i))
	}
	if plain != nil {
		r.d.Terms = append(r.d.Terms, Added{r.operand(plain, false)})
	}
	for _, w := range weights {
		r.d.Terms = append(r.d.Terms, Added{r.g.Apply(Sum{Scale: w}, 1, true, r.operand(byWeight[w], false))})
	}
}

// repeated is the first operand of a group, a value for each member.
func (r *roller) repeated(g *rollGroup) *Node {
	list := make([]int32, len(g.members))
	for k, i := range g.members {
		list[k] = r.s.Lists[r.s.Code[i].A]
	}
	return r.operand(list, false)
}

// guardPart is no term of a density: it stops the evaluation where a comparison comes out otherwise.
type guardPart struct {
	code Code
	a, b *Node
	want []bool
	flag *bool
}

func (g guardPart) Nodes() []*Node { return []*Node{g.a, g.b} }

func (g guardPart) Root(c *Memory) Root {
	t := &guardRoot{guardPart: g, x: c.Value[g.a.ID], y: c.Value[g.b.ID]}
	if g.a.N > 1 {
		t.ma = -1
	}
	if g.b.N > 1 {
		t.mb = -1
	}
	return t
}

type guardRoot struct {
	guardPart
	x, y   []float64
	ma, mb int
}

func (t *guardRoot) Add() float64 {
	for i, want := range t.want {
		if t.code.Holds(t.x[i&t.ma], t.y[i&t.mb]) != want {
			*t.flag = true
			return math.Inf(-1)
		}
	}
	return 0
}
