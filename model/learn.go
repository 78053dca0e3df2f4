package model

import (
	"math"
	"slices"

	"bayeskernel/draws"
	rules "bayeskernel/internal/centring"
)

// Learn returns the degree of centring with the least Fisher divergence from independent normals. For
// pairs of positions u and gradients g that is, the best scale of each coordinate given, twice the sum
// over coordinates of sd(u) sd(g) - 1: 0 for independent normals.
//
// Values of one parameter differ in how much the data say about each: its information I, minus the
// slope of the likelihood's gradient on the value. Given σ, the sd of u is then
//
//	σ^(λ-1) / sqrt(1/σ² + I),
//
// and λ = I/(I + 1/σ²) would make it depend least on σ near one σ. But a λ that suits the typical σ is
// too large far below it, where trajectories diverge. So λ makes the sds agree at σ0 and at σ0 exp(-q),
// how far σ may come (rules.Depth): ten standard deviations of log σ, less where the data keep it up:
//
//	λ = 1 - log((exp(2q) + J)/(1 + J))/(2q),   J = I/r.
//
// The candidates have a few r, one of them near 1/σ0², and there are λ = 0 and 1. Each is tried with
// κ = 0. Where λ q is at most log 2, so that the sd of μ given u halves at most down to σ0 exp(-q), or log 4
// where the data bound q, each is tried with κ > 0 too; λ = 1, which has κ = 1, is tried there alone. Chains
// begin with λ = 0: no draw is then far from the others only because a scale is small.
func (t *target) Learn(x, grad [][]float64) []float64 {
	if len(t.p.effects) == 0 {
		return nil
	}
	if len(x) == 0 {
		return make([]float64, t.p.coordinates)
	}
	if t.mover == nil {
		t.mover = t.p.mover()
	}
	return newStudent(t, x, grad).learn()
}

// student learns coordinates from pairs.
type student struct {
	*mover
	x, g  [][]float64 // in the coordinates declared
	u, du [][]float64 // room for them in others
	now   []float64
	watch []int // coordinates that change with the centring
}

func newStudent(t *target, x, grad [][]float64) *student {
	s := &student{mover: t.mover, now: make([]float64, t.p.coordinates)}
	var old []float64
	if t.centring != nil {
		old = t.centring.c
		copy(s.now, old)
	} else {
		for i := range s.now {
			s.now[i] = 1
		}
	}
	for i := range x {
		u, g := slices.Clone(x[i]), slices.Clone(grad[i])
		t.Carry(old, nil, u, g)
		if allFinite(u) && allFinite(g) {
			s.x, s.g = append(s.x, u), append(s.g, g)
			s.u, s.du = append(s.u, slices.Clone(u)), append(s.du, slices.Clone(g))
		}
	}
	seen := map[int]bool{}
	for _, q := range s.hyper {
		for i := range q.free {
			seen[q.x+i] = true
		}
	}
	for _, e := range t.p.effects {
		for i := range e.q.free {
			seen[e.q.x+i] = true
		}
	}
	for i := range seen {
		s.watch = append(s.watch, i)
	}
	slices.Sort(s.watch)
	return s
}

// noise is a divergence that pairs of independent normals may well have.
func (s *student) noise() float64 { return rules.Noise * float64(len(s.watch)) }

func (s *student) learn() []float64 {
	old := slices.Clone(s.now)
	if len(s.x) < 10 {
		return old
	}
	before := s.divergence(old)
	var best float64
	count := len(s.p.effects)
	information, depth, narrowest := make([][]float64, count), make([]float64, count), make([]float64, count)
	for k := range s.p.effects {
		var logSD float64
		var sd float64
		information[k], logSD, sd, depth[k] = s.information(k)
		if narrowest[k] = math.Ln2; depth[k] < rules.SDs*sd {
			narrowest[k] *= 2
		}
		if !math.IsNaN(logSD) && !math.IsInf(logSD, 0) {
			s.now[s.p.effects[k].from] = logSD
		}
	}
	fresh := slices.Clone(s.now) // with new σ0, which alone is no reason to change
	for sweep := range rules.Sweeps {
		if sweep > 0 && len(s.p.effects) == 1 {
			break
		}
		for k, e := range s.p.effects {
			part, tries := s.now[e.from+ahead:e.to], rules.Rates(information[k])
			scores, least := make([]float64, 2*len(tries)), math.Inf(1)
			use := func(j int) { // those without κ come first
				s.now[e.from+1] = float64(j / len(tries))
				for i, known := range information[k] {
					part[i] = rules.Degree(known, tries[j%len(tries)], depth[k])
				}
			}
			for j := range scores {
				use(j)
				narrows := j >= len(tries) || tries[j] == 0 // μ given u has a sd that falls with σ
				if scores[j] = math.Inf(1); !narrows || slices.Max(part)*depth[k] <= narrowest[k] {
					scores[j] = s.divergence(s.now)
				}
				least = min(least, scores[j])
			}
			// The one least centred of those that are about as good.
			j := slices.IndexFunc(scores, func(d float64) bool {
				return d <= (1+rules.AboutAsGood)*max(least, s.noise())
			})
			best = scores[max(j, 0)]
			use(max(j, 0))
		}
	}
	if slices.Equal(s.now, fresh) || !(best < (1-rules.Gain)*before-s.noise() || s.less(old)) {
		return old
	}
	return s.now
}

// less reports whether the coordinates now are clearly less centred than old ones, on average: those may
// come from windows that said too little about small scales.
func (s *student) less(old []float64) bool {
	was, is, n := 0.0, 0.0, 0.0
	for _, e := range s.p.effects {
		for i := e.from + ahead; i < e.to; i++ {
			was, is, n = was+old[i], is+s.now[i], n+1
		}
	}
	return is < was-n/sixteenths
}

// divergence is the Fisher divergence in coordinates c, over two.
func (s *student) divergence(c []float64) float64 {
	at, err := s.p.newCentring(c)
	if err != nil {
		return math.Inf(1)
	}
	for i := range s.x {
		s.coordinates(at, s.x[i])
		copy(s.u[i], s.mover.x)
		copy(s.du[i], s.g[i])
		s.pull(at, s.du[i], false)
	}
	sum := 0.0
	for _, j := range s.watch {
		v := math.Sqrt(rules.Variance(s.u, j) * rules.Variance(s.du, j))
		if math.IsNaN(v) {
			return math.Inf(1)
		}
		sum += v - 1
	}
	return sum
}

// information estimates what the data say about each value of an effect, the mean and sd of log σ, and q.
func (s *student) information(k int) (out []float64, logSD, sd, q float64) {
	f := s.p.effects[k]
	n := f.q.node.N
	var logs []moment
	theta, slope := make([][]float64, len(s.x)), make([][]float64, len(s.x))
	for i, x := range s.x {
		s.p.transform(&s.e.Memory, x)
		s.e.Forward()
		clear(s.e.Adjoints)
		s.prior[k].Add()
		theta[i] = x[f.q.x : f.q.x+n]
		slope[i] = make([]float64, n)
		for j, own := range s.e.Adjoint[f.q.node.ID] {
			slope[i][j] = s.g[i][f.q.x+j] - own
		}
		scales := s.e.Value[f.sd.ID]
		if logs == nil {
			logs = make([]moment, len(scales))
		}
		for j, v := range scales {
			logs[j].add(math.Log(v))
		}
	}
	for _, m := range logs {
		logSD += m.mean / float64(len(logs))
		sd += math.Sqrt(m.sum/m.n) / float64(len(logs))
	}
	out, ratio := make([]float64, n), make([]float64, n)
	for j := range out {
		mt, ms := 0.0, 0.0
		for i := range theta {
			mt += theta[i][j] / float64(len(theta))
			ms += slope[i][j] / float64(len(theta))
		}
		cov, v := 0.0, 0.0
		for i := range theta {
			d := theta[i][j] - mt
			cov += d * (slope[i][j] - ms)
			v += d * d
		}
		if w := -cov / v; w > 0 && !math.IsInf(w, 1) {
			out[j] = w
			ratio[j] = w * math.Exp(2*logSD)
		}
	}
	return out, logSD, sd, rules.Depth(ratio, sd)
}

// moment is a running mean and sum of squared deviations.
type moment struct{ n, mean, sum float64 }

func (m *moment) add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / m.n
	m.sum += d * (x - m.mean)
}

// Centring returns how far warm-up centred each parameter of a run whose centring it learned: for
// each value a number between 0, not centred, and 1, centred.
func (p *Program) Centring(run *draws.Run) map[string][]float64 {
	out := map[string][]float64{}
	for _, c := range run.Chains {
		if len(c.Coordinates) != p.coordinates {
			continue
		}
		for _, e := range p.effects {
			out[e.q.name] = slices.Clone(c.Coordinates[e.from+ahead : e.to])
		}
		break
	}
	return out
}
