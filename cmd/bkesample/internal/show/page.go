package show

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/internal/figure"
)

//go:embed report.html
var pageText string

// samplePage returns what writes report.html: one file that needs no other and no network.
func samplePage(r *tell.Report, fig, trace *figure.Figure) (func(io.Writer) error, error) {
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
		Verify                                  []work.Verified
		Sensitivity                             []work.SensitivityRow
	}{Title: r.Title(), Model: r.Study.Data.Source + ": " + r.Study.Describe(),
		Command: r.Command, Version: cli.Version(), Synthetic: r.Study.Data.Synthetic,
		Partial: r.Partial, Figure: template.HTML(inline),
		Trace: template.URL("data:image/png;base64," +
			base64.StdEncoding.EncodeToString(png.Bytes())),
		Notes: r.Summary.Notes, Verify: r.Verified, Sensitivity: r.Sensitivity}
	data.Caption = caption(r)
	data.Interval = tell.IntervalSentence(r.Study, tell.PosteriorIs)
	data.Prior = tell.InfluenceSentences(r.Influence)
	for _, p := range r.Draws.Parameters {
		data.Rows = append(data.Rows, row{p.Name, tell.ParameterCells(p)})
	}
	for _, w := range r.Summary.Warnings {
		data.Warnings = append(data.Warnings, w.String())
	}
	for _, s := range r.Verdict {
		if !strings.HasPrefix(s, "Warning: ") && !slices.Contains(r.Summary.Notes, s) &&
			!slices.Contains(data.Prior, s) {
			data.Verdict = append(data.Verdict, s)
		}
	}
	return func(w io.Writer) error { return t.Execute(w, data) }, nil
}

// caption says what the picture shows.
func caption(r *tell.Report) string {
	w := r.Witness
	of := "the witness function mu_P - mu_Q"
	if w.Single {
		of = "the mean embedding mu_P"
	}
	samples := "the samples"
	if r.Study.Data.Weights != nil {
		samples += ", without their weights"
	}
	if len(w.Axes) == 2 {
		return fmt.Sprintf("Left: %s. Right: the posterior mean of %s, outlined where the "+
			"%.6g%% band at each point excludes 0.", samples, of, 100*w.Level)
	}
	return fmt.Sprintf("Above: %s. Below: the posterior mean of %s, integrated over the "+
		"hyperparameters, with its %.6g%% band at each point.", samples, of, 100*w.Level)
}
