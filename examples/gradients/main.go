// Gradients measures the time of a gradient for every family of distributions and for 15 models,
// beside Stan's C++ in the same run.
//
//	gradients                                      ours alone, nanoseconds a row
//	gradients -stanref stanref.sh -corpus DIR      beside Stan
//	gradients -rows 1000000                        many rows, with one and with two processors
//
// The script compiles a Stan program at -O3 -march=native and leaves an executable that times its
// gradient; DIR has programs and data of posteriordb. Ours and Stan's take turns, and the least CPU
// time of each is reported: the machine may be busy.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"

	"bayeskernel/examples/internal/processor"
	"bayeskernel/hmc"
	"bayeskernel/model"
)

func main() {
	ref := flag.String("stanref", "", "script that compiles and times Stan programs")
	corpus := flag.String("corpus", "", "folder with programs/ and data/ of posteriordb")
	keep := flag.String("keep", "gradients-build", "folder for what is compiled")
	only := flag.String("only", "", "only names that contain this")
	rounds := flag.Int("rounds", 5, "how often each is timed")
	rows := flag.Int("rows", 0, "time models of so many rows with one and with two processors, nothing else")
	flag.Parse()
	if *rows > 0 {
		if err := manyRows(*rows, *rounds); err != nil {
			fmt.Fprintln(os.Stderr, "gradients:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*ref, *corpus, *keep, *only, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "gradients:", err)
		os.Exit(1)
	}
}

// task is one density to time.
type task struct {
	name string
	rows int // 0 for a model
	ours func() (hmc.Target, []float64, error)
	stan func() (float64, error) // seconds a gradient; nil where there is none
}

func run(ref, corpus, keep, only string, rounds int) error {
	tasks := append(familyTasks(), modelTasks(corpus)...)
	if ref != "" {
		s, err := newStan(ref, corpus, keep)
		if err != nil {
			return err
		}
		s.attach(tasks)
	}
	var logs, count float64
	for _, t := range tasks {
		if !strings.Contains(t.name, only) {
			continue
		}
		target, x, err := t.ours()
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		g := make([]float64, len(x))
		if l := target.LogDensity(x, g); math.IsInf(l, 0) || math.IsNaN(l) {
			return fmt.Errorf("%s: the log density is %v", t.name, l)
		}
		gradient := func() { target.LogDensity(x, g) }
		n := repetitions(gradient)
		ours, stan := math.Inf(1), math.Inf(1)
		for range rounds {
			ours = min(ours, timed(n, gradient))
			if t.stan == nil {
				continue
			}
			s, err := t.stan()
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			stan = min(stan, s)
		}
		switch {
		case t.rows > 0:
			fmt.Printf("%-42s %8.2f ns a row", t.name, ours*1e9/float64(t.rows))
		default:
			fmt.Printf("%-42s %8.2f us", t.name, ours*1e6)
		}
		if t.stan != nil {
			fmt.Printf("  of Stan's %10.2f us  %6.3f", stan*1e6, ours/stan)
			if t.rows == 0 {
				logs += math.Log(ours / stan)
				count++
			}
		}
		fmt.Println()
	}
	if count > 0 {
		fmt.Printf("geometric mean of %v models: %.3f\n", count, math.Exp(logs/count))
	}
	return nil
}

// timed is the CPU time of f, the mean of n calls.
func timed(n int, f func()) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := processor.Time()
	for range n {
		f()
	}
	return (processor.Time() - began) / float64(n)
}

// repetitions is how many calls take some 20 ms.
func repetitions(f func()) int {
	for n := 1; ; n *= 2 {
		if timed(n, f) > 0.02/float64(n) {
			return n
		}
	}
}

// compiled is the target of a model and its point.
func compiled(m *model.Model, x []float64) (hmc.Target, []float64, error) {
	p, err := m.Compile(model.Without(model.EqualRows, model.Regressions))
	if err != nil {
		return nil, nil, err
	}
	t, err := p.Target()
	if err != nil {
		return nil, nil, err
	}
	return t, x, nil
}
