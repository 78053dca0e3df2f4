package target

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/distreg"
	"bayeskernel/draws"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Prediction is what a run says of the label of a new bag.
type Prediction struct {
	// Mean and Variance are those of the label. For classes the mean is the probability of 1.
	Mean, Variance float64
}

// Predict mixes over the draws of a run.
func Predict(m *distreg.Model, at distreg.Params, run *draws.Run, bags []mat.Matrix, classes bool) ([]Prediction, error) {
	e, err := m.Embeddings(at, bags)
	if err != nil {
		return nil, err
	}
	_, width := e.Mean.Dims()
	alpha, sigma := slices.Index(run.Names, "alpha"), slices.Index(run.Names, "sigma")
	beta := slices.Index(run.Names, "beta[1]")
	if alpha < 0 || beta < 0 || !classes && sigma < 0 {
		return nil, fmt.Errorf("target: the run has the parameters %v; it must have alpha, beta and, unless labels are classes, sigma", run.Names)
	}
	out := make([]Prediction, len(bags))
	product := make([]float64, width)
	for i := range out {
		n, sum, square, within := 0.0, 0.0, 0.0, 0.0
		for _, c := range run.Chains {
			for _, row := range c.Values {
				b := row[beta : beta+width]
				mat.NewVecDense(width, product).MulVec(e.Cov[i], mat.NewVecDense(width, b))
				mean, v := row[alpha]+floats.Dot(e.Mean.RawRowView(i), b), floats.Dot(product, b)
				if classes {
					mean, _, _ = logistic(mean, v)
					v = 0
				} else {
					v += row[sigma] * row[sigma]
				}
				n++
				d := mean - sum
				sum += d / n
				square += d * (mean - sum)
				within += v
			}
		}
		if n == 0 {
			return nil, fmt.Errorf("target: the run has no draws")
		}
		out[i] = Prediction{Mean: sum, Variance: (within + square) / n}
		if classes {
			out[i].Variance = math.Max(0, sum*(1-sum))
		}
	}
	return out, nil
}
