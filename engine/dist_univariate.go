package engine

import (
	"errors"
	"fmt"
	"math"

	"bayeskernel/internal/density"
	"bayeskernel/priors"
)

// Cut is a truncated or censored range.
type Cut struct {
	Lo, Hi   float64
	Censored bool // values at an end stand for all beyond it
}

// Univariate is a distribution of single values.
type Univariate struct {
	Family *density.Family
	Args   []*Node
	Cut    *Cut
	Ends   []*Node // of cut, where they are not constants: two
}

func (u *Univariate) Name() string { return u.Family.Name }

func (u *Univariate) Arguments() []*Node {
	return append(u.Args[:len(u.Args):len(u.Args)], u.Ends...)
}

// constant reports whether no argument depends on parameters.
func (u *Univariate) constant() bool {
	for _, a := range u.Args {
		if !a.Fixed {
			return false
		}
	}
	return true
}

// sizes wants numbers or n values.
func (u *Univariate) sizes(n int, name string) error {
	for k, a := range u.Args {
		if !a.Scalar && a.N != n {
			return fmt.Errorf("the %s of %s has %s and %s %s", u.Family.Params[k].Name, u.Name(),
				plural(a.N, "value"), name, plural(n, "value"))
		}
	}
	for _, a := range u.Ends {
		if !a.Scalar && a.N != n {
			return fmt.Errorf("an end of %s has %s and %s %s", u.Name(), plural(a.N, "value"), name,
				plural(n, "value"))
		}
	}
	return nil
}

func (u *Univariate) ForParameter(p Place) error {
	if u.Family.Discrete {
		return fmt.Errorf("a parameter cannot have the discrete %s: sum it out, with Mix", u.Name())
	}
	if u.Cut != nil && u.Cut.Censored {
		return fmt.Errorf("a parameter cannot have a censored %s", u.Name())
	}
	if u.Ends != nil && !p.Between {
		return fmt.Errorf("a parameter cannot have a %s truncated at expressions: say Between", u.Name())
	}
	if err := u.sizes(p.N, "the parameter"); err != nil {
		return err
	}
	switch p.Transform.(type) {
	case priors.Simplex:
		return u.flat("a simplex, want dirichlet or flat")
	case priors.CorrCholesky:
		return u.flat("a Cholesky factor, want lkj_corr or flat")
	case priors.Correlation:
		return u.flat("a correlation matrix, want lkj_corr or flat")
	case priors.Covariance:
		return u.flat("a covariance matrix, want wishart, inv_wishart or flat")
	case priors.ZeroSum:
		return u.flat("values with sum 0, want normal with mean 0 and one sd, or flat")
	}
	return u.confine(p)
}

// flat refuses all other distributions for values that are not free of each other.
func (u *Univariate) flat(of string) error {
	if u.Family.Name == "flat" {
		return nil
	}
	return fmt.Errorf("%s is no distribution of %s", u.Name(), of)
}

// confine truncates the distribution where the support of the parameter is narrower than its own.
func (u *Univariate) confine(p Place) error {
	if u.Family.Name == "flat" {
		return nil
	}
	if u.Cut != nil && u.Family.Below == nil {
		return u.NeedsConstant(u.Cut.Lo, u.Cut.Hi)
	}
	if p.Between {
		return nil
	}
	for i := range p.N {
		var a density.Params
		known := true
		for k, n := range u.Args {
			if !n.Fixed || n.Value == nil {
				known = false
				continue
			}
			a[k] = n.Value[i%n.N]
		}
		if !known && u.Family.Name == "uniform" {
			return nil // its ends are those of Between
		}
		lo, hi := u.Family.Support(&a)
		if u.Cut != nil {
			lo, hi = max(lo, u.Cut.Lo), min(hi, u.Cut.Hi)
		}
		if !p.Moved && (lo > p.Lo || hi < p.Hi) {
			return fmt.Errorf("%s is confined to (%v, %v) and the parameter to (%v, %v): declare it with "+
				"a support within that of its distribution", u.Name(), lo, hi, p.Lo, p.Hi)
		}
		if p.Lo > lo || p.Hi < hi {
			if !u.constant() || u.Family.Below == nil {
				return u.NeedsConstant(p.Lo, p.Hi)
			}
			u.Cut = &Cut{Lo: p.Lo, Hi: p.Hi}
			return nil
		}
	}
	return nil
}

// NeedsConstant says why the distribution cannot be cut off at lo and hi.
func (u *Univariate) NeedsConstant(lo, hi float64) error {
	if u.Family.Below == nil {
		return fmt.Errorf("%s cannot be cut off at (%v, %v): its distribution function is not here",
			u.Name(), lo, hi)
	}
	return fmt.Errorf("%s cut off at (%v, %v) needs a constant that depends on its parameters: say "+
		"Truncate", u.Name(), lo, hi)
}

func (u *Univariate) ForValues(y *Node, name string) error {
	if err := u.sizes(y.N, name); err != nil {
		return err
	}
	if u.Family.Name == "flat" {
		return fmt.Errorf("%s has a flat distribution, want one that says something", name)
	}
	if u.Cut != nil && u.Family.Below == nil {
		return fmt.Errorf("%s: %v", name, u.NeedsConstant(u.Cut.Lo, u.Cut.Hi))
	}
	if u.Family.Discrete {
		if err := dataOnly(y, name, u.Name()); err != nil {
			return err
		}
	}
	if !y.Fixed || y.Value == nil {
		return nil
	}
	for i, v := range y.Value {
		if err := u.supports(i, v); err != nil {
			return fmt.Errorf("%s[%d] is %v, want %v: outside the support of %s", name, i+1, v, err,
				u.Name())
		}
	}
	return nil
}

// supports says what value i would have to be, nil where v is.
func (u *Univariate) supports(i int, v float64) error {
	if u.Family.Discrete && v != math.Floor(v) {
		return errors.New("a whole number")
	}
	var a density.Params
	for k, n := range u.Args {
		a[k] = math.NaN()
		if n.Fixed && n.Value != nil {
			a[k] = n.Value[i%n.N]
		}
	}
	lo, hi := u.Family.Support(&a)
	if u.Cut != nil && !u.Cut.Censored {
		lo, hi = max(lo, u.Cut.Lo), min(hi, u.Cut.Hi)
		for k, n := range u.Ends {
			if n.Fixed && n.Value != nil && k == 0 {
				lo = max(lo, n.Value[i%n.N])
			} else if n.Fixed && n.Value != nil {
				hi = min(hi, n.Value[i%n.N])
			}
		}
	}
	if v < lo || v > hi {
		return fmt.Errorf("a value from %v to %v", lo, hi)
	}
	return nil
}

// Mapped implements Distribution.
func (u *Univariate) Mapped(to func(*Node) *Node) Distribution {
	out := *u
	out.Args = make([]*Node, len(u.Args))
	for k, a := range u.Args {
		out.Args[k] = to(a)
	}
	out.Ends = nil
	for _, a := range u.Ends {
		out.Ends = append(out.Ends, to(a))
	}
	return &out
}

// FiniteSupport returns the ends of the support of all values: infinite or NaN where they are, or are
// not known before parameters are.
func (u *Univariate) FiniteSupport() (lo, hi float64) {
	rows := 1
	for _, a := range u.Args {
		rows = max(rows, a.N)
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := range rows {
		var a density.Params
		for k, n := range u.Args {
			a[k] = math.NaN()
			if n.Fixed && n.Value != nil {
				a[k] = n.Value[i%n.N]
			}
		}
		from, to := u.Family.Support(&a)
		lo, hi = min(lo, from), max(hi, to)
	}
	if u.Cut != nil && !u.Cut.Censored && u.Ends == nil {
		lo, hi = max(lo, math.Ceil(u.Cut.Lo)), min(hi, math.Floor(u.Cut.Hi))
	}
	return lo, hi
}
