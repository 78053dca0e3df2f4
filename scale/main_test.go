package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bayeskernel/bke/inputs"
	"bayeskernel/internal/shards"
	"bayeskernel/summary"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"
)

// TestMain is a job, the program, one of its workers or a job server where a test starts it so.
func TestMain(m *testing.M) {
	switch os.Getenv("SCALE_AS") {
	case "program":
		main()
		os.Exit(0)
	case "worker":
		// Which process is at work is told to the test that will kill it.
		f := must(os.OpenFile(os.Getenv("SCALE_WORKERS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666))
		fmt.Fprintln(f, os.Getpid())
		f.Close()
		main()
	case "prism":
		must(prism.CreateJobServer(context.Background(), prism.Options{Port: must(strconv.Atoi(os.Getenv("SCALE_PORT")))}))
		select {}
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	beam.Init()
	if dir := os.Getenv("SCALE_JOB"); dir != "" {
		err := summarise(context.Background(), "prism", pass{
			Plan:     must(os.ReadFile(filepath.Join(dir, "plan.json"))),
			Sample:   "P",
			Patterns: []string{filepath.Join(dir, "p*.csv")},
			Out:      filepath.Join(dir, "out.sum"),
		})
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

// What is told of a job are the stretches that this process reads, and of workers elsewhere that they are at work.
func TestTell(t *testing.T) {
	for inProcess, want := range map[bool]string{
		true:  "scale: 3 of 7 stretches are read, 10s so far\nscale: 3 of 7 stretches are read, 20s so far\n",
		false: "scale: the job runs, 10s so far\nscale: the job runs, 20s so far\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			var b bytes.Buffer
			stop := tell(&b, inProcess)
			at.found.Store(7)
			at.read.Store(3)
			time.Sleep(25 * time.Second)
			stop()
			if b.String() != want {
				t.Errorf("in process %v: told %q", inProcess, b.String())
			}
		})
	}
}

// Beam leaves the bytes of a pool of goroutines, for files, groups of rows of Parquet files and stretches
// of a long text.
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
	comment := "#" + strings.Repeat(".", 1<<20) + "\n" // makes a text long that is quickly read
	long := "x\n1.5\n" + strings.Repeat(comment, 40) + "-2.5\n" + strings.Repeat(comment, 40) + "3.25\n"
	if err := os.WriteFile(filepath.Join(dir, "long.csv"), []byte(long), 0o666); err != nil {
		t.Fatal(err)
	}
	patterns := []string{filepath.Join(dir, "p*.csv"), filepath.Join(dir, "p.parquet"), filepath.Join(dir, "long.csv")}
	units := must(unitsOf(t.Context(), "P", patterns))
	if len(units) != 9+4+2 {
		t.Fatalf("%d units, want 9 files, 4 groups of rows and 2 stretches", len(units))
	}
	units = append(units[:9+4], shards.Unit{Sample: "P", File: filepath.Join(dir, "long.csv"), Part: -1})
	out := filepath.Join(dir, "out.sum")
	if err := summarise(t.Context(), "prism", pass{Plan: encoded, Sample: "P", Patterns: patterns, Out: out}); err != nil {
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
			units = append(units, shards.Unit{Sample: "P", File: fmt.Sprint(k), Part: -1})
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

// Files of a file system in memory, CSV, gzip and Parquet, give the bytes of the pool on local ones, and the
// summary is written there.
func TestInMemory(t *testing.T) {
	dir, plan, encoded := job(t, 3, 500)
	type row struct {
		X float64 `parquet:"x"`
	}
	var binary bytes.Buffer
	w := parquet.NewGenericWriter[row](&binary)
	r := rand.New(rand.NewPCG(5, 6))
	for range 700 {
		must(w.Write([]row{{r.NormFloat64()}}))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, "x\n1.5\n-0.25\n")
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "p3.csv"), packed.Bytes(), 0o666)
	os.WriteFile(filepath.Join(dir, "p4.parquet"), binary.Bytes(), 0o666)
	local := must(filepath.Glob(filepath.Join(dir, "p[0-9].*")))
	if len(local) != 5 {
		t.Fatalf("files %q", local)
	}
	for _, name := range local {
		memfs.Write("memfs://data/"+filepath.Base(name), must(os.ReadFile(name)))
	}
	const out = "memfs://data/out.sum"
	run := func() error {
		return summarise(t.Context(), "prism",
			pass{Plan: encoded, Sample: "P", Patterns: []string{"memfs://data/p*"}, Out: out})
	}
	if err := run(); err != nil {
		t.Fatal(err)
	}
	want := pool(t, plan, must(unitsOf(t.Context(), "P", local)))
	if !bytes.Equal(must(readFile(t.Context(), out)), want) {
		t.Error("other bytes than those of the pool on local files")
	}
	if left := must(memfs.New(t.Context()).List(t.Context(), "memfs://data/*.job")); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
	memfs.Write(out, []byte("x\n1\n"))
	if err := run(); err == nil || !strings.Contains(err.Error(), "no summary") {
		t.Errorf("error %v", err)
	}
}

// What is wrong ends the job in one sentence, and leaves what was there.
func TestJobFails(t *testing.T) {
	dir, _, encoded := job(t, 2, 100)
	in := func(name string) string { return filepath.Join(dir, name) }
	os.WriteFile(in("bad.csv"), []byte("x\n1\noops\n"), 0o666)
	os.WriteFile(in("mine.txt"), []byte("mine"), 0o666)
	misused := []string{"want another name", "is no summary", "want prism or universal", "-endpoint host:port"}
	for _, c := range []struct{ runner, endpoint, pattern, out, want string }{
		{"prism", "", "none*.csv", "out.sum", "none*.csv: no file matches"},
		{"prism", "", "none.csv", "out.sum", "none.csv: no such file"},
		{"prism", "", "[pb]*.csv", "out.sum", "\"oops\""},
		{"prism", "", "p*.csv", "p1.csv", "want another name"},
		{"prism", "", "p*.csv", "mine.txt", "is no summary"},
		{"prism", "", "p*.csv", "nowhere/out.sum", "no file can be made"},
		{"flink", "", "p*.csv", "out.sum", "want prism or universal"},
		{"universal", "", "p*.csv", "out.sum", "-endpoint host:port"},
		{"universal", "localhost:1", "p*.csv", "out.sum", "no job service answers"},
		{"prism", "", "p*.csv", "nofs://out.sum", "no file system"},
	} {
		before := *jobopts.Endpoint
		if c.runner != "prism" {
			*jobopts.Endpoint = c.endpoint
		}
		at := c.out
		if scheme(at) == "" {
			at = in(at)
		}
		begun := time.Now()
		err := summarise(t.Context(), c.runner,
			pass{Plan: encoded, Sample: "P", Patterns: []string{in(c.pattern)}, Out: at})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: error %v", c, err)
		}
		if code := exitCode(err); (code == 2) != slices.Contains(misused, c.want) {
			t.Errorf("%v: exit %d", c, code)
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%v: took %v", c, took)
		}
		if c.runner != "prism" {
			*jobopts.Endpoint = before
		}
	}
	if left := must(filepath.Glob(in("*out.sum*"))); len(left) > 0 {
		t.Errorf("jobs that failed left %q", left)
	}
	if got := must(os.ReadFile(in("mine.txt"))); string(got) != "mine" {
		t.Error("a file that is no summary was replaced")
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
