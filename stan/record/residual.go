package record

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/internal/density"
	"bayeskernel/stan/syntax"
)

// Residuals are the values to which statements of the model block give a continuous distribution, in coordinates in
// which they are independent and standard normal at u, in the order in which the program comes to them. Statements
// are those with ~ and those that add a density, and no more, to target; that of a parameter is none of them.
func (p *Program) Residuals(u []float64) (out []float64, err error) {
	defer caught(&err)
	c := p.newRun(newTape(u))
	c.scores = &out
	c.parameters()
	c.lp = true
	if b := p.tree.TransformedParameters; b != nil {
		c.block(b.Stmts)
	}
	if b := p.tree.Model; b != nil {
		c.push()
		c.block(b.Stmts)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("stan: no statement gives data a distribution")
	}
	return out, nil
}

// residual appends the residuals of data with a distribution, which may be cut off at lo and hi.
func (c *run) residual(name string, args []Value, lo, hi Value) {
	depends := func(x Real) bool { return x.N != 0 }
	if c.scores == nil || len(args) == 0 || slices.ContainsFunc(scalars(args[0]), depends) {
		return
	}
	if name == "normal_id_glm" {
		name, args = "normal", []Value{args[0], c.linear(args[1], args[2], args[3]), args[4]}
	}
	if name == "std_normal" {
		name, args = "normal", append(args[:1:1], 0, 1)
	}
	f := families[name]
	switch {
	case f == nil && c.p.functions[name+"_lpdf"] == nil && joints[name] == nil, f != nil && f.Discrete:
		panic(faultf("the values of %s are not continuous", name))
	case f == nil || f.Below == nil || f.Above == nil:
		panic(faultf("the distribution function of %s is not here", name))
	}
	n := len(scalars(args[0]))
	for _, a := range args {
		n = max(n, len(scalars(a)))
	}
	var g, work density.Grad
	for i := range n {
		var a density.Params
		for k, v := range args[1:] {
			s := scalars(v)
			a[k] = s[min(i, len(s)-1)].V
		}
		s := scalars(args[0])
		y := s[min(i, len(s)-1)].V
		below, above := f.Below(y, &a, &g), f.Above(y, &a, &g)
		if lo != nil || hi != nil {
			from, to := math.Inf(-1), math.Inf(1)
			if lo != nil {
				from = real(lo).V
			}
			if hi != nil {
				to = real(hi).V
			}
			whole := f.Between(from, to, &a, &g, &work)
			below = f.Between(from, y, &a, &g, &work) - whole
			above = f.Between(y, to, &a, &g, &work) - whole
		}
		*c.scores = append(*c.scores, density.NormalScore(below, above))
	}
}

// residualOf is residual for what a statement adds to target, if that is a density and no more.
func (c *run) residualOf(e syntax.Expr) {
	call, ok := e.(*syntax.Call)
	if c.scores == nil || !ok {
		return
	}
	for _, suffix := range []string{"_lpdf", "_lupdf"} {
		if name, ok := strings.CutSuffix(call.Name, suffix); ok && len(call.Args) > 0 {
			c.residual(name, c.evals(call.Args), nil, nil)
		}
	}
}
