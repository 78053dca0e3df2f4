package logdet

import "slices"

// Inputs are the pseudo-inputs of a model, with copies merged. They do not change, so that
// goroutines can share them.
type Inputs struct {
	m, d   int
	z      []float64 // the distinct ones: element l of coordinate a at z[a*stride+l]
	stride int       // a multiple of eight
	first  []int     // of the pseudo-inputs that are equal, the one that comes first
	merged []int     // for each pseudo-input, which of the distinct ones it is; nil if all are
	count  []float64 // how many there are of each of the distinct ones; nil if all are distinct
}

// NewInputs takes pseudo-inputs of so many coordinates, one after the other.
func NewInputs(z []float64, dim int) *Inputs {
	if dim < 1 || len(z)%dim != 0 {
		panic("logdet: NewInputs: length of z is not a multiple of the dimension")
	}
	m := len(z) / dim
	in := &Inputs{m: m, d: dim, merged: make([]int, m)}
	point := func(l int) []float64 { return z[l*dim : (l+1)*dim] }
	order := make([]int, m)
	for l := range order {
		order[l] = l
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(point(a), point(b)) })
	lead := make([]int, m) // the first pseudo-input that is equal
	for i, l := range order {
		lead[l] = l
		if i > 0 && slices.Equal(point(order[i-1]), point(l)) {
			lead[l] = lead[order[i-1]]
		}
	}
	for l, f := range lead {
		if f == l {
			in.merged[l] = len(in.first)
			in.first = append(in.first, l)
			in.count = append(in.count, 0)
		}
		in.merged[l] = in.merged[f]
		in.count[in.merged[l]]++
	}
	if len(in.first) == m {
		in.merged, in.count = nil, nil
	}
	in.stride = (len(in.first) + 7) &^ 7
	in.z = make([]float64, dim*in.stride)
	for a := range dim {
		for u, l := range in.first {
			in.z[a*in.stride+u] = z[l*dim+a]
		}
	}
	return in
}

// coordinate returns coordinate a of the distinct pseudo-inputs.
func (in *Inputs) coordinate(a int) []float64 { return in.z[a*in.stride:][:len(in.first)] }
