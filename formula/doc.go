// Package formula reads regressions written as formulas, y ~ x + g + (1 + x | h), as R and brms have them, and
// makes design matrices of tables.
//
// # Formulas
//
// To the left of ~ stands the response, perhaps with what is known of its rows: y | trials(n), cens(c),
// weights(w); cbind(k, n - k) is k | trials(n). To the right stand terms:
//
//	a + b      both terms
//	a:b        their interaction
//	a * b      a + b + a:b
//	a / b      a + a:b, b within a
//	(a + b)^2  a + b + a:b, and so on for higher powers
//	a - b      a without the terms of b; - 1 or + 0 leave out the intercept
//	.          all other columns
//	I(x^2)     arithmetic, as are log(x), exp, sqrt and the functions in the table of functions
//	poly(x, 2) orthogonal polynomials, or powers with raw = TRUE
//	factor(x)  numbers as names
//	offset(x)  a term without a coefficient
//	s(x)       a smooth function; s(x, by = f) one for each level of a factor
//	(x | g)    coefficients that vary over groups, with correlations; || without; g/h is g and g:h
//
// Terms are sorted by the number of their variables, as in R. Columns of text, and true and false, are factors
// with treatment contrasts; their first level is the base. A factor is coded by all its levels where the terms
// before do not span them. The rules are those of R's model.matrix, and so are the names of the columns.
package formula
