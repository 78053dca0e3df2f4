package shards

import (
	"context"
	"fmt"

	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/frame"
	"bayeskernel/summary"
)

// Merge is the command that merges summaries.
func Merge() cli.Command {
	return cli.Command{
		Name: "merge", Args: "shard.sum ... | FOLDER ...",
		Summary: "put summaries of one plan together, or the shards of one run",
		About: `Puts summaries together that bkesample summarize wrote, in any order and with the same bytes.
It refuses those of another plan, version, numerical path or architecture, damaged ones, and a
chunk that is there twice. With -remove a summary is taken out again.

` + folder.MergeAbout,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &mergeJob{}
			s.Group("Data")
			defineFrom(s, &j.from)
			s.Text(&j.remove, "remove", "", "the `file` of a summary to take out")
			defineEqual(s, &j.equal)
			j.outFlags.define(s)
			return func(ctx context.Context, con *cli.Console, files []string) error {
				if err := j.hush(con); err != nil {
					return err
				}
				return j.run(ctx, con, files)
			}
		},
	}
}

type mergeJob struct {
	outFlags
	from, remove string
	equal        bool
}

func (j *mergeJob) run(ctx context.Context, con *cli.Console, files []string) error {
	if folder.AreUnits(files) {
		if j.from != "" || j.remove != "" || j.equal {
			return cli.Usagef("-files-from, -remove and -allow-equal are for summaries, and %s is a folder", files[0])
		}
		return folder.Merge(con, j.out, files)
	}
	if len(files) == 0 && j.from == "" {
		return cli.Usagef("found no file, want at least one summary")
	}
	if err := refuseTerminal(con, j.out); err != nil {
		return err
	}
	files, err := frame.Expand(files, j.from)
	if err != nil {
		return err
	}
	if err := checkOut(con, aSummary, j.out, files...); err != nil {
		return err
	}
	s, err := merged(ctx, con, files, j.equal)
	if err != nil {
		return err
	}
	if j.remove != "" {
		gone, err := study.ReadSummary(con, j.remove)
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

// merged reads summaries and merges them.
func merged(ctx context.Context, con *cli.Console, files []string, equal bool) (
	*summary.Summary, error) {
	line := con.Working("merging")
	defer line.End()
	var all *summary.Summary
	for i, f := range files {
		s, err := study.ReadSummary(con, f)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = s
			all.AllowEqual = equal
			continue
		}
		if err := all.Merge(s); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		line.Step("merging", i+1, len(files))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if all == nil {
		return nil, fmt.Errorf("there are no summaries to merge")
	}
	return all, nil
}
