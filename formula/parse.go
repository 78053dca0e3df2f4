package formula

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A node is an expression: a name, a number, a string, a call or an operator.
type node struct {
	kind nodeKind
	text string // the name, of a call too, or the operator, or the text of a string
	num  float64
	args []*node
	at   int // byte in the formula
}

type nodeKind int

const (
	name nodeKind = iota
	number
	str
	call
	operator // unary with one argument
	named    // an argument with its name
)

// parser is a precedence parser over the tokens of a formula.
type parser struct {
	src   string
	token string // the one at hand, "" at the end
	at    int    // where it begins
	next  int    // where it ends
}

// Error is a mistake in a formula and its place.
type Error struct {
	Formula string
	At      int // byte
	Text    string
}

// Error says where in the formula the mistake is.
func (e *Error) Error() string {
	return fmt.Sprintf("formula: %s (character %d of %s)", e.Text, utf8.RuneCountInString(e.Formula[:e.At])+1, e.Formula)
}

// binding is how tightly operators bind, as in R.
var binding = map[string]int{"~": 1, "|": 2, "||": 2, "=": 1, "<": 4, ">": 4, "<=": 4, ">=": 4, "==": 4, "!=": 4,
	"+": 5, "-": 5, "*": 6, "/": 6, "%in%": 7, "%%": 7, "%/%": 7, ":": 8, "^": 10}

// unary is the binding of signs, between those of : and ^.
const unary = 9

// parse reads an expression that takes all of a text.
func parse(src string) (n *node, err error) {
	p := &parser{src: src}
	defer func() {
		if e := recover(); e != nil {
			fault, ok := e.(*Error)
			if !ok {
				panic(e)
			}
			n, err = nil, fault
		}
	}()
	p.advance()
	n = p.expr(0, 0)
	if p.token != "" {
		p.fail(p.at, fmt.Sprintf("%q is not expected here", p.token))
	}
	return n, nil
}

func (p *parser) fail(at int, text string) { panic(&Error{p.src, at, text}) }

// deepest is the largest depth of brackets.
const deepest = 200

// expr reads an expression whose operators bind more than least.
func (p *parser) expr(least, depth int) *node {
	if depth > deepest {
		p.fail(p.at, "the brackets are nested too deeply")
	}
	left := p.atom(depth + 1)
	for {
		op := p.token
		b, ok := binding[op]
		if !ok || b <= least || op == "=" {
			return left
		}
		at := p.at
		p.advance()
		after := b
		if op == "^" {
			after-- // to the right
		}
		left = &node{kind: operator, text: op, args: []*node{left, p.expr(after, depth+1)}, at: at}
	}
}

// atom reads a name, a number, a call, brackets or a sign with what it belongs to.
func (p *parser) atom(depth int) *node {
	t, at := p.token, p.at
	switch {
	case t == "":
		p.fail(at, "the formula ends where a term is expected")
	case t == "(":
		p.advance()
		n := p.expr(0, depth)
		p.want(")")
		return &node{kind: operator, text: "(", args: []*node{n}, at: at}
	case t == "+" || t == "-" || t == "~":
		p.advance()
		after := unary
		if t == "~" {
			after = 1
		}
		return &node{kind: operator, text: t, args: []*node{p.expr(after, depth)}, at: at}
	case '0' <= t[0] && t[0] <= '9' || t[0] == '.' && len(t) > 1 && '0' <= t[1] && t[1] <= '9':
		v, err := strconv.ParseFloat(t, 64)
		if err != nil {
			p.fail(at, fmt.Sprintf("%q is not a number", t))
		}
		p.advance()
		return &node{kind: number, text: t, num: v, at: at}
	case t[0] == '"' || t[0] == '\'':
		p.advance()
		return &node{kind: str, text: t[1 : len(t)-1], at: at}
	case isName(t):
		p.advance()
		if t[0] == '`' {
			return &node{kind: name, text: t[1 : len(t)-1], at: at}
		}
		if p.token == "(" {
			return p.call(t, at, depth)
		}
		return &node{kind: name, text: t, at: at}
	}
	p.fail(at, fmt.Sprintf("%q stands where a term is expected", t))
	return nil
}

// call reads the arguments of a function.
func (p *parser) call(f string, at, depth int) *node {
	n := &node{kind: call, text: f, at: at}
	p.advance()
	for p.token != ")" {
		a := p.expr(0, depth)
		if p.token == "=" && a.kind == name {
			p.advance()
			a = &node{kind: named, text: a.text, args: []*node{p.expr(0, depth)}, at: a.at}
		}
		n.args = append(n.args, a)
		if p.token != "," {
			break
		}
		p.advance()
	}
	p.want(")")
	return n
}

func (p *parser) want(t string) {
	switch p.token {
	case t:
		p.advance()
	case "":
		p.fail(p.at, fmt.Sprintf("the formula ends where %q is expected", t))
	default:
		p.fail(p.at, fmt.Sprintf("found %q, want %q", p.token, t))
	}
}

func isName(t string) bool {
	r, _ := utf8.DecodeRuneInString(t)
	return t[0] == '`' || r == '.' || r == '_' || unicode.IsLetter(r)
}

// advance takes the next token.
func (p *parser) advance() {
	i := p.next
	for i < len(p.src) && (p.src[i] == ' ' || p.src[i] == '\t' || p.src[i] == '\n' || p.src[i] == '\r') {
		i++
	}
	p.at = i
	if i == len(p.src) {
		p.token, p.next = "", i
		return
	}
	j := i + p.length(p.src[i:])
	p.token, p.next = p.src[i:j], j
}

// length is that of the token at the beginning of s.
func (p *parser) length(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	part := func(r rune) bool { return r == '.' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	switch {
	case s[0] == '`' || s[0] == '"' || s[0] == '\'':
		if k := strings.IndexByte(s[1:], s[0]); k > 0 {
			return k + 2
		}
		p.fail(p.at, fmt.Sprintf("%q is opened and never closed, or nothing is in it", s[0]))
	case unicode.IsDigit(r) || r == '.' && len(s) > 1 && '0' <= s[1] && s[1] <= '9':
		k := 0
		for k < len(s) && (s[k] == '.' || '0' <= s[k] && s[k] <= '9' || s[k]|0x20 == 'e' ||
			(s[k] == '+' || s[k] == '-') && s[k-1]|0x20 == 'e') {
			k++
		}
		return max(k, size)
	case part(r):
		k := 0
		for k < len(s) {
			r, size := utf8.DecodeRuneInString(s[k:])
			if !part(r) {
				break
			}
			k += size
		}
		return k
	}
	for _, op := range []string{"%in%", "%/%", "%%"} {
		if strings.HasPrefix(s, op) {
			return len(op)
		}
	}
	for _, op := range []string{"||", "<=", ">=", "==", "!="} {
		if strings.HasPrefix(s, op) {
			return 2
		}
	}
	return size
}

// String writes an expression as R writes it.
func (n *node) String() string {
	switch n.kind {
	case name:
		if !plain(n.text) {
			return "`" + n.text + "`"
		}
		return n.text
	case number:
		return strconv.FormatFloat(n.num, 'g', 15, 64)
	case str:
		return strconv.Quote(n.text)
	case named:
		return n.text + " = " + n.args[0].String()
	case call:
		var args []string
		for _, a := range n.args {
			args = append(args, a.String())
		}
		return n.text + "(" + strings.Join(args, ", ") + ")"
	}
	switch {
	case n.text == "(":
		return "(" + n.args[0].String() + ")"
	case len(n.args) == 1:
		return n.text + n.args[0].String()
	case n.text == "^" || n.text == ":" || n.text == "/" || n.text == "%%" || n.text == "%/%":
		return n.args[0].String() + n.text + n.args[1].String()
	}
	return n.args[0].String() + " " + n.text + " " + n.args[1].String()
}

// plain reports whether a name needs no backticks.
func plain(s string) bool {
	for i, r := range s {
		if r != '.' && r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != ""
}

// names calls f for each column that an expression uses.
func (n *node) names(f func(*node)) {
	if n.kind == name && n.text != "TRUE" && n.text != "FALSE" {
		f(n)
	}
	for _, a := range n.args {
		a.names(f)
	}
}

// bare is an expression without brackets around it.
func (n *node) bare() *node {
	for n.kind == operator && n.text == "(" {
		n = n.args[0]
	}
	return n
}
