package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"unicode/utf8"

	"bayeskernel/internal/figure"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string

	layout = template.Must(template.New("page").Funcs(template.FuncMap{"keep": keep,
		"yield": yield}).Parse(pageHTML))
)

// policy lets the browser load nothing, and apply and run only the page's own style sheet and script. Names
// that come with the data are text already: this holds if that is ever forgotten.
var policy = fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; img-src data:; base-uri 'none'; "+
	"form-action 'none'", hash(pageCSS), hash(pageJS))

// hash names a text as content security policies do.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// view is a page as the template sees it.
type view struct {
	*Page
	Policy   string
	CSS      template.CSS
	JS       template.JS
	Figures  []picture
	Sections []section
	Again    *Again
}

// section is a Section with its pictures drawn.
type section struct {
	Heading, Code  string
	Text, Warnings []string
	Notes          []string
	Figures        []picture
	Tables         []table
}

// table is a Table whose cells say whether they hold words.
type table struct {
	Heading, Note string
	Head          []cell
	Rows          [][]cell
	Many          bool // too many columns for a narrow window: its rows become blocks there
}

type cell struct {
	Text  string
	Label string // the heading of its column, if there are many
	Word  bool
}

// picture is a drawn figure.
type picture struct {
	Heading, Caption, Readout string
	Folded                    bool
	Wide, Narrow              template.HTML
	Legend                    []entry
}

type entry struct {
	Name   string
	Sample template.HTML
}

func (p *Page) view() (*view, error) {
	v := &view{Page: p, Policy: policy, CSS: template.CSS(pageCSS), JS: template.JS(pageJS)}
	var err error
	if v.Figures, err = draw(p.Figures); err != nil {
		return nil, err
	}
	parts := []struct {
		Section
		usual string
	}{{p.Sure, "What was found, and how sure it is"}, {p.Chains, "The chains"}, {p.Rests, "What it rests on"}}
	for _, s := range p.More {
		parts = append(parts, struct {
			Section
			usual string
		}{s, "More"})
	}
	for _, part := range parts {
		if part.empty() {
			continue
		}
		s := section{Heading: part.Heading, Code: part.Code, Text: part.Text, Warnings: part.Warnings,
			Notes: part.Notes}
		if s.Heading == "" {
			s.Heading = part.usual
		}
		if s.Figures, err = draw(part.Figures); err != nil {
			return nil, err
		}
		for i, t := range part.Tables {
			cells, err := t.cells()
			if err != nil {
				return nil, fmt.Errorf("page: table %d of %q: %w", i+1, s.Heading, err)
			}
			s.Tables = append(s.Tables, cells)
		}
		v.Sections = append(v.Sections, s)
	}
	if !p.Again.empty() {
		v.Again = &p.Again
	}
	return v, nil
}

func draw(figs []Figure) ([]picture, error) {
	var out []picture
	for i, f := range figs {
		if f.Draw == nil {
			return nil, fmt.Errorf("page: figure %d has nothing to draw", i+1)
		}
		if f.Folded && f.Heading == "" {
			return nil, fmt.Errorf("page: figure %d is folded and has no Heading to open it by", i+1)
		}
		web, err := figure.ForWeb(f.Draw)
		if err != nil {
			return nil, fmt.Errorf("page: figure %d: %w", i+1, err)
		}
		one := picture{Heading: f.Heading, Caption: f.Caption, Folded: f.Folded, Readout: web.Readout,
			Wide: template.HTML(web.Wide), Narrow: template.HTML(web.Narrow)}
		for _, e := range web.Legend {
			one.Legend = append(one.Legend, entry{e.Name, template.HTML(e.Sample)})
		}
		out = append(out, one)
	}
	return out, nil
}

// wide reports whether the columns do not fit side by side in a narrow window.
func (t Table) wide() bool {
	const few, letters = 5, 36
	sum := 0
	for k, head := range t.Head {
		most := utf8.RuneCountInString(head)
		for _, row := range t.Rows {
			if k < len(row) {
				most = max(most, utf8.RuneCountInString(row[k]))
			}
		}
		sum += most + 1
	}
	return len(t.Head) > few || sum > letters
}

func (t Table) cells() (table, error) {
	out := table{Heading: t.Heading, Note: t.Note, Many: t.wide()}
	word := func(i int) bool { return i == 0 || slices.Contains(t.Words, i) }
	for i, txt := range t.Head {
		out.Head = append(out.Head, cell{Text: txt, Word: word(i)})
	}
	for i, row := range t.Rows {
		if len(row) != len(t.Head) {
			return out, fmt.Errorf("row %d has %d cells, want %d", i+1, len(row), len(t.Head))
		}
		var cells []cell
		for k, txt := range row {
			c := cell{Text: txt, Word: word(k)}
			if out.Many && k > 0 {
				c.Label = t.Head[k]
			}
			cells = append(cells, c)
		}
		out.Rows = append(out.Rows, cells)
	}
	return out, nil
}
