// Densities of single values and their distribution functions, at parameters.
transformed data {
  array[3] int k = {1, 0, 4};
  array[3] int n = {5, 3, 6};
  vector[3] y = [0.3, 1.2, 2.5]';
}
parameters {
  real m;
  real<lower=0> s;
  real<lower=0> a;
  real<lower=0, upper=1> q;
  vector<lower=0>[3] z;
}
model {
  m ~ normal(0, 1);
  s ~ gamma(2, 2);
  a ~ inv_gamma(3, 2);
  q ~ beta(2, 3);
  z ~ lognormal(m, s);
  y ~ student_t(a, m, s);
  y ~ cauchy(m, s);
  y ~ double_exponential(m, s);
  y ~ logistic(m, s);
  y ~ gumbel(m, s);
  y ~ skew_normal(m, s, a);
  y ~ exp_mod_normal(m, s, a);
  z ~ chi_square(a);
  z ~ inv_chi_square(a);
  z ~ scaled_inv_chi_square(a, s);
  z ~ exponential(s);
  z ~ weibull(a, s);
  z ~ frechet(a, s);
  z ~ rayleigh(s);
  target += pareto_lpdf(y | 0.1, a) + pareto_type_2_lpdf(y | 0, s, a) + von_mises_lpdf(y | m, s);
  target += beta_proportion_lpdf(q | 0.3, a) + uniform_lpdf(q | -s, 2) + std_normal_lpdf(z);
  k ~ poisson(z);
  k ~ poisson_log(z);
  k ~ neg_binomial(a, s);
  k ~ neg_binomial_2(z, s);
  k ~ neg_binomial_2_log(m, s);
  k ~ binomial(n, q);
  k ~ binomial_logit(n, m);
  k ~ beta_binomial(n, a, s);
  target += bernoulli_lpmf(k[1 : 2] | q) + bernoulli_logit_lpmf(k[1 : 2] | m);
  y[1] ~ normal(m, s) T[0.1, 3];
  y[2] ~ exponential(s) T[0.2, ];
  k[1] ~ poisson(s) T[1, ];
  target += normal_lcdf(y | m, s) + normal_lccdf(y | m, s) + gamma_lcdf(y | a, s) + gamma_lccdf(y | a, s);
  target += student_t_lcdf(y | a, m, s) + weibull_lccdf(y | a, s) + lognormal_lcdf(y | m, s) + beta_lcdf(q | a, s);
  target += poisson_lcdf(k | s) + neg_binomial_2_lccdf(k[1] | s, a) + binomial_lcdf(k[1] | n[1], q);
  target += logistic_lccdf(y | m, s) + cauchy_lcdf(y | m, s) + exponential_lcdf(y | s) + inv_gamma_lcdf(y | a, s);
}
