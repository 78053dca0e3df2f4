package embed

import (
	"fmt"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/embedding/energy"
)

// pair names two samples.
func (r *result) pair(p energy.Pair) string {
	return fmt.Sprintf("%s and %s", r.data.Names[p.A], r.data.Names[p.B])
}

// withInterval is a distance with its interval.
func withInterval(p energy.Pair) string {
	return fmt.Sprintf("%s, %s", report.Short(p.Distance), between(p))
}

// between is the interval of a distance.
func between(p energy.Pair) string {
	return fmt.Sprintf("%s to %s", report.Short(p.Lower), report.Short(p.Upper))
}

// level is the level in percent.
func (r *result) level() string { return fmt.Sprintf("%.3g%%", 100*r.flags.level) }

// closest and farthest return the pair at that end, and how many may be there.
func (r *result) closest() (p energy.Pair, candidates int) {
	for _, p := range r.pairs {
		if p.First == 1 {
			candidates++
		}
	}
	return r.pairs[0], candidates
}

func (r *result) farthest() (p energy.Pair, candidates int) {
	for _, p := range r.pairs {
		if p.Last == len(r.pairs) {
			candidates++
		}
	}
	return r.pairs[len(r.pairs)-1], candidates
}

// finding is the first sentences of the report: nothing but what is sure.
func (r *result) finding() string {
	near, nearest := r.closest()
	far, farthest := r.farthest()
	k := len(r.data.Names)
	switch {
	case k == 2:
		out := fmt.Sprintf("The distance between %s is %s (%s interval %s).", r.pair(near),
			report.Short(near.Distance), r.level(), between(near))
		if near.Lower == 0 {
			out += " It may be chance: the interval contains 0."
		}
		return out
	case !r.distance.Judged():
		return fmt.Sprintf("Of %d samples %s look closest (%s), and %s farthest (%s). With so many samples the "+
			"order of distances is not judged.", k, r.pair(near), withInterval(near), r.pair(far),
			withInterval(far))
	case r.unordered():
		return fmt.Sprintf("Of %d samples no two are surely closer than any others: no order of the %d "+
			"distances is certain.", k, len(r.pairs))
	}
	out := fmt.Sprintf("Of %d samples ", k)
	if s := r.apart(); s >= 0 {
		near := r.nearest(s)
		out += fmt.Sprintf("%s is far from all others", r.data.Names[s])
		if len(near) == 1 {
			out += ", nearest to " + r.data.Names[near[0]]
		}
		out += ". "
		if nearest == 1 {
			out += fmt.Sprintf("The closest pair is %s (%s). ", r.pair(r.pairs[0]), withInterval(r.pairs[0]))
		}
	} else if nearest == 1 {
		out += fmt.Sprintf("the closest are %s (%s). ", r.pair(near), withInterval(near))
	} else {
		out += fmt.Sprintf("%d pairs may be the closest, such as %s (%s). ", nearest, r.pair(near),
			withInterval(near))
	}
	if farthest == 1 {
		return out + fmt.Sprintf("The farthest are %s (%s).", r.pair(far), withInterval(far))
	}
	return out + fmt.Sprintf("%d pairs may be the farthest, such as %s (%s).", farthest, r.pair(far),
		withInterval(far))
}

// unordered reports whether no pair is closer than another for sure.
func (r *result) unordered() bool {
	for _, p := range r.pairs {
		if p.First > 1 || p.Last < len(r.pairs) {
			return false
		}
	}
	return true
}

// title is the finding in a few words.
func (r *result) title() string {
	near, nearest := r.closest()
	far, farthest := r.farthest()
	k := len(r.data.Names)
	switch {
	case k == 2:
		return fmt.Sprintf("Distance of %s: %s", r.pair(near), report.Short(near.Distance))
	case r.unordered():
		return fmt.Sprintf("%d samples: no order of their distances is certain", k)
	case nearest == 1 && farthest == 1:
		return fmt.Sprintf("%d samples: %s are closest, %s farthest", k, r.pair(near), r.pair(far))
	case nearest == 1:
		return fmt.Sprintf("%d samples: %s are closest", k, r.pair(near))
	case farthest == 1:
		return fmt.Sprintf("%d samples: %s are farthest", k, r.pair(far))
	}
	return fmt.Sprintf("%d samples and their distances", k)
}

// shown says how much of the distances the map shows.
func (r *result) shown() string {
	return fmt.Sprintf("The map shows %s of the sum of all squared distances; its first coordinate %s.",
		percent(r.share[1]), percent(r.share[0]))
}

// percent writes a share in percent; a share below 1 is never rounded to all.
func percent(v float64) string {
	if v < 1-1e-9 && v > 0.9995 {
		return "more than 99.9%"
	}
	return fmt.Sprintf("%.3g%%", 100*v)
}

// unsure counts the comparisons of two pairs whose order is not certain.
func (r *result) unsure() (unsure, all int) {
	for i, p := range r.pairs {
		for _, q := range r.pairs[:i] {
			all++
			if !r.distance.Closer(q.A, q.B, p.A, p.B) {
				unsure++
			}
		}
	}
	return unsure, all
}

// notes say what the distances cannot show.
func (r *result) notes() []string {
	var out []string
	if r.distance.Judged() && len(r.pairs) > 1 {
		unsure, all := r.unsure()
		switch {
		case unsure == all:
			out = append(out, "No two distances are so different that their order is certain.")
		case unsure > 0:
			out = append(out, fmt.Sprintf("Of %d comparisons of two distances the order is not certain in %d.",
				all, unsure))
		}
	}
	zero := 0
	for _, p := range r.pairs {
		if p.Lower == 0 {
			zero++
		}
	}
	if zero > 0 && len(r.pairs) > 1 {
		out = append(out, fmt.Sprintf("%s %s an interval that contains 0, so chance may explain the distance. "+
			"Whether two samples differ is for bkesample twosample to say.", cli.Plural(zero, "pair"),
			cli.Verb(zero, "has", "have")))
	}
	used, total := 0, 0
	for i, n := range r.distance.Rows {
		rows, _ := r.data.Of[i].Dims()
		used, total = used+n, total+rows
	}
	if used < total {
		out = append(out, fmt.Sprintf("The distances use %d of the %d rows, drawn at random.", used, total))
	}
	return out
}

// basis says how the distances are defined.
func (r *result) basis() []string {
	units := "Columns are in the units of the data."
	if r.scaling != nil {
		units = "Each column is divided by its standard deviation over all rows."
	}
	out := []string{"The distance is the energy distance (Székely and Rizzo): the root of twice the mean " +
		"distance between a row of the one sample and a row of the other, less the mean distances within " +
		"each. It is unbiased before the root is taken; below 0 it counts as 0. " + units}
	if len(r.pairs) == 1 {
		return append(out, fmt.Sprintf("The interval holds the distance with probability %s, for independent rows. It comes "+
			"from %d resamples of the rows.", r.level(), r.distance.Resamples))
	}
	return append(out, fmt.Sprintf("Each interval holds its distance with probability %s, for independent rows. Claims of "+
		"order all hold together with probability %s. Both come from %d resamples of the rows.", r.level(),
		r.level(), r.distance.Resamples), r.shown()+" It is by classical scaling.")
}
