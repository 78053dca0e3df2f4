package kerneltest

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/permute"
	"bayeskernel/internal/workers"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/floats"
)

// features fills the table with the features of all kernels.
func (t *several) features(ctx context.Context) error {
	n := len(t.label)
	t.replaced = make([]approximation, len(t.members))
	columns := make([][]float64, len(t.members))
	for k, m := range t.members {
		if m.feature != nil {
			columns[k] = m.feature
			t.centre(columns[k], []float64{0})
		} else {
			f, err := t.factor(ctx, k)
			if err != nil {
				return err
			}
			columns[k] = f.Columns()
			t.centre(columns[k], f.Mean())
		}
		t.width += len(columns[k]) / n
		t.ends = append(t.ends, t.width)
	}
	t.width += len(t.members)
	if t.weights != nil {
		t.width += 2
	}
	t.table, t.all = make([]float64, n*t.width), make([]float64, t.width)
	for i := range n {
		row, at := t.table[i*t.width:(i+1)*t.width], 0
		for k, list := range columns {
			square := 0.0
			for j := i; j < len(list); j += n {
				v := t.weight(i) * list[j]
				row[at] = v
				square += v * v
				at++
			}
			row[t.squares()+k] = square
		}
		if t.weights != nil {
			row[t.width-2], row[t.width-1] = t.weight(i), t.weight(i)*t.weight(i)
		}
		floats.Add(t.all, row)
	}
	return nil
}

// squares is the column of the first kernel's squares.
func (t *several) squares() int { return t.ends[len(t.ends)-1] }

// factor is that of kernel k, shrunk where it has an amplitude.
func (t *several) factor(ctx context.Context, k int) (*statistic.Factor, error) {
	n, m := len(t.label), t.members[k]
	limit, tolerance := n, factorTolerance
	if n > severalRows {
		limit = max(8, min(shrunkRank, mostFeatures/n))
	}
	if m.limit > 0 {
		limit = min(limit, m.limit)
	}
	if m.amplitude > 0 {
		tolerance = shrunkTolerance
	}
	tiles := newTiles(m.kernel, m.rows, m.dim)
	f, err := tiles.sortedFactor(ctx, tolerance, limit, t.o.step("factor"))
	if err != nil {
		return nil, err
	}
	if m.limit == 0 {
		t.replaced[k] = approximationBy(f)
	}
	if m.amplitude == 0 {
		return f, nil
	}
	s, err := f.Shrink(t.ridge(m.amplitude))
	if err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	return s, nil
}

// ridge is that of an amplitude: the mean over the samples of that of one against the rest, which
// for two samples is theirs.
func (t *several) ridge(amplitude float64) float64 {
	n, spread := float64(len(t.label)), 0.0
	for _, size := range t.sizes {
		share := float64(size) / n
		spread += share * (1 - share) / float64(len(t.sizes))
	}
	return n / (n - 1) / spread / (amplitude * amplitude)
}

// centre takes from centred features their means within the blocks. With weights and without blocks
// it puts the mean of all rows back, since the weighted statistic depends on it.
func (t *several) centre(columns, mean []float64) {
	n := len(t.label)
	if t.o.Blocks == nil {
		if t.weights != nil {
			for j := range columns {
				columns[j] += mean[j/n]
			}
		}
		return
	}
	size := floats.Dot(columns, columns)
	for _, m := range mean {
		size += float64(n) * m * m
	}
	centreWithin(columns, n, t.o.Blocks, t.weights)
	// Features that are equal within all blocks leave rounding, which must not be taken for a statistic.
	if floats.Dot(columns, columns) <= negligible*negligible*size {
		clear(columns)
	}
}

// centreWithin takes from each column of n elements its weighted mean within each block.
func centreWithin(columns []float64, n int, blocks []int, weights []float64) {
	number := map[int]int{}
	at := make([]int, n)
	for i, b := range blocks {
		if _, ok := number[b]; !ok {
			number[b] = len(number)
		}
		at[i] = number[b]
	}
	weight := make([]float64, len(number))
	means := make([]float64, len(number))
	of := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	for i, b := range at {
		weight[b] += of(i)
	}
	for j := 0; j < len(columns); j += n {
		column := columns[j : j+n]
		clear(means)
		for i, b := range at {
			means[b] += of(i) * column[i] / weight[b]
		}
		for i, b := range at {
			column[i] -= means[b]
		}
	}
}

func (t *several) weight(i int) float64 {
	if t.weights == nil {
		return 1
	}
	return t.weights[i]
}

// size bounds the sum of the sizes of the terms of kernel k's statistic.
func (t *several) size(k int) float64 {
	root := 0.0
	for i := t.squares() + k; i < len(t.table); i += t.width {
		root += math.Sqrt(t.table[i])
	}
	return root * root / float64(len(t.label))
}

// statistics computes those of each kernel for a range of permutations.
func (t *several) statistics(ctx context.Context, first, count int, progress func(done, total int)) (
	[][]float64, error) {
	out := make([][]float64, len(t.members))
	for k := range out {
		out[k] = make([]float64, count)
	}
	if len(t.sizes) == 2 {
		return out, t.signed(ctx, out, first, progress)
	}
	const some = 16 // permutations at a time
	parts := (count + some - 1) / some
	meter := workers.NewMeter(parts, progress)
	err := workers.Each(ctx, parts, 0, func() func(int) error {
		s := t.newSums()
		return func(part int) error {
			from := part * some
			perms, err := t.design.Perms(first+from, min(some, count-from))
			if err != nil {
				return err
			}
			for b := range perms.Count() {
				p := perms.At(b)
				s.add(t, func(i int) int { return t.label[p[i]] })
				for k := range out {
					out[k][from+b] = s.statistic(t, k)
				}
			}
			meter.Tick()
			return nil
		}
	})
	if err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	return out, nil
}

// signed computes the statistics of two samples, from the sums over the first.
func (t *several) signed(ctx context.Context, out [][]float64, first int, progress func(done, total int)) error {
	n, count := len(t.label), len(out[0])
	if t.columns == nil {
		t.columns = make([]float64, len(t.table))
		for i := range n {
			for j, v := range t.table[i*t.width : (i+1)*t.width] {
				t.columns[j*n+i] = v
			}
		}
	}
	const mostSums = 1 << 22
	some := min(count, max(64, mostSums/t.width))
	engine := permute.Best()
	s := t.newSums()
	for from := 0; from < count; from += some {
		signs, err := t.design.Signs(t.sizes[0], first+from, min(some, count-from))
		if err != nil {
			return fmt.Errorf("kerneltest: %w", err)
		}
		sums := make([]float64, signs.Count()*t.width)
		if err := engine.ColumnSums(ctx, sums, signs, t.columns); err != nil {
			return fmt.Errorf("kerneltest: %w", err)
		}
		for b := range signs.Count() {
			s[0] = sums[b*t.width : (b+1)*t.width]
			floats.SubTo(s[1], t.all, s[0])
			for k := range out {
				out[k][from+b] = s.statistic(t, k)
			}
		}
		if progress != nil {
			progress(from+signs.Count(), count)
		}
	}
	return nil
}

// sums are those of the columns of the table over each sample, for one arrangement of the labels.
type sums [][]float64

func (t *several) newSums() sums {
	s := make(sums, len(t.sizes))
	for g := range s {
		s[g] = make([]float64, t.width)
	}
	return s
}

// add sets the sums. Those of the largest sample are what the others leave.
func (s sums) add(t *several, label func(i int) int) {
	most := 0
	for g := range s {
		if clear(s[g]); t.sizes[g] > t.sizes[most] {
			most = g
		}
	}
	for i := range t.label {
		if g := label(i); g != most {
			floats.Add(s[g], t.table[i*t.width:(i+1)*t.width])
		}
	}
	copy(s[most], t.all)
	for g := range s {
		if g != most {
			floats.Sub(s[most], s[g])
		}
	}
}

// totals are the sum of the weights of sample g and that of their squares.
func (s sums) totals(t *several, g int) (weight, squares float64) {
	if t.weights == nil {
		return float64(t.sizes[g]), float64(t.sizes[g])
	}
	return s[g][t.width-2], s[g][t.width-1]
}

// statistic is T of kernel k. With weights a of the rows, W_g their sum over sample g, s_g the sum of
// the weighted features and d_g that of their squared norms,
//
//	T = sum_g W_g (W-W_g)/W (|s_g|²-d_g)/(W_g² - sum a²) - (|sum s_g|² - sum |s_g|²)/W.
func (s sums) statistic(t *several, k int) float64 {
	from := 0
	if k > 0 {
		from = t.ends[k-1]
	}
	all := float64(len(t.label)) // the weights have mean 1
	whole := t.all[from:t.ends[k]]
	out := -floats.Dot(whole, whole) / all
	for g := range s {
		in := s[g][from:t.ends[k]]
		norm := floats.Dot(in, in)
		w, w2 := s.totals(t, g)
		out += w*(all-w)/all*(norm-s[g][t.squares()+k])/(w*w-w2) + norm/all
	}
	return out
}

// biased is T with the biased MMD².
func (s sums) biased(t *several, k int) float64 {
	from := 0
	if k > 0 {
		from = t.ends[k-1]
	}
	whole := t.all[from:t.ends[k]]
	out := -floats.Dot(whole, whole) / float64(len(t.label))
	for g := range s {
		in := s[g][from:t.ends[k]]
		w, _ := s.totals(t, g)
		out += floats.Dot(in, in) / w
	}
	return max(0, out)
}
