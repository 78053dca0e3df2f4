package embedding

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// rowBlock is the number of rows in hand at a time: kernel values are never kept for all rows.
const rowBlock = 512

// accumulator sums over the rows of a sample, of weights w_i, at points p, in one pass over blocks
// of rows. With m_j = sum_i w_i k(x_i, p_j) the covariance of m is estimated by
//
//	C_jl = sum_i w_i² (k_ij - m_j)(k_il - m_l) / (1 - sum_i w_i²),
//
// which is the usual C/n, divisor n-1, where all weights are 1/n. Sums are taken of y_ij = w_i
// (k_ij
// - c_j) with a guess c of the mean, and put right afterwards:
//
//	m = c + sum_i y_i,   sum w² (k-m)(k-m)' = sum y y' - a d' - d a' + (sum w²) d d',
//	d = m - c,   a = sum_i w_i y_i.
//
// The guess is the mean of a few rows, so that no digit is lost where all k are near 1.
type accumulator struct {
	k, few           []float64
	shift, sum, dots []float64
	gram             []float64
	middles          []float64
	err              error // of a sample that is known by means
}

// fewRows is the number of rows that the guess is made of.
const fewRows = 16

// guess sets shift to the mean of k over a few rows, at even distances.
func (a *accumulator) guess(f *field, s *sample, points []float64) {
	q, few := len(points)/f.dim, min(s.n, fewRows)
	a.few = a.few[:0]
	for i := range few {
		k := i * (s.n / few)
		a.few = append(a.few, s.x[k*f.dim:(k+1)*f.dim]...)
	}
	a.shift = resize(a.shift, q)
	if s.shrunk { // the mean is sum w k, whatever the sum of w
		clear(a.shift)
		return
	}
	a.k = resize(a.k, few)
	for j := range q {
		f.kernel(a.k, points[j*f.dim:(j+1)*f.dim], a.few)
		a.shift[j] = floats.Sum(a.k) / float64(few)
	}
}

// alone writes m_j and C_jj for each point.
func (a *accumulator) alone(mean, vary []float64, f *field, s *sample, points []float64) {
	if s.means != nil {
		a.aloneMeans(mean, vary, f, s, points)
		return
	}
	a.guess(f, s, points)
	for j := range mean {
		point, c := points[j*f.dim:(j+1)*f.dim], a.shift[j]
		sum, dots, square := 0.0, 0.0, 0.0
		for first := 0; first < s.n; first += rowBlock {
			last := min(first+rowBlock, s.n)
			a.k = resize(a.k, last-first)
			f.kernel(a.k, point, s.x[first*f.dim:last*f.dim])
			w := s.w[first:last]
			scaled(a.k, w, c)
			sum += floats.Sum(a.k)
			dots += floats.Dot(a.k, w)
			square += floats.Dot(a.k, a.k)
		}
		mean[j] = c + sum
		vary[j] = max(square-2*sum*dots+s.square*sum*sum, 0) / (1 - s.square)
	}
}

// joint writes m and the lower triangle of C, row after row without gaps.
func (a *accumulator) joint(mean, cov []float64, f *field, s *sample, points []float64) {
	if s.means != nil {
		a.jointMeans(mean, cov, f, s, points)
		return
	}
	a.guess(f, s, points)
	r := len(mean)
	a.sum, a.dots, a.gram = resize(a.sum, r), resize(a.dots, r), resize(a.gram, r*r)
	clear(a.sum)
	clear(a.dots)
	clear(a.gram)
	for first := 0; first < s.n; first += rowBlock {
		last := min(first+rowBlock, s.n)
		b, w := last-first, s.w[first:last]
		a.k = resize(a.k, r*b)
		f.kernel(a.k, points, s.x[first*f.dim:last*f.dim])
		for j := range r {
			y := a.k[j*b : (j+1)*b]
			scaled(y, w, a.shift[j])
			a.sum[j] += floats.Sum(y)
			a.dots[j] += floats.Dot(y, w)
			blas64.Gemv(blas.NoTrans, 1, blas64.General{Rows: j + 1, Cols: b, Stride: b, Data: a.k},
				vector(y), 1, vector(a.gram[j*r:j*r+j+1]))
		}
	}
	scale := 1 / (1 - s.square)
	for j := range r {
		d := a.sum[j]
		mean[j] = a.shift[j] + d
		row := cov[j*(j+1)/2 : (j+1)*(j+2)/2]
		for l := range row {
			v := a.gram[j*r+l] - a.dots[j]*a.sum[l] - d*a.dots[l] + s.square*d*a.sum[l]
			row[l] = v * scale
		}
		row[j] = max(row[j], 0)
	}
}

// scaled replaces k by w (k - c).
func scaled(k, w []float64, c float64) {
	w = w[:len(k)]
	for i, v := range k {
		k[i] = (v - c) * w[i]
	}
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// resize returns a slice of n elements, of any values, in the memory of s if there is enough.
func resize(s []float64, n int) []float64 {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]float64, n)
}
