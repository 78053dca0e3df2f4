// Every statement and kind of expression once.
functions {
  real twice(real x) {
    return 2 * x;
  }
  void say(array[,] int k, data vector v) {
    print("k is ", k, " and v ", v);
  }
  vector part(vector x, int n);
  real shifted_lpdf(vector y, real mu) {
    return normal_lpdf(y | mu, 1);
  }
}
data {
  int<lower=0> N;
  array[N] int<lower=1, upper=3> g;
  matrix[N, 2] X;
  vector<lower=0>[N] y;
}
transformed data {
  real total = sum(y);
  array[2, N] real z;
  for (n in 1 : N) {
    z[1, n] = y[n];
    z[2, n] = g[n] == 1 ? 0.5 : -1.5e-3;
  }
}
parameters {
  real<lower=0> sigma;
  real<offset=total, multiplier=2> mu;
  vector[2] beta;
  simplex[3] theta;
  cholesky_factor_corr[2] L;
}
transformed parameters {
  vector[N] eta = X * beta + mu;
}
model {
  {
    real local = 1;
    local += twice(local);
    local *= 2;
  }
  sigma ~ exponential(1);
  beta ~ normal(0, 1);
  y ~ normal(eta, sigma) T[0, ];
  target += -0.5 * dot_self(beta) + theta[1];
  profile("loop") {
    for (n in 1 : N) {
      if (y[n] > 3 && !(g[n] == 2)) {
        target += log_mix(theta[1], normal_lpdf(y[n] | 0, 1), normal_lpdf(y[n] | 3, 1));
      } else if (g[n] == 3) {
        continue;
      } else {
        break;
      }
    }
  }
  while (0) {
    reject("never ", mu);
  }
  for (b in beta) {
    b ~ std_normal();
  }
}
generated quantities {
  array[N] real w = to_array_1d(eta[1 : N]);
  matrix[2, 2] S = L * L' ^ 2;
  row_vector[2] r = [1, 2] ./ [3, 4];
  array[2] int k = {1, 2};
  real p = theta[2 : ][1] + theta[ : 2][1] + X[ : , 1][1];
  tuple(real, array[2] int) both = (p, k);
  real first = both.1;
}
