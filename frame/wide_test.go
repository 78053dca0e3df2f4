package frame

import (
	"fmt"
	"strings"
	"testing"
)

// A header of very many columns takes time in proportion: quadratic loops over these took minutes,
// and would not let the tests end.
func TestWideHeader(t *testing.T) {
	const columns = 200_000
	var names, texts, same strings.Builder
	for k := range columns {
		fmt.Fprintf(&names, "c%d,", k)
		fmt.Fprintf(&texts, "t%d,", k)
		same.WriteString("c,")
	}
	numbers := strings.Repeat("1.5,", columns) + "1\n"
	for _, c := range []struct {
		file string
		o    Options
	}{
		{names.String() + "last\n" + numbers, Options{}},
		{same.String() + "c\n" + numbers, Options{}},
		{names.String() + "last\n" + texts.String() + "text\n", Options{Numbers: true}},
		{names.String() + "last\n" + texts.String() + "text\n", Options{}},
	} {
		if _, err := From(t.Context(), strings.NewReader(c.file), "f", c.o); err != nil && !strings.Contains(err.Error(), "f:") {
			t.Error(err)
		}
	}
}
