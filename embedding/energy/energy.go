package energy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/internal/rng"
	"bayeskernel/internal/rows"
	"bayeskernel/internal/workers"

	"gonum.org/v1/gonum/mat"
)

// MostRows is the largest number of rows, of all samples together, that are all used.
const MostRows = 10000

// Options are the options of Between. Zero values mean the defaults in parentheses.
type Options struct {
	Level     float64 // of each interval, and of all claims of order together (0.9)
	Resamples int     // (999; 299 for more than 40 samples)
	Seed      uint64  // of the resamples
	Parallel  int     // goroutines at once (GOMAXPROCS)
	// Progress is called with what is being done, the number of steps taken and of all steps.
	Progress func(what string, done, all int)
}

// Distances are the distances between samples.
type Distances struct {
	// Squared has the unbiased estimates of the squared distances. They may be negative.
	Squared *mat.SymDense
	// Lower and Upper are the ends of the intervals of the distances.
	Lower, Upper *mat.SymDense
	Level        float64
	Resamples    int
	Rows         []int // used of each sample
	order        *order
}

// mostSamples is the largest number of samples whose pairs are compared with each other.
const mostSamples = 40

// Between computes the distances between any two of at least two samples, matrices with the same
// number of columns and at least two rows each.
func Between(ctx context.Context, samples []mat.Matrix, o Options) (*Distances, error) {
	k := len(samples)
	if k < 2 {
		return nil, fmt.Errorf("energy: found %s, want at least 2", rows.Count(k, "sample"))
	}
	if o.Level == 0 {
		o.Level = 0.9
	}
	if o.Resamples == 0 {
		if o.Resamples = 999; k > mostSamples {
			o.Resamples = 299
		}
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	switch {
	case !(o.Level > 0 && o.Level < 1):
		return nil, fmt.Errorf("energy: Level is %v, want it between 0 and 1", o.Level)
	case o.Resamples < 19:
		return nil, fmt.Errorf("energy: Resamples is %d, want at least 19", o.Resamples)
	}
	d := &distances{options: o}
	if err := d.read(samples); err != nil {
		return nil, err
	}
	if err := d.means(ctx); err != nil {
		return nil, stopped(err)
	}
	out := &Distances{Squared: mat.NewSymDense(k, nil), Level: o.Level, Resamples: o.Resamples}
	for a, x := range d.x {
		out.Rows = append(out.Rows, len(x)/d.dim)
		for b := range a {
			out.Squared.SetSym(a, b, d.squared(a, b))
		}
	}
	if err := d.resample(ctx, out); err != nil {
		return nil, stopped(err)
	}
	return out, nil
}

// At is the distance between samples i and j.
func (d *Distances) At(i, j int) float64 { return math.Sqrt(max(0, d.Squared.At(i, j))) }

// stopped names the package in the error of a context.
func stopped(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("energy: stopped: %w", err)
	}
	return err
}

// distances are samples and the mean distances between them.
type distances struct {
	options Options
	dim     int
	x       [][]float64   // rows of each sample
	mean    [][][]float64 // mean[a][b][i] is the mean distance of row i of sample a to the rows of b
	between [][]float64   // between[a][b] is the mean of mean[a][b]
}

// read copies the rows, a random part if there are many.
func (d *distances) read(samples []mat.Matrix) error {
	total := 0
	for i, s := range samples {
		data, n, dim, err := rows.Finite(fmt.Sprintf("sample %d", i+1), s)
		switch {
		case err != nil:
			return fmt.Errorf("energy: %w", err)
		case n < 2:
			return fmt.Errorf("energy: sample %d has %s, want at least 2", i+1, rows.Count(n, "row"))
		case i > 0 && dim != d.dim:
			return fmt.Errorf("energy: sample %d has %s, want %d as in sample 1", i+1,
				rows.Count(dim, "column"), d.dim)
		}
		d.dim = dim
		d.x = append(d.x, slices.Clone(data))
		total += n
	}
	if total <= MostRows {
		return nil
	}
	for a, x := range d.x {
		n := len(x) / d.dim
		r, err := d.stream("rows", a)
		if err != nil {
			return err
		}
		some := r.Perm(n)[:max(min(n, 50), n*MostRows/total)]
		slices.Sort(some)
		d.x[a] = rows.Pick(x, d.dim, some)
	}
	return nil
}

// stream is a stream of random numbers for sample a.
func (d *distances) stream(purpose string, a int) (*rand.Rand, error) {
	s, err := rng.New(rng.PCG, rng.Name{Seed: d.options.Seed, Purpose: "energy " + purpose}, uint64(a))
	if err != nil {
		return nil, fmt.Errorf("energy: %w", err)
	}
	return rand.New(s), nil
}

// means computes the mean distances between rows and samples.
func (d *distances) means(ctx context.Context) error {
	k := len(d.x)
	const block = 64
	type part struct{ a, from, to int }
	var parts []part
	d.mean, d.between = make([][][]float64, k), make([][]float64, k)
	for a, x := range d.x {
		n := len(x) / d.dim
		d.mean[a], d.between[a] = make([][]float64, k), make([]float64, k)
		for b := range d.mean[a] {
			d.mean[a][b] = make([]float64, n)
		}
		for from := 0; from < n; from += block {
			parts = append(parts, part{a, from, min(from+block, n)})
		}
	}
	for _, err := range workers.Run(ctx, len(parts), d.options.Parallel, func(at int) error {
		d.options.Progress("distances", at, len(parts))
		p := parts[at]
		for i := p.from; i < p.to; i++ {
			x := d.x[p.a][i*d.dim : (i+1)*d.dim]
			for b, y := range d.x {
				sum := 0.0
				for j := 0; j < len(y); j += d.dim {
					sum += distance(x, y[j:j+d.dim])
				}
				d.mean[p.a][b][i] = sum / float64(len(y)/d.dim)
			}
		}
		return nil
	}) {
		if err != nil {
			return err
		}
	}
	for a := range k {
		for b := range k {
			sum := 0.0
			for _, v := range d.mean[a][b] {
				sum += v
			}
			d.between[a][b] = sum / float64(len(d.mean[a][b]))
		}
	}
	return nil
}

// squared is the unbiased estimate of the squared distance.
func (d *distances) squared(a, b int) float64 {
	within := func(a int) float64 {
		n := float64(len(d.x[a]) / d.dim)
		return d.between[a][a] * n / (n - 1)
	}
	return 2*d.between[a][b] - within(a) - within(b)
}

// distance is the Euclidean distance.
func distance(a, b []float64) float64 {
	s := 0.0
	for j, v := range a {
		s += (v - b[j]) * (v - b[j])
	}
	if s > 1e-280 && s < 1e280 {
		return math.Sqrt(s)
	}
	return rows.Distance(a, b) // without overflow on the way
}
