package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/draws"
	"bayeskernel/draws/zarr"
	"bayeskernel/internal/figure"

	"gonum.org/v1/gonum/mat"
)

// report is all that is known when a run has ended.
type report struct {
	job         *sampleJob
	con         *console
	files       []string
	study       *study
	run         *draws.Run
	draws       *draws.Summary
	partial     bool
	interrupted bool
	witness     *witness
	influence   []influence
	summary     *summary
	verdict     []string
}

// fill computes everything.
func (r *report) fill(ctx context.Context) error {
	params, err := hyperparameters(r.study.model, r.run, drawsWanted(r.study))
	if err != nil {
		return err
	}
	line := r.con.working("witness of %s", plural(len(params), "draw"))
	r.witness, err = newWitness(r.study, &r.job.witness, params)
	line.end()
	if err != nil {
		return err
	}
	r.influence = influences(r.study, r.run)
	r.draws.Warnings = slices.DeleteFunc(r.draws.Warnings, func(w draws.Warning) bool {
		met := w.Kind == draws.WarnStopped && strings.HasPrefix(r.draws.Stopped, "targets met")
		if met {
			r.draws.Notes = append(r.draws.Notes, "The run ended early, as -until asks: "+
				r.draws.Stopped+".")
		}
		return met
	})
	r.summary = r.summarise()
	if err := r.compare(ctx); err != nil {
		return err
	}
	r.verdict = r.sentences()
	r.summary.Verdict = r.verdict
	return nil
}

// compare makes the comparisons that were asked for, until it is interrupted.
func (r *report) compare(ctx context.Context) (err error) {
	if r.job.output.verify {
		r.summary.Verify, err = verify(ctx, r.study, r.draws)
	}
	if r.job.output.sensitivity && err == nil {
		r.summary.Sensitivity, err = sensitivity(ctx, r.study, &r.job.witness)
	}
	if ctx.Err() != nil {
		if r.job.output.verify || r.job.output.sensitivity {
			r.summary.Notes = append(r.summary.Notes, "Interrupted before "+r.asked()+" ended.")
		}
		return nil
	}
	return err
}

// asked names the comparisons that were asked for.
func (r *report) asked() string {
	var list []string
	if r.job.output.verify {
		list = append(list, "-verify")
	}
	if r.job.output.sensitivity {
		list = append(list, "-sensitivity")
	}
	return orList(list)
}

// summarise makes summary.json, but for what takes longer.
func (r *report) summarise() *summary {
	s := &summary{SchemaVersion: draws.SchemaVersion, Command: "sample", Partial: r.partial,
		Given: given, Parameters: r.draws.Parameters, Interval: r.study.intervalRecord(),
		Model: r.study.summarise(), Sampler: r.draws.Sampler,
		Seed: r.draws.Seed, Stopped: cmp.Or(r.draws.Interrupted, r.draws.Stopped), Draws: r.draws.Draws, Chains: r.draws.Chains,
		Modes: modeSummaries(r.study.fit), Influence: r.influence, Witness: r.witness.record(),
		Weights: r.study.data.weights.record(r.study.data)}
	s.Model.ThetaColumns = r.thetaColumns()
	hint := "-sensitivity shows by how much here, and for other pseudo-inputs"
	if r.job.output.sensitivity {
		hint = "the table of other choices shows by how much here"
	}
	conditional := r.study.givenInputs("The chains sample the posterior given these", hint)
	ws, notes := modelWarnings(conditional,
		append(r.study.model.Warnings(), r.study.fit.Warnings...)...)
	s.Warnings = append(append([]draws.Warning{}, r.draws.Warnings...), ws...)
	s.Notes = append(append(append([]string{}, r.study.notes...), r.draws.Notes...), notes...)
	return s
}

// thetaColumns is the posterior mean of the lengthscale in the units of each column.
func (r *report) thetaColumns() []number {
	var theta []float64
	for _, p := range r.draws.Parameters {
		if p.Name == "theta" || strings.HasPrefix(p.Name, "theta[") {
			theta = append(theta, p.Mean)
		}
	}
	if r.study.scaling == nil {
		if len(theta) == 1 {
			_, dim := r.study.data.p.Dims()
			for len(theta) < dim {
				theta = append(theta, theta[0])
			}
		}
		return numbers(theta)
	}
	return numbers(r.study.scaling.Theta(theta))
}

// write leaves the files, and none of an earlier run that this one does not write.
func (r *report) write(dir string) error {
	fig, err := r.figure()
	if err != nil {
		return err
	}
	trace, err := r.trace()
	if err != nil {
		return err
	}
	files := []file{
		{"summary.json", func(w io.Writer) error { return writeJSON(w, r.summary) }},
		{"witness.csv", func(w io.Writer) error {
			return r.witness.writeCSV(w, r.study.data.columns)
		}},
		{"trace.png", trace.WritePNG},
	}
	if fig != nil {
		files = append(files, file{"figure.png", fig.WritePNG}, file{"figure.svg", fig.WriteSVG})
	}
	page, err := r.page(fig, trace)
	if err != nil {
		return err
	}
	files = append(files, file{"report.html", page})
	if err := writeFiles(dir, files, "figure.png", "figure.svg"); err != nil {
		return err
	}
	folder := filepath.Join(dir, "draws.zarr")
	if r.job.output.zarr {
		return zarr.Write(folder, r.run, zarr.Options{})
	}
	return os.RemoveAll(folder)
}

// title heads the picture.
func (r *report) title() string {
	d := r.study.data
	n, _ := d.p.Dims()
	if d.q == nil {
		return fmt.Sprintf("Mean embedding of %s, n = %d", d.pName, n)
	}
	k, _ := d.q.Dims()
	if n == k {
		return fmt.Sprintf("%s and %s, n = %d each", d.pName, d.qName, n)
	}
	return fmt.Sprintf("%s (n = %d) and %s (n = %d)", d.pName, n, d.qName, k)
}

// figure draws the witness; nil for more than two columns.
func (r *report) figure() (*figure.Figure, error) {
	d, w := r.study.data, r.witness
	switch len(w.axes) {
	case 1:
		f := figure.Witness1D{Title: r.title(), XLabel: d.columns[0], Level: w.level,
			YLabel: "witness", Points: r.inputPoints(),
			Samples: []figure.Sample{{Name: d.pName, Values: mat.Col(nil, 0, d.p)}},
			Band:    figure.Ribbon{X: w.axes[0], Mean: w.mean, Lower: w.lower, Upper: w.upper}}
		if d.q != nil {
			f.Samples = append(f.Samples, figure.Sample{Name: d.qName, Values: mat.Col(nil, 0, d.q)})
		} else {
			f.YLabel = "mean embedding"
		}
		return f.Draw()
	case 2:
		f := figure.Witness2D{Title: r.title(), X: w.axes[0], Y: w.axes[1], Mean: w.mean,
			Lower: w.lower, Upper: w.upper, XLabel: d.columns[0], YLabel: d.columns[1],
			Level: w.level, Samples: []figure.Cloud{cloud(d.pName, d.p)}}
		if d.q != nil {
			f.Samples = append(f.Samples, cloud(d.qName, d.q))
		}
		return f.Draw()
	}
	return nil, nil
}

// cloud is a sample of two columns for a picture.
func cloud(name string, rows *mat.Dense) figure.Cloud {
	n, _ := rows.Dims()
	c := figure.Cloud{Name: name}
	for i := range n {
		c.Points = append(c.Points, [2]float64{rows.At(i, 0), rows.At(i, 1)})
	}
	return c
}

// inputPoints are the pseudo-inputs of one column, in the units of the data.
func (r *report) inputPoints() []float64 {
	var z []float64
	for _, row := range r.summary.Model.Z {
		z = append(z, float64(row[0]))
	}
	return z
}

// trace draws the chains.
func (r *report) trace() (*figure.Figure, error) {
	f := figure.Trace{}
	for k, p := range r.draws.Parameters {
		f.Names = append(f.Names, p.Name)
		f.Chains = append(f.Chains, r.run.Column(k))
		f.RHat = append(f.RHat, p.RHat)
		f.ESS = append(f.ESS, p.ESSBulk)
	}
	return f.Draw()
}
