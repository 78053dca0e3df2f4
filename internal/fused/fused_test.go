package fused

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// kinds returns those this machine can run.
func kinds() []Kind {
	var out []Kind
	for k := Portable; k <= AVX512; k++ {
		if Available(k) {
			out = append(out, k)
		}
	}
	return out
}

// errorOf returns the largest error of s in units of the size of its terms, and its name. Kernel
// values below 1e-282 may be lost; theta2 is the unit of d.
func (r reference) errorOf(s *Sums, theta2 float64) (worst float64, name string) {
	see := func(what string, got, want, size float64) {
		e := math.Abs(got-want) / size
		if got == want {
			e = 0
		}
		if !(e <= worst) {
			worst, name = e, fmt.Sprintf("%s is %v, want %v", what, got, want)
		}
	}
	const tiny = 1e-270
	for l := range s.K {
		see("K", s.K[l], r.sum.K[l], r.size.K[l]+tiny)
		see("C", s.C[l], r.sum.C[l], r.size.C[l]+tiny)
		see("KD", s.KD[l], r.sum.KD[l], r.size.KD[l]+tiny*theta2)
		see("F", s.F[l], r.sum.F[l], r.size.F[l]+tiny)
		see("FD", s.FD[l], r.sum.FD[l], r.size.FD[l]+tiny*theta2)
	}
	see("LogA", s.LogA, r.sum.LogA, r.size.LogA)
	see("BA", s.BA, r.sum.BA, r.size.BA)
	return worst, name
}

// problem is a random set of arguments.
type problem struct {
	x, z, shift []float64
	theta       float64
}

// newProblem draws rows that repeat and equal pseudo-inputs now and then. Theta is given in units
// of the data's, and unit is theirs. Shifts are off the mean of k as a sample's would be.
func newProblem(rng *rand.Rand, n, m int, theta, unit float64) problem {
	p := problem{make([]float64, n), make([]float64, m), make([]float64, m), theta * unit}
	for l := range p.z {
		p.z[l] = unit * rng.NormFloat64()
	}
	for i := range p.x {
		switch p.x[i] = unit * rng.NormFloat64(); {
		case i > 0 && rng.IntN(8) == 0:
			p.x[i] = p.x[rng.IntN(i)]
		case rng.IntN(8) == 0 && m > 1:
			p.x[i] = p.z[rng.IntN(m)]
		}
	}
	for l, z := range p.z {
		g := 0.0
		for _, x := range p.x {
			g -= math.Expm1(-(x - z) / p.theta * (x - z) / p.theta / 2)
		}
		p.shift[l] = 1 - g/float64(n)*(0.5+rng.Float64())
	}
	return p
}

func (p problem) run(k Kind) *Sums {
	s := NewSums(len(p.z))
	Run(k, s, p.x, p.z, p.shift, p.theta)
	return s
}

func TestSumsAgainstBigFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := [][2]int{{1, 1}, {1, 3}, {2, 2}, {3, 1}, {4, 5}, {7, 7}, {8, 8}, {9, 9}, {16, 3},
		{23, 4}, {37, 6}, {19, 20}}
	worst := map[Kind]float64{}
	for _, size := range sizes {
		for _, theta := range []float64{1e-3, 0.01, 0.03, 0.07, 0.2, 0.7, 3, 50, 1e5} {
			unit := math.Pow(10, float64(rng.IntN(201)-100))
			p := newProblem(rng, size[0], size[1], theta, unit)
			ref := newReference(p.x, p.z, p.shift, p.theta)
			for _, k := range kinds() {
				e, name := ref.errorOf(p.run(k), p.theta*p.theta)
				worst[k] = max(worst[k], e)
				if !(e <= 1e-12) {
					t.Errorf("%v, n=%d, m=%d, theta=%v, unit=%v: error %.2g: %s",
						k, size[0], size[1], theta, unit, e, name)
				}
			}
		}
	}
	t.Log("largest relative errors:", worst)
}

// More than one block of rows, against the sums of the parts in big floats.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{blockRows - 1, blockRows + 1, 2*blockRows + 13} {
		p := newProblem(rng, n, 2, 0.4, 1)
		ref := newReference(p.x, p.z, p.shift, p.theta)
		for _, k := range kinds() {
			if e, name := ref.errorOf(p.run(k), 1); !(e <= 1e-13) {
				t.Errorf("%v, n=%d: error %.2g: %s", k, n, e, name)
			}
		}
	}
}

// Far below the spacing the nearest pseudo-input that differs from a row alone decides.
func TestTinyTheta(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, theta := range []float64{1e-5, 1e-9, 1e-13, 1e-60, 1e-120} {
		p := newProblem(rng, 29, 7, theta, 1)
		var logA, ba float64
		for _, x := range p.x {
			d := math.Inf(1)
			for _, z := range p.z {
				if x != z {
					d = min(d, (x-z)*(x-z))
				}
			}
			logA += math.Log(d) - d/theta/theta
			ba += d
		}
		for _, k := range kinds() {
			s := p.run(k)
			if !close(s.LogA, logA, 1e-13) || !close(s.BA, ba, 1e-13) {
				t.Errorf("%v, theta=%v: LogA, BA are %v, %v, want %v, %v",
					k, theta, s.LogA, s.BA, logA, ba)
			}
			for l, z := range p.z {
				equal := 0.0
				for _, x := range p.x {
					if x == z {
						equal++
					}
				}
				if !close(s.K[l], equal, 1e-12*float64(len(p.x))) || s.KD[l] > 1e-280 {
					t.Errorf("%v, theta=%v: K, KD are %v, %v, want %v, 0",
						k, theta, s.K[l], s.KD[l], equal)
				}
			}
		}
	}
}

// String leaves the workspace out.
func (s *Sums) String() string {
	return fmt.Sprint("K ", s.K, ", C ", s.C, ", KD ", s.KD, ", F ", s.F, ", FD ", s.FD,
		", LogA ", s.LogA, ", BA ", s.BA)
}

func close(got, want, tol float64) bool {
	return math.Abs(got-want) <= tol*max(1, math.Abs(want))
}

// Rows for which A is tiny because d is, beside others that underflow.
func TestRowsNextToPseudoInputs(t *testing.T) {
	for _, p := range []problem{
		{[]float64{1e-160}, []float64{0}, []float64{0.5}, 1},
		{[]float64{1e-160, 1, 2, 3, 4}, []float64{0, 30}, []float64{0.5, 0}, 1},
		{[]float64{0, 1e-150, 1e-140}, []float64{0, 27}, []float64{0.5, 0}, 1},
		{[]float64{0, 1e-150, 1e-140}, []float64{0, 40}, []float64{0.5, 0}, 1},
		{[]float64{1e-152}, []float64{0, 27}, []float64{0.5, 0}, 1},
		{[]float64{1e-110, 2e-110, 1.5e-110, 3e-110}, []float64{0}, []float64{0.5}, 1},
		{[]float64{40, 41, 50}, []float64{0, -0.1, -0.2, -0.4}, make([]float64, 4), 1},
		{[]float64{1e-100, 1e-120, 3e-110, 1e-130}, []float64{0}, []float64{0.5}, 1},
		{[]float64{26, 27, 28, 29, 30, 31}, []float64{0, 1e-9}, []float64{0, 0}, 1},
	} {
		ref := newReference(p.x, p.z, p.shift, p.theta)
		for _, k := range kinds() {
			s := p.run(k)
			if !close(s.LogA, ref.sum.LogA, 1e-13) || !close(s.BA/ref.sum.BA, 1, 1e-12) {
				t.Errorf("%v, x=%v, z=%v: LogA, BA are %v, %v, want %v, %v",
					k, p.x, p.z, s.LogA, s.BA, ref.sum.LogA, ref.sum.BA)
			}
		}
	}
}

// Pseudo-inputs so far apart that d overflows, or nearly.
func TestWide(t *testing.T) {
	for _, far := range []float64{1e3, 1e6, 1e7, 1e9, 1e16, 1e18, 1e21, 2e29, 1e30, 1e31, 1e100,
		1e200, 1e307} {
		for _, k := range kinds() {
			p := problem{
				x: []float64{0, 0.5, far, -far, 2 * far}, z: []float64{0, far, -far},
				shift: []float64{0.25, 0.25, 0.25}, theta: 1,
			}
			s := p.run(k)
			e := math.Exp(-0.125)
			for l, want := range []float64{1 + e, 1, 1} {
				if !close(s.K[l], want, 1e-14) {
					t.Errorf("%v, %v apart: K is %v, want %v", k, far, s.K[l], want)
				}
			}
			wantF := (1-0.25)*(1-0.25) + (e-0.25)*(e-0.25) + 3*0.0625
			if !close(s.F[0], wantF, 1e-14) || !close(s.KD[0], 0.25*e, 1e-14) ||
				!close(s.FD[0], 0.25*e*(e-0.25), 1e-14) {
				t.Errorf("%v, %v apart: F, KD, FD are %v, %v, %v", k, far, s.F[0], s.KD[0], s.FD[0])
			}
		}
	}
}

func TestDegenerate(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, k := range kinds() {
		s := problem{[]float64{2, 2, 2}, []float64{2}, []float64{0.5}, 1}.run(k)
		if !math.IsInf(s.LogA, -1) || s.BA != 0 || s.K[0] != 3 || s.KD[0] != 0 || s.F[0] != 0.75 {
			t.Errorf("%v: all equal: %v", k, s)
		}
		s = problem{nil, []float64{2}, []float64{0.5}, 1}.run(k)
		if s.LogA != 0 || s.BA != 0 || s.K[0] != 0 || s.F[0] != 0 {
			t.Errorf("%v: no rows: %v", k, s)
		}
		for _, at := range []int{0, 8, 11} { // in a full vector and in the rest
			x := make([]float64, 12)
			x[at] = nan
			s = problem{x, []float64{1, 2}, []float64{0.5, 0.5}, 1}.run(k)
			for l := range s.K {
				if !math.IsNaN(s.K[l] + s.KD[l] + s.F[l] + s.FD[l]) {
					t.Errorf("%v: NaN at %d: %v", k, at, s)
				}
			}
			if !math.IsNaN(s.LogA) || !math.IsNaN(s.BA) {
				t.Errorf("%v: NaN at %d: %v", k, at, s)
			}
		}
		s = problem{[]float64{1, inf, 3}, []float64{1, 2}, []float64{0.5, 0.5}, 1}.run(k)
		if !math.IsInf(s.LogA, -1) || math.IsNaN(s.K[0]+s.F[0]+s.KD[0]) {
			t.Errorf("%v: a row at infinity: %v", k, s)
		}
		s = problem{[]float64{0, 1e-310}, []float64{0}, []float64{0.5}, 1e-310}.run(k)
		if !close(s.K[0], 1+math.Exp(-0.5), 1e-14) || s.KD[0] != 0 {
			t.Errorf("%v: theta near the smallest number: %v", k, s)
		}
		s = problem{[]float64{1e308, 1e-300}, []float64{-1e308, 0}, []float64{0, 0}, 1}.run(k)
		if s.K[1] != 1 || !math.IsInf(s.LogA, -1) || math.IsNaN(s.BA) {
			t.Errorf("%v: overflow: %v", k, s)
		}
		s = problem{[]float64{1, 5, 3}, []float64{1, 2}, []float64{0.5, 0.5}, inf}.run(k)
		if s.K[0] != 3 || s.F[0] != 0.75 || !close(s.KD[0], 20, 1e-14) {
			t.Errorf("%v: theta infinite: %v", k, s)
		}
		s = problem{[]float64{1, 5, 3}, []float64{1, 2}, []float64{0.5, 0.5}, nan}.run(k)
		if !math.IsNaN(s.K[0] + s.F[0] + s.LogA) {
			t.Errorf("%v: theta NaN: %v", k, s)
		}
	}
}

// The result is a function of the arguments: not of earlier calls, nor of where slices begin.
func TestDeterministic(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	p := newProblem(rng, 1500, 9, 0.3, 1)
	other := newProblem(rng, 77, 9, 1e-3, 1)
	for _, k := range kinds() {
		want := p.run(k)
		for offset := range 8 {
			x := append(make([]float64, offset), p.x...)[offset:]
			s := NewSums(9)
			s.work = append(s.work, make([]float64, 8)...)[offset:]
			Run(k, s, other.x, other.z, other.shift, other.theta)
			Run(k, s, x, p.z, p.shift, p.theta)
			if s.LogA != want.LogA || s.BA != want.BA {
				t.Errorf("%v, offset %d: LogA, BA are %v, %v, want %v, %v",
					k, offset, s.LogA, s.BA, want.LogA, want.BA)
			}
			for l := range s.K {
				if s.K[l] != want.K[l] || s.F[l] != want.F[l] || s.FD[l] != want.FD[l] ||
					s.KD[l] != want.KD[l] || s.C[l] != want.C[l] {
					t.Errorf("%v, offset %d: sums differ at %d", k, offset, l)
				}
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	p := newProblem(rand.New(rand.NewPCG(9, 10)), 1100, 5, 0.02, 1)
	s := NewSums(5)
	for _, k := range kinds() {
		if a := testing.AllocsPerRun(5, func() { Run(k, s, p.x, p.z, p.shift, p.theta) }); a != 0 {
			t.Errorf("%v: Run allocates %v times", k, a)
		}
		if a := testing.AllocsPerRun(5, func() { k.ExpNeg(p.x, p.x, 1) }); a != 0 {
			t.Errorf("%v: ExpNeg allocates %v times", k, a)
		}
	}
}

func TestParse(t *testing.T) {
	for k := Portable; k <= AVX512; k++ {
		got, err := Parse(k.String())
		if Available(k) != (err == nil) || err == nil && got != k {
			t.Errorf("Parse(%q) = %v, %v; available: %v", k.String(), got, err, Available(k))
		}
	}
	for _, name := range []string{"", "auto"} {
		if k, err := Parse(name); k != Best() || err != nil {
			t.Errorf("Parse(%q) = %v, %v", name, k, err)
		}
	}
	if _, err := Parse("sse"); err == nil {
		t.Error("Parse accepts sse")
	}
	if Available(-1) || Available(AVX512+1) || !Available(Best()) {
		t.Error("Available is wrong about kinds that are none")
	}
}

func TestPanics(t *testing.T) {
	mustPanic := func(name string, f func()) {
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", name)
			}
		}()
		f()
	}
	one := []float64{1}
	mustPanic("shift", func() { Run(Portable, NewSums(1), one, one, nil, 1) })
	mustPanic("sums", func() { Run(Portable, NewSums(2), one, one, one, 1) })
	mustPanic("no pseudo-input", func() { Run(Portable, NewSums(0), one, nil, nil, 1) })
	mustPanic("kind", func() { Run(AVX512+1, NewSums(1), one, one, one, 1) })
	mustPanic("ExpNeg", func() { ExpNeg(nil, one, 1) })
	mustPanic("ExpNeg of kind", func() { Kind(-1).ExpNeg(one, one, 1) })
}
