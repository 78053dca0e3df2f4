package draws

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"bayeskernel/diagnostics"
	"bayeskernel/internal/jsonfloat"
)

// Column is a statistic of a parameter: a column of the table and a key of the JSON.
type Column struct {
	Key   string // in JSON
	Head  string // in tables; "" if tables leave it out
	Verb  string // format in tables; "" formats it as a value of the parameter, by its sd
	About string // a sentence that describes it

	field func(*diagnostics.Estimates) *float64 // where it is, if it is one of those
	of    func(chains [][]float64) float64      // what computes it, if it is not
}

// Columns lists the statistics of a parameter in the order in which they are written. To add one
// that is not in diagnostics.Estimates, add an entry with the function that computes it.
func Columns() []Column {
	type from = *diagnostics.Estimates
	return []Column{
		{Key: "mean", Head: "mean", About: "The posterior mean.",
			field: func(e from) *float64 { return &e.Mean }},
		{Key: "sd", Head: "sd", About: "The posterior standard deviation.",
			field: func(e from) *float64 { return &e.SD }},
		{Key: "mcse_mean", Head: "MCSE", Verb: "%.2g", About: "The Monte Carlo standard error of the mean.",
			field: func(e from) *float64 { return &e.MCSEMean }},
		{Key: "mcse_sd", About: "The Monte Carlo standard error of the standard deviation.",
			field: func(e from) *float64 { return &e.MCSESD }},
		{Key: "q05", Head: "5%", About: "The 5% quantile.",
			field: func(e from) *float64 { return &e.Q05 }},
		{Key: "q50", Head: "50%", About: "The median.",
			field: func(e from) *float64 { return &e.Q50 }},
		{Key: "q95", Head: "95%", About: "The 95% quantile.",
			field: func(e from) *float64 { return &e.Q95 }},
		{Key: "mcse_q05", About: "The Monte Carlo standard error of the 5% quantile.",
			field: func(e from) *float64 { return &e.MCSEQ05 }},
		{Key: "mcse_q50", About: "The Monte Carlo standard error of the median.",
			field: func(e from) *float64 { return &e.MCSEQ50 }},
		{Key: "mcse_q95", About: "The Monte Carlo standard error of the 95% quantile.",
			field: func(e from) *float64 { return &e.MCSEQ95 }},
		{Key: "rhat", Head: "R-hat", Verb: "%.3f",
			About: "The convergence diagnostic R-hat, of ranks and split chains.",
			field: func(e from) *float64 { return &e.RHat }},
		{Key: "ess_bulk", Head: "bulk ESS", Verb: "%.0f",
			About: "The effective sample size for the centre.",
			field: func(e from) *float64 { return &e.ESSBulk }},
		{Key: "ess_tail", Head: "tail ESS", Verb: "%.0f",
			About: "The effective sample size for the 5% and 95% quantiles.",
			field: func(e from) *float64 { return &e.ESSTail }},
	}
}

// Value returns the statistic for p, or NaN if it is undefined.
func (c Column) Value(p *Parameter) float64 {
	if c.field != nil {
		return *c.field(&p.Estimates)
	}
	if p.more != nil {
		if x, ok := (*p.more)[c.Key]; ok {
			return x
		}
	}
	return math.NaN()
}

// set is the inverse of Value.
func (c Column) set(p *Parameter, x float64) {
	if c.field != nil {
		*c.field(&p.Estimates) = x
		return
	}
	if p.more == nil {
		p.more = &more{}
	}
	(*p.more)[c.Key] = x
}

// Text is the cell of p in a table: a dash for what is undefined.
func (c Column) Text(p *Parameter) string {
	switch x := c.Value(p); {
	case math.IsNaN(x):
		return "-"
	case c.Verb == "":
		return digits(x, p.SD)
	default:
		return fmt.Sprintf(c.Verb, x)
	}
}

// Table has a head and a row for each parameter, in all tables of the library and the programs. It leaves
// out the columns with the given keys.
func Table(list []Parameter, without ...string) (head []string, rows [][]string) {
	columns := slices.DeleteFunc(TableColumns(), func(c Column) bool { return slices.Contains(without, c.Key) })
	head = []string{""}
	for _, c := range columns {
		head = append(head, c.Head)
	}
	for i := range list {
		row := []string{list[i].called()}
		for _, c := range columns {
			row = append(row, c.Text(&list[i]))
		}
		rows = append(rows, row)
	}
	return head, rows
}

// TableColumns lists the columns of tables, those of programs too.
func TableColumns() (out []Column) {
	for _, c := range Columns() {
		if c.Head != "" {
			out = append(out, c)
		}
	}
	return out
}

// arithmetic is the largest sd, beside the mean, of values that are equal but for the rounding of some operations, such as
// the diagonal of a correlation matrix that a program multiplies out.
const arithmetic = 1e-14

// estimate computes the columns of a parameter.
func estimate(name string, chains [][]float64, columns []Column) Parameter {
	p := Parameter{Name: name, Estimates: diagnostics.Summarize(chains)}
	if p.Err == nil && p.SD <= arithmetic*math.Abs(p.Mean) {
		nan := math.NaN()
		p.RHat, p.ESSBulk, p.ESSTail, p.ParetoK = nan, nan, nan, nan
		p.MCSEMean, p.MCSESD, p.MCSEQ05, p.MCSEQ50, p.MCSEQ95 = nan, nan, nan, nan, nan
		p.Err = &diagnostics.Error{Reason: diagnostics.Constant, Value: p.Mean}
	}
	for _, c := range columns {
		if c.of != nil {
			c.set(&p, c.of(chains))
		}
	}
	return p
}

// called is what tables and warnings call p.
func (p *Parameter) called() string { return cmp.Or(p.Label, p.Name) }

// JSONKeys lists the JSON keys of a parameter, for its schema.
func (Parameter) JSONKeys() []jsonfloat.Key {
	keys := []jsonfloat.Key{{Name: "name", About: "The name of the hyperparameter.", Text: true}}
	for _, c := range Columns() {
		keys = append(keys, jsonfloat.Key{Name: c.Key, About: c.About})
	}
	return keys
}
