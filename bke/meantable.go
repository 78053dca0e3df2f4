package bke

import (
	"math"
	"runtime"
	"sync"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/lowrank"
)

// meanTable holds the empirical embedding of a sample at its own rows, n(n-1)/2 kernel values at a
// time, for a number of lengthscales. In between, each element is the value of the polynomial in
// log theta through these: with Chebyshev nodes it converges geometrically, and the barycentric
// formula evaluates it stably (Berrut and Trefethen, 2004). It pays where there are many more
// draws of theta than nodes.
type meanTable struct {
	n       int
	nodes   []float64 // log theta
	weights []float64 // barycentric
	values  []float64 // n at each node
}

// tableTol is the largest error of a table.
const tableTol = 1e-13

// meanTables returns tables for both samples over the range of the draws of a single lengthscale,
// or nil where they would not pay or not be accurate.
func (w *Witness) meanTables() []*meanTable {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range w.draws {
		t := math.Log(p.Theta[0])
		lo, hi = min(lo, t), max(hi, t)
	}
	// So many nodes leave errors of a few 1e-15, whatever the data. It is checked all the same.
	count := 16 + int(math.Ceil(min(16*(hi-lo), 1e6)))
	if w.model.thetas() > 1 || count > len(w.draws)/4 {
		return nil
	}
	kind, _ := fused.Parse(w.model.opts.Path) // the model has checked the name
	var out []*meanTable
	for _, x := range w.rows {
		t := newMeanTable(kind, w.model.dim, x, lo, hi, count)
		if !t.accurate(kind, w.model.dim, x) {
			return nil
		}
		out = append(out, t)
	}
	return out
}

func newMeanTable(kind fused.Kind, dim int, x []float64, lo, hi float64, count int) *meanTable {
	n := len(x) / dim
	t := &meanTable{
		n: n, nodes: make([]float64, count), weights: make([]float64, count),
		values: make([]float64, count*n),
	}
	for k := range count {
		sin, cos := math.Sincos((2*float64(k) + 1) * math.Pi / (2 * float64(count)))
		t.nodes[k] = (lo+hi)/2 + (hi-lo)/2*cos
		t.weights[k] = sin * float64(1-2*(k%2))
	}
	forEach(count, func() func(k int) {
		g, buf := pairs{kind: kind}, make([]float64, n)
		return func(k int) {
			g.set(Unit, dim, Params{Theta: []float64{math.Exp(t.nodes[k])}})
			g.means(t.values[k*n:(k+1)*n], x, buf)
		}
	})
	return t
}

// accurate compares the table with the embedding itself in the middle and near the ends of the
// range, half way between nodes.
func (t *meanTable) accurate(kind fused.Kind, dim int, x []float64) bool {
	got, want, buf := make([]float64, t.n), make([]float64, t.n), make([]float64, t.n)
	coef := make([]float64, len(t.nodes))
	g := pairs{kind: kind}
	last := len(t.nodes) - 1
	for _, k := range []int{0, last / 2, last - 1} {
		theta := math.Exp((t.nodes[k] + t.nodes[k+1]) / 2)
		t.at(got, coef, theta)
		g.set(Unit, dim, Params{Theta: []float64{theta}})
		g.means(want, x, buf)
		for i := range got {
			if !(math.Abs(got[i]-want[i]) <= tableTol) {
				return false
			}
		}
	}
	return true
}

// at writes the embedding at theta, with room for as many coefficients as there are nodes.
func (t *meanTable) at(dst, coef []float64, theta float64) {
	u, sum := math.Log(theta), 0.0
	for k, node := range t.nodes {
		d := u - node
		if d == 0 {
			copy(dst, t.values[k*t.n:])
			return
		}
		coef[k] = t.weights[k] / d
		sum += coef[k]
	}
	clear(dst)
	lowrank.Combine(dst, 1/sum, coef[:len(t.nodes)], t.values)
}

// forEach calls a function for 0 to n-1, from as many goroutines as there are processors, each with
// a function of its own. What it does for one number must not depend on the others.
func forEach(n int, worker func() func(i int)) {
	var wg sync.WaitGroup
	step := min(runtime.GOMAXPROCS(0), n)
	for first := range step {
		wg.Go(func() {
			do := worker()
			for i := first; i < n; i += step {
				do(i)
			}
		})
	}
	wg.Wait()
}
