package svm

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
)

const tables = "../examples/internal/tables/testdata/"

// table reads a data set: columns of numbers, divided by their standard deviations, and the labels in
// the last column.
func table(t testing.TB, name string) (*mat.Dense, []string) {
	t.Helper()
	f, err := os.Open(tables + name + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all = all[1:]
	d := len(all[0]) - 1
	x, labels := mat.NewDense(len(all), d, nil), make([]string, len(all))
	for i, row := range all {
		labels[i] = row[d]
		for j := range d {
			v, err := strconv.ParseFloat(row[j], 64)
			if err != nil {
				t.Fatalf("%s, row %d, column %d: %v", name, i+1, j+1, err)
			}
			x.Set(i, j, v)
		}
	}
	for j := range d {
		mean, square := 0.0, 0.0
		for i := range all {
			mean += x.At(i, j) / float64(len(all))
		}
		for i := range all {
			square += (x.At(i, j) - mean) * (x.At(i, j) - mean) / float64(len(all))
		}
		if square > 0 {
			for i := range all {
				x.Set(i, j, (x.At(i, j)-mean)/math.Sqrt(square))
			}
		}
	}
	return x, labels
}

// libsvm trains with svm-train and returns the objectives that it prints, one for each pair.
func libsvm(t testing.TB, x *mat.Dense, y []string, args ...string) []float64 {
	t.Helper()
	if _, err := exec.LookPath("svm-train"); err != nil {
		t.Skip("svm-train of libsvm is not installed")
	}
	var b bytes.Buffer
	n, d := x.Dims()
	for i := range n {
		b.WriteString(y[i])
		for j := range d {
			fmt.Fprintf(&b, " %d:%.17g", j+1, x.At(i, j))
		}
		b.WriteByte('\n')
	}
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.WriteFile(data, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("svm-train", append(args, data, filepath.Join(dir, "model"))...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var obj []float64
	scale := 1.0
	pattern := regexp.MustCompile(`^(obj|C) = ([^,]*)`)
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		m := pattern.FindStringSubmatch(s.Text())
		if m == nil {
			continue
		}
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		if m[1] == "C" { // of the nu form: what the weights were multiplied by
			scale = v
			continue
		}
		obj = append(obj, v/scale/scale)
		scale = 1
	}
	return obj
}

// theta and libsvm's gamma = 1/(2 theta²).
func gamma(theta float64) string { return strconv.FormatFloat(1/(2*theta*theta), 'g', 17, 64) }

// numbered replaces labels by numbers in the order of the classes.
func numbered(labels []string, classes []string) []string {
	out := make([]string, len(labels))
	for i, l := range labels {
		for k, c := range classes {
			if l == c {
				out[i] = strconv.Itoa(k + 1)
			}
		}
	}
	return out
}

// The same objectives as libsvm's, which prints six decimals: 1e-6. Those of the nu form are compared
// before they are divided by the square of the margin, which magnifies rounding.
func TestLibsvm(t *testing.T) {
	for _, name := range []string{"sonar", "ionosphere", "wdbc", "wine", "glass", "vehicle"} {
		x, labels := table(t, name)
		_, d := x.Dims()
		theta := math.Sqrt(float64(d))
		k := rbf(theta)
		for _, form := range []struct {
			o    Options
			args []string
		}{
			{Options{C: 4}, []string{"-s", "0", "-c", "4"}},
			{Options{Nu: 0.1}, []string{"-s", "1", "-n", "0.1"}},
		} {
			c, err := Classify(t.Context(), k, Rows(x), labels, form.o)
			if err != nil {
				t.Log(name, err)
				continue
			}
			want := libsvm(t, x, numbered(labels, c.Classes), append(form.args, "-t", "2", "-g",
				gamma(theta), "-e", "1e-8", "-m", "400", "-h", "0")...)
			if len(want) != len(c.Pairs) {
				t.Fatalf("%s: %d objectives, want %d", name, len(want), len(c.Pairs))
			}
			// libsvm takes classes in the order in which they occur.
			got := map[string]bool{}
			for _, p := range c.Pairs {
				found := false
				for _, w := range want {
					found = found || math.Abs(p.Objective*p.margin*p.margin-w) <= 1e-6*(1+math.Abs(w))
				}
				if !found {
					t.Errorf("%s %v: objective %v of %s and %s is none of %v", name, form.args,
						p.Objective*p.margin*p.margin, c.Classes[p.First], c.Classes[p.Second], want)
				}
				got[fmt.Sprint(p.Objective)] = true
				if p.Violation > 1e-6 {
					t.Errorf("%s: violation %v", name, p.Violation)
				}
			}
		}
	}
}

func TestLibsvmRegression(t *testing.T) {
	x, labels := table(t, "housing")
	y := make([]float64, len(labels))
	for i, s := range labels {
		var err error
		if y[i], err = strconv.ParseFloat(s, 64); err != nil {
			t.Fatal(err)
		}
	}
	k := rbf(4)
	one, err := OneClass(t.Context(), k, Rows(x), Options{Nu: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	eps, err := Regress(t.Context(), k, Rows(x), y, Options{C: 5, Epsilon: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	nu, err := Regress(t.Context(), k, Rows(x), y, Options{C: 5, Nu: 0.4})
	if err != nil {
		t.Fatal(err)
	}
	// libsvm's weights of one class add up to nu n.
	scale := 0.2 * float64(len(y))
	for _, c := range []struct {
		got  float64
		args []string
	}{
		{one.Objective * scale * scale, []string{"-s", "2", "-n", "0.2"}},
		{eps.Objective, []string{"-s", "3", "-c", "5", "-p", "0.5"}},
		{nu.Objective, []string{"-s", "4", "-c", "5", "-n", "0.4"}},
	} {
		want := libsvm(t, x, labels, append(c.args, "-t", "2", "-g", gamma(4), "-e", "1e-8", "-h", "0")...)
		if !(math.Abs(c.got-want[0]) <= 1e-6*math.Abs(want[0])) {
			t.Errorf("%v: objective %v, want %v", c.args, c.got, want[0])
		}
	}
}

// BenchmarkLibsvm trains on 5000 rows here and with svm-train, which spends some of its time reading
// the file.
func BenchmarkLibsvm(b *testing.B) {
	x, labels := rings(5000, 9)
	numbers := numbered(labels, []string{"inner", "outer"})
	for _, e := range []float64{1e-3, 1e-6} {
		b.Run(fmt.Sprintf("here/tolerance=%v", e), func(b *testing.B) {
			for b.Loop() {
				c, err := Classify(b.Context(), rbf(1), Rows(x), labels, Options{C: 10, Tolerance: e})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(c.Pairs[0].Iterations), "steps")
			}
		})
		b.Run(fmt.Sprintf("libsvm/tolerance=%v", e), func(b *testing.B) {
			for b.Loop() {
				libsvm(b, x, numbers, "-t", "2", "-g", gamma(1), "-c", "10", "-m", "300", "-e",
					strconv.FormatFloat(e, 'g', -1, 64))
			}
		})
	}
}
