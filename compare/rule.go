package compare

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"bayeskernel/internal/rng"
)

// Rule is a region of three and more columns in words: conditions that hold in one sample more often than in the
// other. It was found on half of the rows, and tested on the other half.
type Rule struct {
	Conditions []Condition
	Shares     [2]float64 // of the rows of each sample in the other half that fulfil it
	P          float64    // of Fisher's exact test on that half, in the direction that was found
	text       string
}

// Condition is one of a rule: that a column is above a value, or at most that value.
type Condition struct {
	Column string
	Above  bool
	Value  float64
}

const (
	mostConditions = 3
	rulesKept      = 8    // that are looked at further, of each number of conditions
	ruleRows       = 4000 // of each sample that are looked at
	worth          = 0.7  // standard deviations that one more condition must add
)

// candidate is a rule under way.
type candidate struct {
	conditions []Condition
	columns    []int
	in         [2][]int // rows of the first half that fulfil it
	z          float64
}

// rule looks for one where there are three columns or more, all of numbers, without weights or blocks; nil where none is
// confirmed at the level of the test.
func (r *Result) rule() (*Rule, error) {
	d := r.data
	if d.dim < 3 || len(d.categories()) > 0 || !r.Test.Reject {
		return nil, nil
	}
	var halves [2][2][]int // of each half, the rows of each sample
	for g, s := range d.samples {
		if s.weights != nil || s.given.Blocks != nil || s.rows() != s.n || s.n < 16 {
			return nil, nil
		}
		src, err := rng.New(rng.PCG, rng.Name{Seed: d.o.Seed, Purpose: fmt.Sprintf("compare rule %d", g)}, 0)
		if err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
		order := rand.New(src).Perm(s.n)
		order = order[:min(len(order), 2*ruleRows)]
		halves[0][g], halves[1][g] = order[:len(order)/2], order[len(order)/2:]
	}
	best := d.search(halves[0])
	if best == nil {
		return nil, nil
	}
	var counts [2]int
	for g, rows := range halves[1] {
		for _, i := range rows {
			if d.fulfils(g, i, best) {
				counts[g]++
			}
		}
	}
	m, n := len(halves[1][0]), len(halves[1][1])
	out := &Rule{Conditions: best.conditions, Shares: [2]float64{float64(counts[0]) / float64(m),
		float64(counts[1]) / float64(n)}}
	if best.z > 0 {
		out.P = upperTail(counts[0], counts[0]+counts[1], m, m+n)
	} else {
		out.P = upperTail(counts[1], counts[0]+counts[1], n, m+n)
	}
	if out.P > r.Test.Alpha {
		return nil, nil
	}
	var words []string
	for k, c := range best.conditions {
		sign := "≤"
		if c.Above {
			sign = ">"
		}
		words = append(words, fmt.Sprintf("%s %s %s", c.Column, sign, d.coordinate(best.columns[k], c.Value)))
	}
	out.text = fmt.Sprintf("Found on half of the rows and tested on the other half: %s holds for %.0f%% of %s and %.0f%% of %s "+
		"(p = %s).", strings.Join(words, " and "), 100*out.Shares[0], r.Names[0], 100*out.Shares[1], r.Names[1], short(out.P))
	return out, nil
}

// String is the rule in words.
func (u *Rule) String() string { return u.text }

func (d *data) value(sample, row, column int) float64 {
	return d.samples[sample].x.At(row, column)
}

func (d *data) fulfils(sample, row int, c *candidate) bool {
	for k, one := range c.conditions {
		if (d.value(sample, row, c.columns[k]) > one.Value) != one.Above {
			return false
		}
	}
	return true
}

// search adds conditions, the best first. It looks at the first half alone.
func (d *data) search(half [2][]int) *candidate {
	cuts := make([][]float64, d.dim)
	for j := range cuts {
		var list []float64
		for g, rows := range half {
			for _, i := range rows {
				list = append(list, d.value(g, i, j))
			}
		}
		slices.Sort(list)
		for k := 1; k < 10; k++ {
			cuts[j] = append(cuts[j], list[(len(list)-1)*k/10])
		}
		cuts[j] = slices.Compact(cuts[j])
	}
	sizes := [2]float64{float64(len(half[0])), float64(len(half[1]))}
	kept := []*candidate{{in: half}}
	var best *candidate
	for range mostConditions {
		var next []*candidate
		for _, from := range kept {
			for j := range d.dim {
				for _, cut := range cuts[j] {
					var below [2]float64
					for g, rows := range from.in {
						for _, i := range rows {
							if d.value(g, i, j) <= cut {
								below[g]++
							}
						}
					}
					for _, above := range []bool{false, true} {
						count := below
						if above {
							count = [2]float64{float64(len(from.in[0])) - below[0], float64(len(from.in[1])) - below[1]}
						}
						z := contrast(count, sizes)
						next = append(next, &candidate{z: z, columns: append(slices.Clone(from.columns), j),
							conditions: append(slices.Clone(from.conditions), Condition{d.columns[j], above, cut}), in: from.in})
					}
				}
			}
			if len(next) > 1<<16 { // of very many columns
				slices.SortStableFunc(next, stronger)
				next = next[:rulesKept]
			}
		}
		slices.SortStableFunc(next, stronger)
		next = next[:min(len(next), rulesKept)]
		for _, c := range next {
			var in [2][]int
			for g, rows := range c.in {
				for _, i := range rows {
					if d.fulfils(g, i, c) {
						in[g] = append(in[g], i)
					}
				}
			}
			c.in = in
		}
		if len(next) > 0 && (best == nil || math.Abs(next[0].z) > math.Abs(best.z)+worth) {
			best = next[0]
		}
		kept = next
	}
	return best
}

func stronger(a, b *candidate) int { return cmp.Compare(math.Abs(b.z), math.Abs(a.z)) }

// contrast is the difference of two shares in standard deviations.
func contrast(count, sizes [2]float64) float64 {
	p := (count[0] + count[1]) / (sizes[0] + sizes[1])
	if !(p > 0 && p < 1) {
		return 0
	}
	return (count[0]/sizes[0] - count[1]/sizes[1]) / math.Sqrt(p*(1-p)*(1/sizes[0]+1/sizes[1]))
}

// upperTail is the probability of at least k of the marked rows among m of n, where marked ones are drawn at random.
func upperTail(k, marked, m, n int) float64 {
	choose := func(n, k int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return a - b - c
	}
	p := 0.0
	for i := k; i <= min(marked, m); i++ {
		if marked-i <= n-m {
			p += math.Exp(choose(m, i) + choose(n-m, marked-i) - choose(n, marked))
		}
	}
	return min(1, p)
}
