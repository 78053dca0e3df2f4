package figure

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
)

// Cloud is a named sample of points in the plane.
type Cloud struct {
	Name   string
	Points [][2]float64
	Of     int // how many rows there are, where these are some of them; 0 where they are all
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
	Over           bool       // later samples lie over earlier ones, as larger points
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
	p := &panel{s: s, xlabel: f.XLabel, ylabel: f.YLabel, zoom: "xy"}
	p.setUp(r, f.keys(), x, y)
	p.axes()
	hues := make([]int, len(f.Samples))
	for i := range hues {
		hues[i] = f.Hue + i
	}
	if f.Over {
		p.over(f.Samples, hues)
	} else {
		p.clouds(f.Samples, hues, 0)
	}
	s.leave()
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

// inkHue is the hue of points that belong to no sample.
const inkHue = -1

// tint is a hue or ink.
func tint(i int) color.NRGBA {
	if i == inkHue {
		return soft
	}
	return hue(i)
}

// clouds draws samples in turns, a few points of each, so that none covers another; of each at most
// most, or maxPoints.
func (p *panel) clouds(samples []Cloud, hues []int, most int) {
	const turns = 8
	if most == 0 {
		most = maxPoints
	}
	total := 0
	xs, ys := make([][]float64, len(samples)), make([][]float64, len(samples))
	for i, c := range samples {
		xs[i], ys[i] = c.columns(most)
		total += len(xs[i])
	}
	radius, opacity := vg.Length(2), 0.7
	if total > 400 || p.width() < 250 {
		radius, opacity = 1.4, 0.6
	}
	for turn := range turns {
		for i := range samples {
			from, to := turn*len(xs[i])/turns, (turn+1)*len(xs[i])/turns
			p.dots(xs[i][from:to], ys[i][from:to], radius, alpha(tint(hues[i]), opacity))
		}
	}
}

// over draws one sample over the other.
func (p *panel) over(samples []Cloud, hues []int) {
	for i, c := range samples {
		xs, ys := c.columns(maxPoints)
		radius, opacity := vg.Length(1.4), 0.35
		if i > 0 {
			radius, opacity = 2.2, 0.9
		}
		p.dots(xs, ys, radius, alpha(tint(hues[i]), opacity))
	}
}

func (f Scatter) keys() []key {
	var keys []key
	for i, c := range f.Samples {
		name := sampleKey(sampleName(c.Name, f.Hue+i), len(c.Points), c.Of, maxPoints)
		keys = append(keys, key{name: name, dot: hue(f.Hue + i)})
	}
	return keys
}

// sampleKey names a sample with the number of its rows, and how many of them are shown: at most so many
// of those that the picture has.
func sampleKey(name string, have, of, most int) string {
	key := fmt.Sprintf("%s, n = %d", name, max(have, of))
	if shown := min(have, most); shown < max(have, of) {
		key += fmt.Sprintf(" (%d shown)", shown)
	}
	return key
}
