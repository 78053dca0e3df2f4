package hmc

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"bayeskernel/draws"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/jsonfloat"
)

// WarmStart holds what a later run can reuse: the metric, the step size and the last position, on
// the sampler's own scale. Missing parts start from their defaults.
type WarmStart struct {
	Metric   draws.Metric
	StepSize float64
	Position []float64 // in the target's own coordinates
	// Coordinates are those that Metric and StepSize were learned in, nil for the target's own.
	Coordinates []float64
}

// WarmStarts returns a WarmStart for each chain of a run. They hold no names: before using them for
// another target, make sure that its parameters are the same.
func WarmStarts(run *draws.Run) []WarmStart {
	var w []WarmStart
	for _, c := range run.Chains {
		w = append(w, WarmStart{Metric: c.Metric, StepSize: c.StepSize, Position: c.Last,
			Coordinates: c.Coordinates})
	}
	return w
}

// metric returns the metric to start from in d dimensions.
func (w *WarmStart) metric(d int) (Metric, error) {
	if w.Metric.Kind == "" {
		return NewUnitMetric(d), nil
	}
	m, err := NewMetric(w.Metric)
	if err != nil {
		return nil, fmt.Errorf("%w (in a warm start)", err)
	}
	if m.Dim() != d {
		return nil, fmt.Errorf("hmc: warm start has a metric of dimension %d: "+
			"the target has %d", m.Dim(), d)
	}
	return m, nil
}

// warmFile is a warm start on disk. It is JSON, so that people can read it and other tools can
// write it.
type warmFile struct {
	Format   string      `json:"format"`
	Names    []string    `json:"names"`
	Chains   []warmChain `json:"chains"`
	Checksum string      `json:"sha256"`
}

// warmChain stores the arrays of its metric under keys that begin with metric_.
type warmChain WarmStart

const warmMetric = "metric_"

// MarshalJSON writes the arrays that are not empty.
func (c warmChain) MarshalJSON() ([]byte, error) {
	m := []jsonfloat.Member{{Key: warmMetric + "kind", Value: c.Metric.Kind}}
	for _, p := range slices.Concat([]draws.Part{{Name: "diag", List: c.Metric.Diag},
		{Name: "dense", Table: c.Metric.Dense}}, c.Metric.Parts) {
		if len(p.List) > 0 {
			m = append(m, jsonfloat.Member{Key: warmMetric + p.Name, Value: p.List})
		} else if len(p.Table) > 0 {
			m = append(m, jsonfloat.Member{Key: warmMetric + p.Name, Value: p.Table})
		}
	}
	m = append(m, jsonfloat.Member{Key: "step_size", Value: c.StepSize},
		jsonfloat.Member{Key: "position", Value: c.Position})
	if c.Coordinates != nil {
		m = append(m, jsonfloat.Member{Key: "coordinates", Value: c.Coordinates})
	}
	return jsonfloat.Object(m)
}

// UnmarshalJSON reads the arrays in the order of the file.
func (c *warmChain) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("a chain is %.20s, want an object", b)
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		key := t.(string) // as a key of JSON is
		if err := c.take(key, value); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// take reads one value. It ignores unknown keys.
func (c *warmChain) take(key string, value []byte) error {
	name, ofMetric := strings.CutPrefix(key, warmMetric)
	switch {
	case key == "step_size":
		return json.Unmarshal(value, &c.StepSize)
	case key == "position":
		return json.Unmarshal(value, &c.Position)
	case key == "coordinates":
		return json.Unmarshal(value, &c.Coordinates)
	case !ofMetric:
		return nil
	case name == "kind":
		return json.Unmarshal(value, &c.Metric.Kind)
	case name == "diag":
		return json.Unmarshal(value, &c.Metric.Diag)
	case name == "dense":
		return json.Unmarshal(value, &c.Metric.Dense)
	}
	p := draws.Part{Name: name}
	if json.Unmarshal(value, &p.List) != nil {
		p.List = nil
		if err := json.Unmarshal(value, &p.Table); err != nil {
			return err
		}
	}
	c.Metric.Parts = append(c.Metric.Parts, p)
	return nil
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

// WriteWarmStart saves the warm starts of a run. The file is written whole or not at all.
func WriteWarmStart(path string, run *draws.Run) error {
	f := warmFile{Format: warmFormat, Names: run.Names}
	for i, c := range run.Chains {
		if c.Metric.Kind == "" {
			return fmt.Errorf("hmc: chain %d has not finished warm-up: "+
				"there is nothing to start another run from", i+1)
		}
		f.Chains = append(f.Chains, warmChain{c.Metric, c.StepSize, c.Last, c.Coordinates})
	}
	var err error
	if f.Checksum, err = f.sum(); err != nil {
		return fmt.Errorf("hmc: warm start: %w", err)
	}
	err = atomicfile.Write(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(f)
	})
	if err != nil {
		return fmt.Errorf("hmc: warm start: %w", err)
	}
	return nil
}

// ReadWarmStart reads a file that WriteWarmStart wrote. If names is not nil, it returns an error
// unless the file was made for parameters with these names.
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
		return nil, fmt.Errorf("format is %q, want %q", f.Format, warmFormat)
	}
	sum, err := f.sum()
	if err != nil {
		return nil, err
	}
	if f.Checksum != "" && sum != f.Checksum {
		return nil, fmt.Errorf("damaged: checksum is %.12s…, want %.12s…", sum, f.Checksum)
	}
	if names != nil && !slices.Equal(names, f.Names) {
		return nil, fmt.Errorf("made for the parameters %q, not %q", f.Names, names)
	}
	if len(f.Chains) == 0 {
		return nil, fmt.Errorf("holds no chain")
	}
	var out []WarmStart
	for i, c := range f.Chains {
		m, err := NewMetric(c.Metric)
		if err != nil {
			return nil, fmt.Errorf("chain %d: %w", i+1, err)
		}
		if !(c.StepSize > 0) || math.IsInf(c.StepSize, 1) {
			return nil, fmt.Errorf("chain %d: step size is %v", i+1, c.StepSize)
		}
		out = append(out, WarmStart{m.Record(), c.StepSize, c.Position, c.Coordinates})
	}
	return out, nil
}
