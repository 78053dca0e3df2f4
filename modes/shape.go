package modes

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// shape holds the principal axes of the normal density with the same Hessian at a mode.
type shape struct {
	axes      *mat.Dense // columns, each one standard deviation long: axes axes' is the covariance
	inverse   *mat.Dense // of axes
	logVolume float64    // d/2 log(2 pi) + log |det axes|
}

// distance is the Mahalanobis distance between two points.
func (s *shape) distance(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		t := 0.0
		for j := range x {
			t += s.inverse.At(i, j) * (x[j] - y[j])
		}
		sum += t * t
	}
	return math.Sqrt(sum)
}

func (s *shape) covariance() [][]float64 {
	var c mat.Dense
	c.Mul(s.axes, s.axes.T())
	rows := make([][]float64, c.RawMatrix().Rows)
	for i := range rows {
		rows[i] = mat.Row(nil, i, &c)
	}
	return rows
}

// flattest is the smallest eigenvalue of the scaled negative Hessian that counts as positive. With
// differences as steps, the Hessian has about eight digits.
const flattest = 1e-7

// shapeAt returns the shape at x, or nil if the Hessian is not negative definite.
func shapeAt(s *surface, x []float64) *shape {
	h := hessian(s, x)
	if h == nil {
		return nil
	}
	// Scaling by the diagonal makes the eigenvalues free of the units of the coordinates.
	d := len(x)
	scale := make([]float64, d)
	for i := range scale {
		scale[i] = math.Sqrt(-h.At(i, i))
		if !(scale[i] > 0) || math.IsInf(scale[i], 1) {
			return nil
		}
	}
	for i := range d {
		for j := i; j < d; j++ {
			h.SetSym(i, j, -h.At(i, j)/scale[i]/scale[j])
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(h, true) {
		return nil
	}
	var q mat.Dense
	eig.VectorsTo(&q)
	out := &shape{axes: mat.NewDense(d, d, nil), inverse: mat.NewDense(d, d, nil),
		logVolume: float64(d) / 2 * math.Log(2*math.Pi)}
	for k, l := range eig.Values(nil) {
		if !(l > flattest) {
			return nil
		}
		out.logVolume -= math.Log(l)/2 + math.Log(scale[k])
		for i := range d {
			out.axes.Set(i, k, q.At(i, k)/(math.Sqrt(l)*scale[i]))
			out.inverse.Set(k, i, q.At(i, k)*math.Sqrt(l)*scale[i])
		}
	}
	return out
}

// hessian differentiates the gradient at x, or returns nil if it is not finite around it. The step
// in each coordinate is a small part of its local standard deviation, once that is known.
func hessian(s *surface, x []float64) *mat.SymDense {
	d := len(x)
	at := append([]float64(nil), x...)
	rows := mat.NewDense(d, d, nil)
	for i := range d {
		step := 1e-5 * math.Max(1, math.Abs(x[i]))
		for range 40 {
			ok := column(s, at, i, step, rows.RawRowView(i))
			if s.fault != nil {
				return nil
			}
			if !ok { // beyond the edge of the support
				step /= 10
				continue
			}
			// In units of the local standard deviation the third derivative is about 1, so this
			// step leaves about eight digits, rounding included.
			want := 1e-4 / math.Sqrt(math.Abs(rows.At(i, i)))
			if !(want < step/4 || want > step*4) || want > 1e-2*math.Max(1, math.Abs(x[i])) {
				break
			}
			step = want
		}
		for _, v := range rows.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil
			}
		}
	}
	h := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			h.SetSym(i, j, (rows.At(i, j)+rows.At(j, i))/2)
		}
	}
	return h
}

// column writes the central difference of the gradient in coordinate i, and reports whether it is
// finite. at is left as it was.
func column(s *surface, at []float64, i int, step float64, dst []float64) bool {
	x := at[i]
	up, down := x+step, x-step
	at[i] = up
	a := s.at(at)
	copy(dst, s.grad)
	at[i] = down
	b := s.at(at)
	at[i] = x
	for j, g := range s.grad {
		dst[j] = (dst[j] - g) / (up - down)
	}
	return !math.IsInf(a, -1) && !math.IsInf(b, -1) && up > down
}

const (
	newtonSteps = 20
	closeEnough = 1e-3 // in local standard deviations
	leastFall   = 0.01 // in nats, one standard deviation away: a normal density falls by a half
)

// refine takes Newton steps from x until it is at a mode, and returns its shape; nil if there is
// none.
func refine(s *surface, x []float64) *shape {
	next := make([]float64, len(x))
	for range newtonSteps {
		sh := shapeAt(s, x)
		lp := s.at(x)
		if sh == nil || math.IsInf(lp, -1) {
			return nil
		}
		var white, move mat.VecDense
		white.MulVec(sh.axes.T(), mat.NewVecDense(len(x), s.grad))
		if mat.Norm(&white, 2) < closeEnough {
			if !fallsOff(s, x, sh, lp) {
				return nil
			}
			return sh
		}
		move.MulVec(sh.axes, &white)
		better := false
		for part := 1.0; part > 1e-3 && !better; part /= 2 {
			for i := range next {
				next[i] = x[i] + part*move.AtVec(i)
			}
			better = s.at(next) >= lp
		}
		if !better {
			return nil
		}
		copy(x, next)
	}
	return nil
}

// fallsOff reports whether the density falls off along every principal axis, as it does around a
// mode but not on a plateau, whose Hessian can seem negative definite.
func fallsOff(s *surface, x []float64, sh *shape, lp float64) bool {
	at := make([]float64, len(x))
	for k := range x {
		for _, sign := range []float64{-1, 1} {
			for i := range at {
				at[i] = x[i] + sign*sh.axes.At(i, k)
			}
			if !(s.at(at) < lp-leastFall) || s.fault != nil {
				return false
			}
		}
	}
	return true
}
