package temper

import (
	"math"

	"gonum.org/v1/gonum/interp"
)

// pilot is the ladder of the first round. Most of the way from a prior to a posterior lies at small
// beta, so most rungs are there.
func pilot(k int) []float64 {
	betas := make([]float64, k)
	for i := range betas {
		u := float64(i) / float64(k-1)
		betas[i] = u * u * u
	}
	return betas
}

// barrier is Lambda(1), the sum of the mean rejections.
func barrier(reject []float64) float64 {
	sum := 0.0
	for _, r := range reject {
		sum += r
	}
	return sum
}

// leastReject keeps the sum of rejections strictly increasing, which its inverse needs.
const leastReject = 1e-3

// equalise returns k rungs with equal rejection rates, given the rates between the current ones. k
// = 0 means one more than 2 Lambda(1), but at least 3. A monotone cubic (Fritsch and Butland 1984)
// goes through the values of Lambda at the present rungs, as a function of log beta: a diffuse
// reference spreads them over many powers of ten.
func equalise(betas, reject []float64, k int) []float64 {
	if k == 0 {
		k = 1 + int(math.Ceil(2*barrier(reject)))
		k = min(max(k, 3), mostRungs)
	}
	lambda, logs := make([]float64, len(reject)), make([]float64, len(reject))
	sum := 0.0
	for i, r := range reject {
		sum += math.Max(r, leastReject)
		lambda[i], logs[i] = sum, math.Log(betas[i+1])
	}
	var inverse interp.FritschButland
	if len(lambda) > 1 {
		// It panics on a table that does not increase, which this one does, and returns nil.
		_ = inverse.Fit(lambda, logs)
	}
	out := make([]float64, k)
	for i := 1; i < k-1; i++ {
		at := sum * float64(i) / float64(k-1)
		if at < lambda[0] {
			// All we know is that the first rung is too high, so go down fast.
			out[i] = betas[1] * math.Pow(at/lambda[0], 3)
		} else {
			out[i] = math.Exp(inverse.Predict(at))
		}
	}
	out[k-1] = 1
	return out
}

// roundTrips is the predicted rate of round trips per scan, of all states of a ladder together.
func roundTrips(reject []float64) float64 {
	sum := 0.0
	for _, r := range reject {
		sum += r / (1 - r)
	}
	return 1 / (2 + 2*sum)
}

// logMean accumulates the logarithm of a mean of exponentials.
type logMean struct {
	top, sum float64 // the sum is exp(top) sum
	n        int
}

func (m *logMean) add(v float64) {
	m.n++
	switch {
	case math.IsInf(v, -1):
	case m.sum == 0:
		m.top, m.sum = v, 1
	case v <= m.top:
		m.sum += math.Exp(v - m.top)
	default:
		m.sum = m.sum*math.Exp(m.top-v) + 1
		m.top = v
	}
}

func (m *logMean) merge(o logMean) {
	n := m.n + o.n
	if o.sum > 0 {
		m.add(o.top + math.Log(o.sum))
	}
	m.n = n
}

// log returns the logarithm of the mean, -Inf if it is zero and NaN if nothing was added.
func (m *logMean) log() float64 { return m.top + math.Log(m.sum/float64(m.n)) }
