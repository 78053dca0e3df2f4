package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayeskernel/draws/cmdstan"
)

const schools = `data {
  int<lower=0> J;
  vector[J] y;
  vector<lower=0>[J] sigma;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] eta;
}
transformed parameters {
  vector[J] theta = mu + tau * eta;
}
model {
  mu ~ normal(0, 5);
  tau ~ normal(0, 5);
  eta ~ normal(0, 1);
  y ~ normal(theta, sigma);
}
generated quantities {
  array[J] real again = normal_rng(theta, sigma);
}
`

// inFolder writes files into a new folder and makes it the current one.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func run(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = program().Run(context.Background(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// The JSON of log-density is what programs outside read: names, and for each point the log density, its
// gradient and values; a point that the program rejects has "-Infinity".
func TestLogDensity(t *testing.T) {
	inFolder(t, map[string]string{"m.stan": `parameters { real<lower=0> s; matrix[2, 2] A; }
transformed parameters { real twice = 2 * s; }
model { s ~ normal(0, 1); to_vector(A) ~ normal(0, 1); if (s > 100) reject("too large"); }`,
		"at.json": "[[0, 1, 2, 3, 4], [5, 0, 0, 0, 0]]"})
	code, out, errs := run("log-density", "m.stan", "at.json")
	if code != 0 {
		t.Fatal(errs)
	}
	var got struct {
		Names  []string
		Points []struct {
			LP       any `json:"log_density"`
			Gradient []any
			Values   []float64
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if want := "s A.1.1 A.2.1 A.1.2 A.2.2 twice"; strings.Join(got.Names, " ") != want {
		t.Errorf("names %v, want %s", got.Names, want)
	}
	want := -5*math.Log(2*math.Pi)/2 - (1.0+1+4+9+16)/2
	if lp, ok := got.Points[0].LP.(float64); !ok || math.Abs(lp-want) > 1e-12 {
		t.Errorf("log density %v, want %v", got.Points[0].LP, want)
	}
	for i, w := range []float64{0, -1, -2, -3, -4} {
		if g := got.Points[0].Gradient[i].(float64); math.Abs(g-w) > 1e-12 {
			t.Errorf("derivative %d is %v, want %v", i, g, w)
		}
	}
	if v := got.Points[0].Values; v[0] != 1 || v[2] != 2 || v[3] != 3 || v[5] != 2 {
		t.Errorf("values %v", v)
	}
	if got.Points[1].LP != "-Infinity" {
		t.Errorf("a rejected point has log density %v, want -Infinity", got.Points[1].LP)
	}
}

// A run leaves draws that readers of CmdStan's files take, the same for the same seed.
func TestSample(t *testing.T) {
	inFolder(t, map[string]string{"m.stan": schools, "d.json": `{"J": 3, "y": [28, 8, -3], "sigma": [15, 10, 16]}`})
	for _, dir := range []string{"a", "b"} {
		code, out, errs := run("-iter", "100", "-warmup", "100", "-chains", "2", "-out", dir, "m.stan", "d.json")
		if code != 0 {
			t.Fatal(errs)
		}
		if !strings.Contains(out, "theta[3]") || !strings.Contains(out, "again[1]") {
			t.Errorf("the summary has no theta[3] or no again[1]:\n%s", out)
		}
	}
	var files [2][]string
	for k, dir := range []string{"a", "b"} {
		files[k], _ = filepath.Glob(filepath.Join(dir, "*.csv"))
	}
	if len(files[0]) != 2 {
		t.Fatalf("%d files of draws, want 2", len(files[0]))
	}
	for i := range files[0] {
		a, _ := os.ReadFile(files[0][i])
		b, _ := os.ReadFile(files[1][i])
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs between two runs with one seed", files[0][i])
		}
	}
	r, err := cmdstan.Read(files[0]...)
	if err != nil {
		t.Fatal(err)
	}
	if d, ok := r.Draws("theta[2]"); !ok || len(d) != 2 || len(d[0]) != 100 {
		t.Errorf("theta[2] cannot be read back")
	}
}

// Wrong uses end with the right code and say what is wrong; nothing is left.
// Learned centring changes draws where there is something to learn, and a flag switches it off.
func TestNoCentring(t *testing.T) {
	inFolder(t, map[string]string{
		"g.stan": "parameters { real<lower=0> s; vector[3] x; } model { s ~ lognormal(0, 1); x ~ normal(0, s); }",
		"n.stan": "parameters { vector[3] x; } model { x ~ normal(0, 2); }"})
	for _, c := range []struct {
		program string
		same    bool
	}{{"g", false}, {"n", true}} {
		var draws [2]string
		for k, flags := range [][]string{{"-quiet"}, {"-quiet", "-no-centring"}} {
			dir := c.program + string(rune('0'+k))
			if code, _, errs := run(append(flags, "-chains", "2", "-iter", "20", "-warmup", "60", "-out", dir, c.program+".stan")...); code != 0 {
				t.Fatal(errs)
			}
			b, err := os.ReadFile(filepath.Join(dir, "draws_1.csv"))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(b)) {
				if !strings.HasPrefix(line, "#") {
					draws[k] += line
				}
			}
		}
		if (draws[0] == draws[1]) != c.same {
			t.Errorf("%s: the same draws with and without learned centring: %v, want %v", c.program, !c.same, c.same)
		}
	}
}

func TestWrongUses(t *testing.T) {
	good := `{"J": 3, "y": [28, 8, -3], "sigma": [15, 10, 16]}`
	files := map[string]string{"m.stan": schools, "d.json": good, "at.json": "[[0]]",
		"syntax.stan": "model { x = ; }", "name.stan": "parameters { real a; } model { a ~ nromal(0, 1); }",
		"none.stan": "model { target += 1; }", "zero.stan": "parameters { simplex[0] q; real x; } model { x ~ normal(0, 1); }",
		"int.stan":     "parameters { int k; } model { }",
		"complex.stan": "parameters { real a; } model { complex z = 2i; a ~ normal(0, 1); }",
		"index.stan":   "parameters { vector[2] a; } model { a[3] ~ normal(0, 1); }",
		"type.stan":    "parameters { vector[2] a; row_vector[3] b; } model { target += a * a; }",
		"short.json":   `{"J": 3, "y": [28, 8], "sigma": [15, 10, 16]}`,
		"less.json":    `{"J": 3, "sigma": [15, 10, 16]}`,
		"below.json":   `{"J": 3, "y": [28, 8, -3], "sigma": [15, -10, 16]}`,
		"text.json":    `{"J": 3, "y": [28, "a", -3], "sigma": [15, 10, 16]}`,
		"part.json":    `{"J": 2.5, "y": [28, 8, -3], "sigma": [15, 10, 16]}`,
		"broken.json":  `{"J": 3`}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", 2, "want MODEL.stan [DATA.json], found 0 files"},
		{"m.stan d.json more.json", 2, "found 3 files"},
		{"absent.stan", 1, "absent.stan: no such file"},
		{"m.stan absent.json", 1, "absent.json: no such file"},
		{"-chains 0 m.stan d.json", 2, "-chains is 0, want at least 1"},
		{"-iter 0 m.stan d.json", 2, "-iter is 0"},
		{"-delta 1.5 m.stan d.json", 2, "-delta is 1.5, want a number between 0 and 1"},
		{"-itr 5 m.stan d.json", 2, "-itr: did you mean -iter?"},
		{"-num_samples=5 m.stan d.json", 2, "-num_samples: did you mean -iter?"},
		{"-data d.json m.stan", 2, "files are named without a flag: MODEL.stan [DATA.json]"},
		{"m.stan", 1, "the data have no J"},
		{"m.stan short.json", 1, "m.stan:3:13: y has 2 elements, want 3"},
		{"m.stan less.json", 1, "the data have no y, want vector[3]"},
		{"m.stan below.json", 1, "sigma[2] is -10, want at least 0"},
		{"m.stan text.json", 1, `y[2] is the text "a", want a number`},
		{"m.stan part.json", 1, "J is 2.5, want a whole number"},
		{"m.stan broken.json", 1, "broken.json"},
		{"syntax.stan", 1, "syntax.stan:1:13: found ';', want an expression"},
		{"check syntax.stan", 1, "1 mistake"},
		{"check", 2, "check takes one program, found 0 files"},
		{"name.stan", 1, "there is no distribution nromal: did you mean normal?"},
		{"none.stan", 1, "it has no parameters"},
		{"zero.stan", 1, "a simplex of size 0, want at least 1"},
		{"int.stan", 1, "the parameter k is int, want reals"},
		{"complex.stan", 1, "complex numbers are not supported"},
		{"index.stan", 1, "index 3 of a is out of bounds: it has 2 elements"},
		{"type.stan absent.json", 1, "type.stan:1:66: there is no * for vector and vector, want .* or a transpose"},
		{"check type.stan", 1, "there is no * for vector and vector"},
		{"log-density m.stan", 2, "found 1 files"},
		{"log-density m.stan d.json at.json", 1, "at.json: point 1 has 1 coordinates, want 5"},
		{"log-density -ode-tolerance -1 m.stan d.json at.json", 2, "-ode-tolerance is -1"},
		{"log-density m.stan d.json d.json", 1, "want a list of points"},
		{"smaple m.stan", 2, "smaple"},
	} {
		inFolder(t, files)
		code, _, errs := run(strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("nuts %s: code %d, %q, want %d and %q", c.args, code, errs, c.code, c.want)
		}
		if left, _ := os.ReadDir("."); len(left) != len(files) {
			t.Errorf("nuts %s left %d files, want the %d there were", c.args, len(left), len(files))
		}
	}
}

// What goes wrong at every point is shown with its line; where it ends trajectories, the warning of divergences names it.
func TestNoDensity(t *testing.T) {
	inFolder(t, map[string]string{"never.stan": "parameters { vector[3] mu; }\nmodel {\n  mu[4] ~ normal(0, 1);\n}",
		"data.stan": "data { array[2] int y; } parameters { real<lower=0> l; } model { y ~ poisson(l); }", "data.json": `{"y": [1, -1]}`,
		"half.stan": "parameters { real mu; }\nmodel {\n  mu ~ normal(0, 1);\n  if (mu < 0) reject(\"negative\");\n}"})
	for _, c := range [][2]string{
		{"never.stan", "never.stan:3:5: index 4 of mu is out of bounds"},
		{"data.stan data.json", "poisson: value 2 is -1, want at least 0"},
	} {
		if code, _, errs := run(strings.Fields(c[0])...); code != 1 || !strings.Contains(errs, c[1]) ||
			!strings.Contains(errs, "no point to start from: this was so at all 100") {
			t.Errorf("nuts %s: code %d, %s, want %s", c[0], code, errs, c[1])
		}
	}
	code, out, errs := run("-iter", "200", "-warmup", "200", "half.stan")
	if text := strings.Join(strings.Fields(out), " "); code != 0 || !strings.Contains(text, "points beside draws it rejects") ||
		!strings.Contains(text, "at 4:15: negative.") {
		t.Errorf("code %d, %s %s", code, out, errs)
	}
}

// A line along which the density does not change is named first; a parameter of which the data say little is not.
func TestImproper(t *testing.T) {
	inFolder(t, map[string]string{"unused.stan": "parameters { real x; real y; real<lower=0> s; } model { y ~ normal(0, s); s ~ exponential(1); }",
		"effects.stan": "data { array[4] int g; vector[4] y; } parameters { real mu; vector[2] a; } model { y ~ normal(mu + a[g], 1); }",
		"effects.json": `{"g": [1, 1, 2, 2], "y": [1, 2, 4, 3]}`,
		"slope.stan": "data { vector[4] x; vector[4] y; } parameters { real a; real b; real<lower=0> s; } " +
			"model { y ~ normal(a + b * x, s); s ~ exponential(1); }",
		"slope.json": `{"x": [1e6, 1000001, 1000002, 1000003], "y": [1, 2, 4, 3]}`})
	for _, c := range [][2]string{
		{"unused.stan", "the density does not depend on x, so"},
		{"effects.stan effects.json", "the density is the same all along a line in mu, a[1], a[2], so"},
		{"slope.stan slope.json", ""},
	} {
		code, out, errs := run(append(strings.Fields(c[0]), "-iter", "100", "-warmup", "100")...)
		text := strings.Join(strings.Fields(out), " ")
		if code != 0 || !strings.HasPrefix(text, "Read the warnings before you use these draws: "+c[1]) ||
			c[1] == "" && strings.Contains(text, "no posterior") {
			t.Errorf("nuts %s: code %d, %s %s", c[0], code, out, errs)
		}
	}
}

// Check notes old syntax, and -print modernises it.
func TestCheck(t *testing.T) {
	inFolder(t, map[string]string{"old.stan": "parameters { real x[2]; } model { real s; s <- x[1]; s ~ normal(0, 1); }"})
	code, out, errs := run("check", "old.stan")
	if code != 0 || !strings.Contains(out, "arrays are declared as array[N] real x") || !strings.Contains(out, "reads well") {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	code, out, _ = run("check", "-print", "old.stan")
	if code != 0 || !strings.Contains(out, "  array[2] real x;\n") || !strings.Contains(out, "s = x[1];") {
		t.Errorf("code %d, %q", code, out)
	}
}

// A run that is interrupted leaves what it has; resumed, it leaves the files of a run that was not interrupted.
// Data may be what R's dump writes.
func TestResume(t *testing.T) {
	inFolder(t, map[string]string{"m.stan": schools, "d.R": "J <- 3L\ny <- c(1, 5, -2)\nsigma <-\nc(3, 4, 5)\n"})
	args := []string{"-iter", "2000", "-warmup", "200", "-seed", "5"}
	if code, _, errs := run(append(args, "-out", "whole", "m.stan", "d.R")...); code != 0 {
		t.Fatal(errs)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		for { // until draws are on the disk
			if b, err := os.ReadFile("parts/draws_1.csv.part"); err == nil && bytes.Count(b, []byte("\n")) > 300 {
				break
			}
			if b, err := os.ReadFile("parts/draws_1.csv"); err == nil && len(b) > 0 {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		stop()
	}()
	var out, errs bytes.Buffer
	code := program().Run(ctx, append(args, "-out", "parts", "m.stan", "d.R"), strings.NewReader(""), &out, &errs)
	t.Logf("exit %d", code)
	switch code {
	case 0: // it was faster than the interruption
	case 130:
		if _, err := cmdstan.Read("parts/draws_1.csv"); err != nil {
			t.Errorf("draws of an interrupted run: %v", err)
		}
		if code, _, errs := run(append(args, "-resume", "parts", "m.stan", "d.R")...); code != 0 {
			t.Fatal(errs)
		}
	default:
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	for _, name := range []string{"draws_1.csv", "draws_4.csv"} {
		a, _ := os.ReadFile(filepath.Join("whole", name))
		b, _ := os.ReadFile(filepath.Join("parts", name))
		if len(a) == 0 || !bytes.Equal(a, b) {
			t.Errorf("%s of a run that was resumed has %d bytes, of one that was not %d", name, len(b), len(a))
		}
	}
}

// A run ends once it has the effective draws asked for; Zarr folders are written on request.
func TestUntil(t *testing.T) {
	inFolder(t, map[string]string{"m.stan": "parameters { vector[3] x; } model { x ~ std_normal(); }"})
	code, out, errs := run("-until", "ess=400", "-iter", "20000", "-zarr", "m.stan")
	if code != 0 || !strings.Contains(out, "stopping rule ended the run") {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	if _, err := os.Stat("nuts-out/draws.zarr"); err != nil {
		t.Error(err)
	}
	for _, c := range [][2]string{{"ess", "no target"}, {"ess<400", "points the wrong way"}, {"rhat=0.9", "never be met"},
		{"kappa=2", "unknown"}, {"ess=many", "positive number"}} {
		if code, _, errs := run("-until", c[0], "m.stan"); code != 2 || !strings.Contains(errs, c[1]) {
			t.Errorf("-until %s: exit %d, %s", c[0], code, errs)
		}
	}
}
