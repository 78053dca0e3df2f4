package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/bke/target"
	"bayeskernel/hmc"
	"bayeskernel/nuts"

	"gonum.org/v1/gonum/mat"
)

type options struct {
	sets, draws int
	theta       float64 // 0 if it is sampled
	level       float64
	seed        uint64
}

func (o options) hyperparameters() string {
	if o.theta > 0 {
		return fmt.Sprintf("theta = %g, tau2 = mean_l Var k(X, z_l)", o.theta)
	}
	return fmt.Sprintf("%d posterior draws of (theta, tau2) for each", o.draws)
}

// shares are one share for each data set.
type shares []float64

func (s shares) mean() float64 {
	sum := 0.0
	for _, v := range s {
		sum += v
	}
	return sum / float64(len(s))
}

// String is the mean and its standard error.
func (s shares) String() string {
	m, v := s.mean(), 0.0
	for _, x := range s {
		v += (x - m) * (x - m)
	}
	n := float64(len(s))
	return fmt.Sprintf("%.3f ± %.3f", m, math.Sqrt(v/max(n-1, 1)/n))
}

// score is what was measured in one cell of the table.
type score struct{ mu, witness, excludes shares }

// measure goes through the data sets, which depend on the seed, the problem and n alone.
func (o options) measure(ctx context.Context, c pair, n int, noise bke.Noise) (score, error) {
	s := score{make(shares, o.sets), make(shares, o.sets), make(shares, o.sets)}
	errs := make([]error, o.sets)
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for first := range workers {
		wg.Go(func() {
			for i := first; i < o.sets; i += workers {
				d := &dataSet{pair: c, noise: noise, seed: o.seed + uint64(i)}
				if errs[i] = d.measure(ctx, o, n); errs[i] != nil {
					return
				}
				s.mu[i], s.witness[i], s.excludes[i] = d.mu, d.witness, d.excludes
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return score{}, err
		}
	}
	return s, nil
}

// dataSet is a pair of samples and what was measured on it.
type dataSet struct {
	pair
	noise bke.Noise
	seed  uint64
	x, y  *mat.Dense
	model *bke.Model
	grid  *mat.Dense // 100 points over the central 95% of the data

	mu, witness, excludes float64
}

func (d *dataSet) measure(ctx context.Context, o options, n int) error {
	r := rand.New(rand.NewPCG(d.seed, uint64(n)))
	d.x, d.y = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		d.x.Set(i, 0, d.p.draw(r))
		d.y.Set(i, 0, d.q.draw(r))
	}
	var pooled mat.Dense
	pooled.Stack(d.x, d.y)
	in, err := inputs.Choose(context.Background(), &pooled, inputs.Options{})
	if err != nil {
		return err
	}
	if d.model, err = bke.NewModel(&pooled, in.Z, bke.Options{Path: "portable"}); err != nil {
		return err
	}
	d.grid = central(pooled.RawMatrix().Data)
	params, err := o.params(ctx, d, in.Z, &pooled)
	if err != nil {
		return err
	}
	for _, p := range params {
		if err := d.add(p, o.level, 1/float64(len(params))); err != nil {
			return err
		}
	}
	return nil
}

// params returns draws from the posterior of the hyperparameters, or the fixed ones.
func (o options) params(ctx context.Context, d *dataSet, z, pooled *mat.Dense) ([]bke.Params,
	error) {
	if o.theta > 0 {
		return []bke.Params{{Theta: []float64{o.theta}, Tau2: level(pooled, z, o.theta)}}, nil
	}
	run, err := nuts.Sample(ctx, target.New(d.model, bke.Priors{}), nuts.Config{
		Settings: hmc.Settings{Chains: 1, Warmup: 300, Draws: 200, Seed: d.seed}})
	if err != nil {
		return nil, err
	}
	all, err := target.Draws(d.model, run)
	if err != nil {
		return nil, err
	}
	var out []bke.Params
	for i := range o.draws {
		out = append(out, all[i*len(all)/o.draws])
	}
	return out, nil
}

// add adds, with a weight, the shares of the grid where the bands at one draw cover the truth, and
// where that of the witness excludes 0.
func (d *dataSet) add(p bke.Params, level, weight float64) error {
	e, err := d.model.Embedding(d.x, p, bke.EmbeddingOptions{Noise: d.noise})
	if err != nil {
		return err
	}
	mean, sd, err := e.At(d.grid)
	if err != nil {
		return err
	}
	w, err := bke.NewWitness(d.model, d.x, d.y, []bke.Params{p}, bke.WitnessOptions{Noise: d.noise})
	if err != nil {
		return err
	}
	at, err := w.At(d.grid)
	if err != nil {
		return err
	}
	band, err := at.Band(level)
	if err != nil {
		return err
	}
	half := math.Sqrt2 * math.Erfinv(level)
	for j := range mean {
		t := d.grid.At(j, 0)
		mu := d.p.embedding(t, p.Theta[0])
		f := mu - d.q.embedding(t, p.Theta[0])
		each := weight / float64(len(mean))
		if math.Abs(mean[j]-mu) <= half*sd[j] {
			d.mu += each
		}
		if band.Lower[j] <= f && f <= band.Upper[j] {
			d.witness += each
		}
	}
	d.excludes += weight * band.Share()
	return nil
}

// central returns 100 points over the central 95% of the data.
func central(data []float64) *mat.Dense {
	sorted := slices.Sorted(slices.Values(data))
	n := len(sorted)
	return bke.Grid(100, mat.NewDense(2, 1, []float64{sorted[n/40], sorted[n-1-n/40]}))
}

// level is mean_l Var k(X, z_l), divisor n-1.
func level(x, z *mat.Dense, theta float64) float64 {
	n, _ := x.Dims()
	m, _ := z.Dims()
	total := 0.0
	for l := range m {
		sum, square := 0.0, 0.0
		for i := range n {
			d := (x.At(i, 0) - z.At(l, 0)) / theta
			k := math.Exp(-d * d / 2)
			sum += k
			square += k * k
		}
		total += (square - sum*sum/float64(n)) / float64(n-1)
	}
	return total / float64(m)
}
