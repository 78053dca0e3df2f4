package main

import (
	"bayeskernel/cmd/bkesample/internal/learn"
	"bayeskernel/internal/long"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
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
	Kernels    []learn.KernelRow
	Model      struct{ Kernel, Path string }
	Notes      []string
}

// The interval of theta has the keys that other programs rely on, covers theta, and is wider than
// the posterior given the pseudo-inputs.
func TestThetaInterval(t *testing.T) {
	long.Skip(t)
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
		if got := call(t, "", anew(args...)...); got.code != 0 ||
			!strings.Contains(got.stdout, "90% interval of ") {
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
		got := call(t, "", anew(args...)...)
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
	got := call(t, "", "-iter", "40", "-path", "portable", "-kernel", name, "-verbose", "p.csv", "q.csv")
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
	at := slices.IndexFunc(all.Kernels, func(r learn.KernelRow) bool { return r.Kernel == "se" })
	if got := call(t, "", append([]string{"learn", "-out", "one"}, data...)...); got.code != 0 ||
		!strings.Contains(got.stdout, "Log pseudolikelihood of kernel se: ") {
		t.Fatalf("%+v", got)
	}
	a, b := all.Kernels[at], readSummary[withInterval](t, "one").Kernels[0]
	if a.LogLik != b.LogLik || a.Integrated != b.Integrated || a.Theta[0] != b.Theta[0] {
		t.Errorf("squared exponential among others %+v, alone %+v", a, b)
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
