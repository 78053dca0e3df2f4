package bke

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"bayeskernel/internal/rng"

	"gonum.org/v1/gonum/mat"
)

// InputKind says where pseudo-inputs come from.
type InputKind int

const (
	// AutoInputs is QuantileInputs for one column and KMeansInputs for more.
	AutoInputs InputKind = iota
	// QuantileInputs are the quantiles of levels (l-1/2)/m, l = 1 to m, of a single column.
	QuantileInputs
	// KMeansInputs are the centres of a k-means clustering, in the units that the rows have.
	KMeansInputs
	// HeldOutInputs are rows drawn at random, as in Flaxman et al. (2016). They leave the
	// likelihood (see Inputs.Likelihood), not the samples that it is about. The lengthscale varies
	// more from seed to seed than with the others.
	HeldOutInputs
	// GivenInputs are the user's own.
	GivenInputs
)

// String returns the name that ParseInputKind reads.
func (k InputKind) String() string {
	switch k {
	case AutoInputs:
		return "auto"
	case QuantileInputs:
		return "quantiles"
	case KMeansInputs:
		return "kmeans"
	case HeldOutInputs:
		return "heldout"
	case GivenInputs:
		return "given"
	}
	return fmt.Sprintf("InputKind(%d)", int(k))
}

// ParseInputKind reads "auto", "quantiles", "kmeans", "heldout" or "given".
func ParseInputKind(name string) (InputKind, error) {
	for k := AutoInputs; k <= GivenInputs; k++ {
		if name == k.String() {
			return k, nil
		}
	}
	return 0, fmt.Errorf("bke: kind of pseudo-inputs is %q, "+
		"want auto, quantiles, kmeans, heldout or given", name)
}

// InputOptions says which pseudo-inputs are wanted. The zero value is the default.
type InputOptions struct {
	Kind   InputKind
	Number int // of pseudo-inputs; 0 means DefaultInputs
	Seed   uint64
	Points mat.Matrix // the points themselves, used as they are; for GivenInputs only
}

// Inputs is a set of pseudo-inputs and where it came from.
type Inputs struct {
	Z       *mat.Dense
	Kind    InputKind // never AutoInputs
	HeldOut []int     // the rows that became pseudo-inputs, from 0, increasing; HeldOutInputs only
	// Asked is the number wanted. Z has fewer rows where the data do not have as many distinct
	// ones, or quantiles coincide: pseudo-inputs are distinct, except for the user's own.
	Asked int
	// Fixed tells that the number or the points were the user's. They are never changed.
	Fixed bool

	seed uint64
}

// DefaultInputs returns the default number of pseudo-inputs for n rows, all samples together, of
// rank dim: min(10^dim, 100, n/5), but at least dim+1. The number is a bandwidth in disguise: the
// learned lengthscale falls roughly like its power -1/dim, and hardly depends on n.
func DefaultInputs(n, dim int) int {
	m := min(100, n/5)
	if dim == 1 {
		m = min(m, 10)
	}
	return max(m, dim+1)
}

// ChooseInputs chooses pseudo-inputs for the rows of x, all samples together. It cannot know which
// row came from which sample: rows in another order give the same points, also where they are drawn
// at random, so that a permutation test that uses them is exact for every seed. The same x, options
// and seed give the same points, however many processors there are.
func ChooseInputs(x mat.Matrix, o InputOptions) (*Inputs, error) {
	rows, n, dim, err := finiteRows("x", x)
	if err != nil {
		return nil, err
	}
	if (o.Points != nil) != (o.Kind == GivenInputs) {
		return nil, fmt.Errorf("bke: kind of pseudo-inputs is %v, want given with points, "+
			"and only then", o.Kind)
	}
	if o.Points != nil {
		return givenInputs(o, dim)
	}
	rank := dim - len(hullOf(rows, dim).normals)
	in := &Inputs{Kind: o.Kind, Asked: o.Number, Fixed: o.Number != 0, seed: o.Seed}
	if in.Asked == 0 {
		in.Asked = DefaultInputs(n, rank)
	}
	if in.Asked <= rank {
		return nil, fmt.Errorf("bke: %s asked for, want at least %d for data of rank %d",
			count(in.Asked, "pseudo-input"), rank+1, rank)
	}
	if in.Kind == AutoInputs && dim == 1 {
		in.Kind = QuantileInputs
	} else if in.Kind == AutoInputs {
		in.Kind = KMeansInputs
	}
	if err := in.choose(rows, dim); err != nil {
		return nil, err
	}
	if m, _ := in.Z.Dims(); m <= rank || rank == 0 {
		return nil, fmt.Errorf("bke: x gives %s, want at least %d for data of rank %d",
			count(m, "distinct pseudo-input"), max(rank, 1)+1, rank)
	}
	return in, nil
}

func givenInputs(o InputOptions, dim int) (*Inputs, error) {
	z, m, zdim, err := finiteRows("z", o.Points)
	if err != nil {
		return nil, err
	}
	if zdim != dim {
		return nil, fmt.Errorf("bke: z has %s, want %d as in x", count(zdim, "column"), dim)
	}
	if o.Number != 0 && o.Number != m {
		return nil, fmt.Errorf("bke: %s asked for beside %d given, want one or the other",
			count(o.Number, "pseudo-input"), m)
	}
	return &Inputs{Z: mat.NewDense(m, dim, z), Kind: GivenInputs, Asked: m, Fixed: true}, nil
}

// choose sets Z, and HeldOut. Whatever is drawn is drawn from the sorted rows: a draw by position in
// x would favour, for a given seed, the sample that happens to stand there.
func (in *Inputs) choose(rows []float64, dim int) error {
	n := len(rows) / dim
	order := sortOrder(rows, dim)
	sorted := pick(rows, dim, order)
	var z []float64
	switch in.Kind {
	case QuantileInputs:
		if dim != 1 {
			return fmt.Errorf("bke: quantiles of %d columns asked for, want 1, or kmeans", dim)
		}
		z = quantileInputs(sorted, in.Asked)
	case KMeansInputs:
		if in.Asked > n {
			return fmt.Errorf("bke: %d centres of %s asked for", in.Asked, count(n, "row"))
		}
		var err error
		if z, err = kmeans(sorted, dim, in.Asked, in.seed); err != nil {
			return err
		}
	case HeldOutInputs:
		if in.Asked > n-2 {
			return fmt.Errorf("bke: %d of %s to be held out, want at least 2 left",
				in.Asked, count(n, "row"))
		}
		var err error
		if in.HeldOut, err = heldOut(sorted, dim, in.Asked, in.seed); err != nil {
			return err
		}
		for k, i := range in.HeldOut {
			in.HeldOut[k] = order[i]
		}
		slices.Sort(in.HeldOut)
		z = pick(rows, dim, in.HeldOut)
	default:
		return fmt.Errorf("bke: unknown kind of pseudo-inputs %v", in.Kind)
	}
	in.Z = mat.NewDense(len(z)/dim, dim, z)
	return nil
}

// quantileInputs returns the distinct quantiles of levels (l-1/2)/m. Where ties leave fewer than
// two, one value being nearly all of the data, they are those of the distinct values.
func quantileInputs(sorted []float64, m int) []float64 {
	var z []float64
	for l := 1; l <= m; l++ {
		z = append(z, quantile(sorted, 2*l-1, 2*m))
	}
	z = slices.Compact(z)
	if values := slices.Compact(slices.Clone(sorted)); len(z) < 2 && len(values) < len(sorted) {
		return quantileInputs(values, m)
	}
	return z
}

// heldOut draws m rows with distinct values, fewer if there are not as many.
func heldOut(rows []float64, dim, m int, seed uint64) ([]int, error) {
	src, err := rng.New(rng.PCG, rng.Name{Seed: seed, Purpose: "inputs/heldout"}, 0)
	if err != nil {
		return nil, err
	}
	order := rand.New(src).Perm(len(rows) / dim)
	shuffled := make([]float64, 0, len(rows))
	for _, i := range order {
		shuffled = append(shuffled, rows[i*dim:(i+1)*dim]...)
	}
	picked := distinct(shuffled, dim) // the first of each value, in the order of drawing
	picked = picked[:min(m, len(picked))]
	for k, i := range picked {
		picked[k] = order[i]
	}
	return picked, nil
}

// Likelihood returns the rows of x, the matrix that the inputs were chosen from, that enter the
// likelihood: all of them, or those that were not held out.
func (in *Inputs) Likelihood(x mat.Matrix) mat.Matrix {
	if len(in.HeldOut) == 0 {
		return x
	}
	n, dim := x.Dims()
	out := mat.NewDense(n-len(in.HeldOut), dim, nil)
	held, to := in.HeldOut, 0
	for i := range n {
		if len(held) > 0 && held[0] == i {
			held = held[1:]
			continue
		}
		out.SetRow(to, mat.Row(nil, i, x))
		to++
	}
	return out
}

// Double returns twice as many pseudo-inputs for the same x, at most a third of its rows. It
// reports false where there is nothing to be done: the number or the points were the user's, a
// third of the rows is reached, or the data have no more distinct points to give. See
// Model.Doubling for when it is called for.
func (in *Inputs) Double(x mat.Matrix) (next *Inputs, ok bool, err error) {
	n, _ := x.Dims()
	m := min(2*in.Asked, n/3)
	if in.Fixed || m <= in.Asked {
		return in, false, nil
	}
	next, err = ChooseInputs(x, InputOptions{Kind: in.Kind, Number: m, Seed: in.seed})
	if err != nil {
		return nil, false, err
	}
	next.Fixed = false
	before, _ := in.Z.Dims()
	if after, _ := next.Z.Dims(); after <= before {
		return in, false, nil
	}
	return next, true, nil
}
