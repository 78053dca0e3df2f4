package face

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"bayeskernel/draws"
)

// inits are the initial points of n chains, nil for those that are drawn, and how far they are drawn from 0.
func (c *call) inits(n int) (points [][]float64, radius float64, err error) {
	arg := c.args.at("init").value
	points = make([][]float64, n)
	d := c.bound.Dim()
	if v, err := strconv.ParseFloat(arg, 64); err == nil {
		if !(v >= 0) || v > 1e6 {
			return nil, 0, fmt.Errorf("init=%s: want a number from 0 to 1e6, or a file", arg)
		}
		if v == 0 {
			for k := range points {
				points[k] = make([]float64, d)
			}
		}
		return points, v, nil
	}
	id := c.args.at("id").whole()
	list, err := given(arg, n, id)
	if err != nil {
		return nil, 0, err
	}
	for k, file := range list {
		values, err := readJSON(file)
		if err != nil {
			return nil, 0, err
		}
		u := make([]float64, d)
		r := rand.New(rand.NewPCG(c.seed(id+k), 0x1717))
		for i := range u { // of parameters that the file does not have
			u[i] = 4*r.Float64() - 2
		}
		if _, err := c.bound.Initial(values, u); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", file, err)
		}
		points[k] = u
	}
	return points, 2, nil
}

// seed is that of the chain with an id.
func (c *call) seed(id int) uint64 {
	seed, _ := strconv.ParseUint(c.args.at("random", "seed").value, 10, 64)
	return seed | uint64(id)<<32
}

// metrics are the initial inverse metrics of n chains, with no kind if there are none.
func (c *call) metrics(hmc *argument, n int) ([]draws.Metric, error) {
	out := make([]draws.Metric, n)
	file := hmc.at("metric_file").value
	if file == "" {
		return out, nil
	}
	kind, d := hmc.at("metric").value, c.bound.Dim()
	list, err := given(file, n, c.args.at("id").whole())
	if err != nil {
		return nil, err
	}
	for k, name := range list {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var m struct {
			Inverse json.RawMessage `json:"inv_metric"`
		}
		if err := json.Unmarshal(b, &m); err != nil {
			return nil, fmt.Errorf("%s: want JSON with inv_metric: %w", name, err)
		}
		one := draws.Metric{Kind: kind}
		var shape error
		switch kind {
		case "diag_e":
			if shape = json.Unmarshal(m.Inverse, &one.Diag); shape == nil && len(one.Diag) != d {
				shape = fmt.Errorf("it has %d values", len(one.Diag))
			}
		case "dense_e":
			if shape = json.Unmarshal(m.Inverse, &one.Dense); shape == nil && (len(one.Dense) != d ||
				slices.ContainsFunc(one.Dense, func(row []float64) bool { return len(row) != d })) {
				shape = fmt.Errorf("it has %d rows", len(one.Dense))
			}
		default:
			return nil, fmt.Errorf("metric_file=%s: the metric is %s, which has no values", name, kind)
		}
		if shape != nil {
			return nil, fmt.Errorf("%s: inv_metric does not suit metric=%s with %d coordinates: %w", name, kind, d, shape)
		}
		out[k] = one
	}
	return out, nil
}
