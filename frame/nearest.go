package frame

import "strings"

// didYouMean asks about the name that is nearest to one that is not there: the same but for upper
// and lower case, or at most two letters away. It returns "" if no other name is that near.
func didYouMean(asked string, names []string) string {
	best, least := "", 3
	low := []rune(strings.ToLower(asked))
	for _, name := range names {
		if len(name) > 100 || len(low) > 100 {
			continue
		}
		if d := distance(low, []rune(strings.ToLower(name))); d < least && d < len(low)-1 {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + quote([]byte(best)) + "?"
}

// distance is how many letters must be put in, taken out or changed to make b of a.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1) // the distances of the beginning of a to all beginnings of b
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			change := diagonal
			if x != y {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
