functions {
  vector f(real t, vector y, real k, vector a) {
    return [-k * y[1] + a[1] * sin(t), a[2] * y[1] - 0.3 * y[2]]';
  }
}
parameters { real<lower=0> k; vector[2] a; real<lower=0> t1; real<lower=-1, upper=0> t0; vector[2] y0; }
model {
  array[2] real ts = {t1 + 0.5, t1 + 2};
  array[2] vector[2] y = ode_rk45_tol(f, y0, t0, ts, 1e-10, 1e-10, 10000, k, a);
  array[2] vector[2] z = ode_bdf_tol(f, [1.0, 2.0]', 0.0, ts, 1e-10, 1e-10, 10000, k, a);
  target += sum(y[1]) + 2 * y[2, 1] - 0.5 * dot_self(y[2]);
  target += sum(z[1]) + 2 * z[2, 1] - 0.5 * dot_self(z[2]);
}
