package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"bayeskernel/embedding/density"
	"bayeskernel/embedding/shrinkage"
	"bayeskernel/examples/internal/report"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Twelve samples of four distributions in the plane, standardised: three normal ones whose means
// differ, and a mixture.
const eachOf = 3

var offsets = []float64{0, 0.6, 1.2}

// origins are the four distributions.
func origins() ([]*density.Normals, error) {
	unit := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	narrow := mat.NewSymDense(2, []float64{1, 0, 0, 0.05})
	var out []*density.Normals
	for _, m := range offsets {
		p, err := density.NewNormals([]float64{1}, mat.NewDense(1, 2, []float64{m, 0}), []*mat.SymDense{unit})
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	p, err := density.NewNormals([]float64{0.5, 0.5}, mat.NewDense(2, 2, []float64{0, -0.97, 0, 0.97}),
		[]*mat.SymDense{narrow, narrow})
	return append(out, p), err
}

// methods of estimating an embedding, and of the distance from them. "unbiased" is that of the
// empirical embeddings with their squared errors taken off.
var methods = []string{"none", "simple", "flexible", "unbiased"}

// spread is what was found for one set of samples: for each method the mean squared error of the
// distances, and the share of samples whose nearest other one is of the same distribution.
type spread struct {
	Case    string
	Set     int
	Squared []float64
	Nearest []float64
}

func (s spread) Of() (string, int) { return s.Case, s.Set }

// setting is a lengthscale and the sizes of the samples, drawn from a list.
type setting struct {
	name  string
	theta float64
	sizes []int
}

func settings() []setting {
	var out []setting
	for _, theta := range []float64{0.25, 0.5, 1, 2} {
		for _, s := range []struct {
			name  string
			sizes []int
		}{{"15 rows", []int{15}}, {"100 rows", []int{100}}, {"15, 40 or 120 rows", []int{15, 40, 120}}} {
			out = append(out, setting{fmt.Sprintf("%v, %s", theta, s.name), theta, s.sizes})
		}
	}
	return out
}

// distances compares estimates of the distances.
func distances(ctx context.Context, s report.Study, out io.Writer) error {
	list := settings()
	var cases []report.Case
	for _, c := range list {
		cases = append(cases, report.Case{Name: c.name, Sets: 100})
	}
	all, err := report.Measure(ctx, s, cases, func(i, set int) (spread, error) {
		return distance(ctx, list[i], set, s.Seed)
	})
	if err != nil {
		return err
	}
	fmt.Fprint(out, "Root mean squared error of distances, over that of empirical embeddings, and percent of "+
		"samples whose nearest other one is of the same distribution\n\n| theta, rows | none | simple | "+
		"flexible | unbiased |\n|---|---|---|---|---|\n")
	for _, c := range list {
		sets := all[c.name]
		if len(sets) == 0 {
			continue
		}
		squared, near := make([]float64, len(methods)), make([]float64, len(methods))
		for _, r := range sets {
			for k := range methods {
				squared[k] += r.Squared[k] / float64(len(sets))
				near[k] += r.Nearest[k] / float64(len(sets))
			}
		}
		fmt.Fprintf(out, "| %s |", c.name)
		for k := range methods {
			fmt.Fprintf(out, " %.2f, %.0f%% |", math.Sqrt(squared[k]/squared[0]), 100*near[k])
		}
		fmt.Fprintln(out)
	}
	return nil
}

// distance measures one set of samples.
func distance(ctx context.Context, c setting, set int, seed uint64) (spread, error) {
	r := rand.New(rand.NewPCG(seed, uint64(set)))
	from, err := origins()
	if err != nil {
		return spread{}, err
	}
	k := kernels.SquaredExponential(c.theta)
	count := eachOf * len(from)
	empirical, risk := make([]*shrinkage.Mean, count), make([]float64, count)
	all := map[string][]*shrinkage.Mean{}
	for i := range count {
		n := c.sizes[r.IntN(len(c.sizes))]
		x := mat.NewDense(n, 2, nil)
		for l := range n {
			from[i/eachOf].Draw(x.RawRowView(l), r)
		}
		p, err := shrinkage.NewRows(ctx, k, x, 0)
		if err != nil {
			return spread{}, err
		}
		scale := float64(n-1) / float64(n)
		risk[i] = p.Empirical().Score * scale * scale / float64(n-1)
		for name, e := range map[string]shrinkage.Estimate{"none": p.Empirical(), "simple": p.ShrinkScalar(),
			"flexible": p.ShrinkSpectral(shrinkage.TrueLeaveOneOut)} {
			m, err := shrinkage.NewMean(k, x, e.Weights)
			if err != nil {
				return spread{}, err
			}
			all[name] = append(all[name], m)
		}
	}
	empirical = all["none"]
	out := spread{Case: c.name, Set: set}
	for _, name := range methods {
		d2 := func(i, j int) (float64, error) {
			if name == "unbiased" {
				v, err := shrinkage.MMD2(empirical[i], empirical[j])
				return max(0, v-risk[i]-risk[j]), err
			}
			return shrinkage.MMD2(all[name][i], all[name][j])
		}
		squared, near, err := compareAll(k, from, count, d2)
		if err != nil {
			return out, err
		}
		out.Squared, out.Nearest = append(out.Squared, squared), append(out.Nearest, near)
	}
	return out, nil
}

// compareAll compares distances with the true ones.
func compareAll(k kernels.Kernel, from []*density.Normals, count int,
	d2 func(i, j int) (float64, error)) (squared, near float64, err error) {
	truth, err := exact(k, from)
	if err != nil {
		return 0, 0, err
	}
	pairs := float64(count * (count - 1))
	for i := range count {
		best, own := math.Inf(1), false
		for j := range count {
			if i == j {
				continue
			}
			v, err := d2(i, j)
			if err != nil {
				return 0, 0, err
			}
			d := math.Sqrt(max(0, v))
			e := d - truth[i/eachOf][j/eachOf]
			squared += e * e / pairs
			if d < best {
				best, own = d, i/eachOf == j/eachOf
			}
		}
		if own {
			near += 1 / float64(count)
		}
	}
	return squared, near, nil
}

// exact are the distances of the distributions: |mu_p - mu_q|² from the norms of mixtures, as the norm
// of half of each is known too.
func exact(k kernels.Kernel, from []*density.Normals) ([][]float64, error) {
	norm := func(ps ...*density.Normals) (float64, error) {
		var w []float64
		var means []float64
		var covs []*mat.SymDense
		for _, p := range ps {
			for c := range p.Weights {
				w = append(w, p.Weights[c]/float64(len(ps)))
				means, covs = append(means, p.Means.RawRowView(c)...), append(covs, p.Covs[c])
			}
		}
		both, err := density.NewNormals(w, mat.NewDense(len(w), 2, means), covs)
		if err != nil {
			return 0, err
		}
		return both.Embed(k, make([]float64, 1), mat.NewDense(1, 2, nil))
	}
	out := make([][]float64, len(from))
	for i, p := range from {
		out[i] = make([]float64, len(from))
		for j, q := range from {
			a, err := norm(p)
			if err != nil {
				return nil, err
			}
			b, err := norm(q)
			if err != nil {
				return nil, err
			}
			half, err := norm(p, q) // (a + b + 2 <p, q>)/4
			if err != nil {
				return nil, err
			}
			out[i][j] = math.Sqrt(max(0, 2*a+2*b-4*half))
		}
	}
	return out, nil
}
