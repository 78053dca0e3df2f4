package model

// Recur returns a vector of n values of which the first is given and each later one is linear in
// the one before:
//
//	h[0] = first,  h[t] = add[t-1] + factor[t-1] h[t-1].
//
// Add and factor are numbers, or vectors of n-1 values.
func Recur[A Arg](n int, first A, add, factor Expr) Expr {
	where := caller()
	m := model("Recur", where, add, factor)
	if m == nil {
		return nowhere("Recur", where)
	}
	f := argumentOf(first).in(m, where)
	switch {
	case n < 2:
		m.failAt(where, "Recur: n is %d, want at least 2", n)
	case !f.Scalar:
		m.failAt(where, "Recur: the first value has %s, want a number", sizeOf(f))
	case !add.node.Scalar && add.node.N != n-1:
		m.failAt(where, "Recur: what is added has %s, want a number or %d values", sizeOf(add.node), n-1)
	case !factor.node.Scalar && factor.node.N != n-1:
		m.failAt(where, "Recur: the factor has %s, want a number or %d values", sizeOf(factor.node), n-1)
	default:
		return Expr{m.apply("Recur", recur{}, n, false, where, f, add.node, factor.node)}
	}
	return Expr{m.brokenNode(where)}
}

type recur struct{}

type recurStep struct {
	out, adj              []float64
	first, add, factor    []float64
	dFirst, dAdd, dFactor []float64
	maskAdd, maskFactor   int
}

func (recur) bind(out, adj []float64, in, din [][]float64) step {
	s := &recurStep{out: out, adj: adj, first: in[0], add: in[1], factor: in[2], dFirst: din[0],
		dAdd: din[1], dFactor: din[2]}
	if len(s.add) > 1 {
		s.maskAdd = -1
	}
	if len(s.factor) > 1 {
		s.maskFactor = -1
	}
	return s
}

func (s *recurStep) forward() {
	h := s.first[0]
	s.out[0] = h
	for t := range len(s.out) - 1 {
		h = s.add[t&s.maskAdd] + s.factor[t&s.maskFactor]*h
		s.out[t+1] = h
	}
}

func (s *recurStep) backward() {
	a, sumAdd, sumFactor := 0.0, 0.0, 0.0
	last := len(s.out) - 1
	for t := last - 1; t >= 0; t-- {
		a += s.adj[t+1] // the derivative in h[t+1], by all that follows
		if s.maskAdd != 0 && s.dAdd != nil {
			s.dAdd[t] += a
		}
		sumAdd += a
		if s.maskFactor != 0 && s.dFactor != nil {
			s.dFactor[t] += a * s.out[t]
		}
		sumFactor += a * s.out[t]
		a *= s.factor[t&s.maskFactor]
	}
	if s.maskAdd == 0 && s.dAdd != nil {
		s.dAdd[0] += sumAdd
	}
	if s.maskFactor == 0 && s.dFactor != nil {
		s.dFactor[0] += sumFactor
	}
	if s.dFirst != nil {
		s.dFirst[0] += a + s.adj[0]
	}
}
