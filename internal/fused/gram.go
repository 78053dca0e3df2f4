package fused

import (
	"math"
	"unsafe"
)

// Gram computes the sums for rows and pseudo-inputs in two or three dimensions: those of the
// package comment for each pseudo-input, and the sums over the rows that take the place of
// sum log A and sum B/A. With v = x_i - z_l and q = |v|^2/theta^2 these are
//
//	LogDet = sum_i log det G_i,        G_i = sum_l k^2 v v',
//	Trace  = sum_i tr(G_i^-1 H_i),     H_i = sum_l k^2 q v v'.
//
// Trace is half the derivative of LogDet in log theta. If each coordinate has its own lengthscale,
// q_a = v_a^2/theta_a^2, and q_a takes the place of q, for each a in turn.
//
// A Gram carries the workspace of Run, so that one serves one goroutine.
type Gram struct {
	C  []float64   // sum_i (k - shift_l)
	F  []float64   // sum_i (k - shift_l)^2
	KQ [][]float64 // sum_i k q_a for each lengthscale
	FQ [][]float64 // sum_i (k - shift_l) k q_a

	LogDet float64
	Trace  []float64 // for each lengthscale

	dim  int
	job  gramJob
	rows gramRows
	_    [256]byte // between rows, which change all the time, and what other goroutines write
}

// MaxDim is the largest number of dimensions that Gram has.
const MaxDim = 3

// NewGram returns sums for m pseudo-inputs in dim dimensions, with one lengthscale or, if ard is
// set, dim. Run calls redo with the number of each row whose matrix G underflows, or is so near to
// singular that three digits would be lost. redo returns log det G, and adds the traces to those
// given.
func NewGram(dim, m int, ard bool, redo func(i int, trace []float64) (logDet float64)) *Gram {
	if dim < 2 || dim > MaxDim {
		panic("fused: Gram has two or three dimensions only")
	}
	thetas := 1
	if ard {
		thetas = dim
	}
	out := make([]float64, (2+2*thetas)*m)
	next := func() []float64 {
		part := out[:m:m]
		out = out[m:]
		return part
	}
	g := &Gram{C: next(), F: next(), Trace: make([]float64, thetas), dim: dim}
	for range thetas {
		g.KQ, g.FQ = append(g.KQ, next()), append(g.FQ, next())
	}
	g.rows.redo = redo
	g.job.allocate(dim, m, ard)
	return g
}

// gramJob is one pass in the units of the kernels, where each theta is between 1/2 and 1. The rows
// of a block are in columns: the coordinates, the elements of G and those of H, each times unit^2.
// With one lengthscale the elements of G are
//
//	tr G, G_11, G_12              and         tr G, G_11, G_12, G_13, G_22, G_23
//
// and those of H likewise. With one for each coordinate v_a/theta_a takes the place of v_a; G has
// all its elements 11, 12, 22 or 11, 12, 13, 22, 23, 33; and for all H there are the different sums
// of k^2 times a product of four coordinates, in the order 1111, 1112, 1122, ... of their indices.
type gramJob struct {
	dim      int
	ard      bool
	stride   int       // from a column to the next
	block    []float64 // the columns
	z, shift []float64 // scaled, shift by unit
	sums     []float64 // C, F, KQ, FQ of each pseudo-input, or C, F, three times KQ and FQ
	each     int       // how many sums that is
	consts   []float64 // c, dmax, 1/theta_a, eight times each
	c, dmax  float64
	factor   [MaxDim]float64 // 1/theta_a, or 1 with one lengthscale
}

// size is how many rows a block has: as many as the first cache has room for.
func (j *gramJob) size() int { return j.stride - spare }

// A column ends with as many elements that are never used: columns at multiples of 4096 bytes would
// hinder each other in the first cache.
const spare = 8

// stride2 and the like are known to the generator too.
const (
	stride2    = 512 + spare
	stride3    = 256 + spare
	strideARD2 = 256 + spare
	strideARD3 = 128 + spare
)

// allocate makes the workspace, which begins at one of the 64-byte lines the kernels like best.
func (j *gramJob) allocate(dim, m int, ard bool) {
	j.dim, j.ard, j.each = dim, ard, 4
	columns := 0
	switch {
	case !ard && dim == 2:
		j.stride, columns = stride2, 2+3+3
	case !ard:
		j.stride, columns = stride3, 3+6+6
	case dim == 2:
		j.stride, columns, j.each = strideARD2, 2+3+5, 8
	default:
		j.stride, columns, j.each = strideARD3, 3+6+15, 8
	}
	work := make([]float64, 7+columns*j.stride+40+j.each*m+dim*m+m)
	line := int(uintptr(unsafe.Pointer(unsafe.SliceData(work))) / 8 % 8)
	work = work[(8-line)%8:]
	next := func(n int) []float64 {
		part := work[:n:n]
		work = work[n:]
		return part
	}
	j.block, j.consts, j.sums = next(columns*j.stride), next(40), next(j.each*m)
	j.z, j.shift = next(dim*m), next(m)
}

func (j *gramJob) column(i int) []float64 { return j.block[i*j.stride : (i+1)*j.stride] }

// Run computes the sums for the rows x and the pseudo-inputs z, of dim numbers each, and the
// lengthscales theta. It does not allocate. The result depends on the arguments alone.
func (g *Gram) Run(kind Kind, x, z, shift, theta []float64) {
	g.check(kind, x, z, shift, theta)
	j, n := &g.job, len(x)/g.dim
	var exponent [MaxDim]int
	j.units(exponent[:g.dim], theta)
	j.prepare(exponent[:g.dim], z, shift)
	var lo, hi [MaxDim]float64
	if !j.reach(lo[:g.dim], hi[:g.dim]) {
		kind = Portable
	}
	g.rows.begin()
	for first := 0; first < n; first += j.size() {
		rows := min(j.size(), n-first)
		for a := range g.dim {
			j.load(a, x[first*g.dim:], rows, math.Ldexp(1, -exponent[a]), lo[a], hi[a])
		}
		clear(j.block[g.dim*j.stride:])
		gramPass(kind, j, rows)
		g.rows.add(j, first, rows)
	}
	g.finish(exponent[:g.dim])
}

func (g *Gram) check(kind Kind, x, z, shift, theta []float64) {
	if !Available(kind) {
		panic("fused: kernel " + kind.String() + " is not available on this machine")
	}
	m := len(g.C)
	if len(shift) != m || len(z) != g.dim*m || len(x)%g.dim != 0 || m == 0 ||
		len(theta) != len(g.Trace) {
		panic("fused: lengths of x, z, shift, theta and the sums do not go together")
	}
}

// units chooses the powers of two and what follows from them.
func (j *gramJob) units(exponent []int, theta []float64) {
	for a := range exponent {
		exponent[a], j.c, j.dmax = units(theta[min(a, len(theta)-1)])
		j.factor[a] = 1
		if j.ard {
			// k = 2^(-c d) with d = q.
			j.factor[a] = math.Sqrt(j.c / (0.5 * math.Log2E))
		}
	}
	if j.ard {
		j.c = 0.5 * math.Log2E
		j.dmax = lowest / j.c
	}
}

// prepare takes in the pseudo-inputs.
func (j *gramJob) prepare(exponent []int, z, shift []float64) {
	for i, v := range [5]float64{j.c, j.dmax, j.factor[0], j.factor[1], j.factor[2]} {
		for k := range 8 {
			j.consts[8*i+k] = v
		}
	}
	for a, e := range exponent {
		scale := math.Ldexp(1, -e)
		for i := a; i < len(z); i += j.dim {
			j.z[i] = z[i] * scale
		}
	}
	for l, t := range shift {
		j.shift[l] = t * unit
	}
	clear(j.sums)
}

// reach sets bounds as job.reach does, for each coordinate, and reports whether the kernels can
// count as far as from one to the other.
func (j *gramJob) reach(lo, hi []float64) bool {
	sum := 0.0
	for a := range lo {
		first, last := math.Inf(1), math.Inf(-1)
		for i := a; i < len(j.z); i += j.dim {
			first, last = min(first, j.z[i]), max(last, j.z[i])
		}
		lo[a], hi[a] = first-beyond(first), last+beyond(last)
		u := (hi[a] - lo[a]) * j.factor[a]
		sum += u * u
	}
	return sum*j.c < 0x1p200
}

// load fills column a with that coordinate of the rows x.
func (j *gramJob) load(a int, x []float64, rows int, scale, lo, hi float64) {
	c, dim := j.column(a), j.dim
	for i := range rows {
		v := x[i*dim+a] * scale
		if v < lo {
			v = lo
		} else if v > hi {
			v = hi
		}
		c[i] = v
	}
	clear(c[rows : (rows+7)&^7])
}

// finish goes back to the units of the data, and from d to q.
func (g *Gram) finish(exponent []int) {
	j, r := &g.job, &g.rows
	toQ := j.c * (2 * math.Ln2) // k = 2^(-c d) = exp(-q/2)
	if j.ard {
		toQ = 1
	}
	for l := range g.C {
		t := j.sums[j.each*l:][:j.each]
		g.C[l] = t[0] / unit
		g.F[l] = t[1] / unit / unit
		for a := range g.Trace {
			g.KQ[a][l] = t[2+2*a] / unit * toQ
			g.FQ[a][l] = t[3+2*a] / unit / unit * toQ
		}
	}
	twos, log := -2*raise*g.dim, 0.0
	for a, e := range exponent {
		twos += 2 * e
		log -= 2 * math.Log(j.factor[a])
	}
	r.exponent += int64(twos) * r.count
	g.LogDet = math.Log(r.p) + float64(r.exponent)*math.Ln2 + float64(r.count)*log + r.slowLog
	for a := range g.Trace {
		g.Trace[a] = r.trace[a]*toQ + r.slowTrace[a]
	}
}
