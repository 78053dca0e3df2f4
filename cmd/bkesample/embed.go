package main

import (
	"context"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/cmd/bkesample/internal/show"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/cmd/bkesample/internal/work"
)

func embedCommand() cli.Command {
	return cli.Command{
		Name: "embed", Args: "FILES... | -label COLUMN DATA.csv",
		Summary: "distances between many samples, and a map of them (MMD, learned kernel)",
		About: `Finds the maximum mean discrepancy between any two of many samples, under one kernel that is
learned from all rows together, and draws a map of the samples. Each file is a sample; with -label
the samples are the groups of one file. Embeddings of few rows are shrunk (-shrink).` +
			input.AboutFiles,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &embedJob{}
			j.data.Define(s)
			j.embed.Define(s)
			j.output.Define(s, "embed", nil)
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type embedJob struct {
	data   input.ManyFlags
	embed  work.EmbedFlags
	output folder.Flags
}

// run goes from files to files.
func (j *embedJob) run(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if err := j.embed.Check(set); err != nil {
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
	return j.output.In(con, "", func(dir *folder.Folder) error {
		out, err := work.Embed(ctx, con, data, &j.embed)
		if err != nil {
			return err
		}
		rep := tell.NewEmbedReport(out, dir.Dir, again(con))
		list, err := show.Embed(rep, []folder.File{folder.JSON("summary.json", rep.Summary),
			{Name: "distances.csv", Fill: rep.WriteDistances}, {Name: "map.csv", Fill: rep.WriteMap}})
		if err != nil {
			return err
		}
		if err := dir.Write(list); err != nil {
			return err
		}
		dir.Finished()
		return j.output.Print(con, rep.Summary, rep.Text)
	})
}
