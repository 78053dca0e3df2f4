package tell

import (
	"fmt"
	"strings"

	"bayeskernel/cmd/bkesample/internal/work"
)

// Interval is the interval of theta in summary.json, in the units of theta there.
type Interval struct {
	From        number `json:"from"`
	To          number `json:"to"`
	Level       number `json:"level"`
	Temper      number `json:"temper"` // the power of the pseudolikelihood
	SDSandwich  number `json:"sd_sandwich"`
	SDJackknife number `json:"sd_jackknife"`
	SDSeeds     number `json:"sd_seeds"` // all three of log theta
}

// IntervalRecord is the interval for summary.json, nil if there is none.
func IntervalRecord(s *work.Study) *Interval {
	v := s.Interval
	if v == nil {
		return nil
	}
	return &Interval{From: number(v.From), To: number(v.To), Level: number(v.Level),
		Temper: number(v.Temper), SDSandwich: number(v.SDSandwich),
		SDJackknife: number(v.SDJackknife), SDSeeds: number(v.SDSeeds)}
}

// PosteriorIs is what the interval of the main command is compared with.
const PosteriorIs = "The posterior given these pseudo-inputs"

// unbounded times the standard deviation of the data is a lengthscale above which the kernel is all but
// flat: the likelihood no longer changes.
const unbounded = 100

// upperEndOpen reports whether the data set no upper end of the interval of theta.
func upperEndOpen(s *work.Study) bool { return s.Interval.To > unbounded*s.Model.PooledSD() }

// IntervalSentence says how sure theta is; "" if that is not known. The narrower is what gives a
// narrower interval: the posterior, or the pseudolikelihood.
func IntervalSentence(s *work.Study, narrower string) string {
	v := s.Interval
	if v == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%.6g%% interval of theta: ", 100*v.Level)
	if upperEndOpen(s) {
		fmt.Fprintf(&b, "above %s, with no upper limit from the data", Figures(v.From))
	} else {
		fmt.Fprintf(&b, "%s to %s", Figures(v.From), Figures(v.To))
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
		"pseudolikelihood counts rows for more than they are worth", narrower, roundly(1/v.Temper))
	if v.SDSeeds > 0 {
		b.WriteString(" and the pseudo-inputs are taken as given")
	}
	b.WriteString(".")
	return b.String()
}
