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
)

// With the same priors posterior means are those of rstanarm and brms (testdata/bayes.R made them), within four standard errors
// of Monte Carlo, ours and theirs. Some 80 means are compared: chance alone fails one in 200 such tests.
func TestBayes(t *testing.T) {
	for _, file := range []string{"testdata/bayes_rstanarm.txt", "testdata/bayes_brms.txt"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for k, c := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
			head, rows, _ := strings.Cut(c, "\n")
			if !long.Enabled() && k%8 != 0 || strings.Contains(head, " curve @") {
				continue
			}
			t.Run(head, func(t *testing.T) { compareMeans(t, head, rows) })
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

func compareMeans(t *testing.T, head, rows string) {
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
	for _, line := range strings.Split(rows, "\n") {
		var mean, mcse float64
		at := strings.LastIndexByte(line[:strings.LastIndexByte(line, ' ')], ' ')
		name := line[:at]
		if strings.HasPrefix(name, "bs_") {
			continue // the line has another unit there; the curve is compared
		}
		fmt.Sscan(line[at:], &mean, &mcse)
		if strings.HasPrefix(name, "bs_") {
			continue // its unit is that of the basis, which brms scales otherwise
		}
		k, ok := place[name]
		if !ok {
			t.Errorf("there is no %s among %v", name, run.Names)
			continue
		}
		chains := run.Column(k)
		got := 0.0
		for _, c := range chains {
			for _, v := range c {
				got += v / float64(len(chains)*len(c))
			}
		}
		own := diagnostics.MCSEMean(chains)
		if z := (got - mean) / math.Hypot(own, mcse); !(math.Abs(z) < 4) {
			t.Errorf("%s has mean %.5g (%.2g), want %.5g (%.2g): %.1f standard errors", name, got, own, mean, mcse, z)
		}
	}
}
