// Package embed is the command that computes the distances between many samples and draws a map of
// them.
package embed

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
		Name: "embed", Args: "FILES... | -label COLUMN DATA.csv",
		Summary: "distances between many samples, how sure they are, and a map",
		About: `Finds the energy distance between any two of many samples, with an interval each, says which order
of distances is certain, and draws a map of the samples. Each file is a sample; with -label the
samples are the groups of one file.` +
			input.AboutFiles,
		Records: []cli.Record{{Name: "embed", Of: record{}, About: "A map of samples.",
			Commands: []string{"embed"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &job{}
			j.data.Define(s)
			j.embed.define(s)
			j.output.Define(s, nil)
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type job struct {
	data   input.ManyFlags
	embed  flags
	output folder.Flags
}

// run reads the data, computes the result and writes it.
func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if err := j.embed.check(); err != nil {
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
		r, err := measure(ctx, con, data, &j.embed)
		if err != nil {
			return nil, err
		}
		return r.document(), nil
	})
}
