package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// strange are known rows, and new ones the last two of which are novel.
func strange() map[string]string {
	r := rand.New(rand.NewPCG(4, 4))
	files := mistaken()
	for k, name := range []string{"line", "plane", "space"} {
		dim := k + 1
		for _, kind := range []string{"known", "new"} {
			var b strings.Builder
			b.WriteString(strings.Join([]string{"a", "b", "c"}[:dim], ",") + "\n")
			n := map[string]int{"known": 200, "new": 8}[kind]
			for i := range n {
				var row []string
				shift := 0.0
				if kind == "new" && i >= 6 {
					shift = 6
				}
				for range dim {
					row = append(row, fmt.Sprintf("%.4f", r.NormFloat64()+shift))
				}
				b.WriteString(strings.Join(row, ",") + "\n")
			}
			files[name+"_"+kind+".csv"] = b.String()
		}
	}
	files["flat_known.csv"] = "a\n" + strings.Repeat("1\n", 20)
	files["single.csv"] = "a\n7\n"
	return files
}

// What is printed and left, in one column, two and three.
func TestNovelty(t *testing.T) {
	onGoldenMachine(t)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"novelty", []string{"line_known.csv", "line_new.csv"}},
		{"novelty_plane", []string{"-kernel", "matern52", "plane_known.csv",
			"plane_new.csv"}},
		{"novelty_space", []string{"-calibrate", "full", "-choose", "median", "-alpha", "0.2", "space_known.csv",
			"space_new.csv"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t, strange())
			got := call(t, "", append([]string{"novelty", "-path", "portable"}, c.args...)...)
			if got.code != 0 || got.stderr != "" {
				t.Fatalf("exit %d: %s", got.code, got.stderr)
			}
			golden(t, c.name+".stdout", got.stdout)
			b, err := os.ReadFile("bkesample-out/novelty/summary.json")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, c.name+".json", string(b))
			scores, err := os.ReadFile("bkesample-out/novelty/scores.csv")
			if err != nil || strings.Count(string(scores), "\n") != 9 {
				t.Errorf("scores.csv is %q, %v", scores, err)
			}
			for _, file := range []string{"figure.png", "figure.svg", "report.html"} {
				if info, err := os.Stat(filepath.Join("bkesample-out/novelty", file)); err != nil ||
					info.Size() == 0 {
					t.Errorf("%s: %v", file, err)
				}
			}
		})
	}
}

// The exit code tells of a list, a single new row will do, and so will labels. A given kernel sets no
// rows aside.
func TestNoveltyOptions(t *testing.T) {
	inFolder(t, strange())
	for _, u := range []struct {
		line, want string
		code       int
	}{
		{"-exit-code line_known.csv line_new.csv", "2 of 8 rows of line_new are novel", 4},
		{"-exit-code -alpha 0.001 line_known.csv line_new.csv", "no row can be listed at this level", 0},
		{"-theta 1 line_known.csv single.csv", "ranked among (100 others were fitted) are exchangeable", 0},
		{"-label g=a,b -columns x labels.csv", "relative to a", 0},
		{"-scale2 1 -beta 2 -calibrate full line_known.csv line_new.csv", "2 of 8 rows", 0},
		{"line_known.csv line_known.csv", "No row of Q line_known is novel", 0},
	} {
		got := call(t, "", append([]string{"novelty", "-force"}, strings.Fields(u.line)...)...)
		text := strings.Join(strings.Fields(got.stdout), " ")
		if got.code != u.code || got.stderr != "" || !strings.Contains(text, u.want) {
			t.Errorf("%s: %+v", u.line, got)
		}
	}
}

// Far rows are in order, the farthest first, and the output names them in words that cannot be read as
// row numbers. Quiet does not silence JSON. Of several columns the one that is out of line is named.
func TestNoveltyFar(t *testing.T) {
	files := strange()
	files["far.csv"] = "a\n0\n5\n10\n100\n10000\n"
	files["many.csv"] = "a\n" + strings.Repeat("50\n", 12)
	files["column.csv"] = "a,b,c\n0,0,0\n0,0,20\n0,-500,0\n"
	inFolder(t, files)
	got := call(t, "", "novelty", "-quiet", "-format", "json", "line_known.csv", "far.csv")
	var s struct {
		Calibration string
		Most        []struct {
			Row     int
			Score   float64
			Columns []struct {
				Name        string
				Value, Fall float64
			}
		} `json:"most_novel"`
	}
	if err := json.Unmarshal([]byte(got.stdout), &s); err != nil || got.code != 0 || got.stderr != "" {
		t.Fatalf("%v: %+v", err, got)
	}
	if s.Calibration != "split" {
		t.Errorf("calibration is %s", s.Calibration)
	}
	for i, want := range []int{5, 4, 3, 2} {
		if s.Most[i].Row != want || i > 0 && !(s.Most[i].Score < s.Most[i-1].Score-1) {
			t.Errorf("place %d: %+v", i, s.Most[i])
		}
	}
	got = call(t, "", "novelty", "-force", "line_known.csv", "many.csv")
	if words := strings.Join(strings.Fields(got.stdout), " "); !strings.Contains(words, " 8 and 4 others.") {
		t.Errorf("%+v", got)
	}
	got = call(t, "", "novelty", "-force", "-quiet", "-format", "json", "space_known.csv", "column.csv")
	if err := json.Unmarshal([]byte(got.stdout), &s); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"b", "c"} {
		if c := s.Most[i].Columns; len(c) != 3 || c[0].Name != want || !(c[0].Fall > 3*c[1].Fall) {
			t.Errorf("place %d: %+v", i, s.Most[i])
		}
	}
	for _, name := range []string{"columns.csv", "figure_columns.png", "figure_columns.svg"} {
		if _, err := os.Stat(filepath.Join("bkesample-out/novelty", name)); err != nil {
			t.Error(err)
		}
	}
}

// Rows of one distribution are at most alpha as often as alpha says. A thousand new rows of 10
// sets: the mean of p <= 0.1 has, with 50 ranked rows, an sd of about 0.042 a set, 0.013 over 10. The
// bound is 4 sds from the level of the ranks, 5/51.
func TestNoveltyLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	column := func(n int) string {
		var b strings.Builder
		b.WriteString("a\n")
		for range n {
			fmt.Fprintf(&b, "%.5f\n", r.NormFloat64())
		}
		return b.String()
	}
	small, all := 0, 0
	for range 10 {
		inFolder(t, map[string]string{"known.csv": column(100), "new.csv": column(1000)})
		if got := call(t, "", "novelty", "known.csv", "new.csv"); got.code != 0 {
			t.Fatal(got.stderr)
		}
		b, err := os.ReadFile("bkesample-out/novelty/scores.csv")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n")[1:] {
			var p float64
			if _, err := fmt.Sscan(strings.Split(line, ",")[2], &p); err != nil {
				t.Fatal(err)
			}
			all++
			if p <= 0.1 {
				small++
			}
		}
	}
	if share := float64(small) / float64(all); math.Abs(share-5./51) > 0.053 {
		t.Errorf("share of p <= 0.1 is %.3f of %d", share, all)
	}
}

// What is wrong is told in one line.
func TestNoveltyWrong(t *testing.T) {
	var all strings.Builder
	for _, u := range []struct {
		args string
		code int
	}{
		{"", 2}, {"line_known.csv", 2}, {"none.csv line_new.csv", 1}, {"line_known.csv empty.csv", 1},
		{"line_known.csv header.csv", 1}, {"line_known.csv plane_new.csv", 1}, {"single.csv line_new.csv", 1},
		{"flat_known.csv line_new.csv", 1}, {"z2.csv plane_new.csv", 1},
		{"line_known.csv line_new.csv single.csv", 2}, {"-label g -columns x labels.csv", 2},
		{"-weights w line_known.csv line_new.csv", 2}, {"-alpha 0 line_known.csv line_new.csv", 2},
		{"-alpha 1 line_known.csv line_new.csv", 2}, {"-scale2 0 line_known.csv line_new.csv", 2},
		{"-beta -1 line_known.csv line_new.csv", 2}, {"-theta -1 line_known.csv line_new.csv", 2},
		{"-theta 1 -choose median line_known.csv line_new.csv", 2},
		{"-calibrate half line_known.csv line_new.csv", 2}, {"-choose fuse line_known.csv line_new.csv", 2},
		{"-inputs 900 line_known.csv line_new.csv", 2}, {"-kernel none line_known.csv line_new.csv", 2},
		{"-inputs-from quantiles plane_known.csv plane_new.csv", 2}, {"line_known.csv text.csv", 1},
		{"line_known.csv inf.csv", 1},
	} {
		inFolder(t, strange())
		args := append([]string{"novelty"}, strings.Fields(u.args)...)
		got := call(t, "", args...)
		line, rest, _ := strings.Cut(got.stderr, "\n")
		if got.code != u.code || rest != "" || got.stdout != "" || !strings.HasPrefix(line, "bkesample: ") {
			t.Errorf("%s: exit %d, want %d: %s%s", u.args, got.code, u.code, got.stderr, got.stdout)
		}
		fmt.Fprintf(&all, "bkesample %s\n  exit %d: %s\n", strings.Join(args, " "), got.code,
			strings.TrimPrefix(line, "bkesample: "))
		if _, err := os.Stat("bkesample-out/novelty/summary.json"); err == nil {
			t.Errorf("%s leaves results", u.args)
		}
	}
	golden(t, "wrong_novelty.txt", all.String())
}

// The same bytes whatever the number of processors.
func TestNoveltySameBytes(t *testing.T) {
	inFolder(t, strange())
	for _, dir := range []string{"one", "many"} {
		args := slices.Concat([]string{"novelty", "-out", dir}, []string{"plane_known.csv", "plane_new.csv"})
		withProcessors(map[string]int{"one": 1, "many": 4}[dir], func() {
			if got := call(t, "", args...); got.code != 0 {
				t.Fatal(got.stderr)
			}
		})
	}
	sameFiles(t, "one", "many")
}

// withProcessors runs do on so many.
func withProcessors(n int, do func()) {
	old := runtime.GOMAXPROCS(n)
	defer runtime.GOMAXPROCS(old)
	do()
}

// Rows have the numbers that they have in the file, also where others were left out, or are of another group.
func TestNoveltyRowNumbers(t *testing.T) {
	var known, fresh, both strings.Builder
	known.WriteString("x\n")
	fresh.WriteString("x\n")
	both.WriteString("x,g\n5,\n") // a row without a group
	for i := range 60 {
		fmt.Fprintf(&known, "%d\n", i%20)
		fmt.Fprintf(&both, "%d,old\n", i%20)
	}
	for i := range 12 {
		v := strconv.Itoa(i)
		switch i {
		case 2, 5:
			v = "NA"
		case 10:
			v = "900"
		}
		fmt.Fprintf(&fresh, "%s\n", v)
		fmt.Fprintf(&both, "%s,new\n", v)
	}
	inFolder(t, map[string]string{"known.csv": known.String(), "new.csv": fresh.String(), "both.csv": both.String()})
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"known.csv", "new.csv"}, "row 11"},
		{[]string{"-label", "g=old,new", "both.csv"}, "row 72"},
	} {
		got := call(t, "", append([]string{"novelty", "-force"}, c.args...)...)
		text := strings.Join(strings.Fields(got.stdout), " ")
		if got.code != 0 || !strings.Contains(text, c.want) {
			t.Errorf("%v: exit %d, want %q in: %s%s", c.args, got.code, c.want, got.stdout, got.stderr)
		}
	}
}

// Columns made of categories depend on each other by their making, and no note says to leave some out.
func TestNoveltyOfCategories(t *testing.T) {
	var b strings.Builder
	b.WriteString("g,colour,v\n")
	for i := range 120 {
		fmt.Fprintf(&b, "%d,%s,%d\n", i%2, []string{"red", "green", "blue"}[i*i%7%3], (i*37)%101)
	}
	inFolder(t, map[string]string{"c.csv": b.String()})
	got := call(t, "", "novelty", "-out", "o", "-label", "g", "c.csv")
	if got.code != 0 || strings.Contains(got.stdout, "do not fill") ||
		!strings.Contains(got.stdout, "Categories become a column for each value") {
		t.Errorf("exit %d: %s%s", got.code, got.stdout, got.stderr)
	}
}

// Notes name columns as the file does, and say of heavy tails what is done about them, here of the column
// of seventh powers.
func TestNoveltyHeavy(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 3))
	b, fresh := []byte("mild,wild,flat\n"), []byte("mild,wild,flat\n0,0,0\n1,1,1\n")
	for range 300 {
		b = fmt.Appendf(b, "%.3f,%.3f,%.3f\n", r.NormFloat64(), math.Pow(r.NormFloat64(), 7), r.Float64())
	}
	inFolder(t, map[string]string{"known.csv": string(b), "new.csv": string(fresh)})
	got := call(t, "", "novelty", "known.csv", "new.csv")
	text := strings.Join(strings.Fields(got.stdout), " ")
	if got.code != 0 || !strings.Contains(text, "The tails of wild are heavy") || strings.Contains(text, "of column") {
		t.Errorf("exit %d: %s%s", got.code, got.stdout, got.stderr)
	}
}
