package draws

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ending reports a run that did not end as planned. It distinguishes failed chains, an
// interruption, an error that came from no chain (in writing a file, say), and a stopping rule.
func (v view) ending() []Warning {
	var failed, interrupted []int
	for c := range v.Chains {
		switch err := v.Chains[c].Err; {
		case err == nil:
		case isInterruption(err):
			interrupted = append(interrupted, c)
		default:
			failed = append(failed, c)
		}
	}
	var out []Warning
	if failed != nil {
		out = append(out, v.failed(failed))
	}
	if interrupted != nil {
		out = append(out, v.interrupted(interrupted))
	}
	if v.Interrupted != "" && out == nil { // or else the chains have said it
		out = append(out, v.error(v.Interrupted))
	}
	if v.Ending == RuleUnmet {
		out = append(out, v.unmet())
	}
	return out
}

// isInterruption reports whether a chain ended because its context did. An error read from a file
// is only text, so it also compares texts.
func isInterruption(err error) bool {
	for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, end) || err.Error() == end.Error() {
			return true
		}
	}
	return false
}

// interrupted reports the chains that an interruption cut short.
func (v view) interrupted(chains []int) Warning {
	w := Warning{
		Kind: WarnInterrupted, Value: float64(v.n), Threshold: float64(v.planned()),
		Meaning: "What was drawn is as good as the first part of the whole run: fewer draws, and " +
			"larger Monte Carlo errors.",
		Advice: "Resume the run from its checkpoint, or run it again, if the errors are too large.",
	}
	for _, c := range chains {
		w.Chains = append(w.Chains, c+1)
	}
	why := ""
	if errors.Is(v.Chains[chains[0]].Err, context.DeadlineExceeded) {
		why = "when its time was over, "
	}
	w.Finding = fmt.Sprintf("The run was interrupted %swith %s of %d draws in %s.", why,
		v.lengths(chains), v.planned(), chainList(w.Chains))
	return w
}

// lengths lists the numbers of draws of some chains, or one number if they are equal.
func (v view) lengths(chains []int) string {
	var words []string
	for _, c := range chains {
		words = append(words, strconv.Itoa(v.Chains[c].Len()))
	}
	if len(slices.Compact(slices.Clone(words))) == 1 {
		return words[0]
	}
	return strings.Join(words, ", ")
}

// failed reports failed chains, grouped by error.
func (v view) failed(chains []int) Warning {
	same := map[string][]int{}
	var order []string
	w := Warning{
		Kind: WarnFailedChains, Value: float64(len(chains)),
		Meaning: "The chains that remain may lack the region where the others failed.",
		Advice:  "Remove the cause and run again; until then read the summary as a first look.",
	}
	for _, c := range chains {
		text := oneLine(v.Chains[c].Err.Error())
		if same[text] == nil {
			order = append(order, text)
		}
		same[text] = append(same[text], c)
		w.Chains = append(w.Chains, c+1)
	}
	var parts []string
	for _, text := range order {
		var ids []int
		var out []string
		for _, c := range same[text] {
			ids = append(ids, c+1)
			if !slices.Contains(v.chains, c) {
				out = append(out, strconv.Itoa(c+1))
			}
		}
		part := fmt.Sprintf("%s after %s of %d draws (%s)", chainList(ids), v.lengths(same[text]),
			v.planned(), text)
		if out != nil {
			part += ", left out of the summary: " + strings.Join(out, ", ")
		}
		parts = append(parts, part)
	}
	w.Finding = fmt.Sprintf("%s of %d failed: %s.", plural(len(chains), "chain"), len(v.Chains),
		strings.Join(parts, "; "))
	return w
}

// error reports an error of the run when no chain has one.
func (v view) error(text string) Warning {
	return Warning{
		Kind: WarnError, Value: float64(v.n), Threshold: float64(v.planned()),
		Finding: fmt.Sprintf("The run ended with an error, with %d of %d draws per chain: %s.", v.n,
			v.planned(), strings.TrimRight(oneLine(text), ".")),
		Meaning: "The draws here are sound; files that the run was writing may be incomplete.",
		Advice:  "Remove the cause, and write the draws again or resume the run.",
	}
}

// unmet reports a stopping rule that was never met.
func (v view) unmet() Warning {
	return Warning{
		Kind: WarnStopped, Value: float64(v.n), Threshold: float64(v.planned()),
		Finding: fmt.Sprintf("After all %d draws per chain, %s.", v.n, strings.TrimRight(v.Stopped, ".")),
		Meaning: "The precision that was asked for is not reached.",
		Advice:  "Resume the run with more draws.",
	}
}

// planned is the number of draws that each chain was meant to keep.
func (v view) planned() int {
	thin := max(v.Sampler.Thin, 1)
	return (v.Sampler.Draws + thin - 1) / thin
}
