package cli

import (
	"fmt"
	"strings"
)

// Plural writes a count of things: 1 row, 2 rows.
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Verb is the form for one thing or for several: is or are.
func Verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// Shorten cuts a text that is longer than width.
func Shorten(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return s
}

// OrList joins words: a, b or c.
func OrList(words []string) string { return joined(words, " or ") }

// AndList joins words: a, b and c.
func AndList(words []string) string { return joined(words, " and ") }

func joined(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + last + words[len(words)-1]
}

// Wrap breaks a text into lines of at most width bytes.
func Wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// MostNamed is the largest number of columns, or of pairs, that a sentence names.
const MostNamed = 8

// Fewer cuts a list that is too long for a sentence.
func Fewer(names []string) []string {
	if more := len(names) - MostNamed; more > 0 {
		return append(names[:MostNamed:MostNamed], fmt.Sprintf("%d more", more))
	}
	return names
}
