package formula

import (
	"math"

	"bayeskernel/frame"
)

// unaryFunctions are the functions of one number.
var unaryFunctions = map[string]func(float64) float64{"exp": math.Exp, "sqrt": math.Sqrt, "abs": math.Abs,
	"log2": math.Log2, "log10": math.Log10, "log1p": math.Log1p, "expm1": math.Expm1, "sin": math.Sin, "cos": math.Cos,
	"tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan, "sinh": math.Sinh, "cosh": math.Cosh,
	"tanh": math.Tanh, "floor": math.Floor, "ceiling": math.Ceil, "trunc": math.Trunc, "round": math.RoundToEven,
	"sign": func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return x
	},
	"I": func(x float64) float64 { return x }, "as.numeric": func(x float64) float64 { return x },
	"qlogis": func(p float64) float64 { return math.Log(p) - math.Log1p(-p) },
	"plogis": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
}

// elsewhere are functions that people know from R, and what is written in their place.
var elsewhere = map[string]string{
	"Surv": "write time | cens(c) ~ ..., where c is 1 in rows that ended before the event, with -family weibull, exponential or lognormal",
	"ns":   "write s(x)", "bs": "write s(x)", "lo": "write s(x)", "cut": "make a column of it, or write s(x)",
	"relevel": "give the order of a column of text with -levels 'x=b,a,c'", "C": "contrasts are those of treatments",
	"ordered": "write factor(x)", "cbind": "several responses are not there", "mvbind": "several responses are not there", "ifelse": "write a comparison, as (x > 100)",
	"te": "smooth functions are of one column", "ti": "smooth functions are of one column",
	"lag": "make a column of it", "interaction": "write a:b",
}

// operators are those between two numbers; comparisons are 0 or 1.
var operators = map[string]func(a, b float64) float64{
	"+": func(a, b float64) float64 { return a + b }, "-": func(a, b float64) float64 { return a - b },
	"*": func(a, b float64) float64 { return a * b }, "/": func(a, b float64) float64 { return a / b },
	"^": math.Pow, "%%": func(a, b float64) float64 { return a - b*math.Floor(a/b) },
	"%/%": func(a, b float64) float64 { return math.Floor(a / b) },
}

var comparisons = map[string]func(a, b float64) bool{
	"<": func(a, b float64) bool { return a < b }, ">": func(a, b float64) bool { return a > b },
	"<=": func(a, b float64) bool { return a <= b }, ">=": func(a, b float64) bool { return a >= b },
	"==": func(a, b float64) bool { return a == b }, "!=": func(a, b float64) bool { return a != b },
}

// numbers evaluates arithmetic in every row. It reports whether what it found is true or false.
func (r *reading) numbers(n *node) (v []float64, truth bool, err error) {
	switch n.kind {
	case number:
		v = make([]float64, r.rows)
		for i := range v {
			v[i] = n.num
		}
		return v, false, nil
	case name:
		return r.numberColumn(n)
	case call:
		v, err = r.function(n)
		truth = err == nil && n.text == "I" && r.isTruth(n.args[0])
		return v, truth, err
	case operator:
		if n.text == "(" {
			return r.numbers(n.args[0])
		}
		if len(n.args) == 1 {
			v, _, err = r.numbers(n.args[0])
			if n.text == "-" {
				for i := range v {
					v[i] = -v[i]
				}
			}
			return v, false, err
		}
		if compare := comparisons[n.text]; compare != nil {
			v, err = r.compare(n, compare)
			return v, true, err
		}
		f := operators[n.text]
		if f == nil {
			return nil, false, r.fail(n, "%q is no operator between numbers", n.text)
		}
		v, err = r.both(n.args[0], n.args[1], f)
		return v, false, err
	}
	return nil, false, r.fail(n, "%s is not a number", n)
}

// isTruth reports whether an expression is a comparison.
func (r *reading) isTruth(n *node) bool {
	n = n.bare()
	return n.kind == operator && comparisons[n.text] != nil
}

// both evaluates two expressions and joins them.
func (r *reading) both(a, b *node, f func(x, y float64) float64) ([]float64, error) {
	x, _, err := r.numbers(a)
	if err != nil {
		return nil, err
	}
	y, _, err := r.numbers(b)
	if err != nil {
		return nil, err
	}
	for i := range x {
		x[i] = f(x[i], y[i])
	}
	return x, nil
}

// compare compares numbers, or a column of text with a text.
func (r *reading) compare(n *node, f func(a, b float64) bool) ([]float64, error) {
	a, b := n.args[0].bare(), n.args[1].bare()
	if b.kind == str && a.kind == name && (n.text == "==" || n.text == "!=") {
		c, ok := r.table.Column(a.text)
		if !ok || c.Kind != frame.Category {
			return nil, r.fail(a, "%s is no column of text, which it is compared with", a)
		}
		out := make([]float64, r.rows)
		for i, s := range c.Texts() {
			if (s == b.text) == (n.text == "==") {
				out[i] = 1
			}
		}
		return out, nil
	}
	return r.both(n.args[0], n.args[1], func(x, y float64) float64 {
		if f(x, y) {
			return 1
		}
		return 0
	})
}

// numberColumn is a column as numbers.
func (r *reading) numberColumn(n *node) ([]float64, bool, error) {
	if n.text == "TRUE" || n.text == "FALSE" {
		v := make([]float64, r.rows)
		for i := range v {
			if n.text == "TRUE" {
				v[i] = 1
			}
		}
		return v, true, nil
	}
	if n.text == "pi" {
		if _, ok := r.table.Column("pi"); !ok {
			v := make([]float64, r.rows)
			for i := range v {
				v[i] = math.Pi
			}
			return v, false, nil
		}
	}
	v, err := r.column(n)
	switch {
	case err != nil:
		return nil, false, err
	case v.levels != nil && !v.truth:
		return nil, false, r.fail(n, "%s is a column of text, want numbers", n)
	}
	return v.columns[0], v.truth, nil
}

// function evaluates a call.
func (r *reading) function(n *node) ([]float64, error) {
	switch n.text {
	case "log":
		a, o, err := r.arguments(n, 1, "base")
		if err != nil {
			return nil, err
		}
		v, _, err := r.numbers(a[0])
		for i := range v {
			v[i] = math.Log(v[i])
			if o.given("base") {
				v[i] /= math.Log(o["base"])
			}
		}
		return v, err
	case "pmin", "pmax":
		if len(n.args) != 2 {
			return nil, r.fail(n, "%s() takes two arguments", n.text)
		}
		return r.both(n.args[0], n.args[1], map[string]func(x, y float64) float64{"pmin": math.Min, "pmax": math.Max}[n.text])
	case "scale":
		v, err := r.scale(n)
		if err != nil {
			return nil, err
		}
		return v.columns[0], nil
	}
	f := unaryFunctions[n.text]
	if f == nil && elsewhere[n.text] != "" {
		return nil, r.fail(n, "%s() is not supported: %s", n.text, elsewhere[n.text])
	}
	if f == nil {
		known := []string{"factor", "log", "offset", "pmax", "pmin", "poly", "s", "scale"}
		for k := range unaryFunctions {
			known = append(known, k)
		}
		return nil, r.fail(n, "there is no function %s()%s", n.text, didYouMean(n.text, known))
	}
	if len(n.args) != 1 {
		return nil, r.fail(n, "%s() takes one argument", n.text)
	}
	if a := n.args[0].bare(); n.text == "as.numeric" && a.kind == name {
		if c, ok := r.table.Column(a.text); ok && c.Kind != frame.Category {
			return c.Floats(), nil // of dates too
		}
	}
	v, _, err := r.numbers(n.args[0])
	for i := range v {
		v[i] = f(v[i])
	}
	return v, err
}
