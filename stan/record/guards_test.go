package record

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/stan/syntax"
)

// A program whose conditions come out otherwise at nearly every point has the log density and gradient of a
// fresh run everywhere, and the same bits whatever was evaluated before.
func TestGuardsFlip(t *testing.T) {
	p := bound(t, "guards", nil)
	chain, r := p.NewChain(), rand.New(rand.NewPCG(9, 10))
	u, grad, want, again := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
	rejected := 0
	for range 80 {
		for i := range u {
			u[i] = 1.5 * r.NormFloat64()
		}
		lp := chain.LogDensity(u, grad)
		fresh, err := p.LogDensity(u, want)
		if err != nil {
			if rejected++; !Rejected(err) || !math.IsInf(lp, -1) {
				t.Fatalf("at %v: %v, and the chain has %v", u, err, lp)
			}
			continue
		}
		if !(math.Abs(lp-fresh) <= 1e-12*max(1, math.Abs(fresh))) {
			t.Errorf("at %v: %v, want %v", u, lp, fresh)
		}
		if first := p.NewChain().LogDensity(u, again); first != lp {
			t.Errorf("at %v: %v after other points, %v at first", u, lp, first)
		}
		for i := range grad {
			if !(math.Abs(grad[i]-want[i]) <= 1e-10*max(1, math.Abs(want[i]))) {
				t.Errorf("derivative %d at %v: %v, want %v", i, u, grad[i], want[i])
			}
			if grad[i] != again[i] {
				t.Errorf("derivative %d at %v has other bits after other points", i, u)
			}
		}
	}
	if rejected == 0 || rejected > 60 {
		t.Errorf("%d of 80 points rejected, want some", rejected)
	}
}

// A density that arithmetic makes infinite, here by an element of a simplex and by a probability that underflow,
// is no place for a chain.
func TestInfiniteDensity(t *testing.T) {
	tree, err := syntax.Parse(`parameters { simplex[2] p; real a; }
model { p ~ dirichlet([0.5, 0.5]'); a ~ normal(0, 1); target += -log(1 - inv_logit(a)); }`)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Bind(tree, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	c, grad := p.NewChain(), make([]float64, 2)
	for _, u := range [][]float64{{800, 0}, {0, 60}} {
		if lp, _ := p.LogDensity(u, grad); !math.IsInf(lp, 1) {
			t.Fatalf("the program has %v at %v, want +Inf", lp, u)
		}
		if lp := c.LogDensity(u, grad); !math.IsInf(lp, -1) {
			t.Errorf("at %v: %v, want -Inf", u, lp)
		}
	}
	if lp := c.LogDensity([]float64{0, 0}, grad); math.IsInf(lp, 0) {
		t.Errorf("at 0: %v", lp)
	}
}
