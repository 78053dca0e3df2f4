// Covariance matrices in several roles: Wishart, inverse Wishart, their inverse and factor, multivariate t.
data {
  int N;
  int K;
  array[N] vector[K] y;
  matrix[K, K] S0;
}
parameters {
  vector[K] mu;
  cov_matrix[K] Sigma;
  real<lower=1> nu;
  cholesky_factor_cov[K] Lp;
  real<offset=1, multiplier=2> om;
  positive_ordered[K] po;
}
transformed parameters {
  matrix[K, K] P = inverse_spd(Sigma);
  real ld = log_determinant(Sigma);
  matrix[K, K] LL = tcrossprod(Lp);
}
model {
  Sigma ~ wishart(K + 3, S0);
  LL ~ inv_wishart(K + 4, S0);
  target += 2.0 * log(Lp[1, 1]);
  y ~ multi_student_t(nu, mu, Sigma);
  nu ~ gamma(2, 0.1);
  mu ~ multi_normal_prec(rep_vector(0, K), P);
  om ~ gumbel(0, 2);
  po ~ frechet(2, 1.5);
  target += quad_form(Sigma, mu) * -0.01 + trace_quad_form(Sigma, LL) * -1e-3 + sum(mdivide_left_spd(Sigma, mu)) * 0.1 + 0.01 * sum(columns_dot_product(P, Sigma)) + sum(eigenvalues_sym(Sigma)) * -0.1 + variance(mu) - sd(po) + distance(mu, po) + cumulative_sum(po)[2] * -0.1;
}
