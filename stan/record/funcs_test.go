package record

import "testing"

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
