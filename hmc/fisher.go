package hmc

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bayeskernel/draws"
)

// pairs keeps the latest draws of this window and the one before, with their gradients, to estimate
// a correlated Fisher metric. It holds at most Most rows.
type pairs struct {
	D, Most int
	N       int       // pairs added since the last reset
	New     int       // how many of them belong to the current window
	X, G    []float64 // rows; row N%Most is the oldest once there are Most
	from    int       // the first pair used for the latest metric

	kind     kind    // of the metric
	diagonal bool    // a diagonal metric is allowed
	near     float64 // drop directions with eigenvalues this close to 1
}

// newPairs returns room for the pairs of a window.
func newPairs(k kind, p plan, near float64) *pairs {
	return &pairs{D: p.Dim, Most: max(300, min(1000, 1<<18/p.Dim)), kind: k, diagonal: p.Diagonal,
		near: near}
}

func (w *pairs) reset() { w.N, w.New, w.X, w.G = 0, 0, w.X[:0], w.G[:0] }

// next opens the next window. It keeps the pairs of this window unless they are few or plenty. In
// few dimensions they are plenty, and the next window needs no draws from where the chain used to
// be.
func (w *pairs) next() {
	if w.New < lasting || w.New >= plenty*w.D {
		w.reset()
		return
	}
	n := min(w.N, w.Most)
	x, g := w.rows(n-min(n, w.New), n)
	w.N, w.New, w.X, w.G = len(x), 0, slices.Concat(x...), slices.Concat(g...)
}

func (w *pairs) add(x, grad []float64) {
	if w.N < w.Most {
		w.X = append(w.X, x...)
		w.G = append(w.G, grad...)
	} else {
		at := w.N % w.Most * w.D
		copy(w.X[at:], x)
		copy(w.G[at:], grad)
	}
	w.N++
	w.New++
}

// rows returns the pairs from lo to hi in the order of time.
func (w *pairs) rows(lo, hi int) (x, g [][]float64) {
	first := 0
	if w.N > w.Most {
		first = w.N % w.Most
	}
	for i := lo; i < hi; i++ {
		k := (first + i) % min(w.N, w.Most) * w.D
		x = append(x, w.X[k:k+w.D])
		g = append(g, w.G[k:k+w.D])
	}
	return x, g
}

// metric estimates a metric with correlations from the window, given the current one, and records
// in said how it was chosen.
func (w *pairs) metric(old Metric, said *draws.Window) (Metric, error) {
	n := min(w.N, w.Most)
	w.from, said.Kind = 0, keptMetric
	if n < 2 {
		return old, nil
	}
	c := w.choose(n, old)
	for i, t := range c.tried {
		if c.tried[i].Kind == "" {
			c.tried[i].Kind = w.kindOf(t.Rank)
		}
	}
	said.Draws, said.Tried = n, c.tried
	if c.keep {
		return old, nil
	}
	if err := w.settle(n, old); err != nil {
		return nil, err
	}
	x, g := w.rows(w.from, n)
	m, err := newFisherFit(x, g, old, c.rank, c.rounds).metric(c.rank, w.near)
	if err != nil {
		return nil, err
	}
	said.Draws, said.Rank = n-w.from, len(m.eigen)
	said.Kind = w.kindOf(said.Rank)
	return as(w.kind, m)
}

// keptMetric is the kind that runs record when the current metric is kept.
const keptMetric = "old"

// kindOf returns the name of the kind of a metric of the given rank.
func (w *pairs) kindOf(rank int) string {
	if rank == 0 {
		return DiagMetric.String()
	}
	return w.kind.String()
}

// elsewhere is the largest ratio of the divergence of a metric to the divergence of one fitted to
// the same pairs, for a chain that stays in one place. There the excess is at most a tenth; across
// or between modes it is a half or more.
const elsewhere = 1.3

// moved reports whether the chain has left the place where was was estimated. It compares was with
// now on the pairs of this window that now was fitted to. These must be plenty: a metric fits a few
// of its own pairs far better than others.
func (w *pairs) moved(was, now Metric) bool {
	n := min(w.N, w.Most)
	from := max(w.from, n-w.New)
	if n-from < plenty*w.D {
		return false
	}
	x, g := w.rows(from, n)
	return divergence(was, x, g) > elsewhere*divergence(now, x, g)
}

// settle sets the first pair to estimate from. It starts with all pairs, and drops the first half
// as long as the second half has plenty of pairs and is from another place.
func (w *pairs) settle(n int, old Metric) error {
	for w.from = 0; ; {
		half := n - (n-w.from)/2
		if n-half < plenty*w.D {
			return nil
		}
		whole, err := w.all(w.from, n, old)
		if err != nil {
			return err
		}
		later, err := w.all(half, n, old)
		if err != nil {
			return err
		}
		x, g := w.rows(half, n)
		if !(divergence(whole, x, g) > elsewhere*divergence(later, x, g)) {
			return nil
		}
		w.from = half
	}
}

// all returns the metric with all directions, fitted to the pairs from lo to hi.
func (w *pairs) all(lo, hi int, old Metric) (Metric, error) {
	x, g := w.rows(lo, hi)
	return newFisherFit(x, g, old, w.D, 0).metric(w.D, 0)
}

// ranks returns the numbers of directions to try with n pairs in d dimensions.
func ranks(n, d int) []int {
	var all []int
	for k := 1; k <= min(n-1, d); k *= 2 {
		all = append(all, k)
	}
	if k := min(n-1, d); k > 1 && all[len(all)-1] != k {
		all = append(all, k)
	}
	return all
}

// choice is the result of choose: the rank of the metric to fit and how often to re-estimate its
// diagonal, or keep to keep the current metric.
type choice struct {
	rank, rounds int
	keep         bool
	tried        []draws.Trial // the least score of each rank
}

// try records a score. Only the lowest score of each kind and rank counts.
func (c *choice) try(kind string, rank int, score float64) {
	i := slices.IndexFunc(c.tried, func(t draws.Trial) bool { return t.Kind == kind && t.Rank == rank })
	switch {
	case math.IsInf(score, 0) || math.IsNaN(score):
	case i < 0:
		c.tried = append(c.tried, draws.Trial{Kind: kind, Rank: rank, Score: score})
	default:
		c.tried[i].Score = min(c.tried[i].Score, score)
	}
}

// choose fits metrics to the first two thirds of the window. It returns the rank, and the number of
// times to re-estimate the diagonal, with the least Fisher divergence on the last third. Rank 0 is
// a diagonal metric, if that is allowed. With plenty of pairs it keeps all directions. If draws are
// few and the current metric is correlated and does better, it keeps the current metric.
func (w *pairs) choose(n int, old Metric) (c choice) {
	if n >= plenty*w.D {
		c.rank = w.D
		return c
	}
	held := n / 3
	if held < 3 {
		if !w.diagonal {
			c.rank = min(n-1, w.D)
		}
		c.keep = 2*n < 3*w.D && old.correlated()
		return c
	}
	x, g := w.rows(0, n-held)
	hx, hg := w.rows(n-held, n)
	mean := 1 / float64(held*w.D)
	f := newFisherFit(x, g, old, 0, 0)
	f.hold(hx, hg)
	least := math.Inf(1)
	if w.diagonal {
		least = f.total
		c.try("", 0, mean*least)
	}
	for t := 0; ; t++ {
		better := false
		last, rises := math.Inf(1), 0
		for _, k := range ranks(n-held, w.D) {
			v := f.divergence(k)
			c.try("", k, mean*v)
			if v < least {
				c.rank, c.rounds, least, better = k, t, v, true
			}
			if rises++; v <= last {
				rises = 0
			}
			if last = v; rises == enoughRises {
				break
			}
		}
		if !better || t == mostRounds {
			break
		}
		f.rescale(c.rank)
		f.fit(x, g)
		f.hold(hx, hg)
	}
	if 2*n < 3*w.D && old.correlated() {
		v := divergence(old, hx, hg)
		c.try(keptMetric, 0, mean*v)
		c.keep = v < least
	}
	return c
}

// enoughRises is how many times in a row a larger rank must predict worse before choose stops
// trying. Larger ranks cost the most, and fit noise.
const enoughRises = 3

// plenty is the number of pairs per dimension that is enough to keep all directions without a
// trial.
const plenty = 10

// mostRounds is the largest number of times that the diagonal is re-estimated.
const mostRounds = 3

// fisherFit holds the principal directions of draws and gradients in the units of a diagonal
// metric.
type fisherFit struct {
	scale      []float64  // square root of the diagonal metric
	x, g       *mat.Dense // the pairs in these units: d rows
	directions *mat.Dense // orthonormal columns, strongest first
	px, pg     *mat.Dense // the pairs in coordinates of directions

	hx, hg *mat.Dense // held-out pairs in the same coordinates
	total  float64    // their divergence under the diagonal metric
}

func newFisherFit(x, g [][]float64, old Metric, rank, rounds int) *fisherFit {
	f := &fisherFit{scale: fisherScale(x, g, old)}
	f.fit(x, g)
	for range rounds {
		f.rescale(rank)
		f.fit(x, g)
	}
	return f
}

func (f *fisherFit) fit(x, g [][]float64) {
	f.x, f.g = f.centred(x, false), f.centred(g, true)
	norm := 1 / math.Sqrt(float64(len(x)-1))
	f.x.Scale(norm, f.x)
	f.g.Scale(norm, f.g)
	f.principal(len(x) - 1)
	var px, pg mat.Dense
	px.Mul(f.directions.T(), f.x)
	pg.Mul(f.directions.T(), f.g)
	f.px, f.pg = &px, &pg
}

// direction is a principal direction of draws or gradients, of any length.
type direction struct {
	variance float64
	u        []float64
}

// directionsOf returns the principal directions of the columns of m.
func directionsOf(m *mat.Dense) []direction {
	d, n := m.Dims()
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
	for k, s := range eig.Values(nil) {
		if s > 1e-10 {
			all = append(all, direction{s, mat.Col(nil, k, &u)})
		}
	}
	return all
}

// principal finds the strongest directions, at most most of them, of draws and gradients together,
// and makes them orthonormal.
func (f *fisherFit) principal(most int) {
	d := len(f.scale)
	all := append(directionsOf(f.x), directionsOf(f.g)...)
	slices.SortStableFunc(all, func(a, b direction) int { return cmp.Compare(b.variance, a.variance) })
	var basis [][]float64
	for _, c := range all {
		if len(basis) == min(most, d) {
			break
		}
		before := math.Sqrt(dot(c.u, c.u))
		for range 2 { // twice, so that rounding leaves them orthogonal
			for _, b := range basis {
				p := dot(b, c.u)
				floats.AddScaled(c.u, -p, b)
			}
		}
		after := math.Sqrt(dot(c.u, c.u))
		if !(after > 1e-3*before) {
			continue
		}
		for i := range c.u {
			c.u[i] /= after
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
		if v := math.Pow(dot(a, a)/dot(b, b), 0.25); v > 1e-10 && v < 1e10 {
			f.scale[i] *= v
		}
	}
}

// hold projects the held-out pairs.
func (f *fisherFit) hold(x, g [][]float64) {
	hx, hg := f.centred(x, false), f.centred(g, true)
	f.total = squares(hx) + squares(hg)
	var px, pg mat.Dense
	px.Mul(f.directions.T(), hx)
	pg.Mul(f.directions.T(), hg)
	f.hx, f.hg = &px, &pg
}

func squares(m mat.Matrix) float64 {
	f := mat.Norm(m, 2)
	return f * f
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

// divergence returns the sum over the held-out pairs of g'Wg + x'W^-1 x for the metric of the given
// rank.
func (f *fisherFit) divergence(rank int) float64 {
	if k, _ := f.px.Dims(); rank > k {
		return math.Inf(1)
	}
	p, q, ok := geometricRoot(f.middle(rank))
	if !ok {
		return math.Inf(1)
	}
	_, n := f.hx.Dims()
	hx, hg := f.hx.Slice(0, rank, 0, n), f.hg.Slice(0, rank, 0, n)
	var a, b mat.Dense
	a.Mul(p.T(), hg)
	b.Mul(q.T(), hx)
	return f.total - squares(hx) - squares(hg) + squares(&a) + squares(&b)
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
	for i := range d {
		mean := 0.0
		for _, r := range rows {
			mean += r[i] / float64(n)
		}
		by := 1 / f.scale[i]
		if gradients {
			by = f.scale[i]
		}
		row := m.RawRowView(i)
		for j, r := range rows {
			row[j] = (r[i] - mean) * by
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
	for j, v := range eig.Values(nil) {
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
