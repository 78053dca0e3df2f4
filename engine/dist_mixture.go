package engine

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/internal/density"
	"bayeskernel/internal/fused"
)

// Mixture is a mixture of distributions of single values.
type Mixture struct {
	Weights *Node
	Parts   []*Univariate
	Rows    int // of the weights, 0 where all values have the same
}

func (d *Mixture) Name() string { return "mixture" }

func (d *Mixture) Arguments() []*Node {
	args := []*Node{d.Weights}
	for _, p := range d.Parts {
		args = append(args, p.Args...)
	}
	return args
}

func (d *Mixture) ForParameter(p Place) error {
	if d.Rows > 0 && d.Rows != p.N {
		return fmt.Errorf("%s of weights for %s", plural(d.Rows, "row"), plural(p.N, "value"))
	}
	if p.Between {
		return errors.New("a mixture is not truncated at expressions: want one distribution, or flat")
	}
	for _, u := range d.Parts {
		whole := u.Cut == nil
		if err := u.ForParameter(p); err != nil {
			return err
		}
		if whole && u.Cut != nil { // each part would be truncated for itself, with the weights as they are
			return fmt.Errorf("a mixture is not truncated to the support of its parameter, (%v, %v), which is narrower than "+
				"that of %s: say Truncate of its parts, each of which then has all of its weight there", p.Lo, p.Hi, u.Name())
		}
	}
	return nil
}

func (d *Mixture) ForValues(y *Node, name string) error {
	if d.Rows > 0 && d.Rows != y.N {
		return fmt.Errorf("%s has %s, and the mixture %s of weights", name, plural(y.N, "value"),
			plural(d.Rows, "row"))
	}
	for _, u := range d.Parts {
		if err := u.sizes(y.N, name); err != nil {
			return err
		}
		if u.Family.Name == "flat" {
			return fmt.Errorf("%s has a mixture with a flat part, want parts that say something", name)
		}
		if u.Family.Discrete {
			if err := dataOnly(y, name, u.Name()); err != nil {
				return err
			}
		}
	}
	if !y.Fixed || y.Value == nil {
		return nil
	}
	for i, v := range y.Value { // in the support of one part at least
		var first error
		for _, u := range d.Parts {
			err := u.supports(i, v)
			if err == nil {
				first = nil
				break
			}
			if first == nil {
				first = fmt.Errorf("%s[%d] is %v, want %v: outside the support of %s", name, i+1, v, err,
					u.Name())
			}
		}
		if first != nil {
			return first
		}
	}
	return nil
}

// mixtureTerm has the parts' terms for their parameters, and works value by value.
type mixtureTerm struct {
	y, dy   []float64
	w, dw   []float64
	parts   []*univariateTerm
	each    bool             // the weights differ from value to value
	logs    []float64        // of the weights
	lp      []float64        // of each part at one value
	share   []float64        // of each part in the density of one value
	g       []density.Grad   // of each part
	norm    []float64        // of each part with numbers for parameters
	normG   []density.Grad   // its derivatives
	params  []density.Params // of each part
	sums    []density.Grad   // of derivatives in numbers
	weights []float64        // sums of the shares

	atoms bool // some parts are point masses

	rows   []int // of counts whose density is the same: the first of each group, nil for all
	weight []float64

	normals bool // all parts are normal, with numbers for parameters, and the values data
	normal  []normalPart
	work    []float64
}

func (d *Mixture) Bind(c *Memory, y *Node) Term {
	k := len(d.Parts)
	t := &mixtureTerm{w: c.Value[d.Weights.ID], dw: c.Adjoint[d.Weights.ID], each: d.Rows > 0,
		logs: make([]float64, k), lp: make([]float64, k), share: make([]float64, k), g: make([]density.Grad, k),
		norm: make([]float64, k), normG: make([]density.Grad, k), params: make([]density.Params, k),
		sums: make([]density.Grad, k), weights: make([]float64, k)}
	if y != nil {
		t.y, t.dy = c.Value[y.ID], c.Adjoint[y.ID]
	}
	for _, u := range d.Parts {
		part := u.bindPart(c, y)
		if u.Family.Base != nil && y != nil {
			part.bases = make([]float64, len(t.y))
			for i, v := range t.y {
				part.params(&part.p, i)
				part.bases[i] = u.Family.Base(v, &part.p)
			}
		}
		t.parts = append(t.parts, part)
		t.atoms = t.atoms || u.Family.Atom
	}
	t.group()
	t.normals = t.dy == nil && !t.each
	for _, p := range t.parts {
		t.normals = t.normals && p.f.Name == "normal" && p.same && p.cut == nil
	}
	t.normal = make([]normalPart, k)
	if t.normals {
		t.work = make([]float64, len(t.y))
	}
	return t
}

// group finds equal counts, where weights and parameters are numbers.
func (t *mixtureTerm) group() {
	for _, p := range t.parts {
		if t.each || t.dy != nil || !p.same || !p.f.Discrete {
			return
		}
	}
	t.rows, t.weight = equalRows(t.y, nil)
}

// begin computes what is the same for all values.
func (t *mixtureTerm) begin() bool {
	for k, p := range t.parts {
		if !t.each {
			if !(t.w[k] >= 0) {
				return false
			}
			t.logs[k] = math.Log(t.w[k])
		}
		t.sums[k], t.weights[k] = density.Grad{}, 0
		if p.once && p.cut == nil && len(t.y) > 0 {
			if !p.params(&t.params[k], 0) {
				return false
			}
			t.norm[k] = p.f.Norm(&t.params[k], &t.normG[k])
		}
	}
	return true
}

// at computes the log densities of the parts at value i, weighted, and returns that of the mixture.
func (t *mixtureTerm) at(i int) float64 {
	top := math.Inf(-1)
	if t.each {
		for k, w := range t.w[i*len(t.parts) : (i+1)*len(t.parts)] {
			if !(w >= 0) {
				return math.Inf(-1)
			}
			t.logs[k] = math.Log(w)
		}
	}
	for k, p := range t.parts {
		if p.cut != nil {
			t.lp[k] = p.one(i, &t.g[k]) + t.logs[k]
			top = max(top, t.lp[k])
			continue
		}
		if !p.same {
			if !p.params(&t.params[k], i) {
				return math.Inf(-1)
			}
			if !p.once {
				t.norm[k] = p.f.Norm(&t.params[k], &t.normG[k])
			}
		}
		l := p.f.Kernel(t.y[i], &t.params[k], &t.g[k]) + t.norm[k] + t.logs[k]
		if p.bases != nil {
			l += p.bases[i]
		}
		t.lp[k] = l
		top = max(top, l)
	}
	if t.atoms {
		top = t.atAtom(top)
	}
	if math.IsInf(top, 0) {
		return top
	}
	if len(t.lp) == 2 {
		e := math.Exp(-math.Abs(t.lp[0] - t.lp[1]))
		w := 1 / (1 + e)
		t.share[0], t.share[1] = w, e*w
		if t.lp[0] < t.lp[1] {
			t.share[0], t.share[1] = e*w, w
		}
		return top - math.Log(w)
	}
	sum := 0.0
	for k, l := range t.lp {
		t.share[k] = math.Exp(l - top)
		sum += t.share[k]
	}
	for k := range t.share {
		t.share[k] /= sum
	}
	return top + math.Log(sum)
}

// atAtom leaves continuous parts out where the value is that of a point mass, and returns the largest log density.
func (t *mixtureTerm) atAtom(top float64) float64 {
	on := false
	for k, p := range t.parts {
		on = on || p.f.Atom && t.lp[k] > math.Inf(-1)
	}
	if !on {
		return top
	}
	top = math.Inf(-1)
	for k, p := range t.parts {
		if !p.f.Atom && !p.f.Discrete {
			t.lp[k] = math.Inf(-1)
		}
		top = max(top, t.lp[k])
	}
	return top
}

func (t *mixtureTerm) Add() float64 {
	if !t.begin() {
		return math.Inf(-1)
	}
	var lp float64
	if t.normals {
		lp = t.addNormals()
	} else {
		lp = t.addEach()
	}
	if math.IsInf(lp, -1) || math.IsNaN(lp) {
		return lp
	}
	for k, p := range t.parts {
		for j := range p.k {
			if p.mask[j] == 0 && p.da[j] != nil {
				p.da[j][0] += t.sums[k][j+1]
			}
		}
		if t.dw != nil && t.weights[k] != 0 {
			t.dw[k] += t.weights[k] / t.w[k]
		}
	}
	return lp
}

// addEach works for all families.
func (t *mixtureTerm) addEach() float64 {
	total, rows := 0.0, len(t.y)
	if t.rows != nil {
		rows = len(t.rows)
	}
	for j := range rows {
		i, weight := j, 1.0
		if t.rows != nil {
			i, weight = t.rows[j], t.weight[j]
		}
		lp := t.at(i)
		if math.IsInf(lp, -1) || math.IsNaN(lp) {
			return lp
		}
		total += weight * lp
		for k, p := range t.parts {
			share := t.share[k] * weight
			if share == 0 {
				continue
			}
			if !t.each {
				t.weights[k] += share
			} else if t.dw != nil {
				at := i*len(t.parts) + k
				t.dw[at] += share / t.w[at]
			}
			for e, d := range p.dends {
				if d != nil {
					d[i%len(d)] += share * p.dend[e]
				}
			}
			g, n := &t.g[k], &t.normG[k]
			if t.dy != nil {
				t.dy[i] += share * g[0]
			}
			for j := range p.k {
				d := share * (g[j+1] + n[j+1])
				if p.mask[j] == 0 {
					t.sums[k][j+1] += d
				} else if p.da[j] != nil {
					p.da[j][i] += d
				}
			}
		}
	}
	return total
}

// addNormals is addEach for normal parts that are the same for all values, which are data. The log
// of the sum over parts is the largest log, and the log of a sum between 1 and the number of parts:
// the logs of these sums are that of their product.
func (t *mixtureTerm) addNormals() float64 {
	parts := t.normal
	for k := range parts {
		a := &t.params[k]
		parts[k] = normalPart{mean: a[0], half: 0.5 / (a[1] * a[1]), top: t.logs[k] + t.norm[k]}
	}
	var total float64
	if len(parts) == 2 {
		total = t.addTwoNormals()
	} else {
		total = t.addManyNormals()
	}
	for k := range parts {
		p, sd := &parts[k], t.params[k][1]
		t.weights[k] = p.n
		t.sums[k][1] = p.s / (sd * sd)
		t.sums[k][2] = (p.q/(sd*sd) - p.n) / sd
	}
	return total
}

func (t *mixtureTerm) addManyNormals() float64 {
	parts, total := t.normal, 0.0
	product, logs := 1.0, 0.0
	for _, y := range t.y {
		best := math.Inf(-1)
		for k := range parts {
			p := &parts[k]
			p.d = y - p.mean
			p.l = p.top - p.d*p.d*p.half
			best = max(best, p.l)
		}
		sum := 0.0
		for k := range parts {
			p := &parts[k]
			p.l = math.Exp(p.l - best)
			sum += p.l
		}
		total += best
		if q := product * sum; q > smallProduct && q < largeProduct {
			product = q
		} else {
			product, logs = carry(product, sum, logs)
		}
		w := 1 / sum
		for k := range parts {
			p := &parts[k]
			share := p.l * w
			p.n += share
			p.s += share * p.d
			p.q += share * p.d * p.d
		}
	}
	return total + logs + math.Log(product)
}

func (t *mixtureTerm) addTwoNormals() float64 {
	a, b := t.normal[0], t.normal[1]
	total := 0.0
	work := t.work[:len(t.y)]
	for i, y := range t.y {
		da, db := y-a.mean, y-b.mean
		work[i] = min(math.Abs((a.top-da*da*a.half)-(b.top-db*db*b.half)), 1000)
	}
	fused.ExpNeg(work, work, 1)
	product, logs := 1.0, 0.0
	for i, y := range t.y {
		da, db := y-a.mean, y-b.mean
		qa, qb := da*da, db*db
		la, lb := a.top-qa*a.half, b.top-qb*b.half
		u := 1 + work[i]
		if q := product * u; q > smallProduct && q < largeProduct {
			product = q
		} else {
			product, logs = carry(product, u, logs)
		}
		total += max(la, lb)
		pa := 0.5 + math.Copysign(1/u-0.5, la-lb)
		pb := 1 - pa
		a.n += pa
		a.s += pa * da
		a.q += pa * qa
		b.n += pb
		b.s += pb * db
		b.q += pb * qb
	}
	t.normal[0], t.normal[1] = a, b
	return total + logs + math.Log(product)
}

// normalPart is a part with the share of each value summed up: alone, times the distance from the
// mean, and times its square.
type normalPart struct {
	mean, half, top float64
	l, d            float64 // at one value
	n, s, q         float64
}

func (t *mixtureTerm) Pointwise(out []float64) int {
	ok := t.begin()
	for i := range t.y {
		out[i] = math.Inf(-1)
		if ok {
			out[i] = t.at(i)
		}
	}
	return len(t.y)
}

func (t *mixtureTerm) Draw(r *rand.Rand, out []float64) {
	for i := range out {
		out[i] = t.DrawOne(r, i)
	}
}

func (t *mixtureTerm) DrawOne(r *rand.Rand, i int) float64 {
	u, k, w := r.Float64(), 0, t.w
	if t.each {
		w = w[i*len(t.parts) : (i+1)*len(t.parts)]
	}
	for ; k < len(w)-1 && u >= w[k]; k++ {
		u -= w[k]
	}
	return t.parts[k].DrawOne(r, i)
}

func (d *Mixture) Mapped(to func(*Node) *Node) Distribution {
	out := &Mixture{Weights: to(d.Weights), Rows: d.Rows}
	for _, u := range d.Parts {
		out.Parts = append(out.Parts, u.Mapped(to).(*Univariate))
	}
	return out
}
