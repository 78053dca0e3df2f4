package power

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"unicode/utf8"

	"bayeskernel/internal/rng"
	"bayeskernel/internal/workers"
)

// Options says which replicates are wanted, and how they are made.
type Options struct {
	Seed uint64
	// First is the number of the first replicate, and Replicates how many there are: ranges of
	// replicates can be made on several machines.
	First, Replicates int
	// Only, if not nil, says which of these are made, for machines that share them out in another way.
	Only func(replicate int) bool
	// Settings says in words what all methods have in common, such as the level and the number of
	// permutations. Records of other settings are not mixed with these.
	Settings string
	// Have holds records made before: what is in them is not made again.
	Have     []Record
	Parallel int // at most so many at once; 0 means GOMAXPROCS; changes no result
	// OnRecord, if not nil, is called with each new record, by one goroutine at a time. If it fails
	// Run ends with its error.
	OnRecord func(Record) error
}

// Run applies every method to every replicate of every problem. It returns the records of cfg.Have
// and the new ones, merged; when ctx ends early or OnRecord fails, those there are by then together
// with the error. A replicate of all problems comes before the next replicate. A test that fails is
// kept with its error.
//
// The random numbers of a replicate are named by the seed, the problem and the replicate, so that
// neither the other problems and methods nor Parallel change what is in a record. (Learning uses
// kernels that depend on the processor; where these differ, so may the last of the digits that are
// kept.)
func Run(ctx context.Context, problems []Problem, methods []Method, cfg Options) ([]Record, error) {
	if err := cfg.check(problems, methods); err != nil {
		return nil, err
	}
	have, err := merge(cfg.Have)
	if err != nil {
		return nil, err
	}
	if len(have) > 0 && have[0].Settings != cfg.Settings {
		return nil, fmt.Errorf("power: the records there are have settings %q, want %q as now",
			have[0].Settings, cfg.Settings)
	}
	h := &harness{Options: cfg, have: make(map[key]Record)}
	for _, r := range have {
		h.have[r.key()] = r
	}
	made, err := h.makeAll(ctx, problems, methods)
	all, mergeErr := merge(append(have, made...))
	if err == nil {
		err = mergeErr
	}
	return all, err
}

func (cfg Options) check(problems []Problem, methods []Method) error {
	if cfg.First < 0 || cfg.Replicates < 1 || cfg.First > math.MaxInt-cfg.Replicates {
		return fmt.Errorf("power: the first replicate is %d and their number %d, want at least 0 "+
			"and 1, and a sum of at most %d", cfg.First, cfg.Replicates, math.MaxInt)
	}
	if cfg.Parallel < 0 {
		return fmt.Errorf("power: Parallel is %d, want 0 for GOMAXPROCS, or more", cfg.Parallel)
	}
	if len(problems) == 0 || len(methods) == 0 {
		return fmt.Errorf("power: there are %d problems and %d methods, want at least one of each",
			len(problems), len(methods))
	}
	var names []string
	for _, p := range problems {
		if p.Draw == nil {
			return fmt.Errorf("power: problem %q has no Draw", p.Name)
		}
		names = append(names, p.Name)
	}
	if err := checkNames("problem", names); err != nil {
		return err
	}
	names = nil
	for _, m := range methods {
		if m.Test == nil {
			return fmt.Errorf("power: method %q has no Test", m.Name)
		}
		names = append(names, m.Name)
	}
	return checkNames("method", names)
}

// checkNames finds names that could not be told apart in a file.
func checkNames(what string, names []string) error {
	for i, name := range names {
		if name == "" || !utf8.ValidString(name) {
			return fmt.Errorf("power: a %s is called %q, want a name in UTF-8", what, name)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("power: two %ss are called %q, want one of each", what, name)
		}
	}
	return nil
}

// harness is a study under way.
type harness struct {
	Options
	have map[key]Record

	mu    sync.Mutex
	made  []Record
	short bool // something is missing because ctx ended
	full  bool // OnRecord failed
	err   error
}

// task is a replicate of a problem, and the methods that are missing.
type task struct {
	problem   Problem
	replicate int
	methods   []Method
}

func (h *harness) makeAll(ctx context.Context, problems []Problem, methods []Method) ([]Record,
	error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	todo := h.missing(problems, methods)
	err := workers.Each(inner, len(todo), h.Parallel, func() func(int) error {
		return func(i int) error {
			err := h.do(inner, todo[i])
			if err != nil {
				cancel() // what runs beside it
			}
			return err
		}
	})
	if h.err == nil && (err != nil || h.short) {
		h.err = fmt.Errorf("power: stopped after %d new records: %w", len(h.made),
			context.Cause(ctx))
	}
	return h.made, h.err
}

// missing returns what is to be made, a replicate of all problems before the next.
func (h *harness) missing(problems []Problem, methods []Method) (todo []task) {
	for i := h.First; i < h.First+h.Replicates; i++ {
		if h.Only != nil && !h.Only(i) {
			continue
		}
		for _, p := range problems {
			t := task{problem: p, replicate: i}
			known := h.have[key{p.Name, h.Seed, i}].Results
			for _, m := range methods {
				if _, ok := known[m.Name]; !ok {
					t.methods = append(t.methods, m)
				}
			}
			if len(t.methods) > 0 {
				todo = append(todo, t)
			}
		}
	}
	return todo
}

// do makes one record, with the methods that were done when ctx ended, if any. An error ends the
// study.
func (h *harness) do(ctx context.Context, t task) error {
	rec := Record{Problem: t.problem.Name, Settings: h.Settings, Seed: h.Seed,
		Replicate: t.replicate, Results: make(map[string]Outcome)}
	err := guard(func() error {
		d := Data{Paired: t.problem.Paired}
		d.X, d.Y = t.problem.Draw(h.stream(t, "data"))
		for _, m := range t.methods {
			if o, ok := test(ctx, m, d, h.stream(t, "test").Uint64()); ok {
				rec.Results[m.Name] = o
			}
		}
		return nil
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		err = fmt.Errorf("power: problem %s, replicate %d: %w", t.problem.Name, t.replicate, err)
	}
	h.short = h.short || len(rec.Results) < len(t.methods)
	// A record that could not be written may have left half a line, which nothing may follow.
	if err == nil && len(rec.Results) > 0 && !h.full {
		h.made = append(h.made, rec)
		if h.OnRecord != nil {
			err = h.OnRecord(rec)
			h.full = err != nil
		}
	}
	if h.err == nil {
		h.err = err
	}
	return err
}

// test applies a method. It reports false if ctx ended before.
func test(ctx context.Context, m Method, d Data, seed uint64) (o Outcome, ok bool) {
	if ctx.Err() != nil {
		return o, false
	}
	err := guard(func() (err error) {
		if o, err = m.Test(ctx, d, seed); err == nil {
			err = o.check()
		}
		return err
	})
	if err != nil {
		return Outcome{P: math.NaN(), Error: err.Error()}, ctx.Err() == nil
	}
	return o.tidy(), true
}

// stream returns the random numbers for one purpose.
func (h *harness) stream(t task, purpose string) *rand.Rand {
	name := rng.Name{Seed: h.Seed, Replicate: uint64(t.replicate),
		Purpose: "power " + purpose + " " + t.problem.Name}
	src, err := rng.New(rng.PCG, name, 0)
	if err != nil {
		panic("power: " + err.Error()) // the only error is an unknown kind of source
	}
	return rand.New(src)
}

// guard turns a panic into an error.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}
