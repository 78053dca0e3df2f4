package bke

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// rounding is the relative size below which a number counts as rounding error: 16 units in the
// last place. A sum of a few rounded terms, such as a column that repeats what others say, is off
// by a few units.
const rounding = 16 * 0x1p-52

// plane is the affine subspace on which data of deficient rank lie. Its coordinates are those of
// the orthogonal projection onto an orthonormal basis, B'x, so that distances on it are distances
// between the rows as given, and the isotropic kernel is the same. Measures nu are those on the
// plane. Where constant columns are the only defect, B picks the other columns, unchanged to the
// last bit.
type plane struct {
	given, dim int
	basis      []float64 // given x dim, row by row
	offset     []float64 // a point of the plane less its projection: the same for all points
	constant   []int     // columns that are constant
	dependent  []int     // further columns, each with a part in a linear relation of columns
}

// planeOf returns the plane of the rows of x and z together, nil if it is the whole space.
func planeOf(x, z []float64, dim int) (*plane, error) {
	hull := hullOf(append(append(make([]float64, 0, len(x)+len(z)), x...), z...), dim)
	if len(hull.normals) == 0 {
		return nil, nil
	}
	p := &plane{given: dim, dim: dim - len(hull.normals), constant: hull.constant}
	if p.dim == 0 {
		return nil, fmt.Errorf("bke: all rows of x and z are equal to within rounding, " +
			"want at least 2 distinct rows")
	}
	p.basis = hull.basis()
	for j := range dim {
		if !slices.Contains(hull.constant, j) && hull.takesPart(j) {
			p.dependent = append(p.dependent, j)
		}
	}
	p.offset = p.rejection(hull.centre)
	return p, nil
}

// project returns the coordinates of rows on the plane.
func (p *plane) project(rows []float64) []float64 {
	out := make([]float64, 0, len(rows)/p.given*p.dim)
	for i := 0; i < len(rows); i += p.given {
		for k := range p.dim {
			s := 0.0
			for j, v := range rows[i : i+p.given] {
				s += p.basis[j*p.dim+k] * v
			}
			out = append(out, s)
		}
	}
	return out
}

// distance returns how far a point of as many columns as the data is from the plane.
func (p *plane) distance(point []float64) float64 {
	r := p.rejection(point)
	return distance(r, p.offset)
}

// rejection returns point less its projection, (I - BB')point.
func (p *plane) rejection(point []float64) []float64 {
	u := p.project(point)
	r := make([]float64, p.given)
	for j, v := range point {
		r[j] = v
		for k, c := range u {
			r[j] -= p.basis[j*p.dim+k] * c
		}
	}
	return r
}

// finding says in words why there is a plane, with columns counted from 1.
func (p *plane) finding() string {
	s := fmt.Sprintf("x and z together have rank %d in %s", p.dim, count(p.given, "column"))
	var why []string
	if len(p.constant) > 0 {
		why = append(why, columns(p.constant)+" constant")
	}
	if len(p.dependent) > 0 {
		why = append(why, columns(p.dependent)+" linearly dependent")
	}
	return s + " (" + strings.Join(why, ", ") + ")"
}

// columns writes "column 2" or "columns 2 and 5", counted from 1.
func columns(js []int) string {
	names := make([]string, len(js))
	for i, j := range js {
		names[i] = strconv.Itoa(j + 1)
	}
	last := len(names) - 1
	if last == 0 {
		return "column " + names[0]
	}
	return "columns " + strings.Join(names[:last], ", ") + " and " + names[last]
}

// hull is the affine hull of a set of rows.
type hull struct {
	dim      int
	centre   []float64
	scale    []float64   // the largest element of each column, in absolute value
	constant []int       // columns that are constant
	normals  [][]float64 // a basis of the orthogonal complement, in units of scale
}

// hullOf finds the numerical rank of the rows, centred: the number of singular values above
//
//	16 2^-52 sqrt(rows x columns)
//
// after each column was divided by its largest element. In these units every element carries a
// rounding error of about 2^-53, so the bound is some thirty times the norm of all errors together,
// whatever the columns' units and offsets. A column is constant if its range is within that error.
// A single column is constant only if all of its elements are equal.
func hullOf(rows []float64, dim int) *hull {
	h := &hull{dim: dim, centre: make([]float64, dim), scale: make([]float64, dim)}
	var varying []int
	for j := range dim {
		lo, hi := columnRange(rows, dim, j)
		h.centre[j], h.scale[j] = meanOf(rows, dim, j, lo), max(-lo, hi)
		if isConstant(lo, hi, dim) {
			h.constant = append(h.constant, j)
			h.normals = append(h.normals, unit(dim, j))
		} else {
			varying = append(varying, j)
		}
	}
	if len(varying) > 1 {
		h.relations(rows, varying)
	}
	return h
}

// isConstant reports whether a column with elements from lo to hi, one of dim, is constant.
func isConstant(lo, hi float64, dim int) bool {
	return lo == hi || dim > 1 && hi/2-lo/2 <= rounding*max(-lo, hi)/2
}

// meanOf returns the mean of column j to within a rounding error of its elements, however many they
// are: an error common to all centred rows would count as a dimension.
func meanOf(rows []float64, dim, j int, near float64) float64 {
	n := len(rows) / dim
	for range 2 {
		s := 0.0
		for i := range n {
			s += (rows[i*dim+j]/2 - near/2) / float64(n)
		}
		near += 2 * s
	}
	return near
}

func unit(dim, j int) []float64 {
	e := make([]float64, dim)
	e[j] = 1
	return e
}

// relations adds a normal for each singular value that is zero to rounding.
func (h *hull) relations(rows []float64, varying []int) {
	n, k := len(rows)/h.dim, len(varying)
	a := mat.NewDense(n, k, nil)
	for i := range n {
		for c, j := range varying {
			// Halves, so that a difference of two numbers near the largest does not overflow.
			a.Set(i, c, 2*((rows[i*h.dim+j]/2-h.centre[j]/2)/h.scale[j]))
		}
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDFullV) {
		return // only for elements that are not finite, which were refused
	}
	var v mat.Dense
	svd.VTo(&v)
	sigma := svd.Values(nil)
	for c := range k {
		if c < len(sigma) && sigma[c] > rounding*math.Sqrt(float64(n*k)) {
			continue
		}
		normal := make([]float64, h.dim)
		for r, j := range varying {
			normal[j] = v.At(r, c)
		}
		h.normals = append(h.normals, normal)
	}
}

// takesPart reports whether column j has a part in a linear relation of columns.
func (h *hull) takesPart(j int) bool {
	for _, v := range h.normals {
		if math.Abs(v[j]) > 1e-8 {
			return true
		}
	}
	return false
}

// contains reports whether a point is on the hull, to within rounding.
func (h *hull) contains(point []float64) bool {
	for _, v := range h.normals {
		s, size := 0.0, 0.0
		for j, c := range v {
			scale := h.scale[j]
			if scale == 0 { // a column of zeros
				scale = 1
			}
			s += c * 2 * ((point[j]/2 - h.centre[j]/2) / scale)
			size += math.Abs(c) * max(h.scale[j], math.Abs(point[j])) / scale
		}
		if math.Abs(s) > rounding*size {
			return false
		}
	}
	return true
}

// basis returns an orthonormal basis of the hull's directions in the units of the rows, dim x
// (dim - number of normals), row by row. If v is a normal in units of scale, v/scale is one in the
// units of the rows; what is orthogonal to all of those is the last columns of Q in their QR
// factorisation. Where only constant columns are at fault it is the unit vectors of the others.
func (h *hull) basis() []float64 {
	d := h.dim - len(h.normals)
	b := make([]float64, h.dim*d)
	var rest []int
	for j := range h.dim {
		if !slices.Contains(h.constant, j) {
			rest = append(rest, j)
		}
	}
	if len(rest) == d {
		for k, j := range rest {
			b[j*d+k] = 1
		}
		return b
	}
	a := h.equations(rest)
	var qr mat.QR
	qr.Factorize(a)
	var q mat.Dense
	qr.QTo(&q)
	for k := range d {
		c := len(rest) - d + k
		sign := 1.0
		if lead(&q, c) < 0 {
			sign = -1
		}
		for r, j := range rest {
			b[j*d+k] = sign * q.At(r, c)
		}
	}
	return b
}

// equations returns the normals in the units of the rows, one column for each, restricted to the
// columns of the rows that are not constant. Units may differ by many orders of magnitude, and the
// normals then all point along the columns with the smallest: Gauss-Jordan elimination with
// complete pivoting replaces them by others, with a unit matrix in some of the rows, that are far
// from parallel, and loses no relative accuracy in the elements.
func (h *hull) equations(rest []int) *mat.Dense {
	normals := h.normals[len(h.constant):]
	k := len(normals)
	smallest := math.Inf(1)
	for _, j := range rest {
		smallest = min(smallest, h.scale[j])
	}
	a := mat.NewDense(len(rest), k, nil)
	for r, j := range rest {
		for c, v := range normals {
			a.Set(r, c, v[j]*(smallest/h.scale[j]))
		}
	}
	for c := range k {
		pr, pc := c, c
		for r := range rest {
			for o := c; o < k; o++ {
				if math.Abs(a.At(r, o)) > math.Abs(a.At(pr, pc)) {
					pr, pc = r, o
				}
			}
		}
		pivot := a.At(pr, pc)
		for r := range rest {
			v := a.At(r, pc) / pivot
			a.Set(r, pc, a.At(r, c))
			a.Set(r, c, v)
		}
		for o := range k {
			f := a.At(pr, o)
			if o == c {
				continue
			}
			for r := range rest {
				a.Set(r, o, a.At(r, o)-f*a.At(r, c))
			}
			a.Set(pr, o, 0)
		}
	}
	return a
}

// lead returns the element of column c that is largest in absolute value.
func lead(q *mat.Dense, c int) float64 {
	n, _ := q.Dims()
	v := 0.0
	for i := range n {
		if math.Abs(q.At(i, c)) > math.Abs(v) {
			v = q.At(i, c)
		}
	}
	return v
}
