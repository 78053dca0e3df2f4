package compare

import (
	"context"
	"fmt"
	"math"
	"strings"

	"bayeskernel/bke"
	"bayeskernel/draws"
	"bayeskernel/embedding"
	"bayeskernel/kerneltest"
	"bayeskernel/nuts"

	"gonum.org/v1/gonum/mat"
)

// Sample is the rows of one sample, in the units of the data.
type Sample struct {
	Name string // for sentences; P and Q if empty
	X    mat.Matrix
	// Weights of the rows are positive numbers; they are divided by their sum. Nil means equal
	// ones. See kerneltest.Options for what the test needs of them. The kernel is learned from the
	// rows as they are.
	Weights []float64
	// Blocks has a label for each row. The test exchanges rows only with those of the same label.
	Blocks []int
	// Means, if not nil, hold kernel means over all rows of the sample, and X holds only some rows.
	// The witness is then that of all rows. In the units of the model of Options.Posterior.
	Means *embedding.Means
	// Of, if not 0, is the number of rows of the sample, of which X has some that were chosen at random.
	Of int
}

// Options says how samples are compared. The zero value is the default.
type Options struct {
	Columns []string // names of the columns; x, or x1, x2 and so on, if nil
	// Levels has, for each column that holds categories, their names: its values are places among them, from
	// 0. It is nil for a column of numbers, and may be nil altogether. The test has the kernel of
	// kerneltest.Choice.Categories; single columns are tested level by level, and the witness is left out.
	Levels [][]string

	// Inexact says that rows depend on one another, so that sentences do not call the test exact.
	Inexact bool
	// Ordered says that the test exchanged bins of rows that were not in random order: a test that does not reject then
	// says nothing.
	Ordered bool

	// Write, if not nil, writes a value of a column in sentences, as a date, say; "" stands for digits that suit it.
	Write func(column string, v float64) string

	// Test is the test that is the verdict. Weights and blocks of rows come from the samples. If
	// its seed is 0 it has that below.
	Test kerneltest.Options
	// Tested, if not nil, is the outcome of a test of all rows that was made already, and takes the
	// place of that test. Pairs are then left out, and so are single columns but for those of Alone.
	Tested *kerneltest.Result
	// Alone has, for each of several columns, the outcome of the test of it by itself that was made already.
	Alone []Alone

	Scale Scale           // of the witness
	Noise embedding.Noise // of the witness
	// Level is that of the simultaneous band (0.95), and Pointwise that of the band at each point
	// (0.8).
	Level, Pointwise float64
	Functions        int // drawn for the simultaneous band (1000)
	Grid             int // points along the axis of a figure (200, and 40 with two columns)

	// Posterior has draws of theta given the pseudo-inputs: those of chains, as a rule. Where it is
	// nil they are made on the model of the test: by chains as Sampler says (4 of 300 transitions
	// of warm-up and 250 draws unless it says otherwise), or where that is nil too, from the normal
	// approximation at the modes, which takes no time.
	Posterior *Posterior
	Sampler   *nuts.Config

	// Together leaves out the tests of single columns and the pairs.
	Together bool

	Seed uint64 // of everything that is random
	// Progress, if not nil, is called from time to time, by one goroutine at a time: done parts of
	// total of the step under way. It must not block.
	Progress func(step string, done, total int)
}

// Scale says which witness is drawn. The zero value is that of the strongest kernel of the test.
type Scale struct {
	// Rung is the factor c between the lengthscale of the kernel and the theta of Posterior, also
	// where the test worked in other units. Zero means that of the strongest kernel, or 1 if
	// Sampled is set.
	Rung float64
	// Sampled takes the level of the noise from the sampled tau2. Otherwise it is that of the
	// central limit theorem.
	Sampled bool
}

// Paper is the scale of the figure of Flaxman et al. (2016): theta and tau2 as sampled.
func Paper() Scale { return Scale{Rung: 1, Sampled: true} }

// Posterior is draws of the hyperparameters given the pseudo-inputs, of equal weight.
type Posterior struct {
	Model *bke.Model
	// Scaling is what was done to the columns before the model was made; nil if nothing was.
	Scaling *bke.Scaling
	Draws   []bke.Params
	Run     *draws.Run // that made them; nil for draws of the caller
}

// Result is what Samples found.
type Result struct {
	Names   [2]string // of the samples
	Rows    [2]int
	Columns []string

	Test      *kerneltest.Result
	Posterior *Posterior // nil where no lengthscale could be learned
	Witness   *Witness   // at the scale that was asked for; nil where none can be drawn, as with categories

	// ByColumn is for two columns and more, and for one of categories. Pairs is for three and more, all of
	// numbers: it begins with the strongest, and is nil where the test does not reject.
	ByColumn []Column
	Pairs    []Pair

	// Rule is a region of three and more columns in words, nil where none was confirmed.
	Rule *Rule

	Notes []string // those of the test, and more; a sentence or two each

	data   *data
	places []kerneltest.Place // where the samples differ, nil where it was not asked
}

// Samples compares two samples.
func Samples(ctx context.Context, p, q Sample, o Options) (*Result, error) {
	d, err := newData(o, p, q)
	if err != nil {
		return nil, err
	}
	r := &Result{Columns: d.columns, data: d}
	for i, s := range d.samples {
		r.Names[i], r.Rows[i] = s.name, s.rows()
	}
	if r.Test = d.o.Tested; r.Test == nil {
		if r.Test, err = kerneltest.TwoSample(ctx, p.X, q.X, d.testOptions()); err != nil {
			return nil, err
		}
	}
	r.Notes = append(r.Notes, r.Test.Notes...)
	categories := d.categories()
	if len(categories) == 0 {
		if r.Posterior, err = d.posterior(ctx, r); err != nil {
			return nil, err
		}
	}
	if (d.dim > 1 || len(categories) > 0) && !d.o.Together {
		if err := r.columnsAlone(ctx); err != nil {
			return nil, err
		}
	}
	if len(categories) > 0 {
		return r, nil
	}
	if !d.o.Together {
		if r.Rule, err = r.rule(); err != nil {
			return nil, err
		}
	}
	if err = r.locate(ctx); err != nil {
		return nil, err
	}
	if r.Witness, err = r.At(ctx, d.o.Scale); err != nil {
		if err = r.excuse(ctx, err); err != nil {
			return nil, err
		}
	}
	if d.dim > 2 && !d.o.Together && r.Test.Reject && d.o.Tested == nil {
		err = r.pairs(ctx)
	}
	return r, err
}

// At draws the witness at another scale than that asked for.
func (r *Result) At(ctx context.Context, s Scale) (*Witness, error) {
	k, err := r.kernel(ctx, s)
	if err != nil {
		return nil, err
	}
	w, err := r.data.witness(ctx, k)
	if err != nil {
		return nil, err
	}
	if r.Test.Reject {
		w.name(r)
		if len(w.Places) == 0 && r.data.dim > 1 {
			w.Places = r.columnPlaces()
		}
	}
	return w, nil
}

// excuse turns the error of a witness that cannot be drawn into a note: the verdict stands without.
func (r *Result) excuse(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	text := err.Error()
	if _, rest, ok := strings.Cut(text, ": "); ok {
		text = rest // without the name of the package
	}
	r.note("The witness cannot be drawn: %s.", text)
	return nil
}

func (r *Result) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// testOptions is the test with what is known of the rows.
func (d *data) testOptions() kerneltest.Options {
	o := d.o.Test
	p, q := d.samples[0], d.samples[1]
	o.WeightsX, o.WeightsY = p.given.Weights, q.given.Weights
	if p.given.Blocks != nil {
		o.Blocks = append(append([]int{}, p.given.Blocks...), q.given.Blocks...)
	}
	o.Kernel.Categories = d.categories()
	return o
}

// resolved fills in the defaults.
func (o Options) resolved(dim int) (Options, error) {
	if o.Level == 0 {
		o.Level = 0.95
	}
	if o.Pointwise == 0 {
		o.Pointwise = 0.8
	}
	if o.Functions == 0 {
		o.Functions = 1000
	}
	if o.Grid == 0 {
		o.Grid = 200
		if dim == 2 {
			o.Grid = 40
		}
	}
	o.Together = o.Together || o.Tested != nil && o.Alone == nil
	if o.Test.Seed == 0 {
		o.Test.Seed = o.Seed
	}
	if o.Test.Progress == nil {
		o.Test.Progress = o.Progress
	}
	switch t := o.Test; {
	case !(o.Level > 0 && o.Level < 1) || !(o.Pointwise > 0 && o.Pointwise < 1):
		return o, fmt.Errorf("compare: levels of bands are %v and %v, want them between 0 and 1",
			o.Level, o.Pointwise)
	case o.Functions < 1:
		return o, fmt.Errorf("compare: functions are %d, want at least 1", o.Functions)
	case o.Grid < 2:
		return o, fmt.Errorf("compare: points of the grid are %d, want at least 2", o.Grid)
	case !(o.Scale.Rung >= 0) || math.IsInf(o.Scale.Rung, 1):
		return o, fmt.Errorf("compare: rung is %v, want a positive, finite number", o.Scale.Rung)
	case t.WeightsX != nil || t.WeightsY != nil || t.Blocks != nil:
		return o, fmt.Errorf("compare: the options of the test have weights of rows or blocks, " +
			"want them with the samples")
	case o.Posterior != nil && (o.Posterior.Model == nil || len(o.Posterior.Draws) == 0):
		return o, fmt.Errorf("compare: the posterior has no model or no draws, want both")
	}
	return o, nil
}
