package types

import (
	"slices"
	"strings"

	"bayeskernel/stan/syntax"
)

// endings of functions that take a | after the first argument.
var barred = []string{"_lpdf", "_lpmf", "_lupdf", "_lupmf", "_lcdf", "_lccdf", "_cdf"}

// densityOf is the name of the distribution that a function is the density of.
func densityOf(name string) (string, bool) {
	for _, s := range []string{"_lpdf", "_lpmf"} {
		if base, ok := strings.CutSuffix(name, s); ok {
			return base, true
		}
	}
	return "", false
}

func endsWith(name string, suffixes []string) bool {
	return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) })
}

// call is the type of what a function returns.
func (c *checker) call(e *syntax.Call) Type {
	if e.Name == "target" && len(e.Args) == 0 {
		c.density(e.Pos, "target()")
		return number
	}
	found := c.find(e.Name)
	if op := e.Operation(); op != nil && len(found) == 0 && !e.Bar {
		return c.expr(op)
	}
	if len(found) == 0 {
		for _, x := range e.Args {
			if name, ok := x.(*syntax.Name); !ok || len(c.defined[name.Name]) == 0 {
				c.value(x)
			}
		}
		c.noFunction(e)
		return unknown
	}
	c.allowed(e)
	c.bar(e)
	if found[0].old {
		c.note(e.Pos, "%s is written with _lpdf, _lpmf, _lcdf or _lccdf and | since Stan 2.33", e.Name)
	}
	if len(found[0].args) > 0 && found[0].args[0].call != nil {
		return c.higher(found, e)
	}
	args := c.values(e.Args)
	if f, b := c.resolve(found, e.Args, args, call{name: e.Name, pos: e.Pos}); f != nil {
		c.above(f, e.Pos)
		return f.value(args, b)
	}
	// What all of them return is known even where none fits.
	for _, f := range found[1:] {
		if f.result != found[0].result || !f.returns.is(found[0].returns) {
			return unknown
		}
	}
	if t := found[0].value(args, bindings{}); numeric[t.Base] {
		return t
	}
	return unknown
}

// above wants a function of the program to be defined, or declared, before another one calls it.
func (c *checker) above(f *function, at syntax.Pos) {
	if c.fn == nil || f.defined == nil || f.first.Line < at.Line || f.first.Line == at.Line && f.first.Col < at.Col {
		return
	}
	c.fail(at, "%s is defined at line %d, want its definition, or a declaration of it, before it is called", f.name, f.first.Line)
}

// find returns the signatures of a name, those of the program first.
func (c *checker) find(name string) []*function {
	if fs := c.ofProgram(name); len(fs) > 0 {
		return fs
	}
	return c.lib.functions[name]
}

// ofProgram are the functions of the program with a name; a density may be named without its constants.
func (c *checker) ofProgram(name string) []*function {
	if fs := c.defined[name]; len(fs) > 0 {
		return fs
	}
	for _, s := range []string{"pdf", "pmf"} {
		if base, ok := strings.CutSuffix(name, "_lu"+s); ok && len(c.defined[base+"_l"+s]) > 0 {
			return c.defined[base+"_l"+s]
		}
	}
	return nil
}

func (c *checker) noFunction(e *syntax.Call) {
	switch {
	case c.lookup(e.Name) != nil:
		c.fail(e.Pos, "%s is a variable, want a function", e.Name)
	case c.lib.distributions[e.Name].Name != "":
		ending, args := "_lpdf", "x | …"
		if c.lib.distributions[e.Name].Discrete {
			ending, args = "_lpmf", "n | …"
		}
		c.fail(e.Pos, "%s is a distribution, want its density as a function: %s%s(%s)", e.Name, e.Name, ending, args)
	case syntax.Operands(e.Name) > 0:
		c.fail(e.Pos, "%s takes %s, found %d", e.Name, plural(syntax.Operands(e.Name), "argument"), len(e.Args))
	case c.lib.stan[e.Name]:
		c.fail(e.Pos, "the function %s of Stan is not supported", e.Name)
	default:
		for _, s := range append(slices.Clone(barred), "_rng", "_log") {
			if base, ok := strings.CutSuffix(e.Name, s); ok && c.lib.stan[base] && c.lib.distributions[base].Name == "" {
				c.fail(e.Pos, "the distribution %s of Stan is not supported", base)
				return
			}
		}
		c.fail(e.Pos, "there is no function %s%s", e.Name, c.nearestFunction(e.Name))
	}
}

func (c *checker) nearestFunction(name string) string {
	for _, s := range [][2]string{{"_lpdf", "_lpmf"}, {"_lpmf", "_lpdf"}} {
		if base, ok := strings.CutSuffix(name, s[0]); ok && len(c.find(base+s[1])) > 0 {
			return ": did you mean " + base + s[1] + "?"
		}
	}
	return nearest(name, func(add func(string)) {
		for s := range c.defined {
			add(s)
		}
		for s, fs := range c.lib.functions {
			if !fs[0].old {
				add(s)
			}
		}
	})
}

// allowed checks that a function with such an ending may be called here.
func (c *checker) allowed(e *syntax.Call) {
	switch name := e.Name; {
	case strings.HasSuffix(name, "_rng"):
		if c.block != "transformed data" && c.block != "generated quantities" && !c.inFunction("_rng") {
			c.fail(e.Pos, "%s in %s, want it in transformed data, generated quantities or a function that ends with _rng",
				name, c.where())
		}
	case strings.HasSuffix(name, "_lp"):
		if c.block != "model" && c.block != "transformed parameters" && !c.inFunction("_lp") {
			c.fail(e.Pos, "%s in %s, want it in the model block, transformed parameters or a function that ends with _lp",
				name, c.where())
		}
	case strings.HasSuffix(name, "_jacobian"):
		if c.block != "transformed parameters" && !c.inFunction("_jacobian") {
			c.fail(e.Pos, "%s in %s, want it in transformed parameters or a function that ends with _jacobian", name, c.where())
		}
	case strings.HasSuffix(name, "_lupdf") || strings.HasSuffix(name, "_lupmf"):
		if c.block != "model" && !c.inFunction("_lpdf", "_lpmf", "_lp") {
			at := strings.LastIndex(name, "_lup")
			c.fail(e.Pos, "%s in %s, want %s", name, c.where(), name[:at]+"_lp"+name[at+4:])
		}
	}
}

// bar checks whether | stands behind the first argument where it must.
func (c *checker) bar(e *syntax.Call) {
	wants := endsWith(e.Name, barred)
	switch {
	case e.Bar && !wants:
		c.fail(e.Pos, "%s takes no |, want a comma", e.Name)
	case !e.Bar && wants && len(e.Args) > 1 && strings.HasSuffix(e.Name, "_cdf"):
		c.note(e.Pos, "%s takes a | after its first argument since Stan 2.33", e.Name)
	case !e.Bar && wants && len(e.Args) > 1:
		c.fail(e.Pos, "%s takes a | after its first argument, found a comma", e.Name)
	}
}

// call says how messages name one.
type call struct {
	name  string
	pos   syntax.Pos
	tilde bool // the first argument stands to the left of ~
}

// resolve finds the signature that arguments fit, or says what is wrong with them. Exprs are the arguments
// as written.
func (c *checker) resolve(found []*function, exprs []syntax.Expr, args []Type, as call) (*function, bindings) {
	for _, t := range args {
		if t.Base == "" {
			return nil, nil
		}
	}
	type fit struct {
		f          *function
		b          bindings
		promotions int
	}
	var best []fit
	for _, f := range found {
		b, wrong := f.mismatches(args)
		if len(args) != len(f.args) && !(f.more && len(args) > len(f.args)) || len(wrong) > 0 {
			continue
		}
		n := 0
		if f.defined != nil { // of the program the closest counts
			for k, p := range f.args {
				m, _ := args[k].fits(p.types[0])
				n += m
			}
		} else if len(best) > 0 {
			continue // of the library the first
		}
		if len(best) > 0 && n < best[0].promotions {
			best = best[:0]
		}
		if len(best) == 0 || n == best[0].promotions {
			best = append(best, fit{f, b, n})
		}
	}
	switch len(best) {
	case 0:
		c.misfit(found, exprs, args, as)
		return nil, nil
	case 1:
		f := best[0].f
		for k, p := range f.args {
			if p.data && c.depends(exprs[k]) {
				c.fail(start(exprs[k]), "argument %d of %s depends on parameters, want data", k+1, as.name)
			}
		}
		return f, best[0].b
	}
	c.fail(as.pos, "%s%s fits several definitions, want types that fit one", as.name, arguments(args))
	return nil, nil
}

// mismatches are the places of arguments that do not fit.
func (f *function) mismatches(args []Type) (bindings, []int) {
	b := bindings{}
	var wrong []int
	for k, p := range f.args {
		if k < len(args) && !p.match(args[k], b) {
			wrong = append(wrong, k)
		}
	}
	return b, wrong
}

// misfit says why no signature fits.
func (c *checker) misfit(found []*function, exprs []syntax.Expr, args []Type, as call) {
	shift := 0
	if as.tilde {
		shift = 1
	}
	var counts []int
	var right []*function // those with as many arguments
	for _, f := range found {
		if len(f.args) == len(args) || f.more && len(args) > len(f.args) {
			right = append(right, f)
		}
		if n := len(f.args) - shift; !slices.Contains(counts, n) {
			counts = append(counts, n)
		}
	}
	if len(right) == 0 {
		slices.Sort(counts)
		var words []string
		for i, n := range counts {
			if i == len(counts)-1 {
				words = append(words, plural(n, "argument"))
			} else {
				words = append(words, strings.Fields(plural(n, "argument"))[0])
			}
		}
		most := ""
		if found[0].more {
			most = "at least "
		}
		c.fail(as.pos, "%s takes %s%s, found %d", as.name, most, or(words), len(args)-shift)
		return
	}
	// Where the nearest signatures agree on the one argument that is wrong, it is named.
	least, place := len(args)+1, -1
	var wants []string
	for _, f := range right {
		b, wrong := f.mismatches(args)
		if len(wrong) > least || len(wrong) == 0 {
			continue
		}
		if len(wrong) < least {
			least, place, wants = len(wrong), wrong[0], nil
		}
		if wrong[0] != place {
			place = -1
		}
		for _, w := range f.args[wrong[0]].wants(b) {
			if !slices.Contains(wants, w) {
				wants = append(wants, w)
			}
		}
	}
	switch {
	case least == 1 && place == 0 && as.tilde:
		c.fail(start(exprs[0]), "found %s to the left of %s, want %s", args[0], as.name, or(wants))
	case least == 1 && place >= 0:
		c.fail(start(exprs[place]), "argument %d of %s is %s, want %s", place+1-shift, as.name, args[place], or(wants))
	case len(right) == 1 && !as.tilde:
		b, wrong := right[0].mismatches(args)
		for _, k := range wrong {
			c.fail(start(exprs[k]), "argument %d of %s is %s, want %s", k+1, as.name, args[k], or(right[0].args[k].wants(b)))
		}
	default:
		var said []string
		for _, f := range right[:min(4, len(right))] {
			said = append(said, f.said())
		}
		name := as.name
		if as.tilde {
			name = found[0].name
		}
		c.fail(as.pos, "there is no %s%s, want %s", name, arguments(args), or(said))
	}
}

// higher checks a call whose first argument is a function of the program.
func (c *checker) higher(found []*function, e *syntax.Call) Type {
	if len(e.Args) == 0 {
		c.fail(e.Pos, "%s takes at least %s, found 0", e.Name, plural(len(found[0].args), "argument"))
		return unknown
	}
	args := append([]Type{{Base: "function"}}, c.values(e.Args[1:])...)
	name, ok := e.Args[0].(*syntax.Name)
	if !ok || c.lookup(name.Name) != nil {
		if t := c.value(e.Args[0]); t.Base != "" {
			c.fail(start(e.Args[0]), "argument 1 of %s is %s, want a function of the program", e.Name, t)
		}
		return unknown
	}
	inner := c.ofProgram(name.Name)
	if len(inner) == 0 {
		c.fail(name.Pos, "there is no function %s%s", name.Name, c.nearestFunction(name.Name))
		return unknown
	}
	for _, t := range args[1:] {
		if t.Base == "" {
			return unknown
		}
	}
	f, b := c.resolve(found, e.Args, args, call{name: e.Name, pos: e.Pos})
	if f == nil {
		return unknown
	}
	passed := []Type{}
	for _, p := range f.args[0].call.args {
		t := b["T"]
		if p.word != "T" {
			t = p.types[0]
		}
		t.Dims += p.dims
		passed = append(passed, t)
	}
	if f.args[0].call.more {
		passed = append(passed, args[len(f.args):]...)
	}
	want := f.args[0].call.value(passed, b)
	for _, g := range inner {
		if _, wrong := g.mismatches(passed); len(wrong) > 0 || len(g.args) != len(passed) {
			continue
		}
		if !g.returns.is(want) {
			c.fail(name.Pos, "%s returns %s, want %s", name.Name, said(g.returns), want)
		}
		return f.value(args, b)
	}
	var have []string
	for _, g := range inner {
		have = append(have, name.Name+arguments(g.types()))
	}
	c.fail(name.Pos, "%s calls %s%s, and the program has %s", e.Name, name.Name, arguments(passed), or(have))
	return unknown
}
