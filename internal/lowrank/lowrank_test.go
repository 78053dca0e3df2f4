package lowrank

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// gaussian is the Gram matrix of a squared exponential kernel on sorted points.
func gaussian(n int, theta float64) []float64 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	a := make([]float64, n*n)
	for i := range x {
		for j := range x {
			d := (x[i] - x[j]) / theta
			a[i*n+j] = math.Exp(-d * d / 2)
		}
	}
	return a
}

// ofRank is B B' for a random B of so many columns.
func ofRank(n, rank int) []float64 {
	r := rand.New(rand.NewPCG(2, uint64(n)))
	b := make([]float64, n*rank)
	for i := range b {
		b[i] = r.NormFloat64()
	}
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for k := range rank {
				a[i*n+j] += b[i*rank+k] * b[j*rank+k]
			}
		}
	}
	return a
}

func diagonal(a []float64, n int) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = a[i*n+i]
	}
	return d
}

// factor factors a matrix held in full.
func factor(c *Cholesky, a []float64, n int, tol float64) {
	c.Factor(diagonal(a, n), tol, func(dst []float64, i int) { copy(dst, a[i*n:(i+1)*n]) })
}

// remainder is A - L L'.
func remainder(c *Cholesky, a []float64, n int) []float64 {
	e := slices.Clone(a)
	l := c.Columns()
	for k := range c.Pivots {
		for i := range n {
			for j := range n {
				e[i*n+j] -= l[k*n+i] * l[k*n+j]
			}
		}
	}
	return e
}

func largestOf(a []float64) float64 {
	top := 0.0
	for _, v := range a {
		top = max(top, math.Abs(v))
	}
	return top
}

// What is left is positive semidefinite, so no element exceeds the largest diagonal one.
func TestFactorLeavesNoMoreThanTheTolerance(t *testing.T) {
	var c Cholesky // reused: the sizes go up and down
	for _, n := range []int{40, 7, 90, 1} {
		for _, theta := range []float64{0.01, 0.5, 30} {
			for _, tol := range []float64{1e-15, 1e-10, 1e-4, 0.3} {
				a := gaussian(n, theta)
				factor(&c, a, n, tol)
				e := remainder(&c, a, n)
				if got := largestOf(e); got > tol+1e-15 {
					t.Errorf("n = %d, theta = %v, tol = %v: remainder %v", n, theta, tol, got)
				}
				for i, d := range diagonal(e, n) {
					if math.Abs(d-c.Residual[i]) > 2e-15 {
						t.Errorf("n = %d, theta = %v, tol = %v: residual %v, want %v",
							n, theta, tol, c.Residual[i], d)
					}
				}
			}
		}
	}
}

func TestFactorFindsTheRank(t *testing.T) {
	for rank := range 8 {
		a := ofRank(20, rank)
		var c Cholesky
		factor(&c, a, 20, 1e-12)
		if len(c.Pivots) != rank {
			t.Errorf("rank %d, want %d", len(c.Pivots), rank)
		}
		if e := largestOf(remainder(&c, a, 20)); e > 1e-13*max(largestOf(a), 1) {
			t.Errorf("rank %d: remainder %v", rank, e)
		}
	}
}

// A limit ends a longer factor early, and the trace error says what is then left out.
func TestFactorStopsAtTheLimit(t *testing.T) {
	const n = 60
	a := gaussian(n, 0.1)
	var whole Cholesky
	factor(&whole, a, n, 1e-12)
	for _, limit := range []int{1, 5, len(whole.Pivots), n} {
		c := Cholesky{Limit: limit}
		factor(&c, a, n, 1e-12)
		rank := min(limit, len(whole.Pivots))
		if !slices.Equal(c.Pivots, whole.Pivots[:rank]) ||
			!slices.Equal(c.Columns(), whole.Columns()[:rank*n]) {
			t.Errorf("limit %d: not the beginning of the whole factor", limit)
		}
		want := 0.0
		for _, v := range diagonal(remainder(&c, a, n), n) {
			want += v / n
		}
		if got := c.TraceError(diagonal(a, n)); math.Abs(got-want) > 1e-14 {
			t.Errorf("limit %d: trace error %v, want %v", limit, got, want)
		}
	}
	if got := new(Cholesky).TraceError(nil); got != 0 {
		t.Errorf("trace error of nothing is %v, want 0", got)
	}
}

// Each pivot has the largest diagonal element of what is left before it.
func TestFactorTakesTheLargest(t *testing.T) {
	const n = 30
	a := ofRank(n, n)
	var c Cholesky
	factor(&c, a, n, 0)
	if len(c.Pivots) != n {
		t.Fatalf("rank %d, want %d", len(c.Pivots), n)
	}
	left, l := slices.Clone(a), c.Columns()
	for k, p := range c.Pivots {
		if d := diagonal(left, n); d[p] < slices.Max(d)-1e-10 {
			t.Errorf("pivot %d has %v, the largest is %v", k, d[p], slices.Max(d))
		}
		for i := range n {
			for j := range n {
				left[i*n+j] -= l[k*n+i] * l[k*n+j]
			}
		}
	}
	for k := range c.Pivots { // L at the pivots is lower triangular
		for _, p := range c.Pivots[:k] {
			if l[k*n+p] != 0 {
				t.Errorf("L is %v at pivot row %d, column %d, want 0", l[k*n+p], p, k)
			}
		}
	}
}

func TestFactorOfNothing(t *testing.T) {
	var c Cholesky
	for _, diag := range [][]float64{nil, {0, 0}, {math.NaN()}, {-1}, {1e-3}} {
		c.Factor(diag, 1e-2, func([]float64, int) { t.Error("a column was asked for") })
		if len(c.Pivots) != 0 || len(c.Columns()) != 0 {
			t.Errorf("diagonal %v: rank %d, want 0", diag, len(c.Pivots))
		}
	}
}

func TestGramAndProducts(t *testing.T) {
	const count, n, stride = 7, 5, 9
	r := rand.New(rand.NewPCG(3, 3))
	a := make([]float64, count*stride)
	for i := range a {
		a[i] = r.NormFloat64()
	}
	dst := make([]float64, count*count)
	Gram(dst, a, count, n, stride)
	for i := range count {
		for j := range count {
			want := 0.0
			for k := range n {
				want += a[i*stride+k] * a[j*stride+k]
			}
			if j > i {
				want = 0
			}
			if math.Abs(dst[i*count+j]-want) > 1e-14 {
				t.Errorf("element %d, %d is %v, want %v", i, j, dst[i*count+j], want)
			}
		}
	}
	Gram(nil, nil, 0, n, stride)
}

func TestDecomposeAndSolve(t *testing.T) {
	const n, g = 12, 3
	a := ofRank(n, n)
	l := slices.Clone(a)
	if !Decompose(l, n) {
		t.Fatal("not positive definite")
	}
	b := make([]float64, n*g)
	for i := range b {
		b[i] = float64(i%5) - 2
	}
	x := slices.Clone(b)
	SolveLower(l, n, x, g)
	solves(t, l, n, x, b, g, 1e-12)
	for i := range n {
		for j := range i + 1 {
			s := 0.0
			for k := range j + 1 {
				s += l[i*n+k] * l[j*n+k]
			}
			if math.Abs(s-a[i*n+j]) > 1e-12 {
				t.Errorf("L L' is %v at %d, %d, want %v", s, i, j, a[i*n+j])
			}
		}
	}
	if Decompose([]float64{1, 0, 2, 1}, 2) || Decompose([]float64{math.NaN()}, 1) {
		t.Error("an indefinite matrix was decomposed")
	}
	if !Decompose(nil, 0) {
		t.Error("the empty matrix was not decomposed")
	}
}

// A kernel matrix of 1000 points has a factor of a few dozen columns.
func ExampleCholesky() {
	x := make([]float64, 1000)
	diag := make([]float64, 1000)
	for i := range x {
		x[i], diag[i] = float64(i)/100, 1
	}
	var c Cholesky
	c.Factor(diag, 1e-12, func(dst []float64, i int) {
		for j := range dst {
			dst[j] = math.Exp(-(x[i] - x[j]) * (x[i] - x[j]))
		}
	})
	fmt.Println("fewer than 50 columns:", len(c.Pivots) < 50)
	// Output: fewer than 50 columns: true
}

// Long rows are solved in blocks: 70 of them are two whole blocks and a part.
func TestSolveLowerInBlocks(t *testing.T) {
	const n, g = 70, 300
	r := rand.New(rand.NewPCG(5, 7))
	l, b := make([]float64, n*n), make([]float64, n*g)
	for i := range n {
		for j := range i {
			l[i*n+j] = r.NormFloat64() / n
		}
		l[i*n+i] = 1 + r.Float64()
	}
	for i := range b {
		b[i] = r.NormFloat64()
	}
	x := slices.Clone(b)
	SolveLower(l, n, x, g)
	solves(t, l, n, x, b, g, 1e-13)
}

// solves compares the product of the lower triangle of l and x with b.
func solves(t *testing.T, l []float64, n int, x, b []float64, g int, tolerance float64) {
	t.Helper()
	for i := range n {
		for j := range g {
			s := 0.0
			for k := range i + 1 {
				s += l[i*n+k] * x[k*g+j]
			}
			if math.Abs(s-b[i*g+j]) > tolerance {
				t.Fatalf("element %d, %d is %v, want %v", i, j, s, b[i*g+j])
			}
		}
	}
}
