package frame

import (
	"bytes"
	"context"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzRead checks of any input that Read returns at most ten lines of problems, or a table of finite
// numbers, and that such a table, written by encoding/csv, is read back the same.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"", "a,b\n1,2\n", "1;2,5\n", "g x\na 1\n\"b\nc\" 2\n", "\ufeffx\r\n\"1\"\r2", "#\n\n1\t\n",
		zipped("x\n1\n"), "\x1f\x8b", ",a\n0,NA\n1,2", "x\n#N/A\n1e999", "\xff\xfea\x00", "a\"b,c",
	} {
		f.Add([]byte(s), "", "", false)
		f.Add([]byte(s), "a,2", "g", true)
		f.Add([]byte(s), "", "1", true)
	}
	f.Fuzz(func(t *testing.T, in []byte, columns, label string, drop bool) {
		o := Options{Label: label}
		if columns != "" {
			o.Columns = strings.Split(columns, ",")
		}
		if drop {
			o.Missing = DropMissing
		}
		tab, err := readNumbers(bytes.NewReader(in), "f", o)
		if err != nil {
			checkProblems(t, err)
			return
		}
		checkTable(t, tab, o)
		again, err := readNumbers(strings.NewReader(written(t, tab)), "f", Options{Label: o.Label})
		if o.Label != "" {
			again, err = readNumbers(strings.NewReader(written(t, tab)), "f", Options{Label: "label"})
		}
		if err != nil {
			t.Fatalf("read back: %v", err)
		}
		a, b := tab.Data.RawMatrix().Data, again.Data.RawMatrix().Data
		same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
		if !slices.EqualFunc(a, b, same) || !slices.Equal(tab.Labels, again.Labels) {
			t.Errorf("read back %v %q, want %v %q", b, again.Labels, a, tab.Labels)
		}
	})
}

// checkProblems checks that an error of a file called f is one line for each problem.
func checkProblems(t *testing.T, err error) {
	p, ok := err.(*Problems)
	if !ok || len(p.First) == 0 || len(p.First) > mostProblems {
		t.Fatalf("%T of %v", err, err)
	}
	for _, e := range p.First {
		if s := e.Error(); !strings.HasPrefix(s, "f: ") || strings.ContainsAny(s, "\n\r") {
			t.Errorf("error %q", s)
		}
	}
}

func checkTable(t *testing.T, tab *Frame, o Options) {
	n, d := tab.Data.Dims()
	if n == 0 || d == 0 || len(tab.Names) != d || tab.Dropped < 0 {
		t.Errorf("%d x %d, names %q, %d dropped", n, d, tab.Names, tab.Dropped)
	}
	if (tab.Labels != nil) != (o.Label != "") || tab.Labels != nil && len(tab.Labels) != n {
		t.Errorf("%d labels of %d rows", len(tab.Labels), n)
	}
	if tab.Dropped > 0 && o.Missing != DropMissing {
		t.Errorf("%d rows dropped", tab.Dropped)
	}
	if len(tab.Data.RawMatrix().Data) != n*d {
		t.Error("not rectangular")
	}
	for _, v := range tab.Data.RawMatrix().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("value %v", v)
		}
	}
}

// written returns the table as encoding/csv writes it.
func written(t *testing.T, tab *Frame) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	n, d := tab.Data.Dims()
	var rows [][]string
	for i := range n + 1 {
		row := make([]string, d, d+1)
		for j := range row {
			row[j] = "c" + strconv.Itoa(j)
			if i > 0 {
				row[j] = strconv.FormatFloat(tab.Data.At(i-1, j), 'g', -1, 64)
			}
		}
		if tab.Labels != nil && i == 0 {
			row = append(row, "label")
		} else if tab.Labels != nil {
			row = append(row, tab.Labels[i-1])
		}
		rows = append(rows, row)
	}
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// FuzzScan compares the fields of records with those that encoding/csv finds.
func FuzzScan(f *testing.F) {
	f.Add("a,b\n\"1\",\"\"\"\"\n,\n", false)
	f.Add(" \"a\n\n,b\"\t x\ty\n", true)
	f.Fuzz(func(t *testing.T, in string, tabs bool) {
		// The two differ on purpose in comments, line ends, lines of blanks and Latin-1.
		if strings.ContainsAny(in, "#\r\x00") || !utf8.ValidString(in) {
			return
		}
		delim := byte(',')
		if tabs {
			delim = '\t'
		}
		ref := csv.NewReader(strings.NewReader(in))
		ref.Comma, ref.FieldsPerRecord, ref.TrimLeadingSpace = rune(delim), -1, !tabs
		want, err := ref.ReadAll()
		if err != nil {
			return
		}
		x, err := newText(context.Background(), strings.NewReader(in))
		if err != nil {
			return
		}
		s, err := newScanner(x)
		if err != nil {
			return
		}
		s.delim = delim
		blank := func(s string) bool { return strings.TrimSpace(s) == "" }
		for k, w := range want {
			if len(w) == 1 && blank(w[0]) {
				continue
			}
			got, err := s.next()
			for err == nil && len(got) == 1 && len(got[0]) == 0 {
				got, err = s.next()
			}
			if err != nil {
				t.Fatalf("record %d: %v", k, err)
			}
			if len(got) != len(w) {
				t.Fatalf("record %d: got %q, want %q", k, got, w)
			}
			for i := range w {
				if string(got[i]) != strings.TrimSpace(w[i]) {
					t.Errorf("record %d: got %q, want %q", k, got, w)
				}
			}
		}
	})
}

// FuzzDecimal checks that numbers that are read the short way are those of strconv, to the bit.
func FuzzDecimal(f *testing.F) {
	for _, s := range []string{"0", "-0", "-0.0", "+1.5", "12.", ".5", ".", "-", "", "1.2.3", "123456789012345",
		"1234567890123456", "0.123456789012345", "9007199254740993", "00012.50", "999999999999999", "1e5",
		"0x1p2", "1_0", "1,5", "--1", "0.00000000000001", "0.1234567890123456789", "9999999999999999999",
		"1844674407370955161.5", "18446744073709551615", "0.0000000000000000001", "9.007199254740993", "1e", "1e+",
		"1.5e-05", "12e-17", "9007199254740993e-19", "1.25e2", "1e1000",
		"4503599627370497.5", "4503599627370498.5", "4503599627370498.501", "2251799813685249.25", "2251799813685249.75"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, ok := decimal([]byte(s))
		if !ok {
			return
		}
		want, err := strconv.ParseFloat(s, 64)
		if err != nil || math.Float64bits(v) != math.Float64bits(want) {
			t.Errorf("%q is read as %v, want %v (%v)", s, v, want, err)
		}
	})
}
