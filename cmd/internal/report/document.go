package report

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/internal/page"
)

// Document is what a command found.
type Document struct {
	page.Page          // what report.html shows; pictures with a File are files of their own too
	Printed    []Block // what the terminal shows, in this order
	Details    []Block // what it shows besides with -verbose
	Record     any     // the contents of summary.json
	Numbers    string  // what the page says of summary.json; "" for "all numbers"
	Printable  any     // what -format json prints; nil for the record
	Files      []File  // what else lies beside the page
	Rejects    bool    // whether a null hypothesis is rejected, for -exit-code
	Ends       error   // what the command ends with once all is written; nil if all is well
	Unfinished bool    // whether the folder holds a run that can be resumed
}

// A File is written as a whole or not at all.
type File struct {
	Name string
	What string // what the page says of it; "" leaves it out there
	Fill func(io.Writer) error
}

// JSON is a file with the contents of v.
func JSON(name, what string, v any) File {
	return File{name, what, func(w io.Writer) error { return writeJSON(w, v) }}
}

// writeJSON writes v with its lines indented.
func writeJSON(w io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// All lists the files of the document, the page last. Each picture is drawn once for all formats.
func (d *Document) All() ([]File, error) {
	what := d.Numbers
	if what == "" {
		what = "all numbers"
	}
	list := append([]File{JSON("summary.json", what, d.Record)}, d.Files...)
	for _, f := range d.pictures() {
		drawn, err := f.Draw.Draw()
		if err != nil {
			return nil, err
		}
		list = append(list, File{f.File + ".png", f.What, drawn.WritePNG})
		if !f.PNGOnly {
			list = append(list, File{f.File + ".svg", f.What, drawn.WriteSVG})
		}
	}
	p := d.Page
	p.Again.Files = nil
	for _, f := range list {
		if f.What != "" {
			p.Again.Files = append(p.Again.Files, page.File{Name: f.Name, What: f.What})
		}
	}
	return append(list, File{Name: "report.html", Fill: p.Write}), nil
}

// pictures are the page's figures that are also written as files.
func (d *Document) pictures() []page.Figure {
	return slices.DeleteFunc(d.everyFigure(), func(f page.Figure) bool { return f.File == "" })
}

// WriteText writes what the terminal shows, with the details if verbose is set; folder is where the
// page is.
func (d *Document) WriteText(w io.Writer, folder string, verbose bool) error {
	blocks := d.Printed
	if verbose {
		blocks = slices.Concat(blocks, d.Details)
	}
	var b strings.Builder
	for _, block := range blocks {
		if block.empty() {
			continue
		}
		if err := block.write(&b); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "Open %s.\n", filepath.Join(folder, "report.html"))
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteJSON writes what -format json prints: the record, and what the pictures draw.
func (d *Document) WriteJSON(w io.Writer) error {
	if d.Printable != nil {
		return writeJSON(w, d.Printable)
	}
	return d.withPictures(w)
}
