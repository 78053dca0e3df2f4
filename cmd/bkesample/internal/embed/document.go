package embed

import (
	"fmt"
	"slices"
	"strconv"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// document reports the result.
func (r *result) document() *report.Document {
	s := r.record()
	n, _ := r.data.P.Dims()
	size := fmt.Sprintf("%d samples, %d rows", len(r.data.Names), n)
	each, matrix := r.each(s.Samples), r.matrix()
	d := &report.Document{Page: r.data.Page(r.title()), Record: s,
		Files: []report.File{{Name: "distances.csv", What: "the matrix of distances", Fill: s.writeDistances},
			{Name: "map.csv", What: "the map", Fill: s.writeMap}},
		Printed: []report.Block{report.Paragraphs{r.finding()},
			report.Lines{fmt.Sprintf("%s: %s", s.Source, size)}, each, matrix,
			report.Paragraphs(slices.Concat(r.basis(), s.Notes))}}
	d.About = fmt.Sprintf("%s, %s, %s", s.Source, size, r.data.ColumnWords())
	d.Figures = []page.Figure{{File: "figure", What: "the picture",
		Draw: figure.Map{Title: "Map of samples", Names: r.data.Names, Points: r.places,
			XLabel: "first coordinate", YLabel: "second coordinate",
			Note: fmt.Sprintf("shows %.3g%% of the squared distances", 100*r.share[1])},
		Caption: "Samples that are near each other here have similar distributions. Only distances mean " +
			"something: the axes do not."}}
	d.Sure = page.Section{Text: []string{r.finding()}, Tables: report.Tables(each, matrix)}
	d.Rests = page.Section{Text: r.basis(), Notes: s.Notes}
	d.Settings = []page.Setting{{Name: "shrinking", Value: s.Shrink},
		{Name: "rule for the kernel", Value: r.flags.kernel.Rule()},
		{Name: "seed", Value: strconv.FormatUint(s.Seed, 10)}}
	return d
}

// mostInMatrix is the largest number of samples whose distance matrix fits on a terminal.
const mostInMatrix = 8

// matrix is the table of distances, empty if there are too many samples.
func (r *result) matrix() report.Table {
	t := report.Table{Intro: "Distances:", Head: []string{""}}
	if len(r.data.Names) > mostInMatrix {
		return t
	}
	for i, name := range r.data.Names {
		t.Head = append(t.Head, cli.Shorten(name, 12))
		row := []string{name}
		for j := range r.data.Names {
			text := "0"
			if i != j {
				text = report.Short(r.distance.At(i, j))
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// each is the table of samples; if there are many, only the first.
func (r *result) each(samples []sampleRecord) report.Table {
	t := report.Table{Intro: "Samples, the error of their empirical embeddings, and the nearest other one:",
		Head: []string{"", "rows", "error", "weights sum to", "nearest", "distance"}, Words: []int{4}}
	const most = 40
	for i, s := range samples[:min(len(samples), most)] {
		near := (i + 1) % len(r.data.Names)
		for j := range r.data.Names {
			if j != i && r.distance.At(i, j) < r.distance.At(i, near) {
				near = j
			}
		}
		t.Rows = append(t.Rows, []string{s.Name, strconv.Itoa(s.Rows), report.Short(float64(s.Error)),
			report.Short(float64(s.Weight)), r.data.Names[near], report.Short(r.distance.At(i, near))})
	}
	if more := len(samples) - most; more > 0 {
		t.Intro = fmt.Sprintf("The first %d of %d samples, the error of their empirical embeddings, and the "+
			"nearest other one:", most, most+more)
	}
	return t
}
