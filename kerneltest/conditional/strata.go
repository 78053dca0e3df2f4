package conditional

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/permute"
	"bayeskernel/kerneltest/statistic"
)

// stratified reports whether z has few enough levels to exchange rows within each.
func (c *Table) stratified(z group) bool {
	if c.continuous(z) > 0 {
		return false
	}
	_, levels := c.strata(z)
	return levels*rowsPerStratum <= c.n
}

// rowsPerStratum is the least mean number of rows in a stratum.
const rowsPerStratum = 5

// strata numbers the combinations of values of z that occur, all rows in one if there is no z.
func (c *Table) strata(z group) (label []int, levels int) {
	label = make([]int, c.n)
	if len(z) == 0 {
		return label, 1
	}
	seen := map[string]int{}
	for i := range label {
		key := ""
		for _, j := range z {
			key += fmt.Sprint(c.cols[j].code[i], " ")
		}
		at, ok := seen[key]
		if !ok {
			at = len(seen)
			seen[key] = at
		}
		label[i] = at
	}
	return label, len(seen)
}

// withinStrata compares the sum over the strata of n² HSIC with that of rows of y exchanged at
// random within them. The probability of a p-value of at most alpha is then at most alpha under the
// null hypothesis, however few rows there are.
func (c *Table) withinStrata(ctx context.Context, r *Result, x, y, z group) error {
	if c.continuous(z) > 0 {
		return fmt.Errorf("conditional: null is permutation with the columns %s, want all of them "+
			"discrete: Options.Discrete, or null pearson", c.words(z))
	}
	if 1/float64(c.o.Permutations+1) > r.Alpha {
		return fmt.Errorf("conditional: permutations are %d, with which no p-value reaches alpha %v: "+
			"want at least %.0f", c.o.Permutations, r.Alpha, math.Ceil(1/r.Alpha-1))
	}
	label, _ := c.strata(z)
	design, err := permute.NewDesign(c.n, c.o.Seed, label)
	if err != nil {
		return fmt.Errorf("conditional: %w", err)
	}
	var blocks [2][]float64
	for k, g := range []group{x, y} {
		of := [2]*Regression{&r.X, &r.Y}[k]
		if blocks[k], err = c.block(ctx, g, label, of); err != nil {
			return err
		}
		if of.R2 >= 1-nothingLeft {
			return fmt.Errorf("conditional: %s is a function of %s: nothing is left to test", c.words(g),
				c.words(z))
		}
	}
	a, b := blocks[0], blocks[1]
	p, err := design.Perms(0, c.o.Permutations+1)
	if err != nil {
		return fmt.Errorf("conditional: %w", err)
	}
	sums := [][]float64{make([]float64, p.Count())}
	engine := permute.Best()
	engine.Parallel = 1
	if err := engine.Gather(ctx, sums, p, []permute.Rows{{Data: a}}, b); err != nil {
		return fmt.Errorf("conditional: %w", err)
	}
	size := norm(a) * norm(b)
	for _, v := range sums[0][1:] {
		if permute.AtLeast(v, sums[0][0], size) {
			r.AtLeast++
		}
	}
	r.Statistic, r.Permutations = sums[0][0], c.o.Permutations
	r.P = float64(1+r.AtLeast) / float64(1+r.Permutations)
	r.PError = math.Sqrt(r.P * (1 - r.P) / float64(1+r.Permutations))
	for i, v := range b {
		a[i] *= v
	}
	k := statistic.NewQuadraticForm(a, c.n).Cumulants()
	r.Mean, r.Variance, r.Third = k[0], k[1], k[2]
	return nil
}

// block is the kernel matrix centred within the strata and 0 between them.
func (c *Table) block(ctx context.Context, g group, label []int, of *Regression) ([]float64,
	error) {
	k, err := c.gram(ctx, g, c.width(g, nil, nil), nil)
	if err != nil {
		return nil, err
	}
	rows := map[int][]int{}
	for i, l := range label {
		rows[l] = append(rows[l], i)
	}
	out := make([]float64, len(k))
	whole := append([]float64(nil), k...)
	centreGram(whole, c.n)
	n := float64(c.n)
	miss, all := 0.0, 0.0
	for l := range len(rows) {
		in := rows[l]
		part := make([]float64, len(in)*len(in))
		for a, i := range in {
			for b, j := range in {
				part[a*len(in)+b] = k[i*c.n+j]
			}
		}
		centreGram(part, len(in))
		m := float64(len(in))
		for a, i := range in {
			for b, j := range in {
				out[i*c.n+j] = part[a*len(in)+b]
			}
			mean := whole[i*c.n+i] * (n / (n - 1)) * (n / (n - 1))
			all += mean
			if m > 1 {
				mean = part[a*len(in)+a] * (m / (m - 1)) * (m / (m - 1))
			}
			miss += mean
		}
	}
	of.R2 = 1 - miss/all
	return out, nil
}
