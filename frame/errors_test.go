package frame

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// flags are those of a program.
var flags = Remedies{Columns: "-columns", Drop: "-drop", Label: "-label", Missing: "-na drop"}

func TestErrors(t *testing.T) {
	col := func(s ...string) Options { return Options{Columns: s} }
	const recode = "; save it as UTF-8, or convert it with iconv"
	const nul = "holds NUL bytes: it is not a text file, or it is UTF-16, to be saved as UTF-8"
	const leaves = "; -na drop leaves such rows out"
	wide := strings.Repeat("c,", 9) + "d\n" + strings.Repeat("1,", 9) + "2\n"
	for _, test := range []struct {
		in   string
		o    Options
		want string
	}{
		// Whole files.
		{"", Options{}, "is empty"},
		{"\ufeff", Options{}, "is empty"},
		{zipped(""), Options{}, "is empty"},
		{"\n# a\n", Options{}, "holds no rows, only blank lines and comments"},
		{"\n\na,b\n", Options{}, "holds a header (line 3) but no rows"},
		{"\xff\xfea\x00\n\x00", Options{}, "is UTF-16 text" + recode},
		{"\xfe\xff\x00a\x00\n", Options{}, "is UTF-16 text" + recode},
		{"a\x00\n\x001\x00", Options{}, "is UTF-16 text by the look of it" + recode},
		{"\x89PNG\r\n\x1a\n\x00\x00", Options{}, nul},
		{"x\n" + strings.Repeat("1\n", sampleSize) + "\x00", Options{}, nul},
		{"PK\x03\x04\x14\x00", Options{}, "is a zip archive or a spreadsheet; save the table as CSV"},
		{"\xd0\xcf\x11\xe0\xa1", Options{},
			"is a spreadsheet in the old Excel format; save the table as CSV"},
		{"BZh91AY", Options{}, "is compressed, but not by gzip; decompress it first"},
		{zipped(zipped("1")), Options{}, "is compressed twice; decompress it first"},
		{"\x1f\x8b", Options{}, "is a gzip file that is cut off, or has something after its end"},
		{"\x1f\x8b12345678901", Options{}, "is a damaged gzip file: gzip: invalid header"},
		{zipped("a\n1\n2\n")[:20], Options{}, "is a gzip file that is cut off, or has something after its end"},
		{zipped("a\n1\n2\n") + "more", Options{}, "is a gzip file that is cut off, or has something after its end"},
		{strings.Repeat("1,", maxRecord/2+10), Options{},
			"line 1: the row is longer than 16 MB, which no table's should be"},
		// Rows.
		{"a,b\n1,2\n\n3\n", Options{}, "line 4: found 1 field, expected 2 as in line 1"},
		{"# c\na,b\n1,2,3\n", Options{}, "line 3: found 3 fields, expected 2 as in line 2"},
		{"a,b\n\"1\n2\",NA\n\n1,2,3", Options{Missing: DropMissing, Columns: []string{"b"}},
			"line 5: found 3 fields, expected 2 as in line 1"},
		{"1 2 3\n4 5\n", Options{}, "line 2: found 2 fields, expected 3 as in line 1"},
		{"a,b\n1\n", Options{}, "line 2: found 1 field, expected 2 as in line 1"},
		{"1\t2\n3\t4\t5\n", Options{}, "line 2: found 3 fields, expected 2 as in line 1"},
		// Quotes.
		{"a,b\n1,2\n3,\"4\n5,6\n", Options{}, `line 3: a quote (") is opened and never closed`},
		{"a,b\n\"1\"2,3\n", Options{},
			`line 2: "2,3" follows a closing quote ("), where the field should end`},
		{"a,b\n1\"2\",3\n", Options{}, `line 2: a quote (") within the field "1\"2\"", ` +
			"which does not start with one"},
		{"\xa0", Options{}, "line 1, column 1: the value is missing" + leaves},
		{"\xa0\u2003\xa0", Options{}, "line 1, column 1: the value is missing" + leaves},
		// Values.
		{"t,u\n1,2\n3,abc\n", Options{}, `line 3, column "u": "abc" is not a number`},
		{"1,2\n3,abc\n", Options{}, `line 2, column 2: "abc" is not a number`},
		{"t,u\r\r1,2\r\n3,abc\r", Options{}, `line 4, column "u": "abc" is not a number`},
		{"a,b\n1,\"2\"\n\"3\",\"x\ny\"\n", Options{}, `line 3, column "b": "x y" is not a number`},
		{"t\n1\n" + strings.Repeat("long ", 50), Options{},
			`line 3, column "t": "long long long long long long lo…" is not a number`},
		{"site,t,u\nnorth,1,2\n", Options{}, `line 2, column "site": "north" is not a number; ` +
			"choose columns of numbers by -columns t,u, or use this one as -label site"},
		{"north,1\nsouth,2\n", Options{}, `line 2, column "north": "south" is not a number; ` +
			"choose columns of numbers by -columns 2, or use this one as -label 1"},
		{"my site,g,t\nnorth,a,1\n", Options{Label: "g"}, `line 2, column "my site": ` +
			`"north" is not a number; choose columns of numbers by -columns t`},
		{"site,t\nnorth,1\n", col("site"), `line 2, column "site": "north" is not a number`},
		{"x\n1_000\n", Options{}, `line 2, column "x": "1_000" is not a number`},
		{"x\n0x1p-2\n", Options{}, `line 2, column "x": "0x1p-2" is not a number`},
		{"x\n-0X1\n", Options{}, `line 2, column "x": "-0X1" is not a number`},
		{"x\n0x1p99999\n", Options{}, `line 2, column "x": "0x1p99999" is not a number`},
		{"x\n1e\n", Options{}, `line 2, column "x": "1e" is not a number`},
		{"x\n-\n", Options{}, `line 2, column "x": "-" is not a number`},
		{"x\n1 2\n", Options{}, `line 2, column "x": "1 2" is not a number`},
		{"x\n-Inf\n", Options{}, `line 2, column "x": "-Inf" is not finite`},
		{"infinity\n1\n", Options{}, `line 1, column 1: "infinity" is not finite`},
		{"x\ninf\n", Options{Missing: DropMissing}, `line 2, column "x": "inf" is not finite`},
		{"x\n-1e309\n", Options{},
			`line 2, column "x": "-1e309" is too large, the limit is ±1.8e308`},
		{"a\tb\n1,5\t2\n", Options{}, `line 2, column "a": "1,5" is not a number ` +
			"(a decimal comma is understood only in files separated by semicolons)"},
		{"a;b\n1,5;2\n3;4.5\n", Options{}, `line 3, column "b": "4.5" has a decimal point, ` +
			"but line 2 has a number with a decimal comma"},
		{"a;b\n1,5;2.5\n3;4.5\n2,5;6\n", Options{}, `line 2, column "b": "2.5" has a decimal ` +
			"point, but line 2 has a number with a decimal comma\n" + `P.csv: line 3, column "b": ` +
			`"4.5" has a decimal point, but line 2 has a number with a decimal comma`},
		{"a;b\n1.234;5,6\n", Options{}, `line 2, column "b": "5,6" has a decimal comma, ` +
			"but line 2 has a number with a decimal point"},
		{"a;b\n1.234,5;1\n", Options{}, `line 2, column "a": "1.234,5" is not a number (remove the ` +
			"points that group thousands)"},
		{"a;b\n1;2\n,;1\n", Options{}, `line 3, column "a": "," is not a number`},
		{"city,pop\nA,\"1,234,567\"\n", col("pop"), `line 2, column "pop": "1,234,567" is not a ` +
			"number (remove the commas that group thousands)"},
		{"x\n5 %\n", Options{}, `line 2, column "x": "5 %" is not a number (remove the sign of ` +
			"the unit)"},
		{"x\n$5\n", Options{}, `line 2, column "x": "$5" is not a number (remove the sign of ` +
			"the unit)"},
		{"x\n1\n#REF!\n", Options{}, `line 3, column "x": "#REF!" is not a number`},
		{"x\n1\ntruer\n", Options{}, `line 3, column "x": "truer" is not a number`},
		// A first line unlike the others.
		{"My data\na,b\n1,2\n", Options{}, "line 1: found 1 field, but all lines after it have 2; " +
			"if it is a title, delete it or start it with #; if the numbers have decimal commas, write them with points"},
		{"a\tb\n1\t2\t3\n2\t4\t5\n", Options{}, "line 1: found 2 fields, but all lines after it have 3; if R wrote its row names, " +
			"which have no name of their own, write the table again with row.names = FALSE"},
		{"a,b,\n1,2\n3,4\n", Options{}, "line 1: found 3 fields, but all lines after it have 2"},
		// Missing values.
		{"a,b\n1,2\n3,NA\n", Options{}, `line 3, column "b": the value is missing ("NA")` + leaves},
		{"1,2\n3,\n", Options{}, "line 2, column 2: the value is missing" + leaves},
		{"g,x\n,1\n", Options{Label: "g"}, `line 2, column "g": the label is missing` + leaves},
		{"a,b\n1,NA\nNA,NA\n", Options{Missing: DropMissing},
			`all 2 rows have a missing value, 2 of them in column "b"`},
		{"a,b\n1,NA\n", Options{Missing: DropMissing},
			`the only row has a missing value, in column "b"`},
		{"g,x\n,1\n", Options{Missing: DropMissing, Label: "g"},
			`the only row has a missing value, in column "g"`},
		{"a,b\nNA,x\n", Options{Missing: DropMissing, Columns: []string{"a", "b"}},
			`line 2, column "b": "x" is not a number`},
		// Columns.
		{"Species,b\n1,2\n", col("specis"), `there is no column "specis", only "Species", "b"; did ` +
			`you mean "Species"?`},
		{"a,b\n1,2\n", col("c"), `there is no column "c", only "a", "b"`},
		{wide, col("x"), `there is no column "x", only "c", "c", "c", "c", "c", "c", "c", "c", ... ` +
			"(10 in all)"},
		{"1,2\n", col("c"), `there is no column "c": without a header columns go by number, ` +
			"here 1 to 2"},
		{"1,2\n", col("3"), "there is no column 3, only 1 to 2"},
		{"1,2\n", col("0"), "there is no column 0, only 1 to 2"},
		{"1\n", col("-1"), "there is no column -1, only 1"},
		{"a,b\n1,2\n", col("a", ""), "a column is asked for by an empty name"},
		{"a,b\n1,2\n", col("a", "1"), `column "a" is chosen twice`},
		{"1,2\n", col("2", "2"), "column 2 is chosen twice"},
		{"a,b\n1,2\n", Options{Columns: []string{"a", "b"}, Label: "b"},
			`column "b" is chosen both as data and as label`},
		{"a,b\n1,2\n", Options{Label: "c"}, `there is no column "c", only "a", "b"`},
		{"a\n1\n", Options{Label: "a"}, `there is no column of numbers beside the label, column "a"`},
		{wide, col("c"), `columns 1 and 2 are both called "c": choose by number`},
	} {
		test.o.Remedies = flags
		tab, err := readNumbers(strings.NewReader(test.in), "P.csv", test.o)
		if err == nil {
			t.Errorf("%.40q: got %s, want an error", test.in, show(tab))
		} else if want := "P.csv: " + test.want; err.Error() != want {
			t.Errorf("%.40q:\ngot  %s\nwant %s", test.in, err, want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	broken := errors.New("input/output error")
	for _, in := range []string{"", "a,b\n1,2\n3", strings.Repeat("1\n", sampleSize)} {
		r := &pieces{rest: []string{in}}
		_, err := readNumbers(iotest.TimeoutReader(iotest.OneByteReader(r)), "f", Options{})
		if in != "" && !errors.Is(err, iotest.ErrTimeout) {
			t.Errorf("got %v", err)
		}
		_, err = readNumbers(iotest.ErrReader(&fs.PathError{Op: "read", Path: "f", Err: broken}), "f",
			Options{})
		if err == nil || err.Error() != "f: cannot be read: input/output error" {
			t.Errorf("got %v", err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	locked := filepath.Join(dir, "locked.csv")
	if err := os.WriteFile(locked, []byte("1\n"), 0); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(dir, "none.csv")
	for path, want := range map[string]string{
		none:    none + ": no such file or directory",
		dir:     dir + ": is a directory, not a file; " + dir + "/* means its files",
		"":      `"": no such file or directory`,
		"a\nb":  `"a\nb": no such file or directory`,
		"-":     "standard input: there is none",
		locked:  locked + ": permission denied",
		"a\x00": `"a\x00": invalid argument`,
	} {
		_, err := numbersIn([]string{path}, nil, Options{})
		if path == locked && err == nil {
			continue // whoever runs this may read everything
		}
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := numbersIn([]string{none}, nil, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
}
