package frame

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseLabel(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"Species", "Species []"},
		{" Species = setosa , virginica", `Species ["setosa" "virginica"]`},
		{"2=1", `2 ["1"]`},
		{`site="a, b",c  d`, `site ["a, b" "c d"]`},
		{"a=b=c", `a ["b=c"]`},
		{"", `labels: "" names no column, want COLUMN or COLUMN=LABEL,LABEL`},
		{"=x", `labels: "=x" names no column, want COLUMN or COLUMN=LABEL,LABEL`},
		{"a=", `labels: "a=" is no list of labels, want COLUMN=LABEL,LABEL`},
		{"a=x,,y", `labels: "a=x,,y" has an empty label, want COLUMN=LABEL,LABEL`},
		{"a=x,x", `labels: "a=x,x" names "x" twice`},
		{`a="x`, `labels: "a=\"x" is no list of labels, want COLUMN=LABEL,LABEL`},
	} {
		column, levels, err := ParseLabel(test.in)
		got := fmt.Sprintf("%s %q", column, levels)
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q: got %s, want %s", test.in, got, test.want)
		}
	}
}

// Rows of other labels do not matter, whatever is in them, but each line must be whole.
func TestLevels(t *testing.T) {
	in := "g,x\nb,1\nc,oops\na,2\n,3\nb,4\nc,NA\n"
	o := Options{Label: "g", Levels: []string{"b", "a"}}
	tab, err := readNumbers(strings.NewReader(in), "f", o)
	if err != nil {
		t.Fatal(err)
	}
	if got := show(tab); got != "x| 1 <b>| 2 <a>| 4 <b>" || tab.Dropped != 0 {
		t.Errorf("got %s, %d dropped", got, tab.Dropped)
	}
	if got := fmt.Sprint(tab.Levels()); got != "[{b 2} {a 1}]" {
		t.Errorf("got %s", got)
	}
	names, parts, err := tab.Split()
	if err != nil || fmt.Sprint(names) != "[b a]" || parts[0].At(1, 0) != 4 {
		t.Errorf("%v, %v, %v", names, parts, err)
	}
	if _, err := readNumbers(strings.NewReader(in+"c\n"), "f", o); err == nil {
		t.Error("no error for a line that is cut")
	}
}

// Levels may be as many as the rows: with a search of all for each, this would take minutes.
func TestManyLevels(t *testing.T) {
	const n = 100_000
	var a, b strings.Builder
	a.WriteString("x,y\n")
	b.WriteString("x,y\n")
	for i := range n {
		fmt.Fprintf(&a, "name-%06d,1\n", i)
		fmt.Fprintf(&b, "name-%06d,2\n", n+n/2-1-i)
	}
	first, err := typed(strings.NewReader(a.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	second, err := typed(strings.NewReader(b.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	Categorize(0, first, second)
	if len(first.Types[0].Levels) != n+n/2 || first.Data.At(7, 0) != 7 || second.Data.At(0, 0) != n+n/2-1 {
		t.Error(len(first.Types[0].Levels), first.Data.At(7, 0), second.Data.At(0, 0))
	}
	last := "name-149999"
	if err := second.Order("x", []string{last}); err != nil || second.Data.At(0, 0) != 0 || second.Data.At(1, 0) != n+n/2-1 {
		t.Error(err, second.Data.At(0, 0), second.Data.At(1, 0))
	}
}
