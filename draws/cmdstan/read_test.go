package cmdstan

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/draws/internal/drawstest"
)

// A file as CmdStan 2.19 writes it.
const cmdstan219 = `# stan_version_major = 2
# stan_version_minor = 19
# stan_version_patch = 1
# model = tiny_model
# method = sample (Default)
#   sample
#     num_samples = 3
#     num_warmup = 1000 (Default)
#     save_warmup = 0 (Default)
#     thin = 1 (Default)
#     adapt
#       engaged = 1 (Default)
#       gamma = 0.050000000000000003 (Default)
#       delta = 0.90000000000000002
#       kappa = 0.75 (Default)
#       t0 = 10 (Default)
#       init_buffer = 75 (Default)
#       term_buffer = 50 (Default)
#       window = 25 (Default)
#     algorithm = hmc (Default)
#       hmc
#         engine = nuts (Default)
#           nuts
#             max_depth = 12
#         metric = diag_e (Default)
#         metric_file =  (Default)
#         stepsize = 1 (Default)
#         stepsize_jitter = 0 (Default)
# id = 1
# data
#   file = tiny.data.json
# init = 2 (Default)
# random
#   seed = 80343
# output
#   file = output.csv (Default)
#   refresh = 100 (Default)
lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,theta.1,theta.2,s
# Adaptation terminated
# Step size = 1.03831
# Diagonal elements of inverse mass matrix:
# 0.504345, 2, 3e-05
-6.98626,1,1.03831,1,1,0,7.07958,0.170975,-nan,1
-6.77277,0.971297,1.03831,2,3,1,7.10074,0.278471,inf,2
-7.93552,0.69194,1.03831,2,3,0,8.50486,0.0961425,-Inf,3

# 
#  Elapsed Time: 0.012 seconds (Warm-up)
#                0.034 seconds (Sampling)
#                0.046 seconds (Total)
# 
`

func read(text string) (*draws.Run, error) { return readCSV(strings.NewReader(text), "f.csv") }

func TestReadCmdStan(t *testing.T) {
	r, err := read(cmdstan219)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"theta[1]", "theta[2]", "s"}; !reflect.DeepEqual(r.Names, want) {
		t.Errorf("names %q", r.Names)
	}
	if r.Model != "tiny_model" || r.Seed != 80343 {
		t.Errorf("model %q, seed %d", r.Model, r.Seed)
	}
	want := draws.Sampler{Algorithm: "nuts", Warmup: 1000, Draws: 3, Thin: 1, TargetAccept: 0.9,
		MaxDepth: 12, Metric: "diag_e", InitBuffer: 75, Window: 25, TermBuffer: 50, Gamma: 0.05,
		Kappa: 0.75, T0: 10, InitRadius: 2}
	if r.Sampler != want {
		t.Errorf("sampler %+v", r.Sampler)
	}
	c := r.Chains[0]
	drawstest.SameBits(t, "values", c.Values, [][]float64{{0.170975, math.NaN(), 1},
		{0.278471, math.Inf(1), 2}, {0.0961425, math.Inf(-1), 3}})
	if (c.Stats[1] != draws.Stat{LP: -6.77277, AcceptStat: 0.971297, StepSize: 1.03831, Energy: 7.10074,
		TreeDepth: 2, Leapfrogs: 3, Divergent: true}) {
		t.Errorf("statistics %+v", c.Stats[1])
	}
	if c.StepSize != 1.03831 || !reflect.DeepEqual(c.Metric.Diag, []float64{0.504345, 2, 3e-05}) {
		t.Errorf("step size %v, metric %+v", c.StepSize, c.Metric)
	}
	if c.WarmupSeconds != 0.012 || c.SampleSeconds != 0.034 {
		t.Errorf("seconds %v, %v", c.WarmupSeconds, c.SampleSeconds)
	}
}

// edit replaces a piece of text that must be there.
func edit(t *testing.T, text, old, replacement string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("%q is not in the text", old)
	}
	return strings.Replace(text, old, replacement, 1)
}

func TestReadVariants(t *testing.T) {
	for name, text := range map[string]string{
		"CRLF":       strings.ReplaceAll(cmdstan219, "\n", "\r\n"),
		"booleans":   edit(t, cmdstan219, "save_warmup = 0", "save_warmup = false"),
		"random id":  edit(t, cmdstan219, "init = 2 (Default)", "init = init.json"),
		"no footer":  cmdstan219[:strings.Index(cmdstan219, "\n# \n#  Elapsed")],
		"open end":   strings.TrimRight(cmdstan219, "\n"),
		"no counts":  edit(t, cmdstan219, "#     num_samples = 3\n", ""),
		"new lines":  edit(t, cmdstan219, "# data\n", "# stancflags = --O1 --name=a=b\n# data\n"),
		"spaces":     strings.ReplaceAll(cmdstan219, ",", " , "),
		"seed":       edit(t, cmdstan219, "seed = 80343", "seed = -1 (Default)"),
		"tuple":      edit(t, cmdstan219, "theta.1,theta.2,s", "t:1.1,t:2,s"),
		"other own":  edit(t, cmdstan219, "# data\n", "# bayeskernel_names = a,b\n# data\n"),
		"extra stat": edit(t, cmdstan219, "energy__,theta.1", "energy__,new__"),
	} {
		r, err := read(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(r.Chains[0].Values) != 3 || r.Chains[0].Metric.Kind != "diag_e" {
			t.Errorf("%s: %d draws, metric %q", name, len(r.Chains[0].Values), r.Chains[0].Metric.Kind)
		}
	}
	noParams := edit(t, cmdstan219, "# 0.504345, 2, 3e-05\n", "# \n")
	if r, err := read(noParams); err != nil || len(r.Chains[0].Metric.Diag) != 0 {
		t.Errorf("empty metric: %v", err)
	}
	fixed := cmdstan219[:strings.Index(cmdstan219, "lp__")] +
		"lp__,accept_stat__,a\n0,0,1\n0,0,2\n0,0,3\n"
	if r, err := read(fixed); err != nil || len(r.Chains[0].Values) != 3 {
		t.Errorf("fixed parameters: %v", err)
	}
}

// The files in testdata/stan were written by Stan itself, through rstan; see the README there.
func TestReadRStan(t *testing.T) {
	r, err := Read("testdata/stan/rstan_1.csv", "testdata/stan/rstan_2.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"theta[1]", "theta[2]", "s", "R[1,1]", "R[2,1]", "R[1,2]", "R[2,2]"}
	if !reflect.DeepEqual(r.Names, want) {
		t.Errorf("names %q", r.Names)
	}
	s := r.Sampler
	if s.Warmup != 20 || s.Draws != 20 || s.Thin != 1 || !s.SaveWarmup || s.Metric != "diag_e" ||
		s.TargetAccept != 0.8 || s.MaxDepth != 10 || r.Seed != 1 || s.Chains != 2 {
		t.Errorf("sampler %+v, seed %d", s, r.Seed)
	}
	for c, ch := range r.Chains {
		if len(ch.WarmupValues) != 20 || ch.Warmup != 20 || len(ch.Values) != 20 {
			t.Errorf("chain %d: %d warm-up rows of %d transitions, %d draws", c, len(ch.WarmupValues), ch.Warmup, len(ch.Values))
		}
		if v := ch.Values[0][3:]; !reflect.DeepEqual(v, []float64{11, 21, 12, 22}) {
			t.Errorf("R is %v", v)
		}
	}
	thin, err := Read("testdata/stan/rstan_thin.csv")
	if err != nil {
		t.Fatal(err)
	}
	ch := thin.Chains[0]
	// rstan's own reading of this file, printed to six digits.
	if len(ch.Values) != 7 || ch.Values[3][0] != 0.142253 || ch.Values[6][2] != 0.705539 {
		t.Errorf("values %v", ch.Values)
	}
	if ch.Metric.Kind != "dense_e" || len(ch.Metric.Dense) != 3 || thin.Sampler.Draws != 20 {
		t.Errorf("metric %+v, %d draws", ch.Metric, thin.Sampler.Draws)
	}
}

func TestReadErrors(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"0.278471", "0.27x", `cmdstan: f.csv:44: column 8 (theta.1) is "0.27x", expected a number`},
		{"0.278471", "", `f.csv:44: column 8 (theta.1) is "", expected a number`},
		{",inf,2", ",inf", `f.csv:44: 9 values, expected 10`},
		{",2,3,1,", ",2.5,3,1,", `f.csv:44: column 4 (treedepth__) is "2.5", expected a whole number`},
		{",2,3,1,", ",2,nan,1,", `f.csv:44: column 5 (n_leapfrog__) is "nan", expected a whole`},
		{"lp__", "log_p__", `f.csv:38: no column lp__ among 10 columns`},
		{"theta.2", "theta.1", `f.csv:38: column 9 is named "theta.1", expected a name of its own`},
		{"theta.2", "", `f.csv:38: column 9 is named ""`},
		{"method = sample", "method = optimize", `f.csv:38: method is "optimize", expected "sample"`},
		{"num_samples = 3", "num_samples = 3.5", `f.csv:7: num_samples is "3.5", expected a whole`},
		{"num_samples = 3", "num_samples = -3", `f.csv:7: num_samples is "-3", expected a whole`},
		{"num_samples = 3", "num_samples = 2", `f.csv: 3 draws, expected 2`},
		{"save_warmup = 0", "save_warmup = no", `f.csv:9: save_warmup is "no", expected true`},
		{"delta = 0.9", "delta = x.9", `f.csv:14: delta is "x.90000000000000002", expected a number`},
		{"size = 1.03831", "size = big", `f.csv:40: step size is "big", expected a number`},
		{"# 0.504345, 2,", "# 0.504345, two,", `f.csv:42: element 2 of the inverse metric is "two"`},
		{"# Adaptation", "# bayeskernel_window = 1 2 old\n# Adaptation", `f.csv:39: window holds 3 words`},
		{"# Adaptation", "# bayeskernel_window = 1 b old 0\n# Adaptation",
			`f.csv:39: window holds "b", want a whole number`},
		{"# Adaptation", "# bayeskernel_window = 1 2 old 0 x 0 y\n# Adaptation",
			`f.csv:39: window holds "y", want a number`},
		{"# Diagonal elements", "# Elements", `f.csv:43: element 1 of the inverse metric is`},
	} {
		text := edit(t, cmdstan219, test.old, test.new)
		if test.new == "# Elements" { // a dense metric of three rows, but one too short
			text = edit(t, text, "2, 3e-05\n", "2, 3e-05\n# x\n")
		}
		r, err := read(text)
		if err == nil || !strings.Contains(err.Error(), test.want) || r != nil {
			t.Errorf("%s: error %v, want %q", test.new, err, test.want)
		}
	}
	dense := edit(t, cmdstan219, "# Diagonal elements", "# Elements")
	dense = edit(t, dense, "3e-05\n", "3e-05\n# 1, 2\n")
	_, err := read(dense)
	if err == nil || !strings.Contains(err.Error(), "has 2 elements, expected 3") {
		t.Errorf("ragged metric: %v", err)
	}
	for _, text := range []string{"", "\n", "# a = 1\n", "lp__,a", "a,b\n1,2\n"} {
		if r, err := read(text); err == nil || r != nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// Cut anywhere, a file gives back whole rows only, each as it was, and says that it was cut.
func TestReadTruncated(t *testing.T) {
	run := drawstest.Run([]string{"a", "b[1]", "b[2]"}, 1, 4, 6, 1)
	drawstest.DenseMetric(run)
	paths, err := Write(t.TempDir(), "out", run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := drawstest.FileBytes(t, paths[0])
	start := strings.Index(text, "lp__")
	start += strings.IndexByte(text[start:], '\n') + 1
	end := strings.Index(text, "# \n#  Elapsed")
	for n := start; n < len(text); n++ {
		r, err := read(text[:n])
		if n >= end {
			if err != nil {
				t.Fatalf("cut in the footer at %d: %v", n, err)
			}
		} else if !errors.Is(err, ErrTruncated) || r == nil {
			t.Fatalf("cut at %d: error %v", n, err)
		}
		c := r.Chains[0]
		drawstest.SameBits(t, "warm-up", c.WarmupValues, run.Chains[0].WarmupValues[:len(c.WarmupValues)])
		drawstest.SameBits(t, "values", c.Values, run.Chains[0].Values[:len(c.Values)])
		if got := len(c.WarmupValues) + len(c.Values); got < strings.Count(text[start:n], ",")/9-3 {
			t.Fatalf("cut at %d: only %d rows", n, got)
		}
	}
	for n := range start {
		if _, err := read(text[:n]); err == nil {
			t.Fatalf("cut in the header at %d: no error", n)
		}
	}
}

func TestReadCSVFiles(t *testing.T) {
	dir := t.TempDir()
	paths, err := Write(dir, "out", drawstest.Run([]string{"a", "b"}, 2, 0, 6, 1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := Write(dir, "other", drawstest.Run([]string{"a", "c"}, 1, 0, 6, 1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Read(paths[0], other[0])
	want := `other_1.csv: parameter 2 is "c", expected "b", expected as in ` + paths[0]
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
	more, err := Write(dir, "more", drawstest.Run([]string{"a", "b", "c"}, 1, 0, 6, 1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Read(paths[0], more[0]); err == nil {
		t.Error("files of different width were read")
	}
	if _, err = Read(); err == nil {
		t.Error("no files, no error")
	}
	if _, err = Read(filepath.Join(dir, "none.csv")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	// One chain of a running sampler may be behind the others.
	text := drawstest.FileBytes(t, paths[1])
	cut := text[:strings.LastIndex(text[:strings.Index(text, "# \n")-1], "\n")+1]
	if err := os.WriteFile(paths[1], []byte(cut), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Read(paths...)
	if !errors.Is(err, ErrTruncated) || len(r.Chains) != 2 || len(r.Chains[1].Values) != 5 {
		t.Errorf("error %v", err)
	}
}

// Whatever the text, reading neither panics nor takes more memory than the text explains, and what
// comes back is consistent.
func FuzzRead(f *testing.F) {
	f.Add(cmdstan219)
	for _, path := range []string{"rstan_1.csv", "rstan_thin.csv"} {
		b, err := os.ReadFile(filepath.Join("testdata", "stan", path))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	dir := f.TempDir()
	run := drawstest.Run(testNames, 1, 3, 4, 1)
	drawstest.DenseMetric(run)
	paths, err := Write(dir, "seed", run, Options{})
	if err != nil {
		f.Fatal(err)
	}
	b, err := os.ReadFile(paths[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(b))
	f.Fuzz(func(t *testing.T, text string) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := read(text)
		runtime.ReadMemStats(&after)
		if used, limit := after.TotalAlloc-before.TotalAlloc, uint64(1<<20+500*len(text)); used > limit {
			t.Errorf("%d bytes of text took %d bytes of memory", len(text), used)
		}
		if (r == nil) != (err != nil && !errors.Is(err, ErrTruncated)) {
			t.Fatalf("a run is returned: %v, with error %v", r != nil, err)
		}
		if r == nil {
			return
		}
		for _, rows := range [][][]float64{r.Chains[0].Values, r.Chains[0].WarmupValues} {
			for _, row := range rows {
				if len(row) != len(r.Names) {
					t.Fatalf("%d values for %d names", len(row), len(r.Names))
				}
			}
		}
		if r.Check() != nil || r.Sampler.Thin < 1 || r.Sampler.Draws < 0 {
			t.Fatalf("an inconsistent run: %v, %+v", r.Check(), r.Sampler)
		}
	})
}
