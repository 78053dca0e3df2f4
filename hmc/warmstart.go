package hmc

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"bayeskernel/draws"
	"bayeskernel/internal/atomicfile"
)

// WarmStart is what an earlier run learned that helps a later one: the metric, the step size and
// where the chain was, on the sampler's own scale. Parts that are missing start cold.
type WarmStart struct {
	Metric   draws.Metric
	StepSize float64
	Position []float64
}

// WarmStarts returns what the chains of a run have learned. It gives no names: whoever samples
// another target with them must know that the parameters are the same.
func WarmStarts(run *draws.Run) []WarmStart {
	var w []WarmStart
	for _, c := range run.Chains {
		w = append(w, WarmStart{Metric: c.Metric, StepSize: c.StepSize, Position: c.Last})
	}
	return w
}

// NewMetric returns the metric that a run has kept: the inverse of Metric.Record.
func NewMetric(r draws.Metric) (Metric, error) { return metricFromRecord(r) }

// metric returns the metric to start from in d dimensions.
func (w *WarmStart) metric(d int) (Metric, error) {
	if w.Metric.Kind == "" {
		return NewUnitMetric(d), nil
	}
	m, err := metricFromRecord(w.Metric)
	if err != nil {
		return Metric{}, fmt.Errorf("%w (in a warm start)", err)
	}
	if m.d != d {
		return Metric{}, fmt.Errorf("hmc: warm start has a metric of dimension %d: "+
			"the target has %d", m.d, d)
	}
	return m, nil
}

// warmFile is the form of a warm start on disk: JSON, so that people can read it and other tools
// can write it.
type warmFile struct {
	Format   string      `json:"format"`
	Names    []string    `json:"names"`
	Chains   []warmChain `json:"chains"`
	Checksum string      `json:"sha256"`
}

type warmChain struct {
	Kind     string      `json:"metric_kind"`
	Diag     []float64   `json:"metric_diag,omitempty"`
	Dense    [][]float64 `json:"metric_dense,omitempty"`
	Scale    []float64   `json:"metric_scale,omitempty"` // this and the next two: low rank
	Eigen    []float64   `json:"metric_eigen,omitempty"`
	Vectors  [][]float64 `json:"metric_directions,omitempty"`
	StepSize float64     `json:"step_size"`
	Position []float64   `json:"position"`
}

const warmFormat = "bayeskernel warm start 1"

func (f *warmFile) sum() (string, error) {
	b, err := json.Marshal([]any{f.Format, f.Names, f.Chains})
	if err != nil {
		return "", err
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:]), nil
}

// WriteWarmStart saves what the chains of a run have learned, whole or not at all.
func WriteWarmStart(path string, run *draws.Run) error {
	f := warmFile{Format: warmFormat, Names: run.Names}
	for i, c := range run.Chains {
		if c.Metric.Kind == "" {
			return fmt.Errorf("hmc: chain %d has not finished warm-up: "+
				"there is nothing to start another run from", i+1)
		}
		m := c.Metric
		f.Chains = append(f.Chains, warmChain{m.Kind, m.Diag, m.Dense, m.Scale, m.Eigen,
			m.Directions, c.StepSize, c.Last})
	}
	var err error
	if f.Checksum, err = f.sum(); err != nil {
		return fmt.Errorf("hmc: warm start: %w", err)
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(f)
	})
}

// ReadWarmStart reads a file of WriteWarmStart. names, if not nil, are those of the target to be
// sampled: a file made for others is refused.
func ReadWarmStart(path string, names []string) ([]WarmStart, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("hmc: warm start: %w", err)
	}
	w, err := parseWarmStart(b, names)
	if err != nil {
		return nil, fmt.Errorf("hmc: warm start %s: %w", path, err)
	}
	return w, nil
}

func parseWarmStart(b []byte, names []string) ([]WarmStart, error) {
	var f warmFile
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("not readable: %w", err)
	}
	if f.Format != warmFormat {
		return nil, fmt.Errorf("format is %q, expected %q", f.Format, warmFormat)
	}
	sum, err := f.sum()
	if err != nil {
		return nil, err
	}
	if f.Checksum != "" && sum != f.Checksum {
		return nil, fmt.Errorf("damaged: checksum is %.12s…, expected %.12s…", sum, f.Checksum)
	}
	if names != nil && !slices.Equal(names, f.Names) {
		return nil, fmt.Errorf("made for the parameters %q, not %q", f.Names, names)
	}
	if len(f.Chains) == 0 {
		return nil, fmt.Errorf("holds no chain")
	}
	var out []WarmStart
	for i, c := range f.Chains {
		m := draws.Metric{Kind: c.Kind, Diag: c.Diag, Dense: c.Dense, Scale: c.Scale,
			Eigen: c.Eigen, Directions: c.Vectors}
		if _, err := metricFromRecord(m); err != nil {
			return nil, fmt.Errorf("chain %d: %w", i+1, err)
		}
		if !(c.StepSize > 0) || math.IsInf(c.StepSize, 1) {
			return nil, fmt.Errorf("chain %d: step size is %v", i+1, c.StepSize)
		}
		out = append(out, WarmStart{m, c.StepSize, c.Position})
	}
	return out, nil
}
