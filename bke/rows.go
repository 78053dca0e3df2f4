package bke

// Rows are summed in blocks that can run at the same time. The blocks depend only on the numbers of
// rows, pseudo-inputs and dimensions, and their sums are added in order. So the result is identical
// to the last bit for any number of processors.
//
// A block is at least half a millisecond of work. A second goroutine takes 10 microseconds to start
// if a processor is waiting, and 50 to 200 if it has to be woken first. So only passes of a
// millisecond or more are sure to gain (README.md has figures). The number of blocks is a power of
// two, since three on two processors take as long as four. It is at most maxBlocks, since each
// block has a workspace of O(mD) numbers.
const (
	blockWork = 500_000_000 // picoseconds
	maxBlocks = 64
)

// pairWork is the approximate cost in picoseconds of a pair of a row and a pseudo-input in portable
// Go, if no row needs the elimination (see README.md).
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

// gap is the padding in bytes after memory that is written for every row. Goroutines that write to
// the same cache line wait for each other, and a processor fetches the next few lines with the one
// it needs. With a gap of 64, two goroutines were 1.6 times as fast as one; with 256 they are 1.9
// times as fast.
const gap = 256

// apart returns n zeros with a gap after them.
func apart(n int) []float64 { return make([]float64, n, n+gap/8) }
