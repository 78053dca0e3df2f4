functions {
  real partial_sum_lpmf(array[] int y, int start, int end, vector eta) {
    return bernoulli_logit_lupmf(y | eta[start:end]);
  }
  real ps2(array[] vector y, int start, int end, vector mu, real s) {
    real l = 0;
    for (i in 1:size(y)) l += normal_lpdf(y[i] | mu, s) + 0.1 * (start + i - 1);
    return l;
  }
  vector mr(vector phi, vector theta, data array[] real xr, data array[] int xi) {
    return [sum(phi) * theta[1] + xr[1], theta[2] * xi[1]]';
  }
  real integrand(real x, real xc, array[] real theta, data array[] real xr, data array[] int xi) {
    return exp(-0.5 * square((x - theta[1]) / theta[2]));
  }
  real beta_i(real x, real xc, array[] real theta, array[] real xr, array[] int xi) {
    real d = xc > 0 ? xc : -xc;
    if (x < 0.5) return pow(x, theta[1] - 1) * pow(1 - x, theta[2] - 1);
    return pow(x, theta[1] - 1) * pow(d, theta[2] - 1);
  }
  vector sys(vector y, vector theta, data array[] real xr, data array[] int xi) {
    vector[2] r;
    r[1] = y[1] - theta[1] - 0.1 * sin(y[2]);
    r[2] = y[2]^3 + y[2] - theta[2] - 3 - 0.3 * cos(y[1]);
    return r;
  }
  vector sys2(vector y, real a, vector b) {
    return [exp(y[1]) - exp(a), y[2]^3 - b[1] + y[1]]';
  }
}
data { int N; array[N] int y; }
transformed data { array[2,1] real xr = {{1.0},{2.0}}; array[2,1] int xi = {{3},{4}}; array[0] real x0; array[0] int i0; }
parameters { vector[N] eta; array[2] vector[2] v; vector[2] mu; real<lower=0> s; real a; vector[2] b; real<lower=0> p; real<lower=0> q;}
transformed parameters {
  real r1 = reduce_sum(partial_sum_lupmf, y, 2, eta);
  real r2 = reduce_sum_static(ps2, v, 1, mu, s);
  vector[4] r3 = map_rect(mr, mu, v, xr, xi);
  real i1 = integrate_1d(integrand, negative_infinity(), positive_infinity(), {a, s}, x0, i0, 1e-8);
  real i2 = integrate_1d(integrand, mu[1], mu[1] + s, {a, s}, x0, i0);
  real i3 = integrate_1d(beta_i, 0.0, 1.0, {p, q}, x0, i0, 1e-8);
  real i4 = integrate_1d(integrand, a, positive_infinity(), {a, s}, x0, i0, 1e-8);
  vector[2] s1 = algebra_solver(sys, [1.0, 1.0]', b, x0, i0);
  vector[2] s2 = solve_newton(sys2, [0.5, 1.0]', a, b + 3);
  vector[2] s3 = solve_powell_tol(sys2, [0.5, 1.0]', 1e-8, 1e-8, 100, a, b + 3);
  real e1 = i1 / (s * sqrt(2*pi())) - 1;
  real e2 = i2 - s * sqrt(2*pi()) * (Phi((mu[1]+s-a)/s) - Phi((mu[1]-a)/s));
  real e3 = log(i3) - lbeta(p, q);
  real e4 = i4 - 0.5 * s * sqrt(2*pi());
  real e5 = r1 - bernoulli_logit_lpmf(y | eta);
  real e6 = s2[1] - a + s3[2]^3 - b[1] - 3 + s3[1];
}
model { target += r1 + r2 + sum(r3) + i1 + i2 + i3 + i4 + sum(s1) + sum(s2) + sum(s3); }
