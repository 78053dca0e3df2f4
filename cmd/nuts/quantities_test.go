package main

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
)

// Programs whose quantities have two values, that reject in generated quantities, that have unit vectors, or print in
// transformed data: what is said of them is true.
func TestOddPrograms(t *testing.T) {
	t.Chdir(t.TempDir())
	programs := map[string]string{
		"two": "parameters { real mu; } model { mu ~ normal(0, 1); } generated quantities { int k = mu > 1; }",
		"reject": `transformed data { print("hello"); } parameters { real mu; } model { mu ~ normal(0, 1); }
			generated quantities { int k = 1; if (mu > 1) reject("too large"); }`,
		"unit": "parameters { unit_vector[3] u; array[2] unit_vector[2] w; } model { }",
	}
	for name, text := range programs {
		if err := os.WriteFile(name+".stan", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := run("-out", "two", "-until", "ess=400", "-iter", "20000", "two.stan")
	if code != 0 || !strings.Contains(out, "The chains agree") || strings.Contains(out, "least - ") {
		t.Errorf("two values: exit %d, %s%s", code, out, errs)
	}
	var s struct {
		Draws      int
		Parameters []struct {
			Name string
			Mean *float64
		}
	}
	b, err := os.ReadFile("two/summary.json")
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil || s.Draws > 2000 {
		t.Errorf("two values: %d draws a chain, %v", s.Draws, err)
	}
	code, out, errs = run("-out", "reject", "reject.stan")
	if code != 0 || !strings.Contains(errs, "hello") || !strings.Contains(out, "NaN or infinite") {
		t.Errorf("rejected: exit %d, %s%s", code, out, errs)
	}
	if b, err = os.ReadFile("reject/summary.json"); err == nil {
		err = json.Unmarshal(b, &s)
	}
	if k := s.Parameters[1]; err != nil || k.Name != "k" || k.Mean != nil && math.Abs(*k.Mean) > 1 {
		t.Errorf("rejected: %+v, %v", k, err)
	}
	// Stein's identity holds: a false alarm has probability 1e-3 or less.
	code, out, errs = run("-out", "unit", "-seed", "3", "unit.stan")
	if code != 0 || !strings.Contains(out, "The chains agree") {
		t.Errorf("unit vectors: exit %d, %s%s", code, out, errs)
	}
}

// A program without parameters is drawn from, one that calls fatal_error ends, and one that rejects everywhere says why
// in a line that can be read.
func TestWithoutAPosterior(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"draw": "transformed data { tuple(array[2] real, int) x = ({1.0, 2.0}, 3); x.1[2] = 5; x.2 += 1; } " +
			"generated quantities { real y = normal_rng(x.1[2], x.2); }",
		"fatal":  `parameters { real mu; } model { mu ~ normal(0, 1); if (mu > 2.5) fatal_error("far: ", 7); }`,
		"reject": `parameters { real mu; } model { reject("mu is ", mu); }`,
		"unmade": "parameters { real mu; } model { mu ~ normal(0, 1); }\ngenerated quantities { int k = poisson_rng(mu); }",
	} {
		if err := os.WriteFile(name+".stan", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := run("-out", "draw", "draw.stan")
	if code != 0 || !strings.Contains(out, "4000 independent draws") {
		t.Fatalf("no parameters: exit %d, %s%s", code, out, errs)
	}
	var s struct{ Parameters []struct{ Mean, SD float64 } }
	b, err := os.ReadFile("draw/summary.json")
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	// A normal of mean 5 and sd 4: within five standard errors, which fails in one of 10^6 seeds.
	if p := s.Parameters[0]; err != nil || math.Abs(p.Mean-5) > 5*4/math.Sqrt(4000) || math.Abs(p.SD-4) > 5*4/math.Sqrt(8000) {
		t.Errorf("no parameters: %+v, %v", p, err)
	}
	if code, out, errs = run("-out", "fatal", "fatal.stan"); code != 1 || !strings.Contains(errs, "fatal_error: far: 7") {
		t.Errorf("fatal_error: exit %d, %s%s", code, out, errs)
	}
	code, out, errs = run("-out", "unmade", "-iter", "100", "-chains", "2", "unmade.stan")
	if words := strings.Join(strings.Fields(out), " "); code != 0 ||
		!strings.Contains(words, "generated quantities of some draws were rejected, the first by 2:32: poisson_rng: the rate is -") {
		t.Errorf("unmade: exit %d, %s%s", code, out, errs)
	}
	code, out, errs = run("-out", "reject", "reject.stan")
	if code != 1 || !strings.Contains(errs, "mu is") || !strings.Contains(errs, "at all 100") || len(errs) > 400 {
		t.Errorf("reject: exit %d, %s%s", code, out, errs)
	}
	for _, name := range []string{"fatal", "reject"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s: a folder was left", name)
		}
	}
}

// Priors that are given one by one are all taken.
func TestPriorsOneByOne(t *testing.T) {
	t.Chdir(t.TempDir())
	var d strings.Builder
	d.WriteString("x,y\n")
	for i := range 30 {
		d.WriteString(strings.Repeat("1", 1+i%3) + "," + strings.Repeat("2", 1+i%2) + "\n")
	}
	if err := os.WriteFile("d.csv", []byte(d.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := run("fit", "-print", "stan", "-prior", "b ~ normal(0, 0.125)", "-prior", "sigma ~ exponential(3)", "y ~ x", "d.csv")
	if code != 0 || !strings.Contains(out, "0.125") || !strings.Contains(out, "exponential(3)") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
}

// A program includes files, from folders of their own, and what is wrong in them is said with their lines.
func TestInclude(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("lib", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"m.stan": "/* not\n#include this.stan\n*/\nfunctions {\n#include <lib/f.stan>\n}\n  #include \"lib/data.stan\" // the data\n" +
			"parameters { real mu; }\nmodel { y ~ mine(mu); }\n",
		"lib/f.stan":     "#include g.stan\nreal mine_lpdf(vector y, real mu) { return -twice(mu) * sum(y); }",
		"lib/g.stan":     "real twice(real x) { return 2 * x; }\n",
		"lib/data.stan":  "data {\n  int N;\n  vector[N] y;\n}",
		"d.json":         `{"N": 2, "y": [1, 2.5]}`,
		"at.json":        "[[3]]",
		"wrong.stan":     "data { int N; }\n#include lib/wrong.stan\n",
		"lib/wrong.stan": "parameters { real mu; }\nmodel {\n  mu ~ nromal(0, 1);\n}",
		"round.stan":     "#include lib/round.stan",
		"lib/round.stan": "parameters { real mu; }\n#include ../round.stan\n",
		"gone.stan":      "parameters { real mu; }\n#include lib/gone.stan\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := run("log-density", "m.stan", "d.json", "at.json")
	if code != 0 || !strings.Contains(out, "-21") { // -2 mu (1 + 2.5)
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	for name, want := range map[string]string{
		"wrong.stan": "lib/wrong.stan:3:8: there is no distribution nromal",
		"round.stan": "lib/round.stan:2: #include ../round.stan: it includes itself",
		"gone.stan":  "gone.stan:2: #include lib/gone.stan: there is no such file beside gone.stan",
	} {
		if code, _, errs := run("check", name); code != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %q, want %q", name, code, errs, want)
		}
	}
}
