package cmdstan

import (
	"fmt"
	"strconv"
	"strings"

	"bayeskernel/draws"
)

// windowTitle begins the comments, behind the draws, that say how the metric was chosen: for each
// window of warm-up its last transition, the draws used, kind and rank of the metric; then kind,
// rank and score of each metric tried.
const windowTitle = "window"

func windowLines(b []byte, windows []draws.Window) []byte {
	for _, w := range windows {
		b = fmt.Appendf(b, "# %s%s = %d %d %s %d", ownPrefix, windowTitle, w.End, w.Draws, w.Kind, w.Rank)
		for _, t := range w.Tried {
			b = fmt.Appendf(b, " %s %d %v", t.Kind, t.Rank, t.Score)
		}
		b = append(b, '\n')
	}
	return b
}

// windowLine reads one of those comments.
func (c *csvReader) windowLine(value string) error {
	words := strings.Fields(value)
	if len(words) < 4 || len(words)%3 != 1 {
		return c.errorf("%s holds %d words, want 4 and 3 for each metric tried", windowTitle, len(words))
	}
	var failed error
	whole := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil && failed == nil {
			failed = c.errorf("%s holds %q, want a whole number", windowTitle, text)
		}
		return n
	}
	w := draws.Window{End: whole(words[0]), Draws: whole(words[1]), Kind: words[2],
		Rank: whole(words[3])}
	for words = words[4:]; len(words) > 0; words = words[3:] {
		score, err := parseFloat(words[2])
		if err != nil && failed == nil {
			failed = c.errorf("%s holds %q, want a number", windowTitle, words[2])
		}
		w.Tried = append(w.Tried, draws.Trial{Kind: words[0], Rank: whole(words[1]), Score: score})
	}
	c.chain.Windows = append(c.chain.Windows, w)
	return failed
}
