package bke

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// randomRows returns n rows of independent normal numbers.
func randomRows(r *rand.Rand, n, dim int) *mat.Dense {
	x := mat.NewDense(n, dim, nil)
	for i := range n {
		for j := range dim {
			x.Set(i, j, r.NormFloat64())
		}
	}
	return x
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one that says %q", want)
		return
	}
	s := err.Error()
	if !strings.HasPrefix(s, "bke: ") || !strings.Contains(s, want) || strings.Contains(s, "\n") {
		t.Errorf("error %q, want one line from bke that says %q", s, want)
	}
}

func TestDataErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	d := func(r, c int, v ...float64) *mat.Dense { return mat.NewDense(r, c, v) }
	x1, z1 := d(3, 1, 1, 2, 4), d(2, 1, 1, 3)
	x2, z2 := d(4, 2, 0, 0, 1, 0, 0, 1, 1, 2), d(3, 2, 0, 0, 2, 1, 1, 2)
	for _, c := range []struct {
		name string
		x, z mat.Matrix
		ard  bool
		want string
	}{
		{"no x", nil, z1, false, "x is nil, want a matrix"},
		{"no z", x1, nil, false, "z is nil, want a matrix"},
		{"empty", new(mat.Dense), z1, false, "x has 0 rows and 0 columns"},
		{"NaN", d(3, 2, 0, 0, 0, nan, 0, 0), z2, false,
			"x is NaN in row 2, column 2 (counted from 1)"},
		{"-Inf", x2, d(1, 2, -inf, 0), false, "z is -Inf in row 1, column 1 (counted from 1)"},
		{"width", x1, z2, false, "z has 2 columns, want 1 as in x"},
		{"one row", d(1, 1, 3), z1, false, "x has 1 row, want at least 2"},
		{"equal rows", d(3, 2, 1, 2, 1, 2, 1, 2), z2, false, "all 3 rows of x are equal"},
		{"huge units", d(3, 1, 1e307, 0, -1e307), d(2, 1, 0, 1), false,
			"column 1 of the rows and pseudo-inputs goes from -1e+307 to 1e+307, want a range from 1e-70 to 1e+70"},
		{"range beyond float64", d(3, 1, 1.7e308, 0, -1.7e308), d(2, 1, 0, 1), false, "want a range"},
		{"huge z", x2, d(3, 2, 0, 0, 2, 1e71, 1, 2), false, "column 2 of the rows and pseudo-inputs goes from 0 to 1e+71"},
		{"tiny units", d(3, 1, 1e-307, 0, 2e-307), d(2, 1, 0, 1e-307), false,
			"column 1 of the rows and pseudo-inputs goes from 0 to 2e-307"},
		{"one z", x1, d(1, 1, 0), false,
			"z has 1 distinct row, want at least 2 for data of rank 1"},
		{"equal z", x1, d(3, 1, 2, 2, 2), false, "z has 1 distinct row, want at least 2"},
		{"two z", x2, d(4, 2, 0, 0, 2, 1, 0, 0, 2, 1), false,
			"z has 2 distinct rows, want at least 3"},
		{"constant", d(3, 2, 1, 5, 2, 5, 3, 5), d(2, 2, 1, 5, 2, 5), true,
			"rank 1 in 2 columns (column 2 constant), want independent columns with ARD"},
		{"repeated", d(4, 3, 1, 3, 1, 2, 9, 2, 4, 4, 4, 0, 1, 0), d(2, 3, 0, 1, 0, 1, 0, 1), true,
			"rank 2 in 3 columns (columns 1 and 3 linearly dependent)"},
		{"z on a line with a row", x2, d(3, 2, -3, -1, -2, -1, 5, -1), false, ""},
		{"z on a line with a row", d(3, 2, 4, 4, 1, 2, -2, -2), d(3, 2, 0, 0, 1, 1, 3, 3), false,
			"z and row 1 of x span fewer than 2 dimensions"},
		{"z on a line in space", randomRows(rand.New(rand.NewPCG(1, 1)), 5, 3),
			d(4, 3, 0, 0, 0, 1, 1, 1, 3, 3, 3, 4, 4, 4), false, "span fewer than 3 dimensions"},
		{"ring", d(4, 3, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0),
			d(4, 3, 0, 0, 1, 0, 0, -2, 0, 0, 3, 0, 0, 4), false, "span fewer than 3 dimensions"},
	} {
		_, err := newDataset(context.Background(), c.x, c.z, c.ard)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		wantError(t, err, c.want)
	}
}

// In the plane, z on the axis through two points and x at one distance from each of them: every
// kernel value is the same for all rows.
func TestEquidistantRowsAreRefused(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{0.3, 0.1, 0.3, -0.1, 0.3, 0.1, 0.3, -0.1})
	z := mat.NewDense(3, 2, []float64{0, 0, 1, 0, 7, 0})
	_, err := newDataset(context.Background(), x, z, false)
	wantError(t, err, "same distances to all rows of z")
	// The same, turned by an angle: to rounding.
	var xr, zr mat.Dense
	turn := mat.NewDense(2, 2, []float64{math.Cos(1), math.Sin(1), -math.Sin(1), math.Cos(1)})
	xr.Mul(x, turn)
	zr.Mul(z, turn)
	_, err = newDataset(context.Background(), &xr, &zr, false)
	wantError(t, err, "same distances to all rows of z")
	z.Set(2, 1, 1e-3)
	if _, err := newDataset(context.Background(), x, z, false); err != nil {
		t.Error(err)
	}
}

// In a single column a difference in the last digits is data, not rounding.
func TestOneColumnKeepsSmallDifferences(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{1e15, 1e15 + 1, 1e15 + 2})
	z := mat.NewDense(2, 1, []float64{1e15, 1e15 + 3})
	d, err := newDataset(context.Background(), x, z, false)
	if err != nil {
		t.Fatal(err)
	}
	if d.dim != 1 || d.plane != nil || d.pooledSD != 1 {
		t.Errorf("rank %d, sd %v, want 1 and 1", d.dim, d.pooledSD)
	}
}

func TestConstantColumnIsDroppedExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	x, z := randomRows(r, 20, 4), randomRows(r, 6, 4)
	for _, constant := range []float64{0, 0.3, -1e300} {
		for i := range 20 {
			x.Set(i, 1, constant)
		}
		for i := range 6 {
			z.Set(i, 1, constant)
		}
		d, err := newDataset(context.Background(), x, z, false)
		if err != nil {
			t.Fatal(err)
		}
		if d.dim != 3 || d.plane.Finding() != "rank 3 in 4 columns "+
			"(column 2 constant)" {
			t.Fatalf("rank %d: %s", d.dim, d.plane.Finding())
		}
		for i := range 20 {
			for k, j := range []int{0, 2, 3} {
				if d.x[i*3+k] != x.At(i, j) {
					t.Fatalf("(%d,%d) changed from %v to %v", i, j, x.At(i, j), d.x[i*3+k])
				}
			}
		}
	}
}

// flatData returns rows on a random plane of the given rank, in columns with units over twelve
// orders of magnitude and with offsets.
func flatData(r *rand.Rand, n, m, dim, rank int) (x, z *mat.Dense) {
	var all mat.Dense
	all.Mul(randomRows(r, n+m, rank), randomRows(r, rank, dim))
	for j := range dim {
		unit, offset := math.Pow(10, 12*r.Float64()-6), 100*r.NormFloat64()
		for i := range n + m {
			all.Set(i, j, unit*(all.At(i, j)+offset))
		}
	}
	return all.Slice(0, n, 0, dim).(*mat.Dense), all.Slice(n, n+m, 0, dim).(*mat.Dense)
}

// The rank is found whatever the units, and distances on the plane are those between the rows.
func TestProjectionIsAnIsometry(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for trial := range 400 {
		dim := 2 + r.IntN(6)
		rank := 1 + r.IntN(dim)
		n, m := 2+r.IntN(40), rank+1+r.IntN(10)
		x, z := flatData(r, n, m, dim, rank)
		d, err := newDataset(context.Background(), x, z, false)
		if err != nil {
			t.Fatalf("trial %d: rank %d in %d, n %d, m %d: %v", trial, rank, dim, n, m, err)
		}
		if d.dim != rank || (d.plane == nil) != (rank == dim) {
			t.Fatalf("trial %d: rank %d, want %d of %d columns", trial, d.dim, rank, dim)
		}
		big := mat.Max(x) - mat.Min(x) + math.Abs(mat.Max(x)) // rounding is relative to this
		for i := range n {
			for l := range m {
				want := rows.Distance(mat.Row(nil, i, x), mat.Row(nil, l, z))
				got := rows.Distance(d.x[i*rank:(i+1)*rank], d.z[l*rank:(l+1)*rank])
				if math.Abs(got-want) > 1e-12*(want+big) {
					t.Fatalf("trial %d: distance %v became %v", trial, want, got)
				}
			}
			if p := d.plane; p != nil && p.Distance(mat.Row(nil, i, x)) > 1e-12*big {
				t.Fatalf("trial %d: row %d is %v off its own plane", trial, i,
					p.Distance(mat.Row(nil, i, x)))
			}
		}
	}
}

// What a computer or a table makes of a dependent column is dependent; what noise of one part in
// 1e12 makes of it is not, at any number of rows.
func TestRankTolerance(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{10, 300, 20000} {
		x, z := randomRows(r, n, 3), randomRows(r, 5, 3)
		for _, noise := range []float64{0, 1e-12} {
			for _, a := range []*mat.Dense{x, z} {
				rows, _ := a.Dims()
				for i := range rows {
					a.Set(i, 0, 20+a.At(i, 1))                               // offset
					a.Set(i, 2, 1.8*a.At(i, 0)+32+100*noise*r.NormFloat64()) // degrees
				}
			}
			want := 1
			if noise > 0 {
				want = 2
			}
			d, err := newDataset(context.Background(), x, z, false)
			if err != nil {
				t.Fatal(err)
			}
			if d.dim != want {
				t.Errorf("n = %d, noise %v: rank %d, want %d", n, noise, d.dim, want)
			}
		}
	}
}

func TestPlaneDistance(t *testing.T) {
	// The plane x + y = 3 in space with the third column free.
	x := mat.NewDense(4, 3, []float64{0, 3, 0, 1, 2, 5, 3, 0, 2, 2, 1, -1})
	z := mat.NewDense(3, 3, []float64{0, 3, 1, 1, 2, 2, 3, 0, -3})
	d, err := newDataset(context.Background(), x, z, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		point []float64
		want  float64
	}{
		{[]float64{0, 0, 7}, 3 / math.Sqrt2}, {[]float64{5, -2, 1}, 0},
		{[]float64{2, 2, 0}, 1 / math.Sqrt2},
	} {
		if got := d.plane.Distance(c.point); math.Abs(got-c.want) > 1e-14 {
			t.Errorf("%v is %v off the plane, want %v", c.point, got, c.want)
		}
	}
}

// FuzzData holds newDataset to its promises on any bytes: an error of one line from bke, or data
// that are finite, of full rank, and as far apart as they were.
func FuzzData(f *testing.F) {
	bytes := func(v ...float64) (b []byte) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
		return b
	}
	f.Add(uint8(0), uint8(3), uint8(0), bytes(1, 2, 3, 4, 5), false)
	f.Add(uint8(1), uint8(3), uint8(0), bytes(1, 1, 2, 2, 3, 3, 4, 4, 5, 5), false)
	f.Add(uint8(1), uint8(3), uint8(0), bytes(1, 7, 2, 7, 4, 7, 5, 7, 0, 7), true)
	f.Add(uint8(0), uint8(2), uint8(0), bytes(0, math.NaN(), 1), false)
	f.Add(uint8(0), uint8(2), uint8(0), bytes(1e308, -1e308, 5e-324, 0), false)
	f.Add(uint8(1), uint8(2), uint8(0), bytes(1e308, 1, -1e308, 5, 1e-308, 8, 1, 2, 4, 4), false)
	f.Add(uint8(2), uint8(4), uint8(1), []byte("small integers, many of them collinear"), false)
	f.Add(uint8(4), uint8(7), uint8(90), []byte("aaaabaaabaaaacdcdcdcdeeefefefefghij"), false)
	f.Fuzz(func(t *testing.T, dim, n, unit uint8, b []byte, ard bool) {
		cols := 1 + int(dim)%5
		var v []float64
		if unit == 0 {
			for ; len(b) >= 8 && len(v) < 400; b = b[8:] {
				v = append(v, math.Float64frombits(binary.LittleEndian.Uint64(b)))
			}
		} else { // small integers, so that count are often dependent, in units from 1e-120 to 1e120
			for i, c := range b[:min(len(b), 400)] {
				v = append(v, float64(c%8)*math.Pow(10, float64(int8(unit))*float64(i%cols)/4))
			}
		}
		count := len(v) / cols
		if count < 2 {
			return
		}
		split := 1 + int(n)%(count-1)
		all := mat.NewDense(count, cols, v[:count*cols])
		x, z := all.Slice(0, split, 0, cols), all.Slice(split, count, 0, cols)
		d, err := newDataset(context.Background(), x, z, ard)
		if err != nil {
			wantError(t, err, "want")
			return
		}
		if d.n != split || d.m != count-split || len(d.x) != d.n*d.dim || len(d.z) != d.m*d.dim ||
			d.dim < 1 || d.dim > cols || ard && d.dim < cols {
			t.Fatalf("%d count, %d pseudo-inputs, rank %d of %d", d.n, d.m, d.dim, cols)
		}
		if len(rows.Distinct(d.z, d.dim)) <= d.dim {
			t.Fatal("too few distinct pseudo-inputs")
		}
		checkDistances(t, d, all)
	})
}

func checkDistances(t *testing.T, d *dataset, all *mat.Dense) {
	t.Helper()
	count, cols := all.Dims()
	big := 0.0
	for _, v := range all.RawMatrix().Data {
		big = max(big, math.Abs(v))
	}
	if big > 1e307 {
		return // distances overflow
	}
	for i := range d.n {
		for l := d.n; l < count; l++ {
			want := rows.Distance(all.RawRowView(i), all.RawRowView(l))
			got := rows.Distance(d.x[i*d.dim:(i+1)*d.dim], d.z[(l-d.n)*d.dim:(l-d.n+1)*d.dim])
			if !(math.Abs(got-want) <= 1e-12*big*float64(cols)) {
				t.Fatalf("distance of count %d and %d became %v, want %v", i, l, got, want)
			}
		}
	}
	if !(d.pooledSD >= 0) || math.IsInf(d.pooledSD, 1) {
		t.Fatal(fmt.Sprint("pooled sd is ", d.pooledSD))
	}
}
