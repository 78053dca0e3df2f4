package bags

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// document reports the result.
func (r *result) document() *report.Document {
	m, s := r.measure(), r.record()
	rows, _ := r.data.P.Dims()
	size := fmt.Sprintf("%s, %s", cli.Plural(len(r.bags), "bag"), cli.Plural(rows, "row"))
	sizes, fresh := r.bySize(), r.table()
	d := &report.Document{Page: r.data.Page(r.title(m)), Record: s,
		Files: []report.File{{Name: "bags.csv", What: "the known bags and their predictions", Fill: s.write(s.Bags, true)}},
		Printed: []report.Block{report.Paragraphs(s.Verdict), report.Lines{fmt.Sprintf("%s: %s", s.Source, size)},
			sizes, fresh, report.Paragraphs(s.Warnings), report.Paragraphs(r.data.Notes)},
		Details: []report.Block{report.Paragraphs(r.notes())}}
	if r.new != nil {
		d.Files = append(d.Files, report.File{Name: "new.csv", What: "the new bags and their predictions",
			Fill: s.write(s.New, false)})
	}
	d.About = fmt.Sprintf("%s, %s, %s", s.Source, size, r.data.ColumnWords())
	d.Figures = []page.Figure{r.picture()}
	d.Sure = page.Section{Text: s.Verdict, Warnings: s.Warnings, Tables: report.Tables(sizes, fresh)}
	d.Rests = page.Section{Text: []string{fmt.Sprintf("Each bag is described by the mean of a Gaussian kernel of lengthscale "+
		"%s at %d landmarks, drawn towards the mean of all bags as far as its number of rows asks for. Values are "+
		"normal around a linear function of that, whose weights have a normal prior. %s", report.Short(r.fit.Params.Theta), s.Landmarks, r.chosen())},
		Notes: s.Notes}
	d.Settings = []page.Setting{{Name: "columns scaled", Value: r.flags.standardize},
		{Name: "landmarks", Value: strconv.Itoa(s.Landmarks)},
		{Name: "level", Value: fmt.Sprint(r.flags.level)},
		{Name: "seed", Value: strconv.FormatUint(s.Seed, 10)}}
	return d
}

// picture shows predictions beside the truth, or probabilities by the number of rows.
func (r *result) picture() page.Figure {
	if r.data.Classes != nil {
		f := figure.Curves{Title: "Probability of " + r.data.Classes[1] + " by the number of rows", XLabel: "rows of the bag",
			YLabel: "probability of " + r.data.Classes[1], LogX: true, YRange: [2]float64{0, 1}}
		for c, name := range r.data.Classes {
			s := figure.Series{Name: name, Apart: true}
			for _, b := range r.bags {
				if b.truth == float64(c) {
					s.X, s.Y = append(s.X, float64(b.rows)), append(s.Y, b.mean)
				}
			}
			f.Series = append(f.Series, s)
		}
		return page.Figure{File: "figure", What: "the predictions", Draw: f,
			Caption: "Each bag, predicted without its own class."}
	}
	f := figure.Curves{Title: "Predictions of bags and their values", XLabel: r.data.Target, YLabel: "predicted",
		Note: percent(r.flags.level) + " intervals"}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, b := range r.bags {
		lo, hi = min(lo, b.truth), max(hi, b.truth)
	}
	f.Series = append(f.Series, figure.Series{Name: "predicted rightly", X: []float64{lo, hi}, Y: []float64{lo, hi}})
	for _, of := range r.sizes() {
		s := figure.Series{Name: of.words() + " rows", Apart: true}
		for _, b := range r.bags {
			if of.from <= b.rows && b.rows <= of.to {
				s.X, s.Y = append(s.X, b.truth), append(s.Y, b.mean)
				s.Lower, s.Upper = append(s.Lower, b.lower), append(s.Upper, b.upper)
			}
		}
		f.Series = append(f.Series, s)
	}
	return page.Figure{File: "figure", What: "the predictions", Draw: f,
		Caption: "Each bag, predicted without its own value, with its interval; a perfect prediction lies on the line."}
}

// words are the range of sizes.
func (s size) words() string {
	if s.from == s.to {
		return strconv.Itoa(s.from)
	}
	return fmt.Sprintf("%d to %d", s.from, s.to)
}

// bySize is the table of bags by their number of rows.
func (r *result) bySize() report.Table {
	t := report.Table{Intro: "Bags by their number of rows:", Head: []string{"rows", "bags", "error", "interval's width",
		"inside"}}
	classes := r.data.Classes != nil
	if classes {
		t.Head = []string{"rows", "bags", "log loss", "right"}
	}
	for _, s := range r.sizes() {
		row := []string{s.words(), strconv.Itoa(s.bags), report.Short(s.error)}
		if !classes {
			row = append(row, report.Short(s.width))
		}
		t.Rows = append(t.Rows, append(row, percent(s.right)))
	}
	return t
}

// table lists the new bags.
func (r *result) table() report.Table {
	const most = 20
	t := report.Table{Intro: "New bags:", Head: []string{r.data.Bag, "rows", "predicted", percent(r.flags.level) + " interval"}}
	classes := r.data.Classes != nil
	if classes {
		t.Head = []string{r.data.Bag, "rows", "probability of " + r.data.Classes[1]}
	}
	for _, b := range r.new[:min(most, len(r.new))] {
		row := []string{b.name, strconv.Itoa(b.rows), report.Short(b.mean)}
		if !classes {
			row = append(row, fmt.Sprintf("%s to %s", report.Short(b.lower), report.Short(b.upper)))
		}
		t.Rows = append(t.Rows, row)
	}
	if more := len(r.new) - most; more > 0 {
		t.Intro = fmt.Sprintf("The first %d of %d new bags; all are in new.csv:", most, most+more)
	}
	t.Words = slices.Clone(t.Words)
	return t
}
