package face

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"bayeskernel/hmc"
	"bayeskernel/stan"
)

// optimize finds a mode: of the constrained values, or with jacobian=1 of the coordinates of the sampler.
func (c *call) optimize(ctx context.Context) error {
	o := c.args.at("method", "optimize")
	if c.bound.Dim() == 0 {
		return errors.New("the program has no parameters: there is nothing to optimize")
	}
	target := c.bound.Unadjusted
	if o.at("jacobian").truth() {
		target = c.bound.Target
	}
	t, err := target()
	if err != nil {
		return err
	}
	points, _, err := c.inits(1)
	if err != nil {
		return err
	}
	c.announce()
	u := points[0]
	if u == nil {
		if u, err = c.start(t, c.seed(c.args.at("id").whole())); err != nil {
			return err
		}
	}
	algorithm := o.at("algorithm")
	by := algorithm.at("lbfgs")
	history := by.at("history_size").whole()
	if algorithm.value != "lbfgs" {
		history = min(t.Dim(), 100)
	}
	if algorithm.value == "bfgs" {
		by = algorithm.at("bfgs")
	}
	refresh := c.args.at("output", "refresh").whole()
	var rows [][]float64
	stopped := errors.New("stopped")
	var failed error
	row := func(s *state) {
		v, err := c.bound.Generate(s.x, uint64(s.iteration))
		if err != nil {
			failed = reason(err)
		}
		rows = append(rows, append([]float64{-s.f}, v...))
	}
	climb := &climb{history: history, most: o.at("iter").whole(), alpha: by.at("init_alpha").number(), tolObj: by.at("tol_obj").number(),
		tolRelObj: by.at("tol_rel_obj").number(), tolGrad: by.at("tol_grad").number(), tolRel: by.at("tol_rel_grad").number(),
		tolPar: by.at("tol_param").number()}
	climb.density = func(x, grad []float64) float64 {
		if ctx.Err() != nil {
			panic(stopped)
		}
		return t.LogDensity(x, grad)
	}
	climb.told = func(s *state) {
		if s.iteration == 0 {
			c.printf("Initial log joint probability = %g\n", -s.f)
			if refresh > 0 {
				c.printf("    Iter      log prob        ||dx||      ||grad||       alpha      alpha0  # evals  Notes \n")
			}
		} else if refresh > 0 && (s.iteration == 1 || s.iteration%refresh == 0) {
			c.printf(" %7d %13.6g %13.6g %13.6g %11.4g %11.4g %8d   \n", s.iteration, -s.f, s.moved, floats.Norm(s.g, 2), s.alpha, s.first,
				s.evaluations)
		}
		if o.at("save_iterations").truth() {
			row(s)
		}
	}
	s, err := c.guarded(ctx, climb, u, stopped)
	if s == nil {
		return err
	}
	if !o.at("save_iterations").truth() {
		row(s)
	}
	if failed != nil {
		return failed
	}
	notes := []string{"bayeskernel_optimizer = L-BFGS", noteConstants}
	if err := c.table(c.paths[0], append([]string{"lp__"}, c.columns()...), rows, notes...); err != nil {
		return err
	}
	if err := c.config(); err != nil {
		return err
	}
	switch {
	case err != nil:
		c.printf("Optimization terminated with error: \n  %v\n", err)
		return errTold
	case s.why == "":
		c.printf("Optimization terminated normally: \n  Maximum number of iterations hit, may not be at an optima\n")
	default:
		c.printf("Optimization terminated normally: \n  Convergence detected: %s\n", s.why)
	}
	return nil
}

// guarded runs a climb that ends with ctx.
func (c *call) guarded(ctx context.Context, climb *climb, u []float64, stopped error) (s *state, err error) {
	defer func() {
		if r := recover(); r == stopped {
			s, err = nil, ctx.Err()
		} else if r != nil {
			panic(r)
		}
	}()
	return climb.run(u)
}

// start is a random point with a finite density, as chains begin with.
func (c *call) start(t hmc.Target, seed uint64) ([]float64, error) {
	_, radius, err := c.inits(1)
	if err != nil {
		return nil, err
	}
	const tries = 100
	r := rand.New(rand.NewPCG(seed, 0x2121))
	u, grad := make([]float64, t.Dim()), make([]float64, t.Dim())
	for range tries {
		for i := range u {
			u[i] = radius * (2*r.Float64() - 1)
		}
		if lp := t.LogDensity(u, grad); !math.IsNaN(lp) && !math.IsInf(lp, 0) && floats.Norm(grad, 1) < math.MaxFloat64 {
			return u, nil
		}
	}
	why := ""
	if e, ok := t.(interface{ Explain([]float64) string }); ok {
		why = ": " + e.Explain(u)
	}
	return nil, fmt.Errorf("initialization between (-%g, %g) failed after %d attempts%s", radius, radius, tries, why)
}

// reason is an error of a program as it is shown.
func reason(err error) error { return errors.New(stan.Reason(err)) }
