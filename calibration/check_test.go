package calibration

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// made is a result of given ranks.
func made(ranks, bins int, of ...int) *Result {
	res := &Result{Names: []string{"x"}, Ranks: ranks, Bins: bins}
	for i, r := range of {
		res.Replicates = append(res.Replicates, Replicate{Index: i, Ranks: []int{r}})
	}
	return res
}

// TestCounts counts by hand: ranks 0 to 5 in three bins of two.
func TestCounts(t *testing.T) {
	res := made(5, 3, 0, 1, 1, 2, 5, 5)
	points, err := res.Points("x", 0.05)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0, 3.0/6 - 1.0/3, 4.0/6 - 2.0/3, 0} {
		p := points[i]
		if math.Abs(p.Z-float64(i)/3) > 1e-15 || math.Abs(p.Diff-want) > 1e-15 ||
			!(p.Lower <= p.Diff && p.Diff <= p.Upper) {
			t.Errorf("point %d: %+v, expected a difference of %g", i, p, want)
		}
	}
	if first, last := points[0], points[3]; first.Lower != 0 || first.Upper != 0 ||
		last.Lower != 0 || last.Upper != 0 {
		t.Errorf("ends %+v, %+v", first, last)
	}
}

// TestPointsAndP: a point outside the envelope at alpha is the same as p at most alpha.
func TestPointsAndP(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	left := 0
	for range 100 {
		var ranks []int
		for range 40 {
			ranks = append(ranks, int(100*math.Pow(r.Float64(), 1.4)))
		}
		res := made(99, 20, ranks...)
		for _, alpha := range []float64{0.2, 0.05, 0.001} {
			q := mustCheck(t, res, alpha).Quantities[0]
			points, err := res.Points("x", alpha)
			if err != nil {
				t.Fatal(err)
			}
			outside := false
			for _, p := range points {
				outside = outside || p.Diff < p.Lower-1e-12 || p.Diff > p.Upper+1e-12
			}
			if outside != q.Leaves || q.Leaves != (q.P <= alpha) {
				t.Fatalf("alpha %g: outside %v, %+v", alpha, outside, q)
			}
			if outside {
				left++
			}
		}
	}
	if left < 30 || left > 270 {
		t.Errorf("%d of 300 left: too few or too many for a test", left)
	}
}

// TestExtremeRanks: any ranks can be judged, and what is said of them is finite.
func TestExtremeRanks(t *testing.T) {
	same := func(n, rank int) []int {
		ranks := make([]int, n)
		for i := range ranks {
			ranks[i] = rank
		}
		return ranks
	}
	for name, c := range map[string]struct {
		res   *Result
		words string
	}{
		"lowest":   {made(99, 20, same(300, 0)...), "too high"},
		"highest":  {made(99, 20, same(300, 99)...), "too low"},
		"middle":   {made(99, 20, same(300, 50)...), "too widely"},
		"ends":     {made(99, 20, append(same(150, 0), same(150, 99)...)...), "too narrowly"},
		"one":      {made(99, 20, 3), "no sign"},
		"coin":     {made(1, 2, append(same(100, 0), same(10, 1)...)...), "too high"},
		"very odd": {made(98, 3, same(200, 49)...), "too widely"},
	} {
		q := mustCheck(t, c.res, 1e-3).Quantities[0]
		if !strings.Contains(q.Sentence, c.words) {
			t.Errorf("%s: %s", name, q.Sentence)
		}
		if _, err := json.Marshal(q); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Ranks that come in two heaps symmetric about the middle, with the variance of uniform ones:
	// d = ±sqrt(1/12).
	heaps := made(99, 20, append(same(150, 21), same(150, 78)...)...)
	if q := mustCheck(t, heaps, 1e-3).Quantities[0]; !q.Leaves ||
		!strings.Contains(q.Sentence, "neither mean nor variance") {
		t.Errorf("%+v", q)
	}
}

func TestCheckErrors(t *testing.T) {
	bad := made(99, 20, 3, 100)
	short := made(99, 20, 3)
	short.Names = append(short.Names, "y")
	for name, res := range map[string]*Result{"rank": bad, "names": short, "none": made(99, 20),
		"bins": made(99, 19, 3), "empty": {},
		"failed": {Names: []string{"x"}, Ranks: 99, Bins: 20,
			Replicates: []Replicate{{Error: "e"}}},
	} {
		if _, err := res.Check(0.05); err == nil {
			t.Errorf("%s: Check gave no error", name)
		}
		if _, err := res.Points("x", 0.05); err == nil {
			t.Errorf("%s: Points gave no error", name)
		}
	}
	good := made(99, 20, 3)
	for _, alpha := range []float64{0, 1, -1, math.NaN()} {
		if _, err := good.Check(alpha); err == nil {
			t.Errorf("alpha %g: Check gave no error", alpha)
		}
		if _, err := good.Points("x", alpha); err == nil {
			t.Errorf("alpha %g: Points gave no error", alpha)
		}
	}
	if _, err := good.Points("z", 0.05); err == nil {
		t.Error("unknown name: no error")
	}
}

// TestSpread: each rank among 37 draws becomes one of those among 99 that have the same share of
// (0,1), and every one of these; a rank at a boundary is shared by two.
func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for rank := range 38 {
		seen := map[int]bool{}
		for range 2000 { // one is missed with a probability below 1e-9
			seen[spread(rank, 37, 99, r)] = true
		}
		for got := range 100 {
			overlap := min(float64(rank+1)/38, float64(got+1)/100) -
				max(float64(rank)/38, float64(got)/100)
			if seen[got] && overlap < -1e-12 || !seen[got] && overlap*38 > 0.02 {
				t.Errorf("rank %d of 37 became %d of 99: %t, the shares overlap by %.2g", rank, got,
					seen[got], overlap)
			}
		}
	}
	if got := spread(13, 99, 99, nil); got != 13 {
		t.Errorf("rank 13 of 99 became %d", got)
	}
}

func TestRankOf(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	inf := math.Inf(1)
	for _, c := range []struct {
		truth float64
		kept  []float64
		ranks []int
	}{
		{2, []float64{3, 1, 1, 5}, []int{2}},
		{0, []float64{3, 1, 1, 5}, []int{0}},
		{9, []float64{3, 1, 1, 5}, []int{4}},
		{1, []float64{3, 1, 1, 0}, []int{1, 2, 3}},
		{4, []float64{4, 4}, []int{0, 1, 2}},
		{-inf, []float64{-inf, 0, inf}, []int{0, 1}},
	} {
		count := map[int]int{}
		for range 3000 {
			count[rankOf(c.truth, c.kept, r)]++
		}
		want := 3000 / len(c.ranks)
		for _, rank := range c.ranks {
			if k := count[rank]; k < want-200 || k > want+200 { // 7 standard errors or more
				t.Errorf("%+v: counts %v", c, count)
			}
		}
		if len(count) != len(c.ranks) {
			t.Errorf("%+v: counts %v", c, count)
		}
	}
}

func TestThin(t *testing.T) {
	chains := [][]float64{{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}}
	for n, want := range map[int][]float64{1: {5}, 2: {2, 7}, 5: {1, 3, 5, 7, 9},
		10: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		if got := thin(chains, n); !slices.Equal(got, want) {
			t.Errorf("%d draws: %v, expected %v", n, got, want)
		}
	}
}

func TestReportPrints(t *testing.T) {
	rep := &Report{Alpha: 0.05, Quantities: []Quantity{
		{Name: "mu", P: 0.4, Shift: 0.01, Scale: 1, Sentence: "mu: no sign of error (p = 0.4)"},
		{Name: "sd", P: 0.001, Leaves: true, Shift: 0.5, Scale: 1, Sentence: "sd: wrong (p = 0.001)"}},
		Notes: []string{"all well"}}
	want := `  quantity      p  shift (sd)  sd / right sd
        mu    0.4        0.01           1.00
        sd  0.001        0.50           1.00
sd: wrong (p = 0.001)
Note: all well`
	if got := rep.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
