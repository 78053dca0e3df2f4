package conditional

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// centredKernel is the Gaussian kernel of standardised columns, centred if asked.
func bruteKernel(table *mat.Dense, columns []int, half []int, ell float64, centre bool) *mat.Dense {
	n, _ := table.Dims()
	at := func(i, j int) float64 {
		q := 0.0
		for k, list := range [][]int{columns, half} {
			for _, c := range list {
				v := standardised(mat.Col(nil, c, table))
				d := (v[i] - v[j]) / float64(k+1)
				q += d * d
			}
		}
		return math.Exp(-q / (2 * ell * ell))
	}
	out := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			out.Set(i, j, at(i, j))
		}
	}
	if centre {
		h := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				h.Set(i, j, -1/float64(n))
			}
			h.Set(i, i, 1-1/float64(n))
		}
		out.Mul(h, out)
		out.Mul(out, h)
	}
	return out
}

func standardised(v []float64) []float64 {
	mean, square := 0.0, 0.0
	for _, e := range v {
		mean += e / float64(len(v))
	}
	for _, e := range v {
		square += (e - mean) * (e - mean) / float64(len(v)-1)
	}
	for i := range v {
		v[i] = (v[i] - mean) / math.Sqrt(square)
	}
	return v
}

// bruteResidual tries all pairs of a lengthscale and a ridge by inverse matrices, and returns R G R
// for the one with the least leave-one-out error, and that error over the one of the mean.
func bruteResidual(t *testing.T, table *mat.Dense, g *mat.Dense, z []int, likelihood bool) (*mat.Dense,
	float64) {
	t.Helper()
	n, _ := table.Dims()
	best, left, error := math.Inf(1), new(mat.Dense), 0.0
	for _, l := range gridLengthscales {
		k := bruteKernel(table, z, nil, l*math.Sqrt(float64(len(z))), false)
		ridges := slices.Clone(gridRidges)
		for i := range ridges {
			ridges[i] *= float64(n)
		}
		if likelihood {
			ridges = gridNoises
		}
		for _, ridge := range ridges {
			var r, rgr, shifted mat.Dense
			shifted.CloneFrom(k)
			for i := range n {
				shifted.Set(i, i, k.At(i, i)+ridge)
			}
			if err := r.Inverse(&shifted); err != nil && r.IsEmpty() {
				t.Fatal(err)
			}
			r.Scale(ridge, &r)
			rgr.Mul(&r, g)
			value := 0.0
			if likelihood {
				det, _ := mat.LogDet(&shifted)
				value = det/2 + float64(n)/2*math.Log(mat.Trace(&rgr)/ridge)
			}
			rgr.Mul(&rgr, &r)
			loo := 0.0
			for i := range n {
				loo += rgr.At(i, i) / (r.At(i, i) * r.At(i, i)) / float64(n)
			}
			if !likelihood {
				value = loo
			}
			if value < best {
				best, error = value, loo
				left.CloneFrom(&rgr)
			}
		}
	}
	mean := mat.Trace(g) / float64(n) // of all rows, as the regression has it where it leaves one out
	return left, 1 - error/mean
}

// The statistic and its cumulants by inverse matrices of all the grid, for all forms and both
// tunings.
func TestConditionalBruteForce(t *testing.T) {
	for _, c := range []struct {
		given  int
		tuning Tuning
		form   Form
	}{{1, LeaveOneOut, WithKernel}, {2, LeaveOneOut, WithoutKernel}, {2, MarginalLikelihood, Joined},
		{1, MarginalLikelihood, FirstOfTwo}, {3, LeaveOneOut, WithKernel}} {
		const n = 40
		names, table := chain(n, c.given, 3)
		z := []int{3, 4, 5}[:c.given]
		cond, err := NewTable(names, table, Options{Tuning: c.tuning, Form: c.form,
			KernelOnly: true, OneLengthscale: true})
		if err != nil {
			t.Fatal(err)
		}
		r, err := cond.Test(t.Context(), []int{0}, []int{1}, z)
		if err != nil {
			t.Fatal(err)
		}
		likelihood, ell := c.tuning == MarginalLikelihood, outputWidth(n)
		side := func(x int, half []int) (*mat.Dense, float64) {
			a, r2 := bruteResidual(t, table, bruteKernel(table, []int{x}, half, ell, true), z, likelihood)
			if c.form == Joined || c.form == FirstOfTwo {
				return a, r2
			}
			// The residual of x itself is the root of what is left of x x'.
			v := mat.NewVecDense(n, standardised(mat.Col(nil, x, table)))
			var outer mat.Dense
			outer.Outer(1, v, v)
			plain, _ := bruteResidual(t, table, &outer, z, likelihood)
			left := mat.NewDense(n, 1, nil)
			for i := range n {
				left.Set(i, 0, plain.At(i, 0)/math.Sqrt(plain.At(0, 0)))
			}
			b, _ := bruteResidual(t, table, bruteKernel(left, []int{0}, nil, ell, true), z, likelihood)
			a.Scale(1/mat.Trace(a), a)
			b.Scale(1/mat.Trace(b), b)
			a.Add(a, b)
			return a, r2
		}
		m := new(mat.Dense)
		switch c.form {
		case WithKernel, WithoutKernel:
			a, r2 := side(0, nil)
			b, _ := side(1, nil)
			m.MulElem(a, b)
			if c.form == WithKernel {
				m.MulElem(m, bruteKernel(table, z, nil, math.Sqrt(float64(c.given)), false))
			}
			if math.Abs(r.X.R2-r2) > 1e-5 {
				t.Errorf("%+v: R2 %v, want %v", c, r.X.R2, r2)
			}
		default:
			a, _ := side(0, z)
			b, _ := side(1, nil)
			m.MulElem(a, b)
			if c.form == Joined {
				a, _ = side(0, nil)
				b, _ = side(1, z)
				a.MulElem(a, b)
				m.Add(m, a)
				m.Scale(0.5, m)
			}
		}
		var square, cube mat.Dense
		square.Mul(m, m)
		cube.Mul(m, &square)
		for k, v := range [][2]float64{{r.Statistic, mat.Sum(m)}, {r.Mean, mat.Trace(m)},
			{r.Variance, 2 * mat.Trace(&square)}, {r.Third, 8 * mat.Trace(&cube)}} {
			if !(fixture.Relative(v[0], v[1]) <= 1e-9) {
				t.Errorf("%+v: number %d is %v, want %v", c, k, v[0], v[1])
			}
		}
	}
}

// With X and Y exchanged, z in another order, the columns in another order, or nothing kept, the
// result is the same to the last bit, also from several goroutines at once.
func TestConditionalOrder(t *testing.T) {
	names, table := chain(60, 2, 5)
	n, width := table.Dims()
	order := []int{3, 1, 4, 0, 2}
	turned := mat.NewDense(n, width, nil)
	var moved []string
	for to, from := range order {
		turned.SetCol(to, mat.Col(nil, from, table))
		moved = append(moved, names[from])
	}
	at := func(j int) int { return slices.Index(order, j) }
	for _, form := range []Form{WithKernel, WithoutKernel, Joined} {
		a, err := NewTable(names, table, Options{Form: form})
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewTable(moved, turned, Options{Form: form, Memory: 1})
		if err != nil {
			t.Fatal(err)
		}
		want, err := a.Test(t.Context(), []int{0}, []int{1}, []int{3, 4})
		if err != nil {
			t.Fatal(err)
		}
		if want.P == 0 || want.P == 1 {
			t.Errorf("p is %v", want.P)
		}
		var wg sync.WaitGroup
		for k := range 8 {
			wg.Go(func() {
				c, x, y, z := a, 1, 0, []int{4, 3}
				if k%2 == 1 {
					c, x, y, z = b, at(x), at(y), []int{at(4), at(3)}
				}
				got, err := c.Test(t.Context(), []int{x}, []int{y}, z)
				if err != nil {
					t.Error(err)
					return
				}
				if got.P != want.P || got.Statistic != want.Statistic || !reflect.DeepEqual(got.X, want.Y) ||
					!reflect.DeepEqual(got.Y, want.X) {
					t.Errorf("%v: p %v and %v, T %v and %v, %+v", form, got.P, want.P,
						got.Statistic, want.Statistic, got)
				}
			})
		}
		wg.Wait()
		if b.store.used > 1<<20 || len(b.store.entries) > 1 {
			t.Errorf("%d entries of %d bytes are kept", len(b.store.entries), b.store.used)
		}
	}
}

func TestConditionalErrors(t *testing.T) {
	names, table := chain(40, 2, 1)
	table.SetCol(2, make([]float64, 40)) // constant
	wide := mat.NewDense(40, 9, nil)
	for j := range 5 {
		wide.SetCol(j, mat.Col(nil, j, table))
	}
	for i := range 40 {
		wide.Set(i, 5, 3*table.At(i, 0)-1)
		wide.Set(i, 6, table.At(i, 3)+table.At(i, 4))
		wide.Set(i, 7, math.Sin(table.At(i, 3)))
		wide.Set(i, 8, float64(i%2))
	}
	names = append(names, "twice x", "sum", "sin", "odd")
	flags := make([]bool, 9)
	flags[8] = true
	all, err := NewTable(names, wide, Options{Discrete: flags})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		x, y, z []int
		want    string
	}{
		{[]int{0}, []int{2}, []int{3}, "column v2 is constant"},
		{[]int{0}, []int{1}, []int{2}, "column v2 is constant"},
		{[]int{0}, []int{5}, []int{3}, "column twice x repeats column v0, up to scale"},
		{[]int{0}, []int{1}, []int{5, 3}, "column v0 repeats column twice x, up to scale"},
		{[]int{0}, []int{1}, []int{3, 4, 6}, "column v4 is a linear function of the columns sum, v3"},
		{[]int{0}, []int{0}, []int{3}, "column v0 is in x and in y"},
		{[]int{0}, []int{1}, []int{9}, "column number 9 of z, want 0 to 8"},
		{nil, []int{1}, nil, "x has no columns"},
	} {
		for _, run := range []func(context.Context, []int, []int, []int) (*Result, error){
			all.Test, all.ResidualHSIC} {
			_, err := run(t.Context(), c.x, c.y, c.z)
			if err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.HasPrefix(err.Error(), "conditional: ") {
				t.Errorf("%v %v %v: error %v, want %q", c.x, c.y, c.z, err, c.want)
			}
		}
	}
	if _, err := all.Test(ended, []int{0}, []int{1}, []int{4}); err == nil {
		t.Error("an ended context: no error")
	}
	if _, err := all.Test(t.Context(), []int{0}, []int{1}, []int{4}); err != nil {
		t.Errorf("after an ended context: %v", err)
	}
	r, err := all.Test(t.Context(), []int{7}, []int{1}, []int{3})
	if err != nil || !strings.Contains(strings.Join(r.Notes, " "), "sin is nearly a function of v3") {
		t.Errorf("a function of z: %+v, %v", r, err)
	}
	permuted := Options{Null: statistic.Permutation}
	for _, c := range []struct {
		o    Options
		rows int
		want string
	}{
		{Options{Alpha: 2}, 40, "alpha is 2"},
		{Options{Null: statistic.Gamma}, 40, "null is gamma"},
		{Options{Width: -1}, 40, "width is -1"},
		{Options{Memory: -1}, 40, "memory is -1"},
		{Options{Tuning: 9}, 40, "unknown tuning"},
		{Options{Form: 9}, 40, "unknown form"},
		{Options{Discrete: []bool{true}}, 40, "1 flags of discrete columns"},
		{Options{Published: &Published{Ridge: -1}}, 40, "published ridge is -1"},
		{permuted, 40, "want all of them discrete"},
		{Options{}, 12, "12 rows for a test given 2 columns, want at least 14"},
		{Options{Kernel: &kerneltest.Choice{Rule: kerneltest.Ladder, Rungs: []float64{0, 2}}}, 40, "want one"},
	} {
		part := mat.DenseCopyOf(table.Slice(0, c.rows, 0, 5))
		_, err := Test(t.Context(), part.Slice(0, c.rows, 0, 1), part.Slice(0, c.rows, 1, 2),
			part.Slice(0, c.rows, 3, 5), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// Without Z the test is one of independence, with the null distributions of HSIC.
func TestConditionalOnNothing(t *testing.T) {
	names, table := chain(80, 1, 2)
	for _, null := range []statistic.Null{statistic.Auto, statistic.Spectral, statistic.Permutation} {
		c, err := NewTable(names, table, Options{Null: null})
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Test(t.Context(), []int{0}, []int{3}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Reject || r.P > 0.0011 {
			t.Errorf("%v: p is %v", null, r.P)
		}
	}
}
