package causal

import (
	"bayeskernel/kerneltest/conditional"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// Kernel tests with kernels: dependence of any kind, for columns of numbers and of categories.
type Kernel struct {
	data     *Data
	o        conditional.Options
	residual bool
	shared   *patterns
}

// patterns has a Table for each set of rows that tests use, the last used first.
type patterns struct {
	mu   sync.Mutex
	list []*pattern
}

// pattern is the rows that are complete in some columns, and the columns that are complete there.
type pattern struct {
	key     string
	make    sync.Once
	test    *conditional.Table
	err     error
	columns []int // number in the Table of each column of the table, or -1
}

// mostPatterns is how many sets of rows are kept: a Table holds large matrices.
const mostPatterns = 4

// NewKernel returns the test of conditional independence of conditional.Table. Discrete in the
// options has a flag for each column of the table.
func NewKernel(d *Data, o conditional.Options) (*Kernel, error) {
	k := &Kernel{data: d, o: o, shared: new(patterns)}
	// What is wrong with the options is better said now.
	_, err := k.on(nil)
	return k, err
}

// Residuals tests the residuals of regressions of x and of y on s (kerneltest.ResidualHSIC). It
// shares this test's cache. It is not a test of conditional independence; see there.
func (k *Kernel) Residuals() *Kernel {
	r := *k
	r.residual = true
	return &r
}

// Names are the columns.
func (k *Kernel) Names() []string { return k.data.names }

// Independence is one test.
func (k *Kernel) Independence(ctx context.Context, x, y int, s []int) (Outcome, error) {
	p, err := k.on(append(slices.Clone(s), x, y))
	if err != nil {
		return Outcome{}, err
	}
	to := func(list ...int) []int {
		out := make([]int, len(list))
		for i, j := range list {
			out[i] = p.columns[j]
		}
		return out
	}
	test := p.test.Test
	if k.residual {
		test = p.test.ResidualHSIC
	}
	r, err := test(ctx, to(x), to(y), to(s...))
	if err != nil {
		return Outcome{}, fmt.Errorf("causal: the test of %s and %s%s: %w", k.data.names[x],
			k.data.names[y], given(k.data.names, s), err)
	}
	return Outcome{Statistic: r.Statistic, P: r.P, Rows: r.Rows, Doubtful: r.Doubtful}, nil
}

// on finds or makes the Table of the rows that are complete in these columns.
func (k *Kernel) on(columns []int) (*pattern, error) {
	var holes []string
	for _, j := range columns {
		if k.data.missing[j] {
			holes = append(holes, k.data.names[j])
		}
	}
	slices.Sort(holes)
	key := fmt.Sprintf("%q", holes)
	c := k.shared
	c.mu.Lock()
	at := slices.IndexFunc(c.list, func(p *pattern) bool { return p.key == key })
	var p *pattern
	if at < 0 {
		p = &pattern{key: key}
	} else {
		p = c.list[at]
		c.list = slices.Delete(c.list, at, at+1)
	}
	c.list = slices.Insert(c.list, 0, p)
	c.list = c.list[:min(len(c.list), mostPatterns)]
	c.mu.Unlock()
	p.make.Do(func() { p.err = p.fill(k, columns) })
	return p, p.err
}

// fill makes the Table of all columns that have no missing value in these rows.
func (p *pattern) fill(k *Kernel, columns []int) error {
	d := k.data
	rows := d.complete(columns)
	if rows == nil {
		for i := range d.Rows() {
			rows = append(rows, i)
		}
	}
	var whole []int
	p.columns = make([]int, len(d.names))
	for j, c := range d.columns {
		p.columns[j] = -1
		if !slices.ContainsFunc(rows, func(i int) bool { return math.IsNaN(c[i]) }) {
			p.columns[j] = len(whole)
			whole = append(whole, j)
		}
	}
	if len(rows) == 0 || len(whole) == 0 {
		p.columns = make([]int, len(d.names))
		if len(columns) == 0 { // nothing to say of the table without a test
			return nil
		}
		return fmt.Errorf("causal: no row is complete in %s, want some", namesOf(d.names, columns))
	}
	table := mat.NewDense(len(rows), len(whole), nil)
	var names []string
	o := k.o
	o.Discrete = nil
	for at, j := range whole {
		names = append(names, d.names[j])
		if k.o.Discrete != nil {
			o.Discrete = append(o.Discrete, k.o.Discrete[j])
		}
		for r, i := range rows {
			table.Set(r, at, d.columns[j][i])
		}
	}
	var err error
	if p.test, err = conditional.NewTable(names, table, o); err != nil {
		return fmt.Errorf("causal: the columns %s: %w", strings.Join(names, ", "), err)
	}
	return nil
}
