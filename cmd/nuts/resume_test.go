package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/draws/cmdstan"
)

// A calibration that is interrupted goes on by the command that it names, with the simulations that were done, and
// ends with what one that nothing befell says. Of other data it does not go on.
func TestCalibrationResumes(t *testing.T) {
	inFolder(t, map[string]string{"d.csv": "x,y\n1,2\n2,1\n3,4\n4,3\n5,6\n", "e.csv": "x,y\n1,2\n2,1\n3,4\n4,3\n5,7\n"})
	args := func(file, out string, more ...string) []string {
		return append([]string{"sbc", "-simulations", "40", "-prior", "b ~ normal(0, 1)", "y ~ x", file, "-out", out}, more...)
	}
	if code, _, errs := run(args("d.csv", "whole")...); code != 0 {
		t.Fatal(errs)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		for ctx.Err() == nil {
			if b, _ := os.ReadFile("parts/checkpoint"); bytes.Count(b, []byte("\n")) > 5 {
				stop()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var errs bytes.Buffer
	code := program().Run(ctx, args("d.csv", "parts"), strings.NewReader(""), new(bytes.Buffer), &errs)
	if code != cli.ExitInterrupted || !strings.Contains(errs.String(), " simulations; go on with: nuts sbc -resume parts -simulations 40") {
		t.Fatalf("code %d: %s", code, &errs)
	}
	had, err := os.ReadFile("parts/checkpoint")
	if err != nil {
		t.Fatal(err)
	}
	if code, _, errs := run(args("e.csv", "parts", "-resume", "parts")...); code != 1 || !strings.Contains(errs, "checkpoint: ") ||
		strings.Count(errs, "\n") != 1 {
		t.Errorf("other data: code %d: %s", code, errs)
	}
	if b, _ := os.ReadFile("parts/checkpoint"); !bytes.Equal(b, had) {
		t.Error("a run of other data has changed the checkpoint")
	}
	if code, _, errs := run(args("d.csv", "parts", "-resume", "parts")...); code != 0 {
		t.Fatalf("code %d: %s", code, errs)
	}
	for _, name := range []string{"summary.json", "report.html"} {
		a, err := os.ReadFile(filepath.Join("whole", name))
		b, err2 := os.ReadFile(filepath.Join("parts", name))
		if err != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v, %v", name, err, err2)
		}
	}
	if _, err := os.Stat("parts/checkpoint"); err == nil {
		t.Error("the checkpoint is still there")
	}
}

// Three shards of a calibration, put together and gone on with, say what one run says.
func TestCalibrationShards(t *testing.T) {
	inFolder(t, map[string]string{"d.csv": "x,y\n1,2\n2,1\n3,4\n4,3\n5,6\n"})
	args := func(out string, more ...string) []string {
		return append(append([]string{"sbc"}, more...), "-simulations", "20", "-prior", "b ~ normal(0, 1)", "-out", out, "y ~ x", "d.csv")
	}
	if code, _, errs := run(args("whole")...); code != 0 {
		t.Fatal(errs)
	}
	for _, k := range []string{"1", "2", "3"} {
		if code, _, errs := run(args("shard"+k, "-shard", k+"/3")...); code != 0 || !strings.Contains(errs, "shard "+k+" of 3 is done") {
			t.Fatalf("code %d: %s", code, errs)
		}
	}
	code, told, errs := run("merge", "-out", "all", "shard3", "shard1", "shard2")
	if want := "20 units of 3 shards are in all; go on with: nuts sbc -resume all -simulations 20 -prior 'b ~ normal(0, 1)' 'y ~ x' d.csv\n"; code != 0 || told != want {
		t.Fatalf("code %d: %q %s, want %q", code, told, errs, want)
	}
	if code, _, errs := run(args("all", "-resume", "all")...); code != 0 {
		t.Fatal(errs)
	}
	for _, name := range []string{"summary.json", "report.html"} {
		a, err := os.ReadFile(filepath.Join("whole", name))
		b, err2 := os.ReadFile(filepath.Join("all", name))
		if err != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v, %v", name, err, err2)
		}
	}
}

// stopped runs a command until a file has a size.
func stopped(file string, size int64, args []string) (code int, errs string) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		for ctx.Err() == nil {
			if info, err := os.Stat(file); err == nil && info.Size() > size {
				stop()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var b bytes.Buffer
	code = program().Run(ctx, args, strings.NewReader(""), new(bytes.Buffer), &b)
	return code, b.String()
}

// A run with its draws on disk leaves the files of one in memory, also if it is interrupted and goes on.
func TestDrawsOnDisk(t *testing.T) {
	inFolder(t, map[string]string{"m.stan": schools,
		"d.json": `{"J": 2, "y": [28, 8], "sigma": [15, 10]}`})
	args := func(out string, more ...string) []string {
		return append([]string{"sample", "-zarr", "-chains", "2", "-iter", "4000", "m.stan", "d.json", "-out", out}, more...)
	}
	for _, c := range [][]string{args("memory"), args("disk", "-on-disk")} {
		if code, _, errs := run(c...); code != 0 {
			t.Fatalf("%s: %s", c, errs)
		}
	}
	code, errs := 0, ""
	for try := 0; try < 5 && code == 0; try++ { // a run may end before it hears of it
		os.RemoveAll("parts")
		code, errs = stopped("parts/draws_1.csv.part", 20_000, args("parts", "-on-disk"))
	}
	if code != cli.ExitInterrupted || !strings.Contains(errs, "-resume parts") {
		t.Fatalf("code %d: %s", code, errs)
	}
	for want, c := range map[string][]string{
		"want no other folder": args("other", "-on-disk", "-resume", "parts"),
	} {
		if code, _, errs := run(c...); code == 0 || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("want %q, code %d: %s", want, code, errs)
		}
	}
	if code, _, errs := run(args("parts", "-on-disk", "-resume", "parts")...); code != 0 {
		t.Fatal(errs)
	}
	err := filepath.WalkDir("memory", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".nuts" || d.Name() == "report.html" { // these hold the command
			return err
		}
		want, err := os.ReadFile(path)
		for _, dir := range []string{"disk", "parts"} {
			got, err := os.ReadFile(dir + strings.TrimPrefix(path, "memory"))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s/%s differs: %v", dir, d.Name(), err)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for _, dir := range []string{"disk", "parts"} {
		if left, _ := filepath.Glob(dir + "/*.part"); len(left) > 0 {
			t.Errorf("left behind: %s", left)
		}
	}
}

// counted is a context that ends once it was asked so often whether it has.
type counted struct {
	context.Context
	stop  context.CancelFunc
	left  atomic.Int64
	asked atomic.Int64
}

func (c *counted) Err() error {
	c.asked.Add(1)
	if c.left.Add(-1) == 0 {
		c.stop()
	}
	return c.Context.Err()
}

// A fit that is interrupted, while it samples or after that, leaves its draws; terminal, page and summary say so, and none
// speaks of a checkpoint. What goes on from its folder says so too.
func TestFitInterrupted(t *testing.T) {
	inFolder(t, map[string]string{"d.csv": rows()})
	fit := func(n int64) (code int, out, errs string, asked int64) {
		os.RemoveAll("o")
		ctx := &counted{}
		ctx.Context, ctx.stop = context.WithCancel(t.Context())
		defer ctx.stop()
		ctx.left.Store(n)
		var stdout, stderr bytes.Buffer
		code = program().Run(ctx, []string{"fit", "-out", "o", "-iter", "300", "-warmup", "100", "y ~ 1", "d.csv"}, strings.NewReader(""), &stdout, &stderr)
		return code, stdout.String(), stderr.String(), ctx.asked.Load()
	}
	code, _, errs, asked := fit(0)
	if code != 0 {
		t.Fatal(errs)
	}
	sampling := asked * 3 / 4 // or earlier: then it samples
	for ; sampling > 0; sampling -= asked / 20 {
		if _, _, errs, _ := fit(sampling); !strings.Contains(errs, "after the last draw") {
			break
		}
	}
	for n, where := range map[int64]string{sampling: "300 draws of each chain", asked - 1: "after the last draw"} {
		code, out, errs, _ := fit(n)
		if code != cli.ExitInterrupted || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "nuts: interrupted after ") ||
			!strings.HasSuffix(errs, where+"; what there is stands in o\n") {
			t.Errorf("%s: code %d, %q", where, code, errs)
			continue
		}
		page, err := os.ReadFile("o/report.html")
		if err != nil {
			t.Fatal(err)
		}
		summary, err := os.ReadFile("o/summary.json")
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"the text": out, "the page": string(page), "the summary": string(summary)} {
			if text = strings.Join(strings.Fields(text), " "); !strings.Contains(text, "The run was interrupted after ") ||
				!strings.Contains(text, where+":") || strings.Contains(text, "checkpoint") {
				t.Errorf("%s: %s does not say what was interrupted, or speaks of a checkpoint", where, name)
			}
		}
		for _, base := range []string{"o/draws_4.csv", "o/program_4.csv"} {
			if _, err := cmdstan.Read(base); err != nil {
				t.Error(err)
			}
		}
		for _, args := range []string{"predict", "thin -m 5"} {
			code, out, errs := run(append(strings.Fields(args), "-force", "-out", "p", "o")...)
			if out = strings.Join(strings.Fields(out), " "); code != 0 || !strings.Contains(out, "The run was interrupted after ") ||
				!strings.Contains(out, where+".") {
				t.Errorf("%s of a run that was interrupted %s: code %d, %q", args, where, code, errs)
			}
		}
	}
}
