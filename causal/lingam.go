package causal

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/causal/graph"
)

// LiNGAM learns a graph by DirectLiNGAM (Shimizu et al. 2011, with the pairwise measure of Hyvärinen
// and Smith 2013): if effects are linear, no cause is hidden, and the noise of all columns but one is
// not normal, the data tell every direction. Whether the noise is normal is tested for each column,
// by its skewness and kurtosis at level 0.01 over the number of columns. An edge both of whose ends
// have noise that may be normal stays undirected.
//
// An edge stands where the coefficient's p-value is at most Options.Alpha over the number of pairs.
// Rows with a missing value are left out. Of Options it takes Alpha and nothing else.
func LiNGAM(ctx context.Context, d *Data, o Options) (*Result, error) {
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	f, err := NewFisherZ(d)
	if err != nil {
		return nil, err
	}
	g, err := graph.New(d.names)
	if err != nil {
		return nil, fmt.Errorf("causal: the columns: %w", err)
	}
	p := len(d.names)
	if p < 2 {
		return nil, fmt.Errorf("causal: the table has %s, want at least 2", count(p, "column"))
	}
	all := make([]int, p)
	for k, name := range g.Names() {
		all[k] = slices.Index(d.names, name)
	}
	rows := d.complete(all)
	if rows == nil {
		for i := range d.Rows() {
			rows = append(rows, i)
		}
	}
	if n := len(rows); n < p+3 {
		return nil, fmt.Errorf("causal: there are %s for %s, want at least %d", count(n, "row"),
			count(p, "column"), p+3)
	}
	columns := make([][]float64, p)
	for k, j := range all {
		for _, i := range rows {
			columns[k] = append(columns[k], d.columns[j][i])
		}
		if columns[k] = unitVariance(columns[k]); columns[k] == nil {
			return nil, fmt.Errorf("causal: column %s is constant in the complete rows, want 2 values",
				g.Name(k))
		}
	}
	order, err := causesFirst(ctx, columns)
	if err != nil {
		return nil, err
	}
	out := &Result{Graph: g, LeastRows: len(rows)}
	sub, err := d.Subset(rows)
	if err != nil {
		return nil, err
	}
	return out, f.prune(out, sub, order, o.Alpha)
}

// Data is the table of the test.
func (f *FisherZ) Data() *Data { return f.data }

// unitVariance makes the mean 0 and the variance 1; nil for a constant.
func unitVariance(v []float64) []float64 {
	if v = standardised(v); v == nil {
		return nil
	}
	for i := range v {
		v[i] *= math.Sqrt(float64(len(v)))
	}
	return v
}

// causesFirst orders the columns, causes first. The next is the one whose regressions leave the others
// least dependent on it.
func causesFirst(ctx context.Context, columns [][]float64) ([]int, error) {
	x := make([][]float64, len(columns))
	left := make([]int, len(columns))
	for k, c := range columns {
		x[k], left[k] = slices.Clone(c), k
	}
	var order []int
	for len(left) > 1 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		best, least := 0, math.Inf(1)
		entropies := map[int]float64{}
		for _, i := range left {
			entropies[i] = entropy(x[i])
		}
		for at, i := range left {
			s := 0.0
			for _, j := range left {
				if i == j {
					continue
				}
				// The difference of the mutual informations of the two directions.
				d := entropies[j] + entropy(leftOf(x[i], x[j])) - entropies[i] - entropy(leftOf(x[j], x[i]))
				s += math.Pow(min(0, d), 2)
			}
			if s < least {
				best, least = at, s
			}
		}
		next := left[best]
		order = append(order, next)
		left = slices.Delete(left, best, best+1)
		for _, j := range left {
			x[j] = leftOf(x[j], x[next])
		}
	}
	return append(order, left...), nil
}

// leftOf is what the regression of v on u leaves, with variance 1; both have mean 0 and variance 1.
func leftOf(v, u []float64) []float64 {
	r := 0.0
	for i := range v {
		r += v[i] * u[i] / float64(len(v))
	}
	scale := math.Sqrt(max(1e-12, 1-r*r))
	out := make([]float64, len(v))
	for i := range v {
		out[i] = (v[i] - r*u[i]) / scale
	}
	return out
}

// entropy is that of values with variance 1, in the approximation of Hyvärinen (1998).
func entropy(u []float64) float64 {
	const k1, k2, gamma = 79.047, 7.4129, 0.37457
	a, b, n := 0.0, 0.0, float64(len(u))
	for _, v := range u {
		w := math.Abs(v)
		a += (w + math.Log1p(math.Exp(-2*w)) - math.Ln2) / n // log cosh
		b += v * math.Exp(-v*v/2) / n
	}
	return (1+math.Log(2*math.Pi))/2 - k1*(a-gamma)*(a-gamma) - k2*b*b
}

// prune keeps the edges whose coefficients the rows tell from 0, and directs those of which an end has
// noise that is not normal.
func (f *FisherZ) prune(out *Result, d *Data, order []int, alpha float64) error {
	g := out.Graph
	p := len(order)
	normal := make([]bool, p)
	var list []string
	for k, j := range order {
		before := make([]string, k)
		for l, i := range order[:k] {
			before[l] = g.Name(i)
		}
		noise, err := d.noise(g.Name(j), before)
		if err != nil {
			return err
		}
		if normal[j] = normality(noise) > 0.01/float64(p); normal[j] {
			list = append(list, g.Name(j))
		}
		for l, i := range order[:k] {
			others := slices.Delete(slices.Clone(before), l, l+1)
			test, err := NewFisherZ(d)
			if err != nil {
				return err
			}
			var s []int
			for _, name := range others {
				s = append(s, slices.Index(d.names, name))
			}
			o, err := test.Independence(context.Background(), slices.Index(d.names, g.Name(i)),
				slices.Index(d.names, g.Name(j)), s)
			if err != nil {
				return err
			}
			out.Tests++
			if o.P <= alpha/float64(p*(p-1)/2) {
				g.Set(i, j, graph.Tail, graph.Arrow)
				a, b := min(i, j), max(i, j)
				out.Strengths = append(out.Strengths, Strength{g.Name(a), g.Name(b), Set{others, o.P}})
			}
		}
	}
	slices.SortFunc(out.Strengths, func(a, b Strength) int {
		return slices.Compare([]string{a.X, a.Y}, []string{b.X, b.Y})
	})
	undirected := 0
	for i := range p {
		for j := range i {
			if g.Adjacent(i, j) && normal[i] && normal[j] {
				g.Set(i, j, graph.Tail, graph.Tail)
				undirected++
			}
		}
	}
	if len(list) > 1 {
		slices.Sort(list)
		out.Notes = append(out.Notes, fmt.Sprintf("The noise of %s may be normal: where that is so at both ends "+
			"of an edge nothing tells its direction (%s).", namesOfList(list), count(undirected, "edge")))
	}
	return nil
}

// noise is what the regression on others leaves of a column.
func (d *Data) noise(name string, others []string) ([]float64, error) {
	v := unitVariance(slices.Clone(d.columns[slices.Index(d.names, name)]))
	basis := [][]float64{}
	for _, other := range others {
		u := slices.Clone(d.columns[slices.Index(d.names, other)])
		if u = unitVariance(u); u == nil {
			continue
		}
		for range 2 {
			for _, b := range basis {
				project(u, b)
			}
		}
		if u = unitVariance(u); u != nil {
			basis = append(basis, u)
		}
	}
	for range 2 {
		for _, b := range basis {
			project(v, b)
		}
	}
	if v = unitVariance(v); v == nil {
		return nil, fmt.Errorf("causal: column %s is a linear function of %s", name, namesOfList(others))
	}
	return v, nil
}

// project takes from v its part along b, which has variance 1.
func project(v, b []float64) {
	r := 0.0
	for i := range v {
		r += v[i] * b[i] / float64(len(v))
	}
	for i := range v {
		v[i] -= r * b[i]
	}
}

// normality is the p-value of the test of D'Agostino and Pearson (1973) that values of mean 0 and
// variance 1 are normal.
func normality(v []float64) float64 {
	n := float64(len(v))
	if n < 20 {
		return 1
	}
	g1, b2 := 0.0, 0.0
	for _, x := range v {
		g1 += x * x * x / n
		b2 += x * x * x * x / n
	}
	y := g1 * math.Sqrt((n+1)*(n+3)/(6*(n-2)))
	beta := 3 * (n*n + 27*n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
	w2 := math.Sqrt(2*(beta-1)) - 1
	z1 := math.Asinh(y/math.Sqrt(2/(w2-1))) / math.Sqrt(math.Log(w2)/2)
	mean := 3 * (n - 1) / (n + 1)
	sd := math.Sqrt(24 * n * (n - 2) * (n - 3) / ((n + 1) * (n + 1) * (n + 3) * (n + 5)))
	x := (b2 - mean) / sd
	skew := 6 * (n*n - 5*n + 2) / ((n + 7) * (n + 9)) * math.Sqrt(6*(n+3)*(n+5)/(n*(n-2)*(n-3)))
	a := 6 + 8/skew*(2/skew+math.Sqrt(1+4/(skew*skew)))
	z2 := ((1 - 2/(9*a)) - math.Cbrt((1-2/a)/(1+x*math.Sqrt(2/(a-4))))) / math.Sqrt(2/(9*a))
	return math.Exp(-(z1*z1 + z2*z2) / 2)
}
