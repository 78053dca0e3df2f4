package bke

import (
	"cmp"
	"math"
	"slices"

	"bayeskernel/internal/lowrank"

	"gonum.org/v1/gonum/mat"
)

// Functions are whole draws of the witness function at some points, beside the exact posterior at
// each of them.
type Functions struct {
	*Pointwise
	Values *mat.Dense // a draw in each row
}

// finish turns row j of standard normals into a draw of the function.
func (f *Functions) finish(j int, s []*conditioned, factor *lowrank.Cholesky) {
	row := f.Values.RawRowView(j)
	normals := slices.Clone(row)
	copy(row, s[0].mean)
	if len(s) == 2 {
		for i, v := range s[1].mean {
			row[i] -= v
		}
	}
	addDraw(row, factor, normals)
	for i := range row {
		row[i] *= f.sign
	}
}

// Band returns a simultaneous band: with probability level the function is inside it at all the
// points. It is Mean ± c SD, with c the quantile of that level of the largest |f-Mean|/SD over the
// points (the sup-t band of Montiel Olea and Plagborg-Moller, 2019), estimated from the draws:
// between the points the function may leave it, and of few points it promises little.
func (f *Functions) Band(level float64) (*Band, error) {
	if err := checkLevel(level); err != nil {
		return nil, err
	}
	largest := f.largest()
	slices.Sort(largest)
	count := len(largest)
	c := largest[min(int(math.Ceil(level*float64(count))), count)-1]
	b := &Band{Points: f.Points, Level: level}
	for j, m := range f.Mean {
		b.Lower = append(b.Lower, m-c*f.SD[j])
		b.Upper = append(b.Upper, m+c*f.SD[j])
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
// posterior for nu Unit or Lebesgue: far from the data f is as the prior left it, stationary, and
// its norm there is infinite.
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

// Interval is a range of neighbouring points of one column where a band is on one side of zero.
type Interval struct {
	From, To float64 // points of the grid, both inside
	Sign     int     // 1 where the band is positive, -1 where it is negative
}

// Intervals returns where a band over points of one column excludes zero, in increasing order. It
// panics for more columns.
func (b *Band) Intervals() []Interval {
	n, dim := b.Points.Dims()
	if dim != 1 {
		panic("bke: Band.Intervals: more than 1 column")
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(b.Points.At(i, 0), b.Points.At(j, 0))
	})
	var out []Interval
	signs, last := b.Excludes(), 0
	for _, i := range order {
		t := b.Points.At(i, 0)
		if signs[i] != 0 && signs[i] == last {
			out[len(out)-1].To = t
		} else if signs[i] != 0 {
			out = append(out, Interval{From: t, To: t, Sign: signs[i]})
		}
		last = signs[i]
	}
	return out
}
