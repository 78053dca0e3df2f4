package kerneltest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/permute"
	"bayeskernel/kerneltest/statistic"
)

// job is a part of the work of a range of permutations. It has matrices of one side, permuted as
// needed, with those of some kernels of the other side; or, with no matrix, a pair of factors.
type job struct {
	gathered []int // kernels of the side whose rows are permuted
	with     []int // kernels of the other side
	factors  bool
}

// jobs lists the work so that the fewer matrices are gathered: of y, or if swapped of x.
func (t *independence) jobs() (list []job, swapped bool) {
	var ofX, ofY []job
	for j, y := range t.y {
		ofY = append(ofY, job{gathered: []int{j}})
		for i, x := range t.x {
			if t.crosses(x, y) {
				list = append(list, job{gathered: []int{j}, with: []int{i}, factors: true})
			} else {
				ofY[j].with = append(ofY[j].with, i)
			}
		}
	}
	for i, x := range t.x {
		ofX = append(ofX, job{gathered: []int{i}})
		for j, y := range t.y {
			if !t.crosses(x, y) {
				ofX[i].with = append(ofX[i].with, j)
			}
		}
	}
	gathers := func(jobs []job) (count int) {
		for _, j := range jobs {
			count += (len(j.with) + 2) / 3
		}
		return count
	}
	best, sides := ofY, t.y
	if swapped = gathers(ofX) < gathers(ofY); swapped {
		best, sides = ofX, t.x
	}
	factors := len(list)
	for _, j := range best {
		if len(j.with) == 0 {
			continue
		}
		// Matrices that are kept, and go with the same kernels, are gathered together.
		if last := len(list) - 1; last >= factors && slices.Equal(list[last].with, j.with) &&
			sides[j.gathered[0]].kept() {
			list[last].gathered = append(list[last].gathered, j.gathered...)
			continue
		}
		list = append(list, j)
	}
	return list, swapped
}

// draw computes the statistics of a range of permutations.
func (t *independence) draw(ctx context.Context, first, count, all int) (*table, error) {
	perms, err := t.d.Perms(first, count)
	if err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	out := newTable(t.pairs())
	for k := range out.values {
		out.values[k] = make([]float64, count)
	}
	if t.observed == nil {
		t.observed = make([]float64, t.pairs())
	}
	d := &drawing{t: t, perms: perms, first: first == 0, out: out, engine: permute.Best()}
	list, swapped := t.jobs()
	for k, j := range list {
		d.engine.Progress = t.o.within(first, count, all, k, len(list))
		if j.factors {
			err = d.cross(ctx, j.with[0], j.gathered[0])
		} else {
			err = d.gather(ctx, j, swapped)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// drawing is a range of permutations under way.
type drawing struct {
	t       *independence
	perms   *permute.Perms
	inverse *permute.Perms
	first   bool // the range begins with the data as they are
	out     *table
	engine  permute.Engine
}

func (d *drawing) pair(i, j int) int { return i*len(d.t.y) + j }

func (d *drawing) cross(ctx context.Context, i, j int) error {
	x, y, k := d.t.x[i], d.t.y[j], d.pair(i, j)
	if err := d.engine.Cross(ctx, d.out.values[k], d.perms, x.packed, y.packed); err != nil {
		return fmt.Errorf("kerneltest: %w", err)
	}
	d.finish(k, x.ofLow, y.ofLow, total(x.ofLow.Diagonal)*total(y.ofLow.Diagonal))
	return nil
}

// gather permutes matrices of y; or, swapped, those of x, the other way round, which comes to the
// same.
func (d *drawing) gather(ctx context.Context, j job, swapped bool) error {
	perms, sides, others := d.perms, d.t.y, d.t.x
	if swapped {
		if d.inverse == nil {
			d.inverse = d.perms.Inverse()
		}
		perms, sides, others = d.inverse, d.t.x, d.t.y
	}
	var ls, dst [][]float64
	var ks []permute.Rows
	var of, with []statistic.Margin
	for _, i := range j.with {
		k, m, err := others[i].upper(ctx)
		if err != nil {
			return err
		}
		ks, with = append(ks, k), append(with, m)
	}
	pair := func(g, i int) int {
		if swapped {
			return d.pair(g, i)
		}
		return d.pair(i, g)
	}
	for _, g := range j.gathered {
		l, m, err := sides[g].gram(ctx)
		if err != nil {
			return err
		}
		ls, of = append(ls, l), append(of, m)
		for _, i := range j.with {
			dst = append(dst, d.out.values[pair(g, i)])
		}
	}
	if err := d.engine.Gather(ctx, dst, perms, ks, ls...); err != nil {
		return fmt.Errorf("kerneltest: %w", err)
	}
	for a, g := range j.gathered {
		for b, i := range j.with {
			x, y := with[b], of[a]
			if swapped {
				x, y = y, x
			}
			d.finish(pair(g, i), x, y, math.Sqrt(x.Squares)*math.Sqrt(y.Squares))
		}
	}
	return nil
}

// finish makes statistics of the sums of pair k, whose terms' sizes add up to at most size.
func (d *drawing) finish(k int, x, y statistic.Margin, size float64) {
	t, cross := d.t, d.out.values[k]
	if d.first {
		t.observed[k] = cross[0]
	}
	n := float64(t.n)
	if t.o.Combine.of().squares || t.o.Blocks != nil {
		d.out.norm[k] = math.Sqrt(x.Squares) * math.Sqrt(y.Squares) / math.Pow(n*(n-1), 1.5)
	} else {
		d.out.norm[k] = hsicDeviation(t.n, x, y)
	}
	if t.o.Combine.of().squares {
		d.out.norm[k] /= t.o.Sharpness
	} else if t.o.Blocks != nil {
		d.out.norm[k] *= math.Sqrt2
	}
	if !t.o.Unbiased && t.pairs() == 1 {
		for b := range cross {
			cross[b] /= n * n
		}
		d.out.slack[k] = size / (n * n)
		return
	}
	if t.o.Blocks != nil {
		mean := meanWithin(t.o.Blocks, x.Diagonal, y.Diagonal)
		for b := range cross {
			cross[b] = (cross[b] - mean) / (n * n)
		}
		d.out.norm[k] *= math.Pow(n*(n-1), 0.5) / n // in the same units
		d.out.slack[k] = (size + mean) / (n * n)
		return
	}
	tx, ty := total(x.Diagonal), total(y.Diagonal)
	for b := range cross {
		both := 0.0
		for i, j := range d.perms.At(b) {
			both += x.Diagonal[i] * y.Diagonal[j]
		}
		cross[b] = (cross[b] - n/(n-2)*both + tx*ty/((n-1)*(n-2))) / (n * (n - 3))
	}
	most := max(0, slices.Max(y.Diagonal))
	d.out.slack[k] = (size + n/(n-2)*tx*most + tx*ty/((n-1)*(n-2))) / (n * (n - 3))
}

// hsicDeviation is the standard deviation of the unbiased HSIC over permutations,
//
//	sqrt(2 S_x S_y/(n (n-3))) / (n (n-3)),   S = |K|² - n/(n-2) sum d² + (sum d)²/((n-1)(n-2)),
//
// with K a centred Gram matrix, d its diagonal and S the sum of the squares of the U-centred matrix, which is 0 on its
// diagonal (Kazi-Aoual et al., 1995). The limit for many rows, |K|² in the place of S, counts the diagonal, which is
// most of the matrix where a kernel is narrow, in several columns above all: in units too long, such kernels would be
// passed over.
func hsicDeviation(n int, x, y statistic.Margin) float64 {
	a := float64(n)
	if n < 4 {
		return 0
	}
	of := func(m statistic.Margin) float64 {
		sum, squares := 0.0, 0.0
		for _, d := range m.Diagonal {
			sum += d
			squares += d * d
		}
		s := m.Squares - a/(a-2)*squares + sum*sum/((a-1)*(a-2))
		if !(s > negligible*m.Squares) { // it is rounding
			return 0
		}
		return s
	}
	return math.Sqrt(2*of(x)*of(y)/(a*(a-3))) / (a * (a - 3))
}
