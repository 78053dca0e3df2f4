package causal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/kerneltest/conditional"
)

// learned is a learned graph with its tests.
type learned struct {
	*causal.Result
	flags         *flags
	dir           *folder.Folder
	data          *input.Dataset
	log           *causal.Log
	whitened      []whitened     // of each column, with -time-as smooth or likeliest
	stable        *causal.Stable // nil without -stability
	unusable      string         // why the program's own choice of random halves says nothing
	compared      []comparison
	adjust        *graph.Adjustment // nil without -adjust
	effects       []*causal.Effect
	adjusted      *causal.Effect        // of -adjust
	disagreements []causal.Disagreement // of the test of residuals with -test kci
}

// comparison is a comparison with a known graph.
type comparison struct {
	with string
	graph.Comparison
}

// learn learns the graph of a table.
func learn(ctx context.Context, con *cli.Console, dir *folder.Folder, data *input.Dataset, f *flags) (*learned, error) {
	g := &learned{flags: f, data: data, dir: dir}
	err := g.learn(ctx, con)
	switch {
	case errors.Is(err, context.Canceled) && exists(f.log):
		return nil, cli.Resumablef("interrupted; the tests so far are in %s, and the same command goes on "+
			"with them", f.log)
	case errors.Is(err, context.Canceled):
		return nil, dir.Interrupted("")
	case err != nil && (errors.As(err, new(*fs.PathError)) || errors.As(err, new(*ofLog))): // these name their file
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%s: %w", data.Where(), err)
	}
	return g, nil
}

// ofLog is an error of the file of tests made before.
type ofLog struct{ error }

func (e *ofLog) Unwrap() error { return e.error }

// exists reports whether a file of this name exists.
func exists(name string) bool {
	_, err := os.Stat(name)
	return name != "" && err == nil
}

func (g *learned) learn(ctx context.Context, con *cli.Console) error {
	f := g.flags
	if f.time != "" && f.timeAs != "tier" {
		var err error
		g.data, g.whitened, err = whiten(ctx, con, g.data, f.time, f.timeAs == "smooth")
		if err != nil {
			return err
		}
	}
	f.width = len(g.data.Columns)
	line := con.Working("preparing the tests")
	defer line.End()
	table, err := causal.NewData(g.data.Columns, g.data.P)
	if err != nil {
		return err
	}
	if text := f.forecast(table); text != "" {
		con.Warn("%s", text)
	}
	o := f.options(table.Names())
	o.Progress = line.StepLeft
	if f.shard.N > 0 { // of the random halves alone
		return g.halves(ctx, table, o)
	}
	test, err := f.open(table, g.data.Categories, f.seed)
	if err != nil {
		return err
	}
	path, about, err := g.keep("", f.about(table, g.data.Categories))
	if err != nil {
		return err
	}
	if g.log, err = causal.OpenLog(path, about); err != nil {
		return &ofLog{err}
	}
	o.Log = g.log
	learn, _ := f.algorithm()
	g.Result, err = learn(ctx, test, o)
	if e := g.log.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if k, ok := test.(*causal.Kernel); ok && f.comparesResiduals() && table.Rows() <= conditional.FeatureRows {
		if g.disagreements, err = causal.Disagreements(ctx, g.Result, k.Residuals(), o); err != nil {
			return err
		}
	}
	if err := g.halves(ctx, table, o); err != nil {
		return err
	}
	if err := g.estimate(table); err != nil {
		return err
	}
	return g.look()
}

// keep is where tests are kept, or with the suffix .halves random halves, and what is said of them there: in
// the file of -log, or in the folder until the run is done.
func (g *learned) keep(suffix, about string) (path, what string, err error) {
	if g.flags.log != "" {
		return g.flags.log + suffix, about, nil
	}
	return g.dir.Units(suffix, about)
}

// comparesResiduals reports whether the test of residuals is asked about every decision.
func (f *flags) comparesResiduals() bool { return f.test == "kci" && !f.hidden && !f.lingam }

// told is the graph as it is drawn, with the arrows that most random halves have, and the triples that may be colliders or
// not in it. An arrow that every half with the link has stays too, as one that is known does.
func (g *learned) told() (*graph.Graph, []causal.Triple) {
	s := g.frequencies()
	if s == nil {
		return g.Graph, g.Undecided
	}
	out, open := g.Graph.Clone(), slices.Clone(g.Undecided)
	changed := map[[2]int]bool{}
	for _, e := range g.Graph.Edges() {
		sure, _ := g.sureOf(e)
		if f := s.Of(e.From, e.To); sure == e || f.Adjacent > 0 && f.Forward == f.Adjacent {
			continue
		}
		i, j := out.Index(e.From), out.Index(e.To)
		out.Set(i, j, sure.MarkFrom, sure.MarkTo)
		changed[[2]int{i, j}], changed[[2]int{j, i}] = true, true
	}
	for t := range out.OpenTriples {
		if changed[[2]int{t[0], t[1]}] || changed[[2]int{t[1], t[2]}] {
			open = append(open, causal.Triple{X: out.Name(t[0]), Y: out.Name(t[1]), Z: out.Name(t[2])})
		}
	}
	return out, open
}

// estimate estimates the effects that were asked for.
func (g *learned) estimate(table *causal.Data) error {
	f := g.flags
	drawn, open := g.told()
	pairs := f.effectPairs
	if f.effects == "all" {
		for _, x := range g.Graph.Names() {
			for _, y := range g.Graph.Names() {
				if x != y {
					pairs = append(pairs, causal.Arrow{From: x, To: y})
				}
			}
		}
	}
	discrete := make([]bool, len(g.data.Columns))
	for j, c := range g.data.Categories {
		discrete[j] = c != nil
	}
	for _, a := range pairs {
		e, err := causal.EffectOf(table, drawn, a.From, a.To, discrete, open...)
		if err != nil {
			return err
		}
		g.effects = append(g.effects, e)
	}
	if f.adjust == "" {
		return nil
	}
	var err error
	g.adjusted, err = causal.EffectOf(table, drawn, f.adjustFrom, f.adjustTo, discrete, open...)
	return err
}

// halves learns graphs from halves of the rows.
func (g *learned) halves(ctx context.Context, table *causal.Data, o causal.Options) error {
	f := g.flags
	if f.stability < 0 {
		f.stability, f.automatic = f.halves(g.Tests, table.Rows()), true
	}
	if f.stability == 0 {
		return nil
	}
	s := causal.StabilityOptions{Replicates: f.stability, Levels: f.levels, Seed: f.seed, Only: f.shard.Has}
	var err error
	if s.Path, s.About, err = g.keep(".halves", f.about(table, g.data.Categories)); err != nil {
		return err
	}
	if f.hidden || f.lingam {
		s.Algorithm, s.Name = f.algorithm()
	}
	g.stable, err = causal.Stability(ctx, table.Rows(), func(rows []int, seed uint64) (causal.Test,
		error) {
		half, err := table.Subset(rows)
		if err != nil {
			return nil, err
		}
		return f.open(half, g.data.Categories, seed)
	}, o, s)
	if err == nil && f.shard.N > 0 {
		g.dir.Shared(f.shard, halves(f.shard.Of(f.stability)))
		return nil
	}
	if f.automatic {
		return g.leaveFew(err)
	}
	return err
}

// leaveFew leaves random halves out of what is said if too few of them could be used, which nobody asked for.
func (g *learned) leaveFew(err error) error {
	none, s := new(causal.NoneLeft), g.stable
	switch {
	case errors.As(err, &none):
		s = &causal.Stable{Replicates: none.Replicates, Failed: none.Replicates, Failure: none.Failure}
	case err != nil:
		return err
	}
	if used := s.Replicates - s.Failed; used < leastHalves {
		g.stable = nil
		how := fmt.Sprintf("only %d", used)
		if used == 0 {
			how = "none"
		}
		g.unusable = fmt.Sprintf("How sure the edges are is not known: %s of %s could be used (%s).", how, halves(s.Replicates),
			cli.WithoutPackages(s.Failure))
	}
	return nil
}

// look compares the graph with the known one, and finds what to adjust for.
func (g *learned) look() error {
	f := g.flags
	if f.adjust != "" {
		drawn, _ := g.told()
		var err error
		if g.adjust, err = drawn.Adjust(f.adjustFrom, f.adjustTo); err != nil {
			return err
		}
	}
	if f.truth == nil {
		return nil
	}
	compared, err := graph.Compare(g.Graph, f.truth)
	if err != nil {
		return fmt.Errorf("-truth %s: %w", f.truthFile, err)
	}
	g.compared = []comparison{{f.truthFile, compared}}
	if class, err := f.truth.CPDAG(); err == nil && !class.Equal(f.truth) {
		if compared, err = graph.Compare(g.Graph, class); err != nil {
			return err
		}
		g.compared = append(g.compared, comparison{"what data can tell of it (its CPDAG)", compared})
	}
	return nil
}

// frequencies are the frequencies of edges in random halves at the level of the graph; nil without
// -stability.
func (g *learned) frequencies() *causal.LevelStability {
	if g.stable == nil {
		return nil
	}
	return &g.stable.Levels[0]
}
