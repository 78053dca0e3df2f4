package ode

import "math"

// radau takes steps of the method Radau IIA of three stages. With stages z_i = Y_i - y,
//
//	z_i = h sum_j a_ij f(t + c_j h, y + z_j),
//
// solved by Newton's method with the derivatives at t; the new value is y + z_3. The stages of S are
// linear equations with the derivatives at the stages, solved exactly.
type radau struct {
	s       *Solver
	newton  *lu // of I - h A (x) J
	linear  *lu // of I - h (a_ij J_j)
	small   *lu // of I - h gamma J
	z, rhs  []float64
	f       [3][]float64
	jy, jp  [3][]float64
	j0, jp0 []float64
	y, e    []float64
}

var (
	root6  = math.Sqrt(6)
	radauA = [3][3]float64{
		{(88 - 7*root6) / 360, (296 - 169*root6) / 1800, (-2 + 3*root6) / 225},
		{(296 + 169*root6) / 1800, (88 + 7*root6) / 360, (-2 - 3*root6) / 225},
		{(16 - root6) / 36, (16 + root6) / 36, 1.0 / 9},
	}
	radauC = [3]float64{(4 - root6) / 10, (4 + root6) / 10, 1}
	// radauE are the weights of the stages in the error, and radauGamma is one over the real eigenvalue
	// of the inverse of A, 3 + 3^(2/3) - 3^(1/3).
	radauE     = [3]float64{-(13 + 7*root6) / 3, (-13 + 7*root6) / 3, -1.0 / 3}
	radauGamma = 1 / (3 + math.Cbrt(9) - math.Cbrt(3))
)

func newRadau(s *Solver) *radau {
	n := s.n
	r := &radau{s: s, newton: newLU(3 * n), linear: newLU(3 * n), small: newLU(n),
		z: make([]float64, 3*n), rhs: make([]float64, 3*n), j0: make([]float64, n*n),
		jp0: make([]float64, n*s.p), y: make([]float64, n), e: make([]float64, n)}
	for i := range 3 {
		r.f[i], r.jy[i], r.jp[i] = make([]float64, n), make([]float64, n*n), make([]float64, n*s.p)
	}
	return r
}

func (r *radau) try(w *walk, h float64) (float64, error) {
	s, n := r.s, r.s.n
	w.sys.Eval(w.t, s.z[:n], r.e, r.j0, r.jp0)
	for i := range 3 {
		for j := range 3 {
			for a := range n {
				for b := range n {
					v := -h * radauA[i][j] * r.j0[a*n+b]
					if i == j && a == b {
						v++
					}
					r.newton.a[(i*n+a)*3*n+j*n+b] = v
				}
			}
		}
	}
	for a := range n {
		for b := range n {
			v := -h * radauGamma * r.j0[a*n+b]
			if a == b {
				v++
			}
			r.small.a[a*n+b] = v
		}
	}
	if !r.newton.factor() || !r.small.factor() {
		return -0.5, nil
	}
	if !r.stages(w, h) {
		return -0.5, nil
	}
	for a := range n {
		s.next[a] = s.z[a] + r.z[2*n+a]
		s.err[a] = radauGamma * (radauE[0]*r.z[a] + radauE[1]*r.z[n+a] + radauE[2]*r.z[2*n+a] + h*s.k[0][a])
	}
	r.small.solve(s.err[:n])
	if w.size > n && !r.directions(w, h) {
		return -0.5, nil
	}
	grow := growth(w.norm(s.err), 4)
	if grow > 0 {
		w.slope(w.t+h, s.next, s.k[0])
	}
	return grow, nil
}

// stages solves for the stages of y by Newton's method.
func (r *radau) stages(w *walk, h float64) bool {
	s, n := r.s, r.s.n
	clear(r.z)
	before := math.Inf(1)
	for it := range 12 {
		for i := range 3 {
			for a := range n {
				r.y[a] = s.z[a] + r.z[i*n+a]
			}
			w.sys.Eval(w.t+radauC[i]*h, r.y, r.f[i], nil, nil)
		}
		for i := range 3 {
			for a := range n {
				r.rhs[i*n+a] = h*(radauA[i][0]*r.f[0][a]+radauA[i][1]*r.f[1][a]+radauA[i][2]*r.f[2][a]) -
					r.z[i*n+a]
			}
		}
		r.newton.solve(r.rhs)
		size := 0.0
		for k, d := range r.rhs {
			r.z[k] += d
			u := d / (s.o.AbsTol + s.o.RelTol*math.Abs(s.z[k%n]))
			size += u * u
		}
		size = math.Sqrt(size / float64(3*n))
		switch {
		case math.IsNaN(size) || math.IsInf(size, 0):
			return false
		case size < 1e-3 || size == 0:
			return true
		case it > 0 && size > 0.9*before && size < 0.03: // rounding
			return true
		case it > 1 && size > before:
			return false
		}
		before = size
	}
	return false
}

// directions solves for the stages of S, whose equations are linear.
func (r *radau) directions(w *walk, h float64) bool {
	s, n := r.s, r.s.n
	for i := range 3 {
		for a := range n {
			r.y[a] = s.z[a] + r.z[i*n+a]
		}
		w.sys.Eval(w.t+radauC[i]*h, r.y, r.f[i], r.jy[i], r.jp[i])
	}
	for i := range 3 {
		for j := range 3 {
			for a := range n {
				for b := range n {
					v := -h * radauA[i][j] * r.jy[j][a*n+b]
					if i == j && a == b {
						v++
					}
					r.linear.a[(i*n+a)*3*n+j*n+b] = v
				}
			}
		}
	}
	if !r.linear.factor() {
		return false
	}
	for d := range s.q {
		at := s.z[n*(1+d) : n*(2+d)]
		for j := range 3 {
			for a := range n {
				sum := 0.0
				if k := d - (s.q - s.p); k >= 0 {
					sum = r.jp[j][a*s.p+k]
				}
				for b, v := range at {
					sum += r.jy[j][a*n+b] * v
				}
				r.f[j][a] = sum
			}
		}
		for i := range 3 {
			for a := range n {
				r.rhs[i*n+a] = h * (radauA[i][0]*r.f[0][a] + radauA[i][1]*r.f[1][a] + radauA[i][2]*r.f[2][a])
			}
		}
		r.linear.solve(r.rhs)
		out, err, slope := s.next[n*(1+d):n*(2+d)], s.err[n*(1+d):n*(2+d)], s.k[0][n*(1+d):n*(2+d)]
		for a := range n {
			out[a] = at[a] + r.rhs[2*n+a]
			err[a] = radauGamma * (radauE[0]*r.rhs[a] + radauE[1]*r.rhs[n+a] + radauE[2]*r.rhs[2*n+a] + h*slope[a])
		}
		r.small.solve(err)
	}
	return true
}

// lu is a square matrix and its factors, with partial pivoting.
type lu struct {
	n     int
	a     []float64
	pivot []int
}

func newLU(n int) *lu { return &lu{n: n, a: make([]float64, n*n), pivot: make([]int, n)} }

// factor reports whether the matrix is invertible.
func (m *lu) factor() bool {
	n, a := m.n, m.a
	for k := range n {
		best := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i*n+k]) > math.Abs(a[best*n+k]) {
				best = i
			}
		}
		m.pivot[k] = best
		if v := a[best*n+k]; v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
		if best != k {
			for j := range n {
				a[k*n+j], a[best*n+j] = a[best*n+j], a[k*n+j]
			}
		}
		for i := k + 1; i < n; i++ {
			l := a[i*n+k] / a[k*n+k]
			a[i*n+k] = l
			if l == 0 {
				continue
			}
			row, top := a[i*n+k+1:(i+1)*n], a[k*n+k+1:(k+1)*n]
			for j, v := range top {
				row[j] -= l * v
			}
		}
	}
	return true
}

// solve replaces b by the solution.
func (m *lu) solve(b []float64) {
	n, a := m.n, m.a
	for k := range n {
		if p := m.pivot[k]; p != k {
			b[k], b[p] = b[p], b[k]
		}
	}
	for i := range n {
		for j := range i {
			b[i] -= a[i*n+j] * b[j]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			b[i] -= a[i*n+j] * b[j]
		}
		b[i] /= a[i*n+i]
	}
}
