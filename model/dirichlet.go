package model

import (
	"bayeskernel/engine"

	"bayeskernel/internal/density"
)

// Dirichlet is the distribution of positive numbers with sum 1: of a Simplex, or of data in rows.
// Alpha has a positive number for each, or is one number for all.
func Dirichlet[A Arg](alpha A) Dist { return Dist{dirichlet{argumentOf(alpha)}} }

type dirichlet struct{ alpha argument }

func (dirichlet) name() string { return "dirichlet" }

func (d dirichlet) in(m *Model, of, where string) engine.Distribution {
	n := d.alpha.in(m, where)
	if about(n).broken {
		return nil
	}
	if n.Fixed {
		for _, v := range n.Value {
			if !density.Positive.Contains(v) {
				m.failAt(where, "%s: the alpha of dirichlet is %v, want %v", of, v, density.Positive)
				return nil
			}
		}
	}
	return &engine.Dirichlet{Alpha: n}
}
