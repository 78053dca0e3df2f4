package record

import (
	"math"
	"testing"
)

// Of several definitions the one that makes reals of the fewest whole numbers is called, in whatever order they stand, and
// what a function of reals returns are reals.
func TestOverloads(t *testing.T) {
	p := made(t, `functions {
  real f(real x) { return x / 2; }
  int f(int x) { return x / 2; }
  real g(int x, int y) { return 1; }
  real g(real x, real y) { return 2; }
  real g(int x, real y) { return 3; }
  real h(array[,] real x) { return 4; }
  real h(array[,] int x) { return 5; }
  array[] real list(int n) { return {n, n + 1}; }
}
transformed data { int k = f(7); }
generated quantities {
  int a = k; real b = f(7.0); real c = g(1, 2); real d = g(1.0, 2); real e = g(1, 2.0); real l = h({{1, 2}}); real m = h({{1.0}});
  array[2] real n = list(3); real o = n[1] / 2;
}`)
	got, err := p.Generate(nil, nil)
	want := []float64{3, 3.5, 1, 2, 3, 5, 4, 3, 4, 1.5}
	if err != nil || len(got) != len(want) {
		t.Fatal(got, err)
	}
	for i, v := range want {
		if got[i] != v {
			t.Errorf("%v, want %v", got, want)
			break
		}
	}
}

// The operator ^ is pow, element by element, of matrices and arrays too, and a minus goes before both; functions with a
// whole number take an array of them beside a vector.
func TestElementwise(t *testing.T) {
	p := made(t, `generated quantities {
  matrix[2, 2] m = [[1, 2], [3, 4]]; array[2] int k = {2, 3}; array[2] real x = {2, 0.5};
  matrix[2, 2] a = m ^ 2; array[2] real b = x ^ k; array[2, 2] real c = {{1, 2}, {3, 4}} .^ 2;
  array[2] int d = -k; array[2, 2] real e = -{{1.0, 2}, {3, 4}};
  real f = beta(2, 3); vector[2] g = rising_factorial([2, 3]', k); row_vector[2] h = ldexp([1, 3], k);
  vector[2] i = modified_bessel_first_kind({0, 0}, [0, 0]'); vector[2] j = fma([1, 2]', 3, [4, 5]');
  vector[2] l = lmgamma(1, [1, 3]'); tuple(vector[3], array[3] int, array[3] int) o = csr_extract([[1, 0, 2], [0, 3, 0]]);
}`)
	got, err := p.Generate(nil, nil)
	want := []float64{1, 3, 2, 4, 2, 3, 2, 0.5,
		1, 9, 4, 16, 4, 0.125, 1, 9, 4, 16,
		-2, -3, -1, -3, -2, -4,
		1. / 12, 6, 60, 4, 24, 1, 1, 7, 11, 0, math.Log(2),
		1, 2, 3, 1, 3, 2, 1, 3, 4}
	if err != nil || len(got) != len(want) {
		t.Fatal(len(got), got, err)
	}
	for i, v := range want {
		if math.Abs(got[i]-v) > 1e-12 {
			t.Errorf("value %d is %v, want %v", i, got[i], v)
		}
	}
}

// Functions that do what operators do, beside the operators: a program that defines one of them calls its own.
func TestOperatorFunctions(t *testing.T) {
	p := made(t, `functions { real subtract(real x, real y) { return 100; } }
generated quantities {
  matrix[2, 2] a = [[1, 2], [3, 5]]; vector[2] v = [3, 4]';
  array[20] real same = {
    sum(add(a, v[1])) - sum(a + v[1]), subtract(1, 2) - 100, sum(multiply(a, v)) - sum(a * v), divide(7, 2) - 3, divide(7.0, 2) - 3.5,
    sum(elt_multiply(v, v)) - 25, sum(elt_divide(v, [1, 2]')) - 5, sum(minus(v)) + 7, sum(plus(v)) - 7, modulus(7, 4) - 3,
    logical_or(0, 2) - 1, logical_and(1, 0), logical_gt(2, 1.5) - 1, logical_lt(2, 1.5), logical_gte(2, 2) - 1, logical_lte(3, 2),
    logical_eq(2, 2) - 1, logical_neq(2, 2), logical_negation(0.0) - 1, sum(mdivide_left(a, v)) - sum(a \ v)
  };
}`)
	got, err := p.Generate(nil, nil)
	if err != nil || len(got) != 26 {
		t.Fatal(len(got), err)
	}
	for i, v := range got[6:] {
		if !(math.Abs(v) < 1e-12) {
			t.Errorf("difference %d is %v", i+1, v)
		}
	}
}
