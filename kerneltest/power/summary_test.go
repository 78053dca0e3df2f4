package power

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// Wilson's interval holds the p for which (k/n - p)² = z² p(1-p)/n at its ends. Values for 95% of
// Newcombe, Statistics in Medicine 17 (1998), table I, method 3: 81/263, 15/148, 0/20, 1/29.
func TestInterval(t *testing.T) {
	for _, c := range []struct {
		k, n   int
		lo, hi float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718}} {
		lo, hi := Rate{Rejected: c.k, Replicates: c.n}.Interval(0.95)
		if math.Abs(lo-c.lo) > 5e-5 || math.Abs(hi-c.hi) > 5e-5 {
			t.Errorf("%d of %d: [%.4f, %.4f], want [%.4f, %.4f]", c.k, c.n, lo, hi, c.lo, c.hi)
		}
		lo2, hi2 := Rate{Rejected: c.n - c.k, Replicates: c.n}.Interval(0.95)
		if math.Abs(lo2-(1-hi)) > 1e-15 || math.Abs(hi2-(1-lo)) > 1e-15 {
			t.Errorf("%d of %d: [%v, %v] is no mirror image of [%v, %v]", c.n-c.k, c.n, lo2, hi2, lo,
				hi)
		}
	}
	if lo, hi := (Rate{}).Interval(0.9); lo != 0 || hi != 1 {
		t.Errorf("without data: [%v, %v], want [0, 1]", lo, hi)
	}
	for _, level := range []float64{0, 1, -1, math.NaN()} {
		if lo, hi := (Rate{Replicates: 3}).Interval(level); !math.IsNaN(lo) || !math.IsNaN(hi) {
			t.Errorf("level %v: [%v, %v], want NaN", level, lo, hi)
		}
	}
}

// pairs makes records of two methods: both, only A, only B, and neither reject.
func pairs(both, onlyA, onlyB, neither int) []Record {
	var out []Record
	add := func(count int, a, b bool) {
		for range count {
			out = append(out, Record{Problem: "q", Replicate: len(out), Results: map[string]Outcome{
				"A": {Reject: a, Numbers: map[string]float64{"theta": float64(len(out))}},
				"B": {Reject: b}}})
		}
	}
	add(both, true, true)
	add(onlyA, true, false)
	add(onlyB, false, true)
	add(neither, false, false)
	return out
}

func TestCompare(t *testing.T) {
	for _, c := range [][4]int{{0, 0, 0, 4}, {3, 7, 2, 5}, {10, 0, 6, 1}, {0, 5, 5, 0}, {1, 9, 0, 0}} {
		records := pairs(c[0], c[1], c[2], c[3])
		got, err := Compare(records, "q", "A", "B")
		if err != nil {
			t.Fatal(err)
		}
		// By brute force: the mean of the differences and its standard error with divisor n, and
		// the probability of splits of the coins no more probable than this one.
		n, mean, ss := float64(len(records)), 0.0, 0.0
		value := map[bool]float64{true: 1}
		for _, r := range records {
			mean += (value[r.Results["A"].Reject] - value[r.Results["B"].Reject]) / n
		}
		for _, r := range records {
			d := value[r.Results["A"].Reject] - value[r.Results["B"].Reject] - mean
			ss += d * d
		}
		p, all := 0.0, c[1]+c[2]
		for toss := range 1 << all {
			heads := 0
			for b := range all {
				heads += toss >> b & 1
			}
			if min(heads, all-heads) <= min(c[1], c[2]) {
				p += 1 / float64(int(1)<<all)
			}
		}
		if got.OnlyA != c[1] || got.OnlyB != c[2] || got.Replicates != len(records) ||
			math.Abs(got.Difference-mean) > 1e-14 || math.Abs(got.SE-math.Sqrt(ss)/n) > 1e-14 ||
			math.Abs(got.P-p) > 1e-13 {
			t.Errorf("%v: %+v, want difference %v, error %v, p %v", c, got, mean, math.Sqrt(ss)/n, p)
		}
	}
	for _, names := range [][3]string{{"q", "A", "C"}, {"z", "A", "B"}} {
		if _, err := Compare(pairs(1, 1, 1, 1), names[0], names[1], names[2]); err == nil {
			t.Errorf("%v: no error", names)
		}
	}
	if got := Numbers(pairs(2, 0, 0, 1), "q", "A", "theta"); fmt.Sprint(got) != "[0 1 2]" {
		t.Errorf("theta is %v", got)
	}
}

func TestTables(t *testing.T) {
	var b strings.Builder
	rates, err := Rates(pairs(1, 2, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	rates[1].Failed = 1
	c, err := Compare(pairs(1, 2, 0, 1), "q", "A", "B")
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteRates(&b, rates, 0.95); err != nil {
		t.Fatal(err)
	}
	across := []Rate{{Problem: "p", Method: "A", Replicates: 1}, {Problem: "q", Method: "A"}}
	if err := WriteRates(&b, across, 0.5); err != nil {
		t.Fatal(err)
	}
	if err := WriteComparisons(&b, []Comparison{c}); err != nil {
		t.Fatal(err)
	}
	want := strings.TrimPrefix(`
| method | q                                   |
| ------ | ----------------------------------- |
| A      | 0.750 [0.301, 0.954] of 4           |
| B      | 0.250 [0.046, 0.699] of 4, 1 failed |
| problem | A                         |
| ------- | ------------------------- |
| p       | 0.000 [0.000, 0.313] of 1 |
| q       | NaN [0.000, 1.000] of 0   |
| problem | A   | B   | data sets | only A | only B | power A - B    | p   |
| ------- | --- | --- | --------- | ------ | ------ | -------------- | --- |
| q       | A   | B   | 4         | 2      | 0      | +0.500 ± 0.250 | 0.5 |
`, "\n")
	if b.String() != want {
		t.Errorf("tables are\n%swant\n%s", b.String(), want)
	}
}

func TestMergeErrors(t *testing.T) {
	records := pairs(1, 1, 0, 0)
	records[1].Settings = "other"
	if _, err := merge(records); err == nil {
		t.Error("records of two settings were merged")
	}
	if _, err := Rates(records); err == nil {
		t.Error("records of two settings were counted")
	}
	if got, err := merge(nil); err != nil || len(got) != 0 {
		t.Errorf("nothing merged is %v, error %v", got, err)
	}
}
