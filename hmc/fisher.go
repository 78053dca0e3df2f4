package hmc

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// fisherFit holds the principal directions of draws and gradients in the units of a diagonal
// metric.
type fisherFit struct {
	scale        []float64  // square root of the diagonal metric
	x, g         *mat.Dense // the pairs in these units: d rows
	heldX, heldG *mat.Dense // the held-out pairs, likewise; nil if there are none
	directions   *mat.Dense // orthonormal columns, strongest first

	px, pg *mat.Dense // the pairs in coordinates of directions
	hx, hg *mat.Dense // the held-out pairs, likewise
	totalX float64    // the sum of squares of the held-out draws, over all coordinates
	totalG float64    // that of their gradients
	stand  int        // how many directions stand out from the rest
	last   int        // how many there are up to the last of them
}

// newFisherFit fits the strongest directions, at most most of them, and re-estimates the diagonal
// as often as rounds says with the first rank of them projected out. The search for directions starts
// from those of start, if it is not nil.
func newFisherFit(x, g [][]float64, old Metric, most, rank, rounds int, start *fisherFit) *fisherFit {
	f := &fisherFit{scale: fisherScale(x, g, old)}
	if start != nil {
		f.directions = start.directions
	}
	f.load(x, g)
	f.fit(most)
	for range rounds {
		f.rescale(rank)
		f.fit(most)
	}
	return f
}

// load takes the pairs to fit to.
func (f *fisherFit) load(x, g [][]float64) {
	f.x, f.g = f.centred(x, false), f.centred(g, true)
	norm := 1 / math.Sqrt(float64(len(x)-1))
	f.x.Scale(norm, f.x)
	f.g.Scale(norm, f.g)
}

// hold takes the pairs to compare fits on.
func (f *fisherFit) hold(x, g [][]float64) {
	f.heldX, f.heldG = f.centred(x, false), f.centred(g, true)
}

// fit finds at most most directions anew, with the diagonal metric as it is, and projects all pairs.
func (f *fisherFit) fit(most int) {
	_, n := f.x.Dims()
	f.principal(min(most, n-1))
	project := func(m *mat.Dense) *mat.Dense {
		var p mat.Dense
		p.Mul(f.directions.T(), m)
		return &p
	}
	f.px, f.pg = project(f.x), project(f.g)
	if f.heldX != nil {
		f.totalX, f.totalG = squares(f.heldX), squares(f.heldG)
		f.hx, f.hg = project(f.heldX), project(f.heldG)
		f.stand, f.last = f.standing()
	}
}

// direction is a principal direction of draws or gradients, of any length.
type direction struct {
	variance float64
	u        []float64
}

// directionsOf returns the principal directions of the columns of m, the strongest first: all of
// them, or the strongest ones if most is far smaller.
func directionsOf(m *mat.Dense, most int, start *mat.Dense) []direction {
	d, n := m.Dims()
	if least := min(d, n); least > 32 && 2*most < least {
		return strongest(m, most, start)
	}
	gram := mat.NewSymDense(min(d, n), nil)
	if d <= n { // the eigenvectors of the smaller product serve for both
		gram.SymOuterK(1, m)
	} else {
		gram.SymOuterK(1, m.T())
	}
	var eig mat.EigenSym
	if !eig.Factorize(gram, true) {
		return nil
	}
	var v, u mat.Dense
	eig.VectorsTo(&v)
	if d <= n {
		u.CloneFrom(&v)
	} else {
		u.Mul(m, &v)
	}
	var all []direction
	values := eig.Values(nil)
	for k := len(values) - 1; k >= 0 && values[k] > leastVariance; k-- {
		all = append(all, direction{values[k], mat.Col(nil, k, &u)})
	}
	return all
}

// shrunk replaces the variances of the strongest directions of m by what they are likely to be in
// the target, relative to that of the other directions. Among d coordinates of n draws some direction always varies too much; the inverse of
// the formula for a spiked covariance takes that off (Baik and Silverstein 2006). A variance that
// noise alone explains becomes 1.
func shrunk(list []direction, m *mat.Dense) []direction {
	d, n := m.Dims()
	ratio := float64(d) / float64(n)
	rest, dims := squares(m), float64(d)
	edge := (1 + math.Sqrt(ratio)) * (1 + math.Sqrt(ratio))
	signals := 0
	for signals < len(list) && dims > 1 && list[signals].variance > edge*rest/dims {
		rest -= list[signals].variance
		dims--
		signals++
	}
	level := rest / dims
	if !(level > 0) {
		return list
	}
	for i := range list {
		v := 1.0
		if i < signals {
			v = list[i].variance / level
			b := v + 1 - ratio
			v = (b + math.Sqrt(b*b-4*v)) / 2
		}
		list[i].variance = v
	}
	return list
}

// principal finds the strongest directions, at most most of them, of draws and gradients together,
// and makes them orthonormal.
func (f *fisherFit) principal(most int) {
	d := len(f.scale)
	var all []direction
	for _, m := range []*mat.Dense{f.x, f.g} {
		if most > 0 {
			list := directionsOf(m, most, f.directions)
			if d > autoDense {
				list = shrunk(list, m)
			}
			all = append(all, list...)
		}
	}
	slices.SortStableFunc(all, func(a, b direction) int { return cmp.Compare(b.variance, a.variance) })
	var basis [][]float64
	for _, c := range all {
		if len(basis) == min(most, d) {
			break
		}
		if !orthogonal(c.u, basis) {
			continue
		}
		basis = append(basis, c.u)
	}
	f.directions = mat.NewDense(d, max(1, len(basis)), nil)
	for k, b := range basis {
		f.directions.SetCol(k, b)
	}
}

// rescale re-estimates the diagonal metric from the pairs with the first directions projected out.
func (f *fisherFit) rescale(rank int) {
	d, n := f.x.Dims()
	_, k := f.directions.Dims()
	rank = min(rank, k)
	u := f.directions.Slice(0, d, 0, rank)
	var rx, rg mat.Dense
	rx.Mul(u, f.px.Slice(0, rank, 0, n))
	rg.Mul(u, f.pg.Slice(0, rank, 0, n))
	rx.Sub(f.x, &rx)
	rg.Sub(f.g, &rg)
	for i := range f.scale {
		a, b := rx.RawRowView(i), rg.RawRowView(i)
		if v := math.Pow(floats.Dot(a, a)/floats.Dot(b, b), 0.25); v > 1e-10 && v < 1e10 {
			f.scale[i] *= v
			floats.Scale(1/v, f.x.RawRowView(i))
			floats.Scale(v, f.g.RawRowView(i))
			if f.heldX != nil {
				floats.Scale(1/v, f.heldX.RawRowView(i))
				floats.Scale(v, f.heldG.RawRowView(i))
			}
		}
	}
}

// standing returns how many directions stand out: held-out draws or gradients vary more along them
// than on average over all others, and more than chance explains. last counts those up to the last.
func (f *fisherFit) standing() (count, last int) {
	k, n := f.hx.Dims()
	d := len(f.scale)
	restX, restG := f.totalX-squares(f.hx), f.totalG-squares(f.hg)
	if d <= k || !(restX > 0 && restG > 0) {
		return k, k
	}
	least := (1 + nearOne) * (1 + standsOut*math.Sqrt(2/float64(n))) / float64(d-k)
	for j := range k {
		x, g := f.hx.RawRowView(j), f.hg.RawRowView(j)
		if dot(x, x) > least*restX || dot(g, g) > least*restG {
			count, last = count+1, j+1
		}
	}
	return count, last
}

func squares(m *mat.Dense) float64 {
	sum := 0.0
	rows, _ := m.Dims()
	for i := range rows {
		row := m.RawRowView(i)
		sum += floats.Dot(row, row)
	}
	return sum
}

// middle returns the covariances of draws and gradients in the first directions.
func (f *fisherFit) middle(rank int) (a, b *mat.SymDense) {
	_, n := f.px.Dims()
	a, b = mat.NewSymDense(rank, nil), mat.NewSymDense(rank, nil)
	a.SymOuterK(1, f.px.Slice(0, rank, 0, n))
	b.SymOuterK(1, f.pg.Slice(0, rank, 0, n))
	for i := range rank {
		a.SetSym(i, i, a.At(i, i)+fisherRidge)
		b.SetSym(i, i, b.At(i, i)+fisherRidge)
	}
	return a, b
}

// held returns the number of held-out pairs.
func (f *fisherFit) held() int {
	_, n := f.hx.Dims()
	return n
}

// whitened returns the held-out gradients and draws along the first directions, in the units of the
// metric of the given rank. It returns false if rounding has made that metric indefinite.
func (f *fisherFit) whitened(rank int) (g, x *mat.Dense, ok bool) {
	p, q, ok := geometricRoot(f.middle(rank))
	if !ok {
		return nil, nil, false
	}
	n := f.held()
	g, x = new(mat.Dense), new(mat.Dense)
	g.Mul(p.T(), f.hg.Slice(0, rank, 0, n))
	x.Mul(q.T(), f.hx.Slice(0, rank, 0, n))
	return g, x, true
}

// divergence returns the sum over the held-out pairs of g'Wg + x'W^-1 x for the metric of the given
// rank.
func (f *fisherFit) divergence(rank int) float64 {
	if k, _ := f.px.Dims(); rank > k {
		return math.Inf(1)
	}
	g, x, ok := f.whitened(rank)
	if !ok {
		return math.Inf(1)
	}
	n := f.held()
	return f.totalX + f.totalG - squares(f.hx.Slice(0, rank, 0, n).(*mat.Dense)) -
		squares(f.hg.Slice(0, rank, 0, n).(*mat.Dense)) + squares(g) + squares(x)
}

// metric returns the metric of the given rank, without the directions whose eigenvalue lies between
// 1/(1+near) and 1+near.
func (f *fisherFit) metric(rank int, near float64) (*lowRank, error) {
	d := len(f.scale)
	k, _ := f.px.Dims()
	rank = min(rank, k)
	var eigen []float64
	rows := make([]float64, 0, rank*d)
	if rank > 0 {
		if p, _, ok := geometricRoot(f.middle(rank)); ok {
			w := mat.NewSymDense(rank, nil)
			w.SymOuterK(1, p)
			var eig mat.EigenSym
			if eig.Factorize(w, true) {
				var v, u mat.Dense
				eig.VectorsTo(&v)
				u.Mul(f.directions.Slice(0, d, 0, rank), &v)
				for j, e := range eig.Values(nil) {
					if e > 1e-12 && e < 1e12 && (e < 1/(1+near) || e > 1+near) {
						eigen = append(eigen, e)
						rows = append(rows, mat.Col(nil, j, &u)...)
					}
				}
			}
		}
	}
	return newLowRank(f.scale, rows, eigen)
}

// fisherScale returns the fourth root of var x / var g by component. If that is not positive and
// finite, it uses the square root of the diagonal of old.
func fisherScale(x, g [][]float64, old Metric) []float64 {
	d := len(x[0])
	m := newMoments(nil, d, false, nil)
	for i := range x {
		m.add(x[i], g[i])
	}
	s := m.scales(old)
	for i, v := range s {
		s[i] = math.Sqrt(v)
	}
	return s
}

// centred returns the rows, minus their mean, as columns. Gradients are multiplied by scale and
// draws divided by it.
func (f *fisherFit) centred(rows [][]float64, gradients bool) *mat.Dense {
	n, d := len(rows), len(f.scale)
	m := mat.NewDense(d, n, nil)
	mean := make([]float64, d)
	for _, r := range rows {
		floats.AddScaled(mean, 1/float64(n), r)
	}
	const block = 8 // columns at a time, so that memory is written in the order of the rows of m
	for from := 0; from < n; from += block {
		part := rows[from:min(from+block, n)]
		for i := range d {
			by := 1 / f.scale[i]
			if gradients {
				by = f.scale[i]
			}
			row := m.RawRowView(i)[from:]
			for j, r := range part {
				row[j] = (r[i] - mean[i]) * by
			}
		}
	}
	return m
}

// geometricRoot returns P and Q with P P' = W and Q Q' = W^-1, where W is the positive definite
// matrix with W b W = a; or false where rounding has made either indefinite. With b = L L' and L' a
// L = V diag(lambda) V', P = L'^-1 V diag(lambda^(1/4)) and Q = L V diag(lambda^(-1/4)).
func geometricRoot(a, b *mat.SymDense) (p, q *mat.Dense, ok bool) {
	d := a.SymmetricDim()
	var chol mat.Cholesky
	if !chol.Factorize(b) {
		return nil, nil, false
	}
	var l mat.TriDense
	chol.LTo(&l)
	var t, mid mat.Dense
	t.Mul(mat.DenseCopyOf(a), mat.DenseCopyOf(&l)) // products of these two kinds go element by element
	mid.Mul(l.T(), &t)
	sym := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			sym.SetSym(i, j, (mid.At(i, j)+mid.At(j, i))/2)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(sym, true) {
		return nil, nil, false
	}
	var up, down mat.Dense
	eig.VectorsTo(&up)
	down.CloneFrom(&up)
	values := eig.Values(nil)
	for j, v := range values {
		v = max(v, values[d-1]*leastRatio)
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, nil, false
		}
		s := math.Sqrt(math.Sqrt(v))
		for i := range d {
			up.Set(i, j, up.At(i, j)*s)
			down.Set(i, j, down.At(i, j)/s)
		}
	}
	p, q = new(mat.Dense), new(mat.Dense)
	if err := p.Solve(l.T(), &up); err != nil {
		if _, cond := err.(mat.Condition); !cond {
			return nil, nil, false
		}
	}
	q.Mul(&l, &down)
	return p, q, true
}
