package causal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"bayeskernel/internal/workers"
)

// batch makes tests, those with the same set one after the other, so that what a test computes of a
// set need not be kept for long. The log gets them in that order, whatever runs at once. Tell hears
// how many are done.
func (r *run) batch(ctx context.Context, queries []query, tell func(done int)) ([]Outcome, error) {
	b := &batch{run: r, ctx: ctx, queries: queries, out: make([]Outcome, len(queries)), tell: tell}
	for i, q := range queries {
		if o, ok := r.remembered(q); ok {
			b.out[i] = o
			b.done++
		} else {
			b.todo = append(b.todo, i)
		}
	}
	slices.SortFunc(b.todo, func(i, j int) int {
		p, q := queries[i], queries[j]
		if c := slices.Compare(p.s, q.s); c != 0 {
			return c
		}
		return slices.Compare([]int{p.x, p.y}, []int{q.x, q.y})
	})
	b.finished = make([]bool, len(b.todo))
	if err := workers.Each(ctx, len(b.todo), r.o.Parallel, func() func(int) error {
		return b.work
	}); err != nil {
		return nil, err
	}
	if len(queries) > 0 {
		tell(len(queries))
	}
	for i, q := range queries {
		r.tally(q, b.out[i])
	}
	return b.out, nil
}

// remembered looks into the log.
func (r *run) remembered(q query) (Outcome, bool) {
	if r.o.Log == nil {
		return Outcome{}, false
	}
	return r.o.Log.find(r.names[q.x], r.names[q.y], r.namesOf(q.s))
}

// tally counts a test that was not asked for before.
func (r *run) tally(q query, o Outcome) {
	if r.asked != nil {
		key := logKey(r.names[q.x], r.names[q.y], r.namesOf(q.s))
		if r.asked[key] {
			return
		}
		r.asked[key] = true
	}
	out := r.result
	out.Tests++
	if math.IsNaN(o.P) || o.Doubtful && o.P <= r.o.Alpha {
		out.CannotTell++
	}
	if o.Rows > 0 && (out.LeastRows == 0 || o.Rows < out.LeastRows) {
		out.LeastRows = o.Rows
	}
}

// batch is a list of tests under way.
type batch struct {
	run     *run
	ctx     context.Context
	queries []query
	out     []Outcome
	todo    []int // queries in the order in which they are made
	tell    func(int)

	mu       sync.Mutex
	finished []bool // of todo
	logged   int    // of todo: all before are in the log
	done     int
}

// work makes test k of todo.
func (b *batch) work(k int) error {
	i := b.todo[k]
	o, err := b.run.ask(b.ctx, b.queries[i])
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.out[i], b.finished[k] = o, true
	b.done++
	b.tell(b.done)
	return b.log()
}

// log writes what can be written in order.
func (b *batch) log() error {
	r := b.run
	for ; b.logged < len(b.todo) && b.finished[b.logged]; b.logged++ {
		if r.o.Log == nil {
			continue
		}
		i := b.todo[b.logged]
		q := b.queries[i]
		if err := r.o.Log.add(Record{r.names[q.x], r.names[q.y], r.namesOf(q.s), b.out[i]}); err != nil {
			return fmt.Errorf("causal: the log: %w", err)
		}
	}
	return nil
}

// ask makes one test.
func (r *run) ask(ctx context.Context, q query) (o Outcome, err error) {
	if err := ctx.Err(); err != nil {
		return o, err
	}
	s := make([]int, len(q.s))
	for k, i := range q.s {
		s[k] = r.column[i]
	}
	err = workers.Guard(func() error {
		o, err = r.test.Independence(ctx, r.column[q.x], r.column[q.y], s)
		return err
	})
	var p *workers.Panic
	if errors.As(err, &p) {
		err = fmt.Errorf("causal: the test of %s and %s%s %w", r.names[q.x], r.names[q.y],
			given(r.names, q.s), err)
	}
	if err == nil && (o.P < 0 || o.P > 1) {
		err = fmt.Errorf("causal: the p-value of %s and %s%s is %v, want 0 to 1", r.names[q.x],
			r.names[q.y], given(r.names, q.s), o.P)
	}
	return o, err
}
