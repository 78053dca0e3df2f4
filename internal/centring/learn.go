package centring

import (
	"math"
	"slices"
)

// Learn returns the λ with the least Fisher divergence from independent normals, from positions and gradients in
// the coordinates of the map, or those in use if none are clearly better. For pairs of positions u and gradients
// g the divergence is, the best scale of each coordinate given, twice the sum over coordinates of
// sd(u) sd(g) - 1. Without positions it returns λ = 0, with which chains begin: no draw is then far from the
// others only because a scale is small.
//
// Values of one group differ in how much the data say about each: the information I of a value, minus the slope
// of the likelihood's gradient on the value. Given σ the sd of u is σ^(λ-1)/sqrt(1/σ² + I). A λ that suits the
// typical σ alone is too large far below it, where trajectories diverge, so that λ makes the sds agree at σ0 and
// at σ0 exp(-q), how far σ may come ([Depth]):
//
//	λ = 1 - log((exp(2q) + J)/(1 + J))/(2q),   J = I/r.
//
// The candidates have a few r, and there are λ = 0 and 1 for all.
func (m *Map) Learn(x, grad [][]float64) []float64 {
	n := len(m.at)
	if n == 0 {
		return nil
	}
	if len(x) == 0 {
		return make([]float64, n)
	}
	s := &student{Map: m, now: make([]float64, n)}
	for i := range s.now {
		s.now[i] = 1
	}
	if m.c != nil {
		copy(s.now, m.c)
	}
	for i := range x {
		u, g := slices.Clone(x[i]), slices.Clone(grad[i])
		m.Carry(m.c, nil, u, g)
		if finite(u) && finite(g) {
			s.xs, s.gs = append(s.xs, u), append(s.gs, g)
			s.u, s.du = append(s.u, slices.Clone(u)), append(s.du, slices.Clone(g))
		}
	}
	s.watch = append(slices.Clone(m.e.Depends()), m.at...)
	slices.Sort(s.watch)
	s.watch = slices.Compact(s.watch)
	return s.learn()
}

func finite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// student has pairs as declared.
type student struct {
	*Map
	xs, gs [][]float64
	u, du  [][]float64 // room for them in other coordinates
	now    []float64
	watch  []int // coordinates whose sds change with the centring
}

// fewest pairs to learn from.
const fewest = 10

// noise is a divergence that pairs of independent normals may well have.
func (s *student) noise() float64 { return Noise * float64(len(s.watch)) }

func (s *student) learn() []float64 {
	old := slices.Clone(s.now)
	if len(s.xs) < fewest {
		return old
	}
	before, best := s.divergence(old), 0.0
	information, logSD, sd := s.information()
	groups := 1 + slices.Max(s.group)
	for sweep := range Sweeps {
		if sweep > 0 && groups == 1 {
			break
		}
		for g := range groups {
			var members []int
			spread, known, ratio := 0.0, []float64{}, []float64{}
			for i, k := range s.group {
				if k == g {
					members = append(members, i)
					spread += sd[i]
					known = append(known, information[i])
					ratio = append(ratio, information[i]*math.Exp(2*logSD[i]))
				}
			}
			q := Depth(ratio, spread/float64(len(members)))
			tries := Rates(known)
			use := func(j int) {
				for k, i := range members {
					s.now[i] = Degree(known[k], tries[j], q)
				}
			}
			scores, least := make([]float64, len(tries)), math.Inf(1)
			for j := range tries {
				use(j)
				scores[j] = s.divergence(s.now)
				least = math.Min(least, scores[j])
			}
			j := max(0, slices.IndexFunc(scores, func(d float64) bool {
				return d <= (1+AboutAsGood)*math.Max(least, s.noise())
			}))
			best = scores[j]
			use(j)
		}
	}
	if slices.Equal(s.now, old) || !(best < (1-Gain)*before-s.noise() || s.less(old)) {
		return old
	}
	return s.now
}

// less reports whether the coordinates now are clearly less centred than old ones, on average: those may come
// from windows that said too little about small scales.
func (s *student) less(old []float64) bool {
	was, is := 0.0, 0.0
	for i := range old {
		was, is = was+old[i], is+s.now[i]
	}
	return is < was-float64(len(old))/Sixteenths
}

// divergence is the Fisher divergence in coordinates c, over two.
func (s *student) divergence(c []float64) float64 {
	for i := range s.xs {
		copy(s.u[i], s.xs[i])
		copy(s.du[i], s.gs[i])
		s.Carry(nil, c, s.u[i], s.du[i])
	}
	sum := 0.0
	for _, j := range s.watch {
		v := math.Sqrt(Variance(s.u, j) * Variance(s.du, j))
		if math.IsNaN(v) {
			return math.Inf(1)
		}
		sum += v - 1
	}
	return sum
}

// information estimates what the data say about each value, and the mean and the sd of the log of its scale.
func (s *student) information() (out, logSD, sd []float64) {
	n, m := len(s.at), float64(len(s.xs))
	theta, slope, logs := table(n, len(s.xs)), table(n, len(s.xs)), table(n, len(s.xs))
	for k, x := range s.xs {
		s.e.Locate(x, s.loc, s.sd)
		for i, at := range s.at {
			theta[i][k], logs[i][k] = x[at], math.Log(s.sd[i])
			slope[i][k] = s.gs[k][at] - s.e.Slope(i, x[at], s.loc[i], s.sd[i])
		}
	}
	mean := func(v []float64) float64 {
		t := 0.0
		for _, x := range v {
			t += x
		}
		return t / m
	}
	out, logSD, sd = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		mt, ms, ml := mean(theta[i]), mean(slope[i]), mean(logs[i])
		cov, v, l := 0.0, 0.0, 0.0
		for k := range s.xs {
			d := theta[i][k] - mt
			cov += d * (slope[i][k] - ms)
			v += d * d
			l += (logs[i][k] - ml) * (logs[i][k] - ml)
		}
		if w := -cov / v; w > 0 && !math.IsInf(w, 1) {
			out[i] = w
		}
		logSD[i], sd[i] = ml, math.Sqrt(l/m)
	}
	return out, logSD, sd
}

func table(n, m int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, m)
	}
	return out
}
