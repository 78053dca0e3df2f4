package sample

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/bke"
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/compare"
	"bayeskernel/draws"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// document reports the result of a run.
func (r *sampled) document() *report.Document {
	data, m, w := r.Study.Data, r.record(), r.Shown.witness()
	d := &report.Document{Page: data.Page(r.title()), Record: m,
		Rejects: m.Test != nil && m.Test.Reject}
	var lead report.Paragraphs
	if r.Partial {
		d.Alerts = append(d.Alerts, r.ended())
		m.Found = append(m.Found, r.ended())
	}
	lead = append(append(lead, m.Found...), r.finding())
	if data.Synthetic {
		n, _ := data.P.Dims()
		lead[len(lead)-1] += fmt.Sprintf(" The data are %s, n = %d of each.", data.Source, n)
	}
	far := outliers(m.Warnings)
	if far != "" {
		d.Alerts, lead = append(d.Alerts, far), append(lead, "Warning: "+far)
	}
	columns := tests.ColumnSentences(r.Shown.Two)
	m.Found = slices.Concat(m.Found, []string{r.finding()}, r.sure(), columns, influenceSentences(r.Influence),
		r.good(), said(m.Warnings), m.Notes)

	// What is to be known of the data, of the test, and of the end of the run.
	asked := unlike(m.Warnings, data.Notes, shownNotes(r.Shown), r.Draws.Notes,
		slices.DeleteFunc(slices.Clone(r.Study.Notes), func(n string) bool {
			return !strings.HasPrefix(n, study.NoInterval)
		}))

	theta := report.Paragraphs{}
	if s := r.Study.IntervalSentence(); s != "" {
		theta = append(theta, s)
	}
	r.Sizes.Add(&d.Sure, r.Shown.Two)
	d.Printed = []report.Block{append(lead, columns...), append(theta, r.Bayes.Sentences()...),
		r.parameters(), report.Paragraphs(append(said(m.Warnings), asked...))}
	for _, t := range r.tables() {
		d.Printed = append(d.Printed, t)
	}
	more := slices.DeleteFunc(slices.Clone(m.Notes), func(n string) bool { return slices.Contains(asked, n) })
	d.Details = []report.Block{report.Paragraphs(slices.Concat(r.sure(), r.given(),
		influenceSentences(r.Influence), r.good(), more)),
		report.Paragraphs(r.basis())}
	if len(theta) > 0 {
		d.About += ". " + strings.TrimSuffix(theta[0], ".")
	}
	d.Sure.Text = slices.Concat([]string{r.finding()}, r.chance(), r.sure(), columns, r.next())
	if w != nil {
		d.Files = []report.File{{Name: "witness.csv", What: "the witness at each point", Fill: r.writeWitness}}
	}
	if draw := tests.WitnessPicture(tests.FigureTitle(data), data, w, inputPoints(m.Model)); draw != nil {
		d.Figures = []page.Figure{{Draw: draw, File: "figure", What: "the picture",
			Caption: tests.WitnessCaption(data, w, tests.ScaleWords(r.Shown.Two, w))}}
	}
	d.Figures = append(append(d.Figures, r.Sizes.Picture(tests.FigureTitle(data), data)...),
		tests.Parts(data, r.Shown.Two)...)
	d.Rests = page.Section{Heading: "How it was computed", Text: slices.Concat(r.basis(),
		influenceSentences(r.Influence)), Notes: m.Notes,
		Warnings: slices.DeleteFunc(report.Warnings(m.Warnings[len(r.Draws.Warnings):]),
			func(s string) bool { return s == far })} // which stands at the top
	table := r.parameters().Page()
	table.Heading = ""
	d.Chains = page.Section{Heading: "The chains, given their pseudo-inputs",
		Text: append(r.given(), r.good()...), Tables: []page.Table{table},
		Figures:  []page.Figure{{Draw: tracePicture(r), File: "trace", What: "the chains", PNGOnly: true}},
		Warnings: report.Warnings(r.Draws.Warnings)}
	d.More = append(r.Bayes.Section(), moreOf(r)...)
	d.Settings = append(r.Study.Settings(), page.Setting{Name: "chains",
		Value: fmt.Sprintf("%d of %d draws after %d of warm-up", len(r.Run.Chains), r.Draws.Draws,
			r.Draws.Sampler.Warmup)})
	return d
}

// said are the warnings, but for the one beside the finding.
func said(warnings []draws.Warning) []string {
	var out []string
	for _, w := range warnings {
		if w.Kind != bke.WarnHeavyTails {
			out = append(out, "Warning: "+w.String())
		}
	}
	return out
}

// moreOf is the figure at the other scale, and the comparisons that the user asked for.
func moreOf(r *sampled) []page.Section {
	var out []page.Section
	d := r.Study.Data
	if w := r.Shown.Other; w != nil && !sameScale(w, r.Shown.witness()) {
		if draw := tests.WitnessPicture(tests.FigureTitle(d), d, w, nil); draw != nil {
			out = append(out, page.Section{Heading: "At another scale", Figures: []page.Figure{{Draw: draw,
				Caption: tests.WitnessCaption(d, w, tests.ScaleWords(r.Shown.Two, w))}}})
		}
	}
	for _, t := range r.tables() {
		out = append(out, page.Section{Heading: strings.SplitN(t.Intro, ":", 2)[0],
			Tables: []page.Table{{Head: t.Head, Rows: t.Rows, Note: t.Intro}}})
	}
	return out
}

// sameScale reports whether pictures of two witnesses would look alike: their lengthscales are within 5%.
func sameScale(a, b *compare.Witness) bool {
	for k, t := range a.Theta {
		if b == nil || k >= len(b.Theta) || math.Abs(math.Log(t/b.Theta[k])) > 0.05 {
			return false
		}
	}
	return true
}

// inputPoints are the pseudo-inputs of one column, in the units of the data.
func inputPoints(m study.ModelRecord) []float64 {
	var z []float64
	for _, row := range m.Z {
		z = append(z, float64(row[0]))
	}
	return z
}

// tracePicture draws the chains.
func tracePicture(r *sampled) figure.Trace {
	f := figure.Trace{}
	for k, p := range r.Draws.Parameters {
		f.Names = append(f.Names, p.Name)
		f.Chains = append(f.Chains, r.Run.Column(k))
		f.RHat = append(f.RHat, p.RHat)
		f.ESS = append(f.ESS, p.ESSBulk)
	}
	return f
}
