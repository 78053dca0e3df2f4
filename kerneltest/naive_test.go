package kerneltest

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/internal/permute"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// naiveMMD is the squared MMD by loops over the rows, where inX says which are the first sample.
func naiveMMD(k kernels.Kernel, z *mat.Dense, inX func(i int) bool, unbiased bool) float64 {
	n, _ := z.Dims()
	var sums, pairs [3]float64
	for i := range n {
		for j := range n {
			group := 0
			if !inX(i) && !inX(j) {
				group = 1
			} else if inX(i) != inX(j) {
				group = 2
			}
			if i == j && unbiased {
				continue
			}
			sums[group] += k.At(z.RawRowView(i), z.RawRowView(j))
			pairs[group]++
		}
	}
	return sums[0]/pairs[0] + sums[1]/pairs[1] - 2*sums[2]/pairs[2]
}

// naiveHSIC is the biased or unbiased HSIC of x and rows p of y, the latter by Song et al. (2012).
func naiveHSIC(kx, ky kernels.Kernel, x, y *mat.Dense, p []int32, unbiased bool) float64 {
	rows, _ := x.Dims()
	n := float64(rows)
	var kl, k, l, kkll float64
	for i := range rows {
		var ki, li float64
		for j := range rows {
			if i == j && unbiased {
				continue
			}
			a := kx.At(x.RawRowView(i), x.RawRowView(j))
			b := ky.At(y.RawRowView(int(p[i])), y.RawRowView(int(p[j])))
			kl += a * b
			ki += a
			li += b
		}
		k += ki
		l += li
		kkll += ki * li
	}
	if unbiased {
		return (kl + k*l/((n-1)*(n-2)) - 2/(n-2)*kkll) / (n * (n - 3))
	}
	return kl/(n*n) + k*l/(n*n*n*n) - 2*kkll/(n*n*n)
}

// naiveTable has the unbiased statistics of every kernel and permutation, number 0 first.
func naiveTable(t *testing.T, ks []kernels.Kernel, x, y *mat.Dense, seed uint64,
	count int) [][]float64 {
	t.Helper()
	z := fixture.Pooled(x, y)
	m, _ := x.Dims()
	n, _ := z.Dims()
	design := fixture.Get[*permute.Design](t)(permute.NewDesign(n, seed, nil))
	signs := fixture.Get[*permute.Signs](t)(design.Signs(m, 0, count))
	out := make([][]float64, len(ks))
	for k := range ks {
		out[k] = make([]float64, count)
		for b := range count {
			out[k][b] = naiveMMD(ks[k], z, func(i int) bool { return signs.First(b, i) }, true)
		}
	}
	return out
}

// publishedAgg is MMDAgg as published, for a table of statistics whose column 0 is the data, b2 of
// whose columns come next and the rest last: it returns the estimated level at which all kernels
// together first reject, by bisection on u.
func publishedAgg(table [][]float64, weights []float64, b2 int) float64 {
	quantile := func(k int, level float64) float64 { // of the third part and the data
		set := append([]float64{table[k][0]}, table[k][1+b2:]...)
		sorted := append([]float64{}, set...)
		for i := range sorted { // insertion sort
			for j := i; j > 0 && sorted[j] < sorted[j-1]; j-- {
				sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
			}
		}
		at := int(math.Ceil(float64(len(sorted))*(1-level) - 1e-9))
		if at <= 0 {
			return math.Inf(-1)
		}
		return sorted[at-1]
	}
	rejects := func(b int, q []float64) bool {
		for k := range table {
			if table[k][b] > q[k] {
				return true
			}
		}
		return false
	}
	at := func(u float64) []float64 {
		q := make([]float64, len(table))
		for k := range q {
			q[k] = quantile(k, u*weights[k])
		}
		return q
	}
	low, high := 0.0, 1/weights[0]
	for range 60 {
		mid := (low + high) / 2
		if rejects(0, at(mid)) {
			high = mid
		} else {
			low = mid
		}
	}
	q, count := at(high), 0
	for b := 1; b <= b2; b++ {
		if rejects(b, q) {
			count++
		}
	}
	return float64(count) / float64(b2)
}

// laplace has rows of the Laplace distribution of variance 1.
func laplace(seed uint64, n int) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 9))
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, (r.ExpFloat64()-r.ExpFloat64())/math.Sqrt2)
	}
	return x
}
