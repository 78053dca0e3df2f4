package workers

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// One job panics, one ends its goroutine, one fails; all others are done, and nothing waits.
func TestRun(t *testing.T) {
	failure := errors.New("no")
	for _, parallel := range []int{0, 1, 3, math.MaxInt} {
		var done, now, most atomic.Int64
		errs := Run(context.Background(), 20, parallel, func(i int) error {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			switch i {
			case 3:
				panic("two\nlines")
			case 4:
				runtime.Goexit()
			case 5:
				return failure
			}
			done.Add(1)
			return nil
		})
		var p *Panic
		if !errors.As(errs[3], &p) || p.Error() != "panicked: two lines" || len(p.Stack) == 0 ||
			errs[4] != ErrGoexit || errs[5] != failure || errs[6] != nil || done.Load() != 17 {
			t.Errorf("%v, %d done", errs, done.Load())
		}
		if most.Load() > int64(max(parallel, 1)) {
			t.Errorf("%d jobs at once, want at most %d", most.Load(), parallel)
		}
	}
}

func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	errs := Run(ctx, 4, 1, func(i int) error {
		if i == 1 {
			cancel()
		}
		return nil
	})
	if errs[0] != nil || errs[1] != nil || errs[2] != context.Canceled || errs[3] != context.Canceled {
		t.Errorf("%v", errs)
	}
}

type target struct {
	d     int
	names []string
}

func (t target) Dim() int        { return t.d }
func (t target) Names() []string { return t.names }

type plain int

func (p plain) Dim() int { return int(p) }

func TestOpen(t *testing.T) {
	type dim interface{ Dim() int }
	for want, f := range map[string]func() (dim, error){
		"pkg: making the target: none":          func() (dim, error) { return nil, errors.New("none") },
		"pkg: making the target panicked: boom": func() (dim, error) { panic("boom") },
		"pkg: the factory made no target":       func() (dim, error) { return nil, nil },
		"pkg: the target has dimension 0":       func() (dim, error) { return plain(0), nil },
		"pkg: the target's Dim panicked: ":      func() (dim, error) { return (*target)(nil), nil },
	} {
		if _, err := Open("pkg", f); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	got, err := Open("pkg", func() (dim, error) { return plain(2), nil })
	if err != nil || got.Dim() != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestNames(t *testing.T) {
	if names, err := Names("pkg", plain(2)); err != nil || strings.Join(names, " ") != "x[0] x[1]" {
		t.Errorf("%q, %v", names, err)
	}
	own := []string{"a", "b"}
	names, err := Names("pkg", target{1, own})
	own[0] = "changed"
	if err != nil || strings.Join(names, " ") != "a b" {
		t.Errorf("%q, %v", names, err)
	}
	for want, names := range map[string][]string{
		"pkg: the target names no values":                      {},
		"pkg: name 1 of the target is empty":                   {"a", ""},
		`pkg: the target names both value 0 and value 2 "a"`:   {"a", "b", "a"},
		`pkg: the target names both value 1 and value 2 "x y"`: {"a", "x y", "x y"},
	} {
		if _, err := Names("pkg", target{2, names}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
