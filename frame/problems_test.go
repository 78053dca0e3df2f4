package frame

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// All that is wrong with a file is told at once.
func TestProblems(t *testing.T) {
	for _, test := range []struct {
		name, in string
		o        Options
		want     string
	}{
		{"each kind", "a,b,w\n1,x,1\n2,3\n4,5,-1\nNA,6,1\n7,\"8\"9,1\n1e999,y,1\ninf,\"2\",0\n",
			Options{Weight: "w"}, `f: line 2, column "b": "x" is not a number; choose columns of ` +
				`numbers by -columns a, or use this one as -label b
f: line 3: found 2 fields, expected 3 as in line 1
f: line 4, column "w": the weight is "-1", want a positive number
f: line 5, column "a": the value is missing ("NA"); -na drop leaves such rows out
f: line 6: "9,1" follows a closing quote ("), where the field should end
f: line 7, column "a": "1e999" is too large, the limit is ±1.8e308
f: line 7, column "b": "y" is not a number
f: line 8, column "a": "inf" is not finite
f: line 8, column "w": the weight is "0", want a positive number`},
		{"more than ten", "x,y\n" + strings.Repeat("1,a\n2\n3,1\n", 9), Options{},
			`f: line 2, column "y": "a" is not a number; choose columns of numbers by -columns x, or ` +
				"use this one as -label y\n" + `f: line 3: found 1 field, expected 2 as in line 1
f: line 5, column "y": "a" is not a number
f: line 6: found 1 field, expected 2 as in line 1
f: line 8, column "y": "a" is not a number
f: line 9: found 1 field, expected 2 as in line 1
f: line 11, column "y": "a" is not a number
f: line 12: found 1 field, expected 2 as in line 1
f: line 14, column "y": "a" is not a number
f: line 15: found 1 field, expected 2 as in line 1
and 8 more problems`},
		{"a column of text is one problem", "t,u,x\n" + strings.Repeat("a,b,1\n", 50) + "c,d,e\n",
			Options{}, `f: line 2, column "t": "a" is not a number; choose columns of numbers by ` +
				"-columns x, or use this one as -label t\n" + `f: line 2, column "u": "b" is not a number
f: line 52, column "x": "e" is not a number`},
		{"eleven missing", "x\n" + strings.Repeat("NA\n1\n", 11), Options{},
			`f: line 2, column "x": the value is missing ("NA"), and 10 more rows are incomplete; -na drop ` +
				"leaves such rows out"},
		{"not closed", "x,y\n1,a\n2,\"b\n3,4\n", Options{}, `f: line 2, column "y": "a" is not a ` +
			"number; choose columns of numbers by -columns x, or use this one as -label y\n" +
			`f: line 3: a quote (") is opened and never closed`},
		{"too long after", "x,y\n1,a\n2," + strings.Repeat("1", maxRecord), Options{},
			`f: line 2, column "y": "a" is not a ` +
				"number; choose columns of numbers by -columns x, or use this one as -label y\n" +
				"f: line 3: the row is longer than 16 MB, which no table's should be"},
		{"columns", "a,b\n1,2\n", Options{Columns: []string{"c", "a", "1", "b"}, Label: "d",
			Drop: []string{"b", "3"}}, `f: there is no column "d", only "a", "b"
f: there is no column 3, only 1 to 2
f: there is no column "c", only "a", "b"
f: column "a" is chosen twice
f: column "b" is chosen both as data and as one to drop`},
		{"all dropped", "a,b\n1,2\n", Options{Drop: []string{"a", "b"}},
			`f: there is no column of numbers beside column "a", which is dropped, and column "b", ` +
				"which is dropped"},
		{"nameless", "\"\",\" \"\nx,y\n", Options{}, `f: line 1, column 1: the value is missing; ` +
			"-na drop leaves such rows out\nf: line 1, column 2: the value is missing\n" +
			`f: line 2, column 1: "x" is not a number; choose`},
		{"levels", "g,x\na,1\nb,z\nb,2\nc,3\n", Options{Label: "g", Levels: []string{"d", "c", "a b"}},
			`f: column "g" has no label "a b", only "a" (1 row), "b" (2 rows), "c" (1 row)` + "\n" +
				`f: column "g" has no label "d", only "a" (1 row), "b" (2 rows), "c" (1 row)`},
		{"many levels", "g,x\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n8,1\n9,1\n10,1\n",
			Options{Label: "g", Levels: []string{"11"}}, `f: column "g" has no label "11", only ` +
				`"1" (1 row), "2" (1 row), "3" (1 row), "4" (1 row), "5" (1 row), "6" (1 row), ` +
				`"7" (1 row), "8" (1 row), ... (10 in all)`},
		{"a slip", "g,x\nsetosa,1\nvirginica,2\n", Options{Label: "g", Levels: []string{"Virginca"}},
			`f: column "g" has no label "Virginca", only "setosa" (1 row), "virginica" (1 row); ` +
				`did you mean "virginica"?`},
	} {
		test.o.Remedies = flags
		tab, err := readNumbers(strings.NewReader(test.in), "f", test.o)
		if err == nil {
			t.Errorf("%s: got %s, want an error", test.name, show(tab))
			continue
		}
		if test.name != "nameless" {
			if err.Error() != test.want {
				t.Errorf("%s:\ngot  %s\nwant %s", test.name, err, test.want)
			}
		}
	}
}

// What a program has no words for is not advised.
func TestRemedies(t *testing.T) {
	wide := strings.Repeat("a,", 9) + "b\n" + strings.Repeat("1,", 9)
	for _, test := range []struct {
		in   string
		r    Remedies
		want string
	}{
		{"x,y\n1,a\n", Remedies{}, ""},
		{"x,y\n1,a\n", Remedies{Columns: "keep="}, "; choose columns of numbers by keep= x"},
		{"x,y\n1,a\n", Remedies{Drop: "omit"}, "; leave this one out by omit y"},
		{"x,y\n1,a\n", Remedies{Label: "by"}, "; use this one as by y"},
		{wide + "c\n", Remedies{Columns: "keep="}, ""},
		{wide + "c\n", Remedies{Columns: "keep=", Drop: "omit"}, "; leave this one out by omit b"},
		{"x,y\n1,NA\n", Remedies{}, ""},
		{"x,y\n1,NA\n", Remedies{Missing: "skip"}, "; skip leaves such rows out"},
	} {
		_, err := readNumbers(strings.NewReader(test.in), "f", Options{Remedies: test.r})
		if err == nil {
			t.Errorf("%q: read", test.in)
			continue
		}
		_, advice, found := strings.Cut(err.Error(), ";")
		if found {
			advice = ";" + advice
		}
		if advice != test.want {
			t.Errorf("%q with %+v: got advice %q, want %q", test.in, test.r, advice, test.want)
		}
	}
}

func TestJoin(t *testing.T) {
	if err := Join(nil, nil); err != nil {
		t.Errorf("got %v", err)
	}
	many := &Problems{More: 3}
	for i := range 9 {
		many.First = append(many.First, fmt.Errorf("P: %d", i))
	}
	err := Join(nil, many, fs.ErrNotExist, errors.New("Q: x"))
	p, ok := err.(*Problems)
	if !ok || len(p.First) != 10 || p.More != 4 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if !strings.HasSuffix(err.Error(), "P: 8\nfile does not exist\nand 4 more problems") {
		t.Errorf("got %q", err)
	}
}

func TestForeign(t *testing.T) {
	for in, want := range map[string]string{
		"PAR1\x15\x00": "is a damaged Parquet file: it is cut short",
		"PARE\x15\x00": "is an encrypted Parquet file; " +
			"save the table without encryption",
		"ARROW1\x00\x00":                "is an Arrow or Feather file; save the table as Parquet or CSV",
		"\x89HDF\r\n\x1a\n":             "is an HDF5 file; save the table as Parquet or CSV",
		"SQLite format 3\x00":           "is an SQLite database; save the table as Parquet or CSV",
		zipped("RDX3\nX\n\x00\x00"):     "is an R data file; save the table with write.csv",
		"%PDF-1.7\n":                    "is a PDF document; save the table as CSV",
		"\ufeff<!DOCTYPE html>\n<html>": "is a web page, not a table; download the file itself",
		"<html lang=\"en\">":            "is a web page, not a table; download the file itself",
		"{\"a\": [1, 2]}":               `column "a" is nested (a list or an object); a table has plain columns only`,
		"[[1, 2], [3, 4]]":              `is JSON of lists; write an object for each row, as in {"x": 1, "g": "a"}`,
	} {
		_, err := readNumbers(strings.NewReader(in), "f", Options{})
		if err == nil || err.Error() != "f: "+want {
			t.Errorf("%.20q: got %v, want %s", in, err, want)
		}
	}
}
