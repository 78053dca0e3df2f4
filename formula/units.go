package formula

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// units are those in which the program counts, so that chains which start near 0 start near the data: the response less level,
// divided by size. They are 0 and 1 where the data are of ordinary size, and for families whose scale is not free. Priors, reports
// and printed programs are in the units of the table.
type units struct{ level, size float64 }

// ordinary reports whether numbers of a size are left as they are.
func ordinary(size float64) bool { return size > .05 && size < 20 }

// chooseUnits finds units of the response, and gives them up where a prior has no form in them.
func (r *Regression) chooseUnits() {
	r.units = units{0, 1}
	if r.Family != "gaussian" && r.Family != "student" {
		return
	}
	middle := median(r.Y)
	spread := math.Sqrt(variance(r.Y))
	u := units{0, 1}
	if !ordinary(spread) {
		u.size = spread
	}
	if r.Design.Intercept && math.Abs(middle) > 20*math.Min(u.size, spread) {
		u.level = middle
	}
	for _, p := range r.Priors {
		shift, unit := 0.0, u.size
		switch {
		case p.Of == "nu" || p.Of == "cor":
			continue
		case p.Of == "Intercept":
			shift = u.level
		}
		if _, ok := p.in(shift, unit); !ok {
			return
		}
	}
	r.units = u
}

// response is the response in the units of the program.
func (r *Regression) response0() []float64 {
	if r.units == (units{0, 1}) {
		return r.Y
	}
	out := make([]float64, len(r.Y))
	for i, y := range r.Y {
		out[i] = (y - r.level) / r.size
	}
	return out
}

// sizes are the units of the columns of a matrix: 1 where these are of ordinary size.
func columnUnits(x *mat.Dense) []float64 {
	n, d := x.Dims()
	out := make([]float64, d)
	for j := range d {
		out[j] = mat.Norm(x.ColView(j), 2) / math.Sqrt(float64(n))
		if ordinary(out[j]) || out[j] == 0 {
			out[j] = 1
		}
	}
	return out
}

// divideColumns divides the columns by numbers.
func divideColumns(x *mat.Dense, by []float64) *mat.Dense {
	if slices.Max(by) == 1 && slices.Min(by) == 1 {
		return x
	}
	out := mat.DenseCopyOf(x)
	n, d := x.Dims()
	for i := range n {
		for j := range d {
			out.Set(i, j, x.At(i, j)/by[j])
		}
	}
	return out
}
