package workers

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Blocks runs a function for all blocks of rows, from as many goroutines as pay. They end with
// the call, and none is started where there is one block or one processor.
type Blocks struct {
	n, rows int
	do      func(block, first, last int) // for the rows first to last-1
	// Stop, once closed, ends a run early: blocks not begun are left out, and the sums have no
	// meaning. The caller that set Stop checks it before using them.
	Stop <-chan struct{}

	next    atomic.Int64 // the next block that nobody has taken
	helpers sync.WaitGroup
	help    func() // kept, since to make it anew would allocate
	failed  []any  // what each block panicked with
}

// NewBlocks cuts n rows into blocks of so many.
func NewBlocks(n, rows int, do func(block, first, last int)) *Blocks {
	r := &Blocks{n: n, rows: rows, do: do}
	r.failed = make([]any, r.Count())
	r.help = func() {
		defer r.helpers.Done()
		r.take()
	}
	return r
}

// Count is the number of blocks.
func (r *Blocks) Count() int { return (r.n + r.rows - 1) / r.rows }

// Run returns when all blocks are done. The panic of a block, of the first if there are several, is
// the caller's.
func (r *Blocks) Run() {
	count := r.Count()
	goroutines := min(runtime.GOMAXPROCS(0), count)
	if goroutines == 1 {
		for b := range count {
			r.block(b)
		}
		return
	}
	r.next.Store(0)
	r.helpers.Add(goroutines - 1)
	for range goroutines - 1 {
		go r.help()
	}
	r.take()
	r.helpers.Wait()
	for _, v := range r.failed {
		if v != nil {
			clear(r.failed)
			panic(v)
		}
	}
}

// take runs blocks until none is left.
func (r *Blocks) take() {
	for {
		b := int(r.next.Add(1)) - 1
		if b >= r.Count() {
			return
		}
		r.try(b)
	}
}

func (r *Blocks) try(b int) {
	defer func() { r.failed[b] = recover() }()
	r.block(b)
}

// Stopped reports whether the run is to end early.
func (r *Blocks) Stopped() bool { return Closed(r.Stop) }

// Closed reports whether a channel is closed, without waiting; never if it is nil.
func Closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (r *Blocks) block(b int) {
	if r.Stopped() {
		return
	}
	first := b * r.rows
	r.do(b, first, min(first+r.rows, r.n))
}
