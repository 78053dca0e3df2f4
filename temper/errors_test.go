package temper

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
)

// broken is a standard normal with something wrong.
type broken struct {
	what  string
	calls *int
}

func (b broken) Dim() int { return 1 }
func (b broken) LogDensity(x, g []float64) float64 {
	*b.calls++
	g[0] = -x[0]
	switch {
	case b.what == "panic" && *b.calls > 500:
		panic("no more")
	case b.what == "infinite" && *b.calls > 500:
		return math.Inf(1)
	case b.what == "gradient":
		g[0] = x[0]
	case b.what == "nowhere":
		return math.Inf(-1)
	case b.what == "nan" && x[0] < 0:
		return math.NaN()
	}
	return -x[0] * x[0] / 2
}
func (b broken) Names() []string {
	if b.what == "names" {
		return []string{"a", "a"}
	}
	return []string{"a"}
}
func (b broken) Constrain(dst, x []float64) { copy(dst, x) }

// badReference is a reference with something wrong.
type badReference struct {
	*StudentT
	what string
}

func (b badReference) LogDensity(x, g []float64) float64 {
	lp := b.StudentT.LogDensity(x, g)
	switch b.what {
	case "nan":
		return math.NaN()
	case "outside":
		return math.Inf(-1)
	case "gradient":
		g[0]++
	}
	return lp
}

func TestErrors(t *testing.T) {
	ok := hmc.Shared(testmodels.Normal(1))
	bad := func(what string) hmc.Factory {
		return func() (hmc.Target, error) { return broken{what, new(int)}, nil }
	}
	ref := func(what string) Config {
		return Config{Settings: hmc.Settings{Chains: 2, Warmup: 100, Draws: 100},
			Reference: func() (Reference, error) {
				return badReference{normal(t, 1, 0, 2), what}, nil
			}}
	}
	with := func(change func(*hmc.Settings)) (c Config) {
		change(&c.Settings)
		return c
	}
	other := func(f func() (Reference, error)) Config { return Config{Reference: f} }
	for _, c := range []struct {
		f    hmc.Factory
		cfg  Config
		want string
	}{
		{ok, Config{Settings: hmc.Settings{Chains: -1}}, "temper: Chains is -1"},
		{ok, Config{Settings: hmc.Settings{Warmup: 99}},
			"temper: Warmup is 99, want at least 100"},
		{ok, Config{MaxDepth: 31}, "MaxDepth is 31"},
		{ok, Config{Rungs: 1}, "Rungs is 1"},
		{ok, Config{Settings: hmc.Settings{TargetAccept: 2}}, "TargetAccept is 2"},
		{ok, Config{Settings: hmc.Settings{Source: "dice"}}, `unknown source "dice"`},
		{ok, Config{Settings: hmc.Settings{Adapt: hmc.Adapt{Metric: foreign{}}}}, "unknown Adapt.Metric"},
		{ok, with(func(s *hmc.Settings) { s.SaveWarmup = true }), "SaveWarmup is set"},
		{ok, with(func(s *hmc.Settings) { s.StepJitter = 0.1 }), "StepJitter is set"},
		{ok, with(func(s *hmc.Settings) { s.Until = &hmc.Until{} }), "Until is set"},
		{ok, with(func(s *hmc.Settings) { s.Start.Points = [][]float64{{1}} }), "Start.Points is set"},
		{ok, with(func(s *hmc.Settings) { s.Start.Warm = make([]hmc.WarmStart, 1) }), "Start.Warm is"},
		{ok, with(func(s *hmc.Settings) { s.Adapt.StanWarmup = true }), "Adapt beside Metric is set"},
		{ok, with(func(s *hmc.Settings) { s.Warmup = hmc.NoWarmup }), "Warmup is -1"},
		{func() (hmc.Target, error) { return nil, errors.New("no data") }, Config{}, "no data"},
		{func() (hmc.Target, error) { return nil, nil }, Config{}, "made no target"},
		{func() (hmc.Target, error) { panic("boom") }, Config{}, "panicked: boom"},
		{hmc.Shared(testmodels.Func{}), Config{}, "dimension 0"},
		{bad("names"), Config{}, `names both value 0 and value 1 "a"`},
		{bad("panic"), ref(""), "the target panicked at"},
		{bad("infinite"), ref(""), "log density is +Inf"},
		{bad("gradient"), ref(""), "gradient is wrong in component 0 (a)"},
		{bad("gradient"), Config{}, "the run that the reference is fitted to"},
		{bad("nowhere"), ref(""), "the reference must cover the target"},
		{ok, ref("nan"), "log density of the reference is NaN"},
		{ok, ref("outside"), "where its log density is -Inf"},
		{ok, ref("gradient"), "in the reference: hmc: gradient is wrong"},
		{ok, other(func() (Reference, error) { return nil, errors.New("none") }), "none"},
		{ok, other(func() (Reference, error) { return nil, nil }), "no reference was made"},
		{ok, other(func() (Reference, error) { panic("boom") }), "panicked: boom"},
		{ok, other(func() (Reference, error) { return normal(t, 2, 0, 1), nil }),
			"the reference has dimension 2, the target 1"},
	} {
		_, _, err := Sample(context.Background(), c.f, c.cfg)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "temper: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, expected %q", err, c.want)
		}
	}
}

// foreign is no kind of metric that package hmc lists.
type foreign struct{ hmc.MetricKind }

func (foreign) String() string { return "foreign" }
