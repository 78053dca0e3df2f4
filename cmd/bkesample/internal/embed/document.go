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
	each, matrix, pairs := r.each(s.Samples), r.matrix(), r.table()
	printed := pairs
	if len(r.pairs) > mostPrinted {
		printed = report.Table{}
	}
	d := &report.Document{Page: r.data.Page(r.title()), Record: s,
		Files: []report.File{{Name: "distances.csv", What: "the matrix of distances", Fill: s.writeDistances},
			{Name: "pairs.csv", What: "the pairs with their intervals", Fill: s.writePairs},
			{Name: "map.csv", What: "the map", Fill: s.writeMap}},
		Printed: []report.Block{report.Paragraphs{r.finding()},
			report.Lines{fmt.Sprintf("%s: %s", s.Source, size)}, each, printed,
			report.Paragraphs(slices.Concat(r.basis(), s.Notes))}}
	d.About = fmt.Sprintf("%s, %s, %s", s.Source, size, r.data.ColumnWords())
	one := map[bool]string{true: "The distance with its %s interval: if that contains 0, it may be chance.",
		false: "Each distance with its %s interval, the closest pair first. A distance whose interval contains 0 may be " +
			"chance."}[len(r.pairs) == 1]
	d.Figures = []page.Figure{{File: "figure", What: "the distances", Draw: r.picture(), Caption: fmt.Sprintf(one, r.level())}}
	if len(r.pairs) > 1 {
		d.Figures = append(d.Figures, page.Figure{File: "figure_map", What: "the map",
			Draw: figure.Map{Title: "Map of samples", Names: r.data.Names, Points: r.places,
				XLabel: "first coordinate", YLabel: "second coordinate",
				Note: fmt.Sprintf("shows %.3g%% of the squared distances", 100*r.share[1])},
			Caption: "Samples that are near each other here have similar distributions. Only distances mean " +
				"something: the axes do not. The noise in the distances is in the picture above."})
	}
	d.Sure = page.Section{Text: []string{r.finding()}, Tables: report.Tables(each, pairs, matrix)}
	d.Rests = page.Section{Text: r.basis(), Notes: s.Notes}
	d.Settings = []page.Setting{{Name: "columns scaled", Value: r.flags.standardize},
		{Name: "level", Value: fmt.Sprint(r.flags.level)},
		{Name: "resamples", Value: strconv.Itoa(r.distance.Resamples)},
		{Name: "seed", Value: strconv.FormatUint(s.Seed, 10)}}
	return d
}

const (
	mostInMatrix = 8  // samples whose distance matrix fits on a page
	mostPrinted  = 15 // pairs that fit on a terminal
	mostListed   = 60 // pairs that fit on a page
)

// picture draws the intervals.
func (r *result) picture() figure.Intervals {
	p := figure.Intervals{Title: "Distances between samples", Each: "pair", XLabel: "energy distance",
		Level: r.flags.level}
	for _, of := range r.pairs {
		p.Names = append(p.Names, r.data.Names[of.A]+" – "+r.data.Names[of.B])
		p.Value = append(p.Value, of.Distance)
		p.Lower, p.Upper = append(p.Lower, of.Lower), append(p.Upper, of.Upper)
	}
	return p
}

// matrix is the table of distances, empty if there are too many samples.
func (r *result) matrix() report.Table {
	t := report.Table{Intro: "Distances:", Head: []string{""}}
	if k := len(r.data.Names); k > mostInMatrix || k == 2 {
		return t
	}
	for i, name := range r.data.Names {
		t.Head = append(t.Head, cli.Shorten(name, 12))
		row := []string{name}
		for j := range r.data.Names {
			row = append(row, report.Short(r.distance.At(i, j)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// table lists the pairs, the closest first.
func (r *result) table() report.Table {
	t := report.Table{Intro: "Pairs, the closest first, and the places that each may have:",
		Head: []string{"", "", "distance", r.level() + " interval", "place"}, Words: []int{0, 1}}
	if len(r.pairs) == 1 {
		t.Intro, t.Head = "", t.Head[:4]
	}
	for i, p := range r.pairs {
		if i >= mostListed/2 && i < len(r.pairs)-mostListed/2 {
			continue
		}
		place := strconv.Itoa(p.First)
		switch {
		case !r.distance.Judged():
			place = "–"
		case p.Last > p.First:
			place = fmt.Sprintf("%d to %d", p.First, p.Last)
		}
		t.Rows = append(t.Rows, []string{r.data.Names[p.A], r.data.Names[p.B], report.Short(p.Distance),
			between(p), place}[:len(t.Head)])
	}
	if len(r.pairs) > mostListed {
		t.Intro = fmt.Sprintf("The %d closest and the %d farthest of %d pairs, and the places that each may have:",
			mostListed/2, mostListed/2, len(r.pairs))
	}
	return t
}

// each is the table of samples; if there are many, only the first.
func (r *result) each(samples []sampleRecord) report.Table {
	if len(samples) == 2 {
		return report.Table{}
	}
	t := report.Table{Intro: "Samples and the nearest other one:",
		Head: []string{"", "rows", "distance", "nearest", ""}, Words: []int{3, 4}}
	const most = 40
	for i, s := range samples[:min(len(samples), most)] {
		near := r.nearest(i)
		word := "for sure"
		switch others := len(near) - 1; {
		case !r.distance.Judged():
			word = ""
		case others == 1:
			word = "or " + r.data.Names[near[1]]
		case others > 1:
			word = fmt.Sprintf("or one of %d others", others)
		}
		t.Rows = append(t.Rows, []string{s.Name, strconv.Itoa(s.Rows), report.Short(r.distance.At(i, near[0])),
			r.data.Names[near[0]], word})
	}
	if more := len(samples) - most; more > 0 {
		t.Intro = fmt.Sprintf("The first %d of %d samples and the nearest other one:", most, most+more)
	}
	return t
}
