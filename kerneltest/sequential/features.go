package sequential

import (
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/internal/rng"
)

// group is a set of features, each in [-1, 1], that one gambler looks at.
type group struct {
	frequencies [][]float64 // of Fourier features, in pairs of cosine and sine
	powers      [][]int     // of polynomials: columns, each as often as its degree
}

func (g group) size() int { return 2*len(g.frequencies) + len(g.powers) }

// features are those of rows: what they are is fixed by the first rows and the seed.
type features struct {
	centre, scale []float64
	groups        []group
}

const (
	fourier = 16  // frequencies of each lengthscale
	cut     = 3.0 // robust standard deviations at which a column is cut for polynomials
	// warmUp is the number of rows that fix the features, on which nothing is bet.
	warmUp = 10
)

// scales are the lengthscales of the Fourier features in units of the median distance of the first rows.
func scales() []float64 { return []float64{0.25, 0.5, 1, 2} }

// newFeatures fixes them from the first rows.
func newFeatures(first [][]float64, seed uint64, purpose string) (*features, error) {
	dim := len(first[0])
	f := &features{centre: make([]float64, dim), scale: make([]float64, dim)}
	column := make([]float64, len(first))
	for j := range dim {
		for i, row := range first {
			column[i] = row[j]
		}
		slices.Sort(column)
		n := len(column)
		f.centre[j] = column[n/2]
		f.scale[j] = (column[(3*n)/4] - column[n/4]) / 1.349
		if !(f.scale[j] > 0) {
			f.scale[j] = (column[n-1] - column[0]) / 2
		}
		if !(f.scale[j] > 0) {
			f.scale[j] = 1
		}
	}
	src, err := rng.New(rng.PCG, rng.Name{Seed: seed, Purpose: purpose}, 0)
	if err != nil {
		return nil, err
	}
	r := rand.New(src)
	unit := math.Sqrt(2 * float64(dim)) // about the distance of scaled rows
	for _, s := range scales() {
		var g group
		for range fourier {
			w := make([]float64, dim)
			for j := range w {
				w[j] = r.NormFloat64() / (s * unit)
			}
			g.frequencies = append(g.frequencies, w)
		}
		f.groups = append(f.groups, g)
	}
	var first1, second group
	for j := range dim {
		first1.powers = append(first1.powers, []int{j})
		for k := j; k < dim && k < 20; k++ {
			second.powers = append(second.powers, []int{j, k})
		}
	}
	f.groups = append(f.groups, first1, second)
	return f, nil
}

// of returns the features of a row, group by group.
func (f *features) of(row []float64) [][]float64 {
	u := make([]float64, len(row))
	for j, v := range row {
		u[j] = (v - f.centre[j]) / f.scale[j]
	}
	var out [][]float64
	for _, g := range f.groups {
		list := make([]float64, 0, g.size())
		for _, w := range g.frequencies {
			a := 0.0
			for j, v := range u {
				a += w[j] * v
			}
			sin, cos := math.Sincos(a)
			list = append(list, cos, sin)
		}
		for _, p := range g.powers {
			v := 1.0
			for _, j := range p {
				v *= max(-1, min(1, u[j]/cut))
			}
			list = append(list, v)
		}
		out = append(out, list)
	}
	return out
}
