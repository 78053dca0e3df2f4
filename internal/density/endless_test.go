package density

import (
	"math"
	"testing"
	"time"
)

// Tail probabilities with arguments that are no numbers, infinite, huge or tiny come at once: a chain of a sampler
// that is far out waits for them.
func TestTailsEnd(t *testing.T) {
	values := []float64{math.NaN(), math.Inf(1), 1e-300, 1e-9, 0.5, 1, 3, 1e9, 1e16, 1e300}
	begin := time.Now()
	for _, a := range values {
		for _, b := range values {
			for _, x := range append(values, 1-1e-16) {
				betaTails(a, b, x, 1-x)
				betaTails(a, b, 1-x, x)
			}
			gammaTails(a, b)
		}
	}
	if d := time.Since(begin); d > 20*time.Second {
		t.Errorf("it took %v", d)
	}
}
