package work

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/input"
)

// CausalFlags say how a graph is learned.
type CausalFlags struct {
	Test, Choose, Colliders  string
	Alpha                    float64   // that of the graph
	Levels                   []float64 // that of the graph, and others for -stability
	Depth                    int
	Tiers, Forbid, Require   string
	Categories, Time, TimeAs string
	Truth, Log, Adjust       string
	Stability                int
	Seed                     uint64
	levels                   string
	inputs                   int
	knowledge                causal.Knowledge
	truth                    *graph.Graph
	adjustFrom, adjustTo     string
}

// causalTests are the tests, the default first.
var causalTests = []string{"kci", "residual", "fisherz", "g2"}

// chooseCausal are the rules of -choose.
var chooseCausal = []string{"median", "learned"}

// mostHalves is the largest number of half-samples: the graphs of all are kept.
const mostHalves = 100_000

// timeUses are the ways to use the time, the default first.
var timeUses = []string{"smooth", "likeliest", "tier"}

// Define defines the flags.
func (f *CausalFlags) Define(s *cli.FlagSet) {
	s.Group("Test")
	s.Choice(&f.Test, "test", "kci", causalTests, "the `test` of independence given other columns: "+
		"kci (kernels; dependence of any kind), residual (what regressions leave, with HSIC: not a test "+
		"of conditional independence where noise depends on the other columns), fisherz (partial "+
		"correlations), or g2 (counts of columns with few values)")
	s.Text(&f.levels, "alpha", "0.05", "`level` of each test: independent if p is larger; with "+
		"-stability several with commas between, the first of which is that of the graph")
	s.Whole(&f.Depth, "depth", -1, "the largest `number` of columns that are given in a test; -1: no "+
		"limit")
	s.Choice(&f.Choose, "choose", "", chooseCausal, "the `rule` that gives the kernels of kci and "+
		"residual their lengthscales: median (the heuristic) or learned (the posterior mode in a Bayesian "+
		"model) (default for kci a width that falls with the number of rows, for residual median)")
	s.Whole(&f.inputs, "inputs", 0, "the `number` of pseudo-inputs for -choose learned (default min(10, "+
		"n/5), doubled if the fit calls for it)")
	s.Text(&f.Categories, "categories", "", "the `columns` whose numbers are names of categories, "+
		"separated by commas; columns of text always are. For kci, residual and g2")
	s.Choice(&f.Colliders, "colliders", "sets", []string{"sets", "majority", "conservative"}, "the "+
		"`rule` by which x - y - z becomes x -> y <- z: y is in none of the sets that separated x and z "+
		"(sets), in fewer than half of all sets that separate them (majority), or in none of these "+
		"(conservative)")
	s.Group("Knowledge")
	s.Text(&f.Tiers, "tiers", "", "the order in time, as \"a,b;c,d\": no `column` has an effect on one "+
		"of an earlier tier")
	s.Text(&f.Forbid, "forbid", "", "`effects` that are not there, as \"a->b;c->d\"; a--b forbids both "+
		"ways")
	s.Text(&f.Require, "require", "", "`effects` that are there, as \"a->b\"")
	s.Text(&f.Time, "time", "", "the `column` of the time")
	s.Choice(&f.TimeAs, "time-as", timeUses[0], timeUses, "`how` the time is used: smooth takes out of "+
		"each column what a Gaussian process of the time predicts, with the longest lengthscale that is a "+
		"maximum of the likelihood; likeliest takes the highest maximum; tier keeps the time as a column "+
		"that nothing has an effect on")
	s.Group("Answers")
	s.Whole(&f.Stability, "stability", 0, "learn the graph from this `number` of random halves of the "+
		"rows too, each with pseudo-inputs of its own, and say how often each edge is found, and which way")
	s.Text(&f.Adjust, "adjust", "", "say which columns to adjust for to estimate an `effect`, as a->b")
	s.Text(&f.Truth, "truth", "", "compare with the graph of this `file`, JSON as in graph.json")
	s.Text(&f.Log, "log", "", "keep every test in this `file`, and the half-samples in the same with "+
		".halves: a run that was stopped goes on from there")
	s.Seed(&f.Seed, "seed", 1, "the `seed` of half-samples and of tests that draw")
}

// Check finds what is wrong with the flags, and reads what they name.
func (f *CausalFlags) Check() error {
	if err := f.readLevels(); err != nil {
		return err
	}
	kernels := f.Test == "kci" || f.Test == "residual"
	switch {
	case f.Depth < -1:
		return cli.Usagef("-depth is %d, want 0 or more, or -1 for no limit", f.Depth)
	case f.Stability < 0 || f.Stability > mostHalves:
		return cli.Usagef("-stability is %d, want 0 to %d", f.Stability, mostHalves)
	case len(f.Levels) > 1 && f.Stability == 0:
		return cli.Usagef("-alpha has %d levels, which are for -stability: the graph has one",
			len(f.Levels))
	case f.Categories != "" && f.Test == "fisherz":
		return cli.Usagef("-categories are for the tests kci, residual and g2, and -test is fisherz")
	case f.Choose != "" && !kernels:
		return cli.Usagef("-choose is for the tests kci and residual, and -test is %s", f.Test)
	case f.inputs != 0 && f.Choose != "learned":
		return cli.Usagef("-inputs is for -choose learned")
	case f.inputs != 0 && f.inputs < 2:
		return cli.Usagef("-inputs is %d, want at least 2", f.inputs)
	}
	var err error
	if f.knowledge.Tiers, err = causal.ParseTiers(f.Tiers); err != nil {
		return cli.Usagef("-tiers: %s", cli.OneLine(err))
	}
	if f.knowledge.Forbidden, err = causal.ParseArrows(f.Forbid); err != nil {
		return cli.Usagef("-forbid: %s", cli.OneLine(err))
	}
	if f.knowledge.Required, err = causal.ParseArrows(f.Require); err != nil {
		return cli.Usagef("-require: %s", cli.OneLine(err))
	}
	if f.Adjust != "" {
		pair, err := causal.ParseArrows(f.Adjust)
		if err != nil || len(pair) != 1 {
			return cli.Usagef("-adjust is %q, want one effect, as a->b", f.Adjust)
		}
		f.adjustFrom, f.adjustTo = pair[0].From, pair[0].To
	}
	return f.readTruth()
}

// readLevels reads -alpha.
func (f *CausalFlags) readLevels() error {
	f.Levels = nil
	for _, word := range input.Split(f.levels) {
		v, err := strconv.ParseFloat(word, 64)
		switch {
		case err != nil || !(v > 0 && v < 1):
			return cli.Usagef("-alpha is %s, want it between 0 and 1", word)
		case slices.Contains(f.Levels, v):
			return cli.Usagef("-alpha has %s twice", word)
		}
		f.Levels = append(f.Levels, v)
	}
	if len(f.Levels) == 0 {
		return cli.Usagef("-alpha is %q, want a number between 0 and 1", f.levels)
	}
	f.Alpha = f.Levels[0]
	return nil
}

// readTruth reads the graph to compare with.
func (f *CausalFlags) readTruth() error {
	if f.Truth == "" {
		return nil
	}
	file, err := os.Open(f.Truth)
	if err != nil {
		return fmt.Errorf("-truth: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	if f.truth, err = graph.ReadJSON(file); err != nil {
		return fmt.Errorf("-truth %s: %w", f.Truth, err)
	}
	return nil
}

// Admit refuses flags that do not suit the columns.
func (f *CausalFlags) Admit(d *input.Dataset) error {
	known := func(flag, name string) error {
		if !slices.Contains(d.Columns, name) {
			return fmt.Errorf("-%s: there is no column %s, only %s", flag, name,
				strings.Join(d.Columns, ", "))
		}
		return nil
	}
	if f.Test == "fisherz" {
		if err := d.Numbers("-test fisherz", "use -test kci, or leave it out by -drop COLUMN"); err != nil {
			return err
		}
	}
	for _, name := range []string{f.adjustFrom, f.adjustTo} {
		if name != "" {
			if err := known("adjust", name); err != nil {
				return err
			}
		}
	}
	if f.Time != "" {
		if err := known("time", f.Time); err != nil {
			return err
		}
	}
	if f.Time != "" && f.TimeAs != "tier" {
		if err := d.Numbers("-time-as "+f.TimeAs, "use -time-as tier, or leave it out by -drop "+
			"COLUMN"); err != nil {
			return err
		}
		if f.adjustFrom == f.Time || f.adjustTo == f.Time {
			return fmt.Errorf("-adjust names %s, which -time-as %s takes out of the table", f.Time, f.TimeAs)
		}
	}
	for _, a := range f.knowledge.Required {
		if a.To == f.Time && f.TimeAs == "tier" {
			return fmt.Errorf("-require %v contradicts -time %s, on which nothing has an effect", a, f.Time)
		}
	}
	return nil
}

// options are those of the algorithm, for these columns.
func (f *CausalFlags) options(columns []string) causal.Options {
	o := causal.Options{Alpha: f.Alpha, Depth: f.Depth, Knowledge: f.knowledge}
	switch {
	case f.Depth < 0:
		o.Depth = 0
	case f.Depth == 0:
		o.Depth = causal.EmptySets
	}
	switch f.Colliders {
	case "majority":
		o.Colliders = causal.Majority
	case "conservative":
		o.Colliders = causal.Conservative
	}
	if f.Time != "" && f.TimeAs == "tier" {
		o.Knowledge.Forbidden = slices.Clone(o.Knowledge.Forbidden)
		for _, name := range columns {
			if name != f.Time {
				o.Knowledge.Forbidden = append(o.Knowledge.Forbidden, causal.Arrow{From: name, To: f.Time})
			}
		}
	}
	return o
}

// open makes the test of a table.
func (f *CausalFlags) open(d *causal.Data, categories []*input.Category, seed uint64) (causal.Test,
	error) {
	switch f.Test {
	case "fisherz":
		return causal.NewFisherZ(d)
	case "g2":
		return causal.NewGSquare(d)
	}
	return f.kernelTest(d, categories, seed)
}

// about says what a log is of.
func (f *CausalFlags) about(d *causal.Data, categories []*input.Category) string {
	var names []string
	for j, c := range categories {
		if c != nil {
			names = append(names, fmt.Sprint(d.Names()[j], " ", c.Names))
		}
	}
	slices.Sort(names)
	test := f.Test
	if f.Choose != "" {
		test += " " + f.Choose
	}
	if f.inputs > 0 {
		test += fmt.Sprint(" ", f.inputs)
	}
	return fmt.Sprintf("tests %s, seed %d, categories %q, table %s", test, f.Seed, names,
		d.Fingerprint())
}
