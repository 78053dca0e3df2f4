package summary_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bayeskernel/summary"
)

// Two samples are summarised apart, in one pass over the rows each, and merged: their summary tests
// whether they differ.
func Example() {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 20000
	p, q := make([]float64, n), make([]float64, n)
	for i := range p {
		p[i], q[i] = r.NormFloat64(), 1.1*r.NormFloat64()
	}
	pilot := summary.NewPilot(1, summary.PilotRows, 1)
	pilot.Begin("P")
	pilot.Add(p)
	pilot.Begin("Q")
	pilot.Add(q)
	plan, err := summary.NewPlan(context.Background(), pilot, summary.PlanOptions{Columns: []string{"x"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var shards [2]*summary.Summary
	for k, rows := range [][]float64{p, q} {
		if shards[k], err = summarise(plan, []string{"P", "Q"}[k], rows); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := shards[0].Merge(shards[1]); err != nil {
		fmt.Println(err)
		return
	}
	test, err := shards[0].TwoSample("P", "Q", summary.TestOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, _ := shards[0].Rows("Q")
	fmt.Println(shards[0].Samples(), rows, "rows of Q; the samples differ:", test.Reject)
	// Output:
	// [P Q] 20000 rows of Q; the samples differ: true
}

func summarise(plan *summary.Plan, name string, rows []float64) (*summary.Summary, error) {
	s, err := summary.New(plan)
	if err != nil {
		return nil, err
	}
	c, err := s.Chunk(name, false)
	if err != nil {
		return nil, err
	}
	if err := c.Add(rows); err != nil {
		return nil, err
	}
	return s, c.Close()
}
