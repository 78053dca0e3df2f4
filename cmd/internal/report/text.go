package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/internal/page"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Block is a part of the terminal's output; a blank line follows each.
type Block interface {
	empty() bool
	write(w io.Writer) error
}

// Paragraphs are sentences, each wrapped at the terminal's width with a hanging indent.
type Paragraphs []string

func (p Paragraphs) empty() bool { return len(p) == 0 }

func (p Paragraphs) write(w io.Writer) error {
	for _, s := range p {
		for i, line := range cli.Wrap(s, 96) {
			if i > 0 {
				line = "  " + line
			}
			fmt.Fprintln(w, line)
		}
	}
	return nil
}

// Once joins lists of sentences without repeats; the result is never nil.
func Once(lists ...[]string) []string {
	seen, out := map[string]bool{}, []string{}
	for _, s := range slices.Concat(lists...) {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// Lines are shown unchanged.
type Lines []string

func (l Lines) empty() bool { return len(l) == 0 }

func (l Lines) write(w io.Writer) error {
	for _, s := range l {
		fmt.Fprintln(w, s)
	}
	return nil
}

// Values are names with their values, one below the other.
type Values [][2]string

func (v Values) empty() bool { return len(v) == 0 }

func (v Values) write(w io.Writer) error {
	width := 38
	for _, row := range v {
		width = max(width, utf8.RuneCountInString(row[0]))
	}
	for _, row := range v {
		fmt.Fprintf(w, "  %-*s %s\n", width, row[0], row[1])
	}
	return nil
}

// Table is columns of numbers under a sentence; the first column holds names.
type Table struct {
	Intro string
	Head  []string
	Rows  [][]string
	Words []int // further columns that hold words, for the page
}

// Page is the table for a page, with its sentence above.
func (t Table) Page() page.Table {
	return page.Table{Heading: t.Intro, Head: t.Head, Rows: t.Rows, Words: t.Words}
}

// Tables returns, for a page, the tables that have rows.
func Tables(list ...Table) []page.Table {
	var out []page.Table
	for _, t := range list {
		if len(t.Rows) > 0 {
			out = append(out, t.Page())
		}
	}
	return out
}

func (t Table) empty() bool { return len(t.Rows) == 0 }

// write writes the table without borders, under its sentence.
func (t Table) write(w io.Writer) error {
	if t.Intro != "" {
		if err := (Paragraphs{t.Intro}).write(w); err != nil {
			return err
		}
	}
	align := make([]tw.Align, len(t.Head))
	for i := range align {
		align[i] = tw.AlignRight
	}
	align[0] = tw.AlignLeft
	out := tablewriter.NewTable(w,
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbols(tw.StyleASCII),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off,
					ShowHeader: tw.Off},
				Lines: tw.Lines{ShowHeaderLine: tw.Off},
			},
		})))
	out.Header(t.Head)
	if err := out.Bulk(t.Rows); err != nil {
		return err
	}
	return out.Render()
}

// Warnings are the warnings as sentences for the page, without their kind in front.
func Warnings[T fmt.Stringer](list []T) []string {
	var out []string
	for _, w := range list {
		out = append(out, strings.TrimPrefix(w.String(), "Warning: "))
	}
	return out
}
