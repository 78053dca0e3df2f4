package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// wrongUse is a mistake and what the program says to it: one line, and the exit code.
type wrongUse struct {
	name  string
	args  []string
	stdin string
	code  int
}

// mistaken are the files that the mistakes need.
func mistaken() map[string]string {
	normal := func(n int, from float64) string {
		var b strings.Builder
		b.WriteString("x\n")
		for i := range n {
			fmt.Fprintf(&b, "%g\n", from+float64((i*37)%n)/10)
		}
		return b.String()
	}
	var labelled strings.Builder
	labelled.WriteString("x,g,h\n")
	for i := range 30 {
		fmt.Fprintf(&labelled, "%d,%c,same\n", i*i%31, 'a'+i%3)
	}
	return map[string]string{
		"p.csv": normal(40, 0), "q.csv": normal(40, 1), "two.csv": "x,y\n1,2\n2,3\n3,5\n4,1\n",
		"empty.csv": "", "header.csv": "x\n", "ragged.csv": "x,y\n1,2\n3\n4,5\n",
		"text.csv": "x\n1\nabc\n3\n", "nan.csv": "x\n1\nNaN\n3\n", "inf.csv": "x\n1\ninf\n3\n",
		"slip.csv":   "x\n" + strings.Repeat("1.5\n2.5\n3.5\n4.5\n5.5\n6.5\n", 5) + "7.5O\n",
		"counts.csv": "g,sex,Freq\na,f,1\na,m,2\nb,f,3\nb,m,4\nc,f,5\n",
		"cut.jsonl":  "{\"x\": 1}\n{\"x\": ",
		"one.csv":    "x\n1\n", "constant.csv": "x\n" + strings.Repeat("2\n", 20),
		"many.csv": "x,y\n" + strings.Join(strings.Fields(
			"1,1 2,1 3,1 4,1 5,1 6,1 7,1 8,1 9,1 10,1 11,1 12,1 13,2"), "\n") + "\n",
		"labels.csv": labelled.String(), "allmissing.csv": "x\nNA\nNA\n",
		"z1.csv": "x\n1\n", "z2.csv": "x,y\n1,2\n3,4\n5,6\n", "zmany.csv": normal(500, 0),
		"damaged": "bayeskernel checkpoint 1\nnonsense", "other.txt": "what is this?\n",
		"huge.csv":      "x,y\n1,2\n-1e300,3\n2,1\n3,4\n",
		"near.csv":      "x,y\n10000000000000000,1\n10000000000000002,2\n10000000000000004,1\n",
		"tiny.csv":      "x,y\n1e-300,1\n2e-300,2\n3e-300,1\n",
		"flat.csv":      "x,y\n1,7\n2,7\n3,7\n",
		"few.csv":       "x,g\n1,a\n2,a\n3,b\n",
		"w1.csv":        "x,w\n1,1\n2,2\n4,1\n",
		"wnegative.csv": "x,w\n1,1\n2,-2\n",
		"wtext.csv":     "x,w\n1,1\n2,heavy\n",
		"wone.csv":      "x,w\n1,1\n2,1e-20\n3,1e-20\n",
		"wtiny.csv":     "x,w\n1,1e-60\n2,1e-60\n3,1e-61\n",
		"twins.csv":     "a,b\n1,1\n2,2\n3,3\n4,4\n5,5\n7,7\n8,8\n",
	}
}

// wrongUses are listed with what they lead to.
func wrongUses() []wrongUse {
	return []wrongUse{
		{"missing file", []string{"none.csv"}, "", 1},
		{"missing second file", []string{"p.csv", "none.csv"}, "", 1},
		{"a missing file alone", []string{"twosample", "none.csv"}, "", 1},
		{"directory", []string{"folder"}, "", 1},
		{"empty file", []string{"empty.csv"}, "", 1},
		{"empty standard input", []string{"-"}, "", 1},
		{"header without rows", []string{"header.csv"}, "", 1},
		{"ragged rows", []string{"ragged.csv"}, "", 1},
		{"text in a number column", []string{"text.csv"}, "", 1},
		{"NaN", []string{"-na", "error", "nan.csv"}, "", 1},
		{"a slip among numbers", []string{"slip.csv"}, "", 1},
		{"a column that -drop leaves out", []string{"-drop", "g", "-categories", "g", "labels.csv"}, "", 2},
		{"categories of no column", []string{"-categories", "z", "labels.csv"}, "", 1},
		{"categories of one sample", []string{"labels.csv"}, "", 1},
		{"counts of no column", []string{"-counts", "z", "labels.csv"}, "", 1},
		{"a table of counts", []string{"twosample", "-label", "g", "counts.csv"}, "", 1},
		{"-names of no sample", []string{"-names", "z=a", "p.csv", "q.csv"}, "", 2},
		{"-names without a name", []string{"-names", "P", "p.csv", "q.csv"}, "", 2},
		{"one name for both", []string{"-names", "P=a,Q=a", "p.csv", "q.csv"}, "", 2},
		{"pairs of values that repeat", []string{"twosample", "-pairs", "y", "many.csv", "many.csv"}, "", 1},
		{"pairs and blocks", []string{"twosample", "-pairs", "y", "-blocks", "x", "many.csv", "many.csv"}, "", 2},
		{"numbers for learn", []string{"learn", "labels.csv"}, "", 1},
		{"-o of plan", []string{"plan", "p.csv", "-o", "plan.json"}, "", 2},
		{"JSON that ends", []string{"cut.jsonl"}, "", 1},
		{"infinity", []string{"inf.csv"}, "", 1},
		{"only missing values", []string{"-na", "drop", "allmissing.csv"}, "", 1},
		{"one row", []string{"one.csv"}, "", 1},
		{"one row against many", []string{"p.csv", "one.csv"}, "", 1},
		{"different widths", []string{"p.csv", "two.csv"}, "", 1},
		{"three files", []string{"p.csv", "q.csv", "p.csv"}, "", 2},
		{"a pattern that nothing matches", []string{"none-*.csv", "q.csv"}, "", 1},
		{"a pattern of files with other columns", []string{"t[wh]*.csv"}, "", 1},
		{"standard input twice", []string{"-", "-"}, "1\n2\n", 2},
		{"unknown column", []string{"-columns", "z", "two.csv"}, "", 1},
		{"no column", []string{"-columns", ",", "two.csv"}, "", 2},
		{"unknown label column", []string{"-label", "z", "two.csv"}, "", 1},
		{"label with one value", []string{"-label", "h", "-columns", "x", "labels.csv"}, "", 1},
		{"label with thirty values", []string{"-label", "x", "-columns", "x", "labels.csv"}, "", 1},
		{"label with too many values", []string{"-label", "x", "many.csv"}, "", 1},
		{"a label that is not there", []string{"-label", "g=a,z", "-columns", "x", "labels.csv"}, "", 1},
		{"a single label", []string{"-label", "g=a", "-columns", "x", "labels.csv"}, "", 2},
		{"a label twice", []string{"-label", "g=a,a", "-columns", "x", "labels.csv"}, "", 2},
		{"a list of labels with a hole", []string{"-label", "g=a,,b", "labels.csv"}, "", 2},
		{"a label and no column", []string{"-label", "=a,b", "labels.csv"}, "", 2},
		{"unknown column to drop", []string{"-drop", "z", "two.csv"}, "", 1},
		{"all columns dropped", []string{"-drop", "x,y", "two.csv"}, "", 1},
		{"columns and drop", []string{"-columns", "x", "-drop", "y", "two.csv"}, "", 2},
		{"mistyped command", []string{"twosmaple", "p.csv", "q.csv"}, "", 2},
		{"mistyped flag", []string{"-colums", "x", "two.csv"}, "", 2},
		{"flag of another command", []string{"-statistic", "biased", "p.csv", "q.csv"}, "", 2},
		{"label and two files", []string{"-label", "g", "p.csv", "q.csv"}, "", 2},
		{"label without a file", []string{"-label", "g"}, "", 2},
		{"weights without a file", []string{"-weights", "w"}, "", 2},
		{"unknown column of weights", []string{"-weights", "w", "p.csv"}, "", 1},
		{"weights in one file only", []string{"-weights", "w", "w1.csv", "p.csv"}, "", 1},
		{"negative weight", []string{"-weights", "w", "w1.csv", "wnegative.csv"}, "", 1},
		{"weight that is no number", []string{"-weights", "w", "wtext.csv"}, "", 1},
		{"weight among the data", []string{"-weights", "w", "-columns", "x,w", "w1.csv"}, "", 1},
		{"weights that are the labels", []string{"-weights", "g", "-label", "g", "few.csv"}, "", 1},
		{"all weight on one row", []string{"-weights", "w", "wone.csv"}, "", 1},
		{"weight of the likelihood and of rows", []string{"-weight", "w", "w1.csv"}, "", 2},
		{"learn with a negative weight", []string{"learn", "-weights", "w", "wnegative.csv"}, "", 1},
		{"-n with a file", []string{"-n", "10", "p.csv"}, "", 2},
		{"negative -n", []string{"-n", "-5"}, "", 2},
		{"-n of 1", []string{"-n", "1"}, "", 2},
		{"unknown flag", []string{"-lengthscale", "2"}, "", 2},
		{"flag without its value", []string{"-chains"}, "", 2},
		{"wrong flag after a file", []string{"p.csv", "-chains", "2.5"}, "", 2},
		{"flag as a file", []string{"--", "-chains"}, "", 1},
		{"negative -chains", []string{"-chains", "-4"}, "", 2},
		{"fraction of a chain", []string{"-chains", "2.5"}, "", 2},
		{"-iter of twenty digits", []string{"-iter", "99999999999999999999"}, "", 2},
		{"-iter of 0", []string{"-iter", "0"}, "", 2},
		{"more warm-up than iterations", []string{"-iter", "100", "-warmup", "100"}, "", 2},
		{"no warm-up and nothing learned", []string{"-warmup", "0"}, "", 2},
		{"negative -seed", []string{"-seed", "-1"}, "", 2},
		{"-target-accept of 1", []string{"-target-accept", "1"}, "", 2},
		{"-thin of 0", []string{"-thin", "0"}, "", 2},
		{"negative -tau2", []string{"-tau2", "-1"}, "", 2},
		{"-tau2 that is no number", []string{"-tau2", "NaN"}, "", 2},
		{"-theta-max below -theta-min", []string{"-theta-min", "2", "-theta-max", "1"}, "", 2},
		{"-weight of 0", []string{"-weight", "0"}, "", 2},
		{"-weight of nonsense", []string{"-weight", "heavy"}, "", 2},
		{"-eta without its nu", []string{"-eta", "1"}, "", 2},
		{"unknown nu", []string{"-nu", "counting"}, "", 2},
		{"unknown prior", []string{"-prior-theta", "gama(1,1)"}, "", 2},
		{"prior and fixed value", []string{"-tau2", "1", "-prior-tau2", "gamma(1,2)"}, "", 2},
		{"-inputs of 1", []string{"-inputs", "1"}, "", 2},
		{"-inputs and -inputs-file", []string{"-inputs", "5", "-inputs-file", "q.csv", "p.csv"}, "",
			2},
		{"more pseudo-inputs than rows", []string{"-inputs", "100", "p.csv"}, "", 2},
		{"more pseudo-inputs in a file than rows", []string{"-inputs-file", "zmany.csv", "p.csv"},
			"", 1},
		{"pseudo-inputs of another width", []string{"-inputs-file", "z2.csv", "p.csv"}, "", 1},
		{"a single pseudo-input", []string{"-inputs-file", "z1.csv", "p.csv"}, "", 1},
		{"quantiles of two columns", []string{"-inputs-from", "quantiles", "two.csv"}, "", 2},
		{"constant data", []string{"constant.csv"}, "", 1},
		{"duplicated column with -ard", []string{"-ard", "twins.csv"}, "", 1},
		{"-band of 80", []string{"-band", "80"}, "", 2},
		{"-observe", []string{"-observe", "50"}, "", 2},
		{"unknown noise", []string{"-noise", "white"}, "", 2},
		{"unknown sampler", []string{"-sampler", "gibbs"}, "", 2},
		{"unknown kernel", []string{"-kernel", "rbf"}, "", 2},
		{"rough kernel", []string{"-kernel", "laplacian"}, "", 2},
		{"kernel without its parameter", []string{"-kernel", "rq"}, "", 2},
		{"kernel with a wrong parameter", []string{"-kernel", "matern:nu=1.7"}, "", 2},
		{"several kernels to sample with", []string{"-kernel", "se,matern52", "p.csv"}, "", 2},
		{"kernel for fewer columns", []string{"-kernel", "rq:alpha=0.5", "two.csv"}, "", 1},
		{"unknown kernel of several", []string{"learn", "-kernel", "se,matern", "p.csv"}, "", 2},
		{"kernel given twice", []string{"learn", "-kernel", "matern52,matern:nu=2.5", "p.csv"}, "", 2},
		{"one of the kernels for fewer columns", []string{"learn", "-kernel", "se,rq:alpha=0.5",
			"two.csv"}, "", 1},
		{"unknown path", []string{"-path", "sse9"}, "", 2},
		{"-until of nonsense", []string{"-until", "soon"}, "", 2},
		{"-until of the wrong sign", []string{"-until", "rhat>1.01"}, "", 2},
		{"-verify of three", []string{"-verify", "-nu", "gaussian", "none.csv"}, "", 2},
		{"-verify of two columns with -ard", []string{"-verify", "-ard", "two.csv"}, "", 2},
		{"fewer than two draws", []string{"-iter", "100", "-thin", "60", "p.csv"}, "", 2},
		{"too large", []string{"-columns", "x", "huge.csv"}, "", 1},
		{"too near to one another", []string{"near.csv"}, "", 1},
		{"too small", []string{"-columns", "x", "tiny.csv"}, "", 1},
		{"a label with one row", []string{"-label", "g", "few.csv"}, "", 1},
		{"-out is a file", []string{"-out", "other.txt", "p.csv"}, "", 1},
		{"-out inside a file", []string{"-out", "other.txt/deeper", "p.csv"}, "", 1},
		{"-out of nothing", []string{"-out", "", "p.csv"}, "", 2},
		{"missing checkpoint", []string{"-resume", "none", "p.csv"}, "", 1},
		{"damaged checkpoint", []string{"-resume", "damaged", "p.csv"}, "", 1},
		{"what is no checkpoint", []string{"-resume", "other.txt", "p.csv"}, "", 1},
		{"missing warm start", []string{"-warm-from", "none", "p.csv"}, "", 1},
		{"what is no warm start", []string{"-warm-from", "other.txt", "p.csv"}, "", 1},
	}
}

// Whatever goes wrong is told in one line, which is in testdata/wrong.txt, and leaves nothing.
func TestWrongUses(t *testing.T) {
	var all strings.Builder
	for _, u := range wrongUses() {
		t.Run(u.name, func(t *testing.T) {
			inFolder(t, mistaken())
			if err := os.Mkdir("folder", 0o777); err != nil {
				t.Fatal(err)
			}
			before := listing(t, ".")
			got := call(t, u.stdin, u.args...)
			if got.code != u.code {
				t.Errorf("exit %d, want %d: %s", got.code, u.code, got.stderr)
			}
			line, rest, _ := strings.Cut(got.stderr, "\n")
			if !strings.HasPrefix(line, "bkesample: ") || rest != "" || got.stdout != "" {
				t.Errorf("standard error is %q and standard output %q, want one line and nothing",
					got.stderr, got.stdout)
			}
			if strings.Contains(line, "%!") {
				t.Errorf("badly formatted: %s", line)
			}
			fmt.Fprintf(&all, "%s\n  bkesample %s\n  exit %d: %s\n", u.name,
				strings.Join(u.args, " "), got.code, strings.TrimPrefix(line, "bkesample: "))
			for name := range listing(t, ".") {
				if !before[name] {
					t.Errorf("leaves %s", name)
				}
			}
		})
	}
	golden(t, "wrong.txt", all.String())
}

// All that is wrong with the files is told at once, a line for each.
func TestAllThatIsWrong(t *testing.T) {
	files := mistaken()
	files["bad.csv"] = "x,y\n1,abc\n2\nNA,3\n4,5\n"
	files["label.csv"] = "x,g\n1,a\n2,a\n3,b\n4,b\n5,c\n"
	inFolder(t, files)
	for line, want := range map[string][]string{
		"none.csv bad.csv": {"none.csv: no such file or directory",
			"bad.csv: line 3: found 1 field, expected 2 as in line 1"},
		"empty.csv inf.csv": {"empty.csv: is empty", `inf.csv: line 3, column "x": "inf" is not finite`},
		"one.csv z1.csv": {"one.csv: found 1 row, want at least 2",
			"z1.csv: found 1 row, want at least 2"},
		"label.csv -label g=a,x,y": {
			`label.csv: column "g" has no label "x", only "a" (2 rows), "b" (2 rows), "c" (1 row)`,
			`label.csv: column "g" has no label "y", only "a" (2 rows), "b" (2 rows), "c" (1 row)`},
		"twosample p.csv q.csv -blocks g": {`p.csv: there is no column "g", only "x"`,
			`q.csv: there is no column "g", only "x"`},
	} {
		got := call(t, "", strings.Fields(line)...)
		if all := "bkesample: " + strings.Join(want, "\nbkesample: ") + "\n"; got.code != 1 ||
			got.stderr != all || got.stdout != "" {
			t.Errorf("%s: exit %d, %s, want\n%s", line, got.code, got.stderr, all)
		}
	}
}

// listing names all files below a folder.
func listing(t *testing.T, dir string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		out[path] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A folder in which nothing may be written is known before the work begins.
func TestUnwritableFolder(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("permissions do not hold this user back")
	}
	inFolder(t, mistaken())
	if err := os.Mkdir("locked", 0o555); err != nil {
		t.Fatal(err)
	}
	got := call(t, "", "-out", "locked", "p.csv")
	if want := "bkesample: -out locked: permission denied\n"; got.code != 1 || got.stderr != want {
		t.Errorf("exit %d, %q, want 1, %q", got.code, got.stderr, want)
	}
}
