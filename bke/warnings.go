package bke

import (
	"fmt"
	"math"

	"bayeskernel/internal/rows"
	"bayeskernel/kernels"
)

// A Warning reports a problem of the data or the fit that the numbers do not show.
type Warning struct {
	Kind      string  // one of the Warn constants
	Value     float64 // what was found, perhaps +Inf
	Threshold float64 // what it was compared with
	Sentence  string  // both in words, with advice
	Note      bool    // holds for every data set: no problem
	Column    int     // that it is about, from 1; 0 for none
}

// String returns the sentence.
func (w Warning) String() string { return w.Sentence }

// The kinds of warnings.
const (
	WarnWeight      = "weight_above_critical"
	WarnTwoPoint    = "two_point_data"
	WarnRank        = "rank_deficient"
	WarnFewInputs   = "few_distinct_z"
	WarnHeavyTails  = "heavy_tails"
	WarnBound       = "at_bound"
	WarnModes       = "several_modes"
	WarnARD         = "ard_lengthscale"
	WarnConditional = "conditional_on_z"
	WarnDigits      = "few_digits"
)

const (
	heavyTails = 3.0   // the largest ratio of sd to IQR/1.349 of tame data; of a normal it is 1
	nearModes  = 10.0  // nats within which a second mode counts
	ardRatio   = 3.0   // of a lengthscale to the isotropic one
	fewDigits  = 1e-10 // of tau2/n to the amplitude of r, for kernels whose r has 16 digits
)

// Warnings returns the warnings about the data, the pseudo-inputs and the options, before any fit.
// The last one is a note that is always present. A Fit has further warnings.
func (m *Model) Warnings() []Warning {
	var ws []Warning
	add := func(kind string, value, threshold float64, format string, args ...any) {
		ws = append(ws, Warning{Kind: kind, Value: value, Threshold: threshold,
			Sentence: fmt.Sprintf(format, args...)})
	}
	critical := float64(m.rank) / float64(m.m)
	if w := m.opts.Weight; w > critical*(1+1e-9) && m.freeTau2() {
		advice := "bound theta from above"
		if m.opts.ThetaMax > 0 {
			advice = fmt.Sprintf("trust only a fit well below the bound on theta, %.4g", m.opts.ThetaMax)
		}
		add(WarnWeight, w, critical, "The weight of the Gaussian part is %.4g, above the critical "+
			"d/m = %d/%d = %.4g, while tau2 is free. The pseudolikelihood then grows without limit as "+
			"theta goes to infinity and tau2 falls like theta^-4. Use the default weight of %.4g, "+
			"fix tau2, or %s.", w, m.rank, m.m, critical, 0.9*critical, advice)
	}
	if m.plane != nil {
		add(WarnRank, float64(m.rank), float64(m.width), "The data do not fill their columns: rows and "+
			"pseudo-inputs together have %s. They were projected onto the plane that they span, where the isotropic "+
			"kernel is the same and d = %d. Leave out columns that say nothing new.",
			m.plane.Finding(), m.rank)
	}
	if distinct := len(rows.Distinct(m.x, m.dim)); distinct == 2 {
		add(WarnTwoPoint, 2, 3, "The %d rows take only 2 distinct values, so nothing in them sets a "+
			"lengthscale. Compare the two proportions with a chi-square test instead, or fix theta.", m.n)
	} else {
		ws = append(ws, m.inputWarnings(distinct)...)
		ws = append(ws, m.tailWarnings()...)
	}
	power := "1/m"
	if m.rank > 1 {
		power = fmt.Sprintf("m^(-1/%d)", m.rank)
	}
	return append(ws, Warning{Kind: WarnConditional, Value: float64(m.m), Note: true,
		Sentence: fmt.Sprintf("The posterior of theta is given these %d pseudo-inputs z, and too narrow to "+
			"say how sure theta is: theta falls roughly like %s, and other z of the same kind move it "+
			"by 3 to 10 times its posterior sd. The interval of theta allows for that.",
			m.m, power)})
}

// inputWarnings checks the pseudo-inputs. If there are as many as distinct rows, no row is far from
// them, and more are not available.
func (m *Model) inputWarnings(distinct int) []Warning {
	k, want := len(rows.Distinct(m.z, m.dim)), 2*(m.rank+1)
	switch {
	case k < want && k < distinct:
		return []Warning{{Kind: WarnFewInputs, Value: float64(k), Threshold: float64(want),
			Sentence: fmt.Sprintf("There are %d distinct pseudo-inputs, fewer than 2(d+1) = %d, so a few "+
				"rows far from all of them can decide theta. Use more, at least d+1 for each cluster of "+
				"the data.", k, want)}}
	case k < m.m:
		return []Warning{{Kind: WarnFewInputs, Value: float64(k), Threshold: float64(m.m),
			Sentence: fmt.Sprintf("Of the %d pseudo-inputs %d are distinct. Copies add nothing but count "+
				"in m: give each point once.", m.m, k)}}
	}
	return nil
}

// tailWarnings looks at the column with the heaviest tails.
func (m *Model) tailWarnings() []Warning {
	given := m.x
	if m.plane != nil {
		given = m.given // a projection of constants and indicators is constant but for rounding
	}
	ratio, column := rows.TailRatio(given, m.width)
	if !(ratio > heavyTails) {
		return nil
	}
	where, number := "", 0
	if m.width > 1 {
		number = column + 1
		where = fmt.Sprintf(" of column %d", number)
	}
	return []Warning{{Kind: WarnHeavyTails, Value: ratio, Threshold: heavyTails, Column: number,
		Sentence: fmt.Sprintf("The sd%s is %.3g times what the middle of the data suggests (IQR/1.349, "+
			"or a wider interval where that is 0). With tails this heavy (the limit is 3) a few outliers "+
			"decide theta: trim the outermost 5%% of the rows, or take asinh of the data first.",
			where, ratio)}}
}

// warnings returns the warnings about a fit.
func (f *Fit) warnings() []Warning {
	var ws []Warning
	best := f.Modes[0]
	for _, b := range best.AtBound {
		ws = append(ws, Warning{Kind: WarnBound, Value: b.Value, Threshold: b.Value,
			Sentence: fmt.Sprintf("The best %s, %.4g, is at the %s of its range, %.4g to %.4g, so "+
				"the maximum may lie beyond: %s.", b.Name, b.Value, b.end(), b.Min, b.Max, b.advice())})
	}
	if w, ok := f.severalModes(); ok {
		ws = append(ws, w)
	}
	if f.Isotropic > 0 {
		ratio, at := 0.0, 0
		for a, t := range best.Params.Theta {
			if r := t / f.Isotropic; r > ratio {
				ratio, at = r, a
			}
		}
		if ratio > ardRatio {
			ws = append(ws, Warning{Kind: WarnARD, Value: ratio, Threshold: ardRatio,
				Sentence: fmt.Sprintf("theta[%d] is %.4g, %.3g times the isotropic lengthscale of %.4g. "+
					"Lengthscales of single columns are unstable, and the pseudolikelihood cannot switch "+
					"a column off: standardize the columns, use one lengthscale, or leave the column out.", at+1, best.Params.Theta[at], ratio, f.Isotropic)})
		}
	}
	return ws
}

// digitWarnings warns if r has only 16 digits and tau2/n is too small for them.
func (m *Model) digitWarnings(p Params) []Warning {
	prior, err := kernels.NewPrior(m.opts.Kernel, m.opts.Nu, m.dim)
	if err != nil || prior.Exact() {
		return nil
	}
	prior.Set(p.Theta, p.Eta)
	ratio := p.Tau2 / float64(m.n) / math.Exp(prior.LogAmplitude())
	if !(ratio < fewDigits) {
		return nil
	}
	return []Warning{{Kind: WarnDigits, Value: ratio, Threshold: fewDigits,
		Sentence: fmt.Sprintf("At the best theta tau2/n is %.2g of the prior variance, and this kernel's prior "+
			"covariance has 16 digits: the log pseudolikelihood may be off by %.1g. Use the squared "+
			"exponential kernel, or fix tau2.", ratio, 1e-16*float64(m.m)/ratio)}}
}

// severalModes compares the Laplace approximations of the masses of the modes with the highest
// mode's. A lower mode may have more mass.
func (f *Fit) severalModes() (Warning, bool) {
	best, second, count := f.Modes[0], -1, 1
	for i, m := range f.Modes[1:] {
		if best.LogMass-m.LogMass > nearModes {
			continue
		}
		count++
		if second < 0 || m.LogMass > f.Modes[second].LogMass {
			second = i + 1
		}
	}
	if second < 0 {
		return Warning{}, false
	}
	other := f.Modes[second]
	gap := best.LogMass - other.LogMass
	return Warning{Kind: WarnModes, Value: gap, Threshold: nearModes,
		Sentence: fmt.Sprintf("The posterior has %d modes that matter: theta = %s is %.2g times as "+
			"probable as theta = %s, the highest mode (below 5e-5 it would not matter). Report them all, "+
			"integrate over theta instead of picking one, or use more pseudo-inputs.", count,
			thetaWords(other.Params.Theta), math.Exp(-gap), thetaWords(best.Params.Theta))}, true
}

// thetaWords writes one lengthscale as a number, several in brackets.
func thetaWords(theta []float64) string {
	if len(theta) == 1 {
		return fmt.Sprintf("%.4g", theta[0])
	}
	return fmt.Sprintf("%.4g", theta)
}
