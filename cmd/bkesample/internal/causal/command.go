// Package causal is the command that learns which columns may have effects on others.
package causal

import (
	"context"
	"fmt"
	"slices"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
)

// graphFile holds only the graph; -format json prints it.
const graphFile = "graph.json"

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "causal", Args: "DATA.csv",
		Summary: "learn which columns may have effects on which (PC, FCI, LiNGAM)",
		About: `Learns a causal graph of the columns of a file by the PC algorithm, whose result here does not
depend on the order of the columns and always stands for some graph without cycles. With
-hidden it allows for hidden common causes. The graph is also left for Graphviz, dagitty and
programs that read GraphML; -format json prints graph.json.`,
		Records: []cli.Record{{Name: "causal", Of: record{}, About: "A causal graph and its tests.",
			Commands: []string{"causal"}}, {Name: "graph", Of: graphRecord{},
			About: "A causal graph; -format json prints it.", Commands: []string{"causal"},
			File: graphFile}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &job{output: folder.Flags{Prints: graphFile}}
			j.data.Define(s)
			j.learn.define(s)
			j.output.Define(s, func() { j.output.DefineUnits(s) })
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type job struct {
	data   input.WholeFlags
	learn  flags
	output folder.Flags
}

// run reads the data, learns the graph and writes it.
func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if err := j.data.Check(files); err != nil {
		return err
	}
	if err := j.output.Check(set); err != nil {
		return err
	}
	if err := j.learn.idle(set); err != nil {
		return err
	}
	if err := j.learn.check(); err != nil {
		return err
	}
	if err := j.learn.admitShard(j.output.Shard); err != nil {
		return err
	}
	if err := j.output.AdmitShard(j.learn.stability, "random halves"); err != nil {
		return err
	}
	if j.learn.test == "fisherz" && len(j.data.Categories()) > 0 {
		return cli.Usagef("-categories are for the tests kci, residual and g2, and -test is fisherz")
	}
	j.learn.named = j.data.Categories()
	if err := j.data.NotDropped("time", j.learn.time); err != nil {
		return err
	}
	if err := j.data.NotDropped("adjust", j.learn.adjustFrom, j.learn.adjustTo); err != nil {
		return err
	}
	data, err := j.data.Load(con, files[0], j.learn.columns()...)
	if err != nil {
		return err
	}
	if j.learn.time == "" {
		data.Notes = append(data.Notes, data.Series("; a column of the time, named by -time, takes out what goes with it")...)
	}
	all := data.Columns
	data = data.Varying()
	for _, name := range j.learn.columns() {
		if slices.Contains(all, name) && !slices.Contains(data.Columns, name) {
			return fmt.Errorf("%s: column %q has one value, want two or more where a flag names it", files[0], name)
		}
	}
	if err := j.learn.admit(data); err != nil {
		return err
	}
	return j.output.Run(con, j.output.Resume, func(dir *folder.Folder) (*report.Document, error) {
		g, err := learn(ctx, con, dir, data, &j.learn)
		if err != nil || j.output.Shard.N > 0 {
			return nil, err
		}
		return g.document(), nil
	})
}
