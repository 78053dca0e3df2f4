package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/bke/target"
	"bayeskernel/embedding"
	"bayeskernel/hmc"
	"bayeskernel/internal/workers"
	"bayeskernel/nuts"

	"gonum.org/v1/gonum/mat"
)

const level = 0.8

// grid is that on which the shares are counted.
func grid() *mat.Dense {
	g := mat.NewDense(161, 1, nil)
	for i := range 161 {
		g.Set(i, 0, float64(i-80)/20)
	}
	return g
}

func normal(r *rand.Rand) float64 { return r.NormFloat64() }

func laplace(r *rand.Rand) float64 {
	return math.Sqrt(0.5) * (r.ExpFloat64() - r.ExpFloat64())
}

// study is a pair of samples and the posterior of the hyperparameters given both.
type study struct {
	p, q  *mat.Dense
	model *bke.Model
	draws []bke.Params
}

// newStudy draws n rows of N(0, 1) and of another law, and samples as the paper does: 4 chains of
// 400 iterations, half of which are warm-up.
func newStudy(ctx context.Context, n int, seed uint64, law func(*rand.Rand) float64) (*study, error) {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	s := &study{p: mat.NewDense(n, 1, nil), q: mat.NewDense(n, 1, nil)}
	for i := range n {
		s.p.Set(i, 0, normal(r))
		s.q.Set(i, 0, law(r))
	}
	var all mat.Dense
	all.Stack(s.p, s.q)
	in, err := inputs.Choose(ctx, &all, inputs.Options{})
	if err != nil {
		return nil, err
	}
	if s.model, err = bke.NewModel(in.Likelihood(&all), in.Z, bke.Options{}); err != nil {
		return nil, err
	}
	run, err := nuts.Sample(ctx, target.New(s.model, bke.Priors{}), nuts.Config{Settings: hmc.Settings{
		Warmup: 200, Draws: 200, Seed: seed, Path: s.model.Path(), Adapt: hmc.Adapt{Fixed: true}}})
	if err != nil {
		return nil, err
	}
	s.draws, err = target.Draws(s.model, run)
	return s, err
}

// witness is the posterior of the witness on the grid, with its band.
func (s *study) witness(ctx context.Context, noise embedding.Noise) (*embedding.Pointwise,
	*embedding.Band, error) {
	w, err := embedding.NewWitness(s.model, embedding.Sample{X: s.p}, embedding.Sample{X: s.q},
		s.draws, embedding.Options{Noise: noise})
	if err != nil {
		return nil, nil, err
	}
	post, err := w.At(ctx, grid())
	if err != nil {
		return nil, nil, err
	}
	band, err := post.Band(level)
	return post, band, err
}

// shares prints on which share of the grid the band excludes zero, on average over data sets.
func shares(ctx context.Context, out io.Writer, sets int, seed uint64) error {
	fmt.Fprintf(out, "Share of the grid on [-4, 4] where the %g%% band excludes 0, mean of %d data "+
		"sets and its standard error.\n\n", 100*level, sets)
	fmt.Fprintln(out, "| P and Q | n | clt | iid |")
	fmt.Fprintln(out, "| --- | --: | --: | --: |")
	for _, c := range []struct {
		name string
		law  func(*rand.Rand) float64
	}{{"normal, Laplace", laplace}, {"normal, normal", normal}} {
		for _, n := range []int{50, 400} {
			got, err := shareOf(ctx, sets, n, seed, c.law)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "| %s | %d | %s | %s |\n", c.name, n, got[embedding.CLT], got[embedding.IID])
		}
	}
	return nil
}

// shareOf goes through the data sets, which depend on n and the seed alone.
func shareOf(ctx context.Context, sets, n int, seed uint64, law func(*rand.Rand) float64) (
	[2]string, error) {
	values := make([][2]float64, sets)
	if err := workers.Each(ctx, sets, 0, func() func(int) error {
		return func(i int) (err error) {
			values[i], err = oneShare(ctx, n, seed+uint64(i), law)
			return err
		}
	}); err != nil {
		return [2]string{}, err
	}
	var out [2]string
	for k := range out {
		mean, ss := 0.0, 0.0
		for _, v := range values {
			mean += v[k] / float64(sets)
		}
		for _, v := range values {
			ss += (v[k] - mean) * (v[k] - mean)
		}
		se := math.Sqrt(ss / float64(max(sets-1, 1)) / float64(sets))
		out[k] = fmt.Sprintf("%.0f%% ± %.1f", 100*mean, 100*se)
	}
	return out, nil
}

func oneShare(ctx context.Context, n int, seed uint64, law func(*rand.Rand) float64) (
	[2]float64, error) {
	var out [2]float64
	s, err := newStudy(ctx, n, seed, law)
	if err != nil {
		return out, err
	}
	for k := range out {
		_, band, err := s.witness(ctx, embedding.Noise(k))
		if err != nil {
			return out, err
		}
		out[k] = band.Share()
	}
	return out, nil
}
