package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Pos is a place in a program: line and column, both counted from 1.
type Pos struct{ Line, Col int }

func (p Pos) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

// kind is a kind of token: a class, or the text of a symbol or keyword itself.
type kind string

const (
	end     kind = "the end of the program"
	name    kind = "a name"
	integer kind = "a whole number"
	decimal kind = "a number"
	imag    kind = "an imaginary number"
	text    kind = "a text in quotes"
)

type token struct {
	kind
	text string
	pos  Pos
}

// said names a token in messages.
func (t token) said() string {
	switch t.kind {
	case end:
		return string(end)
	case name, integer, decimal, imag, text:
		return t.text
	}
	return "'" + string(t.kind) + "'"
}

// keywords cannot be names.
var keywords = wordSet(`for in while repeat until if then else true false void int real complex vector
	row_vector matrix ordered positive_ordered simplex unit_vector sum_to_zero_vector sum_to_zero_matrix
	cholesky_factor_corr cholesky_factor_cov corr_matrix cov_matrix column_stochastic_matrix
	row_stochastic_matrix complex_vector complex_row_vector complex_matrix functions model data parameters
	quantities transformed generated break continue return profile print reject fatal_error target tuple
	array`)

// notReserved are keywords that stand for themselves only where they can be meant: blocks, and words of
// newer versions, which older programs use as names.
var notReserved = wordSet(`array tuple profile fatal_error target data parameters model quantities functions
	transformed generated offset multiplier lower upper sum_to_zero_vector sum_to_zero_matrix complex
	complex_vector complex_row_vector complex_matrix column_stochastic_matrix row_stochastic_matrix`)

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}

// symbols, the longest first.
var symbols = []string{"%/%", ".*=", "./=", "+=", "-=", "*=", "/=", "<-", "<=", ">=", "==", "!=", "&&", "||",
	".*", "./", ".^", "{", "}", "(", ")", "[", "]", "<", ">", ",", ";", "=", "+", "-", "*", "/", "%", "\\", "^",
	"'", "!", "?", ":", "|", "~", "."}

// scanner turns text into tokens.
type scanner struct {
	src       string
	at        int
	line, col int
	hash      Pos // of the first comment that begins with #, if any
	errs      []Error
}

func (s *scanner) pos() Pos { return Pos{s.line, s.col} }

// skip moves over n bytes.
func (s *scanner) skip(n int) {
	for n > 0 && s.at < len(s.src) {
		r, size := utf8.DecodeRuneInString(s.src[s.at:])
		s.at += size
		n -= size
		if r == '\n' {
			s.line, s.col = s.line+1, 1
		} else {
			s.col++
		}
	}
}

// blank skips white space and comments.
func (s *scanner) blank() {
	for s.at < len(s.src) {
		rest := s.src[s.at:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n' || rest[0] == '\r':
			s.skip(1)
		case strings.HasPrefix(rest, "//"):
			s.skip(lineLength(rest))
		case strings.HasPrefix(rest, "#include"):
			s.fail(s.pos(), "#include is not followed here: put the text of the file in its place")
			s.skip(lineLength(rest))
		case rest[0] == '#':
			if s.hash == (Pos{}) {
				s.hash = s.pos()
			}
			s.skip(lineLength(rest))
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/")
			if n < 0 {
				s.fail(s.pos(), "a comment begins here and never ends: '*/' is missing")
				s.skip(len(rest))
				return
			}
			s.skip(n + 2)
		default:
			return
		}
	}
}

func lineLength(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return n
	}
	return len(s)
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

func (s *scanner) next() token {
	s.blank()
	pos := s.pos()
	if s.at >= len(s.src) {
		return token{end, "", pos}
	}
	rest := s.src[s.at:]
	switch c := rest[0]; {
	case letter(c):
		n := 1
		for n < len(rest) && (letter(rest[n]) || digit(rest[n]) || rest[n] == '_') {
			n++
		}
		s.skip(n)
		if w := rest[:n]; keywords[w] {
			return token{kind(w), w, pos}
		}
		return token{name, rest[:n], pos}
	case digit(c) || c == '.' && len(rest) > 1 && digit(rest[1]):
		k, n := number(rest)
		s.skip(n)
		return token{k, rest[:n], pos}
	case c == '"':
		n := strings.IndexAny(rest[1:], "\"\n")
		if n < 0 || rest[n+1] == '\n' {
			s.fail(pos, "a text begins here and does not end on this line: '\"' is missing")
			s.skip(lineLength(rest))
			return token{text, rest, pos}
		}
		s.skip(n + 2)
		return token{text, rest[:n+2], pos}
	}
	for _, sym := range symbols {
		if strings.HasPrefix(rest, sym) {
			s.skip(len(sym))
			return token{kind(sym), sym, pos}
		}
	}
	r, size := utf8.DecodeRuneInString(rest)
	s.fail(pos, "the character %q has no place in a program", r)
	s.skip(size)
	return s.next()
}

// number returns the kind and length of the number at the head of s.
func number(s string) (kind, int) {
	k, n := integer, 0
	digits := func() {
		for n < len(s) && (digit(s[n]) || s[n] == '_' && n+1 < len(s) && digit(s[n+1])) {
			n++
		}
	}
	digits()
	// A dot that begins an operator, as in 2.*x, is none of a number.
	if n < len(s) && s[n] == '.' && !(n+1 < len(s) && strings.IndexByte("*/^'", s[n+1]) >= 0) {
		k = decimal
		n++
		digits()
	}
	if m := n; n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		n++
		if n < len(s) && (s[n] == '+' || s[n] == '-') {
			n++
		}
		if n < len(s) && digit(s[n]) {
			k = decimal
			digits()
		} else {
			n = m
		}
	}
	if n < len(s) && s[n] == 'i' && !(n+1 < len(s) && (letter(s[n+1]) || digit(s[n+1]) || s[n+1] == '_')) {
		return imag, n + 1
	}
	return k, n
}

func (s *scanner) fail(pos Pos, format string, args ...any) {
	s.errs = append(s.errs, Error{pos, fmt.Sprintf(format, args...)})
}
