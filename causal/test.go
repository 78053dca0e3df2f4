package causal

import (
	"context"

	"bayeskernel/causal/graph"
)

// Test is a test of conditional independence of the columns of one table. It may keep what it has
// computed for later tests, and must be safe for several goroutines at once. Its outcomes must not
// depend on what was tested before.
type Test interface {
	// Names are the columns. The number of a column is its place in this list.
	Names() []string
	// Independence tests whether x and y are independent given s. PC calls it with x before y, and s
	// sorted, in the order of the names, so that the order of the columns does not matter.
	Independence(ctx context.Context, x, y int, s []int) (Outcome, error)
}

// Outcome is what one test gave.
type Outcome struct {
	Statistic float64
	// P is the p-value. NaN says that the rows cannot tell: the set then does not separate.
	P    float64
	Rows int // complete rows that were used; 0 where there are no rows
	// Doubtful says that there are too few rows for the columns that are given: where P is small the
	// test is counted among those that cannot tell.
	Doubtful bool
}

// oracle tests by d-separation.
type oracle struct {
	names     []string
	separated func(x, y int, s []int) bool
}

// Oracle is the test that knows the DAG: p is 1 where d-separation says independent, and else 0.
func Oracle(dag *graph.Graph) (Test, error) {
	separated, err := dag.Separation()
	if err != nil {
		return nil, err
	}
	return &oracle{dag.Names(), separated}, nil
}

func (o *oracle) Names() []string { return o.names }

func (o *oracle) Independence(_ context.Context, x, y int, s []int) (Outcome, error) {
	if o.separated(x, y, s) {
		return Outcome{P: 1}, nil
	}
	return Outcome{}, nil
}
