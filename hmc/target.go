package hmc

import "math/rand/v2"

// Target is a log density on R^d that knows its gradient.
type Target interface {
	Dim() int
	// LogDensity returns log p(x), up to a constant, and writes its gradient into grad, which has
	// length Dim(). Outside the support it returns -Inf; grad is then unspecified. It must not
	// change x, nor retain x or grad.
	LogDensity(x, grad []float64) float64
}

// Approximator is implemented by targets whose log density may be computed to a tolerance alone, as where a
// differential equation is solved: it is rougher than its last digit, and no differences of it check a gradient.
type Approximator interface {
	Approximate() bool
}

// Constrainer is implemented by targets sampled on a transformed space: draws are kept on the
// user's scale, under these names. Names and the values that Constrain writes have the same length,
// which need not be Dim().
type Constrainer interface {
	Names() []string
	Constrain(dst, x []float64)
}

// Initializer is implemented by targets that can draw a starting point of their own, for example
// from their priors. It is used where Start.From asks for it.
type Initializer interface {
	Initial(x []float64, r *rand.Rand)
}

// Explainer is implemented by targets that can say, in words, why their log density at x is -Inf or
// not a number: errors about starting points quote it. It returns "" where there is nothing to say.
type Explainer interface {
	Explain(x []float64) string
}

// Failer is implemented by targets that may be wrong themselves, as a program is that asks for an element which is not
// there: Failed is asked after a density that is not finite, and its error ends the chain. It returns nil where the
// point just has no density.
type Failer interface {
	Failed() error
}

// Labeller is implemented by targets that call their values something else before people than before
// programs, such as alpha[horsebean] for alpha[1]: there are as many labels as names. Summaries use them.
type Labeller interface {
	Labels() []string
}

// Fixer is implemented by targets some of whose values are constants by construction, such as the diagonal of a
// correlation matrix: Constants returns their names. Summaries do not warn that these do not vary.
type Fixer interface {
	Constants() []string
}

// Costed is implemented by targets that know the cost of an evaluation: the number of
// multiplications, roughly. Warm-up weighs it against the cost of a metric with correlations. For
// other targets it assumes 30 per dimension.
type Costed interface{ Cost() float64 }

// costOf returns the cost of an evaluation of t.
func costOf(t Target) float64 {
	if c, ok := t.(Costed); ok {
		if v := c.Cost(); v > 0 {
			return v
		}
	}
	return gradientCost * float64(t.Dim())
}

// Factory makes one Target per chain, so that each chain owns its workspace and chains share
// nothing.
type Factory func() (Target, error)

// Shared returns a factory that hands out t itself: for a target that keeps no workspace, and so is
// safe for concurrent use.
func Shared(t Target) Factory { return func() (Target, error) { return t, nil } }
