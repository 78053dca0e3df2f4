package main

import (
	"context"
)

func learnCommand() command {
	return command{
		name: "learn", args: "[P.csv [Q.csv]]",
		summary: "find the lengthscale by maximum pseudolikelihood: modes, profile, medians",
		about: `Learns the lengthscale of a kernel without sampling. It shows the modes of the marginal
pseudolikelihood (with -map, those of the posterior), the profile over theta, and the
lengthscales of the median heuristic for comparison. Several kernels (-kernel se,matern52) are
compared, and the best one is shown in detail. Two samples are pooled. Without a file it takes
the example of Flaxman et al. (2016).`,
		flags: func(s *flagSet) func(context.Context, *console, []string) error {
			j := &learnJob{}
			j.data.define(s, true, "They do not enter the likelihood: the kernel is learned from the "+
				"rows as they are")
			j.model.define(s, "the radial `kernel`: "+radialNames+"; or several separated by "+
				"commas, which are compared at the pseudo-inputs that the first one calls for")
			s.yes(&j.posterior, "map", "include the priors: modes of the posterior, not of the "+
				"pseudolikelihood")
			j.output.define(s, "learn", nil)
			return func(ctx context.Context, con *console, files []string) error {
				j.output.hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type learnJob struct {
	data      dataFlags
	model     modelFlags
	output    outputFlags
	posterior bool
}

func (j *learnJob) check(s *flagSet) error {
	if err := j.model.kernel.readList(); err != nil {
		return err
	}
	if err := j.model.check(s); err != nil {
		return err
	}
	return j.output.check(s)
}

// run goes from files to files.
func (j *learnJob) run(ctx context.Context, set *flagSet, con *console, files []string) error {
	if err := j.check(set); err != nil {
		return err
	}
	data, err := j.data.loadOr(set, con, files, j.model.seed)
	if err != nil {
		return err
	}
	data.notes = append(data.notes, weightsOfLearning(data)...)
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
	out, err := learn(ctx, s, j.posterior)
	if err != nil {
		return err
	}
	rep := newLearnReport(out, dir)
	written := []file{jsonFile("summary.json", rep.summary)}
	if out.profile != nil {
		pictures, err := profilePictures(out)
		if err != nil {
			return err
		}
		written = append(append(written, file{"profile.csv", rep.writeProfile}), pictures...)
	}
	if err := writeFiles(dir, written, profileFiles...); err != nil {
		return err
	}
	return j.output.print(con, rep.summary, rep.text)
}
