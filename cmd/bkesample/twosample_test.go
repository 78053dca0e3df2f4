package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/internal/long"
)

// What the tests print, and their summaries.
func TestGoldenTests(t *testing.T) {
	onGoldenMachine(t)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"twosample", []string{"twosample", "-path", "portable", "-permutations", "99", "p.csv",
			"q.csv"}},
		{"twosample_labelled", []string{"twosample", "-label", "g", "-columns", "x", "-choose", "fuse",
			"-permutations", "99", "two_labels.csv"}},
		{"twosample_plane", []string{"twosample", "-path", "portable", "-inputs", "8",
			"-permutations", "99", "plane_p.csv", "plane_q.csv"}},
		{"twosample_weights", []string{"twosample", "-path", "portable", "-kernel", "matern52",
			"-permutations", "99", "-weights", "w", "weighted_p.csv", "weighted_q.csv"}},
		{"twosample_theta", []string{"twosample", "-theta", "0.5", "-kernel", "rq:alpha=1.5",
			"-permutations", "99", "p.csv", "q.csv"}},
		{"twosample_mean", []string{"twosample", "-path", "portable", "-choose", "posterior-mean",
			"-permutations", "99", "p.csv", "q.csv"}},
		{"twosample_bayes", []string{"twosample", "-path", "portable", "-bayes", "-permutations", "99",
			"p.csv", "q.csv"}},
		{"twosample_bayes_plane", []string{"twosample", "-path", "portable", "-inputs", "8", "-bayes",
			"-permutations", "99", "plane_p.csv", "plane_q.csv"}},
		{"twosample_paired", []string{"twosample", "-path", "portable", "-bayes", "-paired",
			"-permutations", "99", "p.csv", "q.csv"}},
		{"independence", []string{"independence", "-path", "portable", "-x", "height", "-y",
			"weight", "-permutations", "99", "plane_q.csv"}},
		{"independence_gamma", []string{"independence", "-theta", "1", "-null", "gamma", "-x", "a,b",
			"-y", "3", "-format", "json", "space_p.csv"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t, sound())
			got := call(t, "", c.args...)
			if got.code != 0 || got.stderr != "" {
				t.Fatalf("exit %d: %s", got.code, got.stderr)
			}
			golden(t, c.name+".stdout", rounded(got.stdout))
			b, err := os.ReadFile(folderOf(c.args) + "/summary.json")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, c.name+".json", rounded(string(b)))
		})
	}
}

var longNumber = regexp.MustCompile(`-?[0-9]+\.[0-9]{9,}(e[-+][0-9]+)?`)

// rounded keeps nine digits: the tests compute exponentials as the processor does it best.
func rounded(text string) string {
	return longNumber.ReplaceAllStringFunc(text, func(s string) string {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return s
		}
		return strconv.FormatFloat(v, 'g', 9, 64)
	})
}

// Rows are permuted within their groups only, so that samples with the same rows in every group do
// not differ. Groups are read from any shape of files, and their column, whether text or numbers,
// is no data.
func TestBlocksOfFiles(t *testing.T) {
	var labelled, text, numbers, p, q strings.Builder
	labelled.WriteString("sample,value,patient\n")
	text.WriteString("value patient\n")
	numbers.WriteString("day,value\n")
	p.WriteString("value\tpatient\n")
	q.WriteString("patient\tvalue\n")
	for i := range 40 {
		fmt.Fprintf(&labelled, "%c,%d,patient %d\n", 'a'+i%2, i/2, i/2)
		if i%2 == 0 {
			fmt.Fprintf(&text, "%d %c\n", i/2, 'A'+i/2)
			fmt.Fprintf(&numbers, "%d,%d\n", i/2, i/2)
			fmt.Fprintf(&p, "%d\tpatient %d\n", i/2, i/2)
			fmt.Fprintf(&q, "patient %d\t%d\n", i/2, i/2)
		}
	}
	inFolder(t, map[string]string{"labelled.csv": labelled.String(), "text.txt": text.String(),
		"numbers.csv": numbers.String(), "p.tsv": p.String(), "q.tsv": q.String()})
	for _, args := range [][]string{
		{"-label", "sample", "-blocks", "patient", "labelled.csv"},
		{"-label", "1", "-blocks", "3", "labelled.csv"},
		{"-blocks", "patient", "text.txt", "text.txt"},
		{"-blocks", "day", "numbers.csv", "numbers.csv"},
		{"-blocks", "patient", "p.tsv", "q.tsv"},
		{"-label", "sample", "-blocks", "patient", "-columns", "value", "-"},
	} {
		got := call(t, labelled.String(), append([]string{"twosample", "-force", "-format", "json"}, args...)...)
		var s struct {
			P       float64
			Columns []string
		}
		if err := json.Unmarshal([]byte(got.stdout), &s); err != nil || got.code != 0 {
			t.Fatalf("%v: %v, %+v", args, err, got)
		}
		if s.P != 1 || len(s.Columns) != 1 || s.Columns[0] != "value" && args[1] != "1" {
			t.Errorf("%v: p-value %v of samples that are equal within every group, want 1; columns %v",
				args, s.P, s.Columns)
		}
	}
	got := call(t, "", "independence", "-x", "value", "-y", "sample", "-blocks", "patient",
		"labelled.csv")
	if got.code != 1 || !strings.Contains(got.stderr, "the columns of -x are the same in all rows of each patient") {
		t.Errorf("%+v", got)
	}
}

// A kernel that is named is used whatever the rule, and recorded.
func TestKernelOfRule(t *testing.T) {
	inFolder(t, sound())
	rules := [][]string{{"-theta", "1"}, {"-choose", "fuse"}, {"-choose", "learned"}, {"-choose", "median"}, {"-choose", "agg"},
		{"-choose", "posterior-mean"}}
	if !long.Enabled() {
		rules = rules[:3]
	}
	for _, rule := range rules {
		statistics := map[float64]string{}
		names := []string{"matern52", "rq:alpha=1.5"}
		if long.Enabled() {
			names = append(names, "se")
		}
		for _, k := range names {
			args := append([]string{"twosample", "-force", "-kernel", k, "-permutations", "99",
				"-format", "json"}, rule...)
			got := call(t, "", append(args, "p.csv", "q.csv")...)
			var s struct {
				Biased float64
				Kernel struct{ Kernel string }
			}
			if err := json.Unmarshal([]byte(got.stdout), &s); err != nil {
				t.Fatalf("%v: %v, %+v", args, err, got)
			}
			if s.Kernel.Kernel != k {
				t.Errorf("%v: the kernel is %s", args, s.Kernel.Kernel)
			}
			if other, ok := statistics[s.Biased]; ok {
				t.Errorf("%v: kernels %s and %s have the same statistic", rule, k, other)
			}
			statistics[s.Biased] = k
		}
	}
}

// The default of -standardize is the library's: columns where there are more than one, and for each
// variable by itself.
func TestStandardizeDefault(t *testing.T) {
	inFolder(t, sound())
	pair := "independence -x a,b -y c space_p.csv"
	for _, c := range []struct {
		command, flag string
		want, wantY   bool
	}{
		{"twosample p.csv q.csv", "", false, false},
		{"twosample p.csv q.csv", "columns", true, false},
		{"twosample plane_p.csv plane_q.csv", "", true, false},
		{"twosample plane_p.csv plane_q.csv", "none", false, false},
		{pair, "", true, false},
		{pair, "columns", true, true},
		{pair, "none", false, false},
	} {
		args := strings.Fields(c.command)
		if c.flag != "" {
			args = append([]string{args[0], "-standardize", c.flag}, args[1:]...)
		}
		args = append([]string{args[0], "-force", "-theta", "1", "-permutations", "19", "-format", "json"},
			args[1:]...)
		got := call(t, "", args...)
		var s struct {
			Kernel struct{ Standardized bool }
			Y      struct{ Standardized bool } `json:"kernel_y"`
		}
		if err := json.Unmarshal([]byte(got.stdout), &s); err != nil {
			t.Fatalf("%v: %v, %+v", args, err, got)
		}
		if s.Kernel.Standardized != c.want || s.Y.Standardized != c.wantY {
			t.Errorf("%v: standardized %v and %v, want %v and %v", args, s.Kernel.Standardized,
				s.Y.Standardized, c.want, c.wantY)
		}
	}
}

// Mistakes with the tests, and what the program says.
func TestWrongTests(t *testing.T) {
	var all strings.Builder
	for _, u := range []wrongUse{
		{"no file", []string{"twosample"}, "", 2},
		{"one file without -label", []string{"twosample", "p.csv"}, "", 2},
		{"-choose of nonsense", []string{"twosample", "-choose", "best", "p.csv", "q.csv"}, "", 2},
		{"-choose and -theta", []string{"twosample", "-choose", "median", "-theta", "1", "p.csv",
			"q.csv"}, "", 2},
		{"-choose of several kernels and -null of one", []string{"twosample", "-choose", "broad", "-null", "gamma", "p.csv",
			"q.csv"}, "", 2},
		{"negative -theta", []string{"twosample", "-theta", "-1", "p.csv", "q.csv"}, "", 2},
		{"-alpha of 5", []string{"twosample", "-alpha", "5", "p.csv", "q.csv"}, "", 2},
		{"too few permutations", []string{"twosample", "-permutations", "10", "p.csv", "q.csv"}, "", 2},
		{"-given of an unknown column", []string{"twosample", "-label", "g", "-columns", "x", "-given", "z",
			"few.csv"}, "", 1},
		{"-given of an unknown column beside all", []string{"twosample", "-label", "g", "-given", "z",
			"few.csv"}, "", 1},
		{"-given of a column of data", []string{"twosample", "-label", "g", "-columns", "x", "-given", "x",
			"few.csv"}, "", 2},
		{"-given of the column of -label", []string{"twosample", "-label", "g", "-given", "g", "few.csv"}, "", 2},
		{"-given of all columns", []string{"twosample", "-label", "g", "-given", "x", "few.csv"}, "", 1},
		{"-given a column twice", []string{"twosample", "-label", "g", "-given", "h,h", "labels.csv"}, "", 2},
		{"-given a constant column", []string{"twosample", "-label", "g", "-columns", "x", "-given", "h",
			"labels.csv"}, "", 1},
		{"-given strata with one group", []string{"twosample", "-label", "h", "-columns", "x", "-given", "g",
			"strata.csv"}, "", 1},
		{"-given and -paired", []string{"twosample", "-paired", "-given", "y", "z2.csv", "z2.csv"}, "", 2},
		{"-given and gamma", []string{"twosample", "-given", "y", "-null", "gamma", "z2.csv", "z2.csv"}, "", 2},
		{"-given of a variable", []string{"independence", "-x", "a", "-y", "b", "-given", "b", "three.csv"}, "", 2},
		{"-given of an unknown column beside variables", []string{"independence", "-x", "a", "-y", "b", "-given",
			"z", "three.csv"}, "", 1},
		{"-blocks of an unknown column", []string{"twosample", "-blocks", "z", "-label", "g", "few.csv"},
			"", 1},
		{"-blocks of the column of -label", []string{"twosample", "-label", "g", "-blocks", "g",
			"few.csv"}, "", 1},
		{"-blocks of a column of data", []string{"twosample", "-label", "g", "-blocks", "x", "-columns",
			"x", "few.csv"}, "", 1},
		{"-blocks of the only other column", []string{"twosample", "-label", "g", "-blocks", "x",
			"few.csv"}, "", 1},
		{"-blocks without rows to exchange", []string{"twosample", "-blocks", "g", "ga.csv", "gb.csv"},
			"", 1},
		{"-blocks of a column of pairs", []string{"independence", "-x", "x", "-y", "y", "-blocks", "y",
			"two.csv"}, "", 1},
		{"-blocks of single rows", []string{"independence", "-x", "a", "-y", "b", "-blocks", "c",
			"three.csv"}, "", 1},
		{"-blocks in which a variable does not vary", []string{"independence", "-x", "value", "-y", "sample", "-blocks", "fixed",
			"blocks.csv"}, "", 1},
		{"-blocks without a label in a row", []string{"twosample", "-blocks", "g", "ga.csv", "gaps.csv"},
			"", 1},
		{"-paired and -blocks", []string{"twosample", "-paired", "-blocks", "g", "ga.csv", "gb.csv"}, "",
			2},
		{"-paired of unequal samples", []string{"twosample", "-bayes", "-paired", "p.csv", "z40.csv"}, "",
			1},
		{"-paired and gamma", []string{"twosample", "-paired", "-null", "gamma", "p.csv", "q.csv"}, "", 2},
		{"-bayes -paired and -weights", []string{"twosample", "-bayes", "-paired", "-weights", "w", "w1.csv",
			"w1.csv"}, "", 2},
		{"-bayes of one sample", []string{"-bayes", "p.csv"}, "", 2},
		{"-bayes of groups", []string{"twosample", "-bayes", "-label", "g", "-columns", "x", "labels.csv"},
			"", 2},
		{"-weights and gamma", []string{"twosample", "-weights", "w", "-null", "gamma", "p.csv",
			"q.csv"}, "", 2},
		{"-weights in one file only", []string{"twosample", "-weights", "w", "w1.csv", "p.csv"}, "", 1},
		{"a negative weight", []string{"twosample", "-weights", "w", "w1.csv", "wnegative.csv"}, "", 1},
		{"weights of very different sizes", []string{"twosample", "-weights", "w", "w1.csv",
			"wtiny.csv"}, "", 1},
		{"-blocks and gamma", []string{"twosample", "-blocks", "g", "-columns", "x", "-null", "gamma",
			"p.csv", "q.csv"}, "", 2},
		{"gamma for unequal samples", []string{"twosample", "-null", "gamma", "p.csv", "z40.csv"}, "",
			1},
		{"different widths", []string{"twosample", "p.csv", "two.csv"}, "", 1},
		{"one row", []string{"twosample", "p.csv", "one.csv"}, "", 1},
		{"equal rows", []string{"twosample", "constant.csv", "constant.csv"}, "", 1},
		{"no -y", []string{"independence", "-x", "x", "two.csv"}, "", 2},
		{"no file for pairs", []string{"independence", "-x", "x", "-y", "y"}, "", 2},
		{"a column on both sides", []string{"independence", "-x", "x", "-y", "x,y", "two.csv"}, "", 2},
		{"unknown column of pairs", []string{"independence", "-x", "x", "-y", "z", "two.csv"}, "", 1},
		{"more pseudo-inputs than rows", []string{"twosample", "-inputs", "100", "p.csv", "q.csv"}, "",
			2},
		{"pseudo-inputs and -theta", []string{"twosample", "-inputs", "9", "-theta", "1", "p.csv",
			"q.csv"}, "", 2},
		{"pseudo-inputs of the median", []string{"twosample", "-inputs-from", "kmeans", "-choose",
			"median", "p.csv", "q.csv"}, "", 2},
		{"too many permutations", []string{"twosample", "-permutations", "1000000000", "p.csv",
			"q.csv"}, "", 2},
		{"too large", []string{"twosample", "-columns", "x", "huge.csv", "p.csv"}, "", 1},
		{"too near to one another", []string{"twosample", "near.csv", "near.csv"}, "", 1},
		{"too large a pair", []string{"independence", "-x", "x", "-y", "y", "huge.csv"}, "", 1},
		{"too small a pair", []string{"independence", "-x", "x", "-y", "y", "tiny.csv"}, "", 1},
		{"a constant", []string{"independence", "-x", "x", "-y", "y", "flat.csv"}, "", 1},
		{"quantiles of two columns", []string{"independence", "-x", "a,b", "-y", "c", "-inputs-from",
			"quantiles", "three.csv"}, "", 2},
		{"unknown kernel", []string{"twosample", "-kernel", "rbf", "p.csv", "q.csv"}, "", 2},
		{"kernel for fewer columns", []string{"twosample", "-kernel", "rq:alpha=0.5", "two.csv",
			"two.csv"}, "", 1},
		{"kernel of y for fewer columns", []string{"independence", "-x", "a", "-y", "b,c", "-kernel-y",
			"rq:alpha=0.5", "three.csv"}, "", 1},
		{"unknown kernel of y", []string{"independence", "-x", "x", "-y", "y", "-kernel-y", "rq",
			"two.csv"}, "", 2},
		{"power without a pilot", []string{"power"}, "", 2},
		{"power of half a pilot", []string{"power", "p.csv"}, "", 2},
		{"pilot and problem", []string{"power", "-problem", "normal", "p.csv", "q.csv"}, "", 2},
		{"unknown problem", []string{"power", "-problem", "norma:shift=1"}, "", 2},
		{"several problems", []string{"power", "-problem", "normal:shift=1/2"}, "", 2},
		{"problem without rows", []string{"power", "-problem", "grid"}, "", 2},
		{"power of 2", []string{"power", "-power", "2", "-problem", "normal"}, "", 2},
		{"power below the level", []string{"power", "-power", "0.01", "-problem", "normal"}, "", 2},
		{"power of many groups", []string{"power", "-label", "g", "-columns", "x", "labels.csv"}, "", 2},
		{"power of pairs and groups", []string{"power", "-label", "g", "-x", "x", "-y", "h",
			"labels.csv"}, "", 2},
		{"too few permutations for pairs", []string{"twosample", "-label", "g", "-columns", "x",
			"-permutations", "19", "labels.csv"}, "", 2},
		{"unknown shell", []string{"completion", "tcsh"}, "", 2},
		{"few pairs", []string{"independence", "-x", "x", "-y", "y", "two.csv"}, "", 0},
	} {
		t.Run(u.name, func(t *testing.T) {
			files := mistaken()
			files["z40.csv"] = strings.Repeat("1\n2\n", 10)
			files["three.csv"] = "a,b,c\n1,2,3\n2,1,1\n3,5,2\n"
			files["blocks.csv"] = "value,sample,fixed\n1,0,a\n2,0,a\n3,1,b\n5,1,b\n4,1,b\n"
			files["ga.csv"], files["gb.csv"] = "x,g\n1,a\n2,a\n", "x,g\n1,b\n2,b\n"
			files["strata.csv"] = "x,g,h\n" + strings.Repeat("1,e,a\n2,e,a\n3,f,b\n", 5)
			files["gaps.csv"] = "x,g\n1,a\n2,\n"
			inFolder(t, files)
			before := contents(t, ".")
			got := call(t, "", u.args...)
			if got.code != u.code {
				t.Errorf("exit %d, want %d: %s", got.code, u.code, got.stderr)
			}
			line, rest, _ := strings.Cut(got.stderr, "\n")
			if u.code != 0 && (!strings.HasPrefix(line, "bkesample: ") || rest != "") {
				t.Errorf("standard error is %q, want one line", got.stderr)
			}
			if u.code != 0 && !maps.Equal(before, contents(t, ".")) {
				t.Error("files are left behind or changed")
			}
			fmt.Fprintf(&all, "%s\n  bkesample %s\n  exit %d: %s\n", u.name,
				strings.Join(u.args, " "), got.code, strings.TrimPrefix(line, "bkesample: "))
		})
	}
	golden(t, "wrong_tests.txt", all.String())
}

// Where units stand in one sample alone the test is not called exact, for two samples and for more, in one pass too.
func TestUnitsAreNotExact(t *testing.T) {
	two, three := []byte("school,sector,x\n"), []byte("school,sector,x\n")
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 240 {
		school := 1200 + i/12*37
		two = fmt.Appendf(two, "%d,%s,%.3f\n", school, []string{"a", "b"}[i/12*7%2], r.NormFloat64()+float64(i/12*7%2))
		three = fmt.Appendf(three, "%d,%s,%.3f\n", school, []string{"a", "b", "c"}[i/12%3], r.NormFloat64()+float64(i/12%3))
	}
	many := []byte("school,sector,x\n")
	for i := range 4800 {
		many = fmt.Appendf(many, "%d,%s,%.3f\n", 1200+i/240*37, []string{"a", "b"}[i/240*7%2], r.NormFloat64()+float64(i/240*7%2))
	}
	inFolder(t, map[string]string{"two.csv": string(two), "three.csv": string(three), "many.csv": string(many)})
	for k, c := range []struct{ args, file, want string }{{"twosample", "two.csv", "a and b differ (permutation test, p = "},
		{"twosample", "three.csv", "The 3 groups differ (permutation test, p = "},
		{"-iter 40 -pass one", "many.csv", "a and b differ (permutation test, p = "}} {
		got := call(t, "", append(strings.Fields(c.args), "-label", "sector", "-out", fmt.Sprint("out", k), c.file)...)
		text := strings.Join(strings.Fields(got.stdout), " ")
		if got.code != 0 || !strings.Contains(text, c.want) || !strings.Contains(text, "Left out school, which names 20 units") ||
			strings.Contains(text, "It is exact if no row") {
			t.Errorf("%s: %d, %s%s", c.file, got.code, text, got.stderr)
		}
	}
}

// One pass exchanges bins of neighbouring rows, so that the rows of a sorted file are put in random order first. A test of
// summaries, which is too late for that, says that it knows nothing.
func TestSortedFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	files := map[string]string{}
	for k, name := range []string{"P.csv", "Q.csv"} {
		x := make([]float64, 4000)
		for i := range x {
			x[i] = r.NormFloat64() + 0.2*float64(k) // nine standard errors apart
		}
		slices.Sort(x)
		text := []byte("x\n")
		for _, v := range x {
			text = fmt.Appendf(text, "%.6f\n", v)
		}
		files[name] = string(text)
	}
	inFolder(t, files)
	got := call(t, "", "-pass", "one", "-iter", "40", "-out", "sorted", "P.csv", "Q.csv")
	text := strings.Join(strings.Fields(got.stdout), " ")
	if got.code != 0 || !strings.HasPrefix(text, "P and Q differ (exact test, p = 0.001, the smallest") ||
		!strings.Contains(text, "so that rows were put in random order") {
		t.Errorf("sorted files: %d, %s%s", got.code, text, got.stderr)
	}
	got = call(t, "", "-pass", "one", "-iter", "40", "-out", "one", "P.csv")
	if text := strings.Join(strings.Fields(got.stdout), " "); got.code != 0 || !strings.Contains(text, "in groups, intervals are too narrow.") {
		t.Errorf("a sorted file: %d, %s%s", got.code, text, got.stderr)
	}
	for _, args := range []string{"plan -out plan.json P.csv Q.csv", "summarize -plan plan.json -sample P -out P.sum P.csv",
		"summarize -plan plan.json -sample Q -out Q.sum Q.csv", "merge -out both.sum P.sum Q.sum"} {
		if got := call(t, "", strings.Fields(args)...); got.code != 0 {
			t.Fatalf("%s: %s", args, got.stderr)
		}
	}
	got = call(t, "", "-summary", "both.sum", "-iter", "40", "-out", "summary")
	if text := strings.Join(strings.Fields(got.stdout), " "); got.code != 0 || strings.Contains(text, "exact test") ||
		!strings.HasPrefix(text, "Whether P and Q differ is not known: their rows are not in random order") {
		t.Errorf("summary of sorted files: %d, %s%s", got.code, text, got.stderr)
	}
}
