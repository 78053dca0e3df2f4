package study

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/compare"
	"bayeskernel/embedding"
	"bayeskernel/internal/rows"
	"bayeskernel/internal/workers"
	"bayeskernel/kernels"
	"bayeskernel/summary"

	"gonum.org/v1/gonum/mat"
)

// Summed is the summary of the rows of a study.
type Summed struct {
	Sum   *summary.Summary
	Names []string
	Held  *input.Dataset // the rows, where they are in memory; nil otherwise
}

// Summarised is the data set of a summary; pictures show the rows that the summary kept.
func Summarised(s *summary.Summary, source string) (*input.Dataset, error) {
	names := s.Samples()
	if len(names) == 0 || len(names) > 2 {
		return nil, fmt.Errorf("%s: has the samples %q, want one or two", source, names)
	}
	if err := s.Complete(names...); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	b, err := s.Bytes()
	if err != nil {
		return nil, err
	}
	d := &input.Dataset{Columns: s.Plan().Columns, Source: source, PName: names[0],
		Of: fmt.Sprintf("%x", sha256.Sum256(b))[:16], Ordered: slices.ContainsFunc(names, s.Ordered)}
	for k, name := range names {
		n, skipped := s.Rows(name)
		d.Counts[k] = int(n)
		kept := s.Kept(name)
		if kept == nil {
			return nil, fmt.Errorf("%s: kept no row of sample %q, which pictures need: make a plan for "+
				"fewer rows (-rows)", source, name)
		}
		if k == 0 {
			d.P = kept
		} else {
			d.Q, d.QName = kept, name
		}
		if skipped > 0 {
			d.Notes = append(d.Notes, fmt.Sprintf("%s: left out %s with missing values.", name,
				cli.Plural(int(skipped), "row")))
		}
	}
	kept, _ := d.Pooled().Dims()
	d.Notes = append(d.Notes, fmt.Sprintf("The results are those of all rows, by way of a summary of them; "+
		"pictures show %d of the rows.", kept))
	return d, nil
}

// NewSummed learns the hyperparameters from a summary.
func NewSummed(ctx context.Context, m *ModelFlags, data *input.Dataset,
	sum *summary.Summary) (*Study, error) {
	p := sum.Plan()
	s := &Study{Flags: m, Data: data, Standardize: p.Standardize,
		Notes: slices.Clone(data.Notes), Radial: kernels.SE{}, Summed: &Summed{Sum: sum, Names: sum.Samples()}}
	if s.Standardize == "" {
		s.Standardize = "none"
	}
	s.Notes = append(s.Notes, p.Notes...)
	var all mat.Matrix = data.Pooled()
	s.P = data.P
	if data.Q != nil {
		s.Q = data.Q
	}
	if s.Standardize == "columns" {
		s.Scaling = &bke.Scaling{SD: p.SD}
		var err error
		if all, err = s.Scaling.Apply(all); err != nil {
			return nil, err
		}
	}
	s.All = all
	kind, err := inputs.ParseKind(p.Kind)
	if err != nil {
		return nil, err
	}
	z := mat.NewDense(p.M(), p.Dim(), nil)
	for l, row := range p.Z {
		z.SetRow(l, row)
	}
	s.Inputs = &inputs.Set{Z: z, Kind: kind, Asked: p.M(), Fixed: true}
	unit := 0.0
	if s.Standardize == "none" {
		unit = 1
	}
	if s.Priors, err = m.priors(unit); err != nil {
		return nil, err
	}
	return s, s.learnSummed(ctx)
}

// Tell adds notes on the data, which are told with those of the files.
func (s *Study) Tell(notes []string) {
	s.Notes, s.Data.Notes = append(s.Notes, notes...), append(s.Data.Notes, notes...)
}

// learnSummed finds the modes, and rejects modes outside the windows of the summary.
func (s *Study) learnSummed(ctx context.Context) error {
	o, err := s.Flags.options()
	if err != nil {
		return err
	}
	if s.Model, err = s.Summed.Sum.Model(o); err != nil {
		return s.Explain(err)
	}
	if s.Fit, err = s.Model.Learn(ctx, bke.LearnOptions{Priors: &s.Priors, Seed: s.Flags.Seed}); err != nil {
		return s.Explain(err)
	}
	s.Candidates = []Candidate{{s.Radial, s.Model, s.Fit}}
	if err := s.Summed.Sum.Check(s.Fit); err != nil {
		return s.Explain(err)
	}
	if iv, err := s.Summed.Sum.Interval(s.Fit, s.Model.Weight(), 0); err == nil {
		s.Notes = append(s.Notes, fmt.Sprintf("Log theta has the sampling error %.2g (%.2g by leaving out "+
			"bins in turn), and varies by %s over pseudo-inputs: both beside its posterior sd given these.",
			iv.SDSandwich, iv.SDJackknife, overInputs(iv.SDSeeds)))
	}
	return nil
}

func overInputs(sd float64) string {
	if sd == 0 {
		return "an unknown sd"
	}
	return fmt.Sprintf("%.2g", sd)
}

// Means sets what the summary knows about all rows of each sample.
func (s *Summed) Means(both *[2]compare.Sample) {
	for k, name := range s.Names {
		e, err := s.Sum.Sample(name)
		if err != nil {
			n, _ := s.Sum.Rows(name)
			e.Means = &embedding.Means{Rows: int(n),
				At: func([]float64, float64, []float64) error { return err }}
		}
		both[k].Means = e.Means
	}
}

// AdoptPlan takes settings from a plan where the flags leave them open, and rejects flags that a
// summary does not support.
func (m *ModelFlags) AdoptPlan(s *cli.FlagSet, p *summary.Plan) error {
	for _, name := range []string{"ard", "inputs", "inputs-from", "inputs-file", "standardize", "path",
		"label", "columns", "drop", "weights", "blocks", "na", "n", "sensitivity"} {
		if s.Given(name) {
			return cli.Usagef("-%s is not for -summary: a summary is made of one lengthscale and what its "+
				"plan says", name)
		}
	}
	if len(m.Kernel.List) != 1 || m.Kernel.List[0].String() != "se" {
		return cli.Usagef("-kernel is %s, and a summary is of se alone", s.Lookup("kernel").Value)
	}
	m.Path, m.Standardize = p.Path, p.Standardize
	if !s.Given("nu") {
		m.Nu = p.Nu
	}
	if !s.Given("tau2") {
		m.Tau2 = p.Tau2
	}
	if !s.Given("eta") {
		m.Eta = p.Eta
	}
	if m.ThetaMin > 0 || m.ThetaMax > 0 {
		return cli.Usagef("-theta-min and -theta-max are not for -summary: theta is in the windows of the " +
			"plan")
	}
	return nil
}

// heldChunk is the chunk size for n rows in memory: a quarter of them, within bounds.
func heldChunk(n int) int { return min(max(n/4, 1<<18), 1<<22) }

// OnePass plans and summarises rows in memory, in the order in which they are.
func OnePass(ctx context.Context, con *cli.Console, m *ModelFlags, data *input.Dataset) (
	*summary.Summary, error) {
	line := con.Working("one pass over the rows")
	defer line.End()
	_, dim := data.P.Dims()
	o, err := m.planOptions(con, data.Columns)
	if err != nil {
		return nil, err
	}
	o.All = stacked(data)
	p, q := data.Rows()
	parts := heldParts(data, heldChunk(p+q)*dim)
	pilot, err := pilotHeld(ctx, parts, dim, m.Seed)
	if err != nil {
		return nil, err
	}
	plan, err := summary.NewPlan(ctx, pilot, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	return sumHeld(ctx, plan, parts)
}

// Varying is what is compared and learned from: the data set without constant columns, unless pseudo-inputs of all of
// them are given.
func (m *ModelFlags) Varying(data *input.Dataset) *input.Dataset {
	if m.inputsFile != "" {
		return data
	}
	return data.Varying()
}

// stacked are the rows of both samples.
func stacked(data *input.Dataset) rows.Stack {
	if data.Q == nil {
		return rows.Stack{data.P}
	}
	return rows.Stack{data.P, data.Q}
}

// heldPart is a chunk of the rows in memory.
type heldPart struct {
	sample string
	number int // among those of the sample
	rows   []float64
}

// heldParts cuts the rows of the samples into chunks of size numbers.
func heldParts(data *input.Dataset, size int) (parts []heldPart) {
	for k, of := range stacked(data) {
		number := 0
		for x := range slices.Chunk(of.RawMatrix().Data, size) {
			parts = append(parts, heldPart{string(rune('P' + k)), number, x})
			number++
		}
	}
	return parts
}

// eachHeld calls work on all parts, with one worker per processor.
func eachHeld(ctx context.Context, parts []heldPart, work func(worker int, p heldPart) error) error {
	count := heldWorkers(parts)
	errs := workers.Run(ctx, count, count, func(w int) error {
		for k := w; k < len(parts); k += count {
			if err := work(w, parts[k]); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	return cmp.Or(errs...)
}

func heldWorkers(parts []heldPart) int { return min(runtime.GOMAXPROCS(0), len(parts)) }

// pilotHeld takes the sample of rows that a plan is based on.
func pilotHeld(ctx context.Context, parts []heldPart, dim int, seed uint64) (*summary.Pilot, error) {
	pilots := make([]*summary.Pilot, heldWorkers(parts))
	for w := range pilots {
		pilots[w] = summary.NewPilot(dim, summary.PilotRows, seed)
	}
	err := eachHeld(ctx, parts, func(w int, p heldPart) error {
		pilots[w].Begin(p.sample)
		pilots[w].Add(p.rows)
		return nil
	})
	for _, p := range pilots[1:] {
		if err == nil {
			err = pilots[0].Merge(p)
		}
	}
	return pilots[0], err
}

// sumHeld makes the summary.
func sumHeld(ctx context.Context, p *summary.Plan, parts []heldPart) (*summary.Summary, error) {
	sums := make([]*summary.Summary, heldWorkers(parts))
	for w := range sums {
		var err error
		if sums[w], err = summary.New(p); err != nil {
			return nil, err
		}
		sums[w].AllowEqual = true // the rows are all there once
	}
	err := eachHeld(ctx, parts, func(w int, p heldPart) error {
		c, err := sums[w].Chunk(p.sample, false)
		if err != nil {
			return err
		}
		c.Place(p.number) // so that single columns have the same rows in their bins as all of them
		if err := c.Add(p.rows); err != nil {
			return err
		}
		return c.Close()
	})
	for _, s := range sums[1:] {
		if err == nil {
			err = sums[0].Merge(s)
		}
	}
	sums[0].Release()
	return sums[0], err
}

// sampledOf is the data set of a summary of rows in memory; pictures show a sample of the rows.
func sampledOf(data *input.Dataset, sum *summary.Summary) (*input.Dataset, error) {
	d, err := Summarised(sum, data.Source)
	if err != nil {
		return nil, err
	}
	d.PName, d.QName, d.Notes = data.PName, data.QName, append(slices.Clone(data.Notes), d.Notes...)
	d.Units = data.Units
	d.TakeColumns(data)
	return d, nil
}

// OnePassData makes one pass over the rows of a data set, and returns the data set of the summary. Rows that are not in
// random order, as those of a sorted file, are put in one, and gone through once more: they are returned as they were
// gone through.
func OnePassData(ctx context.Context, con *cli.Console, m *ModelFlags, data *input.Dataset) (
	sum *summary.Summary, summed, rows *input.Dataset, err error) {
	if sum, err = OnePass(ctx, con, m, data); err != nil {
		return nil, nil, nil, err
	}
	if slices.ContainsFunc(sum.Samples(), sum.Ordered) {
		data = shuffled(data, m.Seed)
		if sum, err = OnePass(ctx, con, m, data); err != nil {
			return nil, nil, nil, err
		}
	}
	summed, err = sampledOf(data, sum)
	return sum, summed, data, err
}

// shuffled are the rows of the samples in random order.
func shuffled(data *input.Dataset, seed uint64) *input.Dataset {
	d := *data
	wrong := "p is too small"
	if data.Q == nil { // there is no test
		wrong = "intervals are too narrow"
	}
	d.Notes = append(slices.Clone(data.Notes), "Neighbouring rows are alike, as in a sorted file, so that rows were put in random order. "+
		"If they are a series, or come in groups, "+wrong+".")
	r := rand.New(rand.NewPCG(seed, 0x6f72646572))
	for _, of := range []**mat.Dense{&d.P, &d.Q} {
		if *of == nil {
			continue
		}
		n, dim := (*of).Dims()
		out := mat.NewDense(n, dim, nil)
		for i, k := range r.Perm(n) {
			out.SetRow(i, (*of).RawRowView(k))
		}
		*of = out
	}
	return &d
}

// ReadSummary reads the file of a summary, or standard input for "-".
func ReadSummary(con *cli.Console, name string) (*summary.Summary, error) {
	var b []byte
	var err error
	if name == "-" {
		b, err = io.ReadAll(con.Stdin)
	} else {
		b, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, err
	}
	s, err := summary.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}
