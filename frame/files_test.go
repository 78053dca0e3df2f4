package frame

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inFiles writes files into a folder, and makes it the current one.
func inFiles(t *testing.T, files ...string) {
	t.Chdir(t.TempDir())
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(files[i], []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func texts(notes []Note) string {
	var lines []string
	for _, n := range notes {
		lines = append(lines, n.Text)
	}
	return strings.Join(lines, "\n")
}

func TestOpenAll(t *testing.T) {
	inFiles(t, "a1.csv", "x,y\n1,2\n", "a2.csv", zipped("y\tx\n4\t3\n"), "b.txt", "5 6\n7 8\n",
		"c.csv", "x,z,q\n1,2,3\n", "d.csv", "x,y\n1,oops\n2,NA\n", "[e].csv", "x,y\n9,9\n",
		"g1.csv", "g,x,w\nu,1,.5\nv,2,1\n", "g2.csv", "w,x,g\n2,3,u\n1,NA,v\n", "g3.csv",
		"g,x,v\nu,1,1\n", "g4.csv", "g,x,w\nt,1,1\n", "g5.csv", "g,x,w\ns,1,1\n",
		"same.csv", "x,y\n1,2\n", "one.csv", "x\n1\n")
	drop := Options{Label: "g", Weight: "w", Missing: DropMissing}
	for _, test := range []struct {
		paths string
		o     Options
		want  string // the table and its source, or the error
		notes string
	}{
		{"a1.csv", Options{}, "a1.csv: x y| 1 2", ""},
		{"a?.csv", Options{}, "a1.csv, a2.csv: x y| 1 2| 3 4", "a2.csv: the columns stand in another " +
			"order than in a1.csv; they are matched by name"},
		{"a2.csv -", Options{}, "a2.csv, standard input: y x| 4 3| 11 10", "standard input: the " +
			"columns stand in another order than in a2.csv; they are matched by name"},
		{"a1.csv b.txt", Options{}, "a1.csv, b.txt: x y| 1 2| 5 6| 7 8", "b.txt: has no header; " +
			"its columns are taken in the order of those in a1.csv"},
		{"b.txt a1.csv a1.csv [e].csv", Options{Columns: []string{"2"}},
			"b.txt, a1.csv, ..., [e].csv (4 files): y| 6| 8| 2| 2| 9", "b.txt: has no header; " +
				"its columns are taken in the order of those in a1.csv\n" +
				"a1.csv: is given twice, so that its rows count twice"},
		{"b.txt a1.csv a2.csv", Options{Columns: []string{"2"}}, "a1.csv and a2.csv have different " +
			`columns and cannot be put together: "y" only in a1.csv, "x" only in a2.csv`, ""},
		{"same.csv a1.csv", Options{}, "same.csv, a1.csv: x y| 1 2| 1 2",
			"a1.csv: holds the same 1 row as same.csv"},
		{"g1.csv g2.csv", drop, "g1.csv, g2.csv: x| 1 <u>| 2 <v>| 3 <u>", ""},
		{"g4.csv g1.csv g5.csv", Options{Label: "g", Levels: []string{"v", "s"}, Weight: "w"},
			"g4.csv, g1.csv, g5.csv: x| 2 <v>| 1 <s>", ""},
		{"g1.csv g4.csv", Options{Label: "g", Levels: []string{"u", "a"}}, "g1.csv, g4.csv: column " +
			`"g" has no label "a", only "t" (1 row), "u" (1 row), "v" (1 row)`, ""},
		{"g1.csv", Options{Label: "g", Levels: []string{"s"}}, `g1.csv: column "g" has no label "s", ` +
			`only "u" (1 row), "v" (1 row)`, ""},
		{"a1.csv c.csv", Options{}, "a1.csv and c.csv have different columns and cannot be put " +
			`together: "y" only in a1.csv, "z", "q" only in c.csv`, ""},
		{"a1.csv one.csv c.csv d.csv", Options{}, `d.csv: line 2, column "y": "oops" is not a number; ` +
			"choose columns of numbers by -columns x, or use this one as -label y\n" +
			`a1.csv and one.csv have different columns and cannot be put together: "y" only in a1.csv` +
			"\na1.csv and c.csv have different columns and cannot be put together: " +
			`"y" only in a1.csv, "z", "q" only in c.csv`, ""},
		{"one.csv b.txt", Options{}, `one.csv and b.txt have 1 column ("x") and 2 ("x1", "x2"), and ` +
			"should have the same", ""},
		{"g1.csv g3.csv", Options{Label: "g", Weight: "3"}, "g1.csv and g3.csv: the column of the " +
			`weight is "w" in one and "v" in the other; choose it by name`, ""},
		{"- a1.csv -", Options{}, "standard input: is given twice, and can be read only once", ""},
		{"z*.csv a1.csv y[.csv", Options{}, "z*.csv: no file matches this pattern\n" +
			"y[.csv: is not a valid pattern for names of files", ""},
		{"z.csv a1.csv y.csv", Options{}, "z.csv: no such file or directory\n" +
			"y.csv: no such file or directory", ""},
		{"", Options{}, "no file is given", ""},
	} {
		test.o.Remedies = flags
		tab, err := numbersIn(strings.Fields(test.paths), strings.NewReader("x,y\n10,11\n"), test.o)
		got, notes := "", ""
		if err != nil {
			got = err.Error()
		} else {
			got, notes = tab.Source+": "+show(tab), texts(tab.Notes)
		}
		if got != test.want || notes != test.notes {
			t.Errorf("%s:\ngot  %s\n%s\nwant %s\n%s", test.paths, got, notes, test.want, test.notes)
		}
	}
	tab, err := numbersIn([]string{"g1.csv", "g2.csv"}, nil, drop)
	if err != nil || !slices.Equal(tab.Weights, []float64{.5, 1, 2}) || tab.Dropped != 1 {
		t.Errorf("%v: %+v", err, tab)
	}
}

func TestNotes(t *testing.T) {
	for _, test := range []struct {
		name, in string
		o        Options
		want     string
	}{
		{"duplicates", "a,b,a,b,a\n1,2,3,4,5\n", Options{}, `f: 3 columns are called "a"; they are ` +
			`told apart as "a (column 1)", "a (column 3)", "a (column 5)", and chosen by number` +
			"\n" + `f: 2 columns are called "b"; they are told apart as "b (column 2)", ` +
			`"b (column 4)", and chosen by number`},
		{"duplicates not read", "a,b,a\n1,2,3\n", Options{Columns: []string{"b", "3"}}, ""},
	} {
		test.o.Remedies = flags
		tab, err := readNumbers(strings.NewReader(test.in), "f", test.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(tab.Notes); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestHash(t *testing.T) {
	hash := func(in string, o Options) [32]byte {
		tab, err := readNumbers(strings.NewReader(in), "f", o)
		if err != nil {
			t.Fatal(err)
		}
		return tab.Hash()
	}
	g := Options{Label: "3"}
	a := hash("x,y\n1,2\n3,4\n", Options{})
	if a != hash("u\tv\n1.0\t2e0\n3\t4\n", Options{}) {
		t.Error("the same numbers hash differently")
	}
	for _, h := range [][32]byte{hash("x,y\n1,2\n3,5\n", Options{}), hash("1 2 3 4", Options{}),
		hash("1\n2\n3\n4", Options{}), hash("3,4\n1,2\n", Options{}), hash("1,2,a\n3,4,b\n", g),
		hash("1,2\n3,4\n", Options{Weight: "2"}), hash("-0,0\n", Options{}), hash("0,0\n", Options{})} {
		if h == a {
			t.Error("other contents have the same hash")
		}
		a = h
	}
	if hash("1,2,ab\n3,4,c\n", g) == hash("1,2,a\n3,4,bc\n", g) {
		t.Error("other labels have the same hash")
	}
}

func TestMatchNotes(t *testing.T) {
	for _, test := range []struct{ q, want string }{
		{"x,y\n1,2\n", "Q: holds the same 1 row as P"},
		{"y,x\n2,1\n", "Q: the columns stand in another order than in P; they are matched by name\n" +
			"Q: holds the same 1 row as P"},
		{"1,2\n", "Q: has no header; its columns are taken in the order of those in P\n" +
			"Q: holds the same 1 row as P"},
		{"x,y\n1,3\n", ""},
	} {
		p, _ := readNumbers(strings.NewReader("x,y\n1,2\n"), "P", Options{})
		q, err := readNumbers(strings.NewReader(test.q), "Q", Options{})
		if err == nil {
			err = Match(p, q)
		}
		if err != nil || texts(q.Notes) != test.want {
			t.Errorf("%q: %v, got %s, want %s", test.q, err, texts(q.Notes), test.want)
		}
	}
}

// What is matched by place is noted at the file that it is odd of.
func TestMatchByPlace(t *testing.T) {
	for _, test := range []struct {
		p, q         string
		o            Options
		wantP, wantQ string
	}{
		{"1\n2\n", "y\n3\n4\n", Options{},
			"P: has no header; its columns are taken in the order of those in Q", ""},
		{"1\n2\n", "3\n4\n", Options{}, "", ""},
		{"a,b\n1,2\n", "b,c\n3,4\n", Options{Columns: []string{"1", "2"}}, "",
			`Q: the columns "b", "c" are called "a", "b" in P; they are matched by place`},
		{"a,b\n1,2\n", "a,b\n3,4\n", Options{Columns: []string{"1", "2"}}, "", ""},
	} {
		p, _ := readNumbers(strings.NewReader(test.p), "P", test.o)
		q, err := readNumbers(strings.NewReader(test.q), "Q", test.o)
		if err == nil {
			err = Match(p, q)
		}
		if err != nil || texts(p.Notes) != test.wantP || texts(q.Notes) != test.wantQ {
			t.Errorf("%q and %q: %v, %s, %s", test.p, test.q, err, texts(p.Notes), texts(q.Notes))
		}
	}
	p, _ := readNumbers(strings.NewReader("x\n1\n"), "P", Options{})
	if err := Match(p, p); err != nil || texts(p.Notes) != "P: is given for both samples" {
		t.Errorf("%v, %s", err, texts(p.Notes))
	}
}

func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	want := dir + ": is a directory, not a file; " + filepath.Join(dir, "*") + " means its files"
	if _, err := numbersIn([]string{dir}, nil, Options{}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
