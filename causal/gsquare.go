package causal

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// GSquare tests columns of few values by the likelihood ratio
//
//	G² = 2 sum n(x,y,s) log(n(x,y,s) n(s) / (n(x,s) n(y,s))),
//
// which is compared with a chi-squared distribution. Each stratum, the rows with one value of s,
// adds (values of x in it - 1) (values of y in it - 1) degrees of freedom. Where none is left P is
// NaN: in no stratum do both columns vary.
type GSquare struct {
	data  *Data
	codes [][]int // -1 where missing
	sizes []int
}

// MostValues is how many distinct values a column of a GSquare may have.
const MostValues = 64

// NewGSquare returns the test of a table. It is an error if a column has more than MostValues
// values, or if two columns tell the same values apart.
func NewGSquare(d *Data) (*GSquare, error) {
	g := &GSquare{data: d}
	for j, c := range d.columns {
		codes, size := encode(c)
		if size > MostValues {
			return nil, fmt.Errorf("causal: column %s has %d distinct values, want at most %d for G²",
				d.names[j], size, MostValues)
		}
		for i := range j {
			if size == g.sizes[i] && recoded(codes, g.codes[i]) {
				a, b := min(d.names[i], d.names[j]), max(d.names[i], d.names[j])
				return nil, fmt.Errorf("causal: columns %s and %s are equal up to the names of their values, "+
					"want only one of them", a, b)
			}
		}
		g.codes, g.sizes = append(g.codes, codes), append(g.sizes, size)
	}
	return g, nil
}

// encode numbers the distinct values in their order.
func encode(c []float64) (codes []int, size int) {
	values := slices.DeleteFunc(slices.Clone(c), math.IsNaN)
	slices.Sort(values)
	values = slices.Compact(values)
	codes = make([]int, len(c))
	for i, v := range c {
		codes[i] = -1
		if !math.IsNaN(v) {
			codes[i], _ = slices.BinarySearch(values, v)
		}
	}
	return codes, len(values)
}

// recoded reports whether equal codes of one are equal codes of the other.
func recoded(a, b []int) bool {
	to := map[int]int{}
	back := map[int]int{}
	for i, v := range a {
		w := b[i]
		if x, ok := to[v]; ok && x != w {
			return false
		}
		if x, ok := back[w]; ok && x != v {
			return false
		}
		to[v], back[w] = w, v
	}
	return true
}

// Names are the columns.
func (g *GSquare) Names() []string { return g.data.names }

// Independence is one test.
func (g *GSquare) Independence(_ context.Context, x, y int, s []int) (Outcome, error) {
	strata, n := g.strata(x, y, s)
	if n == 0 {
		return Outcome{}, fmt.Errorf("causal: the test of %s and %s%s has no complete row, want some",
			g.data.names[x], g.data.names[y], given(g.data.names, s))
	}
	g2, df := 0.0, 0
	for _, cells := range strata {
		v, free := ratio(cells, g.sizes[x], g.sizes[y])
		g2, df = g2+v, df+free
	}
	o := Outcome{Statistic: max(0, 2*g2), P: math.NaN(), Rows: n}
	if df > 0 {
		o.P = mathext.GammaIncRegComp(float64(df)/2, o.Statistic/2)
	}
	return o, nil
}

// strata counts the values of x and y in each stratum, in the order in which these appear.
func (g *GSquare) strata(x, y int, s []int) (cells [][]int, n int) {
	number := map[string]int{}
	key := make([]byte, len(s))
	for i, cx := range g.codes[x] {
		cy := g.codes[y][i]
		whole := cx >= 0 && cy >= 0
		for k, j := range s {
			whole = whole && g.codes[j][i] >= 0
			key[k] = byte(g.codes[j][i])
		}
		if !whole {
			continue
		}
		n++
		k, ok := number[string(key)]
		if !ok {
			k = len(cells)
			number[string(key)] = k
			cells = append(cells, make([]int, g.sizes[x]*g.sizes[y]))
		}
		cells[k][cx*g.sizes[y]+cy]++
	}
	return cells, n
}

// ratio is half of G² of a table of counts, and its degrees of freedom.
func ratio(cells []int, nx, ny int) (value float64, df int) {
	rows, columns, n := make([]int, nx), make([]int, ny), 0
	for i := range rows {
		for j := range columns {
			c := cells[i*ny+j]
			rows[i], columns[j], n = rows[i]+c, columns[j]+c, n+c
		}
	}
	for i, r := range rows {
		for j, c := range columns {
			if v := cells[i*ny+j]; v > 0 {
				value += float64(v) * math.Log(float64(v)*float64(n)/(float64(r)*float64(c)))
			}
		}
	}
	positive := func(list []int) (k int) {
		for _, v := range list {
			if v > 0 {
				k++
			}
		}
		return k
	}
	return value, (positive(rows) - 1) * (positive(columns) - 1)
}
