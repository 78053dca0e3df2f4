package draws

import "fmt"

// moved reports chains that warm-up moved to a draw of another chain.
func (v view) moved() []Warning {
	w := Warning{
		Kind: WarnMoved,
		Meaning: "It was far below all draws of the others and came nearer too slowly; if it was on its " +
			"way to another mode, that mode is missing.",
		Advice: "Compare with a run whose warm-up has a fixed length, or search for modes.",
	}
	for c := range v.Chains {
		if v.Chains[c].MovedFrom != nil {
			w.Chains = append(w.Chains, c+1)
		}
	}
	if w.Chains == nil {
		return nil
	}
	w.Value = float64(len(w.Chains))
	w.Finding = fmt.Sprintf("Warm-up moved %s to a draw of another chain (threshold 0).", chainList(w.Chains))
	return []Warning{w}
}

// left reports chains that were in another mode during warm-up.
func (v view) left() []Warning {
	w := Warning{
		Kind:    WarnLeftMode,
		Meaning: "If that was one and no draw comes back to it, the draws and R-hat say nothing about it.",
		Advice:  "Run more chains with another seed, or a warm-up of fixed length, and compare.",
	}
	last := 0
	for c := range v.Chains {
		if v.Chains[c].LeftFrom != nil {
			w.Chains, last = append(w.Chains, c+1), max(last, v.Chains[c].Left)
		}
	}
	if w.Chains == nil {
		return nil
	}
	w.Value = float64(len(w.Chains))
	w.Finding = fmt.Sprintf("Up to transition %d of warm-up, %s seemed to be in another mode, and left it (threshold 0).", last,
		chainList(w.Chains))
	return []Warning{w}
}

// warmupNote says when and why a shared warm-up ended; "" if no chain shared one.
func (v view) warmupNote() string {
	for _, c := range v.Chains {
		if c.WarmupEnded != "" {
			return fmt.Sprintf("Warm-up took %d of at most %d transitions: %s.", c.Warmup, v.Sampler.Warmup,
				c.WarmupEnded)
		}
	}
	return ""
}
