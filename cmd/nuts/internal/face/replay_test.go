package face

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/draws/cmdstan"
)

const program = `data { int<lower=0> N; vector[N] y; }
parameters { real mu; real<lower=0> sigma; matrix[2, 2] A; }
transformed parameters { real twice = 2 * mu; }
model { y ~ normal(mu, sigma); to_vector(A) ~ normal(0, 1); }
generated quantities { vector[N] log_lik; real again = normal_rng(mu, sigma); for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | mu, sigma); }
`

// columns are those of the program in Stan's order: the first index runs fastest.
const columns = "mu,sigma,A.1.1,A.2.1,A.1.2,A.2.2,twice,log_lik.1,log_lik.2,log_lik.3,log_lik.4,again"

const sampler = "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,"

var y = []float64{1, 2, 4, 7}

// inFolder makes a new folder with files the current one.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, s := range files {
		if err := os.WriteFile(name, []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func call1(source string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Run(context.Background(), &Model{Name: "m", Source: source}, args, &out, &errs)
	return code, out.String(), errs.String()
}

func must(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := call1(program, args...)
	if code != 0 || errs != "" {
		t.Fatalf("%v: code %d, %s", args, code, errs)
	}
	return out
}

var data = map[string]string{"d.json": `{"N": 4, "y": [1, 2, 4, 7]}`,
	"init_1.json": `{"mu": 3, "sigma": 2}`, "init_2.json": `{"mu": 4, "sigma": 1, "A": [[0, 0], [0, 0]]}`,
	"diag.json":  `{"inv_metric": [1, 2, 1, 1, 1, 1]}`,
	"dense.json": `{"inv_metric": [[2,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1,0,0],[0,0,0,0,1,0],[0,0,0,0,0,1]]}`}

// The argument lists of sample that cmdstanpy (CmdStanArgs.compose_command with SamplerArgs.compose) and cmdstanr
// (CmdStanArgs$compose_all_args with SampleArgs$compose) make, for calls of their methods with the arguments
// said, and what they then expect in the file.
var samples = []struct {
	what   string
	args   string
	fixed  bool
	warmup int // rows
	rows   int
	depth  string
}{
	{"cmdstanpy: sample(data)", "id=1 random seed=44 data file=d.json output file=o.csv method=sample algorithm=hmc adapt engaged=1", false, 0,
		1000, "10"},
	{"cmdstanpy: everything", "id=2 random seed=44 data file=d.json init=init_1.json output file=o.csv profile_file=o-profile.csv refresh=50 " +
		"sig_figs=8 method=sample num_samples=200 num_warmup=300 save_warmup=1 thin=2 algorithm=hmc engine=nuts max_depth=11 stepsize=0.5 " +
		"metric=dense_e adapt engaged=1 delta=0.9 init_buffer=50 window=30 term_buffer=40", false, 150, 100, "11"},
	{"cmdstanpy: metric='diag.json'", "id=1 random seed=1 data file=d.json output file=o.csv method=sample num_samples=50 num_warmup=60 " +
		"algorithm=hmc metric=diag_e metric_file=\"diag.json\" adapt engaged=1", false, 0, 50, "10"},
	{"cmdstanpy: adapt_engaged=False", "id=1 random seed=1 data file=d.json output file=o.csv method=sample num_samples=50 num_warmup=7 " +
		"save_warmup=1 thin=2 algorithm=hmc stepsize=0.3 metric=dense_e metric_file=dense.json adapt engaged=0", false, 4, 25, "10"},
	{"cmdstanpy: iter_warmup=0", "id=1 random seed=1 data file=d.json output file=o.csv method=sample num_samples=20 num_warmup=0 " +
		"algorithm=hmc stepsize=0.3 adapt engaged=0", false, 0, 20, "10"},
	{"cmdstanpy: fixed_param", "id=1 random seed=1 data file=d.json output file=o.csv method=sample num_samples=30 num_warmup=0 " +
		"algorithm=fixed_param", true, 0, 30, "10"},
	{"cmdstanr: $sample(data)", "id=1 random seed=44 data file=d.json output file=o.csv profile_file=o-profile.csv save_cmdstan_config=0 " +
		"method=sample save_warmup=0 algorithm=hmc engine=nuts adapt engaged=1 save_metric=0", false, 0, 1000, "10"},
	{"cmdstanr: everything", "id=3 random seed=5 init=init_2.json data file=d.json output file=o.csv refresh=10 sig_figs=10 " +
		"save_cmdstan_config=1 method=sample num_samples=60 num_warmup=90 save_warmup=1 thin=3 algorithm=hmc metric=unit_e stepsize=0.7 " +
		"engine=nuts max_depth=8 adapt delta=0.85 engaged=1 init_buffer=10 term_buffer=20 window=15 save_metric=1", false, 30, 20, "8"},
	{"cmdstanr: inv_metric", "id=1 random seed=5 data file=d.json output file=o.csv method=sample num_samples=40 num_warmup=50 save_warmup=0 " +
		"algorithm=hmc metric=dense_e metric_file=dense.json engine=nuts adapt engaged=1", false, 0, 40, "10"},
	{"cmdstanr: fixed_param", "id=1 random seed=5 data file=d.json output file=o.csv method=sample num_samples=12 save_warmup=0 " +
		"algorithm=fixed_param", true, 0, 12, "10"},
	{"a shell: no method=", "sample num_samples=10 num_warmup=20 data file=d.json init=0 output file=o.csv random seed=1", false, 0, 10, "10"},
}

func TestReplaySample(t *testing.T) {
	for _, c := range samples {
		t.Run(c.what, func(t *testing.T) {
			inFolder(t, data)
			args := strings.Fields(c.args)
			out := must(t, args...)
			f := readPython(t, "o.csv", c.fixed)
			want := sampler + columns
			if c.fixed {
				want = "lp__,accept_stat__," + columns
			}
			if got := strings.Join(f.names, ","); got != want {
				t.Errorf("columns %s, want %s", got, want)
			}
			if len(f.warmup) != c.warmup || len(f.rows) != c.rows {
				t.Errorf("%d rows of warm-up and %d after, want %d and %d", len(f.warmup), len(f.rows), c.warmup, c.rows)
			}
			if warmup, rows := countDraws(t, readLines(t, "o.csv"), c.fixed); warmup != c.warmup || rows != c.rows {
				t.Errorf("later clients count %d rows of warm-up and %d after, want %d and %d", warmup, rows, c.warmup, c.rows)
			}
			if !c.fixed && (f.config["max_depth"] != c.depth || !(f.step > 0)) {
				t.Errorf("max_depth %s and step size %v", f.config["max_depth"], f.step)
			}
			// Each argument stands at the head, as it was given.
			for _, a := range args {
				k, v, ok := strings.Cut(a, "=")
				v = strings.Trim(v, `"`)
				if ok && k != "file" && k != "init" && f.config[k] != v {
					t.Errorf("%s is %q at the head, want %q", k, f.config[k], v)
				}
			}
			r := readR(t, "o.csv")
			if r.values["method"] != "sample" || r.values["model"] != "m_model" || strings.Join(r.variables, ",") != strings.TrimPrefix(
				"lp__,"+columns, "") || math.Abs(r.full-r.warm-r.draw) > 1e-9 {
				t.Errorf("cmdstanr reads %v, %v, times %v %v %v", r.values, r.variables, r.warm, r.draw, r.full)
			}
			id := f.config["id"]
			if !slices.Contains([]string{"1", "2", "3"}, id) || r.values["id"] != id {
				t.Errorf("id is %q", id)
			}
			state, _, _, full := consoleR(t, out)
			if state != 5 || full < 0 {
				t.Errorf("on the console cmdstanr ends in state %v", state)
			}
			total := wholeOf(f.config["num_samples"]) + wholeOf(f.config["num_warmup"])
			if last := barsPython(out)[""]; last != strconv.Itoa(total) {
				t.Errorf("the last iteration told is %s, want %d", last, total)
			}
			// The project's own reader takes it too.
			if !c.fixed {
				run, err := cmdstan.Read("o.csv")
				if err != nil || run.Chains[0].Len() != c.rows || run.Names[4] != "A[1,2]" {
					t.Errorf("cmdstan.Read: %v", err)
				}
			}
		})
	}
}

func wholeOf(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// Several chains go to files with their ids; a chain has the same draws in a process of its own.
func TestReplayChains(t *testing.T) {
	inFolder(t, data)
	common := strings.Fields("random seed=9 data file=d.json init=init.json method=sample num_samples=30 num_warmup=60 save_warmup=1 " +
		"algorithm=hmc adapt engaged=1 save_metric=1")
	out := must(t, append([]string{"id=1", "output", "file=o.csv", "save_cmdstan_config=1"}, append(common, "num_chains=2")...)...)
	if bars := barsPython(out); bars["1"] != "90" || bars["2"] != "90" || len(bars) != 2 {
		t.Errorf("progress bars end at %v, want 90 for chains 1 and 2", bars)
	}
	common[4] = "init=init_2.json"
	must(t, append([]string{"id=2", "output", "file=alone.csv", "sig_figs=-1"}, common...)...)
	together, alone := readPython(t, "o_2.csv", false), readPython(t, "alone.csv", false)
	if len(alone.rows) != 30 || !slices.EqualFunc(together.rows, alone.rows, slices.Equal[[]string]) {
		t.Error("chain 2 of two and a process with id=2 have different draws")
	}
	if first := readPython(t, "o_1.csv", false); slices.Equal(first.rows[0], together.rows[0]) {
		t.Error("chains 1 and 2 have the same draws")
	}
	var m struct {
		Step    float64   `json:"stepsize"`
		Type    string    `json:"metric_type"`
		Inverse []float64 `json:"inv_metric"`
	}
	fromJSON(t, "o_1_metric.json", &m)
	if f := readPython(t, "o_1.csv", false); m.Type != "diag_e" || m.Step != f.step || !slices.Equal(m.Inverse, f.metric[0]) {
		t.Errorf("the metric in JSON is %v, in the file %v %v", m, f.step, f.metric)
	}
	var cfg struct {
		Major  string `json:"stan_major_version"`
		Name   string `json:"model_name"`
		ID     int
		Method struct {
			Value  string
			Sample struct {
				Chains int  `json:"num_chains"`
				Draws  int  `json:"num_samples"`
				Save   bool `json:"save_warmup"`
				Adapt  struct {
					Engaged bool
					Delta   float64
				}
				Algorithm struct {
					Value string
					HMC   struct {
						Engine struct {
							Value string
							NUTS  struct {
								Depth int `json:"max_depth"`
							}
						}
						Metric struct{ Value string }
					}
				}
			}
		}
		Output struct{ File string }
		Random struct{ Seed json.RawMessage }
	}
	fromJSON(t, "o_config.json", &cfg)
	if s := cfg.Method.Sample; cfg.Major != "2" || cfg.Method.Value != "sample" || s.Chains != 2 || s.Draws != 30 || !s.Save || s.Adapt.Delta != .8 ||
		s.Algorithm.HMC.Engine.NUTS.Depth != 10 || cfg.Output.File != "o.csv" || cfg.ID != 1 || s.Algorithm.HMC.Metric.Value != "diag_e" {
		t.Errorf("the configuration in JSON is %+v", cfg)
	}
	if string(cfg.Random.Seed) != "9" {
		t.Errorf("the seed in JSON is %s, want the number 9", cfg.Random.Seed)
	}
	// Names with commas, which cmdstanpy gives since it writes the configuration.
	must(t, append([]string{"id=1", "output", "file=a.csv,b.csv"}, append(common[:4:4], "method=sample", "num_samples=5", "num_warmup=10",
		"num_chains=2")...)...)
	for _, name := range []string{"a.csv", "b.csv"} {
		readPython(t, name, false)
	}
}

func fromJSON(t *testing.T, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// The mean of y with known bounds: estimates are those of the closed form. Without the Jacobian sigma² is
// the mean square, with it the sum of squares over n - 1; A is 0.
func TestReplayOptimize(t *testing.T) {
	mean, ss := 3.5, 0.0
	for _, v := range y {
		ss += (v - mean) * (v - mean)
	}
	// By default an optimization ends where g'Hg falls below 1e7 times 2.2e-16 of the log density, some -10: a
	// curvature of .76 leaves the mean uncertain by 2.4e-4, and its double by twice that.
	for _, c := range []struct {
		what, args string
		sigma      float64
		rows       int
	}{
		{"cmdstanpy: optimize(data)", "random seed=1 data file=d.json output file=o.csv method=optimize jacobian=0", math.Sqrt(ss / 4), 1},
		{"cmdstanpy: lbfgs with tolerances", "random seed=1 data file=d.json init=init_1.json output file=o.csv sig_figs=12 method=optimize " +
			"algorithm=lbfgs init_alpha=0.01 tol_obj=1e-13 tol_rel_obj=1000.0 tol_grad=1e-9 tol_rel_grad=100000.0 tol_param=1e-9 history_size=7 " +
			"iter=500 jacobian=1", math.Sqrt(ss / 3), 1},
		{"cmdstanr: $optimize(data)", "id=1 random seed=1 data file=d.json output file=o.csv method=optimize", math.Sqrt(ss / 4), 1},
		{"cmdstanr: bfgs", "id=1 random seed=2 init=0 data file=d.json output file=o.csv refresh=1 method=optimize algorithm=bfgs " +
			"init_alpha=0.001 jacobian=0 iter=300", math.Sqrt(ss / 4), 1},
		{"cmdstanpy: newton", "random seed=1 data file=d.json output file=o.csv method=optimize algorithm=newton iter=100", math.Sqrt(ss / 4), 1},
		{"cmdstanpy: save_iterations", "random seed=1 data file=d.json output file=o.csv method=optimize iter=2000 save_iterations=1",
			math.Sqrt(ss / 4), -1},
	} {
		t.Run(c.what, func(t *testing.T) {
			inFolder(t, data)
			out := must(t, strings.Fields(c.args)...)
			if !strings.Contains(out, "Optimization terminated normally") {
				t.Errorf("cmdstanr sees no end of the optimization in %q", out)
			}
			tab, err := cmdstan.ReadTable("o.csv")
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(tab.Names, ","); got != "lp__,"+columns {
				t.Errorf("columns %s", got)
			}
			if c.rows > 0 && len(tab.Rows) != c.rows || c.rows < 0 && len(tab.Rows) < 4 {
				t.Errorf("%d rows", len(tab.Rows))
			}
			last := tab.Rows[len(tab.Rows)-1]
			// cmdstanpy takes the lines behind the header as rows without looking: there may be no comments.
			if l := readLines(t, "o.csv"); strings.HasPrefix(l[len(l)-1], "#") {
				t.Error("the file ends with a comment")
			}
			for k, want := range []float64{mean, c.sigma, 0, 0, 0, 0, 2 * mean} {
				tol := 5e-4
				if strings.Contains(c.args, "tol_rel_grad=100000.0") {
					tol = 5e-5
				}
				if math.Abs(last[k+1]-want) > tol {
					t.Errorf("%s is %v, want %v", tab.Names[k+1], last[k+1], want)
				}
			}
			if r := readR(t, "o.csv"); r.values["method"] != "optimize" || r.values["iter"] == "" || len(r.variables) != 13 {
				t.Errorf("cmdstanr reads %v", r.values)
			}
		})
	}
	inFolder(t, data)
	code, out, _ := call1("parameters { real x; } model { target += x; }", "optimize", "output", "file=o.csv", "random", "seed=1")
	if code != 1 || !strings.Contains(out, "Optimization terminated with error: \n  the log density rises without end") {
		t.Errorf("a density without a mode: code %d, %q", code, out)
	}
}

// What was sampled is generated and evaluated again: the deterministic quantities are the same, and lp__ too.
func TestReplayQuantitiesAndLogProb(t *testing.T) {
	inFolder(t, data)
	must(t, strings.Fields("id=1 random seed=3 data file=d.json output file=o.csv method=sample num_samples=40 num_warmup=80 num_chains=2")...)
	drawn, err := cmdstan.ReadTable("o_1.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{
		"id=1 random seed=5 data file=d.json output file=g.csv method=generate_quantities fitted_params=o_1.csv",           // both, a process a chain
		"random seed=5 data file=d.json output file=g.csv sig_figs=17 method=generate_quantities fitted_params=o_1.csv",    // cmdstanpy
		"generate_quantities num_chains=2 fitted_params=o.csv data file=d.json output file=g.csv random seed=5",            // names from a base
		"generate_quantities num_chains=2 fitted_params=o_1.csv,o_2.csv data file=d.json output file=g.csv random seed=5 ", // a list
	} {
		must(t, strings.Fields(c)...)
		name := "g.csv"
		if strings.Contains(c, "num_chains") {
			name = "g_1.csv"
		}
		g, err := cmdstan.ReadTable(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(g.Names, ","); got != "log_lik.1,log_lik.2,log_lik.3,log_lik.4,again" || len(g.Rows) != len(drawn.Rows) {
			t.Fatalf("%s: columns %s, %d rows", c, got, len(g.Rows))
		}
		for i, row := range g.Rows {
			for k := range 4 {
				if want := drawn.Rows[i][14+k]; math.Abs(row[k]-want) > 1e-9*(1+math.Abs(want)) {
					t.Fatalf("%s, draw %d: %s is %v, want %v", c, i+1, g.Names[k], row[k], want)
				}
			}
		}
		if r := readR(t, name); r.values["method"] != "generate_quantities" || r.values["fitted_params"] == "" {
			t.Errorf("cmdstanr reads %v", r.values)
		}
		_ = os.Remove(name)
	}
	must(t, strings.Fields("log_prob constrained_params=o_1.csv jacobian=1 data file=d.json output file=l.csv")...)
	l, err := cmdstan.ReadTable("l.csv")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(l.Names, ","); got != "lp__,g_mu,g_sigma,g_A.1.1,g_A.2.1,g_A.1.2,g_A.2.2" {
		t.Errorf("columns %s", got)
	}
	for i, row := range l.Rows {
		if want := drawn.Rows[i][0]; math.Abs(row[0]-want) > 1e-9*math.Abs(want) {
			t.Fatalf("draw %d: lp__ is %v, want %v", i+1, row[0], want)
		}
	}
	// cmdstanpy: log_prob(params, data, jacobian), by the closed form at mu = 3, sigma = 2.
	if err := os.WriteFile("p.json", []byte(`{"mu": 3, "sigma": 2, "A": [[1, 0], [0, 0]]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	lp, dmu := -.5-4*math.Log(2)-4*math.Log(2*math.Pi), 0.0
	ss := 0.0
	for _, v := range y {
		lp -= (v - 3) * (v - 3) / 8
		ss += (v - 3) * (v - 3)
		dmu += (v - 3) / 4
	}
	for jacobian := range 2 {
		must(t, "log_prob", "constrained_params=p.json", "jacobian="+strconv.Itoa(jacobian), "data", "file=d.json", "output", "file=l.csv",
			"sig_figs=15")
		if l, err = cmdstan.ReadTable("l.csv"); err != nil {
			t.Fatal(err)
		}
		j := float64(jacobian)
		for k, want := range []float64{lp + j*math.Log(2), dmu, -4 + ss/4 + j, -1, 0, 0, 0} { // d/d log sigma
			if got := l.Rows[0][k]; math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("jacobian=%d: %s is %v, want %v", jacobian, l.Names[k], got, want)
			}
		}
	}
	if err := os.WriteFile("u.json", []byte(`{"params_r": [[3, 0.6931471805599453, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0]]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, strings.Fields("log_prob unconstrained_params=u.json jacobian=0 data file=d.json output file=l.csv")...)
	if l, err = cmdstan.ReadTable("l.csv"); err != nil || len(l.Rows) != 2 || math.Abs(l.Rows[0][0]-lp) > 1e-12*math.Abs(lp) {
		t.Errorf("at coordinates: %v, %v, want %v", l, err, lp)
	}
}

// info is what both look at first: cmdstanr stops without a version, and wants threads_per_chain if threads are on.
func TestInfo(t *testing.T) {
	code, out, _ := call1(program, "info")
	m := infoOf(out)
	if code != 0 || m["STAN_VERSION"] != "2.34.1" || m["STAN_THREADS"] != "false" || m["STAN_OPENCL"] != "false" || m["STAN_MPI"] != "false" {
		t.Errorf("code %d, %v", code, m)
	}
	if code, out, _ := call1(program, "help"); code != 0 || !strings.Contains(out, "num_warmup = 1000 (Default)") {
		t.Errorf("help: code %d, %q", code, out)
	}
}

// A program without parameters is sampled as CmdStan does; words may stand for truth values.
func TestWithoutParameters(t *testing.T) {
	inFolder(t, nil)
	var out, errs bytes.Buffer
	m := &Model{Name: "m", Words: true, Source: "generated quantities { real x = normal_rng(0, 1); }"}
	code := Run(context.Background(), m, strings.Fields("sample num_samples=20 num_warmup=0 output file=o.csv random seed=4"), &out, &errs)
	if code != 0 {
		t.Fatal(errs.String())
	}
	f := readPython(t, "o.csv", true)
	if f.config["save_warmup"] != "false" || f.config["algorithm"] != "fixed_param" || len(f.rows) != 20 || f.rows[0][2] == f.rows[1][2] {
		t.Errorf("%v, %v", f.config, f.rows[:2])
	}
}

// What is wrong is one line and code 1, and leaves nothing behind. Lines begin or are worded as the clients
// look for them: "Exception:" for failures, cmdstanr's words for arguments.
func TestWrong(t *testing.T) {
	files := map[string]string{"d.json": data["d.json"], "broken.json": `{"N": `, "short.json": `{"N": 3, "y": [1]}`, "dump.R": "N <- 4",
		"other.csv": "lp__,nu\n1,2\n", "bad.csv": "lp__," + columns + "\n1,2\n", "empty.csv": "# method = sample\n",
		"neg.json": `{"mu": 0, "sigma": -1}`, "diag.json": `{"inv_metric": [1, 1]}`, "point.json": `{"params_r": [1, 2]}`,
		"part.json": `{"mu": 0}`, "fit.csv": "lp__," + columns + "\n0,1,-1,0,0,0,0,2,0,0,0,0,0\n"}
	for _, c := range []struct{ args, want string }{
		{"", "A method must be specified!"},
		{"data file=d.json", "A method must be specified!"},
		{"smaple", "smaple is either mistyped or misplaced."},
		{"sample num_samples=ten", `ten is not a valid value for "num_samples": want a whole number of at least 0`},
		{"sample num_samples=-1", `-1 is not a valid value for "num_samples"`},
		{"sample thin=0", `0 is not a valid value for "thin"`},
		{"sample save_warmup=yes", `yes is not a valid value for "save_warmup": want 0, 1, true or false`},
		{"sample adapt delta=1", `1 is not a valid value for "delta": want a number above 0 and below 1`},
		{"sample delta=0.9", "delta=0.9 is either mistyped or misplaced: it follows method=sample adapt delta"},
		{"sample adapt kappa=0", `0 is not a valid value for "kappa"`},
		{"sample algorithm=rwm", `rwm is not a valid value for "algorithm": want hmc, fixed_param`},
		{"sample algorithm=hmc metric=full", `full is not a valid value for "metric": want unit_e, diag_e, dense_e`},
		{"sample algorithm=hmc stepsize=0", `0 is not a valid value for "stepsize"`},
		{"sample algorithm=hmc engine=static data file=d.json", "engine=static is not supported"},
		{"sample data file=d.json random seed=x", `x is not a valid value for "seed"`},
		{"sample data file=d.json output sig_figs=19", `19 is not a valid value for "sig_figs"`},
		{"sample data file=d.json output diagnostic_file=x.csv", "diagnostic_file=x.csv: the momenta"},
		{"sample data file=d.json id=0", `0 is not a valid value for "id"`},
		{"sample num_chains=3 data file=d.json output file=a.csv,b.csv", "a.csv,b.csv are 2 files, want 1 or 3"},
		{"sample", "Exception: the data have no N"},
		{"sample data file=absent.json", "Exception: absent.json: no such file"},
		{"sample data file=broken.json", "Exception: broken.json"},
		{"sample data file=short.json", "Exception: y has 1 elements, want 3"},
		{"sample data file=d.json init=absent.json", "absent.json: no such file"},
		{"sample data file=d.json init=-1", "init=-1: want a number from 0 to 1e6, or a file"},
		{"sample data file=d.json init=neg.json", "neg.json: 2:37: sigma does not keep its constraint"},
		{"sample algorithm=hmc metric_file=diag.json data file=d.json", "diag.json: inv_metric does not suit metric=diag_e with 6 coordinates: it has 2 values"},
		{"sample algorithm=hmc metric=unit_e metric_file=diag.json data file=d.json", "the metric is unit_e, which has no values"},
		{"sample algorithm=hmc metric_file=d.json data file=d.json", "d.json: inv_metric does not suit"},
		{"pathfinder num_paths=4 data file=d.json", "the method pathfinder is not supported: want sample"},
		{"method=variational", "the method variational is not supported"},
		{"laplace mode=x.csv", "the method laplace is not supported"},
		{"diagnose test=gradient", "the method diagnose is not supported"},
		{"optimize algorithm=adam", `adam is not a valid value for "algorithm": want bfgs, lbfgs, newton`},
		{"optimize data file=d.json iter=5", "iter=5 is either mistyped or misplaced: it follows method=optimize iter"},
		{"optimize tol_obj=1", "tol_obj=1 is either mistyped or misplaced"},
		{"generate_quantities data file=d.json", "fitted_params= is missing"},
		{"generate_quantities fitted_params=absent.csv data file=d.json", "absent.csv: no such file"},
		{"generate_quantities fitted_params=other.csv data file=d.json", "other.csv has no column mu"},
		{"generate_quantities fitted_params=bad.csv data file=d.json", "bad.csv:2: 2 values, want 13"},
		{"generate_quantities fitted_params=empty.csv data file=d.json", "empty.csv: there is no line with the names of columns"},
		{"generate_quantities fitted_params=fit.csv data file=d.json", "fit.csv, draw 1: 2:37: sigma does not keep its constraint"},
		{"generate_quantities fitted_params=fit.csv data file=d.json output file=fit.csv", "output file=fit.csv: fit.csv is read"},
		{"log_prob data file=d.json", "want one of unconstrained_params= and constrained_params="},
		{"log_prob unconstrained_params=point.json data file=d.json", "point.json: point 1 has 2 coordinates, want 6"},
		{"log_prob unconstrained_params=d.json data file=d.json", "d.json: there is no params_r"},
		{"log_prob constrained_params=part.json data file=d.json", "part.json: there is no value of the parameter sigma"},
	} {
		inFolder(t, files)
		code, _, errs := call1(program, strings.Fields(c.args)...)
		if code != 1 || !strings.Contains(errs, strings.TrimSuffix(c.want, ".")) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: code %d, %q, want 1 and %q", c.args, code, errs, c.want)
		}
		if left, _ := filepath.Glob("*"); len(left) != len(files) {
			t.Errorf("%s left %v", c.args, left)
		}
	}
	// A point that the density never accepts, and quantities that there are not.
	inFolder(t, nil)
	for _, c := range []struct{ source, args, want string }{
		{"parameters { real x; } model { reject(\"never\"); }", "sample", "never"},
		{"parameters { real x; } model { x ~ normal(0, 1); }", "generate_quantities fitted_params=x.csv", "the program has no generated quantities"},
		{"model { }", "optimize", "there is nothing to optimize"},
	} {
		code, _, errs := call1(c.source, strings.Fields(c.args)...)
		if code != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: code %d, %q, want 1 and %q", c.source, code, errs, c.want)
		}
		if left, _ := filepath.Glob("*"); len(left) != 0 {
			t.Errorf("%s left %v", c.source, left)
		}
	}
}

// TestFilesForReaders leaves files for testdata/readers/check.sh in the folder that BAYESKERNEL_CMDSTAN names, with
// the means of the draws beside.
func TestFilesForReaders(t *testing.T) {
	dir := os.Getenv("BAYESKERNEL_CMDSTAN")
	if dir == "" {
		t.Skip("BAYESKERNEL_CMDSTAN names no folder")
	}
	here := t.TempDir()
	for name, s := range data {
		if err := os.WriteFile(filepath.Join(here, name), []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file := func(name string) string { return "file=" + filepath.Join(dir, name) }
	d := "file=" + filepath.Join(here, "d.json")
	must(t, "random", "seed=1", "data", d, "output", file("o.csv"), "method=sample", "num_samples=300", "num_warmup=200", "num_chains=4",
		"save_warmup=1", "thin=2")
	must(t, "random", "seed=1", "data", d, "output", file("dense.csv"), "method=sample", "num_samples=100", "num_warmup=100",
		"algorithm=hmc", "metric=dense_e")
	must(t, "random", "seed=1", "data", d, "output", file("fixed.csv"), "method=sample", "num_samples=50", "algorithm=fixed_param")
	var lines []string
	for id := 1; id <= 4; id++ {
		tab, err := cmdstan.ReadTable(filepath.Join(dir, "o_"+strconv.Itoa(id)+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		for k, name := range tab.Names {
			s := 0.0
			for _, row := range tab.Rows[100:] {
				s += row[k] / 150
			}
			lines = append(lines, strconv.Itoa(id)+","+name+","+strconv.FormatFloat(s, 'g', 17, 64))
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "means.txt"), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
