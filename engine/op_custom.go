package engine

// Computation is a function with a hand-derived derivative. A chain makes one of its own, which may
// hold a workspace.
type Computation interface {
	// Forward writes the values at the arguments in.
	Forward(out []float64, in [][]float64)
	// Pullback adds to din the derivatives in the arguments, given those in out: for argument k and
	// its value i the sum over j of dout[j] d out[j]/d in[k][i]. It is called after Forward with the
	// same arguments. Where din[k] is nil it is not wanted.
	Pullback(din [][]float64, dout, out []float64, in [][]float64)
}

// Custom computes a node with a derivative that somebody else wrote.
type Custom struct{ Make func() Computation }

type customStep struct {
	c        Computation
	out, adj []float64
	in, din  [][]float64
}

func (c Custom) Bind(out, adj []float64, in, din [][]float64) Step {
	return &customStep{c.Make(), out, adj, in, din}
}

func (s *customStep) Forward()  { s.c.Forward(s.out, s.in) }
func (s *customStep) Backward() { s.c.Pullback(s.din, s.adj, s.out, s.in) }
