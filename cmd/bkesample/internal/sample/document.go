package sample

import (
	"fmt"
	"slices"
	"strings"

	"bayeskernel/bke"
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// document reports the result of a run.
func (r *sampled) document() *report.Document {
	data, m, w := r.Study.Data, r.record(), r.Shown.witness()
	d := &report.Document{Page: data.Page(r.title()), Record: m,
		Rejects: m.Test != nil && m.Test.Reject}
	lead := report.Paragraphs{}
	if data.Synthetic {
		n, _ := data.P.Dims()
		lead = append(lead, fmt.Sprintf("The data are %s, n = %d of each.", data.Source, n))
	}
	if r.Partial {
		d.Alerts = append(d.Alerts, r.ended())
		m.Found = append(m.Found, r.ended())
	}
	lead = append(append(lead, m.Found...), r.finding())
	far := outliers(m.Warnings)
	if far != "" {
		d.Alerts, lead = append(d.Alerts, far), append(lead, "Warning: "+far)
	}
	sure := append(slices.Concat(r.sure(), influenceSentences(r.Influence)), r.worth(m)...)
	m.Found = append(append(m.Found, r.finding()), sure...)

	d.Printed = []report.Block{lead}
	d.Sure.Text = append([]string{r.finding()}, r.sure()...)
	if s := r.Study.IntervalSentence(study.PosteriorIs); s != "" {
		d.Printed = append(d.Printed, report.Paragraphs{s})
		d.Sure.Text = append(d.Sure.Text, s)
	}
	r.Sizes.Add(&d.Sure, r.Shown.Two)
	d.Printed = append(d.Printed, r.parameters(), report.Paragraphs(append(r.Bayes.Sentences(), sure...)),
		report.Paragraphs(r.basis()))
	for _, t := range r.tables() {
		d.Printed = append(d.Printed, t)
	}
	if w != nil {
		d.Files = []report.File{{Name: "witness.csv", What: "the witness at each point", Fill: r.writeWitness}}
	}
	if draw := tests.WitnessPicture(tests.FigureTitle(data), data, w, inputPoints(m.Model)); draw != nil {
		d.Figures = []page.Figure{{Draw: draw, File: "figure", What: "the picture",
			Caption: tests.WitnessCaption(data, w, tests.ScaleWords(r.Shown.Two, w))}}
	}
	d.Figures = append(append(d.Figures, r.Sizes.Picture(tests.FigureTitle(data), data)...),
		tests.Parts(data, r.Shown.Two)...)
	d.Chains = page.Section{Tables: []page.Table{r.parameters().Page()},
		Figures:  []page.Figure{{Draw: tracePicture(r), File: "trace", What: "the chains", PNGOnly: true}},
		Warnings: report.Warnings(r.Draws.Warnings)}
	if s := r.good(); s != "" {
		d.Chains.Text = []string{s}
	}
	d.Rests = page.Section{Text: append(r.basis(), influenceSentences(r.Influence)...), Notes: m.Notes,
		Warnings: slices.DeleteFunc(report.Warnings(m.Warnings[len(r.Draws.Warnings):]),
			func(s string) bool { return s == far })} // which stands at the top
	d.More = append(r.Bayes.Section(), moreOf(r)...)
	d.Settings = append(r.Study.Settings(), page.Setting{Name: "chains",
		Value: fmt.Sprintf("%d of %d draws after %d of warm-up", len(r.Run.Chains), r.Draws.Draws,
			r.Draws.Sampler.Warmup)})
	return d
}

// worth says how good the draws are, and what to do about it.
func (r *sampled) worth(m *Record) []string {
	var out []string
	if s := r.good(); s != "" {
		out = append(out, s)
	}
	for _, w := range m.Warnings {
		if w.Kind != bke.WarnHeavyTails {
			out = append(out, "Warning: "+w.String())
		}
	}
	return append(out, m.Notes...)
}

// moreOf is the figure at the other scale, and the comparisons that the user asked for.
func moreOf(r *sampled) []page.Section {
	var out []page.Section
	d := r.Study.Data
	if w := r.Shown.Other; w != nil {
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
