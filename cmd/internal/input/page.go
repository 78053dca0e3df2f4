package input

import (
	"fmt"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/page"
)

// Page starts the page of a command with what every data set shows.
func (d *Dataset) Page(title string) page.Page {
	p := page.Page{Title: strings.TrimSuffix(title, "."), About: d.about()}
	if d.Synthetic {
		p.Alerts = append(p.Alerts, "The data are synthetic: the program drew them.")
	}
	return p
}

// about says what the data are, and how many rows there are.
func (d *Dataset) about() string {
	n, k := d.Rows()
	rows := cli.Plural(n, "row")
	if d.Q != nil {
		rows = fmt.Sprintf("%d and %d rows", n, k)
	}
	return fmt.Sprintf("%s, %s, %s", d.Source, rows, d.ColumnWords())
}

// ColumnWords names the columns.
func (d *Dataset) ColumnWords() string {
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

// Announced says, before anything else, if the data are a synthetic example.
func (d *Dataset) Announced() report.Paragraphs {
	if !d.Synthetic {
		return nil
	}
	return report.Paragraphs{fmt.Sprintf("The data are %s.", d.Source)}
}
