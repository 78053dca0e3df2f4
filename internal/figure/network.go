package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// Network is a graph of causes: nodes in rows, causes above effects. The width of an edge is how
// often it was found.
type Network struct {
	Title string
	Nodes []string
	Edges []NetworkEdge
	// Partial says that two arrows stand for a hidden common cause.
	Partial bool
}

// NetworkEdge is an edge of two nodes, by their place in Nodes, with an arrow at either end or not.
type NetworkEdge struct {
	From, To           int
	ArrowFrom, ArrowTo bool
	Frequency          float64 // 0 to 1; NaN: not known
	// Circles leave open whether there is an arrow.
	CircleFrom, CircleTo bool
}

// MaxNodes is the largest number of nodes of a Network; beyond about thirty it is hard to read.
const MaxNodes = 200

// Draw lays the figure out on a page of its own.
func (f Network) Draw() (*Figure, error) { return single(f) }

func (f Network) check() error {
	const kind = "Network"
	if err := nonempty(kind, "Nodes", len(f.Nodes)); err != nil {
		return err
	}
	if len(f.Nodes) > MaxNodes {
		return fmt.Errorf("figure: %s: %d nodes, want at most %d", kind, len(f.Nodes), MaxNodes)
	}
	for i, e := range f.Edges {
		if n := len(f.Nodes); min(e.From, e.To) < 0 || max(e.From, e.To) >= n || e.From == e.To {
			return fmt.Errorf("figure: %s: Edges[%d] is of %d and %d, want two of %d nodes", kind, i, e.From,
				e.To, n)
		}
		if f := e.Frequency; f < 0 || f > 1 {
			return fmt.Errorf("figure: %s: Edges[%d] has frequency %v, want 0 to 1", kind, i, f)
		}
	}
	return nil
}

func (f Network) plan() (*plan, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	d := &network{Network: f, order: f.order()}
	return &plan{title: f.Title, w: pageWidth, draw: d.draw,
		heightAt: func(w vg.Length) vg.Length { return d.layout(w).height },
		legend:   func(w vg.Length) vg.Length { return legendHeight(d.keys(), w) }}, nil
}

// order lists the nodes so that no directed edge runs against it, but for cycles. Next is always
// the first node left with the fewest directed edges from other nodes left.
func (f Network) order() []int {
	in := make([]int, len(f.Nodes))
	for _, e := range f.Edges {
		if e.ArrowFrom != e.ArrowTo {
			in[e.head()]++
		}
	}
	var order []int
	left := make([]int, len(f.Nodes))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		next := slices.MinFunc(left, func(a, b int) int { return in[a] - in[b] })
		order = append(order, next)
		left = slices.DeleteFunc(left, func(i int) bool { return i == next })
		for _, e := range f.Edges {
			if e.ArrowFrom != e.ArrowTo && e.From+e.To-e.head() == next {
				in[e.head()]--
			}
		}
	}
	return order
}

// head is the end of a directed edge with the arrow.
func (e NetworkEdge) head() int {
	if e.ArrowFrom {
		return e.From
	}
	return e.To
}

// network is a checked Network.
type network struct {
	Network
	order []int
}

func (d *network) keys() []key {
	var directed, open, conflict, frequency, circle bool
	for _, e := range d.Edges {
		circle = circle || e.CircleFrom || e.CircleTo
		switch {
		case e.CircleFrom && e.CircleTo:
		case e.ArrowFrom && e.ArrowTo:
			conflict = true
		case e.ArrowFrom || e.ArrowTo:
			directed = true
		default:
			open = true
		}
		frequency = frequency || !math.IsNaN(e.Frequency)
	}
	var keys []key
	if directed {
		keys = append(keys, key{name: "from cause to effect", heads: 1, pen: pen{color: edgeInk, width: 1.4}})
	}
	if open {
		keys = append(keys, key{name: "direction not known", wide: true, pen: openPen(1.4)})
	}
	if conflict {
		name := "the tests contradict each other"
		if d.Partial {
			name = "a hidden common cause"
		}
		keys = append(keys, key{name: name, heads: 2, pen: pen{color: hue(1), width: 1.4}})
	}
	if circle {
		keys = append(keys, key{none: true, name: "(circle: arrow or not, the rows cannot tell)"})
	}
	if frequency {
		keys = append(keys, key{none: true, name: "(thicker: found more often)"})
	}
	return keys
}

var edgeInk = alpha(ink, 0.62)

func openPen(width vg.Length) pen { return pen{color: edgeInk, width: width, dash: dashed} }

// Sizes of a Network's parts.
const (
	nodePad    = vg.Length(6) // between name and border
	lineHeight = vg.Length(12)
	arrowSize  = vg.Length(6)
)

// placed is a Network at one width.
type placed struct {
	*layers
	lines  [][]string // of each name
	size   typeface
	tall   []vg.Length // height of each row
	top    []vg.Length // of each row, from above
	height vg.Length
}

// layout places the nodes. A narrow page has smaller letters and more rows.
func (d *network) layout(w vg.Length) *placed {
	out := &placed{size: tickFont}
	if len(d.Nodes) > 20 {
		out.size.size = 8.5
	}
	widest := min(w*0.34, 130)
	widths := make([]float64, len(d.Nodes))
	for i, name := range d.Nodes {
		lines := wrap(name, out.size, widest, 2)
		out.lines = append(out.lines, lines)
		for _, line := range lines {
			widths[i] = max(widths[i], float64(out.size.width(line)+2*nodePad))
		}
		widths[i] = max(widths[i], 26)
	}
	var edges [][2]int
	for _, e := range d.Edges {
		edges = append(edges, [2]int{e.From, e.To})
	}
	out.layers = newLayers(widths, edges, d.order, float64(w))
	out.centre(float64(w))
	y := vg.Length(2)
	for k, row := range out.rows {
		tall := vg.Length(0)
		for _, s := range row {
			if s.node >= 0 {
				tall = max(tall, vg.Length(len(out.lines[s.node]))*lineHeight+2*nodePad)
			}
		}
		out.top, out.tall = append(out.top, y), append(out.tall, tall)
		y += tall
		if k+1 < len(out.rows) {
			y += out.gap(row)
		}
	}
	out.height = y + 2
	return out
}

// centre puts the rows into the middle of the page.
func (p *placed) centre(w float64) {
	left, right := math.Inf(1), math.Inf(-1)
	for _, row := range p.rows {
		first, last := row[0], row[len(row)-1]
		left, right = min(left, first.x-first.width/2), max(right, last.x+last.width/2)
	}
	for _, row := range p.rows {
		for _, s := range row {
			s.x += (w - left - right) / 2
		}
	}
}

// gap is the distance to the next row: the larger the further edges run sideways.
func (p *placed) gap(row []*spot) vg.Length {
	far, edges := 0.0, 0
	for _, s := range row {
		for _, t := range s.down {
			far = max(far, math.Abs(s.x-t.x))
			edges++
		}
	}
	if edges == 0 {
		return 14
	}
	return vg.Length(min(30+far*0.14, 70))
}

func (d *network) draw(s *scene, r vg.Rectangle) {
	width := r.Max.X - r.Min.X
	s.legend(d.keys(), pt(r.Min.X, r.Max.Y), width)
	r.Max.Y -= s.legendHeight(d.keys(), width)
	p := d.layout(width)
	ports := p.ports()
	for i, e := range d.Edges {
		d.edge(s, r, p, e, p.through[i], ports[i])
	}
	for i, spot := range p.of {
		y := r.Max.Y - p.top[p.row[i]] - p.tall[p.row[i]]/2
		x := r.Min.X + vg.Length(spot.x)
		tall := vg.Length(len(p.lines[i]))*lineHeight + 2*nodePad - 3
		half := vg.Length(spot.width) / 2
		box := rounding(rect(x-half, y-tall/2, x+half, y+tall/2), 4)
		s.fill(box, grid)
		s.stroke(box, pen{color: soft, width: 0.8})
		for k, line := range p.lines[i] {
			base := y + lineHeight*(vg.Length(len(p.lines[i])-1)/2-vg.Length(k)) - 0.35*p.size.size
			s.text(label{txt: line, at: pt(x, base), font: p.size, color: ink, anchor: 0.5})
		}
	}
}

// ports says where each edge leaves its upper node and enters its lower one, so that the edges of a
// node stand side by side in the order in which they come.
func (p *placed) ports() [][2]vg.Length {
	out := make([][2]vg.Length, len(p.edges))
	for end := range 2 {
		for i, node := range p.of {
			var at []int
			for k, e := range p.edges {
				if e[end] == i {
					at = append(at, k)
				}
			}
			next := func(k int) float64 { // the other end of the first piece
				way := p.through[k]
				if end == 0 {
					return way[1].x
				}
				return way[len(way)-2].x
			}
			slices.SortStableFunc(at, func(a, b int) int {
				if next(a) < next(b) {
					return -1
				} else if next(a) > next(b) {
					return 1
				}
				return 0
			})
			room := min((node.width-10)/float64(max(len(at)-1, 1)), 14)
			for k, e := range at {
				out[e][end] = vg.Length(node.x + room*(float64(k)-float64(len(at)-1)/2))
			}
		}
	}
	return out
}

// edge draws an edge through its spots: upright past rows, curved between them.
func (d *network) edge(s *scene, r vg.Rectangle, p *placed, e NetworkEdge, way []*spot,
	port [2]vg.Length) {
	wide := vg.Length(1.4)
	if !math.IsNaN(e.Frequency) {
		wide = vg.Length(0.5 + 2.9*e.Frequency)
	}
	by := pen{color: edgeInk, width: wide}
	switch {
	case e.ArrowFrom && e.ArrowTo:
		by.color = hue(1)
	case !e.ArrowFrom && !e.ArrowTo && !e.CircleFrom && !e.CircleTo:
		by = openPen(wide)
	}
	upper := p.row[way[0].node]
	lower := p.row[way[len(way)-1].node]
	arrowUp, arrowDown := e.ArrowFrom, e.ArrowTo
	circleUp, circleDown := e.CircleFrom, e.CircleTo
	if way[0].node == e.To {
		arrowUp, arrowDown = arrowDown, arrowUp
		circleUp, circleDown = circleDown, circleUp
	}
	edgeOf := func(i int) vg.Length { // half the height of a node
		return vg.Length(len(p.lines[i]))*lineHeight/2 + nodePad - 1.5
	}
	size := arrowSize + wide
	y := r.Max.Y - p.top[upper] - p.tall[upper]/2 - edgeOf(way[0].node)
	end := r.Max.Y - p.top[lower] - p.tall[lower]/2 + edgeOf(way[len(way)-1].node)
	from, to := pt(r.Min.X+port[0], y), pt(r.Min.X+port[1], end)
	if arrowUp {
		s.fill(arrowhead(from, -size, wide), by.color)
		from.Y -= size - 0.3
	}
	if arrowDown {
		s.fill(arrowhead(to, size, wide), by.color)
		to.Y += size - 0.3
	}
	const ring = vg.Length(5)
	circle := func(x, y vg.Length) {
		s.stroke(rounding(rect(x-ring/2, y, x+ring/2, y+ring), ring/2), pen{color: by.color, width: 1})
	}
	if circleUp {
		circle(from.X, from.Y-ring)
		from.Y -= ring
	}
	if circleDown {
		circle(to.X, to.Y)
		to.Y += ring
	}
	var path vg.Path
	path.Move(from)
	at := from
	for k := upper + 1; k <= lower; k++ {
		next := to
		if k < lower {
			next = pt(r.Min.X+vg.Length(way[k-upper].x), r.Max.Y-p.top[k])
		}
		middle := (at.Y - next.Y) * 0.5
		path.CubeTo(pt(at.X, at.Y-middle), pt(next.X, next.Y+middle), next)
		if at = next; k < lower {
			at.Y -= p.tall[k]
			path.Line(at)
		}
	}
	s.stroke(path, by)
}

// arrowhead has its tip at a point, and its other end so far above it.
func arrowhead(tip vg.Point, size, wide vg.Length) vg.Path {
	half := vg.Length(2.4) + wide*0.9
	return polygon(nil, []vg.Point{tip, pt(tip.X-half, tip.Y+size), pt(tip.X+half, tip.Y+size)})
}

// rounding is a rectangle with round corners.
func rounding(r vg.Rectangle, by vg.Length) vg.Path {
	const k = 0.4477152502 // 1 - 4/3 (sqrt 2 - 1)
	x0, y0, x1, y1 := r.Min.X, r.Min.Y, r.Max.X, r.Max.Y
	var p vg.Path
	p.Move(pt(x0+by, y0))
	p.Line(pt(x1-by, y0))
	p.CubeTo(pt(x1-k*by, y0), pt(x1, y0+k*by), pt(x1, y0+by))
	p.Line(pt(x1, y1-by))
	p.CubeTo(pt(x1, y1-k*by), pt(x1-k*by, y1), pt(x1-by, y1))
	p.Line(pt(x0+by, y1))
	p.CubeTo(pt(x0+k*by, y1), pt(x0, y1-k*by), pt(x0, y1-by))
	p.Line(pt(x0, y0+by))
	p.CubeTo(pt(x0, y0+k*by), pt(x0+k*by, y0), pt(x0+by, y0))
	p.Close()
	return p
}
