package embedding

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
)

// Pointwise is the posterior of the witness function at each of some points. It is a mixture of
// Gaussians, one for each draw of the hyperparameters. All methods are exact given these draws.
type Pointwise struct {
	Points   *mat.Dense
	Mean, SD []float64

	n          int       // components
	sign       float64   // see Witness
	unbanded   error     // why there is no band
	means, sds []float64 // of component i at point j at [j*n+i]
}

func newPointwise(points mat.Matrix, g, n int) *Pointwise {
	return &Pointwise{
		Points: mat.DenseCopyOf(points),
		Mean:   make([]float64, g), SD: make([]float64, g),
		n: n, sign: 1, means: make([]float64, g*n), sds: make([]float64, g*n),
	}
}

// record stores component i, the difference of two independent Gaussian processes, or a single one.
func (p *Pointwise) record(i int, mean, vary [][]float64) {
	for j := range p.Mean {
		m, v := mean[0][j], vary[0][j]
		if len(mean) == 2 {
			m, v = p.sign*(m-mean[1][j]), v+vary[1][j]
		}
		p.means[j*p.n+i], p.sds[j*p.n+i] = m, math.Sqrt(v)
	}
}

// summarise sets Mean and SD, the latter by the law of total variance.
func (p *Pointwise) summarise() {
	n := float64(p.n)
	for j := range p.Mean {
		means, sds := p.component(j)
		mean, vary := 0.0, 0.0
		for _, m := range means {
			mean += m
		}
		mean /= n
		for i, m := range means {
			vary += (m-mean)*(m-mean) + sds[i]*sds[i]
		}
		p.Mean[j], p.SD[j] = mean, math.Sqrt(vary/n)
	}
}

func (p *Pointwise) component(j int) (means, sds []float64) {
	return p.means[j*p.n : (j+1)*p.n], p.sds[j*p.n : (j+1)*p.n]
}

// Positive returns the posterior probabilities that f is positive at each point: NaN where a sample
// has negative weights.
func (p *Pointwise) Positive() []float64 {
	out := make([]float64, len(p.Mean))
	for j := range out {
		if p.unbanded != nil {
			out[j] = math.NaN()
			continue
		}
		means, sds := p.component(j)
		out[j], _ = mixtureTail(means, sds, 0, 1)
	}
	return out
}

// Quantile returns the quantiles of one level at each point, NaN for a level outside [0, 1] and
// where a sample has negative weights.
func (p *Pointwise) Quantile(level float64) []float64 {
	if p.unbanded != nil {
		level = math.NaN()
	}
	out := make([]float64, len(p.Mean))
	for j := range out {
		means, sds := p.component(j)
		out[j] = mixtureQuantile(means, sds, level, p.Mean[j], p.SD[j])
	}
	return out
}

// Band returns the central interval of probability level at each point. It makes no statement about
// several points at once: for that see Functions.Band.
func (p *Pointwise) Band(level float64) (*Band, error) {
	if p.unbanded != nil {
		return nil, p.unbanded
	}
	if err := checkLevel(level); err != nil {
		return nil, err
	}
	return &Band{
		Points: p.Points, Level: level,
		Lower: p.Quantile((1 - level) / 2), Upper: p.Quantile((1 + level) / 2),
	}, nil
}

func checkLevel(level float64) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("embedding: level of a band is %v, want it between 0 and 1", level)
	}
	return nil
}

// weights returns the weights of the points, equal ones of sum 1 for nil.
func (p *Pointwise) weights(given []float64) []float64 {
	if given == nil {
		given = make([]float64, len(p.Mean))
		for j := range given {
			given[j] = 1 / float64(len(given))
		}
	}
	if len(given) != len(p.Mean) {
		panic(fmt.Sprintf("embedding: %d weights, want %d, one for each point", len(given),
			len(p.Mean)))
	}
	return given
}

// mixtureTail returns the probability that sign times an equal mixture of Gaussians exceeds x, and
// its density there. A component without spread counts half at its place.
func mixtureTail(means, sds []float64, x, sign float64) (tail, density float64) {
	for i, m := range means {
		m *= sign
		if sds[i] == 0 {
			switch {
			case m > x:
				tail++
			case m == x:
				tail += 0.5
			}
			continue
		}
		z := (x - m) / sds[i]
		tail += math.Erfc(z/math.Sqrt2) / 2
		density += math.Exp(-z*z/2) / sds[i]
	}
	n := float64(len(means))
	return tail / n, density / (n * math.Sqrt(2*math.Pi))
}

// mixtureQuantile returns the quantile of an equal mixture of Gaussians with this mean and standard
// deviation: by Newton's method in a bracket. The bracket begins with the smallest and the largest
// quantile of the components, and is halved where a step would leave it.
func mixtureQuantile(means, sds []float64, level, mean, sd float64) float64 {
	switch {
	case math.IsNaN(level) || level < 0 || level > 1:
		return math.NaN()
	case level == 0 || level == 1:
		return math.Inf(int(2*level - 1))
	}
	sign := -1.0 // a quantile below the median is found as one above it, of the mirror image
	if level > 0.5 {
		sign, level = 1, 1-level
	}
	z := -mathext.NormalQuantile(level)
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, m := range means {
		q := sign*m + z*sds[i]
		lo, hi = min(lo, q), max(hi, q)
	}
	x := min(max(sign*mean+z*sd, lo), hi)
	for step := 1; hi-lo > 1e-14*sd; step++ {
		tail, density := mixtureTail(means, sds, x, sign)
		if tail > level {
			lo = x
		} else {
			hi = x
		}
		next, middle := x+(tail-level)/density, lo+(hi-lo)/2
		inside := next >= lo && next <= hi
		if inside && math.Abs(tail-level) <= 1e-9*level && math.Abs(next-x) <= 1e-7*sd {
			return sign * next // what is left is of the square of this
		}
		if middle == lo || middle == hi { // there is no number in between
			break
		}
		// Newton's steps crawl along a spike, or stand still on it: hence a bisection now and then.
		if !inside || step%8 == 0 {
			next = middle
		}
		x = next
	}
	return sign * x
}
