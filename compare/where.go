package compare

import (
	"cmp"
	"context"
	"math"
	"slices"

	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// Interval is where one sample has more.
type Interval struct {
	From float64 `json:"from" doc:"The left end."`
	To   float64 `json:"to" doc:"The right end."`
	More string  `json:"more" doc:"The sample of which there is more, by its name in samples."`
	Sign int     `json:"-"` // 1 for the first sample, -1 for the second
}

// Place is a point at which one sample has more.
type Place struct {
	Columns []string  `json:"columns" doc:"The columns of the point."`
	At      []float64 `json:"at" doc:"The point, in the units of the columns."`
	More    string    `json:"more" doc:"The sample of which there is more, by its name in samples."`
	Sign    int       `json:"-"` // 1 for the first sample, -1 for the second
	// Strength is how many posterior standard deviations the witness is from 0.
	Strength float64 `json:"-"`
}

// mostPlaces is the number of places at which a sample has more that are named.
const mostPlaces = 3

// apart is how many lengthscales places at which one sample has more are apart at least.
const apart = 2

// strongest finds the strongest point among the data.
func (w *Witness) strongest(d *data) {
	best := -1
	for j, in := range w.Among {
		if in && (best < 0 || w.strength(j) > w.strength(best)) {
			best = j
		}
	}
	if best >= 0 {
		w.Strongest = w.place(d, best)
	}
}

func (w *Witness) place(d *data, j int) Place {
	sign := 1
	if w.Functions.Mean[j] < 0 {
		sign = -1
	}
	return Place{Columns: w.columns, At: slices.Clone(w.Functions.Points.RawRowView(j)),
		More: d.more(sign), Sign: sign, Strength: w.strength(j)}
}

// more names the sample that has more where the witness has a sign.
func (d *data) more(sign int) string {
	if sign < 0 && len(d.samples) > 1 {
		return d.samples[1].name
	}
	return d.samples[0].name
}

// locate finds where the samples differ that the test tells apart. It needs all of their rows.
func (r *Result) locate(ctx context.Context) error {
	d := r.data
	if !r.Test.Reject || d.o.Tested != nil {
		return nil
	}
	for _, s := range d.samples {
		if s.rows() != s.n {
			return nil
		}
	}
	o := d.testOptions()
	o.Alpha = r.Test.Alpha
	var err error
	r.places, err = kerneltest.Places(ctx, d.samples[0].given.X, d.samples[1].given.X, o)
	return err
}

// name says where the samples differ that the test tells apart: at the places of the test, or where it has
// none at those where the band excludes 0.
func (w *Witness) name(r *Result) {
	d := r.data
	w.Where, w.Places, w.Likely = []Interval{}, []Place{}, w.Strongest
	if r.places == nil {
		w.nameByBand(d)
		return
	}
	count := map[int]int{}
	for k, q := range r.places {
		p := Place{Columns: w.columns, At: q.At, More: d.more(q.Sign), Sign: q.Sign}
		if k == 0 {
			p.Strength = w.Strongest.Strength
			w.Likely = p
		}
		switch {
		case !q.Named:
		case d.dim == 1:
			w.Where = append(w.Where, Interval{q.From, q.To, p.More, p.Sign})
		case count[p.Sign] < mostPlaces:
			count[p.Sign]++
			w.Places = append(w.Places, p)
		}
	}
	slices.SortFunc(w.Where, func(a, b Interval) int { return cmp.Compare(a.From, b.From) })
}

func (w *Witness) nameByBand(d *data) {
	if d.dim == 1 {
		for _, v := range w.Everywhere.Intervals() {
			w.Where = append(w.Where, Interval{v.From, v.To, d.more(v.Sign), v.Sign})
		}
		return
	}
	var order []int
	for j, sign := range w.Everywhere.Excludes() {
		if sign != 0 {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(w.strength(j), w.strength(i))
	})
	var taken []int
	count := map[int]int{}
	for _, j := range order {
		p := w.place(d, j)
		if count[p.Sign] == mostPlaces || slices.ContainsFunc(taken, func(i int) bool {
			return w.Functions.Mean[i] > 0 == (p.Sign > 0) && w.distance(w.model, i, j) < apart
		}) {
			continue
		}
		count[p.Sign]++
		taken = append(taken, j)
		w.Places = append(w.Places, p)
	}
}

// distance is that of two rows in lengthscales.
func (w *Witness) distance(x *mat.Dense, i, j int) float64 {
	sum := 0.0
	for a, v := range x.RawRowView(i) {
		u := (v - x.At(j, a)) / w.lengths[min(a, len(w.lengths)-1)]
		sum = math.Hypot(sum, u)
	}
	return sum
}
