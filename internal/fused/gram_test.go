package fused

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// gram returns a Gram that redoes rows with the problem's terms.
func (p *gramProblem) gram(t testing.TB) *Gram {
	return NewGram(p.dim, len(p.shift), len(p.theta) > 1, func(i int, trace []float64) float64 {
		p.again++
		if p.allowed != nil && !p.allowed[i] {
			t.Errorf("row %d is redone: log det %v", i, p.logDet[i])
		}
		if p.logDet == nil {
			return 0
		}
		for a, v := range p.trace[i] {
			trace[a] += v
		}
		return p.logDet[i]
	})
}

func (p *gramProblem) run(t testing.TB, k Kind) *Gram {
	g := p.gram(t)
	p.again = 0
	g.Run(k, p.x, p.z, p.shift, p.theta)
	must := 0
	for _, v := range p.needed {
		if v {
			must++
		}
	}
	if p.again < must {
		t.Errorf("%v: %d rows redone, want %d or more", k, p.again, must)
	}
	return g
}

// errorOf returns the largest error in units of the size of the terms, and its name.
func (p *gramProblem) errorOf(g *Gram) (largest float64, name string) {
	see := func(what string, got, want, size float64) {
		e := math.Abs(got-want) / size
		if got == want {
			e = 0
		}
		if !(e <= largest) {
			largest, name = e, fmt.Sprintf("%s is %v, want %v", what, got, want)
		}
	}
	const tiny = 1e-270
	for l, want := range p.sums {
		size := p.sizes[l]
		see("C", g.C[l], want[0], size[0]+tiny)
		see("F", g.F[l], want[1], size[1]+tiny)
		for a := range p.theta {
			see("KQ", g.KQ[a][l], want[2+2*a], size[2+2*a]+tiny)
			see("FQ", g.FQ[a][l], want[3+2*a], size[3+2*a]+tiny)
		}
	}
	logDet, size := 0.0, 0.0
	for _, v := range p.logDet {
		logDet += v
		size += math.Abs(v) + 1
	}
	see("LogDet", g.LogDet, logDet, size)
	for a := range p.theta {
		trace := 0.0
		for _, row := range p.trace {
			trace += row[a]
		}
		see("Trace", g.Trace[a], trace, trace)
	}
	return largest, name
}

// shapes are the two dimensions, each with one lengthscale and with several.
var shapes = [][]float64{{1, 0}, {1, 1.5}, {1, 0, 0}, {1, 1.5, 0.7}}

// lengthscales returns theta for a shape.
func lengthscales(shape []float64, theta float64) []float64 {
	var out []float64
	for _, f := range shape {
		if f > 0 {
			out = append(out, f*theta)
		}
	}
	return out
}

func TestGramAgainstBigFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	sizes := [][2]int{{1, 1}, {1, 4}, {2, 3}, {3, 6}, {4, 5}, {7, 7}, {8, 8}, {9, 9}, {23, 4}}
	largest, again, rows := map[Kind]float64{}, 0, 0
	for _, shape := range shapes {
		for _, size := range sizes {
			for _, theta := range []float64{1e-3, 0.03, 0.2, 0.7, 3, 50, 1e5} {
				unit := math.Pow(10, float64(rng.IntN(201)-100))
				lengths := make([]float64, len(shape))
				for a := range lengths {
					lengths[a] = 1
				}
				p := newGramProblem(rng, size[0], size[1], lengthscales(shape, theta), lengths, unit)
				for _, k := range kinds() {
					e, name := p.errorOf(p.run(t, k))
					largest[k] = max(largest[k], e)
					if !(e <= 1e-12) {
						t.Errorf("%v, theta=%v/%v, n=%d, m=%d: error %.2g: %s",
							k, p.theta, unit, size[0], size[1], e, name)
					}
				}
				again, rows = again+p.again, rows+size[0]
			}
		}
	}
	t.Logf("largest relative errors: %v; %d of %d rows redone", largest, again, rows)
}

// Points near a line or a plane, so that the condition is on both sides of where it is too bad.
func TestGramNearSingular(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	largest, again, rows := map[Kind]float64{}, 0, 0
	for _, shape := range shapes {
		for _, flat := range []float64{0.3, 0.1, 0.05, 0.03, 0.02, 1e-3, 1e-6, 0} {
			for flats := 1; flats < len(shape); flats++ {
				lengths := []float64{1, flat, 1}[:len(shape)]
				if flats == 2 {
					lengths[2] = flat
				}
				p := newGramProblem(rng, 40, 7, lengthscales(shape, 0.8), lengths, 1)
				for _, k := range kinds() {
					e, name := p.errorOf(p.run(t, k))
					largest[k] = max(largest[k], e)
					if !(e <= 1e-13) {
						t.Errorf("%v, theta=%v, flat=%v: error %.2g: %s", k, p.theta, flat, e, name)
					}
				}
				again, rows = again+p.again, rows+40
			}
		}
	}
	t.Logf("largest relative errors: %v; %d of %d rows redone", largest, again, rows)
	if again < rows/4 || again > 3*rows/4 {
		t.Errorf("%d of %d rows redone, want about half", again, rows)
	}
}

// More than one block of rows.
func TestGramBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	for _, shape := range shapes {
		for _, n := range []int{stride2 - spare - 1, 2*(stride2-spare) + 13} {
			p := newGramProblem(rng, n, 3, lengthscales(shape, 0.9), []float64{1, 1, 1}[:len(shape)], 1)
			for _, k := range kinds() {
				if e, name := p.errorOf(p.run(t, k)); !(e <= 1e-13) {
					t.Errorf("%v, n=%d, theta=%v: error %.2g: %s", k, n, p.theta, e, name)
				}
			}
		}
	}
}

// Pseudo-inputs so far apart that d overflows, or nearly.
func TestGramWide(t *testing.T) {
	for _, far := range []float64{1e3, 1e6, 1e9, 1e16, 1e21, 2e29, 1e30, 1e31, 1e100, 1e200, 1e307} {
		for dim := 2; dim <= 3; dim++ {
			for _, k := range kinds() {
				zero := make([]float64, dim)
				p := &gramProblem{dim: dim, theta: []float64{1}, shift: []float64{0.25, 0.25, 0.25}}
				for _, v := range []float64{0, far, -far} {
					p.z = append(p.z, append([]float64{v}, zero[1:]...)...)
				}
				for _, v := range []float64{0, 0.5, far, -far, 2 * far} {
					p.x = append(p.x, append([]float64{v}, zero[1:]...)...)
				}
				g := p.run(t, k)
				e := math.Exp(-0.125)
				for l, want := range []float64{1 + e, 1, 1} {
					if !close(g.C[l]+5*0.25, want, 1e-14) {
						t.Errorf("%v, %v apart: C is %v, want %v", k, far, g.C[l], want-5*0.25)
					}
				}
				wantF := (1-0.25)*(1-0.25) + (e-0.25)*(e-0.25) + 3*0.0625
				if !close(g.F[0], wantF, 1e-14) || !close(g.KQ[0][0], 0.25*e, 1e-14) ||
					!close(g.FQ[0][0], 0.25*e*(e-0.25), 1e-14) || p.again != 5 {
					t.Errorf("%v, %v apart: F, KQ, FQ are %v, %v, %v; %d redone",
						k, far, g.F[0], g.KQ[0], g.FQ[0], p.again)
				}
			}
		}
	}
}

// A row that is no number spoils its sums, is redone, and leaves other rows alone.
func TestGramNaN(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	for _, shape := range shapes {
		for _, at := range []int{0, 9, 11} { // in a full vector and in the rest
			p := newGramProblem(rng, 12, 5, lengthscales(shape, 2), []float64{1, 1, 1}[:len(shape)], 1)
			p.x[at*p.dim+1] = math.NaN()
			p.needed, p.allowed = nil, nil
			for _, k := range kinds() {
				g := p.run(t, k)
				last := len(g.KQ) - 1
				if !math.IsNaN(g.C[0] + g.F[0] + g.KQ[last][0] + g.FQ[last][0]) {
					t.Errorf("%v: NaN at %d: %v, %v, %v", k, at, g.C, g.F, g.KQ)
				}
				if p.again == 0 || math.IsNaN(g.LogDet) || math.IsNaN(g.Trace[0]) {
					t.Errorf("%v: NaN at %d: log det %v, %d rows redone", k, at, g.LogDet, p.again)
				}
			}
		}
	}
}

// The result is a function of the arguments, not of earlier calls, and comes without allocation.
func TestGramDeterministic(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 30))
	for _, shape := range shapes {
		lengths := []float64{1, 1, 1}[:len(shape)]
		p := newGramProblem(rng, 700, 3, lengthscales(shape, 0.9), lengths, 1)
		other := newGramProblem(rng, 77, 3, lengthscales(shape, 1e-2), lengths, 1)
		other.allowed = p.allowed
		for _, k := range kinds() {
			want, g := fmt.Sprint(p.sumsOf(p.run(t, k))), p.gram(t)
			p.allowed = nil
			for offset := range 4 {
				x := append(make([]float64, offset), p.x...)[offset:]
				g.Run(k, other.x, other.z, other.shift, other.theta)
				g.Run(k, x, p.z, p.shift, p.theta)
				if got := fmt.Sprint(p.sumsOf(g)); got != want {
					t.Errorf("%v, theta=%v: %v, want %v", k, p.theta, got, want)
				}
			}
			run := func() { g.Run(k, p.x, p.z, p.shift, p.theta) }
			if a := testing.AllocsPerRun(5, run); a != 0 {
				t.Errorf("%v, theta=%v: Run allocates %v times", k, p.theta, a)
			}
		}
	}
}

func (p *gramProblem) sumsOf(g *Gram) []any {
	return []any{g.C, g.F, g.KQ, g.FQ, g.LogDet, g.Trace}
}

func TestGramPanics(t *testing.T) {
	one, two := []float64{1}, []float64{1, 2}
	g := NewGram(2, 1, false, nil)
	for name, f := range map[string]func(){
		"dimension": func() { NewGram(4, 1, false, nil) },
		"kind":      func() { g.Run(AVX512+1, two, two, one, one) },
		"x":         func() { g.Run(Portable, one, two, one, one) },
		"z":         func() { g.Run(Portable, two, one, one, one) },
		"shift":     func() { g.Run(Portable, two, two, two, one) },
		"theta":     func() { g.Run(Portable, two, two, one, two) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
