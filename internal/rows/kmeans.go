package rows

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/internal/rng"
	"bayeskernel/internal/workers"
)

// The size of a clustering. The centres of more than kmeansRows rows (and more than 20 a centre)
// are those of a random subset of that size: they need to cover the data, not to be optimal.
const (
	kmeansStarts     = 4
	kmeansIterations = 100
	kmeansRows       = 5000
)

// KMeans returns k distinct centres, sorted; the distinct rows if there are no more than k. Each
// start takes its first centres with probability proportional to the squared distance from those
// there are (k-means++, Arthur and Vassilvitskii, 2007), from a stream of its own, and moves them
// by Lloyd's algorithm. The start with the least sum of squares wins, the earlier of two equals.
// Which processor runs a start makes no difference. It ends with the context's error soon after
// that is done.
func KMeans(ctx context.Context, rows []float64, dim, k int, seed uint64) ([]float64, error) {
	rows, err := kmeansSubset(rows, dim, max(kmeansRows, 20*k), seed)
	if err != nil {
		return nil, err
	}
	scaled := rescale(rows, dim)
	if first := Distinct(scaled, dim); len(first) <= k {
		return Sort(Pick(rows, dim, first), dim), nil
	}
	var results [kmeansStarts]*clustering
	if err := workers.Each(ctx, kmeansStarts, 0, func() func(int) error {
		return func(s int) error {
			src, err := rng.New(rng.PCG, rng.Name{Seed: seed, Purpose: "inputs/kmeans"}, uint64(s))
			if err != nil {
				return err
			}
			results[s] = newClustering(scaled, dim)
			results[s].start(k, rand.New(src))
			results[s].lloyd(ctx)
			return context.Cause(ctx)
		}
	}); err != nil {
		return nil, err
	}
	best := results[0]
	for _, c := range results {
		if c.cost() < best.cost() {
			best = c
		}
	}
	centres := clusterMeans(rows, dim, best.owner, best.k())
	return Sort(Pick(centres, dim, Distinct(centres, dim)), dim), nil
}

func kmeansSubset(rows []float64, dim, size int, seed uint64) ([]float64, error) {
	n := len(rows) / dim
	if n <= size {
		return rows, nil
	}
	src, err := rng.New(rng.PCG, rng.Name{Seed: seed, Purpose: "inputs/subset"}, 0)
	if err != nil {
		return nil, err
	}
	picked := rand.New(src).Perm(n)[:size]
	slices.Sort(picked)
	return Pick(rows, dim, picked), nil
}

// rescale moves the rows around the origin and divides them by a power of two, so that squares of
// distances neither overflow nor, unless negligible, underflow.
func rescale(rows []float64, dim int) []float64 {
	mid := make([]float64, dim)
	big := 0.0
	for j := range mid {
		lo, hi := Range(rows, dim, j)
		mid[j] = lo/2 + hi/2
		big = max(big, hi/2-lo/2)
	}
	_, e := math.Frexp(big)
	out := make([]float64, len(rows))
	for i, v := range rows {
		out[i] = 2 * math.Ldexp(v/2-mid[i%dim]/2, -e)
	}
	return out
}

// clustering is the state of Lloyd's algorithm.
type clustering struct {
	dim     int
	rows    []float64
	centres []float64
	owner   []int     // the cluster of each row
	gap     []float64 // the squared distance of each row from its cluster's centre
	near    [][]neighbour
}

func newClustering(rows []float64, dim int) *clustering {
	n := len(rows) / dim
	return &clustering{dim: dim, rows: rows, owner: make([]int, n), gap: make([]float64, n)}
}

func (c *clustering) k() int { return len(c.centres) / c.dim }

func (c *clustering) row(i int) []float64 { return c.rows[i*c.dim : (i+1)*c.dim] }

// cost is the sum of squared distances.
func (c *clustering) cost() float64 {
	s := 0.0
	for _, g := range c.gap {
		s += g
	}
	return s
}

// start draws k centres among the rows, no two of them equal. Fewer are left only where all other
// rows are so near that the squares of their distances underflow.
func (c *clustering) start(k int, r *rand.Rand) {
	for i := range c.gap {
		c.gap[i] = math.Inf(1)
	}
	next := r.IntN(len(c.owner))
	for {
		c.centres = append(c.centres, c.row(next)...)
		for i := range c.gap {
			c.gap[i] = min(c.gap[i], squaredDistance(c.row(i), c.row(next)))
		}
		total := c.cost()
		if c.k() == k || total == 0 {
			return
		}
		u := r.Float64() * total
		for i, g := range c.gap {
			if g == 0 {
				continue
			}
			next = i // rounding may leave u above the sum: the last candidate then
			if u -= g; u < 0 {
				break
			}
		}
	}
}

// lloyd moves the centres until no row changes its cluster.
func (c *clustering) lloyd(ctx context.Context) {
	for i := range c.owner {
		c.owner[i] = -1
	}
	for range kmeansIterations {
		if ctx.Err() != nil || !c.assign() {
			return
		}
		c.centres = clusterMeans(c.rows, c.dim, c.owner, c.k())
	}
	c.assign()
}

// assign gives each row to its nearest centre, the first of equals, and reports whether any
// changed. A centre that no row is nearest to gets the row that is farthest from its own, of those
// that are not alone there.
func (c *clustering) assign() (changed bool) {
	size := make([]int, c.k())
	near := c.neighbours()
	for i := range c.owner {
		row := c.row(i)
		best, at := math.Inf(1), 0
		if o := c.owner[i]; o >= 0 && near != nil {
			best, at = c.nearest(row, o, near[o])
		} else {
			for l := range size {
				if d := squaredDistance(row, c.centre(l)); d < best {
					best, at = d, l
				}
			}
		}
		changed = changed || at != c.owner[i]
		c.owner[i], c.gap[i] = at, best
		size[at]++
	}
	for l := range size {
		if size[l] > 0 {
			continue
		}
		far := -1
		for i, o := range c.owner {
			if size[o] > 1 && (far < 0 || c.gap[i] > c.gap[far]) {
				far = i
			}
		}
		size[c.owner[far]]--
		size[l]++
		c.owner[far], c.gap[far] = l, 0
		changed = true
	}
	return changed
}

func (c *clustering) centre(l int) []float64 { return c.centres[l*c.dim : (l+1)*c.dim] }

// neighbour is a centre at a squared distance from another.
type neighbour struct {
	l  int
	d2 float64
}

// neighbours are the other centres of each centre, the nearest first; nil where they would cost more than they save,
// and before rows have owners.
func (c *clustering) neighbours() [][]neighbour {
	k := c.k()
	if len(c.owner) < 8*k || c.owner[0] < 0 {
		return nil
	}
	fresh := c.near == nil
	if fresh {
		c.near = make([][]neighbour, k)
	}
	for o := range c.near {
		near := c.near[o]
		if fresh {
			for l := range k {
				if l != o {
					near = append(near, neighbour{l: l})
				}
			}
			c.near[o] = near
		}
		for i, n := range near {
			near[i].d2 = squaredDistance(c.centre(o), c.centre(n.l))
		}
		if fresh {
			slices.SortFunc(near, func(a, b neighbour) int { return cmp.Compare(a.d2, b.d2) })
			continue
		}
		for i := 1; i < len(near); i++ { // centres move little: nearly sorted
			n, at := near[i], i
			for ; at > 0 && near[at-1].d2 > n.d2; at-- {
				near[at] = near[at-1]
			}
			near[at] = n
		}
	}
	return c.near
}

// nearest is the centre nearest to a row, the first of equals, and its squared distance. A centre more than twice as far
// from the row's own as the row is cannot be nearer (Elkan, 2003); the margin is for rounding.
func (c *clustering) nearest(row []float64, own int, near []neighbour) (best float64, at int) {
	best, at = squaredDistance(row, c.centre(own)), own
	reach := 4 * best * (1 + 1e-9)
	for _, n := range near {
		if n.d2 > reach {
			break
		}
		if d := squaredDistance(row, c.centre(n.l)); d < best || d == best && n.l < at {
			best, at = d, n.l
		}
	}
	return best, at
}

// clusterMeans returns the mean of each cluster, computed from its first row on, so that the mean
// of equal rows is that row to the last bit.
func clusterMeans(rows []float64, dim int, owner []int, k int) []float64 {
	first := make([]float64, k*dim)
	sum := make([]float64, k*dim)
	size := make([]int, k)
	for i, l := range owner {
		row := rows[i*dim : (i+1)*dim]
		if size[l] == 0 {
			copy(first[l*dim:], row)
		}
		size[l]++
		for j, v := range row {
			sum[l*dim+j] += v/2 - first[l*dim+j]/2
		}
	}
	for l, n := range size {
		for j := l * dim; j < (l+1)*dim; j++ {
			first[j] += 2 * (sum[j] / float64(n))
		}
	}
	return first
}

func squaredDistance(a, b []float64) float64 {
	s := 0.0
	for j, v := range a {
		d := v - b[j]
		s += d * d
	}
	return s
}
