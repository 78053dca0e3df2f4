package bke

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Rows are summed in blocks that can be run at the same time. How they are cut depends on the
// numbers of rows, pseudo-inputs and dimensions alone, and the sums of blocks are added in their
// order, so that no bit depends on how many processors there are.
//
// A block is at least half a millisecond of work. A second goroutine takes 10 microseconds to start
// if a processor is waiting, and 50 to 200 if it has to be woken first; so a pass of a millisecond
// is about the first to gain from it for certain (README.md has figures). Blocks come in powers of
// two, since three on two processors take as long as four; and no more than maxBlocks, since each
// has a workspace of O(mD) numbers.
const (
	blockWork = 500_000_000 // picoseconds
	maxBlocks = 64
)

// pairWork is about what a pair of a row and a pseudo-input costs in portable Go, in picoseconds,
// where no row needs the elimination (see README.md).
func pairWork(dim int) int { return 2000 + 3000*dim + 180*dim*dim }

// fusedWork is the same with the fastest kernel for up to three dimensions.
func fusedWork(dim int) int { return 500 + 150*dim*(dim-1) }

// blockRows returns the number of rows in each block but the last: n if there is a single one, else
// a multiple of the 8 rows that a vector holds.
func blockRows(n, m, dim int) int { return blockSize(n, m, pairWork(dim)) }

// fusedRows returns the same for the kernels of fusedWork.
func fusedRows(n, m, dim int) int { return blockSize(n, m, fusedWork(dim)) }

func blockSize(n, m, pair int) int {
	work := float64(n) * float64(m) * float64(pair)
	count := 1
	for count < maxBlocks && work >= float64(2*count)*blockWork {
		count *= 2
	}
	if count == 1 {
		return n
	}
	return ((n+count-1)/count + 7) &^ 7
}

// rowBlocks runs a function for all blocks of rows, from as many goroutines as pay. They end with
// the call, and none is started where there is one block or one processor.
type rowBlocks struct {
	n, rows int
	do      func(block, first, last int) // for the rows first to last-1
	// stop, once closed, ends a run early: blocks not begun are left out, and the sums have no
	// meaning. The caller that set stop checks it before using them.
	stop <-chan struct{}

	next    atomic.Int64 // the next block that nobody has taken
	helpers sync.WaitGroup
	help    func() // kept, since to make it anew would allocate
	failed  []any  // what each block panicked with
}

func newRowBlocks(n, rows int, do func(block, first, last int)) *rowBlocks {
	r := &rowBlocks{n: n, rows: rows, do: do}
	r.failed = make([]any, r.count())
	r.help = func() {
		defer r.helpers.Done()
		r.take()
	}
	return r
}

func (r *rowBlocks) count() int { return (r.n + r.rows - 1) / r.rows }

// run returns when all blocks are done. The panic of a block, of the first if there are several, is
// the caller's.
func (r *rowBlocks) run() {
	count := r.count()
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
func (r *rowBlocks) take() {
	for {
		b := int(r.next.Add(1)) - 1
		if b >= r.count() {
			return
		}
		r.try(b)
	}
}

func (r *rowBlocks) try(b int) {
	defer func() { r.failed[b] = recover() }()
	r.block(b)
}

// stopped reports whether the run is to end early.
func (r *rowBlocks) stopped() bool { return closed(r.stop) }

// closed reports whether a channel is closed, without waiting; never if it is nil.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (r *rowBlocks) block(b int) {
	if r.stopped() {
		return
	}
	first := b * r.rows
	r.do(b, first, min(first+r.rows, r.n))
}

// gap is how many bytes of nothing follow what is written for every row. Goroutines that write to
// one cache line in turn wait for each other, and a processor fetches the next few lines with the
// one it needs: with a gap of 64 two goroutines were 1.6 times as fast as one, with 256 they are
// 1.9.
const gap = 256

// apart returns n zeros with a gap after them.
func apart(n int) []float64 { return make([]float64, n, n+gap/8) }
