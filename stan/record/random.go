package record

import (
	"math"
	"math/rand/v2"
	"strings"

	"bayeskernel/internal/density"
	"bayeskernel/stan/syntax"
)

// random calls name_rng; ok is false if there is no such function.
func (c *run) random(name string, args []Value) (Value, bool) {
	base, ok := strings.CutSuffix(name, "_rng")
	if !ok {
		return nil, false
	}
	f := families[base]
	if base == "std_normal" {
		f, args = families["normal"], []Value{0, 1}
	}
	joint := generators[base]
	if f == nil && joint == nil {
		return nil, false
	}
	if c.r == nil {
		panic(faultf("%s outside of transformed data and generated quantities", name))
	}
	if joint != nil {
		return joint(c, args), true
	}
	return c.draw(f, args), true
}

// draw draws from a distribution of single values; arguments that are vectors or arrays give an array.
func (c *run) draw(f *density.Family, args []Value) Value {
	if len(args) != len(f.Params) {
		panic(faultf("%s_rng with %d arguments, want %d", f.Name, len(args), len(f.Params)))
	}
	n, many := 1, false
	values := make([][]Real, len(args))
	for k, a := range args {
		values[k] = scalars(a)
		if !isScalar(a) {
			n, many = len(values[k]), true
		}
	}
	out := make([]Value, n)
	for i := range out {
		var a density.Params
		for k, v := range values {
			if len(v) != 1 && len(v) != n {
				panic(faultf("%s_rng: arguments of %d and %d values", f.Name, len(v), n))
			}
			a[k] = v[i%len(v)].V
			if !f.Params[k].Domain.Contains(a[k]) {
				panic(rejectf("%s_rng: the %s is %v, want %v", f.Name, f.Params[k].Name, a[k], f.Params[k].Domain))
			}
		}
		v := f.Rand(c.r, &a)
		if f.Name == "von_mises" { // draws of Stan lie between -pi and pi
			v = math.Remainder(v, 2*math.Pi)
		}
		if f.Discrete {
			if math.IsNaN(v) || math.Abs(v) > 1<<31 {
				panic(rejectf("%s_rng: a draw is too large for an int", f.Name))
			}
			out[i] = int(v)
		} else {
			out[i] = constant(v)
		}
	}
	if !many {
		return out[0]
	}
	if n == 0 {
		if f.Discrete {
			return Ints{}
		}
		return Reals{}
	}
	return arrayOf(out)
}

// generators draw vectors, matrices and categories.
var generators = map[string]func(c *run, args []Value) Value{
	"categorical": func(c *run, a []Value) Value {
		want(a, 1)
		return c.category(scalars(a[0]), func(x float64) float64 { return x })
	},
	"categorical_logit": func(c *run, a []Value) Value {
		want(a, 1)
		n := c.t.logSumExp(scalars(a[0])).V
		return c.category(scalars(a[0]), func(x float64) float64 { return math.Exp(x - n) })
	},
	"ordered_logistic": func(c *run, a []Value) Value {
		want(a, 2)
		u := c.r.Float64()
		return c.cut(real(a[0]).V+math.Log(u)-math.Log1p(-u), scalars(a[1]))
	},
	"ordered_probit": func(c *run, a []Value) Value {
		want(a, 2)
		return c.cut(real(a[0]).V+c.r.NormFloat64(), scalars(a[1]))
	},
	"multinomial": func(c *run, a []Value) Value {
		want(a, 2)
		p := scalars(a[0])
		out := make(Ints, len(p))
		for range a[1].(int) {
			out[c.category(p, func(x float64) float64 { return x }).(int)-1]++
		}
		return out
	},
	"dirichlet": func(c *run, a []Value) Value {
		want(a, 1)
		alpha := scalars(a[0])
		out, top := make(Vector, len(alpha)), math.Inf(-1)
		for i, v := range alpha {
			out[i] = constant(density.LogGamma(c.r, v.V))
			top = math.Max(top, out[i].V)
		}
		s := 0.0
		for i := range out {
			out[i].V = math.Exp(out[i].V - top)
			s += out[i].V
		}
		for i := range out {
			out[i].V /= s
		}
		return out
	},
	"multi_normal": func(c *run, a []Value) Value {
		want(a, 2)
		l := c.t.cholesky(a[1].(*Matrix))
		return forEach(a[0], func(mean Value) Value { return c.multiNormalDraw(mean, l, 1) })
	},
	"multi_normal_cholesky": func(c *run, a []Value) Value {
		want(a, 2)
		return forEach(a[0], func(mean Value) Value { return c.multiNormalDraw(mean, a[1].(*Matrix), 1) })
	},
	"multi_student_t": func(c *run, a []Value) Value {
		want(a, 3)
		return c.multiStudentDraw(real(a[0]).V, a[1], c.t.cholesky(a[2].(*Matrix)))
	},
	"lkj_corr_cholesky": func(c *run, a []Value) Value {
		want(a, 2)
		return c.lkjDraw(a[0].(int), real(a[1]).V)
	},
	"lkj_corr": func(c *run, a []Value) Value {
		want(a, 2)
		return c.t.selfProduct(c.lkjDraw(a[0].(int), real(a[1]).V))
	},
	"wishart": func(c *run, a []Value) Value {
		want(a, 2)
		return c.wishartDraw(real(a[0]).V, a[1].(*Matrix))
	},
	"inv_wishart": func(c *run, a []Value) Value {
		want(a, 2)
		s := a[1].(*Matrix)
		eye := diagonal(repeat(constant(1), s.R))
		return c.t.solve(c.wishartDraw(real(a[0]).V, c.t.solve(s, eye)), eye)
	},
	"discrete_range": func(c *run, a []Value) Value {
		want(a, 2)
		lo, hi := a[0].(int), a[1].(int)
		if lo > hi {
			panic(rejectf("discrete_range_rng from %d to %d", lo, hi))
		}
		return lo + c.r.IntN(hi-lo+1)
	},
	"hypergeometric": func(c *run, a []Value) Value {
		want(a, 3)
		n, good, bad, k := size(a[0]), size(a[1]), size(a[2]), 0
		if n > good+bad {
			panic(rejectf("hypergeometric_rng: %d draws from %d and %d, want at most all of them", n, good, bad))
		}
		for range n {
			if c.r.IntN(good+bad) < good {
				k++
				good--
			} else {
				bad--
			}
		}
		return k
	},
}

func (c *run) category(p []Real, f func(float64) float64) Value {
	u, last := c.r.Float64(), 0
	for k, v := range p {
		if q := f(v.V); q > 0 {
			if last = k + 1; u < q {
				break
			}
			u -= q
		}
	}
	if last == 0 {
		panic(rejectf("categorical_rng: no category has a positive probability"))
	}
	return last
}

func (c *run) cut(x float64, cuts []Real) Value {
	k := 1
	for k <= len(cuts) && x > cuts[k-1].V {
		k++
	}
	return k
}

func (c *run) multiNormalDraw(mean Value, l *Matrix, scale float64) Value {
	z := &Matrix{l.R, 1, make([]Real, l.R)}
	for i := range z.X {
		z.X[i] = constant(scale * c.r.NormFloat64())
	}
	x := c.t.product(l, z).X
	mu := scalars(mean)
	out := make(Vector, len(x))
	for i, v := range x {
		out[i] = c.t.add(mu[i], v)
	}
	return out
}

// lkjDraw draws partial correlations: those of row i have the density (1 - z²)^(eta - 1 + (n-1-j)/2 - ...),
// so that (1+z)/2 is beta with shapes eta + (n - 2 - j)/2 for column j.
func (c *run) lkjDraw(n int, eta float64) *Matrix {
	out := &Matrix{n, n, repeat(constant(0), n*n)}
	for i := range n {
		left := 1.0
		for j := range i {
			b := eta + float64(n-2-j)/2
			z := 2*density.BetaLaw{}.Rand(c.r, &density.Params{b, b}) - 1
			w := z * math.Sqrt(left)
			out.set(i, j, constant(w))
			left -= w * w
		}
		out.set(i, i, constant(math.Sqrt(math.Max(left, 0))))
	}
	return out
}

// wishartDraw is by Bartlett's decomposition.
func (c *run) wishartDraw(nu float64, s *Matrix) *Matrix {
	n := s.R
	a := &Matrix{n, n, repeat(constant(0), n*n)}
	for i := range n {
		for j := range i {
			a.set(i, j, constant(c.r.NormFloat64()))
		}
		a.set(i, i, constant(math.Sqrt(2*math.Exp(density.LogGamma(c.r, (nu-float64(i))/2)))))
	}
	return c.t.selfProduct(c.t.product(c.t.cholesky(s), a))
}

// Generate runs the program on values: parameters, transformed parameters and generated quantities at u. Random
// numbers come from r.
func (p *Program) Generate(u []float64, r *rand.Rand) ([]float64, error) {
	var l flatList
	err := p.generate(u, r, &l)
	return l.values, err
}

// Unmade says why the generated quantities at u are not numbers: what rejects them, "" where nothing does.
func (p *Program) Unmade(u []float64, r *rand.Rand) string {
	b := p.tree.Generated
	if b == nil {
		return ""
	}
	c, err := p.valued(u, r)
	if err == nil {
		err = c.generated(b.Stmts)
	}
	if !Rejected(err) {
		return ""
	}
	return err.Error()
}

// valued is a run on values, as far as the transformed parameters.
func (p *Program) valued(u []float64, r *rand.Rand) (c *run, err error) {
	defer caught(&err)
	c = p.newRun(newTape(nil))
	c.u, c.r = u, r
	c.parameters()
	if b := p.tree.TransformedParameters; b != nil {
		c.lp = true
		c.block(b.Stmts)
		c.lp = false
	}
	return c, nil
}

// Columns are the names of what Generate returns.
func (p *Program) Columns(u []float64, r *rand.Rand) ([]string, error) {
	l := flatList{named: true}
	err := p.generate(u, r, &l)
	return l.names, err
}

func (p *Program) generate(u []float64, r *rand.Rand, l *flatList) (err error) {
	c, err := p.valued(u, r)
	if err != nil {
		return err
	}
	defer caught(&err)
	c.flat(l)
	return c.quantities(l)
}

// quantities runs the generated quantities after all other variables have their values.
func (c *run) quantities(l *flatList) (err error) {
	b := c.p.tree.Generated
	if b == nil {
		return nil
	}
	if err = c.generated(b.Stmts); err != nil && !Rejected(err) {
		return err
	}
	first := len(l.values)
	for _, s := range b.Stmts {
		if d, ok := s.(*syntax.Decl); ok {
			if err != nil { // what was computed of it is not to be had
				c.set(d.Name, d.Type, c.sized(d.Type))
			}
			l.add(c.lookup(d.Name).v, d.Name)
		}
	}
	for i := first; i < len(l.values) && err != nil; i++ {
		l.values[i] = math.NaN() // integers too, which are the smallest there is until they are set
	}
	return nil
}

// generated runs the block of generated quantities. Where it rejects, they are not numbers.
func (c *run) generated(list []syntax.Stmt) (err error) {
	defer caught(&err)
	c.block(list)
	c.checked(list)
	return nil
}

// forEach draws for a vector of means, or for each of an array of them.
func forEach(means Value, draw func(mean Value) Value) Value {
	list, ok := means.(Array)
	if !ok {
		return draw(means)
	}
	return each(list, draw)
}

// multiStudentDraw has one scale for each vector.
func (c *run) multiStudentDraw(nu float64, means Value, l *Matrix) Value {
	return forEach(means, func(mean Value) Value {
		return c.multiNormalDraw(mean, l, math.Exp(0.5*(math.Log(nu/2)-density.LogGamma(c.r, nu/2))))
	})
}
