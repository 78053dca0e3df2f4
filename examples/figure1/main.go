// Figure1 draws what figure 1 of Flaxman et al. (2016) shows: draws of a mean embedding from the
// prior (theta = 0.25); the empirical embedding of a few points of a mixture of normal distributions
// (theta = 0.1); and its posterior mean and interval beside the true embedding. The data are
// synthetic.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/embedding"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/figure"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

func run(args []string, stderr io.Writer) int {
	f := flag.NewFlagSet("figure1", flag.ContinueOnError)
	f.SetOutput(stderr)
	out := f.String("out", "figure1.png", "the picture to write")
	seed := f.Uint64("seed", 1, "seed of the random numbers")
	points := f.Int("points", 30, "number of points of the sample")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if f.NArg() > 0 || *points < 5 {
		fmt.Fprintln(stderr, "figure1: want -points of at least 5, and no files")
		return 2
	}
	if err := draw(*out, *points, *seed); err != nil {
		fmt.Fprintf(stderr, "figure1: %v\n", err)
		return 1
	}
	return 0
}

func draw(path string, points int, seed uint64) error {
	prior, err := priorPanel(seed)
	if err != nil {
		return err
	}
	x := sample(points, rand.New(rand.NewPCG(seed, 2)))
	empirical, posterior, err := samplePanels(x)
	if err != nil {
		return err
	}
	fig, err := figure.Panels(1, 3, "Prior and posterior of a mean embedding", prior, empirical,
		posterior)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, fig.WritePNG)
}

// grid spreads points over [0, 1].
func grid(count int) []float64 {
	g := make([]float64, count)
	for i := range g {
		g[i] = float64(i) / float64(count-1)
	}
	return g
}

// priorPanel has draws from GP(0, r).
func priorPanel(seed uint64) (figure.Embedding, error) {
	g := grid(201)
	n := len(g)
	cov := make([]float64, n*n)
	prior, err := kernels.NewPrior(kernels.SE{}, kernels.Unit, 1)
	if err != nil {
		return figure.Embedding{}, err
	}
	prior.Set([]float64{0.25}, 0)
	prior.Fill(cov, kernels.Path(0), g, g)
	sym := mat.NewSymDense(n, cov)
	for i := range n {
		sym.SetSym(i, i, 1+1e-9)
	}
	var c mat.Cholesky
	if !c.Factorize(sym) {
		return figure.Embedding{}, errors.New("the prior covariance is not positive definite")
	}
	var l mat.TriDense
	c.LTo(&l)
	r := rand.New(rand.NewPCG(seed, 1))
	panel := figure.Embedding{Title: "Prior, theta = 0.25", X: g}
	for range 5 {
		u := mat.NewVecDense(n, nil)
		for i := range n {
			u.SetVec(i, r.NormFloat64())
		}
		u.MulVec(&l, u)
		panel.Draws = append(panel.Draws, u.RawVector().Data)
	}
	return panel, nil
}

// The mixture: equal shares of normal distributions.
var (
	means = []float64{0.2, 0.45, 0.8}
	sds   = []float64{0.05, 0.08, 0.06}
)

func sample(n int, r *rand.Rand) *mat.Dense {
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		k := r.IntN(len(means))
		x.Set(i, 0, means[k]+sds[k]*r.NormFloat64())
	}
	return x
}

// truth is E exp(-(X-t)²/(2 theta²)) for X of the mixture.
func truth(t, theta float64) float64 {
	sum := 0.0
	for k, m := range means {
		v := sds[k]*sds[k] + theta*theta
		sum += theta / math.Sqrt(v) * math.Exp(-(m-t)*(m-t)/(2*v)) / float64(len(means))
	}
	return sum
}

// samplePanels have the empirical embedding, and the posterior with tau2 at its maximum likelihood
// value for theta = 0.1.
func samplePanels(x *mat.Dense) (empirical, posterior figure.Embedding, err error) {
	const theta, level = 0.1, 0.8
	g := grid(201)
	points := mat.NewDense(len(g), 1, g)
	var k mat.Dense
	kernel := kernels.SquaredExponential(theta)
	if err := kernels.Cross(&k, kernel, points, x); err != nil {
		return empirical, posterior, err
	}
	n, _ := x.Dims()
	muhat, true1 := make([]float64, len(g)), make([]float64, len(g))
	for i, t := range g {
		muhat[i] = mat.Sum(k.RowView(i)) / float64(n)
		true1[i] = truth(t, theta)
	}
	in, err := inputs.Choose(context.Background(), x, inputs.Options{})
	if err != nil {
		return empirical, posterior, err
	}
	model, err := bke.NewModel(x, in.Z, bke.Options{})
	if err != nil {
		return empirical, posterior, err
	}
	profile, err := model.Profile(context.Background(), []float64{theta})
	if err != nil {
		return empirical, posterior, err
	}
	e, err := embedding.New(model, embedding.Sample{X: x},
		bke.Params{Theta: []float64{theta}, Tau2: profile.Tau2[0]}, embedding.Options{})
	if err != nil {
		return empirical, posterior, err
	}
	mean, sd, err := e.At(points)
	if err != nil {
		return empirical, posterior, err
	}
	band := figure.Ribbon{X: g, Mean: mean}
	for i, m := range mean {
		const z = 1.2815515655446004 // 80%
		band.Lower = append(band.Lower, m-z*sd[i])
		band.Upper = append(band.Upper, m+z*sd[i])
	}
	rug := mat.Col(nil, 0, x)
	empirical = figure.Embedding{Title: fmt.Sprintf("Sample of %d, theta = %g", n, theta), X: g,
		Empirical: muhat, Rug: rug}
	posterior = figure.Embedding{Title: "Posterior", X: g, Band: band, Level: level, Truth: true1,
		Rug: rug}
	return empirical, posterior, nil
}
