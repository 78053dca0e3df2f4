package diagnostics

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// blocks gives chains in blocks of uneven size.
func blocks(chains [][]float64) func(int, func([]float64)) error {
	return func(c int, f func([]float64)) error {
		for b := range slices.Chunk(chains[c], 777) {
			f(b)
		}
		return nil
	}
}

// TestStreamed: close to the exact estimates, for chains of any correlation, with heavy tails, with one
// chain elsewhere, one of another spread, and where chains have an odd length.
func TestStreamed(t *testing.T) {
	for _, c := range []struct {
		draws          int
		rho            float64
		shift, scale   float64 // of the first chain
		heavy          bool
		rhat, relative float64 // largest differences; relative 0: not above, as chains disagree
	}{
		{4097, 0, 0, 1, false, 2e-4, .05},
		{20_001, 0.5, 0, 1, false, 2e-4, .08},
		{30_000, 0.9, 0, 1, false, 2e-4, .08},
		{30_000, 0.98, 0, 1, true, 5e-4, .1},
		{30_000, -0.4, 0, 1, false, 2e-4, .15},
		{20_000, 0.5, 0.5, 1, false, 2e-3, 0},
		{20_000, 0.5, 0, 2, false, 2e-3, 0},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(c.draws), 1))
			chains := make([][]float64, 4)
			for k := range chains {
				x := 0.0
				for range c.draws {
					x = c.rho*x + math.Sqrt(1-c.rho*c.rho)*r.NormFloat64()
					v := 1e3 + x
					if c.heavy {
						v = math.Exp(3 * x)
					}
					if k == 0 {
						v = 1e3 + c.shift + c.scale*(v-1e3)
					}
					chains[k] = append(chains[k], v)
				}
			}
			got, err := Streamed(4, c.draws, blocks(chains))
			if err != nil {
				t.Fatal(err)
			}
			if want := RHat(chains); math.Abs(got.RHat-want) > c.rhat {
				t.Errorf("R-hat is %v, exactly %v", got.RHat, want)
			}
			for _, e := range []struct {
				name      string
				got, want float64
			}{{"bulk", got.ESSBulk, ESSBulk(chains)}, {"tail", got.ESSTail, ESSTail(chains)}} {
				switch ratio := e.got / e.want; {
				case c.relative > 0 && math.Abs(ratio-1) > c.relative, c.relative == 0 && ratio > 1.1:
					t.Errorf("%s ESS is %.0f, exactly %.0f", e.name, e.got, e.want)
				}
			}
			if want := ESSMean(chains); !c.heavy && c.relative > 0 && math.Abs(got.ESSMean/want-1) > c.relative {
				t.Errorf("ESS of the mean is %.0f, exactly %.0f", got.ESSMean, want)
			}
		})
	}
}

func TestStreamedWithout(t *testing.T) {
	same := slices.Repeat([]float64{2.5}, 5000)
	got, err := Streamed(2, 5000, blocks([][]float64{same, same}))
	if err != nil || !got.Constant || !math.IsNaN(got.ESSBulk) {
		t.Errorf("constant chains: %+v, %v", got, err)
	}
	bad := slices.Clone(same)
	bad[77] = math.Inf(1)
	if got, _ := Streamed(2, 5000, blocks([][]float64{same, bad})); got.Constant || !math.IsNaN(got.RHat) {
		t.Errorf("an infinite draw: %+v", got)
	}
	want := errors.New("no disk")
	if _, err := Streamed(1, 5000, func(int, func([]float64)) error { return want }); err != want {
		t.Errorf("error is %v", err)
	}
}
