package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/embedding"
	"bayeskernel/embedding/shrinkage"
	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/figure"
	"bayeskernel/kernels"
	"bayeskernel/svm"

	"gonum.org/v1/gonum/mat"
)

const (
	trainItems = 60
	testItems  = 200
)

// problems are what two classes of distributions in the plane differ in. Each item is a sample of a
// distribution whose mean is random too.
var problems = []struct {
	name string
	// draw writes a row of an item of a class, about the item's mean.
	draw  func(row []float64, class int, r *rand.Rand)
	apart float64 // of the classes' mean means
	loose float64 // sd of the means of items
}{
	{"means", normalRow(1, 1), 1, 0.5},
	{"spreads", normalRow(1, 1.6), 0, 0.5},
	{"shapes", func(row []float64, class int, r *rand.Rand) {
		normalRow(1, 1)(row, 0, r)
		if class == 1 { // two peaks, of the same mean and variance
			row[0] *= math.Sqrt(1 - 0.95*0.95)
			row[0] += 0.95 * float64(1-2*r.IntN(2))
		}
	}, 0, 0.5},
}

func normalRow(sd ...float64) func([]float64, int, *rand.Rand) {
	return func(row []float64, class int, r *rand.Rand) {
		for j := range row {
			row[j] = sd[class] * r.NormFloat64()
		}
	}
}

// machines are the ways to classify samples.
var machines = []string{"means", "linear", "Gaussian", "Gaussian, simple", "Gaussian, flexible"}

// errorsOf are the errors of one data set, by machine, in percent.
type errorsOf struct {
	Case   string
	Set    int
	Errors []float64
}

func (e errorsOf) Of() (string, int) { return e.Case, e.Set }

// task is a problem with a number of rows in each sample.
type task struct {
	problem, rows int
}

func tasks() (list []task, cases []report.Case) {
	for p := range problems {
		for _, rows := range []int{5, 10, 20, 40} {
			list = append(list, task{p, rows})
			cases = append(cases, report.Case{Name: fmt.Sprintf("%s, %d rows", problems[p].name, rows),
				Sets: 20})
		}
	}
	return list, cases
}

// classes prints the errors of machines on samples.
func classes(ctx context.Context, s report.Study, picture string, out io.Writer) error {
	list, cases := tasks()
	all, err := report.Measure(ctx, s, cases, func(i, set int) (errorsOf, error) {
		e := errorsOf{Case: cases[i].Name, Set: set}
		var err error
		e.Errors, err = classify(ctx, list[i], rand.New(rand.NewPCG(s.Seed, uint64(1000*i+set))))
		return e, err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Errors on %d samples after training on %d, percent, mean and standard error\n\n| "+
		"classes differ in | machine on means | support measure machine, linear | Gaussian | Gaussian, simple "+
		"shrinkage | Gaussian, flexible |\n|---|---|---|---|---|---|\n", testItems, trainItems)
	// Of the Gaussian machine beside that on means where the means do not differ, and of shrinking.
	var gaussian, simple, flexible tally
	for i, c := range cases {
		sets := all[c.Name]
		if len(sets) == 0 {
			continue
		}
		fmt.Fprintf(out, "| %s |", c.Name)
		for k := range machines {
			m, se := meanOf(sets, func(e errorsOf) float64 { return e.Errors[k] })
			if len(sets) < 2 {
				fmt.Fprintf(out, " %.1f |", m)
				continue
			}
			fmt.Fprintf(out, " %.1f ± %.1f |", m, se)
		}
		fmt.Fprintln(out)
		if problems[list[i].problem].apart == 0 {
			gaussian.add(sets, 0, 2)
		}
		simple.add(sets, 2, 3)
		flexible.add(sets, 2, 4)
	}
	for _, c := range cases {
		if len(all[c.Name]) < c.Sets {
			fmt.Fprintf(out, "\nThis is part of the study: \"%s\" has %d of its %d data sets. A part says "+
				"nothing about the claims of the papers.\n", c.Name, len(all[c.Name]), c.Sets)
			return drawClasses(picture, list, cases, all)
		}
	}
	fmt.Fprintf(out, "\nThe claim that support measure machines tell distributions apart that machines on "+
		"means do not %s: where the means do not differ, the Gaussian one is %s.\n", gaussian.verdict(),
		gaussian)
	fmt.Fprintf(out, "The claim that shrinking makes them better %s with simple shrinkage, which is %s, and "+
		"%s with flexible, which is %s.\n", simple.verdict(), simple, flexible.verdict(), flexible)
	return drawClasses(picture, list, cases, all)
}

// tally counts the settings in which one machine is better or worse than another by more than three
// standard errors.
type tally struct {
	better, worse, all int
}

// add compares machine b with machine a.
func (t *tally) add(sets map[int]errorsOf, a, b int) {
	d, se := meanOf(sets, func(e errorsOf) float64 { return e.Errors[a] - e.Errors[b] })
	t.all++
	if d > 3*se {
		t.better++
	} else if d < -3*se {
		t.worse++
	}
}

func (t tally) String() string {
	return fmt.Sprintf("better by more than 3 standard errors in %d of %d settings and worse in %d",
		t.better, t.all, t.worse)
}

// verdict says whether a claim was reproduced: in most settings, and against it in none.
func (t tally) verdict() string {
	if 2*t.better > t.all && t.worse == 0 {
		return "was reproduced"
	}
	return "was not reproduced"
}

// meanOf is the mean over data sets and its standard error.
func meanOf(sets map[int]errorsOf, of func(errorsOf) float64) (mean, se float64) {
	n, square := float64(len(sets)), 0.0
	var keys []int
	for k := range sets {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		mean += of(sets[k]) / n
	}
	for _, k := range keys {
		d := of(sets[k]) - mean
		square += d * d
	}
	return mean, math.Sqrt(square / (n - 1) / n)
}

// classify measures one data set.
func classify(ctx context.Context, t task, r *rand.Rand) ([]float64, error) {
	p := problems[t.problem]
	var items []*mat.Dense
	var labels []string
	for i := range trainItems + testItems {
		class := i % 2
		centre := []float64{p.apart*(float64(class)-0.5) + p.loose*r.NormFloat64(), p.loose * r.NormFloat64()}
		x := mat.NewDense(t.rows, 2, nil)
		for l := range t.rows {
			row := x.RawRowView(l)
			p.draw(row, class, r)
			row[0] += centre[0]
			row[1] += centre[1]
		}
		items, labels = append(items, x), append(labels, []string{"a", "b"}[class])
	}
	var out []float64
	for k := range machines {
		data, kernel, err := represent(ctx, k, items)
		if err != nil {
			return nil, err
		}
		e, err := errorOf(ctx, kernel, data, labels)
		if err != nil {
			return nil, err
		}
		out = append(out, 100*e)
	}
	return out, nil
}

// represent makes the data of a machine, and its kernel: widths are medians of distances between
// the training items.
func represent(ctx context.Context, k int, items []*mat.Dense) (func(from, to int) svm.Data, svm.Kernel, error) {
	if k == 0 {
		x := mat.NewDense(len(items), 2, nil)
		for i, rows := range items {
			for a := range 2 {
				x.Set(i, a, mat.Sum(rows.ColView(a))/float64(rows.RawMatrix().Rows))
			}
		}
		med, err := kernels.MedianDistance(x.Slice(0, trainItems, 0, 2), 1)
		kernel := svm.Kernel{Kernel: kernels.SquaredExponential(med.All)}
		return func(from, to int) svm.Data { return svm.Rows(x.Slice(from, to, 0, 2)) }, kernel, err
	}
	var pooled mat.Dense
	for i, rows := range items[:trainItems] {
		if i == 0 {
			pooled.CloneFrom(rows)
			continue
		}
		var next mat.Dense
		next.Stack(&pooled, rows)
		pooled = next
	}
	med, err := kernels.MedianDistance(&pooled, 1)
	if err != nil {
		return nil, svm.Kernel{}, err
	}
	base := kernels.SquaredExponential(med.All / math.Sqrt2)
	kernel := svm.Kernel{Kernel: base}
	means := make([]*shrinkage.Mean, len(items))
	samples := make([]embedding.Sample, len(items))
	for i, rows := range items {
		problem, err := shrinkage.NewRows(ctx, base, rows, 0)
		if err != nil {
			return nil, kernel, err
		}
		e := problem.Empirical()
		switch k {
		case 3:
			e = problem.ShrinkScalar()
		case 4:
			e = problem.ShrinkSpectral(shrinkage.TrueLeaveOneOut)
		}
		if means[i], err = shrinkage.NewMean(base, rows, e.Weights); err != nil {
			return nil, kernel, err
		}
		samples[i] = means[i].Sample()
	}
	if k > 1 {
		if kernel.Width, err = medianOf(means[:trainItems]); err != nil {
			return nil, kernel, err
		}
	}
	return func(from, to int) svm.Data { return svm.Samples(samples[from:to]...) }, kernel, nil
}

// medianOf is the median distance of embeddings.
func medianOf(means []*shrinkage.Mean) (float64, error) {
	var list []float64
	for i, a := range means {
		for _, b := range means[:i] {
			d2, err := shrinkage.MMD2(a, b)
			if err != nil {
				return 0, err
			}
			list = append(list, math.Sqrt(max(0, d2)))
		}
	}
	slices.Sort(list)
	return list[len(list)/2], nil
}

// errorOf trains on the first items, with the C of least error where a third of them is held out, and
// returns the share of the others that is put into the wrong class.
func errorOf(ctx context.Context, k svm.Kernel, data func(from, to int) svm.Data, labels []string) (
	float64, error) {
	wrong := func(c float64, train, from, to int) (float64, error) {
		m, err := svm.Classify(ctx, k, data(0, train), labels[:train], svm.Options{C: c})
		if err != nil {
			return 0, err
		}
		got, err := m.Predict(data(from, to))
		count := 0.0
		for i, label := range got {
			if label != labels[from+i] {
				count++
			}
		}
		return count / float64(to-from), err
	}
	const fitted = trainItems * 2 / 3
	best, least := 0.0, math.Inf(1)
	for _, c := range []float64{1, 10, 100} {
		e, err := wrong(c, fitted, fitted, trainItems)
		if err != nil {
			return 0, err
		}
		if e < least {
			best, least = c, e
		}
	}
	return wrong(best, trainItems, trainItems, trainItems+testItems)
}

// drawClasses draws the errors against the number of rows, a panel for each problem, unless path is "".
// Errors of one data set have no standard error.
func drawClasses(path string, list []task, cases []report.Case, all map[string]map[int]errorsOf) error {
	if path == "" {
		return nil
	}
	var panels []figure.Drawer
	for p := range problems {
		f := figure.Curves{Title: "classes differ in " + problems[p].name, XLabel: "rows in a sample",
			YLabel: "error, percent", LogX: true, YRange: [2]float64{0, 50},
			Note: "two standard errors"}
		for k, name := range machines[:4] {
			s := figure.Series{Name: name}
			for i, t := range list {
				sets := all[cases[i].Name]
				if t.problem != p || len(sets) == 0 {
					continue
				}
				m, se := meanOf(sets, func(e errorsOf) float64 { return e.Errors[k] })
				if len(sets) == 1 {
					se = 0
				}
				s.X, s.Y = append(s.X, float64(t.rows)), append(s.Y, m)
				s.Lower, s.Upper = append(s.Lower, m-2*se), append(s.Upper, m+2*se)
			}
			if len(s.X) > 0 {
				f.Series = append(f.Series, s)
			}
		}
		if len(f.Series) > 0 {
			panels = append(panels, f)
		}
	}
	fig, err := figure.Panels(1, len(panels), "Samples classified (synthetic data)", panels...)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, fig.WritePNG)
}
