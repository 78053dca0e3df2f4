package record

import (
	"strings"
	"sync"

	"bayeskernel/internal/density"
	"bayeskernel/stan/types"
)

// Library has the signatures of all functions and distributions that programs can call. Those of functions
// of one number, of two, and of distributions of single values follow from their tables; the others are
// below.
var Library = sync.OnceValues(func() (*types.Library, error) { return types.NewLibrary(words()) })

func words() types.Words {
	l := types.Words{Functions: append(lines(signatures), oldODE()...), Stan: strings.Fields(stanNames)}
	for _, s := range strings.Fields(transformNames) {
		l.Stan = append(l.Stan, s+"_jacobian", s+"_constrain", s+"_unconstrain")
	}
	have := map[string]bool{}
	for _, s := range l.Functions {
		_, name, _, _ := types.Split(s)
		have[name] = true
	}
	for _, e := range entries() {
		l.Functions = append(l.Functions, e.signature)
		have[e.name()] = true
	}
	l.Functions = append(l.Functions, lines(higherSignatures)...)
	for name := range unaryOps {
		if !have[name] {
			l.Functions = append(l.Functions, "N "+name+"(N)")
		}
	}
	for name := range binaryOps {
		switch {
		case have[name]:
		case ofWholeOrder[name]:
			for _, t := range []string{"real", "vector", "row_vector", "matrix", "array[] real"} {
				l.Functions = append(l.Functions, t+" "+name+"(int, "+t+")")
			}
			l.Functions = append(l.Functions, "array[] real "+name+"(array[] int, real|array[] real)",
				"vector "+name+"(array[] int, vector)", "row_vector "+name+"(array[] int, row_vector)")
		default:
			l.Functions = append(l.Functions, "N "+name+"(N, N)")
			if strings.HasSuffix(name, "ing_factorial") {
				l.Functions = append(l.Functions, "vector "+name+"(vector, array[] int)",
					"row_vector "+name+"(row_vector, array[] int)")
			}
		}
	}
	for name, f := range families {
		value, draws := "reals", "reals"
		if f.Discrete {
			value, draws = "ints", "ints"
		}
		var params []string
		for _, p := range f.Params {
			if p.Domain == density.Count {
				params = append(params, "ints")
			} else {
				params = append(params, "reals")
			}
		}
		args := strings.Join(params, ", ")
		l.Distributions = append(l.Distributions, types.Distribution{Name: name, Discrete: f.Discrete,
			Args: value + ", " + args, CDF: hasTail(name)})
		l.Functions = append(l.Functions, draws+" "+name+"_rng("+args+")")
	}
	l.Distributions = append(l.Distributions, types.Distribution{Name: "std_normal", Args: "reals", CDF: true})
	joint := lines(jointSignatures)
	for _, e := range jointEntries() {
		joint = append(joint, e.signature)
	}
	for _, s := range joint {
		kind, name, args, _ := types.Split(s)
		l.Distributions = append(l.Distributions,
			types.Distribution{Name: name, Discrete: kind == "pmf", Args: args, Joint: true, CDF: hasTail(name)})
	}
	return l
}

func lines(s string) []string { return strings.Split(strings.TrimSpace(s), "\n") }

// signatures of functions, in the words of package types.
const signatures = `
real pi()
real e()
real sqrt2()
real log2()
N log2(N)
real log10()
N log10(N)
real not_a_number()
real positive_infinity()
real negative_infinity()
real machine_precision()
int abs(int)
array[] int abs(array[] int)
N abs(N)
N step(N)
N floor(N)
N ceil(N)
N trunc(N)
N round(N)
int int_step(real)
int to_int(data real)
array[] int to_int(data array[] real)
int choose(int, int)
array[] int choose(array[] int, ints)
array[] int choose(int, array[] int)
int is_inf(real)
int is_nan(real)
int sum(array[] int)
real sum(array[] real|vector|row_vector|matrix)
real mean(array[] real|vector|row_vector|matrix)
real variance(array[] real|vector|row_vector|matrix)
real sd(array[] real|vector|row_vector|matrix)
int prod(array[] int)
real prod(array[] real|vector|row_vector|matrix)
int max(array[] int)
int max(int, int)
real max(array[] real|vector|row_vector|matrix)
int min(array[] int)
int min(int, int)
real min(array[] real|vector|row_vector|matrix)
real log_sum_exp(array[] real|vector|row_vector|matrix)
N log_sum_exp(N, N)
real log_mix(real, real, real)
real log_mix(vector|row_vector|array[] real, vector|row_vector|array[] real|array[] vector)
vector softmax(vector)
vector log_softmax(vector)
vector cumulative_sum(vector)
row_vector cumulative_sum(row_vector)
array[] int cumulative_sum(array[] int)
array[] real cumulative_sum(array[] real)
real dot_product(vector|row_vector|array[] real, vector|row_vector|array[] real)
real dot_self(vector|row_vector|array[] real)
real distance(vector, vector)
real distance(row_vector, row_vector)
real distance(vector, row_vector)
real distance(row_vector, vector)
real squared_distance(vector, vector)
real squared_distance(row_vector, row_vector)
real squared_distance(vector, row_vector)
real squared_distance(row_vector, vector)
real squared_distance(real, real)
real norm1(vector|row_vector|array[] real)
real norm2(vector|row_vector|array[] real)
int size(T)
int num_elements(T)
int rows(vector|row_vector|matrix)
int cols(vector|row_vector|matrix)
array[] int dims(T)
vector to_vector(vector|row_vector|matrix|array[] real)
row_vector to_row_vector(vector|row_vector|matrix|array[] real)
array[] int to_array_1d(array[] int|array[,] int|array[,,] int)
array[] real to_array_1d(vector|row_vector|matrix|array[] real|array[,] real|array[,,] real)
array[,] real to_array_2d(matrix)
matrix to_matrix(vector|row_vector|matrix|array[] row_vector|array[] vector|array[,] real)
matrix to_matrix(vector|row_vector|matrix|array[] real, int, int)
matrix to_matrix(vector|row_vector|matrix|array[] real, int, int, int)
array[] T rep_array(T, int)
array[,] T rep_array(T, int, int)
array[,,] T rep_array(T, int, int, int)
vector rep_vector(real, int)
row_vector rep_row_vector(real, int)
matrix rep_matrix(real, int, int)
matrix rep_matrix(vector|row_vector, int)
vector zeros_vector(int)
vector ones_vector(int)
row_vector zeros_row_vector(int)
row_vector ones_row_vector(int)
array[] real zeros_array(int)
array[] real ones_array(int)
array[] int zeros_int_array(int)
matrix identity_matrix(int)
vector linspaced_vector(int, data real, data real)
row_vector linspaced_row_vector(int, data real, data real)
array[] real linspaced_array(int, data real, data real)
array[] int linspaced_int_array(int, int, int)
vector one_hot_vector(int, int)
vector append_row(real, vector)
vector append_row(vector, real|vector)
matrix append_row(matrix, matrix|row_vector)
matrix append_row(row_vector, matrix|row_vector)
row_vector append_col(real, row_vector)
row_vector append_col(row_vector, real|row_vector)
matrix append_col(matrix, matrix|vector)
matrix append_col(vector, matrix|vector)
array[] T append_array(array[] T, array[] T)
vector head(vector, int)
row_vector head(row_vector, int)
array[] T head(array[] T, int)
vector tail(vector, int)
row_vector tail(row_vector, int)
array[] T tail(array[] T, int)
vector segment(vector, int, int)
row_vector segment(row_vector, int, int)
array[] T segment(array[] T, int, int)
row_vector row(matrix, int)
vector col(matrix, int)
matrix block(matrix, int, int, int, int)
row_vector sub_row(matrix, int, int, int)
vector sub_col(matrix, int, int, int)
vector reverse(vector)
row_vector reverse(row_vector)
array[] T reverse(array[] T)
array[] int sort_asc(array[] int)
array[] real sort_asc(array[] real)
vector sort_asc(vector)
row_vector sort_asc(row_vector)
array[] int sort_desc(array[] int)
array[] real sort_desc(array[] real)
vector sort_desc(vector)
row_vector sort_desc(row_vector)
array[] int sort_indices_asc(array[] real|vector|row_vector)
array[] int sort_indices_desc(array[] real|vector|row_vector)
int rank(array[] real|vector|row_vector, int)
row_vector transpose(vector)
vector transpose(row_vector)
matrix transpose(matrix)
vector diagonal(matrix)
matrix diag_matrix(vector)
matrix add_diag(matrix, real|vector|row_vector)
matrix diag_pre_multiply(vector|row_vector, matrix)
matrix diag_post_multiply(matrix, vector|row_vector)
matrix quad_form_diag(matrix, vector|row_vector)
matrix quad_form(matrix, matrix)
real quad_form(matrix, vector)
matrix quad_form_sym(matrix, matrix)
real quad_form_sym(matrix, vector)
matrix multiply_lower_tri_self_transpose(matrix)
matrix tcrossprod(matrix)
matrix crossprod(matrix)
real trace(matrix)
matrix cholesky_decompose(matrix)
matrix inverse(matrix)
matrix inverse_spd(matrix)
real log_determinant(matrix)
real log_determinant_spd(matrix)
matrix mdivide_left_tri_low(matrix, matrix)
vector mdivide_left_tri_low(matrix, vector)
matrix mdivide_right_tri_low(matrix, matrix)
row_vector mdivide_right_tri_low(row_vector, matrix)
matrix mdivide_left_spd(matrix, matrix)
vector mdivide_left_spd(matrix, vector)
matrix mdivide_right_spd(matrix, matrix)
row_vector mdivide_right_spd(row_vector, matrix)
vector eigenvalues_sym(matrix)
matrix eigenvectors_sym(matrix)
row_vector columns_dot_product(vector, vector)
row_vector columns_dot_product(row_vector, row_vector)
row_vector columns_dot_product(matrix, matrix)
vector rows_dot_product(vector, vector)
vector rows_dot_product(row_vector, row_vector)
vector rows_dot_product(matrix, matrix)
row_vector columns_dot_self(vector|row_vector|matrix)
vector rows_dot_self(vector|row_vector|matrix)
N fma(N, N, N)
matrix cov_exp_quad(array[] real|array[] vector|array[] row_vector, real, real)
matrix cov_exp_quad(array[] real, array[] real, real, real)
matrix cov_exp_quad(array[] vector, array[] vector, real, real)
matrix cov_exp_quad(array[] row_vector, array[] row_vector, real, real)
matrix gp_exp_quad_cov(array[] real|array[] vector, real, real)
matrix gp_exp_quad_cov(array[] vector, real, array[] real|vector)
matrix gp_exp_quad_cov(array[] real, array[] real, real, real)
matrix gp_exp_quad_cov(array[] vector, array[] vector, real, real|array[] real|vector)
matrix gp_matern32_cov(array[] real|array[] vector, real, real)
matrix gp_matern32_cov(array[] real, array[] real, real, real)
matrix gp_matern32_cov(array[] vector, real, array[] real|vector)
matrix gp_matern32_cov(array[] vector, array[] vector, real, real|array[] real|vector)
matrix gp_matern52_cov(array[] real|array[] vector, real, real)
matrix gp_matern52_cov(array[] real, array[] real, real, real)
matrix gp_matern52_cov(array[] vector, real, array[] real|vector)
matrix gp_matern52_cov(array[] vector, array[] vector, real, real|array[] real|vector)
matrix gp_exponential_cov(array[] real|array[] vector, real, real)
matrix gp_exponential_cov(array[] real, array[] real, real, real)
matrix gp_exponential_cov(array[] vector, real, array[] real|vector)
matrix gp_exponential_cov(array[] vector, array[] vector, real, real|array[] real|vector)
real hmm_marginal(matrix, matrix, vector)
real std_normal_rng()
int categorical_rng(vector)
int categorical_logit_rng(vector)
int ordered_logistic_rng(real, vector)
int ordered_probit_rng(real, vector)
array[] int multinomial_rng(vector, int)
vector dirichlet_rng(vector)
vector multi_normal_rng(vector|row_vector, matrix)
vector multi_normal_cholesky_rng(vector|row_vector, matrix)
vector multi_student_t_rng(real, vector|row_vector, matrix)
array[] vector multi_normal_rng(array[] vector|array[] row_vector, matrix)
array[] vector multi_normal_cholesky_rng(array[] vector|array[] row_vector, matrix)
array[] vector multi_student_t_rng(real, array[] vector|array[] row_vector, matrix)
array[] vector multi_student_t_cholesky_rng(real, array[] vector|array[] row_vector, matrix)
matrix lkj_corr_rng(int, real)
matrix lkj_corr_cholesky_rng(int, real)
matrix wishart_rng(real, matrix)
matrix inv_wishart_rng(real, matrix)
int discrete_range_rng(int, int)
int hypergeometric_rng(int, int, int)
array[] vector ode_rk45(vector(real, vector, ...), vector, real, array[] real, ...)
array[] vector ode_ckrk(vector(real, vector, ...), vector, real, array[] real, ...)
array[] vector ode_bdf(vector(real, vector, ...), vector, real, array[] real, ...)
array[] vector ode_adams(vector(real, vector, ...), vector, real, array[] real, ...)
array[] vector ode_rk45_tol(vector(real, vector, ...), vector, real, array[] real, data real, data real, int, ...)
array[] vector ode_ckrk_tol(vector(real, vector, ...), vector, real, array[] real, data real, data real, int, ...)
array[] vector ode_bdf_tol(vector(real, vector, ...), vector, real, array[] real, data real, data real, int, ...)
array[] vector ode_adjoint_tol_ctl(vector(real, vector, ...), vector, real, array[] real, data real, data vector, data real, data vector, data real, data real, int, int, int, int, int, ...)
array[] vector ode_adams_tol(vector(real, vector, ...), vector, real, array[] real, data real, data real, int, ...)
`

// oldODE are the solvers of older programs, each without tolerances and with them.
func oldODE() []string {
	var out []string
	for _, name := range []string{"integrate_ode", "integrate_ode_rk45", "integrate_ode_bdf", "integrate_ode_adams"} {
		s := "array[,] real " + name + "(array[] real(real, array[] real, array[] real, data array[] real, array[] int), " +
			"array[] real, real, array[] real, array[] real, data array[] real, array[] int"
		out = append(out, s+")", s+", data real, data real, data real)")
	}
	return out
}

// jointSignatures are the distributions of categories, vectors and matrices.
const jointSignatures = `
pmf categorical(ints, vector)
pmf categorical_logit(ints, vector)
pmf ordered_logistic(ints, reals, vector|array[] vector)
pmf ordered_probit(ints, reals, vector|array[] vector)
pmf multinomial(array[] int, vector)
pmf multinomial_logit(array[] int, vector)
pdf dirichlet(vector|array[] vector, vector|array[] vector)
pdf multi_normal(vectors, vectors, matrix)
pdf multi_normal_cholesky(vectors, vectors, matrix)
pdf multi_normal_prec(vectors, vectors, matrix)
pdf multi_student_t(vectors, real, vectors, matrix)
pdf lkj_corr(matrix, real)
pdf lkj_corr_cholesky(matrix, real)
pdf wishart(matrix, real, matrix)
pdf inv_wishart(matrix, real, matrix)
pmf discrete_range(ints, ints, ints)
pmf hypergeometric(ints, ints, ints, ints)
pmf bernoulli_logit_glm(ints, matrix|row_vector, real|vector, vector)
pmf binomial_logit_glm(ints, ints, matrix|row_vector, real|vector, vector)
pmf poisson_log_glm(ints, matrix|row_vector, real|vector, vector)
pmf neg_binomial_2_log_glm(ints, matrix|row_vector, real|vector, vector, real|vector)
pdf normal_id_glm(real|vector, matrix|row_vector, real|vector, vector, real|vector)
pmf categorical_logit_glm(ints, matrix|row_vector, vector, matrix)
pmf ordered_logistic_glm(ints, matrix|row_vector, vector, vector)
`

// stanNames are functions and distributions of Stan, here or not: what is on no list is misspelt.
const stanNames = `
Phi Phi_approx abs acos acosh add_diag adjoint_tensor algebra_solver algebra_solver_newton append_array
append_col append_row arg asin asinh atan atan2 atanh bernoulli bernoulli_logit bernoulli_logit_glm
bessel_first_kind bessel_second_kind beta beta_binomial beta_neg_binomial beta_proportion binary_log_loss binomial
binomial_logit binomial_logit_glm block categorical categorical_logit categorical_logit_glm cauchy cbrt ceil
chi_square chol2inv cholesky_decompose choose col cols columns_dot_product columns_dot_self
complex_schur_decompose complex_schur_decompose_t complex_schur_decompose_u conj cos cosh cov_exp_quad crossprod
csr_extract csr_extract_u csr_extract_v csr_extract_w csr_matrix_times_vector csr_to_dense_matrix cumulative_sum
dae dae_tol determinant diag_matrix diag_post_multiply diag_pre_multiply diagonal digamma dims dirichlet
dirichlet_multinomial discrete_range distance dot_product dot_self double_exponential e eigendecompose
eigendecompose_sym eigenvalues eigenvalues_sym eigenvectors eigenvectors_sym erf erfc exp exp2 exp_mod_normal
expm1 exponential falling_factorial fdim fft fft2 floor fma fmax fmin fmod frechet gamma gamma_p gamma_q
gaussian_dlm_obs generalized_inverse get_imag get_lp get_real gp_dot_prod_cov gp_exp_quad_cov gp_exponential_cov
gp_matern32_cov gp_matern52_cov gp_periodic_cov gumbel head hmm_hidden_state_prob hmm_latent hmm_marginal
hypergeometric hypergeometric_1F0 hypergeometric_2F1 hypergeometric_3F2 hypergeometric_pFq hypot identity_matrix
if_else inc_beta int_step integrate_1d inv inv_Phi inv_chi_square inv_cloglog inv_erfc inv_fft inv_fft2 inv_gamma
inv_inc_beta inv_logit inv_sqrt inv_square inv_wishart inv_wishart_cholesky inverse inverse_spd is_inf is_nan
lambert_w0 lambert_wm1 laplace_marginal laplace_marginal_tol lbeta lchoose ldexp lgamma linspaced_array
linspaced_int_array linspaced_row_vector linspaced_vector lkj_corr lkj_corr_cholesky lkj_cov lmgamma lmultiply
log log10 log1m log1m_exp log1m_inv_logit log1p log1p_exp log2 log_determinant log_determinant_spd log_diff_exp
log_falling_factorial log_inv_logit log_inv_logit_diff log_inverse_logit_diff log_mix log_modified_bessel_first_kind
log_rising_factorial log_softmax log_sum_exp logical_negation logistic logit loglogistic lognormal machine_precision map_rect
matrix_exp matrix_exp_multiply matrix_power max mdivide_left_spd mdivide_left_tri_low mdivide_right_spd
mdivide_right_tri_low mean min modified_bessel_first_kind modified_bessel_second_kind multi_gp multi_gp_cholesky
multi_normal multi_normal_cholesky multi_normal_prec multi_student_t multi_student_t_cholesky multinomial
multinomial_logit multiply_log multiply_lower_tri_self_transpose neg_binomial neg_binomial_2 neg_binomial_2_log
neg_binomial_2_log_glm negative_infinity norm norm1 norm2 normal normal_id_glm not_a_number num_elements
ode_adams ode_adams_tol ode_adjoint_tol_ctl ode_bdf ode_bdf_tol ode_ckrk ode_ckrk_tol ode_rk45 ode_rk45_tol
one_hot_array one_hot_int_array one_hot_row_vector one_hot_vector ones_array ones_int_array ones_row_vector
ones_vector ordered_logistic ordered_logistic_glm ordered_probit owens_t pareto pareto_type_2 pi poisson
poisson_binomial poisson_log poisson_log_glm polar positive_infinity pow prod proj qr qr_Q qr_R qr_thin qr_thin_Q
qr_thin_R quad_form quad_form_diag quad_form_sym quantile rank rayleigh reduce_sum reduce_sum_static rep_array
rep_matrix rep_row_vector rep_vector reverse rising_factorial round row rows rows_dot_product rows_dot_self
scale_matrix_exp_multiply scaled_inv_chi_square sd segment sin singular_values sinh size skew_double_exponential
skew_normal softmax solve_newton solve_newton_tol solve_powell solve_powell_tol sort_asc sort_desc
sort_indices_asc sort_indices_desc sqrt sqrt2 square squared_distance std_normal std_normal_log_qf std_normal_qf
step student_t sub_col sub_row sum svd svd_U svd_V symmetrize_from_lower_tri tail tan tanh tcrossprod tgamma to_array_1d to_array_2d to_complex
to_int to_matrix to_row_vector to_vector trace trace_gen_quad_form trace_quad_form transpose trigamma trunc
uniform uniform_simplex unit_vectorize variance von_mises weibull wiener wishart wishart_cholesky zeros_array
zeros_int_array zeros_row_vector zeros_vector
`

// transformNames are those of the changes of variables that Stan has as functions: simplex_jacobian and the like.
const transformNames = `
cholesky_factor_corr cholesky_factor_cov corr_matrix cov_matrix lower_bound lower_upper_bound offset_multiplier ordered
positive_ordered simplex stochastic_column stochastic_row sum_to_zero unit_vector upper_bound
`
