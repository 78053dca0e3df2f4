package kerneltest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/permute"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Place is where one of two samples has more.
type Place struct {
	Sign int       // 1 where there is more of x, -1 of y
	At   []float64 // the row at which the difference is clearest; for one column in the middle of the place
	// From and To are the ends of the place, for one column; both are values of the data.
	From, To float64
	// P is the share of permutations whose largest difference, over all rows, is at least that at At.
	P float64
	// Named says whether the place may be named: see Places.
	Named bool
}

const (
	// A test that rejects at alpha names the clearest place where its P is at most firstPlace times alpha, the
	// clearest of the other sign at secondPlace times alpha, others at otherPlaces times alpha. That something
	// differs is known then, and where all of the data differ a little the clearest row is nearly always right. And where
	// one sample has more, it has less elsewhere. Measured by examples/places.
	firstPlace, secondPlace, otherPlaces = 1.5, 0.5, 0.2
	// placeDrop is how much smaller the square of the contrast of an interval may be, in units of its variance, for
	// the interval to count as one that might be meant as well as the best: that of the ends of an interval known
	// with a confidence of about .9 each, were they jumps.
	placeDrop = 8
	// placeCut is the part of the cells of a place that is cut off at each end.
	placeCut = 0.1
	// placePermutations are made to see how large differences are without any.
	placePermutations = 299
	// placeCells is the number of cells into which one column is divided at most.
	placeCells = 400
	// leastCells is that of cells on each side of the middle of a place.
	leastCells = 2
	// placeTolerance is the error of a kernel value in a factor: the strengths of rows at the ends of the data feel it.
	placeTolerance = 1e-4
	// placeWork bounds rows times features times permutations of one kernel.
	placeWork = 4e8
	// placeChunk is the number of rows whose differences are held for all permutations.
	placeChunk = 2048
)

// placeRungs are the lengthscales in units of the root mean square distance of normal scores.
func placeRungs(dim int) []float64 {
	if dim > 2 {
		return scoreRungs()
	}
	return []float64{0.18, 0.35, 0.7, 1.4}
}

// Places says where two samples differ that a test at level o.Alpha has told apart: of others it would name places
// too often. The clearest place always comes first, and then those that may be named. The differences are those of
// kernel ridge regressions of the labels on the normal scores of the columns, at three or four scales, each in units of
// its standard deviation over permutations. How often a place that may be named is wrong is measured, not proven:
// examples/places has the figures. Weights and blocks are those of the test. In one column it takes as long as the default
// test, in several less.
func Places(ctx context.Context, x, y mat.Matrix, o Options) ([]Place, error) {
	l, err := newLocator(x, y, o)
	if err != nil {
		return nil, err
	}
	if err := l.contrast(ctx); err != nil {
		return nil, err
	}
	return l.places(), nil
}

// locator finds places.
type locator struct {
	m, n, dim    int
	data, scores []float64
	weights      []float64 // of the rows
	o            Options

	strength []float64 // of each row, that of the scale at which it is largest, with the sign of the difference
	largest  []float64 // over all rows, of each permutation
}

func newLocator(x, y mat.Matrix, o Options) (*locator, error) {
	data, m, n, dim, err := pool(x, y)
	if err != nil {
		return nil, err
	}
	if o, err = o.Complete(m + n); err != nil {
		return nil, err
	}
	weights, err := o.rowWeights(m, n)
	if err != nil {
		return nil, err
	}
	if weights == nil {
		weights = slices.Repeat([]float64{1}, m+n)
	}
	return &locator{m: m, n: n, dim: dim, data: data, scores: rows.NormalScores(data, dim), weights: weights, o: o}, nil
}

// labels writes the weights of the rows, those of y negative, each sample's of sum 1; of the rows from
// places below m on to those of x.
func (l *locator) labels(dst []float64, at []int32) {
	var x, y float64
	for i, w := range l.weights {
		if int(at[i]) < l.m {
			x += w
		} else {
			y += w
		}
	}
	for i, w := range l.weights {
		if int(at[i]) < l.m {
			dst[i] = w / x
		} else {
			dst[i] = -w / y
		}
	}
}

// contrast computes strength and largest.
func (l *locator) contrast(ctx context.Context) error {
	design, err := permute.NewDesign(l.m+l.n, l.o.Seed, l.o.Blocks)
	if err != nil {
		return fmt.Errorf("kerneltest: %w", err)
	}
	perms, err := design.Perms(0, placePermutations+1) // the first is the data as they are
	if err != nil {
		return fmt.Errorf("kerneltest: %w", err)
	}
	rows := l.m + l.n
	l.strength, l.largest = make([]float64, rows), make([]float64, placePermutations+1)
	limit := min(rows, shrunkRank, max(64, int(placeWork/float64(rows*placePermutations))))
	ridge := float64(rows) * float64(rows) / (float64(l.m) * float64(l.n)) / (scoreAmplitude * scoreAmplitude)
	label := make([]float64, rows)
	for _, rung := range placeRungs(l.dim) {
		k := kernels.SquaredExponential(rung * math.Sqrt(2*float64(l.dim)))
		f, err := newTiles(k, l.scores, l.dim).sortedFactor(ctx, placeTolerance, limit, nil)
		if err != nil {
			return err
		}
		if err := f.ShrinkInPlace(ridge); err != nil {
			return fmt.Errorf("kerneltest: %w", err)
		}
		if f.Rank() == 0 {
			continue
		}
		sums := make([]float64, f.Rank()*perms.Count()) // of the features, a row for each permutation
		for b := range perms.Count() {
			if err := ctx.Err(); err != nil {
				return err
			}
			l.labels(label, perms.At(b))
			lowrank.Products(sums[b*f.Rank():(b+1)*f.Rank()], label, f.Columns(), rows)
		}
		l.scale(f.Columns(), sums, f.Rank(), perms.Count())
	}
	return nil
}

// scale takes the differences at one scale into account, whose features are columns and have these sums.
func (l *locator) scale(columns, sums []float64, rank, count int) {
	rows := l.m + l.n
	values := make([]float64, min(rows, placeChunk)*count)
	of := blas64.General{Rows: count, Cols: rank, Stride: rank, Data: sums}
	skewed := l.m != l.n || l.o.WeightsX != nil || l.o.WeightsY != nil || l.o.Blocks != nil
	for from := 0; from < rows; from += placeChunk {
		size := min(placeChunk, rows-from)
		features := blas64.General{Rows: rank, Cols: size, Stride: rows, Data: columns[from:]}
		v := blas64.General{Rows: size, Cols: count, Stride: count, Data: values[:size*count]}
		blas64.Gemm(blas.Trans, blas.Trans, 1, features, of, 0, v)
		for i := range size {
			row := v.Data[i*count : (i+1)*count]
			skewness, ok := standardise(row)
			if !ok {
				continue
			}
			if skewed {
				unskew(row, skewness)
			}
			if math.Abs(row[0]) > math.Abs(l.strength[from+i]) {
				l.strength[from+i] = row[0]
			}
			for b, t := range row {
				l.largest[b] = max(l.largest[b], math.Abs(t))
			}
		}
	}
}

// beyond is the number of standard deviations of the others from which the most extreme of the permutations, the
// data among them, is left out of the moments: a large difference would hide behind its own. Any permutation may be
// that one, so that all remain exchangeable.
const beyond = 8

// standardise takes away the mean and divides by the standard deviation, unless all are equal. It returns the skewness.
func standardise(x []float64) (skewness float64, ok bool) {
	mean, sd, skewness := momentsOf(x)
	most := 0
	for i, v := range x {
		if math.Abs(v-mean) > math.Abs(x[most]-mean) {
			most = i
		}
	}
	size := math.Abs(x[most]) + math.Abs(mean)
	x[0], x[most] = x[most], x[0]
	if m, s, skew := momentsOf(x[1:]); s > 1e-9*size && math.Abs(x[0]-m) > beyond*s {
		mean, sd, skewness = m, s, skew
	}
	x[0], x[most] = x[most], x[0]
	if !(sd > 1e-9*size) {
		return 0, false
	}
	for i := range x {
		x[i] = (x[i] - mean) / sd
	}
	return skewness, true
}

// momentsOf are the mean, the standard deviation and the skewness.
func momentsOf(x []float64) (mean, sd, skewness float64) {
	mean = meanOf(x)
	for _, v := range x {
		v -= mean
		sd += v * v
		skewness += v * v * v
	}
	n := float64(len(x))
	sd = math.Sqrt(sd / n)
	return mean, sd, skewness / n / (sd * sd * sd)
}

// mostSkewness is the largest that unskew takes away: an exponential distribution has 2.
const mostSkewness = 3

// unskew replaces standardised values by those of a normal distribution with the same tail probabilities, were they of a
// gamma distribution of their skewness (Wilson and Hilferty). With few rows of one sample and many of the other a
// single row at the end of the data has a strength that else hides all others.
func unskew(x []float64, skewness float64) {
	g := min(math.Abs(skewness), mostSkewness)
	if g < 1e-3 {
		return
	}
	g = math.Copysign(g, skewness)
	for i, v := range x {
		x[i] = 6/g*(math.Cbrt(max(0, g*v/2+1))-1) + g/6
	}
}

// p is that of a row: the data as they are count among the permutations.
func (l *locator) p(i int) float64 {
	count := 0
	for _, v := range l.largest {
		if v >= math.Abs(l.strength[i]) {
			count++
		}
	}
	return float64(count) / float64(len(l.largest))
}

func (l *locator) places() []Place {
	order := make([]int, l.m+l.n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(math.Abs(l.strength[j]), math.Abs(l.strength[i]))
	})
	var line *line
	if l.dim == 1 {
		line = l.newLine()
	}
	var out []Place
	var taken []int
	for k, i := range order {
		q := Place{Sign: 1, At: slices.Clone(l.data[i*l.dim : (i+1)*l.dim]), P: l.p(i)}
		if l.strength[i] < 0 {
			q.Sign = -1
		}
		bound := otherPlaces * l.o.Alpha
		switch {
		case k == 0:
			bound = firstPlace * l.o.Alpha
		case !slices.ContainsFunc(out, func(v Place) bool { return v.Sign == q.Sign }):
			bound = secondPlace * l.o.Alpha
		}
		if q.P > secondPlace*l.o.Alpha && k > 0 {
			break // the others are weaker
		}
		q.Named = q.P <= bound && l.strength[i] != 0
		if k > 0 && !q.Named {
			continue
		}
		if line != nil {
			c := line.cell[i]
			if line.covered[c] {
				continue
			}
			q.From, q.At[0], q.To = line.place(c, q.Sign)
		} else if slices.ContainsFunc(taken, func(j int) bool { return l.near(i, j) }) {
			continue
		}
		out, taken = append(out, q), append(taken, i)
	}
	return out
}

// near reports whether two rows with differences of one sign are one place.
func (l *locator) near(i, j int) bool {
	d := 0.0
	for a := range l.dim {
		u := l.scores[i*l.dim+a] - l.scores[j*l.dim+a]
		d += u * u
	}
	return d < 2*float64(l.dim) && l.strength[i] > 0 == (l.strength[j] > 0)
}

// line is a column in cells, each with the rows of one value or, of many values, of several.
type line struct {
	cell       []int     // of each row
	first      []float64 // value of each cell
	last       []float64
	difference []float64 // sums of the labels of the cells before each, and of all
	share      []float64 // and of the weights, of sum 1
	strength   []float64 // of each cell, that of its strongest row
	variance   float64   // of a difference whose share is f is f(1-f) times it
	covered    []bool
}

func (l *locator) newLine() *line {
	rows := l.m + l.n
	order, at := make([]int, rows), make([]int32, rows)
	for i := range order {
		order[i], at[i] = i, int32(i)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(l.data[i], l.data[j]) })
	label := make([]float64, rows)
	l.labels(label, at)
	u := &line{cell: make([]int, rows), difference: []float64{0}, share: []float64{0}}
	all := total(l.weights)
	least := (rows + placeCells - 1) / placeCells
	for from := 0; from < rows; {
		to := min(from+least, rows)
		for to < rows && l.data[order[to]] == l.data[order[to-1]] {
			to++
		}
		c := len(u.first)
		d, s, t := u.difference[c], u.share[c], 0.0
		for _, i := range order[from:to] {
			u.cell[i] = c
			d += label[i]
			s += l.weights[i] / all
			if math.Abs(l.strength[i]) > math.Abs(t) {
				t = l.strength[i]
			}
		}
		u.first, u.last = append(u.first, l.data[order[from]]), append(u.last, l.data[order[to-1]])
		u.difference, u.share, u.strength = append(u.difference, d), append(u.share, s), append(u.strength, t)
		from = to
	}
	for _, v := range label {
		u.variance += v * v
	}
	u.covered = make([]bool, len(u.first))
	return u
}

// stretch has the cells from first to last.
type stretch struct {
	first, last int
	z           float64
}

// z is the contrast of the cells from i to j in units of its standard deviation: sign times the difference of their
// shares of the samples.
func (u *line) z(i, j, sign int) float64 {
	f := u.share[j+1] - u.share[i]
	v := f * (1 - f) * u.variance
	if !(v > 1e-12*u.variance) { // all cells
		return math.Inf(-1)
	}
	return float64(sign) * (u.difference[j+1] - u.difference[i]) / math.Sqrt(v)
}

// place returns the ends and a value in the middle of the place around cell k, and covers the cells around it of the same sign. The interval of
// largest contrast around it is compared with all that overlap it. What they have in common, those of
// almost as large a contrast at least, is less and less the more of them are asked; the last cells that are left
// are the middle of the place, and the place is what all intervals through the middle have in common whose
// squared contrast is at most placeDrop smaller, cut at its ends by placeCut.
func (u *line) place(k, sign int) (from, middle, to float64) {
	count := len(u.first)
	l, h := k, k
	for l > 0 && float64(sign)*u.strength[l-1] > 0 && !u.covered[l-1] {
		l--
	}
	for h < count-1 && float64(sign)*u.strength[h+1] > 0 && !u.covered[h+1] {
		h++
	}
	best := stretch{k, k, math.Inf(-1)}
	for i := l; i <= k; i++ {
		for j := k; j <= h; j++ {
			if z := u.z(i, j, sign); z > best.z {
				best = stretch{i, j, z}
			}
		}
	}
	for c := l; c <= h; c++ {
		u.covered[c] = true
	}
	var others []stretch
	for i := 0; i <= best.last; i++ {
		for j := max(i, best.first); j < count; j++ {
			if z := u.z(i, j, sign); z > 0 {
				others = append(others, stretch{i, j, z})
			}
		}
	}
	slices.SortStableFunc(others, func(a, b stretch) int { return cmp.Compare(b.z, a.z) })
	common := best
	for _, v := range others {
		i, j := max(common.first, v.first), min(common.last, v.last)
		if i > j {
			break
		}
		common.first, common.last = i, j
	}
	centre := (common.first + common.last) / 2
	core := best
	for _, v := range others {
		if v.z*v.z < best.z*best.z-placeDrop {
			break
		}
		if v.first <= centre && centre <= v.last {
			core.first, core.last = max(core.first, v.first), min(core.last, v.last)
		}
	}
	cut := int(placeCut * float64(core.last-core.first+1))
	core.first, core.last = core.first+cut, core.last-cut
	if core.last-core.first < 2*leastCells {
		core.first, core.last = max(best.first, centre-leastCells), min(best.last, centre+leastCells)
	}
	return u.first[core.first], u.last[(core.first+core.last)/2], u.last[core.last]
}
