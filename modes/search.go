package modes

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"bayeskernel/hmc"
	"bayeskernel/internal/workers"
)

// surface is the log density to maximise. It caches the last evaluation, because the optimizer asks
// for value and gradient separately, and remembers errors. If value or gradient is not finite, the
// density counts as zero.
type surface struct {
	ctx    context.Context
	target hmc.Target
	x      []float64
	grad   []float64
	lp     float64
	fault  error // ends the search
	panic  bool  // the fault is a panic
}

func newSurface(ctx context.Context, t hmc.Target) *surface {
	d := t.Dim()
	s := &surface{ctx: ctx, target: t, x: make([]float64, d), grad: make([]float64, d)}
	for i := range s.x {
		s.x[i] = math.NaN() // equals no point
	}
	return s
}

// steepest is the largest component of a gradient that counts as finite. Its square must be finite
// too.
const steepest = 1e150

// at evaluates the log density at x; the gradient is in s.grad.
func (s *surface) at(x []float64) float64 {
	if s.fault == nil && !slices.Equal(x, s.x) {
		copy(s.x, x)
		s.evaluate()
	}
	if s.fault != nil {
		s.lp = math.Inf(-1)
		clear(s.grad)
	}
	return s.lp
}

func (s *surface) evaluate() {
	defer func() {
		if r := recover(); r != nil {
			s.fault, s.panic = errors.New("modes: the target panicked"), true
		}
	}()
	if s.fault = s.ctx.Err(); s.fault != nil {
		return
	}
	ok := true
	for _, v := range s.x {
		ok = ok && math.Abs(v) <= steepest
	}
	if ok {
		s.lp = s.target.LogDensity(s.x, s.grad)
		if s.lp > math.MaxFloat64 {
			s.fault = errors.New("modes: the density is infinite")
			return
		}
		ok = s.lp >= -math.MaxFloat64
	}
	for _, g := range s.grad {
		ok = ok && math.Abs(g) <= steepest
	}
	if !ok {
		s.lp = math.Inf(-1)
		clear(s.grad)
	}
}

// search makes the i-th search. It reports a failure, and whether the target panicked.
func search(ctx context.Context, t hmc.Target, o *Options, i int, r *rand.Rand) (p peak,
	panicked bool) {
	s := newSurface(ctx, t)
	defer func() {
		if r := recover(); r != nil { // in Initial or Constrain
			p, panicked = peak{done: true}, true
		}
	}()
	p.done = true
	values, err := workers.NewValues("modes", t)
	if err != nil {
		return p, false
	}
	x := start(s, o, i, r)
	if x != nil {
		climb(s, x, o.Iterations)
		if p.shape = refine(s, x); p.shape != nil {
			p.ok = s.fault == nil
			p.X, p.LP = x, s.at(x)
			p.LogMass = p.LP + p.shape.logVolume
			p.Cov = p.shape.covariance()
			p.Values = values.Row(x)
		}
	}
	if ctx.Err() != nil && !p.ok {
		p.done = false
	}
	return p, s.panic
}

// startTries is how many random points are tried for a start, as many as samplers try.
const startTries = 100

// start returns a point of positive density, or nil.
func start(s *surface, o *Options, i int, r *rand.Rand) []float64 {
	x := make([]float64, len(s.x))
	if o.Points != nil {
		copy(x, o.Points[i])
		if s.at(x) > math.Inf(-1) {
			return x
		}
		return nil
	}
	from := hmc.Start{From: o.InitFrom, Radius: o.Radius}
	for range startTries {
		from.Draw(s.target, x, r)
		if s.at(x) > math.Inf(-1) {
			return x
		}
		if s.fault != nil {
			break
		}
	}
	return nil
}

// climb moves x uphill by L-BFGS until it gains no more.
func climb(s *surface, x []float64, iterations int) {
	problem := optimize.Problem{
		Func: func(x []float64) float64 { return -s.at(x) },
		Grad: func(grad, x []float64) {
			s.at(x)
			for i, g := range s.grad {
				grad[i] = -g
			}
		},
		Status: func() (optimize.Status, error) {
			if s.fault != nil {
				return optimize.Failure, s.fault
			}
			return optimize.NotTerminated, nil
		},
	}
	settings := &optimize.Settings{
		MajorIterations: iterations,
		FuncEvaluations: 20 * iterations,
		Converger:       &optimize.FunctionConverge{Absolute: 1e-9, Iterations: 10},
	}
	// Only where the climb ended matters; refine judges that.
	result, _ := optimize.Minimize(problem, x, settings,
		&optimize.LBFGS{GradStopThreshold: math.NaN()})
	if result != nil && !math.IsInf(result.F, 0) {
		copy(x, result.X)
	}
}
