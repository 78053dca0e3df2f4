package report

import (
	"strings"

	"bayeskernel/internal/shown"
)

// CSV is a name as text for a spreadsheet, quoted where a CSV file needs that.
func CSV(s string) string {
	cell := shown.Cell(s)
	if strings.HasPrefix(cell, "'") && cell != s || strings.ContainsAny(cell, ",\"\n\r") {
		return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
	}
	return cell
}
