package embed

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/embedding/shrinkage"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// flags say how to embed samples.
type flags struct {
	kernel tests.OneKernel
	shrink string
}

func (f *flags) define(s *cli.FlagSet) {
	s.Group("Embeddings")
	// In examples/distributions, distances are closer to the truth with simple than with flexible
	// shrinkage in all 12 settings, and with either closer than without.
	s.Choice(&f.shrink, "shrink", "simple", []string{"simple", "flexible", "none"}, "`how` the mean "+
		"embedding of each sample is shrunk: simple (by one factor), flexible (each eigenvector of its Gram "+
		"matrix by a factor of its own), both by leave-one-out and for samples of at most "+
		fmt.Sprint(mostShrunk)+" rows, or none")
	f.kernel.Define(s, "all rows together", "")
}

const (
	// With more rows, shrinking gains less than a hundredth and its decomposition becomes slow.
	mostShrunk = 1000
	// Up to this many rows, all values of the kernel are computed.
	exactRows = 20000
	// With more, landmarks are used, chosen among landmarkRows rows.
	landmarks, landmarkRows = 300, 20000
	// Samples with more rows are decomposed to a tolerance.
	digitsRows, tolerance = 300, 1e-3
)

// result is samples represented by their mean embeddings.
type result struct {
	flags  *flags
	data   *input.Many
	kernel *kerneltest.Chosen
	// lambda is the shrinkage of each embedding, weight the sum of its weights, risk the estimated
	// squared distance of the empirical embedding from the true one.
	lambda, weight, risk []float64
	unshrunk             int // samples that are too large to be shrunk
	// landmarks is their number if the kernel is approximated; left is the largest residual of a
	// row.
	landmarks int
	left      float64
	distance  *mat.SymDense
	places    [][2]float64 // in the map
	share     [2]float64   // of the squared distances, that one coordinate shows and both
}

// measure computes the distances between samples.
func measure(ctx context.Context, con *cli.Console, data *input.Many, f *flags) (*result, error) {
	out := &result{flags: f, data: data}
	n, dim := data.P.Dims()
	if err := f.kernel.Admit(n, dim); err != nil {
		return nil, err
	}
	var err error
	if out.kernel, err = f.kernel.Choose(ctx, con, data.Source, data.P); err != nil {
		return nil, err
	}
	if err := out.measure(ctx, con); err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	return out, nil
}

// measure computes weights, inner products and the map.
func (r *result) measure(ctx context.Context, con *cli.Console) error {
	line := con.Working("embeddings")
	defer line.End()
	var samples []*mat.Dense
	var weights [][]float64
	for i, rows := range r.data.Of {
		line.Step("embeddings", i, len(r.data.Of))
		if err := ctx.Err(); err != nil {
			return err
		}
		x, err := tests.InUnits(r.kernel, rows)
		if err != nil {
			return err
		}
		w, err := r.weigh(ctx, x)
		if err != nil {
			return fmt.Errorf("%s: %w", r.data.Names[i], err)
		}
		samples, weights = append(samples, x), append(weights, w)
	}
	inner, err := r.inner(ctx, line, samples, weights)
	if err != nil {
		return err
	}
	k := len(samples)
	r.distance = mat.NewSymDense(k, nil)
	for i := range k {
		for j := range i {
			d2 := inner.At(i, i) + inner.At(j, j) - 2*inner.At(i, j)
			r.distance.SetSym(i, j, math.Sqrt(max(0, d2)))
		}
	}
	r.places, r.share, err = classical(inner)
	return err
}

// weigh computes the weights of the rows of a sample.
func (r *result) weigh(ctx context.Context, x *mat.Dense) ([]float64, error) {
	n, _ := x.Dims()
	kernel := r.kernel.Kernels[0]
	w := make([]float64, n)
	for i := range w {
		w[i] = 1 / float64(n)
	}
	shrink := r.flags.shrink
	if n > mostShrunk && shrink != "none" {
		r.unshrunk++
		shrink = "none"
	}
	lambda, sum := 0.0, 1.0
	if n > mostShrunk {
		// With this many rows, the mean of k(x, x') over rows n/2 apart is as good as the
		// mean over all pairs.
		within := 0.0
		for i := range n {
			within += kernel.At(x.RawRowView(i), x.RawRowView((i+n/2)%n)) / float64(n)
		}
		r.risk = append(r.risk, (1-within)/float64(n))
	} else {
		tol := 0.0
		if n > digitsRows {
			tol = tolerance
		}
		p, err := shrinkage.NewRows(ctx, kernel, x, tol)
		if err != nil {
			return nil, err
		}
		// The score of the empirical embedding is (n/(n-1))² (tr K/n - rho), and its risk is (tr
		// K/n - rho)/(n-1).
		c := float64(n-1) / float64(n)
		r.risk = append(r.risk, max(0, p.Empirical().Score*c*c/float64(n-1)))
		est := p.Empirical()
		switch shrink {
		case "simple":
			est = p.ShrinkScalar()
		case "flexible":
			est = p.ShrinkSpectral(shrinkage.TrueLeaveOneOut)
		}
		w, lambda, sum = est.Weights, est.Lambda, 0
		for _, v := range w {
			sum += v
		}
	}
	r.lambda, r.weight = append(r.lambda, lambda), append(r.weight, sum)
	return w, nil
}
