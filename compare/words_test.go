package compare

import (
	"strings"
	"testing"

	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"
)

// said is a result with nothing but what sentences need.
func said(t *testing.T, p float64, where []Interval, change func(*Result)) string {
	t.Helper()
	d, err := newData(Options{Columns: []string{"height"}},
		Sample{Name: "a", X: rowsOf(1, 50, 1, shifted(0))},
		Sample{Name: "b", X: rowsOf(2, 50, 1, shifted(0))})
	if err != nil {
		t.Fatal(err)
	}
	r := &Result{Names: [2]string{"a", "b"}, Columns: d.columns, data: d,
		Test: &kerneltest.Result{P: p, Alpha: 0.05, Reject: p <= 0.05, Null: statistic.Permutation,
			Permutations: 999, AtLeast: int(1000*p+0.5) - 1},
		Witness: &Witness{Where: where, columns: d.columns,
			Likely: Place{Columns: d.columns, At: []float64{1.234567}, More: "b"}}}
	if change != nil {
		change(r)
	}
	return r.Verdict()
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		p      float64
		where  []Interval
		change func(*Result)
		want   string
	}{
		{0.001, []Interval{{1, 2, "a", 1}}, nil, "a and b differ (exact test, p = 0.001, the smallest " +
			"that 999 permutations can give): more of a between 1 and 2."},
		{0.03, []Interval{{-3, -1.2345, "a", 1}, {-1, 1, "b", -1}, {1.2, 3.25, "a", 1}}, nil,
			"a and b differ (exact test, p = 0.03): more of a between -3 and -1.23 and between 1.2 and " +
				"3.25, and more of b between -1 and 1."},
		{0.03, []Interval{{0, 0.5001, "a", 1}, {0.5002, 1, "a", 1}, {2, 2.001, "a", 1}}, nil,
			"a and b differ (exact test, p = 0.03): more of a between 0 and 1."},
		{0.03, []Interval{{2, 2.001, "a", 1}}, nil,
			"a and b differ (exact test, p = 0.03): more of a at 2."},
		{0.03, nil, nil, "a and b differ (exact test, p = 0.03). No place is certain: it is most likely " +
			"around height = 1.23, with more of b there (no guarantee)."},
		{0.03, nil, func(r *Result) { r.Witness = nil },
			"a and b differ (exact test, p = 0.03). No place can be named."},
		{0.386, nil, nil, "a and b cannot be told apart at level 0.05 (exact test, p = 0.386). This " +
			"does not show that they are the same."},
		{0.02, []Interval{{1, 2, "a", 1}}, func(r *Result) { r.Test.Null = statistic.Spectral },
			"a and b differ (approximate test, null spectral, p = 0.02): more of a between 1 and 2."},
		{0.02, []Interval{{1, 2, "a", 1}}, func(r *Result) {
			r.data.samples[0].weights = []float64{1}
		}, "a and b differ (permutation test, p = 0.02): more of a between 1 and 2."},
	} {
		if got := said(t, c.p, c.where, c.change); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestList(t *testing.T) {
	for _, c := range []struct {
		words, want string
	}{{"", ""}, {"a", "a"}, {"a b", "a and b"}, {"a b c", "a, b and c"},
		{"a b c d", "a, b, c and d"}, {"a b c d e", "a, b, c and 2 more"}} {
		if got := list(strings.Fields(c.words), 3); got != c.want {
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
	}
}

func TestCoordinate(t *testing.T) {
	for _, c := range []struct {
		lo, hi, v float64
		want      string
	}{
		{-3, 3, 1.2345, "1.23"}, {-3, 3, -1e-9, "0"}, {0, 60, 7.04, "7"}, {0, 60, 12.36, "12.4"},
		{0, 9e4, 20444, "20400"}, {0, 2e6, 123456, "120000"}, {1e6, 1e6 + 1, 1e6 + 0.25, "1000000.25"},
		{0, 3e-8, 1.234e-8, "1.23e-08"}, {0, 5e11, 1.5e11, "1.5e+11"}, {2, 2, 2, "2"},
	} {
		d := &data{dim: 1, pooled: []float64{c.lo, c.hi}}
		if got := d.coordinate(0, c.v); got != c.want {
			t.Errorf("%v between %v and %v: %s, want %s", c.v, c.lo, c.hi, got, c.want)
		}
	}
	// One value far away takes no digits from the others, and none is rounded to 0 where all are larger.
	far := &data{dim: 1, pooled: []float64{10, 11, 12, 13, 14, 15, 10, 11, 12, 13, 14, -9999}}
	tails := &data{dim: 1, pooled: []float64{0.0126, 0.3, 2, 7, 30, 80, 200, 900, 3000, 9000}}
	for _, c := range []struct {
		d    *data
		v    float64
		want string
	}{{far, 12.34, "12.34"}, {far, -9999, "-9999"}, {tails, 0.0126, "0.01"}} {
		if got := c.d.coordinate(0, c.v); got != c.want {
			t.Errorf("%v: %s, want %s", c.v, got, c.want)
		}
	}
}
