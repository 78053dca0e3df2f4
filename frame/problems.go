package frame

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// mostProblems is how many problems are told one by one.
const mostProblems = 10

// Problems is the error of files that cannot be used: what is wrong with them, all at once. Error
// has a line for each.
type Problems struct {
	First []error // at most ten, in the order of the files and of their lines
	More  int     // problems beyond these
}

func (p *Problems) Error() string {
	var b strings.Builder
	for i, err := range p.First {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(err.Error())
	}
	if p.More > 0 {
		fmt.Fprintf(&b, "\nand %s", plural(p.More, "more problem"))
	}
	return b.String()
}

// Unwrap returns the first problems.
func (p *Problems) Unwrap() []error { return p.First }

// Join makes one error of those that are not nil, a *Problems, and returns nil if there is none.
func Join(errs ...error) error {
	all := &Problems{}
	for _, err := range errs {
		if p, ok := errors.AsType[*Problems](err); ok {
			all.First, all.More = append(all.First, p.First...), all.More+p.More
		} else if err != nil {
			all.First = append(all.First, err)
		}
	}
	if len(all.First) == 0 {
		return nil
	}
	if extra := len(all.First) - mostProblems; extra > 0 {
		all.First, all.More = all.First[:mostProblems:mostProblems], all.More+extra
	}
	return all
}

// advice says how a problem can be got round. It is given once for a file.
type advice int

const (
	noAdvice advice = iota
	adviceDrop
	adviceColumns
	advices
)

// problem is something wrong with a row, or with a value in it.
type problem struct {
	at, slot int // line or row on which it is, and the slot it is filed under
	text     string
	kind     advice
	advice   string // follows the text
}

// problemList files problems by the column they are in.
type problemList struct {
	slots [][]problem // the first of each slot
	total []int       // how many there are
	any   bool
}

func (p *problemList) add(x problem) {
	p.any = true
	for len(p.total) <= x.slot {
		p.slots, p.total = append(p.slots, nil), append(p.total, 0)
	}
	if p.total[x.slot]++; p.total[x.slot] <= mostProblems {
		p.slots[x.slot] = append(p.slots[x.slot], x)
	}
}

// once forgets all problems in a slot but the first.
func (p *problemList) once(slot int) {
	if slot < len(p.total) && p.total[slot] > 1 {
		p.slots[slot], p.total[slot] = p.slots[slot][:1], 1
	}
}

// lacking says of how many more rows something is missing, of which one is told.
func (p *problemList) lacking(more int) {
	for _, list := range p.slots {
		for i := range list {
			if x := &list[i]; more > 0 && x.kind == adviceDrop {
				x.text += fmt.Sprintf(", and %s incomplete", map[bool]string{true: "1 more row is",
					false: fmt.Sprintf("%d more rows are", more)}[more == 1])
			}
		}
	}
}

// err returns the error, in whose lines unit is what the rows are counted by.
func (p *problemList) err(unit string) error {
	if !p.any {
		return nil
	}
	first, more := slices.Concat(p.slots...), 0
	slices.SortStableFunc(first, func(a, b problem) int { return cmp.Compare(a.at, b.at) })
	for _, n := range p.total {
		more += n
	}
	first = first[:min(len(first), mostProblems)]
	all := &Problems{More: more - len(first)}
	var given [advices]bool
	for _, x := range first {
		text := fmt.Sprintf("%s %d%s", unit, x.at, x.text)
		if !given[x.kind] {
			text += x.advice
		}
		given[x.kind] = true
		all.First = append(all.First, errors.New(text))
	}
	return all
}

// prefix puts the name of the file before every problem, if there is one.
func prefix(source string, err error) error {
	if err == nil {
		return nil
	}
	p, ok := errors.AsType[*Problems](err)
	if !ok {
		p = &Problems{First: []error{err}}
	}
	for i, e := range p.First {
		p.First[i] = fmt.Errorf("%s: %w", printable(source), e)
	}
	return p
}
