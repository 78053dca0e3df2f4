package main

import (
	"bayeskernel/cmd/bkesample/internal/tests"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// withWeights adds a column of weights to a file with a header: weight(i) for row i.
func withWeights(text string, weight func(i int) float64) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		if i == 0 {
			lines[i] = "w," + lines[i]
		} else {
			lines[i] = fmt.Sprintf("%g,%s", weight(i), lines[i])
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// Equal weights are no weights: the witness agrees with that without them to rounding, and a test
// has the same p-value. The scale of weights makes no difference to the last bit if it is a power
// of two.
func TestEqualWeights(t *testing.T) {
	files := sound()
	for _, name := range []string{"p", "q"} {
		for suffix, w := range map[string]float64{"1": 1, "4": 4} {
			files[name+suffix+".csv"] = withWeights(files[name+".csv"],
				func(int) float64 { return w })
		}
	}
	inFolder(t, files)
	sampled, tested := map[string]string{}, map[string]string{}
	var unweighted [2]float64
	for _, k := range []string{"", "1", "4"} {
		args := []string{"-iter", "60", "-chains", "2", "-quiet", "-no-interval"}
		test := []string{"twosample", "-permutations", "99", "-format", "json"}
		if k != "" {
			args, test = append(args, "-weights", "w"), append(test, "-weights", "w")
		}
		p, q := "p"+k+".csv", "q"+k+".csv"
		if got := call(t, "", anew(append(args, p, q)...)...); got.code != 0 {
			t.Fatalf("%+v", got)
		}
		b, err := os.ReadFile("bkesample-out/witness.csv")
		if err != nil {
			t.Fatal(err)
		}
		sampled[k] = string(b)
		got := call(t, "", anew(append(test, p, q)...)...)
		var s struct{ P, Statistic, Unbiased float64 }
		if err := json.Unmarshal([]byte(got.stdout), &s); err != nil {
			t.Fatalf("%v: %+v", err, got)
		}
		tested[k] = fmt.Sprintf("%.9g", s)
		if k == "" { // the statistic is in units that weights approximate
			unweighted = [2]float64{s.P, s.Unbiased}
		} else if s.P != unweighted[0] || math.Abs(s.Unbiased-unweighted[1]) > 1e-14 {
			t.Errorf("p-value and unbiased MMD² with weights %s: %v and %v, without: %v", k, s.P,
				s.Unbiased, unweighted)
		}
	}
	if sampled["1"] != sampled["4"] {
		t.Error("the witness depends on the scale of the weights")
	}
	if tested["1"] != tested["4"] {
		t.Errorf("tests with weights 1 and 4: %v", tested)
	}
	without, with := strings.Split(sampled[""], "\n"), strings.Split(sampled["1"], "\n")
	for i, line := range without {
		a, b := strings.Split(line, ","), strings.Split(with[i], ",")
		if i == 0 || line == "" {
			continue
		}
		var u, v float64
		_, _ = fmt.Sscan(a[1], &u)
		_, _ = fmt.Sscan(b[1], &v)
		if math.Abs(u-v) > 1e-12 {
			t.Errorf("mean at %s is %v with equal weights, %v without", a[0], v, u)
		}
	}
}

// One labelled file, its rows in any order, gives what two files give: weights stay with their
// rows.
func TestWeightsOfLabels(t *testing.T) {
	files := sound()
	p := strings.Split(strings.TrimSpace(files["weighted_p.csv"]), "\n")[1:]
	q := strings.Split(strings.TrimSpace(files["weighted_q.csv"]), "\n")[1:]
	var both strings.Builder
	both.WriteString("w,x,sample\n")
	for i := range p {
		both.WriteString(q[i] + ",second\n" + p[i] + ",first\n")
	}
	files["both.csv"] = both.String()
	inFolder(t, files)
	var witness, test [2]string
	for k, shape := range [][]string{{"weighted_p.csv", "weighted_q.csv"},
		{"-label", "sample", "both.csv"}} {
		args := append([]string{"-iter", "40", "-chains", "1", "-quiet", "-no-interval", "-weights",
			"w"}, shape...)
		if got := call(t, "", anew(args...)...); got.code != 0 {
			t.Fatalf("%+v", got)
		}
		b, err := os.ReadFile("bkesample-out/witness.csv")
		if err != nil {
			t.Fatal(err)
		}
		witness[k] = string(b)
		got := call(t, "", append([]string{"twosample", "-force", "-permutations", "99", "-format", "json",
			"-weights", "w"}, shape...)...)
		var s struct {
			P, Statistic, Biased, Unbiased float64
			Weights                        tests.WeightsRecord
		}
		if err := json.Unmarshal([]byte(got.stdout), &s); err != nil || s.Weights.Column != "w" {
			t.Fatalf("%v: %+v", err, got)
		}
		test[k] = fmt.Sprint(s)
	}
	if witness[0] != witness[1] {
		t.Errorf("the witness differs: %s", firstDifference(witness[1], witness[0]))
	}
	if test[0] != test[1] {
		t.Errorf("the test of one file is %s, of two %s", test[1], test[0])
	}
}
