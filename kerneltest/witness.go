package kerneltest

import (
	"fmt"
	"math"

	"bayeskernel/bke"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Witness shows where the samples of a test differ: at each of the points,
//
//	f(t) = mean_i k(x_i, t) - mean_j k(y_j, t),
//
// the function whose squared norm is the squared MMD, and its standard error by the central limit
// theorem; with weights the means are weighted. k is the strongest kernel, that of Scales[0]. For
// an independence test x and y are the variables, a point has their columns side by side, t = (s,
// u), and
//
//	f(s, u) = mean_i k(x_i, s) l(y_i, u) - mean_i k(x_i, s) mean_i l(y_i, u).
//
// The samples are those of the test, and everything is in the units of the data.
func (r *Result) Witness(x, y, points mat.Matrix) (value, se []float64, err error) {
	if err := r.checkWitness(x, y, points); err != nil {
		return nil, nil, err
	}
	_, dx := x.Dims()
	_, dy := y.Dims()
	count, dim := points.Dims()
	if r.KernelY == nil {
		if dim != dx || dx != dy {
			return nil, nil, fmt.Errorf("kerneltest: points have width %d, x %d and y %d, want the "+
				"same", dim, dx, dy)
		}
		of, scaling := r.Scales[0].Kernel, r.Kernel.Scaling
		p, err := crossMoments(of, scaling, x, points, r.weightsOf(0, r.RowsX))
		if err != nil {
			return nil, nil, err
		}
		q, err := crossMoments(of, scaling, y, points, r.weightsOf(r.RowsX, r.RowsX+r.RowsY))
		if err != nil {
			return nil, nil, err
		}
		for j := range p.mean {
			value = append(value, p.mean[j]-q.mean[j])
			se = append(se, math.Sqrt(p.variance[j]+q.variance[j]))
		}
		return value, se, nil
	}
	if dim != dx+dy {
		return nil, nil, fmt.Errorf("kerneltest: points have width %d, want %d, that of x and y "+
			"together", dim, dx+dy)
	}
	s, u := mat.NewDense(count, dx, nil), mat.NewDense(count, dy, nil)
	for i := range count {
		for a := range dim {
			if a < dx {
				s.Set(i, a, points.At(i, a))
			} else {
				u.Set(i, a-dx, points.At(i, a))
			}
		}
	}
	best := r.pictured()
	k, err := crossKernel(best.Kernel, r.Kernel.Scaling, x, s)
	if err != nil {
		return nil, nil, err
	}
	l, err := crossKernel(best.KernelY, r.KernelY.Scaling, y, u)
	if err != nil {
		return nil, nil, err
	}
	n, _ := x.Dims()
	for j := range count {
		a, b := k.RawRowView(j), l.RawRowView(j)
		ma, mb := meanOf(a), meanOf(b)
		products := make([]float64, n)
		for i := range n {
			products[i] = (a[i] - ma) * (b[i] - mb)
		}
		m, v := meanOf(products), 0.0
		for _, p := range products {
			v += (p - m) * (p - m)
		}
		value = append(value, m)
		se = append(se, math.Sqrt(v/float64(n)/math.Max(float64(n-1), 1)))
	}
	return value, se, nil
}

// pictured is the strongest candidate whose witness can be drawn.
func (r *Result) pictured() Candidate {
	best := r.Candidates[r.Best]
	if best.View == NoView {
		return best
	}
	for _, view := range []View{Rows, Smooth} { // the last there is
		for _, c := range r.Candidates {
			if c.View == view {
				best = c
			}
		}
	}
	return best
}

// checkWitness wants the samples of the test.
func (r *Result) checkWitness(x, y, points mat.Matrix) error {
	if len(r.Candidates) == 0 || r.KernelY == nil && len(r.Scales) == 0 {
		return fmt.Errorf("kerneltest: the result is empty, want that of a test")
	}
	for _, a := range []struct {
		name string
		of   mat.Matrix
		rows int
	}{{"x", x, r.RowsX}, {"y", y, r.RowsY}, {"points", points, 0}} {
		if rows.Nil(a.of) {
			return fmt.Errorf("kerneltest: %s is nil, want a matrix", a.name)
		}
		if n, _ := a.of.Dims(); a.rows > 0 && n != a.rows {
			return fmt.Errorf("kerneltest: %s has %d rows, want the %d of the test", a.name, n,
				a.rows)
		}
	}
	return nil
}

// weightsOf returns the weights of some rows, of sum 1.
func (r *Result) weightsOf(from, to int) []float64 {
	out := equalWeights(to - from)
	if r.weights != nil {
		all := total(r.weights[from:to])
		for i, w := range r.weights[from:to] {
			out[i] = w / all
		}
	}
	return out
}

// moments of k(x_i, t) over i: the weighted mean, and its variance.
type moments struct{ mean, variance []float64 }

// crossMoments goes through the points a few at a time, so that memory does not grow with both.
func crossMoments(k kernels.Kernel, s *bke.Scaling, x, points mat.Matrix, w []float64) (moments,
	error) {
	count, dim := points.Dims()
	var out moments
	second := 0.0
	for _, v := range w {
		second += v * v
	}
	const batch = 16
	for from := 0; from < count; from += batch {
		part := mat.NewDense(min(batch, count-from), dim, nil)
		for i := range min(batch, count-from) {
			for a := range dim {
				part.Set(i, a, points.At(from+i, a))
			}
		}
		values, err := crossKernel(k, s, x, part)
		if err != nil {
			return out, err
		}
		rows, _ := values.Dims()
		for i := range rows {
			row := values.RawRowView(i)
			m, v := 0.0, 0.0
			for j, f := range row {
				m += w[j] * f
			}
			for j, f := range row {
				v += w[j] * w[j] * (f - m) * (f - m)
			}
			if len(row) > 1 {
				v /= 1 - second
			}
			out.mean = append(out.mean, m)
			out.variance = append(out.variance, v)
		}
	}
	return out, nil
}

// crossKernel has a row for each point and a column for each row of x.
func crossKernel(k kernels.Kernel, s *bke.Scaling, x, points mat.Matrix) (*mat.Dense, error) {
	if s != nil {
		var err error
		if x, err = s.Apply(x); err != nil {
			return nil, fmt.Errorf("kerneltest: %w", err)
		}
		if points, err = s.Apply(points); err != nil {
			return nil, fmt.Errorf("kerneltest: %w", err)
		}
	}
	var out mat.Dense
	if err := kernels.Cross(&out, k, points, x); err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	return &out, nil
}

func meanOf(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
