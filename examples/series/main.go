// Series fits a GARCH(1,1) model to a series of returns, whose variance follows its own past, and a
// model of constant variance beside it. Leave-future-out cross-validation compares how they
// forecast, for to leave one value out and keep those after it would be no forecast. A predictive
// check asks of either whether it has what the data have: large changes that follow large ones.
//
// The returns are the 200 simulated ones of posteriordb's garch. Forecasts are values that are
// missing at the end.
package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"bayeskernel/draws"
	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/models"
	"bayeskernel/loo"
	"bayeskernel/model"
	"bayeskernel/nuts"
)

func main() { report.Worked("series", fit) }

// kinds are the two models.
var kinds = []string{"GARCH", "constant"}

// declare declares one of the kinds. Values that are NaN are missing, and drawn with the
// parameters.
func declare(kind string, values []float64) *model.Model {
	m, n := model.New(), len(values)
	y := m.Missing("y", values)
	mu := m.Real("mu", model.Normal(0, 10))
	if kind == "constant" {
		m.Observe(y, model.Normal(mu, m.Positive("sigma", model.HalfNormal(5))))
		return m
	}
	a0, first := m.Positive("alpha0", model.HalfNormal(2)), m.Positive("h1", model.HalfNormal(5))
	a1 := m.Interval("alpha1", 0, 1, model.Beta(2, 3))
	b1 := m.Between("beta1", m.Const(0), a1.OneMinus(), model.Uniform(0, a1.OneMinus()))
	shock := y.Sub(mu).Square().Slice(0, n-1)
	sd := model.Recur(n, first, a0.Add(a1.Mul(shock)), b1).Sqrt()
	m.Quantity("sd", sd)
	m.Observe(y, model.Normal(mu, sd))
	return m
}

const (
	least = 100 // values before the first that is predicted
	ahead = 20  // forecasts
)

// study is what was fitted.
type study struct {
	y           []float64
	whole       *draws.Run // GARCH, with forecasts
	check       *draws.Run // its predictive draws
	order       []loo.Compared
	head        []string
	rows        [][]string
	clustering  map[string]float64
	description string
}

func fit(ctx context.Context, cfg nuts.Config, dir report.Folder, out io.Writer) error {
	var d struct{ Y []float64 }
	if err := models.Data("garch", &d); err != nil {
		return err
	}
	s := &study{y: d.Y, clustering: map[string]float64{}}
	if err := s.compare(ctx, cfg); err != nil {
		return err
	}
	longer := append([]float64(nil), d.Y...)
	for range ahead {
		longer = append(longer, math.NaN())
	}
	p, err := declare("GARCH", longer).Compile()
	if err != nil {
		return err
	}
	if s.whole, err = report.Sample(ctx, p.Target, cfg); err != nil {
		return err
	}
	if err := report.Table(out, append([][]string{s.head}, s.rows...)); err != nil {
		return err
	}
	for _, kind := range kinds {
		fmt.Fprintf(out, "%s: %.0f%% of the replicated series have squares as correlated as the data's\n",
			kind, 100*s.clustering[kind])
	}
	if err := s.publish(dir, cfg); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Pictures and index.html are in %s.\n", dir)
	return err
}

// compare fits both models, predicts each value from those before it, and checks the replicates.
func (s *study) compare(ctx context.Context, cfg nuts.Config) error {
	var results []loo.Model
	seen := correlation(s.y)
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
		for _, c := range again.Chains {
			for _, row := range c.Values {
				if correlation(row) >= seen {
					s.clustering[kind] += 1 / float64(len(c.Values)*len(again.Chains))
				}
			}
		}
		if kind == "GARCH" {
			s.check, s.description = again, p.String()
		}
		r, err := loo.FutureOut(ctx, len(s.y), least, without(p, cfg))
		if err != nil {
			return err
		}
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
	return nil
}

// without fits a program without some rows and returns the log likelihood of all.
func without(p *model.Program, cfg nuts.Config) loo.Fit {
	return func(ctx context.Context, rows []int) (*draws.Run, error) {
		q, err := p.Without(rows)
		if err != nil {
			return nil, err
		}
		run, err := report.Sample(ctx, q.Target, cfg)
		if err != nil {
			return nil, err
		}
		return q.LogLik(ctx, run)
	}
}

// correlation is that of the squares of neighbouring values.
func correlation(y []float64) float64 {
	n, mean, square := float64(len(y)), 0.0, 0.0
	for _, v := range y {
		mean += v / n
	}
	for _, v := range y {
		square += (v - mean) * (v - mean) / n
	}
	above, below := 0.0, 0.0
	for t, v := range y {
		a := (v-mean)*(v-mean) - square
		below += a * a
		if t > 0 {
			b := (y[t-1]-mean)*(y[t-1]-mean) - square
			above += a * b
		}
	}
	return above / below
}
