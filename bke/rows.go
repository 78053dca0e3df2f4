package bke

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

// gap is how many bytes of nothing follow what is written for every row. Goroutines that write to
// one cache line in turn wait for each other, and a processor fetches the next few lines with the
// one it needs: with a gap of 64 two goroutines were 1.6 times as fast as one, with 256 they are
// 1.9.
const gap = 256

// apart returns n zeros with a gap after them.
func apart(n int) []float64 { return make([]float64, n, n+gap/8) }
