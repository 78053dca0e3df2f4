package figure

import (
	"cmp"
	"math"
	"slices"
)

// layers places the nodes of a graph in rows so that edges run downwards, as Sugiyama, Tagawa and
// Toda (1981) do: rows, then the order within rows, then places.
type layers struct {
	width   []float64 // of each node
	edges   [][2]int  // downwards
	row     []int     // of each node
	rows    [][]*spot
	of      []*spot   // each node's
	through [][]*spot // of each edge: from its upper node to its lower one
}

// spot is a node, or a place where a long edge passes a row.
type spot struct {
	node     int // -1: an edge passes
	width    float64
	x        float64 // of its middle
	up, down []*spot
	place    int // in its row
}

const (
	spotGap   = 12.0 // between two spots of a row
	passWidth = 4.0  // of an edge that passes
)

// newLayers places nodes of these widths in rows that are at most as wide as most, but for edges
// that pass. Edges that are not fixed may run either way; order is one that no fixed edge runs
// against.
func newLayers(width []float64, edges [][2]int, order []int, most float64) *layers {
	l := &layers{width: width, row: make([]int, len(width)), of: make([]*spot, len(width))}
	at := make([]int, len(width))
	for k, i := range order {
		at[i] = k
	}
	for _, e := range edges {
		if at[e[0]] > at[e[1]] {
			e[0], e[1] = e[1], e[0]
		}
		l.edges = append(l.edges, e)
	}
	l.assign(order, most)
	l.pass()
	l.sort()
	l.spread(most)
	return l
}

// assign gives each node the first row below all that have an edge to it where there is room; then
// a node without such moves down to its first neighbour. Nodes without edges come last.
func (l *layers) assign(order []int, most float64) {
	var used []float64
	degree := make([]int, len(l.width))
	for _, e := range l.edges {
		degree[e[0]]++
		degree[e[1]]++
	}
	put := func(i, from int) {
		for k := from; ; k++ {
			if k == len(used) {
				used = append(used, 0)
			}
			if used[k] == 0 || used[k]+spotGap+l.width[i] <= most {
				used[k] += spotGap + l.width[i]
				l.row[i] = k
				return
			}
		}
	}
	for _, i := range order {
		from := 0
		for _, e := range l.edges {
			if e[1] == i {
				from = max(from, l.row[e[0]]+1)
			}
		}
		if degree[i] > 0 {
			put(i, from)
		}
	}
	for _, i := range slices.Backward(order) {
		highest := math.MaxInt
		for _, e := range l.edges {
			if e[0] == i {
				highest = min(highest, l.row[e[1]])
			}
			if e[1] == i {
				highest = -1
			}
		}
		for k := highest - 1; highest > 0 && highest < math.MaxInt && k > l.row[i]; k-- {
			if used[k]+spotGap+l.width[i] <= most {
				used[l.row[i]] -= spotGap + l.width[i]
				used[k] += spotGap + l.width[i]
				l.row[i] = k
			}
		}
	}
	last := len(used)
	for _, i := range order {
		if degree[i] == 0 {
			put(i, last)
		}
	}
}

// pass makes the spots, those of edges that pass rows among them. Rows without a node go.
func (l *layers) pass() {
	filled := slices.Clone(l.row)
	slices.Sort(filled)
	filled = slices.Compact(filled)
	l.rows = make([][]*spot, len(filled))
	for i := range l.width {
		l.row[i] = slices.Index(filled, l.row[i])
		l.of[i] = &spot{node: i, width: l.width[i]}
		l.rows[l.row[i]] = append(l.rows[l.row[i]], l.of[i])
	}
	for _, e := range l.edges {
		way := []*spot{l.of[e[0]]}
		for k := l.row[e[0]] + 1; k < l.row[e[1]]; k++ {
			s := &spot{node: -1, width: passWidth}
			l.rows[k] = append(l.rows[k], s)
			way = append(way, s)
		}
		way = append(way, l.of[e[1]])
		for i := 1; i < len(way); i++ {
			way[i-1].down = append(way[i-1].down, way[i])
			way[i].up = append(way[i].up, way[i-1])
		}
		l.through = append(l.through, way)
	}
	l.number()
}

func (l *layers) number() {
	for _, row := range l.rows {
		for k, s := range row {
			s.place = k
		}
	}
}

// sort orders the rows so that few edges cross: by the mean place of the neighbours in the row
// above, then below, and so on, and by exchange of neighbours. The best order that was met stays.
func (l *layers) sort() {
	best, fewest := l.snapshot(), l.crossings()
	for sweep := range 24 {
		downwards := sweep%2 == 0
		for k := range l.rows {
			if !downwards {
				k = len(l.rows) - 1 - k
			}
			l.byMeans(l.rows[k], downwards)
		}
		l.exchange()
		if c := l.crossings(); c < fewest {
			best, fewest = l.snapshot(), c
		}
	}
	l.rows = best
	l.number()
}

func (l *layers) snapshot() [][]*spot {
	out := make([][]*spot, len(l.rows))
	for k, row := range l.rows {
		out[k] = slices.Clone(row)
	}
	return out
}

func (l *layers) byMeans(row []*spot, downwards bool) {
	mean := make(map[*spot]float64, len(row))
	for k, s := range row {
		near := s.up
		if !downwards {
			near = s.down
		}
		mean[s] = float64(k)
		if len(near) > 0 {
			sum := 0.0
			for _, t := range near {
				sum += float64(t.place)
			}
			mean[s] = sum / float64(len(near))
		}
	}
	slices.SortStableFunc(row, func(a, b *spot) int { return cmp.Compare(mean[a], mean[b]) })
	for k, s := range row {
		s.place = k
	}
}

// exchange swaps neighbours of a row while fewer edges cross by it.
func (l *layers) exchange() {
	for better, left := true, 10; better && left > 0; left-- {
		better = false
		for _, row := range l.rows {
			for k := 1; k < len(row); k++ {
				a, b := row[k-1], row[k]
				if inverted(a.up, b.up)+inverted(a.down, b.down) >
					inverted(b.up, a.up)+inverted(b.down, a.down) {
					row[k-1], row[k] = b, a
					a.place, b.place = k, k-1
					better = true
				}
			}
		}
	}
}

// inverted counts the pairs of neighbours of a and of b that are in the wrong order if a is first.
func inverted(a, b []*spot) int {
	n := 0
	for _, s := range a {
		for _, t := range b {
			if s.place > t.place {
				n++
			}
		}
	}
	return n
}

func (l *layers) crossings() int {
	n := 0
	for _, row := range l.rows {
		for k, b := range row {
			for _, a := range row[:k] {
				n += inverted(a.down, b.down)
			}
		}
	}
	return n
}

// spread gives each spot its place: near its neighbours, in the order of its row, and within the
// width if it can be.
func (l *layers) spread(width float64) {
	gaps := make([]float64, len(l.rows))
	for k, row := range l.rows {
		gaps[k] = crowd(row, width)
		for i, s := range row {
			s.x = width * (float64(i) + 0.5) / float64(len(row))
		}
	}
	for sweep := range 40 {
		for k := range l.rows {
			if sweep%2 == 1 {
				k = len(l.rows) - 1 - k
			}
			l.settle(l.rows[k], width, gaps[k])
		}
	}
}

// crowd finds the gap at which a row fits. Where it does not, edges that pass take no width.
func crowd(row []*spot, width float64) float64 {
	if len(row) == 1 {
		return spotGap
	}
	nodes, all := 0.0, 0.0
	for _, s := range row {
		all += s.width
		if s.node >= 0 {
			nodes += s.width
		}
	}
	if all > width {
		for _, s := range row {
			if s.node < 0 {
				s.width = 0
			}
		}
		all = nodes
	}
	return min(spotGap, max(0, width-all)/float64(len(row)-1))
}

// settle moves the spots of a row to where their neighbours would have them: the least sum of
// squares that keeps order and distances, by pooling of adjacent violators.
func (l *layers) settle(row []*spot, width, gap float64) {
	type block struct{ sum, weight, value float64 }
	var blocks []block
	var sizes []int
	offset := make([]float64, len(row)) // of each middle if all stand close from 0
	for k, s := range row {
		if k > 0 {
			offset[k] = offset[k-1] + (row[k-1].width+s.width)/2 + gap
		}
		want, weight := s.x, 0.5
		if near := slices.Concat(s.up, s.down); len(near) > 0 {
			sum := 0.0
			for _, t := range near {
				sum += t.x
			}
			want, weight = sum/float64(len(near)), float64(len(near))
			if s.node < 0 {
				weight *= 4 // long edges are straight
			}
		}
		b := block{weight * (want - offset[k]), weight, want - offset[k]}
		size := 1
		for len(blocks) > 0 && blocks[len(blocks)-1].value > b.value {
			a := blocks[len(blocks)-1]
			b = block{a.sum + b.sum, a.weight + b.weight, (a.sum + b.sum) / (a.weight + b.weight)}
			size += sizes[len(sizes)-1]
			blocks, sizes = blocks[:len(blocks)-1], sizes[:len(sizes)-1]
		}
		blocks, sizes = append(blocks, b), append(sizes, size)
	}
	last := len(row) - 1
	lo := row[0].width / 2
	hi := max(width-row[last].width/2-offset[last], lo)
	k := 0
	for i, b := range blocks {
		for range sizes[i] {
			row[k].x = offset[k] + min(max(b.value, lo), hi)
			k++
		}
	}
}
