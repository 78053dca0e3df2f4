package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/internal/long"
)

// asProgram is the name by which the test's own executable is the program: nothing is linked again.
const asProgram = "bkesample.exe"

// TestMain is the program where the executable is called so.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == asProgram {
		main()
	}
	os.Exit(m.Run())
}

// build makes the program in a folder and returns its path.
func build(t *testing.T, dir string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, asProgram)
	if err := os.Symlink(self, bin); err == nil {
		return bin
	}
	b, err := os.ReadFile(self) // where there are no links
	if err == nil {
		err = os.WriteFile(bin, b, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// real is the program in a folder of its own.
type real struct {
	t        *testing.T
	bin, dir string
}

func (r *real) command(args ...string) *exec.Cmd {
	c := exec.Command(r.bin, args...)
	c.Dir = r.dir
	return c
}

// run returns the exit code and standard error.
func (r *real) run(args ...string) (int, string) {
	var stderr bytes.Buffer
	c := r.command(args...)
	c.Stderr = &stderr
	_ = c.Run()
	return c.ProcessState.ExitCode(), stderr.String()
}

// stopAt sends a signal once there are draws in a folder, and returns the exit code and standard
// error.
func (r *real) stopAt(out string, s os.Signal, args ...string) (int, string) {
	r.t.Helper()
	var stderr bytes.Buffer
	c := r.command(args...)
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		r.t.Fatal(err)
	}
	first := filepath.Join(r.dir, out, "draws_1.csv.part") // on the disk soon after warm-up
	for range 2000 {
		if b, err := os.ReadFile(first); err == nil && bytes.Count(b, []byte("\n")) > 200 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := c.Process.Signal(s); err != nil {
		r.t.Fatal(err)
	}
	_ = c.Wait()
	return c.ProcessState.ExitCode(), stderr.String()
}

// The real program is interrupted, or killed, in the middle of sampling. The command that it then
// suggests, when it ends or when the same command is typed again, ends with the files of a run that
// was not interrupted, whatever the checkpoint is called.
func TestInterruptAndResume(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	r := &real{t, build(t, t.TempDir()), t.TempDir()}
	args := []string{"-iter", "6000", "-n", "100", "-path", "portable", "-quiet"}
	into := func(out string) []string { return append([]string{"-out", out}, args...) }
	if code, stderr := r.run(into("whole")...); code != 0 {
		t.Fatal(stderr)
	}
	code, stderr := r.stopAt("parts", os.Interrupt, into("parts")...)
	line := strings.TrimSuffix(stderr, "\n")
	if code != cli.ExitInterrupted || strings.Contains(line, "\n") ||
		!strings.Contains(line, "interrupted after ") {
		t.Fatalf("exit %d, standard error is %q", code, stderr)
	}
	for _, name := range []string{"draws_4.csv", "checkpoint"} {
		if _, err := os.Stat(filepath.Join(r.dir, "parts", name)); err != nil {
			t.Error(err)
		}
	}
	// On a slow machine there may be no time for a page.
	b, err := os.ReadFile(filepath.Join(r.dir, "parts", "summary.json"))
	if kept := strings.Contains(line, "which are kept in parts"); kept != (err != nil) || !kept && !bytes.Contains(b, []byte(`"partial": true`)) {
		t.Error("summary.json does not say that it is partial")
	}
	if code, _ = r.stopAt("killed", os.Kill, into("killed")...); code == 0 {
		t.Fatal("the run was over before it was killed")
	}
	if err := os.Rename(filepath.Join(r.dir, "killed", "checkpoint.part"),
		filepath.Join(r.dir, "killed", "checkpoint.kept")); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{"parts", "killed"} {
		code, stderr := r.run(into(out)...)
		_, command, found := strings.Cut(strings.TrimSuffix(stderr, "\n"), "goes on with it: bkesample ")
		if code != cli.ExitUsage || !found {
			t.Fatalf("%s: exit %d, %q", out, code, stderr)
		}
		if code, stderr := r.run(strings.Fields(command)...); code != 0 {
			t.Fatalf("%s: exit %d, %q", command, code, stderr)
		}
		sameFiles(t, filepath.Join(r.dir, "whole"), filepath.Join(r.dir, out))
	}
}

// A run that is interrupted in what follows its draws keeps them, says so, and is gone on with.
func TestInterruptedComparisons(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	r := &real{t, build(t, t.TempDir()), t.TempDir()}
	args := []string{"-iter", "400", "-chains", "2", "-n", "800", "-sensitivity", "-path", "portable", "-quiet"}
	c := r.command(append([]string{"-out", "parts"}, args...)...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for range 4000 { // until all draws are there
		if _, err := os.Stat(filepath.Join(r.dir, "parts", "draws_2.csv")); err == nil {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	_ = c.Process.Signal(syscall.SIGTERM)
	_ = c.Wait()
	if c.ProcessState.ExitCode() == 0 {
		t.Skip("the run was over before it was interrupted")
	}
	_, command, found := strings.Cut(strings.TrimSuffix(stderr.String(), "\n"), "go on with: bkesample ")
	if code := c.ProcessState.ExitCode(); code != cli.ExitInterrupted || !found {
		t.Fatalf("exit %d, %q", code, stderr.String())
	}
	if code, stderr := r.run(strings.Fields(command)...); code != 0 {
		t.Fatalf("%s: exit %d, %q", command, code, stderr)
	}
	if code, stderr := r.run(append([]string{"-out", "whole"}, args...)...); code != 0 {
		t.Fatal(stderr)
	}
	sameFiles(t, filepath.Join(r.dir, "whole"), filepath.Join(r.dir, "parts"))
}

// However early or late the real program is killed, its folder says what to do. That leads to the
// files of a run that was not killed, by going on with it or by starting again.
func TestKilledAnywhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	r := &real{t, build(t, t.TempDir()), t.TempDir()}
	args := []string{"-iter", "2000", "-chains", "2", "-n", "50", "-path", "portable"}
	into := func(out string) []string { return append([]string{"-out", out}, args...) }
	if code, stderr := r.run(into("whole")...); code != 0 {
		t.Fatal(stderr)
	}
	moments := []string{"bkesample.run", "checkpoint.part"}
	if long.Enabled() {
		moments = append(moments, ".bkesample", "draws_1.csv.part", "summary.json", "report.html")
	}
	for _, moment := range moments {
		c := r.command(into(moment + ".out")...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(r.dir, moment+".out")
		for range 20_000 {
			if info, err := os.Stat(filepath.Join(dir, moment)); err == nil && info.Size() > 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		_ = c.Wait()
		var left struct {
			Note string `json:"what_to_do"`
		}
		b, err := os.ReadFile(filepath.Join(dir, "bkesample.run"))
		if errors.Is(err, os.ErrNotExist) || len(b) == 0 { // it was over, or had not begun
			left.Note = "x: bkesample " + strings.Join(into(moment+".out"), " ") + " -force"
		} else if err := errors.Join(err, json.Unmarshal(b, &left)); err != nil {
			t.Fatalf("%s: %v, %q", moment, err, b)
		}
		_, command, found := strings.Cut(left.Note, ": bkesample ")
		if !found {
			t.Fatalf("%s: the folder says %q", moment, left.Note)
		}
		code, stderr := r.run(strings.Fields(command)...)
		if _, again, found := strings.Cut(strings.TrimSpace(stderr), "start it again: bkesample "); found {
			if _, err := os.Stat(filepath.Join(dir, "checkpoint.part")); err == nil {
				t.Errorf("%s: there is a checkpoint, but: %s", moment, stderr)
			}
			code, stderr = r.run(strings.Fields(again)...)
		}
		if code != 0 {
			t.Fatalf("%s: %s: exit %d, %q", moment, command, code, stderr)
		}
		sameFiles(t, filepath.Join(r.dir, "whole"), dir)
	}
}

// Two runs that start at once into one folder: one of them has it, and what it leaves is its own.
func TestTwoRunsAtOnce(t *testing.T) {
	r := &real{t, build(t, t.TempDir()), t.TempDir()}
	inUse := regexp.MustCompile(`^bkesample: -out .*: in use by process [1-9][0-9]*, want another folder`)
	refused, least := 0, 4
	if long.Enabled() {
		least = 20
	}
	for k := 0; k < least || refused == 0 && k < 20; k++ {
		out := fmt.Sprintf("out%d", k)
		var both [2]*exec.Cmd
		var stderr [2]bytes.Buffer
		for i := range both {
			both[i] = r.command("-seed", strconv.Itoa(i+1), "-n", "30", "-iter", "60", "-no-interval",
				"-quiet", "-out", out)
			both[i].Stderr = &stderr[i]
			if err := both[i].Start(); err != nil {
				t.Fatal(err)
			}
		}
		done := 0
		for i := range both {
			_ = both[i].Wait()
			switch code := both[i].ProcessState.ExitCode(); {
			case code == 0:
				done++
			case code == cli.ExitFailed && inUse.MatchString(stderr[i].String()):
				refused++
			case code == cli.ExitUsage && strings.Contains(stderr[i].String(), "holds the results"):
			default:
				t.Errorf("run %d: exit %d, %q", k, code, &stderr[i])
			}
		}
		if done != 1 {
			t.Errorf("run %d: %d of 2 have written %s", k, done, out)
		}
		var s struct{ Seed uint64 }
		b, err := os.ReadFile(filepath.Join(r.dir, out, "summary.json"))
		if err != nil || json.Unmarshal(b, &s) != nil {
			t.Fatal(err)
		}
		for name, text := range contents(t, filepath.Join(r.dir, out)) {
			if strings.HasSuffix(name, ".part") || strings.HasSuffix(name, ".run") {
				t.Errorf("run %d leaves %s", k, name)
			}
			want := fmt.Sprintf("seed = %d", s.Seed)
			if strings.Contains(name, "draws_") && !strings.Contains(text, want) {
				t.Errorf("run %d: %s is not of the seed %d of the summary", k, name, s.Seed)
			}
		}
	}
	if refused == 0 {
		t.Error("no run ever found the folder in use")
	}
}

// sameFiles holds all files of two folders to each other, byte for byte.
func sameFiles(t *testing.T, a, b string) {
	t.Helper()
	read := func(dir string) map[string]string {
		out := map[string]string{}
		for name := range listing(t, dir) {
			if text, err := os.ReadFile(name); err == nil {
				rel, _ := filepath.Rel(dir, name)
				out[rel] = string(text)
			}
		}
		return out
	}
	x, y := read(a), read(b)
	for name, text := range x {
		if other, ok := y[name]; !ok {
			t.Errorf("%s is in one folder only", name)
		} else if text != other {
			t.Errorf("%s differs: %s", name, firstDifference(text, other))
		}
	}
	for name := range y {
		if _, ok := x[name]; !ok {
			t.Errorf("%s is in one folder only", name)
		}
	}
}

// Commands whose work is units: killed, and stopped by a signal that they answer at once, at moments that differ
// from run to run, each goes on by the command that it names, and ends with the files of a run that nothing befell.
func TestUnitsResume(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	if testing.Short() {
		t.Skip("runs the program many times")
	}
	r := &real{t, build(t, t.TempDir()), t.TempDir()}
	t.Chdir(r.dir)
	writeAll(t, weather())
	stops := 1
	if long.Enabled() {
		stops = 3
	}
	commands := map[string][]string{
		"power": {"power", "-problem", "normal:shift=0.8", "-replicates", "40", "-permutations", "49", "-most", "100"},
	}
	if long.Enabled() {
		commands["causal"] = []string{"causal", "-stability", "6", "-depth", "1", "weather.csv"}
	}
	for name, args := range commands {
		into := func(out string) []string { return append(slices.Clone(args), "-quiet", "-out", out) }
		began := time.Now()
		if code, stderr := r.run(into(name)...); code != 0 {
			t.Fatal(stderr)
		}
		took := time.Since(began)
		for _, s := range []os.Signal{os.Kill, syscall.SIGTERM} {
			out := name + "-" + strings.Fields(s.String())[0]
			next := into(out)
			for stop := 1; ; stop++ {
				var stderr bytes.Buffer
				c := r.command(next...)
				c.Stderr = &stderr
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				if stop <= stops {
					time.Sleep(time.Duration((0.1 + 0.3*rand.Float64()) * float64(took)))
					began := time.Now()
					_ = c.Process.Signal(s)
					_ = c.Wait()
					if late := time.Since(began); late > answered {
						t.Errorf("%s: took %v to answer %v", out, late, s)
					}
				} else {
					_ = c.Wait()
				}
				if c.ProcessState.ExitCode() == 0 {
					if stop == 1 {
						t.Errorf("%s: was over before it was stopped", out)
					}
					break
				}
				if stop > stops || s != os.Kill && c.ProcessState.ExitCode() != cli.ExitInterrupted {
					t.Fatalf("%s: exit %d: %s", out, c.ProcessState.ExitCode(), &stderr)
				}
				next = append(into(out), "-resume", out)
				if _, err := os.Stat(out); err != nil { // it had not begun
					next = into(out)
				} else if _, err := os.Stat(filepath.Join(out, "checkpoint")); err != nil {
					next = append(into(out), "-force")
				} else if s != os.Kill {
					_, command, _ := strings.Cut(strings.TrimSpace(stderr.String()), "go on with: bkesample ")
					next = strings.Fields(command)
				}
			}
			sameFiles(t, name, out)
		}
	}
}

// answered is the time within which a run answers a signal, on a machine that does other things too.
const answered = 2 * time.Second
