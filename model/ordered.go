package model

import "bayeskernel/engine"

// OrderedLogistic is the distribution of one of K ordered categories, coded 1 to K: category k has the
// probability that eta plus a logistic error lies between cutpoint k-1 and cutpoint k. Cutpoints has
// K-1 values in increasing order: see Model.Ordered.
func OrderedLogistic[A Arg](eta A, cutpoints Expr) Dist {
	return Dist{ordinal{argumentOf(eta), cutpoints, false}}
}

// OrderedProbit has a normal error.
func OrderedProbit[A Arg](eta A, cutpoints Expr) Dist {
	return Dist{ordinal{argumentOf(eta), cutpoints, true}}
}

type ordinal struct {
	eta    argument
	cuts   Expr
	probit bool
}

func (d ordinal) name() string { return (&engine.Ordinal{Probit: d.probit}).Name() }

func (d ordinal) in(m *Model, of, where string) engine.Distribution {
	eta, cuts := d.eta.in(m, where), argumentOf(d.cuts).in(m, where)
	if about(eta).broken || about(cuts).broken {
		return nil
	}
	if cuts.Fixed {
		for k := 1; k < cuts.N; k++ {
			if !(cuts.Value[k-1] < cuts.Value[k]) {
				m.failAt(where, "%s: the cutpoints of %s are %v, want them in increasing order", of, d.name(),
					cuts.Value)
				return nil
			}
		}
	}
	return &engine.Ordinal{Eta: eta, Cuts: cuts, Probit: d.probit}
}
