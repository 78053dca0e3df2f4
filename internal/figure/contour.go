package figure

import "gonum.org/v1/plot/vg"

// lattice is a function on a grid, given at (x[i], y[j]) by z[i*len(y)+j].
type lattice struct {
	x, y, z []float64
}

func (l lattice) at(i, j int) float64 { return l.z[i*len(l.y)+j] }

// contour returns the lines on which the function is zero, by marching squares: a line crosses a
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
