parameters {
  vector[6] a;
  real<lower=0> s;
}
transformed parameters {
  real<lower=-4> low = a[1] + a[2];
  array[3] int order = sort_indices_asc(a[1 : 3]);
}
model {
  real x = 0;
  int k = 0;
  while (x < 3 && k < 40) {
    k += 1;
    x += 0.1 + square(a[1]) * s;
    if (a[2] > 0 && k == 2) break;
    if (a[3] > 1) continue;
    x += 0.01 * k;
  }
  for (i in 1 : 6) {
    target += -0.5 * square(a[i]);
    if (a[i] > 0.3) target += -a[i];
    else if (a[i] < -1) target += exp(a[i]) * k;
    target += floor(a[i]) * a[i] * 0.1 + step(a[i]) * 0.2 * s + round(2 * a[i]) * 0.01 * a[i] + trunc(a[i]) * s * 0.01;
  }
  target += -x - s + max(a) * min(a[2 : 4]) + sort_desc(a)[2] * 0.1 * order[1];
  if (is_inf(s) || is_nan(a[1])) reject("never");
  if (sum(a) > 6) reject("too much: ", sum(a));
  target += fmax(a[5], a[6]) * 0.3 + rank(a, 3) * a[4] * 0.1 + abs(a[6]);
}
