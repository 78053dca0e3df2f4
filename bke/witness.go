package bke

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/internal/lowrank"

	"gonum.org/v1/gonum/mat"
)

// WitnessOptions says how the two embeddings are observed; see EmbeddingOptions.
type WitnessOptions struct {
	Noise  Noise
	Points mat.Matrix
}

// Witness is the posterior of the witness function
//
//	f(t) = mu_P(t) - mu_Q(t)
//
// of two samples, integrated over hyperparameters: given these, mu_P and mu_Q are independent and
// Gaussian, so that f is a mixture of Gaussian processes, one for each draw of the
// hyperparameters. With a single sample f is mu_P. It can be shared by goroutines.
type Witness struct {
	model  *Model
	noise  Noise
	rows   [][]float64 // of each sample
	sign   float64     // of f: -1 if P is the second of rows
	points []float64   // observation points, nil for each sample's own
	draws  []Params
}

// witnessTol is the tolerance of the pivoted Cholesky with noise IID, in units of tau2/n. Against
// dense matrices it leaves errors below 1e-10 (400 + 400 rows).
const witnessTol = 1e-8

// NewWitness takes two samples and draws of the hyperparameters, of equal weight: those of a run
// (see bke/target), or a single point. The samples need not be the rows of the fit: rows that were
// held out as pseudo-inputs belong to their samples all the same. If xq is nil there is one sample,
// and f is its mean embedding.
func NewWitness(m *Model, xp, xq mat.Matrix, draws []Params, o WitnessOptions) (*Witness, error) {
	w := &Witness{model: m, noise: o.Noise, sign: 1}
	rows, err := m.sample("xp", xp, o.Noise)
	if err != nil {
		return nil, err
	}
	w.rows = append(w.rows, rows)
	if xq != nil {
		if rows, err = m.sample("xq", xq, o.Noise); err != nil {
			return nil, err
		}
		w.rows = append(w.rows, rows)
	}
	if len(w.rows) == 2 && slices.Compare(w.rows[0], w.rows[1]) > 0 {
		// An order of their own, so that exchanging P and Q changes the sign to the last bit.
		w.rows[0], w.rows[1], w.sign = w.rows[1], w.rows[0], -1
	}
	if len(draws) == 0 {
		return nil, fmt.Errorf("bke: no draws of the hyperparameters, want at least 1")
	}
	for i, p := range draws {
		if p, err = m.complete(p); err != nil {
			return nil, fmt.Errorf("%w (draw %d, counted from 1)", err, i+1)
		}
		w.draws = append(w.draws, p)
	}
	if w.points, err = m.observed(o.Noise, o.Points); err != nil {
		return nil, err
	}
	return w, nil
}

// Grid returns points for a picture of one or two columns: count evenly spaced values from the
// smallest to the largest in the samples, and with two columns all count x count pairs of them, the
// first column moving slowest. It panics for more columns, without a sample, and if count is less
// than 2.
func Grid(count int, samples ...mat.Matrix) *mat.Dense {
	if count < 2 || len(samples) == 0 {
		panic("bke: Grid: want at least 2 points and a sample")
	}
	_, dim := samples[0].Dims()
	if dim > 2 {
		panic("bke: Grid: more than 2 columns")
	}
	axes := make([][]float64, dim)
	for a := range axes {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, s := range samples {
			n, _ := s.Dims()
			for i := range n {
				lo, hi = min(lo, s.At(i, a)), max(hi, s.At(i, a))
			}
		}
		for i := range count {
			t := float64(i) / float64(count-1)
			axes[a] = append(axes[a], (1-t)*lo+t*hi)
		}
	}
	if dim == 1 {
		return mat.NewDense(count, 1, axes[0])
	}
	out := mat.NewDense(count*count, 2, nil)
	for i := range count * count {
		out.SetRow(i, []float64{axes[0][i/count], axes[1][i%count]})
	}
	return out
}

// At returns the posterior of f at each of the points.
func (w *Witness) At(points mat.Matrix) (*Pointwise, error) {
	f, err := w.evaluate(points, nil, 0)
	if err != nil {
		return nil, err
	}
	return f.Pointwise, nil
}

// Functions draws count whole functions, for statements about several points at once. The draws of
// the hyperparameters are used in order, each as often as the others, or at even distances if
// there are more of them than functions.
func (w *Witness) Functions(points mat.Matrix, count int, r *rand.Rand) (*Functions, error) {
	if count < 1 {
		return nil, fmt.Errorf("bke: %d functions asked for, want at least 1", count)
	}
	return w.evaluate(points, r, count)
}

// evaluate goes through the draws, each for itself, so that the number of processors makes no
// difference.
func (w *Witness) evaluate(points mat.Matrix, r *rand.Rand, count int) (*Functions, error) {
	t, err := w.model.place("points", points)
	if err != nil {
		return nil, err
	}
	g, n := len(t)/w.model.dim, len(w.draws)
	f := &Functions{Pointwise: newPointwise(points, g, n)}
	f.sign = w.sign
	if count > 0 {
		f.Values = mat.NewDense(count, g, nil)
		for i := range count {
			fillNormal(f.Values.RawRowView(i), r)
		}
	}
	var tables []*meanTable
	if w.noise == IID && w.points == nil {
		tables = w.meanTables()
	}
	errs := make([]error, n)
	forEach(n, func() func(i int) {
		work := w.model.conditioning(w.noise, w.points, w.rows...)
		work.tol = witnessTol
		for k, t := range tables {
			work.samples[k].table = t
		}
		var factor lowrank.Cholesky
		return func(i int) {
			if errs[i] = work.fit(w.draws[i]); errs[i] != nil {
				return
			}
			if errs[i] = work.at(t); errs[i] != nil {
				return
			}
			f.record(i, work.samples)
			// Function j belongs to draw floor(j n/count).
			first, end := (i*count+n-1)/n, ((i+1)*count+n-1)/n
			if first < end {
				work.root(&factor, t)
			}
			for j := first; j < end; j++ {
				f.finish(j, work.samples, &factor)
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	f.summarise()
	return f, nil
}
