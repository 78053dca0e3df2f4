package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"bayeskernel/frame"
)

// watched is set in the environment of a process that another watches.
const watched = "BAYESKERNEL_WATCHED"

// watch runs the program in another process, and tells in a sentence what the Go runtime tells with a stack: that
// it got no more memory, which a program cannot answer itself. It returns the exit code; false if there is no
// other process.
func watch(name string, limit int64) (code int, ok bool) {
	path, err := os.Executable()
	if err != nil || os.Getenv(watched) != "" {
		return 0, false
	}
	c := exec.Command(path, os.Args[1:]...)
	c.Env = append(os.Environ(), watched+"=1")
	c.Stdin, c.Stdout = os.Stdin, os.Stdout
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	errs, err := c.StderrPipe()
	if err != nil {
		return 0, false
	}
	// An interrupt from the terminal goes to both; so does a hangup, of which a second does no harm.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, ends()...)
	defer signal.Stop(signals)
	if c.Start() != nil {
		return 0, false
	}
	go func() {
		for s := range signals {
			if s != os.Interrupt {
				_ = c.Process.Signal(s)
			}
		}
	}()
	crashed := relay(os.Stderr, errs)
	_ = c.Wait() // the exit code says it
	if crashed {
		fmt.Fprintf(os.Stderr, "%s: got no more memory: a process may have %s of addresses here (ulimit -v); raise that, or "+
			"take fewer rows or columns\n", name, frame.Size(limit))
		return ExitFailed, true
	}
	if s, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return 128 + int(s.Signal()), true
	}
	return c.ProcessState.ExitCode(), true
}

// lastWords begin the lines with which the runtime ends a program that gets no more memory or threads.
var lastWords = []string{"fatal error: ", "runtime: ", "runtime/cgo: "}

// relay copies lines until the runtime's last words, and reports whether there were any.
func relay(w io.Writer, r io.Reader) (crashed bool) {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadString('\n')
		for _, words := range lastWords {
			crashed = crashed || strings.HasPrefix(line, words)
		}
		if !crashed {
			_, _ = io.WriteString(w, line)
		}
		if err != nil {
			return crashed
		}
	}
}
