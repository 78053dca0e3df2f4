package figure

// Pairs shows pairs of columns, each as a plane with both samples and the witness function. The
// caller puts the pair with the strongest difference first. Of more than nine the first nine are
// shown.
type Pairs struct {
	Title  string
	Planes []Witness2D // their titles are not used
	P      []float64   // of each pair, corrected; NaN where it is not to be said; optional
}
