package model

import "bayeskernel/engine"

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

func (d conditional) in(m *Model, of, where string) engine.Distribution {
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
	op := mean.Op.(engine.ConditionalMean)
	return &engine.Conditional{Op: op, Args: append([]*engine.Node{mean}, mean.Args[:5]...)}
}

// mean makes the node of the mean, with arguments points, new points, the Cholesky factor of k,
// amplitude, lengthscale, f.
func (d conditional) mean(m *Model, where string) *engine.Node {
	if d.k.e.about().broken || d.f.about().broken || d.x.e.about().broken {
		return m.brokenNode(where)
	}
	op, ok := d.k.e.node.Op.(engine.Kernel)
	switch {
	case !ok:
		m.failAt(where, "Conditional: %s is no kernel matrix, want one of KernelMatrix, SquaredExponential, "+
			"Matern32, Matern52", labelOf(d.k.e.node))
		return m.brokenNode(where)
	case !d.x.e.node.Fixed:
		m.failAt(where, "Conditional: its points depend on parameters, want data")
		return m.brokenNode(where)
	case d.x.dim != op.Dim:
		m.failAt(where, "Conditional: its points have %s, want %d as in the kernel matrix",
			plural(d.x.dim, "column"), op.Dim)
		return m.brokenNode(where)
	case d.f.node.N != op.N:
		m.failAt(where, "Conditional: %s from %s and %s of the kernel matrix do not match",
			plural(d.f.node.N, "value"), labelOf(d.f.node), plural(op.N, "point"))
		return m.brokenNode(where)
	}
	n := d.x.e.node.N / d.x.dim
	of := d.k.e.node.Args // points, amplitude, lengthscale, jitter
	return m.apply("Conditional", engine.ConditionalMean{Kernel: op, M: n}, n, false, where, of[0],
		d.x.e.node, factorOf(d.k, where), of[1], of[2], d.f.node)
}

// factorOf is the Cholesky factor of k, the one that the model has already if there is one.
func factorOf(k Mat, where string) *engine.Node {
	for _, n := range k.e.about().m.graph.Nodes[k.e.node.ID:] {
		if _, ok := n.Op.(engine.Cholesky); ok && n.Args[0] == k.e.node {
			return n
		}
	}
	return k.e.about().m.apply("Cholesky", engine.Cholesky{N: k.rows}, k.e.node.N, false, where, k.e.node)
}
