package workers

import (
	"context"
	"sync"
	"sync/atomic"
)

// Each calls a job for i from 0 to n-1 from AtOnce(parallel, n) goroutines, the caller's among
// them. Each goroutine takes the next i that nobody has, with a job that newJob made for it alone,
// so that a job owns its workspace. Which goroutine runs which job is chance, so jobs must not
// depend on one another.
//
// An error or the end of ctx leaves out what has not begun. Each returns the error of the smallest i
// that failed, or the cause of ctx's end if that left anything out. The first panic of a job is the
// caller's.
func Each(ctx context.Context, n, parallel int, newJob func() func(i int) error) error {
	e := &each{ctx: ctx, n: n, newJob: newJob}
	var helpers sync.WaitGroup
	for range AtOnce(parallel, n) - 1 {
		helpers.Go(e.help)
	}
	e.help()
	helpers.Wait()
	switch {
	case e.panicked != nil:
		panic(e.panicked)
	case e.err != nil:
		return e.err
	case int(e.done.Load()) == n:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return ErrGoexit
}

type each struct {
	ctx        context.Context
	n          int
	newJob     func() func(i int) error
	next, done atomic.Int64
	failing    atomic.Bool

	mu       sync.Mutex
	err      error
	at       int // where err was
	panicked any
}

// help does jobs until none is left.
func (e *each) help() {
	defer func() {
		if v := recover(); v != nil {
			e.fail(func() { e.panicked = v })
		}
	}()
	job := e.newJob()
	for e.ctx.Err() == nil && !e.failing.Load() {
		i := int(e.next.Add(1)) - 1
		if i >= e.n {
			return
		}
		if err := job(i); err != nil {
			e.fail(func() {
				if e.err == nil || i < e.at {
					e.err, e.at = err, i
				}
			})
			return
		}
		e.done.Add(1)
	}
}

func (e *each) fail(note func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	note()
	e.failing.Store(true)
}

// Meter counts what is done and tells, one goroutine at a time.
type Meter struct {
	mu          sync.Mutex
	done, total int
	tell        func(done, total int)
}

// NewMeter counts up to total; tell may be nil.
func NewMeter(total int, tell func(done, total int)) *Meter { return &Meter{total: total, tell: tell} }

// Tick counts one more.
func (m *Meter) Tick() {
	if m.tell == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done++
	m.tell(m.done, m.total)
}
