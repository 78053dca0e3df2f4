package tests

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
	"bayeskernel/kerneltest"
)

// Document reports the result of a test.
func (r *Tested) Document() *report.Document {
	t, notes := r.Result, r.Notes()
	d := &report.Document{Page: r.Data.Page(r.Title()), Record: r.record(), Rejects: t.Reject}
	question := fmt.Sprintf("%s (n = %d) against %s (n = %d)", r.Names[0], t.RowsX, r.Names[1], t.RowsY)
	strongest := "unbiased MMD² (strongest kernel)"
	if r.Two == nil {
		question = fmt.Sprintf("%s against %s, n = %d", r.Names[0], r.Names[1], t.RowsX)
		strongest = "unbiased HSIC (kernels with the largest statistic)"
	}
	values := report.Values{{r.Result.Label(), report.Figures(t.Statistic)}, {"p-value", r.pValue()}}
	if len(t.Candidates) > 1 && r.Data.Blocks == nil { // it is unbiased for independent rows
		values = append(values, [2]string{strongest, report.Figures(t.Unbiased)})
	}
	if r.Two == nil {
		values = append(values, r.Dependence.values()...)
	}
	d.Printed = slices.Concat([]report.Block{report.Paragraphs{r.Finding()}, report.Lines{question}, values},
		r.Sizes.Blocks(), []report.Block{report.Paragraphs(slices.Concat(r.Columns(), r.Bayes.Sentences(),
			r.Basis()[:1], ofTest(notes, t.Kernel, t.KernelY)))})
	d.Figures = slices.Concat(r.pictures(), r.Sizes.Picture(FigureTitle(r.Data), r.Data), Parts(r.Data, r.Two))
	d.Sure.Text = append([]string{r.Finding()}, r.Sure()...)
	d.Rests = page.Section{Text: r.Basis(), Notes: notes}
	if len(t.Draws) > 0 {
		d.Rests.Figures = []page.Figure{{Draw: r.nullPicture(), File: "null", What: "the null distribution",
			Caption: "The statistic of the data, and those of the permutations, which it is compared with."}}
	}
	d.Settings = r.settings()
	r.Sizes.Add(&d.Sure, r.Two)
	r.Dependence.add(&d.Sure)
	d.More = r.Bayes.Section()
	return d
}

// ofTest are the notes but for those on how kernels were learned, which concern what the test sees and not
// whether it is right: they stand on the page.
func ofTest(notes []string, kernels ...*kerneltest.Chosen) []string {
	return slices.DeleteFunc(slices.Clone(notes), func(note string) bool {
		return slices.ContainsFunc(kernels, func(k *kerneltest.Chosen) bool {
			return k != nil && slices.ContainsFunc(k.Notes, func(n string) bool { return cli.WithoutPackages(n) == note })
		})
	})
}

// settings are those of a test.
func (r *Tested) settings() []page.Setting {
	return []page.Setting{{Name: "statistic", Value: r.Result.Label()},
		{Name: "null distribution", Value: r.Result.Null.String()},
		{Name: "permutations", Value: strconv.Itoa(r.Result.Permutations)},
		{Name: "level", Value: fmt.Sprint(r.Result.Alpha)},
		{Name: "rule for the kernel", Value: r.Flags.Choose},
		{Name: "seed", Value: strconv.FormatUint(r.Flags.Seed, 10)}}
}

// pictures show where the samples differ; none for too many columns.
func (r *Tested) pictures() []page.Figure {
	if r.Two == nil {
		return r.dependencePicture()
	}
	w := r.Two.Witness
	draw := WitnessPicture(FigureTitle(r.Data), r.Data, w, nil)
	if draw == nil {
		return nil
	}
	return []page.Figure{{Draw: draw, File: "figure", What: "the picture",
		Caption: WitnessCaption(r.Data, w, ScaleWords(r.Two, w))}}
}

// nullPicture draws the null distribution of the test statistic.
func (r *Tested) nullPicture() figure.Null {
	return figure.Null{Title: "Statistic of the permutations and of the data", Draws: r.Result.Draws,
		Statistic: r.Result.Statistic, Critical: math.NaN(), PValue: r.Result.P, XLabel: r.Result.Label(),
		Small: r.Result.Small()}
}

// dependencePicture draws where pairs are more and less frequent than under independence; nil
// unless both variables have one column.
func (r *Tested) dependencePicture() []page.Figure {
	p := r.Plane
	if p == nil {
		return nil
	}
	n, _ := p.pairs.Dims()
	f := figure.Dependence{Title: fmt.Sprintf("%s and %s, n = %d", r.Names[0], r.Names[1], n),
		X: p.axes[0], Y: p.axes[1], Mean: p.value, Lower: p.lower, Upper: p.upper,
		XLabel: r.Data.Columns[0], YLabel: r.Data.Columns[1], Level: WitnessLevel,
		Pairs: Cloud("pairs", p.pairs, 0, 1).Points, Sides: make([]int, len(p.value))}
	caption := "Nothing is coloured, because the test does not reject."
	if r.Result.Reject {
		f.Sides = figure.Sides(p.lower, p.upper)
		caption = fmt.Sprintf("Coloured: where there are more pairs, or fewer, than there would be if the "+
			"variables were independent, by the %.6g%% band at each point.", 100*WitnessLevel)
	}
	return []page.Figure{{Draw: f, File: "figure", What: "the picture", Caption: caption}}
}
