package hmc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"bayeskernel/draws"
	"bayeskernel/internal/fixture"
	"bayeskernel/internal/testmodels"
)

// adaptTrace is one recorded warm-up of Stan's.
type adaptTrace struct {
	Name         string
	Kind         int
	Seed         uint64
	Warmup       int
	Metric       string
	EpsAfterInit float64 `json:"eps_after_init"`
	Q0           []float64
	Rows         [][]any
	FinalEps     float64   `json:"final_eps"`
	InvMetric    []float64 `json:"inv_metric"`
}

type adaptRow struct {
	used, next float64
	leapfrogs  int
	accept     float64
	q          []float64
}

func (a adaptTrace) rows() []adaptRow {
	var out []adaptRow
	for _, r := range a.Rows {
		row := adaptRow{r[0].(float64), r[1].(float64), int(r[2].(float64)), r[3].(float64), nil}
		for _, v := range r[4].([]any) {
			row.q = append(row.q, v.(float64))
		}
		out = append(out, row)
	}
	return out
}

func readAdaptTraces(t *testing.T) []adaptTrace {
	t.Helper()
	var f struct{ Adapt []adaptTrace }
	fixture.JSON(t, "../testdata/stan_nuts_trace.json", &f)
	if len(f.Adapt) != 4 {
		t.Fatalf("%d recorded warm-ups", len(f.Adapt))
	}
	return f.Adapt
}

func (a adaptTrace) settings() Settings {
	s := Settings{Warmup: a.Warmup, Adapt: Adapt{StanWarmup: true, Metric: DiagMetric}}
	if a.Metric == "dense" {
		s.Adapt.Metric = DenseMetric
	}
	return s
}

// TestAdaptationTeacherForced feeds the adaptation what Stan's saw, over all recorded warm-ups: the
// acceptance statistics, the positions and, at the ends of windows, the step size that Stan's
// search found. Its step sizes and metrics must be Stan's.
func TestAdaptationTeacherForced(t *testing.T) {
	for _, tr := range readAdaptTraces(t) {
		t.Run(tr.Name, func(t *testing.T) {
			d := len(tr.Q0)
			a, err := NewAdaptation(tr.settings(), d, tr.EpsAfterInit)
			if err != nil {
				t.Fatal(err)
			}
			metric := NewUnitMetric(d)
			grad := make([]float64, d)
			for i, r := range tr.rows() {
				if e := math.Abs(a.StepSize()-r.used) / r.used; !(e <= 1e-13) {
					t.Fatalf("row %d: step size %v, Stan has %v", i, a.StepSize(), r.used)
				}
				out := Outcome{Stat: draws.Stat{AcceptStat: r.accept}}
				if a.Update(out, r.q, grad) {
					if metric, err = a.Metric(metric); err != nil {
						t.Fatal(err)
					}
					a.Restart(r.next)
				}
			}
			if e := math.Abs(a.Final()-tr.FinalEps) / tr.FinalEps; !(e <= 1e-13) {
				t.Errorf("final step size %v, Stan has %v", a.Final(), tr.FinalEps)
			}
			rec := metric.Record()
			got := rec.Diag
			if tr.Metric == "dense" {
				got = slices.Concat(rec.Dense...)
			}
			for i, w := range tr.InvMetric {
				if e := math.Abs(got[i]-w) / math.Abs(w); !(e <= 1e-13) {
					t.Errorf("metric[%d] = %v, Stan has %v", i, got[i], w)
				}
			}
		})
	}
}

// TestDualAveragingVector is the test vector of Stan's own unit test.
func TestDualAveragingVector(t *testing.T) {
	a := dualAveraging{Delta: 0.5, Gamma: 0.05, Kappa: 0.75, T0: 10, Mu: 4.13018724667137,
		Counter: 79, S: 0.0209457573689391, XBar: 0.821976337071218}
	eps := a.update(0.728285153733299)
	for _, c := range []struct {
		what      string
		got, want float64
	}{{"step size", eps, 2.40769920051673}, {"s", a.S, 0.0181765250233587},
		{"x bar", a.XBar, 0.824095816988227}} {
		if math.Abs(c.got-c.want) > 1e-13*math.Abs(c.want) {
			t.Errorf("%s = %.15g, want %.15g", c.what, c.got, c.want)
		}
	}
}

// TestStanWindows holds the schedule to Stan's ends of windows.
func TestStanWindows(t *testing.T) {
	for _, c := range []struct {
		warmup int
		ends   []int
	}{
		{10, nil}, {19, nil}, {20, nil}, {100, nil}, {149, nil}, // the defect: no window ever ends
		{150, []int{99}}, {151, []int{99, 100}}, // the defect: a window of one draw
		{200, []int{99, 149}}, {300, []int{99, 149, 249}}, {500, []int{99, 149, 249, 449}},
		{1000, []int{99, 149, 249, 449, 949}}, {2000, []int{99, 149, 249, 449, 849, 1949}},
		{5000, []int{99, 149, 249, 449, 849, 1649, 4949}},
	} {
		if got := stanWindows(c.warmup, Windows{}).Ends; !slices.Equal(got, c.ends) {
			t.Errorf("%d: windows end at %v, Stan's at %v", c.warmup, got, c.ends)
		}
	}
}

// TestWindows holds the default schedule to what its comment promises, for every length.
func TestWindows(t *testing.T) {
	for k := range 6 {
		d, est, first := []int{1, 10, 60}[k/2], Fisher, 10
		if k%2 == 0 {
			est, first = Covariance, 75
		}
		for warmup := 1; warmup <= 3000; warmup++ {
			s := windows(warmup, d, Windows{}.defaults(warmup, est))
			if warmup < shortest {
				if len(s.Ends) != 0 {
					t.Fatalf("warm-up of %d has windows %v", warmup, s.Ends)
				}
				continue
			}
			if len(s.Ends) == 0 {
				t.Fatalf("warm-up of %d has no window", warmup)
			}
			start, previous := s.Start, 0
			for i, e := range s.Ends {
				size := e + 1 - start
				last := i == len(s.Ends)-1
				need := max(25, previous/2, min(2*d, (s.Ends[len(s.Ends)-1]+1-s.Start)/2))
				if size < 1 || i > 0 && last && size < need {
					t.Fatalf("warm-up of %d, d = %d: window %d of %v (from %d) has length %d",
						warmup, d, i, s.Ends, s.Start, size)
				}
				start, previous = e+1, size
			}
			term := warmup - start
			if term < min(100, warmup/4) || s.Start > first || s.Start > warmup*15/100 {
				t.Fatalf("warm-up of %d: windows %v from %d leave %d", warmup, s.Ends, s.Start, term)
			}
		}
	}
	for est, want := range map[Estimator][]int{
		Covariance: {99, 149, 249, 449, 899},
		Fisher:     {19, 39, 79, 159, 319, 639, 899},
	} {
		got := windows(1000, 2, Windows{}.defaults(1000, est)).Ends
		if !slices.Equal(got, want) {
			t.Errorf("warm-up of 1000, %v: windows end at %v", est, got)
		}
	}
}

func TestWindowsAsAsked(t *testing.T) {
	s := windows(100, 2, Windows{Init: 10, Base: 30, Term: 20}.defaults(100, Fisher))
	if s.Start != 10 || !slices.Equal(s.Ends, []int{39, 79}) {
		t.Errorf("windows %v from %d", s.Ends, s.Start)
	}
}

// TestStepSizeStaysPositive feeds dual averaging the worst sequences: step sizes must stay positive
// and finite.
func TestStepSizeStaysPositive(t *testing.T) {
	for name, accept := range map[string]func(i int) float64{
		"never":     func(int) float64 { return 0 },
		"always":    func(int) float64 { return 1 },
		"alternate": func(i int) float64 { return float64(i % 2) },
	} {
		a := dualAveraging{Delta: 0.8, Gamma: 0.05, Kappa: 0.75, T0: 10}
		a.restart(1)
		for i := range 2000 {
			if eps := a.update(accept(i)); !(eps > 0) {
				t.Fatalf("%s: step size %v after %d transitions", name, eps, i+1)
			}
		}
		if !(a.final() > 0) {
			t.Errorf("%s: final step size %v", name, a.final())
		}
	}
}

// TestFisherIsExact: for a normal target the dense Fisher metric is the covariance, from
// few draws, wherever they lie. The draws here are far from typical.
func TestFisherIsExact(t *testing.T) {
	target := testmodels.Gauss3()
	r := &testmodels.Scripted{State: 5}
	m := newPairs(DenseMetric, plan{Dim: 3, Diagonal: true}, 0)
	x, g := make([]float64, 3), make([]float64, 3)
	for range 9 {
		for i := range x {
			x[i] = 10 + 3*r.NormFloat64()*float64(i+1)
		}
		target.LogDensity(x, g)
		m.add(x, g)
	}
	w, err := m.metric(NewUnitMetric(3), new(draws.Window))
	if err != nil {
		t.Fatal(err)
	}
	// W P must be the identity, up to the ridge of 1e-5.
	p := [3][3]float64{{2, 0.8, 0}, {0.8, 1, 0.3}, {0, 0.3, 0.5}}
	rec := w.Record().Dense
	for i := range 3 {
		for j := range 3 {
			v := 0.0
			for k := range 3 {
				v += rec[i][k] * p[k][j]
			}
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(v-want) > 1e-3 {
				t.Errorf("(W P)[%d][%d] = %v", i, j, v)
			}
		}
	}
}

// TestFisherDegenerate: draws that never moved, moved in one direction only, or are too few must
// leave a usable metric.
func TestFisherDegenerate(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		x    func(i, j int) float64
		g    func(i, j int) float64
	}{
		{"stuck", 50, func(i, j int) float64 { return 1 }, func(i, j int) float64 { return 2 }},
		{"line", 50, func(i, j int) float64 { return float64(i * (j + 1)) },
			func(i, j int) float64 { return -float64(i) }},
		{"few", 3, func(i, j int) float64 { return math.Sin(float64(7*i + j)) },
			func(i, j int) float64 { return math.Cos(float64(5*i + j)) }},
		{"one", 1, func(i, j int) float64 { return 1 }, func(i, j int) float64 { return 2 }},
		{"flat", 50, func(i, j int) float64 { return math.Sin(float64(7*i + j)) },
			func(i, j int) float64 { return 0 }},
		{"huge", 50, func(i, j int) float64 { return 1e150 * math.Sin(float64(7*i+j)) },
			func(i, j int) float64 { return 1e-150 * math.Cos(float64(5*i+j)) }},
	} {
		for _, k := range []kind{DiagMetric, DenseMetric, LowRankMetric} {
			l := k.learner(plan{Dim: 3, Estimator: Fisher})
			for i := range c.n {
				x, g := make([]float64, 3), make([]float64, 3)
				for j := range 3 {
					x[j], g[j] = c.x(i, j), c.g(i, j)
				}
				l.add(x, g)
			}
			w, err := l.metric(NewUnitMetric(3), new(draws.Window))
			if err != nil {
				t.Errorf("%s, %v: %v", c.name, k, err)
				continue
			}
			v := make([]float64, 3)
			w.apply(v, []float64{1, 2, 3})
			for _, e := range v {
				if math.IsNaN(e) || math.IsInf(e, 0) {
					t.Errorf("%s, %v: velocity %v", c.name, k, v)
					break
				}
			}
		}
	}
}

func ExampleNewAdaptation() {
	a, err := NewAdaptation(Settings{Warmup: 100}, 2, 0.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.StepSize())
	// Output: 0.5
}

// TestStepSizeIsUnbiased tunes to a noisy acceptance that falls with the logarithm of the step size
// as it does for a normal target: over 200 warm-ups the mean of the acceptance at the final step size
// must be the target within 0.01, and its standard deviation at most 0.04. Stan's warm-up accepts more
// than it was asked to.
func TestStepSizeIsUnbiased(t *testing.T) {
	mean := func(eps float64) float64 { return 2 * (1 - distuv.UnitNormal.CDF(eps*eps/2)) }
	r := rand.New(rand.NewPCG(1, 0))
	study := func(s Settings) (bias, sd float64) {
		const runs = 200
		var sum, squares float64
		for range runs {
			a, err := NewAdaptation(s, 1, 0.5)
			if err != nil {
				t.Fatal(err)
			}
			for range s.Warmup {
				m := mean(a.StepSize())
				v := m + min(0.3, m, 1-m)*(2*r.Float64()-1)
				out := Outcome{Stat: draws.Stat{AcceptStat: v}, Symmetric: v}
				a.Update(out, []float64{0}, []float64{0})
			}
			e := mean(a.Final()) - 0.8
			sum += e
			squares += e * e
		}
		bias = sum / runs
		return bias, math.Sqrt(squares/runs - bias*bias)
	}
	bias, sd := study(Settings{Warmup: 100, Adapt: Adapt{Metric: UnitMetric}, TargetAccept: 0.8})
	if math.Abs(bias) > 0.01 || sd > 0.04 {
		t.Errorf("acceptance is off by %.4f, standard deviation %.4f", bias, sd)
	}
	if was, _ := study(Settings{Warmup: 100, Adapt: Adapt{Metric: UnitMetric, StanWarmup: true}}); was < 0.01 {
		t.Errorf("Stan's acceptance is off by %.4f", was)
	}
}

// TestTargetIsRaised: where 5% of transitions break the last target is 0.95, unless one was asked for that is not to be
// raised; where 2% do, what is short of 1 is halved; where hardly any do, it stays.
func TestTargetIsRaised(t *testing.T) {
	for _, c := range []struct {
		asked float64
		raise bool
		every int
		want  float64
	}{{0, false, 20, 0.95}, {0, false, 50, 0.9}, {0.8, false, 20, 0.8}, {0.8, true, 20, 0.95}, {0.9, true, 50, 0.95}, {0, false, 2000, 0.8}} {
		a, err := NewAdaptation(Settings{TargetAccept: c.asked, Adapt: Adapt{Raise: c.raise}}, 1, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		metric := NewUnitMetric(1)
		x := []float64{0}
		for i := range 1000 {
			out := Outcome{Symmetric: 0.8, Lost: 1}
			if i%c.every == 0 {
				out = Outcome{Symmetric: 0.8, Lost: 8}
			}
			x[0] = math.Sin(float64(i))
			if a.Update(out, x, x) {
				if metric, err = a.Metric(metric); err != nil {
					t.Fatal(err)
				}
				a.Restart(0.5)
			}
		}
		if got := a.state.Step.Delta; math.Abs(got-c.want) > 0.01 {
			t.Errorf("asked for %v, broken every %d: target %v, want %v", c.asked, c.every, got, c.want)
		}
	}
}

// TestChainThatMoves: a chain leaves a mode of variance 1 for one of variances 1/100 and 1, far away,
// in the last window. The metric is of the latter, and what broke before does not raise the target.
func TestChainThatMoves(t *testing.T) {
	for _, c := range []struct {
		leaves int
		target float64
	}{{0, 0.95}, {760, 0.8}} {
		a, err := NewAdaptation(Settings{}, 2, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		metric, err := DenseMetric.from(NewUnitMetric(2))
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(2, 6))
		for i := range 1000 {
			centre, sd := []float64{-5, 5}, []float64{1, 1}
			if i >= c.leaves {
				centre, sd = []float64{5, 5}, []float64{0.1, 1}
			}
			x, g := make([]float64, 2), make([]float64, 2)
			for k := range x {
				z := r.NormFloat64()
				x[k], g[k] = centre[k]+sd[k]*z, -z/sd[k]
			}
			out := Outcome{Symmetric: 0.8}
			if i%20 == 0 {
				out.Lost = math.Inf(1)
			}
			if a.Update(out, x, g) {
				if metric, err = a.Metric(metric); err != nil {
					t.Fatal(err)
				}
				a.Restart(0.5)
			}
		}
		if d := metric.diagonal(); math.Abs(d[0]-0.01) > 1e-4 || math.Abs(d[1]-1) > 1e-2 {
			t.Errorf("left at %d: the metric has the diagonal %v, want 0.01 and 1", c.leaves, d)
		}
		if got := a.state.Step.Delta; math.Abs(got-c.target) > 1e-9 {
			t.Errorf("left at %d: target %v, want %v", c.leaves, got, c.target)
		}
	}
}

// TestEarlyTrajectoriesAreShort: trajectories are bounded up to the end of the windows shorter than
// 100, but not as Stan has it.
func TestEarlyTrajectoriesAreShort(t *testing.T) {
	for _, c := range []struct {
		settings Settings
		bounded  int
	}{{Settings{}, 160}, {Settings{Warmup: 100}, 75}, {Settings{Warmup: 10}, 0},
		{Settings{Adapt: Adapt{Metric: UnitMetric}}, 0}, {Settings{Adapt: Adapt{StanWarmup: true}}, 0}} {
		a, err := NewAdaptation(c.settings, 1, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		warmup := c.settings.Warmup
		if warmup == 0 {
			warmup = 1000
		}
		bounded := 0
		for range warmup {
			if a.limit() == earlyDoublings {
				bounded++
			}
			a.Update(Outcome{Symmetric: 0.8}, []float64{0}, []float64{0})
		}
		if bounded != c.bounded {
			t.Errorf("%+v: %d trajectories are bounded, want %d", c.settings, bounded, c.bounded)
		}
	}
}

// TestWindowsOverlap: the pairs of a window serve the next one too, in the order of time and never
// more than there is room for, unless they are few or plenty.
func TestWindowsOverlap(t *testing.T) {
	const d = 50
	w := newPairs(DenseMetric, plan{Dim: d}, 0)
	w.Most = 150
	at := 0.0
	fill := func(n int) {
		for range n {
			at++
			w.add(slices.Repeat([]float64{at}, d), slices.Repeat([]float64{-at}, d))
		}
	}
	holds := func(want int) {
		t.Helper()
		x, g := w.rows(0, min(w.N, w.Most))
		if len(x) != want {
			t.Fatalf("%d pairs, want %d", len(x), want)
		}
		for i := range x {
			if v := at - float64(want-1-i); x[i][0] != v || g[i][d-1] != -v {
				t.Fatalf("pair %d of %d is (%v, %v), want %v", i, want, x[i][0], g[i][d-1], v)
			}
		}
	}
	for _, c := range []struct{ length, holds, left int }{
		{lasting - 1, lasting - 1, 0}, {lasting, lasting, lasting}, {120, 150, 120},
		{400, 150, 150}, {plenty * d, 150, 0},
	} {
		fill(c.length)
		holds(c.holds)
		w.next()
		holds(c.left)
	}
}

// TestWindowsAreRecorded: a run says of each window how its metric was chosen, and the kind and rank
// of the last are those of the metric it samples with.
func TestWindowsAreRecorded(t *testing.T) {
	for _, c := range []struct {
		name  string
		d     int
		asked MetricKind
		tried bool
	}{{"few draws", 40, AutoMetric, true}, {"low rank", 120, AutoMetric, true},
		{"forced", 40, DenseMetric, true}, {"diagonal", 5, DiagMetric, false},
		{"plenty", 5, AutoMetric, false}} {
		sd := make([]float64, c.d)
		for i := range sd {
			sd[i] = float64(1 + i%3)
		}
		run, err := Sample(t.Context(), Shared(testmodels.Normal(sd...)), Config{PathLength: 1,
			Settings: Settings{Chains: 2, Warmup: 300, Draws: 5, Seed: 3,
				Adapt: Adapt{Metric: c.asked, Fixed: true}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, ch := range run.Chains {
			if len(ch.Windows) == 0 {
				t.Fatalf("%s: no windows", c.name)
			}
			w := ch.Windows[len(ch.Windows)-1]
			if w.End != 224 || w.Draws < 25 || w.Draws > 215 {
				t.Errorf("%s: the last window ends at %d with %d draws", c.name, w.End, w.Draws)
			}
			if tried := len(w.Tried) > 0; tried != c.tried {
				t.Errorf("%s: tried %+v", c.name, w.Tried)
			}
			best := math.Inf(1)
			for _, trial := range w.Tried {
				best = min(best, trial.Score)
				if trial.Kind == "diag_e" && c.asked != AutoMetric {
					t.Errorf("%s: a diagonal metric was tried", c.name)
				}
			}
			if c.tried && !(best > 1 && best < 4) { // 2 if the metric were that of the target
				t.Errorf("%s: the best score is %v", c.name, best)
			}
			k := ch.Metric.Kind
			if k == "low_rank" && w.Kind == k && w.Rank != ch.Metric.Rank {
				t.Errorf("%s: rank %d, but the metric has %d", c.name, w.Rank, ch.Metric.Rank)
			}
			if c.asked != AutoMetric && w.Kind != c.asked.String() && w.Kind != keptMetric {
				t.Errorf("%s: chose %s", c.name, w.Kind)
			}
		}
	}
}
