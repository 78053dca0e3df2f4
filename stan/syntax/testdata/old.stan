# A program as they were written ten years ago.
functions {
  real total(real[] x, int[,] k) {
    return sum(x);
  }
}
data {
  int N;
  int g[N];
  real y[N];
  vector[2] v[N];
}
parameters {
  real mu;
  real array;
}
model {
  real s;
  s <- 0;
  for (n in 1:N)
    s <- s + y[n];
  increment_log_prob(normal_log(s, mu, 1));
  array ~ normal(0, 1);
}
