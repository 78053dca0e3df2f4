package models

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func studentT3(x, location, scale float64) float64 {
	return distuv.StudentsT{Mu: location, Sigma: scale, Nu: 3}.LogProb(x)
}

// slowRegression writes a regression with flat priors out: v ends with sigma, and mean is that of
// observation i.
func slowRegression(f func() (Posterior, error), dim int, y []float64,
	mean func(v []float64, i int) float64) slow {
	return slow{
		model: f, dim: dim, unconstrain: logLast, inside: lastPositive, long: true,
		logDensity: func(v []float64) float64 {
			lp := 0.0
			for i := range y {
				lp += normal(y[i], mean(v, i), v[dim-1])
			}
			return lp
		},
	}
}

// with adds a log prior to the log density.
func (s slow) with(prior func(v []float64) float64) slow {
	f := s.logDensity
	s.logDensity = func(v []float64) float64 { return f(v) + prior(v) }
	return s
}

// logs is the inverse of the change of variables where all are positive.
func logs(v []float64) []float64 {
	x := make([]float64, len(v))
	for i := range v {
		x[i] = math.Log(v[i])
	}
	return x
}

func allPositive(v []float64) bool { return slices.Min(v) > 0 }

// twoStates is that of the hidden Markov models: two probabilities, then pairs in order.
func twoStates(v []float64) []float64 {
	x := []float64{logit(v[0]), logit(v[1])}
	for i := 2; i < len(v); i += 2 {
		x = append(x, math.Log(v[i]), math.Log(v[i+1]-v[i]))
	}
	return x
}

func slowRegressions(t *testing.T, all map[string]slow) {
	var kid kidData
	read(t, "kidscore", &kid)
	all["kidscore_momhsiq"] = slowRegression(KidScoreMomHSIQ, 4, kid.KidScore,
		func(v []float64, i int) float64 { return v[0] + v[1]*kid.MomHS[i] + v[2]*kid.MomIQ[i] },
	).with(func(v []float64) float64 { return cauchy(v[3], 2.5) })

	var work momWorkData
	read(t, "kidscore_mom_work", &work)
	all["kidscore_mom_work"] = slowRegression(KidScoreMomWork, 5, work.KidScore,
		func(v []float64, i int) float64 {
			return v[0] + []float64{0, v[1], v[2], v[3]}[int(work.MomWork[i])-1]
		})

	var nes nesData
	read(t, "nes", &nes)
	all["nes"] = slowRegression(NES, 10, nes.PartyID, func(v []float64, i int) float64 {
		age := []float64{0, v[3], v[4], v[5]}[int(nes.Age[i])-1]
		return v[0] + v[1]*nes.Ideo[i] + v[2]*nes.Race[i] + age + v[6]*nes.Educ[i] +
			v[7]*nes.Gender[i] + v[8]*nes.Income[i]
	})

	var d mesquiteData
	read(t, "mesquite", &d)
	all["mesquite"] = slowRegression(Mesquite, 8, d.Weight, func(v []float64, i int) float64 {
		return v[0] + v[1]*d.Diam1[i] + v[2]*d.Diam2[i] + v[3]*d.CanopyHeight[i] +
			v[4]*d.TotalHeight[i] + v[5]*d.Density[i] + v[6]*d.Group[i]
	})
	logWeight := make([]float64, len(d.Weight))
	for i, w := range d.Weight {
		logWeight[i] = math.Log(w)
	}
	all["logmesquite_logvash"] = slowRegression(LogVASh, 7, logWeight,
		func(v []float64, i int) float64 {
			a, b, h := math.Log(d.Diam1[i]), math.Log(d.Diam2[i]), math.Log(d.CanopyHeight[i])
			return v[0] + v[1]*(a+b+h) + v[2]*(a+b) + v[3]*(a-b) +
				v[4]*math.Log(d.TotalHeight[i]) + v[5]*d.Group[i]
		})

	var blr blrData
	read(t, "blr", &blr)
	all["blr"] = slowRegression(BLR, 6, blr.Y, func(v []float64, i int) float64 {
		x := blr.X[i]
		return v[0]*x[0] + v[1]*x[1] + v[2]*x[2] + v[3]*x[3] + v[4]*x[4]
	}).with(func(v []float64) float64 {
		lp := normal(v[5], 0, 10)
		for _, b := range v[:5] {
			lp += normal(b, 0, 10)
		}
		return lp
	})

	var k kilpisData
	read(t, "kilpisjarvi", &k)
	all["kilpisjarvi"] = slowRegression(Kilpisjarvi, 3, k.Y,
		func(v []float64, i int) float64 { return v[0] + v[1]*k.X[i] },
	).with(func(v []float64) float64 {
		return normal(v[0], 9.31290322580645, 100) + normal(v[1], 0, 0.0333333333333333)
	})
	all["diamonds"] = slowDiamonds(t)
}

// slowDiamonds visits all 5000 rows.
func slowDiamonds(t *testing.T) slow {
	var d diamondsData
	if err := decode("diamonds.json.gz", &d); err != nil {
		t.Fatal(err)
	}
	mean := make([]float64, 25)
	for _, row := range d.X {
		for k, x := range row {
			mean[k] += x / 5000
		}
	}
	return slowRegression(Diamonds, 26, d.Y, func(v []float64, i int) float64 {
		mu := v[24]
		for k := range 24 {
			mu += v[k] * (d.X[i][k+1] - mean[k+1])
		}
		return mu
	}).with(func(v []float64) float64 {
		lp := studentT3(v[24], 8, 10) + studentT3(v[25], 0, 10)
		for _, b := range v[:24] {
			lp += normal(b, 0, 1)
		}
		return lp
	})
}

func slowCounts(t *testing.T, all map[string]slow) {
	var p poissonData
	read(t, "glm_poisson", &p)
	all["GLM_Poisson_model"] = slow{
		model: GLMPoisson, dim: 4, long: true, start: []float64{4, 1, 0, 0},
		unconstrain: func(v []float64) []float64 {
			return []float64{logit(v[0]/40 + 0.5), logit(v[1]/20 + 0.5), logit(v[2]/20 + 0.5),
				logit(v[3]/20 + 0.5)}
		},
		inside: func(v []float64) bool {
			m := max(-v[1], v[1], -v[2], v[2], -v[3], v[3])
			return math.Abs(v[0]) < 20 && m < 10
		},
		logDensity: func(v []float64) float64 {
			lp := 0.0
			for i, x := range p.Year {
				rate := math.Exp(v[0] + v[1]*x + v[2]*x*x + v[3]*x*x*x)
				lp += distuv.Poisson{Lambda: rate}.LogProb(p.C[i])
			}
			return lp
		},
	}
	var dogs dogsData
	read(t, "dogs", &dogs)
	all["dogs"] = slow{model: Dogs, dim: 3, long: true, logDensity: func(v []float64) float64 {
		lp := normal(v[0], 0, 100) + normal(v[1], 0, 100) + normal(v[2], 0, 100)
		for _, dog := range dogs.Y {
			avoid, shock := 0.0, 0.0
			for _, y := range dog {
				eta := v[0] + v[1]*avoid + v[2]*shock
				if y == 1 {
					lp -= math.Log1p(math.Exp(-eta))
					shock++
				} else {
					lp -= math.Log1p(math.Exp(eta))
					avoid++
				}
			}
		}
		return lp
	}}
	var s surgicalData
	read(t, "surgical", &s)
	all["surgical_model"] = slow{model: Surgical, dim: 14, long: true, targetAccept: 0.95, divergences: 4,
		logDensity: func(v []float64) float64 {
			lp := normal(v[0], 0, 1000) +
				distuv.InverseGamma{Alpha: 0.001, Beta: 0.001}.LogProb(v[1])
			for i, b := range v[2:] {
				p := 1 / (1 + math.Exp(-b))
				lp += normal(b, v[0], math.Sqrt(v[1])) +
					distuv.Binomial{N: s.N[i], P: p}.LogProb(s.R[i])
			}
			return lp
		}}
}

func slowARMA(t *testing.T) slow {
	var d armaData
	read(t, "arma11", &d)
	return slow{
		model: ARMA, dim: 4, long: true, unconstrain: logLast, inside: lastPositive,
		start: []float64{0, 0.9, 0.1, 0.2},
		// The innovations are sums over the whole past.
		logDensity: func(v []float64) float64 {
			lp := normal(v[0], 0, 10) + normal(v[1], 0, 2) + normal(v[2], 0, 2) + cauchy(v[3], 2.5)
			for t := range d.Y {
				e := 0.0
				for s := range t + 1 {
					last := v[0]
					if s > 0 {
						last = d.Y[s-1]
					}
					e += math.Pow(-v[2], float64(t-s)) * (d.Y[s] - v[0] - v[1]*last)
				}
				lp += normal(e, 0, v[3])
			}
			return lp
		},
	}
}

// logForward is the log likelihood of a hidden Markov model of two states, by the forward recursion
// in logs; stay holds Theta[1,1] and Theta[2,1].
func logForward(n int, stay [2]float64, logf func(t, k int) float64) float64 {
	var g [2]float64
	for t := range n {
		next := [2]float64{logf(t, 0), logf(t, 1)}
		if t > 0 {
			next[0] += logAdd(g[0]+math.Log(stay[0]), g[1]+math.Log(stay[1]))
			next[1] += logAdd(g[0]+math.Log1p(-stay[0]), g[1]+math.Log1p(-stay[1]))
		}
		g = next
	}
	return logAdd(g[0], g[1])
}

func logAdd(a, b float64) float64 {
	return math.Max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b)))
}

func slowMarkov(t *testing.T, all map[string]slow) {
	var d hmmData
	read(t, "hmm_example", &d)
	all["hmm_example"] = slow{model: HMMExample, dim: 4, long: true, free: []int{0, 2, 4, 5},
		unconstrain: twoStates, inside: allPositive,
		logDensity: func(v []float64) float64 {
			return normal(v[2], 3, 1) + normal(v[3], 10, 1) + logForward(len(d.Y),
				[2]float64(v[:2]), func(t, k int) float64 { return normal(d.Y[t], v[2+k], 1) })
		}}
	var drive driveData
	read(t, "hmm_drive_0", &drive)
	all["hmm_drive_0"] = slow{model: HMMDrive, dim: 6, long: true, free: []int{0, 2, 4, 5, 6, 7},
		start:       []float64{0.98, 0.05, 1.8, 7, 0.03, 0.08},
		unconstrain: twoStates, inside: allPositive,
		logDensity: func(v []float64) float64 {
			lp := distuv.Beta{Alpha: 4, Beta: 2}.LogProb(v[0]) +
				distuv.Beta{Alpha: 2, Beta: 4}.LogProb(v[1])
			for k := range 2 {
				lp += normal(v[2+k], float64(3*k), 1) + normal(v[4+k], float64(3*k), 1)
			}
			return lp + logForward(len(drive.U), [2]float64(v[:2]), func(t, k int) float64 {
				return distuv.Exponential{Rate: v[2+k]}.LogProb(drive.U[t]) +
					distuv.Exponential{Rate: v[4+k]}.LogProb(drive.V[t])
			})
		}}
}

// rk4 takes n classical Runge-Kutta steps from a to b.
func rk4(y []float64, a, b float64, n int, f func(t float64, y []float64) []float64) []float64 {
	h := (b - a) / float64(n)
	move := func(y, k []float64, h float64) []float64 {
		out := append([]float64(nil), y...)
		for i := range out {
			out[i] += h * k[i]
		}
		return out
	}
	for i := range n {
		t := a + float64(i)*h
		k1 := f(t, y)
		k2 := f(t+h/2, move(y, k1, h/2))
		k3 := f(t+h/2, move(y, k2, h/2))
		k4 := f(t+h, move(y, k3, h))
		y = move(move(move(move(y, k1, h/6), k2, h/3), k3, h/3), k4, h/6)
	}
	return y
}

// slowEquations solves the differential equations, without logs or sensitivities, in many small
// steps.
func slowEquations(t *testing.T, all map[string]slow) {
	var l lotkaData
	read(t, "lotka_volterra", &l)
	all["lotka_volterra"] = slow{model: LotkaVolterra, dim: 8, long: true, relative: 1e-7,
		start:       []float64{0.55, 0.03, 0.8, 0.024, 34, 6, 0.25, 0.25},
		unconstrain: logs, inside: allPositive,
		logDensity: func(v []float64) float64 {
			lp := 0.0
			for i, p := range v[:4] {
				lp += normal(p, []float64{1, 0.05}[i%2], []float64{0.5, 0.05}[i%2])
			}
			z := []float64{v[4], v[5]}
			for year := range 21 {
				if year > 0 {
					z = rk4(z, 0, 1, 1000, func(_ float64, z []float64) []float64 {
						return []float64{(v[0] - v[1]*z[1]) * z[0], (v[3]*z[0] - v[2]) * z[1]}
					})
				}
				for k := range 2 {
					seen := l.YInit[k]
					if year == 0 {
						lp += distuv.LogNormal{Mu: math.Log(10), Sigma: 1}.LogProb(v[4+k]) +
							distuv.LogNormal{Mu: -1, Sigma: 1}.LogProb(v[6+k])
					} else {
						seen = l.Y[year-1][k]
					}
					lp += normal(math.Log(seen), math.Log(z[k]), v[6+k])
				}
			}
			return lp
		}}
	var o oneCompData
	read(t, "one_comp", &o)
	all["one_comp_mm_elim_abs"] = slow{model: OneComp, dim: 4, long: true, targetAccept: 0.99,
		divergences: 2, relative: 1e-7, unconstrain: logs,
		inside: func(v []float64) bool { return allPositive(v[:4]) }, // logs are derived
		logDensity: func(v []float64) float64 {
			lp, c, last := 0.0, []float64{0}, 0.0
			for _, p := range v {
				lp += cauchy(p, 1)
			}
			for n, now := range o.Times {
				c = rk4(c, last, now, 1000, func(t float64, c []float64) []float64 {
					return []float64{30*v[0]/2*math.Exp(-v[0]*t) - v[2]/2*c[0]/(v[1]+c[0])}
				})
				last = now
				lp += normal(math.Log(o.CHat[n]), math.Log(c[0]), v[3])
			}
			return lp
		}}
}

func slowAccel(t *testing.T) slow {
	var d accelData
	read(t, "accel_gp", &d)
	process := func(v []float64, x [][]float64, freq [][]float64, i int) float64 {
		f := v[0]
		for m, omega := range freq {
			w := v[1] * math.Pow(2*math.Pi, 0.25) * math.Sqrt(v[2]) *
				math.Exp(-math.Pow(v[2]*omega[0]/2, 2))
			f += x[i][m] * w * v[3+m]
		}
		return f
	}
	return slow{model: AccelGP, dim: 66, long: true, targetAccept: 0.99, draws: 2500,
		divergences: 40, rhat: 1.05,
		logDensity: func(v []float64) float64 {
			a, b := v[:43], v[43:]
			lp := studentT3(a[0], -13, 36) + studentT3(b[0], 0, 10)
			for _, g := range [][]float64{a, b} {
				lp += studentT3(g[1], 0, 36) +
					distuv.InverseGamma{Alpha: 1.124909, Beta: 0.0177}.LogProb(g[2])
				for _, z := range g[3:] {
					lp += normal(z, 0, 1)
				}
			}
			for i, y := range d.Y {
				lp += normal(y, process(a, d.X, d.Freq, i),
					math.Exp(process(b, d.XSigma, d.FreqSig, i)))
			}
			return lp
		}}
}
