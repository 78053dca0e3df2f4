package kerneltest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/internal/permute"

	"gonum.org/v1/gonum/mat"
)

// bruteStrength has the differences at all rows from whole matrices, and the largest of each permutation.
func bruteStrength(t *testing.T, scores []float64, dim, m, n int, seed uint64) (strength, largest []float64) {
	rows := m + n
	design, err := permute.NewDesign(rows, seed, nil)
	if err != nil {
		t.Fatal(err)
	}
	perms, err := design.Perms(0, placePermutations+1)
	if err != nil {
		t.Fatal(err)
	}
	labels := mat.NewDense(rows, perms.Count(), nil)
	for b := range perms.Count() {
		for i, at := range perms.At(b) {
			if int(at) < m {
				labels.Set(i, b, 1/float64(m))
			} else {
				labels.Set(i, b, -1/float64(n))
			}
		}
	}
	strength, largest = make([]float64, rows), make([]float64, perms.Count())
	ridge := float64(rows*rows) / float64(m*n) / 4
	for _, rung := range placeRungs(dim) {
		gram := mat.NewDense(rows, rows, nil)
		for i := range rows {
			for j := range rows {
				d := 0.0
				for a := range dim {
					d += (scores[i*dim+a] - scores[j*dim+a]) * (scores[i*dim+a] - scores[j*dim+a])
				}
				gram.Set(i, j, math.Exp(-d/(4*rung*rung*float64(dim))))
			}
		}
		centre := mat.NewDense(rows, rows, nil)
		for i := range rows {
			for j := range rows {
				centre.Set(i, j, -1/float64(rows))
			}
			centre.Set(i, i, 1-1/float64(rows))
		}
		var centred, whole, fit, values mat.Dense
		centred.Product(centre, gram, centre)
		whole.CloneFrom(&centred)
		for i := range rows {
			whole.Set(i, i, whole.At(i, i)+ridge)
		}
		if err := fit.Solve(&whole, &centred); err != nil {
			t.Fatal(err)
		}
		values.Mul(&fit, labels)
		for i := range rows {
			row := values.RawRowView(i)
			mean, square := 0.0, 0.0
			for _, v := range row {
				mean += v / float64(len(row))
			}
			for _, v := range row {
				square += (v - mean) * (v - mean) / float64(len(row))
			}
			for b, v := range row {
				v = (v - mean) / math.Sqrt(square)
				largest[b] = max(largest[b], math.Abs(v))
				if b == 0 && math.Abs(v) > math.Abs(strength[i]) {
					strength[i] = v
				}
			}
		}
	}
	return strength, largest
}

// The factors of the differences leave out at most placeTolerance of a kernel value, beside a ridge of 1.
func TestContrastAgainstWholeMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, dim := range []int{1, 2} {
		x, y := mat.NewDense(30, dim, nil), mat.NewDense(30, dim, nil)
		for i := range 30 {
			for a := range dim {
				x.Set(i, a, r.NormFloat64())
				y.Set(i, a, 0.6+r.NormFloat64())
			}
		}
		l, err := newLocator(x, y, Options{Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.contrast(context.Background()); err != nil {
			t.Fatal(err)
		}
		strength, largest := bruteStrength(t, l.scores, dim, 30, 30, 5)
		for i, v := range l.strength {
			count := 0
			for _, most := range l.largest {
				if most >= math.Abs(v) {
					count++
				}
			}
			if want := float64(count) / (placePermutations + 1); l.p(i) != want || want == 0 {
				t.Errorf("row %d: p = %v, want %v", i, l.p(i), want)
			}
		}
		worst := 0.0
		for i := range strength {
			worst = max(worst, math.Abs(l.strength[i]-strength[i]))
		}
		for b := range largest {
			worst = max(worst, math.Abs(l.largest[b]-largest[b]))
		}
		if worst > 2e-3 {
			t.Errorf("%d columns: strengths are wrong by %v at most", dim, worst)
		}
	}
}

// Quantiles of an exponential distribution, standardised, become those of a normal one: Wilson and Hilferty's
// approximation is good to .06 from the 10% quantile up to that of 99.9%, and less extreme below. Signs are kept.
func TestUnskew(t *testing.T) {
	const count = 20000
	for _, sign := range []float64{1, -1} {
		x := make([]float64, count)
		for i := range x {
			x[i] = sign * -math.Log((float64(i)+0.5)/count)
		}
		skewness, _ := standardise(x)
		unskew(x, skewness)
		for _, p := range []float64{0.001, 0.05, 0.5, 0.9} {
			want := -sign * math.Sqrt2 * math.Erfinv(2*p-1)
			if got := x[int(p*count)]; math.Abs(got-want) > 0.06 {
				t.Errorf("quantile of %v is %v, want %v", p, got, want)
			}
		}
	}
}

// A place against its definition, interval by interval.
func TestPlaceOfALine(t *testing.T) {
	r, large := rand.New(rand.NewPCG(8, 8)), 0
	for range 12 {
		n := 60 + r.IntN(40)
		u := &line{difference: []float64{0}, share: []float64{0}, strength: make([]float64, n), covered: make([]bool, n),
			variance: 4 / float64(n)} // of labels 2/n
		middle := r.IntN(n)
		for i := range n {
			d := 1.0
			if i-middle > 12 || middle-i > 12 && r.IntN(20) > 0 {
				d = -1
			}
			u.first, u.last = append(u.first, float64(i)), append(u.last, float64(i)+.5)
			w := (0.5 + r.Float64()) / float64(n) // weights, so that no two contrasts are the same
			u.difference = append(u.difference, u.difference[i]+2*d*w)
			u.share = append(u.share, u.share[i]+w)
			u.strength[i] = 1 - math.Abs(float64(i-middle))/20
		}
		whole := u.share[n]
		for i := range u.share {
			u.share[i] /= whole
		}
		lo, hi := middle, middle
		for lo > 0 && u.strength[lo-1] > 0 {
			lo--
		}
		for hi < n-1 && u.strength[hi+1] > 0 {
			hi++
		}
		z := func(i, j int) float64 { // contrast of cells i to j
			f := u.share[j+1] - u.share[i]
			return (u.difference[j+1] - u.difference[i]) / math.Sqrt(f*(1-f)*u.variance)
		}
		best := stretch{0, 0, math.Inf(-1)}
		for i := lo; i <= middle; i++ {
			for j := middle; j <= hi; j++ {
				if v := z(i, j); j-i+1 < n && v > best.z {
					best = stretch{i, j, v}
				}
			}
		}
		shared := func(least float64, through int) stretch { // by all that overlap the best and are as good as that
			out := best
			for i := range n {
				for j := i; j < n; j++ {
					v := z(i, j)
					if j-i+1 < n && v > 0 && v >= least && i <= best.last && j >= best.first &&
						(through < 0 || i <= through && through <= j) {
						out.first, out.last = max(out.first, i), min(out.last, j)
					}
				}
			}
			return out
		}
		var bounds []float64
		for i := range n {
			for j := i; j < n; j++ {
				if j-i+1 < n && i <= best.last && j >= best.first && z(i, j) > 0 {
					bounds = append(bounds, z(i, j))
				}
			}
		}
		slices.Sort(bounds)
		slices.Reverse(bounds)
		last := best
		for _, least := range bounds {
			s := shared(least, -1)
			if s.first > s.last {
				break
			}
			last = s
		}
		centre := (last.first + last.last) / 2
		want := shared(math.Sqrt(max(0, best.z*best.z-placeDrop)), centre)
		cut := (want.last - want.first + 1) / 10
		want.first, want.last = want.first+cut, want.last-cut
		large += want.last - want.first
		if want.last-want.first < 4 {
			want.first, want.last = max(best.first, centre-2), min(best.last, centre+2)
		}
		from, _, to := u.place(middle, 1)
		if from != float64(want.first) || to != float64(want.last)+.5 {
			t.Errorf("from %v to %v, want cells %d to %d", from, to, want.first, want.last)
		}
		if !u.covered[lo] || !u.covered[hi] || lo > 0 && u.covered[lo-1] || hi < n-1 && u.covered[hi+1] {
			t.Error("other cells are covered than those of one sign")
		}
	}
	if large < 60 {
		t.Errorf("places have %d cells in all: too few to tell", large)
	}
}

// Values 1 to 60: x has all that are divisible by 3, and of 31 to 40 all, y the others.
func TestPlaceIsWhereTheSampleIs(t *testing.T) {
	var xs, ys []float64
	for v := 1.0; v <= 60; v++ {
		if int(v)%3 == 0 || v > 30 && v <= 40 {
			xs = append(xs, v)
		} else {
			ys = append(ys, v)
		}
	}
	x, y := mat.NewDense(len(xs), 1, xs), mat.NewDense(len(ys), 1, ys)
	for _, scale := range []float64{1, 1e9} {
		var a, b mat.Dense
		a.Scale(scale, x)
		b.Scale(scale, y)
		got, err := Places(context.Background(), &a, &b, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := got[0]
		if p.Sign != 1 || !p.Named || p.From < 31*scale || p.To > 40*scale || !(p.From <= p.At[0] && p.At[0] <= p.To) {
			t.Errorf("%+v, want a place of x between 31 and 40, times %v", p, scale)
		}
		other, err := Places(context.Background(), &b, &a, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if q := other[0]; q.Sign != -1 || q.From < 31*scale || q.To > 40*scale {
			t.Errorf("samples exchanged: %+v", q)
		}
	}
}

// Weights of 2 are rows that stand twice, and all of 7 are none. Rows with a block's own level are
// exchanged with each other only: the blocks alone differ, and no place is clear.
func TestPlacesWeightsAndBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	x, y := mat.NewDense(40, 1, nil), mat.NewDense(50, 1, nil)
	for i := range 40 {
		x.Set(i, 0, r.NormFloat64())
	}
	for i := range 50 {
		y.Set(i, 0, 1+r.NormFloat64())
	}
	plain, err := Places(context.Background(), x, y, Options{})
	if err != nil {
		t.Fatal(err)
	}
	same, err := Places(context.Background(), x, y, Options{WeightsX: slices.Repeat([]float64{7}, 40),
		WeightsY: slices.Repeat([]float64{7}, 50)})
	if err != nil {
		t.Fatal(err)
	}
	if len(plain) != len(same) || plain[0].From != same[0].From || plain[0].P != same[0].P {
		t.Errorf("with equal weights %+v, without %+v", same, plain)
	}

	blocks := make([]int, 90)
	for i := range blocks {
		blocks[i] = i % 2 // whose level is 10 higher; x has few rows of it
		if i < 40 && i%5 != 0 {
			blocks[i] = 0
		}
		if i < 40 {
			x.Set(i, 0, 10*float64(blocks[i])+r.NormFloat64())
		} else {
			y.Set(i-40, 0, 10*float64(blocks[i])+r.NormFloat64())
		}
	}
	free, err := Places(context.Background(), x, y, Options{})
	if err != nil {
		t.Fatal(err)
	}
	within, err := Places(context.Background(), x, y, Options{Blocks: blocks})
	if err != nil {
		t.Fatal(err)
	}
	if !free[0].Named || within[0].P < 0.05 {
		t.Errorf("p = %v without blocks, %v within", free[0].P, within[0].P)
	}
}

func TestPlacesRefuses(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{1, 2, 3})
	for _, y := range []*mat.Dense{mat.NewDense(3, 2, nil), mat.NewDense(1, 1, []float64{math.NaN()})} {
		if _, err := Places(context.Background(), x, y, Options{}); err == nil {
			t.Error("no error")
		}
	}
	if got, err := Places(context.Background(), x, x, Options{}); err != nil || len(got) > 0 && got[0].Named {
		t.Errorf("%v %v", got, err)
	}
	constant := mat.NewDense(3, 1, []float64{1, 1, 1})
	if got, err := Places(context.Background(), constant, constant, Options{}); err != nil || got[0].Named {
		t.Errorf("%v %v", got, err)
	}
}

// Where samples of unequal sizes have no value in common each has its place, whatever the size of the difference.
func TestPlacesOfALargeDifference(t *testing.T) {
	x, y := mat.NewDense(96, 1, nil), mat.NewDense(82, 1, nil)
	for i := range 96 {
		x.Set(i, 0, float64(i%6))
	}
	for i := range 82 {
		y.Set(i, 0, float64(6+i%6))
	}
	places, err := Places(t.Context(), x, y, Options{Alpha: 0.05})
	if err != nil || len(places) != 2 {
		t.Fatalf("%+v, %v", places, err)
	}
	for _, p := range places {
		lo, hi := 0.0, 5.0
		if p.Sign < 0 {
			lo, hi = 6, 11
		}
		if !p.Named || p.From < lo || p.To > hi {
			t.Errorf("%+v", p)
		}
	}
}

// A trait is that of the lowest degree that explains the difference; two values have a level alone.
func TestTraitOfFewValues(t *testing.T) {
	for _, values := range []int{2, 12} {
		r := &several{sizes: []int{120, 120}, dim: 1}
		scores := make([]float64, 240)
		for i := range scores {
			r.label = append(r.label, i/120)
			scores[i] = float64(i*values/240) - float64(values)/3
		}
		if trait, size := r.trait(scores); trait != Level || size < 5 {
			t.Errorf("%d values: %v, %v", values, trait, size)
		}
	}
}
