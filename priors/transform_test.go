package priors

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// kinds lists every transform with a number of values to try it on.
func kinds() []struct {
	t Transform
	k int
} {
	return []struct {
		t Transform
		k int
	}{
		{Real(), 2}, {Positive(), 2}, {Interval{-2.5, math.Inf(1)}, 2}, {Interval{math.Inf(-1), 3}, 2},
		{Interval{0, 1}, 2}, {Interval{-3, 5}, 2}, {Ordered{}, 1}, {Ordered{}, 4}, {Simplex{}, 2},
		{Simplex{}, 5}, {PositiveOrdered{}, 1}, {PositiveOrdered{}, 4}, {CorrCholesky{}, 4},
		{CorrCholesky{}, 16},
	}
}

func TestTransformReference(t *testing.T) {
	var rows []struct {
		Transform        string
		Args, X, Weights []float64
		V, Grad          []number
		LogJ             number
	}
	load(t, "transforms.json", &rows)
	for _, r := range rows {
		var f Transform
		switch r.Transform {
		case "interval":
			f = Interval{r.Args[0], r.Args[1]}
		case "lower":
			f = Interval{r.Args[0], math.Inf(1)}
		case "upper":
			f = Interval{math.Inf(-1), r.Args[0]}
		case "ordered":
			f = Ordered{}
		case "simplex":
			f = Simplex{}
		default:
			t.Fatalf("unknown transform %s", r.Transform)
		}
		v, gx := make([]float64, len(r.V)), make([]float64, len(r.X))
		logJ := f.Constrain(v, r.X)
		if d := math.Abs(logJ - float64(r.LogJ)); d > 1e-14*max(1, math.Abs(float64(r.LogJ))) {
			t.Errorf("%s %v at %v: log Jacobian %v, want %v", r.Transform, r.Args, r.X, logJ, r.LogJ)
		}
		for i := range v {
			// To a few roundings of the value itself, or of the bound that it is measured from.
			size := math.Abs(float64(r.V[i]))
			for _, a := range r.Args {
				size = max(size, math.Abs(a)*math.Min(1, size))
			}
			if d := math.Abs(v[i] - float64(r.V[i])); d > 1e-15*size {
				t.Errorf("%s %v at %v: value %d is %v, want %v", r.Transform, r.Args, r.X, i, v[i], r.V[i])
			}
		}
		f.PullBack(gx, r.X, v, r.Weights)
		for i := range gx {
			want := float64(r.Grad[i])
			if d := math.Abs(gx[i] - want); d > 1e-14*max(1, math.Abs(want)) {
				t.Errorf("%s %v at %v: gradient %d is %v, want %v", r.Transform, r.Args, r.X, i, gx[i], want)
			}
		}
	}
}

// The determinant of a Jacobian by central differences, of the free values alone.
func TestTransformJacobian(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range kinds() {
		n := c.t.Free(c.k)
		x, v := make([]float64, n), make([]float64, c.k)
		up, down := make([]float64, c.k), make([]float64, c.k)
		for range 20 {
			for i := range x {
				x[i] = 8*r.Float64() - 4
			}
			jac := mat.NewDense(n, n, nil)
			for j := range x {
				const h = 1e-5
				at := x[j]
				x[j] = at + h
				c.t.Constrain(up, x)
				x[j] = at - h
				c.t.Constrain(down, x)
				x[j] = at
				for i := range n {
					k := freeValue(c.t, c.k, i)
					jac.Set(i, j, (up[k]-down[k])/(2*h))
				}
			}
			var lu mat.LU
			lu.Factorize(jac)
			want, _ := lu.LogDet()
			// Differences: h^2 and eps/h relative to the smallest slope, here above 1e-7.
			if got := c.t.Constrain(v, x); math.Abs(got-want) > 1e-4 {
				t.Errorf("%#v at %v: log Jacobian %v, by differences %v", c.t, x, got, want)
			}
		}
	}
}

// freeValue is the place among k values of the i-th that is not given by others.
func freeValue(t Transform, k, i int) int {
	if _, ok := t.(CorrCholesky); !ok {
		return i
	}
	row := 1
	for ; i >= row; row++ {
		i -= row
	}
	return row*matrixRows(k) + i
}

// smooth is a log density in v, bounded in all its derivatives relative to its value.
func smooth(v, g []float64) float64 {
	f := 0.0
	for i, w := range v {
		c := float64(i%3) - 0.75
		f += c * math.Log1p(w*w)
		g[i] = c * 2 * w / (1 + w*w)
	}
	return f
}

func TestTransformGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, c := range kinds() {
		n := c.t.Free(c.k)
		x, gx := make([]float64, n), make([]float64, n)
		v, gv := make([]float64, c.k), make([]float64, c.k)
		for trial := range 60 {
			radius := []float64{1, 6, 30}[trial%3]
			for i := range x {
				x[i] = radius * (2*r.Float64() - 1)
			}
			total := func() float64 {
				logJ := c.t.Constrain(v, x)
				return logJ + smooth(v, gv)
			}
			total()
			c.t.PullBack(gx, x, v, gv)
			for j := range x {
				// Five points: the error is h^4 and, for values up to 30 n, 1e-14 n/h.
				const h = 1e-3
				at := x[j]
				diff := 0.0
				for _, s := range []struct{ steps, weight float64 }{{1, 8}, {-1, -8}, {2, -1}, {-2, 1}} {
					x[j] = at + s.steps*h
					diff += s.weight * total() / (12 * h)
				}
				x[j] = at
				if math.Abs(gx[j]-diff) > 1e-9*(1+math.Abs(diff)) {
					t.Errorf("%#v at %v: gradient %d is %v, by differences %v", c.t, x, j, gx[j], diff)
				}
			}
		}
	}
}

func TestTransformRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, c := range kinds() {
		n := c.t.Free(c.k)
		x, back := make([]float64, n), make([]float64, n)
		v, again := make([]float64, c.k), make([]float64, c.k)
		for range 200 {
			for i := range x {
				x[i] = 20*r.Float64() - 10
			}
			c.t.Constrain(v, x)
			if err := c.t.Unconstrain(back, v); err != nil {
				t.Fatalf("%#v at %v: %v", c.t, x, err)
			}
			for i := range x {
				// A rounding of a value, relative to its slope: exp(-10) at the least; each stage
				// of an ordered vector may be lost in its predecessor, up to exp(10).
				if math.Abs(back[i]-x[i]) > 1e-15*math.Exp(20) {
					t.Errorf("%#v: %v comes back as %v", c.t, x, back)
				}
			}
			// On the user's scale nothing is lost.
			c.t.Constrain(again, back)
			for i := range v {
				if math.Abs(again[i]-v[i]) > 1e-14*(10+math.Abs(v[c.k-1])) {
					t.Errorf("%#v: %v comes back as %v", c.t, v, again)
				}
			}
		}
	}
	// Positive keeps nearly the whole range of doubles: the log of the largest rounds up.
	for _, w := range []float64{5e-324, 1e-310, 1e-300, 1, 1e300, math.MaxFloat64 / 2} {
		x, v := []float64{0}, []float64{0}
		if err := Positive().Unconstrain(x, []float64{w}); err != nil {
			t.Fatal(err)
		}
		if Positive().Constrain(v, x); math.Abs(v[0]-w) > 1e-12*w {
			t.Errorf("positive: %v comes back as %v", w, v[0])
		}
	}
}

func TestTransformExtremes(t *testing.T) {
	for _, c := range kinds() {
		n := c.t.Free(c.k)
		x, gx := make([]float64, n), make([]float64, n)
		v, gv := make([]float64, c.k), make([]float64, c.k)
		for i := range gv {
			gv[i] = 0.5 - float64(i)
		}
		lo, hi := c.t.Bounds()
		values := []float64{-700, -36.7, -1e-300, 0, 5e-324, 40, 700}
		for code := range 343 {
			for i := range x {
				x[i] = values[code/[]int{1, 7, 49, 1, 49, 7}[i]%7]
			}
			logJ := c.t.Constrain(v, x)
			c.t.PullBack(gx, x, v, gv)
			if !finite(logJ) || !allFinite(v) || !allFinite(gx) {
				t.Fatalf("%#v at %v: log Jacobian %v, values %v, gradient %v", c.t, x, logJ, v, gx)
			}
			sum := 0.0
			for i, w := range v {
				if !(w >= lo && w <= hi) {
					t.Fatalf("%#v at %v: value %v outside its bounds", c.t, x, w)
				}
				if _, ok := c.t.(Ordered); ok && i > 0 && w < v[i-1] {
					t.Fatalf("ordered at %v: %v", x, v)
				}
				sum += w
			}
			if _, ok := c.t.(Simplex); ok && math.Abs(sum-1) > 1e-15*float64(c.k) {
				t.Fatalf("simplex at %v: the sum of %v is %v", x, v, sum)
			}
		}
	}
}

func TestSimplexCentre(t *testing.T) {
	v := make([]float64, 7)
	Simplex{}.Constrain(v, make([]float64, 6))
	for _, w := range v {
		if math.Abs(w-1.0/7) > 1e-16 {
			t.Errorf("the simplex at 0 is %v, want all 1/7", v)
			break
		}
	}
}

func TestUnconstrainErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		t    Transform
		v    []float64
		want string
	}{
		{Positive(), []float64{1, 0}, "priors: value 2 is 0, want it inside (0, +Inf)"},
		{Real(), []float64{nan}, "priors: value 1 is NaN, want it inside (-Inf, +Inf)"},
		{Real(), []float64{inf}, "priors: value 1 is +Inf, want it inside (-Inf, +Inf)"},
		{Interval{-1, 2}, []float64{2}, "priors: value 1 is 2, want it inside (-1, 2)"},
		{Ordered{}, []float64{1, 1}, "priors: value 2 is 1, want it above value 1, which is 1"},
		{Ordered{}, []float64{1, nan}, "priors: value 2 is NaN, want a finite number"},
		{PositiveOrdered{}, []float64{1, 1}, "priors: value 2 is 1, want it above 1"},
		{Simplex{}, []float64{1, 0}, "priors: value 2 of a simplex is 0, want a positive number"},
		{Simplex{}, []float64{nan, 1}, "priors: value 1 of a simplex is NaN, want a positive number"},
		{Simplex{}, []float64{0.5, 0.25}, "priors: the values of a simplex add up to 0.75, want 1"},
		{CorrCholesky{}, []float64{1, 1, 0, 1}, "priors: value 2 of row 1 of a Cholesky factor is 1, want 0"},
		{CorrCholesky{}, []float64{1, 0, 1, 0}, "priors: the diagonal of row 2 of a Cholesky factor is 0, " +
			"want a positive number"},
		{CorrCholesky{}, []float64{1, 0, 0, nan}, "priors: the diagonal of row 2 of a Cholesky factor is " +
			"NaN, want a positive number"},
		{CorrCholesky{}, []float64{1, 0, nan, 1}, "priors: the squares of row 2 of a Cholesky factor add " +
			"up to NaN, want 1"},
		{Simplex{}, []float64{inf, 1}, "priors: the values of a simplex add up to +Inf, want 1"},
	} {
		err := c.t.Unconstrain(make([]float64, len(c.v)), c.v)
		if _, ok := c.t.(Simplex); ok {
			err = c.t.Unconstrain(make([]float64, len(c.v)-1), c.v)
		}
		if err == nil || err.Error() != c.want || strings.Contains(err.Error(), "\n") {
			t.Errorf("%#v of %v: error %v\nwant %s", c.t, c.v, err, c.want)
		}
	}
}

// allFinite reports whether v holds neither NaN nor an infinity.
func allFinite(v []float64) bool {
	return !slices.ContainsFunc(v, func(w float64) bool { return !finite(w) })
}
