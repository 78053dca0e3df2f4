package figure

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
)

// Cloud is a named sample of points in the plane.
type Cloud struct {
	Name   string
	Points [][2]float64
}

// columns returns the coordinates of at most n of the points, spread over the whole list in an
// order that no pattern in it can keep step with.
func (c Cloud) columns(n int) (xs, ys []float64) {
	count := len(c.Points)
	for i := range min(n, count) {
		k := i
		if count > n { // the multiples of the golden ratio, an even sequence
			k = int(math.Mod(float64(i)*0.6180339887498949, 1) * float64(count))
		}
		xs, ys = append(xs, c.Points[k][0]), append(ys, c.Points[k][1])
	}
	return xs, ys
}

// Scatter shows samples of points in the plane. Of a sample of more than 1500 points as many are
// drawn.
type Scatter struct {
	Title          string
	Samples        []Cloud
	XLabel, YLabel string
	XRange, YRange [2]float64 // shown at least; equal: as the points need
	Hue            int        // colour of the first sample: 0 that of P, 1 that of Q, and so on
}

const maxPoints = 1500

// Draw lays the figure out on a page of its own.
func (f Scatter) Draw() (*Figure, error) { return single(f) }

func (f Scatter) check(kind string) error {
	if err := nonempty(kind, "Samples", len(f.Samples)); err != nil {
		return err
	}
	if f.Hue < 0 {
		return fmt.Errorf("figure: %s: Hue is %d, want 0 or more", kind, f.Hue)
	}
	for _, c := range f.Samples {
		name := strconv.Quote(c.Name)
		if err := nonempty(kind, name, len(c.Points)); err != nil {
			return err
		}
		for i, q := range c.Points {
			if !(math.Abs(q[0]) <= huge && math.Abs(q[1]) <= huge) {
				return fmt.Errorf("figure: %s: %s[%d] is %v, want finite numbers", kind, name, i, q)
			}
		}
	}
	return first(finite(kind, "XRange", f.XRange[:]), finite(kind, "YRange", f.YRange[:]))
}

func (f Scatter) plan() (*plan, error) {
	if err := f.check("Scatter"); err != nil {
		return nil, err
	}
	return &plan{title: f.Title, w: 330, h: 300, draw: f.draw,
		legend: func(w vg.Length) vg.Length { return room(w, f.keys()) }}, nil
}

func (f Scatter) draw(s *scene, r vg.Rectangle) {
	x, y := f.ranges()
	p := &panel{s: s, xlabel: f.XLabel, ylabel: f.YLabel}
	p.setUp(r, f.keys(), x, y)
	p.axes()
	p.clouds(f.Samples, f.Hue)
}

// ranges returns what the axes have to show: all points, thinned or not.
func (f Scatter) ranges() (x, y axis) {
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, c := range f.Samples {
		for _, q := range c.Points {
			for k, v := range q {
				lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
			}
		}
	}
	for k, given := range [2][2]float64{f.XRange, f.YRange} {
		pad := 0.03
		if given[0] < given[1] {
			lo[k], hi[k], pad = min(lo[k], given[0]), max(hi[k], given[1]), 0
		}
		lo[k], hi[k] = spread(lo[k], hi[k], pad)
	}
	return axis{lo[0], hi[0], false}, axis{lo[1], hi[1], false}
}

// clouds draws samples in turns, a few points of each, so that none covers another.
func (p *panel) clouds(samples []Cloud, color int) {
	const turns = 8
	total := 0
	xs, ys := make([][]float64, len(samples)), make([][]float64, len(samples))
	for i, c := range samples {
		xs[i], ys[i] = c.columns(maxPoints)
		total += len(xs[i])
	}
	radius, opacity := vg.Length(2), 0.7
	if total > 400 {
		radius, opacity = 1.4, 0.6
	}
	for turn := range turns {
		for i := range samples {
			from, to := turn*len(xs[i])/turns, (turn+1)*len(xs[i])/turns
			p.dots(xs[i][from:to], ys[i][from:to], radius, alpha(hue(color+i), opacity))
		}
	}
}

func (f Scatter) keys() []key {
	var keys []key
	for i, c := range f.Samples {
		name := fmt.Sprintf("%s, n = %d", sampleName(c.Name, f.Hue+i), len(c.Points))
		if len(c.Points) > maxPoints {
			name += fmt.Sprintf(" (%d shown)", maxPoints)
		}
		keys = append(keys, key{name: name, dot: hue(f.Hue + i)})
	}
	return keys
}

// Witness2D shows one or two samples in the plane and, beside them, the posterior of the embedding
// or witness function as a heat map, with an outline where its band excludes zero. Both panels
// show the same part of the plane.
type Witness2D struct {
	Title          string
	Samples        []Cloud   // one or two
	X, Y           []float64 // grid, increasing
	Mean           []float64 // at (X[i], Y[j]): Mean[i*len(Y)+j]
	Lower, Upper   []float64 // band; optional
	XLabel, YLabel string
	Level          float64 // of the band; 0 if it is not to be said
	Sides          []int   // at the grid: 1 where the first sample has more, -1 the second, 0 unknown
}

// Draw lays the figure out on a page of its own.
func (w Witness2D) Draw() (*Figure, error) { return single(w) }

func (w Witness2D) plan() (*plan, error) {
	const kind = "Witness2D"
	surface := Surface{X: w.X, Y: w.Y, Mean: w.Mean, Lower: w.Lower, Upper: w.Upper,
		Level: w.Level, XLabel: w.XLabel, YLabel: w.YLabel}
	scatter := Scatter{Samples: w.Samples, XLabel: w.XLabel, YLabel: w.YLabel}
	sides := checkSides(kind, w.Sides, len(w.X)*len(w.Y))
	if err := first(surface.check(kind), scatter.check(kind), sides); err != nil {
		return nil, err
	}
	if len(w.Samples) > 2 {
		return nil, fmt.Errorf("figure: %s: %d samples, want one or two", kind, len(w.Samples))
	}
	draw := func(s *scene, r vg.Rectangle) { w.draw(s, r, scatter, surface) }
	legend := func(width vg.Length) vg.Length {
		half := (width - gapX) / 2
		return max(room(half-14, scatter.keys()), room(half-40, w.keys(surface)))
	}
	return &plan{title: w.Title, w: 2*300 + gapX, h: 265, draw: draw, legend: legend}, nil
}

func (w Witness2D) draw(s *scene, r vg.Rectangle, scatter Scatter, surface Surface) {
	const shift = 14 // the colour bar needs the room
	mid := (r.Min.X+r.Max.X)/2 - shift
	left, right := r, r
	left.Max.X, right.Min.X = mid-gapX/2, mid+gapX/2
	p := &panel{s: s, xlabel: w.XLabel, ylabel: w.YLabel}
	xlo, xhi := spread(w.X[0], w.X[len(w.X)-1], 0)
	ylo, yhi := spread(w.Y[0], w.Y[len(w.Y)-1], 0)
	keys := scatter.keys()
	if n := w.outside(); n > 0 {
		keys = append(keys, key{name: fmt.Sprintf("(%d beyond the axes)", n), none: true})
	}
	p.setUp(left, keys, axis{xlo, xhi, false}, axis{ylo, yhi, false})
	q, bar := surface.place(s, right, w.keys(surface))
	p.r.Max.Y = min(p.r.Max.Y, q.r.Max.Y)
	q.r.Max.Y = p.r.Max.Y
	p.axes()
	p.clouds(w.Samples, 0)
	surface.paint(q, bar)
}

// outside counts the points that are not over the grid.
func (w Witness2D) outside() int {
	xlo, xhi := spread(w.X[0], w.X[len(w.X)-1], 0)
	ylo, yhi := spread(w.Y[0], w.Y[len(w.Y)-1], 0)
	n := 0
	for _, c := range w.Samples {
		for _, q := range c.Points {
			if q[0] < xlo || q[0] > xhi || q[1] < ylo || q[1] > yhi {
				n++
			}
		}
	}
	return n
}

// keys says what the colours stand for.
func (w Witness2D) keys(surface Surface) []key {
	keys := surface.keys()
	if len(w.Samples) == 2 {
		keys = append(keys,
			key{name: sampleName(w.Samples[0].Name, 0) + " larger", area: diverging(0.67)},
			key{name: sampleName(w.Samples[1].Name, 1) + " larger", area: diverging(-0.67)})
	}
	return keys
}
