package bayesfactor

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/product"
	"bayeskernel/internal/rows"
	"bayeskernel/internal/workers"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// DependenceResult compares H1, two variables depend on each other, with H0, they are independent.
type DependenceResult struct {
	LogBF       float64 // natural, H1 over H0
	Error       float64 // change of LogBF at the last doubling of the nodes
	Floor       float64 // LogBF of data that show no dependence whatever
	Probability float64 // of H1 at prior odds 1
	Rows        int
	// The posteriors given H1: of both lengthscales, in the units of the columns, and of the
	// amplitude.
	ThetaX, ThetaY, S Posterior
	Nodes             int     // lengthscales of each variable
	TraceError        float64 // the largest share of a trace that was left out
}

// MaxDependenceRows is the largest number of rows of Dependence.
const MaxDependenceRows = 4000

// Dependence is the Bayes factor of dependence over independence for pairs of rows of x and y.
// Under H1 the joint law differs from the product of its marginals by a Gaussian process on pairs,
// and the covariance of what is seen under H0 is the exact one over relabellings of the pairs. Both
// lengthscales and the amplitude are integrated out, with 6, 12, 24 and, if Options.Nodes asks for
// more than the default of 24, twice as many lengthscales of each variable. Of the options it looks
// at Theta, Amplitude, Nodes, Tolerance and Parallel.
//
// It keeps to the bound 1/k on the probability of a factor of k under H0, and is cautious. With an
// amplitude above 1 or a lengthscale of a tenth of a standard deviation it favours independence
// more than normal theory would (kerneltest/DERIVATION.md has figures). For a p-value take
// kerneltest.Independence.
//
// With n rows and rank r of the kernels a pair of lengthscales takes O(n r² + r² S) time for S
// amplitudes, once O(n r²) for each lengthscale.
func Dependence(ctx context.Context, x, y mat.Matrix, o Options) (*DependenceResult, error) {
	var err error
	var sides [2]*variable
	for k, m := range []mat.Matrix{x, y} {
		if sides[k], err = newVariable([2]string{"x", "y"}[k], m); err != nil {
			return nil, err
		}
	}
	n := sides[0].n
	switch {
	case sides[1].n != n:
		return nil, fmt.Errorf("bayesfactor: x has %d rows and y %d, want pairs", n, sides[1].n)
	case n < 4:
		return nil, fmt.Errorf("bayesfactor: there are %d pairs, want at least 4", n)
	case n > MaxDependenceRows:
		return nil, fmt.Errorf("bayesfactor: there are %d pairs, want at most %d", n, MaxDependenceRows)
	}
	most := o.Nodes
	if o, err = o.complete(n); err != nil {
		return nil, err
	}
	if most == 0 {
		most = 24
	}
	d := &dependence{sides: sides, o: o, s: amplitudeRule()}
	for i := range d.s.at {
		d.s.at[i] *= o.Amplitude
		d.s.weight[i] *= o.Amplitude
	}
	var last *DependenceResult
	for count := 6; ; count *= 2 {
		r, err := d.integrate(ctx, count)
		if err != nil {
			return nil, err
		}
		r.Error = math.NaN()
		if last != nil {
			r.Error = math.Abs(r.LogBF - last.LogBF)
		}
		if r.Error < o.Tolerance || 2*count > most {
			return r, nil
		}
		last = r
	}
}

// variable is one side of the pairs.
type variable struct {
	name string
	x    []float64
	n    int
	dim  int
	unit float64 // of lengthscales
}

func newVariable(name string, m mat.Matrix) (*variable, error) {
	x, n, dim, err := finiteRows(name, m)
	if err != nil {
		return nil, err
	}
	unit := rows.PooledSD(rows.SDs(x, dim)) * math.Sqrt(float64(dim))
	if !(unit > 0) || math.IsInf(unit, 1) {
		return nil, fmt.Errorf("bayesfactor: all rows of %s are equal, want some that differ", name)
	}
	return &variable{name, x, n, dim, unit}, nil
}

// directions are the eigenvectors of a centred Gram matrix, each times the root of its eigenvalue:
// direction k of row i at [k*n+i].
type directions struct {
	columns []float64
	lambda  []float64
	error   float64
}

// at computes the directions at one lengthscale, all but those with less than 1e-13 of the largest
// eigenvalue.
func (v *variable) at(theta float64) *directions {
	n := v.n
	k, path := kernels.SquaredExponential(theta), fused.Best()
	factor := lowrank.Cholesky{Limit: n}
	factor.Factor(ones(n), 1e-12, func(dst []float64, i int) {
		kernels.Fill(dst, k, path, v.x[i*v.dim:(i+1)*v.dim], v.x, v.dim)
	})
	r := len(factor.Pivots)
	columns, kept := factor.Columns(), 0.0
	for _, c := range columns {
		kept += c * c
	}
	for j := range r {
		c, mean := columns[j*n:(j+1)*n], 0.0
		for _, f := range c {
			mean += f / float64(n)
		}
		for i := range c {
			c[i] -= mean
		}
	}
	gram := mat.NewSymDense(r, nil)
	for a := range r {
		for b := range a + 1 {
			gram.SetSym(a, b, dot(columns[a*n:(a+1)*n], columns[b*n:(b+1)*n]))
		}
	}
	var eigen mat.EigenSym
	out := &directions{error: max(0, 1-kept/float64(n))}
	if !eigen.Factorize(gram, true) {
		return out
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for j := r - 1; j >= 0 && values[j] > 1e-13*values[r-1]; j-- {
		c := make([]float64, n)
		for a := range r {
			w := vectors.At(a, j)
			for i, f := range columns[a*n : (a+1)*n] {
				c[i] += w * f
			}
		}
		out.columns, out.lambda = append(out.columns, c...), append(out.lambda, values[j])
	}
	return out
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// dependence is an integral under way.
type dependence struct {
	sides [2]*variable
	o     Options
	s     rule
}

// integrate takes count nodes of Gauss and Legendre for the log of each lengthscale.
func (d *dependence) integrate(ctx context.Context, count int) (*DependenceResult, error) {
	low, high := math.Log(d.o.Theta.Low), math.Log(d.o.Theta.High)
	u := composite([]float64{low, high}, count)
	logPrior := make([]float64, count)
	for i, at := range u.at {
		logPrior[i] = math.Log(u.weight[i]) + d.o.Theta.LogDensity(at)
	}
	at := make([][2]*directions, count)
	errs := workers.Run(ctx, 2*count, d.o.Parallel, func(i int) error {
		side := d.sides[i%2]
		at[i/2][i%2] = side.at(side.unit * math.Exp(u.at[i/2]))
		return ctx.Err()
	})
	if err := firstOf(errs); err != nil {
		return nil, err
	}
	// log BF at each pair of lengthscales and each amplitude.
	logs, floors := make([][]float64, count*count), make([][]float64, count*count)
	errs = workers.Run(ctx, count*count, d.o.Parallel, func(i int) error {
		logs[i], floors[i] = d.pair(at[i/count][0], at[i%count][1])
		return ctx.Err()
	})
	if err := firstOf(errs); err != nil {
		return nil, err
	}
	out := &DependenceResult{Rows: d.sides[0].n, Nodes: count}
	for _, side := range at {
		out.TraceError = max(out.TraceError, side[0].error, side[1].error)
	}
	var all, floor []float64
	for i := range logs {
		for j := range d.s.at {
			prior := logPrior[i/count] + logPrior[i%count] + math.Log(d.s.weight[j]) +
				logHalfNormal(d.s.at[j], d.o.Amplitude)
			all, floor = append(all, logs[i][j]+prior), append(floor, floors[i][j]+prior)
		}
	}
	out.LogBF, out.Floor = logSumExp(all), logSumExp(floor)
	out.Probability = 1 / (1 + math.Exp(-out.LogBF))
	tx, ty := make([]float64, count), make([]float64, count)
	ts := make([]float64, len(d.s.at))
	for k, l := range all {
		w := math.Exp(l - out.LogBF)
		i, j := k/len(ts), k%len(ts)
		tx[i/count] += w
		ty[i%count] += w
		ts[j] += w
	}
	out.ThetaX = posteriorOf(u, tx, d.sides[0].unit)
	out.ThetaY = posteriorOf(u, ty, d.sides[1].unit)
	out.S = Posterior{At: slices.Clone(d.s.at), Weight: ts}
	for j, w := range ts {
		out.S.Density = append(out.S.Density, w/d.s.weight[j])
	}
	out.S.moments()
	return out, nil
}

// posteriorOf is that of a lengthscale whose log has the nodes of u.
func posteriorOf(u rule, weight []float64, unit float64) Posterior {
	p := Posterior{Weight: weight}
	for i, at := range u.at {
		p.At = append(p.At, unit*math.Exp(at))
		p.Density = append(p.Density, weight[i]/u.weight[i]/p.At[i])
	}
	p.moments()
	return p
}

func firstOf(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("bayesfactor: %w", err)
		}
	}
	return nil
}

// pair returns log BF at one pair of lengthscales for every amplitude, and what it would be if the
// data showed nothing. With G the dot products of the directions, row with row, and kappa =
// 1/(n²(n-1)), direction (a, b) has variance A = lambda_a eta_b/(n⁴ kappa) times s², and A w² =
// G_ab²/(n⁶ kappa²).
func (d *dependence) pair(x, y *directions) (logs, floors []float64) {
	rows := d.sides[0].n
	n := float64(rows)
	kappa := 1 / (n * n * (n - 1))
	count := len(d.s.at)
	logs, floors = make([]float64, count), make([]float64, count)
	products, squares := slices.Repeat([]float64{1}, count), make([]float64, count)
	for j, s := range d.s.at {
		squares[j] = s * s
	}
	g := make([]float64, len(x.lambda)*len(y.lambda))
	product.Multiply(g, len(x.lambda), len(y.lambda), rows, product.Rows(x.columns, rows),
		product.Rows(y.columns, rows), product.All)
	for a, la := range x.lambda {
		for b, lb := range y.lambda {
			v := la * lb / (n * n * n * n * kappa)
			if v < 1e-18 {
				break // eigenvalues fall
			}
			w := g[a*len(y.lambda)+b] / (n * n * n * kappa)
			w *= w
			for j, s2 := range squares {
				d := 1 + s2*v
				logs[j] += s2 * w / d
				if products[j] *= d; products[j] > 1e150 {
					floors[j] -= math.Log(products[j]) / 2
					products[j] = 1
				}
			}
		}
		for j, p := range products { // the log of a product now and then
			floors[j] -= math.Log(p) / 2
			products[j] = 1
		}
	}
	for j, f := range floors {
		logs[j] = logs[j]/2 + f
	}
	return logs, floors
}
