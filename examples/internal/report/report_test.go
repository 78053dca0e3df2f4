package report

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/examples/models"
	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
	"bayeskernel/nuts"
)

func TestRun(t *testing.T) {
	fails := errors.New("the model has failed")
	for _, c := range []struct {
		args   string
		err    error
		code   int
		stderr string
	}{
		{"", nil, 0, ""},
		{"-chains 2 -warmup 30 -draws 40 -seed 50", nil, 0, ""},
		{"", fails, 1, "try: the model has failed\n"},
		{"-h", fails, 0, "-chains"},
		{"-unknown", nil, 2, "-unknown"},
		{"-draws x", nil, 2, "-draws"},
		{"-draws 0", nil, 2, "want them positive"},
		{"-warmup -1", nil, 2, "want them positive"},
		{"data.csv", nil, 2, "data.csv"},
	} {
		var stdout, stderr bytes.Buffer
		var got nuts.Config
		code := Run(context.Background(), "try", strings.Fields(c.args), &stdout, &stderr,
			func(_ context.Context, cfg nuts.Config, out io.Writer) error {
				got = cfg
				return c.err
			})
		if code != c.code || !strings.Contains(stderr.String(), c.stderr) ||
			c.code == 0 && c.stderr == "" && stderr.Len() > 0 {
			t.Errorf("%q: exit code %d, want %d; stderr %q, want %q", c.args, code, c.code,
				stderr.String(), c.stderr)
		}
		if s := got.Settings; strings.HasPrefix(c.args, "-chains") &&
			(s.Chains != 2 || s.Warmup != 30 || s.Draws != 40 || s.Seed != 50) {
			t.Errorf("%q: settings %+v", c.args, s)
		}
	}
}

// TestPrint draws a few numbers whose moments are known by heart.
func TestPrint(t *testing.T) {
	run := &draws.Run{Names: []string{"long_name", "b"}}
	for range 2 {
		run.Chains = append(run.Chains, draws.Chain{Gradients: 70, WarmupGradients: 30,
			Values: [][]float64{{1, 500}, {2, 300}, {3, 100}, {3, 100}, {2, 300}, {1, 500}}})
	}
	var b bytes.Buffer
	err := Print(&b, run, map[string]models.Moments{
		"long_name": {Mean: 2.25, SD: 0.75, Q05: 1, Q50: 2, Q95: 3}})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i, want := range []string{"mean sd MCSE 5% 50% 95% R-hat bulk ESS tail ESS",
		"long_name 2.000 0.853 0.35 1.000 2.000 3.000", "reference 2.250 0.750 1.000 2.000 3.000",
		"b 300 171 70 100 300 500"} {
		if got := strings.Join(strings.Fields(lines[i]), " "); !strings.HasPrefix(got, want) {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
	}
	if want := "Gradients: 140, and 60 in warm-up. Divergent transitions: 0.\n"; !strings.Contains(
		b.String(), want) {
		t.Errorf("%q does not contain %q", b.String(), want)
	}
	if Print(failing{}, run, nil) == nil {
		t.Error("an error of the writer is lost")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestInterrupted stops a run in the middle of warm-up, and of sampling.
func TestInterrupted(t *testing.T) {
	for _, at := range []int{10, 1100} {
		interrupt(t, at)
	}
}

func interrupt(t *testing.T, at int) {
	ctx, cancel := context.WithCancel(context.Background())
	var stdout, stderr bytes.Buffer
	code := Run(ctx, "try", []string{"-draws", "1000000"}, &stdout, &stderr,
		func(ctx context.Context, cfg nuts.Config, out io.Writer) error {
			cfg.OnDraw = func(_, iteration int, _ bool, _ []float64, _ draws.Stat) {
				if iteration == at {
					cancel()
				}
			}
			run, err := nuts.Sample(ctx, hmc.Shared(testmodels.Gauss2()), cfg)
			return errors.Join(err, Print(out, run, nil))
		})
	if code != 1 || !strings.Contains(stderr.String(), "stopped before the end") ||
		!strings.Contains(stdout.String(), "x[1]") {
		t.Errorf("exit code %d, stderr %q, stdout %q", code, stderr.String(), stdout.String())
	}
}
