package tell

import (
	"fmt"
	"math"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/kerneltest/bayesfactor"
)

// bayesRecord is what summary.json says of a Bayes factor.
type bayesRecord struct {
	LogBF        number         `json:"log_bf"`
	Probability  number         `json:"probability"`
	Floor        number         `json:"floor_log10"`
	Words        string         `json:"words"`
	Paired       bool           `json:"paired"`
	P            number         `json:"p"`
	Permutations int            `json:"permutations"`
	AtLeast      int            `json:"at_least"`
	Scale        quantileRecord `json:"scale"`
	Size         quantileRecord `json:"size"`
	More         []bayesPlace   `json:"more"`
	Notes        []string       `json:"notes"`
}

// quantileRecord is a posterior in three numbers.
type quantileRecord struct {
	Q05    number `json:"q05"`
	Median number `json:"median"`
	Q95    number `json:"q95"`
}

// bayesPlace is where the band excludes 0: a stretch of one column, or the strongest point.
type bayesPlace struct {
	More string   `json:"more"`
	From []number `json:"from"`
	To   []number `json:"to"`
}

func quantilesOf(p bayesfactor.Posterior) quantileRecord {
	return quantileRecord{number(p.Quantile(0.05)), number(p.Quantile(0.5)), number(p.Quantile(0.95))}
}

// newBayesRecord is nil without a Bayes factor.
func newBayesRecord(b *work.Bayes) *bayesRecord {
	if b == nil {
		return nil
	}
	r := &bayesRecord{LogBF: number(b.LogBF), Probability: number(b.Probability),
		Floor: number(b.FloorLog10()), Words: b.Words(), Paired: b.Paired, P: number(b.P),
		Permutations: b.Permutations, AtLeast: b.AtLeast, Scale: quantilesOf(b.Theta),
		Size: quantilesOf(b.S), More: places(b), Notes: append([]string{}, b.Notes...)}
	return r
}

// places are where the band at each point excludes 0: stretches of one column, or else the point
// that is the most standard deviations from 0.
func places(b *work.Bayes) []bayesPlace {
	out := []bayesPlace{}
	w := b.Witness
	if w == nil {
		return out
	}
	sides := BayesSides(b)
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
				out = append(out, bayesPlace{name(sides[i]), numbers(x[from : from+1]),
					numbers(x[i : i+1])})
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
		at := numbers(b.Points.RawRowView(best))
		out = append(out, bayesPlace{name(sides[best]), at, at})
	}
	return out
}

// BayesSides tells at which points the band is above 0 and below.
func BayesSides(b *work.Bayes) []int {
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

// BayesSentences say what a Bayes factor says.
func BayesSentences(b *work.Bayes) []string {
	if b == nil {
		return nil
	}
	kind := ""
	if b.Paired {
		kind = " for pairs of rows"
	}
	out := []string{fmt.Sprintf("Bayes factor%s: P(they differ) = %s if it was 1/2 before; log10 BF = %s, "+
		"%s. With so many rows it cannot be below %s.", kind, Probability(b.Probability),
		twoDigits(b.Log10BF()), b.Words(), twoDigits(b.FloorLog10()))}
	if b.Permutations > 0 {
		out[0] += fmt.Sprintf(" It is at least as large in %d of %d permutations (p = %s).", b.AtLeast,
			b.Permutations, short(b.P))
	}
	scale, size := quantilesOf(b.Theta), quantilesOf(b.S)
	out = append(out, fmt.Sprintf("Given that they differ: on the scale of a lengthscale of %s (90%%: %s to "+
		"%s), and by %s times the pooled density (%s to %s).", short(float64(scale.Median)),
		short(float64(scale.Q05)), short(float64(scale.Q95)), short(float64(size.Median)),
		short(float64(size.Q05)), short(float64(size.Q95))))
	if s := bayesWhere(b); s != "" {
		out = append(out, s)
	}
	for _, n := range b.Notes {
		out = append(out, cli.WithoutPackages(n))
	}
	return out
}

// bayesWhere says where, given that they differ.
func bayesWhere(b *work.Bayes) string {
	if b.Witness == nil {
		return ""
	}
	list := places(b)
	if len(list) == 0 {
		return "The 95% band at each point, given that they differ, excludes 0 nowhere."
	}
	var parts []string
	for _, p := range list {
		if len(b.Axes) == 1 {
			parts = append(parts, fmt.Sprintf("more of %s from %s to %s", p.More, short(float64(p.From[0])),
				short(float64(p.To[0]))))
			continue
		}
		var at []string
		for k, v := range p.From {
			at = append(at, fmt.Sprintf("%s = %s", b.Data.Columns[k], short(float64(v))))
		}
		parts = append(parts, fmt.Sprintf("more of %s, most surely near %s", p.More,
			strings.Join(fewer(at), ", ")))
	}
	return "Given that they differ, by a 95% band at each point: " + cli.AndList(fewer(parts)) + "."
}

// Probability writes two digits of what is far from 0 and 1, and more of what is not.
func Probability(p float64) string {
	switch {
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
