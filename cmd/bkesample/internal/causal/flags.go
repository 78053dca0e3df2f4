package causal

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/internal/journal"
)

// flags say how a graph is learned.
type flags struct {
	test, choose, colliders string
	alphas                  string    // -alpha as given
	alpha                   float64   // that of the graph
	levels                  []float64 // that of the graph, and others for -stability
	depth, inputs           int
	tiers, forbid, require  string
	time, timeAs            string
	truthFile, log, adjust  string
	stability               int
	automatic               bool // stability was chosen by the program
	hidden, lingam          bool
	width                   int    // the columns of the table, once it is read
	effects                 string // -effects as given
	effectPairs             []causal.Arrow
	seed                    uint64
	named                   []string // the columns of -categories
	shard                   journal.Shard
	knowledge               causal.Knowledge
	truth                   *graph.Graph // of the file
	adjustFrom, adjustTo    string
}

// mostHalves is the largest number of random halves: all their graphs are kept in memory.
const mostHalves = 100_000

// define defines the flags.
func (f *flags) define(s *cli.FlagSet) {
	s.Group("Test")
	s.Choice(&f.test, "test", "kci", []string{"kci", "residual", "fisherz", "g2"}, "the `test` of "+
		"independence given other columns: kci (kernels; dependence of any kind), residual (what "+
		"regressions leave, with HSIC: not a test of conditional independence where noise depends on the "+
		"other columns), fisherz (partial correlations), or g2 (counts of columns with few values)")
	s.Text(&f.alphas, "alpha", "0.05", "`level` of each test: independent if p is larger; with "+
		"-stability several with commas between, the first of which is that of the graph")
	s.Whole(&f.depth, "depth", -1, "the largest `number` of columns that are given in a test; -1: no "+
		"limit")
	s.Choice(&f.choose, "choose", "", []string{"median", "learned"}, "the `rule` that gives the "+
		"kernels of kci and residual their lengthscales: median (the heuristic) or learned (the posterior "+
		"mode in a Bayesian model) (default for kci a width that falls with the number of rows, for "+
		"residual median)")
	s.Whole(&f.inputs, "inputs", 0, "the `number` of pseudo-inputs for -choose learned (default min(10, "+
		"n/5), doubled if the fit calls for it); more of them make kernels narrower, with which the test finds less")
	s.Choice(&f.colliders, "colliders", "ordered", []string{"ordered", "sets", "majority", "conservative"},
		"the `rule` by which x - y - z becomes x -> y <- z: y is in fewer than half of all sets that "+
			"separate x and z, and the p-values are clear-cut, or with kernel tests their mean is 2.5 times as large "+
			"given sets without y as given sets with it; strongest evidence first, and never against an arrow that "+
			"stands or into a cycle (ordered); y is in none of the sets that separated x and z at first (sets), in fewer "+
			"than half of all sets that separate them (majority), or in none of these (conservative)")
	s.Yes(&f.hidden, "hidden", "allow for hidden common causes and for rows that were selected: learn a "+
		"partial ancestral graph by the FCI algorithm, or with more than 12 columns (40 with -test fisherz or g2) by RFCI, which asks "+
		"fewer tests and may leave more open")
	s.Yes(&f.lingam, "lingam", "learn by DirectLiNGAM: linear effects and no hidden causes; noise that is "+
		"not normal, which is tested, tells directions that independences leave open")
	s.Group("Knowledge")
	s.Text(&f.tiers, "tiers", "", "the order in time, as \"a,b;c,d\": no `column` has an effect on one "+
		"of an earlier tier")
	s.Text(&f.forbid, "forbid", "", "`effects` that are not there, as \"a->b;c->d\"; a--b forbids both "+
		"ways")
	s.Text(&f.require, "require", "", "`effects` that are there, as \"a->b\"")
	s.Text(&f.time, "time", "", "the `column` of the time")
	s.Choice(&f.timeAs, "time-as", "smooth", []string{"smooth", "likeliest", "tier"}, "`how` the "+
		"time is used: smooth takes out of each column what a Gaussian process of the time predicts, with "+
		"the longest lengthscale that is a maximum of the likelihood; likeliest takes the highest maximum; "+
		"tier keeps the time as a column that nothing has an effect on")
	s.Group("Answers")
	s.Whole(&f.stability, "stability", -1, "learn the graph from this `number` of random halves of the "+
		"rows too, and say how often each edge is found, and which way; 0: none; -1: as many as take about a "+
		"minute on two cores, counted from the tests and rows, 10 to 100, or none if 10 would take more than ten "+
		"minutes")
	s.Text(&f.adjust, "adjust", "", "say which columns to adjust for to estimate an `effect`, as a->b, and "+
		"estimate it")
	s.Text(&f.effects, "effects", "", "estimate total `effects`, as \"a->b;c->d\", or all: the interval over "+
		"all graphs that have these links and the directions that are told, in linear models")
	s.Text(&f.truthFile, "truth", "", "compare with the graph of this `file`, JSON as in graph.json")
	s.Text(&f.log, "log", "", "keep every test in this `file`, and the random halves in the same with "+
		".halves: a run that was stopped goes on from there")
	s.Seed(&f.seed, "seed", 1, "the `seed` of random halves and of tests that draw")
}

// admitShard checks a share of the random halves.
func (f *flags) admitShard(s journal.Shard) error {
	f.shard = s
	switch {
	case s.N == 0:
		return nil
	case f.stability < 1:
		return cli.Usagef("-shard shares random halves out: say how many there are, as -stability 100")
	case f.log != "":
		return cli.Usagef("-shard keeps random halves in its folder, and -log in another file: want one of them")
	}
	return nil
}

// idle returns an error for a flag that was given and would do nothing.
func (f *flags) idle(set *cli.FlagSet) error {
	if set.Given("time-as") && f.time == "" {
		return cli.Usagef("-time-as is for -time, which is not given")
	}
	for _, name := range []string{"test", "colliders", "depth"} {
		if f.lingam && set.Given(name) && !(name == "test" && f.test == "fisherz") { // which is about linear effects too
			return cli.Usagef("-%s is not for -lingam, which regresses and does not test", name)
		}
	}
	return nil
}

// check returns an error if the flags are wrong, and reads the values and files they name.
func (f *flags) check() error {
	if err := f.readLevels(); err != nil {
		return err
	}
	kernels := f.test == "kci" || f.test == "residual"
	switch {
	case f.depth < -1:
		return cli.Usagef("-depth is %d, want 0 or more, or -1 for no limit", f.depth)
	case f.stability < -1 || f.stability > mostHalves:
		return cli.Usagef("-stability is %d, want 0 to %d, or -1 for a number that takes a minute",
			f.stability, mostHalves)
	case f.hidden && f.lingam:
		return cli.Usagef("-hidden and -lingam exclude each other: DirectLiNGAM knows no hidden causes")
	case f.hidden && f.colliders != "ordered":
		return cli.Usagef("-colliders is %s, and -hidden takes the rule ordered alone", f.colliders)
	case f.hidden && f.adjust+f.effects != "":
		return cli.Usagef("-adjust and -effects are for graphs without hidden causes, not for -hidden")
	case f.lingam && f.tiers+f.forbid+f.require != "":
		return cli.Usagef("-lingam takes no knowledge: leave out -tiers, -forbid and -require")
	case f.lingam && f.timeAs == "tier":
		return cli.Usagef("-lingam takes no -time-as tier, as it takes no knowledge")
	case len(f.levels) > 1 && f.stability == 0:
		return cli.Usagef("-alpha has %d levels, which are for -stability: the graph has one",
			len(f.levels))
	case f.choose != "" && !kernels:
		return cli.Usagef("-choose is for the tests kci and residual, and -test is %s", f.test)
	case f.inputs != 0 && f.choose != "learned":
		return cli.Usagef("-inputs is for -choose learned")
	case f.inputs != 0 && f.inputs < 2:
		return cli.Usagef("-inputs is %d, want at least 2", f.inputs)
	}
	var err error
	if f.knowledge.Tiers, err = causal.ParseTiers(f.tiers); err != nil {
		return cli.Usagef("-tiers: %s", cli.OneLine(err))
	}
	if f.knowledge.Forbidden, err = causal.ParseArrows(f.forbid); err != nil {
		return cli.Usagef("-forbid: %s", cli.OneLine(err))
	}
	if f.knowledge.Required, err = causal.ParseArrows(f.require); err != nil {
		return cli.Usagef("-require: %s", cli.OneLine(err))
	}
	if f.adjust != "" {
		pair, err := causal.ParseArrows(f.adjust)
		if err != nil || len(pair) != 1 {
			return cli.Usagef("-adjust is %q, want one effect, as a->b", f.adjust)
		}
		f.adjustFrom, f.adjustTo = pair[0].From, pair[0].To
	}
	if f.effects != "" && f.effects != "all" {
		var err error
		if f.effectPairs, err = causal.ParseArrows(f.effects); err != nil {
			return cli.Usagef("-effects: %s", cli.OneLine(err))
		}
	}
	return f.readTruth()
}

// readLevels reads -alpha.
func (f *flags) readLevels() error {
	f.levels = nil
	for _, word := range input.Split(f.alphas) {
		v, err := strconv.ParseFloat(word, 64)
		switch {
		case err != nil || !(v > 0 && v < 1):
			return cli.Usagef("-alpha is %s, want it between 0 and 1", word)
		case slices.Contains(f.levels, v):
			return cli.Usagef("-alpha has %s twice", word)
		}
		f.levels = append(f.levels, v)
	}
	if len(f.levels) == 0 {
		return cli.Usagef("-alpha is %q, want a number between 0 and 1", f.alphas)
	}
	f.alpha = f.levels[0]
	return nil
}

// readTruth reads the graph to compare with.
func (f *flags) readTruth() error {
	if f.truthFile == "" {
		return nil
	}
	file, err := os.Open(f.truthFile)
	if err != nil {
		return fmt.Errorf("-truth: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	if f.truth, err = graph.ReadJSON(file); err != nil {
		return fmt.Errorf("-truth %s: %w", f.truthFile, err)
	}
	return nil
}

// admit returns an error if the flags do not suit the columns.
func (f *flags) admit(d *input.Dataset) error {
	if f.lingam {
		if err := d.Numbers("-lingam", "leave it out by -drop COLUMN"); err != nil {
			return err
		}
	}
	if f.test == "fisherz" {
		if err := d.Numbers("-test fisherz", "use -test kci, or leave it out by -drop COLUMN"); err != nil {
			return err
		}
	}
	named := [][2]string{{"adjust", f.adjustFrom}, {"adjust", f.adjustTo}, {"time", f.time}}
	for _, a := range f.effectPairs {
		named = append(named, [2]string{"effects", a.From}, [2]string{"effects", a.To})
	}
	for _, of := range named {
		if of[1] != "" && !slices.Contains(d.Columns, of[1]) {
			return fmt.Errorf("-%s: there is no column %s, only %s", of[0], of[1],
				strings.Join(d.Columns, ", "))
		}
	}
	if f.time != "" && f.timeAs != "tier" {
		if err := d.Numbers("-time-as "+f.timeAs, "use -time-as tier, or leave it out by -drop "+
			"COLUMN"); err != nil {
			return err
		}
		if f.adjustFrom == f.time || f.adjustTo == f.time {
			return fmt.Errorf("-adjust names %s, which -time-as %s takes out of the table", f.time, f.timeAs)
		}
	}
	for _, a := range f.knowledge.Required {
		if a.To == f.time && f.timeAs == "tier" {
			return fmt.Errorf("-require %v contradicts -time %s, on which nothing has an effect", a, f.time)
		}
	}
	return nil
}

// columns are those that flags name.
func (f *flags) columns() []string {
	out := []string{f.time, f.adjustFrom, f.adjustTo}
	for _, tier := range f.knowledge.Tiers {
		out = append(out, tier...)
	}
	for _, a := range slices.Concat(f.knowledge.Forbidden, f.knowledge.Required) {
		out = append(out, a.From, a.To)
	}
	return out
}
