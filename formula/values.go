package formula

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayeskernel/frame"
)

// value is what an expression is in each row: numbers, in one column or several, or a factor.
type value struct {
	columns [][]float64
	names   []string // of several columns, which follow the name of the expression
	levels  []string // of a factor, whose column holds places in them; nil for numbers
	truth   bool     // false and true, a factor with these levels which is also a number
}

// learned is what expressions take from the first table, and use for others: levels of factors, polynomials
// and scales, by what they are written as.
type learned struct {
	levels map[string][]string
	polys  map[string]*polynomials
	scales map[string][2]float64
	kinds  map[string]frame.Kind // of columns
}

func newLearned() *learned {
	return &learned{map[string][]string{}, map[string]*polynomials{}, map[string][2]float64{}, map[string]frame.Kind{}}
}

// reading evaluates expressions on a table.
type reading struct {
	src   string
	table *frame.Frame
	rows  int
	from  *learned
	first bool // the table is the first, from which expressions are learned
}

func (r *reading) fail(n *node, format string, a ...any) error {
	return &Error{r.src, n.at, fmt.Sprintf(format, a...)}
}

// truths are the levels of what is true or false.
var truths = []string{"FALSE", "TRUE"}

// value evaluates a variable of the design matrix.
func (r *reading) value(n *node) (*value, error) {
	switch {
	case n.kind == name:
		return r.column(n)
	case n.kind == call:
		switch n.text {
		case "factor", "as.factor":
			return r.factor(n)
		case "poly":
			return r.poly(n)
		case "scale":
			return r.scale(n)
		}
	}
	v, truth, err := r.numbers(n)
	if err != nil {
		return nil, err
	}
	for i, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, r.fail(n, "%s is %v in row %d of %s, want a number", n, x, r.table.Row(i), r.table.Source)
		}
	}
	out := &value{columns: [][]float64{v}, truth: truth}
	if truth {
		out.levels = truths
	}
	return out, nil
}

// column is a column of the table.
func (r *reading) column(n *node) (*value, error) {
	c, ok := r.table.Column(n.text)
	if !ok {
		return nil, r.fail(n, "%s has no column %q%s", r.table.Source, n.text, didYouMean(n.text, r.table.Names))
	}
	v := c.Floats()
	for i, x := range v {
		if x != x {
			return nil, r.fail(n, "%s: the value of %s is missing in row %d", r.table.Source, n.text, i+1)
		}
	}
	kind := c.Kind
	if r.first {
		r.from.kinds[n.text] = kind
	} else if was, known := r.from.kinds[n.text]; known {
		kind = was
	}
	switch {
	case kind == c.Kind:
	case kind == frame.Category: // with texts that are all numbers here
		levels := slices.Compact(slices.Sorted(slices.Values(c.Texts())))
		for i, s := range c.Texts() {
			at, _ := slices.BinarySearch(levels, s)
			v[i] = float64(at)
		}
		return r.places(n, v, levels)
	case kind == frame.Boolean && c.Kind == frame.Whole && !slices.ContainsFunc(v, func(x float64) bool { return !zeroOrOne(x) }):
	case kind == frame.Whole && c.Kind == frame.Boolean:
	case kind == frame.Boolean || c.Kind == frame.Category:
		found := fmt.Sprintf("%q in row %d", c.Texts()[0], r.table.Row(0))
		if c.Text != "" {
			found = fmt.Sprintf("%q in line %d", c.Text, c.At)
		}
		return nil, r.fail(n, "%s: %s is %s, and %s in the data of the fit", r.table.Source, n.text, found,
			map[bool]string{true: "true or false", false: "a number"}[kind == frame.Boolean])
	default: // whole numbers and others
		kind = c.Kind
	}
	switch kind {
	case frame.Boolean:
		return &value{columns: [][]float64{v}, levels: truths, truth: true}, nil
	case frame.Category:
		return r.places(n, v, c.Levels)
	case frame.Date, frame.Time, frame.Clock:
		return nil, r.fail(n, "%s holds dates or times (%s): write as.numeric(%s) for a trend, or make columns of months or "+
			"weekdays", n.text, c.Texts()[0], n)
	}
	return &value{columns: [][]float64{v}}, nil
}

// places gives a factor the levels of the first table.
func (r *reading) places(n *node, v []float64, levels []string) (*value, error) {
	key := n.String()
	if r.first {
		r.from.levels[key] = levels
	}
	known := r.from.levels[key]
	out := make([]float64, len(v))
	at := make([]int, len(levels))
	for k, l := range levels {
		at[k] = slices.Index(known, l)
	}
	for i, x := range v {
		k := at[int(x)]
		if k < 0 {
			return nil, r.fail(n, "%s: %s is %q in row %d, which did not occur in the data of the fit", r.table.Source, n,
				levels[int(x)], i+1)
		}
		out[i] = float64(k)
	}
	return &value{columns: [][]float64{out}, levels: known}, nil
}

// factor makes names of numbers.
func (r *reading) factor(n *node) (*value, error) {
	if len(n.args) != 1 {
		return nil, r.fail(n, "%s() takes one argument", n.text)
	}
	if a := n.args[0].bare(); a.kind == name {
		v, err := r.column(a)
		if err != nil || v.levels != nil {
			return v, err
		}
	}
	v, truth, err := r.numbers(n.args[0])
	if err != nil {
		return nil, err
	}
	if truth {
		return &value{columns: [][]float64{v}, levels: truths}, nil
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(v)))
	levels := make([]string, len(distinct))
	at := make([]float64, len(v))
	for k, x := range distinct {
		levels[k] = strconv.FormatFloat(x, 'g', 15, 64)
	}
	for i, x := range v {
		k, _ := slices.BinarySearch(distinct, x)
		at[i] = float64(k)
	}
	return r.places(n, at, levels)
}

// scale takes the mean of numbers away and divides by their standard deviation.
func (r *reading) scale(n *node) (*value, error) {
	a, o, err := r.arguments(n, 1, "center", "scale")
	if err != nil {
		return nil, err
	}
	v, _, err := r.numbers(a[0])
	if err != nil {
		return nil, err
	}
	key := n.String()
	if r.first {
		mean, squares := 0.0, 0.0
		for i, x := range v {
			d := x - mean
			mean += d / float64(i+1)
			squares += d * (x - mean)
		}
		if o["center"] == 0 && o.given("center") {
			squares += float64(len(v)) * mean * mean
			mean = 0
		}
		sd := math.Sqrt(squares / float64(len(v)-1))
		if o["scale"] == 0 && o.given("scale") {
			sd = 1
		}
		if !(sd > 0) {
			return nil, r.fail(n, "%s: all values of %s are equal", r.table.Source, a[0])
		}
		r.from.scales[key] = [2]float64{mean, sd}
	}
	s := r.from.scales[key]
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = (x - s[0]) / s[1]
	}
	return &value{columns: [][]float64{out}}, nil
}

// options are the named arguments of a call; true is 1.
type options map[string]float64

func (o options) given(key string) bool { _, ok := o[key]; return ok }

// arguments are the arguments of a call: some that have no name, then others by their names or in order.
func (r *reading) arguments(n *node, unnamed int, keys ...string) ([]*node, options, error) {
	var plain []*node
	o := options{}
	next := 0
	set := func(key string, a *node) error {
		a = a.bare()
		switch {
		case a.kind == number:
			o[key] = a.num
		case a.kind == name && (a.text == "TRUE" || a.text == "FALSE"):
			o[key] = map[bool]float64{true: 1}[a.text == "TRUE"]
		default:
			return r.fail(a, "%s of %s() is %s, want a number, TRUE or FALSE", key, n.text, a)
		}
		return nil
	}
	for _, a := range n.args {
		var err error
		switch {
		case a.kind == named && slices.Contains(keys, a.text):
			err = set(a.text, a.args[0])
		case a.kind == named:
			err = r.fail(a, "%s() has no argument %s", n.text, a.text)
		case len(plain) < unnamed:
			plain = append(plain, a)
		case next < len(keys):
			err = set(keys[next], a)
			next++
		default:
			err = r.fail(a, "%s() has too many arguments", n.text)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if len(plain) < unnamed {
		return nil, nil, r.fail(n, "%s() has too few arguments", n.text)
	}
	return plain, o, nil
}
