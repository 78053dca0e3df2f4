package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Above 200000 rows tests make one pass over the rows, and say so; -null permutation keeps to rows, which
// is not tried here as it takes half a minute.
func TestManyRows(t *testing.T) {
	inFolder(t, nil)
	r := rand.New(rand.NewPCG(41, 1))
	var p, xy strings.Builder
	p.WriteString("x\n")
	xy.WriteString("x,y\n")
	for range 100001 {
		fmt.Fprintf(&p, "%.4f\n", r.NormFloat64())
	}
	for range 200001 {
		v := r.NormFloat64()
		fmt.Fprintf(&xy, "%.4f,%.4f\n", v, 0.02*v+r.NormFloat64())
	}
	var b strings.Builder
	b.WriteString("x\n")
	for range 100001 {
		fmt.Fprintf(&b, "%.4f\n", 1.03*r.NormFloat64())
	}
	for name, text := range map[string]string{"p.csv": p.String(), "q.csv": b.String(),
		"xy.csv": xy.String()} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"twosample", "p.csv", "q.csv"},
		{"independence", "-x", "x", "-y", "y", "xy.csv"}} {
		got := call(t, "", args...)
		text := strings.Join(strings.Fields(got.stdout), " ")
		if got.code != 0 || !strings.Contains(text, "one pass over the rows") {
			t.Errorf("%q: exit %d: %s%s", args, got.code, got.stdout, got.stderr)
		}
		if !strings.Contains(text, "differ") && !strings.Contains(text, "dependent") {
			t.Errorf("%q: what is there was not found: %s", args, got.stdout)
		}
	}
}

// Files that are too large for the memory are read in two passes that keep no rows, and what is said of them is
// what plan, summarize, merge and -summary say.
func TestStreamed(t *testing.T) {
	inFolder(t, nil)
	t.Cleanup(func() { debug.SetMemoryLimit(math.MaxInt64) })
	r := rand.New(rand.NewPCG(47, 1))
	for k, name := range []string{"p.csv", "q.csv"} {
		text := []byte("x\n")
		for range 1300000 {
			text = append(strconv.AppendFloat(text, r.NormFloat64()+0.01*float64(k), 'f', 3, 64), '\n')
		}
		if err := os.WriteFile(name, append(text, "NA\n"...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	type result struct {
		Verdict    []string
		Parameters []struct {
			Name     string
			Mean, SD float64
		}
		Test struct{ P, Statistic float64 }
	}
	var a, b result
	flags := []string{"-iter", "100", "-chains", "2", "-quiet"}
	must(t, "", append([]string{"-max-memory", "100MB", "-names", "P=P,Q=Q", "-out", "a", "p.csv", "q.csv"}, flags...)...)
	readJSON(t, filepath.Join("a", "summary.json"), &a)
	must(t, "", "plan", "p.csv", "-second", "q.csv", "-quiet", "-out", "plan.json")
	must(t, "", "summarize", "-plan", "plan.json", "-sample", "P", "-quiet", "-out", "p.sum", "p.csv")
	must(t, "", "summarize", "-plan", "plan.json", "-sample", "Q", "-quiet", "-out", "q.sum", "q.csv")
	must(t, "", "merge", "-quiet", "-out", "all.sum", "p.sum", "q.sum")
	must(t, "", append([]string{"-summary", "all.sum", "-out", "b"}, flags...)...)
	readJSON(t, filepath.Join("b", "summary.json"), &b)
	if !slices.Contains(a.Verdict, "Column used: x.") {
		t.Errorf("the column is not told: %q", a.Verdict)
	}
	a.Verdict = slices.DeleteFunc(a.Verdict, func(s string) bool { return s == "Column used: x." })
	if len(a.Parameters) == 0 || !reflect.DeepEqual(a, b) {
		t.Errorf("streamed %+v,\nby a summary %+v", a, b)
	}
	draws := func(dir string) string { return lastLine(fileText(t, filepath.Join(dir, "draws_1.csv"))) }
	if draws("a") != draws("b") {
		t.Errorf("the last draw is %s, and by a summary %s", draws("a"), draws("b"))
	}
}

// lastLine is the last line that is no comment.
func lastLine(text string) (last string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			last = line
		}
	}
	return last
}

// Above 40000 rows in one column the default command and twosample make the same test in one pass, and the
// page has the numbers of all rows, not of those that stand for them in pictures.
func TestManyRowsAgree(t *testing.T) {
	inFolder(t, nil)
	r := rand.New(rand.NewPCG(43, 1))
	for _, name := range []string{"p.csv", "q.csv"} {
		var b strings.Builder
		b.WriteString("x\n")
		for range 25000 {
			fmt.Fprintf(&b, "%.4f\n", r.NormFloat64())
		}
		if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var a, b struct{ Test struct{ P float64 } }
	must(t, "", "-out", "a", "-iter", "60", "-chains", "2", "p.csv", "q.csv")
	readJSON(t, filepath.Join("a", "summary.json"), &a)
	must(t, "", "twosample", "-out", "b", "p.csv", "q.csv")
	readJSON(t, filepath.Join("b", "summary.json"), &b)
	if a.Test.P == 0 || a.Test.P != b.Test.P {
		t.Errorf("p is %v, and by twosample %v", a.Test.P, b.Test.P)
	}
	text := fileText(t, filepath.Join("a", "report.html"))
	for _, want := range []string{"25000 and 25000 rows", "n = 25000 ("} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// A summary of three columns has no kernel means of all rows. The rows that are held take their place, or those
// that were kept: there is an answer, and it names the column that differs.
func TestOnePassOfColumns(t *testing.T) {
	inFolder(t, nil)
	r := rand.New(rand.NewPCG(43, 1))
	write := func(name string, draw func(j int) float64) {
		text := []byte("a,b,c,d\n")
		for range 5000 {
			for j := range 3 {
				if j > 0 {
					text = append(text, ',')
				}
				text = strconv.AppendFloat(text, draw(j), 'f', 4, 64)
			}
			text = append(text, ",5\n"...)
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("p.csv", func(int) float64 { return r.NormFloat64() })
	write("q.csv", func(j int) float64 { return r.NormFloat64() * (1 + 0.15*float64(j%2)) })
	fast := []string{"-force", "-pass", "one", "-inputs", "8", "-chains", "2", "-iter", "100"}
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{"p.csv", "q.csv"}, "b differs on its own"},
		{[]string{"p.csv"}, "The mean embedding of p is largest at a ="},
	} {
		got := call(t, "", append(fast, c.files...)...)
		text := strings.Join(strings.Fields(got.stdout), " ")
		if got.code != 0 || !strings.Contains(text, c.want) {
			t.Errorf("%q: exit %d, want %q in: %s%s", c.files, got.code, c.want, got.stdout, got.stderr)
		}
		if !strings.Contains(text, "constant columns: d (always 5)") {
			t.Errorf("%q: nothing of column d: %s", c.files, got.stdout)
		}
	}
	got := call(t, "", "plan", "-out", "plan.json", "p.csv")
	if got.code != 1 || !strings.Contains(got.stderr, "rank 3 in 4 columns (column 4 constant)") {
		t.Errorf("a plan of a constant column: exit %d: %s", got.code, got.stderr)
	}
	for _, args := range [][]string{{"plan", "-out", "plan.json", "-inputs", "8", "-columns", "a,b,c", "p.csv"},
		{"summarize", "-plan", "plan.json", "-out", "p.sum", "p.csv"},
		{"-force", "-summary", "p.sum", "-chains", "2", "-iter", "100"}} {
		got := call(t, "", args...)
		text := strings.Join(strings.Fields(got.stdout), " ")
		if got.code != 0 {
			t.Fatalf("%q: exit %d: %s%s", args, got.code, got.stdout, got.stderr)
		}
		if args[0] == "-force" && !strings.Contains(text, "largest at a =") {
			t.Errorf("%q: %s", args, got.stdout)
		}
	}
}
