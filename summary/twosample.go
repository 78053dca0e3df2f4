package summary

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/internal/rng"
	"bayeskernel/kernels"
	"bayeskernel/kernels/features"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// TestOptions say how samples are compared.
type TestOptions struct {
	Alpha        float64 // 0 means 0.05
	Permutations int     // 0 means 999
	Seed         uint64
}

func (o TestOptions) resolved() (TestOptions, error) {
	o.Alpha, o.Permutations = cmp.Or(o.Alpha, 0.05), cmp.Or(o.Permutations, 999)
	if !(o.Alpha > 0 && o.Alpha < 1) || o.Permutations < 1 || 1/float64(o.Permutations+1) > o.Alpha {
		return o, fmt.Errorf("summary: level is %v with %d permutations, want it between 0 and 1 and "+
			"within their reach", o.Alpha, o.Permutations)
	}
	return o, nil
}

const (
	// negligible is the share of the largest eigenvalue of K_zz below which a feature is left out.
	negligible = 1e-9
	// fewestBins of a sample are permuted.
	fewestBins = 10
	// mostVariation of the numbers of rows of bins goes unsaid.
	mostVariation = 0.5
)

// TwoSample tests whether two samples have one distribution, by exchanging bins of theirs. Its statistic
// is the squared distance of the mean embeddings on the span of the kernels at the pseudo-inputs,
//
//	|K_zz^(-1/2) (mean k(X, z) - mean k(Y, z))|²,
//
// at each of the plan's lengthscales, over its standard deviation under the permutations; the largest
// counts. It is exact for bins of equal numbers of exchangeable rows, and does not look at the labels
// in choosing z. Distances are in units of 1/n + 1/n' for n and n' rows, so that bins of different
// numbers of rows hardly change the level. Where neighbouring rows resemble each other it may be off by
// far; notes say so. The level does not depend on the number of rows, and nor does the time.
func (s *Summary) TwoSample(p, q string, o TestOptions) (*kerneltest.Result, error) {
	o, err := o.resolved()
	if err != nil {
		return nil, err
	}
	if err := s.Complete(p, q); err != nil {
		return nil, err
	}
	if len(s.plan.Tests) == 0 {
		return nil, errors.New("summary: the plan has no lengthscales for tests")
	}
	t := &binTest{plan: s.plan, o: o}
	for i, name := range []string{p, q} {
		t.add(s.find(name), i)
		if t.counts[i] < fewestBins {
			return nil, fmt.Errorf("summary: sample %q has rows in %d bins, want at least %d to permute: "+
				"test the rows themselves", name, t.counts[i], fewestBins)
		}
	}
	r, err := t.run()
	if err != nil {
		return nil, err
	}
	np, _ := s.Rows(p)
	nq, _ := s.Rows(q)
	r.RowsX, r.RowsY = int(np), int(nq)
	r.Notes = append(r.Notes, fmt.Sprintf("The test permutes %d + %d bins of about %.0f rows, in one pass "+
		"over the rows, at %d lengthscales and %d landmarks. It is exact if all rows are exchangeable.",
		t.counts[0], t.counts[1], (float64(np)+float64(nq))/float64(t.counts[0]+t.counts[1]),
		len(s.plan.Tests), s.plan.M()))
	if cv := t.variation(); cv > mostVariation {
		r.Notes = append(r.Notes, fmt.Sprintf("The numbers of rows of bins vary by %.0f%%, so that the "+
			"level is not exact: larger chunks, or smaller blocks, help.", 100*cv))
	}
	for _, name := range []string{p, q} {
		if note := s.trend(name); note != "" {
			r.Notes = append(r.Notes, note)
		}
	}
	return r, nil
}

// binTest is a test under way.
type binTest struct {
	plan   *Plan
	o      TestOptions
	rows   []float64   // of each bin
	bins   [][]float64 // sums of whitened features, all lengthscales one after the other
	counts [2]int
	rank   []int // features of each lengthscale
}

// add takes the bins of a sample.
func (t *binTest) add(part *sample, which int) {
	p := t.plan
	m, n := p.M(), p.binSums()
	from := p.nodes() * (m + 1)
	for b, rows := range part.rows {
		if rows == 0 {
			continue
		}
		v := make([]float64, len(p.Tests)*m)
		for i, x := range part.sums[b*n+from : (b+1)*n] {
			v[i] = x.float(unitKernel)
		}
		t.rows = append(t.rows, float64(rows))
		t.bins = append(t.bins, v)
		t.counts[which]++
	}
}

// variation is the coefficient of variation of the numbers of rows.
func (t *binTest) variation() float64 {
	worst, at := 0.0, 0
	for _, k := range t.counts {
		part := t.rows[at : at+k]
		mean, ss := 0.0, 0.0
		for _, v := range part {
			mean += v / float64(k)
		}
		for _, v := range part {
			ss += (v - mean) * (v - mean) / float64(k)
		}
		worst = max(worst, math.Sqrt(ss)/mean)
		at += k
	}
	return worst
}

// whiten turns sums of kernel values less shifts into sums of features with unit covariance in the space
// of the kernel, less a constant for each row, which cancels in differences of means.
func (t *binTest) whiten() error {
	p := t.plan
	m, d := p.M(), p.Dim()
	z := p.flat()
	out := make([][]float64, len(t.bins))
	for k, node := range p.Tests {
		gram := mat.NewSymDense(m, nil)
		for i := range m {
			for j := range i + 1 {
				q := 0.0
				for a := range d {
					u := (z[i*d+a] - z[j*d+a]) / node.Theta
					q += u * u
				}
				gram.SetSym(i, j, math.Exp(-q/2))
			}
		}
		vectors, values, err := features.Directions(gram, negligible)
		if err != nil {
			return fmt.Errorf("summary: %w", err)
		}
		for c, l := range values {
			for b, sums := range t.bins {
				f := 0.0
				for i, v := range sums[k*m : (k+1)*m] {
					f += v * vectors.At(i, c)
				}
				out[b] = append(out[b], f/math.Sqrt(l))
			}
		}
		t.rank = append(t.rank, len(values))
	}
	t.bins = out
	return nil
}

// run permutes the bins.
func (t *binTest) run() (*kerneltest.Result, error) {
	if err := t.whiten(); err != nil {
		return nil, err
	}
	src, err := rng.New(rng.PCG, rng.Name{Seed: t.o.Seed, Purpose: "summary/twosample"}, 0)
	if err != nil {
		return nil, err
	}
	random := rand.New(src)
	order := make([]int, len(t.bins))
	for i := range order {
		order[i] = i
	}
	table := make([][]float64, len(t.rank))
	for k := range t.o.Permutations + 1 {
		if k > 0 {
			random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		for c, v := range t.distances(order) {
			table[c] = append(table[c], v)
		}
	}
	return t.result(table), nil
}

// distances returns the statistic of each lengthscale where the first bins of an order are one sample.
func (t *binTest) distances(order []int) []float64 {
	width := len(t.bins[0])
	sums, rows := [2][]float64{make([]float64, width), make([]float64, width)}, [2]float64{}
	for i, b := range order {
		s := 0
		if i >= t.counts[0] {
			s = 1
		}
		rows[s] += t.rows[b]
		for j, v := range t.bins[b] {
			sums[s][j] += v
		}
	}
	var out []float64
	at := 0
	for _, r := range t.rank {
		total := 0.0
		for j := at; j < at+r; j++ {
			d := sums[0][j]/rows[0] - sums[1][j]/rows[1]
			total += d * d
		}
		// In units of its variance: where bins of the samples differ in size, permuted samples have
		// other numbers of rows.
		out = append(out, total/(1/rows[0]+1/rows[1]))
		at += r
	}
	return out
}

// result compares the data, the first column, with the permutations.
func (t *binTest) result(table [][]float64) *kerneltest.Result {
	r := &kerneltest.Result{Null: statistic.Permutation, Alpha: t.o.Alpha,
		Permutations: t.o.Permutations, Unbiased: math.NaN(), Ratio: math.NaN()}
	r.Kernel = &kerneltest.Chosen{Rule: kerneltest.Ladder}
	if sd := t.plan.SD; len(sd) > 1 {
		r.Kernel.Scaling = &bke.Scaling{SD: sd}
	}
	largest := make([]float64, t.o.Permutations+1)
	strength := make([]float64, len(table)) // of each kernel in the data
	for k, values := range table {
		mean, ss := 0.0, 0.0
		for _, v := range values {
			mean += v / float64(len(values))
		}
		for _, v := range values {
			ss += (v - mean) * (v - mean) / float64(len(values))
		}
		alone := 0
		for i, v := range values {
			u := 0.0
			if ss > 0 {
				u = (v - mean) / math.Sqrt(ss)
			}
			if i == 0 {
				strength[k] = u
			}
			if k == 0 || u > largest[i] {
				largest[i] = u
				if i == 0 {
					r.Best = k
				}
			}
			if v >= values[0]*(1-1e-12) {
				alone++
			}
		}
		node := t.plan.Tests[k]
		kernel := kernels.Stationary{Radial: kernels.SE{}, Theta: []float64{node.Theta}}
		r.Kernel.Kernels = append(r.Kernel.Kernels, kernel)
		r.Kernel.Theta = append(r.Kernel.Theta, node.Theta)
		r.Kernel.Rungs = append(r.Kernel.Rungs, node.Rung)
		r.Candidates = append(r.Candidates, kerneltest.Candidate{Kernel: kernel, Statistic: values[0],
			P: float64(alone) / float64(len(values)), Weight: 1 / float64(len(table))})
	}
	r.Statistic, r.Draws = largest[0], largest[1:]
	order := make([]int, len(table))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(strength[b], strength[a]) })
	for _, k := range order {
		r.Scales = append(r.Scales, kerneltest.Scale{Kernel: r.Kernel.Kernels[k],
			Theta: r.Kernel.Theta[k], Rung: r.Kernel.Rungs[k]})
	}
	for _, v := range r.Draws {
		if v >= r.Statistic-1e-12*math.Abs(r.Statistic) {
			r.AtLeast++
		}
	}
	b := float64(r.Permutations)
	r.P = (1 + float64(r.AtLeast)) / (1 + b)
	r.PError = math.Sqrt(r.P * (1 - r.P) / (1 + b))
	r.Biased = table[r.Best][0]
	r.Decide()
	return r
}

// dispersion is the variance of the means of blocks of neighbouring rows of a sample, in units of what
// it is for exchangeable rows, with its standard error there. It is that of the kernel values at the
// lengthscale in the middle of the plan's. Sorted files, trends and dependence make it larger.
func (s *Summary) dispersion(name string) (ratio, se float64) {
	part := s.find(name)
	if part == nil || part.blocks < 2 || len(s.plan.Tests) == 0 {
		return math.NaN(), math.NaN()
	}
	p := s.plan
	m, width := p.M(), p.binSums()
	at := p.nodes()*(m+1) + len(p.Tests)/2*m
	total := make([]int128, m)
	for b := range part.rows {
		if !addAll(total, part.sums[b*width+at:][:m], 1) {
			return math.NaN(), math.NaN()
		}
	}
	rows, _ := s.Rows(name)
	n, square := float64(rows), 0.0
	for _, c := range total {
		v := c.float(unitKernel)
		square += v * v / n
	}
	between := (part.between.float(unitKernel) - square) / float64(part.blocks-1)
	within := (part.within.float(unitKernel) - square) / (n - 1)
	return between / within, math.Sqrt(2 / float64(part.blocks-1))
}

// trend says that neighbours resemble each other, "" if they do not.
func (s *Summary) trend(name string) string {
	ratio, se := s.dispersion(name)
	if !(math.Abs(ratio-1) > 5*se) || math.Abs(ratio-1) < 0.1 {
		return ""
	}
	if ratio < 1 {
		return fmt.Sprintf("Warning: the means of blocks of %d neighbouring rows of %s vary %.2g times as "+
			"much as those of rows in random order would, so that the bins are too much alike: the p-value "+
			"and the sampling error of theta are not to be trusted. Shuffle the rows.", s.plan.Block, name,
			ratio)
	}
	return fmt.Sprintf("Warning: bin means of %s trend: the means of blocks of %d neighbouring rows vary "+
		"%.2g times as much as those of rows in random order would. If the files are sorted, or rows "+
		"depend on their neighbours, the p-value and the sampling error of theta are not to be trusted. "+
		"Shuffle the rows, or test by days or patients.", name, s.plan.Block, ratio)
}
