package workers

import "testing"

type writer struct{}

func (writer) Dim() int        { return 1 }
func (writer) Names() []string { return []string{"a"} }
func (writer) Constrain(dst, x []float64) {
	x[0] *= 2
	dst[0] = x[0]
}

// A target that writes into the position that it is given does not move the chain.
func TestConstrainHasACopy(t *testing.T) {
	v, err := NewValues("hmc", writer{})
	if err != nil {
		t.Fatal(err)
	}
	x, dst := []float64{3}, []float64{0}
	for range 2 {
		v.Write(dst, x)
		if x[0] != 3 || dst[0] != 6 {
			t.Errorf("position %v and values %v, want 3 and 6", x, dst)
		}
	}
}
