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

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// TestOptions say how samples are compared.
type TestOptions struct {
	Alpha        float64 // 0 means 0.05
	Permutations int     // 0 means 999
	Seed         uint64
	// Columns are summaries of single columns of the same rows, with the same rows in each bin (Chunk.Place). The
	// test then joins the distances in all columns and those in each: see TwoSample.
	Columns []*Summary
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
	// leastVariance of a feature, as a share of the largest, is told by the differences between bins.
	leastVariance = 1e-6
	// fewestBins of a sample are permuted.
	fewestBins = 10
	// mostVariation of the numbers of rows of bins goes unsaid.
	mostVariation = 0.5
)

var errBins = errors.New("summary: the summaries of columns have other rows in their bins than that of all of " +
	"them, want the same: chunks that are placed, and plans with bins and blocks of one size")

// Testable returns an error if samples have rows in too few bins to permute.
func (s *Summary) Testable(names ...string) error {
	for _, name := range names {
		part, count := s.find(name), 0
		if part == nil {
			return fmt.Errorf("summary: there is no sample %q", name)
		}
		for _, rows := range part.rows {
			if rows > 0 {
				count++
			}
		}
		if count < fewestBins {
			return fmt.Errorf("summary: sample %q has rows in %d bins, want at least %d to permute: "+
				"test the rows themselves", name, count, fewestBins)
		}
	}
	return nil
}

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
//
// A difference in one of many columns is small beside the noise of all. With TestOptions.Columns the distances
// in each column are therefore found under the same permutations; and beside each distance, in which smooth
// differences weigh most, that of features divided by their covariance between bins, in which all weigh alike. Each
// of these has a p-value, from the gamma distribution with its mean and variance under the permutations. The
// statistic is -log10 of the smallest of them times their number, where those of all columns count for half, and
// those of single ones for the other.
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
	t := &binTest{plans: []*Plan{s.plan}, o: o}
	for i, name := range []string{p, q} {
		t.add(s.find(name), i)
	}
	if err := s.Testable(p, q); err != nil {
		return nil, err
	}
	for _, c := range o.Columns {
		if err := t.join(c, p, q); err != nil {
			return nil, err
		}
	}
	r, err := t.run()
	if err != nil {
		return nil, err
	}
	np, _ := s.Rows(p)
	nq, _ := s.Rows(q)
	r.RowsX, r.RowsY = int(np), int(nq)
	beside := ""
	if n := len(o.Columns); n == s.plan.Dim() {
		beside = ", all columns together and each by itself"
	} else if n > 0 {
		beside = fmt.Sprintf(", all columns together and %d of them by themselves", n)
	}
	r.Notes = append(r.Notes, fmt.Sprintf("The test permutes %d + %d bins of about %.0f rows, in one pass "+
		"over the rows, at %d lengthscales and %d landmarks%s. It is exact if all rows are exchangeable.",
		t.counts[0], t.counts[1], (float64(np)+float64(nq))/float64(t.counts[0]+t.counts[1]),
		len(s.plan.Tests), s.plan.M(), beside))
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
	plans  []*Plan // that of all columns, and those of single ones
	o      TestOptions
	rows   []float64   // of each bin
	bins   [][]float64 // sums of whitened features, all lengthscales of all plans one after the other
	counts [2]int
	rank   []int // features of each lengthscale, and then of each as even makes them
}

// add takes the bins of a sample.
func (t *binTest) add(part *sample, which int) {
	p := t.plans[0]
	for b, rows := range part.rows {
		if rows == 0 {
			continue
		}
		t.rows = append(t.rows, float64(rows))
		t.bins = append(t.bins, part.testSums(p, b))
		t.counts[which]++
	}
}

// testSums are the sums of a bin at the lengthscales of the test.
func (s *sample) testSums(p *Plan, bin int) []float64 {
	n, from := p.binSums(), p.nodes()*(p.M()+1)
	v := make([]float64, len(p.Tests)*p.M())
	for i, x := range s.sums[bin*n+from : (bin+1)*n] {
		v[i] = x.float(unitKernel)
	}
	return v
}

// join adds the sums of a column to those of the bins.
func (t *binTest) join(s *Summary, p, q string) error {
	if err := s.Complete(p, q); err != nil {
		return err
	}
	at := 0
	for _, name := range []string{p, q} {
		part := s.find(name)
		for b, rows := range part.rows {
			if rows == 0 {
				continue
			}
			if at == len(t.rows) || t.rows[at] != float64(rows) {
				return errBins
			}
			t.bins[at] = append(t.bins[at], part.testSums(s.plan, b)...)
			at++
		}
	}
	if at < len(t.rows) {
		return errBins
	}
	t.plans = append(t.plans, s.plan)
	return nil
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
	out, at := make([][]float64, len(t.bins)), 0
	for _, p := range t.plans {
		m, d, z := p.M(), p.Dim(), p.flat()
		for _, node := range p.Tests {
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
					out[b] = append(out[b], along(sums[at:at+m], vectors, c)/math.Sqrt(l))
				}
			}
			t.rank = append(t.rank, len(values))
			at += m
		}
	}
	t.bins = out
	return nil
}

// along is the product of values with a column of vectors.
func along(values []float64, vectors mat.Matrix, column int) float64 {
	f := 0.0
	for i, v := range values {
		f += v * vectors.At(i, column)
	}
	return f
}

// even adds to the features of each lengthscale the same ones with unit covariance over the rows, as far as the
// differences between bins tell it.
func (t *binTest) even() error {
	total := 0.0
	for _, n := range t.rows {
		total += n
	}
	at := 0
	for _, rank := range slices.Clone(t.rank) {
		means, cov := make([]float64, rank), mat.NewSymDense(rank, nil)
		for _, bin := range t.bins {
			floats.AddScaled(means, 1/total, bin[at:at+rank])
		}
		dev := make([]float64, rank)
		for b, bin := range t.bins {
			floats.AddScaledTo(dev, bin[at:at+rank], -t.rows[b], means)
			cov.SymRankOne(cov, 1/(t.rows[b]*float64(len(t.bins))), mat.NewVecDense(rank, dev))
		}
		if !(mat.Trace(cov) > 0) { // of values that are all one
			t.rank = append(t.rank, 0)
			at += rank
			continue
		}
		vectors, values, err := features.Directions(cov, leastVariance)
		if err != nil {
			return fmt.Errorf("summary: %w", err)
		}
		for c, l := range values {
			for b, bin := range t.bins {
				t.bins[b] = append(bin, along(bin[at:at+rank], vectors, c)/math.Sqrt(l))
			}
		}
		t.rank = append(t.rank, len(values))
		at += rank
	}
	return nil
}

// run permutes the bins.
func (t *binTest) run() (*kerneltest.Result, error) {
	if err := t.whiten(); err != nil {
		return nil, err
	}
	if len(t.plans) > 1 {
		if err := t.even(); err != nil {
			return nil, err
		}
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
	r := t.result(table[:len(t.plans[0].Tests)])
	if len(t.plans) > 1 {
		t.joined(r, table)
	}
	return r, nil
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
	plan := t.plans[0]
	if sd := plan.SD; len(sd) > 1 {
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
		node := plan.Tests[k]
		kernel := kernels.Stationary{Radial: kernels.SE{}, Theta: []float64{node.Theta}}
		r.Kernel.Kernels = append(r.Kernel.Kernels, kernel)
		r.Kernel.Theta = append(r.Kernel.Theta, node.Theta)
		r.Kernel.Rungs = append(r.Kernel.Rungs, node.Rung)
		r.Candidates = append(r.Candidates, kerneltest.Candidate{Kernel: kernel, Statistic: values[0],
			P: float64(alone) / float64(len(values)), Weight: 1 / float64(len(table))})
	}
	order := make([]int, len(table))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(strength[b], strength[a]) })
	for _, k := range order {
		r.Scales = append(r.Scales, kerneltest.Scale{Kernel: r.Kernel.Kernels[k],
			Theta: r.Kernel.Theta[k], Rung: r.Kernel.Rungs[k]})
	}
	r.Biased = table[r.Best][0]
	settle(r, largest)
	return r
}

// settle sets the p-value by the statistics of the data, the first, and of the permutations.
func settle(r *kerneltest.Result, values []float64) {
	r.Statistic, r.Draws, r.AtLeast = values[0], values[1:], atLeast(values)
	b := float64(r.Permutations)
	r.P = (1 + float64(r.AtLeast)) / (1 + b)
	r.PError = math.Sqrt(r.P * (1 - r.P) / (1 + b))
	r.Decide()
}

// atLeast is how many of the values after the first are at least as large.
func atLeast(values []float64) (count int) {
	for _, v := range values[1:] {
		if v >= values[0]-1e-12*math.Abs(values[0]) {
			count++
		}
	}
	return count
}

// joined makes the result that of the test of all columns and of single ones.
func (t *binTest) joined(r *kerneltest.Result, table [][]float64) {
	all, half := len(t.plans[0].Tests), len(table)/2
	views := []kerneltest.Candidate{{View: kerneltest.Rows, Kernel: r.Kernel.Kernels[r.Best], Weight: 0.5},
		{View: kerneltest.Columns, Kernel: r.Kernel.Kernels[r.Best], Weight: 0.5}}
	joint := make([]float64, len(table[0]))
	r.Best = 0
	for v, kernels := range [][][]float64{slices.Concat(table[:all], table[half:half+all]),
		slices.Concat(table[all:half], table[half+all:])} {
		values := make([]float64, len(joint))
		for i := range values {
			values[i] = math.Inf(-1)
		}
		for _, of := range kernels {
			for i, e := range evidence(of) {
				values[i] = max(values[i], e-math.Log10(2*float64(len(kernels))))
			}
		}
		views[v].Statistic, views[v].P = values[0], float64(1+atLeast(values))/float64(len(values))
		for i, e := range values {
			if v == 0 || e > joint[i] {
				joint[i] = e
				if i == 0 {
					r.Best = v
				}
			}
		}
	}
	r.Candidates, r.Combined = views, kerneltest.Evidence
	settle(r, joint)
}

// evidence is -log10 of the probability that a gamma variable with the mean and variance of the values is at
// least each of them.
func evidence(values []float64) []float64 {
	mean, variance := stat.PopMeanVariance(values, nil)
	out := make([]float64, len(values))
	if !(variance > 0 && mean > 0) {
		return out
	}
	shape, rate := mean*mean/variance, mean/variance
	for i, v := range values {
		if v > 0 {
			out[i] = -logUpperGamma(shape, rate*v) / math.Ln10
		}
	}
	return out
}

// logUpperGamma is the log of the regularized upper incomplete gamma function, by the first terms of its
// asymptotic series where that is not a number of full precision any more.
func logUpperGamma(a, x float64) float64 {
	if q := mathext.GammaIncRegComp(a, x); q > 1e-280 {
		return math.Log(q)
	}
	g, _ := math.Lgamma(a)
	return (a-1)*math.Log(x) - x - g - math.Log1p(-(a-1)/x)
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

// Ordered reports whether neighbouring rows of a sample are more or less alike than rows in random order are, so
// that its bins cannot be exchanged with those of another. A sound sample seems so once in a million times.
func (s *Summary) Ordered(name string) bool {
	_, ordered := s.ordered(name)
	return ordered
}

// ordered is Ordered, with the dispersion that it goes by.
func (s *Summary) ordered(name string) (ratio float64, is bool) {
	ratio, se := s.dispersion(name)
	return ratio, math.Abs(ratio-1) > 5*se && math.Abs(ratio-1) >= 0.1
}

// trend says that neighbours resemble each other, "" if they do not.
func (s *Summary) trend(name string) string {
	ratio, ordered := s.ordered(name)
	if !ordered {
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
