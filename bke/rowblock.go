package bke

import (
	"bayeskernel/internal/logdet"
	"bayeskernel/internal/workers"
	"bayeskernel/kernels"
)

// rowBlock sums over one block of rows, with k - shift instead of k - muhat.
type rowBlock struct {
	sums
	model *Model
	shift []float64
	z     []float64 // the pseudo-inputs, a row for each coordinate
	inv   []float64 // 1/theta_a
	det   *logdet.Workspace

	// Of one row of the data, an element for each pseudo-input.
	q                       []float64 // q_a; row a, column l
	total                   []float64 // the sum of the q_a
	k, kappa, logKappa, rho []float64 // the kernel and its derivatives, as in kernels.Radial
	_                       [gap]byte
}

func newRowBlock(model *Model, shift []float64) *rowBlock {
	thetas, m := model.thetas(), model.m
	s := &rowBlock{
		sums: newSums(m, thetas), model: model, shift: shift,
		det: model.inputs.Workspace(model.path), inv: apart(model.dim),
		q: apart(m * thetas), total: apart(m),
		k: apart(m), kappa: apart(m), logKappa: apart(m), rho: apart(m),
	}
	if thetas == 1 {
		s.q = s.total
	}
	for a := range model.dim {
		for i := a; i < len(model.z); i += model.dim {
			s.z = append(s.z, model.z[i])
		}
	}
	return s
}

// run computes the sums of the rows first to last-1. If stopped, it ends after the row in hand,
// because a row may take milliseconds.
func (s *rowBlock) run(theta []float64, first, last int, grad bool, of *workers.Blocks) {
	s.setTheta(theta)
	clear(s.muhat)
	clear(s.dmuhat)
	clear(s.dspread)
	clear(s.dlog)
	s.spread, s.logGamma = 0, 0
	for i := first; i < last && !of.Stopped(); i++ {
		s.logGamma += s.load(i, grad)
		s.addKernels(grad)
		if grad {
			s.addLeverages()
		}
	}
}

// setTheta sets the lengthscales.
func (s *rowBlock) setTheta(theta []float64) {
	for a := range s.inv {
		s.inv[a] = 1 / theta[min(a, len(theta)-1)]
	}
	s.det.SetTheta(theta)
}

// load evaluates the kernel at row i of the data and returns 1/2 logdet sum_l kappa_l² v_l v_l'.
func (s *rowBlock) load(i int, grad bool) float64 {
	d := s.model.dim
	x := s.model.x[i*d : (i+1)*d]
	s.distances(x)
	rho := s.rho
	if !grad {
		rho = nil
	}
	kernels.Profiles(s.model.opts.Kernel, s.model.path, s.k, s.kappa, s.logKappa, rho, s.total)
	return s.det.LogDet(x, s.kappa, s.logKappa)
}

// distances computes the q_a and their sum.
func (s *rowBlock) distances(x []float64) {
	m := len(s.total)
	clear(s.total)
	for a, xa := range x {
		za, inv := s.z[a*m:][:m], s.inv[a]
		if len(s.dlog) == 1 {
			for l, z := range za {
				u := (xa - z) * inv
				s.total[l] += u * u
			}
			continue
		}
		qa := s.q[a*m:][:m]
		for l, z := range za {
			u := (xa - z) * inv
			qa[l] = u * u
			s.total[l] += u * u
		}
	}
}

// addKernels adds one row to the sums of kernel values; dk/dlog theta_a = kappa q_a.
func (s *rowBlock) addKernels(grad bool) {
	m := s.model.m
	k, shift, muhat := s.k, s.shift[:len(s.k)], s.muhat[:len(s.k)]
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
		for l, kappa := range s.kappa {
			if kappa > 0 { // q may be infinite where kappa is 0
				dk := kappa * q[l]
				dm[l] += dk
				sum += (k[l] - shift[l]) * dk
			}
		}
		s.dspread[a] += 2 * sum
	}
}

// addLeverages adds one row to the derivative of log gamma, sum_l h_l rho_l q_la - 2. The -2 is
// added for all rows at once.
func (s *rowBlock) addLeverages() {
	m := s.model.m
	h := s.det.Leverages()
	for a := range s.dlog {
		q, sum := s.q[a*m : (a+1)*m][:len(h)], s.dlog[a]
		for l, v := range h {
			if v > 0 {
				sum += v * s.rho[l] * q[l]
			}
		}
		s.dlog[a] = sum
	}
}
