functions { real up_jacobian(real x) { jacobian += x; return exp(x); } void add_lp(real y) { y ~ normal(0, 1); target += 1; } }
parameters { real x; vector[2] y; }
transformed parameters { real<lower=0> s = up_jacobian(x); jacobian += 0.5 * y[1]; }
model { profile("a") { s ~ exponential(1); } add_lp(y[1]); y ~ normal({0.0, 1.0}, [1, 2]'); y[2] ~ normal(0, 1) T[-3, ]; }
