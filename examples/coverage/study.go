package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// study is which data sets are measured, and where results are kept.
type study struct {
	only string // part of the names of the cases
	sets int    // at most so many data sets of each; 0: all of the study
	seed uint64
	path string // a line of JSON for each data set; "": nowhere
}

// run measures what is not in the file yet and prints the table.
func (s study) run(ctx context.Context, out io.Writer) error {
	done, err := s.read()
	if err != nil {
		return err
	}
	type job struct {
		c   problem
		set int
	}
	var jobs []job
	var cases []problem
	for _, c := range problems() {
		if !strings.Contains(c.name, s.only) {
			continue
		}
		cases = append(cases, c)
		for set := range s.count(c) {
			if _, ok := done[c.name][set]; !ok {
				jobs = append(jobs, job{c, set})
			}
		}
	}
	if len(cases) == 0 {
		return fmt.Errorf("no case has %q in its name", s.only)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failed error
	next := make(chan job)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for j := range next {
				r, err := j.c.measure(ctx, s.seed, j.set)
				mu.Lock()
				if err == nil {
					err = s.keep(r)
				}
				if err == nil {
					done.add(r)
				} else if failed == nil {
					failed = fmt.Errorf("%s, data set %d: %w", j.c.name, j.set, err)
				}
				mu.Unlock()
			}
		})
	}
	for _, j := range jobs {
		mu.Lock()
		stop := failed != nil
		mu.Unlock()
		if stop || ctx.Err() != nil {
			break
		}
		next <- j
	}
	close(next)
	wg.Wait()
	if failed == nil {
		failed = ctx.Err()
	}
	if failed != nil {
		return failed
	}
	for _, c := range cases {
		for set := range done[c.name] {
			if set >= s.count(c) {
				delete(done[c.name], set)
			}
		}
	}
	return table(out, cases, done)
}

func (s study) count(c problem) int {
	if s.sets > 0 {
		return min(s.sets, c.sets)
	}
	return c.sets
}

// results are those of each case and data set.
type results map[string]map[int]result

func (all results) add(r result) {
	if all[r.Case] == nil {
		all[r.Case] = map[int]result{}
	}
	all[r.Case][r.Set] = r
}

// read reads the file. A last line that was cut off is taken away: its data set is measured again.
func (s study) read() (results, error) {
	all := results{}
	if s.path == "" {
		return all, nil
	}
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	} else if err != nil {
		return nil, err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	if whole < len(text) {
		if err := os.Truncate(s.path, int64(whole)); err != nil {
			return nil, err
		}
	}
	for i, line := range bytes.Split(bytes.TrimSpace(text[:whole]), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var r result
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("line %d of %s: %w", i+1, s.path, err)
		}
		all.add(r)
	}
	return all, nil
}

// keep appends a line to the file.
func (s study) keep(r result) error {
	if s.path == "" {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(s.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// table prints the means over data sets, coverages with their standard errors.
func table(w io.Writer, cases []problem, all results) error {
	var b bytes.Buffer
	b.WriteString("| P, Q, rows of each | sets | theta | points | covers mu_P | " +
		"covers the witness | width/CLT | sd x n |\n")
	b.WriteString("| --- | --: | --: | --- | --: | --: | --: | --: |\n")
	for _, c := range cases {
		for _, name := range []string{"centre", "outside", "rows", "grid, inside", "grid, outside"} {
			var mu, witness, width, sd, theta []float64
			for set := range c.sets {
				r := all[c.name][set]
				if part, ok := r.Regions[name]; ok {
					mu, witness = append(mu, part.Mu), append(witness, part.Witness)
					width, sd = append(width, part.Width), append(sd, part.SD)
					theta = append(theta, r.Theta)
				}
			}
			if len(mu) == 0 {
				continue
			}
			slices.Sort(theta)
			ratio := fmt.Sprintf("%.2f", mean(width))
			if strings.Contains(name, "outside") {
				ratio = ""
			}
			fmt.Fprintf(&b, "| %s | %d | %.2f | %s | %s | %s | %s | %.1f |\n", c.name, len(mu),
				theta[len(theta)/2], name, withError(mu), withError(witness), ratio, mean(sd))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// withError is the mean and its standard error.
func withError(x []float64) string {
	m, v := mean(x), 0.0
	for _, y := range x {
		v += (y - m) * (y - m)
	}
	n := float64(len(x))
	return fmt.Sprintf("%.3f ± %.3f", m, math.Sqrt(v/max(n-1, 1)/n))
}
