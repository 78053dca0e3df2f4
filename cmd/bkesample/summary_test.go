package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shardFiles are files of two samples: six of P, one of them compressed, and one of Q.
func shardFiles() map[string]string {
	files := map[string]string{}
	r := rand.New(rand.NewPCG(31, 1))
	write := func(name string, n int, scale float64) {
		var b strings.Builder
		b.WriteString("x\n")
		for range n {
			v := scale * r.NormFloat64()
			if r.IntN(3) == 0 {
				v = 2.5 + 0.4*v
			}
			fmt.Fprintf(&b, "%.5f\n", v)
		}
		files[name] = b.String()
	}
	for k := range 6 {
		write(fmt.Sprintf("p%d.csv", k), 700+k, 1)
	}
	write("q.csv", 3000, 1.4)
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write([]byte(files["p1.csv"]))
	w.Close()
	files["p1.csv"] = z.String()
	return files
}

// must runs a command that succeeds, and returns what it prints.
func must(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	got := call(t, stdin, args...)
	if got.code != 0 {
		t.Fatalf("%q: exit %d: %s", args, got.code, got.stderr)
	}
	return got.stdout
}

func fileText(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A loop over shards gives the bytes of one process, in any order, by way of files, standard output and
// standard input, with any number of workers; and what is left is the plan and the results that are
// known.
func TestShards(t *testing.T) {
	onGoldenMachine(t)
	inFolder(t, shardFiles())
	must(t, "", "plan", "p*.csv", "-second", "q.csv", "-inputs", "8", "-bins", "32", "-path", "portable", "-out",
		"plan.json")
	golden(t, "shards.plan", fileText(t, "plan.json"))
	for k := range 6 {
		must(t, "", "summarize", "-plan", "plan.json", fmt.Sprintf("p%d.csv", k), "-out",
			fmt.Sprintf("p%d.sum", k))
	}
	q := must(t, fileText(t, "q.csv"), "summarize", "-plan", "plan.json", "-sample", "Q", "-")
	if err := os.WriteFile("q.sum", []byte(q), 0o666); err != nil {
		t.Fatal(err)
	}
	all := must(t, "", "merge", "p?.sum", "q.sum")
	back := must(t, "", "merge", "q.sum", "p5.sum", "p3.sum", "p0.sum", "p4.sum", "p2.sum", "p1.sum")
	if all != back {
		t.Error("another order gives other bytes")
	}
	for _, workers := range []string{"1", "2", "7", "64"} {
		p := must(t, "", "summarize", "-plan", "plan.json", "-j", workers, "p*.csv")
		os.WriteFile("whole.sum", []byte(p), 0o666)
		if must(t, "", "merge", "whole.sum", "q.sum") != all {
			t.Errorf("%s workers give other bytes", workers)
		}
		os.WriteFile("all.sum", []byte(all), 0o666)
		if must(t, "", "merge", "all.sum", "-remove", "q.sum") != p {
			t.Error("taking out the second sample leaves other bytes")
		}
	}
	os.WriteFile("names.txt", []byte("p0.csv\np1.csv\np2.csv\np3.csv\np4.csv\np5.csv\n"), 0o666)
	if must(t, "", "summarize", "-plan", "plan.json", "-files-from", "names.txt") !=
		fileText(t, "whole.sum") {
		t.Error("names from a file give other bytes")
	}
	got := must(t, "", "-summary", "all.sum", "-iter", "120", "-chains", "2", "-quiet")
	if got != "" {
		t.Errorf("printed: %s", got)
	}
	golden(t, "summary_all.json", fileText(t, filepath.Join("bkesample-out", "summary.json")))
	left, _ := filepath.Glob("*.part")
	if len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// What cannot be used ends in one sentence and a status that is not 0, and leaves no file.
func TestShardsRefused(t *testing.T) {
	inFolder(t, shardFiles())
	must(t, "", "plan", "p0.csv", "p2.csv", "-inputs", "8", "-bins", "16", "-out", "plan.json")
	must(t, "", "plan", "p0.csv", "p2.csv", "-inputs", "9", "-bins", "16", "-out", "other.json")
	must(t, "", "summarize", "-plan", "plan.json", "p0.csv", "-out", "a.sum")
	must(t, "", "summarize", "-plan", "other.json", "p2.csv", "-out", "b.sum")
	whole := fileText(t, "a.sum")
	for name, text := range map[string]string{"cut.sum": whole[:len(whole)/2], "empty.sum": "",
		"wrong.csv": "y\n1\n2\n", "infinite.csv": "x\n1\ninf\n", "missing.csv": "x\n1\nNA\n3\n",
		"none.csv": "x\n"} {
		os.WriteFile(name, []byte(text), 0o666)
	}
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"merge a.sum b.sum -out x.sum", "want one plan for all", 1},
		{"merge a.sum a.sum -out x.sum", "is there twice", 1},
		{"merge cut.sum -out x.sum", "checksum", 1},
		{"merge empty.sum -out x.sum", "not a summary", 1},
		{"merge no*.sum -out x.sum", "no file matches", 1},
		{"merge a.sum -remove b.sum -out x.sum", "want one plan", 1},
		{"summarize -plan plan.json p0.csv p0.csv -out x.sum", "is there twice", 1},
		{"summarize -plan plan.json wrong.csv -out x.sum", "there is no column", 1},
		{"summarize -plan plan.json infinite.csv -out x.sum", "not finite", 1},
		{"summarize -plan plan.json -na error missing.csv -out x.sum", "missing", 1},
		{"summarize -plan plan.json none.csv -out x.sum", "no rows", 1},
		{"summarize p0.csv -out x.sum", "-plan is missing", 2},
		{"summarize -plan plan.json", "found no file", 2},
		{"plan -out x.sum", "found no file", 2},
		{"plan p0.csv -ard -out x.sum", "several lengthscales", 2},
		{"plan p0.csv -kernel matern52 -out x.sum", "of se alone", 2},
		{"-summary a.sum -ard", "not for -summary", 2},
		{"-summary a.sum -kernel matern52", "of se alone", 2},
		{"-summary a.sum p0.csv", "takes the place of files", 2},
		{"-summary cut.sum", "checksum", 1},
		{"-pass one -ard p0.csv", "not possible", 2},
	} {
		got := call(t, "", strings.Fields(c.args)...)
		if got.code != c.code || !strings.Contains(got.stderr, c.want) ||
			strings.Count(strings.TrimSpace(got.stderr), "\n") > 0 {
			t.Errorf("%s: exit %d, want %d, with %q: %s", c.args, got.code, c.code, c.want, got.stderr)
		}
		if _, err := os.Stat("x.sum"); err == nil {
			t.Fatalf("%s: left a file", c.args)
		}
	}
	must(t, "", "summarize", "-plan", "plan.json", "missing.csv", "-out", "x.sum")
}

// One pass over the rows gives the posterior of the rows.
func TestOnePass(t *testing.T) {
	inFolder(t, shardFiles())
	mean := func(way string) (theta, sd float64) {
		must(t, "", "-pass", way, "p0.csv", "q.csv", "-iter", "400", "-verify", "-quiet", "-no-interval",
			"-force")
		var s struct {
			Verify []struct {
				Parameter, Statistic string
				Exact                float64
			}
		}
		readJSON(t, filepath.Join("bkesample-out", "summary.json"), &s)
		for _, v := range s.Verify {
			if v.Parameter == "theta" && v.Statistic == "mean" {
				theta = v.Exact
			}
			if v.Parameter == "theta" && v.Statistic == "sd" {
				sd = v.Exact
			}
		}
		return theta, sd
	}
	a, sa := mean("rows")
	b, sb := mean("one")
	if !(math.Abs(a-b) < 0.01*sa && math.Abs(sb/sa-1) < 0.01) {
		t.Errorf("theta %v (sd %v) by one pass, want %v (%v)", b, sb, a, sa)
	}
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(fileText(t, name)), into); err != nil {
		t.Fatal(err)
	}
}
