// Density measures mixtures that are fitted by matching mean embeddings, with and without shrinkage:
// by how much their negative log likelihood on new rows exceeds that of the truth, random mixtures of
// normal distributions. All data are synthetic.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/embedding/density"
	"bayeskernel/embedding/shrinkage"
	"bayeskernel/examples/internal/report"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	picture := ""
	return report.RunStudy(ctx, "density", args, stdout, stderr, func(f *flag.FlagSet) {
		f.StringVar(&picture, "figure", "", "PNG file to draw the excess, and an example, in")
	}, func(ctx context.Context, s report.Study, out io.Writer) error {
		return measure(ctx, s, picture, out)
	})
}

const (
	testRows = 2000
	centres  = 10
)

// methods weigh the centres: by the share of rows that are nearest, and by matching the embedding,
// as it is and shrunk; the last is a kernel density estimate whose width has the largest
// leave-one-out likelihood.
var methods = []string{"shares of k-means", "matched", "matched, simple", "matched, flexible",
	"kernel density"}

// setting is the kernel of the embedding, and the sizes of the data.
type setting struct {
	kernel    string
	dim, rows int
}

func settings() (list []setting, cases []report.Case) {
	for _, kernel := range []string{"SE", "polynomial 2", "polynomial 3"} {
		for _, dim := range []int{1, 2, 5} {
			for _, rows := range []int{20, 50, 200} {
				list = append(list, setting{kernel, dim, rows})
				cases = append(cases, report.Case{Name: fmt.Sprintf("%s, D = %d, %d rows", kernel, dim, rows),
					Sets: 50})
			}
		}
	}
	return list, cases
}

// excess is what was found on one data set, by method.
type excess struct {
	Case   string
	Set    int
	Excess []float64
}

func (e excess) Of() (string, int) { return e.Case, e.Set }

func measure(ctx context.Context, s report.Study, picture string, out io.Writer) error {
	list, cases := settings()
	all, err := report.Measure(ctx, s, cases, func(i, set int) (excess, error) {
		// Kernels are compared on the same data.
		r := rand.New(rand.NewPCG(s.Seed, uint64(10000*list[i].dim+list[i].rows)<<20+uint64(set)))
		e := excess{Case: cases[i].Name, Set: set}
		var err error
		e.Excess, err = one(ctx, list[i], r)
		return e, err
	})
	if err != nil {
		return err
	}
	fmt.Fprint(out, "Negative log likelihood of a new row above that of the truth, mean and standard "+
		"error\n\n| kernel | shares of k-means | matched | matched, simple shrinkage | matched, flexible | "+
		"kernel density |\n|---|---|---|---|---|---|\n")
	better, worse, counted := [2]int{}, [2]int{}, 0
	for _, c := range cases {
		sets := all[c.Name]
		if len(sets) == 0 {
			continue
		}
		fmt.Fprintf(out, "| %s |", c.Name)
		for k := range methods {
			m, se := meanOf(sets, func(e excess) float64 { return e.Excess[k] })
			fmt.Fprintf(out, " %.3f ± %.3f |", m, se)
		}
		fmt.Fprintln(out)
		counted++
		for k := range better {
			d, se := meanOf(sets, func(e excess) float64 { return e.Excess[1] - e.Excess[2+k] })
			if d > 3*se {
				better[k]++
			} else if d < -3*se {
				worse[k]++
			}
		}
	}
	for k, name := range []string{"simple", "flexible"} {
		verdict := "was not reproduced"
		if 2*better[k] > counted && worse[k] == 0 {
			verdict = "was reproduced"
		}
		fmt.Fprintf(out, "\nThe paper's claim that shrinkage makes better mixtures %s for the %s estimator: it "+
			"is better by more than 3 standard errors in %d of %d settings and worse in %d.\n", verdict, name,
			better[k], counted, worse[k])
	}
	if picture == "" {
		return nil
	}
	return draw(ctx, picture, list, cases, all)
}

// meanOf is the mean over data sets and its standard error.
func meanOf(sets map[int]excess, of func(excess) float64) (mean, se float64) {
	var list []float64
	for k := range len(sets) {
		list = append(list, of(sets[k]))
		mean += list[k] / float64(len(sets))
	}
	for _, v := range list {
		se += (v - mean) * (v - mean)
	}
	n := float64(len(list))
	return mean, math.Sqrt(se / (n - 1) / n)
}

// truth is a mixture of three normal distributions with random means and spreads.
func truth(dim int, r *rand.Rand) (*density.Normals, error) {
	means := mat.NewDense(3, dim, nil)
	var covs []*mat.SymDense
	for j := range 3 {
		c := mat.NewSymDense(dim, nil)
		sd := 0.5 + r.Float64()
		for a := range dim {
			means.Set(j, a, 8*r.Float64()-4)
			c.SetSym(a, a, sd*sd)
		}
		covs = append(covs, c)
	}
	return density.NewNormals([]float64{0.2, 0.3, 0.5}, means, covs)
}

func drawn(p *density.Normals, n, dim int, r *rand.Rand) *mat.Dense {
	x := mat.NewDense(n, dim, nil)
	for i := range n {
		p.Draw(x.RawRowView(i), r)
	}
	return x
}

// kernelFor is the kernel of the embedding: lengthscales are median distances of rows.
func kernelFor(name string, x *mat.Dense) (kernels.Kernel, error) {
	switch name {
	case "polynomial 2":
		return kernels.Polynomial{Degree: 2, Offset: 1}, nil
	case "polynomial 3":
		return kernels.Polynomial{Degree: 3, Offset: 1}, nil
	}
	med, err := kernels.MedianDistance(x, 1)
	return kernels.SquaredExponential(med.All), err
}

// one measures the methods on a data set.
func one(ctx context.Context, s setting, r *rand.Rand) ([]float64, error) {
	p, err := truth(s.dim, r)
	if err != nil {
		return nil, err
	}
	x, fresh := drawn(p, s.rows, s.dim, r), drawn(p, testRows, s.dim, r)
	fits, err := fit(ctx, s.kernel, x)
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, q := range fits {
		sum := 0.0
		for i := range testRows {
			row := fresh.RawRowView(i)
			sum += p.LogDensity(row) - q.LogDensity(row)
		}
		out = append(out, sum/testRows)
	}
	return out, nil
}

// fit makes the mixtures of all methods.
func fit(ctx context.Context, kernel string, x *mat.Dense) ([]*density.Normals, error) {
	c, err := density.KMeans(ctx, x, centres, 1)
	if err != nil {
		return nil, err
	}
	// What a centre stands for is the kernel density estimate of its rows: their distances from it, and
	// the width of the estimate.
	kde, width, err := widest(x)
	if err != nil {
		return nil, err
	}
	for j, v := range c.Spread {
		c.Spread[j] = math.Hypot(v, width)
	}
	k, err := kernelFor(kernel, x)
	if err != nil {
		return nil, err
	}
	shares, err := byShares(x, c)
	if err != nil {
		return nil, err
	}
	problem, err := shrinkage.NewRows(ctx, k, x, 0)
	if err != nil {
		return nil, err
	}
	out := []*density.Normals{shares}
	for _, e := range []shrinkage.Estimate{problem.Empirical(), problem.ShrinkScalar(),
		problem.ShrinkSpectral(shrinkage.TrueLeaveOneOut)} {
		q, _, err := density.Match(k, x, e.Weights, c)
		if err != nil {
			return nil, err
		}
		out = append(out, q)
	}
	return append(out, kde), nil
}

// byShares weighs centres by the share of rows that are nearest to them.
func byShares(x *mat.Dense, c density.Centres) (*density.Normals, error) {
	n, dim := x.Dims()
	m, _ := c.At.Dims()
	w := make([]float64, m)
	for i := range n {
		best, least := 0, math.Inf(1)
		for j := range m {
			d := 0.0
			for a := range dim {
				d += math.Pow(x.At(i, a)-c.At.At(j, a), 2)
			}
			if d < least {
				best, least = j, d
			}
		}
		w[best] += 1 / float64(n)
	}
	return mixture(w, c.At, c.Spread)
}

// mixture has a normal distribution at each row.
func mixture(w []float64, at mat.Matrix, spread []float64) (*density.Normals, error) {
	m, dim := at.Dims()
	var covs []*mat.SymDense
	for j := range m {
		s := spread[j%len(spread)]
		cov := mat.NewSymDense(dim, nil)
		for a := range dim {
			cov.SetSym(a, a, s*s)
		}
		covs = append(covs, cov)
	}
	return density.NewNormals(w, at, covs)
}

// widest is the kernel density estimate with the width of the largest leave-one-out likelihood, and
// the width.
func widest(x *mat.Dense) (q *density.Normals, width float64, err error) {
	n, dim := x.Dims()
	med, err := kernels.MedianDistance(x, 1)
	if err != nil {
		return nil, 0, err
	}
	best := math.Inf(-1)
	for _, factor := range []float64{0.02, 0.04, 0.06, 0.08, 0.1, 0.14, 0.2, 0.28, 0.4, 0.55, 0.8} {
		h, sum := factor*med.All, 0.0
		k := kernels.SquaredExponential(h)
		for i := range n {
			at := 0.0
			for j := range n {
				if i != j {
					at += k.At(x.RawRowView(i), x.RawRowView(j))
				}
			}
			sum += math.Log(max(at, 1e-300)) - float64(dim)*math.Log(h)
		}
		if sum > best {
			best, width = sum, h
		}
	}
	q, err = mixture(slices.Repeat([]float64{1 / float64(n)}, n), x, []float64{width})
	return q, width, err
}
