package conditional

import (
	"math"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/internal/long"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// kciSet is one data set of testdata/kci.json.
type kciSet struct {
	Name    string
	N       int
	Columns map[string][]float64
	Tests   []struct {
		X, Y, Z         []string
		Width           any
		Epsilon         float64
		Stat, Mean, Var float64
		Cumulant3       float64
		Gamma           float64  `json:"p_gamma"`
		Pearson         float64  `json:"p_pearson3"`
		Spectral        *float64 `json:"p_spectral"`
	}
}

func readKCI(t *testing.T) []kciSet {
	t.Helper()
	var file struct{ Sets []kciSet }
	fixture.JSON(t, "testdata/kci.json", &file)
	return file.Sets
}

// table returns the columns of a set, and where each is.
func (s kciSet) table() (names []string, at map[string]int, table *mat.Dense) {
	at = map[string]int{}
	for name := range s.Columns {
		at[name] = len(names)
		names = append(names, name)
	}
	table = mat.NewDense(s.N, len(names), nil)
	for name, j := range at {
		table.SetCol(j, s.Columns[name])
	}
	return names, at, table
}

// The published test on 94 cases: the statistic and the moments to 1e-9 (1e-7 where the ridge is
// 1e-5, which magnifies rounding), p-values by all three nulls.
func TestPublishedReference(t *testing.T) {
	count, worst := 0, 0.0
	for _, s := range readKCI(t) {
		names, at, table := s.table()
		columns := func(of []string) (out []int) {
			for _, name := range of {
				out = append(out, at[name])
			}
			return out
		}
		for k, c := range s.Tests {
			count++
			tol := 1e-9
			if c.Epsilon == 1e-5 {
				tol = 1e-7
			}
			for i, null := range []statistic.Null{statistic.Auto, statistic.Pearson, statistic.Spectral} {
				if i > 0 && count%3 > 0 && !long.Enabled() {
					continue
				}
				published := &Published{Ridge: c.Epsilon, MedianWidth: c.Width == "median_library"}
				published.Lengthscale, _ = c.Width.(float64)
				cond, err := NewTable(names, table, Options{Null: null,
					Published: published})
				if err != nil {
					t.Fatal(err)
				}
				r, err := cond.Test(t.Context(), columns(c.X), columns(c.Y), columns(c.Z))
				if err != nil {
					t.Fatalf("%s, test %d: %v", s.Name, k, err)
				}
				for _, v := range [][2]float64{{r.Statistic, c.Stat}, {r.Mean, c.Mean},
					{r.Variance, c.Var}, {r.Third, c.Cumulant3}} {
					off := fixture.Relative(v[0], v[1])
					if c.Epsilon != 1e-5 {
						worst = max(worst, math.Abs(off))
					}
					if !(math.Abs(off) <= tol) {
						t.Errorf("%s, test %d (%v): %v, want %v", s.Name, k, c.Width, v[0], v[1])
					}
				}
				switch null {
				case statistic.Auto:
					if !(math.Abs(r.P-c.Gamma) <= 1e-8*c.Gamma+1e-12) && tol == 1e-9 {
						t.Errorf("%s, test %d: gamma p %v, want %v", s.Name, k, r.P, c.Gamma)
					}
				case statistic.Pearson:
					if !(math.Abs(r.P-c.Pearson) <= 1e-7*c.Pearson+1e-12) && tol == 1e-9 {
						t.Errorf("%s, test %d: Pearson p %v, want %v", s.Name, k, r.P, c.Pearson)
					}
				case statistic.Spectral:
					if c.Spectral != nil && !(math.Abs(r.P-*c.Spectral) <= 1e-6) {
						t.Errorf("%s, test %d: spectral p %v, want %v", s.Name, k, r.P, *c.Spectral)
					}
				}
			}
		}
	}
	if count != 94 {
		t.Errorf("%d tests, want 94", count)
	}
	t.Logf("largest relative error of a statistic or moment with a ridge above 1e-5: %.2g", worst)
}
