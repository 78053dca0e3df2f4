package diagnostics

import (
	"fmt"
	"math"
)

// Reason says why diagnostics of some draws are undefined.
type Reason string

// The reasons that Check gives, in the order in which it looks for them.
const (
	Empty     Reason = "no draws"
	Ragged    Reason = "chains of different lengths"
	NonFinite Reason = "value not finite"
	TooShort  Reason = "too few draws"
	Constant  Reason = "all draws equal"
)

// The shortest chains. With fewer than minDraws draws every function returns NaN. With fewer than
// minESS the halves of a chain have no autocovariances to estimate, and functions that need an
// effective sample size return NaN.
const (
	minDraws = 4
	minESS   = 6
)

// epsilon is the distance from 1 to the next float64. Draws whose range is at most this fraction
// of their largest magnitude differ by rounding alone and count as equal.
const epsilon = 0x1p-52

// Error is what Check returns: a reason and where it was found. Chains and iterations count from
// zero. Fields that do not belong to the reason are zero.
type Error struct {
	Reason    Reason
	Chain     int     // Ragged, NonFinite: the first such chain
	Iteration int     // NonFinite: the first such draw of that chain
	Value     float64 // NonFinite, Constant: the value found
	Draws     int     // Ragged, TooShort: the number of draws found in a chain
	Want      int     // Ragged, TooShort: the number expected, or the smallest that will do
}

// Error describes the fault in one line.
func (e *Error) Error() string {
	switch e.Reason {
	case Ragged:
		return fmt.Sprintf("diagnostics: chain %d has %d draws, want %d as in chain 0",
			e.Chain, e.Draws, e.Want)
	case NonFinite:
		return fmt.Sprintf("diagnostics: chain %d, iteration %d: value %v, want a finite number",
			e.Chain, e.Iteration, e.Value)
	case TooShort:
		return fmt.Sprintf("diagnostics: %d draws per chain, want at least %d (%d for R-hat alone)",
			e.Draws, e.Want, minDraws)
	case Constant:
		return fmt.Sprintf("diagnostics: all draws equal %v, want draws that vary", e.Value)
	}
	return "diagnostics: no draws, want at least one chain of them"
}

// Check returns nil if R-hat, effective sample sizes and Monte Carlo errors of the draws are
// defined, and otherwise an *Error saying why they are not. It looks for, in this order: no draws;
// chains of different lengths; a NaN or an infinity; fewer than 6 draws per chain (with 4 or 5
// R-hat and E-BFMI still have a value, with fewer nothing has); and draws that are all equal, up
// to the rounding of one operation.
//
// What Check accepts can leave two kinds of gaps. A quantile at which nothing varies has no
// effective sample size. If at least five percent of the draws share the largest value, none lies
// above the 95% quantile, and ESSTail is NaN. And ParetoK is NaN for fewer than 30 draws and for
// tails of tied ones.
func Check(chains [][]float64) error {
	s, err := newSample(chains)
	if err == nil {
		err = s.check(minESS)
	}
	if err != nil {
		return err // not a typed nil
	}
	return nil
}

// checkShape finds what keeps the draws from forming a matrix of numbers.
func checkShape(chains [][]float64) *Error {
	total := 0
	for _, c := range chains {
		total += len(c)
	}
	if total == 0 {
		return &Error{Reason: Empty}
	}
	for j, c := range chains {
		if len(c) != len(chains[0]) {
			return &Error{Reason: Ragged, Chain: j, Draws: len(c), Want: len(chains[0])}
		}
	}
	for j, c := range chains {
		for i, v := range c {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return &Error{Reason: NonFinite, Chain: j, Iteration: i, Value: v}
			}
		}
	}
	return nil
}
