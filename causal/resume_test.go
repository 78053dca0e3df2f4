package causal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"bayeskernel/causal/internal/known"
)

// stopping ends a context after so many tests, and counts.
type stopping struct {
	Test
	left atomic.Int64
	stop func()
}

func (s *stopping) Independence(ctx context.Context, x, y int, z []int) (Outcome, error) {
	if s.left.Add(-1) == 0 {
		s.stop()
	}
	return s.Test.Independence(ctx, x, y, z)
}

// A run that was stopped goes on from its log, also from one whose last line was cut, without
// making a test twice, and ends with the same result and the same file.
func TestResume(t *testing.T) {
	c := known.Networks(t)[3]
	test, dir := oracleOf(t, c.DAG), t.TempDir()
	whole := filepath.Join(dir, "whole")
	log, err := OpenLog(whole, "sachs")
	if err != nil {
		t.Fatal(err)
	}
	want := learn(t, test, Options{Log: log})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	wantLog, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []int64{1, 40, 200} {
		path := filepath.Join(dir, fmt.Sprint(after))
		ctx, cancel := context.WithCancel(context.Background())
		s := &stopping{Test: test, stop: cancel}
		s.left.Store(after)
		log, err := OpenLog(path, "sachs")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := PC(ctx, s, Options{Log: log, Parallel: 1}); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v", err)
		}
		_ = log.Close()
		b, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(wantLog, b) {
			t.Fatalf("after %d: %v\n%s", after, err, b)
		}
		if err := os.WriteFile(path, append(b, `{"x": "X1", "y`...), 0o644); err != nil {
			t.Fatal(err)
		}
		if log, err = OpenLog(path, "sachs"); err != nil || len(log.Records()) != int(after) {
			t.Fatalf("%v, %d tests", err, len(log.Records()))
		}
		s = &stopping{Test: test, stop: func() {}}
		got := learn(t, s, Options{Log: log})
		_ = log.Close()
		if made := -s.left.Load(); made != int64(want.Tests)-after {
			t.Errorf("made %d tests of %d after %d", made, want.Tests, after)
		}
		b, err = os.ReadFile(path)
		if err != nil || !bytes.Equal(b, wantLog) || !reflect.DeepEqual(got, want) {
			t.Errorf("after %d: another result", after)
		}
	}
	if _, err := OpenLog(whole, "asia"); err == nil ||
		!strings.Contains(err.Error(), `the file is of "sachs", want "asia"`) {
		t.Errorf("error %v", err)
	}
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("x,y\n1,2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLog(other, "asia"); err == nil {
		t.Error("not a log")
	}
}

// failing fails, or panics, at a test.
type failing struct {
	Test
	panics bool
}

func (f failing) Independence(ctx context.Context, x, y int, z []int) (Outcome, error) {
	if len(z) == 1 && f.panics {
		panic("two\nlines")
	}
	if len(z) == 1 {
		return Outcome{}, fmt.Errorf("no test of %d, %d", x, y)
	}
	return f.Test.Independence(ctx, x, y, z)
}

// The error of a test is that of the first in order, whatever runs at once.
func TestErrorsOfTests(t *testing.T) {
	test := oracleOf(t, known.Networks(t)[0].DAG)
	want := ""
	for parallel := range 8 {
		_, err := PC(context.Background(), failing{Test: test}, Options{Parallel: parallel})
		if err == nil || want != "" && err.Error() != want {
			t.Fatalf("error %v, want %q", err, want)
		}
		want = err.Error()
	}
	_, err := PC(context.Background(), failing{test, true}, Options{})
	if err == nil || !strings.Contains(err.Error(), "panicked: two lines") {
		t.Errorf("error %v", err)
	}
	for _, o := range []Options{{Alpha: 1}, {Alpha: math.NaN()}, {Alpha: -1}, {Parallel: -1}} {
		if _, err := PC(context.Background(), test, o); err == nil {
			t.Errorf("%+v", o)
		}
	}
	if _, err := PC(context.Background(), oracleOf(t, dag(t, "a")), Options{}); err == nil {
		t.Error("one column")
	}
}

func TestProgress(t *testing.T) {
	steps := map[string]int{}
	last := 0
	r := learn(t, oracleOf(t, known.Networks(t)[0].DAG), Options{Colliders: Majority,
		Progress: func(step string, done, total int) {
			if done > total || done < last && steps[step] > 0 {
				t.Errorf("%s: %d of %d after %d", step, done, total, last)
			}
			steps[step], last = done, done
		}})
	if steps["testing pairs"] != 28 || steps["testing given 1 column"] == 0 ||
		steps["asking for colliders"] == 0 || r.Tests == 0 {
		t.Errorf("%v", steps)
	}
}
