package models

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/long"
	"bayeskernel/nuts"
)

// errorOf compares a statistic of draws x with one of the reference draws: it returns the
// difference in units of its standard error, to which both contribute.
func errorOf(got, mcse, want, refError float64) float64 {
	return math.Abs(got-want) / math.Hypot(mcse, refError)
}

// worstError compares all statistics of a parameter with its reference moments. What 10,000
// independent draws would err by is estimated from our own: of a mean sd/100; of a standard
// deviation sd sqrt(kurtosis-1)/200; of a quantile half the distance between the quantiles one
// standard error of the empirical distribution function away.
func worstError(x [][]float64, ref Moments) (worst float64, what string) {
	flat := slices.Concat(x...)
	mean, sd := diagnostics.Mean(x), diagnostics.SD(x)
	m4 := 0.0
	for _, v := range flat {
		m4 += math.Pow((v-mean)/sd, 4) / float64(len(flat))
	}
	note := func(name string, e float64) {
		if !(e <= worst) { // a NaN is the worst of all
			worst, what = e, name
		}
	}
	note("mean", errorOf(mean, diagnostics.MCSEMean(x), ref.Mean, sd/math.Sqrt(ReferenceDraws)))
	note("sd", errorOf(sd, diagnostics.MCSESD(x), ref.SD,
		sd*math.Sqrt((m4-1)/(4*ReferenceDraws))))
	if ref.Q05 == ref.Q95 { // not known
		return worst, what
	}
	for _, q := range []struct{ p, ref float64 }{{0.05, ref.Q05}, {0.5, ref.Q50}, {0.95, ref.Q95}} {
		step := math.Sqrt(q.p * (1 - q.p) / ReferenceDraws)
		refError := (diagnostics.Quantile(x, q.p+step) - diagnostics.Quantile(x, q.p-step)) / 2
		note("quantile", errorOf(diagnostics.Quantile(x, q.p), diagnostics.MCSEQuantile(x, q.p),
			q.ref, refError))
	}
	return worst, what
}

func sample(t *testing.T, p Posterior, cfg nuts.Config) *draws.Run {
	t.Helper()
	run, err := nuts.Sample(context.Background(), p.Factory, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func divergences(run *draws.Run) (n int) {
	for _, c := range run.Chains {
		n += len(c.Divergences)
	}
	return n
}

// TestMoments compares four chains of 1000 draws with the reference. A normal error exceeds 5.5
// with a probability of 4e-8; with the standard errors estimated from 1000 effective draws or
// more, that stays below 1e-6 per comparison on another seed: over 20 seeds, 4300 comparisons, the
// largest error was 4.3, and over 60 the actual errors were 0.89 to 1.16 times those claimed.
//
// R-hat, the usual limit of 1.01 being kept, is the exception: on another seed it exceeds that with
// a probability of up to 1e-4 for a parameter whose distances from the median have an effective
// size of 1500 (B/W of the eight half chains is then an F statistic with 7 degrees of freedom), and
// 2e-6 for one of 2000.
//
// The chains of the mixture, of the basketball series and of predator and prey start apart from
// their minor modes, those of ARMA and of the Poisson regression not too far out. Eight schools is
// sampled with a target acceptance of 0.95, as its reference was: at 0.8 every other run has a
// divergence or more, at 0.95 one in twenty, so that more than four have a probability below 1e-8.
// The surgical model had 3 divergences in 20 runs at 0.95, no two in one run; the elimination of a drug
// none in 20 runs at 0.99, where 0.95 gave 0 to 95.
// The two Gaussian processes mix too slowly for those limits even at 0.99: with 1000 draws R-hat is
// 1.03 to 1.11, with 2500, which they have here, 1.01 to 1.02. What counts there are the moments.
func TestMoments(t *testing.T) {
	each(t, func(t *testing.T, p Posterior, _ hmc.Target, s slow) {
		if p.Name == "eight_schools_centered" {
			t.Skip("it cannot be sampled well")
		}
		if s.long {
			long.Skip(t)
		}
		var cfg nuts.Config
		cfg.Seed, cfg.TargetAccept, cfg.Draws = 20240917, s.targetAccept, s.draws
		if s.start != nil {
			cfg.Start.Points = [][]float64{s.unconstrain(s.start)}
		}
		run := sample(t, p, cfg)
		if n := divergences(run); n > s.divergences {
			t.Errorf("%d divergences, at most %d were expected", n, s.divergences)
		}
		most := 0.0
		for name, ref := range p.Reference {
			x, ok := run.Draws(name)
			if !ok {
				t.Fatalf("no draws of %s", name)
			}
			if r := diagnostics.RHat(x); !(r < cmp.Or(s.rhat, 1.01)) {
				t.Errorf("%s: R-hat is %v", name, r)
			}
			if e := diagnostics.ESSBulk(x); !(e > 1000) && !s.long {
				t.Errorf("%s: bulk ESS is %v", name, e)
			}
			worst, what := worstError(x, ref)
			if !(worst < 5.5) {
				t.Errorf("%s: the %s is off by %.2f standard errors", name, what, worst)
			}
			most = max(most, worst)
		}
		t.Logf("largest error %.2f standard errors", most)
	})
}

// TestCentred wants the trouble with the centred form to be reported. Twenty seeds gave 18 to
// 216 divergences each.
func TestCentred(t *testing.T) {
	p, err := EightSchoolsCentered()
	if err != nil {
		t.Fatal(err)
	}
	var cfg nuts.Config
	cfg.Seed, cfg.Adapt.StanWarmup, cfg.Adapt.Metric, cfg.TargetAccept = 20240917, true,
		hmc.DiagMetric, 0.9
	run := sample(t, p, cfg)
	n := divergences(run)
	i := slices.IndexFunc(run.Warnings(), func(w draws.Warning) bool {
		return w.Kind == draws.WarnDivergences
	})
	if n == 0 || i < 0 {
		t.Fatalf("%d divergences, and the warnings %v", n, run.Warnings())
	}
	if got := run.Warnings()[i].Value; got != float64(n) {
		t.Errorf("the warning counts %v divergences of %d", got, n)
	}
}
