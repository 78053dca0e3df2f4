package cli

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// patience is how long a command may take to notice that it is to end.
const patience = 250 * time.Millisecond

// farewell is how long a command may take to write what an interrupted run leaves, by the clock, and by what the
// processors gave it: on a machine so busy that it has less than one, that is longer.
const farewell = 400 * time.Millisecond

// attention is who answers the end of a run: the command, or if it computes for long without a look at its
// context, the program in its place.
type attention struct {
	mu      sync.Mutex
	holds   bool              // the command does
	leaves  error             // what the run ends with, once it writes what it leaves
	left    bool              // the program did
	abandon func(error) error // tidies up after the command, and returns what the run ends with
}

// attend runs a command. One that does not notice the end of its context is left where it is, unless it holds.
func (c *Console) attend(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	began, had := time.Now(), spent()
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		select {
		case err := <-done:
			tick.Stop()
			return err
		case <-tick.C:
		}
		if tidy, end, late := c.late(time.Since(began), spent()-had); late {
			if tidy != nil {
				return tidy(end)
			}
			return cmp.Or(end, ctx.Err())
		}
	}
}

// late reports whether the command is to be left behind after so much time, of the clock and of the processors.
func (c *Console) late(clock, processors time.Duration) (tidy func(error) error, end error, late bool) {
	a := &c.attention
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.holds, clock < patience:
		return nil, nil, false
	case a.leaves != nil && min(clock, processors) < farewell:
		return nil, nil, false
	}
	a.left = true
	return a.abandon, a.leaves, true
}

// Leaves says that the command writes what an interrupted run leaves, and what the run ends with if that takes
// too long: all that it needs to go on is there.
func (c *Console) Leaves(end error) {
	c.attention.mu.Lock()
	defer c.attention.mu.Unlock()
	c.attention.leaves, c.attention.holds = end, false
}

// Hold says that the command answers an interrupt itself from here on, because it leaves results or is writing
// them. A command that was left behind goes no further.
func (c *Console) Hold() {
	c.attention.mu.Lock()
	c.attention.holds = true
	left := c.attention.left
	c.attention.mu.Unlock()
	if left {
		select {}
	}
}

// Release ends what Hold began.
func (c *Console) Release() {
	c.attention.mu.Lock()
	c.attention.holds = false
	c.attention.mu.Unlock()
}

// Stay lets no command that was left behind go further, to write files.
func (c *Console) Stay() {
	c.attention.mu.Lock()
	left := c.attention.left
	c.attention.mu.Unlock()
	if left {
		select {}
	}
}

// Abandon sets what tidies up after a command that is left behind; end is what Leaves said, if it did.
func (c *Console) Abandon(tidy func(end error) error) {
	c.attention.mu.Lock()
	c.attention.abandon = tidy
	left := c.attention.left
	c.attention.mu.Unlock()
	if left {
		_ = tidy(nil) // what it has just begun
		select {}
	}
}
