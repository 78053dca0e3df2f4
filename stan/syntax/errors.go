package syntax

import (
	"fmt"
	"slices"
	"strings"
)

// Error is something wrong at a place of a program.
type Error struct {
	Pos     Pos
	Message string
}

func (e Error) Error() string { return fmt.Sprintf("%v: %s", e.Pos, e.Message) }

// Errors are all that is wrong, in the order of the program.
type Errors []Error

func (e Errors) Error() string {
	var out []string
	for _, err := range e {
		out = append(out, err.Error())
	}
	return strings.Join(out, "\n")
}

// Sorted returns the errors in the order of their places, each place once.
func Sorted(errs []Error) Errors {
	slices.SortStableFunc(errs, func(a, b Error) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Col - b.Pos.Col
	})
	return slices.CompactFunc(errs, func(a, b Error) bool { return a.Pos == b.Pos })
}

// Show writes an error as people read it: file, place and message, the line, and a caret below.
func Show(file, source string, e Error) string {
	lines := strings.Split(source, "\n")
	head := fmt.Sprintf("%s:%v: %s", file, e.Pos, e.Message)
	if e.Pos.Line < 1 || e.Pos.Line > len(lines) {
		return head
	}
	line := []rune(strings.TrimRight(lines[e.Pos.Line-1], "\r"))
	at := min(max(e.Pos.Col-1, 0), len(line))
	const wide = 100
	from := 0
	if at > wide*3/4 {
		from = at - wide/2
	}
	to := min(len(line), from+wide)
	indent := make([]rune, at-from)
	for i := range indent {
		indent[i] = ' '
		if line[from+i] == '\t' {
			indent[i] = '\t'
		}
	}
	return fmt.Sprintf("%s\n  %s\n  %s^", head, string(line[from:to]), string(indent))
}
