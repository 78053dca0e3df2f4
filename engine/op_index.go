package engine

// View is part of a vector, in the same memory: there is nothing to compute. The copy that bind
// makes is for data.
type View struct{ Lo, Hi int }

func (v View) Bind(out, _ []float64, in, _ [][]float64) Step { return viewStep{out, in[0][v.Lo:v.Hi]} }

type viewStep struct{ out, in []float64 }

func (s viewStep) Forward()  { copy(s.out, s.in) }
func (s viewStep) Backward() {}

// Gather picks values.
type Gather struct{ At []int }

type gatherStep struct {
	at                []int
	out, adj, in, din []float64
}

func (g Gather) Bind(out, adj []float64, in, din [][]float64) Step {
	return &gatherStep{g.At, out, adj, in[0], din[0]}
}

func (s *gatherStep) Forward() {
	for i, k := range s.at {
		s.out[i] = s.in[k]
	}
}

func (s *gatherStep) Backward() {
	for i, k := range s.at {
		s.din[k] += s.adj[i]
	}
}

// Stack puts its arguments one after the other.
type Stack struct{}

type stackStep struct {
	out, adj []float64
	in, din  [][]float64
}

func (Stack) Bind(out, adj []float64, in, din [][]float64) Step {
	return &stackStep{out, adj, in, din}
}

func (s *stackStep) Forward() {
	at := 0
	for _, v := range s.in {
		at += copy(s.out[at:], v)
	}
}

func (s *stackStep) Backward() {
	at := 0
	for k, v := range s.in {
		if d := s.din[k]; d != nil {
			for i, a := range s.adj[at : at+len(v)] {
				d[i] += a
			}
		}
		at += len(v)
	}
}
