// Distances measures the energy distances of package embedding/energy: how often their intervals hold
// the true distance, how often an order of equal laws is claimed, and how well distances agree with
// others on tables of data. README.md has what was found.
//
//	go run ./examples/distances -part coverage -only "30/30" -sets 500
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"bayeskernel/embedding/energy"
	"bayeskernel/examples/internal/report"

	"gonum.org/v1/gonum/mat"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var part string
	return report.RunStudy(ctx, "distances", args, stdout, stderr, func(f *flag.FlagSet) {
		report.Part(f, &part, "coverage", "order", "tables")
	}, func(ctx context.Context, s report.Study, out io.Writer) error {
		switch part {
		case "order":
			return orders(ctx, s, out)
		case "tables":
			return onTables(ctx, s, out)
		}
		return coverage(ctx, s, out)
	})
}

// measured is what one data set of a case says.
type measured struct {
	Case     string  `json:"case"`
	Set      int     `json:"set"`
	Covered  bool    `json:"covered"`
	Below    bool    `json:"below"` // the interval is below the distance
	Width    float64 `json:"width"`
	Claimed  bool    `json:"claimed"` // any order of two pairs
	Wrong    bool    `json:"wrong"`   // an order that is not true
	Distance float64 `json:"distance"`
}

func (m measured) Of() (string, int) { return m.Case, m.Set }

// sizes are numbers of rows of the two samples.
var sizes = [][2]int{{10, 10}, {30, 30}, {20, 80}, {300, 300}}

// coverage measures how often the intervals hold the distance.
func coverage(ctx context.Context, s report.Study, out io.Writer) error {
	type problem struct {
		law
		n [2]int
	}
	var cases []report.Case
	var all []problem
	for _, l := range pairs() {
		for _, n := range sizes {
			cases = append(cases, report.Case{Name: fmt.Sprintf("%s, %d/%d", l.name, n[0], n[1]), Sets: 2000})
			all = append(all, problem{l, n})
		}
	}
	results, err := report.Measure(ctx, s, cases, func(i, set int) (measured, error) {
		c := all[i]
		r := rand.New(rand.NewPCG(s.Seed, uint64(i)<<32+uint64(set)))
		m := measured{Case: cases[i].Name, Set: set}
		d, err := energy.Between(ctx, []mat.Matrix{sample(c.n[0], c.dim, c.p, r),
			sample(c.n[1], c.dim, c.q, r)}, energy.Options{Seed: s.Seed + uint64(set), Parallel: 1})
		if err != nil {
			return m, err
		}
		truth := math.Sqrt(max(0, c.squared))
		lo, hi := d.Lower.At(0, 1), d.Upper.At(0, 1)
		m.Covered, m.Below, m.Width = lo <= truth && truth <= hi, hi < truth, hi-lo
		m.Distance = d.At(0, 1)
		return m, nil
	})
	if err != nil {
		return err
	}
	rows := [][]string{{"laws and rows", "distance", "sets", "covered", "below", "above", "mean width"}}
	for i, c := range cases {
		all, covered, below, width := results[c.Name], 0, 0, 0.0
		if len(all) == 0 {
			continue
		}
		for set := range len(all) {
			m := all[set]
			width += m.Width / float64(len(all))
			if m.Covered {
				covered++
			} else if m.Below {
				below++
			}
		}
		n := float64(len(all))
		rows = append(rows, []string{c.Name, fmt.Sprintf("%.3f", math.Sqrt(max(0, pairs()[i/len(sizes)].squared))),
			fmt.Sprint(len(all)), fmt.Sprintf("%.3f", float64(covered)/n), fmt.Sprintf("%.3f", float64(below)/n),
			fmt.Sprintf("%.3f", (n-float64(covered+below))/n), fmt.Sprintf("%.3f", width)})
	}
	return report.Table(out, rows)
}
