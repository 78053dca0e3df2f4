package summary

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"bayeskernel/bke"

	"gonum.org/v1/gonum/stat/distuv"
)

// profile is the objective per row with tau2 maximised out, as a function of log theta u in a window,
//
//	Omega(u) = mean log gamma - (wm/2) log V,   V the mean squared deviation over rows and z,
//
// from polynomials through the nodes.
type profile struct {
	window *Window
	weight float64     // wm/2
	coef   [][]float64 // of log V and of the mean of log gamma
}

func (t *totals) profile(at int, weight float64) *profile {
	w := t.windows()[at]
	m := t.plan.M()
	values := make([][]float64, len(w.Values))
	for j, v := range w.Values {
		values[j] = v[m:]
	}
	return &profile{&t.plan.Windows[at], weight * float64(m) / 2, coefficients(values)}
}

// slopes returns the values and derivatives in u of the functions.
func (p *profile) at(u float64) (value, slope [2]float64) {
	half := (p.window.To - p.window.From) / 2
	x := (u - (p.window.From+p.window.To)/2) / half
	for i := range value {
		value[i], slope[i] = evaluate(p.coef, i, x)
		slope[i] /= half
	}
	return value, slope
}

func (p *profile) slope(u float64) float64 {
	_, s := p.at(u)
	return s[1] - p.weight*s[0]
}

const profileStep = 0.02 // of second differences, as in bke

// curvature is -d²Omega/du².
func (p *profile) curvature(u float64) float64 {
	h := min(profileStep, (p.window.To-u)/2, (u-p.window.From)/2)
	return -(p.slope(u+h) - p.slope(u-h)) / (2 * h)
}

// mode follows the slope from u to where it vanishes.
func (p *profile) mode(u, curvature float64) (float64, bool) {
	for range 50 {
		step := p.slope(u) / curvature
		u += min(max(step, -0.05), 0.05)
		if !(u > p.window.From && u < p.window.To) {
			return u, false
		}
		if math.Abs(step) < 1e-10 {
			return u, true
		}
	}
	return u, false
}

// coefficients returns those of the Chebyshev polynomials through values at cos(pi j/n).
func coefficients(values [][]float64) [][]float64 {
	n := len(values) - 1
	out := make([][]float64, n+1)
	for k := range out {
		out[k] = make([]float64, len(values[0]))
		for j, v := range values {
			w := 2 / float64(n) * math.Cos(math.Pi*float64(j*k%(2*n))/float64(n))
			if j == 0 || j == n {
				w /= 2
			}
			if k == 0 || k == n {
				w /= 2
			}
			for i := range v {
				out[k][i] += w * v[i]
			}
		}
	}
	return out
}

// evaluate returns polynomial i and its derivative at x, by T_k' = k U_{k-1}.
func evaluate(coef [][]float64, i int, x float64) (value, slope float64) {
	t0, t1, u0, u1 := 1.0, x, 0.0, 1.0
	for k, c := range coef {
		value += c[i] * t0
		slope += c[i] * float64(k) * u0
		t0, t1 = t1, 2*x*t1-t0
		u0, u1 = u1, 2*x*u1-u0
	}
	return value, slope
}

// Interval says how sure theta is, from the bins: the standard deviation of log theta by the sandwich
// formula, whose middle is the variance between bins of the mean score of their rows, times their rows;
// by leaving out each bin in turn; and, from the plan, over other pseudo-inputs. It is that of a normal
// distribution of log theta with the larger of the first two and the third together. Fit is of the model
// of s; level is that of the interval, 0 for 0.9.
func (s *Summary) Interval(fit *bke.Fit, weight, level float64) (*bke.ThetaInterval, error) {
	level = cmp.Or(level, 0.9)
	if !(level > 0 && level < 1) {
		return nil, fmt.Errorf("summary: level of an interval is %v, want it between 0 and 1", level)
	}
	if err := s.Check(fit); err != nil {
		return nil, err
	}
	u := fit.Modes[0].Logs[0]
	w, _ := s.plan.nearest(u)
	at := 0
	for i := range s.plan.Windows {
		if &s.plan.Windows[i] == w {
			at = i
		}
	}
	all, err := s.totals(nil)
	if err != nil {
		return nil, err
	}
	p := all.profile(at, cmp.Or(weight, s.plan.Weight))
	h := p.curvature(u)
	j, sd, err := s.overBins(all, p, at, u, h)
	if err != nil {
		return nil, err
	}
	if !(h > 0) {
		return nil, errors.New("summary: an interval was asked for where the profile is not curved " +
			"downwards, want a mode inside the window")
	}
	out := &bke.ThetaInterval{Theta: math.Exp(u), Level: level, SDSandwich: math.Sqrt(j/all.n) / h,
		SDJackknife: sd, SDSeeds: s.plan.SDInputs, AtLeast: all.n < 500 || s.plan.Dim() > 1}
	wide := math.Hypot(max(out.SDSandwich, out.SDJackknife), out.SDSeeds)
	out.Temper = min(1, 1/(all.n*h*wide*wide))
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	reach := z * max(wide, 1/math.Sqrt(all.n*h))
	out.From, out.To = math.Exp(u-reach), math.Exp(u+reach)
	return out, nil
}

// leastBinned is the number of bins with rows that a variance is made of.
const leastBinned = 20

// overBins returns the variance of the score of a row, as estimated from bins, and the standard
// deviation of the mode by a jackknife that leaves out a bin of all samples at a time.
func (s *Summary) overBins(all *totals, p *profile, at int, u, h float64) (j, sd float64, err error) {
	var modes, scores, rows []float64
	total, slope := p.at(u)
	for b := range s.plan.Bins {
		bin, err := s.totals(func(_, k int) bool { return k == b })
		if err != nil {
			return 0, 0, err
		}
		if bin.n == 0 {
			continue
		}
		without := &totals{plan: s.plan, n: all.n - bin.n, sums: minus(all.sums, bin.sums),
			lgs: minus(all.lgs, bin.lgs)}
		if without.n < 2 {
			continue
		}
		if v, ok := without.profile(at, p.weight*2/float64(s.plan.M())).mode(u, h); ok {
			modes = append(modes, v)
		}
		v, dv, dlog := bin.about(all, at, u)
		// s = dlog gamma - (wm/2) (V'/V + (V_b' - V_b V'/V)/V), with V'/V the slope of log V.
		mean := math.Exp(total[0])
		scores = append(scores, dlog-p.weight*(slope[0]+(dv-v*slope[0])/mean))
		rows = append(rows, bin.n)
	}
	k := float64(len(scores))
	if k < leastBinned {
		return 0, 0, fmt.Errorf("summary: only %.0f bins have rows, want at least %d for the sampling error "+
			"of theta", k, leastBinned)
	}
	centre := 0.0
	for i, v := range scores {
		centre += v * rows[i] / all.n
	}
	for i, v := range scores {
		j += rows[i] * (v - centre) * (v - centre) / (k - 1)
	}
	if g := float64(len(modes)); g > 1 {
		mean := 0.0
		for _, v := range modes {
			mean += v / g
		}
		for _, v := range modes {
			sd += (v - mean) * (v - mean) * (g - 1) / g
		}
		sd = math.Sqrt(sd)
	}
	return j, sd, nil
}

func minus(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i, v := range a {
		out[i] = v - b[i]
	}
	return out
}

// about returns, at u in a window, the mean over the rows of a bin of the squared deviations from the
// means over all rows, its derivative, and the derivative of the mean of log gamma.
func (t *totals) about(all *totals, window int, u float64) (v, dv, dlog float64) {
	p := t.plan
	m, at, node := p.M(), 0, 0
	for _, w := range p.Windows[:window] {
		at += len(w.Nodes) * (m + 1)
		node += len(w.Nodes)
	}
	w := &p.Windows[window]
	var values [][]float64
	for _, k := range w.Nodes {
		spread := t.sums[at+m]
		for l := range m {
			d := all.sums[at+l] / all.n // the mean over all rows, less the shift
			spread += d * (t.n*d - 2*t.sums[at+l])
		}
		values = append(values, []float64{spread / t.n, t.lgs[node]/t.n - logThetas(p.Dim(), k.Theta)})
		at += m + 1
		node++
	}
	q := &profile{window: w, coef: coefficients(values)}
	value, slope := q.at(u)
	return value[0], slope[0], slope[1]
}
