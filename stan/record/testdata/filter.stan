// A dynamic linear model, a correlation matrix, and a direction on the sphere.
data {
  int T;
  int r;
  int p;
  matrix[r, T] y;
  vector[p] m0;
  matrix[p, r] F;
  matrix[p, p] G;
}
parameters {
  cov_matrix[r] V;
  vector<lower=0>[p] w;
  corr_matrix[p] C;
  real<lower=0> s0;
  unit_vector[3] dir;
}
model {
  V ~ inv_wishart(r + 2, diag_matrix(rep_vector(1, r)));
  C ~ lkj_corr(2);
  w ~ gamma(2, 2);
  y ~ gaussian_dlm_obs(F, G, V, quad_form_diag(C, w), m0, s0 * diag_matrix(rep_vector(1, p)));
  s0 ~ lognormal(0, 1);
  target += von_mises_lpdf(0.4 | atan2(dir[1], dir[2]), 2) + skew_normal_lpdf(dir[3] | 0.1, 1.2, 3);
}
