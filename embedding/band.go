package embedding

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Functions are whole draws of the witness function at some points, beside the exact posterior at
// each of them.
type Functions struct {
	*Pointwise
	Values *mat.Dense // a draw in each row

	seeds [][2]uint64
}

// Band returns a simultaneous band: with probability level the function is inside it at all the
// points. It is Mean ± c SD, with c the quantile of that level of the largest |f-Mean|/SD over the
// points (the sup-t band of Montiel Olea and Plagborg-Moller, 2019), estimated from the draws.
// Between the points the function may leave it, and over few points it promises little.
func (f *Functions) Band(level float64) (*Band, error) {
	all := make([]bool, len(f.Mean))
	for j := range all {
		all[j] = true
	}
	return f.BandOver(level, all)
}

// BandOver is Band over some of the points only, those for which over is true. A statement about
// few points has a narrower band. Far from all rows the functions follow the prior, and the data
// say nothing about them. At the other points the band is from -Inf to +Inf. It panics if over has
// not one element for each point.
func (f *Functions) BandOver(level float64, over []bool) (*Band, error) {
	if len(over) != len(f.Mean) {
		panic("embedding: Functions.BandOver: over has not one element for each point")
	}
	if err := checkLevel(level); err != nil {
		return nil, err
	}
	largest := f.largest(over)
	slices.Sort(largest)
	count := len(largest)
	c := largest[min(int(math.Ceil(level*float64(count))), count)-1]
	b := &Band{Points: f.Points, Level: level}
	for j, m := range f.Mean {
		d := math.Inf(1)
		if over[j] {
			d = c * f.SD[j]
		}
		b.Lower, b.Upper = append(b.Lower, m-d), append(b.Upper, m+d)
	}
	return b, nil
}

// MMD2 returns, for each draw of the function, sum_j w_j f(t_j)² over the points t_j; nil means
// equal weights of sum 1. This is the squared norm of f in L2(rho), rho the measure with masses w_j
// at t_j, and it is a squared maximum mean discrepancy:
//
//	integral of (mu_P - mu_Q)² d rho = E r(X, X') + E r(Y, Y') - 2 E r(X, Y),
//	r(x, y) = integral of k(x, u) k(u, y) rho(du),
//
// with X, X' of P and Y, Y' of Q, all independent. With weights equal to the spacing of a grid that
// covers the data, rho is nearly Lebesgue measure, and r a squared exponential of lengthscale
// sqrt(2) theta. The discrepancy with k itself, the squared norm of f in the space of k, has no
// posterior for nu Unit or Lebesgue. Far from the data f follows the prior, which is stationary,
// and its norm is infinite.
//
// The draws are positive even if P = Q: the posterior variance of f is part of their mean.
func (f *Functions) MMD2(weights []float64) []float64 {
	weights = f.weights(weights)
	count, _ := f.Values.Dims()
	out := make([]float64, count)
	for i := range out {
		for j, v := range f.Values.RawRowView(i) {
			out[i] += weights[j] * v * v
		}
	}
	return out
}

// Band is a lower and an upper bound at each of some points.
type Band struct {
	Points       *mat.Dense
	Level        float64
	Lower, Upper []float64
}

// Excludes returns, for each point, 1 where the whole band is positive, -1 where it is negative,
// and 0 where it holds zero.
func (b *Band) Excludes() []int {
	out := make([]int, len(b.Lower))
	for j := range out {
		switch {
		case b.Lower[j] > 0:
			out[j] = 1
		case b.Upper[j] < 0:
			out[j] = -1
		}
	}
	return out
}

// Share returns the share of the points where the band excludes zero.
func (b *Band) Share() float64 {
	n := 0
	for _, s := range b.Excludes() {
		n += s * s
	}
	return float64(n) / float64(len(b.Lower))
}

// Interval is where a band is on one side of zero.
type Interval struct {
	From, To float64
	Sign     int // 1 where the band is positive, -1 where it is negative
}

// Intervals returns where a band over points of one column excludes zero, in increasing order.
// Between the points the band is taken to be straight lines. An interval ends where its bound
// crosses zero, so one that holds a single point of a grid has a length too. Intervals of one sign
// that touch are one. It panics for more columns.
func (b *Band) Intervals() []Interval {
	n, dim := b.Points.Dims()
	if dim != 1 {
		panic("embedding: Band.Intervals: more than 1 column")
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(b.Points.At(i, 0), b.Points.At(j, 0))
	})
	var out []Interval
	signs := b.Excludes()
	for k, i := range order {
		if signs[i] == 0 {
			continue
		}
		next := Interval{From: b.Points.At(i, 0), To: b.Points.At(i, 0), Sign: signs[i]}
		if k > 0 {
			next.From = b.crossing(i, order[k-1], signs[i])
		}
		if k < n-1 {
			next.To = b.crossing(i, order[k+1], signs[i])
		}
		if last := len(out) - 1; last >= 0 && out[last].Sign == next.Sign &&
			next.From <= out[last].To {
			out[last].To = max(out[last].To, next.To)
		} else {
			out = append(out, next)
		}
	}
	return out
}

// crossing returns where the bound on the side of zero crosses it between point i, where the band
// has the sign, and its neighbour j. It returns the neighbour if there is no crossing.
func (b *Band) crossing(i, j, sign int) float64 {
	bound := b.Lower
	if sign < 0 {
		bound = b.Upper
	}
	from, to := b.Points.At(i, 0), b.Points.At(j, 0)
	here, there := float64(sign)*bound[i], float64(sign)*bound[j]
	if there > 0 {
		return to
	}
	return from + (to-from)*(here/(here-there))
}
