package causal

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/kerneltest/conditional"

	"gonum.org/v1/gonum/stat/distuv"
)

// assumes says in one line what the search takes for granted.
func (f *flags) assumes() string {
	const others = "nothing affects its own cause, even indirectly, and effects along different paths do not cancel out"
	switch {
	case f.hidden:
		return "Assumed: " + others + ". Something unseen may affect several columns."
	case f.lingam:
		return "Assumed: effects are linear, nothing affects its own cause, even indirectly, and nothing unseen affects two columns."
	}
	return "Assumed: nothing unseen affects two columns (add -hidden to drop this), " + others + "."
}

// mostNames is how many edges a headline names.
const mostNames = 4

// sureOf is an edge with the marks that most random halves have, and whether most have the edge.
func (g *learned) sureOf(e graph.Edge) (sure graph.Edge, there bool) {
	s := g.frequencies()
	if s == nil {
		return e, true
	}
	return s.Sure(e, g.flags.hidden)
}

// directions are the arrows that a headline names, and those that most random halves have too, but not nearly all.
func (g *learned) directions() (certain, likely []graph.Edge) {
	s := g.frequencies()
	for _, e := range g.edges() {
		sure, there := g.sureOf(e)
		switch {
		case !there || sure.Type() != "directed":
		case s == nil || g.flags.hidden || s.Certain(e) && s.Of(e.From, e.To).Forward >= likelyFrom:
			certain = append(certain, sure)
		default:
			likely = append(likely, sure)
		}
	}
	return g.surestFirst(certain), g.surestFirst(likely)
}

// finding is the first sentence. It names the links that most random halves have, and the directions that nearly all have; in
// a partial graph, where marks rest on stricter tests, those that most have.
func (g *learned) finding() string {
	there, rest := 0, 0
	for _, e := range g.edges() {
		if _, yes := g.sureOf(e); yes {
			there++
		} else {
			rest++
		}
	}
	certain, likely := g.directions()
	columns := cli.Plural(len(g.data.Columns), "column")
	if there+rest == 0 {
		return fmt.Sprintf("No two of %s are linked: the graph has no edges.", columns)
	}
	if there == 0 {
		return fmt.Sprintf("No two of %s are linked in %s; the graph of all rows has %s that most of them "+
			"lack.", columns, g.most(), cli.Plural(rest, "edge"))
	}
	s := fmt.Sprintf("Among %s, %s %s linked", columns, cli.Plural(there, "pair"), cli.Verb(there, "is", "are"))
	if g.stable != nil {
		s += " in " + g.most()
	}
	const unless = "unless something unseen affects both columns"
	both, heads := g.partly()
	switch n := len(certain); {
	case n == 0 && len(both) > 0:
		says := "something unseen affects both columns of"
		if g.stable != nil { // a half may say otherwise
			says = "most of these say that " + says
		}
		s += fmt.Sprintf("; %s %s: %s", says, cli.Plural(len(both), "pair"), g.arrows(both))
	case n == 0 && heads > 0:
		s += fmt.Sprintf("; of %d of them the rows tell which column is not the cause", heads)
	case n == 0 && len(likely) == 0:
		s += "; the rows do not tell which way effects run"
	case g.fewHalves():
		s += fmt.Sprintf("; %s are too few to say which directions are sure, want at least %d (-stability)", halves(g.used()), enoughHalves)
	case n == 0:
		s += "; no direction is fairly sure (found in " + nearlyAll + " of them)"
	case g.flags.hidden:
		s += fmt.Sprintf("; %d %s a direction: %s", n, cli.Verb(n, "has", "have"), g.arrows(certain))
	case g.stable == nil || g.used() == 1:
		s += fmt.Sprintf("; %d %s a direction, %s: %s", n, cli.Verb(n, "has", "have"), unless, g.arrows(certain))
	default:
		s += fmt.Sprintf("; %s %s fairly sure (found in %s %s) %s: %s", cli.Plural(n, "direction"), cli.Verb(n, "is", "are"), nearlyAll,
			g.ofThem(certain), unless, g.arrows(certain))
	}
	return s + "."
}

// partly are the links of a partial graph, in most halves, whose two columns something unseen affects, and how many others
// have one column that is not the cause.
func (g *learned) partly() (both []graph.Edge, heads int) {
	if !g.flags.hidden {
		return nil, 0
	}
	for _, e := range g.edges() {
		sure, there := g.sureOf(e)
		switch {
		case !there:
		case sure.MarkFrom == graph.Arrow && sure.MarkTo == graph.Arrow:
			both = append(both, sure)
		case (sure.MarkFrom == graph.Arrow) != (sure.MarkTo == graph.Arrow):
			heads++
		}
	}
	return both, heads
}

// enoughHalves is the number of random halves from which on nearly all of them may be said to have something.
const enoughHalves = 20

// fewHalves reports whether there were several halves, but too few to say what nearly all have.
func (g *learned) fewHalves() bool {
	return g.stable != nil && !g.flags.hidden && g.used() > 1 && g.used() < enoughHalves
}

// ofThem says of which halves nearly all have these arrows.
func (g *learned) ofThem(arrows []graph.Edge) string {
	s := g.frequencies()
	if slices.ContainsFunc(arrows, func(e graph.Edge) bool { return s.Of(e.From, e.To).Forward <= causal.NearlyAll }) {
		return "of those with the link" // in all of them
	}
	return "of them"
}

var nearlyAll = fmt.Sprintf("over %g%%", 100*causal.NearlyAll)

// likelyFrom is the share of random halves from which on a direction is called likely.
const likelyFrom = .75

// likely names the directions that most random halves have, but not nearly all.
func (g *learned) likely() []string {
	certain, likely := g.directions()
	if g.fewHalves() {
		likely = append(certain, likely...)
	}
	var near, far []graph.Edge // far are found in most halves, and that is all
	for _, e := range likely {
		if g.frequencies().Of(e.From, e.To).Forward < likelyFrom {
			far = append(far, e)
		} else {
			near = append(near, e)
		}
	}
	var out []string
	if len(near) > 0 {
		out = append(out, fmt.Sprintf("Likely, but less sure, %s %s.", cli.Verb(len(near), "is", "are"), g.arrows(near)))
	}
	if len(far) > 0 {
		out = append(out, fmt.Sprintf("Found more often than not, but far from sure, %s %s.", cli.Verb(len(far), "is", "are"), g.arrows(far)))
	}
	return out
}

// arrows names the first few arrows.
func (g *learned) arrows(list []graph.Edge) string {
	var names []string
	for i, e := range list[:min(len(list), mostNames)] {
		names = append(names, e.String()+g.share(e, i == 0))
	}
	if len(list) > mostNames {
		return strings.Join(names, ", ") + ", …"
	}
	return cli.AndList(names)
}

// most names the random halves of which most have something.
func (g *learned) most() string {
	if g.used() == 1 {
		return "the one random half of the rows"
	}
	return "most of " + halves(g.used()) + " of the rows"
}

// used is the number of random halves whose graph was learned.
func (g *learned) used() int { return g.stable.Replicates - g.stable.Failed }

// halves counts random halves of the rows.
func halves(n int) string {
	if n == 1 {
		return "1 random half"
	}
	return fmt.Sprintf("%d random halves", n)
}

// surestFirst sorts arrows by the share of random halves that have them, where there were any.
func (g *learned) surestFirst(arrows []graph.Edge) []graph.Edge {
	if s := g.frequencies(); s != nil {
		slices.SortStableFunc(arrows, func(a, b graph.Edge) int {
			return cmp.Compare(s.Of(b.From, b.To).Forward, s.Of(a.From, a.To).Forward)
		})
	}
	return arrows
}

// share is the share of random halves that have this arrow, in brackets, the first with what it is of; "" where there
// were none.
func (g *learned) share(e graph.Edge, first bool) string {
	s := g.frequencies()
	if s == nil {
		return ""
	}
	of := s.Of(e.From, e.To)
	part := of.Forward
	if e.MarkFrom == graph.Arrow && e.MarkTo == graph.Arrow {
		part = of.Conflict
	}
	if first {
		return fmt.Sprintf(" (in %.0f%% of the halves)", 100*part)
	}
	return fmt.Sprintf(" (%.0f%%)", 100*part)
}

// next says what to do with the graph.
func (g *learned) next() []string {
	f := g.flags
	linked, open := false, graph.Edge{}
	for _, e := range g.edges() {
		sure, there := g.sureOf(e)
		if linked = linked || there; open.From == "" && there && sure.Type() != "directed" {
			open = e
		}
	}
	switch {
	case len(g.edges()) == 0:
		return nil
	case !linked:
		return []string{"Next: collect more rows, or name fewer columns (-columns): few rows show little where many " +
			"columns are held fixed."}
	}
	var do []string
	if open.From != "" && f.tiers == "" && f.forbid == "" && f.require == "" {
		do = append(do, "say which effect is impossible, if you know of one (-forbid "+cli.Quote(open.From+"->"+open.To)+" says that "+
			open.From+" cannot affect "+open.To+"), or what comes first in time (-tiers): that may settle directions which the rows leave open")
	}
	if !f.hidden && !f.lingam {
		do = append(do, "give -hidden to see what is left if something unseen may affect several columns")
	}
	if f.effects == "" && f.adjust == "" && !f.hidden {
		do = append(do, "give -effects all to see whether more of one means more or less of another, and by how much")
	}
	if len(do) == 0 {
		return nil
	}
	return []string{"Next: " + strings.Join(do, "; ") + ". Only an experiment makes an arrow certain."}
}

// sure says what else is known about the graph.
func (g *learned) sure() []string {
	var out []string
	rows, _ := g.data.P.Dims()
	if s := g.flags.unhalved(g.Tests, rows); s != "" {
		out = append(out, s)
	}
	if g.unusable != "" {
		out = append(out, g.unusable)
	}
	if s := g.untiered(); s != "" {
		out = append(out, s)
	}
	out = slices.Concat(out, g.likely(), g.unseen(), g.impossible())
	if s := g.chance(); s != "" {
		out = append(out, s)
	}
	if s := g.power(); s != "" {
		out = append(out, s)
	}
	if g.stable != nil && g.stable.Failed > 0 {
		out = append(out, fmt.Sprintf("%s could not be used, the first because: %s.",
			halves(g.stable.Failed), cli.WithoutPackages(g.stable.Failure)))
	}
	if a := g.adjust; a != nil {
		out = append(out, adjustWords(a))
		if s := effectWords(g.adjusted); s != "" {
			out = append(out, s)
		}
	}
	if n := len(g.effects); n > mostEffects {
		out = append(out, fmt.Sprintf("effects.csv has all %d effects, the table the first %d.", n, mostEffects))
	}
	for _, c := range g.compared {
		out = append(out, truthWords(c))
	}
	if n := len(g.disagreements); n > 0 {
		out = append(out, fmt.Sprintf("A second test, of residuals, would have decided otherwise in %s: summary.json and "+
			"the end of the page list them.", cli.Plural(n, "place")))
	} else if g.flags.comparesResiduals() && g.LeastRows <= conditional.FeatureRows && len(g.edges()) > 0 {
		out = append(out, "A second kind of test, of residuals, finds the same links.")
	}
	return slices.Concat(out, g.Notes, g.next())
}

// untiered names columns that -tiers leaves out.
func (g *learned) untiered() string {
	if g.flags.tiers == "" {
		return ""
	}
	named := slices.Concat(g.flags.knowledge.Tiers...)
	var left []string
	for _, name := range g.data.Columns {
		if !slices.Contains(named, name) {
			left = append(left, name)
		}
	}
	if len(left) == 0 {
		return ""
	}
	return fmt.Sprintf("-tiers does not name %s, which may come anywhere in time.", cli.AndList(cli.Fewer(left)))
}

// unseen says in words what the marks of a partial graph mean, for the edges in most random halves.
func (g *learned) unseen() []string {
	if !g.flags.hidden {
		return nil
	}
	var out []string
	left := 0
	for _, e := range g.edges() {
		e, there := g.sureOf(e)
		if !there {
			continue
		}
		if len(out) == 2*mostNames {
			left++
			continue
		}
		out = append(out, markWords(e))
	}
	if left > 0 {
		out = append(out, fmt.Sprintf("The table has %s more.", cli.Plural(left, "edge")))
	}
	return out
}

// markWords says what an edge of a partial graph means.
func markWords(e graph.Edge) string {
	a, b := e.From, e.To
	switch [2]graph.Mark{e.MarkFrom, e.MarkTo} {
	case [2]graph.Mark{graph.Tail, graph.Arrow}:
		return fmt.Sprintf("%v: %s causes %s, directly or through columns that are not here.", e, a, b)
	case [2]graph.Mark{graph.Arrow, graph.Arrow}:
		return fmt.Sprintf("%v: something unseen causes both %s and %s, and neither causes the other.", e, a, b)
	case [2]graph.Mark{graph.Circle, graph.Arrow}:
		return fmt.Sprintf("%v: %s or something unseen causes %s, and %s does not cause %s.", e, a, b, b, a)
	case [2]graph.Mark{graph.Tail, graph.Tail}:
		return fmt.Sprintf("%v: which rows are in the table depends on both %s and %s.", e, a, b)
	}
	return fmt.Sprintf("%v: %s causes %s, or the other way round, or something unseen causes both: the rows "+
		"cannot tell.", e, a, b)
}

// givens are words for what nothing in a table is likely to cause.
var givens = []string{"month", "day", "year", "date", "time", "hour", "week", "season", "age", "sex", "gender",
	"race", "birth", "born", "latitude", "longitude"}

// impossible asks about directions that are hardly possible: into the month, or the age.
func (g *learned) impossible() []string {
	if g.flags.tiers != "" {
		return nil
	}
	var first, into, open []string
	for _, name := range g.Graph.Names() {
		word := strings.ToLower(name)
		if !slices.ContainsFunc(givens, func(s string) bool {
			return word == s || len(s) > 3 && strings.HasPrefix(word, s)
		}) {
			continue
		}
		before := len(into) + len(open)
		for _, e := range g.Graph.Edges() {
			switch {
			case e.From == name && e.MarkTo != graph.Arrow || e.To == name && e.MarkTo != graph.Arrow && e.MarkFrom != graph.Arrow:
				open = append(open, e.String())
			case e.To == name && e.MarkTo == graph.Arrow && e.MarkFrom == graph.Tail:
				into = append(into, e.String())
			}
		}
		if len(into)+len(open) > before {
			first = append(first, name)
		}
	}
	var why []string
	if len(into) > 0 {
		why = append(why, "the graph has "+cli.AndList(into))
	}
	if len(open) > 0 {
		why = append(why, "the rows leave the direction of "+cli.AndList(open)+" open")
	}
	if len(why) == 0 {
		return nil
	}
	rest := slices.DeleteFunc(slices.Clone(g.Graph.Names()), func(s string) bool { return slices.Contains(first, s) })
	return []string{fmt.Sprintf("Can anything here have an effect on %s? If not, say so by -tiers \"%s;%s\": %s.",
		cli.OrList(first), strings.Join(first, ","), strings.Join(rest, ","), cli.AndList(why))}
}

// fewForPower is the number of rows below which the power of the tests is told.
const fewForPower = 150

// power says what few rows cannot show: the partial correlation that a test given two columns finds
// in four tables of five.
func (g *learned) power() string {
	n := g.LeastRows
	if n == 0 || n >= fewForPower || n < 8 || g.flags.lingam {
		return ""
	}
	z := distuv.UnitNormal.Quantile(1-g.flags.alpha/2) + distuv.UnitNormal.Quantile(0.8)
	held := min(2, len(g.data.Columns)-2)
	given := [3]string{"", " given one column", " given two columns"}[held]
	r := math.Tanh(z / math.Sqrt(float64(n-3-held)))
	more := ""
	if g.flags.test != "fisherz" {
		more = "; of other shapes it has to be stronger"
	}
	return fmt.Sprintf("%d rows are few: with %s at level %g, a straight-line dependence%s is found in 80%% of "+
		"tables only if its partial correlation is about %.2f%s. A missing edge says little.", n,
		cli.Plural(g.Tests, "test"), g.flags.alpha, given, r, more)
}

// chance says that of many pairs some are linked by chance, which halves of the same rows share.
func (g *learned) chance() string {
	d := len(g.data.Columns)
	pairs := d * (d - 1) / 2
	by := g.flags.alpha * float64(pairs)
	if by < 2 || g.flags.lingam || len(g.edges()) == 0 {
		return ""
	}
	return fmt.Sprintf("Of %d pairs of columns, all independent, about %.0f would be dependent at level %g by chance, and a few of "+
		"these stay linked: random halves share the chance of their rows. -alpha %s leaves one such pair in %.0f tables.", pairs, by,
		g.flags.alpha, report.Short(g.flags.alpha/float64(pairs)), 1/g.flags.alpha)
}

// effectWords tells an estimate.
func effectWords(e *causal.Effect) string {
	switch {
	case e == nil || e.None:
		return ""
	case e.Why != "":
		return e.Why
	case e.Adjusted != nil:
		a := e.Adjusted
		return fmt.Sprintf("In a linear model, where %s is set one unit higher the mean of %s changes by %s (95%% "+
			"interval %s to %s).", e.X, e.Y, report.Short(a.Effect), report.Short(a.Low), report.Short(a.High))
	}
	return fmt.Sprintf("In a linear model, over all graphs with these links and known directions, the effect of "+
		"%s on %s lies between %s and %s (95%% intervals included).", e.X, e.Y, report.Short(e.Low),
		report.Short(e.High))
}

// adjustWords say what to adjust for.
func adjustWords(a *graph.Adjustment) string {
	if !a.Exists || a.Why != "" {
		return a.Why
	}
	s := fmt.Sprintf("The effect of %s on %s needs no adjustment.", a.X, a.Y)
	if len(a.Minimal) > 0 {
		s = fmt.Sprintf("To estimate the effect of %s on %s adjust for %s; no smaller part of this does.",
			a.X, a.Y, cli.AndList(a.Minimal))
	}
	if !slices.Equal(a.Minimal, a.Optimal) {
		least := "nothing"
		if len(a.Optimal) > 0 {
			least = cli.AndList(a.Optimal)
		}
		s += fmt.Sprintf(" In linear models adjusting for %s gives the smallest variance.", least)
	}
	return s
}

// truthWords compare with a known graph.
func truthWords(c comparison) string {
	return fmt.Sprintf("Compared with %s, the structural Hamming distance is %d: %s missing, %d too "+
		"many, %d with other marks. Adjacencies have precision %s and recall %s, arrowheads %s and %s.",
		c.with, c.SHD, cli.Plural(c.Missing, "edge"), c.Extra, c.Reversed, report.Decimals(c.AdjacencyPrecision),
		report.Decimals(c.AdjacencyRecall), report.Decimals(c.ArrowheadPrecision),
		report.Decimals(c.ArrowheadRecall))
}

// basis says what the graph is based on.
func (g *learned) basis() []string {
	f := g.flags
	how := ""
	switch f.choose {
	case "median":
		how = ", lengthscales by the median heuristic"
	case "learned":
		how = ", lengthscales learned"
	}
	_, name := f.algorithm()
	tests := testWords(f.test)
	if f.lingam {
		tests = testWords("fisherz")
	}
	algorithm := "The " + name + " algorithm"
	if f.lingam {
		algorithm = name
	}
	s := fmt.Sprintf("%s made %s (%s%s, level %g)", algorithm, cli.Plural(g.Tests, "test"), tests, how, f.alpha)
	switch n, _ := g.data.P.Dims(); {
	case g.LeastRows == n:
		s += fmt.Sprintf(" on %d rows", n)
	case g.LeastRows > 0:
		s += fmt.Sprintf(", the one with fewest rows with %d", g.LeastRows)
	}
	out := []string{s + ".", f.assumes()}
	if n := g.LeastRows; n > conditional.FeatureRows && tests == testWords("kci") {
		out = append(out, fmt.Sprintf("With more than %d rows kernel tests take features in the place of whole "+
			"kernel matrices, and given two or more columns part of a test takes 400 or 500 of the rows.",
			conditional.FeatureRows))
	}
	if f.test == "residual" {
		out = append(out, "The test of residuals is not a test of conditional independence where the scale "+
			"of the noise depends on the columns that are given: it then finds edges that are not there.")
	}
	if f.time != "" {
		s := fmt.Sprintf("Nothing has an effect on %s, the time.", f.time)
		if g.whitened != nil {
			s = fmt.Sprintf("What a Gaussian process of %s predicts was taken out of each column.", f.time)
		}
		out = append(out, s+" Rows that follow each other may still be dependent: p-values are then too "+
			"small, and frequencies too sure.")
	}
	return out
}

// testWords is the usual name of a test.
func testWords(name string) string {
	switch name {
	case "kci":
		return "kernel tests of conditional independence"
	case "residual":
		return "kernel tests of residuals"
	case "fisherz":
		return "partial correlations"
	}
	return "G² of counts"
}
