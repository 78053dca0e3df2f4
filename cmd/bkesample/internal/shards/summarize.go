package shards

import (
	"context"
	"fmt"
	"os"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"
	"bayeskernel/internal/shards"
	"bayeskernel/summary"
)

// Summarize is the command that makes one pass over files.
func Summarize() cli.Command {
	return cli.Command{
		Name: "summarize", Args: "shard.csv ...",
		Summary: "make one pass over files, as a plan says, and leave a summary of them",
		About: `Makes one pass over the rows of files of one sample, and writes what the model needs of
them: a few megabytes, whatever the number of rows. Summaries of shards are put together by
bkesample merge, in any order and with the same bytes.` + aboutFiles,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &summarizeJob{}
			s.Group("Data")
			s.Text(&j.plan, "plan", "", "the `file` of the plan")
			s.Text(&j.sample, "sample", "P", "the `name` of the sample that the files belong to")
			j.files.define(s)
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

type summarizeJob struct {
	outFlags
	plan, sample string
	equal        bool
	files        fileFlags
}

func (j *summarizeJob) run(ctx context.Context, con *cli.Console, files []string) error {
	switch {
	case j.plan == "":
		return cli.Usagef("-plan is missing, want the file that bkesample plan wrote")
	case len(files) == 0 && j.files.from == "":
		return cli.Usagef("found no file, want at least one, or - for standard input")
	case strings.TrimSpace(j.sample) == "":
		return cli.Usagef("-sample is empty, want a name such as P")
	}
	if err := refuseTerminal(con, j.out); err != nil {
		return err
	}
	p, err := readPlan(j.plan)
	if err != nil {
		return err
	}
	if files, err = frame.Expand(files, j.files.from); err != nil {
		return err
	}
	if err := checkOut(con, aSummary, j.out, files...); err != nil {
		return err
	}
	s, err := j.files.summarise(ctx, con, p, j.sample, files, j.equal)
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

// summarise makes the summary of the files of one sample.
func (f *fileFlags) summarise(ctx context.Context, con *cli.Console, p *summary.Plan, sample string,
	files []string, equal bool) (*summary.Summary, error) {
	line := con.Working("reading files")
	defer line.End()
	o := f.options(con, line)
	o.Columns = p.Columns
	units, err := shards.Units(ctx, sample, files, o)
	if err != nil {
		return nil, err
	}
	s, err := shards.Summarise(ctx, p, equal, units, o)
	if err != nil {
		return nil, err
	}
	if n, skipped := s.Rows(sample); n == 0 {
		return nil, fmt.Errorf("no row is left of sample %q: %d have a missing value", sample, skipped)
	}
	return s, nil
}

// readPlan reads the file of a plan.
func readPlan(name string) (*summary.Plan, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	p, err := summary.ParsePlan(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}
