package model_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/model"
	"bayeskernel/nuts"
)

// The folder has all groups, the labels of the factor, and the values of the runs bit for bit. With
// BAYESKERNEL_ZARR the folder is written there: testdata/readers has xarray read it.
func TestWrite(t *testing.T) {
	p := compile(t, slopes(3, 4))
	run, err := nuts.Sample(t.Context(), p.Target, nuts.Config{Settings: hmc.Settings{Chains: 2,
		Warmup: 100, Draws: 20, Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var c model.Content
	if c.Prior, err = p.Prior(t.Context(), 10, 1); err != nil {
		t.Fatal(err)
	}
	if c.PriorPredictive, err = p.Predictive(t.Context(), c.Prior, 2); err != nil {
		t.Fatal(err)
	}
	if c.Predictive, err = p.Predictive(t.Context(), run, 3); err != nil {
		t.Fatal(err)
	}
	if c.LogLik, err = p.LogLik(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run.zarr")
	if keep := os.Getenv("BAYESKERNEL_ZARR"); keep != "" {
		dir = keep
	}
	if err := p.Write(dir, run, c); err != nil {
		t.Fatal(err)
	}
	for _, g := range []string{"posterior/a", "sample_stats/lp", "prior/a", "prior_predictive/y",
		"posterior_predictive/y", "log_likelihood/y", "observed_data/y", "constant_data/x",
		"constant_data/group_index"} {
		if _, err := os.Stat(filepath.Join(dir, g, ".zarray")); err != nil {
			t.Error(err)
		}
	}
	labels, err := os.ReadFile(filepath.Join(dir, "posterior/group/0"))
	if err != nil || len(labels) != 12 || labels[0] != 'a' || labels[4] != 'b' {
		t.Errorf("labels %q, %v", labels, err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "log_likelihood/y/1.0.0"))
	if err != nil {
		t.Fatal(err)
	}
	n := len(c.LogLik.Names)
	for s, row := range c.LogLik.Chains[1].Values {
		for i, v := range row {
			at := 8 * (s*n + i)
			if got := math.Float64frombits(binary.LittleEndian.Uint64(raw[at:])); got != v {
				t.Fatalf("draw %d of observation %d is %v, want %v", s, i, got, v)
			}
		}
	}
}
