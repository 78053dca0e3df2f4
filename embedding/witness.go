package embedding

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"bayeskernel/bke"
	"bayeskernel/internal/rng"
	"bayeskernel/internal/workers"

	"gonum.org/v1/gonum/mat"
)

// Witness is the posterior of the witness function
//
//	f(t) = mu_P(t) - mu_Q(t)
//
// of two samples, integrated over hyperparameters: given these, mu_P and mu_Q are independent and
// Gaussian, so that f is a mixture of Gaussian processes, one for each draw of the
// hyperparameters. With a single sample f is mu_P. It can be shared by goroutines.
//
// The embeddings, and with them f, change with theta: where draws of theta are wide apart, the band
// of the mixture is that of no single function.
type Witness struct {
	problem *problem
	sign    float64 // of f: -1 if P is the second of the samples
	draws   []bke.Params
}

// NewWitness takes two samples and draws of the hyperparameters, of equal weight: those of a run on
// the posterior, or a single point. Draws of a tempered posterior have no place here: the spread of
// tau2 in them would count as noise. The samples need not be the rows of the fit: rows that were
// held out as pseudo-inputs belong to their samples all the same. If q has no rows, and no means,
// there is one sample, and f is its mean embedding.
func NewWitness(m *bke.Model, p, q Sample, draws []bke.Params, o Options) (*Witness, error) {
	if m == nil {
		return nil, fmt.Errorf("embedding: the model is nil, want one")
	}
	w := &Witness{sign: 1}
	own, err := newSample(m, "p", p)
	if err != nil {
		return nil, err
	}
	samples := []*sample{own}
	if q.X != nil || q.Means != nil {
		if own, err = newSample(m, "q", q); err != nil {
			return nil, err
		}
		samples = append(samples, own)
	}
	if len(samples) == 2 && compare(samples[0], samples[1]) > 0 {
		// An order of their own, so that exchanging P and Q changes the sign to the last bit.
		samples[0], samples[1], w.sign = samples[1], samples[0], -1
	}
	if w.problem, err = newProblem(m, o, samples...); err != nil {
		return nil, err
	}
	if len(draws) == 0 {
		return nil, errors.New("embedding: no draws of the hyperparameters, want at least 1")
	}
	for i, h := range draws {
		if h, err = w.problem.complete(h); err != nil {
			return nil, fmt.Errorf("%w (draw %d, counted from 1)", err, i+1)
		}
		w.draws = append(w.draws, h)
	}
	return w, nil
}

// At returns the posterior of f at each of the points. With noise CLT each is observed alone, so
// that what else is asked for makes no difference.
func (w *Witness) At(ctx context.Context, points mat.Matrix) (*Pointwise, error) {
	f, err := w.evaluate(ctx, points, 0, 0)
	if err != nil {
		return nil, err
	}
	return f.Pointwise, nil
}

// Functions draws count whole functions, for statements about several points at once: the
// embeddings are observed at all the points together. The draws of the hyperparameters are used in
// order, each as often as the others, or at even distances if there are more of them than functions or than 250 and a
// quarter of the functions: to prepare for a draw takes many times as long as a function. What is said of each point
// is what At says, of all draws.
func (w *Witness) Functions(ctx context.Context, points mat.Matrix, count int, seed uint64) (*Functions,
	error) {
	if err := countable("functions", count); err != nil {
		return nil, err
	}
	if err := w.problem.banded(); err != nil {
		return nil, err
	}
	return w.evaluate(ctx, points, count, seed)
}

// evaluate goes through the draws, each for itself, so that the number of processors makes no
// difference.
func (w *Witness) evaluate(ctx context.Context, points mat.Matrix, count int, seed uint64) (*Functions,
	error) {
	t, err := w.problem.model.Coordinates("points", points)
	if err != nil {
		return nil, err
	}
	g, n := len(t)/w.problem.dim, len(w.draws)
	f := &Functions{Pointwise: newPointwise(points, g, n)}
	f.sign, f.unbanded = w.sign, w.problem.banded()
	if count > 0 {
		src, err := rng.New("", rng.Name{Seed: seed, Purpose: "functions"}, 0)
		if err != nil {
			return nil, err
		}
		f.Values = mat.NewDense(count, g, nil)
		f.seeds = make([][2]uint64, count) // each function has random numbers of its own
		for j := range f.seeds {
			f.seeds[j] = [2]uint64{src.Uint64(), src.Uint64()}
		}
	}
	of := shareOut(count, n)
	workspace := w.processes(ctx, t, count > 0)
	if err := workers.Each(ctx, n, 0, func() func(i int) error {
		p := workspace()
		return func(i int) error {
			return f.add(p, w.draws[i], i, of[i], of[i+1])
		}
	}); ctx.Err() != nil {
		return nil, fmt.Errorf("embedding: stopped: %w", context.Cause(ctx))
	} else if err != nil {
		return nil, err
	}
	f.summarise()
	return f, nil
}

// shareOut says which functions have draw i of the hyperparameters: those from the i-th number to one before the next.
func shareOut(count, draws int) []int {
	const enough, share = 250, 4
	used := min(draws, count, max(enough, count/share))
	out := make([]int, draws+1)
	for k := range used { // the k-th of those used is draw floor(k draws/used)
		out[k*draws/used+1] = ((k+1)*count+used-1)/used - (k*count+used-1)/used
	}
	for i := range draws {
		out[i+1] += out[i]
	}
	return out
}

// processes returns what makes the workspaces for the points.
func (w *Witness) processes(ctx context.Context, t []float64, joint bool) func() process {
	if w.problem.opts.Noise == IID {
		return func() process { return newIID(w.problem, t, noiseRank) }
	}
	return newCLT(ctx, w.problem, t, w.draws, joint, false).process
}

// add evaluates draw i of the hyperparameters, which has the functions from first to end-1.
func (f *Functions) add(p process, h bke.Params, i, first, end int) error {
	mean, vary, err := p.fit(h)
	if err != nil {
		return err
	}
	f.record(i, mean, vary)
	if first == end {
		return nil
	}
	if err := p.ready(); err != nil {
		return err
	}
	for j := first; j < end; j++ {
		row := f.Values.RawRowView(j)
		p.draw(row, rand.New(rand.NewPCG(f.seeds[j][0], f.seeds[j][1])))
		for k := range row {
			row[k] *= f.sign
		}
	}
	return nil
}
