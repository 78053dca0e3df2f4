package main

import (
	"bayeskernel/examples/internal/reporttest"
	"math"
	"math/rand/v2"
	"testing"
)

func TestRun(t *testing.T) {
	reporttest.Calls(t, run, []reporttest.Call{
		{Args: "-seeds 2 -warmup 100 -draws 100 -only funnel -samplers nuts,1,0.5/0.3 -metric unit",
			Stdout: []string{"metric unit_e", "| funnel | nuts |", "| within orbit, 1 |",
				"| within orbit, 0.5, finer 0.3 |", "| -4.935 |"}},
		{Args: "-seeds 2 -warmup 100 -draws 100 -only kid",
			Stdout: []string{"| kidscore | nuts |"}},
		{Args: "-only nothing", Code: 2, Stderr: `"nothing"`},
		{Args: "-metric round", Code: 2, Stderr: "-metric"},
		{Args: "-samplers hmc", Code: 2, Stderr: `"hmc"`},
		{Args: "-samplers 1/x", Code: 2, Stderr: `"1/x"`},
		{Args: "-samplers -1 -only funnel", Code: 1, Stderr: "MaxError is -1"},
		{Args: "-seeds 1", Code: 2, Stderr: "-seeds is 1"},
		{Args: "all", Code: 2, Stderr: `"all"`},
		{Args: "-h", Stderr: "-samplers"},
	})
}

// TestInterrupted: the message names the program once.
func TestInterrupted(t *testing.T) {
	want := "funnel: sampling \"funnel\": hmc: stopped before the end: context canceled\n"
	if got := reporttest.Interrupted(t, run, "-only funnel"); got != want {
		t.Errorf("%q, want %q", got, want)
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
