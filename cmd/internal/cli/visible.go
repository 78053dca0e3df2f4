package cli

import (
	"strconv"
	"strings"

	"bayeskernel/internal/shown"
)

// Visible escapes what is not seen on a terminal and may command it.
func Visible(s string) string { return shown.Text(s) }

// longestWord is the number of characters of a word, the name of a column for example, that an error
// shows whole.
const longestWord = 300

// brief shortens words that nobody reads to their beginning.
func brief(s string) string {
	if len(s) <= longestWord {
		return s
	}
	words := strings.Split(s, " ")
	for i, w := range words {
		if r := []rune(w); len(r) > longestWord {
			words[i] = string(r[:60]) + "… (" + strconv.Itoa(len(r)) + " characters)"
		}
	}
	return strings.Join(words, " ")
}
