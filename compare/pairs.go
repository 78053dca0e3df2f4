package compare

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/internal/rng"
	"bayeskernel/internal/workers"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// Pair is two columns in which the samples differ much.
type Pair struct {
	Columns [2]string
	Index   [2]int // of the columns
	// Strength is the squared MMD of the two columns in standard deviations above its null mean,
	// the larger of those with the learned lengthscales of the columns and with 4 times these. The
	// pair is among the strongest of many, so this is no test.
	Strength float64
	// Witness is that of the two columns on their plane, at the best theta and the strongest rung,
	// as a picture. It has no simultaneous band, and names no place.
	Witness *Witness
}

const (
	shownPairs  = 3
	pairColumns = 30  // with the smallest p-values
	pairRows    = 300 // of each sample, for the ranking
)

// pairs ranks pairs of columns. The kernel of a pair is the product of those of its columns, so
// that a Gram matrix for each column serves all pairs.
func (r *Result) pairs(ctx context.Context) error {
	ranked, err := r.rankPairs(ctx)
	if err != nil {
		return err
	}
	for _, p := range ranked[:min(shownPairs, len(ranked))] {
		if p.Witness, err = r.onPlane(ctx, p.Index); err != nil {
			if err = r.excuse(ctx, err); err != nil {
				return err
			}
			continue
		}
		r.Pairs = append(r.Pairs, p)
	}
	return nil
}

// onPlane draws the witness of two columns for the eye alone: at the best theta and the strongest
// rung, point by point.
func (r *Result) onPlane(ctx context.Context, of [2]int) (*Witness, error) {
	d, err := r.data.only(of[:]...)
	if err != nil {
		return nil, err
	}
	o := d.testOptions()
	o.Alpha, o.Permutations = 0, 19 // the strongest kernel does not depend on them
	t, err := kerneltest.TwoSample(ctx, d.samples[0].x, d.samples[1].x, o)
	if err != nil {
		return nil, err
	}
	two := &Result{Test: t, data: d}
	if t.Kernel.Fit != nil {
		two.Posterior = &Posterior{Model: t.Kernel.Model, Scaling: t.Kernel.Scaling,
			Draws: []bke.Params{t.Kernel.Fit.Modes[0].Params}}
	}
	k, err := two.kernel(ctx, Scale{})
	if err != nil {
		return nil, err
	}
	w, err := d.witness(ctx, k)
	if err != nil {
		return nil, err
	}
	w.Functions, w.Among, w.Everywhere = nil, nil, nil
	return w, nil
}

// rankPairs puts the pairs in the order of their strength.
func (r *Result) rankPairs(ctx context.Context) ([]Pair, error) {
	columns := r.strongestColumns()
	rows, m, err := r.data.some()
	if err != nil {
		return nil, err
	}
	grams := make([][2][]float64, len(columns))
	errs := workers.Run(ctx, len(columns), 0, func(a int) error {
		grams[a] = r.columnGrams(columns[a], rows)
		return nil
	})
	var list []Pair
	for a := range columns {
		for b := range a {
			i, j := min(columns[a], columns[b]), max(columns[a], columns[b])
			list = append(list, Pair{Index: [2]int{i, j},
				Columns: [2]string{r.Columns[i], r.Columns[j]}})
		}
	}
	place := map[int]int{}
	for a, j := range columns {
		place[j] = a
	}
	errs = append(errs, workers.Run(ctx, len(list), 0, func(k int) error {
		p := &list[k]
		g, h := &grams[place[p.Index[0]]], &grams[place[p.Index[1]]]
		for rung := range g {
			p.Strength = max(p.Strength, productStrength(g[rung], h[rung], m))
		}
		return nil
	})...)
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Strength, a.Strength), slices.Compare(a.Index[:], b.Index[:]))
	})
	return list, nil
}

// strongestColumns are those with the smallest p-values, in the order of the data.
func (r *Result) strongestColumns() []int {
	order := make([]int, len(r.ByColumn))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int {
		s, t := r.ByColumn[i].Test, r.ByColumn[j].Test
		return cmp.Or(cmp.Compare(s.P, t.P), cmp.Compare(t.Statistic, s.Statistic))
	})
	order = order[:min(len(order), pairColumns)]
	slices.Sort(order)
	return order
}

// some are the pooled rows of the ranking; the first m belong to the first sample.
func (d *data) some() (rows *mat.Dense, m int, err error) {
	src, err := rng.New("", rng.Name{Seed: d.o.Seed, Purpose: "compare/pairs"}, 0)
	if err != nil {
		return nil, 0, err
	}
	rand := rand.New(src)
	var flat []float64
	for i, s := range d.samples {
		take := rand.Perm(s.n)[:min(s.n, pairRows)]
		slices.Sort(take)
		for _, k := range take {
			flat = append(flat, s.x.RawRowView(k)...)
		}
		if i == 0 {
			m = len(take)
		}
	}
	return mat.NewDense(len(flat)/d.dim, d.dim, flat), m, nil
}

// columnGrams are the Gram matrices of a column at its first two lengthscales.
func (r *Result) columnGrams(j int, rows *mat.Dense) (out [2][]float64) {
	x := mat.Col(nil, j, rows)
	n := len(x)
	of := r.ByColumn[j].Test.Kernel.Kernels
	for rung := range out {
		out[rung] = make([]float64, n*n)
		kernels.Fill(out[rung], of[min(rung, len(of)-1)], 0, x, x, 1)
	}
	return out
}

// productStrength is the unbiased squared MMD with the product of two kernels, over its standard
// deviation under the null hypothesis; 0 where that is not defined.
func productStrength(g, h []float64, m int) float64 {
	product := make([]float64, len(g))
	for i, v := range g {
		product[i] = v * h[i]
	}
	n := 0
	for n*n < len(g) {
		n++
	}
	s, err := statistic.NewMMD(mat.NewSymDense(n, product), m)
	if err != nil {
		return 0
	}
	u, err := s.Unbiased()
	if err != nil {
		return 0
	}
	v, err := s.NullVariance()
	if err != nil || !(v > 0) {
		return 0
	}
	return max(0, u/math.Sqrt(v))
}
