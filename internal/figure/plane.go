package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// plane shows samples of points and the sign of a function over them.
type plane struct {
	surface Surface
	name    string // of the function
	clouds  []Cloud
	hues    []int // of the clouds
	most    int   // points drawn of a cloud; 0: maxPoints
	sides   []int
	more    [2]string // what the two sides mean
	signed  bool      // the function has two sides though there is one cloud
	present []float64 // above zero at the grid where there are enough data for a colour
	read    *readout  // nil: not yet needed

	levels      []float64    // of the function to be shown, whatever the clouds, and no sides
	diamonds    [][2]float64 // points over all others; optional
	diamondName string
}

func (m *plane) check(kind string) error {
	points := Scatter{Samples: m.clouds}
	return first(m.surface.check(kind), points.check(kind),
		checkSides(kind, m.sides, len(m.surface.X)*len(m.surface.Y)))
}

// twoSided reports whether the sign of the function matters.
func (m *plane) twoSided() bool { return len(m.levels) == 0 && (m.signed || len(m.clouds) == 2) }

func (m *plane) plan(title string) *plan {
	return &plan{title: title, w: pageWidth, h: 340, draw: m.draw,
		legend: func(w vg.Length) vg.Length { return room(w, m.keys()) }}
}

func (m *plane) draw(s *scene, r vg.Rectangle) { m.drawIn(s, r, m.keys()) }

// drawIn draws the plane in a rectangle with a legend of these keys.
func (m *plane) drawIn(s *scene, r vg.Rectangle, keys []key) {
	if s.web != nil && m.read == nil {
		m.read = m.readout()
	}
	p := &panel{s: s, xlabel: m.surface.XLabel, ylabel: m.surface.YLabel, zoom: "xy", read: m.read}
	x, y := m.ranges()
	p.setUp(r, keys, x, y)
	p.axes()
	m.paint(p)
	s.leave()
}

// ranges are those of the grid.
func (m *plane) ranges() (x, y axis) {
	f := m.surface
	x.lo, x.hi = spread(f.X[0], f.X[len(f.X)-1], 0)
	y.lo, y.hi = spread(f.Y[0], f.Y[len(f.Y)-1], 0)
	return x, y
}

// Opacities of the steps of a colour, and the parts of the largest value where they begin.
const stepOpacity = 0.17

var stepsAt = [...]float64{0, 1. / 3, 2. / 3}

// Contours of the function where nothing is coloured.
var (
	abovePen = pen{color: faint, width: 0.9}
	belowPen = pen{color: faint, width: 0.9, dash: dashed}
)

// paint draws colours, contours, points and the edges of the sides.
func (m *plane) paint(p *panel) {
	top := m.surface.top()
	if !m.twoSided() {
		levels := m.levels
		if len(levels) == 0 {
			levels = []float64{0.2 * top, 0.4 * top, 0.6 * top, 0.8 * top}
		}
		for _, at := range levels {
			p.fillWhere(m.surface.above(1, at), alpha(hue(0), 0.13), pen{})
		}
		p.clouds(m.clouds, m.hues, m.most)
		var path vg.Path
		for _, q := range m.diamonds {
			if at := p.at(q[0], q[1]); p.inside(at) {
				path = shape(path, 3, at, novelSize)
			}
		}
		p.s.fill(path, novelInk)
		return
	}
	for _, sign := range [2]float64{1, -1} {
		by := abovePen
		if sign < 0 {
			by = belowPen
		}
		for _, at := range stepsAt[1:] {
			p.outline(m.surface.above(sign, at*top), by)
		}
	}
	for side, sign := range [2]float64{1, -1} {
		inside := m.inside(int(sign))
		for _, at := range stepsAt {
			p.fillWhere(inside.with(m.surface.above(sign, at*top)), alpha(hue(side), stepOpacity), pen{})
		}
	}
	p.clouds(m.clouds, m.hues, m.most)
	for side, sign := range [2]float64{1, -1} {
		l := m.inside(int(sign)).with(m.surface.above(sign, 0))
		p.fillWhere(l, alpha(hue(side), 0), sidePen(side))
	}
}

// sidePen tells the sides apart without colour too.
func sidePen(side int) pen {
	by := pen{color: hue(side), width: 1.5}
	if side == 1 {
		by.dash = dashed
	}
	return by
}

// above is the function whose sign says where sign times the mean exceeds at.
func (f Surface) above(sign, at float64) lattice {
	l := lattice{f.X, f.Y, make([]float64, len(f.Mean))}
	top := f.top()
	for k, v := range f.Mean {
		l.z[k] = (sign*v - at) / top
	}
	return l
}

// inside is above zero on one of the sides and where there are data. The edge is smoothed: it is
// known to one step of the grid.
func (m *plane) inside(sign int) lattice {
	f := m.surface
	l := lattice{f.X, f.Y, make([]float64, len(f.Mean))}
	for k := range l.z {
		l.z[k] = -1
		if len(m.sides) == 0 {
			continue
		}
		i, j := k/len(f.Y), k%len(f.Y)
		in, n := 0.0, 0.0
		for a := max(i-1, 0); a <= min(i+1, len(f.X)-1); a++ {
			for b := max(j-1, 0); b <= min(j+1, len(f.Y)-1); b++ {
				n++
				if m.sides[a*len(f.Y)+b] == sign {
					in++
				}
			}
		}
		l.z[k] = in/n - 0.4
		if len(m.present) > 0 {
			l.z[k] = min(l.z[k], m.present[k])
		}
	}
	return l
}

// with is above zero where both are.
func (l lattice) with(o lattice) lattice {
	z := make([]float64, len(l.z))
	for k := range z {
		z[k] = min(l.z[k], o.z[k])
	}
	return lattice{l.x, l.y, z}
}

// reach is how far a point of the grid counts data as near: a fourteenth of the axis, and more than
// a step.
func reach(grid []float64) float64 {
	width := grid[len(grid)-1] - grid[0]
	return max(width/14, 1.5*width/float64(max(len(grid)-1, 1)), tiny)
}

// crowd is above zero at the points of the grid that have data near them.
func (f Surface) crowd(clouds []Cloud) []float64 {
	out := make([]float64, len(f.X)*len(f.Y))
	for k := range out {
		out[k] = -0.3
	}
	rx, ry := reach(f.X), reach(f.Y)
	for _, c := range clouds {
		for _, q := range c.Points {
			i, _ := slices.BinarySearch(f.X, q[0]-rx)
			for ; i < len(f.X) && f.X[i] <= q[0]+rx; i++ {
				j, _ := slices.BinarySearch(f.Y, q[1]-ry)
				for ; j < len(f.Y) && f.Y[j] <= q[1]+ry; j++ {
					dx, dy := (f.X[i]-q[0])/rx, (f.Y[j]-q[1])/ry
					out[i*len(f.Y)+j] += max(0, 1-dx*dx-dy*dy)
				}
			}
		}
	}
	for k := range out {
		out[k] = min(out[k], 1)
	}
	return out
}

// expected is above zero at the points of the grid near which at least one pair is expected if the
// variables are independent.
func (f Surface) expected(pairs [][2]float64) []float64 {
	columns := [2][]float64{}
	for _, q := range pairs {
		columns[0], columns[1] = append(columns[0], q[0]), append(columns[1], q[1])
	}
	slices.Sort(columns[0])
	slices.Sort(columns[1])
	nx, ny := near(columns[0], f.X, reach(f.X)), near(columns[1], f.Y, reach(f.Y))
	out := make([]float64, len(f.X)*len(f.Y))
	for i := range f.X {
		for j := range f.Y {
			out[i*len(f.Y)+j] = min(nx[i]*ny[j]/float64(len(pairs))-1, 1)
		}
	}
	return out
}

// keys says what the colours mean.
func (m *plane) keys() []key {
	var keys []key
	for i, c := range m.clouds {
		name := sampleKey(c.Name, len(c.Points), c.Of, m.drawn())
		keys = append(keys, key{name: name, dot: tint(m.hues[i])})
	}
	if n := len(m.diamonds); n > 0 {
		keys = append(keys, key{name: fmt.Sprintf("%s: %d", m.diamondName, n), dot: novelInk, shape: 3})
	}
	if !m.twoSided() {
		keys = append(keys, key{name: m.name + ", darker where larger", area: alpha(hue(0), 0.4)})
	} else {
		for side, sign := range [2]int{1, -1} {
			if slices.Contains(m.sides, sign) {
				keys = append(keys, key{name: m.more[side], area: alpha(hue(side), 0.4),
					pen: sidePen(side), wide: side == 1})
			}
		}
		keys = append(keys, key{name: m.name + " above 0", pen: abovePen},
			key{name: "below 0", pen: belowPen, wide: true})
	}
	if n := m.outside(); n > 0 {
		keys = append(keys, key{name: fmt.Sprintf("(%d beyond the axes)", n), none: true})
	}
	return keys
}

func (m *plane) drawn() int {
	if m.most > 0 {
		return m.most
	}
	return maxPoints
}

// outside counts the points that are not over the grid.
func (m *plane) outside() int {
	x, y := m.ranges()
	n := 0
	for _, c := range append(m.clouds[:len(m.clouds):len(m.clouds)], Cloud{Points: m.diamonds}) {
		for _, q := range c.Points {
			if q[0] < x.lo || q[0] > x.hi || q[1] < y.lo || q[1] > y.hi {
				n++
			}
		}
	}
	return n
}

// readout has the function with its band, and how many rows there are nearby, on a coarse grid.
func (m *plane) readout() *readout {
	const side = 26
	f := m.surface
	is, js := every(len(f.X), side), every(len(f.Y), side)
	r := &readout{X: cmp.Or(f.XLabel, "x"), Y: cmp.Or(f.YLabel, "y"), At: pick(f.X, is),
		By: pick(f.Y, js)}
	var at []int
	for _, i := range is {
		for _, j := range js {
			at = append(at, i*len(f.Y)+j)
		}
	}
	band := "band"
	if f.Level > 0 {
		band = percent(f.Level) + " band"
	}
	r.Rows = append(r.Rows, reading{Name: m.name, Value: pick(f.Mean, at),
		Lower: pick(f.Lower, at), Upper: pick(f.Upper, at), Band: band})
	rx, ry := reach(f.X), reach(f.Y)
	for _, c := range m.clouds {
		r.Rows = append(r.Rows, reading{Name: fmt.Sprintf("%s within ±%s, ±%s", c.Name, short(rx),
			short(ry)), Value: countNear(c.Points, r.At, r.By, rx, ry)})
	}
	return r
}

// countNear counts the points in a rectangle about each point of a grid.
func countNear(points [][2]float64, xs, ys []float64, rx, ry float64) numbers {
	out := make(numbers, len(xs)*len(ys))
	for _, q := range points {
		i, _ := slices.BinarySearch(xs, q[0]-rx)
		for ; i < len(xs) && xs[i] <= q[0]+rx; i++ {
			j, _ := slices.BinarySearch(ys, q[1]-ry)
			for ; j < len(ys) && ys[j] <= q[1]+ry; j++ {
				out[i*len(ys)+j]++
			}
		}
	}
	return out
}

// top is the largest value without its sign; 1 if all are zero.
func (f Surface) top() float64 {
	lo, hi := extent(f.Mean)
	if top := max(math.Abs(lo), math.Abs(hi)); top > tiny {
		return top
	}
	return 1
}
