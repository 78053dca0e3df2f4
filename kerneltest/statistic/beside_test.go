package statistic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Against draws of q and u: forms of few and of many weights, and a that tells much of q or little.
// The share of draws misses by more than four standard errors and the error of Pearson's type III, .004,
// with probability 6e-5 in each case.
func TestWithNormal(t *testing.T) {
	const draws = 40_000
	for at, c := range []struct {
		n, rank int
		length  float64 // of a
		along   bool    // a is near the largest eigenvector
	}{{30, 3, 1, false}, {30, 3, 1, true}, {30, 20, 1, true}, {30, 20, 0.5, true}, {30, 8, 0, false}} {
		r := rand.New(rand.NewPCG(uint64(at), 31))
		n := c.n
		w := make([][]float64, c.rank) // M is the sum of w w'
		for k := range w {
			w[k] = make([]float64, n)
			for i := range w[k] {
				w[k][i] = r.NormFloat64() * math.Pow(0.7, float64(k))
			}
		}
		m := make([]float64, n*n)
		for i := range n {
			for j := range n {
				for _, v := range w {
					m[i*n+j] += v[i] * v[j]
				}
			}
		}
		a, size := make([]float64, n), 0.0
		for i := range a {
			a[i] = r.NormFloat64()
			if c.along {
				a[i] = w[0][i] + 0.3*a[i]
			}
			size += a[i] * a[i]
		}
		for i := range a {
			a[i] *= c.length / math.Sqrt(size)
		}
		times := func(v []float64) []float64 {
			out := make([]float64, n)
			for i := range out {
				for j, e := range v {
					out[i] += m[i*n+j] * e
				}
			}
			return out
		}
		dot := func(u, v []float64) float64 {
			s := 0.0
			for i, e := range u {
				s += e * v[i]
			}
			return s
		}
		ma := times(a)
		moments := [3]float64{dot(a, ma), dot(ma, ma), dot(ma, times(ma))}
		form := NewQuadraticForm(m, n)
		ts, us := make([]float64, draws), make([]float64, draws)
		q := make([]float64, n)
		for d := range draws {
			for i := range q {
				q[i] = r.NormFloat64()
			}
			for _, v := range w {
				s := dot(v, q)
				ts[d] += s * s
			}
			us[d] = dot(a, q) + math.Sqrt(max(0, 1-c.length*c.length))*r.NormFloat64()
		}
		sorted := slices.Clone(ts)
		slices.Sort(sorted)
		for _, s := range []float64{0.02, 0.05, 0.2} {
			const weight = 0.7
			bar := sorted[draws-int(weight*s*draws)]
			count := 0
			for d := range draws {
				if ts[d] >= bar || math.Erfc(math.Abs(us[d])/math.Sqrt2) <= (1-weight)*s {
					count++
				}
			}
			want := float64(count) / draws
			got := form.WithNormal(moments, weight*s, 1, weight)
			if e := math.Abs(got - want); e > 4*math.Sqrt(want/draws)+0.004 {
				t.Errorf("case %d, s = %g: %.4f, draws have %.4f", at, s, got, want)
			}
			if other := form.WithNormal(moments, 1, (1-weight)*s, weight); math.Abs(got-other) > 1e-12 {
				t.Errorf("case %d: %v by the form and %v by the normal variable", at, got, other)
			}
		}
	}
}

// Where u says nothing of q the two are independent, and where q is u one number the smallest decides.
func TestWithNormalLimits(t *testing.T) {
	m := []float64{3, 0, 0, 0, 2, 0, 0, 0, 1}
	q := NewQuadraticForm(m, 3)
	for _, s := range []float64{1e-12, 1e-3, 0.05, 0.5} {
		want := s - 0.7*0.3*s*s
		if got := q.WithNormal([3]float64{}, 0.7*s, 1, 0.7); math.Abs(got-want) > 1e-7*want {
			t.Errorf("independent, s = %g: %v, want %v", s, got, want)
		}
	}
	if got := q.WithNormal([3]float64{}, 1, 1, 0.7); got != 1 {
		t.Errorf("two p-values of 1 give %v", got)
	}
	one := NewQuadraticForm([]float64{2}, 1)
	if got := one.WithNormal([3]float64{2, 4, 8}, 0.05, 0.05, 0.7); math.Abs(got-0.05) > 0.02 {
		t.Errorf("one number has %v", got)
	}
}
