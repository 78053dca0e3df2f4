package record

import (
	"math"

	"bayeskernel/engine"
)

// sum adds numbers up.
func (t *Tape) sum(x []Real) Real {
	var c float64
	var on []Real
	for _, v := range x {
		if v.N == 0 {
			c += v.V
		} else {
			on = append(on, v)
		}
	}
	switch len(on) {
	case 0:
		return constant(c)
	case 1:
		return t.add(on[0], constant(c))
	case 2:
		return t.add(t.add(on[0], on[1]), constant(c))
	}
	return t.add(t.list(engine.SumOf, 0, on, false), constant(c))
}

func (t *Tape) dot(x, y []Real) Real {
	// A row of data by coefficients stays one operation, for many of them make a regression.
	if few := len(x) < 2 || len(x) < 4 && !fixed(x) && !fixed(y); few || fixed(x) && fixed(y) {
		s := constant(0)
		for i := range x {
			s = t.add(s, t.mul(x[i], y[i]))
		}
		return s
	}
	return t.list(engine.DotOf, 0, append(append(make([]Real, 0, 2*len(x)), x...), y...), false)
}

func fixed(x []Real) bool {
	for _, v := range x {
		if v.N != 0 {
			return false
		}
	}
	return true
}

func values(x []Real) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v.V
	}
	return out
}

func (t *Tape) product(a, b *Matrix) *Matrix {
	if a.C != b.R {
		panic(faultf("a product of matrices of %d by %d and %d by %d: the columns of the first are not as many as the rows of the second",
			a.R, a.C, b.R, b.C))
	}
	if b.C == 1 && fixed(a.X) {
		return &Matrix{a.R, 1, t.call(engine.MatVec{Rows: a.R, Cols: a.C, X: values(a.X)}, a.R, b.X)}
	}
	// By columns A is A' by rows, and the product B'A'.
	return &Matrix{a.R, b.C, t.call(engine.Product{N: b.C, K: a.C, P: a.R}, a.R*b.C, b.X, a.X)}
}

// asMatrix takes vectors as matrices of one column or row.
func asMatrix(v Value) (*Matrix, bool) {
	switch v := v.(type) {
	case Vector:
		return &Matrix{len(v), 1, v}, true
	case RowVector:
		return &Matrix{1, len(v), v}, true
	case *Matrix:
		return v, true
	}
	return nil, false
}

func isScalar(v Value) bool {
	switch v.(type) {
	case int, Real:
		return true
	}
	return false
}

// operate computes x op y.
func (t *Tape) operate(op string, x, y Value) Value {
	if i, ok := x.(int); ok {
		if j, ok := y.(int); ok {
			if v, ok := integers(op, i, j); ok {
				return v
			}
		}
	}
	if isScalar(x) && isScalar(y) {
		return t.scalarOp(op, real(x), real(y))
	}
	switch op {
	case "*":
		return t.times(x, y)
	case "/":
		if isScalar(y) {
			return t.each(op, x, y)
		}
		b, ok := y.(*Matrix)
		a, ok2 := asMatrix(x)
		if ok && ok2 { // A/B is (B'\A')'
			return reshapeLike(x, t.solve(b.transpose(), a.transpose()).transpose())
		}
	case "\\":
		a, ok := x.(*Matrix)
		b, ok2 := asMatrix(y)
		if ok && ok2 {
			return reshapeLike(y, t.solve(a, b))
		}
	case "+", "-", ".*", "./", ".^", "^":
		return t.each(op, x, y)
	}
	panic(faultf("there is no %s for %s and %s", op, typeName(x), typeName(y)))
}

// reshapeLike returns a matrix as what v is.
func reshapeLike(v Value, m *Matrix) Value {
	switch v.(type) {
	case Vector:
		return Vector(m.X)
	case RowVector:
		return RowVector(m.X)
	}
	return m
}

func integers(op string, i, j int) (Value, bool) {
	switch op {
	case "+":
		return i + j, true
	case "-":
		return i - j, true
	case "*", ".*":
		return i * j, true
	case "/", "%/%", "%":
		if j == 0 {
			panic(rejectf("a division of the whole number %d by 0", i))
		}
		if op == "%" {
			return i % j, true
		}
		return i / j, true
	}
	return nil, false
}

func (t *Tape) scalarOp(op string, x, y Real) Real {
	switch op {
	case "+":
		return t.add(x, y)
	case "-":
		return t.sub(x, y)
	case "*", ".*":
		return t.mul(x, y)
	case "/", "./":
		return t.div(x, y)
	case "^", ".^":
		return t.pow(x, y)
	}
	panic(faultf("there is no %s for real and real", op))
}

// pow with the exponents that are multiplications.
func (t *Tape) pow(x, y Real) Real {
	if y.N == 0 {
		switch y.V {
		case 1:
			return x
		case 2:
			return t.square(x)
		case 0.5:
			return t.unary(unaryOps["sqrt"], x)
		case -1:
			return t.unary(unaryOps["inv"], x)
		}
	}
	return t.binary(binaryOps["pow"], x, y)
}

// each goes element by element; numbers go with everything.
func (t *Tape) each(op string, x, y Value) Value {
	out, ok := zip(x, y, func(a, b Real) Real { return t.scalarOp(op, a, b) })
	if !ok {
		panic(faultf("there is no %s for %s and %s of these sizes", op, said(x), said(y)))
	}
	return out
}

// said is the type of a value with its sizes.
func said(v Value) string {
	switch v := v.(type) {
	case *Matrix:
		return sprintf("matrix[%d, %d]", v.R, v.C)
	case Vector:
		return sprintf("vector[%d]", len(v))
	case RowVector:
		return sprintf("row_vector[%d]", len(v))
	}
	if n, ok := length(v); ok {
		return sprintf("%s of %d", typeName(v), n)
	}
	return typeName(v)
}

// zip applies f to the numbers of x and y, which have the same shape, or one of which is a number.
func zip(x, y Value, f func(a, b Real) Real) (Value, bool) {
	if isScalar(x) {
		a, bs := real(x), scalars(y)
		out := make([]Real, len(bs))
		for i, b := range bs {
			out[i] = f(a, b)
		}
		return like(y, out), true
	}
	if isScalar(y) {
		b, as := real(y), scalars(x)
		out := make([]Real, len(as))
		for i, a := range as {
			out[i] = f(a, b)
		}
		return like(x, out), true
	}
	if _, ints := x.(Ints); !sameShape(x, y) && !(ints && sameShape(y, x)) {
		return nil, false
	}
	as, bs := scalars(x), scalars(y)
	out := make([]Real, len(as))
	for i := range out {
		out[i] = f(as[i], bs[i])
	}
	if _, ints := x.(Ints); ints {
		return like(y, out), true
	}
	return like(x, out), true
}

func sameShape(x, y Value) bool {
	switch x := x.(type) {
	case *Matrix:
		y, ok := y.(*Matrix)
		return ok && x.R == y.R && x.C == y.C
	case Vector:
		switch y := y.(type) {
		case Vector:
			return len(x) == len(y)
		case Ints: // of functions with a whole number, as in rising_factorial(x, n)
			return len(x) == len(y)
		}
		return false
	case RowVector:
		switch y := y.(type) {
		case RowVector:
			return len(x) == len(y)
		case Ints:
			return len(x) == len(y)
		}
		return false
	case Ints, Reals:
		switch y.(type) {
		case Ints, Reals:
			a, _ := length(x)
			b, _ := length(y)
			return a == b
		}
		return false
	case Array:
		y, ok := y.(Array)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !sameShape(x[i], y[i]) && !(isScalar(x[i]) && isScalar(y[i])) {
				return false
			}
		}
		return true
	}
	return isScalar(x) && isScalar(y)
}

// times is the product of numbers, vectors and matrices.
func (t *Tape) times(x, y Value) Value {
	if isScalar(x) || isScalar(y) {
		return t.each("*", x, y)
	}
	if a, ok := x.(RowVector); ok {
		if b, ok := y.(Vector); ok {
			if len(a) != len(b) {
				panic(faultf("a product of %s and %s", said(x), said(y)))
			}
			return t.dot(a, b)
		}
	}
	a, ok := asMatrix(x)
	b, ok2 := asMatrix(y)
	_, v := x.(Vector)
	_, m := y.(*Matrix)
	if !ok || !ok2 || v && m && b.R != 1 {
		panic(faultf("there is no * for %s and %s", said(x), said(y)))
	}
	out := t.product(a, b)
	switch {
	case isRow(x):
		return RowVector(out.X)
	case isColumn(y):
		return Vector(out.X)
	}
	return out
}

func isRow(v Value) bool    { _, ok := v.(RowVector); return ok }
func isColumn(v Value) bool { _, ok := v.(Vector); return ok }

func (t *Tape) solve(a, b *Matrix) *Matrix {
	if a.R != a.C || a.R != b.R {
		panic(faultf("a solution of %d by %d equations with %d right-hand sides", a.R, a.C, b.R))
	}
	out := &Matrix{b.C, a.R, t.call(engine.SolveLU{N: a.R, P: b.C}, len(b.X), a.transpose().X, b.transpose().X)}
	if len(out.X) > 0 && math.IsNaN(out.X[0].V) {
		panic(rejectf("a matrix is singular"))
	}
	return out.transpose()
}

func (t *Tape) matrixPower(m *Matrix, k int) *Matrix {
	if m.R != m.C || k < 0 {
		panic(faultf("the power %d of a matrix of %d by %d", k, m.R, m.C))
	}
	out := newMatrix(m.R, m.R)
	for i := range m.R {
		for j := range m.R {
			out.set(i, j, constant(choose(i == j)))
		}
	}
	for range k {
		out = t.product(out, m)
	}
	return out
}

func (t *Tape) negate(v Value) Value {
	switch v := v.(type) {
	case int:
		return -v
	case Ints:
		out := make(Ints, len(v))
		for i, k := range v {
			out[i] = -k
		}
		return out
	case Array:
		return each(v, t.negate)
	}
	return t.mapped(v, t.neg)
}

// mapped applies f to every number.
func (t *Tape) mapped(v Value, f func(Real) Real) Value {
	in := scalars(v)
	out := make([]Real, len(in))
	for i, x := range in {
		out[i] = f(x)
	}
	return like(v, out)
}
