package kernels

// AllSubsets is prod_i (1 + x_i y_i): its features are the products of the elements of every subset
// of the columns.
type AllSubsets struct{}

// At returns k(x, y).
func (AllSubsets) At(x, y []float64) float64 {
	if len(x) != len(y) {
		panic("kernels: rows have different lengths")
	}
	p := 1.0
	for i, v := range x {
		p *= 1 + v*y[i]
	}
	return p
}

// Check returns nil.
func (AllSubsets) Check(int) error { return nil }

// AddGradient adds w times the derivatives of k(x, y) in x to dst. A factor may be zero, so the
// product of the others is formed without division.
func (AllSubsets) AddGradient(dst []float64, w float64, x, y []float64) {
	for i := range x {
		p := w * y[i]
		for m, v := range x {
			if m != i {
				p *= 1 + v*y[m]
			}
		}
		dst[i] += p
	}
}

// Jet writes the derivatives where y = x. There every factor a_i = 1 + x_i² is positive.
func (k AllSubsets) Jet(j *Jet, x []float64) {
	d := len(x)
	j.reset(d)
	p := k.At(x, x)
	j.Value = p
	a := func(i int) float64 { return 1 + x[i]*x[i] }
	for i := range d {
		j.First[i] = p * x[i] / a(i)
		for m := range d {
			if m == i { // k is linear in each element
				j.Mixed[m*d+i] = p / a(i)
				continue
			}
			both := p / (a(i) * a(m))
			j.Second[m*d+i] = both * x[m] * x[i]
			j.Mixed[m*d+i] = both * x[m] * x[i]
			for l := range d {
				t := &j.Third[(m*d+i)*d+l]
				switch l {
				case m:
					*t = both * x[i]
				case i:
					*t = both * x[m]
				default:
					*t = both * x[m] * x[i] * x[l] / a(l)
				}
			}
		}
	}
}
