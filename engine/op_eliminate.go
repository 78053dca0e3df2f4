package engine

import (
	"container/heap"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// Elimination sums latents out one after the other. The terms of the log density that depend on a
// latent v, and on others u, are added up in a table x(u, v), and
//
//	message(u) = log sum over v of exp x(u, v)
//
// is a term of the others from then on. The order is greedy: next is the latent with the smallest
// table. In the reverse pass the derivative in x(u, v) is that in message(u) times
// exp(x(u, v) - message(u)), the probability of v given u, from which states are also drawn, in the
// opposite order.
//
// Its arguments are those of one [LatentTerm] after the other.
type Elimination struct {
	latents    []int // the states of each
	components []int // of each latent
	number     int   // of components
	steps      []elimination
	columns    int // of all terms
	work, sent int // the sizes of all tables and of all messages
}

// LatentTerm is a term of the log density. It has rows, and in each row one value for each combination
// of states of a few latents: an argument has the values of one combination for all rows, or one
// number for all. The states of the first latent change slowest from argument to argument.
type LatentTerm struct {
	States []int   // numbers of states of the latents of a row
	Rows   [][]int // the latents of each row
}

// elimination is the step that sums out one latent.
type elimination struct {
	latent, states int
	scope          []int // the others: the last changes fastest in the table
	sizes          []int // their states
	configs        int   // combinations of their states
	x, message     int   // where its table and message begin
	terms          []termUse
	messages       []messageUse
	component      int // which ends here, -1 where none does
}

// termUse is a row of a term in a table: the column of each entry is First + Offset.
type termUse struct {
	first, row int
	offset     []int32
}

type messageUse struct {
	at     int
	offset []int32
}

// The most values that one table, and all together, may have.
const (
	MostTable = 1 << 20
	MostWork  = 1 << 26
)

// TableError says that summing out takes a table that is too large.
type TableError struct {
	Latents []int // of the table
	Size    float64
	All     bool // it is the size of all tables together
}

func (e *TableError) Error() string {
	if e.All {
		return fmt.Sprintf("summing out takes tables of %.4g values together, at most %d", e.Size, MostWork)
	}
	return fmt.Sprintf("summing out takes a table of %.4g values, for the states of %d latents "+
		"together, at most %d", e.Size, len(e.Latents), MostTable)
}

// NewElimination plans how latents with these numbers of states are summed out. The error is a
// *TableError where that takes too much.
func NewElimination(latents []int, terms []LatentTerm) (*Elimination, error) {
	p := &planner{op: &Elimination{latents: latents}, terms: terms, interned: map[string][]int32{},
		near: make([]map[int]bool, len(latents)), uses: make([][][2]int, len(latents)),
		reach: make([][]int, len(latents)), version: make([]int, len(latents)),
		firsts: make([]int, len(terms)), used: map[[2]int]bool{}}
	p.connect()
	if err := p.run(); err != nil {
		return nil, err
	}
	p.number()
	return p.op, nil
}

// Components returns the component of each latent, and how many there are.
func (op *Elimination) Components() ([]int, int) { return op.components, op.number }

// Largest is the number of values of the largest table.
func (op *Elimination) Largest() int {
	most := 0
	for i := range op.steps {
		most = max(most, op.steps[i].configs*op.steps[i].states)
	}
	return most
}

// planner finds the order.
type planner struct {
	op       *Elimination
	terms    []LatentTerm
	firsts   []int           // the first column of each term
	near     []map[int]bool  // latents that share a table with each
	uses     [][][2]int      // of each latent: term and row
	reach    [][]int         // of each latent: steps whose messages it is in
	used     map[[2]int]bool // terms and rows that are in a table
	sent     map[int]bool    // messages that are
	version  []int           // of the size of the table of each latent
	queue    queue
	interned map[string][]int32
}

func (p *planner) connect() {
	p.sent = map[int]bool{}
	for v := range p.near {
		p.near[v] = map[int]bool{}
	}
	for t, term := range p.terms {
		p.firsts[t] = p.op.columns
		n := 1
		for _, k := range term.States {
			n *= k
		}
		p.op.columns += n
		for r, of := range term.Rows {
			for i, v := range of {
				if !slices.Contains(of[:i], v) {
					p.uses[v] = append(p.uses[v], [2]int{t, r})
				}
				for _, w := range of {
					if v != w {
						p.near[v][w] = true
					}
				}
			}
		}
	}
	for v := range p.near {
		p.push(v)
	}
}

// size is that of the table that sums out v.
func (p *planner) size(v int) float64 {
	s := float64(p.op.latents[v])
	for w := range p.near[v] {
		s *= float64(p.op.latents[w])
	}
	return s
}

func (p *planner) push(v int) {
	p.version[v]++
	heap.Push(&p.queue, queued{p.size(v), v, p.version[v]})
}

func (p *planner) run() error {
	all := 0.0
	for p.queue.Len() > 0 {
		q := heap.Pop(&p.queue).(queued)
		if q.version != p.version[q.latent] {
			continue
		}
		scope := slices.Sorted(maps.Keys(p.near[q.latent]))
		if q.size > MostTable {
			return &TableError{Latents: append(scope, q.latent), Size: q.size}
		}
		if all += q.size; all > MostWork {
			return &TableError{Size: all, All: true}
		}
		p.eliminate(q.latent, scope)
	}
	return nil
}

func (p *planner) eliminate(v int, scope []int) {
	op := p.op
	e := elimination{latent: v, states: op.latents[v], scope: scope, configs: 1, x: op.work,
		message: op.sent, component: -1}
	for _, w := range scope {
		e.sizes = append(e.sizes, op.latents[w])
		e.configs *= op.latents[w]
	}
	op.work += e.configs * e.states
	op.sent += e.configs
	cluster := append(scope[:len(scope):len(scope)], v)
	for _, use := range p.uses[v] {
		if p.used[use] {
			continue
		}
		p.used[use] = true
		t, row := p.terms[use[0]], use[1]
		e.terms = append(e.terms, termUse{p.firsts[use[0]], row, p.offsets(cluster, t.Rows[row], t.States)})
	}
	for _, j := range p.reach[v] {
		if p.sent[j] {
			continue
		}
		p.sent[j] = true
		from := &op.steps[j]
		e.messages = append(e.messages, messageUse{from.message, p.offsets(cluster, from.scope, from.sizes)})
	}
	at := len(op.steps)
	op.steps = append(op.steps, e)
	for _, w := range scope {
		p.reach[w] = append(p.reach[w], at)
		delete(p.near[w], v)
		for _, u := range scope {
			if u != w {
				p.near[w][u] = true
			}
		}
	}
	for _, w := range scope {
		p.push(w)
	}
}

// offsets are the places in a table of some latents, for each entry of one of a cluster of latents
// that has these among its own.
func (p *planner) offsets(cluster, of, states []int) []int32 {
	strides := make([]int, len(cluster))
	stride := 1
	for i := len(of) - 1; i >= 0; i-- {
		strides[slices.Index(cluster, of[i])] += stride
		stride *= states[i]
	}
	var key []byte
	for i, v := range cluster {
		key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(p.op.latents[v])), uint64(strides[i]))
	}
	if o, ok := p.interned[string(key)]; ok {
		return o
	}
	o := []int32{0}
	for i, v := range cluster {
		next := make([]int32, 0, len(o)*p.op.latents[v])
		for _, base := range o {
			for k := range p.op.latents[v] {
				next = append(next, base+int32(k*strides[i]))
			}
		}
		o = next
	}
	p.interned[string(key)] = o
	return o
}

// number gives components numbers, in the order of their first latents.
func (p *planner) number() {
	op := p.op
	root := make([]int, len(op.latents))
	for i := len(op.steps) - 1; i >= 0; i-- {
		e := &op.steps[i]
		root[e.latent] = i
		if len(e.scope) > 0 {
			root[e.latent] = root[e.scope[0]]
		}
	}
	op.components = make([]int, len(op.latents))
	for v, i := range root {
		e := &op.steps[i]
		if e.component < 0 {
			e.component = op.number
			op.number++
		}
		op.components[v] = e.component
	}
}

// queue has the latents with the smallest tables first.
type queue []queued

type queued struct {
	size            float64
	latent, version int
}

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(queued)) }

func (q queue) Less(i, j int) bool {
	return q[i].size < q[j].size || q[i].size == q[j].size && q[i].latent < q[j].latent
}

func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

type eliminationStep struct {
	*Elimination
	out, adj []float64
	in, din  [][]float64
	x        []float64 // tables: of probabilities of each latent given its scope, after Forward
	message  []float64
	weight   []float64 // derivatives in messages
	each     []float64
}

func (op *Elimination) Bind(out, adj []float64, in, din [][]float64) Step {
	return &eliminationStep{Elimination: op, out: out, adj: adj, in: in, din: din,
		x: make([]float64, op.work), message: make([]float64, op.sent), weight: make([]float64, op.sent),
		each: make([]float64, op.number)}
}

func (s *eliminationStep) Forward() {
	for i := range s.steps {
		e := &s.steps[i]
		x := s.x[e.x : e.x+e.configs*e.states]
		s.gather(x, e)
		for c := range e.configs {
			s.message[e.message+c] = normalise(x[c*e.states : (c+1)*e.states])
		}
		if e.component >= 0 {
			s.each[e.component] = s.message[e.message]
		}
	}
	s.out[0] = 0
	for _, v := range s.each {
		s.out[0] += v
	}
}

// gather adds up the terms and messages of a table.
func (s *eliminationStep) gather(x []float64, e *elimination) {
	clear(x)
	for _, u := range e.terms {
		for i, o := range u.offset {
			v := s.in[u.first+int(o)]
			if len(v) == 1 {
				x[i] += v[0]
			} else {
				x[i] += v[u.row]
			}
		}
	}
	for _, u := range e.messages {
		m := s.message[u.at:]
		for i, o := range u.offset {
			x[i] += m[o]
		}
	}
}

// normalise makes probabilities of logs, and returns the log of what they added up to.
func normalise(x []float64) float64 {
	top := x[0]
	for _, v := range x[1:] {
		if v > top || math.IsNaN(v) {
			top = v
		}
	}
	if math.IsInf(top, 0) || math.IsNaN(top) {
		clear(x)
		return top
	}
	sum := 0.0
	for i, v := range x {
		if v == top {
			x[i] = 1
		} else {
			x[i] = math.Exp(v - top)
		}
		sum += x[i]
	}
	w := 1 / sum
	for i := range x {
		x[i] *= w
	}
	return top + math.Log(sum)
}

func (s *eliminationStep) Backward() {
	s.outwards(s.adj[0], func(e *elimination, u *termUse, at int, w float64) {
		d := s.din[u.first+int(u.offset[at])]
		switch {
		case d == nil:
		case len(d) == 1:
			d[0] += w
		default:
			d[u.row] += w
		}
	}, nil)
}

// outwards carries the weight of the roots to all tables, and hands each entry's weight to the terms
// of the table and to its latent.
func (s *eliminationStep) outwards(weight float64, term func(e *elimination, u *termUse, at int,
	w float64), latent func(e *elimination, state int, w float64)) {
	clear(s.weight)
	for i := len(s.steps) - 1; i >= 0; i-- {
		e := &s.steps[i]
		if e.component >= 0 {
			s.weight[e.message] = weight
		}
		for c, a := range s.weight[e.message : e.message+e.configs] {
			if a == 0 {
				continue
			}
			for k := range e.states {
				at := c*e.states + k
				w := a * s.x[e.x+at]
				if w == 0 {
					continue
				}
				for j := range e.messages {
					u := &e.messages[j]
					s.weight[u.at+int(u.offset[at])] += w
				}
				if term != nil {
					for j := range e.terms {
						term(e, &e.terms[j], at, w)
					}
				}
				if latent != nil {
					latent(e, k, w)
				}
			}
		}
	}
}

func (s *eliminationStep) Each(out []float64) { copy(out, s.each) }

func (s *eliminationStep) Probabilities(out []float64) {
	first := make([]int, len(s.latents))
	at := 0
	for v, k := range s.latents {
		first[v] = at
		at += k
	}
	clear(out[:at])
	s.outwards(1, nil, func(e *elimination, state int, w float64) { out[first[e.latent]+state] += w })
}

func (s *eliminationStep) Draw(r *rand.Rand, states []int) {
	for i := len(s.steps) - 1; i >= 0; i-- {
		e := &s.steps[i]
		c := 0
		for j, v := range e.scope {
			c = c*e.sizes[j] + states[v]
		}
		x := s.x[e.x+c*e.states : e.x+(c+1)*e.states]
		states[e.latent] = pickState(r.Float64(), e.states, func(k int) float64 { return x[k] })
	}
}
