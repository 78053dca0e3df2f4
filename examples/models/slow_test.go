package models

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// slow holds what the tests know of a model apart from its code: the log density of parameters and
// data written out with gonum's distributions, and the inverse of the change of variables.
type slow struct {
	model func() (Posterior, error)
	dim   int // parameters sampled; they are recorded first

	logDensity   func(v []float64) float64 // without the Jacobian, up to a constant
	unconstrain  func(v []float64) []float64
	inside       func(v []float64) bool
	targetAccept float64
	draws        int       // of each chain; 1000 if 0
	divergences  int       // allowed
	start        []float64 // for the chains; nil for anywhere
	rhat         float64   // the largest allowed; 1.01 if 0
	long         bool      // its moments are a long test
	free         []int     // the values that are coordinates; nil for the first dim of them
	relative     float64   // error of the log density, where a solver makes one
}

func normal(x, mean, sd float64) float64 { return distuv.Normal{Mu: mean, Sigma: sd}.LogProb(x) }

func cauchy(x, scale float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: scale, Nu: 1}.LogProb(x)
}

func logit(p float64) float64 { return math.Log(p) - math.Log1p(-p) }

// logLast replaces the last value by its log.
func logLast(v []float64) []float64 {
	x := append([]float64(nil), v...)
	x[len(x)-1] = math.Log(x[len(x)-1])
	return x
}

func lastPositive(v []float64) bool { return v[len(v)-1] > 0 }

func read(t *testing.T, file string, data any) {
	t.Helper()
	if _, err := load(file, data); err != nil {
		t.Fatal(err)
	}
}

func slowModels(t *testing.T) map[string]slow {
	var kid kidData
	read(t, "kidscore", &kid)
	var bush mesquiteData
	read(t, "mesquite", &bush)
	all := map[string]slow{
		"eight_schools_noncentered": slowSchools(t, false),
		"eight_schools_centered":    slowSchools(t, true),
		"arK":                       slowARK(t),
		"kidscore_interaction": {
			model: KidScore, dim: 5, unconstrain: logLast, inside: lastPositive,
			logDensity: func(v []float64) float64 {
				lp := cauchy(v[4], 2.5)
				for i, y := range kid.KidScore {
					mean := v[0] + v[1]*kid.MomHS[i] + v[2]*kid.MomIQ[i] +
						v[3]*kid.MomHS[i]*kid.MomIQ[i]
					lp += normal(y, mean, v[4])
				}
				return lp
			},
		},
		"logmesquite": {
			model: LogMesquite, dim: 8, unconstrain: logLast, inside: lastPositive,
			logDensity: func(v []float64) float64 {
				lp := 0.0
				for i, w := range bush.Weight {
					mean := v[0] + v[1]*math.Log(bush.Diam1[i]) + v[2]*math.Log(bush.Diam2[i]) +
						v[3]*math.Log(bush.CanopyHeight[i]) + v[4]*math.Log(bush.TotalHeight[i]) +
						v[5]*math.Log(bush.Density[i]) + v[6]*bush.Group[i]
					lp += normal(math.Log(w), mean, v[7])
				}
				return lp
			},
		},
		"garch11":           slowGARCH(t),
		"low_dim_gauss_mix": slowMix(t),
	}
	slowRegressions(t, all)
	slowCounts(t, all)
	slowMarkov(t, all)
	slowEquations(t, all)
	all["arma11"] = slowARMA(t)
	all["accel_gp"] = slowAccel(t)
	return all
}

func slowSchools(t *testing.T, centred bool) slow {
	var d schools
	read(t, "eight_schools", &d)
	s := slow{
		model: EightSchools, dim: 10, unconstrain: logLast, targetAccept: 0.95, divergences: 4,
		inside: func(v []float64) bool {
			for j := range 8 { // theta is derived
				if math.Abs(v[10+j]-(v[8]+v[9]*v[j])) > 1e-12*(1+math.Abs(v[10+j])) {
					return false
				}
			}
			return v[9] > 0
		},
	}
	if centred {
		s.model = EightSchoolsCentered
		s.inside = lastPositive
	}
	s.logDensity = func(v []float64) float64 {
		lp := normal(v[8], 0, 5) + cauchy(v[9], 5)
		for j, y := range d.Y {
			if centred {
				lp += normal(v[j], v[8], v[9]) + normal(y, v[j], d.Sigma[j])
			} else {
				lp += normal(v[j], 0, 1) + normal(y, v[8]+v[9]*v[j], d.Sigma[j])
			}
		}
		return lp
	}
	return s
}

func slowARK(t *testing.T) slow {
	var d arkData
	read(t, "ark", &d)
	return slow{
		model: ARK, dim: 7, unconstrain: logLast, inside: lastPositive,
		logDensity: func(v []float64) float64 {
			lp := cauchy(v[6], 2.5)
			for _, b := range v[:6] {
				lp += normal(b, 0, 10)
			}
			for i := 5; i < 200; i++ {
				y := d.Y[i-5 : i+1]
				lp += normal(y[5], v[0]+v[1]*y[4]+v[2]*y[3]+v[3]*y[2]+v[4]*y[1]+v[5]*y[0], v[6])
			}
			return lp
		},
	}
}

// slowGARCH solves the recursion of the variances: they are sums over the whole past.
func slowGARCH(t *testing.T) slow {
	var d garchData
	read(t, "garch", &d)
	return slow{
		model: GARCH, dim: 4,
		inside: func(v []float64) bool {
			return v[1] > 0 && v[2] > 0 && v[3] > 0 && v[2]+v[3] < 1
		},
		unconstrain: func(v []float64) []float64 {
			return []float64{v[0], math.Log(v[1]), logit(v[2]), logit(v[3] / (1 - v[2]))}
		},
		logDensity: func(v []float64) float64 {
			lp := 0.0
			for i, y := range d.Y {
				h := d.Sigma1 * d.Sigma1 * math.Pow(v[3], float64(i))
				for j := range i {
					e := d.Y[j] - v[0]
					h += (v[1] + v[2]*e*e) * math.Pow(v[3], float64(i-1-j))
				}
				lp += normal(y, v[0], math.Sqrt(h))
			}
			return lp
		},
	}
}

func slowMix(t *testing.T) slow {
	var d mixData
	read(t, "gauss_mix", &d)
	return slow{
		model: GaussMix, dim: 5, start: []float64{-1, 1, 1, 1, 0.5},
		inside: func(v []float64) bool {
			return v[0] < v[1] && v[2] > 0 && v[3] > 0 && v[4] > 0 && v[4] < 1
		},
		unconstrain: func(v []float64) []float64 {
			return []float64{v[0], math.Log(v[1] - v[0]), math.Log(v[2]), math.Log(v[3]), logit(v[4])}
		},
		logDensity: func(v []float64) float64 {
			lp := distuv.Beta{Alpha: 5, Beta: 5}.LogProb(v[4])
			for k := range 2 {
				lp += normal(v[k], 0, 2) + normal(v[2+k], 0, 2)
			}
			for _, y := range d.Y {
				lp += math.Log(v[4]*math.Exp(normal(y, v[0], v[2])) +
					(1-v[4])*math.Exp(normal(y, v[1], v[3])))
			}
			return lp
		},
	}
}
