package record

import (
	"math"
	"math/rand/v2"
	"testing"
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
