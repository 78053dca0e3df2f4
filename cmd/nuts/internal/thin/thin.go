// Package thin is the command that chooses few draws that stand for a run.
package thin

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/cmd/nuts/internal/kept"
	"bayeskernel/draws"
	"bayeskernel/internal/page"
	"bayeskernel/stein"
	"bayeskernel/stein/runs"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "thin", Args: "RUN",
		Summary: "choose few draws that stand for a run",
		About: `RUN is the folder of nuts fit or of a Stan program. Writes -m of its draws, with equal weights, as a file of CmdStan;
a draw may be there more than once. Of a sound run they are support points, which are nearer to the whole than draws at equal
distances. A run whose chains do not agree, or whose draws do not agree with the gradient of the log density, is put right by weights first. Gradients are computed anew.`,
		Records: []cli.Record{{Name: "thin", Of: Record{}, About: "Draws that stand for a run.", Commands: []string{"thin"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &job{}
			s.Group("Draws")
			s.Whole(&j.m, "m", 100, "the `number` of draws to choose")
			s.Choice(&j.by, "by", "auto", []string{"auto", "support", "weights", "stein", "stein-regularised"},
				"`how`: support points of the draws (support), or of the draws with weights that put them right (weights); auto is the one that "+
					"suits the run. Stein thinning for a run with a far start; regularised where several modes are feared")
			j.output.Define(s, nil)
			return func(ctx context.Context, con *cli.Console, args []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, args)
			}
		},
	}
}

type job struct {
	m      int
	by     string
	output folder.Flags
}

func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console, args []string) error {
	if err := kept.Check(args, 1, 1, "RUN"); err != nil {
		return err
	}
	if j.m < 1 {
		return cli.Usagef("-m is %d, want at least 1", j.m)
	}
	if err := j.output.Check(set); err != nil {
		return err
	}
	r, err := kept.OpenFolder(args[0])
	if err != nil {
		return err
	}
	target, names, run, err := r.Target(con, args[0])
	if err != nil {
		return err
	}
	line := con.Working("computing gradients")
	points, err := runs.Read(ctx, run, target, names, 0)
	line.End()
	if err != nil {
		return fmt.Errorf("%s: %s", args[0], strings.TrimPrefix(err.Error(), "runs: "))
	}
	if n, _ := points.X.Dims(); j.m > n {
		return cli.Usagef("-m is %d, want at most %d, the number of draws of %s", j.m, n, args[0])
	}
	found, err := runs.Inspect(points, runs.Options{Seed: run.Seed})
	if err != nil {
		return fmt.Errorf("%s: %s", args[0], strings.TrimPrefix(err.Error(), "runs: "))
	}
	at, by, err := j.choose(points, found.Suspect() || runs.Apart(run))
	if err != nil {
		return err
	}
	return j.output.Run(con, "", func(dir *folder.Folder) (*report.Document, error) {
		return j.document(dir, args[0], run, points, at, by, found, r.Notes())
	})
}

// choose chooses the rows, and says how.
func (j *job) choose(p *runs.Points, bad bool) ([]int, string, error) {
	by := j.by
	if by == "auto" {
		by = "support"
		if bad {
			by = "weights"
		}
	}
	var at []int
	var err error
	switch by {
	case "support", "weights":
		at, err = runs.Compress(p, j.m, by == "weights")
	default:
		at, err = stein.Thin(p.X, p.U, p.LogP, j.m, stein.Thinning{Preconditioner: "sclmed", Standardise: true,
			Regularise: by == "stein-regularised"})
	}
	return at, by, err
}

// Record is what programs read.
type Record struct {
	report.Head
	Run      string        `json:"run" doc:"The run."`
	By       string        `json:"by" doc:"How draws were chosen: support, weights, stein or stein-regularised."`
	Draws    int           `json:"draws" doc:"The number of draws of the run."`
	Chosen   []Chosen      `json:"chosen" doc:"The draws that were chosen, in the order in which they were."`
	Distance report.Number `json:"energy_distance" doc:"The energy distance of the chosen draws from all draws, in unconstrained coordinates over their standard deviations."`
	Spaced   report.Number `json:"energy_distance_spaced" doc:"That of as many draws at equal distances."`
	Suspect  bool          `json:"suspect" doc:"Whether the draws of the run do not agree with the gradient of its log density."`
	Found    string        `json:"found" doc:"What the draws say of this, in a sentence."`
}

// Chosen is a draw.
type Chosen struct {
	Chain int `json:"chain" doc:"Its chain, from 1."`
	Draw  int `json:"draw" doc:"Its number in the chain, from 1."`
}

// fileBase begins the name of the file of draws.
const fileBase = "thinned"

func (j *job) document(dir *folder.Folder, name string, run *draws.Run, p *runs.Points, at []int, by string, found *runs.Inspection,
	notes []string) (*report.Document, error) {
	n, _ := p.X.Dims()
	distances := runs.Energies(p, at, runs.Spaced(p, j.m))
	rec := &Record{Head: report.NewHead("thin"), Run: name, By: by, Draws: n, Suspect: found.Suspect(), Found: found.Sentence(),
		Distance: report.Number(distances[0]), Spaced: report.Number(distances[1])}
	few := &draws.Run{Names: run.Names, Labels: run.Labels, Model: run.Model, Seed: run.Seed, Chains: make([]draws.Chain, 1)}
	for _, i := range at {
		c, d := p.Chain[i], p.Draw[i]
		rec.Chosen = append(rec.Chosen, Chosen{c + 1, d + 1})
		few.Chains[0].Values = append(few.Chains[0].Values, run.Chains[c].Values[d])
		few.Chains[0].Stats = append(few.Chains[0].Stats, run.Chains[c].Stats[d])
	}
	paths, err := kept.WriteDraws(dir, fileBase, few)
	if err != nil {
		return nil, err
	}
	said := fmt.Sprintf("%d draws stand for the %s of %s.", j.m, report.Whole(float64(n)), name)
	how := fmt.Sprintf("Their energy distance from all is %s, that of %d draws at equal distances %s.",
		report.Short(float64(rec.Distance)), j.m, report.Short(float64(rec.Spaced)))
	if by != "support" {
		how = fmt.Sprintf("They were chosen with the gradients of its density (%s), not to be near to all draws.", by)
	}
	how += fmt.Sprintf(" They are in %s.", filepath.Base(paths[0]))
	d := &report.Document{Page: page.Page{Title: said, About: name}, Record: rec}
	d.Printed = []report.Block{report.Paragraphs(append([]string{said + " " + how, found.Sentence()}, notes...))}
	d.Sure = page.Section{Heading: "The draws", Text: []string{how, found.Sentence()}, Notes: notes}
	d.Settings = []page.Setting{{Name: "chosen by", Value: by}}
	d.Files = []report.File{{Name: "chosen.csv", What: "the chains and numbers of the draws", Fill: func(w io.Writer) error {
		_, err := io.WriteString(w, chosen(rec.Chosen))
		return err
	}}}
	return d, nil
}

func chosen(list []Chosen) string {
	var b strings.Builder
	b.WriteString("chain,draw\n")
	for _, c := range list {
		fmt.Fprintf(&b, "%d,%d\n", c.Chain, c.Draw)
	}
	return b.String()
}
