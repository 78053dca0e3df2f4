package diagnostics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The functions named naive... restate the definitions by the most direct sums, without
// transforms, sorting or scaling, as another implementation to compare with.

func naiveMean(a []float64) float64 {
	sum := 0.0
	for _, v := range a {
		sum += v
	}
	return sum / float64(len(a))
}

func naiveVar(a []float64) float64 {
	m, sum := naiveMean(a), 0.0
	for _, v := range a {
		sum += (v - m) * (v - m)
	}
	return sum / float64(len(a)-1)
}

func naiveSplit(chains [][]float64) [][]float64 {
	var out [][]float64
	for _, c := range chains {
		h := len(c) / 2
		out = append(out, c[:h], c[len(c)-h:])
	}
	return out
}

// naiveNormal inverts the normal distribution function by bisection.
func naiveNormal(p float64) float64 {
	lo, hi := -40.0, 40.0
	for range 200 {
		if mid := (lo + hi) / 2; math.Erfc(-mid/math.Sqrt2)/2 < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

func naiveScores(chains [][]float64) [][]float64 {
	all := slices.Concat(chains...)
	return mapDraws(chains, func(v float64) float64 {
		below, equal := 0.0, 0.0
		for _, w := range all {
			if w < v {
				below++
			} else if w == v {
				equal++
			}
		}
		rank := below + (equal+1)/2
		return naiveNormal((rank - 3.0/8) / (float64(len(all)) + 1.0/4))
	})
}

func naiveFold(chains [][]float64) [][]float64 {
	median := naiveQuantile(slices.Concat(chains...), 0.5)
	return mapDraws(chains, func(v float64) float64 { return math.Abs(v - median) })
}

func naiveQuantile(a []float64, p float64) float64 {
	a = slices.Clone(a)
	slices.Sort(a)
	at := float64(len(a)-1) * p
	lo := int(at)
	if lo == len(a)-1 {
		return a[lo]
	}
	return a[lo] + (at-float64(lo))*(a[lo+1]-a[lo])
}

func naiveRHat(chains [][]float64) float64 {
	n := float64(len(chains[0]))
	var means, vars []float64
	for _, c := range chains {
		means = append(means, naiveMean(c))
		vars = append(vars, naiveVar(c))
	}
	return math.Sqrt((n*naiveVar(means)/naiveMean(vars) + n - 1) / n)
}

// naiveESS follows the algorithm of the reference line by line, its indices counted from zero.
func naiveESS(chains [][]float64) float64 {
	if all := slices.Concat(chains...); slices.Max(all) == slices.Min(all) {
		return math.NaN()
	}
	n := len(chains[0])
	acov := make([]float64, n)
	var means []float64
	for _, c := range chains {
		m := naiveMean(c)
		means = append(means, m)
		for t := range acov {
			for i := 0; i+t < n; i++ {
				acov[t] += (c[i] - m) * (c[i+t] - m) / float64(n*len(chains))
			}
		}
	}
	within := acov[0] * float64(n) / float64(n-1)
	total := within * float64(n-1) / float64(n)
	if len(chains) > 1 {
		total += naiveVar(means)
	}
	rho := make([]float64, n)
	at := func(t int) float64 { return 1 - (within-acov[t])/total }
	even, odd := 1.0, at(1)
	rho[0], rho[1] = even, odd
	t := 0
	for t < n-5 && even+odd > 0 {
		t += 2
		even, odd = at(t), at(t+1)
		if even+odd >= 0 {
			rho[t], rho[t+1] = even, odd
		}
	}
	end := t
	if even > 0 {
		rho[end] = even
	}
	for t := 2; t <= end-2; t += 2 {
		if rho[t]+rho[t+1] > rho[t-2]+rho[t-1] {
			rho[t] = (rho[t-2] + rho[t-1]) / 2
			rho[t+1] = rho[t]
		}
	}
	sum := rho[0] // of at least one term
	for t := 1; t < end; t++ {
		sum += rho[t]
	}
	size := float64(n * len(chains))
	return size / max(-1+2*sum+rho[end], 1/math.Log10(size))
}

func naiveESSQuantile(chains [][]float64, p float64) float64 {
	q := naiveQuantile(slices.Concat(chains...), p)
	return naiveESS(naiveSplit(mapDraws(chains, func(v float64) float64 {
		if v <= q {
			return 1
		}
		return 0
	})))
}

func naiveESSSD(chains [][]float64) float64 {
	m := naiveMean(slices.Concat(chains...))
	return naiveESS(naiveSplit(mapDraws(chains, func(v float64) float64 {
		return (v - m) * (v - m)
	})))
}

func naiveMCSEMean(chains [][]float64) float64 {
	return math.Sqrt(naiveVar(slices.Concat(chains...)) / naiveESS(naiveSplit(chains)))
}

func naiveMCSESD(chains [][]float64) float64 {
	all := slices.Concat(chains...)
	m := naiveMean(all)
	var c2, c4 float64
	for _, v := range all {
		c2 += math.Pow(v-m, 2) / float64(len(all))
		c4 += math.Pow(v-m, 4) / float64(len(all))
	}
	return math.Sqrt((c4 - c2*c2) / naiveESSSD(chains) / c2 / 4)
}

// mapDraws applies f to every draw.
func mapDraws(chains [][]float64, f func(float64) float64) [][]float64 {
	out := make([][]float64, len(chains))
	for j, c := range chains {
		out[j] = make([]float64, len(c))
		for i, v := range c {
			out[j][i] = f(v)
		}
	}
	return out
}

func TestNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, shape := range [][2]int{{1, 6}, {3, 7}, {2, 11}, {4, 12}, {1, 40}, {4, 63}, {5, 200}} {
		for _, phi := range []float64{0, 0.6, 0.97, -0.5, -0.97} {
			chains := autoregressive(r, shape[0], shape[1], phi)
			for kind, f := range map[string]func(float64) float64{
				"as drawn": func(v float64) float64 { return v },
				"tied":     func(v float64) float64 { return math.Round(4 * v) },
				"skewed":   func(v float64) float64 { return math.Exp(2 * v) },
			} {
				name := fmt.Sprintf("%v phi %v %s", shape, phi, kind)
				compareNaive(t, name, mapDraws(chains, f))
			}
		}
	}
}

func compareNaive(t *testing.T, name string, c [][]float64) {
	t.Helper()
	if Check(c) != nil {
		return // six tied draws may all be equal
	}
	fold := naiveFold(c)
	bulk := naiveRHat(naiveScores(naiveSplit(c)))
	folded := naiveRHat(naiveScores(naiveSplit(fold)))
	if math.IsNaN(folded) {
		folded = bulk
	}
	for _, v := range []struct {
		what      string
		got, want float64
	}{
		{"RHat", RHat(c), max(bulk, folded)},
		{"ESSBulk", ESSBulk(c), naiveESS(naiveScores(naiveSplit(c)))},
		{"ESSMean", ESSMean(c), naiveESS(naiveSplit(c))},
		{"ESSSD", ESSSD(c), naiveESSSD(c)},
		{"ESSQuantile(0.3)", ESSQuantile(c, 0.3), naiveESSQuantile(c, 0.3)},
		{"ESSTail", ESSTail(c), min(naiveESSQuantile(c, 0.05), naiveESSQuantile(c, 0.95))},
		{"MCSEMean", MCSEMean(c), naiveMCSEMean(c)},
		{"MCSESD", MCSESD(c), naiveMCSESD(c)},
	} {
		if !closeTo(v.got, v.want, 1e-9, 0) {
			t.Errorf("%s: %s is %.15g, want %.15g", name, v.what, v.got, v.want)
		}
	}
}
