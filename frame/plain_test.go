package frame

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Numbers in many forms, in plain lines and others between them, are those of strconv.ParseFloat, whatever
// the separator and the ends of lines are, kept or handed on.
func TestPlainLines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	forms := []func() string{
		func() string { return strconv.FormatFloat(r.NormFloat64(), 'f', r.IntN(9), 64) },
		func() string { return strconv.Itoa(r.IntN(2000) - 1000) },
		func() string { return fmt.Sprintf("+%d.", r.IntN(10)) },
		func() string { return fmt.Sprintf("-.%d", r.IntN(1000)) },
		func() string { return "-0" },
		func() string { return fmt.Sprintf("%015d", r.Int64N(1e15)) },
		func() string { return strconv.FormatFloat(r.NormFloat64(), 'g', -1, 64) },
		func() string { return strconv.FormatFloat(math.Exp(50*r.NormFloat64()), 'g', 1+r.IntN(21), 64) },
		func() string { return fmt.Sprintf("%d.%dE-%d", r.IntN(100), r.Int64N(1e17), r.IntN(30)) },
	}
	odd := []func() string{
		func() string { return strconv.FormatFloat(r.NormFloat64(), 'e', -1, 64) },
		func() string { return strconv.FormatFloat(r.NormFloat64(), 'g', 17, 64) },
		func() string { return " 3.5 " },
		func() string { return `"7"` },
		func() string { return fmt.Sprintf("%016d", r.Int64N(1e16)) },
		func() string { return fmt.Sprintf("%d.%014d", 95+r.IntN(5), r.Int64N(1e14)) }, // beyond 2^53
	}
	for _, c := range []struct {
		separator, end string
		columns        int
	}{{",", "\n", 1}, {",", "\n", 3}, {"\t", "\r\n", 2}, {",", "\r\n", 4}, {";", "\n", 2}, {" ", "\n", 2}} {
		var text strings.Builder
		var want []float64
		for k := range c.columns {
			text.WriteString(strings.Repeat(c.separator, min(k, 1)) + string(rune('a'+k)))
		}
		for line := range 60000 {
			text.WriteString(c.end)
			if r.IntN(500) == 0 {
				text.WriteString("# a comment" + c.end + c.end)
			}
			for k := range c.columns {
				draw := forms[r.IntN(len(forms))]
				if line > 20000 && r.IntN(20) == 0 && c.separator != " " {
					draw = odd[r.IntN(len(odd))]
				}
				field := draw()
				text.WriteString(strings.Repeat(c.separator, min(k, 1)) + field)
				v, err := strconv.ParseFloat(strings.Trim(field, ` "`), 64)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, v)
			}
		}
		name := fmt.Sprintf("%d columns, separator %q, end %q", c.columns, c.separator, c.end)
		same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
		tab, err := readNumbers(strings.NewReader(text.String()), "f", Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !slices.EqualFunc(tab.Data.RawMatrix().Data, want, same) {
			t.Errorf("%s: the numbers that were read are not those of strconv", name)
		}
		var got []float64
		err = Stream(context.Background(), strings.NewReader(text.String()), "f", Options{}, Sink{
			Begin: func([]string) error { return nil },
			Rows:  func(v []float64) error { got = append(got, v...); return nil },
			End:   func(int) error { return nil },
		})
		if err != nil || !slices.EqualFunc(got, want, same) {
			t.Errorf("%s: the numbers that were handed on are not those of strconv (%v)", name, err)
		}
	}
}

// A mistake after many plain lines is told with its line.
func TestPlainLinesCounted(t *testing.T) {
	text := "x,y\n" + strings.Repeat("1.5,2\n", 50000) + "1.5,2,3\n" + strings.Repeat("1,2.5\n", 10) + "4,a\n"
	_, err := readNumbers(strings.NewReader(text), "f", Options{})
	for _, want := range []string{"line 50002: found 3 fields", "line 50013, column \"y\""} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q in it", err, want)
		}
	}
}
