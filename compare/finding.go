package compare

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Headline is the verdict in few words: a and b differ, p = 0.001: more of a between 1 and 2.
func (r *Result) Headline() string {
	pair := r.Names[0] + " and " + r.Names[1]
	p := "p = " + short(r.Test.P)
	if r.data.same() {
		return pair + " are the same data"
	}
	if alone := r.onlyAlone(); alone != "" {
		return pair + " differ in " + alone + " by itself; all columns together: " + p
	}
	if !r.Test.Reject && r.data.o.Ordered {
		return "whether " + pair + " differ is not known: their rows are not in random order"
	}
	if !r.Test.Reject {
		return pair + " cannot be told apart (" + p + ")"
	}
	text := pair + " differ, " + p
	if where := r.regions(); where != "" {
		text += ": " + where
	}
	return text
}

// AtStrongest describes the witness at the clearest place, in units of its standard deviation;
// "" if the test does not reject, if there are too many columns to name a place, or if rows belong together: the
// standard deviation is that of independent rows.
func (r *Result) AtStrongest() string {
	w := r.Witness
	if w == nil || w.Strongest.At == nil || r.data.dim > mostCoordinates || !r.Test.Reject ||
		r.data.samples[0].given.Blocks != nil {
		return ""
	}
	place := w.Strongest
	if r.places != nil {
		place = w.Likely
	}
	at := w.nearest(place.At)
	mean, sd := w.Functions.Mean[at], w.Functions.SD[at]
	if sd == 0 || mean > 0 != (place.Sign > 0) { // at another scale
		return ""
	}
	return fmt.Sprintf("The difference is clearest at %s, with more of %s: the witness is %s there, %s "+
		"times its posterior sd.", r.data.point(place), place.More, short(mean), short(math.Abs(mean)/sd))
}

// nearest is the point among the data that is nearest to x, in units of the range of each column.
func (w *Witness) nearest(x []float64) int {
	points := w.Functions.Points
	n, dim := points.Dims()
	unit := make([]float64, dim)
	for a := range dim {
		column := mat.Col(nil, a, points)
		if unit[a] = slices.Max(column) - slices.Min(column); unit[a] == 0 {
			unit[a] = 1
		}
	}
	best, least := 0, math.Inf(1)
	for j := range n {
		d := 0.0
		for a, v := range x {
			d = math.Hypot(d, (points.At(j, a)-v)/unit[a])
		}
		if w.Among[j] && d < least {
			best, least = j, d
		}
	}
	return best
}

// Sides tells at which points of the figure a sample has more: 1 for the first, -1 for the second,
// and 0 where that is not known, by the band that holds for all points at once. It is 0 everywhere
// unless the test rejects and a place is named.
func (w *Witness) Sides() []int {
	out := make([]int, len(w.Shown.Mean))
	if len(w.Where)+len(w.Places) == 0 || w.Everywhere == nil {
		return out
	}
	critical := w.critical()
	for j, m := range w.Shown.Mean {
		switch sd := w.Shown.SD[j]; {
		case m > critical*sd:
			out[j] = 1
		case m < -critical*sd:
			out[j] = -1
		}
	}
	return out
}

// critical is the half width of the simultaneous band in standard deviations.
func (w *Witness) critical() float64 {
	most := 0.0
	for j, in := range w.Among {
		if in && w.Functions.SD[j] > 0 {
			most = max(most, (w.Everywhere.Upper[j]-w.Functions.Mean[j])/w.Functions.SD[j])
		}
	}
	if most == 0 {
		return math.Inf(1)
	}
	return most
}
