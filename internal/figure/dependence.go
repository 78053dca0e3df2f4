package figure

// Dependence shows pairs of two variables and where there are more and fewer of them than there would
// be if the variables were independent. Only Sides are coloured, and only among the pairs.
type Dependence struct {
	Title          string
	Pairs          [][2]float64
	X, Y           []float64 // grid, increasing
	Mean           []float64 // the witness of dependence at (X[i], Y[j]): Mean[i*len(Y)+j]
	Lower, Upper   []float64 // its band; optional
	Level          float64   // of the band; 0 if it is not to be said
	Sides          []int     // at the grid: 1 where pairs are more frequent, -1 less, 0 unknown; optional
	XLabel, YLabel string
}
