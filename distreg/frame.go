package distreg

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// frame holds the coordinates in which the covariance within bags is the identity and that between
// bags is diagonal. With C = LL' and B the covariance between bags (or the kernel's r),
//
//	inv(L) B inv(L)' = U diag(lambda) U',   W = LU,   C = WW',   B = W diag(lambda) W'.
//
// An embedding is inv(W) times what it is at the landmarks, and a covariance inv(W) . inv(W)'.
//
// Derivatives in log theta are taken in the frame of one theta, held fixed: C then has the derivative
// dC, and R = eta (r + …) the derivative eta dR.
type frame struct {
	inverse *mat.Dense // inv(W)
	lambda  []float64  // as estimated, ascending
	r       []float64  // raised to the floor: R is eta diag(r)
	z       *mat.Dense // inv(L_P) W, with P = L_P L_P': beta'm is a product of features z m
	pi      *mat.Dense // z'z = W' inv(P) W
	rho     *mat.Dense // the kernel's own r
	m0      []float64

	dm0          []float64
	dc, dr, drho *mat.Dense
	dp           *mat.Dense // inv(L_P) dP inv(L_P)'
}

// embedded is a bag in a frame.
type embedded struct {
	n                 float64
	mean, dMean       []float64
	scatter, dScatter *mat.Dense
	// overlap is pi times the scatter, element by element.
	overlap *mat.Dense
}

// prepared are all bags at one theta.
type prepared struct {
	theta      float64
	derivative bool
	frame      *frame
	bags       []*embedded
}

// prepare sums the rows at theta, or returns what the last call did.
func (m *Model) prepare(theta float64, derivative bool) (*prepared, error) {
	m.last.Lock()
	defer m.last.Unlock()
	if p := m.prepared; p != nil && p.theta == theta && (p.derivative || !derivative) {
		return p, nil
	}
	all := make([]*sums, len(m.bags))
	for i, x := range m.bags {
		all[i] = m.sum(x, theta, derivative)
	}
	p, err := m.place(all, theta, derivative)
	if err != nil {
		return nil, err
	}
	m.prepared = p
	return p, nil
}

// place makes the frame of these sums, and puts them into it.
func (m *Model) place(all []*sums, theta float64, derivative bool) (*prepared, error) {
	f, err := m.frame(all, theta, derivative)
	if err != nil {
		return nil, err
	}
	p := &prepared{theta: theta, derivative: derivative, frame: f, bags: make([]*embedded, len(all))}
	for i, s := range all {
		p.bags[i] = f.embed(s)
	}
	return p, nil
}

func (m *Model) frame(all []*sums, theta float64, derivative bool) (*frame, error) {
	f := &frame{m0: make([]float64, m.m)}
	k, dk, rho, drho := m.grams(theta)
	c, dc := mat.NewDense(m.m, m.m, nil), mat.NewDense(m.m, m.m, nil)
	if derivative {
		f.dm0 = make([]float64, m.m)
	}
	for i, s := range all {
		floats.AddScaled(f.m0, m.w[i], s.mean)
		if derivative {
			floats.AddScaled(f.dm0, m.w[i], s.dMean)
		}
		if s.scatter != nil {
			c.Add(c, s.scatter)
			if derivative {
				dc.Add(dc, s.dScatter)
			}
		}
	}
	for _, x := range []*mat.Dense{c, dc} {
		x.Scale(1/m.leastRows, x)
		jitter := m.form.Jitter * mat.Trace(x) / float64(m.m)
		for l := range m.m {
			x.Set(l, l, x.At(l, l)+jitter)
		}
	}
	b, db := rho, drho
	if m.form.R == "between" {
		b, db = m.between(all, f, c, dc, derivative)
	}

	var chol mat.Cholesky
	if !chol.Factorize(symmetric(c)) {
		return nil, fmt.Errorf("distreg: at theta %v the covariance of the features within bags is singular; fewer landmarks, or a Form.Jitter such as 0.001, would help", theta)
	}
	lower := new(mat.TriDense)
	chol.LTo(lower)
	half := new(mat.TriDense)
	if err := half.InverseTri(lower); err != nil {
		if _, bad := err.(mat.Condition); !bad {
			return nil, fmt.Errorf("distreg: at theta %v the covariance of the features within bags is singular", theta)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(symmetric(congruent(half, b)), true) {
		return nil, fmt.Errorf("distreg: at theta %v the covariance of embeddings between bags has no eigenvalues", theta)
	}
	f.lambda = eigen.Values(nil)
	f.r = append([]float64(nil), f.lambda...)
	u := new(mat.Dense)
	eigen.VectorsTo(u)
	f.inverse = mat.NewDense(m.m, m.m, nil)
	f.inverse.Mul(u.T(), half)
	w := mat.NewDense(m.m, m.m, nil)
	w.Mul(lower, u)
	top := f.lambda[m.m-1]
	if m.form.R == "between" {
		for l := range f.r {
			f.r[l] = max(f.r[l], m.form.Floor*top, 0)
		}
	}

	f.z = w
	if m.form.Prior == "rkhs" {
		var cp mat.Cholesky
		if !cp.Factorize(symmetric(k)) {
			return nil, fmt.Errorf("distreg: at theta %v the Gram matrix of the landmarks is singular; prior ridge needs no inverse", theta)
		}
		lp := new(mat.TriDense)
		cp.LTo(lp)
		f.z = mat.NewDense(m.m, m.m, nil)
		if err := f.z.Solve(lp, w); err != nil {
			if _, bad := err.(mat.Condition); !bad {
				return nil, fmt.Errorf("distreg: at theta %v the Gram matrix of the landmarks is singular", theta)
			}
		}
		if derivative {
			f.dp = solved(lp, dk)
		}
	}
	f.pi = mat.NewDense(m.m, m.m, nil)
	f.pi.Mul(f.z.T(), f.z)
	f.rho = congruent(f.inverse, rho)
	f.m0 = times(f.inverse, f.m0)
	if derivative {
		f.dm0 = times(f.inverse, f.dm0)
		f.dc = congruent(f.inverse, dc)
		f.drho = congruent(f.inverse, drho)
		f.dr = f.change(congruent(f.inverse, db), m.form.R == "between", m.form.Floor)
	}
	return f, nil
}

// between estimates the covariance of true embeddings between bags: what weighted empirical
// embeddings vary by, less what their rows explain.
//
//	B = [sum w_i d_i d_i' - C sum w_i (1-w_i)/n_i] / (1 - sum w_i²),   d_i = mean_i - m0
func (m *Model) between(all []*sums, f *frame, c, dc *mat.Dense, derivative bool) (b, db *mat.Dense) {
	b, db = mat.NewDense(m.m, m.m, nil), mat.NewDense(m.m, m.m, nil)
	explained, squares := 0.0, 0.0
	d, dd := make([]float64, m.m), make([]float64, m.m)
	vector, dVector := mat.NewVecDense(m.m, d), mat.NewVecDense(m.m, dd)
	for i, s := range all {
		w := m.w[i]
		if w == 0 {
			continue
		}
		explained += w * (1 - w) / s.n
		squares += w * w
		floats.SubTo(d, s.mean, f.m0)
		b.RankOne(b, w, vector, vector)
		if derivative {
			floats.SubTo(dd, s.dMean, f.dm0)
			db.RankOne(db, w, vector, dVector)
			db.RankOne(db, w, dVector, vector)
		}
	}
	less := func(x, c *mat.Dense) {
		var y mat.Dense
		y.Scale(explained, c)
		x.Sub(x, &y)
		x.Scale(1/(1-squares), x)
	}
	less(b, c)
	less(db, dc)
	return b, db
}

// change is the derivative of R/eta in log theta, in the frame, from db, that of B. For the kernel's
// own r it is db. Otherwise R = W diag(r) W' moves with W and r: with E = inv(W) dW, E + E' = dC and
// dB = E lambda + lambda E' + dlambda, so that off the diagonal
//
//	dR_ij = r_i dC_ij + (r_j - r_i)/(lambda_j - lambda_i) (dB_ij - lambda_i dC_ij).
//
// The quotient is 1 where neither eigenvalue is raised, and 0 where both are.
func (f *frame) change(db *mat.Dense, between bool, floor float64) *mat.Dense {
	if !between {
		return db
	}
	m := len(f.r)
	raised := func(l int) bool { return f.r[l] != f.lambda[l] }
	dLambda := func(l int) float64 { return db.At(l, l) - f.lambda[l]*f.dc.At(l, l) }
	out := mat.NewDense(m, m, nil)
	for i := range m {
		for j := range m {
			var v float64
			switch {
			case i == j && !raised(i):
				v = db.At(i, i)
			case i == j && f.r[i] > 0:
				v = f.r[i]*f.dc.At(i, i) + floor*dLambda(m-1)
			case i == j:
				v = 0
			case !raised(i) && !raised(j):
				v = db.At(i, j)
			case raised(i) && raised(j):
				v = f.r[i] * f.dc.At(i, j)
			default:
				share := (f.r[j] - f.r[i]) / (f.lambda[j] - f.lambda[i])
				v = f.r[i]*f.dc.At(i, j) + share*(db.At(i, j)-f.lambda[i]*f.dc.At(i, j))
			}
			out.Set(i, j, v)
		}
	}
	return out
}

// embed puts the sums of a bag into the frame.
func (f *frame) embed(s *sums) *embedded {
	out := &embedded{n: s.n}
	if s.n == 0 {
		return out
	}
	out.mean = times(f.inverse, s.mean)
	if s.dMean != nil {
		out.dMean = times(f.inverse, s.dMean)
	}
	if s.scatter != nil {
		out.scatter = congruent(f.inverse, s.scatter)
		out.overlap = new(mat.Dense)
		out.overlap.MulElem(out.scatter, f.pi)
		if s.dScatter != nil {
			out.dScatter = congruent(f.inverse, s.dScatter)
		}
	}
	return out
}

func times(a mat.Matrix, x []float64) []float64 {
	r, _ := a.Dims()
	out := make([]float64, r)
	mat.NewVecDense(r, out).MulVec(a, mat.NewVecDense(len(x), x))
	return out
}

// congruent is a x a'.
func congruent(a, x mat.Matrix) *mat.Dense {
	var ax, out mat.Dense
	ax.Mul(a, x)
	out.Mul(&ax, a.T())
	return &out
}

// solved is inv(L) x inv(L)'.
func solved(l *mat.TriDense, x *mat.Dense) *mat.Dense {
	var half, out mat.Dense
	// Condition errors are warnings: the Cholesky factor exists.
	_ = half.Solve(l, x)
	_ = out.Solve(l, half.T())
	return &out
}

func symmetric(x mat.Matrix) *mat.SymDense {
	n, _ := x.Dims()
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, (x.At(i, j)+x.At(j, i))/2)
		}
	}
	return out
}
