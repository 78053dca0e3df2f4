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
// numbers, the most frequent of whole numbers with few values, the first level of factors, no group.
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
	v := c.Floats()
	distinct := slices.Compact(slices.Sorted(slices.Values(v)))
	switch {
	case c.Kind == frame.Category || c.Kind == frame.Boolean:
		return 0
	case onlySeen || c.Kind == frame.Whole && len(distinct) <= fewValues:
		count := map[float64]int{}
		best := distinct[0]
		for _, x := range v {
			count[x]++
			if count[x] > count[best] || count[x] == count[best] && x < best {
				best = x
			}
		}
		return best
	}
	mean := 0.0
	for i, x := range v {
		mean += (x - mean) / float64(i+1)
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
	case onlySeen || c.Kind == frame.Whole && len(distinct) <= fewValues:
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

// Sentences say what the coefficients mean, of terms whose column stands in no other.
func (r *Regression) Sentences(s *draws.Summary) []string {
	var out []string
	for number, of := range r.predictors {
		out = append(out, r.sentencesOf(s, number, of)...)
	}
	return out
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
			p := s.Parameters[r.at["b_"+of+short(r.Design.Names[j])]]
			odds := r.odds(number)
			switch {
			case slices.Contains(r.tied, r.Design.Names[j]) || slices.Contains(open, p.Name): // the data do not say
			case levels != nil && t.To-t.From == len(levels)-1:
				out = append(out, r.sentence(fmt.Sprintf("%s = %s, beside %s,", v, levels[j-t.From+1], levels[0]), odds, p))
			case levels == nil && v.kind == name && t.To-t.From == 1:
				if c, ok := r.data.Column(v.text); ok && c.Kind == frame.Boolean {
					out = append(out, r.sentence(v.text+" true, beside false,", odds, p))
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
		if math.Abs(mid) > 1 {
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
		return fmt.Sprintf("%s: whether the odds of %s are higher or lower is not settled (times %.3g to %.3g).", what, odds, math.Exp(p.Q05),
			math.Exp(p.Q95))
	case r.family.link == logLink || r.Family == "lognormal":
		return fmt.Sprintf("%s: more or less %s is not settled (%.3g to %.3g times).", what, y, math.Exp(p.Q05), math.Exp(p.Q95))
	}
	return fmt.Sprintf("%s: more or less %s is not settled (%.3g less to %.3g more).", what, y, -p.Q05, p.Q95)
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
