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
