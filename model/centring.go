package model

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/engine"
	"bayeskernel/hmc"
	rules "bayeskernel/internal/centring"
)

// Values θ with location μ and scale σ, both of which may depend on parameters, can be sampled in any
// of the coordinates
//
//	u = κ μ + (θ - μ) / σ^(1-λ),   θ = μ + σ^(1-λ) (u - κ μ),   0 ≤ λ ≤ 1,
//
// with the Jacobian σ^(1-λ). λ = 1 with κ = 1 is the centred form u = θ, and λ = 0 with κ = 0 the form
// that is not centred. Normal θ of which the data say as much as one observation with sd s have, given
// μ and σ, the mean w y + (1-w) μ and the sd σ sqrt(1-w), with w = σ²/(σ²+s²). For σ near σ0, the u with
// λ = w at σ0 and κ = λ σ0^(λ-1) depend neither on μ nor, to first order, on σ.
//
// But with that κ the data and the prior of all values together fix μ given u, the more the smaller σ
// is, and trajectories may diverge there; with κ = 0, which leaves u correlated with μ, they do not.
//
// λ is a multiple of 1/16, so that one exponential gives all powers of a common σ.
const sixteenths = rules.Sixteenths

// ahead is the number of coordinates before the degrees of an effect.
const ahead = 2

// effect is a parameter whose centring is learned.
type effect struct {
	q        *parameter
	loc, sd  *engine.Node
	from, to int // its part of the coordinates: log σ0, whether κ is not 0, and λ for each value
}

// learnable reports whether the centring of a parameter can be learned: its distribution has a scale
// that depends on parameters, and nothing confines its values.
func (q *parameter) learnable() bool {
	u, ok := q.dist.(*engine.Univariate)
	return ok && !dependsOnLatents(q.dist) && !q.forced && q.dist == q.prior && !q.ordered && u.Cut == nil && u.Family.Location >= 0 &&
		u.Family.Scale >= 0 && !u.Args[u.Family.Scale].Fixed && math.IsInf(q.lo, -1) && math.IsInf(q.hi, 1)
}

// learned lists the effects of a program.
func (p *Program) learned() {
	for _, q := range p.m.parameters {
		if !q.learnable() {
			continue
		}
		u := q.dist.(*engine.Univariate)
		e := &effect{q: q, loc: u.Args[u.Family.Location], sd: u.Args[u.Family.Scale], from: p.coordinates}
		e.to = e.from + ahead + q.node.N
		p.coordinates = e.to
		p.effects = append(p.effects, e)
	}
}

// centring is a system of coordinates, ready for use.
type centring struct {
	c     []float64 // as hmc sees it
	power []uint8   // 16 (1-λ) for each value of each effect, at the places of c
	kappa []float64
	none  bool // λ = 0 for all values
}

// newCentring returns the coordinates c; nil is λ = 1 throughout.
func (p *Program) newCentring(c []float64) (*centring, error) {
	out := &centring{c: slices.Clone(c), power: make([]uint8, p.coordinates),
		kappa: make([]float64, p.coordinates), none: c != nil}
	if c != nil && len(c) != p.coordinates {
		return nil, fmt.Errorf("model: %d numbers describe coordinates, want %d", len(c), p.coordinates)
	}
	for _, e := range p.effects {
		for i := e.from + ahead; i < e.to; i++ {
			out.kappa[i] = 1
			if c == nil {
				continue
			}
			k := math.Round(sixteenths * c[i])
			if !(k >= 0 && k <= sixteenths) {
				return nil, fmt.Errorf("model: the degree of centring of %s is %v, want 0 to 1", e.q.name, c[i])
			}
			out.power[i] = uint8(sixteenths - k)
			out.none = out.none && k == 0
			if k < sixteenths {
				lambda := k / sixteenths
				out.kappa[i] = c[e.from+1] * lambda * math.Exp((lambda-1)*c[e.from])
			}
		}
	}
	return out, nil
}

// mover computes locations and scales of effects, and carries positions and gradients between
// coordinates. It belongs to one chain.
type mover struct {
	p     *Program
	e     *engine.Evaluator
	hyper []*parameter // those that locations and scales depend on
	x     []float64    // in the coordinates declared
	back  [2][]float64
	pow   [sixteenths + 1]float64
	loops []int     // steps of the evaluator up to the location and scale of each effect
	scale []float64 // σ^(1-λ) at the places of coordinates
	zero  []float64
	prior []engine.Root // densities of the effects
}

func (p *Program) mover() *mover {
	v := &mover{p: p, x: make([]float64, p.free), scale: make([]float64, p.coordinates)}
	var wanted []*engine.Node
	for _, e := range p.effects {
		wanted = append(wanted, e.q.dist.Arguments()...)
	}
	v.e = p.evaluator(engine.Evaluation{Wanted: wanted, Gradient: true})
	at, widest := 0, 0
	for _, e := range p.effects {
		at += len(e.q.dist.Arguments())
		v.loops = append(v.loops, v.e.Marks[at-1])
		v.prior = append(v.prior, e.q.dist.Bind(&v.e.Memory, e.q.node))
	}
	needed := map[*engine.Node]bool{}
	engine.Mark(needed, wanted...)
	for _, q := range p.m.parameters {
		widest = max(widest, q.free, q.node.N)
		if needed[q.node] {
			v.hyper = append(v.hyper, q)
		}
	}
	for k := range v.back {
		v.back[k] = make([]float64, widest)
	}
	v.zero = make([]float64, widest)
	return v
}

// declared sets v.x to the position with coordinates u in c, and returns the log of the Jacobian. It
// returns -Inf where there is no such position.
func (v *mover) declared(c *centring, u []float64) float64 {
	p, e := v.p, v.e
	copy(v.x, u)
	p.transform(&e.Memory, v.x)
	logJ, step := 0.0, 0
	for k, f := range p.effects {
		for ; step < v.loops[k]; step++ {
			e.Steps[step].Forward()
		}
		q, loc, sd := f.q, e.Value[f.loc.ID], e.Value[f.sd.ID]
		theta := e.Value[q.node.ID]
		if len(sd) == 1 {
			v.powers(sd[0])
			logSD := math.Log(sd[0])
			total := 0
			for i := range theta {
				k := c.power[f.from+ahead+i]
				v.scale[f.from+ahead+i] = v.pow[k]
				total += int(k)
			}
			if total > 0 {
				logJ += float64(total) / sixteenths * logSD
			}
		} else {
			for i, s := range sd {
				k, r := c.power[f.from+ahead+i], 1.0
				switch {
				case k == sixteenths:
					r = s
				case k > 0:
					r = math.Exp(float64(k) / sixteenths * math.Log(s))
				}
				v.scale[f.from+ahead+i] = r
				if k > 0 {
					logJ += float64(k) / sixteenths * math.Log(s)
				}
			}
		}
		for i := range theta {
			if at := f.from + ahead + i; c.power[at] > 0 {
				mu := loc[i%len(loc)]
				theta[i] = mu + v.scale[at]*(u[q.x+i]-c.kappa[at]*mu)
			}
		}
		copy(v.x[q.x:q.x+q.free], theta)
	}
	if math.IsNaN(logJ) || math.IsInf(logJ, 0) {
		return math.Inf(-1)
	}
	return logJ
}

// powers sets v.pow[k] to s^(k/16).
func (v *mover) powers(s float64) {
	v.pow[0] = 1
	r := math.Exp(math.Log(s) / sixteenths)
	for k := 1; k < sixteenths; k++ {
		v.pow[k] = v.pow[k-1] * r
	}
	v.pow[sixteenths] = s
}

// coordinates sets v.x to the coordinates in c of the declared position x.
func (v *mover) coordinates(c *centring, x []float64) {
	p, e := v.p, v.e
	p.transform(&e.Memory, x)
	e.Forward()
	copy(v.x, x)
	for _, f := range p.effects {
		q, loc, sd := f.q, e.Value[f.loc.ID], e.Value[f.sd.ID]
		for i := range q.node.N {
			at := f.from + ahead + i
			k := c.power[at]
			if v.scale[at] = 1; k == 0 {
				continue
			}
			mu, s := loc[i%len(loc)], sd[i%len(sd)]
			if v.scale[at] = s; k < sixteenths {
				v.scale[at] = math.Exp(float64(k) / sixteenths * math.Log(s))
			}
			v.x[q.x+i] = c.kappa[at]*mu + (x[q.x+i]-mu)/v.scale[at]
		}
	}
}

// pull turns grad from the declared coordinates into those of c, or back, after declared or
// coordinates have visited the position. What locations and scales depend on has the same coordinates in
// all systems, unless it is an effect itself. With g the gradient in θ, that in u is σ^(1-λ) g, and μ and
// σ gain (1 - κ σ^(1-λ)) g and (1-λ) ((θ-μ) g + 1)/σ.
func (v *mover) pull(c *centring, grad []float64, back bool) {
	p, e := v.p, v.e
	clear(e.Adjoints)
	step := 0
	if n := len(p.effects); n > 0 {
		step = v.loops[n-1]
	}
	for k := len(p.effects) - 1; k >= 0; k-- {
		f := p.effects[k]
		for ; step > v.loops[k]; step-- {
			e.Steps[step-1].Backward()
		}
		q, loc, sd := f.q, e.Value[f.loc.ID], e.Value[f.sd.ID]
		dLoc, dSD := e.Adjoint[f.loc.ID], e.Adjoint[f.sd.ID]
		theta, later := e.Value[q.node.ID], e.Adjoint[q.node.ID]
		for i := range theta {
			at := f.from + ahead + i
			var g float64
			if back {
				g = grad[q.x+i] / v.scale[at]
				grad[q.x+i] = g - later[i]
			} else {
				g = grad[q.x+i] + later[i]
				grad[q.x+i] = v.scale[at] * g
			}
			if c.power[at] == 0 {
				continue
			}
			if dLoc != nil {
				dLoc[i%len(loc)] += (1 - c.kappa[at]*v.scale[at]) * g
			}
			if dSD != nil {
				one := float64(c.power[at]) / sixteenths
				dSD[i%len(sd)] += one * ((theta[i]-loc[i%len(loc)])*g + 1) / sd[i%len(sd)]
			}
		}
	}
	for ; step > 0; step-- {
		e.Steps[step-1].Backward()
	}
	sign := 1.0
	if back {
		sign = -1
	}
	for _, q := range v.hyper {
		if v.p.effectOf(q) {
			continue // done
		}
		x := v.x[q.x : q.x+q.free]
		with, without := v.back[0][:q.free], v.back[1][:q.free]
		q.transform.PullBack(with, x, e.Value[q.node.ID], e.Adjoint[q.node.ID])
		q.transform.PullBack(without, x, e.Value[q.node.ID], v.zero[:q.node.N])
		for i := range x {
			grad[q.x+i] += sign * (with[i] - without[i])
		}
	}
}

func (p *Program) effectOf(q *parameter) bool {
	return slices.ContainsFunc(p.effects, func(e *effect) bool { return e.q == q })
}

var _ hmc.Reparametrizer = (*target)(nil)

// SetCoordinates sets the degree to which each parameter is centred; nil samples all as declared.
func (t *target) SetCoordinates(c []float64) error {
	if c == nil {
		t.centring, t.not = nil, nil
		return nil
	}
	now, err := t.p.newCentring(c)
	if err != nil {
		return err
	}
	if t.centring, t.not = now, nil; now.none {
		not, err := t.p.not()
		if err != nil {
			return err
		}
		t.not = not.target(not.density.Terms)
	}
	if t.mover == nil {
		t.mover = t.p.mover()
	}
	return nil
}

// partly is LogDensity in coordinates between centred and not.
func (t *target) partly(x, grad []float64) float64 {
	v := t.mover
	logJ := v.declared(t.centring, x)
	if math.IsInf(logJ, -1) {
		return worst(x)
	}
	lp := t.asDeclared(v.x, grad)
	if math.IsInf(lp, -1) || math.IsNaN(lp) {
		return lp
	}
	v.pull(t.centring, grad, false)
	return lp + logJ
}

// own returns the position in the coordinates declared, in memory that the next call uses.
func (t *target) own(x []float64) []float64 {
	if t.centring == nil {
		return x
	}
	t.mover.declared(t.centring, x)
	return t.mover.x
}

// Carry maps a position and its gradient from some coordinates to others.
func (t *target) Carry(from, to, x, grad []float64) {
	if t.mover == nil {
		t.mover = t.p.mover()
	}
	v := t.mover
	if from != nil {
		c, err := t.p.newCentring(from)
		if err != nil {
			panic(err)
		}
		v.declared(c, x)
		if copy(x, v.x); grad != nil {
			v.pull(c, grad, true)
		}
	}
	if to != nil {
		c, err := t.p.newCentring(to)
		if err != nil {
			panic(err)
		}
		v.coordinates(c, x)
		if copy(x, v.x); grad != nil {
			v.pull(c, grad, false)
		}
	}
}
