package formula

import (
	"fmt"
	"math/bits"
	"slices"
)

// term is a set of variables that are multiplied, a bit for each. The intercept is the empty set.
type term uint64

// mostVariables is how many variables a formula may have.
const mostVariables = 64

// expansion turns expressions into terms.
type expansion struct {
	src  string
	vars []*node        // in the order in which they appear
	bit  map[string]int // by what they are written as
	dot  []*node        // what . stands for, nil where it is not known
	rest []*node        // calls that are no variables: smooth functions and offsets
	bars []*node        // terms of groups

	notes []string // on terms that may not be what they seem
}

// sum is a set of terms in order, with the intercept beside it.
type sum struct {
	terms     []term
	intercept bool
}

func (e *expansion) fail(n *node, format string, a ...any) error {
	return &Error{e.src, n.at, fmt.Sprintf(format, a...)}
}

// variable is the bit of an expression.
func (e *expansion) variable(n *node) (term, error) {
	key := n.String()
	k, ok := e.bit[key]
	if !ok {
		if k = len(e.vars); k == mostVariables {
			return 0, e.fail(n, "there are more than %d variables", mostVariables)
		}
		e.bit[key] = k
		e.vars = append(e.vars, n)
	}
	return 1 << k, nil
}

// apart are the functions whose calls are no variables of the design matrix.
var apart = map[string]bool{"offset": true, "s": true, "t2": true, "gp": true, "mo": true, "mi": true}

// expand finds the terms of an expression. The intercept of the sum is what is there at the beginning.
func (e *expansion) expand(n *node, intercept bool) (sum, error) {
	none := sum{intercept: intercept}
	switch n.kind {
	case number:
		if n.num != 0 && n.num != 1 {
			return none, e.fail(n, "the number %s is no term; want 0 or 1, or arithmetic within I()", n)
		}
		return sum{intercept: n.num == 1}, nil
	case name:
		if n.text == "." {
			if e.dot == nil {
				return none, e.fail(n, "what . stands for is not known here")
			}
			out := none
			for _, d := range e.dot {
				t, err := e.variable(d)
				if err != nil {
					return none, err
				}
				out.add(t)
			}
			return out, nil
		}
		t, err := e.variable(n)
		none.add(t)
		return none, err
	case call:
		if apart[n.text] {
			e.rest = append(e.rest, n)
			return none, nil
		}
		t, err := e.variable(n)
		none.add(t)
		return none, err
	case operator:
		return e.operate(n, intercept)
	}
	return none, e.fail(n, "%s is no term", n)
}

// operate expands an operator.
func (e *expansion) operate(n *node, intercept bool) (sum, error) {
	none := sum{intercept: intercept}
	if n.text == "(" {
		in := n.args[0]
		if in.kind == operator && (in.text == "|" || in.text == "||") {
			e.bars = append(e.bars, in)
			return none, nil
		}
		return e.expand(in, intercept)
	}
	if len(n.args) == 1 {
		if n.text == "+" {
			return e.expand(n.args[0], intercept)
		}
		return e.minus(none, n.args[0])
	}
	if comparisons[n.text] != nil {
		t, err := e.variable(n)
		none.add(t)
		return none, err
	}
	switch n.text {
	case "|", "||":
		return none, e.fail(n, "terms of groups stand in brackets, as in (1 | g)")
	case "^":
		return e.power(n, intercept)
	case "+", "-", "*", "/", ":", "%in%":
	default:
		return none, e.fail(n, "%q is no operator between terms; arithmetic stands within I()", n.text)
	}
	left, err := e.expand(n.args[0], intercept)
	if err != nil || n.text == "-" {
		if err == nil {
			return e.minus(left, n.args[1])
		}
		return none, err
	}
	begin := left.intercept
	if n.text != "+" {
		begin = intercept
	}
	right, err := e.expand(n.args[1], begin)
	if err != nil {
		return none, err
	}
	switch n.text {
	case "+":
		left.intercept = right.intercept
		left.add(right.terms...)
		return left, nil
	case "*":
		both := left.times(right)
		left.add(right.terms...)
		left.add(both...)
		return left, e.few(n, left)
	case "/":
		all := term(0)
		for _, t := range left.terms {
			all |= t
		}
		for _, t := range right.terms {
			left.add(t | all)
		}
		return left, nil
	}
	none.add(left.times(right)...)
	return none, e.few(n, none)
}

// minus takes the terms of an expression out of a sum. What it brings beside them goes too.
func (e *expansion) minus(from sum, n *node) (sum, error) {
	if b := n.bare(); b.kind == number && (b.num == 0 || b.num == 1) {
		from.intercept = b.num == 0
		return from, nil
	}
	rest, bars := len(e.rest), len(e.bars)
	out, err := e.expand(n, from.intercept)
	if err != nil {
		return from, err
	}
	if len(e.rest) > rest || len(e.bars) > bars {
		return from, e.fail(n, "only terms of the design matrix can be taken away")
	}
	from.terms = slices.DeleteFunc(from.terms, func(t term) bool { return slices.Contains(out.terms, t) })
	return from, nil
}

// power multiplies a sum with itself.
func (e *expansion) power(n *node, intercept bool) (sum, error) {
	by := n.args[1].bare()
	if by.kind != number || by.num < 1 || by.num > 32 || by.num != float64(int(by.num)) {
		return sum{}, e.fail(n.args[1], "the power %s of terms is not a whole number from 1 to 32; arithmetic stands within I()", by)
	}
	base, err := e.expand(n.args[0], intercept)
	if err != nil {
		return base, err
	}
	if len(base.terms) == 1 && by.num > 1 {
		e.notes = append(e.notes, fmt.Sprintf("%s is %s alone, a product of terms: the power of its values is I(%s).", n, n.args[0], n))
	}
	out := sum{base.terms, base.intercept}
	for range int(by.num) - 1 {
		before := len(out.terms)
		more := out.times(base)
		out.terms = slices.Clone(out.terms)
		out.add(more...)
		if err := e.few(n, out); err != nil {
			return out, err
		}
		if len(out.terms) == before {
			break
		}
	}
	return out, nil
}

// mostTerms is more than any regression has: products of all columns of a table have no end.
const mostTerms = 2000

// few returns an error if a sum has too many terms.
func (e *expansion) few(n *node, s sum) error {
	if len(s.terms) > mostTerms {
		return e.fail(n, "%s has more than %d terms", n, mostTerms)
	}
	return nil
}

// add appends the terms that are not there.
func (s *sum) add(terms ...term) {
	there := make(map[term]bool, len(s.terms)+len(terms))
	for _, t := range s.terms {
		there[t] = true
	}
	for _, t := range terms {
		if !there[t] && t != 0 {
			there[t] = true
			s.terms = append(s.terms, t)
		}
	}
}

// times are the products of the terms of two sums, each once: those of a few more terms than there may be.
func (s sum) times(o sum) []term {
	var out []term
	there := map[term]bool{}
	for _, a := range s.terms {
		for _, b := range o.terms {
			if !there[a|b] {
				there[a|b] = true
				out = append(out, a|b)
			}
		}
		if len(out) > 2*mostTerms {
			break
		}
	}
	return out
}

// sorted are the terms by the number of their variables.
func (s sum) sorted() []term {
	out := slices.Clone(s.terms)
	slices.SortStableFunc(out, func(a, b term) int { return bits.OnesCount64(uint64(a)) - bits.OnesCount64(uint64(b)) })
	return out
}

// coding says of a term which of its variables are coded by all their levels, rather than by contrasts. The
// terms are sorted; the rule is R's.
func coding(terms []term, k int, intercept bool, factors term) (full term) {
	t := terms[k]
	for v := term(1); v != 0 && v <= t; v <<= 1 {
		if t&v == 0 {
			continue
		}
		margin := t &^ v
		spanned := margin == 0
		for _, before := range terms[:k] {
			spanned = spanned || margin&^before == 0
		}
		if !spanned {
			full |= v
		}
	}
	if intercept || t&factors == 0 {
		return full
	}
	for _, before := range terms[:k] {
		if before&factors != 0 {
			return full
		}
	}
	first := t & factors
	return full | first&-first // without an intercept the first factor has all its levels
}
