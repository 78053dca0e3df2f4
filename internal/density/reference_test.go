package density

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// numbers reads a field of the reference table.
func numbers(t *testing.T, s string) []float64 {
	t.Helper()
	var out []float64
	for _, f := range strings.Split(s, ";") {
		if f == "" {
			continue
		}
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// The densities, both tails and all derivatives are those of testdata/reference.py, which computes
// them with 400 digits from the textbook formulas. A family without rows there fails, and so does one
// that takes its parameters in another order.
func TestReference(t *testing.T) {
	file, err := os.Open("testdata/reference.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*Family{}
	for _, f := range All() {
		all[f.Name] = f
	}
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		f := all[row[0]]
		if f == nil {
			t.Fatalf("no family %s", row[0])
		}
		seen[f.Name] = true
		var a Params
		copy(a[:], numbers(t, row[1]))
		y := numbers(t, row[2])[0]
		var g, work Grad
		check := func(what string, log float64, want []float64) {
			t.Helper()
			got := append([]float64{log}, g[:len(f.Params)+1]...)
			for k, w := range want {
				// Where a derivative is a difference of large numbers its error is theirs.
				scale := max(math.Abs(w), 1e-3)
				if what == "density" && k == 0 {
					scale = max(math.Abs(w), 1)
				}
				if got[k] != w && !(math.Abs(got[k]-w) <= 1e-10*scale) {
					t.Errorf("%s%v at %v: %s[%d] is %v, want %v", f.Name, a[:len(f.Params)], y, what, k,
						got[k], w)
				}
			}
		}
		check("density", f.LogDensity(y, &a, &g, &work), numbers(t, row[3]))
		if row[4] == "" {
			if f.Below != nil {
				t.Errorf("%s has tails that no reference has", f.Name)
			}
			continue
		}
		g = Grad{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
		check("below", f.Below(y, &a, &g), numbers(t, row[4]))
		g = Grad{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
		check("above", f.Above(y, &a, &g), numbers(t, row[5]))
	}
	for name := range all {
		if !seen[name] {
			t.Errorf("family %s has no reference values", name)
		}
	}
}

// Probabilities of intervals against 60 digits: the values are of mpmath, log(F(b) - F(a)).
func TestIntervals(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		normal  bool
		a, b, l float64
	}{
		{false, -1, 2, -0.49125887950389692},
		{false, 30, 31, -30.45867514538721},
		{false, -42, -40, -40.145413457868859},
		{false, -inf, -3, -3.0485873515737421},
		{true, -1, 2, -0.20016629432446258},
		{true, 9, 9.5, -43.637491414572414},
		{true, -40, -38, -726.55721601882013},
		{true, -inf, -9, -43.628149113332115},
	} {
		f := LogisticBetween
		if c.normal {
			f = NormalBetween
		}
		l, da, db := f(c.a, c.b)
		if !(math.Abs(l-c.l) <= 1e-11*math.Abs(c.l)) {
			t.Errorf("normal %v from %v to %v: %v, want %v", c.normal, c.a, c.b, l, c.l)
		}
		if !math.IsInf(c.a, 0) {
			if want := slope(func(x float64) float64 { l, _, _ := f(x, c.b); return l }, c.a); !(math.Abs(da-want) <= 1e-6*(1+math.Abs(want))) {
				t.Errorf("normal %v from %v to %v: derivative %v, by differences %v", c.normal, c.a, c.b, da, want)
			}
		}
		if want := slope(func(x float64) float64 { l, _, _ := f(c.a, x); return l }, c.b); !(math.Abs(db-want) <= 1e-6*(1+math.Abs(want))) {
			t.Errorf("normal %v from %v to %v: derivative %v, by differences %v", c.normal, c.a, c.b, db, want)
		}
	}
}
