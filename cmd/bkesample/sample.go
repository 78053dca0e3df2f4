package main

import (
	"context"
	"errors"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/cmd/bkesample/internal/show"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/kernels"
	"bayeskernel/summary"
)

func sampleCommand() cli.Command {
	return cli.Command{
		Name: "sample", Args: "[P.csv [Q.csv]]",
		Summary: "tell whether and where two samples differ, sampling theta (the default)",
		About: `Tells whether two samples differ, by an exact permutation test, and where: it learns the
lengthscale of a kernel in a fully Bayesian way and draws the posterior of the witness
function, mu_P - mu_Q, with bands. For one file without -label it shows the posterior of the
mean embedding of that sample. Without a file it takes the example of Flaxman et al. (2016):
a normal against a Laplace distribution of equal mean and variance.` + input.AboutFiles,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &sampleJob{}
			s.Group("Many rows")
			s.Text(&j.summary, "summary", "", "take the summary in this `file`, which bkesample merge wrote, "+
				"in the place of rows")
			j.pass.Define(s)
			j.data.Define(s, true, "They enter the witness and its bands, not the likelihood: the "+
				"kernel is learned from the rows as they are")
			j.model.Define(s, "the radial `kernel`: "+kernels.RadialForms())
			j.sampler.Define(s)
			j.verdict.Define(s)
			j.bayes.Define(s, false)
			j.witness.Define(s)
			j.output.Define(s, "sample", func() {
				j.sampler.DefineFiles(s)
				j.compare.Define(s)
				defineExitCode(s, &j.exitCode)
				s.Yes(&j.strict, "strict", "exit with code 3 if the diagnostics of the draws are bad")
			})
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

// sampleJob is what the user asked for.
type sampleJob struct {
	data             input.Flags
	model            work.ModelFlags
	sampler          work.SamplerFlags
	verdict          work.VerdictFlags
	bayes            work.BayesFlags
	witness          work.WitnessFlags
	compare          work.CompareFlags
	output           folder.Flags
	strict, exitCode bool
	summary          string
	pass             work.PassFlag
	sum              *summary.Summary // nil where rows are used
	held             *input.Dataset   // of which sum was made; nil for -summary
}

func (j *sampleJob) check(s *cli.FlagSet) error {
	for _, err := range []error{j.model.Kernel.Read(), j.model.Check(s), j.sampler.Check(s),
		j.verdict.Check(s), j.witness.Check(s), j.output.Check(s)} {
		if err != nil {
			return err
		}
	}
	return j.compare.Check(&j.model, 1) // more columns, known later, have more lengthscales only
}

// run goes from files to files.
func (j *sampleJob) run(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if err := j.check(set); err != nil {
		return err
	}
	if j.summary != "" {
		return j.runSummary(ctx, set, con, files)
	}
	j.data.Blocks = j.verdict.Blocks
	data, err := j.data.LoadOr(set, con, files, j.model.Seed)
	if err != nil {
		return err
	}
	_, dim := data.P.Dims()
	if err := j.compare.Check(&j.model, dim); err != nil {
		return err
	}
	if err := j.bayes.Admit(data); err != nil {
		return err
	}
	if g := data.Groups; g != nil {
		return runPairs(ctx, con, &j.output, data, j.model.Test(), "sample", false,
			tell.PairsInstead(j.data.Label, g))
	}
	data.Notes = append(data.Notes, tell.WeightsOfWitness(data)...)
	if err := j.model.Admit(data); err != nil {
		return err
	}
	if ok, err := j.pass.Suits(&j.model, &j.witness, &j.compare, &j.verdict, data); err != nil {
		return err
	} else if ok {
		sum, summed, err := work.OnePassData(ctx, con, &j.model, data)
		switch {
		case err == nil:
			j.held, j.sum, data = data, sum, summed
		case ctx.Err() != nil || j.pass.Forced():
			return err
		default:
			con.Warn("one pass over the rows is not enough, so all are kept: %v", err)
		}
	}
	return j.output.In(con, j.sampler.Resume, func(dir *folder.Folder) error {
		return j.runIn(ctx, dir, con, data, files)
	})
}

// runSummary is run for a summary.
func (j *sampleJob) runSummary(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if len(files) > 0 {
		return cli.Usagef("-summary takes the place of files, but %s is given", files[0])
	}
	var err error
	if j.sum, err = work.ReadSummary(con, j.summary); err != nil {
		return err
	}
	if err := j.model.AdoptPlan(set, j.sum.Plan()); err != nil {
		return err
	}
	data, err := work.Summarised(j.sum, j.summary)
	if err != nil {
		return err
	}
	return j.output.In(con, j.sampler.Resume, func(dir *folder.Folder) error {
		return j.runIn(ctx, dir, con, data, files)
	})
}

// study learns from rows or from a summary.
func (j *sampleJob) study(ctx context.Context, con *cli.Console, data *input.Dataset) (*work.Study,
	error) {
	if j.sum != nil {
		s, err := work.NewSummedStudy(ctx, &j.model, con, data, j.sum)
		again := (*summary.SecondPass)(nil)
		if j.held == nil || j.pass.Forced() || !errors.As(err, &again) {
			return s, err
		}
		con.Warn("the posterior of theta is not where the plan looked for it, so all rows are kept")
		data = j.held
	}
	return work.NewStudy(ctx, &j.model, con, data)
}

// runIn goes from data to files in a folder.
func (j *sampleJob) runIn(ctx context.Context, dir *folder.Folder, con *cli.Console,
	data *input.Dataset, files []string) error {
	s, err := j.study(ctx, con, data)
	if err != nil {
		return err
	}
	if err := s.FindInterval(ctx, &s.Priors); err != nil {
		return err
	}
	run, ended := j.sampler.Sample(ctx, s, dir)
	if run == nil {
		return ended
	}
	if work.Drawn(run) < work.FewestDrawn {
		return work.Nothing(dir, ended)
	}
	// What there is is written whatever ended the run.
	out, err := work.NewSampled(ctx, s, run, ended != nil, &j.witness, &j.verdict,
		&j.bayes, &j.compare)
	if err != nil {
		return err
	}
	rep := tell.NewReport(out, dir.Dir, again(con))
	if err := j.write(rep, dir); err != nil {
		return err
	}
	if ended == nil {
		dir.Finished()
	}
	if err := j.output.Print(con, rep.Summary, rep.Text); err != nil {
		return err
	}
	if ended != nil {
		return work.Stopped(dir, run, ended)
	}
	if j.strict && len(out.Draws.Warnings) > 0 {
		return cli.ErrDiagnostics
	}
	return rejected(j.exitCode && rep.Summary.Test != nil && rep.Summary.Test.Reject)
}

// write leaves the files, and none of an earlier run that this one does not write.
func (j *sampleJob) write(rep *tell.Report, dir *folder.Folder) error {
	beside := []folder.File{folder.JSON("summary.json", rep.Summary)}
	if rep.Shown.Witness() != nil {
		beside = append(beside, folder.File{Name: "witness.csv", Fill: rep.WriteWitness})
	}
	files, err := show.Sample(rep, beside)
	if err != nil {
		return err
	}
	if err := dir.Write(files); err != nil {
		return err
	}
	return j.sampler.WriteZarr(dir, rep.Sampled.Run)
}

// again is how to make the run again, but for where it writes.
func again(con *cli.Console) string {
	return cli.CommandLine(con.Args(), nil, "out", "resume", "force")
}
