package formula

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/frame"
	"bayeskernel/internal/long"
	"bayeskernel/nuts"

	"gonum.org/v1/gonum/mat"
)

// With the same priors posterior means are those of rstanarm and brms (testdata/bayes.R made them), within four standard errors
// of Monte Carlo, ours and theirs. Some 90 means are compared: chance alone fails one in 200 such tests. The line of a smooth term
// has another unit there, and penalised functions another basis: the curve is compared at ten places.
func TestBayes(t *testing.T) {
	for _, file := range []string{"testdata/bayes_rstanarm.txt", "testdata/bayes_brms.txt"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sections := strings.Split(strings.TrimSpace(string(text)), "\n\n")
		for k, c := range sections {
			head, rows, _ := strings.Cut(c, "\n")
			if !long.Enabled() && k%8 != 0 || strings.Contains(head, " curve @") {
				continue
			}
			curve := ""
			if k+1 < len(sections) && strings.Contains(sections[k+1], " curve @") {
				_, curve, _ = strings.Cut(sections[k+1], "\n")
			}
			t.Run(head, func(t *testing.T) { compareMeans(t, head, rows, curve) })
		}
	}
}

// fitted samples a regression of a line such as y ~ x @ gaussian @ b ~ normal(0, 1).
func fitted(t *testing.T, data *frame.Frame, head string) (*Regression, *draws.Run) {
	part := strings.Split(head, " @ ")
	f, err := Parse(part[0])
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Family: part[1]}
	if part[2] != "" {
		o.Priors = strings.Split(part[2], "; ")
	}
	r, err := f.Model(data, o)
	if err != nil {
		t.Fatal(err)
	}
	c := nuts.Config{}
	c.Seed, c.Draws = 9, 2000
	run, err := nuts.Sample(context.Background(), r.Program.Target, c)
	if err != nil {
		t.Fatal(err)
	}
	reported, err := r.Report(run)
	if err != nil {
		t.Fatal(err)
	}
	return r, reported
}

func compareMeans(t *testing.T, head, rows, curve string) {
	data, err := frame.Read(context.Background(), "testdata/bayes.csv", frame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, run := fitted(t, data, head)
	place := map[string]int{}
	for k, n := range run.Names {
		place[n] = k
	}
	for _, c := range r.Named() {
		place[c.Name] = c.Place
	}
	compare := func(name string, chains [][]float64, want, mcse float64) {
		got := 0.0
		for _, c := range chains {
			for _, v := range c {
				got += v / float64(len(chains)*len(c))
			}
		}
		own := diagnostics.MCSEMean(chains)
		if z := (got - want) / math.Hypot(own, mcse); !(math.Abs(z) < 4) {
			t.Errorf("%s has mean %.5g (%.2g), want %.5g (%.2g): %.1f standard errors", name, got, own, want, mcse, z)
		}
	}
	for _, line := range strings.Split(rows, "\n") {
		var mean, mcse float64
		at := strings.LastIndexByte(line[:strings.LastIndexByte(line, ' ')], ' ')
		name := line[:at]
		if strings.HasPrefix(name, "bs_") {
			continue
		}
		fmt.Sscan(line[at:], &mean, &mcse)
		k, ok := place[name]
		if !ok {
			t.Errorf("there is no %s among %v", name, run.Names)
			continue
		}
		compare(name, run.Column(k), mean, mcse)
	}
	if curve == "" {
		return
	}
	var want [][3]float64 // z, mean and error
	for _, line := range strings.Split(curve, "\n") {
		var w [3]float64
		fmt.Sscan(line, &w[0], &w[1], &w[2])
		want = append(want, w)
	}
	table := &frame.Frame{Source: "curve", Names: []string{"z", "x"}, Types: []frame.Type{{}, {}}, Data: mat.NewDense(len(want), 2, nil)}
	for i, w := range want {
		table.Data.Set(i, 0, w[0])
	}
	x, err := r.Design.Rows(table)
	if err != nil {
		t.Fatal(err)
	}
	other := *r
	other.data = table
	line, bends, err := r.Smooths[0].at(&other)
	if err != nil {
		t.Fatal(err)
	}
	at := r.columns("", len(want), x, [][]float64{line}, []*mat.Dense{bends})
	for i, w := range want {
		chains := make([][]float64, len(run.Chains))
		for c := range run.Chains {
			for _, draw := range run.Chains[c].Values {
				chains[c] = append(chains[c], at.eta(i, draw))
			}
		}
		compare(fmt.Sprintf("the curve at z = %v", w[0]), chains, w[1], w[2])
	}
}
