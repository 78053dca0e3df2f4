package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayeskernel/bke/inputs"
	"bayeskernel/internal/shards"
	"bayeskernel/summary"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"
)

// TestMain is a job of its own where a test starts it so, to be killed.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	beam.Init()
	if dir := os.Getenv("SCALE_JOB"); dir != "" {
		units, err := unitsOf("P", []string{filepath.Join(dir, "p*.csv")})
		if err == nil {
			err = summarise(context.Background(), "prism", must(os.ReadFile(filepath.Join(dir, "plan.json"))),
				units, filepath.Join(dir, "out.sum"), false)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// job is a folder with a plan and shards.
func job(t *testing.T, files, rows int) (dir string, plan *summary.Plan, encoded []byte) {
	t.Helper()
	dir = t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	for k := range files {
		var b strings.Builder
		b.WriteString("x\n")
		for range rows + k {
			fmt.Fprintf(&b, "%.6f\n", r.NormFloat64())
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%d.csv", k)), []byte(b.String()),
			0o666); err != nil {
			t.Fatal(err)
		}
	}
	pilot := summary.NewPilot(1, 1000, 1)
	pilot.Begin("P")
	for range 1000 {
		pilot.Add([]float64{r.NormFloat64()})
	}
	plan, err := summary.NewPlan(context.Background(), pilot, summary.PlanOptions{Columns: []string{"x"},
		Bins: 16, Thetas: []float64{0.5},
		Inputs: inputs.Options{Points: mat.NewDense(4, 1, []float64{-1, -0.3, 0.3, 1})}})
	if err != nil {
		t.Fatal(err)
	}
	if encoded, err = plan.MarshalBytes(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "plan.json"), encoded, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir, plan, encoded
}

// pool is what goroutines make of the files.
func pool(t *testing.T, plan *summary.Plan, units []shards.Unit) []byte {
	t.Helper()
	s, err := shards.Summarise(context.Background(), plan, false, units, shards.Options{Parallel: 3})
	if err != nil {
		t.Fatal(err)
	}
	return must(s.Bytes())
}

// Beam leaves the bytes of a pool of goroutines, for CSV and for groups of rows of Parquet files.
func TestSameBytesAsPool(t *testing.T) {
	dir, plan, encoded := job(t, 9, 2000)
	type row struct {
		X float64 `parquet:"x"`
	}
	f := must(os.Create(filepath.Join(dir, "p.parquet")))
	w := parquet.NewGenericWriter[row](f, parquet.MaxRowsPerRowGroup(1500))
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		must(w.Write([]row{{r.NormFloat64()}}))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	units, err := unitsOf("P", []string{filepath.Join(dir, "p*.csv"), filepath.Join(dir, "p.parquet")})
	if err != nil {
		t.Fatal(err)
	}
	if len(units) != 9+4 {
		t.Fatalf("%d units, want 9 files and 4 groups of rows", len(units))
	}
	out := filepath.Join(dir, "out.sum")
	if err := summarise(context.Background(), "prism", encoded, units, out, false); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(must(os.ReadFile(out)), pool(t, plan, units)) {
		t.Error("Beam leaves other bytes than the pool")
	}
}

// Many small files are few elements, and no unit is left out or doubled; large ones have elements of their own.
func TestTogether(t *testing.T) {
	for _, c := range []struct {
		units       int
		size        int64
		least, most int
	}{{5000, 4000, 15, 40}, {3, 100, 1, 1}, {10, 1 << 30, 10, 10}, {1000, 1 << 20, 17, 40}} {
		var units []shards.Unit
		for k := range c.units {
			units = append(units, shards.Unit{Sample: "P", File: fmt.Sprint(k), Group: -1})
		}
		list := together(units, func(shards.Unit) int64 { return c.size })
		var back []shards.Unit
		for _, e := range list {
			back = append(back, e.Units...)
		}
		if !slices.Equal(back, units) || len(list) < c.least || len(list) > c.most {
			t.Errorf("%d units of %d bytes: %d elements, %d units in them", c.units, c.size, len(list), len(back))
		}
	}
}

// What is wrong ends the job in an error, and leaves no file.
func TestJobFails(t *testing.T) {
	dir, _, encoded := job(t, 2, 100)
	out := filepath.Join(dir, "out.sum")
	if _, err := unitsOf("P", []string{filepath.Join(dir, "none*.csv")}); err == nil {
		t.Error("a pattern without files was taken")
	}
	os.WriteFile(filepath.Join(dir, "p1.csv"), []byte("x\n1\noops\n"), 0o666)
	units, err := unitsOf("P", []string{filepath.Join(dir, "p*.csv")})
	if err != nil {
		t.Fatal(err)
	}
	err = summarise(context.Background(), "prism", encoded, units, out, false)
	if err == nil || !strings.Contains(err.Error(), "oops") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a job that failed left a file")
	}
}

// start starts a job in a process of its own.
func start(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "SCALE_JOB="+dir)
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}
