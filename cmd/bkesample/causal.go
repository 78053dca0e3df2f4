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

func causalCommand() cli.Command {
	return cli.Command{
		Name: "causal", Args: "DATA.csv",
		Summary: "learn which columns may have effects on which (PC algorithm)",
		About: `Learns a causal graph of the columns of a file by the PC algorithm, whose result here does not
depend on the order of the columns. Edges whose direction the tests contradict each other on
get two arrows. The graph is also left for Graphviz, dagitty and programs that read GraphML;
-format json prints graph.json.`,
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &causalJob{}
			j.data.Define(s)
			j.learn.Define(s)
			j.output.Define(s, "causal", nil)
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type causalJob struct {
	data   input.WholeFlags
	learn  work.CausalFlags
	output folder.Flags
}

// run goes from a file to files.
func (j *causalJob) run(ctx context.Context, set *cli.FlagSet, con *cli.Console,
	files []string) error {
	if err := j.data.Check(files); err != nil {
		return err
	}
	if err := j.output.Check(set); err != nil {
		return err
	}
	if err := j.learn.Check(); err != nil {
		return err
	}
	data, err := j.data.Load(con, files[0], input.Split(j.learn.Categories))
	if err != nil {
		return err
	}
	if err := j.learn.Admit(data); err != nil {
		return err
	}
	return j.output.In(con, "", func(dir *folder.Folder) error {
		out, err := work.Causal(ctx, con, data, &j.learn)
		if err != nil {
			return err
		}
		rep := tell.NewCausalReport(out, dir.Dir, again(con))
		list, err := show.Causal(rep, []folder.File{folder.JSON("summary.json", rep.Summary),
			folder.JSON("graph.json", rep.Graph)})
		if err != nil {
			return err
		}
		if err := dir.Write(list); err != nil {
			return err
		}
		dir.Finished()
		return j.output.Print(con, rep.Graph, rep.Text)
	})
}
