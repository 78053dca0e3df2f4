//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/internal/long"
)

// faulty is a command that faults befall.
type faulty struct {
	name string
	args []string // without -out
	old  []string // more flags, with which it leaves what is there before
	file bool     // -out is a file
}

// faultyCommands are all commands that write something.
func faultyCommands() []faulty {
	seed := []string{"-seed", "2"}
	return []faulty{
		{"sample", []string{"bkesample", "p.csv", "q.csv", "-iter", "400"}, seed, false},
		{"learn", []string{"bkesample", "learn", "p.csv", "q.csv"}, seed, false},
		{"twosample", []string{"bkesample", "twosample", "p.csv", "q.csv"}, seed, false},
		{"independence", []string{"bkesample", "independence", "-x", "a", "-y", "b", "t.csv"}, seed, false},
		{"power", []string{"bkesample", "power", "-problem", "normal:shift=1", "-replicates", "30", "-permutations", "19", "-most", "40"}, seed, false},
		{"causal", []string{"bkesample", "causal", "-columns", "a,b,c", "-depth", "0", "-stability", "6", "t.csv"}, seed, false},
		{"novelty", []string{"bkesample", "novelty", "-columns", "a,b", "t.csv", "t.csv"}, []string{"-alpha", "0.2"}, false},
		{"embed", []string{"bkesample", "embed", "-label", "g", "-columns", "a,b", "t.csv"}, seed, false},
		{"bags", []string{"bkesample", "bags", "-bag", "bag", "-y", "y", "-columns", "a,b", "t.csv"}, seed, false},
		{"plan", []string{"bkesample", "plan", "p.csv", "-quiet"}, seed, true},
		{"summarize", []string{"bkesample", "summarize", "-plan", "plan.json", "p.csv"}, []string{"-sample", "Old"}, true},
		{"merge", []string{"bkesample", "merge", "p.sum", "q.sum"}, []string{"-remove", "q.sum"}, true},
		{"nuts", []string{"nuts", "m.stan", "m.json", "-iter", "300"}, seed, false},
		{"fit", []string{"nuts", "fit", "a ~ b", "t.csv", "-iter", "300"}, seed, false},
		{"sbc", []string{"nuts", "sbc", "a ~ b", "t.csv", "-simulations", "20", "-prior", "b ~ normal(0, 1)"}, seed, false},
		{"prior", []string{"nuts", "prior", "a ~ b", "t.csv", "-prior", "b ~ normal(0, 1)"}, seed, false},
	}
}

// faults are what befalls the commands, and how often.
type faults struct {
	t       *testing.T
	bin     map[string]string // the programs
	theirs  map[string]string
	tried   int
	slowest time.Duration
}

// TestFaults tries what may go wrong: CONTRIBUTING.md lists it. No file of the user's is lost, nor are earlier
// results before the new ones are whole; and a run goes on or starts again to the same results, or says in one
// sentence why not.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the programs")
	}
	f := &faults{t: t}
	commands := faultyCommands()
	if !long.Enabled() {
		commands = slices.DeleteFunc(commands, func(c faulty) bool { return c.name != "twosample" && c.name != "plan" })
	}
	f.bin = map[string]string{"bkesample": build(t, t.TempDir()), "nuts": filepath.Join(t.TempDir(), "nuts")}
	if long.Enabled() {
		if out, err := exec.Command("go", "build", "-o", f.bin["nuts"], "../nuts").CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	f.inputs()
	for _, c := range commands {
		whole, old := "whole-"+c.name, "old-"+c.name
		began := time.Now()
		f.must(c, c.into(whole)...)
		took := time.Since(began)
		f.must(c, append(c.into(old), c.old...)...)
		for _, s := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
			f.stopped(c, s, took)
		}
		if long.Enabled() || c.name == "twosample" || c.name == "plan" {
			f.full(c)
			f.linked(c)
		}
		if long.Enabled() || c.name == "twosample" {
			f.atOnce(c)
			f.vanished(c)
			f.isInput(c)
		}
	}
	t.Logf("%d faults; the slowest answer to TERM took %v", f.tried, f.slowest)
}

// into are the arguments with an output.
func (c faulty) into(out string) []string {
	args := append(slices.Clone(c.args), "-out", out)
	if !c.file {
		args = append(args, "-quiet")
	}
	return args
}

// inputs writes the user's files.
func (f *faults) inputs() {
	r := rand.New(rand.NewPCG(3, 29))
	var p, q, t strings.Builder
	p.WriteString("x\n")
	q.WriteString("x\n")
	t.WriteString("a,b,c,g,bag,y\n")
	for i := range 240 {
		fmt.Fprintf(&p, "%.4f\n", r.NormFloat64())
		fmt.Fprintf(&q, "%.4f\n", 1.3*r.NormFloat64())
		a := r.NormFloat64()
		fmt.Fprintf(&t, "%.4f,%.4f,%.4f,g%d,bag%d,%d\n", a, a+r.NormFloat64(), r.NormFloat64(), i%3, i/8, i/8)
	}
	f.theirs = map[string]string{"p.csv": p.String(), "q.csv": q.String(), "t.csv": t.String(),
		"m.stan": "data { int N; vector[N] y; }\nparameters { real mu; real<lower=0> s; }\nmodel { mu ~ normal(0, 5); s ~ normal(0, 5); y ~ normal(mu, s); }\n",
		"m.json": "{\"N\": 5, \"y\": [1, 2, 0.5, -1, 3]}\n"}
	inFolder(f.t, f.theirs)
	for _, args := range [][]string{{"plan", "p.csv", "-quiet", "-out", "plan.json"},
		{"summarize", "-plan", "plan.json", "p.csv", "-out", "p.sum"},
		{"summarize", "-plan", "plan.json", "-sample", "Q", "q.csv", "-out", "q.sum"}} {
		must(f.t, "", args...)
	}
	for _, name := range []string{"plan.json", "p.sum", "q.sum"} {
		f.theirs[name] = fileText(f.t, name)
	}
}

// run returns the exit code and standard error.
func (f *faults) run(args ...string) (int, string) {
	var stderr bytes.Buffer
	c := f.command(args...)
	c.Stderr = &stderr
	_ = c.Run()
	return c.ProcessState.ExitCode(), stderr.String()
}

func (f *faults) command(args ...string) *exec.Cmd {
	return exec.Command(f.bin[args[0]], args[1:]...)
}

func (f *faults) must(c faulty, args ...string) {
	f.t.Helper()
	if code, stderr := f.run(args...); code != 0 {
		f.t.Fatalf("%s: exit %d: %s", c.name, code, stderr)
	}
}

// begin counts a fault, and lays out earlier results under a new name.
func (f *faults) begin(c faulty, fault string) (out string) {
	f.t.Helper()
	f.tried++
	out = c.name + "-" + fault
	if err := exec.Command("cp", "-a", "old-"+c.name, out).Run(); err != nil {
		f.t.Fatal(err)
	}
	return out
}

// end checks what is the user's, and that each file of the output is whole: the old one or the new.
func (f *faults) end(c faulty, out string) {
	f.t.Helper()
	f.unchanged(out)
	for name, before := range readTree(f.t, "old-"+c.name) {
		if name == ".bkesample" || name == ".nuts" { // lists what is being written
			continue
		}
		after, err := os.ReadFile(filepath.Join(out, name))
		fresh, _ := os.ReadFile(filepath.Join("whole-"+c.name, name))
		if err != nil || string(after) != before && !bytes.Equal(after, fresh) {
			f.t.Errorf("%s: %s is neither the old one nor the new: %v", out, name, err)
		}
	}
}

// unchanged checks what is the user's.
func (f *faults) unchanged(out string) {
	f.t.Helper()
	for name, want := range f.theirs {
		if b, err := os.ReadFile(name); err != nil || string(b) != want {
			f.t.Errorf("%s: %s of the user's has changed: %v", out, name, err)
		}
	}
}

// again goes on with a run or starts it again, and compares what it leaves with an undisturbed run.
func (f *faults) again(c faulty, out string) {
	f.t.Helper()
	args := c.into(out)
	if !c.file {
		if _, err := os.Stat(filepath.Join(out, "checkpoint")); err == nil {
			args = append(args, "-resume", out)
		} else {
			args = append(args, "-force")
		}
	}
	if code, stderr := f.run(args...); code != 0 {
		f.t.Errorf("%s: again: exit %d: %s", out, code, stderr)
		return
	}
	want, got := readTree(f.t, "whole-"+c.name), readTree(f.t, out)
	for name, text := range want {
		if got[name] != text {
			f.t.Errorf("%s: again: %s differs from that of an undisturbed run", out, name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			f.t.Errorf("%s: again: leaves %s", out, name)
		}
	}
}

// readTree reads the files below a path, or the file itself under "".
func readTree(t *testing.T, path string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(path, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		name, _ := filepath.Rel(path, p)
		if name == "." {
			name = ""
		}
		out[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// stopped sends a signal at a moment that differs from run to run.
func (f *faults) stopped(c faulty, s syscall.Signal, took time.Duration) {
	out := f.begin(c, fmt.Sprint("signal-", int(s)))
	args := c.into(out)
	if !c.file {
		args = append(args, "-force")
	}
	var stderr bytes.Buffer
	p := f.command(args...)
	p.Stderr = &stderr
	if err := p.Start(); err != nil {
		f.t.Fatal(err)
	}
	time.Sleep(time.Duration(rand.Float64() * float64(took)))
	began := time.Now()
	_ = p.Process.Signal(s)
	_ = p.Wait()
	code := p.ProcessState.ExitCode()
	if s == syscall.SIGTERM {
		late := time.Since(began)
		f.slowest = max(f.slowest, late)
		if long.Enabled() && late > 10*answered {
			f.t.Errorf("%s: took %v to answer TERM", out, late)
		}
		// Before it listens the system ends it.
		if code != 0 && code != cli.ExitInterrupted && code != -1 || strings.Count(stderr.String(), "\n") > 1 {
			f.t.Errorf("%s: exit %d: %s", out, code, &stderr)
		}
	}
	said := stderr.String()
	switch {
	case code == cli.ExitInterrupted && (strings.Contains(said, "; the partial results are in ") ||
		strings.Contains(said, "; what there is stands in ")):
		f.partial(c, out)
	case code != 0:
		f.end(c, out)
	}
	f.again(c, out)
}

// partial checks an output that its command says holds results of a part of the draws: in the place of each earlier
// file is a whole one. The warm start is written at the end of a run only, and that of an earlier run does not belong to
// these draws.
func (f *faults) partial(c faulty, out string) {
	f.t.Helper()
	f.unchanged(out)
	got := readTree(f.t, out)
	for name, before := range readTree(f.t, "old-"+c.name) {
		text, ok := got[name]
		if name == ".bkesample" || name == ".nuts" || text == before || !ok && name == "warmstart.json" {
			continue
		}
		// Of a fit the draws may be all that there is, and what it does not list is not there.
		if !ok && c.name == "fit" && !strings.HasPrefix(name, "draws_") && !strings.Contains(got[".nuts"], `"`+name+`"`) {
			continue
		}
		whole := text != ""
		switch filepath.Ext(name) {
		case ".json":
			whole = json.Valid([]byte(text))
		case ".html":
			whole = strings.HasSuffix(strings.TrimSpace(text), "</html>")
		case ".csv":
			whole = strings.HasSuffix(text, "\n")
		case ".png":
			_, err := png.Decode(strings.NewReader(text))
			whole = err == nil
		}
		if !whole {
			f.t.Errorf("%s: %s of the partial results is not whole", out, name)
		}
	}
	for name := range got {
		if strings.HasSuffix(name, ".part") {
			f.t.Errorf("%s: the partial results hold %s", out, name)
		}
	}
}

// full runs where no file may be longer than a block.
func (f *faults) full(c faulty) {
	out := f.begin(c, "full")
	args := append([]string{"-c", `ulimit -f 1; exec "$0" "$@"`, f.bin[c.args[0]]}, c.into(out)[1:]...)
	if !c.file {
		args = append(args, "-force")
	}
	var stderr bytes.Buffer
	p := exec.Command("sh", args...)
	p.Stderr = &stderr
	_ = p.Run()
	if code := p.ProcessState.ExitCode(); code != 0 {
		f.sentence(out, code, stderr.String())
		f.end(c, out)
	}
	f.again(c, out)
}

// sentence wants a failure in one line.
func (f *faults) sentence(out string, code int, stderr string) {
	f.t.Helper()
	if code != cli.ExitFailed && code != cli.ExitUsage || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "goroutine") {
		f.t.Errorf("%s: exit %d: %q, want one sentence", out, code, stderr)
	}
}

// linked has links to the user's files under the names of results.
func (f *faults) linked(c faulty) {
	out := f.begin(c, "linked")
	at := out
	if !c.file {
		at = filepath.Join(out, "summary.json")
	}
	if err := os.Remove(at); err != nil {
		f.t.Fatal(err)
	}
	to, err := filepath.Abs("p.csv")
	if err != nil {
		f.t.Fatal(err)
	}
	if c.name == "plan" || c.name == "summarize" || c.name == "merge" { // of a kind that may be replaced
		to = filepath.Join(filepath.Dir(to), "q.sum")
	}
	if err := os.Symlink(to, at); err != nil {
		f.t.Skip(err)
	}
	args := c.into(out)
	if !c.file {
		args = append(args, "-force")
	}
	if code, stderr := f.run(args...); code != 0 {
		f.sentence(out, code, stderr)
		if err := os.Remove(at); err != nil {
			f.t.Fatal(err)
		}
	}
	f.unchanged(out)
	f.again(c, out)
}

// atOnce starts two runs into one output.
func (f *faults) atOnce(c faulty) {
	out := f.begin(c, "twice")
	args := c.into(out)
	if !c.file {
		args = append(args, "-force")
	}
	var both [2]*exec.Cmd
	var stderr [2]bytes.Buffer
	for i := range both {
		both[i] = f.command(args...)
		both[i].Stderr = &stderr[i]
		if err := both[i].Start(); err != nil {
			f.t.Fatal(err)
		}
	}
	for i := range both {
		_ = both[i].Wait()
		if code := both[i].ProcessState.ExitCode(); code != 0 {
			f.sentence(out, code, stderr[i].String())
		}
	}
	f.end(c, out)
	f.again(c, out)
}

// vanished takes the first input away.
func (f *faults) vanished(c faulty) {
	at := slices.IndexFunc(c.args, func(a string) bool { _, ok := f.theirs[a]; return ok && a != "plan.json" })
	if at < 0 {
		return
	}
	out := f.begin(c, "vanished")
	gone := c
	gone.args = slices.Clone(c.args)
	gone.args[at] = "gone-" + c.args[at]
	args := gone.into(out)
	if !c.file {
		args = append(args, "-force")
	}
	code, stderr := f.run(args...)
	f.sentence(out, code, stderr)
	f.end(c, out)
	f.again(c, out)
}

// isInput has the input as output.
func (f *faults) isInput(c faulty) {
	at := slices.IndexFunc(c.args, func(a string) bool { _, ok := f.theirs[a]; return ok })
	if at < 0 {
		return
	}
	f.tried++
	code, stderr := f.run(c.into(c.args[at])...)
	f.sentence(c.name+" onto its input", code, stderr)
	f.unchanged(c.name + " onto its input")
}
