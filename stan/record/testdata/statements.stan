functions {
  real f(array[,] real x) { return sum(to_array_1d(x)); }
  real f(vector x) { return sum(x); }
  int f(int n) { return n * 2; }
  real h(real x, data array[] int k) { if (x > 0) { return x; } else if (x < -1) { return -x; } else { return 0; } }
  void p(real x) { print("x=", x); }
  real my_lpdf(vector y, real m) { return normal_lupdf(y | m, 1); }
  array[] int idx(int n) { array[n] int r; for (i in 1:n) r[i] = n - i + 1; return r; }
}
data { array[2, 3] int A; }
transformed data {
  array[3] int k = {1, 2, 3}; array[2, 2] real B = {{1, 2.5}, {3, 4}}; matrix[2, 2] M = [[1, 2], [3, 4]]; int a = 7 %/% 2; real r = 7 / 2.0; int m = -7 % 3; vector[3] v = linspaced_vector(3, 0, 1);
  array[2] vector[3] av = {v, v .^ 2}; 
  if (a != 3 || m != -1 || !(a == 3) || size(A) != 2 || f(3) != 6) fatal_error("bad ", a);
  k[1:2] = k[2:3]; M[1] = [9, 8]; M[:, 2] = [5, 6]'; M[2, 1:2] = M[1]; B[1] = {0, 0};
  for (row in A) for (x in row) if (x < 0) reject("neg"); 
  { int z = 0; while (1) { z += 1; if (z > 5) break; if (z % 2 == 0) continue; } }
}
parameters { array[2, 2] real x; vector[3] y; matrix[3, 3] W; }
model {
  target += f(x) + f(y) + h(y[1], k) - dot_self(y); y ~ my(0.5); target += my_lupdf(y | 0.2);
  y[idx(3)] ~ normal(v, 2.0);
  to_vector(W) ~ normal(0, 1); to_array_1d(x) ~ normal(0, 1);
  target += (y[1] > 0 ? y : -y)[2] + W[1] * W[:, 2] + sum(W[{1, 1, 2}]) + sum(W' * y) - 1e-1;
  target += sum(y ./ (1 + square(y))) + sum(2 ./ (1 + exp(y))) + sum(y .^ 2) + 2 ^ -1 + sum(-W') * 0.1 + quad_form_diag(W, y)[1, 2] * .01;
  profile("b") { target += append_row(y, 1.0)[4] + append_col(W, y)[1, 4] + append_array(k, {4})[4]; }
}
generated quantities { array[2] int s = {bernoulli_rng(0.5), poisson_rng(3)}; vector[3] z = to_vector(normal_rng(y, 1)); array[3] vector[2] mn = rep_array([1, 2]', 3); real q = quantile(y, 0.5); int c = categorical_logit_rng(y); array[3] int o = sort_indices_desc(y); }
