package engine

import (
	"math"
	"math/rand/v2"

	"bayeskernel/internal/density"
)

// univariateTerm is the log density of values that are independent given the arguments. Mask[k] is
// 0 where argument k is a number and -1 where it has a value for each.
type univariateTerm struct {
	f     *density.Family
	cut   *Cut
	cutAt float64   // log probability of the range, where it is constant and the same for all
	cutOf []float64 // that of each value, where it is constant
	ends  [2][]float64
	dends [2][]float64
	dend  [2]float64 // the derivatives in the ends of one value
	y, dy []float64
	a, da [density.MaxParams][]float64
	mask  [density.MaxParams]int
	k     int
	same  bool      // all arguments are numbers
	fixed bool      // and depend on no parameter
	once  bool      // the part of the density without values is the same for all values
	whole Term      // without the cut, of the same values
	base  float64   // of all values, where these are fixed
	bases []float64 // of each, for a part of a mixture

	known  bool    // normAt does not change
	normAt float64 // the part of the density without values

	// Workspace, which would not stay on the stack.
	p            density.Params
	g, norm, sum density.Grad
}

func (u *Univariate) Bind(c *Memory, y *Node) Term {
	t := u.bindPart(c, y)
	if y != nil && u.Cut != nil && !u.Cut.Censored && t.same {
		whole := *u
		whole.Cut, whole.Ends = nil, nil
		t.whole = whole.Bind(c, y)
	}
	if u.Family.Name == "normal" && u.Cut == nil && y != nil {
		return &normalTerm{univariateTerm: t}
	}
	if y == nil || u.Cut != nil {
		return t
	}
	if u.Family.Name == "student_t" && t.mask[0] == 0 && t.mask[2] == 0 {
		return &studentTerm{univariateTerm: t}
	}
	if u.Family.Name == "lognormal" && t.dy == nil {
		return newLogNormalTerm(t)
	}
	for _, of := range []func(*univariateTerm) Term{(*univariateTerm).counted, (*univariateTerm).equal,
		(*univariateTerm).placed, (*univariateTerm).gamma, (*univariateTerm).logged,
		(*univariateTerm).betas, (*univariateTerm).probability, (*univariateTerm).probit,
		(*univariateTerm).modified} {
		if fast := of(t); fast != nil {
			return fast
		}
	}
	return t
}

// bindPart is bind without loops of the family's own.
func (u *Univariate) bindPart(c *Memory, y *Node) *univariateTerm {
	t := &univariateTerm{f: u.Family, cut: u.Cut, k: len(u.Args), same: true, fixed: u.constant()}
	if y != nil { // nil: only to draw
		t.y, t.dy = c.Value[y.ID], c.Adjoint[y.ID]
	}
	t.once = true
	for k, a := range u.Args {
		t.a[k], t.da[k] = c.Value[a.ID], c.Adjoint[a.ID]
		if !a.Scalar {
			t.mask[k], t.same = -1, false
			t.once = t.once && k == u.Family.Location // which no normalising constant depends on
		}
	}
	for k, a := range u.Ends {
		t.ends[k], t.dends[k] = c.Value[a.ID], c.Adjoint[a.ID]
	}
	if u.Cut != nil && !u.Cut.Censored {
		t.cutAt = math.NaN()
		switch {
		case u.Ends != nil:
		case u.constant() && t.same:
			t.params(&t.p, 0)
			t.cutAt = t.f.Between(u.Cut.Lo, u.Cut.Hi, &t.p, &t.g, &t.norm)
		case u.constant():
			t.cutOf = make([]float64, len(t.y))
			for i := range t.y {
				t.params(&t.p, i)
				t.cutOf[i] = t.f.Between(u.Cut.Lo, u.Cut.Hi, &t.p, &t.g, &t.norm)
				t.base -= t.cutOf[i]
			}
		}
	}
	if t.f.Base != nil && y != nil {
		for i, v := range t.y {
			t.params(&t.p, i)
			t.base += t.f.Base(v, &t.p)
		}
	}
	return t
}

// params loads the parameters of value i, and reports whether they are in their domains.
func (t *univariateTerm) params(p *density.Params, i int) bool {
	ok := true
	for k := range t.k {
		v := t.a[k][i&t.mask[k]]
		p[k] = v
		switch t.f.Params[k].Domain {
		case density.Positive:
			ok = ok && v > 0
		case density.NonNegative:
			ok = ok && v >= 0
		case density.Unit:
			ok = ok && v >= 0 && v <= 1
		}
	}
	return ok
}

func (t *univariateTerm) Add() float64 {
	switch {
	case t.cut != nil && (t.cut.Censored || math.IsNaN(t.cutAt) && t.cutOf == nil):
		return t.addCut()
	case t.cut != nil && t.dy != nil && !t.inRange():
		return math.Inf(-1)
	case t.same:
		return t.addSame()
	}
	return t.addEach()
}

// inRange reports whether all values lie in the range to which their distribution is truncated.
func (t *univariateTerm) inRange() bool {
	for _, v := range t.y {
		if !(v >= t.cut.Lo && v <= t.cut.Hi) {
			return false
		}
	}
	return true
}

// addSame has the same parameters for all values.
func (t *univariateTerm) addSame() float64 {
	p, g := &t.p, &t.g
	if !t.params(p, 0) {
		return math.Inf(-1)
	}
	n := float64(len(t.y))
	if !t.known {
		t.normAt = t.f.Norm(p, &t.norm)
		t.known = t.fixed
	}
	lp := t.base + n*(t.normAt-t.cutAt)
	sum, kernel := density.Grad{}, t.f.Kernel
	for i, v := range t.y {
		lp += kernel(v, p, g)
		if t.dy != nil {
			t.dy[i] += g[0]
		}
		sum[1] += g[1]
		sum[2] += g[2]
		sum[3] += g[3]
		sum[4] += g[4]
	}
	for k := range t.k {
		if d := t.da[k]; d != nil {
			d[0] += sum[k+1] + n*t.norm[k+1]
		}
	}
	return lp
}

// addEach has parameters of its own for each value.
func (t *univariateTerm) addEach() float64 {
	p, g, norm := &t.p, &t.g, &t.norm
	t.sum = density.Grad{}
	lp, normAt := t.base, 0.0
	for i, v := range t.y {
		if !t.params(p, i) {
			return math.Inf(-1)
		}
		if i == 0 || !t.once {
			normAt = t.f.Norm(p, norm)
		}
		lp += normAt + t.f.Kernel(v, p, g)
		if t.dy != nil {
			t.dy[i] += g[0]
		}
		for k := range t.k {
			d := g[k+1] + norm[k+1]
			if t.mask[k] == 0 {
				t.sum[k+1] += d
			} else if t.da[k] != nil {
				t.da[k][i] += d
			}
		}
	}
	for k := range t.k {
		if d := t.da[k]; d != nil && t.mask[k] == 0 {
			d[0] += t.sum[k+1]
		}
	}
	return lp
}

// addCut is addEach with a constant, or ends, that depend on the parameters.
func (t *univariateTerm) addCut() float64 {
	if t.same && t.ends[0] == nil && !t.cut.Censored {
		return t.addCutOnce()
	}
	lp := 0.0
	g := &t.sum
	for i := range t.y {
		l := t.one(i, g)
		if math.IsInf(l, -1) || math.IsNaN(l) {
			return l
		}
		lp += l
		if t.dy != nil {
			t.dy[i] += g[0]
		}
		for k := range t.k {
			if d := t.da[k]; d != nil {
				d[i&t.mask[k]] += g[k+1]
			}
		}
		for k, d := range t.dends {
			if d != nil {
				d[i%len(d)] += t.dend[k]
			}
		}
	}
	return lp
}

// addCutOnce has the same parameters, and the same constant, for all values.
func (t *univariateTerm) addCutOnce() float64 {
	if !t.inRange() || !t.params(&t.p, 0) || !(t.cut.Lo < t.cut.Hi) {
		return math.Inf(-1)
	}
	l := t.edge(t.cut.Lo, t.cut.Hi, &t.p, &t.sum)
	if math.IsInf(l, -1) || math.IsNaN(l) {
		return math.Inf(-1)
	}
	n := float64(len(t.y))
	for k := range t.k {
		if d := t.da[k]; d != nil {
			d[0] -= n * t.sum[k+1]
		}
	}
	return t.whole.Add() - n*l
}

// cutOff returns the ends of value i.
func (t *univariateTerm) cutOff(i int) (lo, hi float64) {
	lo, hi = t.cut.Lo, t.cut.Hi
	if t.ends[0] != nil {
		lo, hi = t.ends[0][i%len(t.ends[0])], t.ends[1][i%len(t.ends[1])]
	}
	return lo, hi
}

// one returns the log density of value i, with its derivatives.
func (t *univariateTerm) one(i int, g *density.Grad) float64 {
	p := &t.p
	if !t.params(p, i) {
		return math.Inf(-1)
	}
	v := t.y[i]
	if t.cut == nil {
		return t.f.LogDensity(v, p, g, &t.norm)
	}
	lo, hi := t.cutOff(i)
	t.dend = [2]float64{}
	if !(lo < hi) {
		return math.Inf(-1)
	}
	if t.cut.Censored {
		switch {
		case v <= lo:
			l := t.edge(math.Inf(-1), lo, p, g)
			t.dend[1], t.dend[0] = 0, t.rise(lo, l, p)
			return l
		case v >= hi:
			l := t.edge(hi, math.Inf(1), p, g)
			t.dend[0], t.dend[1] = 0, -t.rise(hi, l, p)
			return l
		}
		return t.f.LogDensity(v, p, g, &t.norm)
	}
	lp := t.f.LogDensity(v, p, g, &t.norm)
	switch {
	case !(v >= lo && v <= hi):
		return math.Inf(-1)
	case t.cutOf != nil:
		return lp - t.cutOf[i]
	case !math.IsNaN(t.cutAt):
		return lp - t.cutAt
	}
	l := t.edge(lo, hi, p, &t.g)
	for k := range t.k {
		g[k+1] -= t.g[k+1]
	}
	t.dend[0], t.dend[1] = t.rise(lo, l, p), -t.rise(hi, l, p)
	return lp - l
}

// rise is the derivative of a probability with log l in one of its ends, over the probability: the
// density there. Counts have none.
func (t *univariateTerm) rise(end, l float64, p *density.Params) float64 {
	if t.ends[0] == nil || t.f.Discrete || math.IsInf(end, 0) {
		return 0
	}
	from, to := t.f.Support(p)
	if end < from || end > to {
		return 0
	}
	return math.Exp(t.f.LogDensity(end, p, &t.g, &t.norm) - l)
}

// edge is the log probability of an interval: of whole numbers, including lo where it is truncated
// there. Of censored ones it includes hi as well.
func (t *univariateTerm) edge(lo, hi float64, p *density.Params, g *density.Grad) float64 {
	return t.f.Between(lo, hi, p, g, &t.norm)
}

func (t *univariateTerm) Pointwise(out []float64) int {
	for i := range t.y {
		out[i] = t.one(i, &t.sum)
	}
	return len(t.y)
}

func (t *univariateTerm) Draw(r *rand.Rand, out []float64) {
	for i := range out {
		out[i] = t.DrawOne(r, i)
	}
}

// DrawOne draws value i, by rejection where its range has much of the probability and by inversion where
// it has little. It is NaN where the range has none, or none that is known. Censored values come out at
// the ends.
func (t *univariateTerm) DrawOne(r *rand.Rand, i int) float64 {
	const few, most = 100, 1_000_000
	p := &t.p
	if !t.params(p, i) {
		return math.NaN()
	}
	v := t.f.Rand(r, p)
	if t.cut == nil {
		return v
	}
	lo, hi := t.cutOff(i)
	if t.cut.Censored {
		return min(max(v, lo), hi)
	}
	for try := range most {
		switch {
		case v >= lo && v <= hi:
			return v
		case try == few && t.f.Below != nil:
			return t.within(lo, hi, 1-r.Float64())
		}
		v = t.f.Rand(r, p)
	}
	return math.NaN()
}

// within makes a draw from lo to hi of u, uniform between 0 and 1 but never 0, for the parameters that are
// loaded: the value below which that range has a share u of its probability. It is NaN where it has none.
func (t *univariateTerm) within(lo, hi, u float64) float64 {
	f, p := t.f, &t.p
	from, to := f.Support(p)
	lo, hi = max(lo, from), min(hi, to)
	if f.Discrete {
		lo, hi = math.Ceil(lo), math.Floor(hi)
	}
	if !(lo < hi || f.Discrete && lo == hi) {
		return math.NaN()
	}
	// Logs below that are rounded too far to tell values apart. There the density falls from the end that is
	// nearer to the others as an exponential one does.
	const far = -1e8
	below := !f.Discrete && f.Below(hi, p, &t.g) < far
	if below || !f.Discrete && f.Above(lo, p, &t.g) < far {
		end, sign := lo, 1.0
		if below {
			end, sign = hi, -1
		}
		f.LogDensity(end, p, &t.g, &t.norm)
		rate := math.Abs(t.g[0])
		away := -math.Log1p((1-u)*math.Expm1(-rate*(hi-lo))) / rate
		return min(max(end+sign*away, lo), hi)
	}
	all := f.Between(lo, hi, p, &t.g, &t.norm)
	if math.IsInf(all, -1) || math.IsNaN(all) {
		return math.NaN()
	}
	want := all + math.Log(u)
	if f.Discrete { // far beyond the value, probabilities take long
		for w := 1.0; lo+w < hi; w *= 2 {
			if f.Between(lo, lo+w, p, &t.g, &t.norm) >= want {
				hi = lo + w
			}
		}
	}
	// The order of floats is that of their bits, but for the sign: halvings end at neighbours wherever the
	// value is. The probability of whole numbers rises at these alone.
	first, last := ordered(lo), ordered(hi)
	for first < last {
		mid := first + (last-first)/2
		v := disordered(mid)
		if f.Discrete {
			v = math.Floor(v)
		}
		if f.Between(lo, v, p, &t.g, &t.norm) < want {
			first = mid + 1
		} else {
			last = mid
		}
	}
	return disordered(last)
}

// ordered maps floats to whole numbers in their order, and disordered back.
func ordered(v float64) uint64 {
	b := math.Float64bits(v)
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

func disordered(b uint64) float64 {
	if b>>63 == 1 {
		return math.Float64frombits(b &^ (1 << 63))
	}
	return math.Float64frombits(^b)
}
