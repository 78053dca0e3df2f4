package formula

import (
	"fmt"
	"slices"
)

// Formula is a regression.
type Formula struct {
	Text      string
	Response  *node            // nil without one
	Additions map[string]*node // of the rows of the response: trials, cens, weights, by name
	right     *node
}

// additions are what can be said of the rows of the response.
var additions = []string{"cens", "trials", "weights"}

// Parse reads a formula.
func Parse(text string) (*Formula, error) {
	n, err := parse(text)
	if err != nil {
		return nil, err
	}
	if n.kind != operator || n.text != "~" {
		return nil, &Error{text, n.at, "there is no ~ between the response and the terms"}
	}
	f := &Formula{Text: text, right: n.args[len(n.args)-1], Additions: map[string]*node{}}
	var twice *node
	for _, side := range n.args {
		side.walk(func(n *node) {
			if n.kind == operator && n.text == "~" {
				twice = n
			}
		})
	}
	if twice != nil {
		return nil, &Error{text, twice.at, "there is a second ~"}
	}
	if len(n.args) == 2 {
		if err := f.left(n.args[0]); err != nil {
			return nil, err
		}
	}
	_, err = f.expand(nil)
	return f, err
}

// left reads the side of the response.
func (f *Formula) left(n *node) error {
	if n.kind != operator || n.text != "|" {
		return f.respond(n.bare())
	}
	if err := f.respond(n.args[0].bare()); err != nil {
		return err
	}
	list := []*node{n.args[1]}
	for list[0].kind == operator && list[0].text == "+" && len(list[0].args) == 2 {
		list = append(slices.Clone(list[0].args), list[1:]...)
	}
	for _, a := range list {
		if a.kind != call || !slices.Contains(additions, a.text) || len(a.args) != 1 {
			return &Error{f.Text, a.at, fmt.Sprintf("%s does not belong beside the response; want trials(n), cens(c) or weights(w)", a)}
		}
		if f.Additions[a.text] != nil {
			return &Error{f.Text, a.at, a.text + "() is there twice"}
		}
		f.Additions[a.text] = a.args[0]
	}
	return nil
}

// respond takes the response: cbind(k, m) is k | trials(k + m), and cbind(k, n - k) is k | trials(n).
func (f *Formula) respond(n *node) error {
	f.Response = n
	if n.kind != call || n.text != "cbind" {
		return nil
	}
	if len(n.args) != 2 {
		return &Error{f.Text, n.at, "cbind() wants successes and failures: cbind(k, n - k), or k | trials(n)"}
	}
	k, m := n.args[0].bare(), n.args[1].bare()
	f.Response = k
	f.Additions["trials"] = &node{kind: operator, text: "+", args: []*node{k, m}, at: n.at}
	if m.kind == operator && m.text == "-" && len(m.args) == 2 && m.args[1].bare().String() == k.String() {
		f.Additions["trials"] = m.args[0]
	}
	return nil
}

// walk calls f for an expression and its parts.
func (n *node) walk(f func(*node)) {
	f(n)
	for _, a := range n.args {
		a.walk(f)
	}
}

// expanded is the right side of a formula.
type expanded struct {
	sum
	vars   []*node
	rest   []*node
	groups []group
	notes  []string
}

// group is a term of groups: coefficients that vary.
type group struct {
	terms      *node // before the bar
	by         *node // after it: a name or an interaction of names
	correlated bool
}

// expand finds the terms. What . stands for is nil while there is no table.
func (f *Formula) expand(columns []string) (*expanded, error) {
	e := &expansion{src: f.Text, bit: map[string]int{}}
	used := map[string]bool{}
	mark := func(n *node) { used[n.text] = true }
	if f.Response != nil {
		f.Response.names(mark)
	}
	for _, a := range f.Additions {
		a.names(mark)
	}
	e.dot = []*node{}
	for _, c := range columns {
		if !used[c] {
			e.dot = append(e.dot, &node{kind: name, text: c})
		}
	}
	s, err := e.expand(f.right, true)
	if err != nil {
		return nil, err
	}
	out := &expanded{sum: s, vars: e.vars, rest: e.rest, notes: e.notes}
	out.terms = s.sorted()
	for _, b := range e.bars {
		by, err := e.grouping(b.args[1].bare())
		if err != nil {
			return nil, err
		}
		for _, g := range by {
			out.groups = append(out.groups, group{b.args[0], g, b.text == "|"})
		}
	}
	return out, nil
}

// grouping finds the groups after a bar: g/h are g and g:h.
func (e *expansion) grouping(n *node) ([]*node, error) {
	switch {
	case n.kind == name:
		return []*node{n}, nil
	case n.kind == operator && len(n.args) == 2 && (n.text == ":" || n.text == "/"):
		left, err := e.grouping(n.args[0].bare())
		if err != nil {
			return nil, err
		}
		right, err := e.grouping(n.args[1].bare())
		if err != nil {
			return nil, err
		}
		var out []*node
		if n.text == "/" {
			out = append(out, left...)
		}
		for _, r := range right {
			out = append(out, &node{kind: operator, text: ":", args: []*node{left[len(left)-1], r}, at: n.at})
		}
		return out, nil
	}
	return nil, e.fail(n, "%s is no column of groups; want a name, g:h or g/h", n)
}

// Columns are the columns of a table that the formula uses, those of . not among them.
func (f *Formula) Columns() []string {
	var out []string
	mark := func(n *node) {
		if n.text != "." && !slices.Contains(out, n.text) {
			out = append(out, n.text)
		}
	}
	if f.Response != nil {
		f.Response.names(mark)
	}
	for _, a := range additions {
		if n := f.Additions[a]; n != nil {
			n.names(mark)
		}
	}
	f.right.names(mark)
	return out
}

// Dot reports whether the formula has a dot, which stands for all other columns.
func (f *Formula) Dot() bool {
	found := false
	f.right.names(func(n *node) { found = found || n.text == "." })
	return found
}
