package draws

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/diagnostics"
)

// When modes deserve a warning.
const (
	massThreshold  = 0.01 // modes of less mass are passed over in silence
	visitedAtLeast = 0.1  // share of a mode's mass below which its share of the draws is too small
	stays          = 0.99 // a chain with this share of its draws near one mode never left it
	minOverlap     = 50   // draws per chain below which chains may seem apart by chance
)

// modes reports modes that chains missed, and chains that do not meet. Only a search for modes
// finds modes that no chain has seen; without one, chains are compared with each other.
func (v view) modes(s *Summary) []Warning {
	var out []Warning
	if v.Modes.comparable(len(v.Names)) {
		shares := v.modeShares(s)
		out = append(v.missed(shares), v.separateModes(shares)...)
	}
	for _, w := range out {
		if w.Kind == WarnSeparateModes {
			return out
		}
	}
	return append(out, v.separateChains(s)...)
}

// comparable reports whether there are several modes, with positions on the user's scale.
func (m *Modes) comparable(params int) bool {
	return m != nil && len(m.Modes) > 1 && !slices.ContainsFunc(m.Modes, func(mode Mode) bool {
		return len(mode.Values) != params
	})
}

// modeShares returns, for each chain used, the share of its draws nearest to each mode. Distances
// are Euclidean on the user's scale, where draws are kept, after division by the standard deviation
// of all draws: the modes' own covariances belong to the sampler's scale.
func (v view) modeShares(s *Summary) [][]float64 {
	modes := v.Modes.Modes
	scale := make([]float64, len(v.Names))
	for j, p := range s.Parameters {
		if p.SD > 0 {
			scale[j] = 1 / p.SD
		}
	}
	shares := make([][]float64, len(v.chains))
	for at, c := range v.chains {
		shares[at] = make([]float64, len(modes))
		err := v.Chains[c].Each(func(i int, row []float64) error {
			if i >= v.n {
				return errEnough
			}
			nearest, least := 0, math.Inf(1)
			for k, m := range modes {
				d := 0.0
				for j, x := range m.Values {
					d += (row[j] - x) * (row[j] - x) * scale[j] * scale[j]
				}
				if d < least {
					nearest, least = k, d
				}
			}
			shares[at][nearest] += 1 / float64(v.n)
			return nil
		})
		if err != nil && err != errEnough {
			shares[at][0] = math.NaN() // the file cannot be read, which notes say
		}
	}
	return shares
}

// errEnough ends a walk over draws.
var errEnough = errors.New("enough")

// masses returns the modes' shares of the mass by Laplace's approximation.
func (m *Modes) masses() []float64 {
	top := math.Inf(-1)
	for _, mode := range m.Modes {
		if mode.LogMass < math.Inf(1) {
			top = max(top, mode.LogMass)
		}
	}
	out := make([]float64, len(m.Modes))
	sum := 0.0
	for k, mode := range m.Modes {
		if w := math.Exp(mode.LogMass - top); !math.IsNaN(w) && !math.IsInf(w, 0) {
			out[k] = w
			sum += w
		}
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}

// missed reports modes whose share of all draws is less than a tenth of their mass.
func (v view) missed(shares [][]float64) []Warning {
	w := Warning{
		Kind: WarnMissedMode, Value: math.NaN(), Threshold: math.NaN(),
		Meaning: "The draws describe a part of the posterior only, and R-hat cannot see it: " +
			"every chain misses the same part.",
		Advice: "Start chains in each mode, to see whether they cross, or temper; never weight " +
			"modes by the number of chains that sit in them.",
	}
	var parts []string
	for k, mass := range v.Modes.masses() {
		share := 0.0
		for _, s := range shares {
			share += s[k] / float64(len(shares))
		}
		if !(mass >= massThreshold && share < visitedAtLeast*mass) {
			continue
		}
		if parts == nil {
			w.Value, w.Threshold = share, visitedAtLeast*mass
		}
		parts = append(parts, fmt.Sprintf("Mode %d of %d (%s) holds %s of the mass by "+
			"Laplace's approximation, but %s of the draws are nearest to it (threshold %s).",
			k+1, len(v.Modes.Modes), v.place(v.Modes.Modes[k].Values), percent(mass), percent(share),
			percent(visitedAtLeast*mass)))
	}
	if parts == nil {
		return nil
	}
	w.Finding = strings.Join(parts, " ")
	return []Warning{w}
}

// place writes the first few coordinates of a point.
func (v view) place(x []float64) string {
	const most = 3
	var parts []string
	for j := range min(len(x), len(v.Names), most) {
		parts = append(parts, fmt.Sprintf("%s = %.4g", v.Names[j], x[j]))
	}
	if len(x) > most {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

// separateModes reports chains that stay near different modes.
func (v view) separateModes(shares [][]float64) []Warning {
	least := 1.0
	inMode := map[int][]int{}
	var order []int
	for i, share := range shares {
		k := slices.Index(share, slices.Max(share))
		if share[k] < stays {
			continue
		}
		least = min(least, share[k])
		if inMode[k] == nil {
			order = append(order, k)
		}
		inMode[k] = append(inMode[k], v.chains[i]+1)
	}
	if len(order) < 2 {
		return nil
	}
	var parts []string
	var ids []int
	for _, k := range order {
		parts = append(parts, fmt.Sprintf("%s in mode %d (%s)", chainList(inMode[k]), k+1,
			v.place(v.Modes.Modes[k].Values)))
		ids = append(ids, inMode[k]...)
	}
	slices.Sort(ids)
	return []Warning{separated(Warning{
		Chains: ids, Value: least, Threshold: stays,
		Finding: fmt.Sprintf("Chains stay in different modes, with %.1f%% or more of their draws "+
			"(threshold %.0f%%): %s.", 100*least, 100*stays, strings.Join(parts, ", ")),
	})}
}

func separated(w Warning) Warning {
	w.Kind = WarnSeparateModes
	w.Meaning = "No chain crosses, so the draws say nothing about the weights of the modes, and " +
		"summaries that pool the chains describe no distribution of interest."
	w.Advice = "Compare lp__ of the chains, drop those that got stuck in a poor mode only if you " +
		"can say why, or temper; more draws do not help."
	return w
}

// separateChains reports groups of chains whose central 90% intervals do not overlap.
func (v view) separateChains(s *Summary) []Warning {
	if v.n < minOverlap || len(v.chains) < 2 {
		return nil
	}
	group := make([]int, len(v.chains)) // the smallest index of a chain in the same group
	for i := range group {
		group[i] = i
	}
	lo, hi := v.intervals(s)
	for a := range group {
		for b := range a {
			if !apart(lo[a], hi[a], lo[b], hi[b]) {
				join(group, group[a], group[b])
			}
		}
	}
	var order []int
	for i, g := range group {
		if g == i {
			order = append(order, i)
		}
	}
	if len(order) < 2 {
		return nil
	}
	j, means := v.widest(group)
	var parts []string
	for _, g := range order {
		var ids []int
		lp := 0.0
		for i, c := range v.chains {
			if group[i] == g {
				ids = append(ids, c+1)
				lp += s.Chains[c].LP
			}
		}
		parts = append(parts, fmt.Sprintf("%s about %.4g in %s (mean lp__ %.4g)", v.Names[j],
			means[g], chainList(ids), lp/float64(len(ids))))
	}
	return []Warning{separated(Warning{
		Parameters: []string{v.Names[j]}, Value: float64(len(order)), Threshold: 1,
		Finding: fmt.Sprintf("Chains fall into %d groups (threshold 1) whose central 90%% "+
			"intervals do not overlap: %s.", len(order), strings.Join(parts, ", ")),
	})}
}

func join(group []int, a, b int) {
	for i, g := range group {
		if g == a || g == b {
			group[i] = min(a, b)
		}
	}
}

// apart reports whether some parameter's intervals are disjoint.
func apart(loA, hiA, loB, hiB []float64) bool {
	for j := range loA {
		if loA[j] > hiB[j] || loB[j] > hiA[j] {
			return true
		}
	}
	return false
}

// intervals returns the 5% and 95% quantiles of each chain used, for each parameter in which chains
// may be apart. One of m chains that shares no interval with the others moves R-hat² by about 10/m.
func (v view) intervals(s *Summary) (lo, hi [][]float64) {
	lo, hi = make([][]float64, len(v.chains)), make([][]float64, len(v.chains))
	for j, p := range s.Parameters {
		if !(p.RHat*p.RHat-1 > 1/float64(len(v.chains))) {
			continue
		}
		for i, x := range v.column(j) {
			one := [][]float64{x}
			lo[i] = append(lo[i], diagnostics.Quantile(one, 0.05))
			hi[i] = append(hi[i], diagnostics.Quantile(one, 0.95))
		}
	}
	return lo, hi
}

// widest returns the parameter whose means by group differ most, in units of the standard deviation
// within chains, and those means.
func (v view) widest(group []int) (param int, means map[int]float64) {
	widest := -1.0
	for j := range v.Names {
		sum, count := map[int]float64{}, map[int]float64{}
		within := 0.0
		for i, x := range v.column(j) {
			one := [][]float64{x}
			sum[group[i]] += diagnostics.Mean(one)
			count[group[i]]++
			if sd := diagnostics.SD(one); !math.IsNaN(sd) {
				within += sd / float64(len(v.chains))
			}
		}
		lo, hi := math.Inf(1), math.Inf(-1)
		for g := range sum {
			sum[g] /= count[g]
			lo, hi = min(lo, sum[g]), max(hi, sum[g])
		}
		if width := (hi - lo) / within; width > widest {
			param, means, widest = j, sum, width
		}
	}
	return param, means
}
