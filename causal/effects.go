package causal

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/causal/graph"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Effect is what a graph and a table say of the total effect of X on Y: by how much the mean of Y
// changes where X is set one unit higher, in a linear model without hidden causes. Limits are those of
// 95% intervals.
type Effect struct {
	X, Y string
	// Why says why there is no conclusion, or that X has no effect in the graph; "" otherwise.
	Why string
	// None says that X has an effect on Y in no DAG that the graph stands for.
	None bool
	// Possible has an estimate for each set that may be the parents of X in a DAG of the graph (IDA,
	// Maathuis, Kalisch and Bühlmann 2009), the smallest first. One is 0 where Y is among the parents, or does not
	// come after X.
	Possible []Estimate
	// Low and High enclose the intervals of all of Possible.
	Low, High float64
	// Adjusted is the estimate that adjusts for the optimal set, nil where the graph does not identify
	// the effect by adjustment.
	Adjusted *Estimate
}

// Estimate is the coefficient of X in a least-squares regression of Y on X and other columns.
type Estimate struct {
	Given      []string
	Effect, SE float64
	Low, High  float64
	Rows       int
	Reversed   bool // Y is among Given, or comes after X in no DAG in which these are its parents: the effect is 0
}

// mostNeighbours is the number of undirected neighbours from which the sets of parents are too many.
const mostNeighbours = 12

// EffectOf estimates the effect of x on y. Discrete has a flag for each column of the table that
// holds categories, or is nil: these can be adjusted for, and have no effects themselves. Undecided are
// triples that may be colliders or not, those of a Result: sets of parents of both kinds are taken then.
func EffectOf(d *Data, g *graph.Graph, x, y string, discrete []bool, undecided ...Triple) (*Effect, error) {
	if d == nil || g == nil {
		return nil, fmt.Errorf("causal: the data or the graph are nil, want both")
	}
	a, err := g.Adjust(x, y)
	if err != nil {
		return nil, fmt.Errorf("causal: %w", err)
	}
	e := &Effect{X: x, Y: y, Low: math.NaN(), High: math.NaN()}
	categories := "" // the first of the two that holds them
	for _, name := range []string{x, y} {
		j := slices.Index(d.names, name)
		if j < 0 {
			return nil, fmt.Errorf("causal: the graph has a node %s, want columns of the table", name)
		}
		if categories == "" && discrete != nil && discrete[j] {
			categories = name
		}
	}
	free := map[[3]int]bool{}
	for _, t := range undecided {
		free[triple(g.Index(t.X), g.Index(t.Y), g.Index(t.Z))] = true
	}
	sets, why := parentSets(g, g.Index(x), free)
	if why != "" {
		e.Why = "No conclusion: " + why
		return e, nil
	}
	if noEffect(g, x, y) {
		e.Why, e.None, e.Low, e.High = fmt.Sprintf("%s has no effect on %s in this graph.", x, y), true, 0, 0
		return e, nil
	}
	if categories != "" {
		e.Why = fmt.Sprintf("No conclusion: %s holds categories.", categories)
		return e, nil
	}
	for _, set := range sets {
		if slices.Contains(set.names, y) || noEffect(set.graph, x, y) {
			e.Possible = append(e.Possible, Estimate{Given: set.names, Reversed: true})
			continue
		}
		est, err := d.regress(x, y, set.names, discrete)
		if err != nil {
			return nil, err
		}
		e.Possible = append(e.Possible, *est)
	}
	slices.SortFunc(e.Possible, func(a, b Estimate) int {
		switch {
		case a.Effect < b.Effect:
			return -1
		case a.Effect > b.Effect:
			return 1
		}
		return slices.Compare(a.Given, b.Given)
	})
	e.Low, e.High = math.Inf(1), math.Inf(-1)
	for _, p := range e.Possible {
		e.Low, e.High = min(e.Low, p.Low), max(e.High, p.High)
	}
	if a.Exists && a.Optimal != nil {
		if e.Adjusted, err = d.regress(x, y, a.Optimal, discrete); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// noEffect reports whether no possibly causal path leads from x to y: each of the neighbours that come
// after x leads elsewhere.
func noEffect(g *graph.Graph, x, y string) bool {
	from, to := g.Index(x), g.Index(y)
	seen, stack := map[int]bool{from: true}, []int{from}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for k := range g.Len() {
			if !seen[k] && (g.Points(at, k) || g.Open(at, k)) {
				if k == to {
					return false
				}
				seen[k] = true
				stack = append(stack, k)
			}
		}
	}
	return true
}

// parents are those of a node in some DAG of a graph, and what of that graph is settled by them.
type parents struct {
	names []string
	graph *graph.Graph
}

// parentSets lists the sets that are the parents of x in some DAG of the graph, which may have colliders besides where
// they are free.
func parentSets(g *graph.Graph, x int, free map[[3]int]bool) (sets []parents, why string) {
	may := func(a, b, c int) bool { return free[triple(a, b, c)] }
	cost := func(a, b, c int) float64 {
		if may(a, b, c) {
			return 0
		}
		return 1
	}
	// Where there is a DAG without colliders that are not free, the cheapest is one: see Graph.ExtendCheapest.
	if len(g.Conflicts()) > 0 || g.Cycle() != nil || !sameClass(g, g.ExtendCheapest(cost), may) {
		return nil, "the graph stands for no DAG."
	}
	var open []int
	for _, k := range g.Neighbours(x) {
		if g.Open(x, k) {
			open = append(open, k)
		}
	}
	if len(open) > mostNeighbours {
		return nil, fmt.Sprintf("%s has %d undirected edges, want at most %d.", g.Name(x), len(open),
			mostNeighbours)
	}
	for set := range 1 << len(open) {
		h := g.Clone()
		for b, k := range open {
			if set>>b&1 == 1 {
				h.Set(k, x, graph.Tail, graph.Arrow)
			} else {
				h.Set(x, k, graph.Tail, graph.Arrow)
			}
		}
		if !sameColliders(g, h, x, may) {
			continue
		}
		h.MeekAcyclic(may)
		if h.Cycle() != nil || !sameClass(g, h.ExtendCheapest(cost), may) {
			continue
		}
		names := []string{}
		for _, k := range h.Parents(x) {
			names = append(names, g.Name(k))
		}
		sets = append(sets, parents{names, h})
	}
	return sets, ""
}

// sameColliders reports whether h has no collider at x that g has not and that is not free.
func sameColliders(g, h *graph.Graph, x int, may func(a, b, c int) bool) bool {
	into := h.Parents(x)
	for i, a := range into {
		for _, b := range into[:i] {
			if !g.Adjacent(a, b) && !(g.Points(a, x) && g.Points(b, x)) && !may(a, x, b) {
				return false
			}
		}
	}
	return true
}

// sameClass reports whether the DAG has the colliders of g and no others but free ones.
func sameClass(g, dag *graph.Graph, may func(a, b, c int) bool) bool {
	for t := range g.OpenTriples {
		if dag.Points(t[0], t[1]) && dag.Points(t[2], t[1]) &&
			!(g.Points(t[0], t[1]) && g.Points(t[2], t[1])) && !may(t[0], t[1], t[2]) {
			return false
		}
	}
	return true
}

// regress regresses y on x and others by least squares on the rows that are complete in these.
func (d *Data) regress(x, y string, given []string, discrete []bool) (*Estimate, error) {
	columns := []int{slices.Index(d.names, y), slices.Index(d.names, x)}
	for _, name := range given {
		columns = append(columns, slices.Index(d.names, name))
	}
	rows := d.complete(columns)
	if rows == nil {
		for i := range d.Rows() {
			rows = append(rows, i)
		}
	}
	list := [][]float64{make([]float64, len(rows))}
	for k := range rows {
		list[0][k] = 1
	}
	for _, j := range columns[1:] {
		v := make([]float64, len(rows))
		for k, i := range rows {
			v[k] = d.columns[j][i]
		}
		if discrete == nil || !discrete[j] {
			list = append(list, v)
			continue
		}
		codes, size := encode(v)
		for level := 1; level < size; level++ {
			w := make([]float64, len(rows))
			for k, code := range codes {
				if code == level {
					w[k] = 1
				}
			}
			list = append(list, w)
		}
	}
	n, p := len(rows), len(list)
	out := &Estimate{Given: slices.Clone(given), Rows: n}
	if n <= p {
		return nil, fmt.Errorf("causal: the effect of %s on %s given %s has %s for %d coefficients, want "+
			"more", x, y, namesOfList(given), count(n, "row"), p)
	}
	design, values := mat.NewDense(n, p, nil), mat.NewVecDense(n, nil)
	for k, v := range list {
		design.SetCol(k, v)
	}
	for k, i := range rows {
		values.SetVec(k, d.columns[columns[0]][i])
	}
	var qr mat.QR
	qr.Factorize(design)
	var b mat.VecDense
	if err := qr.SolveVecTo(&b, false, values); err != nil {
		return nil, fmt.Errorf("causal: the regression of %s on %s and %s: %w", y, x, namesOfList(given), err)
	}
	var fit mat.VecDense
	fit.MulVec(design, &b)
	ss := 0.0
	for k := range n {
		e := values.AtVec(k) - fit.AtVec(k)
		ss += e * e
	}
	// The variance of the coefficient is that of the second unit vector in (X'X)^-1.
	e := mat.NewVecDense(p, nil)
	e.SetVec(1, 1)
	var r mat.Dense
	qr.RTo(&r)
	var half mat.VecDense
	top := r.Slice(0, p, 0, p).(*mat.Dense)
	if err := half.SolveVec(top.T(), e); err != nil {
		return nil, fmt.Errorf("causal: the regression of %s on %s and %s: %w", y, x, namesOfList(given), err)
	}
	df := float64(n - p)
	out.Effect = b.AtVec(1)
	out.SE = mat.Norm(&half, 2) * math.Sqrt(ss/df)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(0.975)
	out.Low, out.High = out.Effect-t*out.SE, out.Effect+t*out.SE
	return out, nil
}

func namesOfList(list []string) string {
	if len(list) == 0 {
		return "nothing else"
	}
	s := list[0]
	for _, name := range list[1:] {
		s += ", " + name
	}
	return s
}
