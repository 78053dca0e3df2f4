package cli

import (
	"strconv"
	"strings"
	"unicode"
)

// Visible escapes what is not seen on a terminal and may command it: control characters other than the end
// of a line and tabs, and marks that turn the direction of writing. Names of files and columns are text,
// and may hold any of these.
func Visible(s string) string {
	hidden := func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
	}
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if !hidden(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

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
