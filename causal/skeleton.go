package causal

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/causal/graph"
)

// query is one test: x and y given s.
type query struct {
	x, y int
	s    []int
}

// separating is a set with the p-value of the pair given it.
type separating struct {
	s []int
	p float64
}

// mostAtOnce is how many queries are listed before they are made.
const mostAtOnce = 1 << 16

// skeleton removes the edges of pairs that are independent given some set, level by level. The
// neighbours are those at the beginning of a level, so that the order of the pairs does not matter.
func (r *run) skeleton(ctx context.Context) error {
	for size := 0; size <= r.deepest(); size++ {
		if more, err := r.level(ctx, size); err != nil || !more {
			return err
		}
	}
	return nil
}

// level makes all tests with sets of a size, and reports whether there was any.
func (r *run) level(ctx context.Context, size int) (bool, error) {
	frozen := r.g.Clone()
	var pairs [][2]int
	total := 0
	for x := range r.names {
		for y := x + 1; y < len(r.names); y++ {
			if frozen.Adjacent(x, y) && !r.rules.joined(x, y) {
				pairs = append(pairs, [2]int{x, y})
				total += r.howMany(frozen, x, y, size)
			}
		}
	}
	step := fmt.Sprintf("testing given %s", count(size, "column"))
	if size == 0 {
		step = "testing pairs"
	}
	done := 0
	var batch []query
	flush := func() error {
		outcomes, err := r.batch(ctx, batch, func(k int) {
			if r.o.Progress != nil {
				r.o.Progress(step, done+k, total)
			}
		})
		if err != nil {
			return err
		}
		for i, q := range batch {
			r.take(q, outcomes[i].P)
		}
		done += len(batch)
		batch = batch[:0]
		return nil
	}
	for _, pair := range pairs {
		for s := range r.setsOf(frozen, pair[0], pair[1], size) {
			batch = append(batch, query{pair[0], pair[1], slices.Clone(s)})
			if len(batch) == mostAtOnce {
				if err := flush(); err != nil {
					return false, err
				}
			}
		}
	}
	if err := flush(); err != nil {
		return false, err
	}
	for _, pair := range pairs {
		if sets := r.sets[pair]; sets != nil {
			r.separate(pair, sets)
		}
	}
	return total > 0, nil
}

// take keeps what the outcome of a query says of its pair.
func (r *run) take(q query, p float64) {
	if p > r.o.Alpha {
		pair := [2]int{q.x, q.y}
		r.sets[pair] = append(r.sets[pair], separating{q.s, p})
	}
	near := &r.nearest[q.x*len(r.names)+q.y]
	if near.p >= p || math.IsNaN(p) { // false if there is none yet
		return
	}
	*near = separating{q.s, p}
}

func (r *run) namesOf(s []int) []string {
	out := make([]string, len(s))
	for k, i := range s {
		out[k] = r.names[i]
	}
	return out
}

// separate removes the edge of a pair.
func (r *run) separate(pair [2]int, sets []separating) {
	r.g.Set(pair[0], pair[1], graph.None, graph.None)
	slices.SortFunc(sets, func(a, b separating) int { return slices.Compare(a.s, b.s) })
	s := Separation{X: r.names[pair[0]], Y: r.names[pair[1]]}
	for _, set := range sets {
		s.Sets = append(s.Sets, Set{r.namesOf(set.s), set.p})
	}
	r.result.Separations = append(r.result.Separations, s)
}

// candidates lists the neighbours of x that may be in a separating set of x and y.
func (r *run) candidates(g *graph.Graph, x, y int) []int {
	return slices.DeleteFunc(g.Neighbours(x), func(k int) bool {
		return k == y || !r.rules.mayHold(k, x, y)
	})
}

// setsOf yields the sets of a size among the neighbours of x, and those among the neighbours of y
// that are not among the former too. The slice is used again for the next.
func (r *run) setsOf(g *graph.Graph, x, y, size int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		ofX, ofY := r.candidates(g, x, y), r.candidates(g, y, x)
		isX := make([]bool, len(r.names))
		for _, k := range ofX {
			isX[k] = true
		}
		if !subsets(ofX, size, yield) {
			return
		}
		subsets(ofY, size, func(s []int) bool {
			if !slices.ContainsFunc(s, func(k int) bool { return !isX[k] }) {
				return true
			}
			return yield(s)
		})
	}
}

// howMany is the number of sets that setsOf yields.
func (r *run) howMany(g *graph.Graph, x, y, size int) int {
	ofX, ofY := r.candidates(g, x, y), r.candidates(g, y, x)
	both := 0
	for _, k := range ofX {
		if slices.Contains(ofY, k) {
			both++
		}
	}
	return choose(len(ofX), size) + choose(len(ofY), size) - choose(both, size)
}

// choose is n over k, or the largest int where that is more.
func choose(n, k int) int {
	if k > n {
		return 0
	}
	c := 1.0
	for i := range min(k, n-k) {
		c = math.Round(c * float64(n-i) / float64(i+1))
	}
	return int(min(c, 1<<60))
}

// subsets calls yield with all subsets of a size, in lexicographic order, until it returns false.
func subsets(of []int, size int, yield func([]int) bool) bool {
	if size > len(of) {
		return true
	}
	place := make([]int, size)
	s := make([]int, size)
	for i := range place {
		place[i] = i
	}
	for {
		for i, k := range place {
			s[i] = of[k]
		}
		if !yield(s) {
			return false
		}
		i := size - 1
		for i >= 0 && place[i] == len(of)-size+i {
			i--
		}
		if i < 0 {
			return true
		}
		place[i]++
		for j := i + 1; j < size; j++ {
			place[j] = place[j-1] + 1
		}
	}
}
