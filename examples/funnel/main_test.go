package main

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		args   string
		code   int
		stdout []string // to be found in it
		stderr string
	}{
		{"-seeds 2 -warmup 100 -draws 100 -only funnel -samplers nuts,1,0.5/0.3 -metric unit", 0,
			[]string{"metric unit_e", "| funnel | nuts |", "| within orbit, 1 |",
				"| within orbit, 0.5, finer 0.3 |", "| -4.935 |"}, ""},
		{"-seeds 2 -warmup 100 -draws 100 -only kid", 0, []string{"| kidscore | nuts |"}, ""},
		{"-only nothing", 2, nil, `"nothing"`},
		{"-metric round", 2, nil, "-metric"},
		{"-samplers hmc", 2, nil, `"hmc"`},
		{"-samplers 1/x", 2, nil, `"1/x"`},
		{"-samplers -1 -only funnel", 1, nil, "MaxError is -1"},
		{"-seeds 1", 2, nil, "-seeds is 1"},
		{"all", 2, nil, `"all"`},
		{"-h", 0, nil, "-samplers"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), strings.Fields(c.args), &stdout, &stderr)
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d", c.args, code, c.code)
		}
		if !strings.Contains(stderr.String(), c.stderr) || c.stderr == "" && stderr.Len() > 0 {
			t.Errorf("%s: stderr is %q, want %q in it", c.args, stderr.String(), c.stderr)
		}
		for _, want := range c.stdout {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%s: stdout is %q, want %q in it", c.args, stdout.String(), want)
			}
		}
	}
}

// TestInterrupted: the message names the program once.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"-only", "funnel"}, &stdout, &stderr)
	want := "funnel: sampling \"funnel\": hmc: stopped before the end: context canceled\n"
	if code != 1 || stderr.String() != want {
		t.Errorf("exit code %d, %q, want %q", code, &stderr, want)
	}
}

// TestNeal compares the gradient with differences.
func TestNeal(t *testing.T) {
	f := neal(10)
	r := rand.New(rand.NewPCG(1, 2))
	x, g, other := make([]float64, 10), make([]float64, 10), make([]float64, 10)
	for range 20 {
		for i := range x {
			x[i] = 2 * r.NormFloat64()
		}
		f.F(x, g)
		for i, v := range x {
			const h = 1e-5
			x[i] = v + h
			up := f.F(x, other)
			x[i] = v - h
			down := f.F(x, other)
			x[i] = v
			if d := (up - down) / (2 * h); !(math.Abs(d-g[i]) < 1e-6*(1+math.Abs(d))) {
				t.Errorf("component %d at %v: %v, want %v", i, x, g[i], d)
			}
		}
	}
}

// eightSchools holds the data of Rubin (1981) once more.
var eightSchools = struct{ y, sigma [8]float64 }{
	[8]float64{28, 8, -3, 7, -1, 1, 18, 12}, [8]float64{15, 10, 16, 11, 9, 11, 10, 18}}

// logTau is the log density of log tau in the eight schools, up to a constant: given tau, the
// effects are normal around mu with variances sigma² + tau², and mu is N(0, 25).
func logTau(l float64) float64 {
	tau := math.Exp(l)
	precision, sum, lp := 1./25, 0., 0.
	for j, y := range eightSchools.y {
		v := eightSchools.sigma[j]*eightSchools.sigma[j] + tau*tau
		precision += 1 / v
		sum += y / v
		lp -= math.Log(v)/2 + y*y/(2*v)
	}
	return lp + sum*sum/(2*precision) - math.Log(precision)/2 - math.Log1p(tau*tau/25) + l
}

func TestEightSchoolsTau05(t *testing.T) {
	const n, lo, hi = 40000, -30., 12.
	below, all := 0., 0.
	for i := range n {
		l := lo + (hi-lo)*(float64(i)+0.5)/n
		w := math.Exp(logTau(l))
		all += w
		if l < math.Log(eightSchoolsTau05) {
			below += w
		}
	}
	if got := below / all; !(math.Abs(got-0.05) < 2e-5) {
		t.Errorf("%v of the posterior lies below, want 0.05", got)
	}
}
