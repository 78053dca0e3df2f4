package main

import (
	"context"
	"math"

	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/bayesfactor"

	"gonum.org/v1/gonum/mat"
)

// result is what was found on one data set.
type result struct {
	Case  string  `json:"case"`
	Set   int     `json:"set"`
	LogBF float64 `json:"log_bf"`
	Floor float64 `json:"floor"`
	P     float64 `json:"p,omitempty"`      // of the Bayes factor, by permutation
	MMD   float64 `json:"mmd,omitempty"`    // p-value of the MMD with the median heuristic
	Pairs float64 `json:"paired,omitempty"` // log BF of pairs
	// Pooled and Separate are log BF at 40 points, with the pooled covariance and the samples' own;
	// AsPairs with that of the differences of pairs.
	Pooled   float64 `json:"pooled,omitempty"`
	Separate float64 `json:"separate,omitempty"`
	AsPairs  float64 `json:"as_pairs,omitempty"`
}

// Of names the case and the data set.
func (r result) Of() (string, int) { return r.Case, r.Set }

const permutations = 199

func (p problem) measure(ctx context.Context, seed uint64, set int) (result, error) {
	x, y := p.samples(seed, set)
	out := result{Case: p.name, Set: set}
	o := bayesfactor.Options{Nodes: 17, Seed: uint64(set), Parallel: 1}
	if p.kind == alter {
		o.Permutations = permutations
	}
	r, err := bayesfactor.Density(ctx, x, y, o)
	if err != nil {
		return out, err
	}
	out.LogBF, out.Floor = r.LogBF, r.Floor
	switch p.kind {
	case alter:
		out.P = r.P
		t, err := kerneltest.TwoSample(ctx, x, y, kerneltest.Options{Permutations: permutations,
			Kernel: kerneltest.Choice{Rule: kerneltest.PlainMedian}, Seed: uint64(set)})
		if err != nil {
			return out, err
		}
		out.MMD = t.P
	case paired:
		r, err := bayesfactor.Paired(ctx, x, y, o)
		if err != nil {
			return out, err
		}
		out.Pairs = r.LogBF
	case points:
		if out.Pooled, err = atPoints(x, y, bayesfactor.PooledNoise); err == nil {
			out.Separate, err = atPoints(x, y, bayesfactor.SeparateNoise)
		}
		if err == nil {
			out.AsPairs, err = atPoints(x, y, bayesfactor.PairedNoise)
		}
	}
	return out, err
}

// atPoints is log BF at 40 of the rows, with the root of g half-normal and the lengthscale that of
// the median heuristic over ten, small enough for the points to be 40 directions.
func atPoints(x, y *mat.Dense, noise bayesfactor.Noise) (float64, error) {
	z := mat.NewDense(40, 1, nil)
	for i := range 20 {
		z.Set(i, 0, x.At(i, 0))
		z.Set(20+i, 0, y.At(i, 0))
	}
	sum := 0.0
	const step, theta = 0.05, 0.1
	for root := step / 2; root < 4; root += step {
		bf, err := bayesfactor.PointsAt(x, y, z, theta, root*root, noise)
		if err != nil {
			return 0, err
		}
		sum += step * math.Sqrt(2/math.Pi) * math.Exp(bf-root*root/2)
	}
	return math.Log(sum), nil
}
