// Categories by regression, Dirichlet-multinomial counts by hand, beta-binomial with a Pareto concentration.
data {
  int K;
  int N;
  int D;
  array[N] int y;
  matrix[N, D] x;
  int G;
  array[G, K] int counts;
  array[N] int trials;
  array[N] int succ;
}
transformed data {
  vector[D] zeros = rep_vector(0, D);
}
parameters {
  matrix[D, K - 1] beta_raw;
  vector<lower=0>[K] conc;
  real<lower=0, upper=1> phi;
  real<lower=0.1> lambda;
}
transformed parameters {
  matrix[D, K] beta = append_col(beta_raw, zeros);
  real<lower=0> al = lambda * phi;
  real<lower=0> be = lambda * (1 - phi);
}
model {
  matrix[N, K] xb = x * beta;
  to_vector(beta_raw) ~ normal(0, 5);
  conc ~ gamma(2, 1);
  for (n in 1 : N) {
    y[n] ~ categorical_logit(xb[n]');
  }
  for (g in 1 : G) {
    target += lgamma(sum(conc)) - lgamma(sum(counts[g]) + sum(conc));
    for (k in 1 : K) {
      target += lgamma(counts[g, k] + conc[k]) - lgamma(conc[k]);
    }
    counts[g] ~ multinomial(softmax(conc));
  }
  lambda ~ pareto(0.1, 1.5);
  succ ~ beta_binomial(trials, al, be);
}
