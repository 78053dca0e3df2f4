package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayeskernel/internal/dd"

	"gonum.org/v1/gonum/mat"
)

// eachPrior calls f for all kernels, nu, numbers of columns and of lengthscales that go together.
func eachPrior(t *testing.T, dims []int, f func(name string, p *Prior, theta []float64, dim int)) {
	t.Helper()
	for _, r := range append(radials(), newCustom(), RQ{13}) {
		for _, nu := range []Nu{Unit, Lebesgue, Gaussian} {
			for _, dim := range dims {
				p, err := NewPrior(r, nu, dim)
				if err != nil && nu != Gaussian {
					checkError(t, err, "has no integral")
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, n := range slices.Compact([]int{1, dim}) {
					// Distances grow like sqrt(dim).
					theta := lengthscales(n, 0.8*math.Sqrt(float64(dim)))
					name := fmt.Sprintf("%v, %v, %d columns, %d lengthscales", r, nu, dim, n)
					f(name, p, theta, dim)
				}
			}
		}
	}
}

func TestPriorDerivatives(t *testing.T) {
	const eta = 1.3
	r := rand.New(rand.NewPCG(9, 10))
	eachPrior(t, []int{1, 2, 3, 4, 5, 6, 50}, func(name string, p *Prior, theta []float64, dim int) {
		x, y := points(r, 1, dim), points(r, 1, dim)
		p.Set(theta, eta)
		amp := p.LogAmplitude()
		value := func(theta []float64, eta float64) float64 {
			p.Set(theta, eta)
			q, _ := p.Pair(nil, x, y)
			return math.Exp(p.LogAmplitude()-amp) * q
		}
		difference := func(move func(m float64) float64) float64 {
			// One lengthscale comes in as theta^dim.
			return slope(move, 1, 0.01*float64(len(theta))/float64(dim))
		}
		d := make([]float64, len(theta))
		p.Set(theta, eta)
		q, dEta := p.Pair(d, x, y)
		if !(q > 0 && q <= 1) {
			t.Errorf("%s: Q is %v", name, q)
		}
		for a := range d {
			if a > 2 && a < dim-1 {
				continue // coordinates are treated alike
			}
			want := difference(func(m float64) float64 {
				moved := slices.Clone(theta)
				moved[a] *= m
				return value(moved, eta)
			})
			relative(t, fmt.Sprintf("%s: d/dlog theta_%d", name, a), d[a], want, 1e-10, 1e-11*(q+1e-3))
		}
		want := difference(func(m float64) float64 { return value(theta, eta*m) })
		relative(t, name+": d/dlog eta", dEta, want, 1e-10, 1e-11*(q+1e-3))
		// One number is the sum of the derivatives for coordinates.
		p.Set(theta, eta)
		sum, total, each := make([]float64, 1), 0.0, make([]float64, dim)
		p.Pair(sum, x, y)
		p.Pair(each, x, y)
		for _, v := range each {
			total += v
		}
		relative(t, name+": summed derivative", sum[0], total, 1e-12, 1e-15)
	})
}

// Fill, Diagonal, Pair and PairExtended agree, Pair is symmetric, and nothing allocates twice.
func TestPriorAgreesWithItself(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	eachPrior(t, []int{1, 2, 3, 7}, func(name string, p *Prior, theta []float64, dim int) {
		x, y := points(r, 3, dim), points(r, 4, dim)
		copy(y, x[:dim])
		dst, diagonal := make([]float64, 12), make([]float64, 3)
		d, d2, wide := make([]float64, dim), make([]float64, dim), make([]dd.Number, dim)
		for _, path := range paths() {
			p.Path = path
			p.Set(theta, 0.9)
			amp := math.Exp(p.LogAmplitude())
			p.Fill(dst, path, x, y)
			p.Diagonal(diagonal, x)
			for i := range 3 {
				xi := x[i*dim : (i+1)*dim]
				for j := range 4 {
					yj := y[j*dim : (j+1)*dim]
					q, e := p.Pair(d, xi, yj)
					relative(t, name+": Fill", dst[i*4+j], amp*q, 1e-13, 1e-15*amp)
					q2, e2 := p.Pair(d2, yj, xi)
					relative(t, name+": Pair(y, x)", q2, q, 1e-13, 1e-15)
					relative(t, name+": dEta of Pair(y, x)", e2, e, 1e-12, 1e-14)
					q3, e3 := p.PairExtended(wide, xi, yj)
					relative(t, name+": PairExtended", q3.Hi, q, 1e-13, 1e-15)
					relative(t, name+": dEta of PairExtended", e3.Hi, e, 1e-12, 1e-14)
					for a := range d {
						relative(t, name+": dTheta of Pair(y, x)", d2[a], d[a], 1e-12, 1e-14)
						relative(t, name+": dTheta of PairExtended", wide[a].Hi, d[a], 1e-12, 1e-14)
					}
				}
				q, _ := p.Pair(nil, xi, xi)
				relative(t, name+": Diagonal", diagonal[i], amp*q, 1e-13, 0)
			}
		}
		all := func() {
			p.Set(theta, 0.9)
			p.Fill(dst, 0, x, y)
			p.Diagonal(diagonal, x)
			p.Pair(d, x[:dim], y[:dim])
			p.PairExtended(wide, x[:dim], y[:dim])
		}
		if n := testing.AllocsPerRun(5, all); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	})
}

func TestPriorIsPositiveSemidefinite(t *testing.T) {
	const n = 14
	r := rand.New(rand.NewPCG(13, 14))
	eachPrior(t, []int{1, 2, 3, 6}, func(name string, p *Prior, theta []float64, dim int) {
		x, dst := points(r, n, dim), make([]float64, n*n)
		for _, unit := range []float64{0.1, 1, 10} {
			scaled := slices.Clone(theta)
			for a := range scaled {
				scaled[a] *= unit
			}
			p.Set(scaled, 1)
			p.Fill(dst, fastest(), x, x)
			var e mat.EigenSym
			s := mat.NewSymDense(n, slices.Clone(dst))
			if !e.Factorize(s, false) {
				t.Fatal(name)
			}
			values := e.Values(nil)
			if !(values[0] >= -1e-14*values[n-1]) {
				t.Errorf("%s, theta times %v: eigenvalues from %v to %v", name, unit, values[0],
					values[n-1])
			}
		}
	})
}

// For the squared exponential all is known in closed form.
func TestPriorOfSquaredExponential(t *testing.T) {
	x, y, theta, eta := []float64{0.3, -1.2}, []float64{-0.4, 2}, []float64{0.8, 1.5}, 0.6
	near, far, product := 0.0, 0.0, 1.0
	for a := range x {
		near += math.Pow((x[a]-y[a])/theta[a], 2) / 4
		w := theta[a]*theta[a] + 2*eta*eta
		far += math.Pow((x[a]+y[a])/2, 2) / w
		product *= theta[a] / math.Sqrt(w)
	}
	for nu, want := range map[Nu]float64{
		Unit:     math.Exp(-near),
		Lebesgue: math.Exp(-near) * math.Pi * theta[0] * theta[1],
		Gaussian: math.Exp(-near-far) * product,
	} {
		p, err := NewPrior(SE{}, nu, 2)
		if err != nil {
			t.Fatal(err)
		}
		p.Set(theta, eta)
		got := make([]float64, 1)
		p.Fill(got, 0, x, y)
		relative(t, nu.String(), got[0], want, 2e-15, 0)
	}
}

// Units that are far out, and points at infinite distance.
func TestPriorFarOut(t *testing.T) {
	for _, r := range radials() {
		for _, nu := range []Nu{Unit, Lebesgue, Gaussian} {
			p, err := NewPrior(r, nu, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, theta := range []float64{1e-310, 1e-160, 1e-5, 1, 1e5, 1e160} {
				for _, eta := range []float64{1e-160, 1, 1e160} {
					p.Set([]float64{theta}, eta)
					for _, y := range []float64{0, 1e-3, 1, 1e160, math.MaxFloat64} {
						d, wide := make([]float64, 1), make([]dd.Number, 1)
						for _, x := range []float64{0, y, -y} {
							q, dEta := p.Pair(d, []float64{x}, []float64{y})
							if !(q >= 0 && q <= 1+1e-15) || math.IsNaN(d[0]+dEta) {
								t.Fatalf("%v, %v, theta %v, eta %v: Pair(%v, %v) = %v, %v, %v", r, nu,
									theta, eta, x, y, q, d, dEta)
							}
							if theta < 1e-150 || theta > 1e150 || eta < 1e-150 || eta > 1e150 {
								continue // 32 digits of squares are out of range
							}
							w, e := p.PairExtended(wide, []float64{x}, []float64{y})
							if !(math.Abs(w.Hi-q) < 1e-13) || math.IsNaN(e.Hi+wide[0].Hi) {
								t.Fatalf("%v, %v, theta %v, eta %v: PairExtended(%v, %v) = %v, want %v",
									r, nu, theta, eta, x, y, w, q)
							}
						}
					}
				}
			}
		}
	}
}

func TestPriorErrors(t *testing.T) {
	for _, c := range []struct {
		r    Radial
		nu   Nu
		dim  int
		want string
	}{
		{nil, Unit, 1, "kernel of a prior is nil"},
		{SE{}, Unit, 0, "number of columns is 0, want at least 1"},
		{SE{}, Nu(3), 1, "nu is Nu(3), want unit, lebesgue or gaussian"},
		{Matern{1}, Unit, 1, "nu of Matern is 1"},
		{RQ{0.5}, Unit, 2, "4 alpha of rq:alpha=0.5 is 2 in 2 columns, want more than 2"},
		{RQ{0.5}, Lebesgue, 3, "4 alpha of rq:alpha=0.5 is 2 in 3 columns, want more than 3"},
		{exponential{p: 1}, Gaussian, 1, "kernel exp(-0.5 q) has no mixture"},
		{RQ{0.01}, Gaussian, 1, "under nu = gaussian needs a mixture of"},
	} {
		_, err := NewPrior(c.r, c.nu, c.dim)
		checkError(t, err, c.want)
	}
	for i, f := range []func(p *Prior){
		func(p *Prior) { p.Set([]float64{1, 2}, 1) },
		func(p *Prior) { p.Pair(nil, []float64{1}, []float64{1, 2, 3}) },
		func(p *Prior) { p.Pair(make([]float64, 2), make([]float64, 3), make([]float64, 3)) },
		func(p *Prior) { p.Fill(nil, 0, make([]float64, 3), make([]float64, 3)) },
		func(p *Prior) { p.Diagonal(make([]float64, 2), make([]float64, 3)) },
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "kernels: ") {
					t.Errorf("%d: panic %q", i, s)
				}
			}()
			p, _ := NewPrior(SE{}, Unit, 3)
			f(p)
		}()
	}
}

func BenchmarkPrior(b *testing.B) {
	r := rand.New(rand.NewPCG(15, 16))
	path := fastest()
	for _, dim := range []int{1, 2, 5} {
		x := points(r, 20, dim)
		dst, d, wide := make([]float64, 400), make([]float64, 1), make([]dd.Number, 1)
		for _, k := range radials() {
			for _, nu := range []Nu{Unit, Gaussian} {
				p, err := NewPrior(k, nu, dim)
				if err != nil {
					continue
				}
				p.Path = path
				p.Set([]float64{0.8}, 1.3)
				b.Run(fmt.Sprintf("D=%d/%v/%v/Fill", dim, nu, k), func(b *testing.B) {
					perPair(b, 400, func() { p.Fill(dst, path, x, x) })
				})
				b.Run(fmt.Sprintf("D=%d/%v/%v/Pair", dim, nu, k), func(b *testing.B) {
					perPair(b, 400, func() {
						for i := range 400 {
							p.Pair(d, x[i/20*dim:][:dim], x[i%20*dim:][:dim])
						}
					})
				})
				if p.Exact() {
					b.Run(fmt.Sprintf("D=%d/%v/%v/PairExtended", dim, nu, k), func(b *testing.B) {
						perPair(b, 400, func() {
							for i := range 400 {
								p.PairExtended(wide, x[i/20*dim:][:dim], x[i%20*dim:][:dim])
							}
						})
					})
				}
				b.Run(fmt.Sprintf("D=%d/%v/%v/Set", dim, nu, k), func(b *testing.B) {
					perPair(b, 1, func() { p.Set([]float64{0.8}, 1.3) })
				})
			}
		}
	}
}
