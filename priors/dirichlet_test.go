package priors

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// With two values the first has a beta distribution, which is tested against references.
func TestDirichletOfTwoIsBeta(t *testing.T) {
	grad := make([]float64, 2)
	for _, b := range []Beta{{1, 1}, {0.5, 3}, {7, 2}, {200, 0.1}} {
		d := Dirichlet{[]float64{b.A, b.B}}
		for _, x := range []float64{1e-9, 0.1, 0.5, 0.93} {
			want, dwant := b.LogDensityGrad(x)
			got := d.LogDensityGrad([]float64{x, 1 - x}, grad)
			if math.Abs(got-want) > 1e-12*(1+math.Abs(want)) ||
				math.Abs(grad[0]-grad[1]-dwant) > 1e-12*(1+math.Abs(dwant)) {
				t.Errorf("alpha %v at %v: %v with derivative %v, want %v with %v", d.Alpha, x, got,
					grad[0]-grad[1], want, dwant)
			}
		}
	}
}

// The density of three values, by the midpoint rule on the triangle. With alpha at
// least 3, the density vanishes smoothly at the edges, and the error is of order 1/n^2.
func TestDirichletIntegratesToOne(t *testing.T) {
	const n = 400
	grad := make([]float64, 3)
	for _, alpha := range [][]float64{{3, 4, 5}, {3, 3, 3}, {6, 3, 8}} {
		d, sum := Dirichlet{alpha}, 0.0
		density, logNorm := d.Split()
		for i := range n {
			for j := range n - i {
				u, v := (float64(i)+0.5)/n, (float64(j)+0.5)/n
				if w := 1 - u - v; w > 0 {
					sum += math.Exp(density([]float64{u, v, w}, grad)+logNorm) / (n * n)
				}
			}
		}
		if math.Abs(sum-1) > 1e-4 {
			t.Errorf("alpha %v: the density integrates to %v, want 1", alpha, sum)
		}
	}
}

func TestDirichletAtTheEnds(t *testing.T) {
	grad := make([]float64, 2)
	for _, c := range []struct {
		alpha []float64
		want  float64
	}{
		{[]float64{0.5, 2}, math.Inf(-1)}, // infinite, which counts as outside
		{[]float64{1, 1}, 0}, {[]float64{2, 2}, math.Inf(-1)},
	} {
		if got := (Dirichlet{c.alpha}).LogDensityGrad([]float64{0, 1}, grad); got != c.want {
			t.Errorf("alpha %v at (0, 1): log density %v, want %v", c.alpha, got, c.want)
		}
	}
}

// Each value of a draw has the distribution beta(alpha_i, sum of the others). Six tests at 1e-8
// each: reseeded, one of them fails by chance with probability 6e-8.
func TestDirichletRand(t *testing.T) {
	const n, cells = 20_000, 32
	r := rand.New(rand.NewPCG(22, 1))
	for _, alpha := range [][]float64{{2, 0.5, 1}, {30, 7, 0.05}} {
		var counts [3][cells]int
		v := make([]float64, 3)
		for range n {
			Dirichlet{alpha}.Rand(v, r)
			if sum := v[0] + v[1] + v[2]; math.Abs(sum-1) > 1e-15 {
				t.Fatalf("alpha %v: %v adds up to %v", alpha, v, sum)
			}
			for i, w := range v {
				u := mathext.RegIncBeta(alpha[i], alpha[0]+alpha[1]+alpha[2]-alpha[i], w)
				counts[i][min(int(cells*u), cells-1)]++
			}
		}
		for i := range counts {
			chi := 0.0
			for _, c := range counts[i] {
				chi += math.Pow(float64(c)-n/cells, 2) / (n / cells)
			}
			if p := mathext.GammaIncRegComp((cells-1)/2.0, chi/2); p < 1e-8 {
				t.Errorf("alpha %v, value %d: p = %.2g", alpha, i+1, p)
			}
		}
	}
	// Small alpha put all of the mass on one value; the others may underflow, but nothing is NaN.
	v := make([]float64, 4)
	for range 100 {
		Dirichlet{[]float64{1e-5, 1e-5, 1e-5, 1e-5}}.Rand(v, r)
		if s := v[0] + v[1] + v[2] + v[3]; !(math.Abs(s-1) <= 1e-15) {
			t.Fatalf("drew %v", v)
		}
	}
}

func TestDirichletCheck(t *testing.T) {
	for _, c := range []struct {
		alpha []float64
		want  string
	}{
		{[]float64{1}, "priors: dirichlet: got 1 values of alpha, want at least 2"},
		{[]float64{1, 0}, "priors: dirichlet: alpha is 0, want a positive number"},
		{[]float64{1, math.NaN()}, "priors: dirichlet: alpha is NaN, want a positive number"},
		{[]float64{math.Inf(1), 1}, "priors: dirichlet: alpha is +Inf, want a positive number"},
		{[]float64{1e308, 1}, "priors: dirichlet: alpha is too extreme to be normalised in double " +
			"precision"},
	} {
		if err := (Dirichlet{c.alpha}).Check(); err == nil || err.Error() != c.want {
			t.Errorf("error %v\nwant %s", err, c.want)
		}
	}
	if err := (Dirichlet{[]float64{1, 0.01, 1000}}).Check(); err != nil {
		t.Error(err)
	}
}
