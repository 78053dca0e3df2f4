package causal

import (
	"context"
	"math"
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

// ballot is what the tests say of an open triple x - y - z, and how strongly.
type ballot struct {
	verdict verdict
	// lead is the share of the sets asked that separate x and z without y, less the share of those
	// that separate them with y. It is positive where the tests speak for a collider.
	lead float64
	// largest are the largest p-values of x and z given a set without y, and given one with y.
	largest [2]float64
	// tilt is the log of the mean p-value of x and z given sets without y over that given sets with y, the level added
	// to both.
	tilt float64
	// mute says that all tests of one of these kinds that were made could not tell.
	mute bool
}

// ratio is the log of the largest p-value without y over that with y.
func (b ballot) ratio() float64 {
	const tiny = 1e-300 // a p-value of 0 is one that has no number
	return math.Log(max(b.largest[0], tiny) / max(b.largest[1], tiny))
}

// open yields the open triples x - y - z with x < z.
func (r *run) open(yield func(t [3]int) bool) { r.g.OpenTriples(yield) }

// verdicts decides on the open triples of the skeleton. Where knowledge forbids the edge of x and z
// there was no test, and so nothing is decided.
func (r *run) verdicts(ctx context.Context) (map[[3]int]ballot, error) {
	out := map[[3]int]ballot{}
	if r.o.Colliders != SeparatingSets {
		return r.votes(ctx)
	}
	for t := range r.open {
		sets := r.sets[[2]int{t[0], t[2]}]
		switch {
		case len(sets) == 0:
			out[t] = ballot{}
		case slices.ContainsFunc(sets, func(s separating) bool { return slices.Contains(s.s, t[1]) }):
			out[t] = ballot{verdict: passes}
		default:
			out[t] = ballot{verdict: collider}
		}
	}
	return out, nil
}

// votes asks all sets of neighbours in the skeleton.
func (r *run) votes(ctx context.Context) (map[[3]int]ballot, error) {
	out := map[[3]int]ballot{}
	middle := map[[2]int][]int{} // of the open triples of a pair
	var pairs [][2]int
	for t := range r.open {
		out[t] = ballot{}
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
		of, err := r.poll(ctx, pair, middle[pair])
		if err != nil {
			return nil, err
		}
		for i, y := range middle[pair] {
			out[[3]int{pair[0], y, pair[1]}] = of[i]
		}
		if r.o.Progress != nil {
			r.o.Progress("asking for colliders", k+1, len(pairs))
		}
	}
	return out, nil
}

// mostVotes is the number of sets of a pair from which no larger ones are asked.
const mostVotes = 1 << 14

// poll asks the sets of neighbours of a pair, and counts those that separate it, with and without
// each of the middle columns. Where none does, the sets that separated it at first are counted.
func (r *run) poll(ctx context.Context, pair [2]int, middle []int) ([]ballot, error) {
	votes := make([]sides, len(middle))
	var batch []query
	flush := func() error {
		outcomes, err := r.batch(ctx, batch, func(int) {})
		for i, o := range outcomes {
			for k, y := range middle {
				votes[k].add(slices.Contains(batch[i].s, y), o, r.o.Alpha)
			}
		}
		batch = batch[:0]
		return err
	}
	asked, least := 0, 0
	for _, s := range r.sets[pair] {
		least = len(s.s)
	}
	for size := 0; size <= min(r.deepest(), len(r.names)-2); size++ {
		if asked += r.howMany(r.g, pair[0], pair[1], size); asked > mostVotes && size > least {
			break
		}
		for s := range r.setsOf(r.g, pair[0], pair[1], size) {
			batch = append(batch, query{pair[0], pair[1], slices.Clone(s)})
			if len(batch) == mostAtOnce {
				if err := flush(); err != nil {
					return nil, err
				}
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	out := make([]ballot, len(middle))
	for k, y := range middle {
		v := votes[k]
		lead := v.lead() // of the sets that were asked
		if v.number == [2]int{} && r.o.Colliders == InOrder {
			for _, s := range r.sets[pair] {
				v.add(slices.Contains(s.s, y), Outcome{P: s.p}, r.o.Alpha)
			}
		}
		out[k] = ballot{r.o.Colliders.decide(v.number[0]+v.number[1], v.number[1]), lead, v.largest, v.tilt(r.o.Alpha), v.mute()}
	}
	return out, nil
}

// sides counts the sets that separate, those without a column and those with it, and has the
// largest p-value of all of each kind.
type sides struct {
	asked   int
	number  [2]int
	largest [2]float64
	sum     [2]float64 // of the p-values
	told    [2]int     // tests that could tell
	silent  [2]bool    // some could not
}

func (c *sides) add(with bool, o Outcome, alpha float64) {
	k, p := 0, o.P
	if with {
		k = 1
	}
	c.asked++
	if math.IsNaN(p) || o.Doubtful && p <= alpha {
		c.silent[k] = true
		return
	}
	c.told[k]++
	c.sum[k] += p
	if p > alpha {
		c.number[k]++
	}
	if p > c.largest[k] {
		c.largest[k] = p
	}
}

func (c *sides) mute() bool {
	return c.silent[0] && c.told[0] == 0 || c.silent[1] && c.told[1] == 0
}

func (c *sides) tilt(alpha float64) float64 {
	mean := func(k int) float64 { return c.sum[k] / float64(max(1, c.told[k])) }
	return math.Log((mean(0) + alpha) / (mean(1) + alpha))
}

func (c *sides) lead() float64 {
	return float64(c.number[0]-c.number[1]) / float64(max(1, c.asked))
}

// decide counts the votes: of all sets that separate, those with the middle column.
func (rule Rule) decide(all, with int) verdict {
	switch {
	case all == 0:
		return undecided
	case rule == Conservative && with == 0, rule != Conservative && 2*with < all:
		return collider
	case rule == Conservative && with == all, rule != Conservative && 2*with > all:
		return passes
	}
	return undecided
}

// orient directs edges: by knowledge, by colliders, by Meek's rules.
func (r *run) orient(votes map[[3]int]ballot) {
	r.direct()
	if r.o.Colliders == InOrder {
		r.orientInOrder(votes)
		return
	}
	p, g := len(r.names), r.g
	into := make([]bool, p*p) // x*p+y: a collider wants x -> y
	for t := range r.open {
		x, y, z := t[0], t[1], t[2]
		switch v := votes[t].verdict; {
		case v == undecided:
			r.result.Undecided = append(r.result.Undecided, r.triple(t))
		case v == collider && (g.Points(y, x) || g.Points(y, z)):
			r.result.Overruled = append(r.result.Overruled, r.triple(t))
		case v == collider:
			r.result.Colliders = append(r.result.Colliders, r.triple(t))
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
	g.Meek(func(x, y, z int) bool { return votes[triple(x, y, z)].verdict == undecided })
}

// direct gives the edges the directions that are known.
func (r *run) direct() {
	for x := range r.names {
		for y := range r.names {
			if r.g.Open(x, y) && r.rules.known(x, y) {
				r.g.Set(x, y, graph.Tail, graph.Arrow)
			}
		}
	}
}

// triple is the key of x - y - z.
func triple(x, y, z int) [3]int { return [3]int{min(x, z), y, max(x, z)} }

func (r *run) triple(t [3]int) Triple { return Triple{r.names[t[0]], r.names[t[1]], r.names[t[2]]} }

func head(yes bool) graph.Mark {
	if yes {
		return graph.Arrow
	}
	return graph.Tail
}
