package figure

import (
	"math"
	"testing"
)

func TestErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ok := []float64{1, 2}
	band := Ribbon{X: ok, Mean: ok, Lower: ok, Upper: ok}
	samples := []Sample{{Name: "P", Values: ok}}
	cloud := []Cloud{{Name: "P", Points: [][2]float64{{1, 1}}}}
	chains := [][][]float64{{ok, ok}}
	series := func(s Series) Curves { return Curves{Series: []Series{s}} }
	for _, c := range []struct {
		d    Drawer
		want string
	}{
		{Witness1D{Band: band}, "figure: Witness1D: 0 samples, want one or two"},
		{Witness1D{Samples: samples}, "figure: Witness1D: X is empty"},
		{Witness1D{Samples: []Sample{{Name: "P"}}, Band: band},
			`figure: Witness1D: sample "P" is empty`},
		{Witness1D{Samples: []Sample{{Name: "P", Values: []float64{0, nan}}}, Band: band},
			`figure: Witness1D: sample "P"[1] is NaN, want a finite number`},
		{Witness1D{Samples: samples, Band: Ribbon{X: []float64{1, 1}}},
			"figure: Witness1D: X[1] = 1 does not exceed X[0] = 1"},
		{Witness1D{Samples: samples, Band: Ribbon{X: ok, Mean: ok[:1]}},
			"figure: Witness1D: Mean has 1 values, want 2"},
		{Witness1D{Samples: samples, Band: Ribbon{X: ok, Mean: ok, Lower: []float64{3, 3}, Upper: ok}},
			"figure: Witness1D: Lower[0] = 3 exceeds Upper[0] = 1"},
		{Witness1D{Samples: samples, Band: Ribbon{X: ok, Mean: ok, Lower: ok, Upper: ok[:1]}},
			"figure: Witness1D: Upper has 1 values, want 2"},
		{Witness1D{Samples: samples, Band: band, Truth: ok[:1]},
			"figure: Witness1D: Truth has 1 values, want 2"},
		{Witness1D{Samples: samples, Band: band, Points: []float64{inf}},
			"figure: Witness1D: Points[0] is +Inf, want a finite number"},
		{Witness1D{Samples: samples, Band: band, Level: 80},
			"figure: Witness1D: Level is 80, want 0 to 1"},
		{Witness1D{Samples: samples, Band: band, Regions: []Region{{1, 2, 2}}},
			"figure: Witness1D: Regions[0].More is 2, want below 1"},
		{Witness1D{Samples: samples, Band: band, Regions: []Region{{2, 1, 0}}},
			"figure: Witness1D: Regions[0] is from 2 to 1, want From at most To"},
		{Witness1D{Samples: samples, Band: band, Marks: []Mark{{X: inf}}},
			"figure: Witness1D: Marks[0] is +Inf, want a finite number"},
		{Witness2D{X: ok, Y: ok, Mean: []float64{1, 2, 3, 4}, Samples: cloud, Sides: []int{1}},
			"figure: Witness2D: Sides has 1 values, want 4"},
		{Witness2D{X: ok, Y: ok, Mean: []float64{1, 2, 3, 4}, Samples: cloud, Sides: []int{0, 0, 0, 2}},
			"figure: Witness2D: Sides[3] is 2, want -1, 0 or 1"},
		{Dependence{X: ok, Y: ok}, "figure: Dependence: Pairs is empty"},
		{Pairs{}, "figure: Pairs: Planes is empty"},
		{Pairs{Planes: make([]Witness2D, 2), P: ok[:1]}, "figure: Pairs: P has 1 values, want 2"},
		{Pairs{Planes: make([]Witness2D, 1)}, "figure: Pairs: X is empty (plane 1)"},
		{Forest{}, "figure: Forest: Names is empty"},
		{Intervals{}, "figure: Intervals: Names is empty"},
		{Intervals{Names: []string{"a"}, Value: []float64{1}, Lower: []float64{2}, Upper: []float64{1}},
			`figure: Intervals: "a" has 1 with interval 2 to 1, want neither negative and the ends in order`},
		{Cells{}, "figure: Cells: Rows is empty"},
		{Cells{Rows: []string{"1"}, Columns: []string{"a"}, Shade: []float64{2}},
			"figure: Cells: Shade 0 is 2, want 0 to 1"},
		{Forest{Names: []string{"a"}, P: []float64{0.5}, Corrected: []float64{0.4}},
			`figure: Forest: "a" has p = 0.5 and corrected 0.4, want 0 < p <= corrected <= 1`},
		{Curves{Series: []Series{{X: ok, Y: ok}}, LogX: true, Uprights: []Mark{{Label: "n"}}},
			`figure: Curves: upright "n" is at 0, want above 0 on a log axis`},
		{Curves{Series: []Series{{X: ok, Y: ok}}, Uprights: []Mark{{X: inf}}},
			"figure: Curves: Uprights[0] is +Inf, want a finite number"},
		{Witness2D{X: ok, Y: ok, Mean: ok, Samples: cloud},
			"figure: Witness2D: Mean has 2 values, want 4"},
		{Witness2D{X: ok[:1], Y: ok, Mean: ok}, "figure: Witness2D: Samples is empty"},
		{Surface{X: ok[:1], Y: ok, Mean: ok, Lower: ok},
			"figure: Surface: 2 Lower and 0 Upper, want as many"},
		{Scatter{Samples: []Cloud{{Name: "P", Points: [][2]float64{{1, nan}}}}},
			`figure: Scatter: "P"[0] is [1 NaN], want finite numbers`},
		{Scatter{Samples: cloud, Hue: -1}, "figure: Scatter: Hue is -1, want 0 or more"},
		{Trace{}, "figure: Trace: Names is empty"},
		{Trace{Names: []string{"a"}}, "figure: Trace: Chains of 0 parameters, 1 Names"},
		{Trace{Names: []string{"a"}, Chains: [][][]float64{{}}}, `figure: Trace: "a": no draws`},
		{Trace{Names: []string{"a", "b"}, Chains: [][][]float64{{ok}, {ok[:1]}}},
			`figure: Trace: "b": chain 1 has 1 draws, want 2 as of the first parameter`},
		{Trace{Names: []string{"a", "b"}, Chains: [][][]float64{{ok}, {}}},
			`figure: Trace: "b": 0 chains, want 1 as of the first parameter`},
		{Trace{Names: []string{"a"}, Chains: [][][]float64{{{1, inf}}}},
			`figure: Trace: "a" chain 1[1] is +Inf, want a finite number`},
		{Trace{Names: []string{"a"}, Chains: chains, RHat: ok},
			"figure: Trace: RHat has 2 values, want 1"},
		{Trace{Names: []string{"a"}, Chains: chains, Divergent: [][]bool{{}}},
			"figure: Trace: Divergent has 1 chains, want 2"},
		{Trace{Names: []string{"a"}, Chains: chains, Divergent: [][]bool{{}, {}}},
			"figure: Trace: Divergent[0] has 0 values, want 2"},
		{Profile{}, "figure: Profile: Theta is empty"},
		{Profile{Theta: []float64{0, 1}, LogLik: ok}, "figure: Profile: Theta[0] is 0, want above 0"},
		{Profile{Theta: ok, LogLik: []float64{0, -inf}},
			"figure: Profile: LogLik[1] is -Inf, want a finite number"},
		{Profile{Theta: ok, LogLik: ok, Medians: []Mark{{X: -1, Label: "m"}}},
			`figure: Profile: mark "m" is at (-1, 0), want finite with X above 0`},
		{Profile{Theta: ok, LogLik: ok, Flat: inf},
			"figure: Profile: Flat is +Inf, want a finite number"},
		{Null{}, "figure: Null: Draws is empty"},
		{Null{Draws: ok, Statistic: nan}, "figure: Null: Statistic[0] is NaN, want a finite number"},
		{Null{Draws: ok, CurveX: ok}, "figure: Null: CurveY has 0 values, want 2"},
		{Null{Draws: ok, Critical: inf},
			"figure: Null: Critical is +Inf and PValue 0, want finite numbers or NaN"},
		{Curves{}, "figure: Curves: Series is empty"},
		{series(Series{Name: "a", X: ok, Y: ok[:1]}), `figure: Curves: "a" Y has 1 values, want 2`},
		{series(Series{Name: "a", X: ok, Y: ok, Upper: ok}),
			`figure: Curves: "a" Lower has 0 values, want 2`},
		{series(Series{Name: "a", X: ok, Y: ok, Lower: ok}),
			`figure: Curves: "a" Lower has 2 values, want 0`},
		{series(Series{Name: "a", X: ok, Y: ok, Lower: ok, Upper: ok[:1]}),
			`figure: Curves: "a" Lower has 2 values, want 1`},
		{Curves{LogY: true, YRange: [2]float64{0, 1}, Series: []Series{{Name: "a", X: ok, Y: ok}}},
			"figure: Curves: YRange goes down to 0, want above 0 on a log axis"},
		{Curves{LogX: true, Series: []Series{{Name: "a", X: []float64{0, 1}, Y: ok}}},
			`figure: Curves: "a" goes down to (0, 1), want above 0 on a log axis`},
		{Embedding{X: ok}, "figure: Embedding: no function to draw"},
		{Embedding{X: ok, Draws: [][]float64{ok, {1}}},
			"figure: Embedding: Draws 1 has 1 values, want 2"},
	} {
		fig, err := c.d.Draw()
		if err == nil || err.Error() != c.want || fig != nil {
			t.Errorf("%T: error %v, want %s", c.d, err, c.want)
		}
	}
}

func TestProportionsErrors(t *testing.T) {
	x := []float64{1}
	for _, c := range []struct {
		k, n  []int
		level float64
		want  string
	}{
		{[]int{1}, nil, 0.95, `figure: Proportions: "a" has 1 x, 1 k and 0 n, want as many of each`},
		{[]int{3}, []int{2}, 0.95, `figure: Proportions: "a" has 3 out of 2 at x = 1`},
		{[]int{0}, []int{0}, 0.95, `figure: Proportions: "a" has 0 out of 0 at x = 1`},
		{[]int{1}, []int{2}, 95, "figure: Proportions: level is 95, want above 0 and below 1"},
	} {
		if _, err := Proportions("a", x, c.k, c.n, c.level); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}
