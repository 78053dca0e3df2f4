package summary

import (
	"errors"
	"fmt"
	"math"

	"bayeskernel/bke"
	"bayeskernel/embedding"

	"gonum.org/v1/gonum/mat"
)

// totals are the sums over all bins of all samples, in floating point.
type totals struct {
	plan *Plan
	n    float64
	sums []float64 // binSums
	lgs  []float64 // log gamma, for each node
}

// totals adds up the bins for which use is true, or all for nil.
func (s *Summary) totals(use func(sample, bin int) bool) (*totals, error) {
	p := s.plan
	n, g := p.binSums(), p.nodes()
	sums, gamma := make([]int128, n), make([]int128, g)
	t := &totals{plan: p, sums: make([]float64, n), lgs: make([]float64, g)}
	rows, good := int64(0), true
	for i, part := range s.samples {
		for b, k := range part.rows {
			if k == 0 || use != nil && !use(i, b) {
				continue
			}
			rows += k
			good = addAll(sums, part.sums[b*n:(b+1)*n], 1) && good
			good = addAll(gamma, part.gamma[b*g:(b+1)*g], 1) && good
		}
	}
	if !good {
		return nil, errOverflow
	}
	t.n = float64(rows)
	for i, v := range sums {
		t.sums[i] = v.float(unitKernel)
	}
	for i, v := range gamma {
		t.lgs[i] = v.float(unitWide)
	}
	return t, nil
}

// windows returns what the model needs: at each node the means of k, the log of the mean squared
// deviation from them, and the mean of log gamma.
func (t *totals) windows() []bke.Window {
	p := t.plan
	m, at, node := p.M(), 0, 0
	var out []bke.Window
	for _, w := range p.Windows {
		v := bke.Window{From: w.From, To: w.To}
		for _, k := range w.Nodes {
			values := make([]float64, m+2)
			spread := t.sums[at+m]
			for l, c := range t.sums[at : at+m] {
				d := c / t.n
				values[l] = k.Shift[l] + d
				spread -= c * d
			}
			values[m] = math.Log(spread / t.n)
			values[m+1] = t.lgs[node]/t.n - logThetas(p.Dim(), k.Theta)
			v.Values = append(v.Values, values)
			at += m + 1
			node++
		}
		out = append(out, v)
	}
	return out
}

// leastSample is how many kept rows a model needs; with fewer it takes the pseudo-inputs too.
const leastSample = 100

// Model makes the model of all samples together, as bke.NewModel makes it of their rows. It evaluates,
// learns, integrates and is sampled as that does, within the windows of the plan. The kernel, the
// numerical path and, if it is zero, the weight of o are the plan's.
func (s *Summary) Model(o bke.Options) (*bke.Model, error) {
	if err := s.Complete(); err != nil {
		return nil, err
	}
	p := s.plan
	o.Path = p.Path
	if o.Weight == 0 {
		o.Weight = p.Weight
	}
	if _, err := p.kind(); err != nil {
		o.Path = "portable" // the sums do not depend on it; only the remainder does
	}
	t, err := s.totals(nil)
	if err != nil {
		return nil, err
	}
	windows := t.windows()
	var rows []float64
	for _, part := range s.samples {
		rows = append(rows, s.keptRows(part)...)
	}
	if len(rows) < leastSample*p.Dim() {
		rows = append(rows, p.flat()...)
	}
	sd, err := s.pooledSD()
	if err != nil {
		return nil, err
	}
	d := p.Dim()
	m, err := bke.NewSummed(mat.NewDense(len(rows)/d, d, rows), mat.NewDense(p.M(), d, p.flat()), o,
		bke.Summed{N: int(t.n), PooledSD: sd, Windows: windows})
	if err != nil {
		return nil, fmt.Errorf("summary: %w", err)
	}
	return m, nil
}

// keptRows returns the rows of a sample that were kept, in units of SD.
func (s *Summary) keptRows(part *sample) []float64 {
	var out []float64
	for _, r := range part.kept {
		for a, v := range r.row {
			out = append(out, v/s.plan.SD[a])
		}
	}
	return out
}

// Kept returns the rows of a sample that were kept, in the units of the data: a sample of about
// PlanOptions.Keep rows of all samples together. It is nil if there are none.
func (s *Summary) Kept(name string) *mat.Dense {
	part := s.find(name)
	if part == nil || len(part.kept) == 0 {
		return nil
	}
	out := mat.NewDense(len(part.kept), s.plan.Dim(), nil)
	for i, r := range part.kept {
		out.SetRow(i, r.row)
	}
	return out
}

// Moments returns the mean and the standard deviation of each column over all samples, in the units of
// the data.
func (s *Summary) Moments() (mean, sd []float64, err error) {
	p := s.plan
	total := make([]int128, 2*p.Dim())
	n := 0.0
	for _, part := range s.samples {
		if !addAll(total, part.moments, 1) {
			return nil, nil, errOverflow
		}
		k, _ := s.Rows(part.name)
		n += float64(k)
	}
	for a := range p.Dim() {
		one, two := total[2*a].float(unitWide), total[2*a+1].float(unitWide)
		u := one / n
		mean = append(mean, p.Centre[a]+p.Scale[a]*u)
		sd = append(sd, p.Scale[a]*math.Sqrt(max(two-one*u, 0)/(n-1)))
	}
	return mean, sd, nil
}

// pooledSD is that of the rows in units of SD.
func (s *Summary) pooledSD() (float64, error) {
	_, sds, err := s.Moments()
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for a, sd := range sds {
		v := sd / s.plan.SD[a]
		sum += v * v
	}
	return math.Sqrt(sum / float64(len(sds))), nil
}

const (
	// mostLevels is how often the step of the lattice is doubled for larger lengthscales, as long as these
	// have coarseSteps steps: the cost of a mean hardly grows with theta then.
	mostLevels  = 6
	coarseSteps = 10
)

// Sample returns what package embedding needs of a sample, for points between the smallest and the
// largest values that the plan knew of, in units of SD.
func (s *Summary) Sample(name string) (embedding.Sample, error) {
	part := s.find(name)
	if part == nil {
		return embedding.Sample{}, fmt.Errorf("summary: there is no sample %q, only %q", name, s.Samples())
	}
	g := s.plan.Lattice
	if g == nil {
		return embedding.Sample{}, errors.New("summary: there are no embeddings of these samples: their " +
			"plan has no lattice, as for more than two columns")
	}
	n, _ := s.Rows(name)
	sums := make([]float64, len(part.lattice))
	for i, v := range part.lattice {
		sums[i] = v.float(unitLattice)
	}
	levels := []*Lattice{g}
	all := [][]float64{sums}
	for k := range mostLevels {
		next, of := levels[k].coarse(all[k])
		levels, all = append(levels, next), append(all, of)
	}
	return embedding.Sample{Means: &embedding.Means{Rows: int(n),
		At: func(dst []float64, theta float64, points []float64) error {
			if err := g.admit(theta, points, part.outside == 0); err != nil {
				return err
			}
			k := 0
			for k < mostLevels && theta >= 2*coarseSteps*levels[k].Step {
				k++
			}
			return levels[k].means(dst, all[k], float64(n), theta, points)
		}}}, nil
}

// SecondPass is the error of a fit that the windows of the plan do not hold.
type SecondPass struct {
	From, To float64 // of theta, where the windows of another plan should be
	why      string
}

func (e *SecondPass) Error() string {
	return fmt.Sprintf("summary: second pass needed, theta from %.4g to %.4g: %s", e.From, e.To, e.why)
}

const (
	insideSDs = 6     // posterior standard deviations that must be inside a window
	remainder = 1e-11 // the largest of the last two coefficients of the mean of log gamma
)

// Check reports, as a SecondPass, that the windows are not where the posterior of theta is, or have too
// few points.
func (s *Summary) Check(fit *bke.Fit) error {
	best := fit.Modes[0]
	u := best.Logs[0]
	sd, ok := sdOf(best.Hessian)
	w, inside := s.plan.nearest(u)
	for _, b := range best.AtBound {
		if b.Name == "theta" {
			half := (w.To - w.From) / 2
			from, to := w.From-1.5*half, w.From+half/2
			if b.Value == b.Max {
				from, to = w.To-half/2, w.To+1.5*half
			}
			return &SecondPass{math.Exp(from), math.Exp(to), "the best theta is at the end of the " +
				"windows of the plan"}
		}
	}
	if !ok || !inside || u-insideSDs*sd < w.From || u+insideSDs*sd > w.To {
		sd = max(sd, 0.01)
		return &SecondPass{math.Exp(u - 10*sd), math.Exp(u + 10*sd), fmt.Sprintf("six posterior sds of log "+
			"theta around %.4g are not inside the window of the plan, %.4g to %.4g", math.Exp(u),
			math.Exp(w.From), math.Exp(w.To))}
	}
	t, err := s.totals(nil)
	if err != nil {
		return err
	}
	for _, v := range t.windows() {
		if r := v.Remainder(); v.From == w.From && r > remainder {
			return &SecondPass{math.Exp(u - 8*sd), math.Exp(u + 8*sd), fmt.Sprintf("the points of the window "+
				"are too few, the last coefficient of log gamma is %.2g, above %g", r, remainder)}
		}
	}
	return nil
}

// covarianceOf is the inverse of a negative Hessian; false if that has none.
func covarianceOf(hessian [][]float64) (*mat.SymDense, bool) {
	d := len(hessian)
	a := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			a.SetSym(i, j, -hessian[i][j])
		}
	}
	var c mat.Cholesky
	if !c.Factorize(a) {
		return nil, false
	}
	var inverse mat.SymDense
	if err := c.InverseTo(&inverse); err != nil {
		return nil, false
	}
	return &inverse, true
}

// sdOf is the posterior standard deviation of the first parameter.
func sdOf(hessian [][]float64) (float64, bool) {
	c, ok := covarianceOf(hessian)
	if !ok {
		return 0, false
	}
	return math.Sqrt(c.At(0, 0)), true
}
