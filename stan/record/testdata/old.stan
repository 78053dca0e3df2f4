functions { real foo_log(real y, real m) { return normal_log(y, m, 1); } }
data { int N; real y[N]; matrix[N, 2] X; }
transformed data { vector[N] z; z <- to_vector(y) * 2; # comment
}
parameters { vector[2] b; real<lower=0> s; simplex[3] th[2]; }
transformed parameters { real m[2]; m[1] <- b[1]; m[2] = b[2] * 2; }
model { real q; q <- 1; y ~ normal(X * b, s); increment_log_prob(normal_log(b[1], 0, 1)); increment_log_prob(-s); 
  z ~ normal(0, 10); y[1] ~ foo(0.5); target += if_else(s > 1, 1.0, 2.0) * q; target += poisson_log(3, s) + multiply_log(2, s) + normal_cdf_log(0.5, 0, s) + normal_ccdf_log(y, 0, s) + bernoulli_log(1, 0.3) + binomial_coefficient_log(5, 2); }
generated quantities { real u; u <-  normal_rng(0, 1); }
