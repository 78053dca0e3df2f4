package kernels

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func dense(rows [][]float64) *mat.Dense {
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		x.SetRow(i, row)
	}
	return x
}

func TestMedianDistanceEqualsReference(t *testing.T) {
	raw, err := os.ReadFile("testdata/medians.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Set       string
		Median    float64
		NonZero   float64 `json:"median_nonzero"`
		OverSqrt2 float64 `json:"median_over_sqrt2"`
		AsIs      float64 `json:"median_as_lengthscale"`
		Rows      [][]float64
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) != 18 {
		t.Fatalf("%d cases, want 18", len(cases))
	}
	for _, c := range cases {
		m, err := MedianDistance(dense(c.Rows), 0)
		if err != nil {
			t.Fatalf("%s: %v", c.Set, err)
		}
		if m.All != c.Median || m.Distinct != c.NonZero {
			t.Errorf("%s: medians %v and %v, want %v and %v",
				c.Set, m.All, m.Distinct, c.Median, c.NonZero)
		}
		if got := m.Lengthscale(Median); got != c.AsIs {
			t.Errorf("%s: lengthscale %v, want %v", c.Set, got, c.AsIs)
		}
		near(t, c.Set+" median/sqrt2", m.Lengthscale(MedianOverSqrt2), c.OverSqrt2, 4e-16)
		near(t, c.Set+" sqrt2 median", m.Lengthscale(Sqrt2Median), 2*c.OverSqrt2, 4e-16)
	}
}

// sortedMedians is the definition, by sorting.
func sortedMedians(rows [][]float64) (all, distinct float64, ties int) {
	var d []float64
	for i := range rows {
		for j := range i {
			s := 0.0
			for a := range rows[i] {
				s = math.Hypot(s, rows[i][a]-rows[j][a])
			}
			d = append(d, s)
		}
	}
	slices.Sort(d)
	mid := func(d []float64) float64 { return d[(len(d)-1)/2]/2 + d[len(d)/2]/2 }
	for ties < len(d) && d[ties] == 0 {
		ties++
	}
	return mid(d), mid(d[ties:]), ties
}

func TestMedianDistanceEqualsSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for trial := range 300 {
		n, dim := 3+r.IntN(30), 1+r.IntN(3)
		levels := []int{2, 5, 1 << 40}[trial%3] // many ties, some, none
		unit := []float64{1, 1e-290, 1e290}[trial/3%3]
		rows := make([][]float64, n)
		for i := range rows {
			for range dim {
				rows[i] = append(rows[i], unit*float64(r.IntN(levels))/float64(levels))
			}
		}
		rows[0][0], rows[1][0] = 0, unit
		all, distinct, ties := sortedMedians(rows)
		m, err := MedianDistance(dense(rows), 0)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(m.All-all) > 4e-16*all || math.Abs(m.Distinct-distinct) > 4e-16*distinct ||
			m.Ties != ties || m.Pairs != n*(n-1)/2 || m.Rows != n {
			t.Fatalf("trial %d: %+v, want %v, %v, %d ties", trial, m, all, distinct, ties)
		}
	}
}

// Nine rows in ten are equal, so that more than half of the pairs are at distance 0.
func TestMedianDistanceOfMostlyEqualRows(t *testing.T) {
	rows := make([][]float64, 20)
	for i := range rows {
		rows[i] = []float64{7}
	}
	rows[3][0], rows[11][0] = 10, 12
	m, err := MedianDistance(dense(rows), 0)
	if err != nil {
		t.Fatal(err)
	}
	// 18 pairs at distance 3, 18 at 5, 1 at 2; the 19th of 37 is 3.
	if m.All != 0 || m.Distinct != 3 || m.Ties != 153 {
		t.Errorf("%+v, want 0, 3 and 153 ties", m)
	}
	if got := m.Lengthscale(Median); got != 3 {
		t.Errorf("lengthscale %v, want that of the distinct pairs, 3", got)
	}
}

// Beyond MaxMedianRows the result is that of a random subset. The median distance of N(0,1) is
// sqrt2 times the quartile 0.6745; that of 3000 rows is off by a relative sd of about 0.014 (the
// density of |d| at its median is 0.449, the sd of its empirical distribution function there is
// 2 sd(P(|x-X| < 0.954))/sqrt(3000) = 0.006), so the bound of 0.1 is some seven sd: on a reseed a
// false alarm is rarer than 1e-10.
func TestMedianDistanceOfManyRows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x := mat.NewDense(MaxMedianRows+4000, 1, nil)
	for i := range MaxMedianRows + 4000 {
		x.Set(i, 0, r.NormFloat64())
	}
	a, err := MedianDistance(x, 1)
	if err != nil {
		t.Fatal(err)
	}
	if a.Rows != MaxMedianRows || a.Pairs != MaxMedianRows*(MaxMedianRows-1)/2 {
		t.Errorf("%d rows, %d pairs, want %d rows", a.Rows, a.Pairs, MaxMedianRows)
	}
	near(t, "median distance", a.All, math.Sqrt2*0.6744897501960817, 0.1)
}

// A random subset is one of the rows, and not of their places: rows in another order have the same.
func TestMedianDistanceDoesNotDependOnTheOrderOfRows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	x, y := make([]float64, MaxMedianRows+200), make([]float64, MaxMedianRows+200)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	for i, p := range r.Perm(len(x)) {
		y[i] = x[p]
	}
	a, err := MedianDistance(mat.NewDense(len(x), 1, x), 1)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := MedianDistance(mat.NewDense(len(y), 1, y), 1); err != nil || a != b {
		t.Errorf("%+v, in another order %+v, %v", a, b, err)
	}
}

func TestSubsampleIsRowsInOrder(t *testing.T) {
	rows := make([]float64, 200)
	for i := range rows {
		rows[i] = float64(i)
	}
	var picked [3][]float64
	for i, seed := range []uint64{1, 1, 2} {
		var err error
		if picked[i], err = subsample(rows, 2, 30, seed); err != nil {
			t.Fatal(err)
		}
		if len(picked[i]) != 60 || !slices.IsSorted(picked[i]) {
			t.Fatalf("30 rows are %v", picked[i])
		}
		for r := 0; r < 60; r += 2 {
			if math.Mod(picked[i][r], 2) != 0 || picked[i][r+1] != picked[i][r]+1 {
				t.Errorf("%v is no row", picked[i][r:r+2])
			}
		}
	}
	if !slices.Equal(picked[0], picked[1]) || slices.Equal(picked[0], picked[2]) {
		t.Error("the rows do not depend on the seed alone")
	}
}

func TestMedianDistanceErrors(t *testing.T) {
	medians := func(x mat.Matrix) error { _, err := MedianDistance(x, 0); return err }
	checkError(t, medians(mat.NewDense(1, 2, nil)), "x has 1 row, want at least 2")
	checkError(t, medians(mat.NewDense(5, 2, nil)), "all 5 rows of x looked at are equal")
	checkError(t, medians(new(mat.Dense)), "x has 0 rows and 0 columns")
	checkError(t, medians(mat.NewDense(2, 1, []float64{1, math.NaN()})), "NaN in row 2, column 1")
	checkError(t, medians(mat.NewDense(2, 1, []float64{1, math.Inf(1)})), "+Inf in row 2, column 1")
	checkError(t, medians(mat.NewDense(2, 1, []float64{-1.5e308, 1.5e308})),
		"median distance is above")
}

func TestKthIsTheSortedElement(t *testing.T) {
	d := []float64{0, math.MaxFloat64, 1, 5e-324, 1, 1, math.Inf(1), 2, 0x1p-1022, 1 + 0x1p-52}
	sorted := slices.Sorted(slices.Values(d))
	for k, want := range sorted {
		if got := kth(d, k); got != want {
			t.Errorf("kth(%d) = %v, want %v", k, got, want)
		}
	}
}

func TestConventionNames(t *testing.T) {
	for c, want := range map[Convention]string{MedianOverSqrt2: "median/sqrt2", Median: "median",
		Sqrt2Median: "sqrt2*median", 9: "Convention(9)"} {
		if got := c.String(); got != want {
			t.Errorf("convention %d is called %s, want %s", int(c), got, want)
		}
	}
}
