package sample

import (
	"bayeskernel/cmd/internal/report"
	"math"
	"strings"
	"testing"
)

// Nothing that a user reads says that the data decide what depends on the pseudo-inputs.
func TestInfluenceSentences(t *testing.T) {
	weak := influence{Parameter: "theta", SDRatio: 0.02, Shift: -0.01}
	tau2 := influence{Parameter: "tau2", SDRatio: 0.04, Shift: 0.005}
	strong := influence{Parameter: "theta", SDRatio: 0.8, Shift: 0.5, Strong: true}
	for _, c := range []struct {
		list []influence
		want string
	}{
		{[]influence{weak, tau2}, "Given these pseudo-inputs the prior hardly matters: posterior sds, " +
			"on the log scale, are at most 0.04 of the prior's, and doubling the prior's weight would " +
			"move no mean by more than 0.01 sd."},
		{[]influence{strong, tau2}, "The prior on theta matters: its posterior sd, on the log scale, " +
			"is 0.8 of the prior's, and doubling the prior's weight would move its mean by 0.5 sd; " +
			"try another one (-prior-theta), or look at -sensitivity.\n" +
			"Given these pseudo-inputs the prior on tau2 hardly matters: its posterior sd, on the log " +
			"scale, is 0.04 of the prior's, and doubling the prior's weight would move its mean by " +
			"0.005 sd."},
		{[]influence{{Parameter: "theta", SDRatio: report.Number(math.NaN()), Shift: 0.1}, tau2}, "Given " +
			"these pseudo-inputs the prior hardly matters: posterior sds, on the log scale, are at " +
			"most 0.04 of the prior's, and doubling the prior's weight would move no mean by more " +
			"than 0.1 sd."},
		{[]influence{{Parameter: "theta", SDRatio: report.Number(math.NaN()), Shift: 0.1}}, "Given these " +
			"pseudo-inputs the prior on theta hardly matters: doubling the prior's weight would move " +
			"its mean by 0.1 sd."},
	} {
		if got := strings.Join(influenceSentences(c.list), "\n"); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
}
