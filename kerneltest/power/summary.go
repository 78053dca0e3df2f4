package power

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/wilson"

	"gonum.org/v1/gonum/stat/distuv"
)

// Rate is how often a method rejects.
type Rate struct {
	Problem, Method string
	Replicates      int
	Rejected        int
	Failed          int // replicates with an error: they count, and do not reject
}

// Rates counts the rejections of every method on every problem, in the order of the records, the
// methods in alphabetical order. Records are first merged.
func Rates(records []Record) ([]Rate, error) {
	merged, err := merge(records)
	if err != nil {
		return nil, err
	}
	var out []Rate
	at := make(map[[2]string]int)
	for _, rec := range merged {
		for _, name := range methodNames(rec) {
			id := [2]string{rec.Problem, name}
			i, ok := at[id]
			if !ok {
				i = len(out)
				at[id] = i
				out = append(out, Rate{Problem: rec.Problem, Method: name})
			}
			o := rec.Results[name]
			out[i].Replicates++
			if o.Reject {
				out[i].Rejected++
			}
			if o.Error != "" {
				out[i].Failed++
			}
		}
	}
	return out, nil
}

func methodNames(rec Record) []string {
	var names []string
	for name := range rec.Results {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Power is the share of the replicates that was rejected.
func (r Rate) Power() float64 { return float64(r.Rejected) / float64(r.Replicates) }

// Interval is the score interval of Wilson (1927) for the probability of rejection, which keeps to
// [0, 1] and has a width at 0 and 1 too. It is all of [0, 1] without replicates, and NaN for a
// level that is not between 0 and 1.
func (r Rate) Interval(level float64) (lo, hi float64) {
	if !(level > 0 && level < 1) {
		return math.NaN(), math.NaN()
	}
	if r.Replicates == 0 {
		return 0, 1
	}
	return wilson.Interval(r.Rejected, r.Replicates, level)
}

// Comparison is of two methods on the same data sets.
type Comparison struct {
	Problem, A, B string
	Replicates    int // with both methods
	OnlyA, OnlyB  int // rejected by A and not by B, and the reverse
	// Difference is the power of A less that of B, and SE its standard error. Data sets on which
	// both say the same add nothing to it, so that it is smaller than that of independent data.
	Difference, SE float64
	// P is the exact two-sided p-value of the hypothesis that the powers are equal, by McNemar's test
	// (1947). Given their number, the discordant data sets are then split like tosses of a fair coin.
	P float64
}

// Compare compares methods a and b on the replicates of a problem that have both.
func Compare(records []Record, problem, a, b string) (Comparison, error) {
	c := Comparison{Problem: problem, A: a, B: b}
	of := slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return r.Problem != problem })
	merged, err := merge(of)
	if err != nil {
		return c, err
	}
	for _, rec := range merged {
		ra, oka := rec.Results[a]
		rb, okb := rec.Results[b]
		if !oka || !okb {
			continue
		}
		c.Replicates++
		switch {
		case ra.Reject && !rb.Reject:
			c.OnlyA++
		case rb.Reject && !ra.Reject:
			c.OnlyB++
		}
	}
	if c.Replicates == 0 {
		return c, fmt.Errorf("power: problem %q has no replicate with both %q and %q", problem, a, b)
	}
	n, diff := float64(c.Replicates), float64(c.OnlyA-c.OnlyB)
	discordant := float64(c.OnlyA + c.OnlyB)
	c.Difference = diff / n
	c.SE = math.Sqrt(discordant-diff*diff/n) / n
	c.P = 1
	if discordant > 0 {
		coin := distuv.Binomial{N: discordant, P: 0.5}
		c.P = min(1, 2*coin.CDF(float64(min(c.OnlyA, c.OnlyB))))
	}
	return c, nil
}

// Numbers returns a number that a method kept, such as "theta", for the replicates that have it, in
// the order of the records.
func Numbers(records []Record, problem, method, name string) []float64 {
	var out []float64
	for _, rec := range records {
		if rec.Problem != problem {
			continue
		}
		if v, ok := rec.Results[method].Numbers[name]; ok {
			out = append(out, v)
		}
	}
	return out
}
