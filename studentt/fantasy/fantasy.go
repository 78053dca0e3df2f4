package fantasy

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/nuts"
	"bayeskernel/studentt"

	"gonum.org/v1/gonum/mat"
)

// Box is the region that rows are drawn from: -Half[j] to Half[j] in column j. A single element
// applies to all columns.
type Box struct {
	Half []float64
}

func (b Box) half(j int) float64 { return b.Half[min(j, len(b.Half)-1)] }

func (b Box) check(dim int) error {
	if len(b.Half) != 1 && len(b.Half) != dim {
		return fmt.Errorf("fantasy: box has %d widths, want 1 or %d", len(b.Half), dim)
	}
	for j, h := range b.Half {
		if !(h > 0) || math.IsInf(h, 1) {
			return fmt.Errorf("fantasy: half width %d of the box is %v, want a positive number", j+1, h)
		}
	}
	return nil
}

// Next draws from the density of a new row, inside the box, given the rows of the model. The columns
// are recorded as x[0], x[1], …. The model must not change meanwhile.
func Next(ctx context.Context, m *studentt.Model, b Box, cfg nuts.Config) (*draws.Run, error) {
	if err := b.check(m.Dim()); err != nil {
		return nil, err
	}
	method, err := cfg.Method()
	if err != nil {
		return nil, err
	}
	inner := method.New
	method.Name += " and jumps"
	method.New = func(h *hmc.Hamiltonian) hmc.Transition {
		return &mixed{inner: inner(h), h: h, proposal: newProposal(m, b), next: hmc.NewPoint(m.Dim()),
			x: make([]float64, m.Dim())}
	}
	factory := func() (hmc.Target, error) {
		return &target{e: m.Evaluator(), box: b, x: make([]float64, m.Dim())}, nil
	}
	return hmc.Run(ctx, factory, cfg.Settings, method)
}

// target is the density inside the box, on the scale x = half (2/(1+exp(-u)) - 1) of u without
// bounds.
type target struct {
	e   *studentt.Evaluator
	box Box
	x   []float64
}

func (t *target) Dim() int { return t.e.Dim() }

func (t *target) LogDensity(u, grad []float64) float64 {
	t.Constrain(t.x, u)
	sum := t.e.LogDensity(t.x, grad)
	for j, v := range u {
		s := t.x[j] / t.box.half(j) // 2/(1+exp(-u)) - 1
		grad[j] = grad[j]*t.box.half(j)*(1-s*s)/2 - s
		sum += logVolume(v, t.box.half(j))
	}
	return sum
}

// logVolume is log dx/du.
func logVolume(u, half float64) float64 {
	a := math.Abs(u)
	return math.Log(2*half) - a - 2*math.Log1p(math.Exp(-a))
}

// Names returns the names of the columns.
func (t *target) Names() []string {
	var names []string
	for j := range t.e.Dim() {
		names = append(names, fmt.Sprintf("x[%d]", j))
	}
	return names
}

// Constrain writes x.
func (t *target) Constrain(dst, u []float64) {
	for j, v := range u {
		dst[j] = t.box.half(j) * math.Tanh(v/2)
	}
}

// Options configures the drawing of fantasy data.
type Options struct {
	Rows  int
	First []float64 // the first row (zero)
	Box   Box
	// Config configures the run that draws each row, by default 2 chains of 200 warm-up transitions
	// and 200 draws. The last draw of the first chain is the row. The seed is for the whole sequence.
	// Other zero values mean the defaults of package nuts.
	Config nuts.Config
}

// Quality holds the diagnostics of the run that drew a row.
type Quality struct {
	RHat, ESS float64 // the largest R-hat and the smallest bulk effective sample size of a column
}

// Sample draws a fantasy data set from a model without rows. The first row is Options.First. Each later
// row is drawn given the earlier ones and added to the model, so that in the end the model has all
// rows. It returns the rows, and the quality of every row but the first.
func Sample(ctx context.Context, m *studentt.Model, o Options) (*mat.Dense, []Quality, error) {
	if o.Rows < 1 {
		return nil, nil, fmt.Errorf("fantasy: number of rows is %d, want at least 1", o.Rows)
	}
	if m.Rows() > 0 {
		return nil, nil, fmt.Errorf("fantasy: model has %d rows, want none", m.Rows())
	}
	if err := o.Box.check(m.Dim()); err != nil {
		return nil, nil, err
	}
	first := o.First
	if first == nil {
		first = make([]float64, m.Dim())
	}
	if err := m.Add(first); err != nil {
		return nil, nil, err
	}
	cfg := o.Config
	if cfg.Chains == 0 {
		cfg.Chains = 2
	}
	if cfg.Warmup == 0 {
		cfg.Warmup = 200
	}
	if cfg.Draws == 0 {
		cfg.Draws = 200
	}
	x := mat.NewDense(o.Rows, m.Dim(), nil)
	x.SetRow(0, first)
	var quality []Quality
	for i := 1; i < o.Rows; i++ {
		cfg.Seed = o.Config.Seed + uint64(i)*0x9E3779B97F4A7C15 // of each row its own
		run, err := Next(ctx, m, o.Box, cfg)
		if err != nil {
			return nil, nil, fmt.Errorf("fantasy: row %d: %w", i+1, err)
		}
		values := run.Chains[0].Values
		x.SetRow(i, values[len(values)-1])
		quality = append(quality, assess(run))
		if err := m.Add(x.RawRowView(i)); err != nil {
			return nil, nil, err
		}
	}
	return x, quality, nil
}

func assess(run *draws.Run) Quality {
	q := Quality{0, math.Inf(1)}
	for j := range run.Names {
		c := run.Column(j)
		q.RHat = math.Max(q.RHat, diagnostics.RHat(c))
		q.ESS = math.Min(q.ESS, diagnostics.ESSBulk(c))
	}
	return q
}

// Grid evaluates the density inside the box on a grid of count points a side, for one or two columns.
// It returns the points and their probabilities. Use it to check the sampler or, if the grid is much
// finer than the kernel, to draw exactly.
func Grid(ctx context.Context, m *studentt.Model, b Box, count int) (points *mat.Dense,
	probs []float64, err error) {
	d := m.Dim()
	if d > 2 || count < 2 {
		return nil, nil, fmt.Errorf("fantasy: a grid of %d points a side in %d columns, want at least 2 "+
			"in 1 or 2 columns", count, d)
	}
	if err := b.check(d); err != nil {
		return nil, nil, err
	}
	n := count
	if d == 2 {
		n *= count
	}
	points = mat.NewDense(n, d, nil)
	at := func(i, j int) float64 { // the middles of equal cells
		return b.half(j) * (2*(float64(i)+0.5)/float64(count) - 1)
	}
	for i := range n {
		points.Set(i, d-1, at(i%count, d-1))
		if d == 2 {
			points.Set(i, 0, at(i/count, 0))
		}
	}
	probs = make([]float64, n)
	if err := m.LogDensities(ctx, probs, points); err != nil {
		return nil, nil, err
	}
	top, sum := math.Inf(-1), 0.0
	for _, v := range probs {
		top = math.Max(top, v)
	}
	for i, v := range probs {
		probs[i] = math.Exp(v - top)
		sum += probs[i]
	}
	for i := range probs {
		probs[i] /= sum
	}
	return points, probs, nil
}
