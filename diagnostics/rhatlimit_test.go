package diagnostics

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"bayeskernel/internal/long"
)

// exceeds reports whether RHat exceeds the limit of a run with so many parameters.
func exceeds(chains [][]float64, params int) bool {
	x := RHat(chains)
	return x > rhatFloor && x > RHatLimit(chains, params)
}

// At most 1% of sound runs exceed the limit, whatever the numbers of parameters, chains and draws,
// independent or not. The number of runs that do is binomial; the test allows a rate of 2%, because
// tau is estimated, and four standard deviations. (False alarm on a reseed: below 1e-4 for each cell
// while the rate is below 2%.)
func TestRHatLimitLevel(t *testing.T) {
	type cell struct {
		params, chains, draws int
		phi                   float64
		runs                  int
	}
	cells := []cell{{1, 2, 100, 0, 300}, {1, 4, 200, 0.5, 300}, {30, 4, 200, 0.5, 20}}
	if long.Enabled() {
		total := long.Of(400_000, 4_000_000) // draws of each cell, about
		for _, chains := range []int{2, 4, 8} {
			for _, draws := range []int{100, 200, 500, 2000} {
				for _, phi := range []float64{0, 0.5, 0.8} {
					if float64(draws)/2*(1-phi)/(1+phi) < 15 {
						continue // no sound run
					}
					for _, params := range []int{1, 2, 30} {
						cells = append(cells, cell{params, chains, draws, phi, max(total/(params*chains*draws), 20)})
					}
				}
			}
		}
	}
	for _, c := range cells {
		r := rand.New(rand.NewPCG(24, uint64(c.draws)))
		bad := 0
		for range c.runs {
			any := false
			for range c.params {
				any = exceeds(autoregressive(r, c.chains, c.draws, c.phi), c.params) || any
			}
			if any {
				bad++
			}
		}
		want := 0.02 * float64(c.runs)
		t.Logf("%2d parameters, %d chains of %4d draws, correlation %.1f: %d of %d", c.params, c.chains,
			c.draws, c.phi, bad, c.runs)
		if float64(bad) > want+4*math.Sqrt(want) {
			t.Errorf("%+v: %d of %d sound runs exceed the limit", c, bad, c.runs)
		}
	}
}

// One chain of four in another place, by so many sds, or one that does not move (shift 0) is found
// as often as the package documentation says, to within 15 of 100 runs. (False alarm on a reseed:
// below 1e-4 for all cells together, as 60 runs have an sd of at most .037.)
func TestRHatLimitPower(t *testing.T) {
	for _, c := range []struct {
		params, draws int
		phi, shift    float64
		want          float64
	}{
		{1, 200, 0, 0.5, 0.96}, {1, 200, 0.5, 0.9, 0.97}, {30, 200, 0.5, 1, 0.91},
		{1, 1000, 0.5, 0.4, 0.97}, {1, 200, 0.5, 0, 0.99}, {30, 200, 0.5, 0, 0.97},
	} {
		r := rand.New(rand.NewPCG(24, 2))
		found, runs := 0, long.Of(60, 2000)
		for range runs {
			chains := autoregressive(r, 4, c.draws, c.phi)
			for i := range chains[3] {
				if c.shift == 0 {
					chains[3][i] = chains[3][0]
				} else {
					chains[3][i] += c.shift
				}
			}
			if exceeds(chains, c.params) {
				found++
			}
		}
		rate := float64(found) / float64(runs)
		t.Logf("%+v: %.2f", c, rate)
		if math.Abs(rate-c.want) > 0.15 {
			t.Errorf("%+v: %.2f of the runs are found", c, rate)
		}
	}
}

// Where draws hardly correlate the limit is a quantile of F, which distuv has in another form.
func TestRHatLimitClosedForm(t *testing.T) {
	for _, params := range []int{1, 7, 1000} {
		level := math.Sqrt(math.Pow(0.99, 1/float64(params)))
		for _, shape := range [][2]float64{{8, 100}, {4, 30}} {
			m, n := shape[0], shape[1]
			f := distuv.F{D1: m - 1, D2: m * (n - 1)}
			law := ratio{1, m - 1, m * (n - 1)}
			x := exceeded([]ratio{law, law}, 1-level*level)
			if got := f.CDF(x); math.Abs(got-level) > 1e-9 {
				t.Errorf("%d parameters, %v: the limit %v is the quantile at %v, want %v", params, shape, x,
					got, level)
			}
			law.tau = 3
			if got := exceeded([]ratio{law, law}, 1-level*level); !closeTo(got, 3*x, 1e-9, 0) {
				t.Errorf("%d parameters, %v: %v with tau 3, want %v", params, shape, got, 3*x)
			}
		}
	}
}

// The time of correlation is that of the process, and what chains disagree about does not enter.
func TestRHatLimitTau(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 3))
	chains := autoregressive(r, 4, 20_000, 0.8)
	tau := func() float64 {
		s := load(chains)
		return s.lags.ratio(s.bulkScores(), s.half()).tau
	}
	if got := tau(); math.Abs(got-9) > 1 { // its sd is .3
		t.Errorf("tau is %v, want 9", got)
	}
	for j, c := range chains {
		for i := range c {
			c[i] += float64(j)
		}
	}
	if got := tau(); math.Abs(got-9) > 1.5 {
		t.Errorf("tau is %v for chains in different places, want 9", got)
	}
}

func TestRHatLimitEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 4))
	chains := independent(r, 4, 1000)
	if got := RHatLimit(chains, 1); got != rhatFloor {
		t.Errorf("four long chains: %v, want %v", got, rhatFloor)
	}
	for params := 1; params < 1e7; params *= 10 {
		if a, b := RHatLimit(chains[:2], params), RHatLimit(chains[:2], 10*params); !(a <= b && b < 1.1) {
			t.Errorf("%d parameters: %v, and %v for ten times as many", params, a, b)
		}
	}
	for _, bad := range []struct {
		chains [][]float64
		params int
	}{{nil, 1}, {chains, 0}, {[][]float64{{1, 2, 3}}, 1}, {[][]float64{{2, 2, 2, 2, 2, 2}}, 1}} {
		if got := RHatLimit(bad.chains, bad.params); !math.IsNaN(got) {
			t.Errorf("%v, %d: %v, want NaN", bad.chains, bad.params, got)
		}
	}
	// Chains that do not move, and draws of two values, have a limit too.
	for _, c := range [][][]float64{{{0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1}},
		{{0, 1, 0, 1, 1, 0, 1, 0}, {1, 0, 1, 0, 0, 1, 0, 1}}} {
		if got := RHatLimit(c, 1); !(got >= rhatFloor && got < 1e6) {
			t.Errorf("%v: %v", c, got)
		}
	}
}
