package workers

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// ErrGoexit is the error of a job whose goroutine ended before the job did.
var ErrGoexit = errors.New("its goroutine ended: the target called runtime.Goexit")

// Panic is the error of a job that panicked.
type Panic struct {
	Value any
	Stack []byte
}

// Error returns one line.
func (p *Panic) Error() string {
	return "panicked: " + OneLine(fmt.Sprint(p.Value))
}

// OneLine folds a text of others into one line.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// interruption is what Check panics with.
type interruption struct{ err error }

// Check leaves f of the Guard around it once ctx has ended; Guard then returns ctx's error. It is
// for code that another calls without a way to say that it should stop, such as a density in the
// midst of a trajectory.
func Check(ctx context.Context) {
	if err := ctx.Err(); err != nil {
		panic(interruption{err})
	}
}

// Guard calls f and turns a panic into a *Panic, and that of Check into the error of its context.
func Guard(f func() error) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case interruption:
			err = v.err
		default:
			err = &Panic{v, debug.Stack()}
		}
	}()
	return f()
}

// AtOnce is how many of n jobs run at once where parallel are asked for: 0 means GOMAXPROCS.
func AtOnce(parallel, n int) int {
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	return max(1, min(parallel, n))
}

// Run calls job(i) for i from 0 to n-1, each in a goroutine of its own, AtOnce(parallel, n) at once.
// It begins no more of them once ctx has ended. It returns, when all that it began have ended, how
// each did: nil, the job's error, a *Panic or ErrGoexit; of a job that never began
// ctx's error.
func Run(ctx context.Context, n, parallel int, job func(i int) error) []error {
	errs := make([]error, n)
	slots := make(chan struct{}, AtOnce(parallel, n))
	var wg sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		if ctx.Err() != nil {
			errs[i] = ctx.Err()
			<-slots
			continue
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { <-slots }()
			errs[i] = ErrGoexit // unless the next line comes back
			errs[i] = Guard(func() error { return job(i) })
		}()
	}
	wg.Wait()
	return errs
}
