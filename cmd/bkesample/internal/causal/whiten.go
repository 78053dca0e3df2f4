package causal

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/gp"
	"bayeskernel/internal/rows"
	"bayeskernel/internal/workers"

	"gonum.org/v1/gonum/mat"
)

// whitened describes what was removed from a column that depends on time.
type whitened struct {
	Column      string          `json:"column" doc:"The name of the column."`
	Lengthscale report.Number   `json:"lengthscale" doc:"The lengthscale of the Gaussian process, in units of the time."`
	Removed     report.Number   `json:"removed" doc:"The share of the variance that it predicted."`
	Before      report.Number   `json:"autocorrelation_before" doc:"The correlation of neighbours in time before."`
	After       report.Number   `json:"autocorrelation_after" doc:"The same of what is left."`
	Others      []report.Number `json:"other_lengthscales" doc:"Those of the other maxima of the likelihood, the highest first."`
}

// mostWhitened is the largest number of rows for which a Gaussian process is learned in minutes.
const mostWhitened = 2000

// whiten replaces each column by its residuals from a Gaussian process in time, and drops the time
// column. With smooth, it uses the local maximum of the likelihood with the longest lengthscale:
// this removes the season and keeps changes from day to day. The global maximum may have a
// lengthscale of a few rows, and then removes much of what the columns tell about each other.
func whiten(ctx context.Context, con *cli.Console, d *input.Dataset, time string, smooth bool) (
	*input.Dataset, []whitened, error) {
	n, _ := d.P.Dims()
	if n > mostWhitened {
		return nil, nil, fmt.Errorf("-time %s: there are %d rows, want at most %d to take the time out: "+
			"use -time-as tier", time, n, mostWhitened)
	}
	clock := mat.Col(nil, slices.Index(d.Columns, time), d.P)
	out := without(d, time)
	all := make([]whitened, len(out.Columns))
	line := con.Working("taking out the time")
	defer line.End()
	var done atomic.Int64
	errs := workers.Run(ctx, len(all), runtime.GOMAXPROCS(0), func(j int) error {
		values := mat.Col(nil, j, out.P)
		var err error
		if all[j], err = whitenColumn(ctx, clock, values, smooth); err != nil {
			return fmt.Errorf("column %s: %w", out.Columns[j], err)
		}
		all[j].Column = out.Columns[j]
		out.P.SetCol(j, values)
		line.StepLeft("taking out the time", int(done.Add(1)), len(all))
		return nil
	})
	for _, err := range errs {
		if err != nil {
			return nil, nil, err
		}
	}
	return out, all, nil
}

// whitenColumn replaces the values of the complete rows by residuals.
func whitenColumn(ctx context.Context, clock, values []float64, smooth bool) (w whitened, err error) {
	var rows []int
	mean := 0.0
	for i, v := range values {
		if !math.IsNaN(v + clock[i]) {
			rows = append(rows, i)
			mean += v
		} else {
			values[i] = math.NaN()
		}
	}
	if len(rows) < 3 {
		return w, fmt.Errorf("has %d rows with the time, want at least 3", len(rows))
	}
	mean /= float64(len(rows))
	x, y := mat.NewDense(len(rows), 1, nil), make([]float64, len(rows))
	for k, i := range rows {
		x.Set(k, 0, clock[i])
		y[k] = values[i] - mean
	}
	m, err := gp.New(x, y, gp.Options{})
	if err != nil {
		return w, err
	}
	fit, err := m.Learn(ctx, gp.LearnOptions{})
	if err != nil {
		return w, err
	}
	chosen, at := fit.Regression, 0
	if smooth {
		for k, mode := range fit.Maxima {
			if !mode.AtBound && mode.Params.Theta[0] > fit.Maxima[at].Params.Theta[0] {
				at = k
			}
		}
		if chosen, err = m.At(fit.Maxima[at].Params); err != nil {
			return w, err
		}
	}
	w.Others = []report.Number{}
	for k, mode := range fit.Maxima {
		if k != at {
			w.Others = append(w.Others, report.Number(mode.Params.Theta[0]))
		}
	}
	left := chosen.Residuals()
	before, after := 0.0, 0.0
	for k, i := range rows {
		values[i] = left[k]
		before, after = before+y[k]*y[k], after+left[k]*left[k]
	}
	w.Lengthscale, w.Removed = report.Number(chosen.Params.Theta[0]), report.Number(1-after/before)
	w.Before = report.Number(autocorrelation(x.RawMatrix().Data, y))
	w.After = report.Number(autocorrelation(x.RawMatrix().Data, left))
	return w, nil
}

// without returns the data without a column.
func without(d *input.Dataset, column string) *input.Dataset {
	at := slices.Index(d.Columns, column)
	n, dim := d.P.Dims()
	out := *d
	out.Columns = slices.Delete(slices.Clone(d.Columns), at, at+1)
	if d.Categories != nil {
		out.Categories = slices.Delete(slices.Clone(d.Categories), at, at+1)
	}
	out.P = mat.NewDense(n, dim-1, nil)
	for j := range dim {
		switch {
		case j < at:
			out.P.SetCol(j, mat.Col(nil, j, d.P))
		case j > at:
			out.P.SetCol(j-1, mat.Col(nil, j, d.P))
		}
	}
	return &out
}

// autocorrelation is the correlation of values that are consecutive in time.
func autocorrelation(time, values []float64) float64 {
	order := make([]int, len(time))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(time[i], time[j]) })
	return rows.Lagged(rows.Pick(values, 1, order))
}
