// Package density is the table of univariate distributions of packages model and priors: for each
// one formula of its log density with the derivatives in the value and in every parameter, its
// distribution function or its inverse, and how to draw from it.
//
// A log density is the sum of two parts,
//
//	log p(y | a) = norm(a) + kernel(y, a),
//
// so that a program that evaluates it at many y for the same a computes norm once. What depends on
// y and on fixed parameters alone, such as -log y! of counts, is a third part, base, which never
// changes while a model is sampled.
//
// A Family is for programs that take any distribution. Those that package priors has too stand as
// types, such as GammaLaw, whose methods the family takes: a program that names one calls them
// without allocating their arguments.
package density

import (
	"math"
	"math/rand/v2"
)

// MaxParams is the largest number of parameters of a family.
const MaxParams = 4

// Params are the parameters of a distribution; those beyond its own are not looked at.
type Params [MaxParams]float64

// Grad receives derivatives: of the value first, then of the parameters.
type Grad [MaxParams + 1]float64

// Domain says where a parameter may lie.
type Domain int

// The domains.
const (
	Real Domain = iota
	Positive
	NonNegative // a number of at least 0
	Unit        // between 0 and 1
	Count       // a whole number, at least 0, that is data
	Extended    // a number that may be infinite: the log of a rate of 0, say
)

// Contains reports whether v lies in the domain.
func (d Domain) Contains(v float64) bool {
	switch d {
	case Positive:
		return v > 0 && !math.IsInf(v, 1)
	case NonNegative:
		return v >= 0 && !math.IsInf(v, 1)
	case Unit:
		return v >= 0 && v <= 1
	case Count:
		return v >= 0 && v == math.Floor(v) && !math.IsInf(v, 1)
	case Extended:
		return !math.IsNaN(v)
	}
	return !math.IsNaN(v) && !math.IsInf(v, 0)
}

// String names the domain as messages do: "a positive number".
func (d Domain) String() string {
	switch d {
	case Positive:
		return "a positive number"
	case NonNegative:
		return "a number of at least 0"
	case Unit:
		return "a number from 0 to 1"
	case Count:
		return "a whole number of at least 0"
	case Extended:
		return "a number"
	}
	return "a finite number"
}

// Param is a parameter of a family.
type Param struct {
	Name   string
	Domain Domain
}

// Family is a kind of univariate distribution. The functions take the parameters in the order of
// Params. Norm and Kernel set the derivatives in each parameter, and Kernel that in y, which is
// g[0]. Outside the support Kernel returns -Inf, and g has no meaning.
type Family struct {
	Name     string
	Params   []Param
	Discrete bool
	Atom     bool // one value has probability 1: see PointMass
	// Support returns the ends of the support.
	Support func(a *Params) (lo, hi float64)
	// Norm is the part of the log density without y.
	Norm func(a *Params, g *Grad) float64
	// Kernel is the part with y, a whole number if the family is discrete.
	Kernel func(y float64, a *Params, g *Grad) float64
	// Base, where not nil, is the part of y and of parameters of domain Count.
	Base func(y float64, a *Params) float64
	// Below and Above are the logs of the probabilities of at most y and of more than y, exact to
	// rounding where these are small; they write the derivatives in y, 0 if the family is discrete,
	// and in the parameters, but for those of domain Count. Nil where they are not here.
	Below func(y float64, a *Params, g *Grad) float64
	Above func(y float64, a *Params, g *Grad) float64
	// Rand draws one value.
	Rand func(r *rand.Rand, a *Params) float64
	// Location and Scale are the places of these among Params, -1 where there is none. With both,
	// location + scale z has the distribution if z has that with location 0 and scale 1.
	Location, Scale int
	// Proper is false where there is nothing to draw from.
	Proper bool
}

// All returns every family, each new.
func All() []*Family {
	return []*Family{Normal(), StudentT(), Cauchy(), Logistic(), DoubleExponential(), Gumbel(),
		SkewNormal(), ExpModNormal(), SkewDoubleExponential(), VonMises(), Flat(),
		HalfNormal(), HalfCauchy(), LogNormal(), Gamma(), InvGamma(), ChiSquare(), InvChiSquare(),
		ScaledInvChiSquare(), Exponential(), Weibull(), Frechet(), Rayleigh(), LogLogistic(), Pareto(),
		ParetoType2(), Beta(), BetaProportion(), Uniform(),
		Bernoulli(), BernoulliLogit(), BernoulliProbit(), Binomial(), BinomialLogit(), BetaBinomial(),
		Poisson(), PoissonLog(), NegBinomial(), NegBinomial2(), NegBinomial2Log()}
}

// LogDensity returns the log density and writes its derivatives into g. Work is overwritten.
func (f *Family) LogDensity(y float64, a *Params, g, work *Grad) float64 {
	lp := f.Kernel(y, a, g) + f.Norm(a, work)
	for k := range f.Params {
		g[k+1] += work[k+1]
	}
	if f.Base != nil {
		lp += f.Base(y, a)
	}
	return lp
}

const (
	logSqrt2Pi = 0.91893853320467274178032973640561763986139747363778
	halfLogPi  = 0.57236494292470008707171367567652935582364740645766
)
