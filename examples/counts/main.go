// Counts follows a yearly count through time: the log of its rate is a Gaussian process, in a basis
// of sines (Riutort-Mayol and others 2023), or a cubic polynomial. Both predict ten years more, and
// leave-one-out cross-validation compares them.
//
// The counts are the 40 of posteriordb's GLM_Poisson_Data.
package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"

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

const (
	ahead     = 10  // years to predict
	functions = 16  // of the basis
	boundary  = 2.0 // half the width of the interval on which the basis is defined
)

// declare declares one of the kinds for counts y of years 1, 2, ...
func declare(kind string, y []float64) *model.Model {
	m, n := model.New(), len(y)
	all := n + ahead
	x := make([]float64, all) // -1 to 1 where there are counts
	for t := range x {
		x[t] = 2*float64(t)/float64(n-1) - 1
	}
	logRate := m.Real("mean", model.Normal(4, 2))
	if kind == "cubic" {
		year := m.Values(x)
		for k, power := 1, year; k <= 3; k, power = k+1, power.Mul(year) {
			logRate = logRate.Add(m.Real(fmt.Sprint("b", k), model.Normal(0, 5)).Mul(power))
		}
	} else {
		s, l := m.Positive("sd", model.HalfNormal(2)), m.Positive("lengthscale", model.InvGamma(3, 1))
		z := m.Reals("z", functions, model.Normal(0, 1))
		logRate = logRate.Add(m.Matrix("sines", sines(x)).MatVec(spectral(m, s, l).Mul(z)))
	}
	m.Quantity("rate", logRate.Exp())
	counts := func(logRate model.Expr) model.Dist { return model.PoissonLog(logRate) }
	if kind == "overdispersed process" {
		phi := m.Positive("precision", model.LogNormal(4, 2))
		counts = func(logRate model.Expr) model.Dist { return model.NegBinomial2Log(logRate, phi) }
	}
	m.Observe(m.Data("count", y), counts(logRate.Slice(0, n)))
	m.Predict("ahead", ahead, counts(logRate.Slice(n, all)))
	return m
}

// frequency is that of function k of the basis, counted from 0.
func frequency(k int) float64 { return float64(k+1) * math.Pi / (2 * boundary) }

// sines has the functions of the basis in its columns: sin(frequency (x + boundary)) / sqrt
// boundary.
func sines(x []float64) mat.Matrix {
	b := mat.NewDense(len(x), functions, nil)
	for i, v := range x {
		for k := range functions {
			b.Set(i, k, math.Sin(frequency(k)*(v+boundary))/math.Sqrt(boundary))
		}
	}
	return b
}

// spectral returns the standard deviations of the coefficients: the square roots of the spectral
// density of a squared exponential kernel with standard deviation s and lengthscale l,
// s (2 pi)^(1/4) sqrt(l) exp(-l² frequency²/4).
func spectral(m *model.Model, s, l model.Expr) model.Expr {
	omega := make([]float64, functions)
	for k := range omega {
		omega[k] = frequency(k)
	}
	scale := s.Mul(l.Sqrt()).Scale(math.Pow(2*math.Pi, 0.25))
	return scale.Mul(l.Mul(m.Values(omega)).Square().Scale(-0.25).Exp())
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
	cfg.TargetAccept = 0.95
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
		again, err := p.Predictive(run, cfg.Seed)
		if err != nil {
			return err
		}
		ll, err := p.LogLik(run)
		if err != nil {
			return err
		}
		r, err := loo.LOO(ll, loo.Options{})
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
