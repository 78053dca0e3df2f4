package main

import (
	"encoding/json"
	"fmt"
	"math"
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
	inFolder(t, groupFiles())
	for _, c := range []struct{ args, note string }{
		{"a.csv c.csv -columns width", "Column used: width."},
		{"a.csv c.csv -drop id", "Columns used: width, length."},
		{"a.csv swapped.csv", "swapped.csv has its columns in another order than a.csv: they belong " +
			"together by their names."},
		{"a.csv bare.csv", "a.csv has a header and bare.csv has none: their columns belong together by " +
			"their places."},
		{"p.csv p.csv", "p.csv and p.csv hold the same rows."},
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

// A column that only counts rows is warned about, unless it was chosen.
func TestCountingColumn(t *testing.T) {
	files := groupFiles()
	files["shuffled.csv"] = "id,x\n3,1\n1,2\n2,1\n5,2\n4,3\n7,2\n8,1\n6,0\n"
	files["years.csv"] = "year,x\n3,1\n1,2\n2,1\n5,2\n4,3\n7,2\n8,1\n6,0\n"
	files["time.csv"] = "t,x\n0,1\n1,2\n2,1\n3,2\n4,3\n5,2\n6,1\n7,0\n"
	files["alone.csv"] = "x\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	inFolder(t, files)
	for args, column := range map[string]string{
		"iris.csv -label species=a,b": "id", "shuffled.csv": "id", "time.csv": "t", "years.csv": "",
		"alone.csv": "", "time.csv -columns t,x": "", "time.csv -drop t": "", "time.csv -quiet": "",
	} {
		got := call(t, "", append([]string{"learn", "-force", "-no-interval"}, strings.Fields(args)...)...)
		want := ""
		if column != "" {
			want = fmt.Sprintf("bkesample: warning: column %q only counts rows, and is used as data: "+
				"-drop %s leaves it out, and -columns says which to use\n", column, column)
		}
		if got.code != 0 || got.stderr != want {
			t.Errorf("%s: exit %d, %q, want %q", args, got.code, got.stderr, want)
		}
	}
}
