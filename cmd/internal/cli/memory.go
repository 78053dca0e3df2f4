package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"bayeskernel/frame"
)

// Start prepares a program to run: it ends at once with a sentence where the system does not let it work,
// and the context ends with the first interrupt.
func Start(name string) context.Context {
	if err := admitAddresses(addressLimit()); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(ExitFailed)
	}
	if limit := addressLimit(); limit > 0 {
		if code, ok := watch(name, limit); ok {
			os.Exit(code)
		}
	}
	return interruptible(context.Background())
}

// A Go program sets aside addresses that it does not use: for its heap, and for each thread, of which there
// are some more than run at a time. Under a limit (ulimit -v) they are missing for data.
const (
	addresses       = 1.3e9
	threadAddresses = 75e6
	moreThreads     = 6
	leastMemory     = 100e6 // that it takes to do anything
)

// reserved are the addresses that a program with so many threads at a time sets aside.
func reserved(procs int) int64 { return addresses + threadAddresses*int64(procs+moreThreads) }

// admitAddresses returns an error if so few addresses are too few, 0 for no limit. With fewer threads a
// program needs fewer of them.
func admitAddresses(limit int64) error {
	if limit == 0 {
		return nil
	}
	if limit < reserved(1)+leastMemory { // to change the number of threads takes memory too
		return fmt.Errorf("a process may have %s of addresses here (ulimit -v), want at least %s, not all of "+
			"which is memory: -max-memory limits that", frame.Size(limit), frame.Size(reserved(1)+leastMemory))
	}
	procs := runtime.GOMAXPROCS(0)
	for procs > 1 && limit < reserved(procs)+leastMemory {
		procs--
	}
	runtime.GOMAXPROCS(procs)
	return nil
}

// memory returns how many bytes a run may use, 0 for any number: those that were asked for, or else those
// that the system has. Garbage is collected before it takes more.
func memory(asked int64, given bool) int64 {
	if !given {
		asked = available()
	}
	left := addressesLeft()
	most := least(asked, left)
	if most > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(most)
	}
	return most
}

// addressesLeft is what a limit of addresses leaves for memory; 0 for no limit.
func addressesLeft() int64 {
	if limit := addressLimit(); limit > 0 {
		return max(limit-reserved(runtime.GOMAXPROCS(0)), leastMemory)
	}
	return 0
}

// least is the lesser of two limits, of which 0 is none.
func least(a, b int64) int64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// share is the part of the memory that a table may take: reading it takes about twice as much again, and
// what is computed from it as much.
const share = 5

// Reading is a table that is to be read, of the size that it seems to have and of at most another.
type Reading struct {
	c       *Console
	name    string
	options frame.Options
	advice  string
	seems   int64 // bytes
	beside  bool  // others
}

// Readings are tables that are read side by side: together they take at most a fifth of the memory that the run may
// use, less what those read before have. Advice says what to do about larger ones, beside -max-memory.
func (c *Console) Readings(names []string, o frame.Options, advice string) ([]*Reading, error) {
	o.Stdin = c.Stdin
	if c.memory > 0 {
		o.Memory = max(c.memory/share-c.tables, 1)
	}
	var all []*Reading
	var told []string
	together := int64(0)
	for _, name := range names {
		r := &Reading{c: c, name: name, options: o, advice: advice}
		much, err := r.forecast(together)
		if err != nil {
			return nil, err
		}
		if much != "" {
			told = append(told, much)
		}
		together += r.seems
		all = append(all, r)
	}
	for _, text := range told {
		c.Warn("%s", text)
	}
	for _, r := range all {
		if r.beside = len(all) > 1; r.beside && o.Memory > 0 {
			r.options.Memory = max(o.Memory-(together-r.seems), int64(float64(o.Memory)*float64(r.seems)/float64(together+1)), 1)
		}
	}
	return all, nil
}

// Read reads the table, until the run is to end.
func (r *Reading) Read() (*frame.Frame, error) {
	t, err := frame.Read(r.c.Context(), r.name, r.options)
	if p, ok := errors.AsType[*frame.Problems](err); ok {
		for i, e := range p.First {
			if _, ok := errors.AsType[*frame.TooLarge](e); ok {
				room := "to work"
				if r.beside {
					room = "for the other table and the work"
				}
				p.First[i] = fmt.Errorf("%w, which leaves room %s: raise -max-memory, or %s", e, room, r.advice)
			}
		}
	}
	return t, err
}

// Keep counts what a table that was read takes of the memory, so that less is left for others.
func (c *Console) Keep(t *frame.Frame) {
	n, d := t.Data.Dims()
	c.tables += 8 * int64(n) * int64(d)
}

// Read reads one table, and keeps it.
func (c *Console) Read(name string, o frame.Options, advice string) (*frame.Frame, error) {
	r, err := c.Readings([]string{name}, o, advice)
	if err != nil {
		return nil, err
	}
	t, err := r[0].Read()
	if err == nil {
		c.Keep(t)
	}
	return t, err
}

// gauged is the size of a file whose table is gauged before it is read.
const gauged = 1 << 20

// unsure is how many times too large a table is to seem before it is refused unread.
const unsure = 1.5

// forecast refuses a table that will not fit beside others, before it is read, and tells of one that takes much: more
// than a quarter of the memory, with the work on it. It finds how many bytes the table seems to take, 0 for few or
// unknown.
func (r *Reading) forecast(beside int64) (much string, err error) {
	o := r.options
	info, err := os.Stat(r.name)
	if o.Memory == 0 || err != nil || !info.Mode().IsRegular() || info.Size() < gauged || o.Levels != nil {
		return "", nil
	}
	g, err := frame.Measure(r.c.Context(), r.name, o)
	if err != nil {
		return "", nil // whoever reads it says what is wrong
	}
	row := 8 * len(g.Names)
	for _, text := range []string{o.Label, o.Group} {
		if text != "" {
			row += 16 // the header of a string
		}
	}
	if o.Weight != "" {
		row += 8
	}
	bytes := g.Rows * float64(row)
	r.seems = int64(min(bytes, 1e18))
	switch {
	case bytes+float64(beside) > unsure*float64(o.Memory):
		may := "a table may take "
		if beside > 0 {
			may = "with the other file tables may take "
		}
		return "", fmt.Errorf("%s: holds about %.2g rows of %s, which take about %s of memory, and %s%s, which "+
			"leaves room to work: raise -max-memory, or %s", r.name, g.Rows, Plural(len(g.Names), "column"),
			frame.Size(r.seems), may, frame.Size(o.Memory), r.advice)
	case bytes <= float64(o.Memory) && share*bytes > float64(r.c.memory)/4:
		return fmt.Sprintf("%s: about %.2g rows, which take up to %s of memory with the work on them, of %s", r.name, g.Rows,
			frame.Size(int64(share*bytes)), frame.Size(r.c.memory)), nil
	}
	return "", nil
}

// Exceeds reports whether so many numbers are more than a table may have.
func (c *Console) Exceeds(numbers float64) bool {
	return c.memory > 0 && 8*numbers > float64(c.memory/share)
}

// MaxMemory defines -max-memory.
func (s *FlagSet) MaxMemory() {
	s.Var((*bytesValue)(&s.memory), "max-memory", "refuse what would take more `memory`, such as 500MB or 4GB; 0 "+
		"for no limit (default what is free)")
	s.added("max-memory")
}

// bytesValue is a number of bytes.
type bytesValue int64

func (v *bytesValue) String() string {
	if *v == 0 {
		return ""
	}
	return frame.Size(int64(*v))
}

func (v *bytesValue) Set(s string) error {
	number := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(s)), "B"), "I")
	unit := 1.0
	for i, u := range []string{"K", "M", "G", "T"} {
		if cut, ok := strings.CutSuffix(number, u); ok {
			number = cut
			for range i + 1 {
				unit *= 1000
			}
			break
		}
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	switch {
	case err != nil || !(x >= 0 && x*unit < 1e18):
		return errors.New("want a size such as 500MB or 4GB, or 0 for no limit")
	case x > 0 && x*unit < leastMemory:
		return fmt.Errorf("want at least %s, which the program takes whatever it does, or 0 for no limit", frame.Size(leastMemory))
	}
	*v = bytesValue(x * unit)
	return nil
}
