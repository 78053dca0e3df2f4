// Package novelty is the command that finds rows of one sample that are unlike those of another.
package novelty

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
		Name: "novelty", Args: "TRAIN.csv NEW.csv",
		Summary: "find the rows that are unlike those of another sample (kernel Student-t)",
		About: `Scores each row of NEW by how unlikely it is beside those of TRAIN, under the kernel Student-t of
Huszár and Lacoste-Julien with a learned kernel, and ranks it for a p-value. If a row of NEW and
the rows of TRAIN are exchangeable, as draws of one distribution are, its p-value is at most a with
probability at most a, for any a, number of rows and distribution. The list of novel rows is
corrected by Benjamini and Hochberg's method. A single file needs -label column=train,new.` +
			input.AboutFiles,
		Records: []cli.Record{{Name: "novelty", Of: record{}, About: "The novelty of rows.",
			Commands: []string{"novelty"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &job{}
			j.data.TwoGroups = true
			j.data.Define(s, false, "")
			j.novelty.define(s)
			j.output.Define(s, func() { j.output.TellIf(s, "a row is listed as novel") })
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type job struct {
	data    input.Flags
	novelty flags
	output  folder.Flags
}

func (j *job) check(s *cli.FlagSet, files []string) error {
	if err := j.novelty.check(s); err != nil {
		return err
	}
	if err := j.output.Check(s); err != nil {
		return err
	}
	switch {
	case len(files) == 0:
		return cli.Usagef("found no file, want TRAIN.csv and NEW.csv, or one file with -label")
	case len(files) == 1 && j.data.Label == "":
		return input.Lone(files[0], "a second file with the new rows, or the column that tells them apart")
	}
	return nil
}

// run reads the data, computes the result and writes it.
func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if err := j.check(set, files); err != nil {
		return err
	}
	j.data.OneOfQ = true
	j.data.Indicators = true
	data, err := j.data.Load(set, con, files)
	if err != nil {
		return err
	}
	if data.Groups != nil {
		return cli.Usagef("-label %s has %d groups, want two, the known rows first: name them, as in "+
			"-label %s", j.data.Label, len(data.Groups),
			cli.Quote(data.Label()+"="+data.Groups[0]+","+data.Groups[1]))
	}
	data = data.Varying()
	if err := j.novelty.admit(data); err != nil {
		return err
	}
	return j.output.Run(con, "", func(*folder.Folder) (*report.Document, error) {
		r, err := find(ctx, con, data, &j.novelty)
		if err != nil {
			return nil, err
		}
		return r.document(), nil
	})
}
