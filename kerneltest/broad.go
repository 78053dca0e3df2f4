package kerneltest

import (
	"cmp"
	"math"
	"slices"

	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// View is what one statistic of rule Broad looks at.
type View int

const (
	// NoView is that of other rules.
	NoView View = iota
	// Rows has the kernels of Bayes, of the rows as they are.
	Rows
	// Scores has such kernels of the normal scores: each column's ranks in the pooled sample, as quantiles
	// of the normal distribution. Heavy tails do not hide a difference from it.
	Scores
	// Distances is the energy distance of the rows.
	Distances
	// ScoreDistances is the energy distance of the normal scores.
	ScoreDistances
	// Products has products of Laplace kernels of the columns' scores: differences of spread and shape in
	// many columns at once.
	Products
	// Columns is the largest of the statistics of single columns, of their distance from the centre, and
	// of the two main directions.
	Columns
	// Pairs is the largest of the differences of how two columns go together.
	Pairs
	// Quadratic sums what Pairs and spreads see over all columns.
	Quadratic
	// Smooth has, of two variables, the kernels as they are, which see smooth dependence best.
	Smooth
	// Curves has, of two variables, the narrowest and the widest kernels, shrunk, which see best that one variable lies
	// on a curve of the other.
	Curves
)

var viewNames = [...]string{"", "rows", "scores", "distances", "score distances", "products", "columns", "pairs",
	"quadratic", "smooth", "curves"}

// String returns a name of one or two words, "" for NoView.
func (v View) String() string { return viewNames[v] }

// Part is what the strongest kernel of a View sees.
type Part struct {
	// Columns are the numbers of its columns; nil means all together.
	Columns []int
	// Degrees are those of the polynomials of the columns' scores for Pairs: 1 for the score, 2 for its square.
	Degrees []int
	// Direction is 1 or 2 for a main direction of the columns' scores, and -1 for the distance
	// from the centre; 0 for others.
	Direction int
}

// broadColumns is the number of columns from which Broad looks at single columns, pairs and products.
const broadColumns = 5

// viewWeights are the prior weights of the views: they depend on the number of columns, and on whether some have
// heavy tails in the pooled sample.
func viewWeights(data []float64, dim int) map[View]float64 {
	if dim < broadColumns {
		if _, heavy := tamed(data, dim); heavy {
			return map[View]float64{Rows: 3, Scores: 2, Distances: 5, ScoreDistances: 2}
		}
		return map[View]float64{Rows: 4, Scores: 2, Distances: 2, ScoreDistances: 3}
	}
	return map[View]float64{Rows: 3, Scores: 1, Distances: 1.5, ScoreDistances: 1, Products: 1.5, Columns: 2, Pairs: 1,
		Quadratic: 1}
}

// member is one kernel of a test of several samples.
type member struct {
	kernel    kernels.Kernel
	amplitude float64 // 0 where it is not shrunk
	rows      []float64
	dim       int
	within    bool      // rows are less the mean of their block
	feature   []float64 // of each row, in the place of a kernel
	limit     int       // of the rank; 0: that of the number of rows
	view      View
	part      Part
}

// scoreRungs are the lengthscales of Scores in units of the root mean square distance of normal scores.
func scoreRungs() []float64 { return []float64{0.35, 0.7, 1.4} }

const (
	// scoreAmplitude is that of the kernels of scores.
	scoreAmplitude = 2
	// columnScale is the lengthscale of the scores of single columns.
	columnScale = 1.0
	// columnRank is the number of features of a single column.
	columnRank = 10
	// mostProducts is the number of products of two columns.
	mostProducts = 2000
	// fewProducts is their number up to which those of a score with a square are among them.
	fewProducts = 120
	// bound is where scores are cut for products, whose tails would hide the difference of a pair among many.
	bound = 2
	// broadElements is the size of all features that Columns and Pairs may have.
	broadElements = 2e7
)

// broad are the members of rule Broad besides those of the rows: for each set of rows, those of the data and with
// blocks also those less the mean of their block.
func broad(data []float64, dim int, inner, last bool) []member {
	n := len(data) / dim
	scores := rows.NormalScores(data, dim)
	var out []member
	for _, r := range scoreRungs() {
		out = append(out, member{kernel: kernels.SquaredExponential(r * math.Sqrt(2*float64(dim))),
			amplitude: scoreAmplitude, rows: scores, dim: dim, within: inner, view: Scores})
	}
	few := 40 * dim // features of distances, whose eigenvalues fall as the square of their number in one column
	if n > 400 {
		few = max(16, min(few, 100, int(1.2e6/float64(n))))
	}
	near, _ := tamed(data, dim)
	out = append(out,
		member{kernel: kernels.Distance{Centre: centreOf(near, dim)}, rows: near, dim: dim, within: inner, limit: few,
			view: Distances},
		member{kernel: kernels.Distance{Centre: make([]float64, dim)}, rows: scores, dim: dim, within: inner, limit: few,
			view: ScoreDistances})
	if dim < broadColumns || !last {
		return out
	}
	for _, r := range []float64{0.25, 1} {
		out = append(out, member{kernel: kernels.CityBlock(r * medianScoreDistance * float64(dim)), rows: scores, dim: dim,
			within: inner, limit: few, view: Products})
	}
	out = append(out, member{kernel: kernels.Polynomial{Degree: 2}, amplitude: scoreAmplitude, rows: scaled(scores, dim),
		dim: dim, within: inner, limit: few, view: Quadratic})
	return append(append(out, single(scores, dim, inner)...), products(scores, dim, inner)...)
}

// medianScoreDistance is about the median of |x-y| for one column of normal scores, whose mean over many
// columns is 2/sqrt(pi).
const medianScoreDistance = 1.128

// scaled divides scores so that the dot product of a row with itself is about 1.
func scaled(scores []float64, dim int) []float64 {
	out := slices.Clone(scores)
	for i := range out {
		out[i] /= math.Sqrt(float64(dim))
	}
	return out
}

const (
	// heavyTails is the ratio of the middle 95 of 100 values to the middle half from which a column has heavy tails: 2.9
	// for normal values, 5.3 for Student's t with two degrees of freedom, 12.7 for Cauchy's.
	heavyTails = 6
)

// tamed bounds columns with heavy tails, each value z in units of half the middle half by z/(1+z²): the score of
// Cauchy's law, in which values far out count little. It reports whether there are any. The pooled sample alone decides.
func tamed(data []float64, dim int) (out []float64, heavy bool) {
	n := len(data) / dim
	out = data
	column := make([]float64, n)
	for a := range dim {
		for i := range column {
			column[i] = data[i*dim+a]
		}
		slices.Sort(column)
		at := func(p float64) float64 { return column[int(math.Round(p*float64(n-1)))] }
		half := (at(0.75) - at(0.25)) / 2
		if !(half > 0 && at(0.975)-at(0.025) > heavyTails*2*half) {
			continue
		}
		if !heavy {
			out, heavy = slices.Clone(data), true
		}
		for i := range n {
			z := (data[i*dim+a] - at(0.5)) / half
			out[i*dim+a] = half * z / (1 + z*z)
		}
	}
	return out, heavy
}

// single are the members of View Columns.
func single(scores []float64, dim int, inner bool) []member {
	n := len(scores) / dim
	limit := max(3, min(columnRank, int(broadElements/float64(n*dim))))
	var out []member
	add := func(column []float64, p Part) {
		out = append(out, member{kernel: kernels.SquaredExponential(columnScale), amplitude: scoreAmplitude,
			rows: rows.NormalScores(column, 1), dim: 1, within: inner, limit: limit, view: Columns, part: p})
	}
	radius := make([]float64, n)
	column := make([]float64, n)
	for a := range dim {
		for i := range n {
			column[i] = scores[i*dim+a]
			radius[i] += column[i] * column[i]
		}
		add(column, Part{Columns: []int{a}})
	}
	add(radius, Part{Direction: -1})
	for k, v := range directions(scores, dim, 2) {
		for i := range n {
			column[i] = 0
			for a, c := range v {
				column[i] += c * scores[i*dim+a]
			}
		}
		add(column, Part{Direction: k + 1})
	}
	return out
}

// directions are the first eigenvectors of the covariance of the scores, whatever the order of the rows.
func directions(scores []float64, dim, count int) [][]float64 {
	c := covariance(scores, dim)
	var eigen mat.EigenSym
	if !eigen.Factorize(c, true) {
		return nil
	}
	var v mat.Dense
	eigen.VectorsTo(&v)
	var out [][]float64
	for k := range count {
		out = append(out, mat.Col(nil, dim-1-k, &v))
	}
	return out
}

// covariance is that of the scores, whose columns have mean 0 but for ties.
func covariance(scores []float64, dim int) *mat.SymDense {
	sorted := rows.Sort(scores, dim)
	n := len(sorted) / dim
	c := mat.NewSymDense(dim, nil)
	c.SymOuterK(1/float64(n), mat.NewDense(n, dim, sorted).T())
	return c
}

// products are the members of View Pairs: products of polynomials of degrees 1 and 2 of two columns' scores.
// With many columns they are those of the pairs whose scores are most correlated in the pooled sample.
func products(scores []float64, dim int, inner bool) []member {
	n := len(scores) / dim
	degrees := [][2]int{{1, 1}, {2, 2}, {1, 2}, {2, 1}}
	pairs := dim * (dim - 1) / 2
	limit := max(20, min(mostProducts, int(broadElements/float64(2*n))))
	if pairs*len(degrees) > fewProducts {
		degrees = degrees[:2]
	}
	if pairs*len(degrees) > limit {
		degrees = degrees[:1]
	}
	var list [][2]int
	for a := range dim {
		for b := a + 1; b < dim; b++ {
			list = append(list, [2]int{a, b})
		}
	}
	if len(list) > limit {
		c := covariance(scores, dim)
		slices.SortStableFunc(list, func(p, q [2]int) int {
			return cmp.Compare(math.Abs(c.At(q[0], q[1])), math.Abs(c.At(p[0], p[1])))
		})
		list = list[:limit]
	}
	hermite := func(x float64, degree int) float64 {
		if x = max(-bound, min(bound, x)); degree == 1 {
			return x
		}
		return x*x - 1
	}
	var out []member
	for _, p := range list {
		for _, d := range degrees {
			f := make([]float64, n)
			for i := range f {
				f[i] = hermite(scores[i*dim+p[0]], d[0]) * hermite(scores[i*dim+p[1]], d[1])
			}
			out = append(out, member{feature: f, dim: 1, within: inner, view: Pairs,
				part: Part{Columns: []int{p[0], p[1]}, Degrees: []int{d[0], d[1]}}})
		}
	}
	return out
}
