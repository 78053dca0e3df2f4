package engine

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/density"
)

// Pointwise has the log density of each value, as values that go into further computations: those of
// a latent's states. Its arguments are the values and then those of the distribution.
type Pointwise struct {
	dist Distribution
	y    *Node
	all  bool // one log density, of all values together
}

// ApplyPointwise adds the log densities of y, or with all the one density of y together.
func (g *Graph) ApplyPointwise(dist Distribution, y *Node, all bool) (*Node, error) {
	switch dist.(type) {
	case *Univariate, *Mixture, *Categorical, *Ordinal:
	default:
		if !all {
			return nil, fmt.Errorf("%s has no log density of each value", dist.Name())
		}
	}
	op := Pointwise{all: all}
	args := []*Node{y}
	local := func(n *Node) *Node {
		k := slices.Index(args[1:], n) + 1
		if k == 0 {
			k = len(args)
			args = append(args, n)
		}
		return &Node{ID: k, N: n.N, Scalar: n.Scalar, Fixed: n.Fixed, Value: n.Value}
	}
	op.dist = dist.Mapped(local)
	op.y = &Node{ID: 0, N: y.N, Scalar: y.Scalar, Fixed: y.Fixed, Value: y.Value}
	n := y.N
	if all {
		n = 1
	}
	return g.Apply(op, n, n == 1, args...), nil
}

func (p Pointwise) Bind(out, adj []float64, in, din [][]float64) Step {
	if p.all {
		return p.bindTogether(out, adj, in, din)
	}
	c := &Memory{Value: in, Adjoint: din}
	switch d := p.dist.(type) {
	case *Univariate:
		return bindUnivariate(d, c, p.y, out, adj)
	default:
		return &weighedStep{d.Bind(c, p.y).(weighed), out, adj}
	}
}

// weighed is a term that can give each of its values a weight.
type weighed interface {
	Pointwise(out []float64) int
	// weigh adds the derivatives of the sum of w times the log densities, after Pointwise at the same
	// arguments. Values of weight 0 are not looked at: their density may be 0.
	weigh(w []float64)
}

type weighedStep struct {
	term     weighed
	out, adj []float64
}

func (s *weighedStep) Forward()  { s.term.Pointwise(s.out) }
func (s *weighedStep) Backward() { s.term.weigh(s.adj) }

// togetherStep is the density of all values as one. Its derivatives go to memory of its own first,
// so that they can be multiplied.
type togetherStep struct {
	root     Root
	out, adj []float64
	own, din [][]float64
}

func (p Pointwise) bindTogether(out, adj []float64, in, din [][]float64) Step {
	s := &togetherStep{out: out, adj: adj, din: din, own: make([][]float64, len(in))}
	for k, d := range din {
		if d != nil {
			s.own[k] = make([]float64, len(d))
		}
	}
	s.root = p.dist.Bind(&Memory{Value: in, Adjoint: s.own}, p.y)
	return s
}

func (s *togetherStep) Forward() {
	for _, d := range s.own {
		clear(d)
	}
	s.out[0] = s.root.Add()
}

func (s *togetherStep) Backward() {
	w := s.adj[0]
	if w == 0 {
		return
	}
	for k, d := range s.own {
		for i, v := range d {
			s.din[k][i] += w * v
		}
	}
}

// univariateStep is Pointwise of a distribution of single values. What the derivatives need is kept
// from the pass forward.
type univariateStep struct {
	*univariateTerm
	out, adj []float64
	kept     []float64 // derivatives of each value: in the value, if wanted, and in the arguments
	width    int
	normals  bool // normal data with one standard deviation
	rates    bool // exponential data with one rate
}

func bindUnivariate(u *Univariate, c *Memory, y *Node, out, adj []float64) Step {
	t := u.bindPart(c, y)
	normals := u.Family.Name == "normal" && t.dy == nil && t.mask[1] == 0
	rates := u.Family.Name == "exponential" && t.dy == nil && t.same && y.Fixed && slices.Min(y.Value) >= 0
	if !t.same && !normals || t.cut != nil {
		return &weighedStep{t, out, adj}
	}
	s := &univariateStep{univariateTerm: t, out: out, adj: adj, width: t.k, normals: normals, rates: rates}
	if t.dy != nil {
		s.width++
	}
	if adj != nil && !s.normals && !s.rates {
		s.kept = make([]float64, s.width*len(out))
	}
	return s
}

func (s *univariateStep) Forward() {
	p, g := &s.p, &s.g
	if !s.params(p, 0) {
		fill(s.out, math.Inf(-1))
		return
	}
	s.normAt = s.f.Norm(p, &s.norm)
	if s.normals {
		mu, half, m := s.a[0], 0.5/(p[1]*p[1]), s.mask[0]
		for i, v := range s.y {
			d := v - mu[i&m]
			s.out[i] = s.normAt - d*d*half
		}
		return
	}
	if s.rates {
		for i, v := range s.y {
			s.out[i] = s.normAt - p[0]*v
		}
		return
	}
	kernel, base, at := s.f.Kernel, s.f.Base, 0
	for i, v := range s.y {
		l := s.normAt + kernel(v, p, g)
		if base != nil && l > math.Inf(-1) {
			l += base(v, p)
		}
		s.out[i] = l
		if s.kept != nil {
			at += copy(s.kept[at:at+s.width], g[s.k+1-s.width:s.k+1])
		}
	}
}

func (s *univariateStep) Backward() {
	if s.normals {
		s.backNormals()
		return
	}
	if s.rates {
		s.backRates()
		return
	}
	s.sum = density.Grad{}
	sum, total := &s.sum, 0.0
	first := s.k + 1 - s.width // 0 where the derivative in the value is wanted
	for i, w := range s.adj {
		if w == 0 {
			continue
		}
		total += w
		for k, d := range s.kept[i*s.width : (i+1)*s.width] {
			if k+first == 0 {
				s.dy[i] += w * d
			} else {
				sum[k+first] += w * d
			}
		}
	}
	if total == 0 {
		return
	}
	for k := range s.k {
		if d := s.da[k]; d != nil {
			d[0] += sum[k+1] + total*s.norm[k+1]
		}
	}
}

func (s *univariateStep) backNormals() {
	mu, m, sd := s.a[0], s.mask[0], s.p[1]
	total, first, second, w2 := 0.0, 0.0, 0.0, 1/(sd*sd)
	for i, v := range s.y {
		w, d := s.adj[i], v-mu[i&m]
		total += w
		first += w * d
		second += w * d * d
		if m != 0 && s.da[0] != nil {
			s.da[0][i] += w * d * w2
		}
	}
	if m == 0 && s.da[0] != nil {
		s.da[0][0] += first * w2
	}
	if s.da[1] != nil {
		s.da[1][0] += (second*w2 - total) / sd
	}
}

func (s *univariateStep) backRates() {
	if s.da[0] == nil {
		return
	}
	total, weighed := 0.0, 0.0
	for i, v := range s.y {
		total += s.adj[i]
		weighed += s.adj[i] * v
	}
	s.da[0][0] += total/s.p[0] - weighed
}

func fill(x []float64, v float64) {
	for i := range x {
		x[i] = v
	}
}

func (t *univariateTerm) weigh(w []float64) {
	g := &t.sum
	for i := range t.y {
		v := w[i]
		if v == 0 {
			continue
		}
		if t.one(i, g); t.dy != nil {
			t.dy[i] += v * g[0]
		}
		for k := range t.k {
			if d := t.da[k]; d != nil {
				d[i&t.mask[k]] += v * g[k+1]
			}
		}
		for k, d := range t.dends {
			if d != nil {
				d[i%len(d)] += v * t.dend[k]
			}
		}
	}
}

func (t *mixtureTerm) weigh(w []float64) {
	for i := range t.y {
		v := w[i]
		if v == 0 {
			continue
		}
		lp := t.at(i)
		for k, p := range t.parts {
			share := v * math.Exp(t.lp[k]-lp)
			if share == 0 {
				continue
			}
			if t.dw != nil {
				at := k
				if t.each {
					at += i * len(t.parts)
				}
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
				if d := p.da[j]; d != nil {
					d[i&p.mask[j]] += share * (g[j+1] + n[j+1])
				}
			}
		}
	}
}

func (t *categoricalTerm) weigh(w []float64) {
	if t.dp == nil {
		return
	}
	for i, v := range t.y {
		if w[i] == 0 {
			continue
		}
		start, k := i*t.k&t.mask, int(v)-1
		if !t.logit {
			t.dp[start+k] += w[i] / t.p[start+k]
			continue
		}
		p := t.p[start : start+t.k]
		top := logSum(p)
		t.dp[start+k] += w[i]
		for j, x := range p {
			t.dp[start+j] -= w[i] * math.Exp(x-top)
		}
	}
}

func (t *ordinalTerm) weigh(w []float64) {
	for i, v := range t.y {
		if w[i] == 0 {
			continue
		}
		k := int(v)
		t.one(k, t.eta[i&t.mask])
		if t.deta != nil {
			t.deta[i&t.mask] += w[i] * t.mean
		}
		if t.dcuts != nil && k > 1 {
			t.dcuts[k-2] += w[i] * t.lower
		}
		if t.dcuts != nil && k <= len(t.cuts) {
			t.dcuts[k-1] += w[i] * t.upper
		}
	}
}
