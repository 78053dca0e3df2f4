package parquet_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"bayeskernel/frame"
)

// show writes rows as numbers and labels.
func show(t *frame.Frame) string {
	var b strings.Builder
	fmt.Fprint(&b, strings.Join(t.Names, " "))
	n, _ := t.Data.Dims()
	for i := range n {
		fmt.Fprintf(&b, "|%v", t.Data.RawRowView(i))
		if t.Labels != nil {
			fmt.Fprintf(&b, " <%s>", t.Labels[i])
		}
		if t.Groups != nil {
			fmt.Fprintf(&b, " <%s>", t.Groups[i])
		}
	}
	return b.String()
}

// Files that other programs have written hold what these say.
func TestForeign(t *testing.T) {
	decimals := "value"
	for i := range 24 {
		decimals += fmt.Sprintf("|[%d]", i+1)
	}
	const all = "alltypes_plain.snappy.parquet"
	cols := func(names ...string) []string { return names }
	for _, test := range []struct {
		file string
		o    frame.Options
		want string // the table, or the error
	}{
		{"int32_decimal.parquet", frame.Options{}, decimals},
		{"fixed_length_decimal_legacy.parquet", frame.Options{}, decimals},
		{"lz4_raw_compressed.parquet", frame.Options{Label: "c1"}, "c0 v11|[1.5936048e+09 42] <abc>" +
			"|[1.5936048e+09 7.7] <def>|[1.593604801e+09 42.125] <abc>|[1.593604801e+09 7.7] <def>"},
		{all, frame.Options{Columns: cols("id", "bool_col", "bigint_col", "float_col", "double_col",
			"string_col"), Label: "timestamp_col", Group: "date_string_col"},
			"id bool_col bigint_col float_col double_col string_col" +
				"|[6 1 0 0 0 0] <2009-04-01 00:00:00> <04/01/09>" +
				"|[7 0 10 1.100000023841858 10.1 1] <2009-04-01 00:01:00> <04/01/09>"},
		{all, frame.Options{Columns: cols("timestamp_col", "id")},
			"timestamp_col id|[1.238544e+09 6]|[1.23854406e+09 7]"}, // date -d 2009-04-01 +%s
		{all, frame.Options{Label: "bool_col", Columns: cols("id")}, "id|[6] <true>|[7] <false>"},
		{all, frame.Options{Label: "double_col", Group: "float_col", Columns: cols("id")},
			"id|[6] <0> <0>|[7] <10.1> <1.1>"},
		{"nested_lists.snappy.parquet", frame.Options{}, `column "a" is nested (a list, struct or ` +
			"map); a table has plain columns only; choose columns of numbers by -columns b"},
		{"nested_lists.snappy.parquet", frame.Options{Label: "a"}, `column "a" is chosen as label, but ` +
			"it is nested (a list, struct or map); a table has plain columns only"},
		{"nested_lists.snappy.parquet", frame.Options{Columns: cols("b")}, "b|[1]|[1]|[1]"},
		{"single_nan.parquet", frame.Options{}, `row 1, column "mycol": the value is missing; ` +
			"-na drop leaves such rows out"},
		{"single_nan.parquet", frame.Options{Missing: frame.DropMissing},
			`the only row has a missing value, in column "mycol"`},
	} {
		test.o.Numbers = true
		path := filepath.Join("testdata", test.file)
		test.o.Remedies = flags
		tab, err := frame.Read(context.Background(), path, test.o)
		got := ""
		if err != nil {
			got = strings.ReplaceAll(err.Error(), path+": ", "")
		} else {
			got = show(tab)
		}
		if got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.file, got, test.want)
		}
	}
	o := frame.Options{Missing: frame.DropMissing, Numbers: true}
	tab, err := frame.Read(context.Background(), "testdata/rle_boolean_encoding.parquet", o)
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := tab.Data.Dims(); n+tab.Dropped != 68 || tab.Dropped != 6 {
		t.Errorf("%d rows and %d dropped, want 68 in all", n, tab.Dropped)
	}
}
