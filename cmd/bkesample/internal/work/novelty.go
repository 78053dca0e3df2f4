package work

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/kerneltest"
	"bayeskernel/studentt"

	"gonum.org/v1/gonum/mat"
)

// NoveltyFlags say how novelty is measured.
type NoveltyFlags struct {
	Kernel       OneKernel
	Alpha        float64
	Calibrate    string
	beta, scale2 float64
}

// Define defines the flags.
func (f *NoveltyFlags) Define(s *cli.FlagSet) {
	s.Group("Novelty")
	s.Number(&f.Alpha, "alpha", 0.05, "`level` of the list of novel rows: the share of its rows that are "+
		"not novel, expected")
	s.Choice(&f.Calibrate, "calibrate", "auto", []string{"auto", "full", "split"}, "`how` p-values are "+
		"made: full (each new row is ranked among rows of the first sample that are scored beside it), "+
		"split (half of the first sample is fitted and the rest scored), or auto, which is full up to "+
		fmt.Sprint(fullRows)+" rows of the first sample")
	s.Number(&f.scale2, "scale2", 0.01, "`scale` s² of the Student-t's prior in the space of features")
	s.Number(&f.beta, "beta", 0.01, "`how` many rows the prior mean is worth")
	f.Kernel.Define(s, "part of the first sample", "which rows of the first sample are set aside, and of")
}

// Check finds what is wrong with the flags.
func (f *NoveltyFlags) Check(s *cli.FlagSet) error {
	switch {
	case !(f.Alpha > 0 && f.Alpha < 1):
		return cli.Usagef("-alpha is %v, want it between 0 and 1", f.Alpha)
	case !(f.scale2 > 0):
		return cli.Usagef("-scale2 is %v, want a positive number", f.scale2)
	case !(f.beta > 0):
		return cli.Usagef("-beta is %v, want a positive number", f.beta)
	}
	return f.Kernel.Check(s)
}

const (
	fullRows   = 2000  // that auto ranks in full
	mostFull   = 8000  // for which there is memory
	mostFitted = 1000  // of split
	mostRanked = 20000 // of split
	mostPart   = 2000  // from which the kernel is learned
	leastTrain = 8
)

// Novel is what is known of the novelty of rows.
type Novel struct {
	Flags  *NoveltyFlags
	Data   *input.Dataset // P is fitted, Q is judged
	Kernel *kerneltest.Chosen
	Full   bool // the p-values are full conformal ones
	// Part rows of P chose the kernel, Fitted are in the model that the scores are of, Ranked are those
	// that new rows are ranked among.
	Part, Fitted, Ranked int
	Score, P, Q          []float64 // of the rows of Data.Q
	Order                []int     // of the rows, the most novel first
	model                *studentt.Model
	forms, among         []float64 // D of the rows of Data.Q, and of those of P in order
	conformal            *studentt.Conformal
	usual                float64 // log D of the median row of P
}

// Params are those of the Student-t. No ranking depends on alpha.
func (f *NoveltyFlags) Params() studentt.Params {
	return studentt.Params{Alpha: 1, Beta: f.beta, Scale2: f.scale2}
}

// Admit refuses data that cannot be fitted.
func (f *NoveltyFlags) Admit(data *input.Dataset) error {
	n, dim := data.P.Dims()
	switch {
	case n < leastTrain:
		return fmt.Errorf("%s: found %s, want at least %d to rank new rows among", data.PName,
			cli.Plural(n, "row"), leastTrain)
	case f.Calibrate == "full" && n > mostFull:
		return cli.Usagef("-calibrate full is for at most %d rows, and %s has %d", mostFull, data.PName, n)
	case equal(data.P):
		return fmt.Errorf("%s: all %d rows are equal, want at least 2 distinct ones", data.PName, n)
	}
	return f.Kernel.Admit(f.part(n, dim), dim)
}

func equal(rows *mat.Dense) bool {
	n, _ := rows.Dims()
	for i := range n {
		if !slices.Equal(rows.RawRowView(i), rows.RawRowView(0)) {
			return false
		}
	}
	return true
}

// full reports whether p-values are full conformal ones.
func (f *NoveltyFlags) full(n int) bool {
	return f.Calibrate == "full" || f.Calibrate == "auto" && n <= fullRows
}

// part is the number of rows by which the kernel is chosen: none if it is given, else a quarter, or
// the half that is fitted.
func (f *NoveltyFlags) part(n, dim int) int {
	switch {
	case !f.full(n):
		return min(n/2, mostFitted)
	case f.Kernel.looks(dim):
		return min(max(n/4, 2), mostPart)
	}
	return 0
}

// Novelty scores the rows of Q under the kernel Student-t of those of P.
func Novelty(ctx context.Context, con *cli.Console, data *input.Dataset, f *NoveltyFlags) (*Novel,
	error) {
	n, dim := data.P.Dims()
	out := &Novel{Flags: f, Data: data, Full: f.full(n), Part: f.part(n, dim)}
	// The order is random and has nothing to do with the rows' values.
	r := rand.New(rand.NewPCG(f.Kernel.Seed(), 0x6e6f76656c))
	mixed := mat.NewDense(n, dim, nil)
	for i, k := range r.Perm(n) {
		mixed.SetRow(i, data.P.RawRowView(k))
	}
	part := mixed
	if out.Part > 0 {
		part = mixed.Slice(0, out.Part, 0, dim).(*mat.Dense)
	}
	var err error
	if out.Kernel, err = f.Kernel.choose(ctx, con, data.PName, part); err != nil {
		return nil, err
	}
	known, err := inUnits(out.Kernel, mixed)
	if err != nil {
		return nil, err
	}
	fresh, err := inUnits(out.Kernel, data.Q)
	if err != nil {
		return nil, err
	}
	if err := out.rank(ctx, con, known, fresh); err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	out.Q = benjamini(out.P)
	out.Order = make([]int, len(out.P))
	for i := range out.Order {
		out.Order[i] = i
	}
	slices.SortStableFunc(out.Order, func(a, b int) int {
		return cmp.Or(cmp.Compare(out.P[a], out.P[b]), cmp.Compare(out.Score[b], out.Score[a]))
	})
	return out, nil
}

// rank fits the model and finds scores and p-values; rows are in the units of the kernel.
func (o *Novel) rank(ctx context.Context, con *cli.Console, known, fresh *mat.Dense) error {
	n, dim := known.Dims()
	o.Fitted, o.Ranked = n, n-o.Part
	if !o.Full {
		o.Fitted, o.Ranked = o.Part, min(n-o.Part, mostRanked)
	}
	var err error
	if o.model, err = studentt.New(o.Kernel.Kernels[0], dim, o.Flags.Params()); err != nil {
		return err
	}
	line := con.Working("fitting the rows of %s", o.Data.PName)
	defer line.End()
	if err := o.model.AddAll(ctx, known.Slice(0, o.Fitted, 0, dim)); err != nil {
		return err
	}
	if o.forms, err = o.formsOf(ctx, line, fresh); err != nil {
		return err
	}
	if o.Full {
		if o.conformal, err = studentt.NewConformal(o.Kernel.Kernels[0], known, o.Part,
			o.Flags.Params()); err != nil {
			return err
		}
		o.among = make([]float64, n)
		o.conformal.Forms(o.among)
	} else if o.among, err = o.formsOf(ctx, line, known.Slice(o.Part, o.Part+o.Ranked, 0,
		dim)); err != nil {
		return err
	}
	slices.Sort(o.among)
	o.usual = math.Log(o.among[len(o.among)/2])
	o.Score = o.scores(o.forms)
	o.P, err = o.pValues(ctx, line, fresh, o.forms)
	return err
}

// pValues are those of rows of x, whose D are given.
func (o *Novel) pValues(ctx context.Context, line *cli.Status, x *mat.Dense, forms []float64) (
	[]float64, error) {
	m, dim := x.Dims()
	p := make([]float64, m)
	if o.Full {
		err := pieces(ctx, m, func(from, to int) error {
			line.Step("p-values", from, m)
			return o.conformal.PValues(ctx, p[from:to], x.Slice(from, to, 0, dim))
		})
		return p, err
	}
	for i, v := range forms {
		// Equal rows have equal D but for rounding; counting them all is the safe side.
		at, _ := slices.BinarySearch(o.among, v*(1-1e-9))
		p[i] = float64(1+len(o.among)-at) / float64(len(o.among)+1)
	}
	return p, nil
}

// formsOf is D of each row of x.
func (o *Novel) formsOf(ctx context.Context, line *cli.Status, x mat.Matrix) ([]float64, error) {
	m, dim := x.Dims()
	out := make([]float64, m)
	err := pieces(ctx, m, func(from, to int) error {
		line.Step("scores", from, m)
		e, row := o.model.Evaluator(), make([]float64, dim)
		for i := from; i < to; i++ {
			out[i] = e.Form(mat.Row(row, i, x))
		}
		return nil
	})
	return out, err
}

// scores turns D into by how much the log density is below that of the median row of P.
func (o *Novel) scores(forms []float64) []float64 {
	out := make([]float64, len(forms))
	for i, d := range forms {
		out[i] = (1 + float64(o.Fitted) + o.Flags.Params().Alpha) / 2 * (math.Log(d) - o.usual)
	}
	return out
}

// At are the p-values that new rows would have at points in the units of the data.
func (o *Novel) At(ctx context.Context, con *cli.Console, points *mat.Dense) ([]float64, error) {
	x, err := inUnits(o.Kernel, points)
	if err != nil {
		return nil, err
	}
	line := con.Working("picture")
	defer line.End()
	forms, err := o.formsOf(ctx, line, x)
	if err != nil {
		return nil, err
	}
	return o.pValues(ctx, line, x, forms)
}

// Listed counts the rows of the corrected list.
func (o *Novel) Listed() int {
	k := 0
	for _, q := range o.Q {
		if q <= o.Flags.Alpha {
			k++
		}
	}
	return k
}

// benjamini corrects p-values for their number (Benjamini and Hochberg, 1995): the list of those at
// most alpha is expected to have a share of at most alpha in it that should not be there.
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
