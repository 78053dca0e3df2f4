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
		limit := parallel
		if limit == 0 {
			limit = runtime.GOMAXPROCS(0)
		}
		if most.Load() > int64(limit) {
			t.Errorf("%d jobs at once, want at most %d", most.Load(), limit)
		}
	}
}

// Check leaves the job from below, with the error of the context and no stack.
func TestCheck(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	Check(ctx)
	cancel()
	errs := Run(context.Background(), 2, 1, func(i int) error {
		Check(ctx)
		t.Error("not reached")
		return nil
	})
	if errs[0] != context.Canceled || errs[1] != context.Canceled {
		t.Errorf("%v", errs)
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
func (t target) Constrain(dst, x []float64) {
	if x[0] > 1 {
		panic("outside")
	}
	dst[0], dst[1] = x[0], 2*x[0]
}

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

// half names its values but cannot compute them; other is the reverse.
type half struct{ plain }

func (half) Names() []string { return []string{"a", "b", "c"} }

type other struct{ plain }

func (other) Constrain(dst, x []float64) {}

func TestValues(t *testing.T) {
	for want, f := range map[string]interface{ Dim() int }{
		"pkg: the target has Names() []string and no Constrain":     half{2},
		"pkg: the target has Constrain(dst, x []float64) and no Na": other{2},
	} {
		if _, err := NewValues("pkg", f); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for _, f := range []interface{ Dim() int }{plain(2)} {
		v, err := NewValues("pkg", f)
		if err != nil || strings.Join(v.Names, " ") != "x[0] x[1]" {
			t.Fatalf("%v, %v", v, err)
		}
		x := []float64{3, 4}
		row, next := v.Row(x), v.Row(x)
		x[0], next[1] = 5, 6
		if row[0] != 3 || row[1] != 4 || len(row) != 2 || cap(row) != 2 {
			t.Errorf("row %v", row)
		}
	}
	own := []string{"a", "b"}
	v, err := NewValues("pkg", target{1, own})
	own[0] = "changed"
	if err != nil || strings.Join(v.Names, " ") != "a b" {
		t.Fatalf("%v, %v", v, err)
	}
	if row := v.Anywhere([]float64{0.5}); row[0] != 0.5 || row[1] != 1 {
		t.Errorf("row %v", row)
	}
	for _, x := range []float64{2, math.NaN(), math.Inf(-1)} {
		if row := v.Anywhere([]float64{x}); !math.IsNaN(row[0]) || !math.IsNaN(row[1]) {
			t.Errorf("at %v: %v", x, row)
		}
	}
}

func TestNames(t *testing.T) {
	for want, names := range map[string][]string{
		"pkg: the target names no values":                      {},
		"pkg: name 1 of the target is empty":                   {"a", ""},
		`pkg: the target names both value 0 and value 2 "a"`:   {"a", "b", "a"},
		`pkg: the target names both value 1 and value 2 "x y"`: {"a", "x y", "x y"},
	} {
		if _, err := NewValues("pkg", target{2, names}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
