package kerneltest

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

func TestReferencePermutationIndependence(t *testing.T) {
	var all map[string]fixture.Reference
	fixture.JSON(t, "statistic/testdata/reference.json", &all)
	worst, count := 0.0, 0
	for name, set := range all {
		if set.Kind != "independence" {
			continue
		}
		x, y := fixture.CSV(t, "statistic/testdata/"+name+"_x.csv"), fixture.CSV(t, "statistic/testdata/"+name+"_y.csv")
		for ell, ref := range set.Ell {
			var a, b float64
			_, err := fmt.Sscanf(strings.Replace(ell, ",", " ", 1), "%g %g", &a, &b)
			if err != nil {
				t.Fatal(err)
			}
			r := fixture.Get[*Result](t)(Independence(context.Background(), x, y, Options{
				Kernel: Lengthscale(a), KernelY: Lengthscale(b), Permutations: 9999, Seed: 1,
				Standardize: StandardizeNever,
			}))
			worst = max(worst, nearP(t, name+" "+ell, r.P, 10000, ref["perm_p_mc"].(float64),
				ref["perm_p_mc_B"].(float64)))
			for _, d := range []float64{r.Biased - ref["hsic_b"].(float64),
				r.Statistic - r.Biased, r.Unbiased - ref["hsic_u"].(float64)} {
				if !(math.Abs(d) < 1e-12) {
					t.Errorf("%s %s: a statistic differs by %v", name, ell, d)
				}
			}
			count++
		}
	}
	if count != 10 {
		t.Errorf("%d cases, want 10", count)
	}
	t.Logf("largest difference: %.1f standard errors", worst)
}

// Every permutation's statistic, from matrices and from factors, against loops.
func TestIndependenceDrawsAgainstLoops(t *testing.T) {
	for _, n := range []int{12, 300} {
		x, y := rounded(1, n, 1, 0.1), rounded(2, n, 2, 0.5)
		kx, ky := se(2), se(3)
		for _, unbiased := range []bool{false, true} {
			o, _ := Options{Permutations: 19, Seed: 4, Unbiased: unbiased}.Complete(n)
			o.Standardize = StandardizeNever
			vx := fixture.Get[*Variable](t)(NewVariable(context.Background(), "x", x, Fixed(kx), o))
			vy := fixture.Get[*Variable](t)(NewVariable(context.Background(), "y", y, Fixed(ky), o))
			test := &independence{n: n, o: o, x: vx.sides, y: vy.sides}
			r := fixture.Get[*Result](t)(test.permutation(context.Background()))
			if low := test.crosses(test.x[0], test.y[0]); low != (n == 300) {
				t.Errorf("n = %d: by factors is %v", n, low)
			}
			perms, _ := test.d.Perms(0, 20)
			for b, got := range append([]float64{r.Statistic}, r.Draws...) {
				if n > 12 && b > 2 {
					break
				}
				want := naiveHSIC(kx, ky, x, y, perms.At(b), unbiased)
				if !(math.Abs(got-want) < 1e-10) {
					t.Errorf("n = %d: statistic %d is %v, want %v", n, b, got, want)
				}
			}
		}
	}
}

// The centred alignment of a variable with itself is 1.
func TestIndependenceEffect(t *testing.T) {
	x := fixture.Normals(1, 40, 1, 0)
	r := fixture.Get[*Result](t)(Independence(context.Background(), x, x, Options{Kernel: Lengthscale(1)}))
	if math.Abs(r.Ratio-1) > 1e-12 || r.AtLeast != 0 || r.P != 0.001 {
		t.Errorf("ratio %v and p-value %v of a variable with itself", r.Ratio, r.P)
	}
}

func TestIndependenceManyRows(t *testing.T) {
	const n = denseRows + 100
	x, y := fixture.Normals(1, n, 1, 0), fixture.Normals(2, n, 1, 0)
	for i := range n {
		y.Set(i, 0, y.At(i, 0)+0.03*x.At(i, 0)*x.At(i, 0))
	}
	o := Options{Kernel: Lengthscale(1), Null: statistic.Spectral}
	low := fixture.Get[*Result](t)(Independence(context.Background(), x, y, o))
	o.Null, o.Permutations = statistic.Auto, 199
	p := fixture.Get[*Result](t)(Independence(context.Background(), x, y, o))
	if low.Null != statistic.Spectral || p.Null != statistic.Permutation ||
		math.Abs(low.Biased-p.Biased) > 1e-12 {
		t.Errorf("nulls %v and %v, HSIC %v and %v", low.Null, p.Null, low.Biased, p.Biased)
	}
	nearP(t, "many rows", p.P, 200, low.P, 1e3) // the limit is taken to be off by as much
}

// Constant variables are independent of everything; ties and few rows have an answer.
func TestOddVariables(t *testing.T) {
	for _, c := range []struct {
		name string
		x, y *mat.Dense
		p    float64
	}{
		{"constant", mat.NewDense(20, 1, nil), fixture.Normals(1, 20, 1, 0), 1},
		{"both constant", mat.NewDense(20, 2, nil), mat.NewDense(20, 1, nil), 1},
		{"two rows", fixture.Normals(1, 2, 1, 0), fixture.Normals(2, 2, 1, 0), 1},
		{"ties", rounded(1, 20, 1, 1), rounded(2, 20, 1, 1), 0},
		{"two values", rounded(1, 20, 1, 9), fixture.Normals(2, 20, 1, 0), 0},
	} {
		for rule := Default; rule < Given; rule++ {
			if rule == Bayes {
				continue
			}
			o := Options{Kernel: Choice{Rule: rule, Quantiles: 4}, Permutations: 99}
			r, err := Independence(context.Background(), c.x, c.y, o)
			if err != nil {
				if c.name == "two rows" && strings.Contains(err.Error(), "want at least 4") {
					continue
				}
				t.Errorf("%s, %v: %v", c.name, rule, err)
				continue
			}
			if !(r.P > 0 && r.P <= 1) || c.p > 0 && r.P != c.p {
				t.Errorf("%s, %v: p-value %v, want %v", c.name, rule, r.P, c.p)
			}
		}
	}
}

func TestIndependenceErrors(t *testing.T) {
	x, y := fixture.Normals(1, 10, 1, 0), fixture.Normals(2, 8, 1, 0)
	for _, c := range []struct {
		x, y mat.Matrix
		o    Options
		want string
	}{
		{nil, y, Options{}, "x is nil"},
		{x, y, Options{}, "the variables have 10 and 8 rows"},
		{fixture.Normals(1, 1, 1, 0), fixture.Normals(1, 1, 1, 0), Options{}, "want at least 2"},
		{x, x, Options{Blocks: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, "every block has one row"},
		{x, mat.NewDense(10, 1, []float64{1, 1, 1, 1, 5, 5, 5, 3, 3, 2}), Options{Blocks: []int{0, 0, 0, 0, 1, 1, 1, 2, 2, 3}},
			"y is the same in all rows of a block, in every block"},
		{x, x, Options{Null: statistic.Gamma, Kernel: Fixed(se(1), se(2))}, "with 4 kernels"},
		{fixture.Normals(1, 3, 1, 0), fixture.Normals(1, 3, 1, 0), Options{Unbiased: true}, "at least 4"},
		{x, x, Options{Kernel: Fixed(se(1), se(2)), Combine: Aggregate, Weights: []float64{1, 2}},
			"there are 2 weights, want one for each of 4 kernels"},
		{x, x, Options{Kernel: Fixed(se(1)), Combine: Aggregate, Weights: []float64{1, 2}},
			"there are 2 weights, want one for each of 1 kernels"},
		{x, x, Options{Kernel: Choice{Rule: Bayes}}, "rule of x is bayes"},
		{x, x, Options{Weights: []float64{1}}, "there are 1 weights with combination largest"},
		{fixture.Normals(1, 5, 1, 0), fixture.Normals(1, 5, 1, 0), Options{Null: statistic.Gamma}, "at least 6"},
	} {
		_, err := Independence(context.Background(), c.x, c.y, c.o)
		if err == nil || !strings.HasPrefix(err.Error(), "kerneltest: ") ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}
