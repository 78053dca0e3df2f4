package study

import (
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/page"
	"fmt"
	"strconv"
	"strings"
)

// Interval is the interval of theta in summary.json, in the units of theta there.
type Interval struct {
	From        report.Number `json:"from" doc:"The lower end."`
	To          report.Number `json:"to" doc:"The upper end."`
	Level       report.Number `json:"level" doc:"The probability that the interval is to have."`
	Temper      report.Number `json:"temper" doc:"The power of the pseudolikelihood, at most 1, that gives the right spread."`
	SDSandwich  report.Number `json:"sd_sandwich" doc:"The standard deviation of log theta by the sandwich formula."`
	SDJackknife report.Number `json:"sd_jackknife" doc:"The same by a jackknife over ten groups of rows."`
	SDSeeds     report.Number `json:"sd_seeds" doc:"The same over other pseudo-inputs; 0 where these have no seed."`
}

// IntervalRecord is the interval for summary.json; nil if there is none.
func (s *Study) IntervalRecord() *Interval {
	v := s.Interval
	if v == nil {
		return nil
	}
	return &Interval{From: report.Number(v.From), To: report.Number(v.To), Level: report.Number(v.Level),
		Temper: report.Number(v.Temper), SDSandwich: report.Number(v.SDSandwich),
		SDJackknife: report.Number(v.SDJackknife), SDSeeds: report.Number(v.SDSeeds)}
}

// PosteriorIs names what the main command compares its interval with.
const PosteriorIs = "The posterior given these pseudo-inputs"

// A lengthscale above unbounded times the sd of the data makes the kernel almost flat: the
// likelihood no longer changes.
const unbounded = 100

// UpperEndOpen reports whether the data give the interval of theta no upper limit.
func (s *Study) UpperEndOpen() bool { return s.Interval.To > unbounded*s.Model.PooledSD() }

// IntervalSentence says how certain theta is; "" if that is unknown. narrower names what gives a
// narrower interval: the posterior, or the pseudolikelihood.
func (s *Study) IntervalSentence(narrower string) string {
	v := s.Interval
	if v == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%.6g%% interval of theta: ", 100*v.Level)
	if s.UpperEndOpen() {
		fmt.Fprintf(&b, "above %s, with no upper limit from the data", report.Figures(v.From))
	} else {
		fmt.Fprintf(&b, "%s to %s", report.Figures(v.From), report.Figures(v.To))
	}
	if s.Scaling != nil {
		b.WriteString(", for columns divided by their sd")
	}
	switch n, dim := s.Model.N(), s.Model.Dim(); {
	case v.AtLeast && dim > 1:
		b.WriteString(" (or wider: with several columns this may be too narrow)")
	case v.AtLeast:
		fmt.Fprintf(&b, " (or wider: with only %d rows this may be too narrow)", n)
	}
	b.WriteString(".")
	if v.Temper > 0.9 {
		return b.String()
	}
	fmt.Fprintf(&b, " %s gives log theta a variance about %s times smaller, because a "+
		"pseudolikelihood overstates the information in each row", narrower, report.Roundly(1/v.Temper))
	if v.SDSeeds > 0 {
		b.WriteString(" and the pseudo-inputs are taken as given")
	}
	b.WriteString(".")
	return b.String()
}

// Settings are the settings of a learned kernel, for the page.
func (s *Study) Settings() []page.Setting {
	list := []page.Setting{
		{Name: "kernel", Value: s.Radial.String()},
		{Name: "pseudo-inputs", Value: fmt.Sprintf("%d, %s", s.Model.M(), s.whence())},
		{Name: "weight", Value: strconv.FormatFloat(s.Model.Weight(), 'g', 4, 64)},
		{Name: "nu", Value: s.Flags.Nu},
		{Name: "columns scaled", Value: s.Standardize},
		{Name: "seed", Value: strconv.FormatUint(s.Flags.Seed, 10)},
		{Name: "numerical path", Value: s.Model.Path()},
	}
	if s.Flags.Ard {
		list = append(list, page.Setting{Name: "lengthscales", Value: "one for each column"})
	}
	return list
}

// Thetas writes lengthscales with four digits.
func Thetas(list []report.Number) string {
	text := ""
	for i, t := range list {
		if i > 0 {
			text += " "
		}
		text += report.Figures(float64(t))
	}
	return text
}
