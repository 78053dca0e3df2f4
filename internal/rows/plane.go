package rows

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

// Plane is the smallest affine subspace that holds a set of rows. Its coordinates are those of the
// orthogonal projection onto an orthonormal basis, B'x, so that distances on it are distances
// between the rows as given. Where constant columns are the only defect, B picks the other columns,
// unchanged to the last bit.
type Plane struct {
	Width int // columns of the rows as given
	Rank  int // dimensions of the plane, at most Width

	constant  []int       // columns that are constant
	dependent []int       // further columns that take part in a linear relation
	centre    []float64   // the mean of each column
	scale     []float64   // the largest element of each column, in absolute value
	normals   [][]float64 // a basis of the orthogonal complement, in units of scale
	basis     []float64   // Width x Rank, row by row; nil where the rank is full
	offset    []float64   // a point of the plane less its projection: the same for all points
}

// Span finds the plane of the rows. Their numerical rank, centred, is the number of singular values
// above
//
//	16 2^-52 sqrt(rows x columns)
//
// after each column was divided by its largest element. In these units every element carries a
// rounding error of about 2^-53, so the bound is some thirty times the norm of all errors together,
// whatever the columns' units and offsets. A column is constant if its range is within that error.
// A single column is constant only if all of its elements are equal.
func Span(rows []float64, dim int) *Plane {
	p := &Plane{Width: dim, centre: make([]float64, dim), scale: make([]float64, dim)}
	var varying []int
	for j := range dim {
		lo, hi := Range(rows, dim, j)
		p.centre[j], p.scale[j] = meanOf(rows, dim, j, lo), max(-lo, hi)
		if IsConstant(lo, hi, dim) {
			p.constant = append(p.constant, j)
			p.normals = append(p.normals, unit(dim, j))
		} else {
			varying = append(varying, j)
		}
	}
	if len(varying) > 1 {
		p.relations(rows, varying)
	}
	p.Rank = dim - len(p.normals)
	if p.Full() || p.Rank == 0 {
		return p
	}
	p.basis = p.directions()
	for _, j := range varying {
		if p.takesPart(j) {
			p.dependent = append(p.dependent, j)
		}
	}
	p.offset = p.rejection(p.centre)
	return p
}

// Full reports whether the plane is the whole space.
func (p *Plane) Full() bool { return p.Rank == p.Width }

// Project returns the coordinates of rows on the plane.
func (p *Plane) Project(rows []float64) []float64 {
	if p.Full() {
		return slices.Clone(rows)
	}
	out := make([]float64, 0, len(rows)/p.Width*p.Rank)
	for i := 0; i < len(rows); i += p.Width {
		for k := range p.Rank {
			s := 0.0
			for j, v := range rows[i : i+p.Width] {
				s += p.basis[j*p.Rank+k] * v
			}
			out = append(out, s)
		}
	}
	return out
}

// Distance returns how far a point of as many columns as the rows is from the plane.
func (p *Plane) Distance(point []float64) float64 {
	if p.Full() {
		return 0
	}
	return Distance(p.rejection(point), p.offset)
}

// rejection returns point less its projection, (I - BB')point.
func (p *Plane) rejection(point []float64) []float64 {
	u := p.Project(point)
	r := make([]float64, p.Width)
	for j, v := range point {
		r[j] = v
		for k, c := range u {
			r[j] -= p.basis[j*p.Rank+k] * c
		}
	}
	return r
}

// Finding says in words why the rank is not full, with columns counted from 1.
func (p *Plane) Finding() string {
	s := fmt.Sprintf("rank %d in %s", p.Rank, Count(p.Width, "column"))
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
	const most = 10
	var names []string
	for _, j := range js[:min(most, len(js))] {
		names = append(names, strconv.Itoa(j+1))
	}
	if more := len(js) - most; more > 0 {
		names = append(names, strconv.Itoa(more)+" others")
	}
	last := len(names) - 1
	if last == 0 {
		return "column " + names[0]
	}
	return "columns " + strings.Join(names[:last], ", ") + " and " + names[last]
}

// IsConstant reports whether a column with elements from lo to hi, one of dim, is constant.
func IsConstant(lo, hi float64, dim int) bool {
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
func (p *Plane) relations(rows []float64, varying []int) {
	n, k := len(rows)/p.Width, len(varying)
	a := p.triangle(rows, varying)
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
		normal := make([]float64, p.Width)
		for r, j := range varying {
			normal[j] = v.At(r, c)
		}
		p.normals = append(p.normals, normal)
	}
}

// triangle returns the scaled, centred rows of the varying columns, or, where there are many of
// them, the triangle R of their QR factorisation, which has the same singular values and vectors.
// It takes in a block of rows at a time (the factorisation of R stacked on the next block), so a
// million rows need no more memory than one block. It rounds no more than a factorisation of all at
// once.
func (p *Plane) triangle(rows []float64, varying []int) *mat.Dense {
	n, k := len(rows)/p.Width, len(varying)
	const block = 512
	fill := func(a *mat.Dense, at, first, last int) {
		for i := first; i < last; i++ {
			for c, j := range varying {
				// Halves, so that a difference of two numbers near the largest does not overflow.
				a.Set(at+i-first, c, 2*((rows[i*p.Width+j]/2-p.centre[j]/2)/p.scale[j]))
			}
		}
	}
	if n <= 2*block || n <= 4*k {
		a := mat.NewDense(n, k, nil)
		fill(a, 0, 0, n)
		return a
	}
	r := mat.NewDense(k, k, nil)
	var qr mat.QR
	for first := 0; first < n; first += block {
		last := min(first+block, n)
		a := mat.NewDense(k+last-first, k, nil)
		a.Slice(0, k, 0, k).(*mat.Dense).Copy(r)
		fill(a, k, first, last)
		qr.Factorize(a)
		var full mat.Dense
		qr.RTo(&full)
		r.Copy(full.Slice(0, k, 0, k))
	}
	return r
}

// takesPart reports whether column j has a part in a linear relation of columns.
func (p *Plane) takesPart(j int) bool {
	for _, v := range p.normals {
		if math.Abs(v[j]) > 1e-8 {
			return true
		}
	}
	return false
}

// Contains reports whether a point is on the plane, to within rounding.
func (p *Plane) Contains(point []float64) bool {
	for _, v := range p.normals {
		s, size := 0.0, 0.0
		for j, c := range v {
			scale := p.scale[j]
			if scale == 0 { // a column of zeros
				scale = 1
			}
			s += c * 2 * ((point[j]/2 - p.centre[j]/2) / scale)
			size += math.Abs(c) * max(p.scale[j], math.Abs(point[j])) / scale
		}
		if math.Abs(s) > rounding*size {
			return false
		}
	}
	return true
}

// directions returns an orthonormal basis of the plane's directions in the units of the rows, dim x
// (dim - number of normals), row by row. If v is a normal in units of scale, v/scale is one in the
// units of the rows. The last columns of Q in their QR factorisation are orthogonal to all of them.
// Where only constant columns are at fault it is the unit vectors of the others.
func (p *Plane) directions() []float64 {
	d := p.Width - len(p.normals)
	b := make([]float64, p.Width*d)
	var rest []int
	for j := range p.Width {
		if !slices.Contains(p.constant, j) {
			rest = append(rest, j)
		}
	}
	if len(rest) == d {
		for k, j := range rest {
			b[j*d+k] = 1
		}
		return b
	}
	a := p.equations(rest)
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
// normals then all point along the columns with the smallest. Gauss-Jordan elimination with
// complete pivoting replaces them by others, with a unit matrix in some of the rows, that are far
// from parallel, and loses no relative accuracy in the elements.
func (p *Plane) equations(rest []int) *mat.Dense {
	normals := p.normals[len(p.constant):]
	k := len(normals)
	smallest := math.Inf(1)
	for _, j := range rest {
		smallest = min(smallest, p.scale[j])
	}
	a := mat.NewDense(len(rest), k, nil)
	for r, j := range rest {
		for c, v := range normals {
			a.Set(r, c, v[j]*(smallest/p.scale[j]))
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
