package bke

import (
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/workers"

	"gonum.org/v1/gonum/floats"
)

// sums are the sums over the rows of the data, the only part of the pseudolikelihood that costs
// O(nm). With q_a = (x_ia - z_la)²/theta_a², or q the sum of these with a single lengthscale:
type sums struct {
	muhat    []float64 // of k/n, for each pseudo-input
	dmuhat   []float64 // of k q_a/n, the derivative of muhat in log theta_a; row a, column l
	spread   float64   // of (k - muhat_l)², over l as well
	dspread  []float64 // its derivatives, of 2 (k - muhat_l) k q_a
	logGamma float64   // of log gamma
	dlog     []float64 // its derivatives
}

func newSums(m, thetas int) sums {
	return sums{
		muhat: apart(m), dmuhat: apart(m * thetas), dspread: apart(thetas), dlog: apart(thetas),
	}
}

// add adds the sums of another block of rows.
func (s *sums) add(b *sums) {
	floats.Add(s.muhat, b.muhat)
	floats.Add(s.dmuhat, b.dmuhat)
	floats.Add(s.dspread, b.dspread)
	floats.Add(s.dlog, b.dlog)
	s.spread += b.spread
	s.logGamma += b.logGamma
}

// fromShifts sets muhat and spread from c, the sums over the rows of k - t, and f, the sums of (k -
// t)². Here t is the shift of the pseudo-input.
func (s *sums) fromShifts(shift []float64, n float64, c, f []float64) {
	s.spread = 0
	for l, v := range c {
		d := v / n
		s.muhat[l] = shift[l] + d
		s.spread += f[l] - v*d
	}
	s.spread = max(s.spread, 0)
}

// derivativeFromShifts sets their derivatives from the sums of k - t, k q_a and (k - t) k q_a, with
// q_a in the given unit.
func (s *sums) derivativeFromShifts(a int, n, unit float64, c, kq, fq []float64) {
	s.dspread[a] = 0
	for l, v := range c {
		s.dmuhat[a*len(c)+l] = kq[l] * unit / n
		s.dspread[a] += 2 * unit * (fq[l] - v/n*kq[l])
	}
}

// linePass computes the sums for data of one dimension, in one pass over all pairs.
type linePass struct {
	model *Model
	sums
	theta  float64
	shift  []float64 // the same for all blocks, so that their sums can be added
	raw    []*fused.Sums
	blocks *workers.Blocks
}

func newLinePass(model *Model) *linePass {
	s := &linePass{model: model, sums: newSums(model.m, 1), shift: make([]float64, model.m)}
	s.split(fusedRows(model.n, model.m, 1))
	return s
}

// split makes the workspaces for blocks of so many rows.
func (s *linePass) split(rows int) {
	s.blocks = workers.NewBlocks(s.model.n, rows, s.block)
	s.raw = s.raw[:0]
	for range s.blocks.Count() {
		s.raw = append(s.raw, fused.NewSums(s.model.m))
	}
}

func (s *linePass) block(b, first, last int) {
	mod := s.model
	fused.Run(mod.path, s.raw[b], mod.x[first:last], mod.z, s.shift, s.theta)
}

func (s *linePass) run(theta []float64, _ bool) *sums {
	mod, t, raw := s.model, theta[0], s.raw[0]
	shiftsOf(s.shift, mod, theta)
	s.theta = t
	s.blocks.Run()
	for _, b := range s.raw[1:] {
		floats.Add(raw.C, b.C)
		floats.Add(raw.KD, b.KD)
		floats.Add(raw.F, b.F)
		floats.Add(raw.FD, b.FD)
		raw.LogA += b.LogA
		raw.BA += b.BA
	}
	n, unit := float64(mod.n), 1/t/t
	s.fromShifts(s.shift, n, raw.C, raw.F)
	s.derivativeFromShifts(0, n, unit, raw.C, raw.KD, raw.FD)
	// gamma = sqrt(A)/theta², and sum_l h_l q_l = B/(A theta²).
	s.logGamma = raw.LogA/2 - 2*n*math.Log(t)
	s.dlog[0] = raw.BA*unit - 2*n
	return &s.sums
}

// rowPass computes the sums for data of any dimension.
type rowPass struct {
	model  *Model
	theta  []float64 // valid during a run
	grad   bool
	shift  []float64 // one for each pseudo-input, the same for all blocks
	parts  []*rowBlock
	blocks *workers.Blocks
}

func newRowPass(model *Model) *rowPass {
	p := &rowPass{model: model, shift: make([]float64, model.m)}
	p.split(blockRows(model.n, model.m, model.dim))
	return p
}

// split makes the workspaces for blocks of so many rows.
func (p *rowPass) split(rows int) {
	p.blocks = workers.NewBlocks(p.model.n, rows, p.block)
	p.parts = p.parts[:0]
	for range p.blocks.Count() {
		p.parts = append(p.parts, newRowBlock(p.model, p.shift))
	}
}

func (p *rowPass) block(b, first, last int) {
	p.parts[b].run(p.theta, first, last, p.grad, p.blocks)
}

// run computes the sums at theta, including those for the gradient if grad is set. It sums k and
// its squares after subtracting a shift near the mean, so that centring afterwards does not cancel.
func (p *rowPass) run(theta []float64, grad bool) *sums {
	mod := p.model
	shiftsOf(p.shift, mod, theta)
	p.theta, p.grad = theta, grad
	p.blocks.Run()
	s := &p.parts[0].sums
	for _, b := range p.parts[1:] {
		s.add(&b.sums)
	}
	s.logGamma -= mod.logThetas(theta)
	p.centre(s, grad)
	return s
}

// logThetas is -n logdet Theta^-2, where det Theta^-2 is a product over the D coordinates.
func (m *Model) logThetas(theta []float64) (sum float64) {
	for _, t := range theta {
		sum += 2 * float64(m.n*m.dim/len(theta)) * math.Log(t)
	}
	return sum
}

// centre turns sums about the shifts into sums about the means.
func (p *rowPass) centre(s *sums, grad bool) {
	n, m := float64(p.model.n), p.model.m
	for l, t := range p.shift {
		d := s.muhat[l] / n
		s.spread -= n * d * d
		for a := range s.dspread {
			s.dspread[a] -= 2 * d * s.dmuhat[a*m+l]
		}
		s.muhat[l] = t + d
	}
	s.spread = max(s.spread, 0)
	for i := range s.dmuhat {
		s.dmuhat[i] /= n
	}
	if grad {
		for a := range s.dlog {
			s.dlog[a] -= 2 * n * float64(p.model.dim/len(s.dlog))
		}
	}
}

// shiftsOf chooses the shifts: for each pseudo-input the median of its kernel values at three
// rows. For any distribution, the median of three values is seldom more than a few standard
// deviations from the mean. A single row would be a bad choice if it happened to equal the
// pseudo-input.
func shiftsOf(dst []float64, mod *Model, theta []float64) {
	d, n := mod.dim, mod.n
	for l := range dst {
		z := mod.z[l*d : (l+1)*d]
		var k [3]float64
		for t, i := range [3]int{n / 6, n / 2, n - 1 - n/6} {
			q := 0.0
			for a, v := range mod.x[i*d : (i+1)*d] {
				u := (v - z[a]) / theta[min(a, len(theta)-1)]
				q += u * u
			}
			k[t], _, _ = mod.opts.Kernel.Profile(q)
		}
		dst[l] = max(min(k[0], k[1]), min(max(k[0], k[1]), k[2]))
	}
}
