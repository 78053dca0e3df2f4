package record

import (
	"fmt"
	"math"

	"bayeskernel/stan/syntax"
)

// Unconstrain finds the unconstrained numbers of the parameters that values have, and writes them into u. The
// numbers of the other parameters stay as they are in u; missing names these parameters. Values that their
// constraints do not allow are an error.
func (p *Program) Unconstrain(values Data, u []float64) (missing []string, err error) {
	err = p.inverted(u, func(c *run, d *syntax.Decl) Value {
		raw, ok := values[d.Name]
		if !ok {
			missing = append(missing, d.Name)
			return nil
		}
		return filled(c.sized(d.Type), raw, d.Name)
	})
	return missing, err
}

// UnconstrainRow is Unconstrain for the values of all parameters in the order of ParameterNames.
func (p *Program) UnconstrainRow(row, u []float64) error {
	err := p.inverted(u, func(c *run, d *syntax.Decl) Value {
		v := c.sized(d.Type)
		eachIndex(shapeOf(v), func(index []int) {
			if len(row) == 0 {
				panic(faultf("there are fewer values than parameters"))
			}
			v = withNumber(v, index, constant(row[0]))
			row = row[1:]
		})
		return v
	})
	if err == nil && len(row) > 0 {
		return fmt.Errorf("stan: there are %d more values than parameters", len(row))
	}
	return err
}

// inverted inverts the transforms of the parameters, in the order of their declaration: bounds may depend on
// parameters before.
func (p *Program) inverted(u []float64, value func(*run, *syntax.Decl) Value) (err error) {
	defer caught(&err)
	c := p.newRun(newTape(nil))
	c.u = u
	for _, q := range p.blocks {
		d := q.d
		dims := make([]int, len(d.Type.Array))
		for i, e := range d.Type.Array {
			dims[i] = c.size(e)
		}
		r, cols := c.sizes(d.Type)
		func() {
			c.at(d.Pos)
			defer at(d.Pos)
			if v := value(c, d); v != nil {
				c.invert(d.Type, v, nil, len(dims), r, cols, u[q.at:q.at:q.at+q.n], d.Name)
			}
			next := q.at
			c.set(d.Name, d.Type, c.transformed(d.Type, dims, nil, r, cols, &next))
		}()
	}
	return nil
}

// invert appends the unconstrained numbers of a value, or of the elements of an array.
func (c *run) invert(t *syntax.Type, v Value, index []int, dims, r, cols int, u []float64, name string) []float64 {
	if dims > 0 {
		n, _ := length(v)
		for i := range n {
			u = c.invert(t, element(v, i), append(index[:len(index):len(index)], i), dims-1, r, cols, u, sprintf("%s[%d]", name, i+1))
		}
		return u
	}
	xs := scalars(v)
	x := make([]float64, len(xs))
	for i, e := range xs {
		x[i] = e.V
	}
	var out []float64
	switch t.Base {
	case "real", "vector", "row_vector", "matrix":
		l := c.limits(t, index)
		for k, v := range x {
			out = append(out, unbound(v, l.lower(k), l.upper(k), l.offset(k), l.multiplier(k)))
		}
	default:
		out = inverse(t.Base, x, r, cols)
	}
	for _, v := range out {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(faultf("%s does not keep its constraint, or lies on its bound", name))
		}
	}
	return append(u, out...)
}

// unbound inverts bound.
func unbound(x float64, lo, hi, offset, multiplier *Real) float64 {
	if lo != nil && math.IsInf(lo.V, -1) {
		lo = nil
	}
	if hi != nil && math.IsInf(hi.V, 1) {
		hi = nil
	}
	switch {
	case lo != nil && hi != nil:
		return math.Log((x - lo.V) / (hi.V - x))
	case lo != nil:
		return math.Log(x - lo.V)
	case hi != nil:
		return math.Log(hi.V - x)
	}
	if offset != nil {
		x -= offset.V
	}
	if multiplier != nil {
		x /= multiplier.V
	}
	return x
}

// inverse inverts constrain. Values are those of scalars: matrices column by column.
func inverse(base string, x []float64, r, cols int) []float64 {
	var u []float64
	switch base {
	case "ordered", "positive_ordered":
		for k, v := range x {
			switch {
			case k > 0:
				v = math.Log(v - x[k-1])
			case base == "positive_ordered":
				v = math.Log(v)
			}
			u = append(u, v)
		}
	case "simplex":
		return unbroken(x)
	case "unit_vector":
		return x
	case "sum_to_zero_vector":
		return fromZeroSum(x)
	case "sum_to_zero_matrix":
		half := make([][]float64, max(cols-1, 0))
		for i := range r {
			for j, v := range fromZeroSum(rowOf(x, i, r, cols)) {
				half[j] = append(half[j], v)
			}
		}
		for _, h := range half {
			u = append(u, fromZeroSum(h)...)
		}
	case "column_stochastic_matrix":
		for j := range cols {
			u = append(u, unbroken(x[j*r:(j+1)*r])...)
		}
	case "row_stochastic_matrix":
		u = make([]float64, r*max(cols-1, 0))
		for i := range r {
			for j, v := range unbroken(rowOf(x, i, r, cols)) {
				u[j*r+i] = v
			}
		}
	case "cholesky_factor_cov":
		return fromFactor(x, r, cols)
	case "cov_matrix":
		return fromFactor(factorOf(x, r), r, r)
	case "cholesky_factor_corr":
		z := partial(x, r)
		for i := range r {
			for j := range i {
				u = append(u, math.Atanh(z[j*r+i]))
			}
		}
	case "corr_matrix":
		z := partial(factorOf(x, r), r)
		for j := range r {
			for i := j + 1; i < r; i++ {
				u = append(u, math.Atanh(z[j*r+i]))
			}
		}
	default:
		panic(faultf("values of a %s are not read", base))
	}
	return u
}

// unbroken inverts the breaking of a stick.
func unbroken(x []float64) []float64 {
	left, sum := 1.0, 0.0
	for _, v := range x {
		sum += v
	}
	if !(math.Abs(sum-1) < 1e-3) { // what few digits of draws leave
		return []float64{math.NaN()}
	}
	var u []float64
	for i := range len(x) - 1 {
		v := x[i] / sum
		u = append(u, math.Log(v/(left-v))+math.Log(float64(len(x)-i-1)))
		left -= v
	}
	return u
}

// fromZeroSum inverts sumToZero: x_i = w_(i+1) + w_(i+2) + … - i w_i for i from 0, w_i = u_i / sqrt(i(i+1)).
func fromZeroSum(x []float64) []float64 {
	u := make([]float64, max(len(x)-1, 0))
	s := 0.0
	for i := len(u); i >= 1; i-- {
		w := (s - x[i]) / float64(i)
		s += w
		u[i-1] = w * math.Sqrt(float64(i)*float64(i+1))
	}
	return u
}

func rowOf(x []float64, i, r, cols int) []float64 {
	row := make([]float64, cols)
	for j := range row {
		row[j] = x[j*r+i]
	}
	return row
}

// fromFactor reads the lower triangle row by row.
func fromFactor(l []float64, r, cols int) (u []float64) {
	for i := range r {
		for j := range min(i+1, cols) {
			v := l[j*r+i]
			if i == j {
				v = math.Log(v)
			}
			u = append(u, v)
		}
	}
	return u
}

// factorOf is the Cholesky factor of a matrix, with NaN where it is not positive definite.
func factorOf(x []float64, n int) []float64 {
	l := make([]float64, n*n)
	for j := range n {
		for i := j; i < n; i++ {
			s := x[j*n+i]
			for k := range j {
				s -= l[k*n+i] * l[k*n+j]
			}
			if i == j {
				l[j*n+i] = math.Sqrt(s)
			} else {
				l[j*n+i] = s / l[j*n+j]
			}
		}
	}
	return l
}

// partial are the partial correlations behind the factor of a correlation matrix.
func partial(l []float64, n int) []float64 {
	z := make([]float64, n*n)
	for i := range n {
		left := 1.0
		for j := range i {
			w := l[j*n+i]
			z[j*n+i] = w / math.Sqrt(left)
			left -= w * w
		}
	}
	return z
}

// ParameterNames are those of the parameters alone, in the order of Names.
func (p *Program) ParameterNames() (names []string, err error) {
	defer caught(&err)
	c := p.newRun(newTape(nil))
	l := flatList{named: true}
	for _, q := range p.blocks {
		l.add(c.sized(q.d.Type), q.d.Name)
	}
	return l.names, nil
}

// UnconstrainedNames name the unconstrained coordinates in their order: those of a parameter that is an
// array have the places in the array first, then their number.
func (p *Program) UnconstrainedNames() (names []string, err error) {
	defer caught(&err)
	c := p.newRun(newTape(nil))
	for _, q := range p.blocks {
		t := q.d.Type
		r, cols := c.sizes(t)
		each := unconstrained(t.Base, r, cols)
		var list func(name string, dims []syntax.Expr)
		list = func(name string, dims []syntax.Expr) {
			switch {
			case len(dims) > 0:
				for i := range c.size(dims[0]) {
					list(sprintf("%s.%d", name, i+1), dims[1:])
				}
			case t.Base == "real":
				names = append(names, name)
			case t.Base == "matrix":
				for k := range each {
					names = append(names, sprintf("%s.%d.%d", name, k%r+1, k/r+1))
				}
			default:
				for k := range each {
					names = append(names, sprintf("%s.%d", name, k+1))
				}
			}
		}
		list(q.d.Name, t.Array)
	}
	return names, nil
}

// Stretch is a number of coordinates from one on.
type Stretch struct{ From, Count int }

// UnitVectors are the coordinates of unit vectors, each by itself.
func (p *Program) UnitVectors() (list []Stretch) {
	c := p.newRun(newTape(nil))
	for _, q := range p.blocks {
		if q.d.Type.Base == "unit_vector" {
			each, _ := c.sizes(q.d.Type)
			for at := q.at; at < q.at+q.n; at += each {
				list = append(list, Stretch{at, each})
			}
		}
	}
	return list
}

// eachIndex calls f for every place of an array, the first index fastest.
func eachIndex(shape []int, f func(index []int)) {
	total := 1
	for _, n := range shape {
		total *= n
	}
	index := make([]int, len(shape))
	for range total {
		f(index)
		for k := range index {
			if index[k]++; index[k] < shape[k] {
				break
			}
			index[k] = 0
		}
	}
}

// withNumber puts a number at a place of v.
func withNumber(v Value, index []int, x Real) Value {
	switch w := v.(type) {
	case Real:
		return x
	case Vector:
		w[index[0]] = x
	case RowVector:
		w[index[0]] = x
	case Reals:
		w[index[0]] = x
	case *Matrix:
		w.set(index[0], index[1], x)
	case Array:
		w[index[0]] = withNumber(w[index[0]], index[1:], x)
	default:
		panic(faultf("values of this type are not read"))
	}
	return v
}
