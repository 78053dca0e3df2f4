package summary

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/internal/workers"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// reach widens the windows to where the modes of all rows may be. The mode of a pilot lies several
// times the sd that its curvature suggests from that of all rows, since the pseudolikelihood counts
// each row as m numbers; the spread over ten folds of the pilot says how far.
func (p *planner) reach(ctx context.Context, half, thetas []float64, fitted *bke.Fitted) error {
	n, d := p.fit.Dims()
	all := float64(n) >= float64(p.Plan.Rows) // the pilot is all there is
	if p.narrow() {
		return p.centre(ctx, half, thetas, fitted)
	}
	for i, theta := range thetas {
		sd := 0.0
		if mode, ok := near(fitted.Fit.Modes, theta); ok && mode.Hessian[0][0] < 0 {
			sd = 1 / math.Sqrt(-mode.Hessian[0][0])
			if p.Plan.Rows > int64(n) {
				sd *= math.Sqrt(float64(n) / float64(p.Plan.Rows))
			}
		}
		half[i] = max(half[i], 1.5*robustSDs*sd)
		if all || n < 20*pilotFolds {
			continue
		}
		logs, err := p.modesNear(ctx, theta, pilotFolds, func(f int) (mat.Matrix, *mat.Dense, error) {
			return p.fit.Slice(f*n/pilotFolds, (f+1)*n/pilotFolds, 0, d), fitted.Inputs.Z, nil
		})
		if err != nil {
			return err
		}
		if len(logs) >= 3 {
			sd := robust(logs) / math.Sqrt(pilotFolds)
			half[i] = max(half[i], robustSDs*sd)
		}
	}
	return p.overInputs(ctx, thetas[0])
}

// narrow reports whether windows are put around the modes of all rows, so that they need few nodes: where
// the rows are held, and a node costs a kernel value for each of them, which in one column it does where
// there is no expansion.
func (p *planner) narrow() bool {
	return p.o.All != nil && p.o.Thetas == nil &&
		(p.Dim() > 1 || p.Block < leastExpanded || p.narrowed)
}

const (
	heldHalf  = 0.01 // half a window around the mode of rows that are held
	heldSDs   = 9    // the same, in posterior standard deviations
	heldSteps = 4
)

// centre puts the windows around the modes of all rows, where these are held: a few steps of the slope of
// the profile, which vanishes at the best theta with tau2 at its best for each, and the curvature of the
// pilot. The windows can then be narrow, and need few nodes.
func (p *planner) centre(ctx context.Context, half, thetas []float64, fitted *bke.Fitted) error {
	all := p.all
	o := p.o.Model
	o.Weight = p.Plan.Weight
	m, err := bke.NewModelContext(ctx, all, fitted.Inputs.Z, o)
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	n, _ := all.Dims()
	rows, _ := p.fit.Dims()
	e := m.Evaluator()
	gradient := make([]float64, len(m.Free()))
	for i, theta := range thetas {
		mode, ok := near(fitted.Fit.Modes, theta)
		if !ok {
			continue
		}
		curvature := profileCurvature(mode.Hessian) / float64(rows) * float64(n)
		if !(curvature > 0) {
			continue
		}
		params, step := mode.Params, 0.0
		u := math.Log(theta)
		for range heldSteps {
			params.Theta = []float64{math.Exp(u)}
			if o.Tau2 == 0 {
				params.Tau2 = e.Level(params)
			}
			e.Gradient(gradient, params)
			if err := stopped(ctx); err != nil {
				return err
			}
			step = min(max(gradient[0]/curvature, -0.05), 0.05)
			u += step
			if math.Abs(step) < 0.1/math.Sqrt(curvature) {
				break
			}
		}
		if math.Abs(u-math.Log(theta)) < 2*leastHalf && math.Abs(step) < heldHalf {
			thetas[i] = math.Exp(u)
			half[i] = max(heldHalf, heldSDs/math.Sqrt(curvature), 10*math.Abs(step))
		}
	}
	return p.overInputs(ctx, thetas[0])
}

// profileCurvature is the curvature in the first parameter with the others at their best.
func profileCurvature(hessian [][]float64) float64 {
	sd, ok := sdOf(hessian)
	if !ok {
		return 0
	}
	return 1 / (sd * sd)
}

// near returns the mode at theta.
func near(modes []bke.Mode, theta float64) (bke.Mode, bool) {
	m := nearest(modes, theta)
	return m, math.Abs(math.Log(m.Params.Theta[0]/theta)) < 0.01
}

// nearest returns the mode whose theta is nearest.
func nearest(modes []bke.Mode, theta float64) bke.Mode {
	return slices.MinFunc(modes, func(a, b bke.Mode) int {
		return cmp.Compare(math.Abs(math.Log(a.Params.Theta[0]/theta)), math.Abs(math.Log(b.Params.Theta[0]/theta)))
	})
}

// modesNear returns the log of the best theta within a factor of two, for each of several data sets
// that has one. They are fitted side by side.
func (p *planner) modesNear(ctx context.Context, theta float64, count int,
	data func(i int) (x mat.Matrix, z *mat.Dense, err error)) (logs []float64, err error) {
	all, found := make([]float64, count), make([]bool, count)
	errs := workers.Run(ctx, count, 0, func(i int) error {
		x, z, err := data(i)
		if err != nil {
			return err
		}
		all[i], found[i], err = p.modeNear(ctx, x, z, theta)
		return err
	})
	if err := stopped(ctx); err != nil {
		return nil, err
	}
	for i, err := range errs {
		if err != nil {
			return nil, err
		}
		if found[i] {
			logs = append(logs, all[i])
		}
	}
	return logs, nil
}

// modeNear returns the log of the best theta of some rows within a factor of two: by a few steps from the mode of
// the pilot, whose curvature is nearly theirs, or where these do not get there by a search.
func (p *planner) modeNear(ctx context.Context, x mat.Matrix, z *mat.Dense, theta float64) (float64,
	bool, error) {
	o := p.o.Model
	o.Weight = p.Plan.Weight
	m, err := bke.NewModelContext(ctx, x, z, o)
	if err != nil {
		return 0, false, nil // a fold may have less rank than all rows
	}
	rows, _ := p.fit.Dims()
	if u, ok := follow(m, nearest(p.fitted.Fit.Modes, theta), float64(m.N())/float64(rows)); ok {
		return u, true, stopped(ctx)
	}
	fit, err := m.Learn(ctx, bke.LearnOptions{ThetaMin: theta / 2, ThetaMax: theta * 2})
	if err := stopped(ctx); err != nil {
		return 0, false, err
	}
	if err != nil || len(fit.Modes[0].AtBound) > 0 {
		return 0, false, nil
	}
	return math.Log(fit.Modes[0].Params.Theta[0]), true, nil
}

// follow goes from the mode of a model uphill on that of other rows, and returns log theta: by Newton's method, with
// a curvature that is share times that at the mode. It is false where that does not end at a maximum not far away.
func follow(m *bke.Model, from bke.Mode, share float64) (logTheta float64, ok bool) {
	const most, far, longest, enough = 20, 0.5, 0.2, 1e-3
	inverse, ok := covarianceOf(from.Hessian)
	if !ok {
		return 0, false
	}
	e, sd := m.Evaluator(), math.Sqrt(inverse.At(0, 0)/share)
	u, slope, step := slices.Clone(from.Logs), make([]float64, len(from.Logs)), make([]float64, len(from.Logs))
	for range most {
		if v := e.Gradient(slope, at(from.Params, m.Free(), u)); math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, false
		}
		size := 0.0
		for k := range step {
			step[k] = 0
			for l, v := range slope {
				step[k] += float64(inverse.At(k, l) * v / share)
			}
			size = max(size, math.Abs(step[k]))
		}
		short := min(1, longest/size)
		for k, v := range step {
			u[k] += float64(short * v)
		}
		if !(math.Abs(u[0]-from.Logs[0]) < far) {
			return 0, false
		}
		if math.Abs(step[0]) < enough*sd {
			return u[0], true
		}
	}
	return 0, false
}

// at are the hyperparameters with others in the place of those that are free, given by their logarithms.
func at(p bke.Params, free []string, logs []float64) bke.Params {
	for k, name := range free {
		switch v := math.Exp(logs[k]); name {
		case "theta":
			p.Theta = []float64{v}
		case "tau2":
			p.Tau2 = v
		case "eta":
			p.Eta = v
		}
	}
	return p
}

// robust is the median absolute deviation from the median, in units in which that of a normal is its
// standard deviation.
func robust(v []float64) float64 {
	centre := median(v)
	var dev []float64
	for _, x := range v {
		dev = append(dev, math.Abs(x-centre))
	}
	return 1.4826 * median(dev)
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// spreadRows is how many rows each of the fits with other pseudo-inputs has.
const spreadRows = 10000

// overInputs sets the spread of theta over other pseudo-inputs of the same kind, on the same rows: of
// centres those of other seeds, of quantiles those of eighths of the pilot, whose spread is the root of
// eight times that of quantiles of all of it.
func (p *planner) overInputs(ctx context.Context, theta float64) error {
	n, d := p.fit.Dims()
	kind := p.set.Kind
	if kind != inputs.KMeans && kind != inputs.Quantiles || p.n < 1000 || p.SDInputs > 0 {
		return nil
	}
	some := p.fit.Slice(0, min(n, spreadRows), 0, d)
	divide := kind == inputs.Quantiles
	logs, err := p.modesNear(ctx, theta, otherInputs, func(s int) (mat.Matrix, *mat.Dense, error) {
		from, o := p.x, inputs.Options{Kind: kind, Number: p.M(),
			Seed: 0x5eed<<32 + uint64(s) + p.Plan.Seed<<8}
		if divide {
			from = p.x[s*p.n/otherInputs*d : (s+1)*p.n/otherInputs*d]
		}
		set, err := inputs.Choose(ctx, mat.NewDense(len(from)/d, d, from), o)
		if err != nil {
			return nil, nil, fmt.Errorf("summary: %w", err)
		}
		return some, set.Z, nil
	})
	if err != nil {
		return err
	}
	if len(logs) > 2 {
		p.SDInputs = stat.StdDev(logs, nil)
		if divide {
			p.SDInputs /= math.Sqrt(otherInputs)
		}
	}
	return nil
}
