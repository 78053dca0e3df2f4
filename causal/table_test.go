package causal

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// columns is a table of columns called a, b, c, …
func columns(t testing.TB, list ...[]float64) *Data {
	t.Helper()
	d, err := columnsOrError(list...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func columnsOrError(list ...[]float64) (*Data, error) {
	m := mat.NewDense(len(list[0]), len(list), nil)
	var names []string
	for j, c := range list {
		m.SetCol(j, c)
		names = append(names, string(rune('a'+j)))
	}
	return NewData(names, m)
}

func normals(seed uint64, n int) []float64 {
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	return out
}

func sum(a, b []float64, times float64) []float64 {
	out := make([]float64, len(a))
	for i := range out {
		out[i] = a[i] + times*b[i]
	}
	return out
}

func TestTableErrors(t *testing.T) {
	a, b, c := normals(1, 30), normals(2, 30), normals(3, 30)
	same := make([]float64, 30)
	hole := append([]float64{math.NaN()}, a[1:]...)
	for want, f := range map[string]func() error{
		"causal: column b is constant (0), want": func() error {
			_, err := columnsOrError(a, same)
			return err
		},
		"causal: columns a and c are equal, want": func() error {
			_, err := NewFisherZ(columns(t, a, b, a))
			return err
		},
		"causal: columns a and c are linear functions of each other": func() error {
			_, err := NewFisherZ(columns(t, a, b, sum(same, a, -2)))
			return err
		},
		"causal: column d is a linear function of a, c, want": func() error {
			_, err := NewFisherZ(columns(t, a, b, c, sum(a, c, 3)))
			return err
		},
		"causal: column d is a linear function of b, c, want": func() error {
			_, err := NewFisherZ(columns(t, hole, b, c, sum(b, c, 3)))
			return err
		},
		"causal: the test of b and c given a has 4 rows, want at least 5: limit": func() error {
			_, err := PC(context.Background(), fisher(t, columns(t, a[:4], sum(a, b, .01)[:4],
				sum(a, c, .01)[:4])), Options{})
			return err
		},
		"causal: columns a and b are equal up to the names of their values": func() error {
			_, err := NewGSquare(columns(t, []float64{1, 2, 1, 2, 3}, []float64{7, 5, 7, 5, 6}))
			return err
		},
		"causal: column a has 100 distinct values, want at most 64": func() error {
			_, err := NewGSquare(columns(t, normals(1, 100), normals(2, 100)))
			return err
		},
		"causal: a subset has row 30, want rows from 0 to 29": func() error {
			_, err := columns(t, a, b).Subset([]int{0, 30})
			return err
		},
		"causal: a subset has no rows": func() error { _, err := columns(t, a, b).Subset(nil); return err },
		"causal: Depth is -7, want": func() error {
			_, err := PC(t.Context(), fisher(t, columns(t, a, b)), Options{Depth: -7})
			return err
		},
		"causal: Colliders is 99, want": func() error {
			_, err := PC(t.Context(), fisher(t, columns(t, a, b)), Options{Colliders: 99})
			return err
		},
		"causal: column 2 is called": func() error {
			_, err := NewData([]string{"a", "a"}, mat.NewDense(2, 2, []float64{1, 2, 3, 4}))
			return err
		},
		"causal: the table has 2 columns and 1 names": func() error {
			_, err := NewData([]string{"a"}, mat.NewDense(2, 2, []float64{1, 2, 3, 4}))
			return err
		},
		"causal: column a is infinite in row 2": func() error {
			_, err := columnsOrError([]float64{1, math.Inf(1)})
			return err
		},
		"causal: column a has no values": func() error {
			_, err := columnsOrError([]float64{math.NaN(), math.NaN()})
			return err
		},
	} {
		if err := f(); err == nil || !strings.HasPrefix(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func fisher(t testing.TB, d *Data) *FisherZ {
	t.Helper()
	f, err := NewFisherZ(d)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A partial correlation is the correlation of the residuals of least squares, also of the complete
// rows of a table with holes.
func TestFisherZByRegression(t *testing.T) {
	const n = 60
	z, w := normals(1, n), normals(2, n)
	x, y := sum(sum(normals(3, n), z, 1), w, .5), sum(sum(normals(4, n), z, -1), w, 2)
	holes := [][]float64{x, y, z, w}
	var keep []int
	for i := range n {
		if i%7 == 3 {
			holes[i%4] = append(append(append([]float64{}, holes[i%4][:i]...), math.NaN()),
				holes[i%4][i+1:]...)
		} else {
			keep = append(keep, i)
		}
	}
	for _, c := range []struct {
		d    *Data
		rows []int
	}{{columns(t, x, y, z, w), nil}, {columns(t, holes...), keep}} {
		got, err := fisher(t, c.d).Independence(context.Background(), 0, 1, []int{2, 3})
		if err != nil {
			t.Fatal(err)
		}
		rows := c.rows
		if rows == nil {
			for i := range n {
				rows = append(rows, i)
			}
		}
		design := mat.NewDense(len(rows), 3, nil)
		both := mat.NewDense(len(rows), 2, nil)
		for k, i := range rows {
			design.SetRow(k, []float64{1, z[i], w[i]})
			both.SetRow(k, []float64{x[i], y[i]})
		}
		var b, fit mat.Dense
		if err := b.Solve(design, both); err != nil {
			t.Fatal(err)
		}
		fit.Mul(design, &b)
		both.Sub(both, &fit)
		var g mat.Dense
		g.Mul(both.T(), both)
		r := g.At(0, 1) / math.Sqrt(g.At(0, 0)*g.At(1, 1))
		want := math.Sqrt(float64(len(rows)-5)) * math.Atanh(r)
		p := 2 * distuv.UnitNormal.Survival(math.Abs(want))
		if math.Abs(got.Statistic-want) > 1e-11 || math.Abs(got.P-p) > 1e-12 || got.Rows != len(rows) {
			t.Errorf("%+v, want %v, %v", got, want, p)
		}
	}
}

// G² of the table of Agresti (2002, table 2.5) of death penalties by victim and defendant, and its
// p.
func TestGSquare(t *testing.T) {
	counts := [2][2][2]int{{{53, 414}, {11, 37}}, {{0, 16}, {4, 139}}} // victim, defendant, penalty
	var victim, defendant, penalty []float64
	g2, direct := 0.0, 0.0
	for v, table := range counts {
		for d, row := range table {
			for p, n := range row {
				for range n {
					victim, defendant = append(victim, float64(v)), append(defendant, float64(d))
					penalty = append(penalty, float64(p))
				}
				margin := float64(row[0]+row[1]) * float64(table[0][p]+table[1][p])
				total := float64(table[0][0] + table[0][1] + table[1][0] + table[1][1])
				if n > 0 {
					direct += 2 * float64(n) * math.Log(float64(n)*total/margin)
				}
			}
		}
	}
	g2 = direct
	test, err := NewGSquare(columns(t, defendant, penalty, victim))
	if err != nil {
		t.Fatal(err)
	}
	got, err := test.Independence(context.Background(), 0, 1, []int{2})
	if err != nil || math.Abs(got.Statistic-g2) > 1e-10 || got.Rows != 674 ||
		math.Abs(got.P-distuv.ChiSquared{K: 2}.Survival(g2)) > 1e-12 {
		t.Errorf("%+v, %v, want %v", got, err, g2)
	}
	// One stratum has one value of y: it adds nothing.
	few, err := NewGSquare(columns(t, []float64{0, 1, 0, 1}, []float64{0, 0, 0, 1}, []float64{0, 0, 1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := few.Independence(context.Background(), 0, 1, []int{2}); err != nil ||
		math.Abs(got.P-distuv.ChiSquared{K: 1}.Survival(4*math.Ln2)) > 1e-12 {
		t.Errorf("%+v, %v", got, err)
	}
	none, err := NewGSquare(columns(t, []float64{0, 0, 1, 2}, []float64{0, 1, 0, 0}, []float64{0, 0, 1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := none.Independence(context.Background(), 0, 1, []int{2}); err != nil ||
		!math.IsNaN(got.P) {
		t.Errorf("%+v, %v", got, err)
	}
}

// Under independence p is uniform: of 400 tests at level 0.05, 6 to 36 reject with probability
// 0.999.
func TestLevels(t *testing.T) {
	z, g := 0, 0
	for seed := range uint64(400) {
		a, b, c := normals(3*seed, 200), normals(3*seed+1, 200), normals(3*seed+2, 200)
		d := columns(t, sum(a, c, 1), sum(b, c, 1), c)
		o, err := fisher(t, d).Independence(context.Background(), 0, 1, []int{2})
		if err != nil {
			t.Fatal(err)
		}
		if o.P <= 0.05 {
			z++
		}
		for _, v := range [][]float64{a, b, c} {
			for i := range v {
				v[i] = math.Floor(v[i])
				v[i] = max(-1, min(v[i], 0))
			}
		}
		test, err := NewGSquare(columns(t, sum(a, c, 2), sum(b, c, 2), c))
		if err != nil {
			t.Fatal(err)
		}
		if o, err = test.Independence(context.Background(), 0, 1, []int{2}); err != nil {
			t.Fatal(err)
		}
		if o.P <= 0.05 {
			g++
		}
	}
	if z < 6 || z > 36 || g < 6 || g > 36 {
		t.Errorf("Fisher z rejects %d of 400, G² %d", z, g)
	}
}
