// Package sample is the command that samples from a program.
package sample

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/cmd/nuts/internal/chains"
	"bayeskernel/cmd/nuts/internal/kept"
	"bayeskernel/cmd/nuts/internal/source"
	"bayeskernel/draws"
	"bayeskernel/draws/cmdstan"
	"bayeskernel/internal/page"
	"bayeskernel/nuts"
	"bayeskernel/stan"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "sample", Args: "MODEL.stan [DATA.json]",
		Summary: "draw from the posterior of a program in the Stan language",
		About: `Runs four chains of NUTS on the program, which starts at once: nothing is compiled. Prints a summary,
and writes the draws as CmdStan's files, which R and Python read, and a page.`,
		Records: []cli.Record{{Name: "sample", Of: draws.Summary{}, About: "A summary of a run.",
			Commands: []string{"sample"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &job{}
			s.Group("Sampling")
			s.Whole(&j.chains, "chains", 4, "`number` of chains")
			s.Whole(&j.draws, "iter", 1000, "draws of each chain, after the warm-up")
			s.Whole(&j.warmup, "warmup", 1000, "transitions of the warm-up of each chain")
			s.Seed(&j.seed, "seed", 1, "of random numbers: the same seed gives the same draws")
			s.Number(&j.accept, "delta", 0.8, "`rate` of acceptance that the step size aims at")
			s.Whole(&j.depth, "max-depth", 10, "largest `depth` of a trajectory's tree")
			j.output.Define(s, nil)
			return func(ctx context.Context, con *cli.Console, files []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type job struct {
	chains, draws, warmup, depth int
	seed                         uint64
	data                         string // its path, or ""
	accept                       float64
	output                       folder.Flags
}

func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console, files []string) error {
	if len(files) < 1 || len(files) > 2 {
		return cli.Usagef("want MODEL.stan [DATA.json], found %d files", len(files))
	}
	for _, f := range []struct {
		name string
		v    int
	}{{"chains", j.chains}, {"iter", j.draws}, {"warmup", j.warmup}, {"max-depth", j.depth}} {
		if f.v < 1 {
			return cli.Usagef("-%s is %d, want at least 1", f.name, f.v)
		}
	}
	if !(j.accept > 0 && j.accept < 1) {
		return cli.Usagef("-delta is %v, want a number between 0 and 1", j.accept)
	}
	if err := j.output.Check(set); err != nil {
		return err
	}
	if len(files) == 2 {
		j.data = files[1]
	}
	m, err := source.Bind(con, files[0], j.data, stan.Options{Seed: j.seed})
	if err != nil {
		return err
	}
	if m.Dim() == 0 {
		return fmt.Errorf("%s: it has no parameters, so that there is nothing to sample", files[0])
	}
	return j.output.Run(con, "", func(dir *folder.Folder) (*report.Document, error) {
		c := nuts.Config{MaxDepth: j.depth}
		c.Chains, c.Draws, c.Warmup, c.Seed, c.TargetAccept = j.chains, j.draws, j.warmup, j.seed, j.accept
		run, err := nuts.Sample(ctx, m.Target, c)
		if run == nil || err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
		return j.document(dir, files[0], run, err)
	})
}

// document shows the chains first, then the table and the program.
func (j *job) document(dir *folder.Folder, program string, run *draws.Run, ends error) (*report.Document, error) {
	paths, err := cmdstan.Write(dir.Dir, "draws", run, cmdstan.Options{})
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		if _, err := dir.Path(filepath.Base(p)); err != nil {
			return nil, err
		}
	}
	told := chains.Tell(run)
	source, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	table := told.Table(mostShown)
	d := &report.Document{Page: page.Page{Title: told.Verdict(), About: program}, Record: told.Summary, Ends: ends,
		Printed: []report.Block{report.Paragraphs{told.Verdict()}, table, report.Paragraphs(slices.Concat(told.Warnings(),
			told.Summary.Notes))}}
	if left := len(told.Summary.Parameters) - mostShown; left > 0 {
		d.Printed = append(d.Printed, report.Paragraphs{fmt.Sprintf("The page has %d more.", left)})
	}
	d.Sure = page.Section{Heading: "Parameters", Tables: report.Tables(told.Table(len(told.Summary.Parameters)))}
	d.Chains = told.Section()
	d.Rests = page.Section{Heading: "The program", Code: string(source)}
	d.Settings = []page.Setting{{Name: "chains", Value: fmt.Sprintf("%d of %d draws", len(run.Chains), told.Summary.Draws)},
		{Name: "seed", Value: fmt.Sprint(j.seed)}}
	d.Files, err = kept.Files(dir.Dir, j.data, kept.Run{Command: "sample", Program: string(source), Seed: j.seed}, nil)
	return d, err
}

// mostShown is how many parameters the terminal shows.
const mostShown = 40
