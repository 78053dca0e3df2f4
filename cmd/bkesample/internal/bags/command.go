// Package bags is the command that predicts the labels of bags of rows.
package bags

import (
	"context"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "bags", Args: "-bag COLUMN -y COLUMN DATA.csv",
		Summary: "predict one value for each group of rows (distribution regression)",
		About: `Learns to predict a value of a whole bag from its rows, such as a vote from the people of a county:
numbers, or two classes. A bag of few rows says less of its distribution than one of many, and its
prediction has a wider interval. Predictions of the bags in DATA are made without their own values;
-predict NEW.csv predicts new bags.` +
			input.AboutFiles,
		Records: []cli.Record{{Name: "bags", Of: record{}, About: "Predictions of bags of rows.",
			Commands: []string{"bags"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &job{}
			j.data.Define(s)
			j.learn.define(s)
			j.output.Define(s, nil)
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type job struct {
	data   input.BagFlags
	learn  flags
	output folder.Flags
}

// run reads the data, computes the result and writes it.
func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console, files []string) error {
	if err := j.learn.check(); err != nil {
		return err
	}
	if err := j.output.Check(set); err != nil {
		return err
	}
	if err := j.data.Check(files); err != nil {
		return err
	}
	data, err := j.data.Load(con, files)
	if err != nil {
		return err
	}
	return j.output.Run(con, "", func(*folder.Folder) (*report.Document, error) {
		r, err := learn(ctx, con, data, &j.learn)
		if err != nil {
			return nil, err
		}
		return r.document(), nil
	})
}
