// Package show draws the pictures of results and lays out the page.
package show

import (
	"fmt"
	"slices"
	"strings"

	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// Sample is the pictures of a run, and its page.
func Sample(r *tell.Report, beside []folder.File) ([]folder.File, error) {
	d, w := r.Study.Data, r.Shown.Witness()
	p := newPage(r.Title(), d, r.Again)
	if r.Partial {
		p.Alerts = append(p.Alerts, r.Ended())
	}
	if s := r.Outliers(); s != "" {
		p.Alerts = append(p.Alerts, s)
	}
	list := beside
	if draw := witnessPicture(tell.FigureTitle(d), d, w, inputPoints(r)); draw != nil {
		more, err := pictures("figure", draw)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
		p.Figures = append(p.Figures, page.Figure{Draw: draw,
			Caption: witnessCaption(d, w, tell.ScaleWords(r.Shown, w))})
	}
	p.Figures = append(p.Figures, parts(d, r.Shown.Two)...)
	p.Sure.Text = append([]string{r.Finding()}, r.Sure()...)
	if s := tell.IntervalSentence(r.Study, tell.PosteriorIs); s != "" {
		p.Sure.Text = append(p.Sure.Text, s)
	}
	trace := tracePicture(r)
	more, err := pictures("trace", trace)
	if err != nil {
		return nil, err
	}
	list = append(list, more[0])
	p.Chains = page.Section{Figures: []page.Figure{{Draw: trace}},
		Tables: []page.Table{table(r.Parameters())}, Warnings: warnings(r.Draws.Warnings)}
	if s := r.Good(); s != "" {
		p.Chains.Text = []string{s}
	}
	p.Rests = page.Section{Text: append(r.Basis(), tell.InfluenceSentences(r.Influence)...),
		Warnings: warnings(r.Summary.Warnings[len(r.Draws.Warnings):]), Notes: r.Summary.Notes}
	p.Rests.Warnings = slices.DeleteFunc(p.Rests.Warnings, func(s string) bool {
		return s == r.Outliers() // which stands at the top
	})
	p.More = moreOf(r)
	section, beyond, err := bayes(r.Bayes)
	if err != nil {
		return nil, err
	}
	p.More, list = append(section, p.More...), append(list, beyond...)
	s := r.Draws.Sampler
	p.Settings = append(modelSettings(r.Study), page.Setting{Name: "chains",
		Value: fmt.Sprintf("%d of %d draws after %d of warm-up", len(r.Run.Chains), r.Draws.Draws, s.Warmup)})
	return files(p, list, map[string]string{"summary.json": "all numbers", "figure.svg": "the picture",
		"figure.png": "the picture", "witness.csv": "the witness at each point", "trace.png": "the chains",
		"bayes.svg": "the picture of the Bayes factor", "bayes.png": "the picture of the Bayes factor"}), nil
}

// moreOf is the figure at the other scale, and the comparisons that were asked for.
func moreOf(r *tell.Report) []page.Section {
	var out []page.Section
	d := r.Study.Data
	if w := r.Shown.Other; w != nil {
		if draw := witnessPicture(tell.FigureTitle(d), d, w, nil); draw != nil {
			out = append(out, page.Section{Heading: "At another scale", Figures: []page.Figure{{Draw: draw,
				Caption: witnessCaption(d, w, tell.ScaleWords(r.Shown, w))}}})
		}
	}
	for _, t := range r.Comparisons() {
		out = append(out, page.Section{Heading: strings.SplitN(t.Intro, ":", 2)[0],
			Tables: []page.Table{{Head: t.Head, Rows: t.Rows, Note: t.Intro}}})
	}
	return out
}

// inputPoints are the pseudo-inputs of one column, in the units of the data.
func inputPoints(r *tell.Report) []float64 {
	var z []float64
	for _, row := range r.Summary.Model.Z {
		z = append(z, float64(row[0]))
	}
	return z
}

// tracePicture draws the chains.
func tracePicture(r *tell.Report) figure.Trace {
	f := figure.Trace{}
	for k, p := range r.Draws.Parameters {
		f.Names = append(f.Names, p.Name)
		f.Chains = append(f.Chains, r.Run.Column(k))
		f.RHat = append(f.RHat, p.RHat)
		f.ESS = append(f.ESS, p.ESSBulk)
	}
	return f
}
