package sample

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/hmc"
)

// progress shows a line for each chain on a terminal, and otherwise the progress of all chains
// together.
type progress struct {
	mu     sync.Mutex
	line   *cli.Status // of all chains; nil on a terminal
	w      io.Writer
	width  int
	drawn  time.Time
	lines  int
	chains []chainProgress
}

type chainProgress struct {
	hmc.Progress
	values [][]float64 // after warm-up: one slice for each parameter
}

// newProgress returns nil if progress is not shown.
func newProgress(con *cli.Console, chains int) *progress {
	on := con.Screen
	if on == nil {
		return nil
	}
	p := &progress{w: on.W, width: on.Width, chains: make([]chainProgress, chains)}
	if chains+1 > on.Height { // there is no room, or no terminal
		p.line = con.Working("sampling")
	}
	return p
}

// attach makes a run report to p.
func (p *progress) attach(s *hmc.Settings) {
	switch {
	case p == nil:
	case p.line != nil:
		s.OnProgress = p.total
	default:
		s.OnProgress, s.OnDraw = p.report, p.collect
	}
}

// total shows the progress of all chains together.
func (p *progress) total(h hmc.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.chains[h.Chain].Progress = h
	done := 0
	for _, c := range p.chains {
		done += c.Iteration
	}
	p.line.Step("sampling", done, h.Total*len(p.chains))
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
	if now := time.Now(); now.Sub(p.drawn) > cli.Redrawn {
		p.drawn = now
		p.redraw()
	}
}

// redraw overwrites the previous lines.
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
		// At most the last 10,000 draws, so that the cost is negligible.
		last := v[max(0, len(v)-10000):]
		if e := diagnostics.ESSBulk([][]float64{last}); e == e && (!ok || e < least) {
			least, ok = e*float64(len(v))/float64(len(last)), true
		}
	}
	return least, ok
}

// clear restores the terminal.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.line.End()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lines > 0 {
		fmt.Fprintf(p.w, "\x1b[%dA\x1b[J", p.lines)
		p.lines = 0
	}
}
