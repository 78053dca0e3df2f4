package draws

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestWarnFailedChains(t *testing.T) {
	run := idealRun(abc, 4, 1000, 1)
	ch := &run.Chains[1]
	ch.Values, ch.Stats = ch.Values[:12], ch.Stats[:12]
	ch.Err = errors.New("gradient is NaN\nin component 2")
	run.Chains[2].Err = errors.New("disk full")
	run.Chains[3].Err = fmt.Errorf("disk full") // in the same words
	run.Interrupted = "hmc: chain 2 failed after 12 transitions: gradient is NaN"
	ws := run.Warnings()
	w := find(t, ws, WarnFailedChains)
	says(t, w, "3 chains of 4 failed", "chain 2 after 12 of 1000 draws (gradient is NaN in "+
		"component 2), left out of the summary: 2", "chains 3 and 4 after 1000 of 1000 draws "+
		"(disk full).")
	if !slices.Equal(w.Chains, []int{2, 3, 4}) || len(ws) != 1 {
		t.Errorf("%+v", ws)
	}
}

// An interruption is nobody's failure.
func TestWarnInterrupted(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{context.Canceled, "interrupted with 20, 400 of 1000 draws in chains 1 and 2."},
		{fmt.Errorf("hmc: %w", context.DeadlineExceeded), "interrupted when its time was over, with"},
		{errors.New("context canceled"), "interrupted with"}, // from a file
	} {
		run := idealRun(abc, 2, 400, 1)
		run.Sampler.Draws = 1000
		run.Interrupted = "hmc: stopped before the end: " + c.err.Error()
		for i := range run.Chains {
			run.Chains[i].Err = c.err
		}
		run.Chains[0].Values, run.Chains[0].Stats = run.Chains[0].Values[:20], run.Chains[0].Stats[:20]
		ws := run.Warnings()
		says(t, find(t, ws, WarnInterrupted), c.want)
		text := strings.ToLower(fmt.Sprint(ws))
		for _, no := range []string{"fail", "precision", "rule", "remove the cause"} {
			if strings.Contains(text, no) {
				t.Errorf("%q of an interrupted run in %v", no, ws)
			}
		}
		// One chain failed, the others were interrupted: both are said.
		run.Chains[1].Err = errors.New("gradient is NaN")
		find(t, run.Warnings(), WarnInterrupted)
		find(t, run.Warnings(), WarnFailedChains)
	}
}

// An error that is no chain's own, such as a recorder's.
func TestWarnError(t *testing.T) {
	run := idealRun(abc, 4, 1000, 1)
	run.Interrupted = "hmc: recorder of chain 1: write x.csv: no space left on device"
	ws := run.Warnings()
	says(t, find(t, ws, WarnError), "ended with an error, with 1000 of 1000 draws per chain: hmc: "+
		"recorder of chain 1")
	if len(ws) != 1 || strings.Contains(ws[0].String(), "precision") {
		t.Errorf("%v", ws)
	}
	// Beside a rule, the error has a field of its own, and both are said.
	run.Stopped, run.Interrupted = "the targets of the stopping rule are not met", "disk full"
	run.Ending = RuleUnmet
	ws = run.Warnings()
	says(t, find(t, ws, WarnError), "1000 of 1000 draws per chain: disk full.")
	says(t, find(t, ws, WarnStopped), "After all 1000 draws per chain, the targets")
	if len(ws) != 2 {
		t.Errorf("%v", ws)
	}
}

func TestWarnStopped(t *testing.T) {
	run := idealRun(abc, 4, 500, 1)
	run.Sampler.Draws, run.Stopped, run.Ending = 1000, "ESS of 2000 reached.", RuleMet
	s := run.Summary()
	if len(s.Warnings) != 0 || len(s.Notes) != 1 || !strings.Contains(s.Notes[0],
		"with 500 of 1000 draws per chain: ESS of 2000 reached.") {
		t.Errorf("warnings %v, notes %q", s.Warnings, s.Notes)
	}
	// A rule that is met with the last draw stops nothing.
	run.Sampler.Draws, run.Stopped = 500, "targets met after 500 draws per chain: R-hat at most 1.001"
	if s := run.Summary(); len(s.Warnings)+len(s.Notes) != 0 {
		t.Errorf("warnings %v, notes %q", s.Warnings, s.Notes)
	}
	run.Stopped, run.Ending = "the targets of the stopping rule are not met", RuleUnmet
	ws := run.Warnings()
	says(t, find(t, ws, WarnStopped), "After all 500 draws per chain, the targets")
	if len(ws) != 1 || !strings.Contains(ws[0].Meaning, "precision that was asked for") {
		t.Errorf("%v", ws)
	}
}
