package record

import (
	"math"
	"strings"
)

// shapeTable has the sizes that the arguments of functions and distributions want, which their types do not say: a word
// for each argument. In y:n the argument named y has n values, or is an array of vectors with n values each; nm is a
// matrix of n rows and m columns; [k]n is an array of k numbers, or of k vectors of n values, or one such vector; _ is
// anything. The same letter stands for the same size. A single number suits all words, and a row those of matrices
// with any number of rows. What follows holds for the values: + wants positive ones, 0 those of at least 0, 1 those
// from 0 to 1, and = a symmetric matrix.
const shapeTable = `
diag_pre_multiply: n nm
diag_post_multiply: nm m
quad_form_diag: nn n
quad_form: nn nm
quad_form_sym: nn= nm
trace: nn
trace_quad_form: nn nm
trace_gen_quad_form: mm nn nm
rows_dot_product: nm nm
columns_dot_product: nm nm
inverse: nn
inverse_spd: nn=
log_determinant: nn
chol2inv: nn
eigenvalues_sym: nn=
eigenvectors_sym: nn=
eigendecompose_sym: nn=
symmetrize_from_lower_tri: nn
mdivide_left_tri_low: nn nm
mdivide_right_tri_low: mn nn
mdivide_left_spd: nn= nm
mdivide_right_spd: mn nn=
matrix_exp_multiply: nn nm
scale_matrix_exp_multiply: _ nn nm
dot_product: n n
log_mix: theta:n1 lps:n
cov_exp_quad: x:[n]d sigma:+ length_scale:d+
cov_exp_quad: x1:[n]d x2:[m]d sigma:+ length_scale:d+
gp_exp_quad_cov: x:[n]d sigma:+ length_scale:d+
gp_exp_quad_cov: x1:[n]d x2:[m]d sigma:+ length_scale:d+
gp_matern32_cov: x:[n]d sigma:+ length_scale:d+
gp_matern32_cov: x1:[n]d x2:[m]d sigma:+ length_scale:d+
gp_matern52_cov: x:[n]d sigma:+ length_scale:d+
gp_matern52_cov: x1:[n]d x2:[m]d sigma:+ length_scale:d+
gp_exponential_cov: x:[n]d sigma:+ length_scale:d+
gp_exponential_cov: x1:[n]d x2:[m]d sigma:+ length_scale:d+
gp_periodic_cov: x:[n]d sigma:+ length_scale:+ period:+
gp_periodic_cov: x1:[n]d x2:[m]d sigma:+ length_scale:+ period:+
gp_dot_prod_cov: x:[n]d sigma:0
gp_dot_prod_cov: x1:[n]d x2:[m]d sigma:0
hmm_marginal: log_omega:kt Gamma:kk rho:k
hmm_hidden_state_prob: log_omega:kt Gamma:kk rho:k
hmm_latent_rng: log_omega:kt Gamma:kk rho:k
ordered_logistic: y:n eta:n _
ordered_probit: y:n eta:n _
multinomial: y:n theta:n
multinomial_logit: y:n gamma:n
dirichlet_multinomial: y:n alpha:n
dirichlet: y:[k]n alpha:[k]n
multi_normal: y:[k]n mu:[k]n Sigma:nn
multi_normal_cholesky: y:[k]n mu:[k]n L:nn
multi_normal_prec: y:[k]n mu:[k]n Omega:nn
multi_student_t: y:[k]n _ mu:[k]n Sigma:nn
multi_student_t_cholesky: y:[k]n _ mu:[k]n L:nn
multi_gp: y:kn Sigma:nn w:k
multi_gp_cholesky: y:kn L:nn w:k
multi_normal_rng: mu:[k]n Sigma:nn
multi_normal_cholesky_rng: mu:[k]n L:nn
multi_normal_prec_rng: mu:n Omega:nn
multi_student_t_rng: _ mu:[k]n Sigma:nn
multi_student_t_cholesky_rng: _ mu:[k]n L:nn
lkj_corr: y:nn eta:+
lkj_corr_cholesky: L:nn eta:+
wishart: W:nn _ S:nn
inv_wishart: W:nn _ S:nn
wishart_cholesky: L_W:nn _ L_S:nn
inv_wishart_cholesky: L_W:nn _ L_S:nn
wishart_rng: _ S:nn
inv_wishart_rng: _ S:nn
gaussian_dlm_obs: y:rt F:nr G:nn _ W:nn m0:n C0:nn
wiener: y:n alpha:n tau:n beta:n delta:n
beta_neg_binomial: y:n r:n alpha:n beta:n
skew_normal: y:n xi:n omega:n alpha:n
von_mises: y:n mu:n kappa:n
discrete_range: y:n l:n u:n
poisson_binomial: y:k theta:[k]_
hypergeometric: n:n N:n a:n b:n
bernoulli_logit_glm: y:n x:nm alpha:n beta:m
binomial_logit_glm: y:n N:n x:nm alpha:n beta:m
poisson_log_glm: y:n x:nm alpha:n beta:m
neg_binomial_2_log_glm: y:n x:nm alpha:n beta:m phi:n
normal_id_glm: y:n x:nm alpha:n beta:m sigma:n
categorical_logit_glm: y:n x:nm alpha:c beta:mc
ordered_logistic_glm: y:n x:nm beta:m _
`

// sizeWord is a word of the table: letters stand for sizes, and 0 for any.
type sizeWord struct {
	name              string
	array, rows, cols byte // those of vectors are rows
	values            byte // what the values have to be, 0 for anything
}

// shapes are the lines of the table by the names of their functions.
var shapes = readShapes(shapeTable)

func readShapes(table string) map[string][][]sizeWord {
	out := map[string][][]sizeWord{}
	for _, line := range lines(table) {
		of, rest, _ := strings.Cut(line, ": ")
		var words []sizeWord
		for _, text := range strings.Fields(rest) {
			var w sizeWord
			if name, sizes, ok := strings.Cut(text, ":"); ok {
				w.name, text = name, sizes
			}
			if text[0] == '[' {
				w.array, text = text[1], text[3:]
			}
			if last := text[len(text)-1]; strings.IndexByte("+01=", last) >= 0 {
				w.values, text = last, text[:len(text)-1]
			}
			if text != "" && text != "_" {
				w.rows = text[0]
			}
			if len(text) > 1 {
				w.cols = text[1]
			}
			words = append(words, w)
		}
		out[of] = append(out[of], words)
	}
	return out
}

// known are the sizes that letters stand for, and 0 those that none was found for yet.
type known [128]int

// is reports whether a size is that of its letter, which it becomes where there was none. Sizes are kept one larger.
func (k *known) is(letter byte, size int) bool {
	if k[letter] == 0 && letter != 0 {
		k[letter] = size + 1
	}
	return letter == 0 || k[letter] == size+1
}

// suits holds arguments against the table: sizes that do not match are an error of the program, and values where the
// function has none a rejection.
func (c *run) suits(function string, args []Value) {
	for _, words := range shapes[function] {
		if len(words) != len(args) {
			continue
		}
		var sizes known
		for k, w := range words {
			if w.name == "" {
				w.name = sprintf("argument %d", k+1)
			}
			if !isScalar(args[k]) {
				sizes.fit(function, w, args[k])
			}
			c.hasValues(function, w, args[k])
		}
	}
}

// fit panics where an argument has not the sizes of its word.
func (k *known) fit(function string, w sizeWord, v Value) {
	wrong := func(name string, v Value, letter byte, of string) {
		n := k[letter] - 1
		if n != 1 {
			of += "s"
		}
		panic(faultf("%s: %s is %s, want %d %s", function, name, said(v), n, of))
	}
	switch v := v.(type) {
	case Array:
		if w.array != 0 && !k.is(w.array, len(v)) {
			wrong(w.name, v, w.array, "element")
		}
		w.array = 0
		for i, e := range v {
			at := w
			at.name = sprintf("%s[%d]", w.name, i+1)
			k.fit(function, at, e)
		}
	case Ints, Reals:
		letter := w.rows
		if w.array != 0 {
			letter = w.array
		}
		if n, _ := length(v); !k.is(letter, n) {
			wrong(w.name, v, letter, "element")
		}
	case Vector, RowVector, *Matrix:
		m, _ := asMatrix(v)
		switch {
		case w.cols == 0:
			if !k.is(w.rows, len(m.X)) {
				wrong(w.name, v, w.rows, "element")
			}
		case w.rows == w.cols && m.R != m.C:
			panic(faultf("%s: %s is %s, want a square matrix", function, w.name, said(v)))
		case !isRow(v) && !k.is(w.rows, m.R):
			wrong(w.name, v, w.rows, "row")
		case !k.is(w.cols, m.C):
			wrong(w.name, v, w.cols, "column")
		}
	}
}

// hasValues rejects values of which there is no function.
func (c *run) hasValues(function string, w sizeWord, v Value) {
	if w.values == 0 {
		return
	}
	if w.values == '=' {
		m := v.(*Matrix)
		for j := range m.C {
			for i := range j {
				if math.Abs(m.at(i, j).V-m.at(j, i).V) > 1e-8 {
					panic(rejectf("%s: %s is not symmetric: the elements [%d, %d] and [%d, %d] are %v and %v",
						function, w.name, i+1, j+1, j+1, i+1, m.at(i, j).V, m.at(j, i).V))
				}
			}
		}
		return
	}
	for i, x := range scalars(v) {
		ok, want := true, ""
		switch w.values {
		case '+':
			ok, want = c.t.positive(x), "a positive number"
		case '0':
			ok, want = c.atLeast(x, 0), "a number of at least 0"
		case '1':
			ok, want = c.t.between(x, 0, 1), "a number from 0 to 1"
		}
		if !ok {
			panic(rejectf("%s: %s is %v, want %s", function, elementName(w.name, v, i), x.V, want))
		}
	}
}
