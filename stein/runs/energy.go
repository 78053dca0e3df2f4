package runs

import (
	"math"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// mostEnergy is the number of draws that Energy compares with.
const mostEnergy = 2000

// Energies are the energy distances of sets of rows, with equal weights, from all: of at most 2000, evenly spaced.
// Coordinates are in units of their standard deviations. The rows count with themselves, so that it is 0 only for all
// rows: 2 E|X-Y| - E|X-X'| - E|Y-Y'|.
func Energies(p *Points, sets ...[]int) []float64 {
	n, dim := p.X.Dims()
	scaled := mat.NewDense(n, dim, nil)
	for a := range dim {
		column := mat.Col(nil, a, p.X)
		s := stat.StdDev(column, nil)
		if !(s > 0) {
			s = 1
		}
		for i, v := range column {
			scaled.Set(i, a, v/s)
		}
	}
	mean := func(x, y []int) float64 {
		sum := 0.0
		for _, i := range x {
			for _, j := range y {
				sum += rows.Distance(scaled.RawRowView(i), scaled.RawRowView(j))
			}
		}
		return sum / float64(len(x)) / float64(len(y))
	}
	all := Spaced(p, min(n, mostEnergy))
	within := mean(all, all)
	out := make([]float64, len(sets))
	for k, at := range sets {
		out[k] = math.Max(0, 2*mean(at, all)-mean(at, at)-within)
	}
	return out
}

// Spaced are so many rows at equal distances.
func Spaced(p *Points, m int) []int {
	n, _ := p.X.Dims()
	out := make([]int, m)
	for k := range out {
		out[k] = (2*k + 1) * n / (2 * m)
	}
	return out
}
