package frame

import (
	"strings"

	"bayeskernel/internal/spelling"
)

// didYouMean asks about the name that is nearest to one that is not there: the same but for upper
// and lower case, or at most two letters away. It returns "" if no other name is that near.
func didYouMean(asked string, names []string) string {
	best, least := "", 3
	low := []rune(strings.ToLower(asked))
	for _, name := range names {
		if len(name) > 100 || len(low) > 100 {
			continue
		}
		if d := spelling.Distance(low, []rune(strings.ToLower(name))); d < least && d < len(low)-1 {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + quote([]byte(best)) + "?"
}
