package summary

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/product"
	"bayeskernel/internal/workers"

	"gonum.org/v1/gonum/floats"
)

// expansion makes the sums over rows of one column cost some tens of nanoseconds a row where there
// are many rows, whatever the numbers of nodes and pseudo-inputs are. All that is summed, k(x, z_l)
// and log gamma at each node, is a smooth function of x. The range of the plan is cut into pieces.
// On each piece, all these functions are polynomials of degree 15 to rounding. So only the sums of
// the Chebyshev polynomials T_0(x) … T_15(x) over the rows of a piece are needed. The sums of the
// functions are a product of matrices, once for each bin of a chunk.
//
// log gamma has logarithmic singularities beside the line, near it where a pseudo-input is many
// lengthscales from the others. Pieces are halved towards them; rows where that does not end, and rows
// beyond the range, are summed one by one. So are all rows where there are so many pieces that it would
// not be faster (see pays).
type expansion struct {
	path      fused.Kind
	origin    float64 // positions are counted from here: far from 0 they would have few digits
	from      float64
	perSlot   float64 // slots in a unit of x
	slots     []int32 // the piece in which a slot is, or unresolved
	pieces    []piece
	functions int
	series    []float64 // coefficient j of the functions on piece i, from (i order + j) functions
	middle    []float64 // the same of each function of the test in the middle, as in chebyshevSums
}

// chebyshevSums are the sums of Chebyshev polynomials over the rows of one chunk.
type chebyshevSums struct {
	of     *expansion
	blocks []float64   // of the blocks that wait for the test in the middle: T_j on piece i at i order + j
	bins   []float64   // of each bin
	rest   [][]float64 // rows of each bin that are summed one by one
	rows   []float64   // work
	out    []float64
}

// piece is one interval of x.
type piece struct{ centre, perHalf float64 }

const (
	order = 16 // coefficients of a piece
	// slotsOfCell is how many slots the widest piece has: it is halved six times at most.
	slotsOfCell = 64
	unresolved  = -1
	beyond      = 3 // lengthscales, on either side of the range of the plan
	// converged is how large the last coefficients may be, relative to the values or to one.
	converged     = 1e-14
	leastExpanded = 256 // rows of a block; with shorter ones there are few in each bin of a chunk
	mostSeries    = 1 << 23
)

// expanded returns the expansion for a plan, nil where it has none. It is made once for all workers, and
// by itself for a plan that is a copy with changes.
func (p *Plan) expanded(path fused.Kind, hash string) *expansion {
	if p.shared == nil {
		return p.expand(path)
	}
	p.shared.Lock()
	defer p.shared.Unlock()
	if p.shared.hash == "" {
		p.shared.hash, p.shared.expansion = hash, p.expand(path)
	}
	if p.shared.hash != hash {
		return p.expand(path)
	}
	return p.shared.expansion
}

// shared is what all summaries of a plan use.
type shared struct {
	sync.Mutex
	hash      string // of the plan that it is for
	expansion *expansion
}

func (p *Plan) expand(path fused.Kind) *expansion {
	if p.Dim() != 1 || p.Block < leastExpanded || len(p.Low) != 1 {
		return nil
	}
	least, functions := math.Inf(1), 0
	for _, w := range p.Windows {
		for _, node := range w.Nodes {
			least = min(least, node.Theta)
			functions += p.M() + 2
		}
	}
	for _, t := range p.Tests {
		least = min(least, t.Theta)
		functions += p.M()
	}
	functions += min(len(p.Tests), 1)
	cells := math.Ceil((p.High[0]-p.Low[0])/least) + 2*beyond
	if !p.pays(cells, functions) {
		return nil
	}
	// Rows a little beyond the pilot's are no rarity among many.
	e := &expansion{path: path, origin: p.Low[0], from: -beyond * least, perSlot: slotsOfCell / least,
		functions: functions, slots: make([]int32, int(cells)*slotsOfCell)}
	// Cells are worked on side by side, for as long as there are not too many pieces in all.
	list, count := make([]cell, int(cells)), atomic.Int64{}
	workers.NewBlocks(len(list), 1, func(c, _, _ int) {
		w := cellFitter{newFitter(p, path, e.origin, functions), e, &list[c], &count}
		w.fit(c*slotsOfCell, 0, slotsOfCell)
	}).Run()
	if count.Load() == 0 || !p.pays(float64(count.Load()), functions) {
		return nil
	}
	e.series = make([]float64, 0, int(count.Load())*order*functions)
	for c, of := range list {
		for k, id := range of.slots {
			if id != unresolved {
				id += int32(len(e.pieces))
			}
			e.slots[c*slotsOfCell+k] = id
		}
		e.pieces, e.series = append(e.pieces, of.pieces...), append(e.series, of.series...)
	}
	e.transpose(p)
	return e
}

// pays reports whether rows are summed faster by way of so many pieces than one by one, within the room
// that there is. In nanoseconds a row: a kernel value takes 0.8; Chebyshev polynomials and the rest 40,
// a coefficient 0.12 in the product of matrices, for each bin of a chunk, and 0.3 in the test in the
// middle, for each block. Which way it is depends on the plan alone: the same rows give the same bytes
// wherever they are summed.
func (p *Plan) pays(pieces float64, functions int) bool {
	length := pieces * order
	if !(length*float64(max(functions, p.Bins)) < mostSeries) {
		return false
	}
	block, m := float64(p.Block), float64(p.M())
	return 40+length*(0.12*float64(functions)/(cycles*block)+0.3*(m+1)/block) <
		0.8*m*float64(p.nodes()+len(p.Tests))
}

// width is the number of sums of a block.
func (e *expansion) width() int { return len(e.pieces) * order }

// room returns zero sums for a chunk.
func (e *expansion) room(bins int) *chebyshevSums {
	n := e.width()
	return &chebyshevSums{of: e, blocks: make([]float64, n*batch), bins: make([]float64, n*bins),
		rest: make([][]float64, bins)}
}

// cell is a lengthscale of the line: which of its pieces each slot is in, or unresolved; and the pieces,
// as in expansion.
type cell struct {
	slots  [slotsOfCell]int32
	pieces []piece
	series []float64
}

// cellFitter makes the pieces of a cell.
type cellFitter struct {
	*fitter
	of    *expansion
	cell  *cell
	count *atomic.Int64 // of the pieces of all cells
}

// fit makes pieces of count slots from one on, of a cell that begins at a slot of all. It does no more
// where there are too many pieces.
func (f *cellFitter) fit(begin, from, count int) {
	e := f.of
	half := float64(count) / 2 / e.perSlot
	at := piece{e.from + (float64(begin+from)+float64(count)/2)/e.perSlot, 1 / half}
	id := int32(unresolved)
	switch {
	case !f.plan.pays(float64(f.count.Load()), e.functions):
		return
	case f.fitter.fit(at.centre, half):
		f.count.Add(1)
		id = int32(len(f.cell.pieces))
		f.cell.pieces = append(f.cell.pieces, at)
		f.cell.series = append(f.cell.series, f.values...)
	case count > 1:
		f.fit(begin, from, count/2)
		f.fit(begin, from+count/2, count/2)
		return
	}
	for s := range count {
		f.cell.slots[from+s] = id
	}
}

// transpose sets the series of the test in the middle, which compares blocks: its kernel values,
// and last the sum of (k - shift)².
func (e *expansion) transpose(p *Plan) {
	if len(p.Tests) == 0 {
		return
	}
	first := p.nodes()*(p.M()+2) + len(p.Tests)/2*p.M()
	for l := range p.M() + 1 {
		at := first + l
		if l == p.M() {
			at = e.functions - 1
		}
		for k := range e.width() {
			e.middle = append(e.middle, e.series[k*e.functions+at])
		}
	}
}

// add adds the rows of a block to a bin, and to those of the blocks that wait. It returns the rows that
// are left.
func (m *chebyshevSums) add(x []float64, bin, place int) (left []float64) {
	e, width := m.of, m.of.width()
	block := m.blocks[place*width:][:width]
	before := len(m.rest[bin])
	slots := float64(len(e.slots))
	for _, v := range x {
		u := v - e.origin
		s := (u - e.from) * e.perSlot
		id := int32(unresolved)
		if s >= 0 && s < slots {
			id = e.slots[int(s)]
		}
		if id < 0 {
			m.rest[bin] = append(m.rest[bin], v)
			continue
		}
		p := &e.pieces[id]
		chebyshev((*[order]float64)(block[int(id)*order:]), (u-p.centre)*p.perHalf)
	}
	sums := m.bins[bin*width:][:width]
	for at := 0; at < width; at += order {
		if piece := block[at:][:order]; piece[0] != 0 { // T_0 counts the rows
			for j, v := range piece {
				sums[at+j] += v
			}
		}
	}
	return m.rest[bin][before:]
}

// chebyshev adds T_0(t) … T_15(t): T_{j+2} = 2 T_2 T_j - T_{j-2}, in two chains. Products are rounded by
// themselves here as elsewhere, for the bytes would otherwise be those of one compiler's processor.
func chebyshev(m *[order]float64, t float64) {
	a2 := float64(2*t*t) - 1
	d := 2 * a2
	b3 := float64(d*t) - t
	a4, b5 := float64(d*a2)-1, float64(d*b3)-t
	a6, b7 := float64(d*a4)-a2, float64(d*b5)-b3
	a8, b9 := float64(d*a6)-a4, float64(d*b7)-b5
	a10, b11 := float64(d*a8)-a6, float64(d*b9)-b7
	a12, b13 := float64(d*a10)-a8, float64(d*b11)-b9
	a14, b15 := float64(d*a12)-a10, float64(d*b13)-b11
	m[0]++
	m[1] += t
	m[2] += a2
	m[3] += b3
	m[4] += a4
	m[5] += b5
	m[6] += a6
	m[7] += b7
	m[8] += a8
	m[9] += b9
	m[10] += a10
	m[11] += b11
	m[12] += a12
	m[13] += b13
	m[14] += a14
	m[15] += b15
}

// middle adds the sums of the test in the middle over each of the blocks that wait, and clears these.
func (m *chebyshevSums) middle(to []float64, blocks int) {
	e, width := m.of, m.of.width()
	functions := len(e.middle) / width
	m.out = slices.Grow(m.out[:0], blocks*functions)[:blocks*functions]
	product.MultiplyWith(e.path, m.out, blocks, functions, width,
		product.Rows(m.blocks, width), product.Rows(e.middle, width), product.All)
	floats.Add(to[:len(m.out)], m.out)
	clear(m.blocks[:blocks*width])
}

// sums returns the sums of the functions over the rows that bins have got, and clears them.
func (m *chebyshevSums) sums(bins []int) []float64 {
	e, n := m.of, m.of.width()
	rows := slices.Grow(m.rows[:0], len(bins)*n)
	for _, b := range bins {
		rows = append(rows, m.bins[b*n:(b+1)*n]...)
		clear(m.bins[b*n : (b+1)*n])
	}
	m.rows = rows
	m.out = slices.Grow(m.out[:0], len(bins)*e.functions)[:len(bins)*e.functions]
	product.MultiplyWith(e.path, m.out, len(bins), e.functions, n, product.Rows(rows, n),
		product.Columns(e.series, e.functions), product.All)
	return m.out
}

// fitter finds the coefficients of all functions on a piece: the polynomials that agree with them in the
// zeros of T_16.
type fitter struct {
	plan   *Plan
	sums   *kernelSums
	at     []float64 // the functions at each of the zeros
	values []float64 // coefficient j of function f at j functions + f
	nodes  []Node    // of the windows, and then of the tests
	first  []int     // the first function of each
}

func newFitter(p *Plan, path fused.Kind, origin float64, functions int) *fitter {
	z := p.flat()
	for l := range z {
		z[l] -= origin
	}
	f := &fitter{plan: p, sums: newKernelSums(z, 1, path), at: make([]float64, order*functions),
		values: make([]float64, order*functions)}
	at := 0
	for _, w := range p.Windows {
		for _, node := range w.Nodes {
			f.nodes, f.first = append(f.nodes, node), append(f.first, at)
			at += p.M() + 2
		}
	}
	for _, node := range p.Tests {
		f.nodes, f.first = append(f.nodes, node), append(f.first, at)
		at += p.M()
	}
	return f
}

// fit reports whether the series on a piece have converged. It first looks at the smallest lengthscale of
// the first window.
func (f *fitter) fit(centre, half float64) bool {
	p, functions := f.plan, len(f.values)/order
	hard := len(p.Windows[0].Nodes) - 1
	f.evaluate(centre, half, hard)
	if from := f.first[hard]; !f.converge(from, from+p.M()+2) {
		return false
	}
	for i := range f.nodes {
		f.evaluate(centre, half, i)
	}
	return f.converge(0, functions)
}

// evaluate computes the functions of one node.
func (f *fitter) evaluate(centre, half float64, node int) {
	p, s, n := f.plan, f.sums, f.nodes[node]
	functions, m, density := len(f.values)/order, p.M(), node < p.nodes()
	s.theta[0] = n.Theta
	s.det.SetTheta(s.theta)
	for k, c := range cosines[order:][:order] {
		at := f.at[k*functions:][:functions]
		logGamma := s.row([]float64{centre + float64(half*c)}, density)
		spread := 0.0
		for l, v := range s.k {
			d := v - n.Shift[l]
			at[f.first[node]+l] = d
			spread += float64(d * d)
		}
		switch {
		case density:
			at[f.first[node]+m], at[f.first[node]+m+1] = spread, logGamma
		case node == p.nodes()+len(p.Tests)/2:
			at[functions-1] = spread
		}
	}
}

// converge sets the coefficients of the functions from … to-1, and reports whether the last ones are as
// small as rounding.
func (f *fitter) converge(from, to int) bool {
	functions := len(f.values) / order
	for j := range order {
		out := f.values[j*functions+from : j*functions+to]
		clear(out)
		for k := range order {
			scale := cosines[j*order+k] / (order / 2)
			if j == 0 {
				scale /= 2
			}
			for l, v := range f.at[k*functions+from : k*functions+to] {
				out[l] += float64(scale * v)
			}
		}
	}
	for l := from; l < to; l++ {
		largest := 1.0
		for j := range order - 3 {
			largest = max(largest, math.Abs(f.values[j*functions+l]))
		}
		if math.IsInf(largest, 1) {
			return false
		}
		for j := order - 3; j < order; j++ {
			if !(math.Abs(f.values[j*functions+l]) <= converged*largest) {
				return false
			}
		}
	}
	return true
}

// cosines are T_j at the zeros of T_16: of T_1 they are the zeros.
var cosines = func() (out [order * order]float64) {
	for j := range order {
		for k := range order {
			out[j*order+k] = math.Cos(math.Pi * float64(j) * (float64(k) + 0.5) / order)
		}
	}
	return out
}()
