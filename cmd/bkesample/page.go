package main

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"bayeskernel/internal/figure"
)

//go:embed report.html
var pageText string

// samplePage returns what writes report.html: one file that needs no other and no network.
func samplePage(r *report, fig, trace *figure.Figure) (func(io.Writer) error, error) {
	t, err := template.New("report").Parse(pageText)
	if err != nil {
		return nil, err
	}
	var inline string
	if fig != nil {
		if inline, err = fig.InlineSVG(); err != nil {
			return nil, err
		}
	}
	var png bytes.Buffer
	if err := trace.WritePNG(&png); err != nil {
		return nil, err
	}
	type row struct {
		Name  string
		Cells []string
	}
	data := struct {
		Title, Model, Command, Version, Caption string
		Interval                                string
		Synthetic, Partial                      bool
		Figure                                  template.HTML
		Trace                                   template.URL
		Rows                                    []row
		Verdict, Prior, Warnings, Notes         []string
		Verify                                  []verified
		Sensitivity                             []sensitivityRow
	}{Title: r.title(), Model: r.study.data.source + ": " + r.study.describe(),
		Command: r.command, Version: version(), Synthetic: r.study.data.synthetic,
		Partial: r.partial, Figure: template.HTML(inline),
		Trace: template.URL("data:image/png;base64," +
			base64.StdEncoding.EncodeToString(png.Bytes())),
		Notes: r.summary.Notes, Verify: r.verified, Sensitivity: r.sensitivity}
	data.Caption = caption(r)
	data.Interval, data.Prior = intervalSentence(r.study, posteriorIs), influenceSentences(r.influence)
	for _, p := range r.draws.Parameters {
		data.Rows = append(data.Rows, row{p.Name, []string{figures(p.Mean), error2(p.MCSEMean),
			figures(p.SD), figures(p.Q05), figures(p.Q50), figures(p.Q95), whole(p.ESSBulk),
			whole(p.ESSTail), fixed(p.RHat)}})
	}
	for _, w := range r.summary.Warnings {
		data.Warnings = append(data.Warnings, w.String())
	}
	for _, s := range r.verdict {
		if !strings.HasPrefix(s, "Warning: ") && !slices.Contains(r.summary.Notes, s) &&
			!slices.Contains(data.Prior, s) {
			data.Verdict = append(data.Verdict, s)
		}
	}
	return func(w io.Writer) error { return t.Execute(w, data) }, nil
}

// caption says what the picture shows.
func caption(r *report) string {
	w := r.witness
	of := "the witness function mu_P - mu_Q"
	if w.single {
		of = "the mean embedding mu_P"
	}
	samples := "the samples"
	if r.study.data.weights != nil {
		samples += ", without their weights"
	}
	if len(w.axes) == 2 {
		return fmt.Sprintf("Left: %s. Right: the posterior mean of %s, outlined where the "+
			"%.6g%% band at each point excludes 0.", samples, of, 100*w.level)
	}
	return fmt.Sprintf("Above: %s. Below: the posterior mean of %s, integrated over the "+
		"hyperparameters, with its %.6g%% band at each point.", samples, of, 100*w.level)
}
