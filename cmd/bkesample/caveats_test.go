package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// What a number is, and when not to trust it, stands beside it: ties, copies of rows, pilots that are smaller than what
// is drawn from them, links among many columns, rows that belong together.
func TestCaveats(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var zeros, ones, copied, pilot, other, wide, sites strings.Builder
	for _, b := range []*strings.Builder{&zeros, &ones, &pilot, &other} {
		b.WriteString("x\n")
	}
	for i := range 60 {
		fmt.Fprintln(&zeros, i%10/9)
		fmt.Fprintln(&ones, i%5/4)
	}
	copied.WriteString("x,y\n")
	for i := range 40 {
		row := fmt.Sprintf("%f,%f\n", r.NormFloat64(), r.NormFloat64())
		copied.WriteString(strings.Repeat(row, 3))
		if i < 8 {
			fmt.Fprintln(&pilot, r.NormFloat64())
			fmt.Fprintln(&other, r.NormFloat64()+2)
		}
	}
	for i := range 101 {
		fields := make([]string, 12)
		for k := range fields {
			if fields[k] = fmt.Sprintf("v%d", k); i > 0 {
				fields[k] = fmt.Sprint(r.NormFloat64())
			}
		}
		wide.WriteString(strings.Join(fields, ",") + "\n")
	}
	sites.WriteString("site,arm,y\n")
	for i := range 80 {
		fmt.Fprintf(&sites, "s%d,%c,%f\n", i%4, 'a'+rune(i/4%2), float64(i%4)+r.NormFloat64())
	}
	inFolder(t, map[string]string{"zeros.csv": zeros.String(), "ones.csv": ones.String(), "copied.csv": copied.String(),
		"pilot.csv": pilot.String(), "other.csv": other.String(), "wide.csv": wide.String(),
		"sites.csv": sites.String()})
	for _, c := range []struct{ args, want, not string }{
		{"twosample zeros.csv ones.csv", "P(zeros > ones), ties half ", ""},
		{"twosample pilot.csv other.csv", "P(pilot > other) ", "copies"},
		{"twosample copied.csv copied.csv", "Only 80 of the 240 rows differ: if the others are copies", ""},
		{"power -replicates 20 -permutations 19 -most 40 pilot.csv other.csv", "these data sets repeat the 8 rows of the pilot", ""},
		{"causal -test fisherz -alpha 0.3 -stability 5 wide.csv", "Of 66 pairs of columns, all independent, about 20 would be dependent", ""},
		{"twosample -label arm -blocks site sites.csv", "exchanged only within", "unbiased MMD"},
	} {
		got := must(t, "", append(strings.Fields(c.args), "-force", "-out", "o")...)
		if flat := strings.Join(strings.Fields(got), " "); !strings.Contains(flat, strings.TrimSpace(c.want)) ||
			c.not != "" && strings.Contains(flat, c.not) {
			t.Errorf("%s: %q is not there, or %q is:\n%s", c.args, c.want, c.not, got)
		}
	}
	page, err := os.ReadFile("o/report.html")
	if err != nil || !strings.Contains(string(page), "The witness and its band do not: they are those of independent rows") {
		t.Errorf("the page of blocks does not say what its band is of (%v)", err)
	}
}
