package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

// A command that does not notice that it is to end is left behind, tidied up after and goes no further; one that
// holds is waited for.
func TestAttend(t *testing.T) {
	for _, c := range []struct {
		name  string
		do    func(con *Console, tidied chan<- bool) error
		want  string
		tidy  bool
		after time.Duration
	}{
		{"deaf", func(con *Console, tidied chan<- bool) error {
			con.Abandon(func(error) error { tidied <- true; return context.Canceled })
			time.Sleep(2 * time.Second)
			con.Stay()
			panic("went on")
		}, "interrupted, no file was written", true, 0},
		{"deaf from the start", func(*Console, chan<- bool) error { time.Sleep(time.Minute); return nil },
			"interrupted, no file was written", false, 0},
		{"holds", func(con *Console, _ chan<- bool) error {
			con.Hold()
			time.Sleep(2 * patience)
			return Resumablef("interrupted after 3 of 5")
		}, "interrupted after 3 of 5", false, 2 * patience},
		{"leaves little", func(con *Console, _ chan<- bool) error {
			con.Hold()
			time.Sleep(2 * patience)
			con.Leaves(Resumablef("not all is there"))
			return Resumablef("interrupted after 3 of 5")
		}, "interrupted after 3 of 5", false, 2 * patience},
		{"leaves too much", func(con *Console, tidied chan<- bool) error {
			con.Abandon(func(end error) error { tidied <- true; return end })
			con.Hold()
			time.Sleep(2 * patience)
			con.Leaves(Resumablef("interrupted; go on with: p"))
			for {
				con.Stay() // it computes
			}
		}, "interrupted; go on with: p", true, farewell},
		{"has held", func(con *Console, _ chan<- bool) error {
			con.Hold()
			con.Release()
			time.Sleep(time.Minute)
			return nil
		}, "interrupted, no file was written", false, 0},
	} {
		tidied := make(chan bool, 1)
		p := &Program{Name: "p"}
		p.Commands = []Command{{Name: "c", Flags: func(*FlagSet) func(context.Context, *Console, []string) error {
			return func(_ context.Context, con *Console, _ []string) error { return c.do(con, tidied) }
		}}}
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, stop)
		var stderr bytes.Buffer
		began := time.Now()
		code := p.Run(ctx, nil, nil, new(bytes.Buffer), &stderr)
		took := time.Since(began)
		if code != ExitInterrupted || !strings.Contains(stderr.String(), c.want) || took < c.after || took > 30*time.Second { // a busy machine is slow
			t.Errorf("%s: exit %d after %v: %s", c.name, code, took, &stderr)
		}
		if got := len(tidied) > 0; got != c.tidy {
			t.Errorf("%s: tidied up: %v", c.name, got)
		}
	}
}

// What an interrupted run leaves is waited for as long as it has had less than .4 s of one processor; a command that
// leaves nothing is not, and one that holds always.
func TestLate(t *testing.T) {
	const long = time.Hour
	for _, c := range []struct {
		holds             bool
		leaves            error
		clock, processors time.Duration
		want              bool
	}{
		{false, nil, patience - 1, long, false},
		{false, nil, patience, 0, true},
		{true, nil, long, long, false},
		{false, context.Canceled, farewell - 1, long, false},
		{false, context.Canceled, long, farewell - 1, false},
		{false, context.Canceled, farewell, farewell, true},
	} {
		con := &Console{}
		con.attention.holds, con.attention.leaves = c.holds, c.leaves
		if _, _, got := con.late(c.clock, c.processors); got != c.want {
			t.Errorf("holds %v, leaves %v, after %v and %v of the processors: late %v", c.holds, c.leaves, c.clock, c.processors, got)
		}
	}
}
