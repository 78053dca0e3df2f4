package stan

import (
	"testing"

	"bayeskernel/internal/fixture"
)

// FuzzBind changes a value of the data, or of the initial values, of a program that declares something of every type:
// it is refused, or there is a density.
func FuzzBind(f *testing.F) {
	p, err := Parse(`
data {
  int<lower=0> N;
  int<lower=1, upper=3> K;
  array[N] int<lower=0, upper=1> y;
  vector[N] x;
  matrix[N, K] A;
  array[2, K] real<lower=0> b;
  simplex[K] s;
  ordered[K] o;
  cov_matrix[K] S;
  cholesky_factor_corr[K] L;
  unit_vector[K] u;
  tuple(int, vector[K]) pair;
}
parameters {
  vector<lower=0>[K] beta;
  simplex[K] w;
  corr_matrix[K] R;
  real<offset=1, multiplier=2> a;
}
model {
  y ~ bernoulli_logit(A * beta + a * x);
  w ~ dirichlet(s + to_vector(b[1]));
  R ~ lkj_corr(1 + sum(o) ^ 2);
  a ~ normal(pair.1, S[1, 1] + L[2, 2]);
}
generated quantities {
  array[N] real z = normal_rng(x, 1);
}`)
	if err != nil {
		f.Fatal(err)
	}
	data := []byte(`{"N": 4, "K": 3, "y": [0, 1, 1, 0], "x": [1, 2.5, -3, 0], "A": [[1, 2, 3], [4, 5, 6], [7, 8, 9], [0, 1, 0]],
		"b": [[1, 2, 3], [4, 5, 6]], "s": [0.25, 0.25, 0.5], "o": [1, 2, 4], "S": [[2, 1, 0], [1, 2, 0], [0, 0, 1]],
		"L": [[1, 0, 0], [0.6, 0.8, 0], [0, 0, 1]], "u": [0, 1, 0], "pair": {"1": 2, "2": [1, 2, 3]}}`)
	inits := []byte(`{"beta": [1, 2, 3], "w": [0.25, 0.25, 0.5], "R": [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]], "a": 3}`)
	f.Add(true, uint8(2), 5.0, "")
	f.Add(true, uint8(2), -1.0, "")
	f.Add(false, uint8(3), 0.0, `[1, "a"]`)
	f.Add(true, uint8(9), 0.0, "null")
	f.Add(false, uint8(200), 0.0, "[]")
	f.Fuzz(func(t *testing.T, ofData bool, at uint8, number float64, text string) {
		edit := func(b []byte, is bool) Data {
			if is {
				b = fixture.Edited(t, b, int(at), fixture.Value(number, text))
			}
			d, err := ParseData(b)
			if err != nil {
				return nil
			}
			return d
		}
		m, err := p.Bind(edit(data, ofData), Options{})
		if err != nil {
			if !ofData {
				t.Fatal(err)
			}
			return
		}
		u := make([]float64, m.Dim())
		_, _ = m.Initial(edit(inits, !ofData), u)
		grad := make([]float64, m.Dim())
		if _, err := m.LogDensity(u, grad); err == nil {
			_, _ = m.Values(u)
		}
	})
}
