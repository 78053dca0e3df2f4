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
