package main

import (
	"context"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/cmd/bkesample/internal/show"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/kernels"
)

func learnCommand() cli.Command {
	return cli.Command{
		Name: "learn", Args: "[P.csv [Q.csv]]",
		Summary: "find the lengthscale by maximum pseudolikelihood: modes, profile, medians",
		About: `Learns the lengthscale of a kernel without sampling. It shows the modes of the marginal
pseudolikelihood (with -map, those of the posterior), the profile over theta, and the
lengthscales of the median heuristic for comparison. Several kernels (-kernel se,matern52) are
compared, and the best one is shown in detail. Two samples are pooled. Without a file it takes
the example of Flaxman et al. (2016).` + input.AboutFiles,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &learnJob{}
			j.data.Define(s, true, "They do not enter the likelihood: the kernel is learned from the "+
				"rows as they are")
			j.model.Define(s, "the radial `kernel`: "+kernels.RadialForms()+"; or several separated by "+
				"commas, which are compared at the pseudo-inputs that the first one calls for")
			s.Yes(&j.posterior, "map", "include the priors: modes of the posterior, not of the "+
				"pseudolikelihood")
			j.output.Define(s, "learn", nil)
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type learnJob struct {
	data      input.Flags
	model     work.ModelFlags
	output    folder.Flags
	posterior bool
}

func (j *learnJob) check(s *cli.FlagSet) error {
	if err := j.model.Kernel.ReadList(); err != nil {
		return err
	}
	if err := j.model.Check(s); err != nil {
		return err
	}
	return j.output.Check(s)
}

// run goes from files to files.
func (j *learnJob) run(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if err := j.check(set); err != nil {
		return err
	}
	data, err := j.data.LoadOr(set, con, files, j.model.Seed)
	if err != nil {
		return err
	}
	data.Notes = append(data.Notes, tell.WeightsOfLearning(data)...)
	if err := j.model.Admit(data); err != nil {
		return err
	}
	return j.output.In(con, "", func(dir *folder.Folder) error {
		s, err := work.NewStudy(ctx, &j.model, con, data)
		if err != nil {
			return err
		}
		out, err := work.Learn(ctx, s, j.posterior)
		if err != nil {
			return err
		}
		return j.finish(con, dir, tell.NewLearnReport(out, dir.Dir, again(con)))
	})
}

// finish leaves the files, and prints.
func (j *learnJob) finish(con *cli.Console, dir *folder.Folder, rep *tell.LearnReport) error {
	beside := []folder.File{folder.JSON("summary.json", rep.Summary)}
	if rep.Profile != nil {
		beside = append(beside, folder.File{Name: "profile.csv", Fill: rep.WriteProfile})
	}
	files, err := show.Learn(rep, beside)
	if err != nil {
		return err
	}
	if err := dir.Write(files); err != nil {
		return err
	}
	dir.Finished()
	return j.output.Print(con, rep.Summary, rep.Text)
}
