package bayesfactor

import "math"

// Result is what Density and Paired say.
type Result struct {
	RowsX, RowsY int
	// LogBF is the natural logarithm of the Bayes factor of H1, the distributions differ, over H0,
	// they are the same, with lengthscale and amplitude integrated out. Error is its change when
	// the lengthscales looked at were doubled for the last time, above the error that is left.
	LogBF, Error float64
	// LogM0 is the log density of the whitened contrast under H0, NaN for Paired.
	LogM0 float64
	// Floor is what LogBF would be were the samples as alike as can be: with the sizes of the
	// samples, no data speak more strongly for H0.
	Floor float64
	// Probability is that of H1 if both had probability 1/2 before.
	Probability float64

	// Theta is the posterior of the lengthscale given H1, in the units of the data, and S that of the
	// amplitude. The prior of h, the difference of the densities relative to the pooled one, has
	// standard deviation s at every point.
	Theta, S Posterior
	// Unit is the pooled standard deviation times the root of the number of columns.
	Unit float64

	// P is the p-value of the Bayes factor by permutation, NaN without permutations. It is exact.
	// AtLeast of the Permutations had a Bayes factor at least as large.
	P                     float64
	Permutations, AtLeast int
	Draws                 []float64 // their log Bayes factors, by a coarser rule than LogBF
	Observed              float64   // that of the data by the same rule

	// Witness is the difference of the smoothed densities at Options.Points given H1.
	Witness *Witness

	Nodes      int     // lengthscales that were looked at
	Rank       int     // the largest of a factor, or of a matrix that is held
	TraceError float64 // the largest share of the trace of a kernel that a cut rank leaves out
	Notes      []string
}

// Posterior is the distribution of a positive number given H1.
type Posterior struct {
	At      []float64 // increasing
	Density []float64 // of the number at At
	Weight  []float64 // probabilities of At, of sum 1
	Mean    float64
	LogMean float64 // the mean of the logarithm
}

// moments sets the means.
func (p *Posterior) moments() {
	for i, w := range p.Weight {
		p.Mean += w * p.At[i]
		p.LogMean += w * math.Log(p.At[i])
	}
}

// Quantile returns that of a level between 0 and 1.
func (p Posterior) Quantile(level float64) float64 {
	sum := 0.0
	for i, w := range p.Weight {
		if sum+w >= level || i == len(p.Weight)-1 {
			if i == 0 || w == 0 {
				return p.At[i]
			}
			t := (level - sum) / w
			return (1-t)*p.At[i-1] + t*p.At[i]
		}
		sum += w
	}
	return 0
}
