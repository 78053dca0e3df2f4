package energy

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Map places the samples in a plane, by classical scaling of the distances. Share is the part of the sum
// of all squared distances that the first coordinate shows, and that both show.
func (d *Distances) Map() (points [][2]float64, share [2]float64, err error) {
	k := len(d.Rows)
	mean, all := make([]float64, k), 0.0
	squared := func(i, j int) float64 { return max(0, d.Squared.At(i, j)) }
	for i := range k {
		for j := range k {
			mean[i] += squared(i, j) / float64(k)
		}
		all += mean[i] / float64(k)
	}
	inner := mat.NewSymDense(k, nil)
	for i := range k {
		for j := range i + 1 {
			inner.SetSym(i, j, (mean[i]+mean[j]-all-squared(i, j))/2)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(inner, true) {
		return nil, share, errors.New("energy: the eigenvalues of the map were not found")
	}
	values := eig.Values(nil)
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	total := 0.0
	for _, v := range values {
		total += max(0, v)
	}
	points, share = make([][2]float64, k), [2]float64{1, 1}
	shown := 0.0
	for a := range min(2, k) {
		value := max(0, values[k-1-a])
		if shown += value; total > 0 {
			share[a] = shown / total
		}
		// The sign is arbitrary; make the largest element positive.
		top := 0.0
		for i := range k {
			if v := vectors.At(i, k-1-a); math.Abs(v) > math.Abs(top)*(1+1e-9) {
				top = v
			}
		}
		for i := range k {
			points[i][a] = math.Copysign(math.Sqrt(value), top) * vectors.At(i, k-1-a)
		}
	}
	return points, share, nil
}
