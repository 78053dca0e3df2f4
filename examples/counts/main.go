// Counts follows a yearly count through time: the log of its rate is a Gaussian process, or a cubic
// polynomial. Both predict ten years more, and leave-one-out cross-validation compares them.
//
// The counts are the 40 of posteriordb's GLM_Poisson_Data.
package main

import (
	"context"
	"fmt"
	"io"

	"bayeskernel/draws"
	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/models"
	"bayeskernel/loo"
	"bayeskernel/model"
	"bayeskernel/nuts"
)

func main() { report.Worked("counts", fit) }

// kinds are the models.
var kinds = []string{"Gaussian process", "cubic", "overdispersed process"}

const ahead = 10 // years to predict

// declare declares one of the kinds for counts y of years 1, 2, ...
func declare(kind string, y []float64) *model.Model {
	m, n := model.New(), len(y)
	years := make([]float64, n+ahead) // -1 to 1 where there are counts
	for t := range years {
		years[t] = 2*float64(t)/float64(n-1) - 1
	}
	mean := m.Real("mean", model.Normal(4, 2))
	var logRate, later model.Expr
	if kind == "cubic" {
		all, year := mean, m.Values(years)
		for k, power := 1, year; k <= 3; k, power = k+1, power.Mul(year) {
			all = all.Add(m.Real(fmt.Sprint("b", k), model.Normal(0, 5)).Mul(power))
		}
		logRate, later = all.Slice(0, n), all.Slice(n, n+ahead)
	} else {
		sd := m.Positive("sd", model.HalfNormal(2))
		length := m.Positive("lengthscale", model.InvGamma(3, 1))
		k := model.SquaredExponential(m.Data("year", years[:n]), sd, length, 1e-6)
		f := k.Cholesky().MatVec(m.Reals("z", n, model.Normal(0, 1)))
		g := m.Predict("f_ahead", ahead, model.Conditional(k, f, m.Data("later", years[n:])))
		logRate, later = mean.Add(f), mean.Add(g)
	}
	m.Quantity("rate", logRate.Exp())
	m.Quantity("rate_ahead", later.Exp())
	counts := func(logRate model.Expr) model.Dist { return model.PoissonLog(logRate) }
	if kind == "overdispersed process" {
		phi := m.Positive("precision", model.LogNormal(4, 2))
		counts = func(logRate model.Expr) model.Dist { return model.NegBinomial2Log(logRate, phi) }
	}
	m.Observe(m.Data("count", y), counts(logRate))
	m.Predict("ahead", ahead, counts(later))
	return m
}

// study is what was fitted.
type study struct {
	y           []float64
	runs        []*draws.Run
	again       []*draws.Run // predictive draws
	order       []loo.Compared
	head        []string
	rows        [][]string
	description string
}

func fit(ctx context.Context, cfg nuts.Config, dir report.Folder, out io.Writer) error {
	var d struct{ C []float64 }
	if err := models.Data("glm_poisson", &d); err != nil {
		return err
	}
	s := &study{y: d.C}
	cfg.TargetAccept = 0.9
	var results []loo.Model
	for _, kind := range kinds {
		p, err := declare(kind, s.y).Compile()
		if err != nil {
			return err
		}
		run, err := report.Sample(ctx, p.Target, cfg)
		if err != nil {
			return err
		}
		again, err := p.Predictive(ctx, run, cfg.Seed)
		if err != nil {
			return err
		}
		ll, err := p.LogLik(ctx, run)
		if err != nil {
			return err
		}
		r, err := loo.LOO(ctx, ll, loo.Options{})
		if err != nil {
			return err
		}
		if kind == kinds[0] {
			s.description = p.String()
		}
		s.runs, s.again = append(s.runs, run), append(s.again, again)
		results = append(results, loo.Model{Name: kind, Result: r})
	}
	var err error
	if s.order, err = loo.Compare(results...); err != nil {
		return err
	}
	weights, err := loo.Stacking(results...)
	if err != nil {
		return err
	}
	s.head, s.rows = report.Compared(s.order, weights, kinds)
	if err := report.Table(out, append([][]string{s.head}, s.rows...)); err != nil {
		return err
	}
	held, err := s.publish(dir, cfg)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Predictive check: the 90%% intervals hold %.0f%% of the counts.\n", 100*held)
	_, err = fmt.Fprintf(out, "Pictures and index.html are in %s.\n", dir)
	return err
}
