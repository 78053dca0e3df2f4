package causal

import (
	"context"
	"slices"

	"bayeskernel/causal/graph"
)

// verdict says what the tests say of an open triple.
type verdict int

const (
	undecided verdict = iota
	collider
	passes // no collider
)

// open yields the open triples x - y - z with x < z.
func (r *run) open(yield func(t [3]int) bool) {
	for y := range r.names {
		all := r.g.Neighbours(y)
		for k, z := range all {
			for _, x := range all[:k] {
				if !r.g.Adjacent(x, z) && !yield([3]int{x, y, z}) {
					return
				}
			}
		}
	}
}

// verdicts decides on the open triples of the skeleton. Where knowledge forbids the edge of x and z
// there was no test, and so nothing is decided.
func (r *run) verdicts(ctx context.Context) (map[[3]int]verdict, error) {
	out := map[[3]int]verdict{}
	if r.o.Colliders != SeparatingSets {
		return r.votes(ctx)
	}
	for t := range r.open {
		sets := r.sets[[2]int{t[0], t[2]}]
		switch {
		case len(sets) == 0:
			out[t] = undecided
		case slices.ContainsFunc(sets, func(s separating) bool { return slices.Contains(s.s, t[1]) }):
			out[t] = passes
		default:
			out[t] = collider
		}
	}
	return out, nil
}

// votes asks all sets of neighbours in the skeleton.
func (r *run) votes(ctx context.Context) (map[[3]int]verdict, error) {
	out := map[[3]int]verdict{}
	middle := map[[2]int][]int{} // of the open triples of a pair
	var pairs [][2]int
	for t := range r.open {
		out[t] = undecided
		pair := [2]int{t[0], t[2]}
		if r.rules.apart(pair[0], pair[1]) {
			continue
		}
		if middle[pair] == nil {
			pairs = append(pairs, pair)
		}
		middle[pair] = append(middle[pair], t[1])
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	for k, pair := range pairs {
		all, with, err := r.poll(ctx, pair, middle[pair])
		if err != nil {
			return nil, err
		}
		for i, y := range middle[pair] {
			out[[3]int{pair[0], y, pair[1]}] = r.o.Colliders.decide(all, with[i])
		}
		if r.o.Progress != nil {
			r.o.Progress("asking for colliders", k+1, len(pairs))
		}
	}
	return out, nil
}

// poll counts the sets that separate a pair, and those of them that hold each of the middle
// columns.
func (r *run) poll(ctx context.Context, pair [2]int, middle []int) (all int, with []int, err error) {
	with = make([]int, len(middle))
	var batch []query
	flush := func() error {
		outcomes, err := r.batch(ctx, batch, func(int) {})
		for i, o := range outcomes {
			if !(o.P > r.o.Alpha) {
				continue
			}
			all++
			for k, y := range middle {
				if slices.Contains(batch[i].s, y) {
					with[k]++
				}
			}
		}
		batch = batch[:0]
		return err
	}
	for size := 0; size <= min(r.deepest(), len(r.names)-2); size++ {
		for s := range r.setsOf(r.g, pair[0], pair[1], size) {
			batch = append(batch, query{pair[0], pair[1], slices.Clone(s)})
			if len(batch) == mostAtOnce {
				if err := flush(); err != nil {
					return 0, nil, err
				}
			}
		}
	}
	return all, with, flush()
}

// decide counts the votes: of all sets that separate, those with the middle column.
func (rule Rule) decide(all, with int) verdict {
	switch {
	case all == 0:
		return undecided
	case rule == Conservative && with == 0, rule == Majority && 2*with < all:
		return collider
	case rule == Conservative && with == all, rule == Majority && 2*with > all:
		return passes
	}
	return undecided
}

// orient directs edges: by knowledge, by colliders, by Meek's rules.
func (r *run) orient(verdicts map[[3]int]verdict) {
	p, g := len(r.names), r.g
	for x := range p {
		for y := range p {
			if g.Open(x, y) && r.rules.known(x, y) {
				g.Set(x, y, graph.Tail, graph.Arrow)
			}
		}
	}
	into := make([]bool, p*p) // x*p+y: a collider wants x -> y
	for t := range r.open {
		x, y, z := t[0], t[1], t[2]
		triple := Triple{r.names[x], r.names[y], r.names[z]}
		switch {
		case verdicts[t] == undecided:
			r.result.Undecided = append(r.result.Undecided, triple)
		case verdicts[t] == collider && (g.Points(y, x) || g.Points(y, z)):
			r.result.Overruled = append(r.result.Overruled, triple)
		case verdicts[t] == collider:
			r.result.Colliders = append(r.result.Colliders, triple)
			into[x*p+y], into[z*p+y] = true, true
		}
	}
	for x := range p {
		for y := range x {
			if into[x*p+y] || into[y*p+x] {
				g.Set(x, y, head(into[y*p+x]), head(into[x*p+y]))
			}
		}
	}
	g.Meek(func(x, y, z int) bool { return verdicts[[3]int{min(x, z), y, max(x, z)}] == undecided })
}

func head(yes bool) graph.Mark {
	if yes {
		return graph.Arrow
	}
	return graph.Tail
}
