package record

import (
	"math"
	"slices"

	"bayeskernel/engine"
)

// Effects are parameters without bounds that have a normal or Student-t density whose scale depends on other
// parameters: those whose centring can be learned. They are what one run of the program recorded; the
// coordinates that they give are right whatever other runs record.
type Effects struct {
	dim     int
	code    *engine.Scalars
	values  []float64 // of constants
	at      []int     // coordinates
	group   []int
	depends []int
	loc, sd []int32 // places
	nu      []int32 // 0: normal
}

// Effects finds them at a point; the error is that of the program there.
func (p *Program) Effects(u []float64) (*Effects, error) {
	c, err := p.recorded(u, true)
	if err != nil {
		return nil, err
	}
	return c.effects(len(u)), nil
}

// effect is a candidate: the places of the value's density.
type effect struct {
	coordinate  int
	site        int32
	loc, sd, nu int32
}

// mostOperations bounds what locations and scales may cost.
const mostOperations = 200_000

func (c *run) effects(dim int) *Effects {
	out := &Effects{dim: dim}
	found := c.candidates()
	// What locations and scales depend on keeps its coordinates: values of other effects among them leave the
	// list, and all of their statement.
	for {
		needed, fine := c.needed(found)
		if !fine {
			return out
		}
		drop := map[int32]bool{}
		for _, e := range found {
			if needed[e.coordinate+1] {
				drop[e.site] = true
			}
		}
		if len(drop) == 0 {
			c.compile(out, found, needed)
			return out
		}
		found = slices.DeleteFunc(found, func(e effect) bool { return drop[e.site] })
	}
}

// candidates are the densities of parameters as declared among the terms of the log density.
func (c *run) candidates() []effect {
	t := c.t
	terms := make([]bool, len(t.Code))
	for _, x := range c.target {
		terms[x.N] = true
	}
	var found []effect
	taken := map[int]bool{}
	for i := len(t.Code) - 1; i > 0; i-- {
		if !terms[i] {
			continue
		}
		switch in := &t.Code[i]; in.Code {
		case engine.AddTo:
			terms[in.A], terms[in.B] = true, true
		case engine.SumOf:
			for _, p := range t.Lists[in.A : in.A+in.B] {
				terms[p] = true
			}
		case engine.LogDensity:
			part := t.Tables.Families[in.F]
			name := part.Family.Name
			if part.Tail != engine.Whole || name != "normal" && name != "student_t" {
				continue
			}
			args := t.Lists[in.A : in.A+in.B]
			e := effect{coordinate: int(args[0]) - 1, site: t.sites[i], loc: args[len(args)-2], sd: args[len(args)-1]}
			if name == "student_t" {
				e.nu = args[1]
			}
			if t.Code[args[0]].Code != engine.InputOf || t.Code[e.sd].Code == engine.Constant || taken[e.coordinate] {
				continue
			}
			taken[e.coordinate] = true
			found = append(found, e)
		}
	}
	slices.Reverse(found)
	return found
}

// needed are the places that locations and scales depend on; fine is false where there are too many, or
// operations on vectors among them.
func (c *run) needed(found []effect) (needed []bool, fine bool) {
	t := c.t
	needed = make([]bool, len(t.Code))
	for _, e := range found {
		needed[e.loc], needed[e.sd], needed[e.nu] = true, true, true
	}
	n := 0
	for i := len(t.Code) - 1; i > 0; i-- {
		if !needed[i] {
			continue
		}
		if n++; n > mostOperations || t.Code[i].Code == engine.CallOf || t.Code[i].Code == engine.ResultOf {
			return nil, false
		}
		t.Operands(i, func(p int32) { needed[p] = true })
	}
	return needed, len(found) > 0
}

// compile copies the operations that are needed.
func (c *run) compile(out *Effects, found []effect, needed []bool) {
	t := c.t
	out.code = &engine.Scalars{Inputs: t.Inputs, Tables: t.Tables}
	place := make([]int32, len(t.Code))
	for i := range t.Inputs + 1 {
		place[i] = int32(i)
		out.code.Code = append(out.code.Code, t.Code[i])
		if i > 0 && needed[i] {
			out.depends = append(out.depends, i-1)
		}
	}
	for i := t.Inputs + 1; i < len(t.Code); i++ {
		if !needed[i] {
			continue
		}
		in := t.Code[i]
		switch {
		case in.Code == engine.Constant:
		case listed(in.Code):
			at := int32(len(out.code.Lists))
			for _, p := range t.Lists[in.A : in.A+in.B] {
				out.code.Lists = append(out.code.Lists, place[p])
			}
			in.A = at
		default:
			in.A, in.B = place[in.A], place[in.B]
		}
		place[i] = int32(len(out.code.Code))
		out.code.Code = append(out.code.Code, in)
	}
	out.values = make([]float64, len(out.code.Code))
	for i, p := range place {
		if p != 0 {
			out.values[p] = t.Val[i]
		}
	}
	groups := map[int32]int{}
	for _, e := range found {
		g, ok := groups[e.site]
		if !ok {
			g = len(groups)
			groups[e.site] = g
		}
		out.at, out.group = append(out.at, e.coordinate), append(out.group, g)
		out.loc, out.sd, out.nu = append(out.loc, place[e.loc]), append(out.sd, place[e.sd]), append(out.nu, place[e.nu])
	}
}

// None reports whether there is nothing to learn.
func (e *Effects) None() bool { return e == nil || len(e.at) == 0 }

// Evaluator computes locations and scales for one chain: it implements the Effects of package centring.
type Evaluator struct {
	*Effects
	run engine.ScalarRun
}

// Evaluator returns a new one.
func (e *Effects) Evaluator() *Evaluator {
	out := &Evaluator{Effects: e, run: engine.ScalarRun{Scalars: e.code, Val: slices.Clone(e.values)}}
	out.run.Grow(true)
	return out
}

// Coordinates are those of the values.
func (e *Evaluator) Coordinates() []int { return e.at }

// Groups are statements.
func (e *Evaluator) Groups() []int { return e.group }

// Depends are the coordinates of locations and scales.
func (e *Evaluator) Depends() []int { return e.depends }

// Locate computes locations and scales at x.
func (e *Evaluator) Locate(x, loc, sd []float64) {
	copy(e.run.Val[1:1+e.dim], x)
	e.run.Forward(1 + e.dim)
	for i := range e.at {
		loc[i], sd[i] = e.run.Val[e.loc[i]], e.run.Val[e.sd[i]]
		if !(sd[i] > 0) {
			sd[i] = math.NaN()
		}
	}
}

// PullBack adds the derivatives in x.
func (e *Evaluator) PullBack(grad, dloc, dsd []float64) {
	clear(e.run.Adj)
	for i := range e.at {
		e.run.Adj[e.loc[i]] += dloc[i]
		e.run.Adj[e.sd[i]] += dsd[i]
	}
	e.run.Backward()
	for _, i := range e.depends {
		grad[i] += e.run.Adj[1+i]
	}
}

// Slope is that of the density of value i.
func (e *Evaluator) Slope(i int, theta, loc, sd float64) float64 {
	d := theta - loc
	if e.nu[i] == 0 {
		return -d / (sd * sd)
	}
	nu := e.run.Val[e.nu[i]]
	return -(nu + 1) * d / (nu*sd*sd + d*d)
}
