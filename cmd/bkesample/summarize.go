package main

import (
	"context"
	"os"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/work"

	"golang.org/x/term"
)

func summarizeCommand() cli.Command {
	return cli.Command{
		Name: "summarize", Args: "shard.csv ...",
		Summary: "make one pass over files, as a plan says, and leave a summary of them",
		About: `Makes one pass over the rows of files of one sample, and writes what the model needs of
them: a few megabytes, whatever the number of rows. Summaries of shards are put together by
bkesample merge, in any order and with the same bytes.` + aboutShards,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &summarizeJob{}
			s.Group("Data")
			s.Text(&j.plan, "plan", "", "the `file` of the plan")
			s.Text(&j.sample, "sample", "P", "the `name` of the sample that the files belong to")
			j.shards.Define(s)
			s.Yes(&j.equal, "allow-equal", "take chunks with the same contents, which are refused "+
				"otherwise, for different ones")
			s.Group("Output")
			s.Text(&j.out, "o", "", "the `file` to write (default standard output)")
			return func(ctx context.Context, con *cli.Console, files []string) error {
				return j.run(ctx, con, files)
			}
		},
	}
}

type summarizeJob struct {
	plan, sample, out string
	equal             bool
	shards            work.ShardFlags
}

func (j *summarizeJob) run(ctx context.Context, con *cli.Console, files []string) error {
	switch {
	case j.plan == "":
		return cli.Usagef("-plan is missing, want the file that bkesample plan wrote")
	case len(files) == 0 && j.shards.From == "":
		return cli.Usagef("found no file, want at least one, or - for standard input")
	case strings.TrimSpace(j.sample) == "":
		return cli.Usagef("-sample is empty, want a name such as P")
	}
	if err := refuseTerminal(con, j.out); err != nil {
		return err
	}
	p, err := work.ReadPlan(j.plan)
	if err != nil {
		return err
	}
	s, err := j.shards.Summarise(ctx, con, p, j.sample, files, j.equal)
	if err != nil {
		return err
	}
	b, err := s.Bytes()
	if err != nil {
		return err
	}
	if _, skipped := s.Rows(j.sample); skipped > 0 {
		con.Warn("left out %d rows with missing values", skipped)
	}
	return writeOut(con, j.out, b)
}

func mergeCommand() cli.Command {
	return cli.Command{
		Name: "merge", Args: "shard.sum ...",
		Summary: "put summaries of one plan together",
		About: `Puts summaries together that bkesample summarize wrote, in any order and with the same bytes.
It refuses those of another plan, version, numerical path or architecture, damaged ones, and a
chunk that is there twice. With -remove a summary is taken out again.`,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &mergeJob{}
			s.Group("Data")
			s.Text(&j.from, "files-from", "", "read further names of files from this `file`, one a line")
			s.Text(&j.remove, "remove", "", "the `file` of a summary to take out")
			s.Yes(&j.equal, "allow-equal", "take chunks with the same contents, which are refused "+
				"otherwise, for different ones")
			s.Group("Output")
			s.Text(&j.out, "o", "", "the `file` to write (default standard output)")
			return func(ctx context.Context, con *cli.Console, files []string) error {
				return j.run(ctx, con, files)
			}
		},
	}
}

type mergeJob struct {
	from, remove, out string
	equal             bool
}

func (j *mergeJob) run(ctx context.Context, con *cli.Console, files []string) error {
	if len(files) == 0 && j.from == "" {
		return cli.Usagef("found no file, want at least one summary")
	}
	if err := refuseTerminal(con, j.out); err != nil {
		return err
	}
	s, err := work.MergeSummaries(ctx, con, files, j.from, j.equal)
	if err != nil {
		return err
	}
	if j.remove != "" {
		gone, err := work.ReadSummary(con, j.remove)
		if err != nil {
			return err
		}
		if err := s.Remove(gone); err != nil {
			return err
		}
	}
	b, err := s.Bytes()
	if err != nil {
		return err
	}
	return writeOut(con, j.out, b)
}

// refuseTerminal keeps binary output from a terminal.
func refuseTerminal(con *cli.Console, out string) error {
	if f, ok := con.Stdout.(*os.File); ok && (out == "" || out == "-") && term.IsTerminal(int(f.Fd())) {
		return cli.Usagef("a summary is not text: want > file, or -o file")
	}
	return nil
}
