package statistic

import (
	"math"
	"math/big"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// exact is a sum in 400 bits.
type exact struct{ s *big.Float }

func newExact() exact { return exact{new(big.Float).SetPrec(400)} }

func (e exact) add(factors ...float64) {
	p := new(big.Float).SetPrec(400).SetFloat64(1)
	for _, f := range factors {
		p.Mul(p, new(big.Float).SetFloat64(f))
	}
	e.s.Add(e.s, p)
}

func (e exact) over(d float64) float64 {
	v, _ := new(big.Float).SetPrec(400).Quo(e.s, new(big.Float).SetFloat64(d)).Float64()
	return v
}

// The definitions as double loops, for sizes from 1 up, a kernel that is not 1 on the diagonal, and
// lengthscales from very short to very long.
func TestMMDIsItsDefinition(t *testing.T) {
	for _, sizes := range [][2]int{{1, 1}, {1, 5}, {4, 1}, {2, 2}, {2, 7}, {9, 5}, {30, 30}} {
		for _, theta := range []float64{1e-3, 0.5, 1, 50} {
			m, n := sizes[0], sizes[1]
			k := kernels.Sum{gaussian(theta), gaussian(2)}
			g := fixture.Gram(t, k, fixture.Pooled(fixture.Normals(1, m, 2, 0), fixture.Normals(2, n, 2, 0.4)))
			s := fixture.Get[*MMD](t)(NewMMD(g, m))
			xx, yy, xy := newExact(), newExact(), newExact()
			dx, dy := newExact(), newExact()
			for i := range m + n {
				for j := range m + n {
					v := g.At(i, j)
					switch {
					case i < m && j < m:
						xx.add(v)
					case i >= m && j >= m:
						yy.add(v)
					case i < m:
						xy.add(v)
					}
				}
				if i < m {
					dx.add(g.At(i, i))
				} else {
					dy.add(g.At(i, i))
				}
			}
			fm, fn := float64(m), float64(n)
			cross := 2 * xy.over(fm*fn)
			want := xx.over(fm*fm) + yy.over(fn*fn) - cross
			if math.Abs(s.Biased()-want) > 1e-14 {
				t.Errorf("%v, theta %v: Biased = %v, want %v", sizes, theta, s.Biased(), want)
			}
			u, err := s.Unbiased()
			if m < 2 || n < 2 {
				if err == nil {
					t.Errorf("%v: Unbiased is %v, want an error", sizes, u)
				}
				continue
			}
			xx.add(-1, dx.over(1))
			yy.add(-1, dy.over(1))
			want = xx.over(fm*(fm-1)) + yy.over(fn*(fn-1)) - cross
			if err != nil || math.Abs(u-want) > 1e-14 {
				t.Errorf("%v, theta %v: Unbiased = %v, %v, want %v", sizes, theta, u, err, want)
			}
			checkVariance(t, s, g)
		}
	}
}

// The witness at every point, from the Gram matrix that is not centred.
func checkVariance(t *testing.T, s *MMD, g *mat.SymDense) {
	t.Helper()
	m, n := s.m, s.n
	witness := make([]float64, m+n)
	for i := range witness {
		for j := range m + n {
			if j < m {
				witness[i] += g.At(i, j) / float64(m)
			} else {
				witness[i] -= g.At(i, j) / float64(n)
			}
		}
	}
	sum := func(x []float64) float64 { // over pairs, without a mean
		v := 0.0
		for i := range x {
			for j := range i {
				v += (x[i] - x[j]) * (x[i] - x[j])
			}
		}
		return v / float64(len(x)*(len(x)-1))
	}
	want := 4*sum(witness[:m])/float64(m) + 4*sum(witness[m:])/float64(n)
	if got := fixture.Get[float64](t)(s.Variance()); math.Abs(got-want) > 1e-14 {
		t.Errorf("%d and %d rows: Variance = %v, want %v", m, n, got, want)
	}
}

// Biased by tr(KHLH)/n² as the three sums of the definition, Unbiased as Song et al. write it.
func TestHSICIsItsDefinition(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 6, 25} {
		for _, theta := range []float64{1e-3, 0.7, 30} {
			x := fixture.Normals(3, n, 2, 0)
			k := fixture.Gram(t, gaussian(theta), x)
			l := fixture.Gram(t, kernels.Sum{gaussian(1), gaussian(theta)}, x.Slice(0, n, 0, 1))
			s := fixture.Get[*HSIC](t)(NewHSIC(k, l))
			b, u := bruteHSIC(k, l)
			if math.Abs(s.Biased()-b) > 1e-14 {
				t.Errorf("n = %d, theta %v: Biased = %v, want %v", n, theta, s.Biased(), b)
			}
			got, err := s.Unbiased()
			if n < 4 {
				if err == nil {
					t.Errorf("n = %d: Unbiased is %v, want an error", n, got)
				}
			} else if err != nil || math.Abs(got-u) > 1e-14 {
				t.Errorf("n = %d, theta %v: Unbiased = %v, %v, want %v", n, theta, got, err, u)
			}
		}
	}
}

func bruteHSIC(k, l *mat.SymDense) (biased, unbiased float64) {
	n := k.SymmetricDim()
	f := float64(n)
	b, u := newExact(), newExact()
	totals := [4]exact{newExact(), newExact(), newExact(), newExact()}
	for i := range n {
		rows := [4]exact{newExact(), newExact(), newExact(), newExact()}
		for j := range n {
			b.add(k.At(i, j), l.At(i, j), f*f)
			rows[0].add(k.At(i, j))
			rows[1].add(l.At(i, j))
			if i != j {
				u.add(k.At(i, j), l.At(i, j), (f-1)*(f-2))
				rows[2].add(k.At(i, j))
				rows[3].add(l.At(i, j))
			}
		}
		b.add(-2*f, rows[0].over(1), rows[1].over(1))
		u.add(-2*(f-1), rows[2].over(1), rows[3].over(1))
		for c := range totals {
			totals[c].s.Add(totals[c].s, rows[c].s)
		}
	}
	b.add(totals[0].over(1), totals[1].over(1))
	u.add(totals[2].over(1), totals[3].over(1))
	if n > 3 {
		unbiased = u.over((f - 1) * (f - 2) * f * (f - 3))
	}
	return b.over(f * f * f * f), unbiased
}

// For x of N(0,1) and the Gaussian kernel E k(x,x')² of the centred kernel is known. NullVariance
// is right on average, and is the variance of Unbiased. Six standard errors of 3000 replicates
// each: a false alarm on another seed has probability below 1e-7.
func TestNullVarianceOfNormals(t *testing.T) {
	const theta, m, n, replicates = 0.8, 6, 10, 3000
	a := theta * theta
	moment := math.Sqrt(a/(a+4)) + a/(a+2) - 2*a/math.Sqrt((a+1)*(a+3))
	want := 2 * (1./(m*(m-1)) + 1./(n*(n-1)) + 2./(m*n)) * moment
	var squares, estimates []float64
	for r := range replicates {
		g := fixture.Gram(t, gaussian(theta), fixture.Normals(uint64(100+r), m+n, 1, 0))
		s := fixture.Get[*MMD](t)(NewMMD(g, m))
		u := fixture.Get[float64](t)(s.Unbiased())
		squares = append(squares, u*u)
		estimates = append(estimates, fixture.Get[float64](t)(s.NullVariance()))
	}
	for name, v := range map[string][]float64{"Unbiased²": squares, "NullVariance": estimates} {
		mean, se := total(v)/replicates, math.Sqrt(stat.Variance(v, nil)/replicates)
		t.Logf("%s: mean %.5g with standard error %.2g, want %.5g", name, mean, se, want)
		if math.Abs(mean-want) > 6*se {
			t.Errorf("%s: mean %v with standard error %v, want %v", name, mean, se, want)
		}
	}
}

// Far from the null hypothesis Variance is the variance of Unbiased, but for terms of order 1/n².
// The ratio of 1000 replicates has a standard error of about 0.045 and a bias of a few percent.
func TestVarianceOfShiftedNormals(t *testing.T) {
	const m, n, replicates = 60, 40, 1000
	var values, estimates []float64
	for r := range replicates {
		x, y := fixture.Normals(uint64(5000+r), m, 1, 0), fixture.Normals(uint64(9000+r), n, 1, 1.5)
		s := fixture.Get[*MMD](t)(NewMMD(fixture.Gram(t, gaussian(1), fixture.Pooled(x, y)), m))
		values = append(values, fixture.Get[float64](t)(s.Unbiased()))
		estimates = append(estimates, fixture.Get[float64](t)(s.Variance()))
	}
	if ratio := total(estimates) / replicates / stat.Variance(values, nil); math.Abs(ratio-1) > 0.3 {
		t.Errorf("mean of Variance is %v times the variance of Unbiased", ratio)
	}
}
