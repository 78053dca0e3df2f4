package tests

import (
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/compare"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
	"bayeskernel/kerneltest/bayesfactor"
	"cmp"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// BayesRecord is the part of summary.json on a Bayes factor.
type BayesRecord struct {
	LogBF        report.Number  `json:"log_bf" doc:"The natural logarithm of the Bayes factor of a difference over sameness."`
	Probability  report.Number  `json:"probability" doc:"The probability that the samples differ, if it was 1/2 before."`
	Floor        report.Number  `json:"floor_log10" doc:"The smallest logarithm to base 10 that the Bayes factor can have with so many rows."`
	Words        string         `json:"words" doc:"How strong the evidence is, and for what (Kass and Raftery, 1995)."`
	Paired       bool           `json:"paired" doc:"Whether rows belong together in pairs."`
	P            report.Number  `json:"p" doc:"The p-value of the Bayes factor by permutation."`
	Permutations int            `json:"permutations" doc:"The number of permutations."`
	AtLeast      int            `json:"at_least" doc:"How many permutations had a Bayes factor at least as large."`
	Scale        quantileRecord `json:"scale" doc:"The posterior of the lengthscale given a difference, in the units of the data."`
	Size         quantileRecord `json:"size" doc:"The posterior of the prior standard deviation of the difference relative to the pooled density, given a difference."`
	More         []bayesPlace   `json:"more" doc:"Where one sample has more given a difference, by a 95% band at each point: stretches of one column, or the surest point of several."`
	Notes        []string       `json:"notes" doc:"Warnings, in sentences."`
}

// quantileRecord summarises a posterior by three numbers.
type quantileRecord struct {
	Q05    report.Number `json:"q05" doc:"The 5% quantile."`
	Median report.Number `json:"median" doc:"The median."`
	Q95    report.Number `json:"q95" doc:"The 95% quantile."`
}

// bayesPlace is a place where the band excludes 0: an interval of one column, or the strongest
// point.
type bayesPlace struct {
	More string          `json:"more" doc:"The sample of which there is more, by its name in samples."`
	From []report.Number `json:"from" doc:"The left end, or the point."`
	To   []report.Number `json:"to" doc:"The right end, or the point."`
}

func quantilesOf(p bayesfactor.Posterior) quantileRecord {
	return quantileRecord{report.Number(p.Quantile(0.05)), report.Number(p.Quantile(0.5)), report.Number(p.Quantile(0.95))}
}

// Record is the part of summary.json; nil without a Bayes factor.
func (b *Bayes) Record() *BayesRecord {
	if b == nil {
		return nil
	}
	return &BayesRecord{LogBF: report.Number(b.LogBF), Probability: report.Number(b.Probability),
		Floor: report.Number(b.FloorLog10()), Words: b.Words(), Paired: b.Paired, P: report.Number(b.P),
		Permutations: b.Permutations, AtLeast: b.AtLeast, Scale: quantilesOf(b.Theta),
		Size: quantilesOf(b.S), More: b.places(), Notes: append([]string{}, b.Notes...)}
}

// places are where the pointwise band excludes 0: intervals of one column, otherwise the point most
// standard deviations from 0.
func (b *Bayes) places() []bayesPlace {
	out := []bayesPlace{}
	w := b.Witness
	if w == nil {
		return out
	}
	sides := b.sides()
	name := func(side int) string {
		if side < 0 {
			return b.Data.QName
		}
		return b.Data.PName
	}
	if len(b.Axes) == 1 {
		x := b.Axes[0]
		for i, from := 0, 0; i < len(sides); i++ {
			if i > 0 && sides[i] != sides[i-1] {
				from = i
			}
			if sides[i] != 0 && (i == len(sides)-1 || sides[i+1] != sides[i]) {
				out = append(out, bayesPlace{name(sides[i]), report.Numbers(x[from : from+1]),
					report.Numbers(x[i : i+1])})
			}
		}
		return out
	}
	best := -1
	for i, side := range sides {
		if side != 0 && (best < 0 || math.Abs(w.Mean[i])/w.SD[i] > math.Abs(w.Mean[best])/w.SD[best]) {
			best = i
		}
	}
	if best >= 0 {
		at := report.Numbers(b.Points.RawRowView(best))
		out = append(out, bayesPlace{name(sides[best]), at, at})
	}
	return out
}

// sides says at which points the band is above 0 or below.
func (b *Bayes) sides() []int {
	out := make([]int, len(b.Witness.Mean))
	for i := range out {
		switch {
		case b.Witness.Low[i] > 0:
			out[i] = 1
		case b.Witness.High[i] < 0:
			out[i] = -1
		}
	}
	return out
}

// Sentences report the Bayes factor; none without one.
func (b *Bayes) Sentences() []string {
	if b == nil {
		return nil
	}
	kind := ""
	if b.Paired {
		kind = " for pairs of rows"
	}
	out := []string{fmt.Sprintf("Bayes factor%s: P(they differ) = %s if it was 1/2 before; log10 BF = %s, "+
		"%s. With so many rows log10 BF cannot be below %s.", kind, Probability(b.Probability),
		twoDigits(b.Log10BF()), b.Words(), twoDigits(b.FloorLog10()))}
	if b.Permutations > 0 {
		out[0] += fmt.Sprintf(" The factor is at least as large in %d of %d permutations (p = %s).", b.AtLeast,
			b.Permutations, report.Short(b.P))
	}
	scale, size := quantilesOf(b.Theta), quantilesOf(b.S)
	out = append(out, fmt.Sprintf("Given that they differ: on the scale of a lengthscale of %s (90%%: %s to "+
		"%s), and by %s times the pooled density (%s to %s).", report.Short(float64(scale.Median)),
		report.Short(float64(scale.Q05)), report.Short(float64(scale.Q95)), report.Short(float64(size.Median)),
		report.Short(float64(size.Q05)), report.Short(float64(size.Q95))))
	if s := b.where(); s != "" {
		out = append(out, s)
	}
	for _, n := range b.Notes {
		out = append(out, cli.WithoutPackages(n))
	}
	return out
}

// where says where the samples differ, given that they do.
func (b *Bayes) where() string {
	if b.Witness == nil {
		return ""
	}
	list := b.places()
	if len(list) == 0 {
		return "The 95% band at each point, given that they differ, excludes 0 nowhere."
	}
	all := b.Data.Pooled().RawMatrix()
	at := func(column int, v float64) string {
		return cmp.Or(b.Data.Write(b.Data.Columns[column], v), compare.Coordinate(all.Data, all.Cols, column, v))
	}
	var parts []string
	for _, p := range list {
		if len(b.Axes) == 1 {
			parts = append(parts, fmt.Sprintf("more of %s from %s to %s", p.More, at(0, float64(p.From[0])),
				at(0, float64(p.To[0]))))
			continue
		}
		var place []string
		for k, v := range p.From {
			place = append(place, fmt.Sprintf("%s = %s", b.Data.Columns[k], at(k, float64(v))))
		}
		parts = append(parts, fmt.Sprintf("more of %s, most surely near %s", p.More,
			strings.Join(cli.Fewer(place), ", ")))
	}
	return "Given that they differ, by a 95% band at each point: " + cli.AndList(cli.Fewer(parts)) + "."
}

// Probability writes two digits, and more if the probability is close to 0 or 1.
func Probability(p float64) string {
	switch {
	case p > 1-1e-15:
		return "1 - 1e-15 or more"
	case p > 0.995:
		return "1 - " + fmt.Sprintf("%.2g", 1-p)
	case p < 0.1:
		return fmt.Sprintf("%.2g", p)
	}
	return fmt.Sprintf("%.2f", p)
}

// twoDigits writes a logarithm.
func twoDigits(v float64) string {
	if s := fmt.Sprintf("%.2f", v); s != "-0.00" {
		return s
	}
	return "0.00"
}

// Section is the section of the page on the Bayes factor; none without one.
func (b *Bayes) Section() []page.Section {
	if b == nil {
		return nil
	}
	s := page.Section{Heading: "Bayes factor", Text: b.Sentences()}
	if draw := b.picture(); draw != nil {
		s.Figures = []page.Figure{{Draw: draw, File: "bayes", What: "the picture of the Bayes factor",
			Caption: "Where they differ, given that they differ: the posterior mean of the difference of the " +
				"smoothed densities, positive where there is more of " + b.Data.PName + ", averaged over " +
				"lengthscale and amplitude, with its 95% band at each point. Coloured: where that excludes 0."}}
	}
	return []page.Section{s}
}

// picture draws the witness of one or two columns; nil for more.
func (b *Bayes) picture() figure.Drawer {
	const level = 0.95
	d, w := b.Data, b.Witness
	title := "Difference given that they differ, P = " + Probability(b.Probability)
	switch {
	case w == nil:
		return nil
	case len(b.Axes) == 1:
		f := figure.Witness1D{Title: title, XLabel: d.Columns[0], YLabel: "difference", Level: level,
			Samples: []figure.Sample{{Name: d.PName, Values: mat.Col(nil, 0, d.P)},
				{Name: d.QName, Values: mat.Col(nil, 0, d.Q)}},
			Band: figure.Ribbon{X: b.Axes[0], Mean: w.Mean, Lower: w.Low, Upper: w.High}}
		f.Regions = figure.Excluded(f.Band)
		return f
	case len(b.Axes) == 2:
		return figure.Witness2D{Title: title, X: b.Axes[0], Y: b.Axes[1], Mean: w.Mean, Lower: w.Low,
			Upper: w.High, XLabel: d.Columns[0], YLabel: d.Columns[1], Level: level,
			Sides: b.sides(), Samples: clouds(d, 0, 1)}
	}
	return nil
}
