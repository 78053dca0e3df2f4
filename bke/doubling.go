package bke

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/logdet"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"
)

// The limits of Doubling.
const (
	maxThetaRatio  = 3    // of theta to sqrt(D) pooled standard deviations
	minMargin      = 0.1  // nats a row
	maxUncovered   = 0.05 // share of rows
	uncoveredUnits = 5    // lengthscales
)

// Doubling says whether a fitted lengthscale shows that there are too few pseudo-inputs. If so, the
// lengthscale reflects the gaps between them. Choose twice as many (Inputs.Double), or warn if the
// user chose the number.
type Doubling struct {
	Wanted  bool
	Reasons []string // one sentence for each limit exceeded, with the value found

	// ThetaRatio is theta, over sqrt(kappa(0)) for other kernels than the squared exponential, in
	// units of sqrt(D) pooled standard deviations of the data. With a lengthscale for each column, it
	// is the largest such ratio, each in units of its own column. The limit is 3.
	ThetaRatio float64
	// Margin is Evaluator.Omega minus its limit at infinite theta, in nats per row. A rational
	// quadratic kernel also has a limit at theta = 0; the higher of the two counts. Margin is the
	// height of the objective above this plateau, with the best tau2 for each theta and the weight
	// D/m, whatever the model's weight. Several lengthscales go to infinity in fixed ratios. The
	// limit of Margin is 0.1.
	Margin float64
	// Uncovered is the fraction of rows whose D-th nearest pseudo-input is more than 5 lengthscales
	// away. For other kernels than the squared exponential, the distance is the one at which kappa
	// has fallen by as much. A pseudo-input equal to the row does not count, because it adds
	// nothing to log gamma there. The limit is 0.05.
	Uncovered float64
}

// Doubling applies the three criteria to a fitted theta, of length 1 or, with ARD, D.
func (m *Model) Doubling(theta []float64) Doubling {
	d, _ := m.doubling(context.Background(), theta)
	return d
}

// doubling is Doubling. It returns an error only if the context ends.
func (m *Model) doubling(ctx context.Context, theta []float64) (Doubling, error) {
	if len(theta) != 1 && len(theta) != m.dim {
		panic("bke: Doubling: length of theta is neither 1 nor the number of columns")
	}
	var d Doubling
	add := func(format string, args ...any) {
		d.Wanted = true
		d.Reasons = append(d.Reasons, fmt.Sprintf(format, args...))
	}
	_, most, _ := m.opts.Kernel.Profile(0) // log kappa(0): theta over its root compares kernels
	root := math.Sqrt(float64(m.dim)) * math.Exp(most/2)
	if len(theta) == 1 {
		d.ThetaRatio = theta[0] / (root * m.pooledSD)
	} else {
		for a, sd := range rows.SDs(m.x, m.dim) {
			d.ThetaRatio = max(d.ThetaRatio, theta[a]/(root*sd))
		}
	}
	if d.ThetaRatio > maxThetaRatio {
		add("theta is %.3g times sqrt(D) standard deviations of the data, above %d.",
			d.ThetaRatio, maxThetaRatio)
	}
	e := m.Evaluator()
	e.stopAt(ctx.Done())
	plateau := m.plateau(theta, ctx.Done())
	if k, _, _ := m.opts.Kernel.Profile(1e12); k > 0 {
		plateau = max(plateau, e.Omega(m.belowAll(theta), 1))
	}
	d.Margin = e.Omega(theta, 1) - plateau
	switch {
	case d.Margin < 0:
		add("The fit is worse than that of a kernel without limit in width, by %.3g a row in log "+
			"pseudolikelihood.", -d.Margin)
	case d.Margin < minMargin:
		add("The fit is better than that of a kernel without limit in width by only %.3g a row in log "+
			"pseudolikelihood, and at least %.1f is wanted.", d.Margin, minMargin)
	}
	z := rows.Pick(m.z, m.dim, rows.Distinct(m.z, m.dim))
	far := 0
	for i, q := range rows.NearestSquares(m.x, z, m.dim, m.dim, theta, ctx.Done()) {
		if (i+1)%m.dim > 0 {
			continue // not the D-th nearest
		}
		if _, logKappa, _ := m.opts.Kernel.Profile(q); logKappa-most < -uncoveredUnits*uncoveredUnits/2 {
			far++
		}
	}
	d.Uncovered = float64(far) / float64(m.held())
	if d.Uncovered > maxUncovered {
		add("%.3g%% of the rows have fewer than D = %d pseudo-inputs within reach of the kernel (%s), "+
			"above %.0f%%.", 100*d.Uncovered, m.dim, m.within(), 100*maxUncovered)
	}
	if err := stopped(ctx, "the look at the number of pseudo-inputs"); err != nil {
		return Doubling{}, err
	}
	return d, nil
}

// within says in words how far the kernel reaches in Uncovered.
func (m *Model) within() string {
	if _, se := m.opts.Kernel.(kernels.SE); se {
		return fmt.Sprintf("%d theta", uncoveredUnits)
	}
	return "where kappa has fallen by e^-12.5"
}

// plateau is the limit of Evaluator.Omega at f = 1 along t theta as t -> infinity. In coordinates
// divided by theta this is OmegaLimit, the limit for one lengthscale. The change of units subtracts
// the sum of log theta from the log density of a row.
func (m *Model) plateau(theta []float64, stop <-chan struct{}) float64 {
	u := Model{n: m.held(), m: m.m, dim: m.dim}
	u.x, u.z = rows.InUnits(m.x, m.dim, theta), rows.InUnits(m.z, m.dim, theta)
	u.inputs = logdet.NewInputs(u.z, u.dim)
	limit := u.omegaLimit(blockRows(u.n, u.m, u.dim), stop)
	for a := range m.dim {
		limit -= math.Log(theta[min(a, len(theta)-1)])
	}
	return limit
}

// belowAll returns lengthscales so small that every distance is a million of them.
func (m *Model) belowAll(theta []float64) []float64 {
	near := math.Inf(1)
	for _, q := range rows.NearestSquares(m.x, m.z, m.dim, 1, theta, nil) {
		near = min(near, math.Sqrt(q))
	}
	out := make([]float64, len(theta))
	for a, t := range theta {
		out[a] = 1e-6 * near * t
	}
	return out
}
