package work

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/embedding/shrinkage"
	"bayeskernel/kernels"
	"bayeskernel/kernels/features"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// EmbedFlags say how samples are embedded.
type EmbedFlags struct {
	Kernel OneKernel
	Shrink string
}

// Define defines the flags.
func (f *EmbedFlags) Define(s *cli.FlagSet) {
	s.Group("Embeddings")
	// In examples/distributions distances are nearer to the true ones with simple than with flexible in
	// all of 12 settings, and with either nearer than with none.
	s.Choice(&f.Shrink, "shrink", "simple", []string{"simple", "flexible", "none"}, "`how` the mean "+
		"embedding of each sample is shrunk: simple (by one factor), flexible (each eigenvector of its Gram "+
		"matrix by a factor of its own), both by leave-one-out and for samples of at most "+
		fmt.Sprint(mostShrunk)+" rows, or none")
	f.Kernel.Define(s, "all rows together", "")
}

// Check finds what is wrong with the flags.
func (f *EmbedFlags) Check(s *cli.FlagSet) error { return f.Kernel.Check(s) }

const (
	// mostShrunk is where shrinking gains less than a hundredth, and its decomposition begins to take
	// long.
	mostShrunk = 1000
	// exactRows is up to which all values of the kernel are computed.
	exactRows = 20000
	// Landmarks beyond that, and the rows they are chosen among.
	landmarks, landmarkRows = 300, 20000
	// Samples beyond these rows are decomposed to a tolerance.
	digitsRows, tolerance = 300, 1e-3
)

// Embedded are samples by their mean embeddings.
type Embedded struct {
	Flags  *EmbedFlags
	Data   *input.Many
	Kernel *kerneltest.Chosen
	// Lambda is how much each embedding is shrunk, Weight the sum of its weights, Risk the estimated
	// squared distance of the empirical embedding from the true one.
	Lambda, Weight, Risk []float64
	Unshrunk             int // samples that are too large to be shrunk
	// Landmarks is their number where the kernel is approximated, and Left the largest residual of a
	// row.
	Landmarks int
	Left      float64
	Distance  *mat.SymDense
	Map       [][2]float64
	Share     [2]float64 // of the squared distances, that one coordinate shows and both
}

// Embed finds the distances of samples.
func Embed(ctx context.Context, con *cli.Console, data *input.Many, f *EmbedFlags) (*Embedded,
	error) {
	out := &Embedded{Flags: f, Data: data}
	n, dim := data.P.Dims()
	if err := f.Kernel.Admit(n, dim); err != nil {
		return nil, err
	}
	var err error
	if out.Kernel, err = f.Kernel.choose(ctx, con, data.Source, data.P); err != nil {
		return nil, err
	}
	if err := out.measure(ctx, con); err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	return out, nil
}

// measure finds weights, inner products and the map.
func (e *Embedded) measure(ctx context.Context, con *cli.Console) error {
	line := con.Working("embeddings")
	defer line.End()
	var samples []*mat.Dense
	var weights [][]float64
	for i, rows := range e.Data.Of {
		line.Step("embeddings", i, len(e.Data.Of))
		if err := ctx.Err(); err != nil {
			return err
		}
		x, err := inUnits(e.Kernel, rows)
		if err != nil {
			return err
		}
		w, err := e.weigh(x)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Data.Names[i], err)
		}
		samples, weights = append(samples, x), append(weights, w)
	}
	inner, err := e.inner(ctx, line, samples, weights)
	if err != nil {
		return err
	}
	k := len(samples)
	e.Distance = mat.NewSymDense(k, nil)
	for i := range k {
		for j := range i {
			d2 := inner.At(i, i) + inner.At(j, j) - 2*inner.At(i, j)
			e.Distance.SetSym(i, j, math.Sqrt(max(0, d2)))
		}
	}
	e.Map, e.Share, err = classical(inner)
	return err
}

// weigh finds the weights of the rows of a sample.
func (e *Embedded) weigh(x *mat.Dense) ([]float64, error) {
	n, _ := x.Dims()
	kernel := e.Kernel.Kernels[0]
	w := make([]float64, n)
	for i := range w {
		w[i] = 1 / float64(n)
	}
	shrink := e.Flags.Shrink
	if n > mostShrunk && shrink != "none" {
		e.Unshrunk++
		shrink = "none"
	}
	lambda, sum := 0.0, 1.0
	if n > mostShrunk {
		// With so many rows the mean of k(x, x') over pairs of neighbours in the file is as good as over
		// all pairs.
		within := 0.0
		for i := range n {
			within += kernel.At(x.RawRowView(i), x.RawRowView((i+n/2)%n)) / float64(n)
		}
		e.Risk = append(e.Risk, (1-within)/float64(n))
	} else {
		tol := 0.0
		if n > digitsRows {
			tol = tolerance
		}
		p, err := shrinkage.NewRows(kernel, x, tol)
		if err != nil {
			return nil, err
		}
		// The score of the empirical embedding is (n/(n-1))² (tr K/n - rho), and its risk 1/(n-1) times
		// tr K/n - rho.
		r := float64(n-1) / float64(n)
		e.Risk = append(e.Risk, max(0, p.Empirical().Score*r*r/float64(n-1)))
		est := p.Empirical()
		switch shrink {
		case "simple":
			est = p.ShrinkScalar()
		case "flexible":
			est = p.ShrinkSpectral(shrinkage.TrueLeaveOneOut)
		}
		w, lambda, sum = est.Weights, est.Lambda, 0
		for _, v := range w {
			sum += v
		}
	}
	e.Lambda, e.Weight = append(e.Lambda, lambda), append(e.Weight, sum)
	return w, nil
}

// inner are the inner products of all embeddings, of landmark features where there are many rows.
func (e *Embedded) inner(ctx context.Context, line *cli.Status, x []*mat.Dense, w [][]float64) (
	*mat.SymDense, error) {
	n, dim := e.Data.P.Dims()
	k := len(x)
	out := mat.NewSymDense(k, nil)
	if n > exactRows {
		return out, e.innerOfFeatures(ctx, out, x, w, dim)
	}
	kernel, path := e.Kernel.Kernels[0], kernels.Path(0)
	return out, piecesOf(ctx, k, 1, func(i, _ int) error {
		line.Step("distances", i, k)
		a := x[i].RawMatrix().Data
		for j := range i + 1 {
			b := x[j].RawMatrix().Data
			row := make([]float64, len(w[j]))
			sum := 0.0
			for r, v := range w[i] {
				kernels.Fill(row, kernel, path, a[r*dim:(r+1)*dim], b, dim)
				dot := 0.0
				for l, u := range row {
					dot += w[j][l] * u
				}
				sum += v * dot
			}
			out.SetSym(i, j, sum)
		}
		return nil
	})
}

// innerOfFeatures uses landmarks chosen among all rows, or that many spread over them.
func (e *Embedded) innerOfFeatures(ctx context.Context, out *mat.SymDense, x []*mat.Dense,
	w [][]float64, dim int) error {
	n, _ := e.Data.P.Dims()
	var some []float64
	at := 0
	for _, rows := range x {
		m, _ := rows.Dims()
		for i := range m {
			// every (n/landmarkRows)-th row
			if at*landmarkRows/n != (at+1)*landmarkRows/n {
				some = append(some, rows.RawRowView(i)...)
			}
			at++
		}
	}
	marks, err := features.ChooseLandmarks(e.Kernel.Kernels[0], mat.NewDense(len(some)/dim, dim, some),
		landmarks)
	if err != nil {
		return err
	}
	e.Landmarks = marks.Len()
	for i := 0; i < len(some); i += 7 * dim {
		e.Left = max(e.Left, marks.Residual(some[i:i+dim]))
	}
	means := make([][]float64, len(x))
	for i, rows := range x {
		means[i] = make([]float64, marks.Len())
		f := make([]float64, marks.Len())
		for r, v := range w[i] {
			if r%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			marks.Write(f, rows.RawRowView(r))
			for l, u := range f {
				means[i][l] += v * u
			}
		}
	}
	for i, a := range means {
		for j := range i + 1 {
			sum := 0.0
			for l, u := range means[j] {
				sum += u * a[l]
			}
			out.SetSym(i, j, sum)
		}
	}
	return nil
}

// classical is classical scaling of points with these inner products: coordinates of the two largest
// eigenvalues of the centred matrix. The shares are of the sum of all squared distances, which that
// of the eigenvalues is in proportion to.
func classical(inner *mat.SymDense) ([][2]float64, [2]float64, error) {
	k := inner.SymmetricDim()
	mean, all := make([]float64, k), 0.0
	for i := range k {
		for j := range k {
			mean[i] += inner.At(i, j) / float64(k)
		}
		all += mean[i] / float64(k)
	}
	centred := mat.NewSymDense(k, nil)
	for i := range k {
		for j := range i + 1 {
			centred.SetSym(i, j, inner.At(i, j)-mean[i]-mean[j]+all)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(centred, true) {
		return nil, [2]float64{}, fmt.Errorf("embedding: the eigenvalues of the map were not found")
	}
	values := eig.Values(nil)
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	total := 0.0
	for _, v := range values {
		total += max(0, v)
	}
	points, share := make([][2]float64, k), [2]float64{1, 1}
	shown := 0.0
	for a := range min(2, k) {
		value := max(0, values[k-1-a])
		if shown += value; total > 0 {
			share[a] = shown / total
		}
		// The sign is free; the largest element is made positive.
		top := 0.0
		for i := range k {
			if v := vectors.At(i, k-1-a); math.Abs(v) > math.Abs(top)*(1+1e-9) {
				top = v
			}
		}
		for i := range k {
			points[i][a] = math.Copysign(math.Sqrt(value), top) * vectors.At(i, k-1-a)
		}
	}
	return points, share, nil
}
