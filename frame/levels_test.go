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
