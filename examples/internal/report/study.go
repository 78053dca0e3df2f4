package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"bayeskernel/internal/workers"
)

// Study is which data sets of some cases are measured, and where the results are kept.
type Study struct {
	Only string // part of the names of the cases, or one name
	Sets int    // at most so many data sets of each; 0: all
	Seed uint64
	Path string // a line of JSON for each data set; "": nowhere
}

// RunStudy runs body with a study from args and returns the exit code: 1 if body fails, 2 if args are
// wrong. Define, if not nil, adds flags of the program's own.
func RunStudy(ctx context.Context, name string, args []string, stdout, stderr io.Writer,
	define func(*flag.FlagSet), body func(context.Context, Study, io.Writer) error) int {
	var s Study
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(stderr)
	s.Define(f)
	if define != nil {
		define(f)
	}
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	switch {
	case f.NArg() > 0:
		fmt.Fprintf(stderr, "%s: unexpected argument %q\n", name, f.Arg(0))
		return 2
	case s.Sets < 0:
		fmt.Fprintf(stderr, "%s: -sets is %d, want -sets 0 for all, or more\n", name, s.Sets)
		return 2
	}
	if err := body(ctx, s, stdout); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}

// Part defines the flag -part, which takes one of the names, the first by default.
func Part(f *flag.FlagSet, part *string, names ...string) {
	*part = names[0]
	f.Func("part", fmt.Sprintf("what to measure: %s (default %s)", strings.Join(names, ", "), names[0]),
		func(s string) error {
			if !slices.Contains(names, s) {
				return fmt.Errorf("want one of %s", strings.Join(names, ", "))
			}
			*part = s
			return nil
		})
}

// Case is a name and the number of data sets of it.
type Case struct {
	Name string
	Sets int
}

// Measured is what was found on one data set.
type Measured interface {
	Of() (name string, set int) // of the case
}

// Define adds the flags of a study.
func (s *Study) Define(f *flag.FlagSet) {
	f.StringVar(&s.Only, "only", "", "measure the cases with this in their names, or the one whose whole "+
		"name it is")
	f.IntVar(&s.Sets, "sets", 0, "at most this many data sets of each case; 0 means all "+
		"of the study")
	f.Uint64Var(&s.Seed, "seed", 1, "seed of the random numbers")
	f.StringVar(&s.Path, "data", "", "file to keep results in, so that a study that was "+
		"interrupted goes on where it was")
}

// Measure measures the data sets that are not in the file yet, several at a time, and returns the
// results of all that were asked for, by case and data set.
func Measure[R Measured](ctx context.Context, s Study, cases []Case,
	measure func(i, set int) (R, error)) (map[string]map[int]R, error) {
	done, err := read[R](s.Path)
	if err != nil {
		return nil, err
	}
	type job struct{ i, set int }
	var jobs []job
	whole := slices.ContainsFunc(cases, func(c Case) bool { return c.Name == s.Only })
	for i, c := range cases {
		if whole && c.Name != s.Only || !strings.Contains(c.Name, s.Only) {
			delete(done, c.Name)
			continue
		}
		for set := range done[c.Name] {
			if set >= s.count(c) {
				delete(done[c.Name], set)
			}
		}
		for set := range s.count(c) {
			if _, ok := done[c.Name][set]; !ok {
				jobs = append(jobs, job{i, set})
			}
		}
	}
	if len(jobs) == 0 && len(done) == 0 {
		return nil, fmt.Errorf("no case has %q in its name", s.Only)
	}
	var mu sync.Mutex
	return done, workers.Each(ctx, len(jobs), 0, func() func(int) error {
		return func(k int) error {
			j := jobs[k]
			r, err := measure(j.i, j.set)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				err = Keep(s.Path, r)
			}
			if err != nil {
				return fmt.Errorf("%s, data set %d: %w", cases[j.i].Name, j.set, err)
			}
			add(done, r)
			return nil
		}
	})
}

// MeasureEach is Measure for the cases of a list.
func MeasureEach[T any, R Measured](ctx context.Context, s Study, list []T, of func(T) Case,
	measure func(c T, set int) (R, error)) (map[string]map[int]R, error) {
	var cases []Case
	for _, c := range list {
		cases = append(cases, of(c))
	}
	return Measure(ctx, s, cases, func(i, set int) (R, error) { return measure(list[i], set) })
}

func (s Study) count(c Case) int {
	if s.Sets > 0 {
		return min(s.Sets, c.Sets)
	}
	return c.Sets
}

func add[R Measured](all map[string]map[int]R, r R) {
	name, set := r.Of()
	if all[name] == nil {
		all[name] = map[int]R{}
	}
	all[name][set] = r
}

// read reads the file. A last line that was cut off is taken away: its data set is measured again.
func read[R Measured](path string) (map[string]map[int]R, error) {
	all := map[string]map[int]R{}
	if path == "" {
		return all, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	} else if err != nil {
		return nil, err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	if whole < len(text) {
		if err := os.Truncate(path, int64(whole)); err != nil {
			return nil, err
		}
	}
	for i, line := range bytes.Split(bytes.TrimSpace(text[:whole]), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var r R
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("line %d of %s: %w", i+1, path, err)
		}
		add(all, r)
	}
	return all, nil
}

// Keep appends a result as a line of JSON to a file, "" for none.
func Keep(path string, r any) error {
	if path == "" {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
