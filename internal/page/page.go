package page

import (
	"errors"
	"io"
	"strings"

	"bayeskernel/internal/figure"
	"bayeskernel/internal/shown"
)

// Page is a report. All text is plain: Write escapes it for HTML.
type Page struct {
	Title    string    // the finding, in one sentence
	About    string    // under the title: the data and the number of rows; optional
	Alerts   []string  // what to know before reading on: synthetic data, a run stopped early
	Figures  []Figure  // these show the finding
	Sure     Section   // where and how sure
	Chains   Section   // the chains that were run
	Rests    Section   // what the finding rests on: models, choices, assumptions
	More     []Section // further sections of a command, each with a Heading
	Again    Again     // how to reproduce the finding
	Settings []Setting // last
}

// Figure is a picture with its caption.
type Figure struct {
	Draw    figure.Drawer
	Heading string // above the picture; optional
	Caption string
	Folded  bool // only the Heading shows until it is clicked
	// File is the name, without extension, of files with the same picture, and What describes them.
	// Both are "" if there are no such files.
	File, What string
	PNGOnly    bool // no SVG, which would be large
}

// Section is a part of the page: its text, then warnings, tables, figures and notes.
type Section struct {
	Heading  string // "" for the usual heading of this part
	Text     []string
	Code     string // lines that are kept as they are: a program, a model
	Warnings []string
	Tables   []Table
	Figures  []Figure
	Notes    []string // a list in smaller type
}

// Table has a row of headings, and rows with one cell for each heading. The first column holds
// names. The others are aligned right, as numbers are, except those listed in Words.
type Table struct {
	Heading string // above the table; optional
	Head    []string
	Rows    [][]string
	Words   []int  // columns that hold words
	Note    string // below it, in smaller type; optional
}

// Again says how to reproduce the finding.
type Again struct {
	Command string // as typed
	Version string // of the program
	Notes   []string
	Files   []File // in the folder of the page
}

// File is a file that a run left.
type File struct{ Name, What string }

// Setting is a name with its value.
type Setting struct{ Name, Value string }

// Write writes the page as HTML. It returns an error if a figure cannot be drawn from its numbers.
func (p *Page) Write(w io.Writer) error {
	if p.Title == "" {
		return errors.New("page: Title is empty, want the finding")
	}
	v, err := p.view()
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := layout.Execute(&b, v); err != nil {
		return err
	}
	_, err = io.WriteString(w, shown.Text(b.String())) // names may hold anything
	return err
}

func (s Section) empty() bool {
	return len(s.Text)+len(s.Warnings)+len(s.Figures)+len(s.Tables)+len(s.Notes)+len(s.Code) == 0
}

func (a Again) empty() bool {
	return a.Command == "" && a.Version == "" && len(a.Notes)+len(a.Files) == 0
}
