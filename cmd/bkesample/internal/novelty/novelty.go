package novelty

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/embedding"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// result is what the novelty command computed.
type result struct {
	flags  *flags
	data   *input.Dataset // P is fitted, Q is judged
	kernel *kerneltest.Chosen
	full   bool // the p-values are full conformal ones
	// The kernel was chosen by part rows of P, the scores use a model of fitted rows, and new rows
	// are ranked among ranked rows.
	part, fitted, ranked int
	score, p, q          []float64      // of the rows of data.Q
	order                []int          // of the rows, the most novel first
	listed               int            // rows of the corrected list
	why                  map[int][]part // the columns of the first rows of the list, by row
	around               *around        // nil for more columns than a picture has room for
}

// around holds the p-values that new rows on a grid would have.
type around struct {
	points *mat.Dense
	axes   [][]float64 // of two columns
	value  []float64
}

// find scores the rows of Q under the kernel Student-t fitted to the rows of P.
func find(ctx context.Context, con *cli.Console, data *input.Dataset, f *flags) (*result, error) {
	n, dim := data.P.Dims()
	out := &result{flags: f, data: data, full: f.full(), part: f.part(n)}
	// The order is random and independent of the rows' values.
	r := rand.New(rand.NewPCG(f.kernel.Seed(), 0x6e6f76656c))
	mixed := mat.NewDense(n, dim, nil)
	for i, k := range r.Perm(n) {
		mixed.SetRow(i, data.P.RawRowView(k))
	}
	part := mixed.Slice(0, out.part, 0, dim).(*mat.Dense)
	if equal(part) {
		return nil, fmt.Errorf("%s: the %d rows that are set aside to choose the kernel are equal, want more "+
			"distinct rows", data.PName, out.part)
	}
	var err error
	if out.kernel, err = f.kernel.Choose(ctx, con, data.PName, part); err != nil {
		return nil, err
	}
	known, err := tests.InUnits(out.kernel, mixed)
	if err != nil {
		return nil, err
	}
	m, err := out.judge(ctx, con, known)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	out.q = benjamini(out.p)
	for i, q := range out.q {
		out.order = append(out.order, i)
		if q <= f.alpha {
			out.listed++
		}
	}
	slices.SortStableFunc(out.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(out.p[a], out.p[b]), cmp.Compare(out.score[b], out.score[a]))
	})
	return out, out.explain(ctx, con, m, mixed)
}

// judge computes scores and p-values of the new rows, and p-values on a grid of one or two columns.
// The known rows are in the units of the kernel.
func (r *result) judge(ctx context.Context, con *cli.Console, known *mat.Dense) (*fitted, error) {
	n, _ := known.Dims()
	r.fitted, r.ranked = n, n-r.part
	if !r.full {
		r.fitted, r.ranked = r.part, min(n-r.part, mostRanked)
	}
	fresh, err := tests.InUnits(r.kernel, r.data.Q)
	if err != nil {
		return nil, err
	}
	line := con.Working("fitting the rows of %s", r.data.PName)
	defer line.End()
	m, err := r.fit(ctx, line, known)
	if err != nil {
		return nil, err
	}
	forms, err := m.forms(ctx, line, fresh)
	if err != nil {
		return nil, err
	}
	r.score = m.scores(forms)
	if r.p, err = m.pValues(ctx, line, fresh, forms); err != nil {
		return nil, err
	}
	r.around = newAround(r.data)
	if r.around == nil {
		return m, nil
	}
	grid, err := tests.InUnits(r.kernel, r.around.points)
	if err != nil {
		return nil, err
	}
	if forms, err = m.forms(ctx, line, grid); err != nil {
		return nil, err
	}
	r.around.value, err = m.pValues(ctx, line, grid, forms)
	return m, err
}

// newAround covers data of one or two columns; it is nil for other data and if a column is
// constant.
func newAround(data *input.Dataset) *around {
	switch len(data.Columns) {
	case 1:
		lo, hi := mat.Min(data.P), mat.Max(data.P)
		near := mat.DenseCopyOf(data.Q) // with far rows moved to within a range of the known ones
		near.Apply(func(_, _ int, v float64) float64 { return min(max(v, lo-(hi-lo)), hi+(hi-lo)) }, near)
		return &around{points: embedding.Grid(400, data.P, near)}
	case 2:
		if points, axes := tests.PlaneGrid(data.Pooled()); points != nil {
			return &around{points: points, axes: axes}
		}
	}
	return nil
}

// benjamini adjusts p-values by the method of Benjamini and Hochberg (1995). Of the rows with an
// adjusted p-value of at most alpha, at most a fraction alpha is expected to be false discoveries.
func benjamini(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	q, least := make([]float64, len(p)), 1.0
	for i, at := range order {
		least = min(least, p[at]*float64(len(p))/float64(len(p)-i))
		q[at] = least
	}
	return q
}
