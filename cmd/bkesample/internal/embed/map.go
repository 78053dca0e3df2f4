package embed

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/internal/workers"
	"bayeskernel/kernels"
	"bayeskernel/kernels/features"

	"gonum.org/v1/gonum/mat"
)

// inner computes the inner products of all embeddings, with landmark features if there are many
// rows.
func (r *result) inner(ctx context.Context, line *cli.Status, x []*mat.Dense, w [][]float64) (
	*mat.SymDense, error) {
	n, dim := r.data.P.Dims()
	k := len(x)
	out := mat.NewSymDense(k, nil)
	if n > exactRows {
		return out, r.innerOfFeatures(ctx, out, x, w, dim)
	}
	kernel, path := r.kernel.Kernels[0], kernels.Path(0)
	for _, err := range workers.Run(ctx, k, runtime.GOMAXPROCS(0), func(i int) error {
		line.Step("distances", i, k)
		a := x[i].RawMatrix().Data
		for j := range i + 1 {
			b := x[j].RawMatrix().Data
			row := make([]float64, len(w[j]))
			sum := 0.0
			for at, v := range w[i] {
				kernels.Fill(row, kernel, path, a[at*dim:(at+1)*dim], b, dim)
				dot := 0.0
				for l, u := range row {
					dot += w[j][l] * u
				}
				sum += v * dot
			}
			out.SetSym(i, j, sum)
		}
		return nil
	}) {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// innerOfFeatures uses landmarks chosen from all rows, or from landmarkRows rows spread over them.
func (r *result) innerOfFeatures(ctx context.Context, out *mat.SymDense, x []*mat.Dense,
	w [][]float64, dim int) error {
	n, _ := r.data.P.Dims()
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
	marks, err := features.ChooseLandmarks(r.kernel.Kernels[0], mat.NewDense(len(some)/dim, dim, some),
		landmarks)
	if err != nil {
		return err
	}
	r.landmarks = marks.Len()
	for i := 0; i < len(some); i += 7 * dim {
		r.left = max(r.left, marks.Residual(some[i:i+dim]))
	}
	means := make([][]float64, len(x))
	for i, rows := range x {
		means[i] = make([]float64, marks.Len())
		f := make([]float64, marks.Len())
		for at, v := range w[i] {
			if at%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			marks.Write(f, rows.RawRowView(at))
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

// classical is classical scaling from inner products: the coordinates come from the two largest
// eigenvalues of the centred matrix. The shares are of the sum of all squared distances, which is
// proportional to the sum of the eigenvalues.
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
		// The sign is arbitrary; make the largest element positive.
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
