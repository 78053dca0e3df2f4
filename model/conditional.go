package model

import (
	"fmt"
	"math/rand/v2"

	"bayeskernel/internal/lowrank"
)

// Conditional is the distribution of a Gaussian process with mean 0 at new points x, given its values
// f at the points of its kernel matrix k: for Predict. With k = K + jitter I, K* the kernel between
// the new points and those of k, and K** that of the new points, it is normal with
//
//	mean        K* k⁻¹ f
//	covariance  K** - K* k⁻¹ K*'.
//
// The jitter of k belongs to f, and what is predicted has none: of a regression, whose jitter is the
// variance of the noise, this is the function without noise. New observations add theirs:
//
//	k := model.SquaredExponential(x, amplitude, lengthscale, noise.Square())
//	m.Observe(y, model.MvNormal(mean, k.Cholesky()))
//	f := m.Predict("f_new", n, model.Conditional(k, y.Sub(mean), xNew))
//	m.Predict("y_new", n, model.Normal(f.Add(mean), noise))
//
// Where x is Data or a Matrix, Program.With and Program.WithMatrix exchange it for other points after
// sampling.
//
// Program.Predictive draws the n new values together, once for each draw of the parameters, from
// the Cholesky factor of k and a pivoted one of the covariance, which may be singular: points may
// coincide with each other and with those of k. With m points in k, a draw costs m³/6 + m² n/2 +
// m n² + n³/2 multiplications at most. Sampling costs nothing more.
func Conditional[X Points](k Mat, f Expr, x X) Dist {
	return Dist{conditional{k, f, pointsOf(x)}}
}

// ConditionalMean returns the mean of Conditional, K* k⁻¹ f: a number for each of the points x. Its
// average over draws of the parameters is the mean of the process at x, with less noise than the
// average of draws of the process. With m points in k and n in x, it costs m³/6 + m² + m n
// multiplications.
func ConditionalMean[X Points](k Mat, f Expr, x X) Expr {
	where := caller()
	c := conditional{k, f, pointsOf(x)}
	m := model("ConditionalMean", where, k.e, f, c.x.e)
	if m == nil {
		return nowhere("ConditionalMean", where)
	}
	return Expr{c.mean(m, where)}
}

// points are those of a Gaussian process, dim numbers each.
type points struct {
	e   Expr
	dim int
}

func pointsOf[X Points](x X) points {
	switch v := any(x).(type) {
	case Expr:
		return points{v, 1}
	case *Matrix:
		if v != nil {
			return points{v.Mat().e, max(v.cols, 1)}
		}
	}
	return points{dim: 1}
}

type conditional struct {
	k Mat
	f Expr
	x points
}

func (conditional) name() string { return "conditional" }

func (d conditional) in(m *Model, of, where string) distribution {
	for _, e := range []Expr{d.k.e, d.f, d.x.e} {
		if e.node == nil || e.about().m != m {
			m.failAt(where, "%s: an argument of conditional is of no model or of another one", of)
			return nil
		}
	}
	mean := d.mean(m, where)
	if about(mean).broken {
		return nil
	}
	op := mean.Op.(conditionalMean)
	return &conditionalOf{op: op, args: append([]*Node{mean}, mean.Args[:5]...)}
}

// mean makes the node of the mean, with arguments points, new points, the Cholesky factor of k,
// amplitude, lengthscale, f.
func (d conditional) mean(m *Model, where string) *Node {
	if d.k.e.about().broken || d.f.about().broken || d.x.e.about().broken {
		return m.brokenNode(where)
	}
	op, ok := d.k.e.node.Op.(kernel)
	switch {
	case !ok:
		m.failAt(where, "Conditional: %s is no kernel matrix, want one of SquaredExponential, Matern32, "+
			"Matern52", labelOf(d.k.e.node))
		return m.brokenNode(where)
	case !d.x.e.node.Fixed:
		m.failAt(where, "Conditional: its points depend on parameters, want data")
		return m.brokenNode(where)
	case d.x.dim != op.dim:
		m.failAt(where, "Conditional: its points have %s, want %d as in the kernel matrix",
			plural(d.x.dim, "column"), op.dim)
		return m.brokenNode(where)
	case d.f.node.N != op.n:
		m.failAt(where, "Conditional: %s from %s and %s of the kernel matrix do not match",
			plural(d.f.node.N, "value"), labelOf(d.f.node), plural(op.n, "point"))
		return m.brokenNode(where)
	}
	n := d.x.e.node.N / d.x.dim
	of := d.k.e.node.Args // points, amplitude, lengthscale, jitter
	return m.apply("Conditional", conditionalMean{kernel: op, m: n}, n, false, where, of[0], d.x.e.node,
		factorOf(d.k, where), of[1], of[2], d.f.node)
}

// factorOf is the Cholesky factor of k, the one that the model has already if there is one.
func factorOf(k Mat, where string) *Node {
	for _, n := range k.e.about().m.graph.Nodes[k.e.node.ID:] {
		if _, ok := n.Op.(cholesky); ok && n.Args[0] == k.e.node {
			return n
		}
	}
	return k.e.about().m.apply("Cholesky", cholesky{k.rows}, k.e.node.N, false, where, k.e.node)
}

// conditionalMean is K* a with a = L'⁻¹ w and w = L⁻¹ f, for m new points. With c its adjoint, that of
// a is b = K*' c, that of w is v = L⁻¹ b, and that of f is u = L'⁻¹ v; that of L gains -a v' - u w' in
// its lower triangle, and that of K* is c a'.
type conditionalMean struct {
	kernel
	m int
}

type conditionalStep struct {
	conditionalMean
	out, adj                []float64
	x, new, l               []float64
	amplitude, length, f    []float64
	dl, dAmplitude, dLength []float64
	df                      []float64
	cross, slope            []float64 // K*, and the lengthscale times its derivatives in it, by rows
	a, w, b, u              []float64
}

func (c conditionalMean) bind(out, adj []float64, in, din [][]float64) step {
	return &conditionalStep{conditionalMean: c, out: out, adj: adj, x: in[0], new: in[1], l: in[2],
		amplitude: in[3], length: in[4], f: in[5], dl: din[2], dAmplitude: din[3], dLength: din[4],
		df: din[5], cross: make([]float64, c.n*c.m), slope: make([]float64, c.n*c.m),
		a: make([]float64, c.n), w: make([]float64, c.n), b: make([]float64, c.n),
		u: make([]float64, c.n)}
}

func (s *conditionalStep) forward() {
	s.between(s.cross, s.slope, s.new, s.x, s.amplitude[0], s.length[0])
	forwardSolve(s.w, s.l, s.f)
	backSolve(s.a, s.l, s.w)
	for i := range s.out {
		s.out[i] = dot(s.cross[i*s.n:(i+1)*s.n], s.a)
	}
}

func (s *conditionalStep) backward() {
	clear(s.b)
	byAmplitude, byLength := 0.0, 0.0
	for i, c := range s.adj {
		slope := s.slope[i*s.n : (i+1)*s.n]
		for j, k := range s.cross[i*s.n : (i+1)*s.n] {
			s.b[j] += c * k
			byAmplitude += c * k * s.a[j]
			byLength += c * slope[j] * s.a[j]
		}
	}
	if s.dAmplitude != nil && s.amplitude[0] != 0 {
		s.dAmplitude[0] += 2 * byAmplitude / s.amplitude[0]
	}
	if s.dLength != nil {
		s.dLength[0] += byLength / s.length[0]
	}
	forwardSolve(s.u, s.l, s.b)
	copy(s.b, s.u) // v
	backSolve(s.u, s.l, s.u)
	for i, u := range s.u {
		if s.df != nil {
			s.df[i] += u
		}
		if s.dl == nil {
			continue
		}
		row := s.dl[i*s.n : i*s.n+i+1]
		for j := range row {
			row[j] -= s.a[i]*s.b[j] + u*s.w[j]
		}
	}
}

// between writes the kernel of each of the points x with each of y, by rows, and, unless nil, the
// lengthscale times its derivatives in it.
func (k kernel) between(dst, slope, x, y []float64, amplitude, length float64) {
	a2, n := amplitude*amplitude, len(y)/k.dim
	for i := range len(x) / k.dim {
		var row []float64
		if slope != nil {
			row = slope[i*n : (i+1)*n]
		}
		k.fill(dst[i*n:(i+1)*n], row, x[i*k.dim:(i+1)*k.dim], y, a2, length)
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// conditionalOf is Conditional in a model. Arguments are the mean, points, new points, the Cholesky
// factor of k, amplitude and lengthscale.
type conditionalOf struct {
	op   conditionalMean
	args []*Node
}

func (d *conditionalOf) name() string       { return "conditional" }
func (d *conditionalOf) arguments() []*Node { return d.args }

func (d *conditionalOf) mapped(to func(*Node) *Node) distribution {
	out := &conditionalOf{op: d.op, args: make([]*Node, len(d.args))}
	for k, a := range d.args {
		out.args[k] = to(a)
	}
	out.op.m = out.args[0].N
	return out
}

// densities is one: the values are drawn together.
func (d *conditionalOf) densities(int) int { return 1 }

func (d *conditionalOf) forParameter(Place) error {
	return fmt.Errorf("a parameter cannot have a conditional distribution: it is for Predict")
}

func (d *conditionalOf) forValues(y *Node, name string) error {
	if y.N != d.op.m {
		return fmt.Errorf("%s has %s, and conditional %s", name, plural(y.N, "value"),
			plural(d.op.m, "point"))
	}
	if !y.Fixed || y.Value != nil { // of Observe: there is no derivative of the covariance
		return fmt.Errorf("%s: what was observed cannot have a conditional distribution: it is for "+
			"Predict", name)
	}
	return nil
}

func (d *conditionalOf) bind(c *memory, _ *Node) term {
	t := &conditionalTerm{conditionalMean: d.op}
	for k, a := range d.args {
		t.in[k] = c.value[a.ID]
	}
	return t
}

// conditionalTerm draws mean + F z with F F' = K** - V V', where column i of V' is L⁻¹ k*, k* being
// row i of K*.
type conditionalTerm struct {
	conditionalMean
	in     [6][]float64
	v      []float64
	factor lowrank.Cholesky
}

func (t *conditionalTerm) add() float64            { panic("model: conditional has no density here") }
func (t *conditionalTerm) pointwise([]float64) int { panic("model: conditional has no density here") }

func (t *conditionalTerm) draw(r *rand.Rand, out []float64) {
	copy(out, t.in[0])
	t.decompose()
	columns := t.factor.Columns()
	for k := range t.factor.Pivots {
		z := r.NormFloat64()
		for i, v := range columns[k*t.m : (k+1)*t.m] {
			out[i] += v * z
		}
	}
}

// decompose factors the covariance. What is left out has a diagonal below the rounding of the
// amplitude's square.
func (t *conditionalTerm) decompose() {
	x, points, l, amplitude, length := t.in[2], t.in[1], t.in[3], t.in[4][0], t.in[5][0]
	if t.v == nil {
		t.v = make([]float64, t.n*t.m)
	}
	t.between(t.v, nil, x, points, amplitude, length)
	a2, diag := amplitude*amplitude, make([]float64, t.m)
	for i := range t.m {
		row := t.v[i*t.n : (i+1)*t.n]
		forwardSolve(row, l, row)
		diag[i] = a2 - dot(row, row)
	}
	t.factor.Factor(diag, 4e-16*float64(t.n+t.m)*a2, func(dst []float64, i int) {
		t.between(dst, nil, x, x[i*t.dim:(i+1)*t.dim], amplitude, length)
		for j := range dst {
			dst[j] -= dot(t.v[j*t.n:(j+1)*t.n], t.v[i*t.n:(i+1)*t.n])
		}
	})
}
