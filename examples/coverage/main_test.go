package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"bayeskernel/bke"

	"gonum.org/v1/gonum/integrate/quad"
)

// The embeddings against quadrature of their definition.
func TestEmbeddings(t *testing.T) {
	for _, c := range cases() {
		for _, l := range []law{c.p, c.q} {
			for _, theta := range []float64{0.05, 0.3, 2} {
				for _, at := range []float64{-2, -0.3, 0, 1, 4} {
					f := func(x float64) float64 {
						d := (x - at) / theta
						return l.density(x) * math.Exp(-d*d/2)
					}
					want := 0.0
					for k := -80; k < 80; k++ { // 0, where there is a kink, is an end
						a := float64(k) / 4
						want += quad.Fixed(f, a, a+0.25, 60, nil, 0)
					}
					if got := l.embedding(at, theta); !(math.Abs(got-want) <= 1e-12) {
						t.Errorf("%s, theta = %v, t = %v: %v, want %v", l.name(), theta, at, got, want)
					}
				}
			}
		}
	}
}

func (l law) density(x float64) float64 {
	if l.scale > 0 {
		return math.Exp(-math.Abs(x)/l.scale) / 2 / l.scale
	}
	sum := 0.0
	for _, m := range l.means {
		d := (x - m) / l.sd
		sum += math.Exp(-d*d/2) / l.sd / math.Sqrt(2*math.Pi)
	}
	return sum / float64(len(l.means))
}

// A small version of the measurement: 20 data sets of each kind. A share of one data set has a
// standard deviation of 0.17 or so, the mean of all 120 one of 0.016: a reseed leaves the range,
// which is 0.08 wide on either side, with probability below 1e-6.
func TestBandsAreHonest(t *testing.T) {
	o := options{sets: 20, theta: 0.3, level: 0.8, seed: 1}
	var mu, witness shares
	for _, c := range cases() {
		for _, n := range []int{50, 400} {
			s, err := o.measure(context.Background(), c, n, bke.CLT)
			if err != nil {
				t.Fatal(err)
			}
			mu, witness = append(mu, s.mu...), append(witness, s.witness...)
		}
	}
	for _, got := range []shares{mu, witness} {
		if m := got.mean(); m < 0.72 || m > 0.88 {
			t.Errorf("80%% bands cover %v", got)
		}
	}
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		args         string
		code         int
		want, errors string
	}{
		{"-sets 1 -draws 2", 0, "| N(0, 1²) | Laplace(0, 0.707) | 50 | clt |", ""},
		{"-sets 1 -theta 0.3", 0, "theta = 0.3", ""},
		{"-sets 0", 2, "", "want -sets"},
		{"-what", 2, "", "not defined"},
		{"-help", 0, "", "number of data sets"},
	} {
		var out, errs strings.Builder
		code := run(context.Background(), strings.Fields(c.args), &out, &errs)
		if code != c.code || !strings.Contains(out.String(), c.want) ||
			!strings.Contains(errs.String(), c.errors) {
			t.Errorf("%s: code %d, stdout %q, stderr %q", c.args, code, out.String(), errs.String())
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs strings.Builder
	if code := run(ctx, []string{"-sets", "1"}, &out, &errs); code != 1 {
		t.Errorf("an ended context: code %d, %s", code, fmt.Sprint(errs.String()))
	}
}
