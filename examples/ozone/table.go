package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"bayeskernel/causal/graph"
	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/figure"
)

// measureAll measures what is not in the file yet and prints tables, and draws the picture.
func measureAll(ctx context.Context, s report.Study, picture string, out io.Writer) error {
	list := settings()
	done, err := report.MeasureEach(ctx, s, list, func(c setting) report.Case { return report.Case{Name: c.name(), Sets: c.sets} },
		func(c setting, set int) (result, error) { return c.measure(ctx, s.Seed, set) })
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for l, alpha := range levels {
		fmt.Fprintf(&b, "Level %g:\n\n| season, test | edges | Temp and Ozone | half-samples | adjacent | "+
			"Temp → Ozone | Ozone → Temp | undirected | conflict |\n", alpha)
		b.WriteString("| --- | --: | --- | --: | --: | --: | --: | --: | --: |\n")
		for _, c := range list {
			if of := done[c.name()]; len(of) > 0 {
				fmt.Fprintf(&b, "| %s | %s |\n", c.name(), row(of, l))
			}
		}
		b.WriteByte('\n')
	}
	for _, c := range list {
		if whole, ok := done[c.name()][0]; ok {
			fmt.Fprintf(&b, "%s, %d tests: %v\n\n", c.name(), whole.Tests, whole.Graphs[0])
		}
	}
	if _, err := out.Write(b.Bytes()); err != nil || picture == "" {
		return err
	}
	return draw(picture, done[list[0].name()])
}

// row is what the samples of a setting say of temperature and ozone.
func row(of map[int]result, level int) string {
	edges, what := "", ""
	if whole, ok := of[0]; ok {
		g := whole.Graphs[level]
		edges, what = fmt.Sprint(len(g.Edges())), relation(g)
		if level == 0 {
			what += fmt.Sprintf(", p = %.2g", whole.P)
			if len(whole.Apart) > 0 {
				what += " given " + strings.Join(whole.Apart, ", ")
			}
		}
	}
	count, halves := map[string]int{}, 0
	for set, r := range of {
		if set > 0 {
			halves++
			count[relation(r.Graphs[level])]++
		}
	}
	share := func(n int) string {
		if halves == 0 {
			return ""
		}
		return fmt.Sprintf("%.0f%%", 100*float64(n)/float64(halves))
	}
	return fmt.Sprintf("%s | %s | %d | %s | %s | %s | %s | %s", edges, what, halves,
		share(halves-count[relations[0]]), share(count[relations[1]]), share(count[relations[2]]),
		share(count[relations[3]]), share(count[relations[4]]))
}

// relations are what an edge may be.
var relations = []string{"not adjacent", "Temp → Ozone", "Ozone → Temp", "undirected", "conflict"}

func relation(g *graph.Graph) string {
	t, o := g.Index("Temp"), g.Index("Ozone")
	if !g.Adjacent(t, o) {
		return relations[0]
	}
	for _, e := range g.Edges() {
		switch {
		case !(e.From == "Temp" && e.To == "Ozone" || e.From == "Ozone" && e.To == "Temp"):
		case e.Type() == "directed" && e.From == "Temp":
			return relations[1]
		case e.Type() == "directed":
			return relations[2]
		case e.Type() == "undirected":
			return relations[3]
		}
	}
	return relations[4]
}

// draw draws the graph of all rows, with the frequencies of its edges in half-samples.
func draw(path string, of map[int]result) error {
	whole, ok := of[0]
	if !ok {
		return fmt.Errorf("-figure: the first setting was not measured")
	}
	g := whole.Graphs[0]
	net := figure.Network{Title: "Los Angeles ozone, KCI, the season taken out", Nodes: g.Names()}
	for _, e := range g.Edges() {
		found := 0
		for set, r := range of {
			h := r.Graphs[0]
			if set > 0 && h.Adjacent(h.Index(e.From), h.Index(e.To)) {
				found++
			}
		}
		edge := figure.NetworkEdge{From: g.Index(e.From), To: g.Index(e.To), Frequency: math.NaN(),
			ArrowFrom: e.MarkFrom == graph.Arrow, ArrowTo: e.MarkTo == graph.Arrow}
		if len(of) > 1 {
			edge.Frequency = float64(found) / float64(len(of)-1)
		}
		net.Edges = append(net.Edges, edge)
	}
	f, err := net.Draw()
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := f.WritePNG(file); err != nil {
		_ = file.Close() // the first error is told
		return err
	}
	return file.Close()
}
