package bke

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/logdet"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Options are the options of a model. The zero value is the default: one lengthscale, nu Unit, the
// weight 0.9 d/m, and tau2 free.
type Options struct {
	// Kernel is the radial kernel, nil for the squared exponential. kernels.ParseRadial reads se,
	// matern32, matern52, rq:alpha=1.5 and mixture:widths=1/4,weights=0.5/0.5. The fastest code is for
	// the squared exponential in up to three dimensions.
	Kernel kernels.Radial
	Nu     Nu
	// Weight is the power of the Gaussian part of the pseudolikelihood. Zero means 0.9 d/m, where d
	// is the numerical rank of the data. The value 1 gives eq. (15) of the paper, which has no
	// maximum if tau2 is free.
	Weight float64
	// ARD gives each coordinate its own lengthscale.
	ARD bool
	// Tau2 and Eta are fixed at these values if positive, and free if zero. Only Gaussian uses Eta.
	Tau2, Eta float64
	// ThetaMin and ThetaMax bound every lengthscale where they are not zero.
	ThetaMin, ThetaMax float64
	// Path names the numerical path: "auto" (or ""), "portable", "avx2", "avx512". Results on two paths
	// agree to 1e-12, but not to the last bit.
	Path string
}

// Params is a point in the space of the hyperparameters, on their natural scales.
type Params struct {
	Theta     []float64 // one, or one for each coordinate with ARD
	Tau2, Eta float64   // only Gaussian uses Eta
}

// Model holds the data and everything computed from them without the hyperparameters. It is
// immutable and safe for concurrent use.
type Model struct {
	n, m, dim int         // dim is the rank of the data, which is less than their width on a plane
	width     int         // columns as given
	x, z      []float64   // flat, row by row, on the plane if there is one
	plane     *rows.Plane // nil unless the data were projected
	given     []float64   // x in the columns as given, where it was projected
	opts      Options     // resolved: Weight > 0
	rank      int         // numerical rank of x and z together, centred
	pooledSD  float64     // root mean variance over the columns of x
	extent    float64     // the largest range of a coordinate over x and z
	path      fused.Kind
	inputs    *logdet.Inputs
	table     *table   // of the sums over the rows; nil without
	joint     *joint   // what the covariance gives, for gradients; nil without TabulateCovariance
	windows   []*table // likewise, where the rows themselves are not held; nil where they are
}

// NewModel copies x (n rows of D columns) and z (m rows, the pseudo-inputs) without changing their
// units. Log gamma would be -Inf for data of rank d < D. Such data are projected onto the plane
// they span, where the isotropic model is the same. With ARD they are an error.
func NewModel(x, z mat.Matrix, o Options) (*Model, error) {
	return NewModelContext(context.Background(), x, z, o)
}

// NewModelContext is NewModel with a context: it returns an error soon after the context is done.
// Copying and checking ten thousand rows takes milliseconds, and NewModel will do. Millions of rows
// in many columns take seconds.
func NewModelContext(ctx context.Context, x, z mat.Matrix, o Options) (*Model, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	kind, err := fused.Parse(o.Path)
	if err != nil {
		return nil, fmt.Errorf("bke: %w", err)
	}
	d, err := newDataset(ctx, x, z, o.ARD)
	if err != nil {
		return nil, err
	}
	_, width := x.Dims()
	if o.Kernel == nil {
		o.Kernel = kernels.SE{}
	}
	if _, err := kernels.NewPrior(o.Kernel, o.Nu, d.dim); err != nil {
		return nil, fmt.Errorf("bke: %w", err)
	}
	if o.Weight == 0 {
		o.Weight = 0.9 * float64(d.dim) / float64(d.m)
	}
	mod := &Model{
		n: d.n, m: d.m, dim: d.dim, width: width, x: d.x, z: d.z, plane: d.plane, given: d.given,
		opts: o, rank: d.dim, pooledSD: d.pooledSD, path: kind,
		inputs: logdet.NewInputs(d.z, d.dim),
	}
	for a := range mod.dim {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, part := range [][]float64{mod.x, mod.z} {
			l, h := rows.Range(part, mod.dim, a)
			lo, hi = min(lo, l), max(hi, h)
		}
		mod.extent = max(mod.extent, hi-lo)
	}
	return mod, nil
}

// check reports the first invalid option.
func (o Options) check() error {
	if o.Nu < Unit || o.Nu > Gaussian {
		return fmt.Errorf("bke: nu is %v, want Unit, Lebesgue or Gaussian", o.Nu)
	}
	for _, v := range []struct {
		name  string
		value float64
	}{
		{"Weight", o.Weight}, {"Tau2", o.Tau2}, {"Eta", o.Eta},
		{"ThetaMin", o.ThetaMin}, {"ThetaMax", o.ThetaMax},
	} {
		if !(v.value >= 0) || math.IsInf(v.value, 1) {
			return fmt.Errorf("bke: %s is %v, want a finite number, not negative", v.name, v.value)
		}
	}
	if o.ThetaMax > 0 && o.ThetaMax <= o.ThetaMin {
		return fmt.Errorf("bke: ThetaMax is %v, want more than ThetaMin, which is %v",
			o.ThetaMax, o.ThetaMin)
	}
	return nil
}

// N returns the number of rows of the data.
func (m *Model) N() int { return m.n }

// M returns the number of pseudo-inputs.
func (m *Model) M() int { return m.m }

// Dim returns the number of columns of the data as given.
func (m *Model) Dim() int { return m.width }

// Weight returns the power of the Gaussian part.
func (m *Model) Weight() float64 { return m.opts.Weight }

// Rank returns the numerical rank of the data and pseudo-inputs together, centred. If it is below
// Dim, the data were projected onto the plane they span.
func (m *Model) Rank() int { return m.rank }

// PooledSD returns the root of the mean over the columns of their variances in the data.
func (m *Model) PooledSD() float64 { return m.pooledSD }

// Kernel returns the radial kernel.
func (m *Model) Kernel() kernels.Radial { return m.opts.Kernel }

// Nu returns the measure in the prior covariance.
func (m *Model) Nu() Nu { return m.opts.Nu }

// Path returns the name of the numerical path. A run is reproducible to the last bit only on the
// same path.
func (m *Model) Path() string { return m.path.String() }

// thetas returns the number of lengthscales.
func (m *Model) thetas() int {
	if m.opts.ARD {
		return m.dim
	}
	return 1
}

// freeTau2 and freeEta report whether tau2 and eta are free parameters.
func (m *Model) freeTau2() bool { return m.opts.Tau2 == 0 }
func (m *Model) freeEta() bool  { return m.opts.Nu == Gaussian && m.opts.Eta == 0 }

// Free returns the names of the free parameters in the order of Evaluator.Gradient: theta, or
// theta[1] to theta[D] with ARD; tau2 unless fixed; eta if nu is Gaussian and eta not fixed.
func (m *Model) Free() []string {
	names := []string{"theta"}
	if m.opts.ARD {
		names = names[:0]
		for a := range m.dim {
			names = append(names, "theta["+strconv.Itoa(a+1)+"]")
		}
	}
	if m.freeTau2() {
		names = append(names, "tau2")
	}
	if m.freeEta() {
		names = append(names, "eta")
	}
	return names
}

// resolve fills in the parameters that the model fixes, and reports whether all are positive and
// finite.
func (m *Model) resolve(p Params) (Params, bool) {
	if len(p.Theta) != m.thetas() {
		panic(fmt.Sprintf("bke: length of Theta is %d, want %d", len(p.Theta), m.thetas()))
	}
	ok := true
	for _, t := range p.Theta {
		ok = ok && t > 0 && t <= math.MaxFloat64
	}
	if !m.freeTau2() {
		p.Tau2 = m.opts.Tau2
	}
	ok = ok && p.Tau2 > 0 && p.Tau2 <= math.MaxFloat64
	if m.opts.Nu == Gaussian {
		if !m.freeEta() {
			p.Eta = m.opts.Eta
		}
		ok = ok && p.Eta > 0 && p.Eta <= math.MaxFloat64
	}
	return p, ok
}
