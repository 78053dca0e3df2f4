package power

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
)

// fits tests by chi-squared that counts come from probabilities; a wrong alarm in 1e9.
func fits(t *testing.T, what string, counts, probabilities []float64) {
	t.Helper()
	n, total := 0.0, 0.0
	for i, c := range counts {
		n += c
		total += probabilities[i]
	}
	if math.Abs(total-1) > 1e-6 {
		t.Errorf("%s: probabilities sum to %v", what, total)
	}
	stat := 0.0
	for i, c := range counts {
		e := n * probabilities[i]
		if e < 5 {
			t.Fatalf("%s: %v expected in cell %d, want at least 5", what, e, i)
		}
		stat += (c - e) * (c - e) / e
	}
	if p := (distuv.ChiSquared{K: float64(len(counts) - 1)}).Survival(stat); p < 1e-9 {
		t.Errorf("%s: chi-squared is %.4g in %d cells, p = %.2g", what, stat, len(counts), p)
	}
}

// fitsLaw compares a column with a distribution function, in 50 cells of the same probability.
func fitsLaw(t *testing.T, what string, x mat.Matrix, column int, cdf func(float64) float64) {
	t.Helper()
	const cells = 50
	n, _ := x.Dims()
	counts, p := make([]float64, cells), make([]float64, cells)
	for i := range n {
		counts[min(int(cells*cdf(x.At(i, column))), cells-1)]++
	}
	for i := range p {
		p[i] = 1.0 / cells
	}
	fits(t, what, counts, p)
}

func normalLaw(mean, sd float64) func(float64) float64 {
	return distuv.Normal{Mu: mean, Sigma: sd}.CDF
}

// integral is that of f over [a, b], by the midpoints of 400 parts.
func integral(f func(float64) float64, a, b float64) float64 {
	const parts = 400
	s := 0.0
	for i := range parts {
		s += f(a + (b-a)*(float64(i)+0.5)/parts)
	}
	return s * (b - a) / parts
}

// The laws of the package comment, column by column, on 100,000 rows each.
func TestLaws(t *testing.T) {
	x, y := draw(t, "normal:shift=-1.5,sd=0.5,n=1e5,dim=2", 11)
	fitsLaw(t, "normal x", x, 0, normalLaw(0, 1))
	fitsLaw(t, "normal y", y, 0, normalLaw(-1.5, 0.5))
	fitsLaw(t, "normal y, second column", y, 1, normalLaw(0, 0.5))

	x, y = draw(t, "normal-laplace:n=1e5", 12)
	fitsLaw(t, "normal-laplace x", x, 0, normalLaw(0, 1))
	fitsLaw(t, "normal-laplace y", y, 0, distuv.Laplace{Scale: math.Sqrt(0.5)}.CDF)

	x, y = draw(t, "correlation:rho=0.6,n=1e5,dim=3,among=2", 13)
	fitsLaw(t, "correlation y", y, 1, normalLaw(0, 1))
	fitsLaw(t, "correlation y, free column", y, 2, normalLaw(0, 1))
	var sum mat.Dense // of two columns, of the variance 2 + 2 rho
	sum.Mul(y, mat.NewDense(3, 1, []float64{1, 1, 0}))
	fitsLaw(t, "correlation y, sum", &sum, 0, normalLaw(0, math.Sqrt(3.2)))
	sum.Reset()
	sum.Mul(x, mat.NewDense(3, 1, []float64{1, 1, 0}))
	fitsLaw(t, "correlation x, sum", &sum, 0, normalLaw(0, math.Sqrt2))

	x, y = draw(t, "mixture:sd=2,mean=2,n=1e5,dim=3", 14)
	mixed := func(sd float64) func(float64) float64 { // of the first two columns
		return func(v float64) float64 {
			return normalLaw(2, 1)(v)/2 + normalLaw(-2, 1)(v)/4 + normalLaw(-2, sd)(v)/4
		}
	}
	for c := range 2 {
		fitsLaw(t, "mixture x", x, c, mixed(1))
		fitsLaw(t, "mixture y", y, c, mixed(2))
	}
	fitsLaw(t, "mixture y, third column", y, 2, func(v float64) float64 {
		return 0.75*normalLaw(0, 1)(v) + 0.25*normalLaw(0, 2)(v)
	})

	x, y = draw(t, "circle:noise=0,n=1e5", 15)
	angle := func(v float64) float64 { return 1 - math.Acos(min(max(v, -1), 1))/math.Pi }
	fitsLaw(t, "circle x", x, 0, angle)
	fitsLaw(t, "circle y", y, 0, angle)
	x, _ = draw(t, "circle:noise=0.5,n=1e4", 15)
	fitsLaw(t, "circle with noise", x, 0, func(v float64) float64 {
		return integral(func(a float64) float64 { return normalLaw(math.Cos(a), 0.5)(v) }, 0, math.Pi) /
			math.Pi
	})

	x, y = draw(t, "linear:rho=0.7,n=1e5,dim=2", 16)
	fitsLaw(t, "linear y", y, 0, normalLaw(0, 1))
	var rest mat.Dense // of y given x
	rest.Mul(beside(x, y), mat.NewDense(3, 1, []float64{-0.7, 0, 1}))
	fitsLaw(t, "linear y given x", &rest, 0, normalLaw(0, math.Sqrt(0.51)))

	x, y = draw(t, "ties:shift=1,n=5e4,dim=2", 17)
	for k, s := range []*mat.Dense{x, y} {
		counts, p := make([]float64, 7), make([]float64, 7) // from -3 or less to 3 or more
		for i := range 50000 {
			for _, v := range s.RawRowView(i) {
				counts[int(min(max(v-float64(k), -3), 3))+3]++
			}
		}
		for i := range p {
			p[i] = normalLaw(0, 1)(float64(i)-2.5) - normalLaw(0, 1)(float64(i)-3.5)
		}
		p[0], p[6] = normalLaw(0, 1)(-2.5), normalLaw(0, 1)(-2.5)
		fits(t, "ties", counts, p)
	}

	// The grid at a spacing at which components overlap.
	for _, random := range []int{0, 1} {
		x, y = draw(t, fmt.Sprintf("grid:eps=6,per=11112,spacing=2,random=%d", random), 18)
		for k, s := range []*mat.Dense{x, y} {
			eps := []float64{1, 6}[k]
			var turned mat.Dense
			turned.Mul(s, mat.NewDense(2, 2, []float64{1, 1, 1, -1}))
			along := func(sd float64, plus bool) func(float64) float64 {
				return func(v float64) float64 {
					p := 0.0
					for a := range 3 {
						for b := range 3 {
							c := 2 * float64(a-b)
							if plus {
								c = 2 * float64(a+b)
							}
							p += normalLaw(c, sd)(v) / 9
						}
					}
					return p
				}
			}
			fitsLaw(t, "grid along (1, 1)", &turned, 0, along(math.Sqrt(2*eps), true))
			fitsLaw(t, "grid along (1, -1)", &turned, 1, along(math.Sqrt2, false))
		}
	}
}

// The joint laws on the unit square and on (-pi, pi)², in 12 x 12 cells.
func TestJointLaws(t *testing.T) {
	const side = 12
	joint := func(what string, rows mat.Matrix, lo, hi float64, density func(u, v float64) float64) {
		n, _ := rows.Dims()
		counts, p := make([]float64, side*side), make([]float64, side*side)
		cell := func(v float64) int { return min(int(side*(v-lo)/(hi-lo)), side-1) }
		for i := range n {
			counts[cell(rows.At(i, 0))*side+cell(rows.At(i, 1))]++
		}
		w := (hi - lo) / side
		for a := range side {
			for b := range side {
				const fine = 20 // midpoints
				for i := range fine {
					for j := range fine {
						u := lo + w*(float64(a)+(float64(i)+0.5)/fine)
						v := lo + w*(float64(b)+(float64(j)+0.5)/fine)
						p[a*side+b] += density(u, v) * w * w / fine / fine
					}
				}
			}
		}
		fits(t, what, counts, p)
	}
	for _, freq := range []float64{1, 2.5, 4} {
		x, y := draw(t, fmt.Sprintf("sinusoid:freq=%v,n=5e5", freq), 21)
		joint("sinusoid", beside(x, y), -math.Pi, math.Pi, func(u, v float64) float64 {
			return (1 + math.Sin(freq*u)*math.Sin(freq*v)) / (4 * math.Pi * math.Pi)
		})
	}
	// Schrab et al. (2023), equation 17, written anew: cells are numbered from 1, and the factor
	// c P^-s that makes the amplitude 1 touch 0 is e^d. The signs are those of the sample.
	g := func(t float64) float64 {
		switch {
		case t > -1 && t < -0.5:
			return math.Exp(-1 / (1 - math.Pow(4*t+3, 2)))
		case t > -0.5 && t < 0:
			return -math.Exp(-1 / (1 - math.Pow(4*t+1, 2)))
		}
		return 0
	}
	for _, peaks := range []int{1, 2, 3} {
		x, y := draw(t, fmt.Sprintf("perturbed:amplitude=0.8,n=1e5,dim=2,peaks=%d", peaks), 22)
		signs := make(map[[2]int]float64)
		for i := range peaks {
			for j := range peaks {
				signs[[2]int{i + 1, j + 1}] = sign(x, peaks, i, j)
			}
		}
		bumps := func(u, v float64) float64 {
			s := 0.0
			for at, sign := range signs {
				s += sign * g(u*float64(peaks)-float64(at[0])) * g(v*float64(peaks)-float64(at[1]))
			}
			return s
		}
		joint("perturbed x", x, 0, 1, func(u, v float64) float64 {
			return 1 + 0.8*math.Exp(2)*bumps(u, v)
		})
		joint("perturbed y", y, 0, 1, func(u, v float64) float64 { return 1 })
	}
}

// The signs of cells are tossed for each by itself: all patterns are as frequent.
func TestSignsOfCells(t *testing.T) {
	counts, p := make([]float64, 16), make([]float64, 16)
	for seed := range uint64(640) {
		x, _ := draw(t, "perturbed:amplitude=1,dim=2,n=1000", seed)
		pattern := 0
		for cell := range 4 {
			if sign(x, 2, cell/2, cell%2) > 0 {
				pattern |= 1 << cell
			}
		}
		counts[pattern]++
	}
	for i := range p {
		p[i] = 1.0 / 16
	}
	fits(t, "signs", counts, p)
}

// sign finds that of cell (i, j) from the rows in it: more of them where the product of the bumps is
// positive, or fewer.
func sign(x *mat.Dense, peaks, i, j int) float64 {
	n, _ := x.Dims()
	sum := 0.0
	for r := range n {
		u, v := x.At(r, 0)*float64(peaks)-float64(i), x.At(r, 1)*float64(peaks)-float64(j)
		if u >= 0 && u < 1 && v >= 0 && v < 1 {
			sum += math.Copysign(1, (u-0.5)*(v-0.5))
		}
	}
	return math.Copysign(1, sum)
}

// Wilson's interval is the set of p whose score test of k of n does not reject: the ends solve
// (k - np)² = z² n p (1-p). Checked in 200 digits.
func TestIntervalSolvesItsEquation(t *testing.T) {
	for _, n := range []int{1, 2, 10, 100, 2000, 1e6} {
		for _, k := range []int{0, 1, n / 3, n - 1, n} {
			for _, level := range []float64{0.001, 0.5, 0.95, 0.999, 1 - 1e-12, math.Nextafter(1, 0)} {
				lo, hi := Rate{Rejected: k, Replicates: n}.Interval(level)
				if !(lo >= 0 && lo <= hi && hi <= 1) {
					t.Errorf("%d of %d at %v: [%v, %v]", k, n, level, lo, hi)
				}
				z := distuv.UnitNormal.Quantile((1 - level) / 2)
				for side, p := range []float64{lo, hi} {
					if p == []float64{0, 1}[side] && k == []int{0, n}[side] {
						continue // the equation holds exactly
					}
					// The change of p that the residual of the equation comes to.
					P := new(big.Float).SetPrec(200).SetFloat64(p)
					one := new(big.Float).SetPrec(200).SetInt64(1)
					N := new(big.Float).SetPrec(200).SetInt64(int64(n))
					d := new(big.Float).Sub(new(big.Float).SetPrec(200).SetInt64(int64(k)),
						new(big.Float).Mul(N, P))
					Z := new(big.Float).SetPrec(200).SetFloat64(z * z)
					f := new(big.Float).Sub(new(big.Float).Mul(d, d), new(big.Float).Mul(
						new(big.Float).Mul(Z, N), new(big.Float).Mul(P, new(big.Float).Sub(one, P))))
					residual, _ := f.Float64()
					slope := -2*float64(n)*(float64(k)-float64(n)*p) - z*z*float64(n)*(1-2*p)
					if off := math.Abs(residual / slope); !(off < 1e-12) {
						t.Errorf("%d of %d at %v: %v is off by %.2g", k, n, level, p, off)
					}
				}
			}
		}
	}
}

// The coverage of the interval, summed over all outcomes, is near its level on the average of p and
// never far below it where n p is not small.
func TestIntervalCovers(t *testing.T) {
	for _, n := range []int{20, 100, 400} {
		mean, least := 0.0, 1.0
		const steps = 199
		for s := 1; s <= steps; s++ {
			p := float64(s) / (steps + 1)
			cover := 0.0
			for k := range n + 1 {
				lo, hi := Rate{Rejected: k, Replicates: n}.Interval(0.95)
				if lo <= p && p <= hi {
					cover += math.Exp(combin.LogGeneralizedBinomial(float64(n), float64(k)) +
						float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
				}
			}
			mean += cover / steps
			if p > 0.1 && p < 0.9 {
				least = min(least, cover)
			}
		}
		if math.Abs(mean-0.95) > 0.006 || least < 0.91 {
			t.Errorf("n = %d: coverage %.4f on average, at least %.4f", n, mean, least)
		}
	}
}

// McNemar's p-value against sums of binomial coefficients in whole numbers.
func TestMcNemarExactly(t *testing.T) {
	for _, c := range [][2]int{{0, 1}, {3, 3}, {1, 12}, {40, 71}, {500, 610}, {0, 900}, {700, 701}} {
		got, err := Compare(pairs(0, c[0], c[1], 1), "q", "A", "B")
		if err != nil {
			t.Fatal(err)
		}
		all, sum := int64(c[0]+c[1]), new(big.Int)
		for k := range int64(min(c[0], c[1])) + 1 {
			sum.Add(sum, new(big.Int).Binomial(all, k))
		}
		whole := new(big.Int).Lsh(big.NewInt(1), uint(all-1)) // half the number of all tosses
		ratio, _ := new(big.Rat).SetFrac(sum, whole).Float64()
		if want := min(1, ratio); !(math.Abs(got.P-want) <= 1e-10*want) {
			t.Errorf("%v: p is %v, want %v", c, got.P, want)
		}
	}
}

// Whatever their names, each row is one line with as many cells as the head.
func TestTablesOfOddNames(t *testing.T) {
	for _, name := range []string{"a|b", "a\nb", "a\r\nb", "a\tb", "a\u2028b", "", "漢字", "\x00", "\xff"} {
		var b strings.Builder
		rates := []Rate{{Problem: name, Method: "m", Replicates: 2}, {Problem: "q", Method: name}}
		c := []Comparison{{Problem: name, A: name, B: name, Difference: math.NaN()}}
		if err := WriteRates(&b, rates, 0.95); err != nil {
			t.Fatal(err)
		}
		if err := WriteComparisons(&b, c); err != nil {
			t.Fatal(err)
		}
		lines := strings.FieldsFunc(b.String(), func(r rune) bool {
			return r == '\n' || r == '\r' || r == '\u2028' // what ends a line somewhere
		})
		if len(lines) != 4+3 {
			t.Errorf("%q: %d lines: %q", name, len(lines), lines)
		}
		for _, l := range lines[:4] {
			if cells := strings.Count(l, "|") - 1; cells != 3 {
				t.Errorf("%q: a line has %d cells: %q", name, cells, l)
			}
		}
	}
}
