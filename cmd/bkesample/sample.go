package main

import (
	"context"
)

func sampleCommand() command {
	return command{
		name: "sample", args: "[P.csv [Q.csv]]",
		summary: "sample the lengthscale of a kernel and show where two samples differ " +
			"(the default)",
		about: `Learns the lengthscale of a kernel in a fully Bayesian way and shows where the distributions
of two samples differ: the posterior of the witness function, mu_P - mu_Q, with its band.
For one file without -label it shows the posterior of the mean embedding of that sample.
Without a file it takes the example of Flaxman et al. (2016): a normal against a Laplace
distribution of equal mean and variance. The file name - means standard input; CSV, TSV and
gzip are recognised.`,
		flags: func(s *flagSet) func(context.Context, *console, []string) error {
			j := &sampleJob{}
			j.data.define(s, true, "They enter the witness and its bands, not the likelihood: the "+
				"kernel is learned from the rows as they are")
			j.model.define(s, "the radial `kernel`: "+radialNames)
			j.sampler.define(s)
			j.witness.define(s)
			j.output.define(s, "sample", func() {
				j.sampler.defineFiles(s)
				j.compare.define(s)
				s.yes(&j.strict, "strict", "exit with code 3 if the diagnostics of the draws are bad")
			})
			return func(ctx context.Context, con *console, files []string) error {
				j.output.hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

// sampleJob is what the user asked for.
type sampleJob struct {
	data    dataFlags
	model   modelFlags
	sampler samplerFlags
	witness witnessFlags
	compare compareFlags
	output  outputFlags
	strict  bool
}

func (j *sampleJob) check(s *flagSet) error {
	for _, err := range []error{j.model.kernel.read(), j.model.check(s), j.sampler.check(s),
		j.witness.check(s), j.output.check(s)} {
		if err != nil {
			return err
		}
	}
	return j.compare.check(&j.model, 1) // more columns, known later, have more lengthscales only
}

// run goes from files to files.
func (j *sampleJob) run(ctx context.Context, set *flagSet, con *console, files []string) error {
	if err := j.check(set); err != nil {
		return err
	}
	data, err := j.data.loadOr(set, con, files, j.model.seed)
	if err != nil {
		return err
	}
	_, dim := data.p.Dims()
	if err := j.compare.check(&j.model, dim); err != nil {
		return err
	}
	data.notes = append(data.notes, weightsOfWitness(data)...)
	if err := j.model.admit(data); err != nil {
		return err
	}
	dir, err := j.output.prepare()
	if err != nil {
		return err
	}
	s, err := newStudy(ctx, &j.model, con, data)
	if err != nil {
		return err
	}
	if err := s.findInterval(ctx, &s.priors); err != nil {
		return err
	}
	run, ended := j.sampler.sample(ctx, s, dir)
	if run == nil {
		return ended
	}
	if drawn(run) < fewestDrawn {
		return nothing(con, dir, ended)
	}
	// What there is is written whatever ended the run.
	out, err := newSampled(ctx, s, run, ended != nil, &j.witness, &j.compare)
	if err != nil {
		return err
	}
	rep := newReport(out, dir, con.again(nil, "out", "resume"), j.data.words(files))
	if err := j.write(rep, dir); err != nil {
		return err
	}
	if err := j.output.print(con, rep.summary, rep.text); err != nil {
		return err
	}
	if ended != nil {
		return stopped(con, dir, run, ended)
	}
	if j.strict && len(out.draws.Warnings) > 0 {
		return errDiagnostics
	}
	return nil
}

// write leaves the files, and none of an earlier run that this one does not write.
func (j *sampleJob) write(rep *report, dir string) error {
	pictures, err := samplePictures(rep)
	if err != nil {
		return err
	}
	files := append([]file{jsonFile("summary.json", rep.summary),
		{"witness.csv", rep.writeWitness}}, pictures...)
	if err := writeFiles(dir, files, figureFiles...); err != nil {
		return err
	}
	return j.sampler.writeZarr(dir, rep.sampled.run)
}
