package frame

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"
)

// zipped returns s compressed by gzip.
func zipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

// show writes a table as names and rows, for comparison.
func show(t *Frame) string {
	var b strings.Builder
	fmt.Fprint(&b, strings.Join(t.Names, " "))
	n, d := t.Data.Dims()
	for i := range n {
		b.WriteString("|")
		for j := range d {
			fmt.Fprintf(&b, " %v", t.Data.At(i, j))
		}
		if t.Labels != nil {
			fmt.Fprintf(&b, " <%s>", t.Labels[i])
		}
	}
	return b.String()
}

func TestRead(t *testing.T) {
	ab := Options{Columns: []string{"b", "a"}}
	drop := Options{Missing: DropMissing}
	g := Options{Label: "g"}
	long := strings.Repeat("1,", sampleSize) + "2"
	for _, test := range []struct {
		name, in string
		o        Options
		want     string
	}{
		// Separators.
		{"comma", "a,b\n1,2\n3,4\n", Options{}, "a b| 1 2| 3 4"},
		{"tab", "a\tb\n1\t2\n", Options{}, "a b| 1 2"},
		{"semicolon", "a;b\n1;2\n", Options{}, "a b| 1 2"},
		{"decimal comma", "a;b\n1,5;-,25\n3,e2;+7\n", Options{}, "a b| 1.5 -0.25| 300 7"},
		{"decimal comma, no header", "1,5;2,5\n", Options{}, "x1 x2| 1.5 2.5"},
		{"decimal point by semicolon", "1.5;2\n", Options{}, "x1 x2| 1.5 2"},
		{"blanks", "  a   b\n 1.5\t 2\n3  4 \n", Options{}, "a b| 1.5 2| 3 4"},
		{"tabs in disorder", "a\t\tb\n1\t2\n", Options{}, "a b| 1 2"},
		{"blanks under a header with commas", "a, b\n1 2\n", Options{}, "a, b| 1 2"},
		{"commas and blanks", "a, b , c\n1, 2 ,3\n", Options{}, "a b c| 1 2 3"},
		{"one column", "temp\n1\n2\n", Options{}, "temp| 1| 2"},
		{"one column, two words", "wind speed\n1\n2\n", Options{}, "wind speed| 1| 2"},
		{"one column, no header", "1\n2", Options{}, "x| 1| 2"},
		{"one value", "1", Options{}, "x| 1"},
		{"tab in a label", "g,x\na\tb,1\n", g, "x| 1 <a b>"},
		{"separators in quotes", "\"a;b\",c\n\"1\",2\n", Options{}, "a;b c| 1 2"},
		{"empty fields by tabs", "a\tb\tc\n\t\t\n1\t2\t3\n", drop, "a b c| 1 2 3"},
		// Lines.
		{"CRLF", "a,b\r\n1,2\r\n", Options{}, "a b| 1 2"},
		{"CR", "a,b\r1,2\r3,4", Options{}, "a b| 1 2| 3 4"},
		{"blank lines and comments", "\n# x\n \t\na\n\n1\n  # y\n2\n\n", Options{}, "a| 1| 2"},
		{"BOM", "\ufeffa,b\n1,2\n", ab, "b a| 2 1"},
		{"gzip", zipped("a\n1\n"), Options{}, "a| 1"},
		{"gzip of two members", zipped("a\n1\n") + zipped("2\n"), Options{}, "a| 1| 2"},
		{"gzip with BOM", zipped("\ufeffa\n1\n"), Options{Columns: []string{"a"}}, "a| 1"},
		{"long line", long, Options{Columns: []string{"1", "262145"}}, "x1 x262145| 1 2"},
		// Quotes.
		{"quotes", "\"a\",\"b\"\n\"1\",\"2\"\n", ab, "b a| 2 1"},
		{"quotes and blanks", " \"a\" , \"b\" \n \" 1 \" ,2\n", ab, "b a| 2 1"},
		{"quotes by blanks", "\"a b\" c\n1 \"2\"\n", Options{}, "a b c| 1 2"},
		{"quotes by tabs", "\"a\"\t\"b\"\n \"1\"\t\n3\t4", drop, "a b| 3 4"},
		{"doubled quotes", "g,x\n\"5\"\" pipe\",1\n\"\"\"\",2\n", g, "x| 1 <5\" pipe>| 2 <\">"},
		{"lines in quotes", "\"a\nb\",g\n1,\"x\r\n\r\n, y\"\n", g, "a b| 1 <x , y>"},
		{"comment sign in quotes", "x,g\n1,\"a\n#b\"\n", g, "x| 1 <a #b>"},
		{"quoted comment sign", "g,x\n\"#a\",1\n", g, "x| 1 <#a>"},
		{"empty last field", "g,x,y\n\"a\",1,\n\"b\",1,2\n", Options{Label: "g", Missing: DropMissing},
			"x y| 1 2 <b>"},
		// Headers.
		{"no header", "1,2\n3,4\n", Options{}, "x1 x2| 1 2| 3 4"},
		{"header by one name", "1,b\n3,4\n", Options{}, "1 b| 3 4"},
		{"names that are numbers", "2019,2020\n3,4\n", Options{}, "x1 x2| 2019 2020| 3 4"},
		{"asked for among numbers", "g,2020\na,4\n", g, "2020| 4 <a>"},
		{"label without header", "a,1\nb,2\n", Options{Label: "1"}, "x2| 1 <a>| 2 <b>"},
		{"text column not read", "a,1\nb,2\n", Options{Columns: []string{"2"}}, "x2| 1| 2"},
		{"missing in the first row", "NA,1\n2,3\n", drop, "x1 x2| 2 3"},
		{"name before number", "2,b\n3,4\n", Options{Columns: []string{"2", "b"}}, "2 b| 3 4"},
		{"row numbers", ",a,b\n0,1,2\n1,3,4\n", Options{}, "a b| 1 2| 3 4"},
		{"row numbers in quotes", "\"\",\"a\"\n\"1\",5\n", Options{}, "a| 5"},
		{"row numbers wanted", ",a\n0,1\n", Options{Columns: []string{"1", "a"}}, "x1 a| 0 1"},
		{"separator at the end", "a,b,\n1,2,\n", Options{}, "a b| 1 2"},
		{"same name twice", "a,b,a\n1,2,3\n", Options{}, "a (column 1) b a (column 3)| 1 2 3"},
		{"same name, by number", "a,a\n1,2\n", Options{Columns: []string{"2"}}, "a| 2"},
		{"blanks in the name asked", "a,b c\n1,2\n", Options{Columns: []string{" b  c "}}, "b c| 2"},
		{"Latin-1", "temp\xe9rature,g\n1,\xe0\n", Options{Label: "g", Columns: []string{"température"}},
			"température| 1 <à>"},
		{"blanks of Latin-1", "a,g\n\xa01\xa0,\xa0x\xff\xa0\n", g, "a| 1 <xÿ>"},
		{"label between", "a,g,b\n1,x,2\n", g, "a b| 1 2 <x>"},
		{"label NA asked for", "g,x\nNA,1\nb,2\n", Options{Label: "g", Levels: []string{"NA"}}, "x| 1 <NA>"},
		{"label None", "g,x\nNone,1\nSome,2\n", g, "x| 1 <None>| 2 <Some>"},
		{"text not read", "a,note\n1,NaN\n2,Inf\n", Options{Columns: []string{"a"}}, "a| 1| 2"},
		// Missing values.
		{"missing words", "x,y\nNA,1\nN/A,1\nNaN,1\nnan,1\nnull,1\nNone,1\n.,1\n,1\n\"\",1\n-nan,1\n" +
			"NULL,1\n#N/A,1\n2,1\n", drop, "x y| 2 1"},
		{"missing label", "g,x\n,1\nb,2\n", Options{Label: "g", Missing: DropMissing}, "x| 2 <b>"},
		{"missing label NA", "g,x\nNA,1\nb,2\n", Options{Label: "g", Missing: DropMissing}, "x| 2 <b>"},
		{"missing elsewhere", "x,y\n1,NA\n", Options{Columns: []string{"x"}}, "x| 1"},
		// Numbers.
		{"forms", "+1\n-.5\n5.\n1e3\n1E-3\n007\n1e-400\n-0", Options{},
			"x| 1| -0.5| 5| 1000| 0.001| 7| 0| -0"},
		{"true and false", "x,y\nTRUE,1\nFalse,2\n", Options{}, "x y| 1 1| 0 2"},
		{"extremes", "1.7976931348623157e308\n5e-324\n", Options{},
			"x| 1.7976931348623157e+308| 5e-324"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab, err := readNumbers(strings.NewReader(test.in), "f", test.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(tab); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			// However the bytes arrive, the table is the same.
			again, err := readNumbers(iotest.OneByteReader(strings.NewReader(test.in)), "f", test.o)
			if err != nil || show(again) != test.want {
				t.Errorf("byte by byte: %v", err)
			}
		})
	}
}

func TestHeaderAndDropped(t *testing.T) {
	in := "g,x,y\na,1,NA\n,2,3\nb,.,\nb,4,5\n"
	tab, err := readNumbers(strings.NewReader(in), "f", Options{Label: "g", Missing: DropMissing})
	if err != nil {
		t.Fatal(err)
	}
	if !tab.Header || tab.Dropped != 3 || tab.Label != "g" || tab.Source != "f" {
		t.Errorf("got %+v", tab)
	}
	tab, err = readNumbers(strings.NewReader("1 2"), "f", Options{})
	if err != nil || tab.Header || tab.Labels != nil || tab.Label != "" {
		t.Errorf("got %+v, %v", tab, err)
	}
}

// TestLineEnds cuts text with all line ends at every place, as blocks of a file may be cut.
func TestLineEnds(t *testing.T) {
	in, want := "a\r\nb\rc\n\r\n\r\r\nd\r", "a\nb\nc\n\n\n\nd\n"
	for n := range len(in) {
		x := &text{r: &pieces{[]string{in[:n], in[n:]}}}
		var b bytes.Buffer
		if _, err := b.ReadFrom(x); err != nil || b.String() != want {
			t.Errorf("cut at %d: got %q, %v", n, b.String(), err)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "P.csv")
	if err := os.WriteFile(path, []byte(zipped("a\n1\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	tab, err := numbersIn([]string{path}, nil, Options{})
	if err != nil || tab.Source != path || show(tab) != "a| 1" {
		t.Errorf("got %+v, %v", tab, err)
	}
	tab, err = numbersIn([]string{"-"}, strings.NewReader(zipped("a\n1\n")), Options{})
	if err != nil || tab.Source != "standard input" || show(tab) != "a| 1" {
		t.Errorf("got %+v, %v", tab, err)
	}
}

func TestSplit(t *testing.T) {
	for _, test := range []struct{ labels, want string }{
		{"b a b", "a 2;b 1 3;"},
		{"10 9 10", "9 2;10 1 3;"},
		{"1.0 1 -2", "-2 3;1 2;1.0 1;"},
		{"10 9 x", "10 1;9 2;x 3;"},
		{"x x x", "x 1 2 3;"},
	} {
		tab := &Frame{Labels: strings.Fields(test.labels), Data: mat.NewDense(3, 1, []float64{1, 2, 3})}
		levels, parts, err := tab.Split()
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for k, s := range levels {
			got += s
			for _, v := range parts[k].RawMatrix().Data {
				got += fmt.Sprintf(" %v", v)
			}
			got += ";"
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.labels, got, test.want)
		}
	}
	if _, _, err := (&Frame{Source: "f"}).Split(); err == nil {
		t.Error("no error without labels")
	}
}

func TestMatch(t *testing.T) {
	const differ = "P and Q have columns of different names, "
	number := Options{Columns: []string{"2", "1"}}
	for _, test := range []struct {
		p, q string
		o    Options
		want string // Q after Match, or the error
	}{
		{"a b\n1 2", "a b\n3 4", Options{}, "a b| 3 4"},
		{"a b\n1 2", "b a\n3 4\n5 6", Options{}, "a b| 4 3| 6 5"},
		{"a b c\n1 2 3", "c a b\n1 2 3", Options{}, "a b c| 2 3 1"},
		{"1 2", "b a\n3 4", Options{}, "b a| 3 4"},
		{"a b\n1 2", "3 4", Options{}, "x1 x2| 3 4"},
		{"a b\n1 2", "b c\n3 4", number, "c b| 4 3"},
		{"a b\n1 2", "b c\n3 4", Options{}, differ + `"a" and "c"; ` +
			"chosen by number, as -columns 1, they are compared by place"},
		{"a a b\n1 2 3", "a b b\n1 2 3", Options{}, differ + `"a" and "b"; ` +
			"chosen by number, as -columns 1, they are compared by place"},
		{"a a b\n1 2 3", "a b a\n1 2 3", Options{}, "P and Q have columns in different order, " +
			`some of them under the same name: "a", "a", "b"`},
		{"1 2", "a\n1", Options{}, `P and Q have 2 columns ("x1", "x2") and 1 ("a"), ` +
			"and should have the same"},
	} {
		test.o.Remedies = flags
		p, err := readNumbers(strings.NewReader(test.p), "P", test.o)
		if err != nil {
			t.Fatal(err)
		}
		q, err := readNumbers(strings.NewReader(test.q), "Q", test.o)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := Match(p, q); err != nil {
			got = err.Error()
		} else {
			got = show(q)
		}
		if got != test.want {
			t.Errorf("%q, %q: got  %s\nwant %s", test.p, test.q, got, test.want)
		}
	}
}

// TestMemory checks that reading a file takes little more memory than its numbers.
func TestMemory(t *testing.T) {
	const rows, columns = 100_000, 3
	path := filepath.Join(t.TempDir(), "P.csv")
	if err := os.WriteFile(path, numbers(rows, columns), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	tab, err := numbersIn([]string{path}, nil, Options{})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if n, d := tab.Data.Dims(); n != rows || d != columns {
		t.Fatalf("got %d x %d", n, d)
	}
	// All that was ever allocated: the numbers with a twentieth to spare, and the buffers.
	got := float64(after.TotalAlloc - before.TotalAlloc)
	if limit := 1.1*8*rows*columns + 1<<20; got > limit {
		t.Errorf("allocated %.0f bytes, limit %.0f", got, limit)
	}
}

// numbers returns a table with a header, of numbers with all their digits.
func numbers(rows, columns int) []byte {
	names := []string{}
	for j := range columns {
		names = append(names, fmt.Sprintf("v%d", j))
	}
	b := []byte(strings.Join(names, ",") + "\n")
	for i := range rows {
		row := []string{}
		for j := range columns {
			row = append(row, fmt.Sprint(math.Sin(float64(i*columns+j+1))))
		}
		b = append(b, strings.Join(row, ",")+"\n"...)
	}
	return b
}

func BenchmarkRead(b *testing.B) {
	plain := numbers(100_000, 3)
	for _, c := range []struct {
		name string
		from string
		to   string
	}{{"comma", "", ""}, {"blanks", ",", " "}, {"crlf", "\n", "\r\n"}} {
		in := plain
		if c.from != "" {
			in = bytes.ReplaceAll(plain, []byte(c.from), []byte(c.to))
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				if _, err := readNumbers(bytes.NewReader(in), "f", Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// pieces is a reader that returns one string at a time.
type pieces struct{ rest []string }

func (p *pieces) Read(b []byte) (int, error) {
	p.rest = slices.DeleteFunc(p.rest, func(s string) bool { return s == "" })
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest[0])
	p.rest[0] = p.rest[0][n:]
	return n, nil
}

// A first row of whole numbers over others is noted, as it may have names, and other tables without a
// header are not.
func TestLikeNames(t *testing.T) {
	for text, want := range map[string]bool{
		"2019,2020\n" + strings.Repeat("1.5,2.5\n", 20):          true,
		"7\n" + strings.Repeat("0.25\n", 20):                     false,
		"7,7\n" + strings.Repeat("0.25,1.5\n", 20):               false,
		"NA,1\n2,3\n" + strings.Repeat("0.25,1.5\n", 20):         false,
		"2,3\n" + strings.Repeat("0.25,1.5\n", 2000) + "1,.5\n":  false,
		"2019,2020.5\n" + strings.Repeat("1.5,2.5\n", 20):        false,
		"2019,2020\n" + strings.Repeat("1.5,2.5\n", 20) + "1,.5": false,
		"2019,2020\n" + strings.Repeat("1.5,2.5\n", 3):           false,
		strings.Repeat("1,2\n", 20):                              false,
		"a,b\n3,4\n" + strings.Repeat("1.5,2.5\n", 20):           false,
	} {
		tab, err := readNumbers(strings.NewReader(text), "f", Options{Missing: DropMissing})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(tab.Notes, func(n Note) bool { return n.Kind == LikeNames }); got != want {
			t.Errorf("%.20q…: noted %v, want %v", text, got, want)
		}
	}
}
