package summary

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/embedding"

	"gonum.org/v1/gonum/mat"
)

// Kernel means over the lattice are those of the rows, to the bound of Lagrange interpolation of degree 7
// in the middle of its points: (3.5·2.5·1.5·0.5)²/8! h^8 max|f^(8)| = 0.112 (h/theta)^8 along each axis,
// and the rounding of weights. Over rows of a smooth density errors cancel, and are far smaller.
func TestMeans(t *testing.T) {
	for dim := 1; dim <= 2; dim++ {
		x := mixture(11, 3000, dim)
		p := planFor(t, x, dim, PlanOptions{Inputs: inputs.Options{Points: dense(x[:8*dim], dim)},
			Thetas: []float64{0.4}, Bins: 8})
		sums := summarise(t, p, "P", x, 1000)
		sample, err := sums.Sample("P")
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(3, 4))
		points := make([]float64, 40*dim)
		for i := range points {
			points[i] = -1.5 + 3*r.Float64()
		}
		got := make([]float64, 40)
		for _, steps := range []float64{5.001, 6, 7, 8, 10, 21, 50, 130} {
			theta := steps * p.Lattice.Step
			if err := sample.Means.At(got, theta, points); err != nil {
				t.Fatal(err)
			}
			worst := 0.0
			for j := range got {
				want := 0.0
				for i := 0; i < len(x); i += dim {
					q := 0.0
					for a := range dim {
						u := (x[i+a] - points[j*dim+a]) / theta
						q += u * u
					}
					want += math.Exp(-q/2) / 3000
				}
				worst = max(worst, math.Abs(got[j]-want))
			}
			t.Logf("D=%d, theta = %.1f steps: off by %.1e", dim, steps, worst)
			if !(worst < float64(dim)*0.112*math.Pow(min(steps, 10), -8)+1e-11) {
				t.Errorf("D=%d, theta = %v steps: kernel means are off by %v", dim, steps, worst)
			}
		}
		// With a row beyond the lattice, means near its ends are not known.
		addChunks(t, sums, "P", []float64{1e3, 1e3}[:dim], 1)
		if sample, err = sums.Sample("P"); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			theta, at float64
			want      string
		}{{4 * p.Lattice.Step, 0, "too coarse"}, {0.4, 50, "between"}} {
			err := sample.Means.At(got[:1], c.theta, []float64{c.at, c.at}[:dim])
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("theta %v at %v: %v", c.theta, c.at, err)
			}
		}
	}
}

// The witness of two samples, its band and its draws are those from the rows.
func TestWitness(t *testing.T) {
	for dim := 1; dim <= 2; dim++ {
		x, y := mixture(12, 2000, dim), mixture(13, 1500, dim)
		for i := range y {
			y[i] *= 1.1
		}
		all := append(append([]float64{}, x...), y...)
		p := planFor(t, all, dim, PlanOptions{Inputs: inputs.Options{Number: 12}, Thetas: []float64{0.5}})
		s := summarise(t, p, "P", x, 700)
		addChunks(t, s, "Q", y, 700)
		rows, sums := direct(t, p, all), fromSummary(t, s)
		sp, _ := s.Sample("P")
		sq, _ := s.Sample("Q")
		draws := []bke.Params{{Theta: []float64{0.5}, Tau2: 0.1}, {Theta: []float64{0.52}, Tau2: 0.11}}
		for i := range 60 { // enough for tables in theta
			draws = append(draws, bke.Params{Theta: []float64{0.48 + 0.0006*float64(i)}, Tau2: 0.1})
		}
		points := embedding.Grid(9, dense(x[:400*dim], dim))
		a := functions(t, rows, embedding.Sample{X: dense(x, dim)}, embedding.Sample{X: dense(y, dim)},
			draws, points)
		b := functions(t, sums, sp, sq, draws, points)
		sign := 1.0
		if a.Mean[0]*b.Mean[0] < 0 {
			sign = -1
		}
		for j := range a.Mean {
			if math.Abs(a.Mean[j]-sign*b.Mean[j]) > 1e-5*a.SD[j] {
				t.Fatalf("D=%d, point %d: mean %v, want %v (sd %v)", dim, j, b.Mean[j], a.Mean[j], a.SD[j])
			}
			if math.Abs(a.SD[j]-b.SD[j]) > 1e-5*a.SD[j] {
				t.Fatalf("D=%d, point %d: sd %v, want %v", dim, j, b.SD[j], a.SD[j])
			}
		}
		// The draws vary like those of the rows: their squared norms have the same mean to 5 standard
		// errors.
		m, n := a.MMD2(nil), b.MMD2(nil)
		ma, sa := meanSD(m)
		mb, sb := meanSD(n)
		if d := math.Abs(ma-mb) / math.Hypot(sa, sb) * math.Sqrt(float64(len(m))); !(d < 5) {
			t.Errorf("D=%d: squared norms %v and %v, %v standard errors apart", dim, ma, mb, d)
		}
	}
}

func functions(t *testing.T, m *bke.Model, p, q embedding.Sample, draws []bke.Params,
	points mat.Matrix) *embedding.Functions {
	t.Helper()
	w, err := embedding.NewWitness(m, p, q, draws, embedding.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := w.Functions(t.Context(), points, 400, 1)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The standard deviations of log theta from bins are those of package bke from rows, within what 256 bins
// and ten groups can tell (the sandwich 20%, the jackknife a factor of 2).
func TestInterval(t *testing.T) {
	ctx := context.Background()
	x := mixture(14, 30000, 1)
	f, err := bke.Learn(ctx, dense(x, 1), bke.InputOptions{}, bke.Options{}, bke.LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.ThetaInterval(ctx, dense(x, 1), nil, bke.IntervalOptions{Seeds: -1})
	if err != nil {
		t.Fatal(err)
	}
	p := planFor(t, x, 1, PlanOptions{})
	s := summarise(t, p, "P", x, 3000)
	fit, err := fromSummary(t, s).Learn(ctx, bke.LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Interval(fit, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v, want %+v", got, want)
	if r := got.SDSandwich / want.SDSandwich; !(r > 0.8 && r < 1.25) {
		t.Errorf("sandwich %v, want %v", got.SDSandwich, want.SDSandwich)
	}
	if r := got.SDJackknife / got.SDSandwich; !(r > 0.8 && r < 1.25) {
		t.Errorf("jackknife %v, sandwich %v", got.SDJackknife, got.SDSandwich)
	}
	if math.Abs(got.Theta-want.Theta) > 0.01*want.Theta || !(got.From < got.Theta && got.Theta < got.To) {
		t.Errorf("theta %v (%v to %v), want %v", got.Theta, got.From, got.To, want.Theta)
	}
}

// A plan whose windows are elsewhere asks for a second pass, and says where.
func TestSecondPass(t *testing.T) {
	ctx := context.Background()
	x := mixture(15, 20000, 1)
	right := planFor(t, x, 1, PlanOptions{})
	theta := math.Exp((right.Windows[0].From + right.Windows[0].To) / 2)
	wrong := planFor(t, x, 1, PlanOptions{Thetas: []float64{theta * 1.3}})
	s := summarise(t, wrong, "P", x, 5000)
	fit, err := fromSummary(t, s).Learn(ctx, bke.LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Check(fit)
	if e, ok := err.(*SecondPass); !ok || e.From > theta*1.19 || e.To > theta*1.3 ||
		!strings.Contains(err.Error(), "second pass needed, theta from") {
		t.Errorf("%v, theta is %v", err, theta)
	}
}
