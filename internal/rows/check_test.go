package rows

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Matrices that are none, and values beyond what sums of fourth powers hold, are told.
func TestCheck(t *testing.T) {
	for want, a := range map[string]mat.Matrix{"x is nil": nil, "x is nil, want a matrix": (*mat.Dense)(nil),
		"x has 0 rows": &mat.Dense{}} {
		if err := Check("x", a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for scale, ok := range map[float64]bool{1: true, 1e69: true, 1e-69: true, 1e71: false, 1e-71: false, 0: true} {
		a := mat.NewDense(3, 2, []float64{1, 0, 1, scale, 1, scale / 2})
		if err := Scaled("x", a); (err == nil) != ok {
			t.Errorf("at scale %g: %v", scale, err)
		}
	}
}
