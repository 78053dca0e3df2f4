package shrinkage

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// SpectralScores writes the scores of lambdas, all positive, into dst. For rank r and L lambdas
// TargetOnly takes O(rL), and TrueLeaveOneOut O(nrL), by products of matrices.
func (p *Problem) SpectralScores(dst, lambdas []float64, score Score) {
	if len(dst) != len(lambdas) {
		panic("shrinkage: lengths of dst and lambdas differ")
	}
	if score == TargetOnly {
		for i, l := range lambdas {
			dst[i], _ = p.targetOnly(l)
		}
		return
	}
	for i := 0; i < len(lambdas); i += 32 {
		j := min(i+32, len(lambdas))
		p.leaveOneOut(dst[i:j], nil, lambdas[i:j])
	}
}

// scoreSlope is a score and its derivative in log lambda.
func (p *Problem) scoreSlope(lambda float64, score Score) (value, slope float64) {
	if score == TargetOnly {
		return p.targetOnly(lambda)
	}
	var v, s [1]float64
	p.leaveOneOut(v[:], s[:], []float64{lambda})
	return v[0], s[0]
}

// targetOnly is theorem 4 in the eigenvectors of K, with f = d/(d+lambda),
//
//	1/n sum_k d_k (1 + o_k² (f_k² - 2 f_k)/n)/(1 - f_k/n)²,
//
// and its derivative in log lambda, of which that of f is -f (1-f).
func (p *Problem) targetOnly(lambda float64) (value, slope float64) {
	n := float64(p.n)
	for k, d := range p.d {
		f := d / (d + lambda)
		df := -f * lambda / (d + lambda)
		o2 := p.o[k] * p.o[k] / n
		top, low := 1+o2*(f*f-2*f), 1-f/n
		value += d * top / (low * low)
		slope += d * df * (o2*(2*f-2) + 2*top/(n*low)) / (low * low)
	}
	return value / n, slope / n
}

// leaveOneOut is the score in which row i leaves the basis too. Let w = lambda/(d+lambda) be the
// eigenvalues of P = lambda (K + lambda I)^-1, and
//
//	p = P1,   q_i = p_i/P_ii,   A_i = 1'p - q_i p_i,   B_i = p'p - 2 q_i (Pp)_i + q_i² (P²)_ii.
//
// Leaving out row and column i of K is a change of rank two, and with r = K1, S = 1'K1
//
//	score_i = K_ii - 2 (r_i - K_ii - lambda (1-q_i))/(n-1)
//	          + (S - 2 r_i + K_ii - 2 lambda (n-1-A_i) + lambda (A_i-B_i))/(n-1)².
//
// It writes the means of these, and of their derivatives in log lambda if slopes is not nil: that
// of w is w (1-w).
func (p *Problem) leaveOneOut(values, slopes, lambdas []float64) {
	count := len(lambdas)
	each := 2 // columns for each lambda: of w and w², and of their derivatives
	if slopes != nil {
		each = 4
	}
	width := each * count
	squares := make([]float64, p.rank*width) // multiply the squares of the eigenvectors
	plain := make([]float64, p.rank*width)   // multiply the eigenvectors
	sums := make([]float64, width)           // 1'p, p'p and their derivatives
	for k, d := range p.d {
		for j, l := range lambdas {
			w := l / (d + l)
			dw := w * d / (d + l)
			cell := k*width + each*j
			squares[cell], squares[cell+1] = w, w*w
			if slopes != nil {
				squares[cell+2], squares[cell+3] = dw, 2*w*dw
			}
		}
		for c, v := range squares[k*width : (k+1)*width] {
			plain[k*width+c] = v * p.o[k]
			sums[c] += v * p.o[k] * p.o[k]
		}
	}
	base := floats.Sum(p.null)
	for j := range lambdas {
		sums[each*j] += base
		sums[each*j+1] += base
	}
	clear(values)
	clear(slopes)
	block := min(256, p.n)
	u2 := make([]float64, block*p.rank)
	diag, vec := make([]float64, block*width), make([]float64, block*width)
	for from := 0; from < p.n; from += block {
		m := min(block, p.n-from)
		u := p.u[from*p.rank : (from+m)*p.rank]
		for i, v := range u {
			u2[i] = v * v
		}
		product(diag, u2[:len(u)], squares, m, p.rank, width)
		product(vec, u, plain, m, p.rank, width)
		for i := range m {
			for j, l := range lambdas {
				cell := each * j
				v, s := p.leaveOut(from+i, l, sums[cell:cell+each],
					diag[i*width+cell:][:each], vec[i*width+cell:][:each])
				values[j] += v
				if slopes != nil {
					slopes[j] += s
				}
			}
		}
	}
	floats.Scale(1/float64(p.n), values)
	floats.Scale(1/float64(p.n), slopes)
}

// leaveOut is the score of row i and its derivative in log lambda, if there is what that takes.
func (p *Problem) leaveOut(i int, l float64, sums, diag, vec []float64) (value, slope float64) {
	pii, p2, pi, pp := diag[0], diag[1], vec[0], vec[1]
	if p.rest != nil { // w = 1 for all eigenvalues of zero
		pii, p2, pi, pp = pii+p.rest[i], p2+p.rest[i], pi+p.null[i], pp+p.null[i]
	}
	n1 := float64(p.n - 1)
	q := pi / pii
	a := sums[0] - q*pi
	b := sums[1] - 2*q*pp + q*q*p2
	r, kii := p.sums[i], p.diag[i]
	s := p.rho * float64(p.n) * float64(p.n)
	value = kii - 2*(r-kii-l*(1-q))/n1 + (s-2*r+kii-2*l*(n1-a)+l*(a-b))/(n1*n1)
	if len(sums) == 2 {
		return value, 0
	}
	dpii, dp2, dpi, dpp := diag[2], diag[3], vec[2], vec[3]
	dq := (dpi - q*dpii) / pii
	da := sums[2] - dq*pi - q*dpi
	db := sums[3] - 2*(dq*pp+q*dpp) + 2*q*dq*p2 + q*q*dp2
	slope = 2*l*(1-q-dq)/n1 + (-2*l*(n1-a-da)+l*(a-b+da-db))/(n1*n1)
	return value, slope
}

// product writes the product of a, m x r, and b, r x c, into dst.
func product(dst, a, b []float64, m, r, c int) {
	if r == 0 {
		clear(dst[:m*c])
		return
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1,
		blas64.General{Rows: m, Cols: r, Stride: r, Data: a},
		blas64.General{Rows: r, Cols: c, Stride: c, Data: b}, 0,
		blas64.General{Rows: m, Cols: c, Stride: c, Data: dst})
}
