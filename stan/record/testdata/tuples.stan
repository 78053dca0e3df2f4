functions {
  tuple(real, vector) f(real x, vector v) { return (x * 2, v + x); }
  real g(tuple(real, vector) t) { return t.1 + sum(t.2); }
}
parameters { real x; vector[3] v; tuple(real<lower=0>, vector[2]) pt; }
transformed parameters { tuple(real, vector[3]) t = f(x, v); array[2] tuple(real, real) a; a[1] = (1, x); a[2] = (2, x^2); }
model { real p; vector[3] q; (p, q) = f(x, v); target += -square(p) - dot_self(q) + g(t) + a[2].2 - square(pt.1) - dot_self(pt.2); }
