package formula

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"bayeskernel/draws"
	"bayeskernel/frame"

	"gonum.org/v1/gonum/mat"
)

// Effect is how the mean of the response goes with one column of the table, the others at typical values: means of
// numbers, the middle one of whole numbers with few values, the first level of factors, no group.
type Effect struct {
	Column             string
	X                  []float64 // a grid, or the places of Levels
	Levels             []string  // of a factor
	Mean, Lower, Upper []float64 // of the mean of the response: its median, and the ends of a 90% interval
	At                 string    // what the other columns are, in words; "" without others
	Category           string    // of a response in categories: that whose probability it is; "" otherwise
}

// fewValues is how many distinct whole numbers are taken one by one.
const fewValues = 12

// gridPoints is the number of places at which effects of numbers are computed.
const gridPoints = 60

// Effects computes the effects of all columns of the design and of smooth terms, for a reported run. Those of a response in
// categories are on the probability of each, one after the other.
func (r *Regression) Effects(run *draws.Run) ([]Effect, error) {
	var used []string
	for _, t := range r.Design.Terms {
		for _, c := range t.Uses {
			if !slices.Contains(used, c) {
				used = append(used, c)
			}
		}
	}
	for _, s := range r.Smooths {
		for _, c := range s.Uses {
			if !slices.Contains(used, c) {
				used = append(used, c)
			}
		}
	}
	names := slices.Clone(r.data.Names)
	var out []Effect
	for _, c := range used {
		e, err := r.effect(run, names, used, c)
		if err != nil {
			return nil, err
		}
		out = append(out, e...)
	}
	return out, nil
}

// onlySeen reports whether a column is made a factor, so that no value counts but those that were seen.
func (r *Regression) onlySeen(column string) bool {
	found := false
	all := slices.Clone(r.Design.plan.vars)
	for _, s := range r.Smooths {
		if s.by != nil {
			all = append(all, s.by)
		}
	}
	for _, v := range all {
		v.walk(func(n *node) {
			if n.kind == call && (n.text == "factor" || n.text == "as.factor") {
				n.names(func(c *node) { found = found || c.text == column })
			}
		})
	}
	return found
}

// typical is the value of a column that others are varied at.
func typical(c frame.Column, onlySeen bool) float64 {
	values := c.Floats()
	v := slices.Sorted(slices.Values(values))
	switch {
	case c.Kind == frame.Category || c.Kind == frame.Boolean:
		return 0
	case onlySeen:
		return v[0] // the first level
	case c.Kind == frame.Whole && len(slices.Compact(slices.Clone(v))) <= fewValues:
		return v[(len(v)-1)/2]
	}
	mean, size := 0.0, 0.0
	for i, x := range values {
		mean += (x - mean) / float64(i+1)
		size = max(size, math.Abs(x))
	}
	if math.Abs(mean) < 1e-12*size { // it is rounding
		return 0
	}
	return mean
}

// places are the values at which an effect is computed.
func places(c frame.Column, onlySeen bool) (x []float64, levels []string) {
	v := c.Floats()
	distinct := slices.Compact(slices.Sorted(slices.Values(v)))
	switch {
	case c.Kind == frame.Category:
		levels = c.Levels
	case c.Kind == frame.Boolean:
		levels = truths
	case onlySeen:
		for _, v := range distinct {
			levels = append(levels, c.Format(v))
		}
		return distinct, levels
	case c.Kind == frame.Whole && len(distinct) <= fewValues:
		return distinct, nil
	default:
		lo, hi := distinct[0], distinct[len(distinct)-1]
		for k := range gridPoints {
			x = append(x, lo+(hi-lo)*float64(k)/(gridPoints-1))
		}
		return x, nil
	}
	for k := range levels {
		x = append(x, float64(k))
	}
	return x, levels
}

func (r *Regression) effect(run *draws.Run, names, used []string, column string) ([]Effect, error) {
	c, _ := r.data.Column(column)
	e := Effect{Column: column}
	e.X, e.Levels = places(c, r.onlySeen(column))
	data := mat.NewDense(len(e.X), len(names), nil)
	var at []string
	for j, name := range names {
		other, _ := r.data.Column(name)
		if name == column {
			data.SetCol(j, e.X)
			continue
		}
		if !slices.Contains(used, name) {
			continue
		}
		v := typical(other, r.onlySeen(name))
		for i := range e.X {
			data.Set(i, j, v)
		}
		at = append(at, fmt.Sprintf("%s = %s", name, shown(other, v)))
	}
	e.At = strings.Join(at, ", ")
	table := &frame.Frame{Source: "typical rows", Names: names, Data: data, Types: r.data.Types}
	x, err := r.Design.Rows(table)
	if err != nil {
		return nil, err
	}
	var lines [][]float64
	var bends []*mat.Dense
	other := *r
	other.data = table
	for _, s := range r.Smooths {
		line, bend, err := s.at(&other)
		if err != nil {
			return nil, err
		}
		lines, bends = append(lines, line), append(bends, bend)
	}
	offset := 0.0
	for i, o := range r.offset {
		offset += (o - offset) / float64(i+1)
	}
	var sums []linear
	for _, of := range r.predictors {
		l := r.columns(of, len(e.X), x, lines, bends)
		l.offset = make([]float64, len(e.X))
		for i := range l.offset {
			l.offset[i] = offset
		}
		sums = append(sums, l)
	}
	return r.bands(run, sums, e)
}

// shown writes a typical value.
func shown(c frame.Column, v float64) string {
	if c.Kind == frame.Category || c.Kind == frame.Boolean {
		return c.Format(v)
	}
	return fmt.Sprintf("%.3g", v)
}

// bands computes the mean of the response, or the probabilities of its categories, draw by draw.
func (r *Regression) bands(run *draws.Run, sums []linear, e Effect) ([]Effect, error) {
	out := []Effect{e}
	if r.family.categories {
		out = make([]Effect, r.categories())
		for k := range out {
			out[k] = e
			out[k].Category = r.category(k + 1)
		}
	}
	values := make([][][]float64, len(out))
	for k := range values {
		values[k] = make([][]float64, len(e.X))
	}
	eta := make([]float64, len(sums))
	for _, c := range run.Chains {
		err := c.Each(func(_ int, row []float64) error {
			for i := range e.X {
				for k := range sums {
					eta[k] = sums[k].eta(i, row)
				}
				if !r.family.categories {
					values[0][i] = append(values[0][i], r.mean(eta[0], row))
					continue
				}
				for k, p := range r.probabilities(eta, row) {
					values[k][i] = append(values[k][i], p)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for k := range out {
		for _, v := range values[k] {
			slices.Sort(v)
			out[k].Mean, out[k].Lower, out[k].Upper = append(out[k].Mean, quantile(v, .5)), append(out[k].Lower, quantile(v, .05)),
				append(out[k].Upper, quantile(v, .95))
		}
	}
	return out, nil
}

// quantile interpolates sorted values.
func quantile(v []float64, p float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	h := p * float64(len(v)-1)
	k := int(h)
	if k+1 == len(v) {
		return v[k]
	}
	return v[k] + (h-float64(k))*(v[k+1]-v[k])
}

// Sentences say what the coefficients mean, of terms whose column stands in no other, and of products of two
// columns where the mean is the sum of the terms.
func (r *Regression) Sentences(s *draws.Summary) []string {
	var out []string
	for number, of := range r.predictors {
		out = append(out, r.sentencesOf(s, number, of)...)
	}
	if r.family.link == identity && !r.family.categories && r.Family != "lognormal" {
		out = append(out, r.products(s)...)
	}
	return out
}

// products say how the slope of one column goes with another, of terms x:w and x:g.
func (r *Regression) products(s *draws.Summary) []string {
	var out []string
	open := r.open(s)
	for k, t := range r.Design.Terms {
		var vars []*node
		for j, v := range r.Design.plan.vars {
			if uint64(r.Design.plan.terms[k])>>j&1 == 1 {
				vars = append(vars, v)
			}
		}
		if len(vars) != 2 || vars[0].kind != name || vars[1].kind != name || r.inMore(k) {
			continue
		}
		x, w := vars[0], vars[1]
		if r.Design.state.levels[x.String()] != nil {
			x, w = w, x
		}
		levels := r.Design.state.levels[w.String()]
		c, ok := r.data.Column(x.text)
		if r.Design.state.levels[x.String()] != nil || !ok || c.Kind == frame.Boolean ||
			t.To-t.From != max(1, len(levels)-1) {
			continue
		}
		for j := t.From; j < t.To; j++ {
			p, known := r.slope(s, open, "", j)
			if !known {
				continue
			}
			where, beside := "for each one more of "+w.text, ""
			if levels != nil {
				where, beside = fmt.Sprintf("where %s = %s", w, levels[j-t.From+1]), fmt.Sprintf(" than where %s = %s", w, levels[0])
			}
			switch {
			case p.Q05 < 0 && p.Q95 > 0:
				out = append(out, fmt.Sprintf("The slope of %s may be lower or higher %s%s (%.3g lower to %.3g higher).", x.text,
					where, beside, -p.Q05, p.Q95))
			case p.Q50 < 0:
				out = append(out, fmt.Sprintf("The slope of %s is %.3g lower %s%s%s.", x.text, -p.Q50, where, beside, interval(-p.Q95, -p.Q05, "")))
			default:
				out = append(out, fmt.Sprintf("The slope of %s is %.3g higher %s%s%s.", x.text, p.Q50, where, beside, interval(p.Q05, p.Q95, "")))
			}
		}
	}
	return out
}

// slope is the coefficient of column j of the design in a sum of terms, and whether the data say anything of it: it is
// neither tied to others nor open to one side.
func (r *Regression) slope(s *draws.Summary, open []string, of string, j int) (p draws.Parameter, known bool) {
	name := r.Design.Names[j]
	p = s.Parameters[r.at["b_"+of+short(name)]]
	return p, !slices.Contains(r.tied, name) && !slices.Contains(open, p.Name)
}

// inMore reports whether a term is part of a larger one, as x:w is of x:w:g.
func (r *Regression) inMore(k int) bool {
	set := uint64(r.Design.plan.terms[k])
	for j := range r.Design.Terms {
		if other := uint64(r.Design.plan.terms[j]); j != k && other&set == set {
			return true
		}
	}
	return false
}

// Curves say how the mean of the response goes with columns that no single coefficient stands for, as those of
// products, polynomials and smooth terms: where the middle eight tenths of their values begin and end, or at each
// level.
func (r *Regression) Curves(s *draws.Summary, effects []Effect) []string {
	var out []string
	open := r.open(s)
	for _, e := range effects {
		if e.Category != "" || r.single(e.Column) {
			continue
		}
		known := true
		for _, t := range r.Design.Terms {
			for j := t.From; j < t.To && slices.Contains(t.Uses, e.Column); j++ {
				_, told := r.slope(s, open, "", j)
				known = known && told
			}
		}
		const mostLevels = 5
		if !known || len(e.Levels) > mostLevels {
			continue
		}
		var at []int
		for k := range e.Levels {
			at = append(at, k)
		}
		if e.Levels == nil {
			c, _ := r.data.Column(e.Column)
			v := slices.Sorted(slices.Values(c.Floats()))
			at = []int{nearest(e.X, quantile(v, .1)), nearest(e.X, quantile(v, .9))}
		}
		var parts []string
		for _, k := range at {
			place := fmt.Sprintf("%.3g", e.X[k])
			if e.Levels != nil {
				place = e.Levels[k]
			}
			parts = append(parts, fmt.Sprintf("%.3g%s where %s = %s", e.Mean[k], interval(e.Lower[k], e.Upper[k], ""), e.Column, place))
		}
		if lo, hi, turns := turning(e); turns {
			out = append(out, fmt.Sprintf("The %s is least where %s = %.3g, %.3g%s, and greatest where %s = %.3g, %.3g%s%s.", r.Predicted(),
				e.Column, e.X[lo], e.Mean[lo], interval(e.Lower[lo], e.Upper[lo], ""), e.Column, e.X[hi], e.Mean[hi],
				interval(e.Lower[hi], e.Upper[hi], ""), r.Beside(e)))
			continue
		}
		last := len(parts) - 1
		out = append(out, fmt.Sprintf("The %s is %s and %s%s.", r.Predicted(), strings.Join(parts[:last], ", "), parts[last], r.Beside(e)))
	}
	return out
}

// turning finds where the effect of a number is least and greatest, and reports whether it rises and falls so much
// between its ends, beyond its intervals, that these do not show it.
func turning(e Effect) (lo, hi int, turns bool) {
	if e.Levels != nil || len(e.X) < 3 {
		return 0, 0, false
	}
	for k, m := range e.Mean {
		if m < e.Mean[lo] {
			lo = k
		}
		if m > e.Mean[hi] {
			hi = k
		}
	}
	last := len(e.X) - 1
	ends := math.Abs(e.Mean[last] - e.Mean[0])
	inside := 0 < lo && lo < last || 0 < hi && hi < last
	return lo, hi, inside && e.Upper[lo] < e.Lower[hi] && e.Mean[hi]-e.Mean[lo] > 1.5*ends
}

// Predicted is what effects are of: the mean of y, the share, or the probability.
func (r *Regression) Predicted() string {
	y := r.Formula.Response.String()
	switch {
	case r.Counted():
		return "share of " + y
	case r.Family == "bernoulli" && r.Levels != nil:
		return fmt.Sprintf("probability of %s = %s", y, r.Levels[1])
	case r.Family == "bernoulli":
		return fmt.Sprintf("probability of %s = 1", y)
	}
	return "mean of " + y
}

// Beside says, after a comma, what an effect is computed with; "" for nothing.
func (r *Regression) Beside(e Effect) string {
	s := ""
	if e.At != "" {
		s = ", with " + e.At
	}
	if r.offset != nil {
		s += ", at the mean of the offset"
	}
	if len(r.Groups) > 0 {
		s += ", for an average group"
	}
	return s
}

// single reports whether one coefficient, or one for each level, stands for a column.
func (r *Regression) single(column string) bool {
	for _, s := range r.Smooths {
		if slices.Contains(s.Uses, column) {
			return false
		}
	}
	for k, t := range r.Design.Terms {
		if slices.Contains(t.Uses, column) {
			return !r.elsewhere(k) && bits.OnesCount64(uint64(r.Design.plan.terms[k])) == 1 && r.said(k)
		}
	}
	return true
}

// said reports whether sentencesOf speaks of the coefficients of a term of one variable.
func (r *Regression) said(k int) bool {
	t := r.Design.Terms[k]
	v := r.Design.plan.vars[bits.TrailingZeros64(uint64(r.Design.plan.terms[k]))]
	if levels := r.Design.state.levels[v.String()]; levels != nil {
		return t.To-t.From == len(levels)-1
	}
	return t.To-t.From == 1 && (v.kind == name || standardized(v))
}

// standardized reports whether a variable is a column in units of its standard deviation.
func standardized(v *node) bool {
	return v.kind == call && v.text == "scale" && len(v.args) == 1 && v.args[0].kind == name
}

// nearest is the place in an increasing grid of the value that is nearest.
func nearest(x []float64, v float64) int {
	best := 0
	for k := range x {
		if math.Abs(x[k]-v) < math.Abs(x[best]-v) {
			best = k
		}
	}
	return best
}

// sentencesOf are those of one sum of terms.
func (r *Regression) sentencesOf(s *draws.Summary, number int, of string) []string {
	var out []string
	open := r.open(s)
	for k, t := range r.Design.Terms {
		n := r.Design.plan.vars
		if bits.OnesCount64(uint64(r.Design.plan.terms[k])) != 1 || r.elsewhere(k) {
			continue
		}
		v := n[bits.TrailingZeros64(uint64(r.Design.plan.terms[k]))]
		levels := r.Design.state.levels[v.String()]
		for j := t.From; j < t.To; j++ {
			p, known := r.slope(s, open, of, j)
			odds := r.odds(number)
			switch {
			case !known:
			case levels != nil && t.To-t.From == len(levels)-1:
				out = append(out, r.sentence(fmt.Sprintf("%s = %s, compared with %s,", v, levels[j-t.From+1], levels[0]), odds, p))
			case levels == nil && t.To-t.From == 1 && standardized(v):
				out = append(out, r.sentence("One standard deviation more of "+strings.Join(t.Uses, ", "), odds, p))
			case levels == nil && v.kind == name && t.To-t.From == 1:
				if c, ok := r.data.Column(v.text); ok && c.Kind == frame.Boolean {
					out = append(out, r.sentence(v.text+" true, compared with false,", odds, p))
				} else {
					out = append(out, r.sentence("One more of "+v.text, odds, p))
				}
			}
		}
	}
	return out
}

// elsewhere reports whether a column of a term stands in another term.
func (r *Regression) elsewhere(k int) bool {
	for j, t := range r.Design.Terms {
		if j == k {
			continue
		}
		for _, c := range t.Uses {
			if slices.Contains(r.Design.Terms[k].Uses, c) {
				return true
			}
		}
	}
	return false
}

// odds names what the odds are of, in families of such; "" elsewhere.
func (r *Regression) odds(number int) string {
	y := r.Formula.Response.String()
	switch {
	case r.Family == "cumulative":
		return "a higher " + y
	case r.Family == "categorical":
		return fmt.Sprintf("%s = %s rather than %s", y, r.category(number+2), r.category(1))
	case r.family.link == logit && r.Levels != nil:
		return y + " = " + r.Levels[1]
	case r.family.link == logit:
		return y
	}
	return ""
}

// sentence says what goes with a difference.
func (r *Regression) sentence(what, odds string, p draws.Parameter) string {
	y := r.Formula.Response.String()
	lo, mid, hi := p.Q05, p.Q50, p.Q95
	if lo < 0 && hi > 0 {
		return r.unclear(what, odds, p)
	}
	switch {
	case odds != "":
		f := math.Exp
		return fmt.Sprintf("%s multiplies the odds of %s by %.3g (%.3g to %.3g).", what, odds, f(mid), f(lo), f(hi))
	case r.family.link == logLink || r.Family == "lognormal":
		if math.Abs(mid) > math.Ln2 {
			return fmt.Sprintf("%s goes with %.3g times the %s (%.3g to %.3g).", what, math.Exp(mid), y, math.Exp(lo), math.Exp(hi))
		}
		f := func(b float64) float64 { return 100 * math.Expm1(b) }
		if mid < 0 {
			return fmt.Sprintf("%s goes with %s%% less %s%s.", what, percent(-f(mid)), y, interval(-f(hi), -f(lo), "%"))
		}
		return fmt.Sprintf("%s goes with %s%% more %s%s.", what, percent(f(mid)), y, interval(f(lo), f(hi), "%"))
	case mid < 0:
		return fmt.Sprintf("%s goes with %.3g less %s%s.", what, -mid, y, interval(-hi, -lo, ""))
	}
	return fmt.Sprintf("%s goes with %.3g more %s%s.", what, mid, y, interval(lo, hi, ""))
}

// unclear says that the sign of a difference is not known.
func (r *Regression) unclear(what, odds string, p draws.Parameter) string {
	y := r.Formula.Response.String()
	what = strings.TrimSuffix(what, ",")
	switch {
	case odds != "":
		return fmt.Sprintf("%s: the odds of %s may be lower or higher (%.3g to %.3g times).", what, odds, math.Exp(p.Q05), math.Exp(p.Q95))
	case r.family.link == logLink || r.Family == "lognormal":
		return fmt.Sprintf("%s: %s may be lower or higher (%.3g to %.3g times).", what, y, math.Exp(p.Q05), math.Exp(p.Q95))
	}
	return fmt.Sprintf("%s: %s may be lower or higher (%.3g less to %.3g more).", what, y, -p.Q05, p.Q95)
}

// percent writes a percentage with two digits.
func percent(v float64) string {
	if v >= 10 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// interval writes the ends beside a middle.
func interval(lo, hi float64, unit string) string {
	return fmt.Sprintf(" (%.3g%s to %.3g%s)", lo, unit, hi, unit)
}
