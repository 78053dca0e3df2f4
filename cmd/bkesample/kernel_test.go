package main

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"bayeskernel/bke"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// readSummary reads a part of a summary.json.
func readSummary[T any](t *testing.T, dir string) T {
	t.Helper()
	var out T
	b, err := os.ReadFile(dir + "/summary.json")
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// withInterval is what the tests read.
type withInterval struct {
	Interval   map[string]float64 `json:"theta_interval"`
	Parameters []struct{ Mean, Q05, Q95 float64 }
	Modes      []struct{ Theta []float64 }
	Kernels    []kernelRow
	Model      struct{ Kernel, Path string }
	Notes      []string
}

// The interval of theta has the keys that other programs rely on, covers theta, and is wider than
// the posterior given the pseudo-inputs.
func TestThetaInterval(t *testing.T) {
	inFolder(t, sound())
	keys := strings.Fields("from level sd_jackknife sd_sandwich sd_seeds temper to")
	for _, c := range []struct {
		args  string
		seeds bool // other pseudo-inputs of the same kind exist
	}{
		{"-iter 200 p.csv q.csv", false},
		{"-iter 200 -kernel matern32 p.csv q.csv", false},
		{"-iter 200 -inputs 8 plane_p.csv plane_q.csv", true},
		{"learn p.csv q.csv", false},
		{"learn -map p.csv q.csv", false},
		{"learn -tau2 0.1 -label g -columns x two_labels.csv", false},
	} {
		args := strings.Fields(c.args)
		if got := call(t, "", args...); got.code != 0 ||
			!strings.Contains(got.stdout, "90% interval of theta: ") {
			t.Fatalf("%s: %+v", c.args, got)
		}
		s := readSummary[withInterval](t, folderOf(args))
		v := s.Interval
		var found []string
		for k := range v {
			found = append(found, k)
		}
		slices.Sort(found)
		theta := s.Modes[0].Theta[0]
		if !slices.Equal(found, keys) || !(v["from"] < theta && theta < v["to"]) ||
			v["level"] != 0.9 || !(v["temper"] > 0 && v["temper"] <= 1) || !(v["sd_sandwich"] > 0) ||
			!(v["sd_jackknife"] > 0) || c.seeds != (v["sd_seeds"] > 0) {
			t.Errorf("%s: theta %v, interval %v", c.args, theta, v)
		}
		if len(s.Parameters) > 0 && (v["from"] > s.Parameters[0].Q05 ||
			v["to"] < s.Parameters[0].Q95) {
			t.Errorf("%s: posterior %v, interval %v", c.args, s.Parameters[0], v)
		}
	}
}

// Where there is no interval it is null, and nothing is printed of it.
func TestNoInterval(t *testing.T) {
	inFolder(t, sound())
	for _, c := range []struct{ args, note string }{
		{"-iter 40 -no-interval p.csv", ""},
		{"-iter 40 -inputs 8 -ard plane_p.csv plane_q.csv", ""},
		{"learn -no-interval p.csv", ""},
		{"learn -theta-min 1 p.csv q.csv", "There is no interval of theta: its best value is at "},
	} {
		args := strings.Fields(c.args)
		got := call(t, "", args...)
		if got.code != 0 || strings.Contains(got.stdout, "90% interval") {
			t.Fatalf("%s: %+v", c.args, got)
		}
		raw := readSummary[map[string]json.RawMessage](t, folderOf(args))["theta_interval"]
		s := readSummary[withInterval](t, folderOf(args))
		if string(raw) != "null" || !strings.Contains(strings.Join(s.Notes, "\n"), c.note) {
			t.Errorf("%s: interval %s, notes %q", c.args, raw, s.Notes)
		}
	}
}

// The kernel is in the records of a run: summary, header of the draws, and what is printed.
func TestKernelIsRecorded(t *testing.T) {
	inFolder(t, sound())
	const name = "mixture:widths=1/4,weights=0.5/0.5"
	got := call(t, "", "-iter", "40", "-path", "portable", "-kernel", name, "p.csv", "q.csv")
	if got.code != 0 || !strings.Contains(strings.Join(strings.Fields(got.stdout), " "),
		"kernel "+name) {
		t.Fatalf("%+v", got)
	}
	s := readSummary[withInterval](t, "bkesample-out")
	if s.Model.Kernel != name || s.Model.Path != "portable" {
		t.Errorf("summary.json: %+v", s.Model)
	}
	b, err := os.ReadFile("bkesample-out/draws_1.csv")
	if err != nil || !strings.Contains(string(b), "kernel_mixture_widths_1_4_weights_0.5_0.5") ||
		!strings.Contains(string(b), "given_z") {
		t.Errorf("draws_1.csv: %v, %.400s", err, b)
	}
}

// A kernel has the same values alone and among others that it is compared with, and the best is
// first.
func TestKernelsCompared(t *testing.T) {
	inFolder(t, sound())
	data := []string{"-label", "g", "-columns", "x", "two_labels.csv"}
	if got := call(t, "", append([]string{"learn", "-kernel", "se,matern32,rq:alpha=1.5", "-out",
		"all"}, data...)...); got.code != 0 {
		t.Fatal(got.stderr)
	}
	all := readSummary[withInterval](t, "all")
	if len(all.Kernels) != 3 || all.Model.Kernel != all.Kernels[0].Kernel {
		t.Fatalf("%+v", all)
	}
	for i, r := range all.Kernels {
		if r.Difference > 0 || (r.Difference == 0) != (i == 0) || r.Integration != "quadrature" ||
			math.Abs(float64(r.Difference-(r.LogLik-all.Kernels[0].LogLik))) > 1e-9 {
			t.Errorf("row %d: %+v", i, r)
		}
	}
	at := slices.IndexFunc(all.Kernels, func(r kernelRow) bool { return r.Kernel == "se" })
	if got := call(t, "", append([]string{"learn", "-out", "one"}, data...)...); got.code != 0 ||
		!strings.Contains(got.stdout, "Log pseudolikelihood of kernel se: ") {
		t.Fatalf("%+v", got)
	}
	a, b := all.Kernels[at], readSummary[withInterval](t, "one").Kernels[0]
	if a.LogLik != b.LogLik || a.Integrated != b.Integrated || a.Theta[0] != b.Theta[0] {
		t.Errorf("squared exponential among others %+v, alone %+v", a, b)
	}
}

// Laplace's approximation agrees with quadrature, for 200 rows to a tenth of a nat.
func TestIntegrate(t *testing.T) {
	x, z := mat.NewDense(200, 1, nil), mat.NewDense(8, 1, nil)
	for i := range 200 {
		x.Set(i, 0, math.Sqrt2*math.Erfinv((2*float64(i)+1)/200-1))
	}
	for l := range 8 {
		z.Set(l, 0, math.Sqrt2*math.Erfinv((2*float64(l)+1)/8-1))
	}
	for _, r := range []kernels.Radial{kernels.SE{}, kernels.Matern{Nu: 1.5}} {
		m, err := bke.NewModel(x, z, bke.Options{Kernel: r})
		if err != nil {
			t.Fatal(err)
		}
		fit, err := m.Learn(t.Context(), bke.Search{Priors: &bke.Priors{}})
		if err != nil {
			t.Fatal(err)
		}
		c := candidate{r, m, fit}
		exact, how, err := c.integrate(t.Context(), bke.Priors{})
		if err != nil || how != "quadrature" {
			t.Fatal(how, err)
		}
		near, err := c.laplace(t.Context(), bke.Priors{})
		if err != nil || math.Abs(near-exact) > 0.1 {
			t.Errorf("%v: %v by Laplace's approximation, %v by quadrature", r, near, exact)
		}
	}
}

// kappa(0) in closed form: 1, 2nu/(2nu-2), 1, and sum w/s².
func TestCurvature(t *testing.T) {
	for text, want := range map[string]float64{"se": 1, "matern32": 3, "matern52": 5. / 3,
		"matern:nu=4": 8. / 6, "rq:alpha=1.5": 1, "mixture:widths=1/4,weights=0.5/0.5": 0.5 + 0.5/16} {
		r, err := kernels.ParseRadial(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := curvature(r); math.Abs(got-want) > 1e-14*want {
			t.Errorf("%s: kappa(0) = %v, want %v", text, got, want)
		}
	}
}

// Other kernels leave the same bytes twice, and so does a comparison.
func TestSameBytesOfKernels(t *testing.T) {
	inFolder(t, sound())
	for _, args := range []string{"-iter 60 -chains 2 -kernel matern52 p.csv q.csv",
		"learn -kernel se,matern52 -inputs 6 plane_p.csv plane_q.csv"} {
		for _, dir := range []string{"a", "b"} {
			list := strings.Fields(args)
			at := len(list) - 2
			list = slices.Insert(list, at, "-out", dir)
			if got := call(t, "", list...); got.code != 0 {
				t.Fatal(got.stderr)
			}
		}
		sameFiles(t, "a", "b")
		if err := os.RemoveAll("a"); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll("b"); err != nil {
			t.Fatal(err)
		}
	}
}

// Nothing that a user reads says that the data decide what depends on the pseudo-inputs.
func TestInfluenceSentences(t *testing.T) {
	weak := influence{Parameter: "theta", SDRatio: 0.02, Shift: -0.01}
	tau2 := influence{Parameter: "tau2", SDRatio: 0.04, Shift: 0.005}
	strong := influence{Parameter: "theta", SDRatio: 0.8, Shift: 0.5, Strong: true}
	for _, c := range []struct {
		list []influence
		want string
	}{
		{[]influence{weak, tau2}, "Given these pseudo-inputs the prior hardly matters: posterior sds, " +
			"on the log scale, are at most 0.04 of the prior's, and doubling the prior's weight would " +
			"move no mean by more than 0.01 sd."},
		{[]influence{strong, tau2}, "The prior on theta matters: its posterior sd, on the log scale, " +
			"is 0.8 of the prior's, and doubling the prior's weight would move its mean by 0.5 sd; " +
			"try another one (-prior-theta), or look at -sensitivity.\n" +
			"Given these pseudo-inputs the prior on tau2 hardly matters: its posterior sd, on the log " +
			"scale, is 0.04 of the prior's, and doubling the prior's weight would move its mean by " +
			"0.005 sd."},
		{[]influence{{Parameter: "theta", SDRatio: number(math.NaN()), Shift: 0.1}, tau2}, "Given " +
			"these pseudo-inputs the prior hardly matters: posterior sds, on the log scale, are at " +
			"most 0.04 of the prior's, and doubling the prior's weight would move no mean by more " +
			"than 0.1 sd."},
		{[]influence{{Parameter: "theta", SDRatio: number(math.NaN()), Shift: 0.1}}, "Given these " +
			"pseudo-inputs the prior on theta hardly matters: doubling the prior's weight would move " +
			"its mean by 0.1 sd."},
	} {
		if got := strings.Join(influenceSentences(c.list), "\n"); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
}
