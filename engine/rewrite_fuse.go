package engine

import "math"

// fuse puts one node in the place of a sum with a product, x + y z, where nothing else needs the
// product.
func (d *Density) fuse(e *Node) {
	if b, ok := e.Op.(Binary); !ok || b != Add || e.Fixed || d.Subst[e] != nil {
		return
	}
	for k, product := range e.Args {
		b, ok := product.Op.(Binary)
		if !ok || b != Mul || product.Fixed || d.uses[product] > 1 || d.Subst[product] != nil {
			continue
		}
		x, y, z := e.Args[1-k], product.Args[0], product.Args[1]
		if product.N != e.N || e.N == 1 {
			continue
		}
		d.Subst[e] = &Node{ID: e.ID, Op: mulAdd{}, Args: []*Node{x, y, z}, N: e.N, Note: e.Note}
		d.tell(e, "", "with its product as one")
		return
	}
}

// Fuse looks for what can be fused outside of the sums of terms.
func (d *Density) Fuse() {
	if !d.want(Sums) {
		return
	}
	d.uses = map[*Node]int{}
	for _, n := range d.graph.Nodes {
		for _, a := range n.Args {
			d.uses[a]++
		}
	}
	for _, n := range d.graph.Nodes {
		if _, ok := n.Op.(Recur); ok {
			d.fuseRecur(n)
		} else {
			d.fuse(n)
		}
	}
}

// mulAdd is x + y z.
type mulAdd struct{}

type mulAddStep struct {
	out, adj   []float64
	x, y, z    []float64
	dx, dy, dz []float64
	mx, my, mz int
}

func (mulAdd) Bind(out, adj []float64, in, din [][]float64) Step {
	s := &mulAddStep{out: out, adj: adj, x: in[0], y: in[1], z: in[2], dx: din[0], dy: din[1],
		dz: din[2]}
	for k, m := range []*int{&s.mx, &s.my, &s.mz} {
		if len(in[k]) == len(out) {
			*m = -1
		}
	}
	return s
}

func (s *mulAddStep) Forward() {
	out, x, y, z, mx, my, mz := s.out, s.x, s.y, s.z, s.mx, s.my, s.mz
	if mx == 0 && my == 0 && mz != 0 { // location + scale z
		a, b, z := x[0], y[0], z[:len(out)]
		for i := range out {
			out[i] = a + b*z[i]
		}
		return
	}
	for i := range out {
		out[i] = x[i&mx] + y[i&my]*z[i&mz]
	}
}

func (s *mulAddStep) Backward() {
	sx, sy, sz := 0.0, 0.0, 0.0
	y, z, my, mz := s.y, s.z, s.my, s.mz
	if s.mx == 0 && my == 0 && mz != 0 && s.dz != nil {
		b, z, dz := y[0], z[:len(s.adj)], s.dz[:len(s.adj)]
		for i, d := range s.adj {
			sx += d
			sy += d * z[i]
			dz[i] += d * b
		}
	} else {
		for i, d := range s.adj {
			if s.mx == 0 {
				sx += d
			} else if s.dx != nil {
				s.dx[i] += d
			}
			if my == 0 {
				sy += d * z[i&mz]
			} else if s.dy != nil {
				s.dy[i] += d * z[i&mz]
			}
			if mz == 0 {
				sz += d * y[i&my]
			} else if s.dz != nil {
				s.dz[i] += d * y[i&my]
			}
		}
	}
	if s.mx == 0 && s.dx != nil {
		s.dx[0] += sx
	}
	if my == 0 && s.dy != nil {
		s.dy[0] += sy
	}
	if mz == 0 && s.dz != nil {
		s.dz[0] += sz
	}
}

// fuseRecur takes what is added in a recurrence into it, where this is a + b x[t] or
// a + b (x[t] - c)² with data x and numbers a, b and c.
func (d *Density) fuseRecur(n *Node) {
	first, add, factor := n.Args[0], n.Args[1], n.Args[2]
	a, rest := apart(add, Add)
	if a == nil || n.Fixed || !factor.Scalar || d.Subst[n] != nil {
		return
	}
	b, x := apart(rest, Mul)
	if b == nil {
		return
	}
	s := &Node{ID: n.ID, N: n.N, Note: n.Note}
	if x.Fixed {
		s.Op, s.Args = recurOn{x: x.Value}, []*Node{first, factor, a, b}
	} else if of, c := squared(x, 0, x.N); of != nil {
		s.Op, s.Args = recurOn{x: of}, []*Node{first, factor, a, b, c}
	} else {
		return
	}
	d.Subst[n] = s
	d.tell(n, "what a recurrence adds,", "as part of it")
}

// apart returns the number and the vector of which e is the sum or product, nil if it is none.
func apart(e *Node, op Binary) (number, vector *Node) {
	if b, ok := e.Op.(Binary); !ok || b != op || e.Scalar {
		return nil, nil
	}
	x, y := e.Args[0], e.Args[1]
	switch {
	case x.Scalar && !y.Scalar:
		return x, y
	case y.Scalar && !x.Scalar:
		return y, x
	}
	return nil, nil
}

// squared returns x and c if values lo to hi of e are (x - c)² with data x and a number c.
func squared(e *Node, lo, hi int) (x []float64, c *Node) {
	for inner := false; ; {
		switch op := e.Op.(type) {
		case View:
			lo, hi = lo+op.Lo, hi+op.Lo
			e = e.Args[0]
		case Unary:
			if op != Square || inner {
				return nil, nil
			}
			inner = true
			e = e.Args[0]
		case Binary:
			if y := e.Args[0]; op == Sub && inner && y.Fixed && !y.Scalar && e.Args[1].Scalar {
				return y.Value[lo:hi], e.Args[1]
			}
			return nil, nil
		default:
			return nil, nil
		}
	}
}

// recurOn is h[0] = first, h[t] = a + b x[t-1] + factor h[t-1], or with (x[t-1] - c)² for x[t-1]
// where there is a c. Its arguments are first, factor, a, b, and c.
type recurOn struct{ x []float64 }

type recurOnStep struct {
	recurOn
	out, adj []float64
	in, din  [][]float64
}

func (r recurOn) Bind(out, adj []float64, in, din [][]float64) Step {
	return &recurOnStep{r, out, adj, in, din}
}

// Two steps at a time make the chain from one value to the next, which is what takes time, half as
// long: h[t+2] = f² h[t] + f c[t] + c[t+1], where c is what is added.
func (s *recurOnStep) Forward() {
	h, f, a, b := s.in[0][0], s.in[1][0], s.in[2][0], s.in[3][0]
	s.out[0] = h
	x, out, f2, t := s.x, s.out[1:len(s.x)+1], f*f, 0
	if len(s.in) == 4 {
		for ; t < len(x)-1; t += 2 {
			c, d := a+b*x[t], a+b*x[t+1]
			out[t] = math.FMA(f, h, c)
			h = math.FMA(f2, h, math.FMA(f, c, d))
			out[t+1] = h
		}
		if t < len(x) {
			out[t] = math.FMA(f, h, a+b*x[t])
		}
		return
	}
	mid := s.in[4][0]
	for ; t < len(x)-1; t += 2 {
		v, w := x[t]-mid, x[t+1]-mid
		c, d := a+b*v*v, a+b*w*w
		out[t] = math.FMA(f, h, c)
		h = math.FMA(f2, h, math.FMA(f, c, d))
		out[t+1] = h
	}
	if t < len(x) {
		v := x[t] - mid
		out[t] = math.FMA(f, h, a+b*v*v)
	}
}

func (s *recurOnStep) Backward() {
	f, g := s.in[1][0], 0.0 // g is the derivative in h[t+1], by all that follows
	f2 := f * f
	var sumF, sumA, sumB, sumC float64
	adj, out, x := s.adj[1:len(s.x)+1], s.out[:len(s.x)], s.x
	t := len(x) - 1
	if len(s.in) == 4 {
		for ; t > 0; t -= 2 {
			u, v := adj[t], adj[t-1]
			e := math.FMA(f, g, u)
			g = math.FMA(f2, g, math.FMA(f, u, v))
			sumF += e*out[t] + g*out[t-1]
			sumA += e + g
			sumB += e*x[t] + g*x[t-1]
		}
		if t == 0 {
			g = math.FMA(f, g, adj[0])
			sumF += g * out[0]
			sumA += g
			sumB += g * x[0]
		}
	} else {
		mid := s.in[4][0]
		for ; t > 0; t -= 2 {
			u, v := adj[t], adj[t-1]
			e := math.FMA(f, g, u)
			g = math.FMA(f2, g, math.FMA(f, u, v))
			y, z := x[t]-mid, x[t-1]-mid
			ey, gz := e*y, g*z
			sumF += e*out[t] + g*out[t-1]
			sumA += e + g
			sumB += ey*y + gz*z
			sumC += ey + gz
		}
		if t == 0 {
			g = math.FMA(f, g, adj[0])
			y := x[0] - mid
			sumF += g * out[0]
			sumA += g
			sumB += g * y * y
			sumC += g * y
		}
	}
	for k, d := range []float64{f*g + s.adj[0], sumF, sumA, sumB, -2 * s.in[3][0] * sumC} {
		if k < len(s.din) && s.din[k] != nil {
			s.din[k][0] += d
		}
	}
}
