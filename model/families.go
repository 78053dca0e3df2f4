package model

import "bayeskernel/internal/density"

// Distributions beside the everyday ones of dist.go.

// Gumbel is the distribution of maxima with light tails: it has a location and a scale.
func Gumbel[A, B Arg](location A, scale B) Dist { return two(density.Gumbel(), location, scale) }

// SkewNormal has a location, a scale and a shape, which is 0 for the normal distribution.
func SkewNormal[A, B, C Arg](location A, scale B, shape C) Dist {
	return three(density.SkewNormal(), location, scale, shape)
}

// ExpModNormal is the sum of a normal and an exponential value: it has the mean and the standard
// deviation of the one and the rate of the other.
func ExpModNormal[A, B, C Arg](mean A, sd B, rate C) Dist {
	return three(density.ExpModNormal(), mean, sd, rate)
}

// SkewDoubleExponential has a location, a scale and the probability of less than the location.
func SkewDoubleExponential[A, B, C Arg](location A, scale B, asymmetry C) Dist {
	return three(density.SkewDoubleExponential(), location, scale, asymmetry)
}

// VonMises is the normal distribution of angles: it has a mean direction and a concentration.
func VonMises[A, B Arg](mean A, concentration B) Dist {
	return two(density.VonMises(), mean, concentration)
}

// ChiSquare has degrees of freedom.
func ChiSquare[A Arg](df A) Dist { return one(density.ChiSquare(), df) }

// InvChiSquare is the distribution of 1/c for c with a chi-square distribution.
func InvChiSquare[A Arg](df A) Dist { return one(density.InvChiSquare(), df) }

// ScaledInvChiSquare is InvChiSquare times df scale²: it has degrees of freedom and a scale.
func ScaledInvChiSquare[A, B Arg](df A, scale B) Dist {
	return two(density.ScaledInvChiSquare(), df, scale)
}

// Frechet is the distribution of maxima with heavy tails: it has a shape and a scale.
func Frechet[A, B Arg](shape A, scale B) Dist { return two(density.Frechet(), shape, scale) }

// Rayleigh has a scale: it is the length of two normal values with that standard deviation.
func Rayleigh[A Arg](scale A) Dist { return one(density.Rayleigh(), scale) }

// LogLogistic has a scale, which is its median, and a shape: its log is logistic.
func LogLogistic[A, B Arg](scale A, shape B) Dist { return two(density.LogLogistic(), scale, shape) }

// Pareto has its lower end and a shape.
func Pareto[A, B Arg](lower A, shape B) Dist { return two(density.Pareto(), lower, shape) }

// ParetoType2 is Lomax's distribution: it has a location, which is its lower end, a scale and a shape.
func ParetoType2[A, B, C Arg](location A, scale B, shape C) Dist {
	return three(density.ParetoType2(), location, scale, shape)
}

// BetaProportion is the beta distribution by its mean and a precision, the sum of its two shapes.
func BetaProportion[A, B Arg](mean A, precision B) Dist {
	return two(density.BetaProportion(), mean, precision)
}

// BernoulliProbit has the normal quantile of the probability of 1.
func BernoulliProbit[A Arg](quantile A) Dist { return one(density.BernoulliProbit(), quantile) }

// BetaBinomial has a number of trials, which is data, and the shapes of the beta distribution of the
// probability.
func BetaBinomial[A, B, C Arg](trials A, a B, b C) Dist {
	return three(density.BetaBinomial(), trials, a, b)
}

// NegBinomial has a shape and an inverse scale: its mean is shape/scale, and its variance
// shape (1 + 1/scale)/scale.
func NegBinomial[A, B Arg](shape A, inverseScale B) Dist {
	return two(density.NegBinomial(), shape, inverseScale)
}

func three[A, B, C Arg](f *density.Family, a A, b B, c C) Dist {
	return Dist{family{f: f, args: []argument{argumentOf(a), argumentOf(b), argumentOf(c)}}}
}
