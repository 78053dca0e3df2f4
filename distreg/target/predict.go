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

// Predict mixes over the draws of a run. M is the model that p was made of.
func (p *Posterior) Predict(m *distreg.Model, run *draws.Run, bags []mat.Matrix) ([]Prediction, error) {
	at, err := p.columns(run)
	if err != nil {
		return nil, err
	}
	e, err := m.Embeddings(p.embedded, bags)
	if err != nil {
		return nil, err
	}
	out := make([]Prediction, len(bags))
	cov := pack(e.Cov)
	squares := make([]float64, cov.size)
	for i := range out {
		n, sum, square, within := 0.0, 0.0, 0.0, 0.0
		for _, c := range run.Chains {
			for _, row := range c.Values {
				products(squares, at.weights(row, p.m))
				mean, v := at.label(row, e.Mean.RawRowView(i), cov.of(i), squares)
				if p.o.Classes {
					mean, _, _ = logistic(mean, v)
					v = 0
				} else {
					v += row[at.sigma] * row[at.sigma]
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
		if p.o.Classes {
			out[i].Variance = sum * (1 - sum)
		}
	}
	return out, nil
}

// LogLik has the log likelihood of each bag in each draw of a run, as package loo wants it.
func (p *Posterior) LogLik(run *draws.Run) (*draws.Run, error) {
	at, err := p.columns(run)
	if err != nil {
		return nil, err
	}
	out := &draws.Run{Chains: make([]draws.Chain, len(run.Chains))}
	for i := range p.y {
		out.Names = append(out.Names, fmt.Sprintf("log_lik[%d]", i+1))
	}
	squares := make([]float64, p.cov.size)
	for c, chain := range run.Chains {
		for _, row := range chain.Values {
			of := make([]float64, len(p.y))
			products(squares, at.weights(row, p.m))
			for i, y := range p.y {
				mean, v := at.label(row, p.mean.RawRowView(i), p.cov.of(i), squares)
				if p.o.Classes {
					of[i], _, _ = logLogistic(y, mean, v)
					continue
				}
				v += row[at.sigma] * row[at.sigma]
				of[i] = -(math.Log(2*math.Pi*v) + (y-mean)*(y-mean)/v) / 2
			}
			out.Chains[c].Values = append(out.Chains[c].Values, of)
		}
	}
	return out, nil
}

// places are the columns of a run.
type places struct{ alpha, beta, sigma int }

func (p *Posterior) columns(run *draws.Run) (places, error) {
	at := places{slices.Index(run.Names, "alpha"), slices.Index(run.Names, "beta[1]"), slices.Index(run.Names, "sigma")}
	if at.alpha < 0 || at.beta < 0 || !p.o.Classes && at.sigma < 0 {
		return at, fmt.Errorf("target: the run has the parameters %v; it must have alpha, beta and, unless labels are classes, sigma", run.Names)
	}
	return at, nil
}

// weights are the beta of a draw.
func (at places) weights(row []float64, m int) []float64 { return row[at.beta : at.beta+m] }

// label is the mean and variance of alpha + beta'u in a draw, u being a bag's embedding and squares the products of beta.
func (at places) label(row, mean, cov, squares []float64) (m, v float64) {
	return row[at.alpha] + floats.Dot(mean, at.weights(row, len(mean))), floats.Dot(cov, squares)
}
