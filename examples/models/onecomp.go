package models

import (
	"math"

	"bayeskernel/model/byhand"
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

// oneComp solves the equation for one chain.
type oneComp struct {
	data       oneCompData
	logSeen    []float64
	ka, km, vm float64
	solver     *rk45
	y          [4]float64 // C, then q
}

func newOneComp(data oneCompData) *oneComp {
	o := &oneComp{data: data}
	for _, c := range data.CHat {
		o.logSeen = append(o.logSeen, math.Log(c))
	}
	// The log of C is wanted, so the error must be small beside C, however small that becomes.
	size := func(y []float64) float64 { return math.Abs(y[0]) }
	o.solver = newRK45(len(o.y), 1e-8, size, o.rightHandSide)
	return o
}

func (o *oneComp) rightHandSide(t float64, y, dy []float64) {
	in := o.data.D * o.ka / o.data.V * math.Exp(-o.ka*t)
	share := 1 / (o.km + y[0])
	out := o.vm / o.data.V * y[0] * share
	slope := o.vm / o.data.V * o.km * share * share
	dy[0] = in - out
	dy[1] = in*(1-o.ka*t) - slope*y[1]
	dy[2] = out*o.km*share - slope*y[2]
	dy[3] = -out - slope*y[3]
}

// logLikelihood is -Inf where the equation cannot be solved or its solution is not positive.
func (o *oneComp) logLikelihood(v, grad []float64) float64 {
	o.ka, o.km, o.vm = v[0], v[1], v[2]
	sigma := v[3]
	clear(o.y[:])
	o.solver.start(0, o.y[:], 1e-3)
	lp := 0.0
	for n, t := range o.data.Times {
		if !o.solver.to(t, o.y[:]) || !(o.y[0] > 0) {
			return math.Inf(-1)
		}
		r := (o.logSeen[n] - math.Log(o.y[0])) / sigma
		lp -= math.Log(sigma) + r*r/2
		grad[3] += (r*r - 1) / sigma
		for i, q := range o.y[1:] {
			grad[i] += r / sigma * q / (o.y[0] * v[i])
		}
	}
	if !finite(lp, grad...) {
		return math.Inf(-1)
	}
	return lp
}
