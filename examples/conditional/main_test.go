package main

import (
	"math"
	"testing"

	"bayeskernel/examples/internal/reporttest"
	"bayeskernel/internal/long"
)

// rejections counts the p-values of a method that are at most 0.05, and those that are at most 0.01.
func rejections(t *testing.T, c cell, use []method, sets int) (at5, at1 int) {
	t.Helper()
	for set := range sets {
		r, err := c.measure(t.Context(), use, 11, set)
		if err != nil {
			t.Fatal(err)
		}
		if r.P[use[0].name] <= 0.05 {
			at5++
		}
		if r.P[use[0].name] <= 0.01 {
			at1++
		}
	}
	return at5, at1
}

// A small version of the study: 40 data sets of 100 rows of each of seven problems. With level 0.05
// more than 30 of 280 are rejected with probability 4e-5. With the powers in README.md, at least
// 0.6 and 0.95, fewer than 10 of 40 and 30 of 40 have probabilities of 2e-6 and 4e-7.
func TestLevelAndPower(t *testing.T) {
	long.Skip(t)
	use, err := choose("default")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, c := range cells() {
		if c.rows != 100 {
			continue
		}
		count, _ := rejections(t, c, use, 40)
		if !c.alter {
			total += count
		}
		least := map[string]int{"pnl1": 10, "pnl2": 10, "lingauss": 10, "sine": 30}[c.problem.name]
		if c.alter && count < least {
			t.Errorf("%s: %d of 40 are rejected", c.name(), count)
		}
	}
	if total > 30 {
		t.Errorf("%d of 280 are rejected where x and y are independent given z", total)
	}
	t.Logf("%d of 280 are rejected where x and y are independent given z", total)
}

// What ResidualHSIC warns of: where both noises have scales that depend on z, residuals with HSIC
// reject far too often. The share in README.md is above 0.5, so that fewer than 12 of 60 have a
// probability below 1e-6; the default rejects more than 12 of 60 with probability 4e-6 at level
// 0.05.
func TestResidualsAreNoConditionalTest(t *testing.T) {
	long.Skip(t)
	for _, c := range cells() {
		if c.problem.name != "hetero" || c.rows != 300 {
			continue
		}
		use, err := choose("residuals,default")
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := rejections(t, c, use[:1], 60); n < 12 {
			t.Errorf("residuals: %d of 60 are rejected", n)
		}
		if n, _ := rejections(t, c, use[1:], 60); n > 12 {
			t.Errorf("default: %d of 60 are rejected", n)
		}
	}
}

// 200 data sets of each cell. The largest levels in README.md are .07 and .02: more than 29 and 14 of 200
// have probabilities of 1e-4 and 2e-5. The powers asked for are at least 3.5 standard errors below those in
// README.md.
func TestLevelAndPowerLong(t *testing.T) {
	long.Skip(t)
	use, err := choose("default")
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]map[int]int{
		"pnl1": {100: 110, 200: 180, 300: 185}, "pnl2": {100: 108, 200: 178, 300: 184},
		"lingauss": {100: 118, 200: 174, 300: 190}, "sine": {100: 188, 200: 194, 300: 194},
		"square": {100: 62, 200: 190, 300: 194}}
	for _, c := range cells() {
		if c.rows > long.Of(200, 300) {
			continue
		}
		at5, at1 := rejections(t, c, use, 200)
		t.Logf("%s: %d and %d of 200", c.name(), at5, at1)
		if !c.alter && (at5 > 29 || at1 > 14) {
			t.Errorf("%s: %d of 200 are rejected at 0.05 and %d at 0.01", c.name(), at5, at1)
		}
		if c.alter && at5 < least[c.problem.name][c.rows] {
			t.Errorf("%s: %d of 200 are rejected", c.name(), at5)
		}
	}
}

// The problems are what they say: moments of 200,000 rows, each within 6 standard errors or so.
func TestProblems(t *testing.T) {
	const n = 200_000
	for _, p := range problems() {
		c := cell{problem: p, rows: n, alter: p.dependent}
		table, x, y, z := c.table(c.source(1, 0), n, c.alter)
		if len(x) != p.wide || len(y) != p.wide || len(z) != p.given {
			t.Fatalf("%s: columns %v %v %v", p.name, x, y, z)
		}
		var got float64
		want, within := 0.0, 0.02
		for i := range n {
			row := table.RawRowView(i)
			switch p.name {
			case "lingauss": // covariance of the noises
				got += (row[0] - row[2]) * (row[1] - row[2]) / n
				want, within = 0.09*0.3, 1e-3
			case "sine":
				f := math.Sin(3 * row[2])
				got += (row[0] - f) * (row[1] - f) / n
				within = 2e-3
			case "circle":
				got += (row[0] - row[4]) * (row[1] - row[5]) / n
				within = 1e-4
			case "hetero":
				got += (row[0] - row[2]) * (row[0] - row[2]) / n
				want, within = math.Exp(0.5), 0.07
			}
		}
		if math.Abs(got-want) > within {
			t.Errorf("%s: %v, want %v", p.name, got, want)
		}
	}
}

func TestRun(t *testing.T) {
	reporttest.Calls(t, run, []reporttest.Call{
		{Args: "-sets|2|-only|pnl1, 100",
			Stdout: []string{"| pnl1, 100 rows, dependent | 2 |"}},
		{Args: "-sets -1", Code: 2, Stderr: "-sets is -1"},
		{Args: "-only nothing", Code: 1, Stderr: `no case has "nothing"`},
		{Args: "-methods magic", Code: 2, Stderr: `no method "magic"`},
		{Args: "-help", Stderr: "methods to use"},
	})
	reporttest.Interrupted(t, run, "-sets 1")
}

func TestResume(t *testing.T) {
	reporttest.Resumes(t, run, "-only|sine, 100|-methods|default|-sets|4", 8)
}
