package models

import (
	"math"

	"bayeskernel/examples/models/internal/byhand"
	"bayeskernel/priors"
)

type oneCompData struct {
	D, V  float64 // dose and volume
	Times []float64
	CHat  []float64 `json:"C_hat"`
}

// OneComp is a drug's concentration in one compartment, with first-order absorption and
// Michaelis-Menten elimination, at 20 times:
//
//	dC/dt = (D k_a / V) exp(-k_a t) - (V_m / V) C / (K_m + C),  C(0) = 0
//	C_hat[n] ~ lognormal(log C(times[n]), sigma)
//	k_a, K_m, V_m, sigma ~ half-Cauchy(0, 1)
//
// Along the ridge where V_m is proportional to K_m, elimination is linear and the likelihood tends
// to a constant: K_m and V_m have no variance. Their logs are recorded too, and have reference
// moments in their stead.
//
// C is solved together with q = dC/d log k_a, dC/d log K_m and dC/d log V_m. With
// e = (V_m / V) C / (K_m + C),
//
//	dq/dt = -(V_m / V) K_m / (K_m + C)^2 q + ( (D k_a / V) exp(-k_a t) (1 - k_a t),
//	                                           e K_m / (K_m + C), -e )
//
// With r = log C_hat[n] - log C, log p = sum_n -log sigma - r^2 / (2 sigma^2) and
//
//	d/d k_a   = sum_n r / sigma^2 q / (C k_a), likewise for K_m and V_m
//	d/d sigma = sum_n (r^2 / sigma^2 - 1) / sigma
func OneComp() (Posterior, error) {
	var data oneCompData
	ref, err := load("one_comp", &data)
	if err != nil {
		return Posterior{}, err
	}
	delete(ref, "K_m")
	delete(ref, "V_m")
	var m byhand.Model
	for _, name := range []string{"k_a", "K_m", "V_m", "sigma"} {
		m.Positive(name, priors.HalfCauchy{Scale: 1})
	}
	m.Quantity("log_K_m", func(v []float64) float64 { return math.Log(v[1]) })
	m.Quantity("log_V_m", func(v []float64) float64 { return math.Log(v[2]) })
	likelihood := func() byhand.LogLikelihood { return newOneComp(data).logLikelihood }
	return Posterior{"one_comp_mm_elim_abs", m.Factory(likelihood), ref}, nil
}

// Elimination solves the equation of OneComp, with sensitivities, for one chain.
type Elimination struct {
	dose, volume float64
	times        []float64
	ka, km, vm   float64
	solver       *rk45
	y            [4]float64 // C, then q
}

// NewElimination returns a solver for these times, which are positive and increase.
func NewElimination(dose, volume float64, times []float64) *Elimination {
	o := &Elimination{dose: dose, volume: volume, times: times}
	// The log of C is wanted, so the error must be small beside C, however small that becomes.
	size := func(y []float64) float64 { return math.Abs(y[0]) }
	o.solver = newRK45(len(o.y), 1e-8, size, o.rightHandSide)
	return o
}

func (o *Elimination) rightHandSide(t float64, y, dy []float64) {
	in := o.dose * o.ka / o.volume * math.Exp(-o.ka*t)
	share := 1 / (o.km + y[0])
	out := o.vm / o.volume * y[0] * share
	slope := o.vm / o.volume * o.km * share * share
	dy[0] = in - out
	dy[1] = in*(1-o.ka*t) - slope*y[1]
	dy[2] = out*o.km*share - slope*y[2]
	dy[3] = -out - slope*y[3]
}

// Solve calls at with C at each time, followed by its derivatives in the logs of v, which holds k_a,
// K_m and V_m. It reports false where the equation cannot be solved or C is not positive.
func (o *Elimination) Solve(v []float64, at func(n int, y []float64)) bool {
	o.ka, o.km, o.vm = v[0], v[1], v[2]
	clear(o.y[:])
	o.solver.start(0, o.y[:], 1e-3)
	for n, t := range o.times {
		if !o.solver.to(t, o.y[:]) || !(o.y[0] > 0) {
			return false
		}
		at(n, o.y[:])
	}
	return true
}

// oneComp is the likelihood for one chain.
type oneComp struct {
	*Elimination
	logSeen []float64
}

func newOneComp(data oneCompData) *oneComp {
	o := &oneComp{Elimination: NewElimination(data.D, data.V, data.Times)}
	for _, c := range data.CHat {
		o.logSeen = append(o.logSeen, math.Log(c))
	}
	return o
}

func (o *oneComp) logLikelihood(v, grad []float64) float64 {
	sigma, lp := v[3], 0.0
	solved := o.Solve(v, func(n int, y []float64) {
		r := (o.logSeen[n] - math.Log(y[0])) / sigma
		lp -= math.Log(sigma) + r*r/2
		grad[3] += (r*r - 1) / sigma
		for i, q := range y[1:] {
			grad[i] += r / sigma * q / (y[0] * v[i])
		}
	})
	if !solved || !finite(lp, grad...) {
		return math.Inf(-1)
	}
	return lp
}
