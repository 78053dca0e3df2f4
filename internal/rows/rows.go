package rows

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Finite copies a, row by row, and names the first element that is not a finite number. Errors call
// the matrix name and count rows and columns from 1.
func Finite(name string, a mat.Matrix) (data []float64, n, dim int, err error) {
	if data, n, dim, err = view(name, a); err == nil {
		if _, shared := whole(a); shared {
			data = slices.Clone(data)
		}
	}
	return data, n, dim, err
}

// view is Finite without a copy where a has its elements side by side: they are not to be changed.
func view(name string, a mat.Matrix) (data []float64, n, dim int, err error) {
	parts, n, dim, err := Parts(name, a)
	if err != nil {
		return nil, 0, 0, err
	}
	return Join(parts), n, dim, nil
}

// Nil reports whether a is nil, or a matrix that is a nil pointer.
func Nil(a mat.Matrix) bool {
	v := reflect.ValueOf(a)
	return a == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// Check returns an error if a is no matrix with rows and columns.
func Check(name string, a mat.Matrix) error {
	if Nil(a) {
		return fmt.Errorf("%s is nil, want a matrix", name)
	}
	if n, d := a.Dims(); n == 0 || d == 0 {
		return fmt.Errorf("%s has %s and %s, want at least one of each", name, Count(n, "row"), Count(d, "column"))
	}
	return nil
}

// Scaled returns an error if the values of a column range too far, or too little without being equal, for sums of their
// fourth powers.
func Scaled(name string, a mat.Matrix) error {
	const least, most = 1e-70, 1e70
	n, d := a.Dims()
	for j := range d {
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range n {
			v := a.At(i, j)
			lo, hi = min(lo, v), max(hi, v)
		}
		if size := max(hi-lo, math.Abs(lo), math.Abs(hi)); size > most || hi > lo && hi-lo < least {
			return fmt.Errorf("column %d of %s goes from %.4g to %.4g, want a range from %g to %g: give it in another unit", j+1, name,
				lo, hi, least, most)
		}
	}
	return nil
}

// Lagged is the correlation of values with those before them, NaN of equal ones.
func Lagged(x []float64) float64 {
	mean, products, squares := 0.0, 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for i, v := range x {
		d := v - mean
		squares += d * d
		if i > 0 {
			products += d * (x[i-1] - mean)
		}
	}
	if squares == 0 {
		return math.NaN()
	}
	return products / squares
}

// Join puts parts one after the other, without a copy if there is one.
func Join(parts [][]float64) []float64 {
	if len(parts) == 1 {
		return parts[0]
	}
	return slices.Concat(parts...)
}

// Parts is View, but for a Stack without a copy, in its parts.
func Parts(name string, a mat.Matrix) (parts [][]float64, n, dim int, err error) {
	if err := Check(name, a); err != nil {
		return nil, 0, 0, err
	}
	n, dim = a.Dims()
	list, ok := a.(Stack)
	if !ok {
		list = nil
		parts = append(parts, elements(a))
	}
	for _, m := range list {
		if !m.IsEmpty() {
			parts = append(parts, elements(m))
		}
	}
	first := 0
	for _, data := range parts {
		for i, v := range data {
			if v-v != 0 {
				return nil, 0, 0, fmt.Errorf("%s is %v in row %d, column %d (counted from 1), "+
					"want a finite number", name, v, first+i/dim+1, i%dim+1)
			}
		}
		first += len(data) / dim
	}
	return parts, n, dim, nil
}

// elements returns the elements of a row by row, a copy if they do not lie side by side.
func elements(a mat.Matrix) []float64 {
	data, ok := whole(a)
	if !ok {
		n, dim := a.Dims()
		data = make([]float64, n*dim)
		for i := range n {
			mat.Row(data[i*dim:(i+1)*dim], i, a)
		}
	}
	return data
}

// whole returns the elements of a if they lie side by side, row by row.
func whole(a mat.Matrix) ([]float64, bool) {
	if s, ok := a.(Stack); ok && len(s) == 1 {
		a = s[0]
	}
	if raw, ok := a.(mat.RawMatrixer); ok {
		if m := raw.RawMatrix(); m.Stride == m.Cols {
			return m.Data[:m.Rows*m.Cols], true
		}
	}
	return nil, false
}

// Stack is the matrix of the rows of several, one after the other, which are not copied. All have the same
// number of columns.
type Stack []*mat.Dense

// Dims returns the numbers of rows and columns.
func (s Stack) Dims() (n, dim int) {
	for _, m := range s {
		r, c := m.Dims()
		n, dim = n+r, max(dim, c)
	}
	return n, dim
}

// At returns an element.
func (s Stack) At(i, j int) float64 {
	for _, m := range s {
		n, _ := m.Dims()
		if i < n {
			return m.At(i, j)
		}
		i -= n
	}
	panic(mat.ErrRowAccess)
}

// T returns the transpose.
func (s Stack) T() mat.Matrix { return mat.Transpose{Matrix: s} }

// Count writes a number of things: 1 row, 2 rows.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Order returns the indices of the rows in lexicographic order, those of equal rows increasing.
func Order(rows []float64, dim int) []int {
	order := make([]int, len(rows)/dim)
	for i := range order {
		order[i] = i
	}
	if dim == 1 {
		slices.SortFunc(order, func(i, j int) int {
			return cmp.Or(cmp.Compare(rows[i], rows[j]), cmp.Compare(i, j))
		})
		return order
	}
	row := func(i int) []float64 { return rows[i*dim : (i+1)*dim] }
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(slices.Compare(row(i), row(j)), cmp.Compare(i, j))
	})
	return order
}

// Sort returns the rows in lexicographic order, with 0 for -0: what is computed from them then
// depends on the set of rows alone, to the last bit.
func Sort(rows []float64, dim int) []float64 {
	var out []float64
	if dim == 1 {
		out = slices.Clone(rows)
		slices.Sort(out)
	} else {
		out = Pick(rows, dim, Order(rows, dim))
	}
	for i, v := range out {
		out[i] = v + 0
	}
	return out
}

// Pick returns the rows with these indices.
func Pick(rows []float64, dim int, index []int) []float64 {
	out := make([]float64, 0, len(index)*dim)
	for _, i := range index {
		out = append(out, rows[i*dim:(i+1)*dim]...)
	}
	return out
}

// Distinct returns the index of the first of each set of equal rows, in increasing order.
func Distinct(rows []float64, dim int) []int {
	order := slices.CompactFunc(Order(rows, dim), func(i, j int) bool {
		return slices.Equal(rows[i*dim:(i+1)*dim], rows[j*dim:(j+1)*dim])
	})
	slices.Sort(order)
	return order
}

// Distance is the Euclidean distance, without overflow on the way.
func Distance(a, b []float64) float64 {
	s := 0.0
	for j, v := range a {
		s = math.Hypot(s, v-b[j])
	}
	return s
}
