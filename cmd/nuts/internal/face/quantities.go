package face

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"bayeskernel/draws/cmdstan"
	"bayeskernel/internal/workers"
)

// quantities runs the generated quantities for draws that were made before.
func (c *call) quantities(ctx context.Context) error {
	g := c.args.at("method", "generate_quantities")
	n, id := g.at("num_chains").whole(), c.args.at("id").whole()
	from := g.at("fitted_params").value
	if from == "" {
		return &usageError{errors.New("fitted_params= is missing: want the file of draws")}
	}
	if len(c.bound.Quantities()) == 0 {
		return errors.New("the program has no generated quantities")
	}
	in, err := given(from, n, id)
	if err != nil {
		return &usageError{fmt.Errorf("fitted_params=%w", err)}
	}
	c.announce()
	first := len(c.bound.Names())
	errs := workers.Run(ctx, n, runtime.GOMAXPROCS(0), func(k int) error {
		draws, err := c.rows(in[k])
		if err != nil {
			return err
		}
		rows := make([][]float64, len(draws))
		for i, u := range draws {
			if err := ctx.Err(); err != nil {
				return err
			}
			v, err := c.bound.Generate(u, c.seed(id+k)+uint64(i)<<40)
			if err != nil {
				return reason(err)
			}
			rows[i] = v[first:]
		}
		return c.table(c.paths[k], c.bound.Quantities(), rows)
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return c.config()
}

// rows reads draws and turns them into unconstrained coordinates.
func (c *call) rows(path string) ([][]float64, error) {
	t, err := cmdstan.ReadTable(path)
	if err != nil {
		return nil, err
	}
	first := slices.IndexFunc(t.Names, func(n string) bool { return !strings.HasSuffix(n, "__") })
	for k, name := range c.params {
		if first < 0 || first+k >= len(t.Names) || t.Names[first+k] != name {
			return nil, fmt.Errorf("%s has no column %s where the program has this parameter: want draws of this program", path, name)
		}
	}
	out := make([][]float64, len(t.Rows))
	for i, row := range t.Rows {
		out[i] = make([]float64, c.bound.Dim())
		if len(c.params) == 0 {
			continue
		}
		if err := c.bound.UnconstrainDraw(row[first:first+len(c.params)], out[i]); err != nil {
			return nil, fmt.Errorf("%s, draw %d: %w", path, i+1, err)
		}
	}
	return out, nil
}

// logProb computes log density and gradient at given points.
func (c *call) logProb(ctx context.Context) error {
	l := c.args.at("method", "log_prob")
	free, values := l.at("unconstrained_params").value, l.at("constrained_params").value
	if (free == "") == (values == "") {
		return &usageError{errors.New("want one of unconstrained_params= and constrained_params=")}
	}
	c.announce()
	var points [][]float64
	var err error
	switch {
	case free != "":
		points, err = c.coordinates(free)
	case strings.HasSuffix(values, ".csv"):
		points, err = c.rows(values)
	default:
		points, err = c.point(values)
	}
	if err != nil {
		return err
	}
	target := c.bound.Target
	if !l.at("jacobian").truth() {
		target = c.bound.Unadjusted
	}
	t, err := target()
	if err != nil {
		return err
	}
	names := []string{"lp__"}
	for _, n := range c.bound.Coordinates() {
		names = append(names, "g_"+n)
	}
	var rows [][]float64
	for _, u := range points {
		if err := ctx.Err(); err != nil {
			return err
		}
		grad := make([]float64, len(u))
		lp := t.LogDensity(u, grad)
		rows = append(rows, append([]float64{lp}, grad...))
	}
	if err := c.table(c.paths[0], names, rows, noteConstants); err != nil {
		return err
	}
	return c.config()
}

// coordinates reads points from params_r: one, or a list of them.
func (c *call) coordinates(path string) ([][]float64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m struct {
		Many [][]float64 `json:"params_r"`
	}
	if err = json.Unmarshal(b, &m); err != nil {
		var one struct {
			U []float64 `json:"params_r"`
		}
		if e := json.Unmarshal(b, &one); e != nil {
			return nil, fmt.Errorf("%s: want JSON with params_r, a point or a list of points: %w", path, e)
		}
		m.Many = [][]float64{one.U}
	}
	if len(m.Many) == 0 {
		return nil, fmt.Errorf("%s: there is no params_r", path)
	}
	for k, u := range m.Many {
		if len(u) != c.bound.Dim() {
			return nil, fmt.Errorf("%s: point %d has %d coordinates, want %d", path, k+1, len(u), c.bound.Dim())
		}
	}
	return m.Many, nil
}

// point reads the values of all parameters.
func (c *call) point(path string) ([][]float64, error) {
	d, err := readJSON(path)
	if err != nil {
		return nil, err
	}
	u := make([]float64, c.bound.Dim())
	missing, err := c.bound.Initial(d, u)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s: there is no value of the parameter %s", path, missing[0])
	}
	return [][]float64{u}, nil
}
