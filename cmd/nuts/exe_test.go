package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"bayeskernel/cmd/nuts/internal/exe"
	"bayeskernel/draws/cmdstan"
)

// TestMain lets a copy of the test's program that carries a Stan program do what it is for.
func TestMain(m *testing.M) {
	if code, ok := exe.Carried(context.Background(), os.Args[1:], os.Stdout, os.Stderr); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// An executable, or a script that calls this one, runs on its own and leaves files for any data.
func TestExe(t *testing.T) {
	for _, flags := range [][]string{nil, {"-launcher", "-words"}} {
		if runtime.GOOS == "windows" && flags != nil {
			continue
		}
		inFolder(t, map[string]string{"schools.stan": schools, "d.json": `{"J": 3, "y": [28, 8, -3], "sigma": [15, 10, 16]}`})
		name := "schools"
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		for range 2 { // it is replaced without being asked
			code, out, errs := run(append(append([]string{"exe"}, flags...), "schools.stan")...)
			if code != 0 || !strings.Contains(out, "Wrote "+name) {
				t.Fatalf("code %d, %q, %q", code, out, errs)
			}
		}
		call := func(args ...string) (int, string) {
			c := exec.Command("."+string(filepath.Separator)+name, args...)
			out, err := c.CombinedOutput()
			if c.ProcessState == nil {
				t.Fatal(err)
			}
			return c.ProcessState.ExitCode(), string(out)
		}
		if code, out := call("info"); code != 0 || !strings.Contains(out, "stan_version_major = 2\n") {
			t.Errorf("info: code %d, %q", code, out)
		}
		code, out := call(strings.Fields("sample num_samples=20 num_warmup=30 data file=d.json output file=a=b.csv random seed=3")...)
		if code != 0 || !strings.Contains(out, "Iteration: 50 / 50 [100%]  (Sampling)") {
			t.Errorf("sample: code %d, %q", code, out)
		}
		text, err := os.ReadFile("a=b.csv")
		if err != nil || !bytes.Contains(text, []byte("\nlp__,accept_stat__,")) {
			t.Errorf("the draws: %v", err)
		}
		if code, out := call("sample", "num_samples=x"); code != 1 || strings.Count(out, "\n") != 1 {
			t.Errorf("a wrong argument: code %d, %q", code, out)
		}
		if entries, _ := os.ReadDir("."); len(entries) != 4 {
			t.Errorf("%d files, want 4", len(entries))
		}
	}
}

// A chain whose file can grow no longer leaves what was written before as an unfinished file, which is read, and what was
// there as it was.
func TestExeFull(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the limit is set by a shell")
	}
	inFolder(t, map[string]string{"n.stan": "parameters { vector[20] x; } model { x ~ normal(0, 1); }"})
	if code, _, errs := run("exe", "-launcher", "n.stan"); code != 0 {
		t.Fatal(errs)
	}
	sample := func(limit, draws string) (int, string) {
		c := exec.Command("sh", "-c", limit+"exec ./n sample num_warmup=50 num_samples="+draws+" random seed=1 output file=o.csv refresh=0")
		var errs bytes.Buffer
		c.Stderr = &errs
		if c.Run(); c.ProcessState == nil {
			t.Fatal("no shell")
		}
		return c.ProcessState.ExitCode(), errs.String()
	}
	if code, errs := sample("", "10"); code != 0 {
		t.Fatal(errs)
	}
	code, errs := sample("ulimit -f 200 && ", "5000") // 100 KB
	if code != 1 || strings.Count(errs, "\n") != 1 || !strings.HasSuffix(errs, "file too large; what was written before is in o.csv.part\n") {
		t.Errorf("code %d, %q", code, errs)
	}
	for name, least := range map[string]int{"o.csv": 10, "o.csv.part": 100} {
		run, err := cmdstan.Read(name)
		if run == nil || run.Chains[0].Len() < least || (err == nil) != (name == "o.csv") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Wrong uses of exe are one line and leave what is there alone.
func TestWrongExe(t *testing.T) {
	files := map[string]string{"m.stan": schools, "bad.stan": "model { x = ; }", "mine": "text", "none": schools, "folder.stan": schools}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"exe", 2, "exe takes one program, found 0 files"},
		{"exe m.stan bad.stan", 2, "found 2 files"},
		{"exe absent.stan", 1, "absent.stan: no such file"},
		{"exe bad.stan", 1, "bad.stan: 1 mistake"},
		{"exe -o mine m.stan", 2, "mine exists and was not made by nuts exe"},
		{"exe -o m.stan m.stan", 2, "-o m.stan: is m.stan, which is read"},
		{"exe -force -o m.stan m.stan", 2, "-o m.stan: is m.stan, which is read"},
		{"exe none", 2, "none does not end with .stan: give a name with -o"},
		{"exe -o no/where m.stan", 1, "no/where"},
		{"exe -lancher m.stan", 2, "lancher"},
	} {
		inFolder(t, files)
		code, _, errs := run(strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("nuts %s: code %d, %q, want %d and %q", c.args, code, errs, c.code, c.want)
		}
		left, _ := os.ReadDir(".")
		if text, _ := os.ReadFile("mine"); len(left) != len(files) || string(text) != "text" {
			t.Errorf("nuts %s left %d files, want %d", c.args, len(left), len(files))
		}
	}
}
