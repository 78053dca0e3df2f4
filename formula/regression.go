package formula

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/frame"
	"bayeskernel/model"

	"gonum.org/v1/gonum/mat"
)

// Options are what a regression has beside its formula.
type Options struct {
	Family string   // gaussian if empty
	Priors []string // in the place of defaults, as b ~ normal(0, 1)
}

// Regression is a formula with a table, as a model.
type Regression struct {
	Formula *Formula
	Family  string
	Priors  []Prior // of all classes that the model has
	Notes   []string
	Design  *Design // of the terms without groups
	X       *mat.Dense
	Y       []float64
	Levels  []string // of a response of names
	Groups  []Group
	Program *model.Program

	family          *family
	data            *frame.Frame
	offset          []float64
	trials, weights []float64
	censored        []float64
	means           []float64   // of the columns of X beside the intercept
	called          [][2]string // parameters of the program that are reported, in order, and what they are called
}

// Group are coefficients that vary over the levels of a factor.
type Group struct {
	Name       string // as g or g:h
	Levels     []string
	Design     *Design
	Correlated bool
	rows       []string
	labels     []string // in the order of the program
	z          *mat.Dense
}

// Model declares the regression for a table, in which no value that it uses may be missing.
func (f *Formula) Model(t *frame.Frame, o Options) (*Regression, error) {
	if f.Response == nil {
		return nil, &Error{f.Text, 0, "there is no response before ~"}
	}
	if o.Family == "" {
		o.Family = "gaussian"
	}
	fam, err := familyOf(o.Family)
	if err != nil {
		return nil, err
	}
	r := &Regression{Formula: f, Family: fam.name, family: fam, data: t}
	e, err := f.expand(t.Names)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(r.response(), r.terms(e)); err != nil {
		return nil, err
	}
	if r.Priors, err = choosePriors(r, o.Priors); err != nil {
		return nil, err
	}
	m := model.New()
	r.declare(m)
	if r.Program, err = m.Compile(); err != nil {
		return nil, fmt.Errorf("formula: %w", err)
	}
	return r, nil
}

// reader reads the table of the fit.
func (r *Regression) reader() *reading {
	n, _ := r.data.Data.Dims()
	return &reading{src: r.Formula.Text, table: r.data, rows: n, from: newLearned(), first: true}
}

// response reads the left side.
func (r *Regression) response() error {
	f, in := r.Formula, r.reader()
	v, err := in.value(f.Response)
	if err != nil {
		return err
	}
	if len(v.columns) != 1 {
		return in.fail(f.Response, "%s has %d columns, want one", f.Response, len(v.columns))
	}
	r.Y = slices.Clone(v.columns[0])
	if v.levels != nil && !v.truth {
		if err := r.names2(v.levels); err != nil {
			return in.fail(f.Response, "%s", err)
		}
	}
	for name, to := range map[string]*[]float64{"trials": &r.trials, "weights": &r.weights, "cens": &r.censored} {
		n := f.Additions[name]
		if n == nil {
			continue
		}
		if *to, _, err = in.numbers(n); err != nil {
			return err
		}
	}
	if r.Family == "binomial" && r.trials == nil {
		return in.fail(f.Response, "the binomial family wants the number of trials: %s | trials(n) ~ ...", f.Response)
	}
	if r.trials != nil && r.Family != "binomial" {
		return in.fail(f.Response, "trials() goes with the binomial family, not %s", r.Family)
	}
	for i, y := range r.Y {
		if !r.family.valid(y) || r.trials != nil && y > r.trials[i] {
			return in.fail(f.Response, "%s: %s is %v in row %d; the %s family wants %s", r.data.Source, f.Response, y, i+1,
				r.Family, r.family.what)
		}
	}
	if r.weights != nil {
		return in.fail(f.Additions["weights"], "weights are not there yet")
	}
	if r.censored != nil {
		for i, c := range r.censored {
			if c != 0 && c != 1 {
				return in.fail(f.Additions["cens"], "%s: %s is %v in row %d, want 0 (seen) or 1 (at least this)", r.data.Source,
					f.Additions["cens"], c, i+1)
			}
		}
	}
	return nil
}

// names2 codes a response of names as the family wants it.
func (r *Regression) names2(levels []string) error {
	switch r.Family {
	case "bernoulli":
		if len(levels) != 2 {
			return fmt.Errorf("%s has %d values (%s), want 2", r.Formula.Response, len(levels), strings.Join(levels, ", "))
		}
		r.Notes = append(r.Notes, fmt.Sprintf("%s is 1 where it is %s, and 0 where it is %s.", r.Formula.Response, levels[1], levels[0]))
	case "cumulative":
		for i := range r.Y {
			r.Y[i]++
		}
		r.Notes = append(r.Notes, fmt.Sprintf("%s goes in this order: %s.", r.Formula.Response, strings.Join(levels, ", ")))
	default:
		return fmt.Errorf("%s holds text (%s), but the %s family wants %s", r.Formula.Response, strings.Join(levels[:min(3, len(levels))], ", "),
			r.Family, r.family.what)
	}
	r.Levels = levels
	return nil
}

// terms reads the right side.
func (r *Regression) terms(e *expanded) error {
	e.intercept = e.intercept || r.Family == "cumulative"
	var err error
	if r.Design, r.X, err = newDesign(r.Formula.Text, e, r.data); err != nil {
		return err
	}
	in := r.reader()
	for _, n := range e.rest {
		if n.text != "offset" || len(n.args) != 1 {
			return in.fail(n, "%s() is not there", n.text)
		}
		v, _, err := in.numbers(n.args[0])
		if err != nil {
			return err
		}
		if r.offset == nil {
			r.offset = make([]float64, len(v))
		}
		for i := range v {
			r.offset[i] += v[i]
		}
	}
	if err := r.independent(); err != nil {
		return err
	}
	r.centre()
	for _, g := range e.groups {
		if err := r.group(g); err != nil {
			return err
		}
	}
	return nil
}

// centre finds the means of the columns, which are taken away if there is an intercept.
func (r *Regression) centre() {
	if !r.Design.Intercept {
		return
	}
	n, d := r.X.Dims()
	r.means = make([]float64, d-1)
	for j := range r.means {
		for i := range n {
			r.means[j] += (r.X.At(i, j+1) - r.means[j]) / float64(i+1)
		}
	}
}

// independent finds a column that others make, by Gram-Schmidt: with flat priors it has no posterior.
func (r *Regression) independent() error {
	if r.X == nil {
		return nil
	}
	n, d := r.X.Dims()
	var basis []*mat.VecDense
	var of []int
	for j := range d {
		c := mat.VecDenseCopyOf(r.X.ColView(j))
		size := mat.Norm(c, 2)
		var share []float64
		for range 2 { // twice is enough
			for k, b := range basis {
				s := mat.Dot(b, c)
				c.AddScaledVec(c, -s, b)
				if len(share) == k {
					share = append(share, s)
				}
			}
		}
		if left := mat.Norm(c, 2); left <= 1e-9*size || size == 0 {
			return r.collinear(j, of, share, size)
		}
		c.ScaleVec(1/mat.Norm(c, 2), c)
		basis, of = append(basis, c), append(of, j)
	}
	if n < d {
		return fmt.Errorf("formula: %s: there are %d rows for %d coefficients", r.data.Source, n, d)
	}
	return nil
}

// collinear says what column j is made of.
func (r *Regression) collinear(j int, of []int, share []float64, size float64) error {
	name := r.Design.Names[j]
	if size == 0 {
		return fmt.Errorf("formula: %s: %s is 0 in every row; leave it out", r.data.Source, name)
	}
	var parts []string
	for k, s := range share {
		if math.Abs(s) > 1e-6*size {
			parts = append(parts, r.Design.Names[of[k]])
		}
	}
	if len(parts) == 1 && parts[0] == "(Intercept)" {
		return fmt.Errorf("formula: %s: %s has the same value in every row; leave it out", r.data.Source, name)
	}
	return fmt.Errorf("formula: %s: %s is a sum of multiples of %s; leave one of them out", r.data.Source, name,
		strings.Join(parts, ", "))
}

// group reads a term of groups.
func (r *Regression) group(g group) error {
	inner := &expansion{src: r.Formula.Text, bit: map[string]int{}}
	s, err := inner.expand(g.terms, true)
	if err != nil {
		return err
	}
	if len(inner.rest) > 0 || len(inner.bars) > 0 {
		return &Error{r.Formula.Text, g.terms.at, fmt.Sprintf("%s cannot vary over groups", g.terms)}
	}
	e := &expanded{sum: s, vars: inner.vars}
	e.terms = s.sorted()
	out := Group{Name: g.by.String(), Correlated: g.correlated}
	if out.Design, out.z, err = newDesign(r.Formula.Text, e, r.data); err != nil {
		return err
	}
	if out.z == nil {
		return &Error{r.Formula.Text, g.terms.at, "nothing varies over " + out.Name}
	}
	if out.rows, err = r.labels(g.by); err != nil {
		return err
	}
	out.Levels = slices.Compact(slices.Sorted(slices.Values(out.rows)))
	if len(out.Levels) < 2 {
		return &Error{r.Formula.Text, g.by.at, fmt.Sprintf("%s has one value, %q, want at least 2 groups", out.Name, out.Levels[0])}
	}
	for _, o := range r.Groups {
		for _, a := range o.Design.Names {
			if o.Name == out.Name && slices.Contains(out.Design.Names, a) {
				return &Error{r.Formula.Text, g.by.at, fmt.Sprintf("%s varies over %s twice", a, out.Name)}
			}
		}
	}
	r.Groups = append(r.Groups, out)
	return nil
}

// labels are the groups of the rows.
func (r *Regression) labels(n *node) ([]string, error) {
	if n.kind == operator {
		a, err := r.labels(n.args[0].bare())
		if err != nil {
			return nil, err
		}
		b, err := r.labels(n.args[1].bare())
		if err != nil {
			return nil, err
		}
		for i := range a {
			a[i] += ":" + b[i]
		}
		return a, nil
	}
	in := r.reader()
	c, ok := r.data.Column(n.text)
	if !ok {
		return nil, in.fail(n, "%s has no column %q%s", r.data.Source, n.text, didYouMean(n.text, r.data.Names))
	}
	out := c.Texts()
	for i, s := range out {
		if s == "" {
			return nil, in.fail(n, "%s: the value of %s is missing in row %d", r.data.Source, n.text, i+1)
		}
	}
	return out, nil
}

// prior finds the prior of a parameter, or else of its class.
func (r *Regression) prior(class, name string) Prior {
	var of Prior
	for _, p := range r.Priors {
		if p.Of == name {
			return p
		}
		if p.Of == class {
			of = p
		}
	}
	return of
}

// choosePriors puts those that were asked for before the defaults.
func choosePriors(r *Regression, asked []string) ([]Prior, error) {
	var out []Prior
	known := r.parameters()
	for _, text := range asked {
		p, err := ParsePrior(text)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(known, p.Of) {
			return nil, fmt.Errorf("prior: %s is no parameter of this model, which has %s%s", p.Of, strings.Join(known, ", "),
				didYouMean(p.Of, known))
		}
		if (p.dist == "lkj") != (p.Of == "cor") {
			return nil, fmt.Errorf("prior: %s: correlations have the prior lkj, and nothing else has", p)
		}
		for _, o := range out {
			if o.Of == p.Of {
				return nil, fmt.Errorf("prior: %s has two priors, %s and %s", p.Of, o.Text, p.Text)
			}
		}
		out = append(out, p)
	}
	for _, p := range defaultPriors(r.family, r.Y, r.offset) {
		if slices.Contains(known, p.Of) && !slices.ContainsFunc(out, func(o Prior) bool { return o.Of == p.Of }) {
			out = append(out, p)
		}
	}
	return out, nil
}

// parameters are the classes and the names that may have a prior of their own.
func (r *Regression) parameters() []string {
	var out []string
	if r.Design.Intercept {
		out = append(out, "Intercept")
	}
	if len(r.slopes()) > 0 {
		out = append(out, "b")
	}
	for _, s := range r.slopes() {
		out = append(out, "b_"+s)
	}
	if len(r.Groups) > 0 {
		out = append(out, "sd")
	}
	for _, g := range r.Groups {
		out = append(out, "sd_"+g.Name)
		if len(g.Design.Names) > 1 && g.Correlated && !slices.Contains(out, "cor") {
			out = append(out, "cor")
		}
	}
	return append(out, r.family.extra...)
}

// slopes are the columns beside the intercept.
func (r *Regression) slopes() []string {
	if r.Design.Intercept {
		return r.Design.Names[1:]
	}
	return r.Design.Names
}

// short is the name of a column in names of parameters.
func short(column string) string {
	if column == "(Intercept)" {
		return "Intercept"
	}
	return column
}

// call remembers what a parameter of the program is called in reports, as brms calls it.
func (r *Regression) call(parameter, reported string) {
	r.called = append(r.called, [2]string{parameter, reported})
}

// element is what a program calls a value of a vector.
func element(vector string, i int) string { return vector + "[" + strconv.Itoa(i+1) + "]" }
