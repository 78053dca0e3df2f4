package kerneltest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// The rule for nulls that are limits: the bound is that of Berry and Esseen for an indicator, and
// the warning comes where it is above 0.1, and not with permutations.
func TestLimitError(t *testing.T) {
	for _, c := range []struct {
		n      int
		shares []float64
		want   float64
	}{
		{100, []float64{0.01}, 0.04748}, // no value is frequent
		{22, []float64{0.2}, 0.1012},
		{20, []float64{0.997}, 0.4748 * (0.997*0.997 + 0.003*0.003) /
			math.Sqrt(20*0.997*0.003)},
		{50, []float64{0.9, 0.3}, 0.4748 * (0.81 + 0.01) / 0.3 / math.Sqrt(50)},
	} {
		if got := limitError(c.n, c.shares...); math.Abs(got/c.want-1) > 1e-3 {
			t.Errorf("%d rows, shares %v: %v, want %v", c.n, c.shares, got, c.want)
		}
	}
	draw := bernoulli(0.01)(rand.New(rand.NewPCG(1, 1)))
	few, many := column(20, draw), column(900, draw)
	smooth, larger := fixture.Normals(1, 30, 1, 0), fixture.Normals(2, 40, 1, 0)
	for _, c := range []struct {
		x, y *mat.Dense
		null statistic.Null
		want bool
	}{
		{few, many, statistic.Spectral, true}, {few, many, statistic.Auto, false},
		{many, many, statistic.Pearson, true},
		{smooth, larger, statistic.Spectral, false},
		{fixture.Normals(1, 10, 1, 0), larger, statistic.Spectral, true},
	} {
		r := fixture.Get[*Result](t)(TwoSample(context.Background(), c.x, c.y, Options{Null: c.null,
			Kernel: Lengthscale(1), Permutations: 19}))
		said := slices.ContainsFunc(r.Notes, func(s string) bool {
			return strings.Contains(s, "is a limit for large samples")
		})
		if said != c.want {
			t.Errorf("%d and %d rows, null %v: notes %q", r.RowsX, r.RowsY, c.null, r.Notes)
		}
	}
}

func TestTwoValues(t *testing.T) {
	draw := bernoulli(0.3)(rand.New(rand.NewPCG(1, 1)))
	x, y := column(40, draw), column(40, draw)
	const advice = "2 distinct values: use a chi-square test."
	o := Options{Permutations: 19}
	if r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o)); len(r.Notes) != 1 ||
		!strings.HasSuffix(r.Notes[0], advice) {
		t.Errorf("notes %q", r.Notes)
	}
	if r := fixture.Get[*Result](t)(Independence(context.Background(), x, y, o)); len(r.Notes) != 1 ||
		!strings.HasSuffix(r.Notes[0], advice) {
		t.Errorf("notes %q", r.Notes)
	}
	y.Set(3, 0, 2)
	for _, r := range []*Result{fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o)),
		fixture.Get[*Result](t)(Independence(context.Background(), x, y, o))} {
		if strings.Contains(strings.Join(r.Notes, " "), advice) {
			t.Errorf("notes of three values %q", r.Notes)
		}
	}
}
