package embedding

import (
	"fmt"
	"math"

	"bayeskernel/internal/mixture"

	"gonum.org/v1/gonum/mat"
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

// summarise sets Mean and SD.
func (p *Pointwise) summarise() {
	for j := range p.Mean {
		p.Mean[j], p.SD[j] = p.component(j).Moments()
	}
}

// component is the mixture at point j.
func (p *Pointwise) component(j int) mixture.Normals {
	return mixture.Normals{Means: p.means[j*p.n : (j+1)*p.n], SDs: p.sds[j*p.n : (j+1)*p.n]}
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
		out[j], _ = p.component(j).Tail(0, 1)
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
		out[j] = p.component(j).Quantile(level, p.Mean[j], p.SD[j])
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
