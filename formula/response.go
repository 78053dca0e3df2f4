package formula

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

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
	for _, name := range additions {
		n := f.Additions[name]
		if n == nil {
			continue
		}
		if *map[string]*[]float64{"trials": &r.trials, "weights": &r.weights, "cens": &r.censored}[name], _, err = in.numbers(n); err != nil {
			return err
		}
	}
	if r.family.counted && r.trials == nil {
		return in.fail(f.Response, "the %s family wants the number of trials: %s | trials(n) ~ ...", r.Family, f.Response)
	}
	if r.trials != nil && !r.family.counted {
		return in.fail(f.Response, "numbers of trials, of trials() or cbind(), go with -family binomial, not %s", r.Family)
	}
	for i, n := range r.trials {
		if !whole(n) || n < 1 {
			return in.fail(f.Additions["trials"], "%s: %s is %v in row %d, want a whole number from 1", r.data.Source,
				f.Additions["trials"], n, i+1)
		}
	}
	for i, y := range r.Y {
		if !r.family.valid(y) || r.trials != nil && y > r.trials[i] {
			return in.fail(f.Response, "%s: %s is %v in row %d; the %s family wants %s", r.data.Source, f.Response, y, i+1,
				r.Family, r.family.what)
		}
	}
	if err := r.several(in); err != nil {
		return err
	}
	if r.weights != nil {
		if err := r.checkWeights(in); err != nil {
			return err
		}
	}
	if r.censored != nil {
		if r.family.discrete || r.Family == "beta" {
			return in.fail(f.Additions["cens"], "cens() goes with families of numbers without an upper end, not %s", r.Family)
		}
		for i, c := range r.censored {
			if c != 0 && c != 1 {
				return in.fail(f.Additions["cens"], "%s: %s is %v in row %d, want 0 (seen) or 1 (at least this)", r.data.Source,
					f.Additions["cens"], c, i+1)
			}
		}
	}
	return nil
}

// several wants more than one value, and of categories all from 1 on.
func (r *Regression) several(in *reading) error {
	distinct := slices.Compact(slices.Sorted(slices.Values(r.Y)))
	if len(distinct) == 1 && (!r.family.discrete || r.family.categories) {
		return in.fail(r.Formula.Response, "%s: %s is %v in every row", r.data.Source, r.Formula.Response, distinct[0])
	}
	if !r.family.categories {
		return nil
	}
	for k, y := range distinct {
		if y != float64(k+1) {
			return in.fail(r.Formula.Response, "%s: %s is never %d; its categories are numbered from 1 to %v, and each must occur", r.data.Source,
				r.Formula.Response, k+1, distinct[len(distinct)-1])
		}
	}
	return nil
}

// categories is how many values a response in categories has.
func (r *Regression) categories() int { return int(slices.Max(r.Y)) }

// category names category k, from 1.
func (r *Regression) category(k int) string {
	if r.Levels != nil {
		return r.Levels[k-1]
	}
	return fmt.Sprint(k)
}

// checkWeights wants numbers of 0 and more.
func (r *Regression) checkWeights(in *reading) error {
	n := r.Formula.Additions["weights"]
	if r.censored != nil {
		return in.fail(n, "weights() does not go with cens()")
	}
	sum := 0.0
	for i, w := range r.weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return in.fail(n, "%s: %s is %v in row %d, want a number from 0", r.data.Source, n, w, i+1)
		}
		sum += w
	}
	if sum == 0 {
		return in.fail(n, "%s: %s is 0 in every row", r.data.Source, n)
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
	case "cumulative", "categorical":
		for i := range r.Y {
			r.Y[i]++
		}
		if r.Family == "categorical" {
			if len(levels) < 2 {
				return fmt.Errorf("%s is %q in every row", r.Formula.Response, levels[0])
			}
			r.Notes = append(r.Notes, fmt.Sprintf("%s is compared with %s, the first of %s.", r.Formula.Response, levels[0], strings.Join(levels, ", ")))
			break
		}
		r.Notes = append(r.Notes, fmt.Sprintf("%s goes in this order: %s. Another order is given by -levels '%s=...'.", r.Formula.Response,
			strings.Join(levels, ", "), r.Formula.Response))
	default:
		return fmt.Errorf("%s holds text (%s), but the %s family wants %s", r.Formula.Response, strings.Join(levels[:min(3, len(levels))], ", "),
			r.Family, r.family.what)
	}
	r.Levels = levels
	return nil
}
