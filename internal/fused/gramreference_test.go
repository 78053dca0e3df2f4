package fused

import (
	"math"
	"math/big"
	"math/rand/v2"
)

// gramProblem is a random set of arguments, with the terms of each row in big floats.
type gramProblem struct {
	dim             int
	x, z, shift     []float64
	theta           []float64
	logDet          []float64   // of each row
	trace           [][]float64 // of each row, for each lengthscale
	sums, sizes     [][]float64 // C, F, KQ_1, FQ_1, KQ_2, ... of each pseudo-input
	again           int         // how many rows were redone
	needed, allowed []bool      // which must be and may be
}

// newGramProblem draws points with the given lengths along the coordinates, turned by some angle,
// in which rows repeat and equal pseudo-inputs now and then.
func newGramProblem(rng *rand.Rand, n, m int, theta, lengths []float64, unit float64) *gramProblem {
	dim := len(lengths)
	p := &gramProblem{dim: dim, theta: make([]float64, len(theta)), shift: make([]float64, m)}
	for a, t := range theta {
		p.theta[a] = t * unit
	}
	c, s := math.Cos(0.7), math.Sin(0.7)
	point := func() []float64 {
		v := make([]float64, dim)
		for a, l := range lengths {
			v[a] = unit * l * rng.NormFloat64()
		}
		for a := 1; a < dim; a++ {
			v[a-1], v[a] = c*v[a-1]-s*v[a], s*v[a-1]+c*v[a]
		}
		return v
	}
	for range m {
		p.z = append(p.z, point()...)
	}
	for i := range n {
		v := point()
		switch rng.IntN(8) {
		case 0:
			if k := rng.IntN(i + 1); k < i {
				copy(v, p.x[k*dim:])
			}
		case 1:
			copy(v, p.z[rng.IntN(m)*dim:][:dim])
		}
		p.x = append(p.x, v...)
	}
	for l := range p.shift {
		for i := range n {
			q := 0.0
			for a := range dim {
				u := (p.x[i*dim+a] - p.z[l*dim+a]) / p.theta[min(a, len(theta)-1)]
				q += u * u
			}
			p.shift[l] -= math.Expm1(-q/2) / float64(n)
		}
		p.shift[l] = 1 - p.shift[l]*(0.3+0.4*rng.Float64())
	}
	p.compute()
	return p
}

// compute sets the sums, the terms of each row and its condition.
func (p *gramProblem) compute() {
	dim, m, n, thetas := p.dim, len(p.shift), len(p.x)/p.dim, len(p.theta)
	bigs := func(n int) []*big.Float {
		b := make([]*big.Float, n)
		for i := range b {
			b[i] = newBig(0)
		}
		return b
	}
	acc := make([][]accumulator, m)
	for l := range acc {
		for range 2 + 2*thetas {
			acc[l] = append(acc[l], newAccumulator())
		}
	}
	for i := range n {
		g, h := bigs(dim*dim), make([][]*big.Float, thetas)
		for a := range h {
			h[a] = bigs(dim * dim)
		}
		for l := range m {
			v, q, y := bigs(dim), bigs(thetas), newBig(0)
			for a := range v {
				v[a].SetFloat64(p.x[i*dim+a] - p.z[l*dim+a]) // as rounded
				t := min(a, thetas-1)
				u := new(big.Float).SetPrec(precision).Quo(v[a], newBig(p.theta[t]))
				u = mul(u, u)
				addTo(q[t], u)
				addTo(y, mul(u, newBig(0.5)))
			}
			k := bigExpNeg(y)
			f := new(big.Float).SetPrec(precision).Sub(k, newBig(p.shift[l]))
			acc[l][0].add(f)
			acc[l][1].add(mul(f, f))
			for t := range q {
				acc[l][2+2*t].add(mul(k, q[t]))
				acc[l][3+2*t].add(mul(f, mul(k, q[t])))
			}
			kk := mul(k, k)
			for e := range g {
				w := mul(kk, mul(v[e/dim], v[e%dim]))
				addTo(g[e], w)
				for t := range q {
					addTo(h[t][e], mul(q[t], w))
				}
			}
		}
		p.row(g, h)
	}
	for l := range acc {
		sum, size := make([]float64, len(acc[l])), make([]float64, len(acc[l]))
		for k, a := range acc[l] {
			sum[k], size[k] = a.floats()
		}
		p.sums, p.sizes = append(p.sums, sum), append(p.sizes, size)
	}
}

// row appends the terms of a row with the matrices g and h. The condition number is that of the
// package, taken from the true matrix.
func (p *gramProblem) row(g []*big.Float, h [][]*big.Float) {
	dim := p.dim
	adj, det := adjugate(dim, g)
	product := newBig(1)
	for a := range dim {
		product = mul(product, g[a*dim+a])
	}
	if det.MantExp(nil) < product.MantExp(nil)-80 || det.Sign() < 0 {
		det = newBig(0) // what is left is rounding
	}
	logDet := 0.0 // anything: the row is redone
	if det.Sign() > 0 {
		logDet = bigLog(det)
	}
	p.logDet = append(p.logDet, logDet)
	inner := func(a, b []*big.Float) *big.Float {
		s := newBig(0)
		for e := range a {
			addTo(s, mul(a[e], b[e]))
		}
		return s
	}
	ratio := func(a, b *big.Float) float64 {
		if b.Sign() == 0 {
			return math.Inf(1)
		}
		f, _ := new(big.Float).Quo(a, b).Float64()
		return f
	}
	trace := make([]float64, len(h))
	for t := range h {
		trace[t] = ratio(inner(adj, h[t]), det)
		if det.Sign() == 0 {
			trace[t] = 0
		}
	}
	p.trace = append(p.trace, trace)
	cond, diagG, diagAdj := 0.0, newBig(0), newBig(0)
	for a := range dim {
		e := a*dim + a
		cond += ratio(mul(g[e], adj[e]), det)
		diagG.Add(diagG, g[e])
		diagAdj.Add(diagAdj, adj[e])
	}
	if len(p.theta) == 1 {
		cond = ratio(mul(diagG, diagAdj), det)
	}
	// A matrix that nearly underflows may be redone.
	small := false
	for a := range dim {
		small = small || g[a*dim+a].MantExp(nil) < -900
	}
	p.needed = append(p.needed, !(cond < worst*1.01))
	p.allowed = append(p.allowed, small || !(cond < worst/1.01))
}

// adjugate returns det(g) times the inverse of g, and det(g).
func adjugate(dim int, g []*big.Float) (adj []*big.Float, det *big.Float) {
	minus := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Sub(a, b) }
	if dim == 2 {
		b := minus(newBig(0), g[1])
		return []*big.Float{g[3], b, b, g[0]}, minus(mul(g[0], g[3]), mul(g[1], g[2]))
	}
	for a := range 3 {
		for b := range 3 {
			i, j, k, l := (a+1)%3*3, (a+2)%3*3, (b+1)%3, (b+2)%3
			adj = append(adj, minus(mul(g[i+k], g[j+l]), mul(g[i+l], g[j+k])))
		}
	}
	det = newBig(0)
	for b := range 3 {
		det.Add(det, mul(g[b], adj[b]))
	}
	return adj, det
}
