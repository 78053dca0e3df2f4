package magnitude

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Laws of the family with closed forms: the normal one, the lognormal one, and moments of a symmetric
// one with heavy tails.
func TestTailsClosedForms(t *testing.T) {
	normal, lognormal, heavy := newTailed(0, 0), newTailed(1, 0), newTailed(0, 0.2)
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"normal l2", normal.l2, 1 / math.Sqrt(math.Pi)},
		{"normal sd", normal.sd, math.Sqrt(math.Pi)},
		{"normal kurtosis", normal.kurtosis, 30/math.Pi*math.Atan(math.Sqrt2) - 9},
		{"lognormal mean", lognormal.mean, math.Sqrt(math.E) - 1},
		{"lognormal l2", lognormal.l2, math.Sqrt(math.E) * math.Erf(0.5)},
		{"lognormal sd", lognormal.sd * lognormal.l2, math.Sqrt(math.E * (math.E - 1))},
		{"heavy sd", heavy.sd * heavy.l2, math.Pow(0.6, -0.75)},
		{"heavy skewness", heavy.skewness, 0},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}

// Many draws have the sd that the law says, for moderate tails to within 2% (standard error .3%).
func TestTailsDraw(t *testing.T) {
	d := drawn{of: tailsOf(0.2, 0.15), scale: -3}
	m := d.moments(400_000, rand.New(rand.NewPCG(1, 1)))
	if sd := math.Sqrt(m.m2); math.Abs(sd/-d.sd()-1) > 0.02 || !(m.m3 < 0) || math.Abs(m.mean) > 0.05 {
		t.Errorf("sd %v, want %v; mean %v, third moment %v", sd, -d.sd(), m.mean, m.m3)
	}
}

// The L-moments of rows, some drawn twice and some not at all, are the means over all pairs, threes
// and fours of different draws (Hosking, 1990).
func TestLMomentsByBruteForce(t *testing.T) {
	s := newResampler([]float64{3, -1, 4, 1.5, 9, 2.6, 5})
	s.n = []int{1, 0, 2, 1, 0, 2, 1}
	var x []float64
	for i, v := range s.rows {
		for range s.n[i] {
			x = append(x, v)
		}
	}
	var sums, counts [5]float64
	n := len(x)
	for set := range 1 << n {
		var v []float64
		for i := range n {
			if set>>i&1 == 1 {
				v = append(v, x[i])
			}
		}
		slices.Sort(v)
		switch len(v) {
		case 2:
			sums[2] += (v[1] - v[0]) / 2
		case 3:
			sums[3] += (v[2] - 2*v[1] + v[0]) / 3
		case 4:
			sums[4] += (v[3] - 3*v[2] + 3*v[1] - v[0]) / 4
		default:
			continue
		}
		counts[len(v)]++
	}
	l2, skewness, kurtosis := s.lMoments()
	for k, got := range map[int]float64{2: l2, 3: skewness * l2, 4: kurtosis * l2} {
		if want := sums[k] / counts[k]; math.Abs(got-want) > 1e-12 {
			t.Errorf("L-moment %d: %v, want %v", k, got, want)
		}
	}
}
