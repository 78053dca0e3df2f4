package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/draws/cmdstan"
)

// onGoldenMachine skips a test of exact digits where the compiler fuses multiplications with
// additions.
func onGoldenMachine(t *testing.T) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("the last digits are those of amd64")
	}
}

// What is printed and summary.json, for one sample, two, two columns, three, weights, another
// kernel, and learn with one kernel and two.
func TestGolden(t *testing.T) {
	onGoldenMachine(t)
	common := []string{"-path", "portable", "-iter", "120", "-chains", "2"}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"example", append(common, "-n", "60", "-verify")},
		{"bayes", append(common, "-bayes", "-permutations", "99", "p.csv", "q.csv")},
		{"one", append(common, "p.csv")},
		{"labelled", append(common, "-label", "g", "-columns", "x", "two_labels.csv")},
		{"plane", append(common, "-inputs", "8", "plane_p.csv", "plane_q.csv")},
		{"space", append(common, "-inputs", "8", "-ard", "space_p.csv", "space_q.csv")},
		{"weights", append(common, "-weights", "w", "weighted_p.csv", "weighted_q.csv")},
		{"matern52", append(common, "-kernel", "matern52", "p.csv", "q.csv")},
		{"learn", []string{"learn", "-path", "portable", "p.csv", "q.csv"}},
		{"learn_kernels", []string{"learn", "-path", "portable", "-kernel", "se,matern52", "-label",
			"g", "-columns", "x", "two_labels.csv"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t, sound())
			got := call(t, "", c.args...)
			if got.code != 0 || got.stderr != "" {
				t.Fatalf("exit %d: %s", got.code, got.stderr)
			}
			golden(t, c.name+".stdout", got.stdout)
			b, err := os.ReadFile(filepath.Join(folderOf(c.args), "summary.json"))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, c.name+".json", string(b))
		})
	}
}

// folderOf is the folder that a command writes into by default.
func folderOf(args []string) string {
	for _, c := range program().Commands[1:] {
		if args[0] == c.Name {
			return "bkesample-out/" + c.Name
		}
	}
	return "bkesample-out"
}

// sound are files that can be used.
func sound() map[string]string {
	line := func(vs ...float64) string {
		var parts []string
		for _, v := range vs {
			parts = append(parts, strconv.FormatFloat(v, 'f', 4, 64))
		}
		return strings.Join(parts, ",") + "\n"
	}
	u := func(i, k int) float64 {
		return math.Mod(float64(i+1)*math.Sqrt([]float64{2, 3, 5, 7}[k]), 1)
	}
	files := mistaken()
	var labels, pp, pq, sp, sq strings.Builder
	labels.WriteString("x,g\n")
	pp.WriteString("height,weight\n")
	pq.WriteString("height,weight\n")
	sp.WriteString("a,b,c\n")
	sq.WriteString("a,b,c\n")
	for i := range 40 {
		x := math.Erfinv(2*u(i, 1) - 1)
		y := math.Erfinv(2*u(i, 2) - 1)
		z := math.Erfinv(2*u(i, 3) - 1)
		labels.WriteString(strings.TrimSuffix(line(x), "\n") + ",treated\n")
		labels.WriteString(strings.TrimSuffix(line(2*y+0.5), "\n") + ",control\n")
		pp.WriteString(line(170+10*x, 70+12*y))
		pq.WriteString(line(170+10*y, 70+6*x+6*y))
		sp.WriteString(line(x, 10*y, z))
		sq.WriteString(line(x+0.7, 10*z, y))
	}
	files["two_labels.csv"], files["plane_p.csv"], files["plane_q.csv"] = labels.String(),
		pp.String(), pq.String()
	files["weighted_p.csv"] = withWeights(files["p.csv"], func(i int) float64 { return float64(i) })
	files["weighted_q.csv"] = withWeights(files["q.csv"],
		func(i int) float64 { return 2 / float64(i) })
	files["space_p.csv"], files["space_q.csv"] = sp.String(), sq.String()
	return files
}

// Same seed and path, same files, whatever the number of processors.
func TestSameBytes(t *testing.T) {
	inFolder(t, nil)
	args := []string{"-n", "50", "-iter", "60", "-chains", "3", "-zarr", "-out"}
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	for i, dir := range []string{"one", "many"} {
		runtime.GOMAXPROCS(1 + 3*i)
		if got := call(t, "", append(args, dir)...); got.code != 0 {
			t.Fatal(got.stderr)
		}
	}
	sameFiles(t, "one", "many")
}

// The first command of the README says what a user asked in 15 lines, with one interval of theta and
// no warning.
func TestFirstCommand(t *testing.T) {
	inFolder(t, nil)
	args := []string{"-chains", "4", "-iter", "400"}
	got := call(t, "", args...)
	if lines := strings.Count(got.stdout, "\n"); got.code != 0 || got.stderr != "" || lines > 15 ||
		strings.Count(got.stdout, "interval of theta") != 1 || strings.Contains(got.stdout, "Warning") {
		t.Errorf("exit %d, %d lines: %s%s", got.code, lines, got.stdout, got.stderr)
	}
	page, err := os.ReadFile("bkesample-out/report.html")
	if err != nil || !bytes.Contains(page, []byte("How it was computed")) ||
		bytes.Contains(page, []byte("At another scale")) {
		t.Errorf("%v: the page lacks how it was computed, or has a picture twice", err)
	}
	more := call(t, "", anew(append(args, "-verbose")...)...)
	if !strings.Contains(more.stdout, "999 permutations the statistic was") {
		t.Errorf("-verbose: %s", more.stdout)
	}
}

// The keys of summary.json that other programs rely on, and values that agree with the draws.
func TestSummaryKeys(t *testing.T) {
	inFolder(t, nil)
	if got := call(t, "", "-n", "50", "-iter", "100", "-quiet"); got.code != 0 ||
		got.stdout+got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	b, err := os.ReadFile("bkesample-out/summary.json")
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]json.RawMessage
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"schema_version", "parameters", "model", "sampler", "warnings",
		"witness"} {
		if s[key] == nil {
			t.Errorf("no %s", key)
		}
	}
	var ps []map[string]any
	if err := json.Unmarshal(s["parameters"], &ps); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields("name mean sd mcse_mean mcse_sd q05 q50 q95 mcse_q05 " +
		"mcse_q50 mcse_q95 rhat ess_bulk ess_tail") {
		if _, ok := ps[0][key]; !ok || len(ps) != 2 {
			t.Errorf("%d parameters, no %s", len(ps), key)
		}
	}
	var sampler map[string]any
	if err := json.Unmarshal(s["sampler"], &sampler); err != nil || sampler["path"] == nil {
		t.Errorf("sampler is %s", s["sampler"])
	}
	run, err := cmdstan.Read("bkesample-out/draws_1.csv", "bkesample-out/draws_2.csv",
		"bkesample-out/draws_3.csv", "bkesample-out/draws_4.csv")
	if err != nil {
		t.Fatal(err)
	}
	if got := run.Summary().Parameters[0].Mean; got != ps[0]["mean"] {
		t.Errorf("mean of theta in the draws is %v, in the summary %v", got, ps[0]["mean"])
	}
}

// What can be asked of standard output and of the exit code.
func TestFormatAndStrict(t *testing.T) {
	inFolder(t, sound())
	got := call(t, "", "-iter", "60", "-format", "json", "p.csv", "q.csv")
	var s map[string]any
	if err := json.Unmarshal([]byte(got.stdout), &s); err != nil || got.code != 0 {
		t.Errorf("-format json: %v, %+v", err, got)
	}
	// Four transitions are too few for any diagnostic.
	got = call(t, "", "-force", "-iter", "8", "-strict", "p.csv", "q.csv")
	if got.code != cli.ExitDiagnostics || !strings.Contains(got.stdout, "Warning: ") {
		t.Errorf("-strict: exit %d, %s", got.code, got.stderr)
	}
	if got = call(t, "", "-force", "-iter", "4000", "-until", "rhat<1.05,ess>200", "p.csv"); got.code != 0 {
		t.Errorf("-until: %+v", got)
	}
	b, _ := os.ReadFile("bkesample-out/summary.json")
	if !bytes.Contains(b, []byte(`"stopped": "targets met after `)) {
		t.Error("summary.json does not say why the run ended early")
	}
}

// A second run starts from what the first has learned.
func TestWarmFrom(t *testing.T) {
	inFolder(t, sound())
	if got := call(t, "", "-iter", "200", "p.csv", "q.csv"); got.code != 0 {
		t.Fatal(got.stderr)
	}
	got := call(t, "", "-iter", "200", "-warmup", "0", "-warm-from", "bkesample-out/warmstart.json",
		"-out", "next", "p.csv", "q.csv")
	if got.code != 0 {
		t.Errorf("exit %d: %s%s", got.code, got.stdout, got.stderr)
	}
}

// A checkpoint of another run, kernel or numerical path is refused in one line, which says how that run goes on, and
// its folder stays as it is.
func TestForeignCheckpoint(t *testing.T) {
	inFolder(t, sound())
	interrupted(t, "-iter", "20000", "-path", "portable", "p.csv", "q.csv")
	before := quiet(t, "bkesample-out")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-path", "portable", "-seed", "2", "p.csv", "q.csv"}, "its seed is 1, here it is 2"},
		{[]string{"-path", "portable", "q.csv"}, "its data are others: a file has changed, or other rows or columns are used"},
		{[]string{"-path", "portable", "-kernel", "matern52", "p.csv", "q.csv"},
			"its model is … kernel se …, here it is … kernel matern52 …; that run goes on with: bkesample -resume bkesample-out " +
				"-iter 20000 -path portable p.csv q.csv\n"},
		{[]string{"-path", "avx2", "p.csv", "q.csv"}, "avx2"},
	} {
		args := append([]string{"-resume", "bkesample-out/checkpoint", "-iter", "20000"}, c.args...)
		got := call(t, "", args...)
		if got.code != cli.ExitFailed || strings.Count(got.stderr, "\n") != 1 ||
			!strings.Contains(got.stderr, c.want) {
			t.Errorf("%v: exit %d, %s, want %s", args, got.code, got.stderr, c.want)
		}
		after := contents(t, "bkesample-out")
		for name, text := range before {
			if after[name] != text && !strings.HasSuffix(name, ".part") { // what was being written when the run was left behind
				t.Fatalf("%v: %s has changed: %.300q, was %.300q", args, name, after[name], text)
			}
		}
	}
}

// quiet is what a folder holds when nothing has been written into it for a second: an interrupted run that takes long to
// end is left behind, and in a test goes on.
func quiet(t *testing.T, dir string) map[string]string {
	t.Helper()
	last := contents(t, dir)
	for same := 0; same < 5; {
		time.Sleep(200 * time.Millisecond)
		if now := contents(t, dir); maps.Equal(now, last) {
			same++
		} else {
			last, same = now, 0
		}
	}
	return last
}

// brokenWriter is a full disk, or a pipe whose reader has gone.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestBrokenOutput(t *testing.T) {
	inFolder(t, sound())
	var stderr bytes.Buffer
	code := program().Run(t.Context(), []string{"-iter", "40", "p.csv"}, strings.NewReader(""),
		brokenWriter{}, &stderr)
	if code != cli.ExitFailed || stderr.String() != "bkesample: no space left on device\n" {
		t.Errorf("exit %d, %q", code, stderr.String())
	}
}

// interrupted runs the program until it samples, and then cancels it as a signal would.
func interrupted(t *testing.T, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan int)
	var stderr bytes.Buffer
	go func() {
		done <- program().Run(ctx, args, strings.NewReader(""), io.Discard, &stderr)
	}()
	for {
		if b, err := os.ReadFile("bkesample-out/draws_1.csv.part"); err == nil && len(b) > 10000 {
			cancel()
		}
		select {
		case code := <-done:
			if code != cli.ExitInterrupted {
				t.Fatalf("exit %d, want %d: %s", code, cli.ExitInterrupted, &stderr)
			}
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}
