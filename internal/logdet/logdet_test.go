package logdet

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/long"
)

// A kernel gives log kappa for q = sum_a v_a²/theta_a².
type kernel struct {
	name string
	log  func(q float64) float64
}

var kernels = []kernel{
	{"squared exponential", func(q float64) float64 { return -q / 2 }},
	{"Matern 3/2", func(q float64) float64 { return math.Log(3) - math.Sqrt(3*q) }},
	{"rational quadratic", func(q float64) float64 { return -1.7 * math.Log1p(q/1.4) }},
}

// A problem is one row of the data and the pseudo-inputs.
type problem struct {
	x, z, theta    []float64
	kappa, logK    []float64
	exactX, exactZ []*big.Rat // what x and z are the nearest numbers to, if that matters
}

func newProblem(x, z, theta []float64, k kernel) *problem {
	p := &problem{x: x, z: z, theta: theta}
	d := len(x)
	for l := 0; l < len(z); l += d {
		q := 0.0
		for a, t := range theta {
			u := (x[a] - z[l+a]) / t
			q += u * u
		}
		p.logK = append(p.logK, k.log(q))
		p.kappa = append(p.kappa, math.Exp(k.log(q)))
	}
	return p
}

func (p *problem) oracle() (float64, []float64) {
	d := len(p.x)
	v := make([][]*big.Float, len(p.logK))
	for l := range v {
		for a := range d {
			t := bigOf(p.x[a] - p.z[l*d+a])
			if p.exactX != nil {
				t.SetRat(new(big.Rat).Sub(p.exactX[a], p.exactZ[l*d+a]))
			}
			v[l] = append(v[l], t)
		}
	}
	return oracle(v, p.logK, p.theta)
}

// errors are the largest of a set of problems.
type errors struct {
	value    float64 // relative to max(1, |log det|)
	absolute float64
	leverage float64
	sum      float64 // of the leverages
	cases    int
	qr       int // how many went by reflectors
}

// check returns the absolute error of the value.
func (e *errors) check(t *testing.T, what string, p *problem) float64 {
	t.Helper()
	w := NewInputs(p.z, len(p.x)).Workspace(fused.Best())
	w.SetTheta(p.theta)
	got := w.LogDet(p.x, p.kappa, p.logK)
	want, lev := p.oracle()
	e.cases++
	if w.done == byReflectors {
		e.qr++
	}
	if math.IsInf(want, -1) {
		if got != want {
			t.Fatalf("%s: %v, want %v", what, got, want)
		}
		return 0
	}
	if math.IsNaN(got) || math.IsInf(got, 0) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	e.absolute = max(e.absolute, math.Abs(got-want))
	e.value = max(e.value, math.Abs(got-want)/max(1, math.Abs(want)))
	sum := 0.0
	for l, h := range w.Leverages() {
		if !(h >= 0 && h <= 1) {
			t.Fatalf("%s: leverage %d is %v", what, l, h)
		}
		e.leverage = max(e.leverage, math.Abs(h-lev[l]))
		sum += h
	}
	e.sum = max(e.sum, math.Abs(sum-float64(len(p.x))))
	return math.Abs(got - want)
}

// hold compares with bounds.
func (e *errors) hold(t *testing.T, what string, value, leverage float64) {
	t.Helper()
	t.Logf("%s: %d cases, %d by reflectors: value %.1e (absolute %.1e), leverage %.1e, sum %.1e",
		what, e.cases, e.qr, e.value, e.absolute, e.leverage, e.sum)
	if !(e.value <= value && e.leverage <= leverage && e.sum <= 1e-12) {
		t.Errorf("%s: errors are above %.1e, %.1e, 1e-12", what, value, leverage)
	}
}

func TestReference(t *testing.T) {
	raw, err := os.ReadFile("testdata/loggamma.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			D        int
			Z, X     [][]float64
			Theta    float64
			LogGamma []string `json:"log_gamma"`
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for _, c := range file.Cases {
		var z []float64
		for _, p := range c.Z {
			z = append(z, p...)
		}
		w := NewInputs(z, c.D).Workspace(fused.Best())
		w.SetTheta([]float64{c.Theta})
		for i, x := range c.X {
			theta := make([]float64, c.D)
			for a := range theta {
				theta[a] = c.Theta
			}
			p := newProblem(x, z, theta, kernels[0])
			got := w.LogDet(x, p.kappa, p.logK) - 2*float64(c.D)*math.Log(c.Theta)
			want, _ := strconv.ParseFloat(c.LogGamma[i], 64)
			e := math.Abs(got-want) / max(1, math.Abs(want))
			if !(e <= 1e-13) {
				t.Errorf("D = %d, theta = %v, row %d: %v, want %v", c.D, c.Theta, i, got, want)
			}
			worst = max(worst, e)
		}
	}
	t.Logf("largest error %.1e", worst)
}

func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func same(d int, t float64) []float64 {
	theta := make([]float64, d)
	for a := range theta {
		theta[a] = t
	}
	return theta
}

func TestNormalRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ d, m, rows int }{
		{1, 50, 6}, {2, 50, 12}, {3, 50, 10}, {5, 50, 8}, {10, 50, 4}, {20, 60, 2}, {50, 55, 1},
	} {
		for _, k := range kernels {
			var e errors
			for _, f := range []float64{1, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02} {
				if c.d >= 20 && f < 0.1 {
					continue
				}
				rows := c.rows
				if !long.Enabled() {
					rows = (rows + 5) / 6
				}
				for i := range rows {
					x, z := normals(r, c.d), normals(r, c.m*c.d)
					if i%4 == 1 {
						copy(x, z[3*c.d:])
					}
					p := newProblem(x, z, same(c.d, f*math.Sqrt(float64(c.d))), k)
					e.check(t, fmt.Sprintf("D = %d, theta %v", c.d, f), p)
				}
			}
			e.hold(t, fmt.Sprintf("D = %d, %s", c.d, k.name), 1e-13, 1e-12)
		}
	}
}

// Lattices of distinct points in decimals. The oracle has the decimals themselves, so that vectors
// between the points depend on each other exactly. Away from the origin the data are rounded the
// more.
func TestLattices(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	dims := []int{2, 3, 5, 20}
	if long.Enabled() {
		dims = []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 20}
	}
	for _, offset := range []int64{0, 10, 1000} {
		for _, k := range kernels {
			var e errors
			for _, d := range dims {
				for _, step := range []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 10), big.NewRat(3, 10)} {
					for _, f := range []float64{3, 0.3, 0.05} {
						x, z := lattice(r, d, 1, step, offset), lattice(r, d, d+1+r.IntN(30), step, offset)
						size, _ := step.Float64()
						p := newProblem(x.x, z.x, same(d, f*size), k)
						p.exactX, p.exactZ = x.exactX, z.exactX
						e.check(t, fmt.Sprintf("D = %d, step %v, theta %v steps", d, step, f), p)
					}
				}
			}
			bound := max(1e-13, 1e-14*float64(offset))
			e.hold(t, fmt.Sprintf("%s, offset %d", k.name, offset), bound, 10*bound)
		}
	}
}

// lattice draws points, as the x of a problem.
func lattice(r *rand.Rand, d, points int, step *big.Rat, offset int64) *problem {
	p := &problem{}
	for range points * d {
		v := new(big.Rat).Mul(step, big.NewRat(int64(r.IntN(5)), 1))
		v.Add(v, big.NewRat(offset, 1))
		f, _ := v.Float64()
		p.x, p.exactX = append(p.x, f), append(p.exactX, v)
	}
	return p
}
