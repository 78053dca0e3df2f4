data { int n; matrix[n, n] A; matrix[n, n] B; array[2] vector[n] y; vector[n] b; }
parameters {
  cov_matrix[n] S;
  cov_matrix[n] V;
  corr_matrix[4] R;
  unit_vector[n] u;
  real<lower=0> eta;
  real<lower=3> nu;
}
model {
  S ~ wishart(nu, A);
  V ~ inv_wishart(nu + 1.5, B);
  R ~ lkj_corr(eta);
  eta ~ gamma(2, 1);
  nu ~ exponential(0.5);
  y ~ multi_normal(u, S);
  target += log_determinant(S + V);
  target += dot_product(b, inverse(S + B) * u);
  target += sum((S + V) \ A);
  target += lgamma(nu) + fmin(nu, 3.7) + fmax(eta, 0.4) + sum(S .* V ./ (A + 2 * B)) + step(nu - 3.5);
}
