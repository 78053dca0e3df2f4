package density

import (
	"math"
	"testing"
)

// Of a log rate of -Inf, and of log odds of -Inf and Inf, one value is certain, and derivatives are finite.
func TestExtended(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		f           *Family
		at, y       float64
		want, slope float64
	}{
		{PoissonLog(), -inf, 0, 0, 0},
		{PoissonLog(), -inf, 2, -inf, 2},
		{BernoulliLogit(), -inf, 0, 0, 0},
		{BernoulliLogit(), -inf, 1, -inf, 1},
		{BernoulliLogit(), inf, 1, 0, 0},
		{BernoulliLogit(), inf, 0, -inf, -1},
	} {
		var g, work Grad
		p := Params{c.at}
		if got := c.f.LogDensity(c.y, &p, &g, &work); got != c.want || g[1] != c.slope || !c.f.Params[0].Domain.Contains(c.at) {
			t.Errorf("%s of %v at %v is %v with slope %v, want %v and %v", c.f.Name, c.y, c.at, got, g[1], c.want, c.slope)
		}
		want, slope := 0.0, 0.0 // at most y, which is certain from the certain value on
		if c.at > 0 && c.y == 0 {
			want, slope = -inf, -1
		}
		if got := c.f.Below(c.y, &p, &g); got != want || g[1] != slope {
			t.Errorf("%s of at most %v at %v is %v with slope %v, want %v and %v", c.f.Name, c.y, c.at, got, g[1], want, slope)
		}
	}
}
