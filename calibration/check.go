package calibration

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Report is the judgement of a Result.
type Report struct {
	Alpha      float64
	Quantities []Quantity // in the order of Result.Names
	// Notes say, in sentences, what went wrong on the way and, last, what errors the result shows.
	Notes []string
}

// Quantity is the judgement of one parameter or quantity.
type Quantity struct {
	Name string
	// P is the exact p-value: the smallest alpha at which the ranks leave the envelope, or the
	// probability that ranks of a correct posterior deviate as much. Leaves says that P is at most
	// Report.Alpha.
	P      float64
	Leaves bool
	At     float64 // where in (0,1) the ranks are furthest out
	// Shift estimates how far the posterior lies too high, in units of its standard deviation. Scale
	// estimates its standard deviation over the right one. Each assumes normal posteriors and no
	// other error. ShiftZ and ScaleZ are the deviations of the mean and variance of the ranks from
	// uniform ones, in standard errors. They are positive if the posterior is too high or too wide.
	Shift, ShiftZ float64
	Scale, ScaleZ float64
	Sentence      string
}

// Check judges the ranks of every name, each at level alpha. A fraction of about alpha of correct
// ones leave the envelope. With q names, divide the false alarm rate you can tolerate by q.
func (res *Result) Check(alpha float64) (*Report, error) {
	if !(alpha > 0 && alpha < 1) {
		return nil, fmt.Errorf("calibration: alpha is %v, want it between 0 and 1", alpha)
	}
	n, err := res.valid()
	if err != nil {
		return nil, err
	}
	g := newGrid(n, res.Bins)
	rep := &Report{Alpha: alpha, Notes: append(res.notes(), g.envelope(alpha).power())}
	for j, name := range res.Names {
		q := Quantity{Name: name}
		var at int
		q.P, at = g.pValue(res.counts(j))
		q.At = float64(at) / float64(res.Bins)
		q.Leaves = q.P <= alpha
		shifted := res.moments(&q, j, n)
		q.Sentence = q.sentence(res.Ranks, shifted)
		rep.Quantities = append(rep.Quantities, q)
	}
	return rep, nil
}

// Point is a point of the plot of a name's ranks: the share of ranks below Z less Z, and the bounds
// of that difference. Lines are straight between points; the first and the last are at 0 and 1.
type Point struct {
	Z, Diff, Lower, Upper float64
}

// Points returns the plot of the ranks of one name in the envelope of level alpha.
func (res *Result) Points(name string, alpha float64) ([]Point, error) {
	j := slices.Index(res.Names, name)
	if j < 0 {
		return nil, fmt.Errorf("calibration: nothing is named %q: there are %q", name, res.Names)
	}
	n, err := res.valid()
	if err != nil {
		return nil, err
	}
	e, err := NewEnvelope(n, res.Bins, alpha)
	if err != nil {
		return nil, err
	}
	points := make([]Point, 1, res.Bins+1)
	for i, c := range res.counts(j) {
		z := float64(i+1) / float64(res.Bins)
		diff := func(count int) float64 { return float64(count)/float64(n) - z }
		points = append(points, Point{z, diff(c), diff(e.Lower[i]), diff(e.Upper[i])})
	}
	return points, nil
}

// valid returns the number of replicates with ranks, or why the result cannot be judged.
func (res *Result) valid() (n int, err error) {
	if err := checkBins(res.Ranks, res.Bins); err != nil {
		return 0, err
	}
	for i := range res.Replicates {
		if rep := &res.Replicates[i]; rep.Error == "" {
			if err := rep.check(res.Names, res.Ranks); err != nil {
				return 0, err
			}
			n++
		}
	}
	if n == 0 {
		return 0, fmt.Errorf("calibration: there is no replicate with ranks")
	}
	return n, nil
}

// counts returns how many ranks of the j-th name are below 1/Bins, 2/Bins, … 1 of all ranks.
func (res *Result) counts(j int) []int {
	counts := make([]int, res.Bins)
	for i := range res.Replicates {
		if rep := &res.Replicates[i]; rep.Error == "" {
			counts[rep.Ranks[j]*res.Bins/(res.Ranks+1)]++
		}
	}
	for i := 1; i < len(counts); i++ {
		counts[i] += counts[i-1]
	}
	return counts
}

// moments fills in the shift and the scale, and reports whether the first is the clearer one: a
// large error of one kind shows in the other too.
//
// With u the rank as a share, (rank+1/2)/(Ranks+1), a normal posterior shifted by s of its sds has
// E u = Phi(-s/sqrt 2), and one whose sd is c times the right one has E (u-1/2)^2 =
// arcsin(1/(1+c^2)) / (2 pi); s = 0 and c = 1 give 1/2 and 1/12.
func (res *Result) moments(q *Quantity, j, n int) (shifted bool) {
	m := float64(res.Ranks + 1)
	mean, square := 0.0, 0.0
	for i := range res.Replicates {
		if rep := &res.Replicates[i]; rep.Error == "" {
			d := (float64(rep.Ranks[j])+0.5)/m - 0.5
			mean += d / float64(n)
			square += d * d / float64(n)
		}
	}
	// Mean and variance of d*d for ranks uniform on m values; the mean is also the variance of d.
	want := (1 - 1/(m*m)) / 12
	fourth := 0.0
	for r := range res.Ranks + 1 {
		d := (float64(r)+0.5)/m - 0.5
		fourth += d * d * d * d / m
	}
	q.ShiftZ = -mean / math.Sqrt(want/float64(n))
	q.ScaleZ = 0
	if v := fourth - want*want; v > 1e-12 { // with two ranks there is no variance to speak of
		q.ScaleZ = -(square - want) / math.Sqrt(v/float64(n))
	}
	q.Shift = -math.Sqrt2 * distuv.UnitNormal.Quantile(0.5+mean)
	// The variance 1/12 of a uniform replaces that of the discrete ranks.
	q.Scale = math.Sqrt(max(0, 1/math.Sin(2*math.Pi*min(0.25, square-want+1.0/12))-1))
	return math.Abs(q.ShiftZ) > math.Abs(q.ScaleZ) || square > want && mean*mean > square/2
}

// sentence puts the judgement into words.
func (q *Quantity) sentence(ranks int, shifted bool) string {
	if !q.Leaves {
		return fmt.Sprintf("%s: no sign of error (p = %.2g)", q.Name, q.P)
	}
	s := fmt.Sprintf("%s: wrong (p = %.2g): ", q.Name, q.P)
	const clear = 3 // standard errors
	switch {
	case max(math.Abs(q.ShiftZ), math.Abs(q.ScaleZ)) < clear:
		return s + fmt.Sprintf("too many or too few ranks below %.0f of %d, "+
			"with neither mean nor variance far off", q.At*float64(ranks+1), ranks)
	case shifted:
		where := "high"
		if q.ShiftZ < 0 {
			where = "low"
		}
		return s + fmt.Sprintf("draws lie too %s, by about %.2g of their sd (z = %.1f)", where,
			math.Abs(q.Shift), q.ShiftZ)
	}
	width := "widely"
	if q.ScaleZ < 0 {
		width = "narrowly"
	}
	return s + fmt.Sprintf("draws spread too %s, their sd is about %.2g of the right one "+
		"(z = %.1f)", width, q.Scale, q.ScaleZ)
}

// notes warns of failed replicates, few effective draws and divergences.
func (res *Result) notes() []string {
	var notes []string
	failed, short, diverged, divergences := 0, 0, 0, 0
	least := math.Inf(1)
	first := ""
	for _, rep := range res.Replicates {
		if rep.Error != "" {
			if failed++; failed == 1 {
				first = fmt.Sprintf("replicate %d: %s", rep.Index, rep.Error)
			}
			continue
		}
		if rep.Kept > 0 && rep.Kept < res.Ranks {
			short++
			least = min(least, rep.ESS)
		}
		if rep.Divergences > 0 {
			diverged++
			divergences += rep.Divergences
		}
	}
	if failed > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d simulations failed and are left out, which "+
			"can hide errors or look like them; %s", failed, len(res.Replicates), first))
	}
	if short > 0 {
		notes = append(notes, fmt.Sprintf("%d simulations had fewer than %d effective draws, one "+
			"as few as %.0f: their ranks are coarser; let the sampler make more draws", short,
			res.Ranks, least))
	}
	if diverged > 0 {
		notes = append(notes, fmt.Sprintf("%d simulations had divergences, %d in all: their draws "+
			"may miss part of the posterior", diverged, divergences))
	}
	return notes
}
