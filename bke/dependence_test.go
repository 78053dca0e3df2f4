package bke

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/internal/long"
)

// exactGramian is 1/2 logdet sum_l k_l² v_l v_l' and the leverages, with no rounding in the vectors:
// they are turned into whole numbers and eliminated without division (Bareiss), so that every
// number on the way is a minor of theirs. The weights are as large as they may be: the rows and
// columns of the minors are chosen as in gramian, and L, from ratios of minors and of weights, is the
// first thing that is rounded. The vectors are given by columns.
func exactGramian(cols [][]float64, logK, scale []float64) (logDet float64, lev []float64) {
	d, m := len(cols), len(logK)
	minors := make([][]*big.Int, d)
	unit := make([]float64, d) // log of what a unit of each column is, in units of theta
	for a, c := range cols {
		var low int
		minors[a], low = wholes(c)
		unit[a] = float64(low)*math.Ln2 + math.Log(scale[a])
		logDet -= math.Log(scale[a])
	}
	left := make([]bool, m)
	for l := range left {
		left[l] = true
	}
	var lower [][]float64
	last := big.NewInt(1)
	for s := range d {
		best, row, col := math.Inf(-1), -1, -1
		for j := s; j < d; j++ {
			for l, v := range minors[j] {
				if !left[l] || v.Sign() == 0 {
					continue
				}
				if t := logOf(v) + unit[j] + logK[l]; t > best {
					best, row, col = t, l, j
				}
			}
		}
		if row < 0 {
			return math.Inf(-1), nil
		}
		minors[s], minors[col] = minors[col], minors[s]
		unit[s], unit[col] = unit[col], unit[s]
		c, p := minors[s], minors[s][row]
		logDet += logOf(p) - logOf(last) + unit[s] + logK[row]
		lower = append(lower, make([]float64, m))
		for l, v := range c {
			if !left[l] || v.Sign() == 0 {
				continue
			}
			t := new(big.Float).SetPrec(100).SetInt(v)
			t.Quo(t, new(big.Float).SetPrec(100).SetInt(p))
			e := t.MantExp(t)
			f, _ := t.Float64()
			lower[s][l] = f * math.Exp(float64(e)*math.Ln2+(logK[l]-logK[row]))
		}
		left[row] = false
		for j := s + 1; j < d; j++ {
			pj := new(big.Int).Set(minors[j][row])
			for l := range m {
				if !left[l] {
					continue
				}
				v := minors[j][l]
				v.Mul(v, p).Sub(v, new(big.Int).Mul(c[l], pj))
				v.Quo(v, last)
			}
		}
		last = new(big.Int).Set(p)
	}
	// Gram-Schmidt, twice: the sum of the squares of L's orthonormal columns.
	lev = make([]float64, m)
	for s, c := range lower {
		for range 2 {
			for j := range s {
				f := 0.0
				for l := range m {
					f += c[l] * lower[j][l]
				}
				for l := range m {
					c[l] -= f * lower[j][l]
				}
			}
		}
		norm := 0.0
		for _, v := range c {
			norm += v * v
		}
		logDet += math.Log(norm) / 2
		for l := range c {
			c[l] /= math.Sqrt(norm)
			lev[l] += c[l] * c[l]
		}
	}
	return logDet, lev
}

// exactJacobian returns the derivatives of the sum of log gamma, and what the rounding of the
// logarithms of the weights does to them: of a few units in the last place each, and as much of the
// leverages.
func exactJacobian(mod *Model, p Params) (dlog, slack []float64) {
	d, m, thetas := mod.dim, mod.m, mod.thetas()
	dlog, slack = make([]float64, thetas), make([]float64, thetas)
	scale := make([]float64, d)
	for a := range scale {
		scale[a] = 1 / p.theta(a)
	}
	for i := range mod.n {
		cols, logK, q := make([][]float64, d), make([]float64, m), make([][]float64, thetas)
		for a := range d {
			k := min(a, thetas-1)
			q[k] = append(q[k], make([]float64, m-len(q[k]))...)
			for l := range m {
				v := mod.x[i*d+a] - mod.z[l*d+a]
				u := v / p.theta(a)
				cols[a] = append(cols[a], v)
				logK[l] -= u * u / 2
				q[k][l] += u * u
			}
			dlog[k] -= 2
		}
		_, lev := exactGramian(cols, logK, scale)
		for k := range dlog {
			for l, h := range lev {
				if h > 0 {
					dlog[k] += h * q[k][l]
					slack[k] += 0x1p-50 * h * q[k][l] * (1 - 2*logK[l])
				}
			}
		}
	}
	return dlog, slack
}

// wholes returns whole numbers n_l and a power of two such that c_l = n_l 2^low.
func wholes(c []float64) (n []*big.Int, low int) {
	low = math.MaxInt
	for _, v := range c {
		if v != 0 {
			_, e := math.Frexp(v)
			low = min(low, e-53)
		}
	}
	for _, v := range c {
		f, e := math.Frexp(v)
		w := big.NewInt(int64(math.Ldexp(f, 53)))
		if v != 0 {
			w.Lsh(w, uint(e-53-low))
		}
		n = append(n, w)
	}
	return n, low
}

// logOf is log |v|.
func logOf(v *big.Int) float64 {
	mant := new(big.Float)
	e := new(big.Float).SetInt(v).MantExp(mant)
	f, _ := mant.Float64()
	return math.Log(math.Abs(f)) + float64(e)*math.Ln2
}

// newLatticeCase draws n rows and m pseudo-inputs on a lattice, with theta from 1e-3 of the spacing
// to ten diameters. The columns have a spacing each: one, a power of two, a power of ten or any
// number. In the last two the coordinates, and the vectors between them, are rounded; and in a fifth
// kind many have an error in their last bit besides, so that what is left of vectors that are nearly
// dependent may depend on each other again.
func newLatticeCase(r *rand.Rand, d, n, m int) (hardCase, error) {
	kind, width := r.IntN(5), 2+r.IntN(5)
	space := make([]float64, d)
	for a := range space {
		switch kind {
		case 0:
			space[a] = 1
		case 1:
			space[a] = math.Ldexp(1, r.IntN(12)-6)
		case 2:
			space[a] = math.Pow(10, float64(r.IntN(5)-3))
		case 3:
			space[a] = math.Exp(3 * r.NormFloat64())
		case 4:
			space[a] = math.Exp(float64(r.IntN(2)) * r.NormFloat64())
		}
	}
	draw := func(rows int) [][]float64 {
		x := make([][]float64, rows)
		for i := range x {
			for _, s := range space {
				v := s * float64(r.IntN(width))
				if kind == 4 {
					v = s*(1+float64(r.IntN(3))) + s*0x1p-52*float64(r.IntN(3)-1)
				}
				x[i] = append(x[i], v)
			}
		}
		return x
	}
	x, z := draw(n), draw(m)
	o := Options{Nu: Unit, ARD: r.IntN(2) == 0, Weight: 1, Path: pathOf(r.IntN(3))}
	mod, err := NewModel(matrixOf(x), matrixOf(z), o)
	if err != nil {
		return hardCase{}, err
	}
	p := Params{Theta: make([]float64, mod.thetas()), Tau2: 1, Eta: 1}
	lo, hi := math.Log(1e-3), math.Log(10*float64(width))
	for a := range p.Theta {
		s := space[a]
		if !o.ARD {
			s = slices.Min(space)
		}
		p.Theta[a] = s * math.Exp(lo+(hi-lo)*r.Float64())
	}
	what := fmt.Sprintf("lattice %d, spacing %v, width %d, D = %d, n = %d, m = %d, %+v, %+v",
		kind, space, width, d, n, m, o, p)
	return hardCase{mod, p, what}, nil
}

// checkGramian compares log gamma and its gradient, row by row, with the exact ones for the same
// vectors and weights. It returns the largest errors.
func checkGramian(t *testing.T, c hardCase) (value, grad float64) {
	t.Helper()
	mod := c.model
	thetas := mod.thetas()
	b := newRowBlock(mod, make([]float64, mod.m))
	b.scales(c.p.Theta)
	for i := range mod.n {
		b.load(i)
		cols := make([][]float64, mod.dim)
		for a := range cols {
			cols[a] = slices.Clone(b.g.cols[a])
		}
		want, h := exactGramian(cols, b.g.logK, b.g.scale)
		for _, logDet := range []func() float64{
			func() float64 { return b.g.logDet(b.fill) },
			func() float64 { b.vectors(); return b.logDet() },
		} {
			got := logDet()
			if math.IsInf(want, -1) {
				if got != want {
					t.Errorf("%s: row %d is %v, want %v", c.what, i, got, want)
				}
				continue
			}
			// Written so that NaN fails.
			e := math.Abs(got-want) / (math.Abs(want) + 1)
			if !(e <= 1e-9) {
				t.Errorf("%s: row %d is %v, want %v (off by %.2g)", c.what, i, got, want, e)
			}
			value = max(value, e)
			clear(b.dlog)
			b.addLeverages()
			for a := range thetas {
				want := 0.0
				for l, v := range h {
					if v > 0 {
						want += v * b.q[a*mod.m+l]
					}
				}
				e := math.Abs(b.dlog[a]-want) / (math.Abs(want) + 1)
				if !(e <= 1e-9) {
					t.Errorf("%s: row %d, derivative %d is %v, want %v (off by %.2g)",
						c.what, i, a, b.dlog[a], want, e)
				}
				grad = max(grad, e)
			}
		}
	}
	return value, grad
}

func gramianCases(t *testing.T, r *rand.Rand, cases int) {
	value, grad := 0.0, 0.0
	for done := 0; done < cases; {
		d := 2 + r.IntN(9)
		c, err := newLatticeCase(r, d, 2, d+1+r.IntN(20-d))
		if err != nil {
			continue // fewer than D+1 distinct pseudo-inputs, or data on a plane with ARD
		}
		done++
		v, g := checkGramian(t, c)
		value, grad = max(value, v), max(grad, g)
	}
	t.Logf("largest errors: value %.2g, gradient %.2g", value, grad)
}

// The oracle of these tests against the formula of Cauchy and Binet, and the leverages against the
// sum of the terms that a vector is in.
func TestExactGramian(t *testing.T) {
	r := rand.New(rand.NewPCG(105, 106))
	for done := 0; done < 60; {
		d := 1 + r.IntN(5)
		c, err := newLatticeCase(r, d, 2, d+1+r.IntN(4))
		if err != nil {
			continue
		}
		done++
		mod := c.model
		d = mod.dim // less if the data are on a plane
		v, cols := make([][]float64, mod.m), make([][]float64, d)
		logK, scale := make([]float64, mod.m), make([]float64, d)
		for a := range d {
			scale[a] = 1 / c.p.theta(a)
		}
		for l := range v {
			for a := range d {
				x := mod.x[a] - mod.z[l*d+a]
				v[l], cols[a] = append(v[l], x), append(cols[a], x)
				logK[l] -= x * scale[a] * x * scale[a] / 2
			}
		}
		var all []float64
		with := make([][]float64, mod.m)
		subsets(mod.m, d, func(s []int) {
			if det := exactDet(v, s); det != 0 {
				t := 2 * math.Log(math.Abs(det))
				for _, l := range s {
					t += 2 * logK[l]
				}
				all = append(all, t)
				for _, l := range s {
					with[l] = append(with[l], t)
				}
			}
		})
		got, lev := exactGramian(cols, logK, scale)
		want := logSumExpOf(all)
		if got != want/2 && !(math.Abs(got-want/2) <= 1e-13*(math.Abs(want)+1)) {
			t.Errorf("%s: %v, want %v", c.what, got, want/2)
		}
		for l, h := range lev {
			// The terms are large, and their rounding errors are those of the exponent.
			near(t, "leverage", h, math.Exp(logSumExpOf(with[l])-want), 1e-14*(math.Abs(want)+100))
		}
	}
}

func TestDependentVectors(t *testing.T) {
	gramianCases(t, rand.New(rand.NewPCG(101, 102)), 300)
}

func TestDependentVectorsLong(t *testing.T) {
	long.Skip(t)
	gramianCases(t, rand.New(rand.NewPCG(103, 104)), 10000)
}

// A row that is recomputed is the exact one, rounded: what is left of a vector in the span of the
// pivots is zero.
func TestRecomputedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(107, 108))
	for range 300 {
		d := 2 + r.IntN(9)
		m, s := d+5, 1+r.IntN(d-1)
		g := newGramian(m, d)
		g.dep.start(0)
		vectors := make([][]*big.Rat, m)
		fill := func() {
			for a, c := range g.cols {
				for l := range c {
					c[l], _ = vectors[l][a].Float64()
				}
			}
		}
		axes := r.Perm(d)
		copy(g.dep.axes, axes)
		for l := range vectors {
			for range d {
				x := float64(r.IntN(7)-3) * math.Ldexp(1, r.IntN(4))
				if l%2 == 1 {
					x += r.NormFloat64()
				}
				vectors[l] = append(vectors[l], new(big.Rat).SetFloat64(x))
			}
		}
		// The last one is in the span of the first two, or of the first.
		for a := range d {
			last := new(big.Rat).Add(vectors[0][a], vectors[0][a])
			if s > 1 {
				last.Add(last, vectors[2%s][a])
			}
			vectors[m-1][a].Set(last)
		}
		for j := range s {
			g.dep.rows[j] = j
		}
		fill()
		g.load(fill)
		left := make([][]*big.Rat, m)
		for l := range left {
			for _, a := range axes {
				left[l] = append(left[l], new(big.Rat).Set(vectors[l][a]))
			}
		}
		singular := false
		for j := range s {
			if left[j][j].Sign() == 0 {
				singular = true
				break
			}
			for l := j + 1; l < m; l++ {
				f := new(big.Rat).Quo(left[l][j], left[j][j])
				for a := j; a < d; a++ {
					left[l][a].Sub(left[l][a], new(big.Rat).Mul(f, left[j][a]))
				}
			}
		}
		if singular {
			continue
		}
		for l := s; l < m; l++ {
			g.recompute(l, s)
			for j := s; j < d; j++ {
				want, _ := left[l][j].Float64()
				if got := g.cols[j][l]; !(math.Abs(got-want) <= 4*0x1p-53*math.Abs(want)) {
					t.Fatalf("D = %d, row %d after %d steps: %v, want %v", d, l, s, got, want)
				}
			}
		}
	}
}

// On a lattice rows are recomputed at every call; only the first may allocate.
func TestDependentVectorsDoNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(109, 110))
	for done := 0; done < 20; {
		c, err := newLatticeCase(r, 4+r.IntN(7), 5, 18)
		if err != nil {
			continue
		}
		done++
		e, grad := c.model.Evaluator(), make([]float64, len(c.model.Free()))
		e.Gradient(grad, c.p)
		if k := testing.AllocsPerRun(3, func() { e.Gradient(grad, c.p) }); k != 0 {
			t.Errorf("%s: %v allocations per gradient", c.what, k)
		}
	}
}
