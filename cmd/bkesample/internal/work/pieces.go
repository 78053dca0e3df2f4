package work

import (
	"context"
	"runtime"
	"sync"
)

// pieces runs do on stretches of 0 to n, several at a time, until one fails or ctx ends.
func pieces(ctx context.Context, n int, do func(from, to int) error) error {
	return piecesOf(ctx, n, 64, do)
}

// piecesOf is the same for stretches of a size.
func piecesOf(ctx context.Context, n, size int, do func(from, to int) error) error {
	next := make(chan int)
	var wg sync.WaitGroup
	var once sync.Once
	var failed error
	stop := make(chan struct{})
	for range min(runtime.GOMAXPROCS(0), (n+size-1)/size) {
		wg.Go(func() {
			for from := range next {
				if err := do(from, min(from+size, n)); err != nil {
					once.Do(func() { failed = err; close(stop) })
				}
			}
		})
	}
	for from := 0; from < n; from += size {
		select {
		case next <- from:
			continue
		case <-stop:
		case <-ctx.Done():
		}
		break
	}
	close(next)
	wg.Wait()
	if failed == nil {
		failed = ctx.Err()
	}
	return failed
}
