package bke

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// gramian computes, for one row x of the data,
//
//	log gamma(x) = 1/2 logdet sum_l k_l² Theta^-2 v_l v_l' Theta^-2,   v_l = x - z_l,
//
// by elimination with complete pivoting of the m x D matrix whose rows are k_l v_l', which is
// never formed: the vectors v_l are eliminated as they are, and the weights k_l, or their
// logarithms where they underflow, enter only in the choice of the pivot and in L. The rows of a
// Gram matrix formed instead would lose all digits once the k_l differ by more than 1e8.
//
// The last three fields are the input, and survive.
type gramian struct {
	m, d int
	cols [][]float64 // D columns of length m: the vectors v_l, in the end those of L
	gram []float64   // D x D: L'L, then its Cholesky factor C
	lev  []float64   // leverages
	dep  *dependence

	k     []float64 // kernel values
	logK  []float64 // and their logarithms
	scale []float64 // 1/theta_a
	order []float64 // scale in the present order of the columns

	inv, diag []float64 // C^-1 and the diagonal of G, for direct
	least     float64
}

func newGramian(m, d int) *gramian {
	g := &gramian{
		m: m, d: d, cols: make([][]float64, d, d+gap/24+1), gram: apart(d * d),
		lev: apart(m), k: apart(m), logK: apart(m), scale: apart(d), order: apart(d),
		inv: apart(d * d), diag: apart(d), least: leastSize(d),
		dep: newDependence(m, d),
	}
	for a := range g.cols {
		g.cols[a] = apart(m)
	}
	return g
}

// tinyPivot is the weighted pivot below which weights are taken in logarithms. Weights that have
// underflowed are then at most 1e-168 of the pivot, so that nothing is lost with them.
const tinyPivot = 1e-140

// logDet replaces the vectors in cols by L and returns 1/2 logdet sum_l k_l² v_l v_l', which is
// -Inf where the vectors do not span all dimensions. refill must restore the vectors.
func (g *gramian) logDet(refill func()) float64 {
	copy(g.order, g.scale)
	g.dep.start(0)
	sum, ok := g.eliminate(refill)
	if !ok {
		refill()
		copy(g.order, g.scale)
		g.dep.start(math.Inf(-1))
		sum = g.eliminateLogs(refill)
	}
	if math.IsInf(sum, -1) {
		return sum
	}
	return sum + g.factorGram()
}

// pivot is the largest weighted element of the matrix that is left.
type pivot struct {
	size     float64
	row, col int
}

// eliminate returns the sum of the logarithms of the weighted pivots, or false where one of them is
// too small for weights in plain numbers.
func (g *gramian) eliminate(refill func()) (sum float64, ok bool) {
	p := g.search(0)
	small := p.size / muchTaken
	taken := g.dep.taken[:len(g.k)]
	for s := range g.d {
		for p.size >= tinyPivot && p.size < small && g.mend(s, p, false, refill) {
			p = g.search(s)
		}
		if !(p.size >= tinyPivot) {
			return 0, false
		}
		g.swap(s, p.col)
		row, size, v := p.row, p.size, g.cols[s][p.row] // before the column becomes one of L
		p = g.reduce(s, row)
		f := 1 / (v * g.k[row])
		c := g.cols[s][:len(g.k)]
		for l, k := range g.k {
			t := c[l] * (k * f)
			c[l] = t
			taken[l] += math.Abs(t) * size
		}
		c[row] = 1
		taken[row] = math.Inf(-1) // never again
		sum += math.Log(math.Abs(v) * g.k[row])
	}
	return sum, true
}

// search returns the pivot of step s.
func (g *gramian) search(s int) (p pivot) {
	for j := s; j < g.d; j++ {
		g.largest(&p, j)
	}
	return p
}

// largest raises p to the largest weighted element of column j.
func (g *gramian) largest(p *pivot, j int) {
	c := g.cols[j][:len(g.k)]
	top, row := p.size/g.order[j], -1
	for l, k := range g.k {
		if t := k * math.Abs(c[l]); t > top {
			top, row = t, l
		}
	}
	if row >= 0 {
		*p = pivot{top * g.order[j], row, j}
	}
}

// eliminateLogs is eliminate with the weights as logarithms.
func (g *gramian) eliminateLogs(refill func()) (sum float64) {
	for s := range g.d {
		p := g.searchLogs(s)
		for s > 0 && g.mend(s, p, true, refill) {
			p = g.searchLogs(s)
		}
		if math.IsInf(p.size, -1) {
			return p.size
		}
		g.swap(s, p.col)
		row, v := p.row, g.cols[s][p.row]
		g.reduce(s, row)
		c, taken := g.cols[s], g.dep.taken
		most := math.Log(largestSize(c) / math.Abs(v))
		for l, u := range c {
			if u == 0 {
				continue // even with an infinite weight beside that of the pivot
			}
			t := g.logK[l] - g.logK[row] // first, since both may be large
			if t+most < -746 {
				c[l], t = 0, t+most
			} else {
				t += math.Log(math.Abs(u / v))
				c[l] = math.Copysign(math.Exp(t), u/v)
			}
			taken[l] = max(taken[l], t+p.size)
		}
		c[row] = 1
		taken[row] = math.Inf(-1) // never again
		sum += math.Log(math.Abs(v)) + g.logK[row]
	}
	return sum
}

// searchLogs is search with the weights as logarithms, and with the size of the pivot as one.
func (g *gramian) searchLogs(s int) (p pivot) {
	p = pivot{math.Inf(-1), 0, s}
	for j := s; j < g.d; j++ {
		most := math.Log(largestSize(g.cols[j]) * g.order[j])
		for l, v := range g.cols[j] {
			if g.logK[l]+most < p.size {
				continue // most are, where theta is small
			}
			if t := math.Log(math.Abs(v)*g.order[j]) + g.logK[l]; t > p.size {
				p = pivot{t, l, j}
			}
		}
	}
	return p
}

func largestSize(c []float64) (top float64) {
	for _, v := range c {
		if v = math.Abs(v); v > top {
			top = v
		}
	}
	return top
}

func (g *gramian) swap(i, j int) {
	g.cols[i], g.cols[j] = g.cols[j], g.cols[i]
	g.order[i], g.order[j] = g.order[j], g.order[i]
	g.dep.axes[i], g.dep.axes[j] = g.dep.axes[j], g.dep.axes[i]
}

// reduce subtracts from each vector its multiple of the pivot's that makes element s vanish, and
// returns the next pivot. Where the subtraction cancels, v_j - (v_s/p_s) p_j is recomputed as (v_j
// p_s - v_s p_j)/p_s without cancellation (Kahan's algorithm for a determinant of order two), so
// that points in line with each other leave exactly zero, or what their last bits say, but not
// rounding errors, which might outweigh all the vectors farther away.
func (g *gramian) reduce(s, row int) (next pivot) {
	c := g.cols[s][:len(g.k)]
	ps := c[row]
	inv := 1 / ps
	u := g.dep.upper[s*g.d:][:g.d]
	g.dep.rows[s], u[g.dep.axes[s]] = row, ps
	for j := s + 1; j < g.d; j++ {
		cj := g.cols[j][:len(g.k)]
		pj := cj[row]
		u[g.dep.axes[j]] = pj
		f := pj * inv
		top, at := next.size/g.order[j], -1
		for l, k := range g.k {
			v, vs := cj[l], c[l]
			t := v - f*vs
			if math.Abs(t) < 1e-3*math.Abs(v) && l != row {
				w := float64(vs * pj)
				t = (math.FMA(v, ps, -w) - math.FMA(vs, pj, -w)) / ps
			}
			cj[l] = t
			if t = k * math.Abs(t); t > top && l != row {
				top, at = t, l
			}
		}
		cj[row] = 0
		if at >= 0 {
			next = pivot{top * g.order[j], at, j}
		}
	}
	return next
}

// factorGram computes the Cholesky factor C of L'L and returns the sum of the logarithms of its
// diagonal. L has ones on its diagonal and no element beyond 1, so L'L is far from singular.
func (g *gramian) factorGram() float64 {
	d := g.d
	prod := 1.0 // at most m^(D/2)
	for i := range d {
		for j := range i + 1 {
			s := floats.Dot(g.cols[i], g.cols[j])
			for k := range j {
				s -= g.gram[i*d+k] * g.gram[j*d+k]
			}
			if i == j {
				g.gram[i*d+i] = math.Sqrt(s)
				prod *= g.gram[i*d+i]
			} else {
				g.gram[i*d+j] = s / g.gram[j*d+j]
			}
		}
	}
	return math.Log(prod)
}

// leverages computes h_l = k_l² v_l' G^-1 v_l, where G is the matrix whose determinant was taken:
// the squared lengths of the rows of L C'^-1. They sum to D. The columns are used up.
func (g *gramian) leverages() []float64 {
	clear(g.lev)
	d := g.d
	for i, c := range g.cols {
		for j := range i {
			floats.AddScaled(c, -g.gram[i*d+j], g.cols[j])
		}
		inv := 1 / g.gram[i*d+i]
		for l := range c {
			c[l] *= inv
			g.lev[l] += c[l] * c[l]
		}
	}
	return g.lev
}
