package runs

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/fixture"
	"bayeskernel/internal/long"
	"bayeskernel/kernels"
	"bayeskernel/nuts"
	"bayeskernel/stein"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// law is a density of independent coordinates: its score, and the same coordinates as values.
type law struct {
	dim   int
	score func(x float64) float64
}

func (l law) Dim() int { return l.dim }

func (l law) LogDensity(x, grad []float64) float64 {
	for a, v := range x {
		grad[a] = l.score(v)
	}
	return 0
}

func (l law) Unconstrain(values []float64) ([]float64, error) { return values, nil }

// autoregressive are four chains of n draws of the standard normal law times scale, which remember rho.
func autoregressive(seed uint64, dim, n int, rho, scale float64) *draws.Run {
	run := &draws.Run{}
	for c := range 4 {
		r := rand.New(rand.NewPCG(seed, uint64(c)))
		x := make([]float64, dim)
		for a := range x {
			x[a] = r.NormFloat64()
		}
		chain := draws.Chain{}
		for range n {
			row := make([]float64, dim)
			for a := range x {
				x[a] = rho*x[a] + math.Sqrt(1-rho*rho)*r.NormFloat64()
				row[a] = scale * x[a]
			}
			chain.Values = append(chain.Values, row)
			chain.Stats = append(chain.Stats, draws.Stat{})
		}
		run.Chains = append(run.Chains, chain)
	}
	for range dim {
		run.Names = append(run.Names, "x")
	}
	return run
}

func normalScore(x float64) float64 { return -x }

// twoModes is the score of half the standard normal law and half of it 2.5 further up.
func twoModes(x float64) float64 {
	up := 1 / (1 + math.Exp(2.5*1.25-2.5*x))
	return -x + 2.5*up
}

// t5 is the score of Student's t with 5 degrees of freedom and the variance of the normal law.
func t5(x float64) float64 { return -6 * x / (3 + x*x) }

func inspect(t *testing.T, run *draws.Run, target Target, seed uint64) *Inspection {
	t.Helper()
	p := fixture.Get[*Points](t)(Read(t.Context(), run, target, nil, 0))
	return fixture.Get[*Inspection](t)(Inspect(p, Options{Seed: seed}))
}

// Sound runs are hardly ever called suspect, and faults are told. A sound run is suspect in one of a hundred: two
// of four have a probability of 6e-4, and of 40 seven one of 1e-7. The faults here are told in nearly all.
func TestInspect(t *testing.T) {
	sets, most := 4, 1
	if long.Enabled() {
		sets, most = 40, 6
	}
	for _, c := range []struct {
		name       string
		dim        int
		rho, scale float64
		score      func(float64) float64
		fault      bool
	}{
		{"independent", 2, 0, 1, normalScore, false},
		{"very slow", 2, 0.97, 1, normalScore, false},
		{"slow, ten columns", 10, 0.9, 1, normalScore, false},
		{"spread", 10, 0, math.Sqrt(1.1), normalScore, true},
		{"tails", 2, 0, 1, t5, true},
		{"one mode of two", 1, 0, 1, twoModes, true},
	} {
		suspect, identities, discrepancies := 0, 0, 0
		for s := range uint64(sets) {
			f := inspect(t, autoregressive(s+100, c.dim, 1000, c.rho, c.scale), law{c.dim, c.score}, s)
			if f.Suspect() {
				suspect++
			}
			if f.P < 0.05 {
				identities++
			}
			if f.PDiscrepancy < 0.05 {
				discrepancies++
			}
			if strings.Contains(f.Sentence(), "converge") || f.Suspect() == strings.Contains(f.Sentence(), "no chain has visited") {
				t.Errorf("%s: %s", c.name, f.Sentence())
			}
		}
		t.Logf("%s: of %d, %d suspect, identities %d, discrepancies %d at 0.05", c.name, sets, suspect, identities, discrepancies)
		if !c.fault && suspect > most || c.fault && suspect < sets*9/10 {
			t.Errorf("%s: %d of %d suspect", c.name, suspect, sets)
		}
	}
}

// logistic is a regression of 100 outcomes on ten columns, whose coefficients have a normal prior.
type logistic struct {
	x     [][]float64
	y     []float64
	prior float64
}

func (l *logistic) Dim() int { return len(l.x[0]) }

func (l *logistic) LogDensity(b, grad []float64) float64 {
	lp := 0.0
	for a, v := range b {
		lp -= v * v / (2 * l.prior * l.prior)
		grad[a] = -v / (l.prior * l.prior)
	}
	for i, row := range l.x {
		eta := 0.0
		for a, v := range row {
			eta += v * b[a]
		}
		p := 1 / (1 + math.Exp(-eta))
		lp += l.y[i]*eta - math.Log1p(math.Exp(eta))
		for a, v := range row {
			grad[a] += (l.y[i] - p) * v
		}
	}
	return lp
}

func (l *logistic) Unconstrain(values []float64) ([]float64, error) { return values, nil }

// Draws under another prior are told, those under the same are not.
func TestInspectsAPrior(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	data := &logistic{prior: 1}
	for range 100 {
		row, eta := make([]float64, 10), 0.0
		for a := range row {
			row[a] = r.NormFloat64()
			eta += row[a] * float64(a-5) / 5
		}
		y := 0.0
		if r.Float64() < 1/(1+math.Exp(-eta)) {
			y = 1
		}
		data.x, data.y = append(data.x, row), append(data.y, y)
	}
	run := fixture.Get[*draws.Run](t)(nuts.Sample(t.Context(), hmc.Shared(data), nuts.Config{}))
	for prior, want := range map[float64]bool{1: false, 2: true} {
		f := inspect(t, run, &logistic{data.x, data.y, prior}, 1)
		if f.Suspect() != want {
			t.Errorf("prior %v: %s", prior, f.Sentence())
		}
	}
}

// The identities of one column by hand: they are means of scores, and of their products.
func TestIdentities(t *testing.T) {
	run := autoregressive(7, 1, 50, 0, 1)
	f := inspect(t, run, law{1, normalScore}, 1)
	sum, squares, n := 0.0, 0.0, 0.0
	for _, c := range run.Chains {
		for _, row := range c.Values {
			sum += row[0]
			n++
		}
	}
	for _, c := range run.Chains {
		for _, row := range c.Values {
			squares += (row[0] - sum/n) * row[0]
		}
	}
	if got := f.Identities[0].Mean; math.Abs(got+sum/n) > 1e-12 {
		t.Errorf("mean score %v, want %v", got, -sum/n)
	}
	if got := f.Identities[1].Mean; math.Abs(got-squares/n) > 1e-12 {
		t.Errorf("spread %v, want %v", got, squares/n)
	}
}

// The draws that stand for a run bring its mean and spread nearer than as many evenly spaced, also where the first
// are far away.
func TestCompress(t *testing.T) {
	run := autoregressive(3, 2, 500, 0.5, 1)
	for c := range run.Chains { // a far start that was kept
		for i := range 60 {
			run.Chains[c].Values[i][0] += 8 - float64(i)/8
		}
	}
	p := fixture.Get[*Points](t)(Read(t.Context(), run, law{2, normalScore}, []string{"a", "b"}, 0))
	f := fixture.Get[*Inspection](t)(Inspect(p, Options{}))
	if f.Identities[f.Worst].Coordinate != "a" || !math.IsNaN(f.PDiscrepancy) {
		t.Errorf("%s (%d blocks)", f.Sentence(), f.Blocks)
	}
	at := fixture.Get[[]int](t)(Compress(p, 50, true))
	mean, square := 0.0, 0.0
	for _, i := range at {
		mean += p.X.At(i, 0) / 50
		square += p.X.At(i, 0) * p.X.At(i, 0) / 50
	}
	if math.Abs(mean) > 0.2 || math.Abs(square-1) > 0.4 {
		t.Errorf("50 draws of the corrected run have mean %.2f and mean square %.2f, want 0 and 1", mean, square)
	}
}

func TestErrors(t *testing.T) {
	run := autoregressive(1, 1, 20, 0, 1)
	if _, err := Read(t.Context(), &draws.Run{}, law{1, normalScore}, nil, 0); err == nil {
		t.Error("a run without draws is read")
	}
	if _, err := Read(t.Context(), run, law{1, func(float64) float64 { return 0 }}, nil, 0); err != nil {
		t.Error(err)
	}
	p := fixture.Get[*Points](t)(Read(t.Context(), run, law{1, normalScore}, nil, 5))
	if n, _ := p.X.Dims(); n != 20 || p.Draw[4] != 16 || p.Chain[5] != 1 {
		t.Errorf("%d points, draws %v of chains %v", n, p.Draw, p.Chain)
	}
	for c := range run.Chains {
		for i := range run.Chains[c].Values {
			run.Chains[c].Values[i][0] = 3
		}
	}
	p = fixture.Get[*Points](t)(Read(t.Context(), run, law{1, normalScore}, nil, 0))
	if _, err := Inspect(p, Options{}); err == nil || !strings.Contains(err.Error(), "the same in all draws") {
		t.Errorf("error %v", err)
	}
}

// The discrepancy, summed over pairs of blocks, is V of the rows in units of their standard deviations.
func TestDiscrepancy(t *testing.T) {
	p := fixture.Get[*Points](t)(Read(t.Context(), autoregressive(5, 2, 100, 0.5, 1.3), law{2, normalScore}, nil, 0))
	f := fixture.Get[*Inspection](t)(Inspect(p, Options{}))
	n, dim := p.X.Dims()
	x, u := mat.DenseCopyOf(p.X), mat.DenseCopyOf(p.U)
	for a := range dim {
		s := stat.StdDev(mat.Col(nil, a, p.X), nil)
		for i := range n {
			x.Set(i, a, x.At(i, a)/s)
			u.Set(i, a, u.At(i, a)*s)
		}
	}
	k := fixture.Get[*stein.Kernel](t)(stein.New(kernels.RQ{Alpha: 0.5}, stein.Lengthscale(fixture.Get[float64](t)(stein.Median(x)), dim)))
	if want := fixture.Get[float64](t)(k.V(x, u)); f.Blocks < fewBlocks || math.Abs(f.Discrepancy-want) > 1e-12 {
		t.Errorf("discrepancy %v of %d blocks, want %v", f.Discrepancy, f.Blocks, want)
	}
}

// Energy distances by hand: all rows are at distance 0, and one of two rows is at half of their distance.
func TestEnergies(t *testing.T) {
	p := &Points{X: mat.NewDense(2, 1, []float64{1, 4})}
	got := Energies(p, []int{0, 1}, []int{0})
	// The rows are sqrt(2) standard deviations apart: 2 (0 + sqrt 2)/2 - 0 - sqrt(2)/2.
	if want := math.Sqrt2 / 2; got[0] != 0 || math.Abs(got[1]-want) > 1e-15 {
		t.Errorf("energy distances %v, want 0 and %v", got, want)
	}
}
