package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// Redrawn is how often lines are redrawn.
const Redrawn = 200 * time.Millisecond

// Screen shows the user what is going on. It is a terminal, where lines can be redrawn, or a file,
// which gets a line every few seconds.
type Screen struct {
	W             io.Writer
	Name          string        // of the program
	Width, Height int           // of a terminal; 0 for a file
	patience      time.Duration // before a line says what is being done; none is for tests
}

// every is how often a file gets a line.
const every = 5 * time.Second

// newScreen finds out whether w is a terminal.
func newScreen(w io.Writer, name string) *Screen {
	file := &Screen{W: w, Name: name, patience: every}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return file
	}
	width, height, err := term.GetSize(int(f.Fd()))
	switch {
	case err != nil || width == 0: // a terminal that does not know its size
		width, height = 80, 24
	case width < 20:
		return file
	}
	return &Screen{W: f, Name: name, Width: width, Height: height, patience: 500 * time.Millisecond}
}

// line writes a line to a file.
func (s *Screen) line(text string) {
	_, _ = fmt.Fprintf(s.W, "%s: %s\n", s.Name, Visible(text))
}

// Status is one line that says what is going on, and for how long. A nil Status shows nothing.
type Status struct {
	screen *Screen
	began  time.Time
	quit   chan struct{}
	ended  sync.WaitGroup

	mu    sync.Mutex
	name  string // of the step
	what  string // the same, and how far it is
	shown bool
	since time.Time // when the step began
	from  int       // how far it was then: a run that goes on does not begin at 0
}

func newStatus(on *Screen, what string) *Status {
	s := &Status{screen: on, began: time.Now(), quit: make(chan struct{}), name: what, what: what,
		since: time.Now()}
	if on.patience == 0 {
		s.write()
	}
	s.ended.Go(func() {
		again := Redrawn
		if on.Width == 0 {
			again = every
		}
		wait := time.NewTimer(max(on.patience, Redrawn))
		defer wait.Stop()
		for {
			select {
			case <-wait.C:
				s.mu.Lock()
				s.write()
				s.mu.Unlock()
				wait.Reset(again)
			case <-s.quit:
				return
			}
		}
	})
	return s
}

// write writes the line. If the terminal is gone, nothing is shown.
func (s *Status) write() {
	s.shown = true
	took := []rune(fmt.Sprintf(" (%v)", time.Since(s.began).Truncate(time.Second)))
	if s.screen.Width == 0 {
		s.screen.line(s.what + string(took))
		return
	}
	line := []rune(Visible(s.what))
	if most := s.screen.Width - 1 - len(took); len(line) > most {
		line = append(line[:max(0, most-1)], '…')
	}
	_, _ = fmt.Fprintf(s.screen.W, "\r%s%s\x1b[K", string(line), string(took))
}

// Step sets what is going on and how far it is; it fits kerneltest.Options.Progress.
func (s *Status) Step(name string, done, total int) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.what = name
	if total > 1 {
		s.what = fmt.Sprintf("%s: %.0f%%", name, 100*float64(done)/float64(total))
	}
	if name != s.name {
		s.since, s.from = time.Now(), done
		if s.shown && s.screen.Width > 0 {
			s.write()
		}
	}
	s.name = name
}

// StepLeft is Step with an estimate of the time left. It assumes that the parts of a step take
// about equally long.
func (s *Status) StepLeft(name string, done, total int) {
	if s == nil {
		return
	}
	s.Step(name, done, total)
	s.mu.Lock()
	defer s.mu.Unlock()
	if took := time.Since(s.since); done > s.from && done < total && took > time.Second {
		left := time.Duration(float64(took) * float64(total-done) / float64(done-s.from))
		s.what += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
}

// End removes the line.
func (s *Status) End() {
	if s == nil {
		return
	}
	close(s.quit)
	s.ended.Wait()
	if s.shown && s.screen.Width > 0 {
		_, _ = io.WriteString(s.screen.W, "\r\x1b[K")
	}
}
