package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// iris are three groups: a and b of one distribution, c moved; with a column that counts rows.
func iris() string {
	var b strings.Builder
	b.WriteString("id,width,length,species\n")
	u := func(i, k int) float64 {
		_, f := math.Modf(float64(i+1) * math.Sqrt([]float64{2, 3}[k]))
		return math.Erfinv(2*f - 1)
	}
	for i := range 90 {
		shift := 0.0
		if i%3 == 2 {
			shift = 2
		}
		fmt.Fprintf(&b, "%d,%.4f,%.4f,%c\n", i+1, u(i, 0)+shift, u(i, 1), 'a'+i%3)
	}
	return b.String()
}

// only takes the rows of one label out of iris, without the label.
func only(label string) string {
	var out []string
	for i, line := range strings.Split(strings.TrimSpace(iris()), "\n") {
		at := strings.LastIndex(line, ",")
		if i == 0 || line[at+1:] == label {
			out = append(out, line[:at])
		}
	}
	return strings.Join(out, "\n") + "\n"
}

func groupFiles() map[string]string {
	files := sound()
	files["iris.csv"], files["a.csv"], files["c.csv"] = iris(), only("a"), only("c")
	files["swapped.csv"] = "length,id,width\n" + strings.Repeat("1,2,3\n4,4,1\n", 4)
	files["bare.csv"] = strings.SplitAfterN(only("c"), "\n", 2)[1]
	return files
}

// What is printed of more than two groups, by the test and by the main command.
func TestGroups(t *testing.T) {
	onGoldenMachine(t)
	for name, args := range map[string]string{
		"groups":        "twosample -path portable -permutations 99 -label species -drop id iris.csv",
		"groups_sample": "-path portable -label species -columns width iris.csv",
	} {
		inFolder(t, groupFiles())
		got := call(t, "", strings.Fields(args)...)
		if got.code != 0 || got.stderr != "" {
			t.Fatalf("exit %d: %s", got.code, got.stderr)
		}
		golden(t, name+".stdout", got.stdout)
		golden(t, name+".json", contents(t, ".")[folderOf(strings.Fields(args))+"/summary.json"])
	}
}

// The page of more than two groups shows all pairs, whose tests are not also made column by column.
func TestPageOfGroups(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,y,z,group\n")
	for i, v := range strings.Fields(normals(120, 0)) {
		fmt.Fprintf(&b, "%s,%d,%d,%c\n", v, i%7, i/4%5+i%4/3*9, 'a'+i%4)
	}
	inFolder(t, map[string]string{"groups.csv": b.String()})
	got := call(t, "", strings.Fields("twosample -label group -permutations 199 groups.csv")...)
	if got.code != 0 || !strings.HasPrefix(got.stdout, "The 4 groups differ (exact test, p = 0.005") {
		t.Fatalf("%+v", got)
	}
	left := contents(t, "bkesample-out/twosample")
	page := left["bkesample-out/twosample/report.html"]
	for _, want := range []string{
		"<title>The 4 groups differ (p = 0.005), 3 of 6 pairs do</title>", "3 of 6 pairs differ at level 0.05", "groups by group, columns x, y and z", "corrected (Holm) for 6 pairs", ">a, b</", "different"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
	if strings.Contains(left["bkesample-out/twosample/summary.json"], "by_column") {
		t.Error("columns were tested one by one")
	}
}

// Two groups that are named give what two files of their rows give, whatever the order of flags and
// files.
func TestNamedGroups(t *testing.T) {
	inFolder(t, groupFiles())
	var first float64
	for i, line := range []string{"-drop id a.csv c.csv", "-label species=a,c -drop id iris.csv",
		"iris.csv -drop id -label species=a,c", "a.csv -columns width,length c.csv",
		"-drop=id a.csv -- c.csv"} {
		args := append([]string{"twosample", "-force", "-format", "json", "-permutations", "99"},
			strings.Fields(line)...)
		got := call(t, "", args...)
		var s struct {
			Statistic float64
			Samples   []struct{ Name string }
		}
		if err := json.Unmarshal([]byte(got.stdout), &s); err != nil {
			t.Fatalf("%s: %v, %+v", line, err, got)
		}
		if s.Samples[0].Name != "a" || s.Samples[1].Name != "c" {
			t.Errorf("%s: samples %v", line, s.Samples)
		}
		if i == 0 {
			first = s.Statistic
		} else if s.Statistic != first {
			t.Errorf("%s: statistic %v, want %v", line, s.Statistic, first)
		}
	}
	// learn pools all groups.
	got := call(t, "", "learn", "-label", "species", "-columns", "width", "iris.csv")
	if got.code != 0 || !strings.Contains(got.stdout, "n = 90, D = 1") {
		t.Errorf("%+v", got)
	}
}

// What is said of the columns and files that were read.
func TestNotesOfInput(t *testing.T) {
	files := groupFiles()
	files["copy.csv"], files["twice.csv"] = files["p.csv"], "a,a\n1,2\n2,3\n4,1\n"
	files["gap.csv"] = strings.Replace(files["q.csv"], "\n1\n", "\nNA\n", 1)
	inFolder(t, files)
	const headless = "bare.csv: has no header; its columns are taken in the order of those in a.csv."
	for _, c := range []struct{ args, note string }{
		{"a.csv c.csv -columns width", "Column used: width."},
		{"a.csv c.csv -drop id", "Columns used: width, length."},
		{"a.csv swapped.csv", "swapped.csv: the columns stand in another order than in a.csv; they are " +
			"matched by name."},
		{"a.csv bare.csv", headless}, {"bare.csv a.csv", headless},
		{"p.csv p.csv", "p.csv: is given for both samples."},
		{"p.csv copy.csv", "copy.csv: holds the same 40 rows as p.csv."},
		{"[ac].csv a.csv", "Columns used: width, length."},
		{"twice.csv twice.csv -columns 1,2", `twice.csv: 2 columns are called "a"; they are told apart ` +
			`as "a (column 1)", "a (column 2)", and chosen by number.`},
		{"gap.csv p.csv -na drop", "Left out 1 of 80 rows with missing values (x 1)."},
	} {
		got := call(t, "", append([]string{"twosample", "-force", "-format", "json", "-theta", "1",
			"-permutations", "19"}, strings.Fields(c.args)...)...)
		var s struct{ Notes []string }
		if err := json.Unmarshal([]byte(got.stdout), &s); err != nil {
			t.Fatalf("%s: %v, %+v", c.args, err, got)
		}
		if !slices.Contains(s.Notes, c.note) {
			t.Errorf("%s: notes %q, want %q", c.args, s.Notes, c.note)
		}
	}
}

// A column that only counts rows is left out, and the report says so, unless it was chosen or is alone.
func TestCountingColumn(t *testing.T) {
	files := groupFiles()
	files["shuffled.csv"] = "id,x\n3,1\n1,2\n2,1\n5,2\n4,3\n7,2\n8,1\n6,0\n"
	files["time.csv"] = "t,x\n0,1\n1,2\n2,1\n3,2\n4,3\n5,2\n6,1\n7,0\n"
	files["alone.csv"] = "x\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	inFolder(t, files)
	for args, column := range map[string]string{
		"iris.csv -label species=a,b": "id", "shuffled.csv": "id", "time.csv": "t", "alone.csv": "",
		"time.csv -columns t,x": "", "time.csv -drop t": "", "time.csv -quiet": "",
	} {
		got := call(t, "", append([]string{"learn", "-force", "-no-interval"}, strings.Fields(args)...)...)
		if got.code != 0 || got.stderr != "" || strings.Contains(got.stdout, "Left out") != (column != "") ||
			!strings.Contains(got.stdout, "Left out "+column+", which is different in every row") && column != "" {
			t.Errorf("%s: exit %d, %q, %q", args, got.code, got.stderr, got.stdout)
		}
	}
}

// A pattern in quotes is one sample: its files, whose columns may stand in any order, give what one
// file of their rows gives. Unquoted, they are too many, and the message says so.
func TestPatterns(t *testing.T) {
	files := groupFiles()
	lines := strings.SplitAfter(files["a.csv"], "\n")
	head, rows := lines[0], lines[1:len(lines)-1]
	var rest strings.Builder
	rest.WriteString("length,id,width\n")
	for _, line := range rows[17:] {
		f := strings.Split(strings.TrimSpace(line), ",")
		rest.WriteString(f[2] + "," + f[0] + "," + f[1] + "\n")
	}
	files["a-1.csv"], files["a-2.csv"] = head+strings.Join(rows[:17], ""), rest.String()
	files["all/1.csv"], files["all/2.csv"] = files["a-1.csv"], files["a-2.csv"]
	if err := os.Mkdir(inFolder(t, nil)+"/all", 0o777); err != nil {
		t.Fatal(err)
	}
	writeAll(t, files)
	test := "twosample -force -format json -permutations 99 -drop id "
	results := map[string]string{}
	for _, args := range []string{"a.csv c.csv", "a-*.csv c.csv", "all/* c.csv"} {
		got := call(t, "", strings.Fields(test+args)...)
		if got.code != 0 || got.stderr != "" {
			t.Fatalf("%s: %+v", args, got)
		}
		results[args] = strings.NewReplacer("a-*", "a", "all", "a").Replace(withoutNotes(got.stdout))
	}
	for args, got := range results {
		if want := results["a.csv c.csv"]; got != want {
			t.Errorf("%s: %s", args, firstDifference(got, want))
		}
	}
	got := call(t, "", strings.Fields("learn -force -no-interval -drop id a-*.csv")...)
	if got.code != 0 || !strings.Contains(got.stdout, "a-*: n = 30, D = 2") {
		t.Errorf("%+v", got)
	}
	got = call(t, "", "learn", "a-1.csv", "a-2.csv", "c.csv")
	if got.code != 2 || !strings.Contains(got.stderr, "3 files are given, want at most 2, P and Q; a "+
		"pattern in quotes, as in 'P-*.csv', makes one sample of several files") {
		t.Errorf("%+v", got)
	}
}

// withoutNotes leaves out the notes of summary.json, which name files.
func withoutNotes(summary string) string {
	return summary[:strings.Index(summary, `"notes"`)]
}

// Places of dates are dates, in the headline of both commands.
func TestPlacesOfDates(t *testing.T) {
	var b strings.Builder
	b.WriteString("g,when\n")
	for i := range 60 {
		fmt.Fprintf(&b, "a,2024-01-%02d\nb,2024-03-%02d\n", i%25+1, i%27+1)
	}
	inFolder(t, map[string]string{"d.csv": b.String()})
	for _, args := range [][]string{{"twosample"}, {"-chains", "2", "-iter", "50"}} {
		got := call(t, "", append(args, "-label", "g", "d.csv")...)
		headline, _, _ := strings.Cut(strings.Join(strings.Fields(got.stdout), " "), ". ")
		if got.code != 0 || !strings.Contains(headline, "more of a between 2024-01-") && !strings.Contains(headline, "more of a between 2023-12-") ||
			!strings.Contains(headline, "and 2024-03-") {
			t.Errorf("%v: exit %d, %q: %s", args, got.code, headline, got.stderr)
		}
	}
}
