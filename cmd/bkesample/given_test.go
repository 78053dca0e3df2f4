package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// wards are synthetic: the second treatment is given more often in the ward where x is larger, and z
// moves x and y.
func wards() string {
	var b strings.Builder
	b.WriteString("x,y,z,ward,treatment,third\n")
	r := rand.New(rand.NewPCG(1, 24))
	for i := range 120 {
		ward, treatment := "east", "a"
		if i%2 == 1 {
			ward = "west"
		}
		if r.Float64() < 0.3+0.4*float64(i%2) {
			treatment = "b"
		}
		z := r.NormFloat64()
		x, y := z+3*float64(i%2)+r.NormFloat64(), z*z+r.NormFloat64()
		fmt.Fprintf(&b, "%.4f,%.4f,%.4f,%s,%s,%c\n", x, y, z, ward, treatment, 'p'+i%3)
	}
	return b.String()
}

// What is printed of tests given covariates, and summary.json: within strata, of three groups, and by
// regression.
func TestGiven(t *testing.T) {
	onGoldenMachine(t)
	for name, c := range map[string]struct {
		args          string
		alone, reject bool
	}{
		"given":           {"twosample -path portable -label treatment -columns x -given ward wards.csv", true, false},
		"given_groups":    {"twosample -path portable -permutations 99 -label third -columns x,y -given ward wards.csv", false, false},
		"given_variables": {"independence -path portable -x x -y ward -given z wards.csv", true, true},
	} {
		inFolder(t, map[string]string{"wards.csv": wards()})
		got := call(t, "", strings.Fields(c.args)...)
		if got.code != 0 || got.stderr != "" {
			t.Fatalf("exit %d: %s", got.code, got.stderr)
		}
		golden(t, name+".stdout", got.stdout)
		text := contents(t, ".")[folderOf(strings.Fields(c.args))+"/summary.json"]
		golden(t, name+".json", text)
		var s struct {
			P      float64
			Alone  float64 `json:"p_alone"`
			Reject bool
		}
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		if s.Reject != c.reject || (s.Alone < 0.05) != c.alone || s.Reject != (s.P <= 0.05) {
			t.Errorf("%s: p = %v, without covariates %v", name, s.P, s.Alone)
		}
	}
}

// Covariates that are in both files are the same as those of one file with labels.
func TestGivenOfTwoFiles(t *testing.T) {
	var a, b strings.Builder
	for _, w := range []*strings.Builder{&a, &b} {
		w.WriteString("x,day\n")
	}
	for i := range 30 {
		fmt.Fprintf(&a, "%d,%d\n", i*7%30, i%3)
		fmt.Fprintf(&b, "%d,%d\n", i*11%30+5, i%3)
	}
	inFolder(t, map[string]string{"a.csv": a.String(), "b.csv": b.String()})
	got := call(t, "", strings.Fields("twosample -given day a.csv b.csv")...)
	if got.code != 0 || !strings.Contains(got.stdout, "within 3 strata") ||
		!strings.Contains(got.stdout, "All 60 rows are used") {
		t.Errorf("%+v", got)
	}
}

// Of the few pseudo-inputs that the program chose for a test nothing is said.
func TestGivenFewRows(t *testing.T) {
	few := strings.Join(strings.SplitAfter(wards(), "\n")[:19], "")
	inFolder(t, map[string]string{"wards.csv": few})
	args := strings.Fields("twosample -permutations 99 -label treatment -columns x,y -given ward wards.csv")
	got := call(t, "", args...)
	page := contents(t, ".")[folderOf(args)+"/report.html"]
	if got.code != 0 || strings.Contains(got.stdout, "pseudo-inputs") || strings.Contains(page, "distinct pseudo-inputs") {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}
