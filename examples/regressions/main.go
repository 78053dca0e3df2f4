// Command regressions fits regressions from formulas and puts R's answers beside: five synthetic tables (-part worked), tables
// that come with R (-part tables), and 50,000 rows in 500 groups (-part large).
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"log"
	"math"
	"path/filepath"
	"strings"
	"time"

	"bayeskernel/draws"
	"bayeskernel/examples/internal/processor"
	"bayeskernel/formula"
	"bayeskernel/frame"
	"bayeskernel/hmc"
	"bayeskernel/nuts"
)

//go:embed worked.txt tables.txt data
var files embed.FS

func main() {
	log.SetFlags(0)
	part := flag.String("part", "worked", "what to fit: worked, tables or large")
	dir := flag.String("dir", "", "folder of the tables: those of tables.R, or of large.R")
	n := flag.Int("draws", 1000, "draws of each of four chains; of one with -part large")
	flag.Parse()
	var err error
	switch *part {
	case "worked", "tables":
		err = all(*part+".txt", *dir, *n)
	case "large":
		err = large(filepath.Join(*dir, "large.csv"), *n)
	default:
		err = fmt.Errorf("-part is %s, want worked, tables or large", *part)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// all fits what a list says: table ; family ; formula ; whose answers ; orders of levels, and the answers below.
func all(list, dir string, draws int) error {
	text, err := files.ReadFile(list)
	if err != nil {
		return err
	}
	for _, c := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		if err := one(c, dir, draws); err != nil {
			return err
		}
	}
	return nil
}

func one(c, dir string, draws int) error {
	head, answers, _ := strings.Cut(c, "\n")
	part := append(strings.Split(head, " ; "), "") // levels may be left out
	f, err := formula.Parse(part[2])
	if err != nil {
		return err
	}
	t, err := read(part[0], dir, f.Columns())
	if err != nil {
		return err
	}
	for _, order := range strings.Split(part[4], ";") {
		if column, levels, ok := strings.Cut(strings.TrimSpace(order), "="); ok {
			if err := t.Order(column, strings.Split(levels, ",")); err != nil {
				return err
			}
		}
	}
	r, run, err := fit(t, f, part[1], nuts.Config{Settings: hmc.Settings{Seed: 1, Draws: draws}})
	if err != nil {
		return err
	}
	s := run.Summary()
	fmt.Printf("%s: %s, %s, %d rows\n", part[0], part[2], part[1], len(r.Y))
	tell(s)
	place := map[string]int{}
	for k, name := range run.Names {
		place[name] = k
	}
	for _, c := range r.Named() {
		place[c.Name] = c.Place
	}
	if answers != "" {
		fmt.Printf("  %-32s %9s %8s   %s\n", "", "mean", "sd", part[3])
	}
	for _, line := range strings.Split(answers, "\n") {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		name := strings.Join(f[:len(f)-2], " ")
		k, ok := place[name]
		if !ok {
			return fmt.Errorf("%s has no %s", part[0], name)
		}
		p := s.Parameters[k]
		fmt.Printf("  %-32s %9.4g %8.3g   %s (%s)\n", name, p.Mean, p.SD, f[len(f)-2], f[len(f)-1])
	}
	fmt.Println()
	return nil
}

// read reads a table of data, or of a folder.
func read(name, dir string, columns []string) (*frame.Frame, error) {
	o := frame.Options{Missing: frame.DropMissing, Columns: columns}
	if dir != "" {
		return frame.Read(context.Background(), filepath.Join(dir, name+".csv"), o)
	}
	f, err := files.Open("data/" + name + ".csv")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return frame.From(context.Background(), f, name+".csv", o)
}

func fit(t *frame.Frame, f *formula.Formula, family string, c nuts.Config) (*formula.Regression, *draws.Run, error) {
	r, err := f.Model(t, formula.Options{Family: family})
	if err != nil {
		return nil, nil, err
	}
	run, err := nuts.Sample(context.Background(), r.Program.Target, c)
	if err != nil {
		return nil, nil, err
	}
	run, err = r.Report(run)
	return r, run, err
}

// tell says how the chains are.
func tell(s *draws.Summary) {
	rhat, ess, divergences := 0.0, math.Inf(1), 0
	for _, p := range s.Parameters {
		rhat, ess = max(rhat, p.RHat), min(ess, p.ESSBulk)
	}
	for _, c := range s.Chains {
		divergences += c.Divergences
	}
	fmt.Printf("  R-hat at most %.3f, bulk ESS at least %.0f, %d divergences\n", rhat, ess, divergences)
}

// large measures the time to the first draw, and to a bulk ESS of 400 in every parameter.
func large(file string, n int) error {
	began := time.Now()
	t, err := frame.Read(context.Background(), file, frame.Options{})
	if err != nil {
		return err
	}
	f, err := formula.Parse("y ~ x + z + (1 | g)")
	if err != nil {
		return err
	}
	r, err := f.Model(t, formula.Options{Family: "bernoulli"})
	if err != nil {
		return err
	}
	target, err := r.Program.Target()
	if err != nil {
		return err
	}
	x, grad := make([]float64, target.Dim()), make([]float64, target.Dim())
	fmt.Printf("log density at 0: %.4f; ready after %.3f s of processor time, %.3f s on the clock\n", target.LogDensity(x, grad),
		processor.Time(), time.Since(began).Seconds())
	c := nuts.Config{Settings: hmc.Settings{Seed: 1, Chains: 1, Draws: n}}
	run, err := nuts.Sample(context.Background(), r.Program.Target, c)
	if err != nil {
		return err
	}
	cpu := processor.Time()
	s := run.Summary()
	least, of := math.Inf(1), ""
	for _, p := range s.Parameters {
		if p.ESSBulk < least {
			least, of = p.ESSBulk, p.Name
		}
	}
	fmt.Printf("a chain of %d draws: %.1f s of processor time, %d gradients of warm-up and %d of draws; least bulk ESS %.0f (%s)\n", n, cpu,
		s.Chains[0].WarmupGradients, s.Chains[0].Gradients, least, of)
	fmt.Printf("to bulk ESS 400: %.1f s\n", cpu*400/least)
	return nil
}
