package figure

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// lattice is a function on a grid, given at (x[i], y[j]) by z[i*len(y)+j].
type lattice struct {
	x, y, z []float64
}

func (l lattice) at(i, j int) float64 { return l.z[i*len(l.y)+j] }

// contour returns the lines on which the function is zero, by marching squares. A line crosses a
// cell from edge to edge where the function changes its sign, and lines that share an edge are
// joined. Points where it is exactly zero count as below.
func (l lattice) contour() [][][2]float64 {
	c := crossings{lattice: l, next: map[int][]int{}}
	for i := 0; i+1 < len(l.x); i++ {
		for j := 0; j+1 < len(l.y); j++ {
			c.cell(i, j)
		}
	}
	return c.chains()
}

// crossings holds which edges of the grid a contour joins. Edge 2(i ny + j) runs from point (i, j)
// along x, the one after it along y.
type crossings struct {
	lattice
	next  map[int][]int
	edges []int // in the order found
}

// cell joins the crossed edges of the cell with (i, j) at its lower left.
func (c *crossings) cell(i, j int) {
	ny := len(c.y)
	edge := [4]int{2 * (i*ny + j), 2*((i+1)*ny+j) + 1, 2 * (i*ny + j + 1), 2*(i*ny+j) + 1}
	corner := [4]float64{c.at(i, j), c.at(i+1, j), c.at(i+1, j+1), c.at(i, j+1)}
	var crossed []int
	for k := range corner {
		if (corner[k] > 0) != (corner[(k+1)%4] > 0) {
			crossed = append(crossed, edge[k])
		}
	}
	switch {
	case len(crossed) == 2:
		c.join(crossed[0], crossed[1])
	case len(crossed) == 4: // a saddle: the middle decides which corners belong together
		mid := corner[0] + corner[1] + corner[2] + corner[3]
		if (mid > 0) == (corner[0] > 0) {
			c.join(edge[0], edge[1])
			c.join(edge[2], edge[3])
		} else {
			c.join(edge[3], edge[0])
			c.join(edge[1], edge[2])
		}
	}
}

func (c *crossings) join(a, b int) {
	for _, e := range [2]int{a, b} {
		if len(c.next[e]) == 0 {
			c.edges = append(c.edges, e)
		}
	}
	c.next[a] = append(c.next[a], b)
	c.next[b] = append(c.next[b], a)
}

// chains follows the joined edges: first the lines that end at the grid's rim, then closed ones.
func (c *crossings) chains() [][][2]float64 {
	var lines [][][2]float64
	seen := map[int]bool{}
	for _, closed := range [2]bool{false, true} {
		for _, e := range c.edges {
			if seen[e] || !closed && len(c.next[e]) != 1 {
				continue
			}
			var line [][2]float64
			for at, ok := e, true; ok; {
				seen[at] = true
				line = append(line, c.point(at))
				ok = false
				for _, n := range c.next[at] {
					if !seen[n] {
						at, ok = n, true
						break
					}
				}
			}
			if closed {
				line = append(line, line[0])
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// point is where the function is zero on an edge, by linear interpolation.
func (c *crossings) point(edge int) [2]float64 {
	i, j := edge/2/len(c.y), edge/2%len(c.y)
	a := c.at(i, j)
	if edge%2 == 0 {
		t := a / (a - c.at(i+1, j))
		return [2]float64{c.x[i] + t*(c.x[i+1]-c.x[i]), c.y[j]}
	}
	t := a / (a - c.at(i, j+1))
	return [2]float64{c.x[i], c.y[j] + t*(c.y[j+1]-c.y[j])}
}

// outline draws the zero lines of a function.
func (p *panel) outline(l lattice, by pen) {
	var path vg.Path
	for _, line := range l.contour() {
		pts := make([]vg.Point, len(line))
		for k, q := range line {
			pts[k] = p.at(q[0], q[1])
		}
		path = polyline(path, pts)
	}
	p.s.stroke(path, by)
}

// area returns the part of the plane where the function is above zero as closed lines. The outer
// ones run against the clock and the holes with it, so both rules of filling agree.
func (l lattice) area() [][][2]float64 {
	loops := l.padded().contour()
	for i, loop := range loops {
		depth := 0
		for k, other := range loops {
			if k != i && contains(other, loop[0]) {
				depth++
			}
		}
		if turn(loop) > 0 != (depth%2 == 0) {
			slices.Reverse(loop)
		}
	}
	return loops
}

// padded adds a rim below zero, a hair outside the grid, so that all lines close.
func (l lattice) padded() lattice {
	const hair = 1e-6
	rim := func(xs []float64) []float64 {
		lo, hi := spread(xs[0], xs[len(xs)-1], hair)
		return append(append([]float64{lo}, xs...), hi)
	}
	out := lattice{x: rim(l.x), y: rim(l.y)}
	lo, hi := extent(l.z)
	below := -max(math.Abs(lo), math.Abs(hi), tiny)
	out.z = make([]float64, len(out.x)*len(out.y))
	for i := range out.x {
		for j := range out.y {
			v := below
			if i > 0 && i <= len(l.x) && j > 0 && j <= len(l.y) {
				v = l.at(i-1, j-1)
			}
			out.z[i*len(out.y)+j] = v
		}
	}
	return out
}

// turn is twice the signed area of a closed line.
func turn(loop [][2]float64) float64 {
	sum := 0.0
	for k := 1; k < len(loop); k++ {
		a, b := loop[k-1], loop[k]
		sum += (a[0]-loop[0][0])*(b[1]-loop[0][1]) - (b[0]-loop[0][0])*(a[1]-loop[0][1])
	}
	return sum
}

// contains reports whether a point is inside a closed line.
func contains(loop [][2]float64, q [2]float64) bool {
	in := false
	for k := 1; k < len(loop); k++ {
		a, b := loop[k-1], loop[k]
		if (a[1] > q[1]) != (b[1] > q[1]) && q[0] < a[0]+(q[1]-a[1])/(b[1]-a[1])*(b[0]-a[0]) {
			in = !in
		}
	}
	return in
}

// fillWhere fills where the function is above zero and draws the edge, if it has a pen.
func (p *panel) fillWhere(l lattice, c color.NRGBA, edge pen) {
	var inside, line vg.Path
	for _, loop := range l.area() {
		pts := make([]vg.Point, len(loop))
		for k, q := range loop {
			pts[k] = p.at(q[0], q[1])
		}
		inside, line = polygon(inside, pts), polyline(line, pts)
	}
	if c.A > 0 {
		p.s.fill(inside, c)
	}
	if edge.width > 0 {
		p.s.stroke(line, edge)
	}
}
