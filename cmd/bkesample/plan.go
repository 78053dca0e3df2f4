package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/summary"
)

// aboutShards says in the help of plan and summarize which files are read.
const aboutShards = `
Files are CSV, TSV, gzip or Parquet, whatever they are called; - is standard input, and patterns
in quotes are expanded.`

func planCommand() cli.Command {
	return cli.Command{
		Name: "plan", Args: "P.csv ...",
		Summary: "fix what has to be known before one pass over any number of rows",
		About: `Reads all files once and keeps a sample of 1e5 rows, from which it chooses pseudo-inputs, and
windows around the modes of theta. bkesample summarize then makes one pass over each shard, on
any number of machines, bkesample merge puts the summaries together, and bkesample -summary does
the rest, at a cost that does not depend on the number of rows. With -inputs-file, -theta and
-columns no file is needed.` + aboutShards,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &planJob{}
			s.Group("Data")
			s.Text(&j.q, "q", "", "the `files` of the second sample, separated by commas; patterns are "+
				"expanded")
			j.shards.Define(s)
			s.Text(&j.plan.Columns, "columns", "", "the `columns` to use, separated by commas: names, or "+
				"numbers from 1 (default all)")
			j.plan.Define(s)
			s.Group("Output")
			s.Text(&j.out, "o", "", "the `file` to write (default standard output)")
			return func(ctx context.Context, con *cli.Console, files []string) error {
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type planJob struct {
	q, out string
	shards work.ShardFlags
	plan   work.PlanFlags
}

func (j *planJob) run(ctx context.Context, s *cli.FlagSet, con *cli.Console, files []string) error {
	if err := j.plan.Check(s, len(files) > 0 || j.shards.From != ""); err != nil {
		return err
	}
	var second []string
	if j.q != "" {
		second = strings.Split(j.q, ",")
	}
	p, err := j.plan.Make(ctx, con, &j.shards, files, second)
	if err != nil {
		return err
	}
	b, err := p.MarshalBytes()
	if err != nil {
		return err
	}
	for _, note := range p.Notes {
		con.Warn("%s", note)
	}
	con.Warn("%s", planned(p))
	return writeOut(con, j.out, b)
}

// planned says what a plan is, in a line.
func planned(p *summary.Plan) string {
	var windows []string
	for _, w := range p.Windows {
		windows = append(windows, fmt.Sprintf("%.4g to %.4g (%d points)", w.Nodes[len(w.Nodes)-1].Theta,
			w.Nodes[0].Theta, len(w.Nodes)))
	}
	rows := "an unknown number of"
	if p.Rows > 0 {
		rows = strconv.FormatInt(p.Rows, 10)
	}
	return fmt.Sprintf("plan of %s rows, %s: %d pseudo-inputs (%s), theta from %s", rows,
		cli.Plural(p.Dim(), "column"), p.M(), p.Kind, strings.Join(windows, " and "))
}

// writeOut writes a file under another name first, or to standard output for "".
func writeOut(con *cli.Console, name string, b []byte) error {
	if name == "" || name == "-" {
		_, err := con.Stdout.Write(b)
		return err
	}
	return atomicfile.Write(name, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}
