package kernels

import "fmt"

// Distance is (|x-c| + |y-c| - |x-y|)/2 with Euclidean distances. The squared MMD with it is half the
// energy distance, wherever the centre c is (Sejdinovic, Sriperumbudur, Gretton and Fukumizu, 2013).
type Distance struct {
	Centre []float64 // as many coordinates as the rows
}

// At returns k(x, y).
func (k Distance) At(x, y []float64) float64 {
	one := []float64{1}
	return (radius(x, k.Centre, one) + radius(y, k.Centre, one) - radius(x, y, one)) / 2
}

// Check says what is wrong with Centre.
func (k Distance) Check(dim int) error {
	if len(k.Centre) != dim {
		return fmt.Errorf("kernels: centre of Distance has %d coordinates, want %d as the rows",
			len(k.Centre), dim)
	}
	return nil
}
