package record

import (
	"math"

	"bayeskernel/engine"
)

// joints are the densities of vectors, matrices and categories by their names; arguments are checked by
// their use.
var joints = jointTable()

func jointTable() map[string]func(c *run, args []Value) Real {
	table := map[string]func(c *run, args []Value) Real{
		"categorical":            categorical(false),
		"categorical_logit":      categorical(true),
		"ordered_logistic":       (*run).orderedLogistic,
		"ordered_probit":         (*run).orderedProbit,
		"multinomial":            (*run).multinomial,
		"multinomial_logit":      (*run).multinomialLogit,
		"dirichlet":              (*run).dirichlet,
		"multi_normal":           multiNormal(func(c *run, m *Matrix) *Matrix { return c.t.cholesky(m) }),
		"multi_normal_cholesky":  multiNormal(func(c *run, m *Matrix) *Matrix { return m }),
		"multi_normal_prec":      (*run).multiNormalPrec,
		"multi_student_t":        (*run).multiStudentT,
		"lkj_corr":               (*run).lkjCorr,
		"lkj_corr_cholesky":      (*run).lkjCholesky,
		"wishart":                (*run).wishart,
		"inv_wishart":            (*run).invWishart,
		"discrete_range":         (*run).discreteRange,
		"hypergeometric":         (*run).hypergeometric,
		"bernoulli_logit_glm":    (*run).bernoulliGLM,
		"binomial_logit_glm":     (*run).binomialGLM,
		"ordered_logistic_glm":   (*run).orderedGLM,
		"poisson_log_glm":        (*run).poissonGLM,
		"neg_binomial_2_log_glm": (*run).negBinomialGLM,
		"normal_id_glm":          (*run).normalGLM,
		"categorical_logit_glm":  (*run).categoricalGLM,
	}
	for _, e := range jointEntries() {
		table[e.name()] = e.call
	}
	return table
}

// wholes are the whole numbers of a value.
func wholes(v Value) []int {
	switch v := v.(type) {
	case int:
		return []int{v}
	case Ints:
		return v
	case Array:
		var out []int
		for _, e := range v {
			out = append(out, wholes(e)...)
		}
		return out
	case Reals:
		if len(v) == 0 {
			return nil
		}
	}
	panic(faultf("found %s, want whole numbers", typeName(v)))
}

// items are the elements of an array of vectors, or the one vector.
func items(v Value) [][]Real {
	if a, ok := v.(Array); ok {
		var out [][]Real
		for _, e := range a {
			out = append(out, scalars(e))
		}
		return out
	}
	return [][]Real{scalars(v)}
}

func (t *Tape) logSumExp(x []Real) Real {
	switch len(x) {
	case 0:
		return constant(math.Inf(-1))
	case 1:
		return x[0]
	}
	if fixed(x) {
		out := constant(math.Inf(-1))
		for _, v := range x {
			out = constant(logSumExp(out.V, v.V))
		}
		return out
	}
	return t.list(engine.LogSumOf, 0, x, false)
}

func categorical(logit bool) func(c *run, args []Value) Real {
	return func(c *run, args []Value) Real {
		want(args, 2)
		p := scalars(args[1])
		var terms []Real
		norm := constant(0)
		ks := wholes(args[0])
		switch {
		case len(ks) == 0:
		case logit:
			norm = c.t.logSumExp(p)
		default:
			c.probabilities(p, "categorical")
		}
		for _, k := range ks {
			if k < 1 || k > len(p) {
				panic(rejectf("categorical: the value %d is none of 1 to %d", k, len(p)))
			}
			if logit {
				terms = append(terms, c.t.sub(p[k-1], norm))
			} else {
				terms = append(terms, c.t.log(p[k-1]))
			}
		}
		return c.t.sum(terms)
	}
}

func want(args []Value, n int) {
	if len(args) != n {
		panic(faultf("%d arguments, want %d", len(args), n))
	}
}

func (c *run) ordinal(args []Value, inner func(lo, hi *Real) Real) Real {
	want(args, 3)
	ks := wholes(args[0])
	eta := scalars(args[1])
	var terms []Real
	cuts := items(args[2])
	if len(ks) == 0 || len(eta) == 0 {
		return constant(0)
	}
	for _, cut := range cuts {
		for k := 1; k < len(cut); k++ {
			if !c.t.compare(engine.Less, cut[k-1], cut[k]) {
				panic(rejectf("cutpoint %d is %v and cutpoint %d is %v, want cutpoints that increase", k, cut[k-1].V, k+1, cut[k].V))
			}
		}
	}
	n := max(len(ks), len(eta), len(cuts))
	for _, k := range []int{len(ks), len(eta), len(cuts)} {
		if k != 1 && k != n {
			panic(faultf("%d categories, %d predictors and %d vectors of cutpoints, want as many of each, or one", len(ks), len(eta), len(cuts)))
		}
	}
	for i := range n {
		k, cut, x := ks[i%len(ks)], cuts[i%len(cuts)], eta[i%len(eta)]
		if k < 1 || k > len(cut)+1 {
			panic(rejectf("an ordered category is %d, want 1 to %d", k, len(cut)+1))
		}
		var lo, hi *Real
		if k > 1 {
			v := c.t.sub(cut[k-2], x)
			lo = &v
		}
		if k <= len(cut) {
			v := c.t.sub(cut[k-1], x)
			hi = &v
		}
		terms = append(terms, inner(lo, hi))
	}
	return c.t.sum(terms)
}

func (c *run) orderedLogistic(args []Value) Real {
	lil, l1m := unaryOps["log_inv_logit"], unaryOps["log1m_inv_logit"]
	return c.ordinal(args, func(lo, hi *Real) Real {
		switch {
		case lo == nil && hi == nil:
			return constant(0)
		case lo == nil:
			return c.t.unary(lil, *hi)
		case hi == nil:
			return c.t.unary(l1m, *lo)
		} // F(hi) (1 - F(lo)) (1 - exp(lo - hi))
		return c.t.sum([]Real{c.t.unary(lil, *hi), c.t.unary(l1m, *lo),
			c.t.unary(unaryOps["log1m_exp"], c.t.sub(*lo, *hi))})
	})
}

func (c *run) orderedProbit(args []Value) Real {
	f := families["normal"]
	below := func(x Real) Real { return c.family(f, engine.Below, []Value{x, 0, 1}) }
	above := func(x Real) Real { return c.family(f, engine.Above, []Value{x, 0, 1}) }
	diff := binaryOps["log_diff_exp"]
	c.chose = true
	return c.ordinal(args, func(lo, hi *Real) Real {
		switch {
		case lo == nil && hi == nil:
			return constant(0)
		case lo == nil:
			return below(*hi)
		case hi == nil:
			return above(*lo)
		case lo.V > 0:
			return c.t.binary(diff, above(*lo), above(*hi))
		}
		return c.t.binary(diff, below(*hi), below(*lo))
	})
}

func (c *run) multinomial(args []Value) Real {
	want(args, 2)
	p := scalars(args[1])
	c.probabilities(p, "multinomial")
	return c.counts(wholes(args[0]), c.t.mappedReals(p, c.t.log))
}

func (c *run) multinomialLogit(args []Value) Real {
	want(args, 2)
	x := scalars(args[1])
	norm := c.t.logSumExp(x)
	return c.counts(wholes(args[0]), c.t.mappedReals(x, func(v Real) Real { return c.t.sub(v, norm) }))
}

func (t *Tape) mappedReals(x []Real, f func(Real) Real) []Real {
	out := make([]Real, len(x))
	for i, v := range x {
		out[i] = f(v)
	}
	return out
}

func (c *run) counts(ks []int, logs []Real) Real {
	n, base := 0, 0.0
	var terms []Real
	for i, k := range ks {
		if k < 0 {
			panic(rejectf("multinomial: y[%d] is %d, want at least 0", i+1, k))
		}
		n += k
		base -= lgamma(float64(k) + 1)
		if k > 0 {
			terms = append(terms, c.t.mul(constant(float64(k)), logs[i]))
		}
	}
	return c.t.add(c.t.sum(terms), constant(base+lgamma(float64(n)+1)))
}

func (c *run) dirichlet(args []Value) Real {
	want(args, 2)
	ys, as := items(args[0]), items(args[1])
	var terms []Real
	lg := unaryOps["lgamma"]
	for i := range max(len(ys), len(as)) {
		y, a := ys[i%len(ys)], as[i%len(as)]
		if len(y) != len(a) {
			panic(faultf("dirichlet: %d values and %d concentrations", len(y), len(a)))
		}
		if len(y) > 0 {
			c.probabilities(y, "dirichlet")
		}
		for k, v := range a {
			if !c.t.positive(v) {
				panic(rejectf("dirichlet: a concentration is %v, want a positive number", v.V))
			}
			terms = append(terms, c.t.neg(c.t.unary(lg, v)), c.t.mul(c.t.sub(v, constant(1)), c.t.log(y[k])))
		}
		terms = append(terms, c.t.unary(lg, c.t.sum(a)))
	}
	return c.t.sum(terms)
}

func (t *Tape) cholesky(m *Matrix) *Matrix { return t.factor(m, "Cholesky factor") }

// factor is the Cholesky factor of a matrix; name is what rejections are of.
func (t *Tape) factor(m *Matrix, name string) *Matrix {
	if m.R != m.C {
		panic(faultf("%s of a matrix of %d by %d, want a square one", name, m.R, m.C))
	}
	for i := range m.R {
		for j := range i {
			if !(math.Abs(m.at(i, j).V-m.at(j, i).V) <= 1e-8) {
				panic(rejectf("%s: the matrix is not symmetric", name))
			}
		}
	}
	rows := t.call(engine.Cholesky{N: m.R}, m.R*m.R, m.X) // the upper triangle by columns is the lower by rows
	if m.R > 0 && !(rows[len(rows)-1].V > 0) {
		panic(rejectf("%s: the matrix is not positive definite", name))
	}
	out := newMatrix(m.R, m.R)
	for i := range m.R {
		for j := range i + 1 {
			out.set(i, j, rows[i*m.R+j])
		}
	}
	return out
}

func (t *Tape) lowerSolve(l, b *Matrix) *Matrix {
	if l.R != l.C || l.R != b.R {
		panic(faultf("mdivide_left_tri_low of %d by %d and %d rows", l.R, l.C, b.R))
	}
	rows, out := l.transpose().X, &Matrix{R: b.R, C: b.C}
	for j := range b.C {
		out.X = append(out.X, t.call(engine.Solve{N: l.R}, l.R, rows, b.col(j))...)
	}
	return out
}

// logDiagonal is the sum of the logs of the diagonal.
func (t *Tape) logDiagonal(m *Matrix) Real {
	var terms []Real
	for i := range m.R {
		terms = append(terms, t.log(m.at(i, i)))
	}
	return t.sum(terms)
}

// residuals are L⁻¹ (y - mu), a column for each of the vectors.
func (c *run) residuals(y, mu Value, l *Matrix) *Matrix {
	ys, mus := items(y), items(mu)
	n := max(len(ys), len(mus))
	b := newMatrix(l.R, n)
	for j := range n {
		v, m := ys[j%len(ys)], mus[j%len(mus)]
		if len(v) != l.R || len(m) != l.R {
			panic(faultf("%d values with %d means and a matrix of %d rows", len(v), len(m), l.R))
		}
		for i := range l.R {
			b.set(i, j, c.t.sub(v[i], m[i]))
		}
	}
	return c.t.lowerSolve(l, b)
}

func multiNormal(factor func(c *run, m *Matrix) *Matrix) func(c *run, args []Value) Real {
	return func(c *run, args []Value) Real {
		want(args, 3)
		m, ok := args[2].(*Matrix)
		if !ok {
			panic(faultf("found %s, want a matrix", typeName(args[2])))
		}
		l := factor(c, m)
		z := c.residuals(args[0], args[1], l)
		return c.t.sum([]Real{c.t.mul(constant(-0.5), c.t.dot(z.X, z.X)),
			c.t.mul(constant(-float64(z.C)), c.t.logDiagonal(l)),
			constant(-0.5 * math.Log(2*math.Pi) * float64(len(z.X)))})
	}
}

func (c *run) multiNormalPrec(args []Value) Real {
	want(args, 3)
	m := args[2].(*Matrix)
	l := c.t.cholesky(m)
	ys, mus := items(args[0]), items(args[1])
	terms := []Real{}
	n := max(len(ys), len(mus))
	for j := range n {
		d := &Matrix{m.R, 1, make([]Real, m.R)}
		for i := range d.X {
			d.X[i] = c.t.sub(ys[j%len(ys)][i], mus[j%len(mus)][i])
		}
		z := c.t.product(l.transpose(), d)
		terms = append(terms, c.t.mul(constant(-0.5), c.t.dot(z.X, z.X)))
	}
	terms = append(terms, c.t.mul(constant(float64(n)), c.t.logDiagonal(l)),
		constant(-0.5*math.Log(2*math.Pi)*float64(n*m.R)))
	return c.t.sum(terms)
}

func (c *run) multiStudentT(args []Value) Real {
	want(args, 4)
	nu, m := real(args[1]), args[3].(*Matrix)
	return c.studentOf(nu, args[0], args[2], c.t.cholesky(m))
}

// lkjNorm is the log of the constant of the LKJ distribution of K by K matrices: with beta functions,
// the sum over k from 1 to K-1 of (2 eta - 2 + K - k)(K - k) log 2 + (K - k) log B(b, b), where
// b = eta + (K - k - 1)/2.
func (c *run) lkjNorm(eta Real, k int) Real {
	var terms []Real
	for i := 1; i < k; i++ {
		d := float64(k - i)
		b := c.t.add(eta, constant((d-1)/2))
		terms = append(terms, c.t.mul(constant(d*math.Ln2), c.t.add(c.t.mul(constant(2), eta), constant(d-2))),
			c.t.mul(constant(d), c.t.binary(binaryOps["lbeta"], b, b)))
	}
	return c.t.sum(terms)
}

func (c *run) lkjCorr(args []Value) Real {
	want(args, 2)
	m, eta := args[0].(*Matrix), real(args[1])
	for i, x := range diagOf(m) {
		if !c.near(x, 1) {
			panic(rejectf("lkj_corr: y[%d, %d] is %v, want 1: a correlation matrix", i+1, i+1, x.V))
		}
	}
	l := c.t.cholesky(m)
	lp := c.t.mul(c.t.mul(constant(2), c.t.logDiagonal(l)), c.t.sub(eta, constant(1)))
	return c.t.sub(lp, c.lkjNorm(eta, m.R))
}

func (c *run) lkjCholesky(args []Value) Real {
	want(args, 2)
	l, eta := args[0].(*Matrix), real(args[1])
	var terms []Real
	for j := range l.C {
		for i := range j {
			if x := l.at(i, j); !c.t.compare(engine.Equal, x, constant(0)) {
				panic(rejectf("lkj_corr_cholesky: L[%d, %d] is %v, want 0: a lower triangle", i+1, j+1, x.V))
			}
		}
	}
	for i := 1; i < l.R; i++ {
		w := c.t.add(c.t.mul(constant(2), eta), constant(float64(l.R-i-1)-2))
		terms = append(terms, c.t.mul(w, c.t.log(l.at(i, i))))
	}
	return c.t.sub(c.t.sum(terms), c.lkjNorm(eta, l.R))
}

// multiGamma is the log of the multivariate gamma function at x/2.
func (c *run) multiGamma(x Real, p int) Real {
	terms := []Real{constant(float64(p*(p-1)) / 4 * math.Log(math.Pi))}
	for j := range p {
		terms = append(terms, c.t.unary(unaryOps["lgamma"], c.t.mul(constant(0.5), c.t.sub(x, constant(float64(j))))))
	}
	return c.t.sum(terms)
}

// degrees rejects degrees of freedom that a Wishart distribution of p by p matrices, or its inverse, does not have.
func (c *run) degrees(nu Real, p int) {
	if !c.t.compare(engine.Less, constant(float64(p-1)), nu) {
		panic(rejectf("the degrees of freedom are %v, want more than %d for matrices of %d by %d", nu.V, p-1, p, p))
	}
}

func (c *run) wishart(args []Value) Real {
	want(args, 3)
	w, nu, s := args[0].(*Matrix), real(args[1]), args[2].(*Matrix)
	p := float64(w.R)
	c.degrees(nu, w.R)
	lw, ls := c.t.cholesky(w), c.t.cholesky(s)
	z := c.t.lowerSolve(ls, lw) // trace of S⁻¹ W is the sum of squares
	half := c.t.mul(constant(0.5), nu)
	return c.t.sum([]Real{
		c.t.mul(c.t.sub(nu, constant(p+1)), c.t.logDiagonal(lw)),
		c.t.mul(constant(-0.5), c.t.dot(z.X, z.X)),
		c.t.mul(half, constant(-p*math.Ln2)),
		c.t.neg(c.t.mul(nu, c.t.logDiagonal(ls))),
		c.t.neg(c.multiGamma(nu, w.R))})
}

func (c *run) invWishart(args []Value) Real {
	want(args, 3)
	w, nu, s := args[0].(*Matrix), real(args[1]), args[2].(*Matrix)
	p := float64(w.R)
	c.degrees(nu, w.R)
	lw, ls := c.t.cholesky(w), c.t.cholesky(s)
	z := c.t.lowerSolve(lw, ls)
	half := c.t.mul(constant(0.5), nu)
	return c.t.sum([]Real{
		c.t.neg(c.t.mul(c.t.add(nu, constant(p+1)), c.t.logDiagonal(lw))),
		c.t.mul(constant(-0.5), c.t.dot(z.X, z.X)),
		c.t.mul(half, constant(-p*math.Ln2)),
		c.t.mul(nu, c.t.logDiagonal(ls)),
		c.t.neg(c.multiGamma(nu, w.R))})
}

func (c *run) discreteRange(args []Value) Real {
	want(args, 3)
	ys, los, his := wholes(args[0]), wholes(args[1]), wholes(args[2])
	lp := 0.0
	for i, y := range ys {
		lo, hi := los[i%len(los)], his[i%len(his)]
		if y < lo || y > hi {
			return constant(math.Inf(-1))
		}
		lp -= math.Log(float64(hi - lo + 1))
	}
	return constant(lp)
}

func (c *run) hypergeometric(args []Value) Real {
	want(args, 4)
	lp := 0.0
	for i, k := range wholes(args[0]) {
		at := func(v Value) float64 { w := wholes(v); return float64(w[i%len(w)]) }
		n, a, b := at(args[1]), at(args[2]), at(args[3])
		lp += logChoose(a, float64(k)) + logChoose(b, n-float64(k)) - logChoose(a+b, n)
	}
	return constant(lp)
}

// linear is alpha + x beta.
func (c *run) linear(x, alpha, beta Value) Value {
	return c.t.operate("+", c.t.operate("*", x, beta), asVector(alpha))
}

func asVector(v Value) Value {
	if r, ok := v.(Reals); ok {
		return Vector(r)
	}
	return v
}

func (c *run) bernoulliGLM(args []Value) Real {
	want(args, 4)
	return c.family(families["bernoulli_logit"], engine.Whole, []Value{args[0], c.linear(args[1], args[2], args[3])})
}

func (c *run) binomialGLM(args []Value) Real {
	want(args, 5)
	return c.family(families["binomial_logit"], engine.Whole, []Value{args[0], args[1], c.linear(args[2], args[3], args[4])})
}

func (c *run) orderedGLM(args []Value) Real {
	want(args, 4)
	return c.orderedLogistic([]Value{args[0], c.t.operate("*", args[1], args[2]), args[3]})
}

func (c *run) poissonGLM(args []Value) Real {
	want(args, 4)
	return c.family(families["poisson_log"], engine.Whole, []Value{args[0], c.linear(args[1], args[2], args[3])})
}

func (c *run) negBinomialGLM(args []Value) Real {
	want(args, 5)
	return c.family(families["neg_binomial_2_log"], engine.Whole,
		[]Value{args[0], c.linear(args[1], args[2], args[3]), args[4]})
}

func (c *run) normalGLM(args []Value) Real {
	want(args, 5)
	return c.family(families["normal"], engine.Whole, []Value{args[0], c.linear(args[1], args[2], args[3]), args[4]})
}

func (c *run) categoricalGLM(args []Value) Real {
	want(args, 4)
	x, _ := asMatrix(args[1])
	if r, ok := args[1].(RowVector); ok {
		x = &Matrix{R: 1, C: len(r), X: r}
	}
	eta, alpha, ks := c.t.product(x, args[3].(*Matrix)), scalars(args[2]), wholes(args[0])
	if len(ks) == 0 || eta.R == 0 {
		return constant(0)
	}
	var terms []Real
	for i := range max(len(ks), eta.R) {
		row := append([]Real{}, eta.row(i%eta.R)...)
		for j := range row {
			row[j] = c.t.add(row[j], alpha[j])
		}
		k := ks[i%len(ks)]
		if k < 1 || k > len(row) {
			panic(rejectf("categorical_logit_glm: the category is %d, want 1 to %d", k, len(row)))
		}
		terms = append(terms, c.t.sub(row[k-1], c.t.logSumExp(row)))
	}
	return c.t.sum(terms)
}
