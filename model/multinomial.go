package model

import (
	"bayeskernel/engine"

	"bayeskernel/internal/density"
)

// Multinomial is the distribution of the counts of K categories among a number of trials, with these
// probabilities, which must add up to 1. Values are in rows of K; trials, which are data, are a
// number for all rows or one for each. The counts of a row have a density together.
func Multinomial[A Arg, B Rows](trials A, probabilities B) Dist {
	return Dist{multinomial{argumentOf(trials), rowsOf(probabilities)}}
}

type multinomial struct {
	trials argument
	p      rowsArgument
}

func (multinomial) name() string { return "multinomial" }

func (d multinomial) in(m *Model, of, where string) engine.Distribution {
	trials := d.trials.in(m, where)
	p, k := d.p.in(m, of, d.name(), where)
	if k == 0 || about(trials).broken {
		return nil
	}
	if !trials.Fixed {
		m.failAt(where, "%s: the number of trials of multinomial depends on parameters, want data", of)
		return nil
	}
	for _, v := range trials.Value {
		if !density.Count.Contains(v) {
			m.failAt(where, "%s: the number of trials of multinomial is %v, want %v", of, v, density.Count)
			return nil
		}
	}
	if p.Fixed {
		if err := engine.CheckProbabilities(p.Value, k); err != nil {
			m.failAt(where, "%s: multinomial: %v", of, err)
			return nil
		}
	}
	return &engine.Multinomial{Trials: trials, P: p, K: k}
}
