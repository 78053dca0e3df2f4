package embedding

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Sample is rows with weights, which need not be among the rows of the fit. The columns are those
// of the model's data.
type Sample struct {
	X mat.Matrix
	// Weights are one for each row, of sum 1 to within 1e-9; nil means 1/n each. A weight of 2/n is
	// not the same as the row twice: the means agree, but one row is less evidence than two, and
	// the band is wider.
	//
	// Weights may be negative. There is then a posterior mean, the weighted sum itself, but no
	// band: standard deviations are NaN, and whatever needs a covariance returns an error.
	Weights []float64
	// Shrunk says that the weights are an estimate of the embedding (package shrinkage), whose sum
	// need not be 1. There is a mean and no band, as with negative weights.
	Shrunk bool
	// Means, if not nil, replace the rows of the sample: X and Weights are then nil. The kernel has
	// to be the squared exponential with one lengthscale, and the noise CLT.
	Means *Means
}

// Means are what is known of a sample whose rows are not held.
type Means struct {
	Rows int
	// At writes the mean of exp(-|X-p|²/(2 theta²)) over the rows at each of the points p, given row
	// by row in the coordinates of the model.
	At func(dst []float64, theta float64, points []float64) error
}

// sample is a Sample in the coordinates of the model. Its rows are sorted, so that their order
// makes no difference.
type sample struct {
	name   string
	n      int
	x      []float64
	w      []float64 // of sum 1
	square float64   // sum of the squares of w: 1/n for equal weights
	signed bool      // some weights are negative, or they are shrunk
	shrunk bool      // their sum is not 1
	order  []int     // the row, as given, of each
	means  *Means    // in the place of rows
}

// newSample copies and checks a sample.
func newSample(m *bke.Model, name string, given Sample) (*sample, error) {
	if given.Means != nil {
		return newMeans(m, name, given)
	}
	data, err := m.Coordinates(name, given.X)
	if err != nil {
		return nil, err
	}
	dim := m.Rank()
	s := &sample{name: name, n: len(data) / dim, shrunk: given.Shrunk}
	weights := given.Weights
	if weights != nil {
		if weights, s.signed, err = s.checked(weights, given.Shrunk); err != nil {
			return nil, err
		}
	}
	s.order = make([]int, s.n)
	for i := range s.order {
		s.order[i] = i
	}
	for i, v := range data {
		data[i] = v + 0 // 0 for -0
	}
	slices.SortFunc(s.order, func(i, j int) int {
		c := slices.Compare(data[i*dim:(i+1)*dim], data[j*dim:(j+1)*dim])
		if c == 0 && weights != nil {
			c = cmp.Compare(weights[i], weights[j])
		}
		return cmp.Or(c, i-j)
	})
	s.x = rows.Pick(data, dim, s.order)
	s.w = make([]float64, s.n)
	s.square = 1 / float64(s.n)
	for i := range s.w {
		s.w[i] = 1 / float64(s.n)
	}
	if weights != nil {
		s.square = 0
		for i, k := range s.order {
			s.w[i] = weights[k]
			s.square += weights[k] * weights[k]
		}
	}
	return s, nil
}

// sumTol is how far from 1 the sum of weights may be.
const sumTol = 1e-9

// checked returns the weights divided by their sum, and whether they are signed: those that are
// shrunk are, and keep their sum.
func (s *sample) checked(weights []float64, shrunk bool) (out []float64, signed bool, err error) {
	if len(weights) != s.n {
		return nil, false, fmt.Errorf("embedding: %s has %s, want %d, one for each row", s.name,
			rows.Count(len(weights), "weight"), s.n)
	}
	sum := 0.0
	for i, w := range weights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return nil, false, fmt.Errorf("embedding: weight %d of %s is %v, want a finite number",
				i+1, s.name, w)
		}
		sum += w
		signed = signed || w < 0
	}
	if shrunk {
		return slices.Clone(weights), true, nil
	}
	if !(math.Abs(sum-1) <= sumTol) {
		return nil, false, fmt.Errorf("embedding: sum of the weights of %s is %.12g, want 1",
			s.name, sum)
	}
	out = slices.Clone(weights)
	for i := range out {
		out[i] /= sum
	}
	return out, signed, nil
}

// spread checks that a covariance can be had from the sample: two rows or more with weights that
// are not negative.
func (s *sample) spread() error {
	if s.n < 2 {
		return fmt.Errorf("embedding: %s has %s, want at least 2 for noise clt", s.name,
			rows.Count(s.n, "row"))
	}
	if !s.signed && !(1-s.square > 1e-12) {
		return fmt.Errorf("embedding: %s has all its weight on one row, want it on at least 2 for "+
			"noise clt", s.name)
	}
	return nil
}

// unsigned checks that the sample has a band.
func (s *sample) unsigned() error {
	if s.shrunk {
		return fmt.Errorf("embedding: %s has weights that are shrunk, want them of sum 1 for a band",
			s.name)
	}
	if s.signed {
		return fmt.Errorf("embedding: %s has negative weights, want none below 0 for a band",
			s.name)
	}
	return nil
}

// compare puts two samples into an order that depends on their rows and weights alone.
func compare(a, b *sample) int {
	return cmp.Or(slices.Compare(a.x, b.x), slices.Compare(a.w, b.w))
}
