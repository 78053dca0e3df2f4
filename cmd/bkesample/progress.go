package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/hmc"

	"golang.org/x/term"
)

// redrawn is how often lines are written anew.
const redrawn = 200 * time.Millisecond

// screen is a terminal on which lines can be written anew.
type screen struct {
	w             io.Writer
	width, height int
	patience      time.Duration // before a line says what is being done; none is for tests
}

// newScreen returns nil unless w is a terminal.
func newScreen(w io.Writer) *screen {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	width, height, err := term.GetSize(int(f.Fd()))
	switch {
	case err != nil || width == 0: // a terminal that does not know its size
		width, height = 80, 24
	case width < 20:
		return nil
	}
	return &screen{w: f, width: width, height: height, patience: 500 * time.Millisecond}
}

// status is one line on a terminal that says what is being done, and for how long. A nil status
// shows nothing.
type status struct {
	screen *screen
	began  time.Time
	quit   chan struct{}
	ended  sync.WaitGroup

	mu    sync.Mutex
	name  string // of the step
	what  string // the same, and how far it is
	shown bool
}

// working shows on the user's terminal what is being done, until end is called.
func (c *console) working(format string, args ...any) *status {
	if c.screen == nil {
		return nil
	}
	return newStatus(c.screen, fmt.Sprintf(format, args...))
}

func newStatus(on *screen, what string) *status {
	s := &status{screen: on, began: time.Now(), quit: make(chan struct{}), name: what, what: what}
	if on.patience == 0 {
		s.write()
	}
	s.ended.Go(func() {
		wait := time.NewTimer(max(on.patience, redrawn))
		defer wait.Stop()
		for {
			select {
			case <-wait.C:
				s.mu.Lock()
				s.write()
				s.mu.Unlock()
				wait.Reset(redrawn)
			case <-s.quit:
				return
			}
		}
	})
	return s
}

// write writes the line; a terminal that is gone shows nothing.
func (s *status) write() {
	s.shown = true
	line, took := []rune(s.what), []rune(fmt.Sprintf(" (%v)", time.Since(s.began).Truncate(time.Second)))
	if most := s.screen.width - 1 - len(took); len(line) > most {
		line = append(line[:max(0, most-1)], '…')
	}
	_, _ = fmt.Fprintf(s.screen.w, "\r%s%s\x1b[K", string(line), string(took))
}

// step says what is being done now and how far it is; it suits kerneltest.Options.Progress.
func (s *status) step(name string, done, total int) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.what = name
	if total > 1 {
		s.what = fmt.Sprintf("%s: %.0f%%", name, 100*float64(done)/float64(total))
	}
	if name != s.name && s.shown {
		s.write()
	}
	s.name = name
}

// end takes the line away.
func (s *status) end() {
	if s == nil {
		return
	}
	close(s.quit)
	s.ended.Wait()
	if s.shown {
		_, _ = io.WriteString(s.screen.w, "\r\x1b[K")
	}
}

// progress shows a line for each chain, on a terminal only.
type progress struct {
	mu     sync.Mutex
	w      io.Writer
	width  int
	began  time.Time
	drawn  time.Time
	lines  int
	chains []chainProgress
}

type chainProgress struct {
	hmc.Progress
	values [][]float64 // after warm-up: one slice for each parameter
}

// newProgress returns nil unless the screen has room for all chains.
func newProgress(on *screen, chains int) *progress {
	if on == nil || chains+1 > on.height {
		return nil
	}
	return &progress{w: on.w, width: on.width, began: time.Now(), chains: make([]chainProgress, chains)}
}

// attach lets a run report to p.
func (p *progress) attach(s *hmc.Settings) {
	if p == nil {
		return
	}
	s.OnProgress = p.report
	s.OnDraw = p.collect
}

func (p *progress) collect(chain, _ int, warmup bool, values []float64, _ draws.Stat) {
	if warmup {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := &p.chains[chain]
	if c.values == nil {
		c.values = make([][]float64, len(values))
	}
	for j, v := range values {
		c.values[j] = append(c.values[j], v)
	}
}

func (p *progress) report(h hmc.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.chains[h.Chain].Progress = h
	if now := time.Now(); now.Sub(p.drawn) > redrawn {
		p.drawn = now
		p.redraw()
	}
}

// redraw writes the lines over the ones before.
func (p *progress) redraw() {
	var b strings.Builder
	if p.lines > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", p.lines)
	}
	for i := range p.chains {
		line := p.chains[i].line(i)
		if r := []rune(line); len(r) >= p.width {
			line = string(r[:p.width-1])
		}
		fmt.Fprintf(&b, "\r%s\x1b[K\n", line)
	}
	p.lines = len(p.chains)
	_, _ = io.WriteString(p.w, b.String()) // a terminal that is gone shows nothing
}

// line describes one chain.
func (c *chainProgress) line(i int) string {
	if c.Total == 0 {
		return fmt.Sprintf("chain %d  waiting", i+1)
	}
	phase := "sampling"
	switch {
	case c.Err != nil:
		phase = "stopped"
	case c.Done:
		phase = "done"
	case c.Warmup:
		phase = "warm-up"
	}
	s := fmt.Sprintf("chain %d  %s  %d/%d  step %.3g  divergences %d", i+1, phase, c.Iteration,
		c.Total, c.StepSize, c.Divergences)
	if ess, ok := c.ess(); ok {
		s += fmt.Sprintf("  ESS %.0f", ess)
	}
	if !c.Done && c.Iteration > 0 {
		left := time.Duration(float64(c.Elapsed) * float64(c.Total-c.Iteration) /
			float64(c.Iteration))
		s += "  " + left.Round(time.Second).String() + " left"
	}
	return s
}

// ess is the smallest bulk effective sample size of the chain's parameters so far.
func (c *chainProgress) ess() (float64, bool) {
	least, ok := 0.0, false
	for _, v := range c.values {
		if len(v) < 8 {
			return 0, false
		}
		// At most the last 10,000 draws, so that looking takes no time to speak of.
		last := v[max(0, len(v)-10000):]
		if e := diagnostics.ESSBulk([][]float64{last}); e == e && (!ok || e < least) {
			least, ok = e*float64(len(v))/float64(len(last)), true
		}
	}
	return least, ok
}

// clear leaves the terminal as it was.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lines > 0 {
		fmt.Fprintf(p.w, "\x1b[%dA\x1b[J", p.lines)
		p.lines = 0
	}
}
