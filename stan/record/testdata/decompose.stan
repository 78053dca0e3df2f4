// Decompositions that return all their parts put a matrix together again: e1, e2, … are 0.
data {
  matrix[4, 2] X;
}
transformed data {
  tuple(matrix[4, 2], matrix[2, 2]) qr_X = qr_thin(X);
  matrix[2, 2] R_inverse = inverse(qr_X.2);
}
parameters {
  matrix[3, 2] A;
  matrix[2, 2] B;
  cov_matrix[3] S;
}
transformed parameters {
  matrix[3, 2] e1;
  matrix[3, 2] e2;
  matrix[3, 2] e3;
  matrix[3, 3] e4;
  real e5;
  vector[3] e6;
  matrix[2, 2] e8 = B - qr_Q(B) * qr_R(B);
  matrix[4, 2] e7 = qr_X.1 - X * R_inverse;
  {
    matrix[3, 2] Q;
    matrix[2, 2] R;
    (Q, R) = qr_thin(A);
    e1 = A - Q * R;
    e2 = A - qr(A).1 * qr(A).2;
    matrix[3, 2] U;
    vector[2] D;
    matrix[2, 2] V;
    (U, D, V) = svd(A);
    e3 = A - diag_post_multiply(U, D) * V';
    matrix[3, 3] E;
    vector[3] w;
    (E, w) = eigendecompose_sym(S);
    e4 = S - diag_post_multiply(E, w) * E';
    e5 = sum(square(Q - qr_thin_Q(A))) + sum(square(R - qr_thin_R(A))) + sum(square(D - singular_values(A)))
         + sum(square(U - svd_U(A))) + sum(square(E - eigenvectors_sym(S)));
    e6 = w - eigenvalues_sym(S);
  }
}
model {
  to_vector(A) ~ std_normal();
  to_vector(B) ~ normal(qr_Q(B)[2, 1] + qr_Q(B)[1, 2], 1 + square(qr_R(B)[1, 2] - 1));
  S ~ wishart(5, identity_matrix(3));
  target += sum(abs(qr_thin(A).1)) + sum(svd(A).2) - 0.1 * sum(square(eigendecompose_sym(S).2));
}
