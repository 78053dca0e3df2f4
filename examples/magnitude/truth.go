package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"bayeskernel/magnitude"
)

// orders are the orders of the quantiles.
var orders = []float64{0.1, 0.25, 0.5, 0.75, 0.9}

// findTruth fills in what the intervals should cover.
func (c *problem) findTruth(ctx context.Context) error {
	t := map[string]float64{}
	c.truth = t
	switch {
	case c.pair != nil:
		return c.large(ctx, "dependence")
	case c.q == nil:
		t["mean"] = c.p.Mean()
		t["standardised"] = t["mean"] / math.Sqrt(c.p.Variance())
		t["exceeds"] = 1 - c.p.CDF(0)
		if tied(c.p) {
			t["exceeds"] += c.p.Prob(0) / 2
		} else {
			t["overlap"] = newMinus(base, c.p).overlapWithBase()
		}
		for _, p := range orders {
			t[fmt.Sprintf("q%g", p)] = c.p.Quantile(p)
		}
	default:
		t["mean"] = c.p.Mean() - c.q.Mean()
		t["standardised"] = t["mean"] / math.Sqrt((c.p.Variance()+c.q.Variance())/2)
		t["exceeds"], t["overlap"] = exceeds(c.p, c.q), overlap(c.p, c.q)
		for _, p := range orders {
			t[fmt.Sprintf("q%g", p)] = c.p.Quantile(p) - c.q.Quantile(p)
		}
	}
	return c.large(ctx, "overall")
}

// truthSeed is a seed that no study uses.
const truthSeed = 1 << 60

// large takes the mean over large data sets for the truth of a number that is estimated almost
// without bias; its error is at most a tenth of that of a data set of the study.
func (c *problem) large(ctx context.Context, what string) error {
	const sets, rows = 60, 600
	big := *c
	big.m, big.n = rows, rows
	sum := 0.0
	for set := range sets {
		x, y := big.samples(truthSeed, set)
		if what == "dependence" {
			d, err := magnitude.Dependence(ctx, x, y, magnitude.Options{})
			if err != nil {
				return err
			}
			sum += d.Estimate * d.Estimate
			continue
		}
		sum += energy(x.RawMatrix().Data, y.RawMatrix().Data, c.q == nil)
	}
	c.truth[what] = sum / sets
	if what == "dependence" {
		c.truth[what] = math.Sqrt(sum / sets)
		if strings.HasPrefix(c.name, "dependence, none") {
			c.truth[what] = 0
		}
	}
	return nil
}

// energy is the share of the mean distance of rows of different samples that distances within the
// samples do not account for.
func energy(x, y []float64, paired bool) float64 {
	n := float64(len(x))
	var xx, yy, xy, own float64
	for i := range x {
		for j := range y {
			xx += math.Abs(x[i] - x[j])
			yy += math.Abs(y[i] - y[j])
			xy += math.Abs(x[i] - y[j])
		}
		own += math.Abs(x[i] - y[i])
	}
	cross := xy / (n * n)
	if paired {
		cross = (xy - own) / (n * (n - 1))
	}
	return 1 - (xx+yy)/(n*(n-1))/(2*cross)
}
