package kerneltest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/permute"
	"bayeskernel/internal/workers"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/floats"
)

// features computes those of all kernels, and their sums.
func (t *several) features(ctx context.Context) error {
	n := len(t.label)
	t.replaced = make([]approximation, len(t.members))
	pieces := make([][]float64, len(t.members))
	for k, m := range t.members {
		if m.feature != nil {
			pieces[k] = m.feature
			t.centre(pieces[k], []float64{0})
		} else {
			f, err := t.factor(ctx, k)
			if err != nil {
				return err
			}
			pieces[k] = f.Columns()
			t.centre(pieces[k], f.Mean())
		}
		t.width += len(pieces[k]) / n
		t.ends = append(t.ends, t.width)
	}
	pieces = append(pieces, t.norms(pieces))
	t.width += len(pieces[len(pieces)-1]) / n
	t.all = make([]float64, t.width)
	eachColumn(pieces, n, func(j int, column []float64) {
		for _, v := range column {
			t.all[j] += v
		}
	})
	if len(t.sizes) == 2 {
		t.pieces = joined(pieces, n)
		return nil
	}
	t.table = make([]float64, n*t.width)
	eachColumn(pieces, n, func(j int, column []float64) {
		for i, v := range column {
			t.table[i*t.width+j] = v
		}
	})
	return nil
}

// norms multiplies the features by the weights of their rows. Its columns are for each kernel the square of a
// row's norm, and with weights the weight and its square. It sets t.slack.
func (t *several) norms(pieces [][]float64) []float64 {
	n := len(t.label)
	out := make([]float64, n*len(pieces), n*(len(pieces)+2))
	for k, list := range pieces {
		squares := out[k*n : (k+1)*n]
		for j := 0; j < len(list); j += n {
			for i, v := range list[j : j+n] {
				v *= t.weight(i)
				list[j+i] = v
				squares[i] += v * v
			}
		}
		root := 0.0
		for _, v := range squares {
			root += math.Sqrt(v)
		}
		t.slack = append(t.slack, root*root/float64(n))
	}
	if t.weights != nil {
		out = append(out, t.weights...)
		for _, w := range t.weights {
			out = append(out, w*w)
		}
	}
	return out
}

// eachColumn calls f with the number of each column of the pieces, which hold n rows column by column.
func eachColumn(pieces [][]float64, n int, f func(j int, column []float64)) {
	j := 0
	for _, list := range pieces {
		for from := 0; from < len(list); from += n {
			f(j, list[from:from+n])
			j++
		}
	}
}

// joined joins neighbours of few columns, which are faster to sum together. Large ones stay where they are.
func joined(pieces [][]float64, n int) [][]float64 {
	const few = 64
	var out [][]float64
	open := false // whether the last of out is a copy that grows
	for _, list := range pieces {
		switch {
		case len(list) >= few*n:
			out, open = append(out, list), false
		case open:
			out[len(out)-1] = append(out[len(out)-1], list...)
		default:
			out, open = append(out, slices.Clone(list)), true
		}
	}
	return out
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
	if err := f.ShrinkInPlace(t.ridge(m.amplitude)); err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	return f, nil
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
	const mostSums = 1 << 22
	some := min(count, max(64, mostSums/t.width))
	engine := permute.Best()
	s := t.newSums()
	for from := 0; from < count; from += some {
		signs, err := t.design.Signs(t.sizes[0], first+from, min(some, count-from))
		if err != nil {
			return fmt.Errorf("kerneltest: %w", err)
		}
		parts := make([][]float64, len(t.pieces))
		for p, columns := range t.pieces {
			parts[p] = make([]float64, signs.Count()*(len(columns)/n))
			if err := engine.ColumnSums(ctx, parts[p], signs, columns); err != nil {
				return fmt.Errorf("kerneltest: %w", err)
			}
		}
		for b := range signs.Count() {
			at := 0
			for p, columns := range t.pieces {
				w := len(columns) / n
				at += copy(s[0][at:], parts[p][b*w:(b+1)*w])
			}
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
	if t.pieces != nil {
		eachColumn(t.pieces, len(t.label), func(j int, column []float64) {
			for i, v := range column {
				if g := label(i); g != most {
					s[g][j] += v
				}
			}
		})
	} else {
		for i := range t.label {
			if g := label(i); g != most {
				floats.Add(s[g], t.table[i*t.width:(i+1)*t.width])
			}
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
