package power

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// Problem is a source of data sets.
type Problem struct {
	Name string
	// Paired tells that rows of x and y with the same number were observed together, as in a test
	// of independence. Otherwise x and y are two samples.
	Paired bool
	// Draw makes a data set from random numbers of r, and from nothing else.
	Draw func(r *rand.Rand) (x, y *mat.Dense)
	// Values are the parameters of a problem of ParseProblems, defaults included.
	Values map[string]float64
}

// Data is one data set.
type Data struct {
	X, Y   *mat.Dense
	Paired bool
}

// Method is a test.
type Method struct {
	Name string
	// Test tests a data set, which it must not change. What is random in it comes from seed alone,
	// which is the same for all methods on a data set: methods that draw the same permutations
	// differ less by chance. It is called by several goroutines at once.
	Test func(ctx context.Context, d Data, seed uint64) (Outcome, error)
}

// Outcome is what a method says of a data set. As JSON it is one flat object, in which a p-value of
// NaN, a false Reject and an empty Error are left out.
type Outcome struct {
	P       float64 // NaN if there is none
	Reject  bool
	Numbers map[string]float64 // what else is worth keeping, such as a lengthscale; finite
	Error   string             // why there is no decision; Reject is then false
}

// Record is what one or more methods said of one replicate of a problem: one line of a file.
type Record struct {
	Problem   string             `json:"problem"`
	Settings  string             `json:"settings,omitempty"` // what all methods have in common
	Seed      uint64             `json:"seed"`
	Replicate int                `json:"replicate"` // from 0; with Seed, it determines the rest
	Results   map[string]Outcome `json:"results"`
}

// MarshalJSON writes numbers with six digits. It fails if one is called p, reject or error.
func (o Outcome) MarshalJSON() ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(o.Numbers)+3)
	for name, v := range o.Numbers {
		if isFinite(v) {
			out[name] = round(v)
		}
	}
	if isFinite(o.P) {
		out["p"] = round(o.P)
	}
	if o.Reject {
		out["reject"] = true
	}
	if o.Error != "" {
		out["error"] = o.Error
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Outcome) UnmarshalJSON(text []byte) error {
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*o = Outcome{P: math.NaN()}
	for name, v := range all {
		ok := false
		switch name {
		case "reject":
			o.Reject, ok = v.(bool)
		case "error":
			o.Error, ok = v.(string)
		case "p":
			o.P, ok = v.(float64)
		default:
			var number float64
			if number, ok = v.(float64); ok {
				if o.Numbers == nil {
					o.Numbers = make(map[string]float64)
				}
				o.Numbers[name] = number
			}
		}
		if !ok {
			return fmt.Errorf("power: %q is %v, want a number, or true or false for reject, or "+
				"words for error", name, v)
		}
	}
	return nil
}

// check finds numbers with a name that means something else in a file.
func (o Outcome) check() error {
	for _, name := range []string{"p", "reject", "error"} {
		if _, ok := o.Numbers[name]; ok {
			return fmt.Errorf("power: a number of an outcome is called %q, want another name", name)
		}
	}
	return nil
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// round keeps six digits: more are of no use, and files stay small.
func round(v float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil { // above the largest number by rounding
		return v
	}
	return out
}

// tidy is the outcome as it comes back from a file.
func (o Outcome) tidy() Outcome {
	if !isFinite(o.P) {
		o.P = math.NaN()
	}
	o.P = round(o.P)
	numbers := make(map[string]float64)
	for name, v := range o.Numbers {
		if isFinite(v) {
			numbers[name] = round(v)
		}
	}
	o.Numbers = numbers
	if len(numbers) == 0 {
		o.Numbers = nil
	}
	return o
}

// key names a replicate.
type key struct {
	problem   string
	seed      uint64
	replicate int
}

func (r Record) key() key { return key{r.Problem, r.Seed, r.Replicate} }

// merge makes one record of all those of the same replicate, and sorts them by problem, seed and
// replicate; problems stay in the order of their first records. Of a method that was run twice on a
// replicate the first outcome is kept. It fails if records differ in their settings.
func merge(records []Record) ([]Record, error) {
	place := make(map[string]int)
	at := make(map[key]int)
	var out []Record
	for _, r := range records {
		if r.Settings != records[0].Settings {
			return nil, fmt.Errorf("power: there are records of settings %q and of %q, want the "+
				"same for all", records[0].Settings, r.Settings)
		}
		if _, ok := place[r.Problem]; !ok {
			place[r.Problem] = len(place)
		}
		i, ok := at[r.key()]
		if !ok {
			i = len(out)
			at[r.key()] = i
			fresh := r
			fresh.Results = make(map[string]Outcome, len(r.Results))
			out = append(out, fresh)
		}
		for name, o := range r.Results {
			if _, ok := out[i].Results[name]; !ok {
				out[i].Results[name] = o
			}
		}
	}
	slices.SortFunc(out, func(a, b Record) int {
		return cmp.Or(cmp.Compare(place[a.Problem], place[b.Problem]), cmp.Compare(a.Seed, b.Seed),
			cmp.Compare(a.Replicate, b.Replicate))
	})
	return out, nil
}
