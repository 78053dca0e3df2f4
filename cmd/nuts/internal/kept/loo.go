package kept

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"bayeskernel/diagnostics"
	"bayeskernel/loo"
)

// Loo is the leave-one-out estimate of a run: of a regression as its fit left it, of a Stan program from the
// variable with the log likelihoods of rows.
func (r *Run) Loo(ctx context.Context, path, variable string) (*loo.Result, error) {
	result, err := readRows(filepath.Join(path, rowsFile))
	if err == nil {
		result.Draws = r.Draws
		return result, nil
	}
	if r.Command == "fit" && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no leave-one-out estimates, as of a run that was interrupted: run it again", path)
	}
	if r.Command != "" && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	run, err := Draws(path, "")
	if err != nil {
		return nil, err
	}
	ll, err := Pointwise(run, variable)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return loo.LOO(ctx, ll, loo.Options{})
}

// readRows reads the file that writeRows wrote.
func readRows(path string) (*loo.Result, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := &loo.Result{Method: "PSIS-LOO"}
	for i, row := range all {
		if i == 0 {
			continue
		}
		p := loo.Point{Name: row[0]}
		for k, to := range []*float64{&p.ELPD, &p.P, &p.K} {
			if len(row) != 4 {
				return nil, fmt.Errorf("%s:%d: %d values, want 4", path, i+1, len(row))
			}
			if *to, err = strconv.ParseFloat(row[k+1], 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %q is no number", path, i+1, row[k+1])
			}
		}
		r.Points = append(r.Points, p)
	}
	if len(r.Points) == 0 {
		return nil, fmt.Errorf("%s has no rows", path)
	}
	r.ELPD, r.SE = total(r.Points, func(p loo.Point) float64 { return p.ELPD })
	r.P, r.PSE = total(r.Points, func(p loo.Point) float64 { return p.P })
	return r, nil
}

// total is a sum over rows with its standard error.
func total(points []loo.Point, of func(loo.Point) float64) (sum, se float64) {
	n := float64(len(points))
	for _, p := range points {
		sum += of(p)
	}
	squares := 0.0
	for _, p := range points {
		d := of(p) - sum/n
		squares += d * d
	}
	return sum, math.Sqrt(n * squares / (n - 1))
}

// High are the rows whose estimate cannot be trusted.
func High(r *loo.Result) []loo.Point {
	limit := 0.7
	if r.Draws > 0 {
		limit = diagnostics.ParetoKThreshold(r.Draws)
	}
	var out []loo.Point
	for _, p := range r.Points {
		if p.K > limit {
			out = append(out, p)
		}
	}
	return out
}
