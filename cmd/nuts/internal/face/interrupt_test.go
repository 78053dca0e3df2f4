package face

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bayeskernel/draws/cmdstan"
)

// stopper is a console that interrupts the program once a text is shown.
type stopper struct {
	lock sync.Mutex
	at   string
	stop context.CancelFunc
}

func (s *stopper) Write(b []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if bytes.Contains(b, []byte(s.at)) {
		s.stop()
	}
	return len(b), nil
}

// A chain that is interrupted leaves its draws, and the file and the console say how many; one without draws leaves no file.
func TestInterrupted(t *testing.T) {
	for _, c := range []struct {
		args, at string
		files    []string
	}{
		{"sample num_warmup=100", " 251 / 100100 ", []string{"o.csv"}},
		{"sample num_warmup=100 thin=3 save_warmup=1", " 251 / 100100 ", []string{"o.csv"}},
		{"sample num_warmup=100 adapt engaged=0", " 251 / 100100 ", []string{"o.csv"}},
		{"sample num_warmup=100 num_chains=2", "Chain [2] Iteration:    251 / 100100 ", []string{"o_2.csv"}},
		{"sample algorithm=fixed_param", " 1251 / 101000 ", []string{"o.csv"}},
		{"sample num_warmup=1000", " 51 / 101000 ", nil},
		{"sample num_warmup=1000 save_warmup=1 adapt engaged=0", " 51 / 101000 ", nil},
	} {
		inFolder(t, data)
		ctx, stop := context.WithCancel(t.Context())
		var errs bytes.Buffer
		args := strings.Fields(c.args + " num_samples=100000 data file=d.json random seed=1 output file=o.csv refresh=1")
		code := Run(ctx, &Model{Name: "m", Source: program}, args, &stopper{at: c.at, stop: stop}, &errs)
		stop()
		if code != 130 || strings.Count(errs.String(), "\n") != 1 || !strings.HasPrefix(errs.String(), "Interrupted") {
			t.Errorf("%s: code %d, %q", c.args, code, &errs)
		}
		if left, _ := filepath.Glob("o*"); c.files == nil && len(left) > 0 {
			t.Errorf("%s left %v", c.args, left)
		}
		for _, name := range c.files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatalf("%s: %v", c.args, err)
			}
			fixed := strings.Contains(c.args, "fixed_param")
			_, n := countDraws(t, readLines(t, name), fixed)
			planned := 100000
			if strings.Contains(c.args, "thin=3") {
				planned = 33334
			}
			told := fmt.Sprintf("%s has %d of %d draws", name, n, planned)
			noted := fmt.Sprintf("\n# Interrupted after %d of %d draws\n", n, planned)
			if n == 0 || n >= planned || !strings.Contains(errs.String(), told) || !bytes.Contains(text, []byte(noted)) {
				t.Errorf("%s: %d draws, %q", c.args, n, &errs)
			}
			readR(t, name)
			if fixed {
				continue
			}
			run, err := cmdstan.Read(name)
			if !errors.Is(err, cmdstan.ErrTruncated) || run.Chains[0].Len() != n {
				t.Errorf("%s: cmdstan.Read: %v", c.args, err)
			}
		}
	}
}
