package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// law is a mixture of equally likely normal components, or a Laplace distribution, of which the
// embedding is known.
type law struct {
	means []float64
	sd    float64
	scale float64 // of the Laplace distribution around 0, if positive
}

// pair is a problem: two laws of the same mean and variance.
type pair struct{ p, q law }

func cases() []pair {
	normal := law{means: []float64{0}, sd: 1}
	return []pair{
		{p: normal, q: law{scale: math.Sqrt(0.5)}},
		{p: law{means: []float64{-1, 1}, sd: 0.5}, q: law{means: []float64{0}, sd: math.Sqrt(1.25)}},
		{p: normal, q: normal},
	}
}

func (l law) name() string {
	if l.scale > 0 {
		return fmt.Sprintf("Laplace(0, %.3g)", l.scale)
	}
	var parts []string
	for _, m := range l.means {
		parts = append(parts, fmt.Sprintf("N(%g, %.3g²)", m, l.sd))
	}
	return strings.Join(parts, " + ")
}

func (l law) draw(r *rand.Rand) float64 {
	if l.scale > 0 {
		return l.scale * (r.ExpFloat64() - r.ExpFloat64())
	}
	return l.means[r.IntN(len(l.means))] + l.sd*r.NormFloat64()
}

// embedding is E exp(-(X-t)²/(2 theta²)).
func (l law) embedding(t, theta float64) float64 {
	if l.scale > 0 {
		// The convolution of a two-sided exponential with a normal density, times the constant of
		// the latter.
		u, v := theta/l.scale, t/theta
		side := func(v float64) float64 {
			return math.Exp(u*u/2+u*v) * math.Erfc((u+v)/math.Sqrt2)
		}
		return u * math.Sqrt(2*math.Pi) / 4 * (side(v) + side(-v))
	}
	sum := 0.0
	v := l.sd*l.sd + theta*theta
	for _, m := range l.means {
		sum += theta / math.Sqrt(v) * math.Exp(-(t-m)*(t-m)/2/v)
	}
	return sum / float64(len(l.means))
}
