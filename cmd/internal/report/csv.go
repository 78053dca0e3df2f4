package report

import "strings"

// CSV quotes a name where a CSV file needs that. A name that a spreadsheet would take for a formula, since
// it begins with = + - or @, gets an apostrophe before it, which spreadsheets read as: this is text.
func CSV(s string) string {
	formula := s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0]))
	if formula {
		s = "'" + s
	}
	if formula || strings.ContainsAny(s, ",\"\n\r") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}
