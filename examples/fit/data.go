package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/examples/internal/report"
	"bayeskernel/formula"
	"bayeskernel/frame"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/figure"
	"bayeskernel/model"
	"bayeskernel/nuts"
	"bayeskernel/stein"
	"bayeskernel/stein/runs"

	"gonum.org/v1/gonum/mathext"
)

// The tables and R's checks of them: checks.R writes both.
//
//go:embed data/*.csv checks.txt
var files embed.FS

// fitted is a model of a table: a formula with a family, or one that is declared.
type fitted struct {
	formula, family string
	declared        func(y []float64) *model.Model
}

func (m fitted) String() string {
	if m.family == "" {
		return m.formula
	}
	return m.formula + ", " + m.family
}

// sets have an obvious model each, and an adequate one.
var sets = []struct {
	name, what        string
	obvious, adequate fitted
}{
	{"galaxies", "speeds of 82 galaxies", fitted{formula: "speed ~ 1", family: "gaussian"},
		fitted{formula: "a mixture of three normals", declared: threeNormals}},
	{"ozone", "111 days in New York", fitted{formula: "Ozone ~ Solar + Wind + Temp", family: "gaussian"},
		fitted{formula: "I(Ozone^(1/3)) ~ Solar + poly(Wind, 2) + poly(Temp, 2)", family: "gaussian"}},
	{"copper", "24 measurements of copper in flour", fitted{formula: "copper ~ 1", family: "gaussian"},
		fitted{formula: "copper ~ 1", family: "student"}},
	{"light", "66 measurements of the speed of light", fitted{formula: "time ~ 1", family: "gaussian"},
		fitted{formula: "time ~ 1", family: "student"}},
	{"mammals", "weights of 62 mammals", fitted{formula: "brain ~ body", family: "gaussian"},
		fitted{formula: "log(brain) ~ log(body)", family: "gaussian"}},
	{"trees", "timber of 31 trees", fitted{formula: "Volume ~ Girth + Height", family: "gaussian"},
		fitted{formula: "log(Volume) ~ log(Girth) + log(Height)", family: "gaussian"}},
	{"leukaemia", "survival of 33 patients", fitted{formula: "time ~ log(wbc) + ag", family: "gaussian"},
		fitted{formula: "time ~ log(wbc) + ag", family: "weibull"}},
	{"nile", "100 years of the Nile, before the dam and after", fitted{formula: "flow ~ 1", family: "gaussian"},
		fitted{formula: "flow ~ dam", family: "gaussian"}},
	{"women", "heights and weights of 15 women", fitted{formula: "weight ~ height", family: "gaussian"},
		fitted{formula: "weight ~ height + I(height^2)", family: "gaussian"}},
	{"cars", "stopping distances of 50 cars", fitted{formula: "dist ~ speed", family: "gaussian"},
		fitted{formula: "sqrt(dist) ~ speed", family: "gaussian"}},
}

// threeNormals is a mixture whose means are about 10, 21 and 33: with vaguer priors chains find several modes.
func threeNormals(y []float64) *model.Model {
	m := model.New()
	w, sd := m.Simplex("w", 3, model.Dirichlet(2)), m.Positives("sigma", 3, model.LogNormal(0, .5))
	var parts []model.Dist
	for k, about := range []float64{10, 21, 33} {
		parts = append(parts, model.Normal(m.Real(fmt.Sprintf("mu%d", k+1), model.Normal(about, 1)), sd.El(k)))
	}
	m.Observe(m.Data("y", y), model.Mix(w, parts...))
	return m
}

func tables(ctx context.Context, s report.Study, figures string, out io.Writer) error {
	checks, err := readChecks()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Goodness of fit, seed %d. R's checks of the residuals: p of Shapiro and Wilk (SW), of squares of the fitted values (RESET), and of\n"+
		"Breusch and Pagan (BP).\n\n", s.Seed)
	fmt.Fprintln(out, "| data | model | p | shape | columns | where | SW RESET BP |")
	fmt.Fprintln(out, "| --- | --- | --: | --: | --: | --- | --- |")
	for _, set := range sets {
		if !strings.Contains(set.name, s.Only) {
			continue
		}
		for _, of := range []struct {
			kind string
			m    fitted
		}{{"obvious", set.obvious}, {"adequate", set.adequate}} {
			t, err := table(ctx, set.name)
			if err != nil {
				return err
			}
			g, err := test(ctx, t, of.m, s.Seed)
			if err != nil {
				return fmt.Errorf("%s: %w", set.name, err)
			}
			name := set.name + " " + of.kind
			given, where := "", ""
			if !math.IsNaN(g.PGiven) {
				given = fmt.Sprintf("%.2g", g.PGiven)
			}
			if !g.Fits() {
				where = fmt.Sprintf("more at %.1f, fewer at %.1f", g.Most.Residual[0], g.Least.Residual[0])
				if g.Given() {
					where += fmt.Sprintf(" (rows %d, %d)", g.Most.Row+1, g.Least.Row+1)
				}
			}
			fmt.Fprintf(out, "| %s | %s | %.2g | %.2g | %s | %s | %s |\n", set.name, strings.ReplaceAll(of.m.String(), "|", "\\|"), g.P, g.PShape,
				given, where, checks[name])
			if figures != "" {
				if err := os.MkdirAll(figures, 0o755); err != nil {
					return err
				}
				if err := quantiles(filepath.Join(figures, strings.ReplaceAll(name, " ", "-")+".png"), name, g); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// readChecks are R's p-values by data set and model.
func readChecks() (map[string]string, error) {
	text, err := files.ReadFile("checks.txt")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		name, p, _ := strings.Cut(line, "|")
		out[name] = strings.ReplaceAll(p, "NA", "–")
	}
	return out, nil
}

// table reads a data set.
func table(ctx context.Context, name string) (*frame.Frame, error) {
	text, err := files.ReadFile("data/" + name + ".csv")
	if err != nil {
		return nil, err
	}
	return frame.Read(ctx, "-", frame.Options{Stdin: bytes.NewReader(text)})
}

// test fits a model to a table, and looks at its residuals. A declared model takes the first column.
func test(ctx context.Context, t *frame.Frame, m fitted, seed uint64) (*stein.Goodness, error) {
	if m.declared != nil {
		c, _ := t.Column(t.Names[0])
		p, err := m.declared(c.Floats()).Compile()
		if err != nil {
			return nil, err
		}
		return look(ctx, p, stein.Fitting{Seed: seed}, seed)
	}
	f, err := formula.Parse(m.formula)
	if err != nil {
		return nil, err
	}
	r, err := f.Model(t, formula.Options{Family: m.family})
	if err != nil {
		return nil, err
	}
	o := stein.Fitting{Seed: seed}
	if x, free := r.Covariates(); x != nil {
		o.X, o.Linear = x, free
	}
	return look(ctx, r.Program, o, seed)
}

// errApart says that draws are not of the posterior.
var errApart = errors.New("the chains do not agree")

// look samples a program.
func look(ctx context.Context, p *model.Program, o stein.Fitting, seed uint64) (*stein.Goodness, error) {
	var c nuts.Config
	c.Seed, c.Draws, c.Parallel = seed, 250, 1
	run, err := nuts.Sample(ctx, p.Target, c)
	if err != nil {
		return nil, err
	}
	var all [][]float64
	for _, c := range run.Chains {
		all = append(all, c.Values...)
	}
	if runs.Apart(run) {
		return nil, errApart
	}
	o.Again = runs.Again(p, run)
	return stein.Fit(ctx, p, all, o)
}

// quantiles draws residuals against normal quantiles: points on a line if the model fits.
func quantiles(path, name string, g *stein.Goodness) error {
	n, _ := g.Residuals.Dims()
	e := make([]float64, n)
	for i := range e {
		e[i] = g.Residuals.At(i, 0)
	}
	slices.Sort(e)
	rows, line := figure.Series{Name: "residuals", Y: e, Apart: true}, figure.Series{Name: "as the model says"}
	for i := range e {
		rows.X = append(rows.X, mathext.NormalQuantile((float64(i)+.5)/float64(n)))
	}
	line.X = []float64{rows.X[0], rows.X[n-1]}
	line.Y = line.X
	f, err := figure.Curves{Title: name, XLabel: "normal quantile", YLabel: "residual, in standard deviations",
		Series: []figure.Series{rows, line}, Note: fmt.Sprintf("p = %.2g", g.P)}.Draw()
	if err != nil {
		return err
	}
	return atomicfile.Write(path, f.WritePNG)
}
