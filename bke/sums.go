package bke

import (
	"math"

	"bayeskernel/internal/fused"
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
		muhat: make([]float64, m), dmuhat: make([]float64, m*thetas),
		dspread: make([]float64, thetas), dlog: make([]float64, thetas),
	}
}

// linePass computes the sums for data of one dimension, in one pass over all pairs.
type linePass struct {
	model *Model
	sums
	shift []float64
	raw   *fused.Sums
}

func newLinePass(model *Model) *linePass {
	return &linePass{
		model: model, sums: newSums(model.m, 1), shift: make([]float64, model.m),
		raw: fused.NewSums(model.m),
	}
}

func (s *linePass) run(theta []float64, _ bool) *sums {
	mod, t, raw := s.model, theta[0], s.raw
	shiftsOf(s.shift, mod, theta)
	fused.Run(mod.kernel, raw, mod.x, mod.z, s.shift, t)
	n, unit := float64(mod.n), 1/t/t
	s.spread, s.dspread[0] = 0, 0
	for l, c := range raw.C {
		d := c / n
		s.muhat[l] = s.shift[l] + d
		s.dmuhat[l] = raw.KD[l] * unit / n
		s.spread += raw.F[l] - c*d
		s.dspread[0] += 2 * unit * (raw.FD[l] - d*raw.KD[l])
	}
	s.spread = max(s.spread, 0)
	// gamma = sqrt(A)/theta², and sum_l h_l q_l = B/(A theta²).
	s.logGamma = raw.LogA/2 - 2*n*math.Log(t)
	s.dlog[0] = raw.BA*unit - 2*n
	return &s.sums
}

// rowPass computes the sums for data of any dimension.
type rowPass struct {
	model *Model
	sums
	shift []float64 // one for each pseudo-input
	q     []float64 // q_a of one row of the data; row a, column l
	g     *gramian
	row   []float64
	fill  func()
}

func newRowPass(model *Model) *rowPass {
	p := &rowPass{
		model: model, sums: newSums(model.m, model.thetas()),
		shift: make([]float64, model.m), q: make([]float64, model.m*model.thetas()),
		g: newGramian(model.m, model.dim),
	}
	p.fill = p.vectors
	return p
}

// vectors writes x_i - z_l into the columns of the elimination.
func (s *rowPass) vectors() {
	d, z := s.model.dim, s.model.z
	for a, c := range s.g.cols {
		xa := s.row[a]
		for l := range c {
			c[l] = xa - z[l*d+a]
		}
	}
}

// kernels computes q, k and log k from the vectors.
func (s *rowPass) kernels() {
	k, logK := s.g.k, s.g.logK[:len(s.g.k)]
	clear(logK)
	for a, c := range s.g.cols {
		inv := s.g.scale[a]
		qa := s.q[min(a*s.model.m, len(s.q)-s.model.m):][:len(k)]
		if a == 0 || len(s.dlog) > 1 {
			clear(qa)
		}
		for l, v := range c[:len(k)] {
			u := v * inv
			u *= u
			qa[l] += u
			logK[l] -= u
		}
	}
	for l := range k {
		logK[l] /= 2
		k[l] = math.Exp(logK[l])
	}
}

// run computes the sums at theta; those that only a gradient needs if grad is set. Squares are
// taken of k less a shift near its mean, so that the mean can be taken out afterwards without
// cancellation; and sums of k likewise.
func (s *rowPass) run(theta []float64, grad bool) *sums {
	mod := s.model
	for a := range s.g.scale {
		s.g.scale[a] = 1 / theta[min(a, len(theta)-1)]
	}
	shiftsOf(s.shift, mod, theta)
	clear(s.muhat)
	clear(s.dmuhat)
	clear(s.dspread)
	clear(s.dlog)
	s.spread, s.logGamma = 0, 0
	for i := range mod.n {
		s.row = mod.x[i*mod.dim : (i+1)*mod.dim]
		s.vectors()
		s.kernels()
		s.addKernels(grad)
		s.logGamma += s.g.logDet(s.fill)
		if grad {
			s.addLeverages()
		}
	}
	for _, t := range theta {
		// det Theta^-2 is the product over the D coordinates.
		s.logGamma -= 2 * float64(mod.n*mod.dim/len(theta)) * math.Log(t)
	}
	s.centre(theta, grad)
	return &s.sums
}

// addKernels adds one row to the sums of kernel values.
func (s *rowPass) addKernels(grad bool) {
	m := s.model.m
	k, shift, muhat := s.g.k, s.shift[:len(s.g.k)], s.muhat[:len(s.g.k)]
	for l, v := range k {
		c := v - shift[l]
		muhat[l] += c
		s.spread += c * c
	}
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
func (s *rowPass) addLeverages() {
	m := s.model.m
	h := s.g.leverages()
	for a := range s.dlog {
		q := s.q[a*m : (a+1)*m][:len(h)]
		for l, v := range h {
			if v > 0 {
				s.dlog[a] += v * q[l]
			}
		}
	}
}

// centre turns sums about the shifts into sums about the means.
func (s *rowPass) centre(theta []float64, grad bool) {
	n, m := float64(s.model.n), s.model.m
	for l, t := range s.shift {
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
			s.dlog[a] -= 2 * n * float64(s.model.dim/len(theta))
		}
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
