package record

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayeskernel/stan/syntax"
)

// The inverse of the transforms brings back the unconstrained numbers, for every type and for arrays of
// them, with bounds that depend on parameters before.
func TestUnconstrain(t *testing.T) {
	tree, err := syntax.Parse(`
data { int N; }
parameters {
  real a;
  real<lower=2> b;
  real<upper=b> c;
  real<lower=b, upper=b + 3> d;
  real<offset=1, multiplier=b> e;
  vector<lower=-1>[N] v;
  row_vector<upper=0>[2] w;
  matrix<lower=0, upper=1>[2, N] m;
  array[2, 3] real<lower=1> arr;
  array[2] vector[3] av;
  array[2] matrix[2, 2] am;
  ordered[4] o;
  positive_ordered[3] po;
  simplex[4] s;
  array[2] simplex[3] as;
  unit_vector[3] uv;
  sum_to_zero_vector[5] z;
  sum_to_zero_matrix[3, 4] zm;
  column_stochastic_matrix[3, 2] cs;
  row_stochastic_matrix[2, 3] rs;
  cov_matrix[3] cov;
  corr_matrix[4] corr;
  cholesky_factor_corr[4] lc;
  cholesky_factor_cov[3] lv;
  cholesky_factor_cov[4, 2] lr;
  array[2] corr_matrix[3] ac;
}
transformed parameters { real twice = 2 * a; }
model { a ~ normal(0, 1); }`)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Bind(tree, Data{"N": 3.0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	names, err := p.ParameterNames()
	if err != nil {
		t.Fatal(err)
	}
	coordinates, err := p.UnconstrainedNames()
	if err != nil || len(coordinates) != p.Dim() {
		t.Errorf("%d names of coordinates, %v, want %d", len(coordinates), err, p.Dim())
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		u := make([]float64, p.Dim())
		for i := range u {
			u[i] = 2*r.Float64() - 1
		}
		all, err := p.Names(u)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(all[:len(names)], names) {
			t.Fatalf("parameters are %v, want the first of %v", names, all)
		}
		values, err := p.Values(u)
		if err != nil {
			t.Fatal(err)
		}
		back := make([]float64, p.Dim())
		if err := p.UnconstrainRow(values[:len(names)], back); err != nil {
			t.Fatal(err)
		}
		again, err := p.Values(back)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if math.Abs(again[i]-v) > 1e-10 {
				t.Fatalf("%s is %v, want %v", all[i], again[i], v)
			}
		}
		for i := range u {
			if !strings.HasPrefix(coordinates[i], "uv") && math.Abs(back[i]-u[i]) > 1e-8 { // a unit vector keeps no length
				t.Fatalf("coordinate %s is %v, want %v", coordinates[i], back[i], u[i])
			}
		}
	}
	u := make([]float64, p.Dim())
	for i := range u {
		u[i] = .1
	}
	u[0] = 7
	missing, err := p.Unconstrain(Data{"b": 3.0, "s": []any{.1, .2, .3, .4}}, u)
	if err != nil || len(missing) != len(p.blocks)-2 || u[0] != 7 || math.Abs(u[1]) > 1e-15 {
		t.Errorf("missing %v, %v, %v", missing, u[:2], err)
	}
	for _, bad := range []Data{{"b": 1.0}, {"b": 2.0}, {"s": []any{.1, .2, .3, .5}}, {"s": []any{.5, .5}}, {"o": []any{1., 1., 2., 3.}},
		{"cov": []any{[]any{1., 2., 0.}, []any{2., 1., 0.}, []any{0., 0., 1.}}}} {
		if _, err := p.Unconstrain(bad, make([]float64, p.Dim())); err == nil {
			t.Errorf("%v is taken, want an error", bad)
		}
	}
	if err := p.UnconstrainRow([]float64{1}, u); err == nil {
		t.Error("a row of one value is taken, want an error")
	}
}

// Values that Stan's own C++ gave at unconstrained points bring these points back, for every program below the
// folder BAYESKERNEL_STAN_CORPUS. They have some 15 digits, of which the inverse loses those that values near a
// bound do not have: the values at the point found are compared too.
func TestUnconstrainCorpus(t *testing.T) {
	dir := os.Getenv("BAYESKERNEL_STAN_CORPUS")
	if dir == "" {
		t.Skip("BAYESKERNEL_STAN_CORPUS is not set")
	}
	programs, _ := filepath.Glob(filepath.Join(dir, "*", "*.stan"))
	points := 0
	for _, file := range programs {
		name := strings.TrimSuffix(filepath.Base(file), ".stan")
		var want expected
		if readJSON(filepath.Join(dir, "expected", name+".json"), &want) != nil {
			if err := readJSON(filepath.Join(filepath.Dir(file), name+".expected.json"), &want); err != nil {
				t.Error(err)
				continue
			}
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := syntax.Parse(string(src))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		data := Data{}
		if want.DataFile != "" {
			if err := readJSON(filepath.Join(dir, strings.TrimSuffix(want.DataFile, ".gz")), (*map[string]any)(&data)); err != nil {
				t.Error(err)
				continue
			}
		}
		p, err := Bind(tree, data, 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for k, pt := range want.Points {
			row := make([]float64, len(pt.Constrained))
			for i, v := range pt.Constrained {
				row[i] = float64(v)
			}
			u := make([]float64, p.Dim())
			if err := p.UnconstrainRow(row, u); err != nil {
				t.Errorf("%s, point %d: %v", name, k+1, err)
				continue
			}
			points++
			values, err := p.Values(u)
			if err != nil {
				t.Errorf("%s, point %d: %v", name, k+1, err)
				continue
			}
			for i, v := range row {
				if math.Abs(values[i]-v) > 1e-10*(1+math.Abs(v)) {
					t.Errorf("%s, point %d: value %d is %v, want %v", name, k+1, i+1, values[i], v)
					break
				}
			}
			for i, v := range pt.U {
				if math.Abs(u[i]-v) > 1e-6*(1+math.Abs(v)) {
					t.Errorf("%s, point %d: coordinate %d is %v, want %v", name, k+1, i+1, u[i], v)
					break
				}
			}
		}
	}
	t.Logf("%d points of %d programs", points, len(programs))
}
