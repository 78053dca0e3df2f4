package magnitude

import (
	"cmp"
	"slices"
)

// line is a variable of one column, whose distances have sums that take n log n steps, not n² (Huo and
// Székely, 2016).
type line struct {
	v     []float64
	order []int     // of the values, increasing
	rank  []int     // from 1, of values that differ or not
	sums  []float64 // of the distances of each row
}

func newLine(rows [][]float64) *line {
	n := len(rows)
	l := &line{v: make([]float64, n), order: make([]int, n), rank: make([]int, n)}
	for i, r := range rows {
		l.v[i], l.order[i] = r[0], i
	}
	slices.SortFunc(l.order, func(i, j int) int { return cmp.Or(cmp.Compare(l.v[i], l.v[j]), i-j) })
	middle := l.v[l.order[n/2]]
	for i := range l.v {
		l.v[i] -= middle
	}
	for k, i := range l.order {
		l.rank[i] = k + 1
	}
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	l.sums = l.weighted(ones)
	return l
}

// weighted is, for each row k, the sum of w_i |v_i - v_k|.
func (l *line) weighted(w []float64) []float64 {
	out := make([]float64, len(w))
	all, moment := 0.0, 0.0
	for i, v := range l.v {
		all += w[i]
		moment += w[i] * v
	}
	below, under := 0.0, 0.0
	for _, i := range l.order {
		v := l.v[i]
		out[i] = v*(2*below-all) + moment - 2*under
		below += w[i]
		under += w[i] * v
	}
	return out
}

// by is the product of the distances of two variables.
func (l *line) by(other *line) *product {
	p := &product{n: float64(len(l.v)), a: l.sums, b: other.sums, atRows: other.weighted(l.sums)}
	if l == other {
		p.at = l.squares()
		for i := range p.atRows {
			p.atRows[i] *= 2
		}
	} else {
		p.at = l.crossed(other)
		for i, v := range l.weighted(other.sums) {
			p.atRows[i] += v
		}
	}
	return p.summed()
}

// squares are the sums of the squared distances of each row.
func (l *line) squares() []float64 {
	s, ss := 0.0, 0.0
	for _, v := range l.v {
		s += v
		ss += v * v
	}
	out := make([]float64, len(l.v))
	for i, v := range l.v {
		out[i] = float64(len(l.v))*v*v - 2*v*s + ss
	}
	return out
}

// crossed are, for each row, the sums over all others of the product of the distances of both variables.
func (l *line) crossed(other *line) []float64 {
	n := len(l.v)
	out := make([]float64, n)
	tree := make([]planar, n+1) // of the rows so far, by their rank in the other variable
	pass := func(i int, sign float64, all *planar) {
		one := planar{1, l.v[i], other.v[i], l.v[i] * other.v[i]}
		below := planar{}
		for k := other.rank[i]; k > 0; k &= k - 1 {
			below.add(tree[k])
		}
		// Of rows with a smaller y the product of the differences counts as it is, of others with the other sign.
		out[i] += sign * (2*below.product(one) - all.product(one))
		for k := other.rank[i]; k <= n; k += k & -k {
			tree[k].add(one)
		}
		all.add(one)
	}
	all := planar{}
	for _, i := range l.order {
		pass(i, 1, &all)
	}
	clear(tree)
	all = planar{}
	for _, i := range slices.Backward(l.order) {
		pass(i, -1, &all)
	}
	return out
}

// planar are the number of some rows and the sums of x, y and xy.
type planar struct{ n, x, y, xy float64 }

func (m *planar) add(o planar) {
	m.n += o.n
	m.x += o.x
	m.y += o.y
	m.xy += o.xy
}

// product is the sum of (x - x_j)(y - y_j), for the row of one.
func (m *planar) product(one planar) float64 { return m.n*one.xy - one.x*m.y - one.y*m.x + m.xy }
