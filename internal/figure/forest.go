package figure

// Forest lists columns, the smallest p-value first: of each the p-value of its test alone and the one
// corrected for the number of columns, on a logarithmic axis, with a line at the level. Of more than
// 40 columns the first 40 are shown.
type Forest struct {
	Title      string
	Names      []string  // of the columns
	P          []float64 // of each column's test alone
	Corrected  []float64 // for the number of columns
	Correction string    // its name, such as "Holm"
	Alpha      float64   // level; 0: no line
	XLabel     string    // default "p-value"
}
