// Package learn is the command that finds the lengthscale of a kernel without sampling.
package learn

import (
	"context"

	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/kernels"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "learn", Args: "[P.csv [Q.csv]]",
		Summary: "find the lengthscale by maximum pseudolikelihood: modes, profile, medians",
		About: `Learns the lengthscale of a kernel without sampling. It shows the modes of the marginal
pseudolikelihood (with -map, those of the posterior), the profile over theta, and the
lengthscales of the median heuristic for comparison. Several kernels (-kernel se,matern52) are
compared, and the best one is shown in detail. Two samples are pooled. Without a file it takes
the example of Flaxman et al. (2016).` + input.AboutNumbers,
		Records: []cli.Record{{Name: "learn", Of: record{}, About: "What bkesample learn found.",
			Commands: []string{"learn"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &job{}
			j.data.Pooled = true
			j.data.Define(s, true, "They do not enter the likelihood: the kernel is learned from the "+
				"rows as they are")
			j.model.Define(s, "the radial `kernel`: "+kernels.RadialForms()+"; or several separated by "+
				"commas, which are compared at the pseudo-inputs that the first one calls for")
			s.Yes(&j.posterior, "map", "include the priors: modes of the posterior, not of the "+
				"pseudolikelihood")
			j.output.Define(s, nil)
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type job struct {
	data      input.Flags
	model     study.ModelFlags
	output    folder.Flags
	posterior bool
}

func (j *job) check(s *cli.FlagSet) error {
	if err := j.model.Kernel.ReadList(); err != nil {
		return err
	}
	if err := j.model.Check(s); err != nil {
		return err
	}
	return j.output.Check(s)
}

// run reads the data, computes the result and writes it.
func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if err := j.check(set); err != nil {
		return err
	}
	j.data.Only = "learn"
	data, err := j.data.LoadOr(set, con, files, j.model.Seed)
	if err != nil {
		return err
	}
	data = j.model.Varying(data)
	data.Notes = append(data.Notes, tests.WeightsOfLearning(data)...)
	if err := j.model.Admit(data); err != nil {
		return err
	}
	return j.output.Run(con, "", func(*folder.Folder) (*report.Document, error) {
		s, err := study.New(ctx, con, &j.model, data)
		if err != nil {
			return nil, err
		}
		l, err := learn(ctx, con, s, j.posterior)
		if err != nil {
			return nil, err
		}
		return l.document(), nil
	})
}
