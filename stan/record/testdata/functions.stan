// Functions of the library on parameters, each added to the log density with a weight of its own.
functions {
  real power(real x, int n);
  real f(real x) {
    return x;
  }
  real g(real x, real y) {
    return x * y;
  }
  real power(real x, int n) {
    return n == 0 ? 1 : x * power(x, n - 1);
  }
  vector scaled(vector x, real s) {
    vector[num_elements(x)] out = x;
    for (i in 1 : num_elements(x)) {
      out[i] *= s;
    }
    return out;
  }
  void bump_lp(real x) {
    target += 0.1 * x;
  }
  real shape_lpdf(real y, real mu) {
    return -abs(y - mu);
  }
}
parameters {
  real x;
  real<lower=0> p;
  real<lower=0, upper=1> q;
  vector[3] v;
  matrix[3, 3] A;
}
model {
  matrix[3, 3] S = A * A' + diag_matrix(rep_vector(2, 3));
  matrix[3, 3] L = cholesky_decompose(S);
  row_vector[3] r = v';
  array[3] real a = to_array_1d(v);
  target += -0.5 * dot_self(v) - 0.5 * sum(A .* A) - 0.5 * square(x);
  target += 0.3 * (exp(x) + log(p) + sqrt(p) + cbrt(p) + inv(p) + inv_sqrt(p) + inv_square(p) + square(x));
  target += 0.2 * (exp2(x) + log2(p) + log10(p) + log1p(p) + log1m(q) + log1p_exp(x) + log1m_exp(-p));
  target += 0.7 * (expm1(x) + inv_logit(x) + logit(q) + log_inv_logit(x) + log1m_inv_logit(x));
  target += 0.4 * (Phi(x) + inv_Phi(q) + Phi_approx(x) + erf(x) + erfc(x) + inv_cloglog(x));
  target += 0.6 * (sin(x) + cos(x) + tan(x) + asin(q) + acos(q) + atan(x) + sinh(x) + cosh(x) + tanh(x));
  target += 0.9 * (asinh(x) + acosh(1 + p) + atanh(0.5 * q) + fabs(x) + lgamma(p) + tgamma(p) + digamma(p));
  target += 0.11 * (trigamma(p) + pow(p, x) + p ^ 3 + x ^ 2 + fmax(x, p) + fmin(x, p) + fdim(x, p) + hypot(x, p));
  target += 0.13 * (atan2(x, p) + log_sum_exp(x, p) + log_diff_exp(p + 1, p) + lbeta(p, q) + lchoose(p + 5, q));
  target += 0.17 * (multiply_log(p, q) + log_mix(q, x, p) + log_falling_factorial(p + 5, q) + log_rising_factorial(p, q));
  target += 0.19 * (sum(v) + mean(v) + variance(v) + sd(v) + prod(v) + max(v) + min(v) + log_sum_exp(v));
  target += 0.23 * (softmax(v)[1] + log_softmax(v)[2] + cumulative_sum(v)[3] + dot_product(v, r) + distance(v, scaled(v, 2)));
  target += 0.29 * (squared_distance(v, scaled(v, 3)) + sum(append_row(v, x)) + sum(append_col(r, x)) + head(v, 2)[2]);
  target += 0.31 * (tail(v, 2)[1] + segment(v, 2, 2)[1] + sort_asc(v)[1] + sort_desc(v)[1] + a[2]);
  target += 0.37 * (v[sort_indices_asc(v)[1]] + rank(v, 2) + sum(v[{1, 1, 3}]) + sum(v[2 : ]) + A[2, 1] + sum(A[ : , 2]));
  target += 0.41 * (sum(A[1]) + sum(row(A, 2)) + sum(col(A, 3)) + sum(block(A, 1, 2, 2, 2)) + sum(sub_row(A, 1, 2, 2)) + sum(sub_col(A, 2, 1, 2)));
  target += 0.43 * (trace(A) + sum(diagonal(A)) + sum(add_diag(A, 2)) + sum(diag_pre_multiply(v, A)) + sum(diag_post_multiply(A, v)));
  target += 0.47 * (sum(quad_form_diag(S, v)) + quad_form(S, v) + sum(multiply_lower_tri_self_transpose(L)) + sum(tcrossprod(A)));
  target += 0.53 * (sum(crossprod(A)) + log_determinant(S) + sum(inverse(S)) + sum(mdivide_left_tri_low(L, v)) + sum(mdivide_left_spd(S, v)));
  target += 0.59 * (sum(S \ v) + sum(r / S) + sum(columns_dot_self(A)) + sum(rows_dot_product(A, S)) + sum(eigenvalues_sym(S)));
  target += 0.61 * (sum(A * v) + sum(r * A) + r * v + sum(v * r) + sum(A .* S) + sum(A ./ S) + sum(v * x) + sum(v / p));
  target += 0.67 * (sum(to_vector(A)) + to_matrix(v, 1, 3)[1, 2] + sum(rep_vector(x, 3)) + sum(rep_matrix(v, 2)) + sum(rep_matrix(x, 2, 2)));
  target += 0.71 * (f(x) + g(x, p) + power(x, 3) + num_elements(A) + rows(A) + cols(r) + size(a) + step(x) * x);
  bump_lp(x * p);
  x ~ shape(0.5);
  if (x > 0.2 && !(p < 0.3)) {
    target += x;
  } else if (x < -10 || p > 1e9) {
    target += 100;
  }
  {
    int k = 0;
    real s = x;
    while (abs(s) > 0.1) {
      s = 0.5 * s;
      k += 1;
      if (k > 20) {
        break;
      }
    }
    target += s;
    for (z in v) {
      if (z < 0) {
        continue;
      }
      target += 0.05 * z;
    }
    target += 7 / 2 + 7 % 4 + -2 ^ 2 * q;
  }
}
