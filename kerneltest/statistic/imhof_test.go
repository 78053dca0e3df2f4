package statistic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/fixture"

	"gonum.org/v1/gonum/mathext"
)

func equal(n int, w float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = w
	}
	return s
}

// Equal weights make a chi-square, whose tail is an incomplete gamma function.
func TestImhofChiSquare(t *testing.T) {
	worst := 0.0
	for _, n := range []int{1, 2, 3, 5, 10, 100, 1000} {
		for _, scale := range []float64{1e-200, 1, 1e150} {
			if n > 100 && scale != 1 {
				continue
			}
			for _, at := range []float64{1e-10, 0.01, 0.3, 0.9, 0.999, 1, 1.1, 2, 5, 20, 100} {
				x := at * float64(n)
				p, bound, err := Imhof(equal(n, scale), scale*x)
				if err != nil {
					t.Fatal(err)
				}
				want := mathext.GammaIncRegComp(float64(n)/2, x/2)
				if want > 1e-290 {
					worst = max(worst, fixture.Relative(p, want))
				}
				if math.Abs(p-want) > 1e-12*want+1e-300 {
					t.Errorf("%d weights %v, x = %v: p = %v, want %v", n, scale, x, p, want)
				}
				if math.Abs(p-want) > bound+1e-12*want {
					t.Errorf("%d weights, x = %v: bound is %v, error %v", n, x, bound, p-want)
				}
			}
		}
	}
	t.Logf("largest relative error %.2g", worst)
}

// One weight: the tail is erfc(sqrt(x/2)), two: exp(-x/2), far into the tail.
func TestImhofFarTails(t *testing.T) {
	for _, x := range []float64{1, 10, 50, 200, 700, 1300} {
		p, _, _ := Imhof([]float64{1}, x)
		if want := math.Erfc(math.Sqrt(x / 2)); fixture.Relative(p, want) > 1e-12 {
			t.Errorf("one weight at %v: %v, want %v", x, p, want)
		}
		p, _, _ = Imhof([]float64{1, 1}, x)
		if want := math.Exp(-x / 2); fixture.Relative(p, want) > 1e-12 {
			t.Errorf("two weights at %v: %v, want %v", x, p, want)
		}
	}
	// The lower tail of one weight is erf.
	q := newQuadratic([]float64{1}, 1)
	for _, x := range []float64{1e-39, 1e-20, 1e-5, 0.1, 0.9} {
		p, _ := q.tail(x, false)
		if want := math.Erf(math.Sqrt(x / 2)); fixture.Relative(p, want) > 1e-12 {
			t.Errorf("lower tail at %v: %v, want %v", x, p, want)
		}
	}
}

// Weights in pairs, all pairs different, make a sum of exponentials: the tail is the sum of
// exp(-x/(2 w_i)) prod_j w_i/(w_i-w_j).
func TestImhofPairsOfWeights(t *testing.T) {
	worst := 0.0
	for _, pairs := range [][]float64{{1, 0.5}, {3, 1, 0.1}, {1, 0.7, 0.3, 0.05, 1e-3},
		{2, 1, 0.5, 0.25, 0.125, 1. / 16}, {1, 1e-8}} {
		var weights []float64
		mean := 0.0
		for _, w := range pairs {
			weights = append(weights, w, w)
			mean += 2 * w
		}
		for _, at := range []float64{0.3, 0.8, 1, 1.2, 2, 5, 10, 30, 100} {
			x, want := at*mean, 0.0
			for i, v := range pairs {
				term := math.Exp(-x / (2 * v))
				for j, w := range pairs {
					if i != j {
						term *= v / (v - w)
					}
				}
				want += term
			}
			p, _, err := Imhof(weights, x)
			if err != nil {
				t.Fatal(err)
			}
			worst = max(worst, fixture.Relative(p, want))
			if fixture.Relative(p, want) > 1e-11 {
				t.Errorf("pairs %v at %v: %v, want %v", pairs, x, p, want)
			}
		}
	}
	t.Logf("largest relative error %.2g", worst)
}

// onRealAxis is Imhof's own integral (1961, eq. 3.2), 1/2 plus 1/pi times the integral of
// sin(theta)/(u rho), by Simpson's rule on a fine grid: for many weights, where it decays quickly.
func onRealAxis(weights []float64, x float64) float64 {
	sd := 0.0
	for _, w := range weights {
		sd += 2 * w * w
	}
	sd = math.Sqrt(sd)
	f := func(u float64) float64 {
		theta, rho := -x*u/2, 1.0
		for _, w := range weights {
			theta += math.Atan(w*u) / 2
			rho *= math.Pow(1+w*w*u*u, 0.25)
		}
		return math.Sin(theta) / (u * rho)
	}
	const steps = 8000
	h, s := 120/sd/steps, 0.0
	for i := range steps + 1 {
		u := max(float64(i)*h, 1e-12/sd)
		switch {
		case i == 0 || i == steps:
			s += f(u)
		case i%2 == 1:
			s += 4 * f(u)
		default:
			s += 2 * f(u)
		}
	}
	return 0.5 + s*h/3/math.Pi
}

func TestImhofRealAxis(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	geometric, random, mixed := make([]float64, 40), make([]float64, 30), equal(50, 0.02)
	for i := range geometric {
		geometric[i] = math.Pow(0.8, float64(i))
	}
	for i := range random {
		random[i] = r.ExpFloat64()
	}
	mixed = append(mixed, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0)
	for k, weights := range [][]float64{geometric, random, mixed} {
		mean := total(weights)
		for _, at := range []float64{0.3, 0.6, 0.99, 1, 1.4, 2, 4} {
			p, bound, err := Imhof(weights, at*mean)
			if err != nil {
				t.Fatal(err)
			}
			if want := onRealAxis(weights, at*mean); math.Abs(p-want) > 1e-10 {
				t.Errorf("weights %d at %v: %.12g (bound %.1g), want %.12g", k, at, p, bound, want)
			}
		}
	}
}

// Draws of the sum itself: 24 probabilities from 200,000 draws, each within 6 standard errors, so
// that another seed fails with probability 5e-8.
func TestImhofSimulation(t *testing.T) {
	r := rand.New(rand.NewPCG(1961, 0))
	const draws = 200_000
	for k, weights := range [][]float64{{1}, {1, 0.01, 0.01}, {1, 0.9, 0.1, 0.1, 0.1}, equal(7, 2),
		append(equal(60, 0.05), 1), {1, 1e-5}} {
		mean := total(weights)
		levels := [4]float64{0.3, 1, 2, 4}
		var above [4]int
		for range draws {
			s := 0.0
			for _, w := range weights {
				z := r.NormFloat64()
				s += w * z * z
			}
			for i, at := range levels {
				if s > at*mean {
					above[i]++
				}
			}
		}
		for i, at := range levels {
			p, _, _ := Imhof(weights, at*mean)
			se := math.Sqrt(max(p*(1-p), 1./draws) / draws)
			if got := float64(above[i]) / draws; math.Abs(got-p) > 6*se {
				t.Errorf("weights %d at %v: simulated %v, computed %v", k, at, got, p)
			}
		}
	}
}

// A large weight with many small ones beside it: the normal part is narrow or wide, near or far.
// The tail is that of the small ones, a chi-square, averaged over the large one.
func TestImhofTwoScales(t *testing.T) {
	for _, small := range []float64{1e-6, 1e-4, 1e-3, 0.01, 0.1} {
		for _, count := range []int{2, 50, 1000} {
			weights := append(equal(count, small), 1)
			for _, x := range []float64{0.2, 1.05, 3, 20, 60} {
				p, _, err := Imhof(weights, x)
				if err != nil {
					t.Fatal(err)
				}
				if want := twoScales(small, count, x); fixture.Relative(p, want) > 1e-9 {
					t.Errorf("1 and %d of %v at %v: %v, want %v", count, small, x, p, want)
				}
			}
		}
	}
}

// twoScales integrates over z, the square root of the large chi-square, by the trapezoidal rule for
// P(small sum > x - z²), an analytic function of z but at z² = x, where it ends.
func twoScales(small float64, count int, x float64) float64 {
	root := math.Sqrt(x)
	// z = root tanh-sinh(t) on (0, root).
	s := 0.0
	const h = 1. / 512
	for i := -4 * 512; i <= 4*512; i++ {
		t := float64(i) * h
		e := math.Pi / 2 * math.Sinh(t)
		// 1-z/root and z/root without cancellation.
		share, rest := 1/(1+math.Exp(-2*e)), 1/(1+math.Exp(2*e))
		z := root * share
		dz := root * math.Pi * math.Cosh(t) * share * rest
		tail := mathext.GammaIncRegComp(float64(count)/2, root*rest*(root+z)/(2*small))
		s += h * dz * math.Sqrt(2/math.Pi) * math.Exp(-z*z/2) * tail
	}
	return s + math.Erfc(math.Sqrt(x/2))
}

// Merging many weights moves no tail; 75 x 75 products of eigenvalues that fall geometrically, and
// flat ones.
func TestImhofMergesWeights(t *testing.T) {
	var products, flat []float64
	for i := range 75 {
		for j := range 75 {
			products = append(products, math.Pow(0.93, float64(i))*math.Pow(0.9, float64(j)))
			flat = append(flat, 1+0.3*math.Sin(float64(75*i+j)))
		}
	}
	worst := 0.0
	for _, weights := range [][]float64{products, flat} {
		mean, variance, top := 0.0, 0.0, 0.0
		for _, w := range weights {
			mean, variance, top = mean+w, variance+2*w*w, max(top, w)
		}
		merged := newQuadratic(weights, top)
		if len(merged.lambda) > 2000 {
			t.Errorf("%d weights are left", len(merged.lambda))
		}
		scaled := &quadratic{lambda: make([]float64, len(weights)), nu: equal(len(weights), 1)}
		for i, w := range weights {
			scaled.lambda[i] = w / top
		}
		for _, z := range []float64{-3, -1, 0, 1, 3, 6, 10} {
			x := mean + z*math.Sqrt(variance)
			p, _, err := Imhof(weights, x)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := scaled.tail(x/top, z >= 0)
			if z < 0 {
				want = 1 - want
			}
			worst = max(worst, fixture.Relative(p, want))
			if fixture.Relative(p, want) > 1e-7 {
				t.Errorf("at %v sd: %v, want %v", z, p, want)
			}
		}
	}
	t.Logf("largest relative error %.2g", worst)
}

// On the path the integrand is nowhere larger than at the vertex.
func TestImhofPathDescends(t *testing.T) {
	for _, weights := range [][]float64{{1}, {1, 1e-3}, append(equal(1000, 1e-3), 1),
		equal(1000, 1), append(equal(300, 0.01), 1, 0.5)} {
		q := newQuadratic(weights, 1)
		for _, at := range []float64{1e-5, 0.1, 0.5, 0.99, 1, 1.01, 2, 10, 100} {
			x := at * q.mean()
			c, width := q.saddle(x, at >= 1)
			peak, _ := q.exponent(c, 0, x, c)
			sin, cos := math.Sincos(asymptote)
			for u := 0.0; u < 12; u += 0.02 {
				mod, _ := q.exponent(c+width*sin*(math.Cosh(u)-1), width*cos*math.Sinh(u), x, c)
				if mod > peak+1e-9*math.Abs(peak)+1e-9 {
					t.Fatalf("%d weights at %v of the mean: exponent %v at u = %v, %v at the vertex",
						len(weights), at, mod, u, peak)
				}
			}
		}
	}
}

func TestImhofEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		weights []float64
		x, p    float64
		fails   bool
	}{
		{nil, 0, 1, false},
		{nil, 1e-300, 0, false},
		{[]float64{0, 0}, -1, 1, false},
		{[]float64{0, 0}, 1, 0, false},
		{[]float64{1}, 0, 1, false},
		{[]float64{1}, -5, 1, false},
		{[]float64{1}, inf, 0, false},
		{[]float64{1}, -inf, 1, false},
		{[]float64{1}, 1e300, 0, false},
		{[]float64{1, 2}, 5e-324, 1, false},
		{[]float64{1, 5e-324}, 1, math.Erfc(math.Sqrt(0.5)), false},
		{[]float64{1, 0, 0}, 1, math.Erfc(math.Sqrt(0.5)), false},
		{[]float64{1}, nan, 0, true},
		{[]float64{1, nan}, 1, 0, true},
		{[]float64{1, -1e-9}, 1, 0, true},
		{[]float64{inf}, 1, 0, true},
	} {
		p, _, err := Imhof(c.weights, c.x)
		if (err != nil) != c.fails || !c.fails && math.Abs(p-c.p) > 1e-14 {
			t.Errorf("weights %v at %v: %v, %v, want %v", c.weights, c.x, p, err, c.p)
		}
	}
}

func BenchmarkImhof(b *testing.B) {
	for _, n := range []int{1, 100, 4000} {
		w := make([]float64, n)
		for i := range w {
			w[i] = 1 / float64(i+1)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := Imhof(w, 2*total(w)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
