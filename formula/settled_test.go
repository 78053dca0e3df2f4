package formula

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayeskernel/frame"
)

// Effects are settled where levels differ by much more than their rows leave open: with 8 rows of noise 1, the estimate of the
// intercept at the mean of x has variance 1/8, and that of a slope over x of variance 1 has about the same.
func TestSettled(t *testing.T) {
	for _, c := range []struct {
		intercept, slope float64 // standard deviations
		formula, family  string
		want             string
	}{
		{3, 3, "y ~ x + (1 + x | g)", "gaussian", "[true true]"},
		{3, .1, "y ~ x + (1 + x | g)", "gaussian", "[true false]"},
		{.1, 3, "y ~ x + (1 + x | g)", "gaussian", "[false true]"},
		{.3, .3, "y ~ x + (1 + x | g)", "gaussian", "[false false]"},
		{3, 0, "I(1e6 * y) ~ x + (1 | g)", "gaussian", "[true]"},
		{.3, 0, "I(1e6 * y) ~ x + (1 | g)", "gaussian", "[false]"},
		{3, 0, "I(exp(y)) ~ x + (1 | g)", "lognormal", "[true]"},
		{3, 0, "I(y > 0) ~ x + (1 | g)", "bernoulli", "[false]"},
		{3, 0, "y ~ x + (1 | g) + (1 | g:h)", "gaussian", "[false]"},
	} {
		r := rand.New(rand.NewPCG(3, 4))
		var b strings.Builder
		b.WriteString("y,x,g,h\n")
		for g := range 30 {
			u, v := c.intercept*r.NormFloat64(), c.slope*r.NormFloat64()
			for i := range 8 {
				x := r.NormFloat64()
				fmt.Fprintf(&b, "%.5f,%.5f,g%d,h%d\n", u+v*x+r.NormFloat64(), x, g, i%2)
			}
		}
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		data, err := frame.Read(context.Background(), path, frame.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		reg, err := f.Model(data, Options{Family: c.family})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(reg.settled(&reg.Groups[0], reg.Groups[0].z)); got != c.want {
			t.Errorf("%s, sds %v and %v: %s, want %s", c.formula, c.intercept, c.slope, got, c.want)
		}
	}
}
