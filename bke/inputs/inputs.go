// Package inputs chooses pseudo-inputs: the points z at which the model of package bke looks at the
// kernel k(x, z) of each row x.
//
// Their number acts as a bandwidth: the learned lengthscale falls roughly like its power -1/D and hardly
// depends on the number of rows. Quantiles (one column) and k-means centres (several) vary least from
// seed to seed; held-out rows are what the paper uses. No kind looks at which sample a row came from,
// nor at the order of the rows.
package inputs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"bayeskernel/internal/rng"
	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Kind says where pseudo-inputs come from.
type Kind int

const (
	// Auto is Quantiles for one column and KMeans for more.
	Auto Kind = iota
	// Quantiles are the quantiles of levels (l-1/2)/m, l = 1 to m, of a single column.
	Quantiles
	// KMeans are the centres of a k-means clustering, in the units that the rows have.
	KMeans
	// HeldOut are rows drawn at random, as in Flaxman et al. (2016). They leave the
	// likelihood (see Set.Likelihood), not the samples that it is about. The lengthscale varies
	// more from seed to seed than with the others.
	HeldOut
	// Given are the user's own.
	Given
)

// String returns the name that ParseKind reads.
func (k Kind) String() string {
	switch k {
	case Auto:
		return "auto"
	case Quantiles:
		return "quantiles"
	case KMeans:
		return "kmeans"
	case HeldOut:
		return "heldout"
	case Given:
		return "given"
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// ParseKind reads "auto", "quantiles", "kmeans", "heldout" or "given".
func ParseKind(name string) (Kind, error) {
	for k := Auto; k <= Given; k++ {
		if name == k.String() {
			return k, nil
		}
	}
	return 0, fmt.Errorf("inputs: kind of pseudo-inputs is %q, "+
		"want auto, quantiles, kmeans, heldout or given", name)
}

// Options says which pseudo-inputs are wanted. The zero value is the default.
type Options struct {
	Kind   Kind
	Number int // of pseudo-inputs; 0 means Default
	Seed   uint64
	Points mat.Matrix // the points themselves, used as they are; for Given only
}

// Set is a set of pseudo-inputs and where it came from.
type Set struct {
	Z       *mat.Dense
	Kind    Kind  // never Auto
	HeldOut []int // the rows that became pseudo-inputs, from 0, increasing; HeldOut only
	// Asked is the number wanted. Z has fewer rows where the data do not have as many distinct
	// ones, or quantiles coincide: pseudo-inputs are distinct, except for the user's own.
	Asked int
	// Fixed tells that the number or the points were the user's. They are never changed.
	Fixed bool

	seed uint64
}

// Default returns the default number of pseudo-inputs for n rows, all samples together, of
// rank dim: min(10^dim, 100, n/5), but at least dim+1. The number is a bandwidth in disguise: the
// learned lengthscale falls roughly like its power -1/dim, and hardly depends on n.
func Default(n, dim int) int {
	m := min(100, n/5)
	if dim == 1 {
		m = min(m, 10)
	}
	return max(m, dim+1)
}

// Choose chooses pseudo-inputs for the rows of x, all samples together. It cannot know which row
// came from which sample: rows in another order give the same points, drawn at random or not. A
// permutation test that uses them is exact for every seed. The same x, options and seed give the
// same points, however many processors there are. It ends with an error soon after the context
// does.
func Choose(ctx context.Context, x mat.Matrix, o Options) (*Set, error) {
	parts, n, dim, err := rows.Parts("x", x)
	if err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	if (o.Points != nil) != (o.Kind == Given) {
		return nil, fmt.Errorf("inputs: kind of pseudo-inputs is %v, want given with points, "+
			"and only then", o.Kind)
	}
	if o.Points != nil {
		return given(o, dim)
	}
	line := dim == 1 && (o.Kind == Auto || o.Kind == Quantiles)
	var data []float64 // of one column only what their sizes are is wanted, not where each came from
	rank := 1
	if line && constant(parts) {
		rank = 0
	} else if !line {
		data = rows.Join(parts)
		rank = rows.Span(data, dim).Rank
	}
	in := &Set{Kind: o.Kind, Asked: o.Number, Fixed: o.Number != 0, seed: o.Seed}
	if in.Asked == 0 {
		in.Asked = Default(n, rank)
	}
	if in.Asked <= rank {
		return nil, fmt.Errorf("inputs: %s asked for, want at least %d for data of rank %d",
			rows.Count(in.Asked, "pseudo-input"), rank+1, rank)
	}
	if in.Kind == Auto && dim == 1 {
		in.Kind = Quantiles
	} else if in.Kind == Auto {
		in.Kind = KMeans
	}
	if line {
		z := quantiles(cut(parts), in.Asked)
		in.Z, err = mat.NewDense(len(z), 1, z), context.Cause(ctx)
	} else {
		err = in.choose(ctx, data, dim)
	}
	if err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	if m, _ := in.Z.Dims(); m <= rank || rank == 0 {
		return nil, fmt.Errorf("inputs: x gives %s, want at least %d for data of rank %d",
			rows.Count(m, "distinct pseudo-input"), max(rank, 1)+1, rank)
	}
	return in, nil
}

// constant reports whether all values are equal.
func constant(parts [][]float64) bool {
	for _, x := range parts {
		for _, v := range x {
			if v != parts[0][0] {
				return false
			}
		}
	}
	return true
}

func given(o Options, dim int) (*Set, error) {
	z, m, zdim, err := rows.Finite("z", o.Points)
	if err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	if zdim != dim {
		return nil, fmt.Errorf("inputs: z has %s, want %d as in x", rows.Count(zdim, "column"), dim)
	}
	if o.Number != 0 && o.Number != m {
		return nil, fmt.Errorf("inputs: %s asked for beside %d given, want one or the other",
			rows.Count(o.Number, "pseudo-input"), m)
	}
	return &Set{Z: mat.NewDense(m, dim, z), Kind: Given, Asked: m, Fixed: true}, nil
}

// choose sets Z, and HeldOut. Whatever is drawn is drawn from the sorted rows: a draw by position in
// x would favour, for a given seed, the sample that happens to stand there.
func (in *Set) choose(ctx context.Context, data []float64, dim int) error {
	n := len(data) / dim
	order := rows.Order(data, dim)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	sorted := rows.Pick(data, dim, order)
	var z []float64
	var err error
	switch in.Kind {
	case Quantiles:
		return fmt.Errorf("quantiles of %d columns asked for, want 1, or kmeans", dim)
	case KMeans:
		if in.Asked > n {
			return fmt.Errorf("%d centres of %s asked for", in.Asked, rows.Count(n, "row"))
		}
		if z, err = rows.KMeans(ctx, sorted, dim, in.Asked, in.seed); err != nil {
			return err
		}
	case HeldOut:
		if in.Asked > n-2 {
			return fmt.Errorf("%d of %s to be held out, want at least 2 left", in.Asked,
				rows.Count(n, "row"))
		}
		if in.HeldOut, err = heldOut(sorted, dim, in.Asked, in.seed); err != nil {
			return err
		}
		for k, i := range in.HeldOut {
			in.HeldOut[k] = order[i]
		}
		slices.Sort(in.HeldOut)
		z = rows.Pick(data, dim, in.HeldOut)
	default:
		return fmt.Errorf("unknown kind of pseudo-inputs %v", in.Kind)
	}
	in.Z = mat.NewDense(len(z)/dim, dim, z)
	return nil
}

// heldOut draws m rows with distinct values, fewer if there are not as many.
func heldOut(data []float64, dim, m int, seed uint64) ([]int, error) {
	src, err := rng.New(rng.PCG, rng.Name{Seed: seed, Purpose: "inputs/heldout"}, 0)
	if err != nil {
		return nil, err
	}
	order := rand.New(src).Perm(len(data) / dim)
	picked := rows.Distinct(rows.Pick(data, dim, order), dim) // of each value the first drawn
	picked = picked[:min(m, len(picked))]
	for k, i := range picked {
		picked[k] = order[i]
	}
	return picked, nil
}

// Likelihood returns the rows of x, the matrix that the inputs were chosen from, that enter the
// likelihood: all of them, or those that were not held out.
func (in *Set) Likelihood(x mat.Matrix) mat.Matrix {
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

// MostDoubled is the number of pseudo-inputs beyond which Double does not go: a fit then costs more than
// anything that it could still say.
const MostDoubled = 800

// Double returns twice as many pseudo-inputs for the same x, at most a third of its rows and
// MostDoubled. It reports false where there is nothing to be done: the number or the points were the
// user's, the limit is reached, or the data have no more distinct points to give. Model.Doubling of
// package bke says when more are called for.
func (in *Set) Double(ctx context.Context, x mat.Matrix) (next *Set, ok bool, err error) {
	n, _ := x.Dims()
	m := min(2*in.Asked, n/3, MostDoubled)
	if in.Fixed || m <= in.Asked {
		return in, false, nil
	}
	next, err = Choose(ctx, x, Options{Kind: in.Kind, Number: m, Seed: in.seed})
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
