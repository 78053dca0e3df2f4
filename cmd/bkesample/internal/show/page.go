package show

import (
	"fmt"
	"strconv"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// newPage begins the page of a command with what all pages have.
func newPage(title string, d *input.Dataset, again string) *page.Page {
	p := &page.Page{Title: strings.TrimSuffix(title, "."), About: aboutWords(d),
		Again: page.Again{Command: again, Version: cli.Version()}}
	if d.Synthetic {
		p.Alerts = append(p.Alerts, "The data are synthetic.")
	}
	return p
}

// aboutWords says what the data are, and how many rows there are.
func aboutWords(d *input.Dataset) string {
	n, k := d.Rows()
	rows := cli.Plural(n, "row")
	if d.Q != nil {
		rows = fmt.Sprintf("%d and %d rows", n, k)
	}
	return fmt.Sprintf("%s, %s, %s", d.Source, rows, columnWords(d))
}

// columnWords names the columns.
func columnWords(d *input.Dataset) string {
	if len(d.Columns) == 1 {
		return "column " + d.Columns[0]
	}
	const most = 6
	names := d.Columns
	if len(names) > most+1 {
		names = append(append([]string{}, names[:most]...), fmt.Sprintf("%d more", len(names)-most))
	}
	return fmt.Sprintf("columns %s", cli.AndList(names))
}

// files adds what lies beside the page, and the page itself.
func files(p *page.Page, list []folder.File, what map[string]string) []folder.File {
	for _, f := range list {
		if w := what[f.Name]; w != "" {
			p.Again.Files = append(p.Again.Files, page.File{Name: f.Name, What: w})
		}
	}
	return append(list, folder.File{Name: "report.html", Fill: p.Write})
}

// pictures are the files of a figure.
func pictures(name string, d figure.Drawer) ([]folder.File, error) {
	f, err := d.Draw()
	if err != nil {
		return nil, err
	}
	return []folder.File{{Name: name + ".png", Fill: f.WritePNG}, {Name: name + ".svg", Fill: f.WriteSVG}},
		nil
}

// table is one for the page.
func table(t tell.Table) page.Table {
	return page.Table{Heading: t.Intro, Head: t.Head, Rows: t.Rows}
}

// modelSettings are those of a learned kernel.
func modelSettings(s *work.Study) []page.Setting {
	list := []page.Setting{
		{Name: "kernel", Value: s.Radial.String()},
		{Name: "pseudo-inputs", Value: fmt.Sprintf("%d, %s", s.Model.M(), s.Whence())},
		{Name: "weight", Value: strconv.FormatFloat(s.Model.Weight(), 'g', 4, 64)},
		{Name: "nu", Value: s.Flags.Nu},
		{Name: "columns scaled", Value: s.Standardize},
		{Name: "seed", Value: strconv.FormatUint(s.Flags.Seed, 10)},
		{Name: "numerical path", Value: s.Model.Path()},
	}
	if s.Flags.Ard {
		list = append(list, page.Setting{Name: "lengthscales", Value: "one for each column"})
	}
	return list
}

// warnings take the word for what they are from the front.
func warnings[T fmt.Stringer](list []T) []string {
	var out []string
	for _, w := range list {
		out = append(out, strings.TrimPrefix(w.String(), "Warning: "))
	}
	return out
}
