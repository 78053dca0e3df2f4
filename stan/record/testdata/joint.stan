// Densities of vectors, matrices and categories, and all constrained types.
transformed data {
  array[4] int c = {1, 3, 2, 3};
  array[3] int counts = {2, 0, 5};
  vector[3] y = [0.3, -1.2, 0.5]';
  array[2] vector[3] ys = {y, 2 * y};
  matrix[4, 2] X = [[1, 0.5], [1, -0.3], [1, 1.1], [1, 0.2]];
  array[4] int b = {0, 1, 1, 0};
}
parameters {
  simplex[3] theta;
  ordered[2] cut;
  positive_ordered[2] pos;
  unit_vector[3] u;
  cov_matrix[3] Sigma;
  corr_matrix[3] Omega;
  cholesky_factor_corr[3] L;
  cholesky_factor_cov[3] M;
  vector[3] mu;
  vector<lower=-1, upper=2>[3] w;
  array[2] real<offset=1, multiplier=2> o;
  row_vector<upper=0>[2] neg;
  matrix<lower=0>[2, 2] P;
  real<lower=2> nu;
}
model {
  theta ~ dirichlet([1.5, 2, 0.7]');
  c ~ categorical(theta);
  c ~ categorical_logit(mu);
  c[1] ~ ordered_logistic(mu[1], cut);
  target += ordered_probit_lpmf(c[2] | mu[2], cut);
  counts ~ multinomial(theta);
  y ~ multi_normal(mu, Sigma);
  ys ~ multi_normal_cholesky(mu, M);
  y ~ multi_normal_prec(mu, Sigma);
  y ~ multi_student_t(nu, mu, Sigma);
  Omega ~ lkj_corr(1.5);
  L ~ lkj_corr_cholesky(nu);
  Sigma ~ wishart(nu + 2, identity_matrix(3));
  Sigma ~ inv_wishart(nu + 2, Omega);
  mu ~ normal(0, 1);
  M[2, 1] ~ normal(0, 1);
  diagonal(M) ~ normal(1, 1);
  pos ~ exponential(1);
  u[1] ~ normal(0, 1);
  w ~ normal(0, 1);
  o ~ normal(0, 3);
  neg ~ normal(0, 1);
  to_vector(P) ~ exponential(1);
  nu ~ gamma(2, 0.1);
  cut ~ normal(0, 2);
  b ~ bernoulli_logit_glm(X, mu[1], mu[2 : 3]);
  c ~ poisson_log_glm(X, mu[1], mu[2 : 3]);
  X[ : , 2] ~ normal_id_glm(X, mu[1], mu[2 : 3], nu);
}
