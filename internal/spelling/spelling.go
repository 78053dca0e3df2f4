// Package spelling compares words, for messages that suggest a name in the place of a misspelt one.
package spelling

// Distance is how many letters must be put in, taken out or changed to make b of a.
func Distance(a, b []rune) int {
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
