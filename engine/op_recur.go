package engine

// Recur is h[0] = first, h[t] = add[t-1] + factor[t-1] h[t-1]. Its arguments are first, add and factor,
// and the latter two are numbers or vectors.
type Recur struct{}

type recurStep struct {
	out, adj              []float64
	first, add, factor    []float64
	dFirst, dAdd, dFactor []float64
	maskAdd, maskFactor   int
}

func (Recur) Bind(out, adj []float64, in, din [][]float64) Step {
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

func (s *recurStep) Forward() {
	h := s.first[0]
	s.out[0] = h
	for t := range len(s.out) - 1 {
		h = s.add[t&s.maskAdd] + s.factor[t&s.maskFactor]*h
		s.out[t+1] = h
	}
}

func (s *recurStep) Backward() {
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
