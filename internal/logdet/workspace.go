package logdet

import (
	"math"
	"slices"
	"unsafe"

	"bayeskernel/internal/fused"
)

// method is how the last determinant was computed.
type method int

const (
	singular method = iota
	byCholesky
	byGramSchmidt
	byReflectors
)

// Workspace is what one goroutine needs. Its calls do not allocate.
type Workspace struct {
	in   *Inputs
	kind fused.Kind
	done method

	cols   [][]float64 // D columns, an element for each distinct pseudo-input
	fixed  [][]float64 // the same in the order in which they lie in slab
	slab   []float64   // the columns, each with zeros up to a multiple of eight
	spare  [][]float64 // likewise: sizes in qr.go, then Q
	weight []float64
	lev    []float64 // leverages of the distinct pseudo-inputs
	all    []float64 // of all
	gram   []float64 // D x D: a Cholesky factor
	inv    []float64 // its inverse
	diag   []float64 // of the matrix that was factored
	qr     qr
	_      [gap]byte
}

// Workspace makes a workspace with the code of a kind, with all theta one.
func (in *Inputs) Workspace(kind fused.Kind) *Workspace {
	u, d := len(in.first), in.d
	if !fused.Available(kind) {
		kind = fused.Portable
	}
	w := &Workspace{
		in: in, kind: kind, slab: aligned(d * in.stride), spare: columns(u, d), weight: apart(u), lev: apart(u),
		all: apart(in.m), gram: apart(d * d), inv: apart(d * d), diag: apart(d), qr: newQR(u, d),
	}
	for a := range d {
		w.fixed = append(w.fixed, w.slab[a*in.stride:][:u:in.stride])
	}
	w.cols = slices.Clone(w.fixed)
	w.SetTheta([]float64{1})
	return w
}

// SetTheta sets the lengthscales, one for each coordinate or one for all. The determinant is in the
// units of the data whatever they are: they tell only which coordinates are large.
func (w *Workspace) SetTheta(theta []float64) {
	d := w.in.d
	if len(theta) != 1 && len(theta) != d {
		panic("logdet: SetTheta: length of theta is neither 1 nor the dimension")
	}
	w.qr.powers = 0
	for a := range d {
		_, exp := math.Frexp(theta[min(a, len(theta)-1)] * math.Sqrt2)
		w.qr.scale[a] = math.Ldexp(1, 1-exp)
		w.qr.powers += 1 - exp
	}
}

// LogDet returns 1/2 logdet sum_l kappa_l² v_l v_l', where v_l = x - z_l. It is -Inf where the v_l
// do not span all dimensions. The kappa_l may be zero where they underflow; their logarithms count.
func (w *Workspace) LogDet(x, kappa, logKappa []float64) float64 {
	in := w.in
	if len(x) != in.d || len(kappa) != in.m || len(logKappa) != in.m {
		panic("logdet: LogDet: lengths of x, kappa and logKappa are not those of the pseudo-inputs")
	}
	w.done = singular
	if len(in.first) < in.d {
		return math.Inf(-1)
	}
	if sum, ok := w.direct(x, kappa); ok {
		return sum
	}
	return w.byReflectors(x, logKappa)
}

// Leverages returns h_l = kappa_l² v_l' G^-1 v_l for all pseudo-inputs: numbers from 0 to 1 with
// sum D. G is the matrix of the last call of LogDet. Where that was -Inf they are zero. The slice
// is valid until the next call. Call it at most once after each LogDet.
func (w *Workspace) Leverages() []float64 {
	clear(w.lev)
	switch w.done {
	case byCholesky:
		for i := range w.cols {
			w.solve(i)
		}
		w.addColumns()
	case byGramSchmidt:
		w.addColumns()
	case byReflectors:
		w.orthogonal()
		addSquares(w.lev, w.spare)
		w.qr.restore(w.lev)
	}
	w.done = singular
	return w.spread()
}

// addSquares adds to each element of dst the squares of those of the columns.
func addSquares(dst []float64, cols [][]float64) {
	for _, c := range cols {
		c = c[:len(dst)]
		for l, v := range c {
			dst[l] += v * v
		}
	}
}

// spread shares the leverage of merged pseudo-inputs among them.
func (w *Workspace) spread() []float64 {
	for l, h := range w.lev {
		if h > 1 { // by rounding
			w.lev[l] = 1
		}
	}
	if w.in.merged == nil {
		return w.lev
	}
	for l, u := range w.in.merged {
		w.all[l] = w.lev[u] / w.in.count[u]
	}
	return w.all
}

// aligned returns n zeros at the beginning of a cache line, with a gap after them.
func aligned(n int) []float64 {
	x := apart(n + 7)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(x)))/8) & 7
	return x[skip : skip+n : skip+n]
}

// gap is how many bytes of nothing follow what is written for every row. Goroutines that write to
// one cache line in turn wait for each other, and a processor fetches the next few lines with the
// one it needs.
const gap = 256

// apart returns n zeros with a gap after them.
func apart(n int) []float64 { return make([]float64, n, n+gap/8) }

func columns(n, d int) [][]float64 {
	cols := make([][]float64, d, d+gap/24+1)
	for a := range cols {
		cols[a] = apart(n)
	}
	return cols
}
