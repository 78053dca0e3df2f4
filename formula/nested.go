package formula

import (
	"slices"

	"bayeskernel/model"

	"gonum.org/v1/gonum/mat"
)

// The rows of a level of a group tell the sum
//
//	v = m + r,   r ~ normal(0, sd),
//
// where m are the intercept, columns that are constant within the levels, and the effects of groups that the group is within, as of g where r
// are those of g:h. What they say of v has about the precision I that moments give. Given all else, v then has the mean m/(1 + sd² I) + const
// and the standard deviation w = sd/sqrt(1 + sd² I). The program has
//
//	v = m/(1 + sd² I) + w u,   u ~ normal(m sd I/sqrt(1 + sd² I), sqrt(1 + sd² I)),
//
// whose u neither narrow where sd is small, as v, nor where it is large, as r/sd, and depend little on m. It is v where the rows settle it,
// and r/sd where they say nothing. The change of coordinates is linear given sd, so that priors and posterior are the same for any I, and r = v - m
// is recorded.

// nest are groups with an intercept alone whose effects are declared so, and the groups that these are within.
type nest struct {
	leaf   int           // the place of the finest, whose v is part of the sum of terms; -1 if none has an intercept alone
	within map[int][]int // the groups that each is within, for the leaf and those of them that are within others
	order  []int         // groups, those around others first
	known  [][][]float64 // the precision of each level, by the places of groups and their columns
}

// nesting finds the groups; nil if moments say nothing.
func (r *Regression) nesting() *nest {
	if r.plain || r.apart || len(r.Groups) == 0 {
		return nil
	}
	around := make([][]int, len(r.Groups))
	n := &nest{leaf: -1, within: map[int][]int{}}
	for k := range r.Groups {
		n.order = append(n.order, k)
		h := &r.Groups[k]
		if !h.alone() {
			continue
		}
		for j := range r.Groups {
			if g := &r.Groups[j]; g.Design.Intercept && len(g.Levels) < len(h.Levels) && h.within(g) {
				around[k] = append(around[k], j)
			}
		}
		if n.leaf < 0 || len(h.Levels) > len(r.Groups[n.leaf].Levels) {
			n.leaf = k
		}
	}
	if n.leaf >= 0 {
		n.within[n.leaf] = around[n.leaf]
		for _, k := range around[n.leaf] {
			if around[k] != nil {
				n.within[k] = around[k]
			}
		}
	}
	slices.SortStableFunc(n.order, func(a, b int) int { return len(r.Groups[a].Levels) - len(r.Groups[b].Levels) })
	if n.known = r.precisions(n); n.known == nil {
		return nil
	}
	return n
}

// alone reports whether the intercept alone varies over the levels.
func (g *Group) alone() bool { return len(g.Design.Names) == 1 && g.Design.Intercept }

// parent is a group with a sum that holds all that group k is within; -1 if there is none.
func (n *nest) parent(k int) int {
	for _, p := range n.within[k] {
		if n.within[p] != nil && len(n.within[p]) == len(n.within[k])-1 {
			return p
		}
	}
	return -1
}

// precision is that of the levels of group k, by its columns; nil if moments say nothing.
func (n *nest) precision(k int) [][]float64 {
	if n == nil {
		return nil
	}
	return n.known[k]
}

// fine is the place of the finest group with an intercept alone; -1 if there is none.
func (n *nest) fine() int {
	if n == nil {
		return -1
	}
	return n.leaf
}

// child is the coarsest group with sums that are around the effects of group k; -1 if there is none.
func (n *nest) child(k int) int {
	for _, c := range n.order {
		if slices.Contains(n.within[c], k) {
			return c
		}
	}
	return -1
}

// sums reports whether v of group k is declared, and not r.
func (n *nest) sums(k int) bool {
	_, ok := n.within[k]
	return ok
}

// adding is a sum of terms on its way into the model.
type adding struct {
	parts     []model.Expr
	x         *mat.Dense // the columns of b
	b         *model.Expr
	intercept *model.Expr
	effects   map[int]model.Expr // r of groups that others are within, by their places
	totals    map[int]model.Expr // v of those that are within others
}

func (s *adding) add(e model.Expr) { s.parts = append(s.parts, e) }

// addColumns adds the coefficients times some of their columns.
func (s *adding) addColumns(m *model.Model, of string, x *mat.Dense) {
	if s.b != nil && x != nil {
		s.add(m.Matrix("X"+under(of), x).MatVec(*s.b))
	}
}

// declareGroups declares the effects of all groups and adds them to a sum of terms.
func (r *Regression) declareGroups(m *model.Model, of string, s *adding, n *nest) {
	order := make([]int, len(r.Groups))
	for k := range order {
		order[k] = k
	}
	var inside []int // whose intercepts are part of those of the leaf
	if n != nil && n.leaf >= 0 {
		order, inside = n.order, n.within[n.leaf]
		s.effects, s.totals = map[int]model.Expr{}, map[int]model.Expr{}
	}
	before, calls := r.called, make([][]reported, len(r.Groups)) // reports keep the order of the formula
	for _, k := range order {
		g := &r.Groups[k]
		r.called = nil
		var effects []model.Expr
		switch {
		case n == nil || !g.alone():
			effects = g.declare(r, m, of, n.precision(k))
		case n.sums(k):
			r.declareAround(m, of, s, n, k)
		default:
			_, effect := r.around(m, of, n, k, nil, nil)
			effects = []model.Expr{effect}
		}
		for j, e := range effects {
			if j == 0 && slices.Contains(inside, k) {
				s.effects[k] = e
			} else {
				s.add(g.part(r, m, of, j, e))
			}
		}
		calls[k] = r.called
	}
	r.called = append(before, slices.Concat(calls...)...)
	if n == nil || n.leaf < 0 {
		return
	}
	leaf := r.factors[r.Groups[n.leaf].Name]
	s.add(s.totals[n.leaf].Of(leaf.index))
	if s.b != nil {
		_, rest := constantWithin(s.x, r.codes(n.leaf), leaf.factor.Len())
		s.addColumns(m, of, rest)
	}
}

// declareAround declares the sums of group k.
func (r *Regression) declareAround(m *model.Model, of string, s *adding, n *nest, k int) {
	var parts []model.Expr
	above := -1 // the group whose sums are a part
	if above = n.parent(k); above >= 0 {
		parts = append(parts, s.totals[above].At(r.above(k, above)))
	} else {
		if s.intercept != nil {
			parts = append(parts, *s.intercept)
		}
		for _, j := range n.within[k] {
			parts = append(parts, s.effects[j].At(r.above(k, j)))
		}
	}
	if s.b != nil {
		if columns := r.constantColumns(s.x, k, above); columns != nil {
			parts = append(parts, m.Matrix("X_"+r.Groups[k].Name+under(of), columns).MatVec(*s.b))
		}
	}
	var rest *mat.Dense
	if s.b != nil {
		_, rest = constantWithin(s.x, r.codes(k), len(r.Groups[k].Levels))
	}
	var location *model.Expr
	for _, e := range parts {
		if location != nil {
			e = location.Add(e)
		}
		location = &e
	}
	s.totals[k], s.effects[k] = r.around(m, of, n, k, location, rest)
}

// around declares the effects r of group k, v = m + r, in coordinates u; a nil location is 0.
func (r *Regression) around(m *model.Model, of string, n *nest, k int, location *model.Expr, rest *mat.Dense) (v, effect model.Expr) {
	g := &r.Groups[k]
	factor := g.factor(r, m).factor
	sd, name := "sd_"+g.Name+"__"+of+"Intercept", "r_"+g.Name+"__"+of+"Intercept"
	scale := m.Positive(sd, r.groupPrior(g, sd).declareIn(0, r.size))
	r.callIn(sd, sd, 0, r.size)
	known := m.Values(n.known[k][0])
	if location == nil {
		v = coordinates(factor, name, nil, scale, known)
		effect = v
	} else {
		guess := m.Values(r.guess(k, rest))
		mean := location.Sub(guess)
		v = guess.Add(coordinates(factor, name, &mean, scale, known))
		effect = v.Sub(*location)
	}
	m.Quantity(name, effect)
	return v, effect
}

// coordinates declare v with these locations, of which nil is 0, and scales in coordinates u.
func coordinates(f *model.Factor, name string, location *model.Expr, scale, known model.Expr) model.Expr {
	more := scale.Square().Mul(known).Shift(1)
	root := more.Sqrt()
	w := scale.Div(root)
	if location == nil {
		return f.Reals(name+coordinate, model.Normal(0, root), model.Centred).Mul(w)
	}
	mean := location.Mul(w).Mul(known)
	return location.Div(more).Add(f.Reals(name+coordinate, model.Normal(mean, root), model.Centred).Mul(w))
}

// coordinate ends the names of u.
const coordinate = "_u"

// above are the places of the levels of a group that those of group k are within.
func (r *Regression) above(k, group int) []int {
	out := make([]int, len(r.Groups[k].Levels))
	outer := r.codes(group)
	for i, l := range r.codes(k) {
		out[l] = outer[i]
	}
	return out
}

// constantColumns are the columns that are constant within the levels of group k, but not within those of the group above, if any, at the
// levels; others are 0. It is nil without such columns.
func (r *Regression) constantColumns(x *mat.Dense, k, above int) *mat.Dense {
	out, _ := constantWithin(x, r.codes(k), len(r.Groups[k].Levels))
	if out == nil || above < 0 {
		return out
	}
	known, _ := constantWithin(x, r.codes(above), len(r.Groups[above].Levels))
	if known == nil {
		return out
	}
	for l, a := range r.above(k, above) {
		for j, v := range known.RawRowView(a) {
			out.Set(l, j, out.At(l, j)-v)
		}
	}
	if mat.Norm(out, 1) == 0 {
		return nil
	}
	return out
}

// constantWithin has the columns of x that are constant within the levels, at the levels, and the others; elsewhere both are 0. Either is
// nil if it has no columns.
func constantWithin(x *mat.Dense, at []int, levels int) (between, rest *mat.Dense) {
	n, d := x.Dims()
	between, rest = mat.NewDense(levels, d, nil), mat.NewDense(n, d, nil)
	some, all := false, true
	for j := range d {
		if constant := constantColumn(x, j, at, levels); constant != nil {
			between.SetCol(j, constant)
			some = true
			continue
		}
		rest.SetCol(j, mat.Col(nil, j, x))
		all = false
	}
	if !some {
		between = nil
	}
	if all {
		rest = nil
	}
	return between, rest
}

// constantColumn is a column at the levels, or nil where it differs within one.
func constantColumn(x *mat.Dense, j int, at []int, levels int) []float64 {
	out, seen := make([]float64, levels), make([]bool, levels)
	for i, l := range at {
		v := x.At(i, j)
		if seen[l] && out[l] != v {
			return nil
		}
		out[l], seen[l] = v, true
	}
	return out
}

// within reports whether each level of h has rows of one level of g alone.
func (h *Group) within(g *Group) bool {
	of := map[string]string{}
	for i, level := range h.rows {
		if before, ok := of[level]; ok && before != g.rows[i] {
			return false
		}
		of[level] = g.rows[i]
	}
	return true
}
