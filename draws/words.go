package draws

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// offender is a parameter, or a chain, that crossed a threshold.
type offender struct {
	name  string
	value float64
}

// offenders returns the parameters whose value is bad, largest first if down, else smallest first.
// NaN is never bad.
func offenders(s *Summary, value func(Parameter) float64, bad func(float64) bool,
	down bool) []offender {
	var out []offender
	for _, p := range s.Parameters {
		if x := value(p); bad(x) {
			out = append(out, offender{p.called(), x})
		}
	}
	slices.SortStableFunc(out, func(a, b offender) int {
		if down {
			return cmp.Compare(b.value, a.value)
		}
		return cmp.Compare(a.value, b.value)
	})
	return out
}

func namesOf(os []offender) []string {
	out := make([]string, len(os))
	for i, o := range os {
		out[i] = o.name
	}
	return out
}

// list writes the first few offenders with their values: tau 1.08, mu 1.05 and 3 more.
func list(os []offender, format string) string {
	const most = 4
	var parts []string
	for _, o := range os[:min(len(os), most)] {
		parts = append(parts, o.name+" "+fmt.Sprintf(format, o.value))
	}
	text := strings.Join(parts, ", ")
	if len(os) > most {
		text += fmt.Sprintf(" and %d more", len(os)-most)
	}
	return text
}

// percent writes a share with two digits and never with an exponent: 100%, 12%, 0.00034%.
func percent(share float64) string {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(100*share, 'g', 2, 64), 64)
	return strconv.FormatFloat(v, 'f', -1, 64) + "%"
}

// plural agrees a noun with its number: 1 chain, 2 chains.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// chainList writes chain 3 or chains 1, 2 and 4.
func chainList(ids []int) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.Itoa(id)
	}
	if len(words) == 1 {
		return "chain " + words[0]
	}
	last := len(words) - 1
	return "chains " + strings.Join(words[:last], ", ") + " and " + words[last]
}

// oneLine folds a text of others into one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
