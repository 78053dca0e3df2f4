// Package sample is the command that samples from a program.
package sample

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/cmd/nuts/internal/chains"
	"bayeskernel/cmd/nuts/internal/kept"
	"bayeskernel/cmd/nuts/internal/source"
	"bayeskernel/draws"
	"bayeskernel/draws/format"
	"bayeskernel/hmc"
	"bayeskernel/internal/atomicfile"
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
			s.Number(&j.accept, "delta", 0.8, "`rate` of acceptance that the step size aims at; warm-up raises it where trajectories diverge "+
				"unless it is given")
			s.Whole(&j.depth, "max-depth", 10, "largest `depth` of a trajectory's tree")
			s.Yes(&j.declared, "no-centring", "sample in the coordinates that the program declares: do not learn how far the "+
				"effects of groups are best centred")
			s.Text(&j.until, "until", "", "stop early once these `targets` are met, such as "+
				"\"ess=400\" or \"ess=1000,rhat=1.005\"; -iter is then the most")
			s.Text(&j.resume, "resume", "", "go on with the run that was interrupted in this `folder`; repeat the "+
				"other flags; those that change the chains are refused")
			j.output.Define(s, func() {
				s.Yes(&j.onDisk, "on-disk", "keep draws in files, not in memory, while the chains run, as is done unasked for more than four "+
					"million numbers. The results are the same")
				s.Yes(&j.zarr, "zarr", "write the draws as a Zarr folder too, for ArviZ and xarray")
			})
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
	until, resume                string
	zarr, declared, onDisk       bool
	stop                         *hmc.Until
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
	if !set.Given("delta") {
		j.accept = 0 // warm-up chooses
	}
	var err error
	if j.stop, err = target(j.until); err != nil {
		return err
	}
	if err := j.output.Check(set); err != nil {
		return err
	}
	if len(files) == 2 {
		j.data = files[1]
	}
	m, read, err := source.Bind(con, files[0], j.data, stan.Options{Seed: j.seed})
	if err != nil {
		return err
	}
	if m.Dim() == 0 && len(m.Names())+len(m.Quantities()) == 0 {
		return fmt.Errorf("%s: it has no parameters and no generated quantities, so that there is nothing to draw", files[0])
	}
	text := read.Source
	return j.output.Run(con, j.resume, func(dir *folder.Folder) (*report.Document, error) {
		sample := j.sample
		if m.Dim() == 0 {
			sample = j.generate
		}
		run, ends := sample(ctx, con, m, dir, source.Identity([]byte(text), j.data))
		if run == nil {
			return nil, read.Unstarted(con, m, ends)
		}
		return j.document(ctx, dir, m, files[0], text, run, ends)
	})
}

// sample draws; the files of the chains grow as they run, and a checkpoint beside them.
func (j *job) sample(ctx context.Context, con *cli.Console, m *stan.Model, dir *folder.Folder, identity string) (*draws.Run, error) {
	c := nuts.Config{MaxDepth: j.depth}
	c.Chains, c.Draws, c.Warmup, c.Seed, c.TargetAccept = j.chains, j.draws, j.warmup, j.seed, j.accept
	c.Model, c.Until = identity, j.stop
	c.Adapt.OwnCoordinates = j.declared
	var err error
	if c.Checkpoints.File, err = dir.Path(folder.Checkpoint + atomicfile.Part); err != nil {
		return nil, err
	}
	if c.DrawsDir, err = j.drawsDir(dir, len(m.Names())); err != nil {
		return nil, err
	}
	c.Checkpoints.Resume, c.Checkpoints.Every = dir.Resume, saved
	files, err := format.Named("csv", format.Options{})
	if err != nil {
		return nil, err
	}
	if err := dir.Paths(files.Files(j.chains)...); err != nil {
		return nil, err
	}
	c.Record = format.Recorder(files, dir.Dir, fewest)
	line := con.Working("sampling")
	var mu sync.Mutex
	done := make([]int, j.chains)
	c.OnProgress = func(h hmc.Progress) {
		mu.Lock()
		defer mu.Unlock()
		done[h.Chain] = h.Iteration
		all := 0
		for _, n := range done {
			all += n
		}
		line.Step("sampling", all, h.Total*len(done))
	}
	con.Hold() // an interrupted run leaves its draws
	run, err := nuts.Sample(ctx, m.Target, c)
	line.End()
	switch {
	case run == nil:
		return nil, fmt.Errorf("sampling: %w", err)
	case err == nil:
		dir.Worth()
		con.Release()
		return run, nil
	case drawn(run) < fewest && errors.Is(err, context.Canceled):
		return nil, cli.Resumablef("interrupted before the first draws; go on with: %s", dir.GoOn())
	case drawn(run) < fewest:
		return nil, err
	}
	if e := os.Rename(c.Checkpoints.File, filepath.Join(dir.Dir, folder.Checkpoint)); e != nil && errors.Is(err, context.Canceled) {
		return run, e
	}
	if errors.Is(err, context.Canceled) {
		err = cli.Resumablef("interrupted after %d of %d draws of each chain; what there is stands in %s; go on with: %s",
			drawn(run), j.draws, dir.Dir, dir.GoOn())
		con.Leaves(cli.Resumablef("interrupted after %d of %d draws of each chain, which are kept in %s; go on with: %s",
			drawn(run), j.draws, dir.Dir, dir.GoOn()))
	}
	return run, err
}

// generate draws the generated quantities of a program without parameters, which need no sampler.
func (j *job) generate(ctx context.Context, con *cli.Console, m *stan.Model, dir *folder.Folder, identity string) (*draws.Run, error) {
	if dir.Resume != "" {
		return nil, cli.Usagef("-resume %s: a program without parameters starts again, want no -resume", dir.Resume)
	}
	t, err := m.Target()
	if err != nil {
		return nil, err
	}
	run := &draws.Run{Names: t.(hmc.Constrainer).Names(), Model: identity, Seed: j.seed, Sampler: draws.Sampler{Algorithm: "fixed_param",
		Chains: j.chains, Draws: j.draws, Thin: 1}}
	line := con.Working("drawing")
	defer line.End()
	for k := range j.chains {
		c := draws.Chain{Stats: make([]draws.Stat, j.draws)}
		for i := range j.draws {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			v, err := m.Generate(nil, uint64(k+1)<<32|uint64(i))
			if err != nil {
				return nil, fmt.Errorf("draw %d of chain %d: %w", i+1, k+1, err)
			}
			c.Values = append(c.Values, v)
		}
		run.Chains = append(run.Chains, c)
	}
	files, err := format.Named("csv", format.Options{})
	if err != nil {
		return nil, err
	}
	if err := dir.Paths(files.Files(j.chains)...); err != nil {
		return nil, err
	}
	return run, files.Write(dir.Dir, run)
}

// onDisk is the folder of the draws that are not in memory. It is removed with the checkpoint, which goes on from it.
const onDisk = "chains"

// drawsDir returns the folder of the draws that are not in memory, "" if all are. A run goes on with those of its own
// folder.
func (j *job) drawsDir(dir *folder.Folder, width int) (string, error) {
	const name = onDisk + atomicfile.Part
	if dir.Resume != "" {
		from := filepath.Dir(dir.Resume)
		_, err := os.Stat(filepath.Join(from, name))
		switch had := err == nil; {
		case !had && j.onDisk:
			return "", cli.Usagef("-resume %s: that run keeps its draws in memory, want no -on-disk", from)
		case !had:
			return "", nil
		case filepath.Clean(from) != filepath.Clean(dir.Dir):
			return "", cli.Usagef("-resume %s: that run keeps its draws on disk there, want no other folder for -out", from)
		}
		return dir.Path(name)
	}
	if !j.onDisk && float64(j.draws)*float64(j.chains)*float64(width+draws.StatColumns) < manyNumbers {
		return "", nil
	}
	return dir.Path(name)
}

// manyNumbers are those of draws that are kept on disk unasked: an interrupted run has to save what is in
// memory, some 60 million of them a second, and a checkpoint does so every few seconds.
const manyNumbers = 4e6

// saved is the interval between checkpoints, in case the process is killed.
const saved = 5 * time.Second

// fewest is the smallest number of draws of a chain for which a run leaves results.
const fewest = 4

// drawn is the number of draws of the longest chain.
func drawn(run *draws.Run) int {
	most := 0
	for _, c := range run.Chains {
		most = max(most, c.Len())
	}
	return most
}

// target reads -until; nil where it is empty.
func target(text string) (*hmc.Until, error) {
	if text == "" {
		return nil, nil
	}
	u := &hmc.Until{}
	for _, term := range strings.Split(text, ",") {
		term = strings.TrimSpace(term)
		at := strings.IndexAny(term, "=<>")
		if at < 0 {
			return nil, cli.Usagef("-until: %q is no target, want for example ess=400 or rhat=1.01", term)
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(term[at+1:]), 64)
		if err != nil || !(v > 0) || math.IsInf(v, 0) {
			return nil, cli.Usagef("-until: %q does not end in a positive number", term)
		}
		name, want := strings.TrimSpace(term[:at]), byte('>')
		switch name {
		case "ess":
			u.ESSBulk, u.ESSTail = v, v
		case "rhat":
			u.RHat, want = v, '<'
		case "mcse":
			u.MCSE, want = v, '<'
		default:
			return nil, cli.Usagef("-until: %q is unknown, want ess, rhat or mcse (of the mean, as a share of the sd)", name)
		}
		if term[at] != '=' && term[at] != want {
			return nil, cli.Usagef("-until: %q points the wrong way, want %s=%g", term, name, v)
		}
		if name == "rhat" && v <= 1 {
			return nil, cli.Usagef("-until: %q can never be met, want a number above 1", term)
		}
	}
	return u, nil
}

// document shows the chains first, then the table and the program. The first columns of the run are asked where
// trajectories diverged: generated quantities have no part in that.
func (j *job) document(ctx context.Context, dir *folder.Folder, m *stan.Model, program, source string, run *draws.Run, ends error) (
	*report.Document, error) {
	if j.zarr {
		f, err := format.Named("zarr", format.Options{})
		if err != nil {
			return nil, err
		}
		if err := dir.Paths(f.Files(len(run.Chains))...); err != nil {
			return nil, err
		}
		if err := f.Write(dir.Dir, run); err != nil {
			return nil, err
		}
	}
	told := chains.Tell(run)
	verdict := ""
	if m.Dim() == 0 {
		verdict = fmt.Sprintf("The program has no parameters: %d independent draws of what it generates.", len(run.Chains)*j.draws)
		told.Summary.Warnings = nil // of chains
	}
	told.Summary.Notes = append(told.Summary.Notes, centred(run)...)
	if why := unmade(m, run); why != "" {
		told.Summary.Notes = append(told.Summary.Notes, "The generated quantities of some draws were rejected, the first by "+why+".")
	}
	told.Asked = len(m.Names())
	if target, names, err := kept.Stan(m, run.Names); err == nil && m.Dim() > 0 {
		told.Inspect(ctx, run, target, names)
	}
	if m.Dim() > 0 {
		verdict = told.Verdict()
	}
	table := told.Table(mostShown)
	d := &report.Document{Page: page.Page{Title: verdict, About: program}, Record: told.Summary, Ends: ends,
		Unfinished: ends != nil,
		Printed: []report.Block{report.Paragraphs{verdict}, table, report.Paragraphs(slices.Concat(told.Warnings(),
			told.Summary.Notes))}}
	if left := len(told.Summary.Parameters) - mostShown; left > 0 {
		d.Printed = append(d.Printed, report.Paragraphs{fmt.Sprintf("The page has %s more.", cli.Plural(left, "value"))})
	}
	d.Sure = page.Section{Heading: "Parameters", Tables: report.Tables(told.Table(len(told.Summary.Parameters)))}
	if m.Dim() > 0 {
		d.Chains = told.Section()
	}
	d.Rests = page.Section{Heading: "The program", Code: source}
	d.Settings = []page.Setting{{Name: "chains", Value: fmt.Sprintf("%d of %d draws", len(run.Chains), told.Summary.Draws)},
		{Name: "seed", Value: fmt.Sprint(j.seed)}}
	record := kept.Run{Command: "sample", Program: source, Seed: j.seed}
	if ends != nil {
		record.Ended = fmt.Sprintf("after %d of %d draws of each chain", drawn(run), j.draws)
	}
	var err error
	d.Files, err = kept.Files(dir.Dir, j.data, len(run.Chains), record, nil)
	return d, err
}

// unmade says why generated quantities are not numbers, of the first draw where this is so; "" for none.
func unmade(m *stan.Model, run *draws.Run) (why string) {
	from := len(m.Names())
	if m.Dim() == 0 || len(run.Names) <= from {
		return ""
	}
	const most = 20 // draws that are run again
	found, tried := errors.New("found"), 0
	for _, c := range run.Chains {
		err := c.Each(func(_ int, row []float64) error {
			if !slices.ContainsFunc(row[from:], math.IsNaN) {
				return nil
			}
			if why = m.Unmade(row[:from]); why != "" || tried == most {
				return found
			}
			tried++
			return nil
		})
		if err != nil {
			return why
		}
	}
	return ""
}

// centred says how far warm-up moved parameters from the form in which the program declares them.
func centred(run *draws.Run) []string {
	degrees := slices.DeleteFunc(slices.Clone(run.Chains[0].Coordinates), func(c float64) bool { return c == 1 })
	if len(degrees) == 0 {
		return nil
	}
	which := fmt.Sprintf("%d parameters were", len(degrees))
	if len(degrees) == 1 {
		which = "1 parameter was"
	}
	form := "partly centred"
	if lo, hi := slices.Min(degrees), slices.Max(degrees); hi < 0.5 {
		form = "close to its non-centred form"
	} else if lo < 0.5 {
		form = "some close to their non-centred form, others partly centred"
	}
	if len(degrees) > 1 {
		form = strings.Replace(form, "its", "their", 1)
	}
	return []string{fmt.Sprintf("%s sampled %s, as warm-up found best; the draws are those of the program as written "+
		"(-no-centring samples it as declared).", which, form)}
}

// mostShown is how many parameters the terminal shows.
const mostShown = 40
