package input

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"
)

// What columns of whole numbers and text are taken for.
func TestRoles(t *testing.T) {
	times := func(n int, f func(i int) float64) (out []float64) {
		for i := range n {
			out = append(out, f(i))
		}
		return out
	}
	groupsOf := func(n int, f func(i int) int) (out []int) {
		for i := range n {
			out = append(out, f(i))
		}
		return out
	}
	halves := func(n int) []int { return groupsOf(n, func(i int) int { return i * 2 / n }) }
	incomes := []float64{3100, 2815, 47021, 5600, 3333, 12008, 9100, 8121, 7700, 6532, 4100, 2900}
	weights := []float64{179, 160, 136, 227, 217, 168, 108, 124, 143, 140, 309, 229, 181, 141, 260, 203, 148, 169,
		213, 257} // of chicks, R's chickwts: all different by chance
	for _, c := range []struct {
		what   string
		name   string
		kind   frame.Kind
		values []float64
		group  []int
		want   role
	}{
		{"row numbers", "x", frame.Whole, times(20, func(i int) float64 { return float64(i + 1) }), nil, eachRow},
		{"row numbers in another order", "x", frame.Whole, times(20, func(i int) float64 { return float64(i * 7 % 20) }),
			nil, eachRow},
		{"numbers with gaps that rise", "x", frame.Whole, times(20, func(i int) float64 { return float64(i * i) }), nil,
			eachRow},
		{"a large number called id", "customer_id", frame.Whole, incomes, nil, eachRow},
		{"amounts", "income", frame.Whole, incomes, nil, isData},
		{"amounts that are all different by chance", "weight", frame.Whole, weights, nil, isData},
		{"four rows", "id", frame.Whole, []float64{1, 2, 3, 4}, nil, isData},
		{"a measurement", "id", frame.Number, times(20, func(i int) float64 { return float64(i) + 0.5 }), nil, isData},
		{"names", "who", frame.Category, times(20, func(i int) float64 { return float64(19 - i) }), nil, eachRow},
		{"one of each in both samples", "x", frame.Whole, times(20, func(i int) float64 { return float64(i%10 + 1) }),
			halves(20), eachOnce},
		{"one of each, in another order", "x", frame.Whole, times(20, func(i int) float64 { return float64(i * 3 % 10) }),
			halves(20), eachOnce},
		{"numbered subjects, each in one sample", "x", frame.Whole, times(60, func(i int) float64 { return float64(i/3 + 1) }),
			halves(60), withinOne},
		{"numbered sets in both samples", "x", frame.Whole, times(60, func(i int) float64 { return float64(i%20 + 1) }),
			append(make([]int, 20), slices.Repeat([]int{1}, 40)...), acrossRows},
		{"numbered subjects of one sample", "x", frame.Whole, times(60, func(i int) float64 { return float64(i/3 + 1) }),
			nil, oneSample},
		{"days of months", "x", frame.Whole, times(62, func(i int) float64 { return float64(i%31 + 1) }), nil, again},
		{"counts", "x", frame.Whole, times(60, func(i int) float64 { return float64(i * i % 12) }), halves(60), isData},
		{"treatments", "x", frame.Category, times(60, func(i int) float64 { return float64(i % 6) }), halves(60), isData},
		{"many units", "x", frame.Category, times(60, func(i int) float64 { return float64(i / 5) }), halves(60), withinOne},
		{"codes of units, each in one sample", "x", frame.Whole, times(100, func(i int) float64 { return float64(1200 + 37*(i%20)) }),
			groupsOf(100, func(i int) int { return i % 20 * 7 % 2 }), withinOne},
		{"amounts that the samples are cut by", "x", frame.Whole, times(100, func(i int) float64 { return float64(1200 + 37*(i%20)) }),
			groupsOf(100, func(i int) int { return i % 20 / 10 }), isData},
		{"days of each unit, early and late", "x", frame.Whole, times(100, func(i int) float64 { return float64(i % 10) }),
			groupsOf(100, func(i int) int { return i % 10 / 5 }), again},
	} {
		col := &column{name: c.name, kind: c.kind, values: c.values, group: c.group, groups: 1}
		if c.group != nil {
			col.groups = 2
		}
		if got := col.judge(); got != c.want {
			t.Errorf("%s: role %d, want %d", c.what, got, c.want)
		}
	}
}

// load reads a file as a command with these flags does.
func load(t *testing.T, text string, set func(f *Flags)) (*Dataset, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "d.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	con := &cli.Console{Program: &cli.Program{Name: "p"}, Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer)}
	s := &cli.FlagSet{FlagSet: flag.NewFlagSet("p", flag.ContinueOnError)}
	f := &Flags{HasPairs: true, HasBlocks: true}
	f.Define(s, false, "")
	f.columns.na = "drop"
	set(f)
	return f.Load(s, con, []string{path})
}

// Rows of one identifier are brought together, whatever their order; the samples have the names asked for.
func TestPairs(t *testing.T) {
	var b strings.Builder
	b.WriteString("g,id,x\n")
	for i := range 8 {
		fmt.Fprintf(&b, "0,%d,%d.5\n", i, i)
	}
	for i := range 8 {
		fmt.Fprintf(&b, "1,%d,%d.25\n", (3*i+1)%8, (3*i+1)%8)
	}
	d, err := load(t, b.String(), func(f *Flags) { f.Label, f.Pairs, f.names = "g", "id", "0=before,1=after" })
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if d.P.At(i, 0) != d.Q.At(i, 0)+0.25 || d.Blocks[i] != d.Blocks[8+i] {
			t.Errorf("row %d: %v and %v, blocks %v", i, d.P.At(i, 0), d.Q.At(i, 0), d.Blocks)
		}
	}
	if d.PName != "before" || d.QName != "after" || len(d.Columns) != 1 {
		t.Errorf("%q and %q, columns %v", d.PName, d.QName, d.Columns)
	}
	d, err = load(t, b.String(), func(f *Flags) { f.Label = "g" })
	if err != nil || d.PName != "g = 0" || !slices.ContainsFunc(d.Notes, func(s string) bool {
		return strings.HasPrefix(s, "Left out id: each of its 8 values occurs once in each sample.") &&
			strings.Contains(s, "-pairs id")
	}) {
		t.Errorf("%v, %v", d, err)
	}
	if _, err := load(t, b.String()+"1,3,4\n", func(f *Flags) { f.Label, f.Pairs = "g", "id" }); err == nil ||
		!strings.Contains(err.Error(), `the value "3" occurs twice`) {
		t.Error(err)
	}
}

// One line says what is missing, and one what is asked.
func TestNotes(t *testing.T) {
	var b strings.Builder
	b.WriteString("g,race,x,when,code\n")
	for i := range 40 {
		x := fmt.Sprintf("%d.5", i*i%17)
		if i%10 == 3 {
			x = "NA"
		}
		fmt.Fprintf(&b, "%c,%d,%s,2024-03-%02d,%d\n", 'a'+i%2, i%3+1, x, i*7%23+1, i*i%4)
	}
	d, err := load(t, b.String(), func(f *Flags) { f.Label, f.columns.categories = "g", "code" })
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Columns used: race, x, when, code.", "Used as categories: code (0, 1).",
		"Left out 4 of 40 rows with missing values (x 4).",
		"race has the values 1, 2, 3: used as amounts; if they are names, add -categories race.",
		"Used as days since 1970-01-01: when."}
	if !slices.Equal(d.Notes, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(d.Notes, "\n"), strings.Join(want, "\n"))
	}
	_, err = load(t, b.String(), func(f *Flags) { f.Label, f.columns.na = "g", "error" })
	if err == nil || !strings.HasSuffix(err.Error(), "4 of 40 rows have a missing value (x 4); -na drop leaves such rows out") {
		t.Error(err)
	}
	_, err = load(t, b.String(), func(f *Flags) { f.columns.categories, f.columns.drop = "code", "code" })
	if err == nil || err.Error() != "-categories names code, which -drop leaves out" {
		t.Error(err)
	}
}

// A table of counts is asked about, and counted where that is wanted.
func TestCounts(t *testing.T) {
	const text = "sex,died,Freq\nf,no,3\nf,yes,0\nm,no,2\nm,yes,4\n"
	_, err := load(t, text, func(f *Flags) { f.Label = "died" })
	if err == nil || !strings.Contains(err.Error(), "column Freq seems to say how often each row occurred: want -counts "+
		"Freq") {
		t.Error(err)
	}
	d, err := load(t, text, func(f *Flags) { f.Label, f.columns.counts = "died", "Freq" })
	if err != nil {
		t.Fatal(err)
	}
	if p, q := d.Rows(); p != 5 || q != 4 || len(d.Columns) != 1 {
		t.Errorf("%d and %d rows, columns %v", p, q, d.Columns)
	}
}

// A name among a few small whole numbers that occur often makes all of them names (cylinders of cars, in
// R's Cars93); among fewer rows, or among numbers with decimals, it is a slip.
func TestNamesAmongNumbers(t *testing.T) {
	for _, c := range []struct {
		values string
		rows   int
		slip   bool
	}{{"3 4 5 6 8 rotary", 60, false}, {"3 4 5 6 8 rotary", 18, true}, {"3.5 4 5 6 8 rotary", 60, true},
		{"1 2 3 4 5 6 7 8 x", 90, true}} {
		var b strings.Builder
		b.WriteString("g,cylinders\n")
		of := strings.Fields(c.values)
		for i := range c.rows {
			fmt.Fprintf(&b, "%c,%s\n", 'a'+i/2%2, of[i%len(of)])
		}
		d, err := load(t, b.String(), func(f *Flags) { f.Label = "g" })
		switch {
		case c.slip:
			if err == nil || !strings.Contains(err.Error(), "is not a number, as most values are") {
				t.Errorf("%s in %d rows: %v", c.values, c.rows, err)
			}
		case err != nil:
			t.Error(err)
		default:
			if want := "Used as categories: cylinders (3, 4, 5, 6, 8, rotary)."; !slices.Contains(d.Notes, want) {
				t.Errorf("notes %q, want %q", d.Notes, want)
			}
		}
	}
}
