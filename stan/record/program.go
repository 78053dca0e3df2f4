package record

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"bayeskernel/engine"
	"bayeskernel/internal/spelling"
	"bayeskernel/stan/syntax"
)

// Program is a program together with its data.
type Program struct {
	tree      *syntax.Program
	functions map[string][]*syntax.Function
	data      map[string]*variable // data and transformed data
	blocks    []parameter
	free      int
	stop      func() error

	print       func(string) // receives what print statements say; nil: it is lost
	approximate atomic.Bool  // whether a differential equation has been solved
	// ODETolerance, if not 0, takes the place of the tolerances that the program has.
	ODETolerance float64
}

// parameter is a declaration of the parameters block, with its unconstrained numbers.
type parameter struct {
	d     *syntax.Decl
	at, n int
}

// Data has the values of the data block by their names, as encoding/json reads them with UseNumber or
// without: numbers, lists of lists.
type Data map[string]any

// Bind reads the data, runs the transformed data, and finds the parameters. Errors are of the program, with
// their places, or of the data. Seed is that of random numbers in transformed data.
func Bind(tree *syntax.Program, data Data, seed uint64) (p *Program, err error) {
	return BindPrinting(tree, data, seed, nil)
}

// BindPrinting is Bind with a receiver of what print statements say, in transformed data too.
func BindPrinting(tree *syntax.Program, data Data, seed uint64, say func(string)) (p *Program, err error) {
	defer caught(&err)
	p = &Program{print: say, tree: tree, functions: map[string][]*syntax.Function{}, data: map[string]*variable{}}
	for _, f := range tree.Functions {
		p.functions[f.Name] = append(p.functions[f.Name], f)
	}
	c := p.newRun(newTape(nil))
	if tree.Data != nil {
		for _, s := range tree.Data.Stmts {
			d, ok := s.(*syntax.Decl)
			if !ok {
				panic(&Error{s.At(), faultf("a statement in the block \"data\", want declarations alone")})
			}
			c.read(d, data)
		}
	}
	if tree.TransformedData != nil {
		c.r = rand.New(rand.NewPCG(seed, 1))
		c.block(tree.TransformedData.Stmts)
		c.checked(tree.TransformedData.Stmts)
	}
	p.data = c.scopes[0]
	return p, p.layout(c)
}

// caught turns panics with errors of programs into errors.
func caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Error:
		*err = r
	case *fault:
		*err = r
	case *rejection:
		*err = r
	default:
		e, ok := placed(r, syntax.Pos{}, "an operation").(*Error)
		if !ok {
			panic(r)
		}
		*err = e.Err
	}
}

func (p *Program) newRun(t *Tape) *run {
	scope := map[string]*variable{}
	for k, v := range p.data {
		scope[k] = v
	}
	return &run{p: p, t: t, scopes: []map[string]*variable{scope}}
}

// read takes a variable from the data and checks it.
func (c *run) read(d *syntax.Decl, data Data) {
	defer at(d.Pos)
	v := c.sized(d.Type)
	raw, ok := data[d.Name]
	if !ok {
		if xs := count(v); xs > 0 {
			panic(faultf("the data have no %s, want %s", d.Name, said(v)))
		}
		c.set(d.Name, d.Type, v)
		return
	}
	c.set(d.Name, d.Type, filled(v, raw, d.Name))
	c.check(d)
}

func count(v Value) int {
	if t, ok := v.(Tuple); ok && len(t) > 0 {
		return 1
	}
	return len(scalars(v))
}

// filled reads JSON into the shape of v.
func filled(v Value, raw any, name string) Value {
	list := func(n int) []any {
		l, ok := raw.([]any)
		if !ok && n == 1 {
			return []any{raw}
		}
		if !ok {
			panic(faultf("%s is %v, want a list of %d", name, raw, n))
		}
		if len(l) != n {
			panic(faultf("%s has %d elements, want %d", name, len(l), n))
		}
		return l
	}
	reals := func(n int) []Real {
		out := make([]Real, n)
		for i, e := range list(n) {
			out[i] = constant(number(e, name, i+1))
		}
		return out
	}
	switch v := v.(type) {
	case int:
		if l, ok := raw.([]any); ok && len(l) == 1 {
			raw = l[0]
		}
		return whole(raw, name, 0)
	case Real:
		if l, ok := raw.([]any); ok && len(l) == 1 {
			raw = l[0]
		}
		return constant(number(raw, name, 0))
	case Vector:
		return Vector(reals(len(v)))
	case RowVector:
		return RowVector(reals(len(v)))
	case Reals:
		return Reals(reals(len(v)))
	case Ints:
		out := make(Ints, len(v))
		for i, e := range list(len(v)) {
			out[i] = whole(e, name, i+1)
		}
		return out
	case Array:
		out := make(Array, len(v))
		for i, e := range list(len(v)) {
			out[i] = filled(v[i], e, elementOf(name, i+1))
		}
		return out
	case *Matrix:
		out := newMatrix(v.R, v.C)
		for i, e := range list(v.R) {
			row := filled(make(RowVector, v.C), e, elementOf(name, i+1)).(RowVector)
			for j, x := range row {
				out.set(i, j, x)
			}
		}
		return out
	case Tuple:
		m, ok := raw.(map[string]any)
		if !ok {
			panic(faultf("%s is no tuple", name))
		}
		out := make(Tuple, len(v))
		for i := range v {
			out[i] = filled(v[i], m[fmt.Sprint(i+1)], sprintf("%s.%d", name, i+1))
		}
		return out
	}
	panic(faultf("%s cannot be read", name))
}

// whole reads a whole number that Stan's int can hold: an element of a list, or the value itself if that is 0.
func whole(raw any, name string, element int) int {
	x := number(raw, name, element)
	if x == math.Floor(x) && math.Abs(x) <= math.MaxInt32 {
		return int(x)
	}
	name = elementOf(name, element)
	if x != math.Floor(x) {
		panic(faultf("%s is %v, want a whole number", name, x))
	}
	panic(faultf("%s is %.0f, want a whole number of at most %d in size", name, x, math.MaxInt32))
}

// elementOf names an element of a list, or the value itself if the element is 0: y[3], and of that y[3, 2].
func elementOf(name string, element int) string {
	if inner, ok := strings.CutSuffix(name, "]"); ok && element > 0 {
		return fmt.Sprintf("%s, %d]", inner, element)
	} else if element > 0 {
		return fmt.Sprintf("%s[%d]", name, element)
	}
	return name
}

// number reads a number: an element of a list, or the value itself if that is 0.
func number(raw any, name string, element int) float64 {
	switch x := raw.(type) {
	case float64:
		return x
	case int:
		return float64(x)
	case bool:
		return choose(x)
	case fmt.Stringer: // json.Number
		var v float64
		if _, err := fmt.Sscan(x.String(), &v); err == nil {
			return v
		}
	case string:
		switch strings.ToLower(x) {
		case "nan":
			return math.NaN()
		case "inf", "+inf", "infinity", "+infinity":
			return math.Inf(1)
		case "-inf", "-infinity":
			return math.Inf(-1)
		}
		panic(faultf("%s is the text %q, want a number", elementOf(name, element), x))
	case nil:
		panic(faultf("%s is null, want a number", elementOf(name, element)))
	}
	panic(faultf("%s is %v, want a number", elementOf(name, element), raw))
}

// layout finds the places of the parameters.
func (p *Program) layout(c *run) error {
	if p.tree.Parameters == nil {
		return nil
	}
	for _, s := range p.tree.Parameters.Stmts {
		d, ok := s.(*syntax.Decl)
		if !ok {
			return &Error{s.At(), faultf("a statement in the block \"parameters\", want declarations alone")}
		}
		if d.Type.Base == "int" {
			return &Error{d.Pos, faultf("the parameter %s is an int, want reals: sum discrete values out", d.Name)}
		}
		n := func() int { defer at(d.Pos); return c.free(d.Type) }()
		p.blocks = append(p.blocks, parameter{d, p.free, n})
		if p.free += n; p.free > maxOperations {
			return &Error{d.Pos, faultf("the program has %d parameters with those of %s, want at most %d", p.free, d.Name, maxOperations)}
		}
	}
	return nil
}

// free is the number of unconstrained numbers behind a value of a type.
func (c *run) free(t *syntax.Type) int {
	dims, r, cols := c.extent(t)
	n := 0
	if t.Base != "tuple" {
		n = unconstrained(t.Base, r, cols)
	}
	for _, p := range t.Parts {
		n += c.free(p)
	}
	for _, size := range dims {
		n *= size
	}
	return n
}

// Dim is the number of unconstrained coordinates.
func (p *Program) Dim() int { return p.free }

// parameters gives the declared parameters their values at the inputs of the tape.
func (c *run) parameters() {
	for _, q := range c.p.blocks {
		d := q.d
		next := q.at
		v := func() Value {
			c.at(d.Pos)
			defer at(d.Pos)
			return c.declared(d.Type, &next)
		}()
		c.set(d.Name, d.Type, v)
	}
}

// declared makes a parameter of a type.
func (c *run) declared(t *syntax.Type, next *int) Value {
	dims, r, cols := c.extent(t)
	return c.transformed(t, dims, nil, r, cols, next)
}

// transformed makes a parameter, or the elements of an array of them; index is the place in the array.
func (c *run) transformed(t *syntax.Type, dims, index []int, r, cols int, next *int) Value {
	if len(dims) > 0 {
		out := make([]Value, dims[0])
		for i := range out {
			out[i] = c.transformed(t, dims[1:], append(slices.Clone(index), i), r, cols, next)
		}
		if len(out) == 0 {
			if t.Base == "tuple" {
				return Array{}
			}
			return blank(kindOf(t.Base), append([]int{0}, dims[1:]...), r, cols, nil)
		}
		return arrayOf(out)
	}
	if t.Base == "tuple" {
		var out Tuple
		for _, p := range t.Parts {
			out = append(out, c.declared(p, next))
		}
		return out
	}
	u := make([]Real, unconstrained(t.Base, r, cols))
	for i := range u {
		u[i] = c.input(*next)
		*next++
	}
	switch t.Base {
	case "real", "vector", "row_vector", "matrix":
	default:
		return c.constrain(t.Base, u, r, cols)
	}
	l := c.limits(t, index)
	out := make([]Real, len(u))
	for k, x := range u {
		out[k] = c.bound(x, l.lower(k), l.upper(k), l.offset(k), l.multiplier(k))
	}
	switch t.Base {
	case "real":
		return out[0]
	case "vector":
		return Vector(out)
	case "row_vector":
		return RowVector(out)
	}
	return &Matrix{r, cols, out}
}

// limits are those of a type at a place of an array, for each number: nil where there is none.
type limits struct{ lower, upper, offset, multiplier func(k int) *Real }

func (c *run) limits(t *syntax.Type, index []int) limits {
	limit := func(e syntax.Expr) func(k int) *Real {
		if e == nil {
			return func(int) *Real { return nil }
		}
		v := c.eval(e)
		for _, i := range index {
			if _, ok := length(v); ok && !isVectorLimit(v, t.Base) {
				v = element(v, i)
			}
		}
		xs := scalars(v)
		return func(k int) *Real { return &xs[k%len(xs)] }
	}
	return limits{limit(t.Lower), limit(t.Upper), limit(t.Offset), limit(t.Multiplier)}
}

// isVectorLimit reports whether a limit is for the elements of one vector, not of an array.
func isVectorLimit(v Value, base string) bool {
	switch v.(type) {
	case Vector:
		return base == "vector"
	case RowVector:
		return base == "row_vector"
	case *Matrix:
		return base == "matrix"
	}
	return false
}

// check holds the value of a declaration against its constraint.
func (c *run) check(d *syntax.Decl) {
	v := c.lookup(d.Name).v
	c.checkType(d.Type, v, d.Name)
}

func (c *run) checked(list []syntax.Stmt) {
	for _, s := range list {
		if d, ok := s.(*syntax.Decl); ok {
			func() {
				c.at(d.Pos)
				defer at(d.Pos)
				c.check(d)
			}()
		}
	}
}

func (c *run) checkType(t *syntax.Type, v Value, name string) {
	if t.Lower == nil && t.Upper == nil {
		if kindOf(t.Base) != t.Base {
			c.checkShape(t, v, len(t.Array), name)
		}
		return
	}
	xs := scalars(v)
	against := func(e syntax.Expr, op engine.Code, swap bool, word string) {
		if e == nil {
			return
		}
		limit := c.eval(e)
		ls := scalars(limit)
		for i, x := range xs {
			l := ls[0]
			if len(ls) == len(xs) {
				l = ls[i]
			} else if len(ls) > 1 {
				l = ls[i%len(ls)]
			}
			a, b := l, x
			if swap {
				a, b = x, l
			}
			if !c.t.compare(op, a, b) {
				panic(rejectf("%s is %v, want %s %v", elementName(name, v, i), x.V, word, l.V))
			}
		}
	}
	against(t.Lower, engine.LessEqual, false, "at least")
	against(t.Upper, engine.LessEqual, true, "at most")
}

// elementName is the name of the scalar number i of a value, in the order of scalars.
func elementName(name string, v Value, i int) string {
	switch v := v.(type) {
	case *Matrix:
		if v.R > 0 {
			return sprintf("%s[%d, %d]", name, i%v.R+1, i/v.R+1)
		}
	case Ints, Reals, Vector, RowVector:
		return sprintf("%s[%d]", name, i+1)
	}
	return name
}

// near reports whether a value is what a constraint wants; guards watch it, as they do what follows.
func (c *run) near(x Real, want float64) bool {
	const eps = 1e-8
	return c.t.compare(engine.LessEqual, c.t.unary(unaryOps["abs"], c.t.sub(x, constant(want))), constant(eps))
}

func (c *run) atLeast(x Real, least float64) bool {
	return c.t.compare(engine.LessEqual, constant(least), x)
}

// isSimplex rejects values that are no probabilities which add up to 1.
func (c *run) isSimplex(xs []Real, what string) {
	for _, x := range xs {
		if !c.atLeast(x, 0) {
			panic(rejectf("%s has the value %v, want positive numbers that add up to 1", what, x.V))
		}
	}
	if s := c.t.sum(xs); !c.near(s, 1) {
		panic(rejectf("the values of %s add up to %v, want 1", what, s.V))
	}
}

// probabilities is isSimplex for the argument of a distribution, which looks at the same values once.
func (c *run) probabilities(xs []Real, of string) {
	if len(xs) == 0 {
		panic(rejectf("%s: there are no probabilities", of))
	}
	if slices.Equal(c.simplexes[ends(xs)], xs) {
		return
	}
	c.isSimplex(xs, "the probabilities of "+of)
	c.knowSimplex(xs)
}

// knowSimplex notes values that are probabilities which add up to 1.
func (c *run) knowSimplex(xs []Real) {
	if c.simplexes == nil {
		c.simplexes = map[[2]Real][]Real{}
	}
	c.simplexes[ends(xs)] = xs
}

// ends are the first of some values and the last.
func ends(xs []Real) [2]Real { return [2]Real{xs[0], xs[len(xs)-1]} }

// checkShape checks simplexes and the like.
func (c *run) checkShape(t *syntax.Type, v Value, dims int, name string) {
	if dims > 0 {
		n, _ := length(v)
		for i := range n {
			c.checkShape(t, element(v, i), dims-1, sprintf("%s[%d]", name, i+1))
		}
		return
	}
	xs := scalars(v)
	near, atLeast, sumsTo := c.near, c.atLeast, c.isSimplex
	switch t.Base {
	case "simplex":
		sumsTo(xs, name)
	case "column_stochastic_matrix", "row_stochastic_matrix":
		m := v.(*Matrix)
		if t.Base == "row_stochastic_matrix" {
			m = m.transpose()
		}
		for j := range m.C {
			sumsTo(m.col(j), sprintf("row or column %d of %s", j+1, name))
		}
	case "sum_to_zero_vector", "sum_to_zero_matrix":
		if s := c.t.sum(xs); !near(s, 0) {
			panic(rejectf("the values of %s add up to %v, want 0", name, s.V))
		}
	case "ordered", "positive_ordered":
		for i, x := range xs {
			if i > 0 && !c.t.compare(engine.Less, xs[i-1], x) || i == 0 && t.Base == "positive_ordered" && !atLeast(x, 0) {
				panic(rejectf("%s is not in increasing order", name))
			}
		}
	case "unit_vector":
		if s := c.t.dot(xs, xs); !near(s, 1) {
			panic(rejectf("the length of %s is %v, want 1", name, math.Sqrt(s.V)))
		}
	case "cov_matrix", "corr_matrix":
		m := v.(*Matrix)
		l := c.t.factor(m, name)
		for i := range m.R {
			if t.Base == "corr_matrix" && !near(m.at(i, i), 1) {
				panic(rejectf("%s[%d, %d] is %v, want 1: a correlation matrix", name, i+1, i+1, m.at(i, i).V))
			}
			c.t.compare(engine.Less, constant(0), l.at(i, i))
		}
	case "cholesky_factor_corr", "cholesky_factor_cov":
		m := v.(*Matrix)
		for i := range m.R {
			if i < m.C && !c.t.compare(engine.Less, constant(0), m.at(i, i)) {
				panic(rejectf("%s[%d, %d] is %v, want a positive number", name, i+1, i+1, m.at(i, i).V))
			}
			for j := i + 1; j < m.C; j++ {
				if !c.t.compare(engine.Equal, m.at(i, j), constant(0)) {
					panic(rejectf("%s[%d, %d] is %v, want 0: a lower triangle", name, i+1, j+1, m.at(i, j).V))
				}
			}
			if row := m.row(i); t.Base == "cholesky_factor_corr" && !near(c.t.dot(row, row), 1) {
				panic(rejectf("row %d of %s has not the length 1", i+1, name))
			}
		}
	}
}

// recorded runs the program at a point.
func (p *Program) recorded(u []float64, model bool) (c *run, err error) {
	defer caught(&err)
	c = p.newRun(newTape(u))
	c.parameters()
	if b := p.tree.TransformedParameters; b != nil {
		c.lp = true
		c.block(b.Stmts)
		c.checked(b.Stmts)
	}
	if b := p.tree.Model; b != nil && model {
		c.lp = true
		c.push()
		c.block(b.Stmts)
		c.pop()
	}
	return c, nil
}

// Rejected reports whether an error says that the density is 0 at a point; others are of the program.
func Rejected(err error) bool {
	for err != nil {
		if _, ok := err.(*rejection); ok {
			return true
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return false
		}
		err = u.Unwrap()
	}
	return false
}

// LogDensity returns the log density at a point of the unconstrained space, with the Jacobian of the
// transforms and all constants, and writes its gradient. Where the program rejects the point it is -Inf
// with the reason.
func (p *Program) LogDensity(u, grad []float64) (float64, error) {
	lp, _, err := p.Evaluate(u, grad)
	return lp, err
}

// Explain says why the log density at u is -Inf: a reject, or the statement that adds -Inf; "" where neither is.
func (p *Program) Explain(u []float64) string {
	if err := p.Why(u); err != nil {
		return err.Error()
	}
	return ""
}

// Why is Explain with the place in the program: an *Error, or nil.
func (p *Program) Why(u []float64) error {
	c, err := p.recorded(u, true)
	switch {
	case err != nil || c.ruled.Line == 0:
		return err
	case c.why != "":
		return &Error{c.ruled, rejectf("%s", c.why)}
	}
	return &Error{c.ruled, rejectf("this adds -Inf")}
}

// Evaluate is LogDensity that also returns the values of parameters and transformed parameters, in the order
// of Names, where the program does not reject the point.
func (p *Program) Evaluate(u, grad []float64) (lp float64, values []float64, err error) {
	c, err := p.recorded(u, true)
	if err != nil {
		if Rejected(err) {
			return math.Inf(-1), nil, err
		}
		return math.NaN(), nil, err
	}
	roots := append(c.target, c.jac...)
	for _, r := range roots {
		lp += r.V
	}
	c.t.gradient(roots, grad)
	var l flatList
	c.flat(&l)
	return lp, l.values, nil
}

// Names are those of parameters and transformed parameters, theta.1.2, in the order of their declaration;
// of arrays and matrices the first index runs fastest.
func (p *Program) Names(u []float64) ([]string, error) {
	l := flatList{named: true}
	err := p.flat(u, &l)
	return l.names, err
}

// Values are those of parameters and transformed parameters in the order of Names.
func (p *Program) Values(u []float64) ([]float64, error) {
	var l flatList
	err := p.flat(u, &l)
	return l.values, err
}

func (p *Program) flat(u []float64, l *flatList) error {
	c, err := p.recorded(u, false)
	if err == nil {
		c.flat(l)
	}
	return err
}

// flat lists parameters and transformed parameters.
func (c *run) flat(l *flatList) {
	for _, q := range c.p.blocks {
		l.add(c.lookup(q.d.Name).v, q.d.Name)
	}
	if b := c.p.tree.TransformedParameters; b != nil {
		for _, s := range b.Stmts {
			if d, ok := s.(*syntax.Decl); ok {
				l.add(c.lookup(d.Name).v, d.Name)
			}
		}
	}
}

// flatList has numbers one after the other, and their names where these are wanted: names take longer to write than
// values to compute.
type flatList struct {
	named  bool
	names  []string
	values []float64
}

// add lists the numbers of a value with the first index fastest.
func (l *flatList) add(v Value, name string) {
	if !l.named {
		switch v := v.(type) {
		case Vector:
			l.reals(v)
			return
		case RowVector:
			l.reals(v)
			return
		case Reals:
			l.reals(v)
			return
		case *Matrix: // by columns
			l.reals(v.X)
			return
		}
	}
	if t, ok := v.(Tuple); ok {
		for i, e := range t {
			l.add(e, sprintf("%s:%d", name, i+1))
		}
		return
	}
	if a, ok := v.(Array); ok && hasTuples(a) {
		for i, e := range a {
			l.add(e, sprintf("%s.%d", name, i+1))
		}
		return
	}
	shape := shapeOf(v)
	if len(shape) == 0 {
		l.number(real(v), name, nil)
		return
	}
	total := 1
	for _, n := range shape {
		total *= n
	}
	index := make([]int, len(shape))
	for range total {
		l.number(numberAt(v, index), name, index)
		for k := range index {
			if index[k]++; index[k] < shape[k] {
				break
			}
			index[k] = 0
		}
	}
}

func (l *flatList) reals(x []Real) {
	for _, v := range x {
		l.values = append(l.values, v.V)
	}
}

func (l *flatList) number(x Real, name string, index []int) {
	l.values = append(l.values, x.V)
	if !l.named {
		return
	}
	label := []byte(name)
	for _, i := range index {
		label = strconv.AppendInt(append(label, '.'), int64(i+1), 10)
	}
	l.names = append(l.names, string(label))
}

func hasTuples(a Array) bool {
	if len(a) == 0 {
		return false
	}
	if inner, ok := a[0].(Array); ok {
		return hasTuples(inner)
	}
	_, ok := a[0].(Tuple)
	return ok
}

// shapeOf has the sizes of all dimensions.
func shapeOf(v Value) []int {
	switch v := v.(type) {
	case int, Real:
		return nil
	case *Matrix:
		return []int{v.R, v.C}
	}
	n, _ := length(v)
	if n == 0 {
		return []int{0}
	}
	return append([]int{n}, shapeOf(element(v, 0))...)
}

func numberAt(v Value, index []int) Real {
	if m, ok := v.(*Matrix); ok {
		return m.at(index[0], index[1])
	}
	if len(index) == 0 {
		return real(v)
	}
	return numberAt(element(v, index[0]), index[1:])
}

// nearest suggests a name for a misspelt one.
func (p *Program) nearest(name string) string {
	best, least, asked := "", 3, []rune(name)
	try := func(s string) {
		if d := spelling.Distance(asked, []rune(s)); d < least || d == least && s < best {
			best, least = s, d
		}
	}
	for s := range p.functions {
		try(s)
	}
	for s := range functions {
		try(s)
	}
	for s := range families {
		try(s)
	}
	for s := range joints {
		try(s)
	}
	for s := range unaryOps {
		try(s)
	}
	for s := range binaryOps {
		try(s)
	}
	if best == "" {
		return ""
	}
	return ": did you mean " + best + "?"
}
