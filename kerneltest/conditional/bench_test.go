package conditional

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// chain is X <- Z -> Y with given columns of Z, and a second child of Z like Y.
func chain(n, given int, seed uint64) (names []string, table *mat.Dense) {
	r := rand.New(rand.NewPCG(seed, 13))
	table = mat.NewDense(n, 3+given, nil)
	for i := range n {
		row, s := table.RawRowView(i), 0.0
		for j := range given {
			row[3+j] = r.NormFloat64()
			s += row[3+j] / math.Sqrt(float64(given))
		}
		for j := range 3 {
			row[j] = math.Sin(float64(j+1)*s) + 0.3*r.NormFloat64()
		}
	}
	for j := range 3 + given {
		names = append(names, fmt.Sprintf("v%d", j))
	}
	return names, table
}

// Bars for 500 rows on one core: 0.25 s with published widths, 1.5 s for a new Z, 0.2 s with
// regressions known.
func BenchmarkTest(b *testing.B) {
	for _, given := range []int{1, 2, 3} {
		names, table := chain(500, given, 1)
		z := []int{3, 4, 5}[:given]
		run := func(c *Table, y int) {
			if _, err := c.Test(b.Context(), []int{0}, []int{y}, z); err != nil {
				b.Fatal(err)
			}
		}
		fresh := func(o Options) *Table {
			c, err := NewTable(names, table, o)
			if err != nil {
				b.Fatal(err)
			}
			return c
		}
		b.Run(fmt.Sprintf("published/%d", given), func(b *testing.B) {
			for b.Loop() {
				run(fresh(Options{Published: &Published{}}), 1)
			}
		})
		b.Run(fmt.Sprintf("new/%d", given), func(b *testing.B) {
			for b.Loop() {
				run(fresh(Options{}), 1)
			}
		})
		c := fresh(Options{})
		run(c, 1)
		run(c, 2)
		b.Run(fmt.Sprintf("known/%d", given), func(b *testing.B) {
			for b.Loop() {
				run(c, 2)
			}
		})
		b.Run(fmt.Sprintf("known z, new x/%d", given), func(b *testing.B) {
			for b.Loop() {
				for key := range c.store.entries {
					if key[:4] == "left" {
						delete(c.store.entries, key)
					}
				}
				run(c, 2)
			}
		})
	}
}
