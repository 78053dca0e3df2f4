// User functions that recur and loop until they converge, an algebraic solver, a quadrature, sparse products.
functions {
  int fib(int n);
  int fib(int n) {
    if (n <= 1) {
      return n;
    }
    return fib(n - 1) + fib(n - 2);
  }
  real newton(real a, real x0) {
    real x = x0;
    while (fabs(x * x - a) > 1e-12) {
      x = 0.5 * (x + a / x);
      if (x > 1e6) {
        break;
      }
    }
    return x;
  }
  void add_lp(real x, real s) {
    target += normal_lpdf(x | 0, s);
    target += cauchy_lpdf(x | 0, s);
    return;
  }
  vector sys(vector y, vector theta, array[] real x_r, array[] int x_i) {
    vector[2] z;
    z[1] = y[1] - theta[1] + 0.1 * y[2]^2;
    z[2] = y[1] * y[2] - theta[2];
    return z;
  }
  real integrand(real x, real xc, array[] real theta, array[] real x_r, array[] int x_i) {
    return exp(-theta[1] * x^2) * (1 + theta[2] * x);
  }
}
data {
  int N;
  vector[N] y;
  array[N] int ii;
  int nnz;
  vector[nnz] w;
  array[nnz] int v;
  array[N + 1] int uu;
}
transformed data {
  array[0] real xr;
  array[0] int xi;
  vector[2] guess = [1, 1]';
  int f7 = fib(7);
  array[3] int srt = sort_desc({3, 1, 2});
}
parameters {
  real<lower=0.1> a;
  real<lower=0.2, upper=3> b;
  vector[3] c;
  real<upper=2> e;
}
transformed parameters {
  real n1 = newton(1 + a, 1.0);
  vector[2] sol = algebra_solver(sys, guess, [1 + b, 0.5 + 0.1 * b]', xr, xi);
  real ig = integrate_1d(integrand, 0.0, 1.0, {a, b}, xr, xi, 1e-9);
}
model {
  add_lp(a, f7);
  add_lp(e, srt[1]);
  b ~ normal(sol[1], sol[2]^2 + 0.1);
  c ~ normal(ig, n1);
  {
    vector[N] m = csr_matrix_times_vector(N, 3, w, v, uu, c);
    y ~ student_t(4, m, a);
  }
  for (n in 1 : N) {
    if (ii[n] % 2 == 0) {
      continue;
    }
    target += log_diff_exp(normal_lcdf(y[n] + 1 | c[1], a), normal_lcdf(y[n] - 1 | c[1], a));
  }
  target += sum(sort_asc(c)[1 : 2]) * 0.1 + fmax(c[1], c[2]) - fdim(c[3], e) + (c[1] > 0 ? c[1] : -2 * c[1]);
  target += lmgamma(2, a + 1) + lbeta(a, b) + owens_t(c[1], b) + gamma_p(a, b) + bessel_first_kind(1, b) + inc_beta(a, b, 0.3) + Phi_approx(e) + log_inv_logit(e) + cbrt(a) + expm1(-a) + trigamma(b) + digamma(a) + erfc(e);
}
