package main

import (
	"context"

	"bayeskernel/compare"
	"bayeskernel/examples/internal/laws"
	"bayeskernel/kerneltest"
)

// result is what was found on one data set.
type result struct {
	Case   string  `json:"case"`
	Set    int     `json:"set"`
	P      float64 `json:"p"`
	Reject bool    `json:"reject"`
	// Agrees tells that nothing is named unless the test rejects, and of the first data sets that the
	// test alone has the same p-value.
	Agrees bool `json:"agrees"`
	Band   bool `json:"band"` // the simultaneous band excludes 0 somewhere, whatever the test
	// Named tells that a place is. Points is the number of points at which the band excludes 0,
	// Wrong of those with the wrong sign, Strongest whether the sign at the strongest point is
	// right.
	Named     bool `json:"named"`
	Points    int  `json:"points"`
	Wrong     int  `json:"wrong"`
	Strongest bool `json:"strongest"`
}

// Of names the case and the data set.
func (r result) Of() (string, int) { return r.Case, r.Set }

// checked is the number of data sets of each case on which the test is run again, alone.
const checked = 10

// measure compares the samples and checks what is said of them.
func (c problem) measure(ctx context.Context, seed uint64, set int) (result, error) {
	x, y := c.samples(seed, set)
	out := result{Case: c.name, Set: set}
	r, err := compare.Samples(ctx, compare.Sample{X: x}, compare.Sample{X: y},
		compare.Options{Seed: seed})
	if err != nil {
		return out, err
	}
	w := r.Witness
	out.P, out.Reject, out.Named = r.Test.P, r.Test.Reject, len(w.Where)+len(w.Places) > 0
	out.Agrees = out.Reject || !out.Named
	if set < checked {
		alone, err := kerneltest.TwoSample(ctx, x, y, kerneltest.Options{Seed: seed})
		if err != nil {
			return out, err
		}
		out.Agrees = out.Agrees && out.P == alone.P && out.Reject == alone.Reject
	}
	truth := c.truth(r)
	for j, sign := range w.Everywhere.Excludes() {
		if sign == 0 {
			continue
		}
		out.Band = true
		out.Points++
		if !(float64(sign)*truth(w.Functions.Points.RawRowView(j)) > 0) {
			out.Wrong++
		}
	}
	for _, p := range w.Places {
		if len(p.Columns) < c.p.Dim {
			out.Points++
			if !(float64(p.Sign)*c.alone(r, p) > rounding) {
				out.Wrong++
			}
		}
	}
	out.Strongest = float64(w.Strongest.Sign)*truth(w.Strongest.At) > 0
	return out, nil
}

// truth is the mean of the true witnesses at the lengthscales that the one drawn is a mixture over:
// every tenth of them.
func (c problem) truth(r *compare.Result) func(t []float64) float64 {
	var thetas [][]float64
	for i := 0; i < len(r.Posterior.Draws); i += 10 {
		theta := make([]float64, c.p.Dim)
		for a := range theta {
			theta[a] = r.Witness.Scale.Rung * r.Posterior.Draws[i].Theta[0]
			if s := r.Posterior.Scaling; s != nil {
				theta[a] *= s.SD[a]
			}
		}
		thetas = append(thetas, theta)
	}
	return func(t []float64) float64 {
		sum := 0.0
		for _, theta := range thetas {
			sum += difference(c.p, c.q, t, theta)
		}
		return sum / float64(len(thetas))
	}
}

// alone is the true witness of the column of a place, at the middle of its lengthscales: that of a
// kernel that does not see the others.
func (c problem) alone(r *compare.Result, p compare.Place) float64 {
	t, theta := make([]float64, c.p.Dim), make([]float64, c.p.Dim)
	for a, column := range r.ByColumn {
		theta[a] = blind
		if column.Name == p.Columns[0] {
			t[a], theta[a] = p.At[0], column.Witness.Theta[0]
		}
	}
	return difference(c.p, c.q, t, theta)
}

// blind is a lengthscale with which a kernel is 1 for all rows, but for a rounding error.
const (
	blind    = 1e5
	rounding = 1e-8
)

func difference(p, q laws.Law, t, theta []float64) float64 {
	return p.Embedding(t, theta) - q.Embedding(t, theta)
}
