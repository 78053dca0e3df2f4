package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"bayeskernel/internal/workers"
)

func TestEachDoesAllOnce(t *testing.T) {
	for _, parallel := range []int{0, 1, 2, 7, 100} {
		done := make([]atomic.Int32, 50)
		var made atomic.Int32
		last := 0
		meter := workers.NewMeter(len(done), func(k, total int) {
			if k != last+1 || total != len(done) {
				t.Errorf("parallel %d: %d of %d told after %d", parallel, k, total, last)
			}
			last = k
		})
		err := workers.Each(t.Context(), len(done), parallel, func() func(int) error {
			made.Add(1)
			return func(i int) error {
				done[i].Add(1)
				meter.Tick()
				return nil
			}
		})
		if err != nil || int(made.Load()) != workers.AtOnce(parallel, len(done)) || last != len(done) {
			t.Errorf("parallel %d: %v, %d jobs, %d told", parallel, err, made.Load(), last)
		}
		for i := range done {
			if done[i].Load() != 1 {
				t.Errorf("parallel %d: %d was done %d times", parallel, i, done[i].Load())
			}
		}
	}
	if err := workers.Each(t.Context(), 0, 3, func() func(int) error {
		return func(int) error { return errors.New("called") }
	}); err != nil {
		t.Error(err)
	}
}

// The error is that of the smallest number that fails, whatever runs at once.
func TestEachReturnsTheFirstError(t *testing.T) {
	for range 200 {
		err := workers.Each(t.Context(), 40, 8, func() func(int) error {
			return func(i int) error {
				if i == 11 {
					runtime.Gosched()
				}
				if i >= 11 {
					return fmt.Errorf("job %d", i)
				}
				return nil
			}
		})
		if err == nil || err.Error() != "job 11" {
			t.Fatalf("error is %v, want that of job 11", err)
		}
	}
}

func TestEachEndsEarly(t *testing.T) {
	why := errors.New("enough")
	stopped := func(n, parallel, at int) (begun int32, err error) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		var count atomic.Int32
		err = workers.Each(ctx, n, parallel, func() func(int) error {
			return func(i int) error {
				count.Add(1)
				if i == at {
					cancel(why)
				}
				return nil
			}
		})
		return count.Load(), err
	}
	if _, err := stopped(100000, 2, 3); err != why {
		t.Errorf("error is %v, want %v", err, why)
	}
	if begun, err := stopped(1000, 1, 3); err != why || begun != 4 {
		t.Errorf("error is %v after %d jobs, want %v after 4", err, begun, why)
	}
	if _, err := stopped(20, 1, 19); err != nil {
		t.Errorf("error is %v though all was done, want none", err)
	}
	defer func() {
		if v := recover(); v != "no" {
			t.Errorf("panic is %v, want no", v)
		}
	}()
	_ = workers.Each(t.Context(), 10, 4, func() func(int) error {
		return func(i int) error {
			if i == 5 {
				panic("no")
			}
			return nil
		}
	})
	t.Error("the panic of a job was lost")
}
