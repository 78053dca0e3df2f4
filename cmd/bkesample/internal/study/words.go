package study

import (
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/page"
	"fmt"
	"strconv"
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

// A lengthscale above unbounded times the sd of the data makes the kernel almost flat: the
// likelihood no longer changes.
const unbounded = 100

// UpperEndOpen reports whether the data give the interval of theta no upper limit.
func (s *Study) UpperEndOpen() bool { return s.Interval.To > unbounded*s.Model.PooledSD() }

// IntervalSentence says how certain theta is; "" if that is unknown.
func (s *Study) IntervalSentence() string {
	v := s.Interval
	if v == nil {
		return ""
	}
	text := fmt.Sprintf("%.6g%% interval of theta, the lengthscale of the kernel: %s", 100*v.Level, s.IntervalEnds())
	if s.Scaling != nil {
		text += ", for columns divided by their sd"
	}
	return text + s.IntervalCaveat() + "."
}

// IntervalEnds are the ends of the interval of theta.
func (s *Study) IntervalEnds() string {
	if s.UpperEndOpen() {
		return fmt.Sprintf("above %s, with no upper limit from the data", report.Figures(s.Interval.From))
	}
	return fmt.Sprintf("%s to %s", report.Figures(s.Interval.From), report.Figures(s.Interval.To))
}

// IntervalCaveat says if the interval of theta may be too narrow; "" if not.
func (s *Study) IntervalCaveat() string {
	switch n, dim := s.Model.N(), s.Model.Dim(); {
	case s.Interval == nil || !s.Interval.AtLeast:
		return ""
	case dim > 1:
		return " (or wider: with several columns this may be too narrow)"
	default:
		return fmt.Sprintf(" (or wider: with only %d rows this may be too narrow)", n)
	}
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
