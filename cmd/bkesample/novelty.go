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

func noveltyCommand() cli.Command {
	return cli.Command{
		Name: "novelty", Args: "TRAIN.csv NEW.csv",
		Summary: "find the rows that are unlike those of another sample (kernel Student-t)",
		About: `Scores each row of NEW by how unlikely it is beside those of TRAIN, under the kernel Student-t of
Huszár and Lacoste-Julien with a learned kernel, and ranks it for a p-value. If a row of NEW and
the rows of TRAIN are exchangeable, as draws of one distribution are, its p-value is at most a with
probability at most a, for any a, number of rows and distribution. The list of novel rows is
corrected by Benjamini and Hochberg's method. A single file needs -label column=train,new.` +
			input.AboutFiles,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &noveltyJob{}
			j.data.TwoGroups = true
			j.data.Define(s, false, "")
			j.novelty.Define(s)
			j.output.Define(s, "novelty", func() {
				s.Yes(&j.exitCode, "exit-code", "exit with code 4 if a row is listed as novel")
			})
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type noveltyJob struct {
	data     input.Flags
	novelty  work.NoveltyFlags
	output   folder.Flags
	exitCode bool
}

func (j *noveltyJob) check(s *cli.FlagSet, files []string) error {
	if err := j.novelty.Check(s); err != nil {
		return err
	}
	if err := j.output.Check(s); err != nil {
		return err
	}
	switch {
	case len(files) == 0:
		return cli.Usagef("found no file, want TRAIN.csv and NEW.csv, or one file with -label")
	case len(files) == 1 && j.data.Label == "":
		return cli.Usagef("found one file and no -label, want a second file with the new rows, or the " +
			"column that tells them apart")
	}
	return nil
}

// run goes from files to files.
func (j *noveltyJob) run(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if err := j.check(set, files); err != nil {
		return err
	}
	j.data.OneOfQ = true
	data, err := j.data.Load(set, con, files)
	if err != nil {
		return err
	}
	if data.Groups != nil {
		return cli.Usagef("-label %s has %d groups, want two, the known rows first: name them, as in "+
			"-label %s", j.data.Label, len(data.Groups),
			cli.Quote(data.Label()+"="+data.Groups[0]+","+data.Groups[1]))
	}
	if err := j.novelty.Admit(data); err != nil {
		return err
	}
	return j.output.In(con, "", func(dir *folder.Folder) error {
		out, err := work.Novelty(ctx, con, data, &j.novelty)
		if err != nil {
			return err
		}
		rep := tell.NewNoveltyReport(out, dir.Dir, again(con))
		list, err := show.Novelty(ctx, con, rep, []folder.File{folder.JSON("summary.json", rep.Summary),
			{Name: "scores.csv", Fill: rep.WriteCSV}})
		if err != nil {
			return err
		}
		if err := dir.Write(list); err != nil {
			return err
		}
		dir.Finished()
		if err := j.output.Print(con, rep.Summary, rep.Text); err != nil {
			return err
		}
		return rejected(j.exitCode && rep.Summary.Reject)
	})
}
