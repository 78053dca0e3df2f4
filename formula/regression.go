package formula

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"bayeskernel/draws"
	"bayeskernel/frame"
	"bayeskernel/model"

	"gonum.org/v1/gonum/mat"
)

// Options are what a regression has beside its formula.
type Options struct {
	Family string   // gaussian if empty
	Priors []string // in the place of defaults, as b ~ normal(0, 1)
	// Plain declares each parameter with its own prior, from which it can be drawn, where a change of parameters would
	// sample better.
	Plain bool
}

// Regression is a formula with a table, as a model.
type Regression struct {
	Formula *Formula
	Family  string
	Priors  []Prior // of all classes that the model has
	Notes   []string
	tied    []string // columns whose coefficients the data cannot tell apart
	Design  *Design  // of the terms without groups
	X       *mat.Dense
	Y       []float64
	Levels  []string // of a response of names
	Groups  []Group
	Smooths []*Smooth
	Program *model.Program

	family          *family
	plain           bool
	apart           bool // no effects are declared around those of other groups
	data            *frame.Frame
	offset          []float64
	trials, weights []float64
	censored        []float64
	per             []float64 // units of the columns of X beside the intercept, where their coefficients have priors
	means           []float64 // of the columns of X beside the intercept
	units
	called     []reported     // parameters of the program that are reported, in order
	at         map[string]int // their places, by what they are called
	main       int            // how many stand before the effects of single groups and smooth functions
	predictors []string       // prefixes of the parameters of each sum of terms: "" alone, but for categories
	factors    map[string]over
	rows       *model.Program // the same with rows that count once, where rows have weights; else Program
}

// over is a factor of groups in the model, which several terms may share.
type over struct {
	factor *model.Factor
	index  *model.Index
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
	per        []float64  // units of its columns in the program
	origin     []float64  // what is taken from its columns in these units; nil: nothing
	columns    *mat.Dense // those of the program
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
	binary := fam.name == "binomial" && f.Additions["trials"] == nil
	if binary { // as in R, of successes and failures one by one
		fam, _ = familyOf("bernoulli")
	}
	r := &Regression{Formula: f, Family: fam.name, family: fam, plain: o.Plain, data: t}
	e, err := f.expand(t.Names)
	if err != nil {
		return nil, err
	}
	if err := r.response(); err != nil {
		if wrong := (*Error)(nil); binary && errors.As(err, &wrong) {
			err = &Error{f.Text, wrong.At, strings.Replace(wrong.Text, "bernoulli", "binomial", 1) + ", or counts with the number of trials, k | trials(n)"}
		}
		return nil, err
	}
	for _, v := range e.vars {
		if v.String() == f.Response.String() {
			return nil, &Error{f.Text, v.at, v.String() + " is the response"}
		}
	}
	r.Notes = append(r.Notes, e.notes...)
	if err := r.terms(e); err != nil {
		return nil, err
	}
	r.predictors = []string{""}
	if r.Family == "categorical" {
		r.predictors = nil
		for k := 2; k <= r.categories(); k++ {
			r.predictors = append(r.predictors, "mu"+smoothName(r.category(k))+"_")
		}
	}
	if r.Priors, err = choosePriors(r, o.Priors); err != nil {
		return nil, err
	}
	if err := r.independent(); err != nil {
		return nil, err
	}
	r.chooseUnits()
	if r.Program, err = r.compile(r.weights); err != nil {
		return nil, err
	}
	r.rows = r.Program
	if r.weights != nil {
		r.rows, err = r.compile(nil)
	}
	return r, err
}

// compile declares the regression and makes a program of it.
func (r *Regression) compile(weights []float64) (*model.Program, error) {
	r.called, r.factors = nil, map[string]over{}
	m := model.New()
	r.declare(m, weights)
	r.at = map[string]int{}
	for k, c := range r.called {
		r.at[c.as] = k
	}
	p, err := m.Compile()
	if err != nil { // without the places in this package, which are no user's
		return nil, fmt.Errorf("formula: %s", inCode.ReplaceAllString(err.Error(), ""))
	}
	return p, nil
}

var inCode = regexp.MustCompile(`\b[a-z_]+\.go:[0-9]+: `)

// LogLik is the log likelihood of each row for every draw of a run of Program. That of a row with a weight counts as
// often as the weight says.
func (r *Regression) LogLik(ctx context.Context, run *draws.Run) (*draws.Run, error) {
	out, err := r.rows.LogLik(ctx, run)
	if err != nil || r.weights == nil && r.size == 1 {
		return out, err
	}
	for c := range out.Chains {
		for _, row := range out.Chains[c].Values {
			for i := range row {
				row[i] -= math.Log(r.size)
				if r.weights != nil {
					row[i] *= r.weights[i]
				}
			}
		}
	}
	return out, nil
}

// Predictive draws the response anew for every draw of a run of Program.
func (r *Regression) Predictive(ctx context.Context, run *draws.Run, seed uint64) (*draws.Run, error) {
	out, err := r.rows.Predictive(ctx, run, seed)
	if err != nil || r.units == (units{0, 1}) {
		return out, err
	}
	for c := range out.Chains {
		for _, row := range out.Chains[c].Values {
			for i := range row {
				row[i] = r.level + r.size*row[i]
			}
		}
	}
	return out, nil
}

// Prior draws the parameters of Program n times from their priors, for a regression with Options.Plain.
func (r *Regression) Prior(ctx context.Context, n int, seed uint64) (*draws.Run, error) {
	return r.rows.Prior(ctx, n, seed)
}

// reader reads the table of the fit.
func (r *Regression) reader() *reading {
	n, _ := r.data.Data.Dims()
	return &reading{src: r.Formula.Text, table: r.data, rows: n, from: newLearned(), first: true}
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
		if n.text == "s" {
			if err := r.smooth(in, n); err != nil {
				return err
			}
			continue
		}
		if n.text != "offset" || len(n.args) != 1 {
			return in.fail(n, "%s() is not supported", n.text)
		}
		v, _, err := in.numbers(n.args[0])
		if err != nil {
			return err
		}
		if r.offset == nil {
			r.offset = make([]float64, len(v))
		}
		for i := range v {
			if v[i]-v[i] != 0 {
				return in.fail(n, "%s is %v in row %d of %s, want a number", n.args[0], v[i], r.data.Row(i), r.data.Source)
			}
			r.offset[i] += v[i]
		}
	}
	r.centre()
	for _, g := range e.groups {
		if err := r.group(g); err != nil {
			return err
		}
	}
	return nil
}

// smooth reads a smooth term.
func (r *Regression) smooth(in *reading, n *node) error {
	all, err := in.smooth(n)
	if err != nil {
		return err
	}
	for _, s := range all {
		for _, o := range r.Smooths {
			if o.Name == s.Name {
				return in.fail(n, "%s is there twice", s.Label)
			}
		}
		r.Smooths = append(r.Smooths, s)
	}
	return nil
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

// reported is a parameter of the program, what brms calls it, and what it is in the units of the table: shift + unit times the
// parameter.
type reported struct {
	parameter, as string
	shift, unit   float64
}

// call remembers what a parameter of the program is called in reports.
func (r *Regression) call(parameter, as string) { r.callIn(parameter, as, 0, 1) }

// callIn is call for a parameter in other units.
func (r *Regression) callIn(parameter, as string, shift, unit float64) {
	r.called = append(r.called, reported{parameter, as, shift, unit})
}

// element is what a program calls a value of a vector.
func element(vector string, i int) string { return vector + "[" + strconv.Itoa(i+1) + "]" }
