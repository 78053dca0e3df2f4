package calibration

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestSees simulates ranks of wrong posteriors, at the errors that are said to be found in three of
// four cases, and at a third of them. Of 1000 samples, 750 less 5 standard errors is 681.
func TestSees(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		n     int
		alpha float64
	}{{200, 0.05}, {100, 1e-3}} {
		e, err := NewEnvelope(c.n, 20, c.alpha)
		if err != nil {
			t.Fatal(err)
		}
		found := func(shift, scale float64) int {
			out := 0
			counts := make([]int, e.K)
			for range 1000 {
				clear(counts)
				for range e.N {
					u := distuv.UnitNormal.CDF(r.NormFloat64()/scale - shift)
					counts[min(e.K-1, int(u*float64(e.K)))]++
				}
				for i := 1; i < e.K; i++ {
					counts[i] += counts[i-1]
				}
				if !e.contains(counts) {
					out++
				}
			}
			return out
		}
		shift, narrow, wide := e.sees()
		large := []int{found(shift, 1), found(-shift, 1), found(0, narrow), found(0, wide)}
		small := []int{found(shift/3, 1), found(0, 1-(1-narrow)/3), found(0, 1+(wide-1)/3)}
		t.Logf("%+v: shift %.3g, sd %.3g and %.3g: found %v of 1000; a third: %v", c, shift, narrow,
			wide, large, small)
		for _, k := range large {
			if k < 681 {
				t.Errorf("%+v: %v of 1000 found", c, large)
			}
		}
		for _, k := range small {
			if k > 250 {
				t.Errorf("%+v: a third of the errors is found %v times in 1000", c, small)
			}
		}
	}
}

func TestTooFew(t *testing.T) {
	rep := mustCheck(t, made(99, 20, 3, 50), 1e-6)
	if len(rep.Notes) != 1 || !strings.Contains(rep.Notes[0], "too few") {
		t.Errorf("%q", rep.Notes)
	}
}
