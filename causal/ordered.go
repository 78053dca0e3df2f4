package causal

import (
	"cmp"
	"math"
	"slices"

	"bayeskernel/causal/graph"
)

// orientInOrder directs edges so that the graph always stands for some DAG. Colliders that the votes
// speak for are placed one by one, the one with the largest lead first. One that contradicts an
// arrow that stands, or closes a cycle, is passed over. Meek's rules follow under the same guard.
//
// What is left may still be the graph of no DAG: a cycle of four undirected edges without chords, say,
// of which all triples are voted not to collide. A DAG that has the arrows so far and adds the colliders
// with the least evidence against them then decides. The result is that DAG's class, restricted by what
// is known, without the arrows that follow from undecided triples alone.
func (r *run) orientInOrder(votes map[[3]int]ballot) {
	r.doubt(votes)
	unknown := func(x, y, z int) bool { return votes[triple(x, y, z)].verdict == undecided }
	known, g := r.g.Clone(), r.g
	for _, t := range ordered(votes) {
		x, y, z := t[0], t[1], t[2]
		if g.Points(y, x) || g.Points(y, z) || g.Reaches(y, x) || g.Reaches(y, z) {
			continue
		}
		g.Set(x, y, graph.Tail, graph.Arrow)
		g.Set(z, y, graph.Tail, graph.Arrow)
	}
	g.MeekAcyclic(unknown)
	dag := g.ExtendCheapest(func(x, y, z int) float64 {
		// Evidence against a collider: at least a little, so that none is placed without need.
		v := votes[triple(x, y, z)]
		if r.means {
			return math.Max(0, -v.tilt) + 1e-6
		}
		return math.Max(0, -v.lead) + 1e-6
	})
	for t := range known.OpenTriples {
		if x, y, z := t[0], t[1], t[2]; dag.Points(x, y) && dag.Points(z, y) {
			known.Set(x, y, graph.Tail, graph.Arrow)
			known.Set(z, y, graph.Tail, graph.Arrow)
		}
	}
	known.Meek(unknown)
	*r.g = *known
	r.compareVotes(votes)
}

const (
	// byFar is the ratio of p-values, here 10, from which sets with and without a column tell that it is no collider.
	byFar = 2.302585092994046
	// leans and leansFar are the ratios of mean p-values, here 2.5 and 5, that tell a collider, and that there is none.
	leans, leansFar = 0.9162907318741551, 1.6094379124341003
	// wellApart is the p-value that columns must reach, given some set, to collide where more edges are missed: an effect
	// that is too weak for the test lets two columns look independent, mostly with small p-values.
	wellApart = 0.2
)

// doubt leaves open the triples of which the p-values are not clear-cut, whatever the votes are. Columns that look
// independent given their middle at least as much as without it do not collide there; and that they do not collide takes a
// p-value ten times as large with the middle as without.
//
// With kernel tests, which have less power, mean p-values decide instead. Votes count those a little above the level like
// those of 1, and the largest of few is mostly chance.
func (r *run) doubt(votes map[[3]int]ballot) {
	for t, v := range votes {
		is, none := v.verdict == collider && v.ratio() > 0, v.verdict == passes && v.ratio() <= -byFar
		if r.means {
			is, none = v.tilt >= leans, v.tilt <= -leansFar
		}
		if r.means || r.o.careful {
			is = is && v.largest[0] >= wellApart
		}
		switch {
		case v.mute || !is && !none:
			v.verdict = undecided
		case is:
			v.verdict = collider
		default:
			v.verdict = passes
		}
		votes[t] = v
	}
}

// ordered are the colliders that the votes speak for, those with the largest lead first, among equal
// ones those with the largest ratio, and then by name.
func ordered(votes map[[3]int]ballot) [][3]int {
	var list [][3]int
	for t, v := range votes {
		if v.verdict == collider {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b [3]int) int {
		return cmp.Or(cmp.Compare(votes[b].lead, votes[a].lead),
			cmp.Compare(votes[b].ratio(), votes[a].ratio()), slices.Compare(a[:], b[:]))
	})
	return list
}

// compareVotes lists the colliders of the graph, and where the votes say otherwise.
func (r *run) compareVotes(votes map[[3]int]ballot) {
	for t := range r.open {
		is := r.g.Points(t[0], t[1]) && r.g.Points(t[2], t[1])
		if is {
			r.result.Colliders = append(r.result.Colliders, r.triple(t))
		}
		switch v := votes[t].verdict; {
		case v == undecided:
			r.result.Undecided = append(r.result.Undecided, r.triple(t))
		case v == collider && !is:
			r.result.Overruled = append(r.result.Overruled, r.triple(t))
		case v == passes && is:
			r.result.Forced = append(r.result.Forced, r.triple(t))
		}
	}
}
