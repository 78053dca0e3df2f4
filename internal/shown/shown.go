// Package shown makes text of names that may hold anything: those of files, columns and samples are other
// people's, and are shown on terminals, in pages and in spreadsheets.
package shown

import (
	"strconv"
	"strings"
	"unicode"
)

// Text escapes what is not seen on a terminal and may command it: control characters other than the end
// of a line and tabs, and marks that turn the direction of writing.
func Text(s string) string {
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

// Cell is a name as text in a table for spreadsheets, before quotes. One that a spreadsheet would take for a
// formula, since it begins with = + - or @, gets an apostrophe before it, which spreadsheets read as: this is text.
func Cell(s string) string {
	if s = Text(s); s != "" && strings.ContainsRune("=+-@\t", rune(s[0])) {
		return "'" + s
	}
	return s
}
