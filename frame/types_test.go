package frame

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Columns of text become places among their sorted names, also where numbers came first and where
// values are missing; columns of numbers stay as they are.
func TestCategories(t *testing.T) {
	const text = "site,level,x\nsouth,2,1\n,2.0,2\nnorth,low,3\nsouth,10,4\n"
	got, err := typed(strings.NewReader(text), Options{Missing: KeepMissing})
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for i, want := range [][]float64{{1, 1, 1}, {nan, 1, 2}, {0, 2, 3}, {1, 0, 4}} {
		for j, v := range want {
			if g := got.Data.At(i, j); g != v && !(g != g && v != v) {
				t.Errorf("row %d, column %d: %v, want %v", i, j, g, v)
			}
		}
	}
	site, _ := got.Column("site")
	level, _ := got.Column("level")
	if x, _ := got.Column("x"); x.Kind != Whole || site.Kind != Category || site.Missing != 1 ||
		!slices.Equal(site.Levels, []string{"north", "south"}) || level.Text != "low" || level.At != 4 ||
		!slices.Equal(level.Texts(), []string{"2", "2", "low", "10"}) {
		t.Errorf("%+v %+v", site, level)
	}
	for _, n := range got.Notes {
		t.Errorf("%+v", n)
	}
	// A number that is only written in another way is no category, nor is what overflows.
	for _, bad := range []string{"a;b\n1,5;2\n1.5;3\n", "a,b\n1,2\n1e999,3\n", "a,b\n1,2\n3,inf\n"} {
		if _, err := typed(strings.NewReader(bad), Options{}); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// Names that occur only in rows that are left out are none.
func TestCategoriesOfDroppedRows(t *testing.T) {
	const text = "x,g\n1,a\n,b\n3,c\n4,a\n"
	got, err := typed(strings.NewReader(text), Options{Missing: DropMissing})
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := got.Data.Dims(); n != 3 || !slices.Equal(got.Types[1].Levels, []string{"a", "c"}) {
		t.Errorf("%d rows, %v", n, got.Types[1].Levels)
	}
}

// Every kind of column, in CSV and in JSON of the same values. The days were counted by date -d.
func TestKinds(t *testing.T) {
	const csv = "x,n,b,g,d,t,m,none\n" +
		"1.5,1,TRUE,u,2024-02-29,2024-02-29 12:30:00,1,\n" +
		"2,2,false,v,1969-12-31,2024-03-01T00:00:00Z,true,NA\n"
	const lines = `{"x": 1.5, "n": 1, "b": true, "g": "u", "d": "2024-02-29", "t": "2024-02-29 12:30:00", "m": 1, "none": null}
{"x": 2, "n": 2, "b": false, "g": "v", "d": "1969-12-31", "t": "2024-03-01T00:00:00Z", "m": true}`
	want := []Kind{Number, Whole, Boolean, Category, Date, Time, Whole, Number}
	list := "[" + strings.ReplaceAll(lines, "\n", ",\n") + "]\n"
	var first *Frame
	for _, text := range []string{csv, lines, list} {
		f, err := typed(strings.NewReader(text), Options{Missing: KeepMissing})
		if err != nil {
			t.Fatal(err)
		}
		for k, x := range f.Types {
			if x.Kind != want[k] {
				t.Errorf("%.9s: column %s holds kind %v, want %v", text, f.Names[k], x.Kind, want[k])
			}
		}
		if first == nil {
			first = f
		}
		if f.Hash() != first.Hash() || !slices.Equal(f.Names, first.Names) {
			t.Errorf("%.9s: other values, %v", text, f.Data.RawMatrix().Data)
		}
	}
	d, _ := first.Column("d")
	at, _ := first.Column("t")
	if !slices.Equal(d.Floats(), []float64{19782, -1}) || d.Format(19782) != "2024-02-29" ||
		!slices.Equal(at.Floats(), []float64{1709209800, 1709251200}) ||
		at.Format(1709209800.5) != "2024-02-29 12:30:00.5" {
		t.Errorf("%v %v", d.Floats(), at.Floats())
	}
}

// What is nearly a date is text, and dates before it are again as they were written.
func TestDatesAndText(t *testing.T) {
	f, err := typed(strings.NewReader("d,e\n2024-02-29,3\n2024-02-30,2024-01-01\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.Types[0].Levels, []string{"2024-02-29", "2024-02-30"}) ||
		!slices.Equal(f.Types[1].Levels, []string{"2024-01-01", "3"}) {
		t.Errorf("%+v", f.Types)
	}
}

// Strings of a JSON file are text although they look like numbers.
func TestJSONStrings(t *testing.T) {
	f, err := typed(strings.NewReader(`{"code": "01"}{"code": "10"}`), Options{})
	if err != nil || !slices.Equal(f.Types[0].Levels, []string{"01", "10"}) {
		t.Error(f, err)
	}
	for text, want := range map[string]string{
		`{"a": 1}` + "\n" + `{"a": }`: "f: line 2: is not a table in JSON, an object for each row: invalid " +
			"character '}' looking for beginning of value",
		`{"a": 1, "b": {"c": 2}}`: `f: column "b" is nested (a list or an object); a table has plain columns only`,
		`[{"a": 1}, 2]`:           "f: line 1: is not a table in JSON, an object for each row: found 2 in the place of an object",
		`{"a": 1e999}`:            `f: row 1, column "a": "+Inf" is not finite`,
	} {
		if _, err := typed(strings.NewReader(text), Options{}); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// Files that are put together, and samples that are compared, have one list of levels.
func TestSameTypes(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for name, text := range map[string]string{"a.csv": "g,x\nv,1\nw,2\n", "b.csv": "g,x\nu,1.5\nv,TRUE\n", "c.csv": "g,x\n3,4\n"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	f, err := ReadAll(context.Background(), paths, Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, _ := f.Column("g")
	x, _ := f.Column("x")
	if !slices.Equal(g.Levels, []string{"3", "u", "v", "w"}) || !slices.Equal(g.Floats(), []float64{2, 3, 1, 2, 0}) ||
		x.Kind != Number || !slices.Equal(x.Floats(), []float64{1, 2, 1.5, 1, 4}) {
		t.Errorf("%+v %v, %v", g.Type, g.Floats(), x.Floats())
	}
}

// One line tells of all that is missing.
func TestMissingInOneLine(t *testing.T) {
	const text = "a,b,c\n1,2,3\nNA,,3\n1,NA,3\n1,2,3\n"
	_, err := typed(strings.NewReader(text), Options{Remedies: flags})
	want := `f: line 3, column "a": the value is missing ("NA"), and 1 more row is incomplete; -na drop leaves ` +
		"such rows out"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	f, err := typed(strings.NewReader(text), Options{Missing: DropMissing})
	if err != nil || f.Dropped != 2 || f.Types[0].Missing != 1 || f.Types[1].Missing != 2 || f.Types[2].Missing != 0 {
		t.Errorf("%+v, %v", f, err)
	}
}

// A context that is done ends the reading.
func TestDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := From(ctx, strings.NewReader("a\n1\n"), "f", Options{}); err == nil {
		t.Error("read all the same")
	}
}

// A first row of measurements with a name in it is data, and one of years with a name is a header.
func TestHeaderOfTypes(t *testing.T) {
	for text, header := range map[string]bool{"5.1,3.5,setosa\n4.9,3.0,setosa\n": false,
		"species,2019,2020\nsetosa,1,2\n": true, "a,b\nc,d\n": true} {
		if f, err := typed(strings.NewReader(text), Options{}); err != nil || f.Header != header {
			t.Errorf("%q: %v, %v", text, f, err)
		}
	}
}

// Columns and rows that are left out or repeated take labels, types and weights with them.
func TestChange(t *testing.T) {
	const text = "l,a,g,n,w\np,1,u,2,1\nq,,v,0,2\np,3,v,1,3\n"
	f, err := typed(strings.NewReader(text), Options{Label: "l", Weight: "w", Missing: KeepMissing})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Repeat(2); err != nil {
		t.Fatal(err)
	}
	if got, want := show(f), "a g| 1 0 <p>| 1 0 <p>| 3 1 <p>"; got != want || !slices.Equal(f.Weights, []float64{1, 1, 3}) {
		t.Errorf("got %s, %v, want %s", got, f.Weights, want)
	}
	f, _ = typed(strings.NewReader(text), Options{Label: "l", Missing: KeepMissing})
	f.Complete()
	if got, want := show(f), "a g n w| 1 0 2 1 <p>| 3 1 1 3 <p>"; got != want || f.Dropped != 1 {
		t.Errorf("got %s, %d left out, want %s", got, f.Dropped, want)
	}
	f.Keep(1, 3)
	if c, ok := f.Column("g"); !ok || show(f) != "g w| 0 1 <p>| 1 3 <p>" || c.Kind != Category || len(f.Types) != 2 {
		t.Errorf("%s %+v", show(f), f.Types)
	}
	if err := f.Repeat(1); err != nil || show(f) != "g| 0 <p>| 1 <p>| 1 <p>| 1 <p>" {
		t.Errorf("%s, %v", show(f), err)
	}
	f, _ = typed(strings.NewReader("n,x\n1.5,1\n"), Options{})
	if err := f.Repeat(0); err == nil || err.Error() != `f: row 1, column "n": the number of rows is 1.5, want a whole number` {
		t.Error(err)
	}
}

// None is a level among texts, wherever it stands, and missing among numbers.
func TestNone(t *testing.T) {
	read := func(text string, m Missing) *Frame {
		f, err := typed(strings.NewReader(text), Options{Label: "g", Missing: m})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		return f
	}
	for _, text := range []string{"x,g,y\nNone,a,1\nSome,b,2\nNA,b,3\nNone,c,4\n", "x,g,y\nSome,a,1\nNone,b,2\nNone,c,4\n"} {
		f := read(text, DropMissing)
		x, _ := f.Column("x")
		if n, _ := f.Data.Dims(); n != 3 || x.Kind != Category || !slices.Equal(x.Levels, []string{"None", "Some"}) ||
			slices.Contains(x.Texts(), "") || !slices.Equal(f.Labels, []string{"a", "b", "c"}) {
			t.Errorf("%q: %d rows, %+v, labels %v", text, n, x.Type, f.Labels)
		}
	}
	for _, text := range []string{"x,g,y\nNone,a,1\nNone,b,2\n2,b,3\n5,c,4\n", "x,g,y\n2,b,3\nNone,a,1\nNone,b,2\n5,c,4\n"} {
		f := read(text, DropMissing)
		x, _ := f.Column("x")
		if n, _ := f.Data.Dims(); n != 2 || f.Dropped != 2 || f.NoLabel != 0 || x.Kind != Whole || x.Missing != 2 ||
			!slices.Equal(x.Floats(), []float64{2, 5}) || !slices.Equal(f.Labels, []string{"b", "c"}) {
			t.Errorf("%q: %d rows, %d dropped, %+v, labels %v", text, n, f.Dropped, x.Type, f.Labels)
		}
		f = read(text, KeepMissing)
		x, _ = f.Column("x")
		missing := 0
		for _, v := range x.Floats() {
			if v != v {
				missing++
			}
		}
		if missing != 2 || x.Missing != 2 {
			t.Errorf("%q: %v, %+v", text, x.Floats(), x.Type)
		}
		_, err := typed(strings.NewReader(text), Options{})
		if err == nil || !strings.Contains(err.Error(), `column "x": the value is missing ("None"), and 1 more row is incomplete`) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A column of whole numbers in which some begin with 0, as codes do, is known for it wherever they stand; amounts below
// one are not such.
func TestZeroAhead(t *testing.T) {
	for text, want := range map[string]string{
		"zip,x\n12345,1\n99999,0.5\n10000,0\n02134,2\n": "02134",
		"zip,x\n02134,1\n02139,2\n":                     "02134",
		"zip,x\n2134,01.5\n0,2.5\n":                     "",
		"zip,x\n-2134,0.5\n10,2\n":                      "",
	} {
		got, err := typed(strings.NewReader(text+strings.Repeat("12345678,1.25\n", 20)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Types[0].Zero != want || got.Types[1].Zero != "" {
			t.Errorf("%q: %+v, want zero ahead in %q", text, got.Types, want)
		}
		if rows, _ := got.Data.Dims(); rows < 22 {
			t.Errorf("%q: %d rows", text, rows)
		}
	}
}
