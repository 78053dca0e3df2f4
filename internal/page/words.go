package page

import (
	"html/template"
	"regexp"
	"strings"
	"unicode/utf8"
)

// equation matches a name of one or two letters, an equals sign and a number. They belong on one line.
var equation = regexp.MustCompile(`\b\pL{1,2} = [−-]?[0-9.]+[0-9]`)

// keep writes text for HTML so that "p = 0.001" is not broken at the end of a line.
func keep(text string) template.HTML {
	safe := template.HTMLEscapeString(text)
	return template.HTML(equation.ReplaceAllString(safe, `<span class="keep">$0</span>`))
}

// yield writes the text of a cell for HTML so that long names, and no others, may be broken: after
// underscores and points or, without these, after every twelve letters.
func yield(text string) template.HTML {
	const long, part = 16, 12
	words := strings.SplitAfter(text, " ")
	for i, w := range words {
		if utf8.RuneCountInString(w) <= long {
			words[i] = template.HTMLEscapeString(w)
			continue
		}
		var b strings.Builder
		n := 0
		for _, r := range w {
			b.WriteString(template.HTMLEscapeString(string(r)))
			if n++; n >= part || n > 3 && strings.ContainsRune("_./-", r) {
				b.WriteString("<wbr>")
				n = 0
			}
		}
		words[i] = b.String()
	}
	return template.HTML(strings.Join(words, ""))
}
