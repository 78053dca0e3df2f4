package record

import (
	"math"

	"bayeskernel/engine"
)

// density of a distribution whose signature begins with pmf or pdf.
type jointEntry struct {
	signature string
	call      func(c *run, a []Value) Real
}

func (e jointEntry) name() string { return entry{signature: e.signature}.name() }

// jointEntries are the less common densities of vectors, matrices and counts.
func jointEntries() []jointEntry {
	return []jointEntry{
		{"pmf binomial_logit_glm(array[] int, ints, matrix, real|vector, vector)", func(c *run, a []Value) Real {
			return c.family(families["binomial_logit"], engine.Whole, []Value{a[0], a[1], c.linear(a[2], a[3], a[4])})
		}},
		{"pmf ordered_logistic_glm(array[] int, matrix, vector, vector)", func(c *run, a []Value) Real {
			eta := c.t.operate("*", a[1], a[2])
			return c.orderedLogistic([]Value{a[0], eta, a[3]})
		}},
		{"pdf multi_student_t_cholesky(vectors, real, vectors, matrix)", func(c *run, a []Value) Real {
			return c.studentOf(real(a[1]), a[0], a[2], a[3].(*Matrix))
		}},
		{"pdf multi_gp(matrix, matrix, vector)", func(c *run, a []Value) Real {
			return c.multiGP(a[0].(*Matrix), c.t.cholesky(a[1].(*Matrix)), scalars(a[2]))
		}},
		{"pdf multi_gp_cholesky(matrix, matrix, vector)", func(c *run, a []Value) Real {
			return c.multiGP(a[0].(*Matrix), a[1].(*Matrix), scalars(a[2]))
		}},
		{"pmf dirichlet_multinomial(array[] int, vector)", (*run).dirichletMultinomial},
		{"pmf beta_neg_binomial(ints, reals, reals, reals)", func(c *run, a []Value) Real {
			n := 1
			lists := make([][]Real, len(a))
			for k, v := range a {
				if lists[k] = scalars(v); !isScalar(v) {
					n = len(lists[k])
				}
			}
			at := func(k, i int) Real { return lists[k][min(i, len(lists[k])-1)] }
			var terms []Real
			for i := range n {
				terms = append(terms, c.betaNegBinomial(at(0, i).V, at(1, i), at(2, i), at(3, i)))
			}
			return c.t.sum(terms)
		}},
		{"pmf poisson_binomial(ints, vector|array[] vector)", (*run).poissonBinomial},
		{"pdf wishart_cholesky(matrix, real, matrix)", func(c *run, a []Value) Real {
			return c.wishartOf(a, false)
		}},
		{"pdf inv_wishart_cholesky(matrix, real, matrix)", func(c *run, a []Value) Real {
			return c.wishartOf(a, true)
		}},
		{"pdf gaussian_dlm_obs(matrix, matrix, matrix, matrix|vector, matrix, vector, matrix)", (*run).dynamicLinear},
		{"pdf wiener(reals, reals, reals, reals, reals)", (*run).wiener},
		{"pdf lkj_cov(matrix, vector, vector, real)", func(c *run, a []Value) Real {
			m := a[0].(*Matrix)
			sd := c.t.mappedReals(diagOf(m), func(x Real) Real { return c.t.unary(unaryOps["sqrt"], x) })
			r := newMatrix(m.R, m.R)
			for i := range m.R {
				for j := range m.R {
					r.set(i, j, c.t.div(m.at(i, j), c.t.mul(sd[i], sd[j])))
					if i == j {
						r.set(i, j, constant(1))
					}
				}
			}
			return c.t.add(c.family(families["lognormal"], engine.Whole, []Value{Vector(sd), a[1], a[2]}),
				c.lkjCorr([]Value{r, a[3]}))
		}},
	}
}

// studentOf is the density of Student's distribution of vectors, whose scale matrix is L L'.
func (c *run) studentOf(nu Real, y, mu Value, l *Matrix) Real {
	z := c.residuals(y, mu, l)
	lg, d := unaryOps["lgamma"], float64(l.R)
	half := c.t.mul(constant(0.5), c.t.add(nu, constant(d)))
	var terms []Real
	for j := range z.C {
		col := z.col(j)
		q := c.t.div(c.t.dot(col, col), nu)
		terms = append(terms, c.t.neg(c.t.mul(half, c.t.unary(unaryOps["log1p"], q))))
	}
	one := c.t.sum([]Real{c.t.unary(lg, half), c.t.neg(c.t.unary(lg, c.t.mul(constant(0.5), nu))),
		c.t.mul(constant(-d/2), c.t.log(c.t.mul(nu, constant(math.Pi)))), c.t.neg(c.t.logDiagonal(l))})
	terms = append(terms, c.t.mul(constant(float64(z.C)), one))
	return c.t.sum(terms)
}

// multiGP has rows that are normal with mean 0 and covariance L L'/w, each with its own w.
func (c *run) multiGP(y, l *Matrix, w []Real) Real {
	if y.C != l.R || len(w) != y.R {
		panic(faultf("multi_gp: values of %d by %d, a covariance of %d by %d and %d weights", y.R, y.C, l.R, l.C, len(w)))
	}
	z := c.t.lowerSolve(l, y.transpose()) // a column for each row of y
	terms := []Real{constant(-0.5 * math.Log(2*math.Pi) * float64(y.R*y.C)),
		c.t.mul(constant(-float64(y.R)), c.t.logDiagonal(l))}
	for i, v := range w {
		if !c.t.positive(v) {
			panic(rejectf("multi_gp: a weight is %v, want a positive number", v.V))
		}
		col := z.col(i)
		terms = append(terms, c.t.mul(constant(float64(y.C)/2), c.t.log(v)),
			c.t.mul(constant(-0.5), c.t.mul(v, c.t.dot(col, col))))
	}
	return c.t.sum(terms)
}

func (c *run) dirichletMultinomial(args []Value) Real {
	want(args, 2)
	ks, alpha := wholes(args[0]), scalars(args[1])
	if len(ks) != len(alpha) {
		panic(faultf("dirichlet_multinomial: %d counts and %d concentrations", len(ks), len(alpha)))
	}
	lg := func(x Real) Real { return c.t.unary(unaryOps["lgamma"], x) }
	total, n := c.t.sum(alpha), 0
	var terms []Real
	for i, k := range ks {
		if k < 0 || !c.t.positive(alpha[i]) {
			panic(rejectf("dirichlet_multinomial: a count is %d and its concentration %v", k, alpha[i].V))
		}
		n += k
		if k > 0 {
			terms = append(terms, lg(c.t.add(alpha[i], constant(float64(k)))), c.t.neg(lg(alpha[i])),
				constant(-lgamma(float64(k)+1)))
		}
	}
	if n == 0 {
		return constant(0)
	}
	return c.t.sum(append(terms, constant(lgamma(float64(n)+1)), lg(total), c.t.neg(lg(c.t.add(total, constant(float64(n)))))))
}

// betaNegBinomial is the log probability of n where the probability of a negative binomial is beta:
// B(n + r, a + b)/B(r, a) Gamma(n + b)/(n! Gamma(b)).
func (c *run) betaNegBinomial(n float64, r, a, b Real) Real {
	if n < 0 || !c.t.positive(r) || !c.t.positive(a) || !c.t.positive(b) {
		panic(rejectf("beta_neg_binomial: the count is %v and the parameters %v, %v and %v, want positive ones", n, r.V, a.V, b.V))
	}
	lb := binaryOps["lbeta"]
	nr := c.t.add(r, constant(n))
	return c.t.sum([]Real{c.t.binary(lb, nr, c.t.add(a, b)), c.t.neg(c.t.binary(lb, r, a)),
		c.t.unary(unaryOps["lgamma"], c.t.add(b, constant(n))), c.t.neg(c.t.unary(unaryOps["lgamma"], b)),
		constant(-lgamma(n + 1))})
}

// poissonBinomial is the log probability of a number of successes in trials with probabilities of their own,
// added trial by trial.
func (c *run) poissonBinomial(args []Value) Real {
	want(args, 2)
	ys, thetas := wholes(args[0]), items(args[1])
	if len(ys) == 0 || len(thetas) == 0 {
		return constant(0)
	}
	var terms []Real
	for i := range max(len(ys), len(thetas)) {
		y, theta := ys[i%len(ys)], thetas[i%len(thetas)]
		if y < 0 || y > len(theta) {
			panic(rejectf("poisson_binomial: %d successes in %d trials", y, len(theta)))
		}
		p := []Real{constant(1)}
		for _, q := range theta {
			if !c.t.between(q, 0, 1) {
				panic(rejectf("poisson_binomial: a probability is %v", q.V))
			}
			no := c.t.sub(constant(1), q)
			next := make([]Real, min(len(p)+1, y+1))
			for k := range next {
				var s []Real
				if k < len(p) {
					s = append(s, c.t.mul(p[k], no))
				}
				if k > 0 {
					s = append(s, c.t.mul(p[k-1], q))
				}
				next[k] = c.t.sum(s)
			}
			p = next
		}
		terms = append(terms, c.t.log(p[y]))
	}
	return c.t.sum(terms)
}

// wishartOf is the density of the Cholesky factor of a matrix with a Wishart distribution, or its inverse;
// the scale is a Cholesky factor as well. The Jacobian of L L' is 2^p times the product of L[i,i]^(p-i+1).
func (c *run) wishartOf(a []Value, inverse bool) Real {
	l, nu, s := a[0].(*Matrix), real(a[1]), a[2].(*Matrix)
	p := float64(l.R)
	c.degrees(nu, l.R)
	z := c.t.lowerSolve(s, l)
	logs, det := c.t.logDiagonal(l), c.t.neg(c.t.mul(nu, c.t.logDiagonal(s)))
	power := c.t.sub(nu, constant(p+1))
	if inverse {
		z = c.t.lowerSolve(l, s)
		det = c.t.neg(det)
		power = c.t.neg(c.t.add(nu, constant(p+1)))
	}
	terms := []Real{c.t.mul(power, logs), c.t.mul(constant(-0.5), c.t.dot(z.X, z.X)),
		c.t.mul(c.t.mul(constant(0.5), nu), constant(-p*math.Ln2)), det, c.t.neg(c.multiGamma(nu, l.R)), constant(p * math.Ln2)}
	for i := range l.R {
		terms = append(terms, c.t.mul(constant(p-float64(i)), c.t.log(l.at(i, i))))
	}
	return c.t.sum(terms)
}

// dynamicLinear filters observations y, a column a time, of a linear state: y = F'theta + v, and theta = G theta + w
// with covariances V and W, from mean m0 and covariance C0.
func (c *run) dynamicLinear(a []Value) Real {
	want(a, 7)
	y, f, g, w := a[0].(*Matrix), a[1].(*Matrix), a[2].(*Matrix), a[4].(*Matrix)
	v, ok := a[3].(*Matrix)
	if !ok {
		v = diagonal(scalars(a[3]))
	}
	m, cov := &Matrix{len(scalars(a[5])), 1, scalars(a[5])}, a[6].(*Matrix)
	t := c.t
	plus := func(x, y *Matrix) *Matrix { return t.each("+", x, y).(*Matrix) }
	minus := func(x, y *Matrix) *Matrix { return t.each("-", x, y).(*Matrix) }
	terms := []Real{constant(-0.5 * math.Log(2*math.Pi) * float64(y.R*y.C))}
	for i := range y.C {
		m = t.product(g, m)
		r := plus(t.product(t.product(g, cov), g.transpose()), w)
		ahead := t.product(r, f)
		q := plus(t.product(f.transpose(), ahead), v)
		for i := range q.R { // it is symmetric but for rounding
			for j := range i {
				q.set(j, i, q.at(i, j))
			}
		}
		l := t.cholesky(q)
		e := minus(&Matrix{y.R, 1, y.col(i)}, t.product(f.transpose(), m))
		z := t.lowerSolve(l, e)
		terms = append(terms, t.mul(constant(-0.5), t.dot(z.X, z.X)), t.neg(t.logDiagonal(l)))
		k := t.solve(q, ahead.transpose()).transpose()
		m = plus(m, t.product(k, e))
		cov = minus(r, t.product(k, ahead.transpose()))
		for i := range cov.R {
			for j := range i {
				cov.set(j, i, cov.at(i, j))
			}
		}
	}
	return t.sum(terms)
}

// wiener is the density of the first passage at the upper boundary: of the time, after the distance of the
// boundaries, the time without decision, the start between the boundaries, and the drift.
func (c *run) wiener(a []Value) Real {
	n := 1
	lists := make([][]Real, len(a))
	for k, v := range a {
		if lists[k] = scalars(v); !isScalar(v) {
			n = len(lists[k])
		}
	}
	var terms []Real
	for i := range n {
		at := func(k int) Real { return lists[k][min(i, len(lists[k])-1)] }
		y, alpha, tau, beta, drift := at(0), at(1), at(2), at(3), at(4)
		if !c.t.compare(engine.Less, tau, y) || !c.t.positive(alpha) || !c.t.positive(beta) ||
			!c.t.compare(engine.Less, beta, constant(1)) || !c.t.compare(engine.LessEqual, constant(0), tau) {
			panic(rejectf("wiener: the time is %v, the boundaries %v, the time without decision %v and the start %v", y.V, alpha.V, tau.V, beta.V))
		}
		// With w = 1 - beta and the drift turned around this is the passage at 0.
		w, v, x := c.t.sub(constant(1), beta), c.t.neg(drift), c.t.sub(y, tau)
		s := c.t.div(x, c.t.square(alpha))
		series := c.t.custom(1, []Real{s, w}, wienerSeries)[0]
		terms = append(terms, series, c.t.neg(c.t.mul(c.t.mul(v, alpha), w)),
			c.t.mul(constant(-0.5), c.t.mul(c.t.square(v), x)), c.t.mul(constant(-2), c.t.log(alpha)))
	}
	return c.t.sum(terms)
}

// wienerSeries is the log of the density of the time s of passage at 0 without drift, from w between 0 and 1:
// the sum of (w + 2k) exp(-(w + 2k)²/(2s))/sqrt(2 pi s³) over whole numbers k, or, for large s, pi times the
// sum of k exp(-k² pi² s/2) sin(k pi w) over positive ones.
func wienerSeries(in, out, jac []float64) {
	s, w := in[0], in[1]
	f, ds, dw := 0.0, 0.0, 0.0
	if s < 0.3 {
		// The largest term is that of k = 0: the others are taken relative to it.
		for k := -12; k <= 12; k++ {
			b := w + 2*float64(k)
			e := math.Exp((w*w - b*b) / (2 * s))
			f += b * e
			ds += b * e * (b*b - w*w) / (2 * s * s)
			dw += e * (1 + b*(w-b)/s)
		}
		out[0] = math.Log(f) - w*w/(2*s) - 0.5*math.Log(2*math.Pi*s*s*s)
		if jac != nil {
			jac[0] = ds/f + w*w/(2*s*s) - 1.5/s
			jac[1] = dw/f - w/s
		}
		return
	}
	const h = math.Pi * math.Pi / 2
	for k := 1.0; k <= 12; k++ {
		e := math.Exp(-(k*k - 1) * h * s)
		sin, cos := math.Sincos(k * math.Pi * w)
		f += k * e * sin
		ds -= k * e * sin * (k*k - 1) * h
		dw += k * e * k * math.Pi * cos
	}
	out[0] = math.Log(math.Pi) + math.Log(f) - h*s
	if jac != nil {
		jac[0] = ds/f - h
		jac[1] = dw / f
	}
}
