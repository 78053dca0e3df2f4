package summary

import (
	"math"
	"slices"
	"sync"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/product"

	"gonum.org/v1/gonum/floats"
)

// expansion makes the sums over rows of one column cost a few nanoseconds a row, whatever the numbers of
// nodes and pseudo-inputs are. All that is summed, k(x, z_l) and log gamma at each node, is a smooth
// function of x. The range of the plan is cut into pieces on each of which all these functions are
// polynomials of degree 15 to rounding, so that the sums of the Chebyshev polynomials T_0(x) … T_15(x)
// over the rows of a piece are all that is needed: the sums of the functions are a product of matrices,
// once for each bin of a chunk.
//
// log gamma has logarithmic singularities beside the line, near it where a pseudo-input is many
// lengthscales from the others. Pieces are halved towards them; rows where that does not end, and rows
// beyond the range, are summed one by one.
type expansion struct {
	path      fused.Kind
	from      float64
	perSlot   float64 // slots in a unit of x
	slots     []int32 // the piece in which a slot is, or apart
	pieces    []piece
	functions int
	series    []float64   // coefficient j of the functions on piece i, from (i order + j) functions
	middle    [][]float64 // the same of each function of the test in the middle, in the order of moments
}

// moments are the sums of Chebyshev polynomials over the rows of one chunk.
type moments struct {
	of    *expansion
	block []float64 // of one block: T_j on piece i at i order + j
	bins  []float64 // of each bin
	rest  []float64 // rows of the block that are summed one by one
	out   []float64
}

// piece is one interval of x.
type piece struct{ centre, perHalf float64 }

const (
	order = 16 // coefficients of a piece
	// slotsOfCell is how many slots the widest piece has: it is halved six times at most.
	slotsOfCell = 64
	apart       = -1
	beyond      = 3 // lengthscales, on either side of the range of the plan
	// converged is how large the last coefficients may be, relative to the values or to one.
	converged = 1e-14
	// leastExpanded is the block from which sums by way of expansions are faster. It stands for the number of
	// rows in a bin of a chunk, and is a matter of the plan: the same rows give the same bytes wherever
	// they are summed.
	leastExpanded = 256
	mostSeries    = 1 << 23
)

// expanded returns the expansion for a plan, nil where it has none. It is made once for all workers.
func (p *Plan) expanded(path fused.Kind) *expansion {
	if p.shared == nil {
		return p.expand(path)
	}
	p.shared.once.Do(func() { p.shared.expansion = p.expand(path) })
	return p.shared.expansion
}

// shared is what all summaries of a plan use.
type shared struct {
	once      sync.Once
	expansion *expansion
}

func (p *Plan) expand(path fused.Kind) *expansion {
	if p.Dim() != 1 || p.Block < leastExpanded || len(p.Low) != 1 {
		return nil
	}
	least := math.Inf(1)
	for _, w := range p.Windows {
		least = min(least, math.Exp(w.From))
	}
	for _, t := range p.Tests {
		least = min(least, t.Theta)
	}
	// Rows a little beyond the pilot's are no rarity among many.
	from := p.Low[0] - beyond*least
	cells := math.Ceil((p.High[0]-from)/least) + beyond
	functions := p.nodes()*(p.M()+2) + len(p.Tests)*p.M() + min(len(p.Tests), 1)
	if !(cells*order*float64(max(functions, p.Bins)) < mostSeries) {
		return nil
	}
	e := &expansion{path: path, from: from, perSlot: slotsOfCell / least, functions: functions,
		slots: make([]int32, int(cells)*slotsOfCell)}
	f := newFitter(p, path, functions)
	for c := range int(cells) {
		e.fit(f, c*slotsOfCell, slotsOfCell)
		if len(e.pieces)*order*max(functions, p.Bins) > mostSeries {
			return nil
		}
	}
	e.transpose(p)
	return e
}

// moments returns room for the moments of a chunk.
func (e *expansion) moments(bins int) *moments {
	n := len(e.pieces) * order
	return &moments{of: e, block: make([]float64, n), bins: make([]float64, n*bins)}
}

// fit makes pieces of some slots.
func (e *expansion) fit(f *fitter, first, count int) {
	half := float64(count) / 2 / e.perSlot
	at := piece{e.from + (float64(first)+float64(count)/2)/e.perSlot, 1 / half}
	id := int32(apart)
	switch {
	case f.fit(at.centre, half):
		id = int32(len(e.pieces))
		e.pieces = append(e.pieces, at)
		e.series = append(e.series, f.values...)
	case count > 1:
		e.fit(f, first, count/2)
		e.fit(f, first+count/2, count/2)
		return
	}
	for s := range count {
		e.slots[first+s] = id
	}
}

// transpose sets the series of the test in the middle, in which blocks are compared: its kernel values
// and the sum of (k - shift)², which is the last of all functions.
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
		row := make([]float64, len(e.pieces)*order)
		for k := range row {
			row[k] = e.series[k*e.functions+at]
		}
		e.middle = append(e.middle, row)
	}
}

// add adds the rows of a block, and returns those that are left.
func (m *moments) add(x []float64) []float64 {
	e := m.of
	m.rest = m.rest[:0]
	slots := float64(len(e.slots))
	for _, v := range x {
		s := (v - e.from) * e.perSlot
		id := int32(apart)
		if s >= 0 && s < slots {
			id = e.slots[int(s)]
		}
		if id < 0 {
			m.rest = append(m.rest, v)
			continue
		}
		p := &e.pieces[id]
		chebyshev((*[order]float64)(m.block[int(id)*order:]), (v-p.centre)*p.perHalf)
	}
	return m.rest
}

// chebyshev adds T_0(t) … T_15(t): T_{j+2} = 2 T_2 T_j - T_{j-2}, in two chains.
func chebyshev(m *[order]float64, t float64) {
	a := 2*t*t - 1
	d := 2 * a
	b := d*t - t
	m[0]++
	m[1] += t
	m[2] += a
	m[3] += b
	u, v := 1.0, t
	for j := 4; j < order; j += 2 {
		u, a = a, d*a-u
		v, b = b, d*b-v
		m[j] += a
		m[j+1] += b
	}
}

// end gives the moments of the block to a bin, and adds the sums of the test in the middle to mid.
func (m *moments) end(bin int, mid []float64) {
	for l, row := range m.of.middle {
		mid[l] += floats.Dot(row, m.block)
	}
	floats.Add(m.bins[bin*len(m.block):][:len(m.block)], m.block)
	clear(m.block)
}

// sums returns the sums of the functions over the rows that bins have got, and clears them.
func (m *moments) sums(bins []int) []float64 {
	e, n := m.of, len(m.block)
	rows := make([]float64, 0, len(bins)*n)
	for _, b := range bins {
		rows = append(rows, m.bins[b*n:(b+1)*n]...)
		clear(m.bins[b*n : (b+1)*n])
	}
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

func newFitter(p *Plan, path fused.Kind, functions int) *fitter {
	f := &fitter{plan: p, sums: newKernelSums(p, path), at: make([]float64, order*functions),
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
		logGamma := s.row([]float64{centre + half*c}, density)
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
			floats.AddScaled(out, scale, f.at[k*functions+from:k*functions+to])
		}
	}
	for l := from; l < to; l++ {
		largest := 1.0
		for j := range order - 3 {
			largest = max(largest, math.Abs(f.values[j*functions+l]))
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
