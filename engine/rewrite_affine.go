package engine

import (
	"slices"

	"gonum.org/v1/gonum/floats"
)

// affine is a vector that is linear in parameters: row i is
//
//	constant[i] + sum over terms of weight[i] source[at[i]].
type affine struct {
	n        int
	constant []float64 // nil: 0
	terms    []affineTerm
}

// affineTerm has a weight for each row, nil where all are scale; and the place of each row's value in
// source, or one place for all where at is nil.
type affineTerm struct {
	source *Node
	place  int
	at     []int
	scale  float64
	weight []float64
}

func (t *affineTerm) weightOf(i int) float64 {
	if t.weight == nil {
		return t.scale
	}
	return t.weight[i]
}

// affineOf takes a vector of n rows apart; numbers count as n equal rows. It never fails: what is
// not linear is a source, and so is what lies beyond the first thousand operations, as sums of sums
// of the same expression could have any number of terms.
func affineOf(e *Node, n int) *affine {
	budget := 1000
	return affineWithin(e, n, &budget)
}

func affineWithin(e *Node, n int, budget *int) *affine {
	a := &affine{n: n}
	if *budget--; *budget < 0 && !e.Fixed {
		return sourceOf(e, n)
	}
	if e.Fixed {
		a.constant = make([]float64, n)
		for i := range a.constant {
			a.constant[i] = e.Value[i%e.N]
		}
		return a
	}
	switch op := e.Op.(type) {
	case Linear:
		a = affineWithin(e.Args[0], n, budget)
		a.scale(op.Scale)
		if op.Shift != 0 {
			a.addConstant(func(int) float64 { return op.Shift })
		}
		return a
	case Binary:
		x, y := e.Args[0], e.Args[1]
		switch {
		case op == Add || op == Sub:
			a, b := affineWithin(x, n, budget), affineWithin(y, n, budget)
			if op == Sub {
				b.scale(-1)
			}
			a.terms = append(a.terms, b.terms...)
			if b.constant != nil {
				a.addConstant(func(i int) float64 { return b.constant[i] })
			}
			return a
		case op == Mul && x.Fixed:
			return affineWithin(y, n, budget).times(func(i int) float64 { return x.Value[i%x.N] }, x.Scalar)
		case op == Mul && y.Fixed:
			return affineWithin(x, n, budget).times(func(i int) float64 { return y.Value[i%y.N] }, y.Scalar)
		case op == Div && y.Fixed:
			return affineWithin(x, n, budget).times(func(i int) float64 { return 1 / y.Value[i%y.N] }, y.Scalar)
		}
	case View:
		t := affineTerm{source: e.Args[0], scale: 1, place: op.Lo}
		if !e.Scalar {
			t.at = make([]int, n)
			for i := range t.at {
				t.at[i] = op.Lo + i
			}
		}
		a.terms = []affineTerm{t}
		return a
	case Gather:
		if e.Args[0].N >= n && e.Args[0].Op != nil { // of rows, not of a parameter for each group
			return affineWithin(e.Args[0], e.Args[0].N, budget).rows(op.At)
		}
		a.terms = []affineTerm{{source: e.Args[0], scale: 1, at: op.At}}
		return a
	case MatVec:
		for j := range op.Cols {
			a.terms = append(a.terms, affineTerm{source: e.Args[0], place: j, scale: 1,
				weight: op.X[j*n : (j+1)*n]})
		}
		return a
	}
	return sourceOf(e, n)
}

// sourceOf is the form with one term.
func sourceOf(e *Node, n int) *affine {
	t := affineTerm{source: e, scale: 1}
	if !e.Scalar && e.N > 1 {
		t.at = make([]int, n)
		for i := range t.at {
			t.at[i] = i
		}
	}
	return &affine{n: n, terms: []affineTerm{t}}
}

func (a *affine) scale(c float64) { a.times(func(int) float64 { return c }, true) }

func (a *affine) times(c func(i int) float64, same bool) *affine {
	for i := range a.constant {
		a.constant[i] *= c(i)
	}
	for k := range a.terms {
		t := &a.terms[k]
		if same && t.weight == nil {
			t.scale *= c(0)
			continue
		}
		w := make([]float64, a.n)
		for i := range w {
			w[i] = t.weightOf(i) * c(i)
		}
		t.weight = w
	}
	return a
}

func (a *affine) addConstant(c func(i int) float64) {
	if a.constant == nil {
		a.constant = make([]float64, a.n)
	}
	for i := range a.constant {
		a.constant[i] += c(i)
	}
}

// rows returns the form with these rows alone.
func (a *affine) rows(keep []int) *affine {
	pick := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		out := make([]float64, len(keep))
		for i, r := range keep {
			out[i] = v[r]
		}
		return out
	}
	out := &affine{n: len(keep), constant: pick(a.constant)}
	for _, t := range a.terms {
		u := affineTerm{source: t.source, place: t.place, scale: t.scale, weight: pick(t.weight)}
		if t.at != nil {
			u.at = make([]int, len(keep))
			for i, r := range keep {
				u.at[i] = t.at[r]
			}
		}
		out.terms = append(out.terms, u)
	}
	return out
}

// sources are the nodes that the terms need, each once.
func (a *affine) sources() []*Node {
	var out []*Node
	for _, t := range a.terms {
		if !slices.Contains(out, t.source) {
			out = append(out, t.source)
		}
	}
	return out
}

// affineStep computes the rows term by term.
type affineStep struct {
	constant []float64
	out, adj []float64
	terms    []boundTerm
}

type boundTerm struct {
	affineTerm
	in, din []float64
	runs    []int // ends of runs of equal places, where at is sorted
	// Slope is a weighted term with the same places, which is computed together with this one that
	// has no weights: the intercept and the slope of a group.
	slope *boundTerm
}

// Bind implements Operation: the arguments are sources.
func (a *affine) Bind(out, adj []float64, in, din [][]float64) Step {
	s := &affineStep{constant: a.constant, out: out, adj: adj}
	sources := a.sources()
	for _, t := range a.terms {
		k := slices.Index(sources, t.source)
		b := boundTerm{affineTerm: t, in: in[k], din: din[k]}
		if t.at != nil && slices.IsSorted(t.at) && t.at[0] != t.at[len(t.at)-1] {
			for i := range t.at {
				if i+1 == len(t.at) || t.at[i+1] != t.at[i] {
					b.runs = append(b.runs, i+1)
				}
			}
			if 2*len(b.runs) > len(t.at) {
				b.runs = nil
			}
		}
		if k := len(s.terms) - 1; k >= 0 && s.terms[k].takes(&b) {
			s.terms[k].slope = &b
			continue
		}
		s.terms = append(s.terms, b)
	}
	return s
}

// takes reports whether b can be computed together with t.
func (t *boundTerm) takes(b *boundTerm) bool {
	return t.slope == nil && t.runs != nil && t.weight == nil && b.weight != nil &&
		t.din != nil && b.din != nil && slices.Equal(t.at, b.at)
}

func (s *affineStep) Forward() {
	out := s.out
	if s.constant != nil {
		copy(out, s.constant)
	} else {
		clear(out)
	}
	for k := range s.terms {
		t := &s.terms[k]
		switch {
		case t.slope != nil:
			at := 0
			for _, end := range t.runs {
				p := t.at[at]
				v, b, w := t.scale*t.in[p], t.slope.in[p], t.slope.weight[at:end]
				for i, o := range out[at:end] {
					out[at+i] = o + v + w[i]*b
				}
				at = end
			}
		case t.at == nil && t.weight == nil:
			v := t.scale * t.in[t.place]
			for i := range out {
				out[i] += v
			}
		case t.at == nil:
			floats.AddScaled(out, t.in[t.place], t.weight)
		case t.runs != nil:
			at := 0
			for _, end := range t.runs {
				v := t.in[t.at[at]]
				if t.weight == nil {
					v *= t.scale
					for i := at; i < end; i++ {
						out[i] += v
					}
				} else {
					for i := at; i < end; i++ {
						out[i] += t.weight[i] * v
					}
				}
				at = end
			}
		case t.weight == nil:
			for i, p := range t.at[:len(out)] {
				out[i] += t.scale * t.in[p]
			}
		default:
			w := t.weight[:len(out)]
			for i, p := range t.at[:len(out)] {
				out[i] += w[i] * t.in[p]
			}
		}
	}
}

func (s *affineStep) Backward() {
	for k := range s.terms {
		t := &s.terms[k]
		if t.din == nil {
			continue
		}
		adj := s.adj
		switch {
		case t.slope != nil:
			at := 0
			for _, end := range t.runs {
				sum, slope, w := 0.0, 0.0, t.slope.weight[at:end]
				for i, a := range adj[at:end] {
					sum += a
					slope += w[i] * a
				}
				p := t.at[at]
				t.din[p] += t.scale * sum
				t.slope.din[p] += slope
				at = end
			}
		case t.at == nil && t.weight == nil:
			sum := 0.0
			for _, a := range adj {
				sum += a
			}
			t.din[t.place] += t.scale * sum
		case t.at == nil:
			t.din[t.place] += floats.Dot(t.weight, adj)
		case t.runs != nil:
			at := 0
			for _, end := range t.runs {
				sum := 0.0
				if t.weight == nil {
					for _, a := range adj[at:end] {
						sum += a
					}
					sum *= t.scale
				} else {
					for i := at; i < end; i++ {
						sum += t.weight[i] * adj[i]
					}
				}
				t.din[t.at[at]] += sum
				at = end
			}
		case t.weight == nil:
			for i, p := range t.at[:len(adj)] {
				t.din[p] += t.scale * adj[i]
			}
		default:
			w := t.weight[:len(adj)]
			for i, p := range t.at[:len(adj)] {
				t.din[p] += w[i] * adj[i]
			}
		}
	}
}
