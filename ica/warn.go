package ica

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Limits below which a component is taken for nearly normal. Two normal sources stay normal however
// they are turned, and the search may have turned them to where they look least so: hence limits above
// those of a test of one sample, whose statistic of Jarque and Bera exceeds 9.2 one time in 100, and that
// of Anderson and Darling 1.04.
const (
	nearlyNormalMoments = 18
	nearlyNormalShape   = 1.8
)

// nearlyNormal reports whether neither the moments nor the shape of a component of unit variance set it
// apart from a normal one.
func nearlyNormal(y []float64) bool {
	n := float64(len(y))
	mean := 0.0
	for _, v := range y {
		mean += v / n
	}
	var m2, m3, m4 float64
	for _, v := range y {
		d := v - mean
		m2, m3, m4 = m2+d*d/n, m3+d*d*d/n, m4+d*d*d*d/n
	}
	skew, excess := m3/math.Pow(m2, 1.5), m4/(m2*m2)-3
	if n/6*(skew*skew+excess*excess/4) > nearlyNormalMoments {
		return false
	}
	sorted := slices.Clone(y)
	slices.Sort(sorted)
	sum := 0.0
	for i, v := range sorted {
		u := (v - mean) / math.Sqrt(m2)
		w := (sorted[len(sorted)-1-i] - mean) / math.Sqrt(m2)
		sum += (2*float64(i) + 1) / n * (logPhi(u) + logPhi(-w))
	}
	return -n-sum < nearlyNormalShape
}

func logPhi(v float64) float64 {
	return math.Log(math.Max(distuv.UnitNormal.CDF(v), 1e-300))
}

// apart is the Amari distance of two rotations, from 0 to 1: 0 where they find the same components.
func apart(a, b *mat.Dense) float64 {
	var p mat.Dense
	p.Mul(a, b.T())
	m, _ := p.Dims()
	sum := 0.0
	for i := range m {
		var row, col, topRow, topCol float64
		for j := range m {
			u, v := math.Abs(p.At(i, j)), math.Abs(p.At(j, i))
			row, col = row+u, col+v
			topRow, topCol = math.Max(topRow, u), math.Max(topCol, v)
		}
		sum += row/topRow - 1 + col/topCol - 1
	}
	return sum / float64(2*m*(m-1))
}

// sameComponents is the distance up to which two starts have found the same, and nearValue how close
// the HSIC of another answer has to be for it to be an answer as good.
const (
	sameComponents = 0.1
	nearValue      = 1.05
)

// warnings say where the components are not what they seem.
func warnings(y *mat.Dense, ends []*state) []string {
	var out []string
	n, m := y.Dims()
	var normal []int
	for i := range m {
		if nearlyNormal(mat.Col(nil, i, y)) {
			normal = append(normal, i+1)
		}
	}
	if len(normal) > 1 {
		out = append(out, fmt.Sprintf("components %v look normal in %d rows: normal sources cannot be told apart, so "+
			"these are any mixture of the sources behind them", normal, n))
	}
	best := slices.MinFunc(ends, func(a, b *state) int {
		if a.value < b.value {
			return -1
		}
		return 1
	})
	other := 0
	for _, e := range ends {
		if e.value <= nearValue*best.value && apart(e.q, best.q) > sameComponents {
			other++
		}
	}
	if other > 0 {
		out = append(out, fmt.Sprintf("%d of %d starts end at other components that are as independent: the sources may "+
			"not be determined", other, len(ends)))
	}
	return out
}
