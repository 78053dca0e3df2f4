package model

import (
	"fmt"
	"strings"

	"bayeskernel/engine"
)

// formula writes a node in terms of what has a name.
func formula(n *engine.Node) string { return (&formulas{left: 100}).of(n, sums) }

// formulas writes at most so many operations: what is left is three dots.
type formulas struct{ left int }

// How tightly the parts of a formula hang together.
const (
	sums = iota
	products
	powers
	alone
)

// of writes a node, in parentheses unless it hangs together as tightly as that.
func (f *formulas) of(n *engine.Node, tight int) string {
	s, is := f.write(n)
	if is < tight {
		return "(" + s + ")"
	}
	return s
}

// write returns the formula of a node and how tightly it hangs together.
func (f *formulas) write(n *engine.Node) (string, int) {
	d := about(n)
	switch {
	case d.matrix != nil && d.column >= 0:
		return fmt.Sprintf("%s[,%d]", d.matrix.name, d.column+1), alone
	case n.Fixed && n.Scalar:
		return fmt.Sprint(n.Value[0]), alone
	case d.what != "" || n.Op == nil:
		return brief(n), alone
	case f.left <= 0:
		return "...", alone
	}
	f.left--
	args := n.Args
	switch op := n.Op.(type) {
	case engine.Binary:
		is := []int{sums, sums, products, products, alone}[op]
		second := []int{sums, products, products, powers, alone}[op]
		sign := []string{" + ", " - ", " * ", " / ", "^"}[op]
		return f.of(args[0], is) + sign + f.of(args[1], second), min(is, powers)
	case engine.Linear:
		return f.linear(op, args[0])
	case engine.Power:
		return fmt.Sprintf("%s^%v", f.of(args[0], alone), float64(op)), powers
	case engine.Unary:
		switch op {
		case engine.Square:
			return f.of(args[0], alone) + "^2", powers
		case engine.Inv:
			return "1 / " + f.of(args[0], powers), products
		}
		return f.call([]string{"exp", "expm1", "log", "log1p", "sqrt", "", "", "abs", "inv_logit", "logit",
			"softplus", "tanh", "sin", "cos", "Phi", "step", "lgamma", "digamma"}[op], args), alone
	case engine.View:
		of := f.of(args[0], alone)
		if n.Scalar {
			return of + placeOf(args[0], op.Lo), alone
		}
		return fmt.Sprintf("%s[%d:%d]", of, op.Lo+1, op.Hi), alone
	case engine.Gather:
		if d.index != nil {
			return f.of(args[0], alone) + "[" + d.index.name + "]", alone
		}
		return f.of(args[0], alone) + "[...]", alone
	case engine.Pick:
		return f.of(args[0], alone) + f.call("", args[1:]), alone
	case engine.Indicator:
		sign := []string{" = ", " > "}[op]
		return "[" + f.of(args[0], sums) + sign + f.of(args[1], sums) + "]", alone
	case engine.If:
		return f.call("if", args), alone
	case engine.MatVec:
		return d.times.name + " * " + f.of(args[0], products), products
	case engine.Product:
		return f.of(args[0], products) + " * " + f.of(args[1], products), products
	case engine.Stack:
		return f.call("", args), alone
	case engine.Sum:
		if op.Mean {
			return f.call("mean", args), alone
		}
		return f.call("sum", args), alone
	case engine.Kernel:
		return f.call("kernel "+op.String(), args), alone
	case *engine.Flow:
		return f.call("ode", args), alone
	case engine.LogSumExp, engine.GroupLogSumExp:
		return f.call("log_sum_exp", args), alone
	case engine.GroupSum:
		return f.call("sum", args), alone
	case engine.Extreme:
		if op.Smaller {
			return f.call("min", args), alone
		}
		return f.call("max", args), alone
	case engine.CumSum:
		return f.call("cumulative_sum", args), alone
	case engine.HiddenMarkov:
		return f.call("hidden_markov", args), alone
	case engine.ConditionalMean:
		return f.call("conditional_mean", args[5:]), alone
	}
	name := fmt.Sprintf("%T", n.Op)
	return f.call(strings.ToLower(name[strings.Index(name, ".")+1:]), args), alone
}

func (f *formulas) linear(op engine.Linear, x *engine.Node) (string, int) {
	switch {
	case op.Scale == -1 && op.Shift == 0:
		return "-" + f.of(x, products), products
	case op.Scale == -1:
		return fmt.Sprintf("%v - %s", op.Shift, f.of(x, products)), sums
	case op.Scale == 1:
		return fmt.Sprintf("%s + %v", f.of(x, sums), op.Shift), sums
	case op.Shift == 0:
		return fmt.Sprintf("%v * %s", op.Scale, f.of(x, products)), products
	}
	return fmt.Sprintf("%v * %s + %v", op.Scale, f.of(x, products), op.Shift), sums
}

// call writes a function of a few arguments.
func (f *formulas) call(name string, args []*engine.Node) string {
	const most = 8
	var parts []string
	for k, a := range args {
		if k == most {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, f.of(a, sums))
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}
