package bke

import (
	"math"

	"bayeskernel/internal/fused"

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

// fromShifts takes in the sums over the rows of k - t, and of (k - t)², where t is the shift of the
// pseudo-input.
func (s *sums) fromShifts(shift []float64, n float64, c, f []float64) {
	s.spread = 0
	for l, v := range c {
		d := v / n
		s.muhat[l] = shift[l] + d
		s.spread += f[l] - v*d
	}
	s.spread = max(s.spread, 0)
}

// derivativeFromShifts takes in those of k - t, k q_a and (k - t) k q_a, with q_a in that unit.
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
	blocks *rowBlocks
}

func newLinePass(model *Model) *linePass {
	s := &linePass{model: model, sums: newSums(model.m, 1), shift: make([]float64, model.m)}
	s.split(fusedRows(model.n, model.m, 1))
	return s
}

// split makes the workspaces for blocks of so many rows.
func (s *linePass) split(rows int) {
	s.blocks = newRowBlocks(s.model.n, rows, s.block)
	s.raw = s.raw[:0]
	for range s.blocks.count() {
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
	s.blocks.run()
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
	blocks *rowBlocks
}

func newRowPass(model *Model) *rowPass {
	p := &rowPass{model: model, shift: make([]float64, model.m)}
	p.split(blockRows(model.n, model.m, model.dim))
	return p
}

// split makes the workspaces for blocks of so many rows.
func (p *rowPass) split(rows int) {
	p.blocks = newRowBlocks(p.model.n, rows, p.block)
	p.parts = p.parts[:0]
	for range p.blocks.count() {
		p.parts = append(p.parts, newRowBlock(p.model, p.shift))
	}
}

func (p *rowPass) block(b, first, last int) {
	p.parts[b].run(p.theta, first, last, p.grad, p.blocks)
}

// run computes the sums at theta; those that only a gradient needs if grad is set. Squares are
// taken of k less a shift near its mean, so that the mean can be taken out afterwards without
// cancellation; and sums of k likewise.
func (p *rowPass) run(theta []float64, grad bool) *sums {
	mod := p.model
	shiftsOf(p.shift, mod, theta)
	p.theta, p.grad = theta, grad
	p.blocks.run()
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

// rowBlock sums over one block of rows, with k less the shift in the place of k - muhat.
type rowBlock struct {
	sums
	model *Model
	shift []float64
	z     []float64 // the pseudo-inputs, a row for each coordinate
	q     []float64 // q_a of one row of the data; row a, column l
	g     *gramian
	row   []float64
	fill  func()
	_     [gap]byte
}

func newRowBlock(model *Model, shift []float64) *rowBlock {
	thetas := model.thetas()
	s := &rowBlock{
		sums: newSums(model.m, thetas), model: model, shift: shift, q: apart(model.m * thetas),
		g: newGramian(model.m, model.dim),
	}
	for a := range model.dim {
		for i := a; i < len(model.z); i += model.dim {
			s.z = append(s.z, model.z[i])
		}
	}
	s.fill = s.vectors
	return s
}

// run computes the sums of the rows first to last-1, or, if that is stopped, of those before. A row
// may take milliseconds.
func (s *rowBlock) run(theta []float64, first, last int, grad bool, of *rowBlocks) {
	s.scales(theta)
	clear(s.muhat)
	clear(s.dmuhat)
	clear(s.dspread)
	clear(s.dlog)
	s.spread, s.logGamma = 0, 0
	for i := first; i < last && !of.stopped(); i++ {
		s.load(i)
		s.addKernels(grad)
		s.logGamma += s.logDet()
		if grad {
			s.addLeverages()
		}
	}
}

// logDet returns 1/2 logdet sum_l k_l² v_l v_l', and uses up the vectors.
func (s *rowBlock) logDet() float64 {
	if logDet, ok := s.g.direct(); ok {
		return logDet
	}
	s.vectors()
	return s.g.logDet(s.fill)
}

// scales sets the lengthscales.
func (s *rowBlock) scales(theta []float64) {
	for a := range s.g.scale {
		s.g.scale[a] = 1 / theta[min(a, len(theta)-1)]
	}
}

// load computes the vectors and kernel values of row i of the data.
func (s *rowBlock) load(i int) {
	d := s.model.dim
	s.row = s.model.x[i*d : (i+1)*d]
	s.vectors()
	s.kernels()
}

// vectors writes x_i - z_l into the columns of the elimination.
func (s *rowBlock) vectors() {
	for a, c := range s.g.cols {
		xa, za := s.row[a], s.z[a*len(c):][:len(c)]
		for l, z := range za {
			c[l] = xa - z
		}
	}
}

// kernels computes q, k and log k from the vectors.
func (s *rowBlock) kernels() {
	k, sum := s.g.k, s.g.logK[:len(s.g.k)]
	clear(sum)
	for a, c := range s.g.cols {
		c, inv := c[:len(k)], s.g.scale[a]
		if len(s.dlog) == 1 {
			for l, v := range c {
				u := v * inv
				sum[l] += u * u
			}
			continue
		}
		qa := s.q[a*len(k):][:len(k)]
		for l, v := range c {
			u := v * inv
			qa[l] = u * u
			sum[l] += u * u
		}
	}
	if len(s.dlog) == 1 {
		copy(s.q, sum)
	}
	s.model.path.ExpNeg(k, sum, 0.5)
	for l, q := range sum {
		sum[l] = -q / 2 // log k
	}
}

// addKernels adds one row to the sums of kernel values.
func (s *rowBlock) addKernels(grad bool) {
	m := s.model.m
	k, shift, muhat := s.g.k, s.shift[:len(s.g.k)], s.muhat[:len(s.g.k)]
	spread := s.spread
	for l, v := range k {
		c := v - shift[l]
		muhat[l] += c
		spread += c * c
	}
	s.spread = spread
	if !grad {
		return
	}
	for a := range s.dspread {
		q, dm := s.q[a*m : (a+1)*m][:len(k)], s.dmuhat[a*m : (a+1)*m][:len(k)]
		sum := 0.0
		for l, v := range k {
			if v > 0 { // q may be infinite where k is 0
				kq := v * q[l]
				dm[l] += kq
				sum += (v - shift[l]) * kq
			}
		}
		s.dspread[a] += 2 * sum
	}
}

// addLeverages adds one row to the derivative of log gamma, sum_l h_l q_la - 2.
func (s *rowBlock) addLeverages() {
	m := s.model.m
	h := s.g.leverages()
	for a := range s.dlog {
		q, sum := s.q[a*m : (a+1)*m][:len(h)], s.dlog[a]
		for l, v := range h {
			if v > 0 {
				sum += v * q[l]
			}
		}
		s.dlog[a] = sum
	}
}

// shiftsOf chooses the shifts: for each pseudo-input the median of its kernel values at three
// rows. The squared distance of the median of three values from the mean of all is seldom more than
// a few variances, whatever the distribution; a single row would be badly wrong where it happens to
// equal the pseudo-input.
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
			k[t] = math.Exp(-q / 2)
		}
		dst[l] = max(min(k[0], k[1]), min(max(k[0], k[1]), k[2]))
	}
}
