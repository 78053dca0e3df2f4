package cli

import (
	"context"
	"sync"
	"time"
)

// patience is how long a command may take to notice that it is to end.
const patience = 250 * time.Millisecond

// attention is who answers the end of a run: the command, or if it computes for long without a look at its
// context, the program in its place.
type attention struct {
	mu      sync.Mutex
	holds   bool         // the command does
	left    bool         // the program did
	abandon func() error // tidies up after the command
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
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
	}
	a := &c.attention
	a.mu.Lock()
	if a.holds {
		a.mu.Unlock()
		return <-done
	}
	a.left = true
	tidy := a.abandon
	a.mu.Unlock()
	if tidy != nil {
		return tidy()
	}
	return ctx.Err()
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

// Abandon sets what tidies up after a command that is left behind.
func (c *Console) Abandon(tidy func() error) {
	c.attention.mu.Lock()
	c.attention.abandon = tidy
	left := c.attention.left
	c.attention.mu.Unlock()
	if left {
		_ = tidy() // what it has just begun
		select {}
	}
}
