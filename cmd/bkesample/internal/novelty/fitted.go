package novelty

import (
	"context"
	"math"
	"runtime"
	"slices"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/internal/workers"
	"bayeskernel/studentt"

	"gonum.org/v1/gonum/mat"
)

// fitted is the kernel Student-t of the known rows. Its D increases as the density decreases.
type fitted struct {
	model     *studentt.Model
	conformal *studentt.Conformal // nil for p-values by a split
	among     []float64           // D of the known rows, in order
	usual     float64             // log D of the median one
	power     float64             // of D, in one over the density
}

// fit fits the known rows, which are in the units of the kernel.
func (r *result) fit(ctx context.Context, line *cli.Status, known *mat.Dense) (*fitted, error) {
	n, dim := known.Dims()
	params := r.flags.params()
	m := &fitted{power: (1 + float64(r.fitted) + params.Alpha) / 2}
	kernel, err := studentt.WithTails(r.kernel.Kernels[0], known.Slice(0, r.part, 0, dim), studentt.DefaultTails)
	if err != nil {
		return nil, err
	}
	if m.model, err = studentt.New(kernel, dim, params); err != nil {
		return nil, err
	}
	if err := m.model.AddAll(ctx, known.Slice(0, r.fitted, 0, dim)); err != nil {
		return nil, err
	}
	if r.full {
		if m.conformal, err = studentt.NewConformal(ctx, kernel, known, r.part, params); err != nil {
			return nil, err
		}
		m.among = make([]float64, n)
		m.conformal.Forms(m.among)
	} else if m.among, err = m.forms(ctx, line, known.Slice(r.part, r.part+r.ranked, 0, dim)); err != nil {
		return nil, err
	}
	slices.Sort(m.among)
	m.usual = math.Log(m.among[len(m.among)/2])
	return m, nil
}

// scores converts D into the drop of the log density below that of the median known row.
func (m *fitted) scores(forms []float64) []float64 {
	out := make([]float64, len(forms))
	for i, d := range forms {
		out[i] = m.power * (math.Log(d) - m.usual)
	}
	return out
}

// pValues returns the p-values of the rows of x; forms holds their D.
func (m *fitted) pValues(ctx context.Context, line *cli.Status, x *mat.Dense, forms []float64) (
	[]float64, error) {
	n, dim := x.Dims()
	p := make([]float64, n)
	if m.conformal != nil {
		err := stretches(ctx, n, func(from, to int) error {
			line.Step("p-values", from, n)
			return m.conformal.PValues(ctx, p[from:to], x.Slice(from, to, 0, dim))
		})
		return p, err
	}
	for i, v := range forms {
		// Equal rows have equal D up to rounding; counting them all is conservative.
		at, _ := slices.BinarySearch(m.among, v*(1-1e-9))
		p[i] = float64(1+len(m.among)-at) / float64(len(m.among)+1)
	}
	return p, nil
}

// forms computes D for each row of x.
func (m *fitted) forms(ctx context.Context, line *cli.Status, x mat.Matrix) ([]float64, error) {
	n, dim := x.Dims()
	out := make([]float64, n)
	err := stretches(ctx, n, func(from, to int) error {
		line.Step("scores", from, n)
		e, row := m.model.Evaluator(), make([]float64, dim)
		for i := from; i < to; i++ {
			out[i] = e.Form(mat.Row(row, i, x))
		}
		return nil
	})
	return out, err
}

// stretches splits the rows 0 to n-1 into blocks and runs several at a time.
func stretches(ctx context.Context, n int, do func(from, to int) error) error {
	const size = 64
	for _, err := range workers.Run(ctx, (n+size-1)/size, runtime.GOMAXPROCS(0), func(i int) error {
		return do(i*size, min((i+1)*size, n))
	}) {
		if err != nil {
			return err
		}
	}
	return nil
}
