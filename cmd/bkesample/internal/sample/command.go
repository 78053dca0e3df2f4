// Package sample is the default command. It samples theta, tests whether two samples differ, and
// shows where.
package sample

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/kernels"
	"bayeskernel/summary"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "sample", Args: "[P.csv [Q.csv]]",
		Summary: "tell whether and where two samples differ, sampling theta (the default)",
		About: `Tells whether two samples differ, by an exact permutation test, and where: it learns the
lengthscale of a kernel in a fully Bayesian way and draws the posterior of the witness
function, mu_P - mu_Q, with bands. For one file without -label it shows the posterior of the
mean embedding of that sample. Without a file it takes the example of Flaxman et al. (2016):
a normal against a Laplace distribution of equal mean and variance.` + input.AboutFiles,
		Records: []cli.Record{{Name: "sample", Of: Record{}, About: "What the main command found.",
			Commands: []string{"sample"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &job{}
			s.Group("Many rows")
			s.Text(&j.summary, "summary", "", "take the summary in this `file`, which bkesample merge wrote, "+
				"in the place of rows")
			j.pass.define(s)
			j.data.Define(s, true, "They enter the witness and its bands, not the likelihood: the "+
				"kernel is learned from the rows as they are")
			j.model.Define(s, "the radial `kernel`: "+kernels.RadialForms())
			j.sampler.Define(s)
			j.verdict.define(s)
			j.bayes.Define(s, false)
			j.witness.define(s)
			j.output.Define(s, func() {
				j.sampler.DefineFiles(s)
				j.compare.define(s)
				j.output.TellRejection(s)
				j.output.DefineVerbose(s)
				s.Yes(&j.strict, "strict", "exit with code 3 if the diagnostics of the draws are bad")
			})
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

// job is what the user asked for.
type job struct {
	data    input.Flags
	model   study.ModelFlags
	sampler SamplerFlags
	verdict verdictFlags
	bayes   tests.BayesFlags
	witness witnessFlags
	compare compareFlags
	output  folder.Flags
	strict  bool
	summary string
	pass    passFlag
	sum     *summary.Summary // nil where rows are used
	held    *input.Dataset   // of which sum was made; nil for -summary
	streams *input.Streamed  // likewise, if no rows are held
	reread  func() (*input.Dataset, error)
}

func (j *job) check(s *cli.FlagSet) error {
	for _, err := range []error{j.model.Kernel.Read(), j.model.Check(s), j.sampler.Check(s),
		j.verdict.check(s), j.witness.check(s), j.output.Check(s)} {
		if err != nil {
			return err
		}
	}
	return j.compare.check(&j.model, 1) // more columns, known later, have more lengthscales only
}

// run reads the data, computes the result and writes it.
func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if err := j.check(set); err != nil {
		return err
	}
	if j.summary != "" {
		return j.runSummary(ctx, set, con, files)
	}
	j.data.Blocks, j.data.HasBlocks = j.verdict.Blocks, true
	if data, err := j.stream(ctx, con, files); err != nil || data != nil {
		if err != nil {
			return err
		}
		j.reread = func() (*input.Dataset, error) { return j.data.LoadOr(set, con, files, j.model.Seed) }
		return j.leave(ctx, con, data)
	}
	data, err := j.data.LoadOr(set, con, files, j.model.Seed)
	if err != nil {
		return err
	}
	if data.Groups == nil {
		data = j.model.Varying(data)
	}
	_, dim := data.P.Dims()
	if err := j.compare.check(&j.model, dim); err != nil {
		return err
	}
	if err := j.bayes.Admit(data); err != nil {
		return err
	}
	if err := tests.AdmitBlocks(data, j.verdict.Blocks); err != nil {
		return err
	}
	if g := data.Groups; g != nil {
		return tests.RunPairs(ctx, con, &j.output, data, tests.OfModel(&j.model), "sample",
			tests.Instead(j.data.Label, data.Labels))
	}
	if data.Categories != nil {
		return j.runTest(ctx, con, data)
	}
	data.Notes = append(data.Notes, tests.WeightsOfWitness(data)...)
	if err := j.model.Admit(data); err != nil {
		return err
	}
	if ok, err := j.pass.suits(&j.model, &j.witness, &j.compare, &j.verdict, data); err != nil {
		return err
	} else if ok {
		identity := make(chan string, 1)
		go func() { identity <- data.Identity() }() // beside the making of the plan, which leaves room
		sum, summed, rows, err := study.OnePassData(ctx, con, &j.model, data)
		of := <-identity
		if err == nil {
			err = testable(sum)
		}
		switch {
		case err == nil:
			summed.Of = of
			j.held, j.sum, data = rows, sum, summed
		case ctx.Err() != nil || j.pass.forced():
			return err
		default:
			con.Warn("one pass over the rows is not enough, so all are kept: %v", err)
		}
	}
	return j.leave(ctx, con, data)
}

// stream makes a summary of files that are too large to keep their rows; nil if they are not, or if it takes
// all rows to say what is wrong with them.
func (j *job) stream(ctx context.Context, con *cli.Console, files []string) (*input.Dataset, error) {
	if j.pass.way == "rows" || j.bayes.On || j.pass.obstacle(&j.model, &j.witness, &j.compare) != "" {
		return nil, nil
	}
	streams := j.data.Stream(con, files)
	if streams == nil {
		return nil, nil
	}
	if err := j.compare.check(&j.model, len(streams.Columns)); err != nil {
		return nil, err
	}
	sum, data, err := study.StreamedData(ctx, con, &j.model, streams, nil)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := streams.Final(err); err != nil {
		return nil, err
	}
	if err != nil {
		con.Warn("a summary of the rows is not enough, so all are kept: %v", err)
		return nil, nil
	}
	j.streams, j.sum = streams, sum
	return data, nil
}

// runTest tests samples with columns of categories, and runs no chains: theta is of numbers.
func (j *job) runTest(ctx context.Context, con *cli.Console, data *input.Dataset) error {
	if data.Q == nil {
		return data.Numbers("the embedding of one sample", "leave it out by -drop COLUMN, or compare its "+
			"values by -label COLUMN")
	}
	f := tests.OfModel(&j.model)
	f.Alpha, f.Permutations = j.verdict.alpha, j.verdict.permutations
	if err := f.AdmitSamples(data); err != nil {
		return err
	}
	data.Notes = append(data.Notes, "There are categories, so the samples are tested and no chains are run: -columns "+
		"with columns of numbers alone samples theta.")
	return j.output.Run(con, "", func(*folder.Folder) (*report.Document, error) {
		t, err := tests.TwoSample(ctx, con, data, f, &j.bayes)
		if err != nil {
			return nil, err
		}
		return t.Document(), nil
	})
}

// runSummary is run for the file of a summary.
func (j *job) runSummary(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if len(files) > 0 {
		return cli.Usagef("-summary takes the place of files, but %s is given", files[0])
	}
	var err error
	if j.sum, err = study.ReadSummary(con, j.summary); err != nil {
		return err
	}
	if err := j.model.AdoptPlan(set, j.sum.Plan()); err != nil {
		return err
	}
	data, err := study.Summarised(j.sum, j.summary)
	if err != nil {
		return err
	}
	if err := testable(j.sum); err != nil {
		return fmt.Errorf("%s: %w", j.summary, err)
	}
	return j.leave(ctx, con, data)
}

// testable says before the chains run what keeps the samples of a summary from being tested.
func testable(s *summary.Summary) error {
	if names := s.Samples(); len(names) > 1 {
		return s.Testable(names...)
	}
	return nil
}

// study fits the model to rows or to a summary.
func (j *job) study(ctx context.Context, con *cli.Console, data *input.Dataset) (*study.Study,
	error) {
	if j.sum != nil {
		s, err := study.NewSummed(ctx, &j.model, data, j.sum)
		if err == nil {
			s.Summed.Held = j.held
		}
		again := (*summary.SecondPass)(nil)
		if errors.As(err, &again) && j.streams != nil {
			con.Warn("theta is not where a part of the rows had it, so the files are read again")
			j.sum, data, err = study.StreamedData(ctx, con, &j.model, j.streams, []float64{math.Sqrt(again.From * again.To)})
			if err == nil {
				s, err = study.NewSummed(ctx, &j.model, data, j.sum)
			}
			if errors.As(err, &again) {
				j.held, err = j.reread()
				err = cmp.Or(err, error(again))
			}
		}
		if j.held == nil || j.pass.forced() || !errors.As(err, &again) {
			return s, err
		}
		con.Warn("theta is not where a part of the rows had it, so all rows are used at every step, which takes longer")
		data = j.held
	}
	return study.New(ctx, con, &j.model, data)
}

// leave samples, and writes the results into the folder.
func (j *job) leave(ctx context.Context, con *cli.Console, data *input.Dataset) error {
	return j.output.Run(con, j.sampler.Resume, func(dir *folder.Folder) (*report.Document, error) {
		s, err := j.study(ctx, con, data)
		if err != nil {
			return nil, err
		}
		if err := s.FindInterval(ctx, con, &s.Priors); err != nil {
			return nil, err
		}
		con.Hold() // an interrupted run leaves its draws
		run, ended := j.sampler.sample(ctx, con, s, dir)
		if ended == nil {
			con.Release()
		}
		if run == nil {
			return nil, ended
		}
		if drawn(run) < fewestDrawn {
			return nil, nothing(dir, ended)
		}
		dir.Last(func() error { return j.sampler.writeOthers(dir, run) })
		if errors.Is(ended, context.Canceled) {
			con.Leaves(kept(dir, run))
		}
		// Results are written even if the run was interrupted.
		out, err := newSampled(ctx, con, s, run, ended != nil, &j.witness, &j.verdict, &j.bayes, &j.compare)
		if err != nil {
			return nil, err
		}
		doc := out.document()
		switch {
		case ended != nil:
			doc.Unfinished, doc.Ends = true, stopped(dir, run, ended)
		case out.Interrupted != "":
			doc.Unfinished, doc.Ends = true, cli.Resumablef("interrupted before %s ended; the other results are in %s; go on with: %s",
				out.Interrupted, dir.Dir, dir.GoOn())
		case j.strict && len(out.Draws.Warnings) > 0:
			doc.Ends = cli.ErrDiagnostics
		}
		return doc, nil
	})
}
