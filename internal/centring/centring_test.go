package centring

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// schools are values x[2:] with location x[0] and scale exp(x[1]), times 1, 2, … for each.
type schools struct{ n int }

var last float64 // log scale of the last Locate

func (s schools) Coordinates() []int {
	out := make([]int, s.n)
	for i := range out {
		out[i] = 2 + i
	}
	return out
}

func (s schools) Groups() []int  { return make([]int, s.n) }
func (s schools) Depends() []int { return []int{0, 1} }
func (s schools) Locate(x, loc, sd []float64) {
	for i := range loc {
		loc[i], sd[i] = x[0]*float64(i+1), math.Exp(x[1])
	}
	last = x[1]
}

func (s schools) PullBack(grad, dloc, dsd []float64) {
	for i := range dloc {
		grad[0] += float64(i+1) * dloc[i]
		grad[1] += math.Exp(last) * dsd[i]
	}
}
func (s schools) Slope(_ int, theta, loc, sd float64) float64 { return -(theta - loc) / (sd * sd) }

// density has the effects' prior and a likelihood that says much about some values.
func (s schools) density(x, grad []float64) float64 {
	clear(grad)
	sd := math.Exp(x[1])
	lp := -x[0]*x[0]/2 - x[1]*x[1]/2
	grad[0], grad[1] = -x[0], -x[1]
	for i := range s.n {
		k := float64(i + 1)
		d := (x[2+i] - x[0]*k) / sd
		lp += -d*d/2 - x[1]
		grad[2+i] -= d / sd
		grad[0] += k * d / sd
		grad[1] += d*d - 1
		w := k * k // information
		lp -= w * (x[2+i] - 1) * (x[2+i] - 1) / 2
		grad[2+i] -= w * (x[2+i] - 1)
	}
	return lp
}

// Gradients in other coordinates are those of the density there, and what is carried there and back is what it
// was.
func TestCoordinates(t *testing.T) {
	s := schools{4}
	m := New(s, 6)
	r := rand.New(rand.NewPCG(1, 2))
	at := func(u, grad []float64) float64 {
		x, logJ := m.Declared(u)
		lp := s.density(x, grad) + logJ
		m.Pull(grad)
		return lp
	}
	for _, c := range [][]float64{nil, {0, 0, 0, 0}, {1, 1, 1, 1}, {0, 0.25, 0.5, 1}} {
		if err := m.Set(c); err != nil {
			t.Fatal(err)
		}
		u, grad, other := make([]float64, 6), make([]float64, 6), make([]float64, 6)
		for i := range u {
			u[i] = r.NormFloat64()
		}
		at(u, grad)
		for i := range u {
			const h = 1e-5
			v := slices.Clone(u)
			v[i] = u[i] + h
			up := at(v, other)
			v[i] = u[i] - h
			if want := (up - at(v, other)) / (2 * h); math.Abs(grad[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%v: derivative %d is %v, by differences %v", c, i, grad[i], want)
			}
		}
		x, g := slices.Clone(u), slices.Clone(grad)
		m.Carry(c, []float64{0.5, 0, 1, 0.75}, x, g)
		m.Carry([]float64{0.5, 0, 1, 0.75}, nil, x, g)
		own := make([]float64, 6)
		back, _ := m.Declared(u)
		back = slices.Clone(back)
		s.density(back, own)
		for i := range g {
			if math.Abs(g[i]-own[i]) > 1e-9*(1+math.Abs(own[i])) || math.Abs(x[i]-back[i]) > 1e-12*(1+math.Abs(x[i])) {
				t.Errorf("%v: coordinate %d carried is %v with slope %v, want %v and %v", c, i, x[i], g[i], back[i], own[i])
			}
		}
	}
	if m.Set([]float64{2, 0, 0, 0}) == nil || m.Set([]float64{0}) == nil {
		t.Error("wrong coordinates, no error")
	}
}

// Values that the data say nothing about are learned not to be centred, and values that they fix are centred.
func TestLearn(t *testing.T) {
	for _, information := range []float64{1e-4, 1e6} {
		s := schools{6}
		m := New(s, 8)
		r := rand.New(rand.NewPCG(3, 4))
		var xs, gs [][]float64
		for range 400 {
			x, g := make([]float64, 8), make([]float64, 8)
			x[0], x[1] = r.NormFloat64(), 0.5*r.NormFloat64()
			if information > 1 {
				x[0], x[1] = 0.3*r.NormFloat64(), 0.2*r.NormFloat64()
			}
			for i := range 6 {
				sd, mu := math.Exp(x[1]), x[0]*float64(i+1)
				p := 1/(sd*sd) + information
				x[2+i] = (mu/(sd*sd)+information)/p + r.NormFloat64()/math.Sqrt(p)
				d := (x[2+i] - mu) / sd
				g[2+i] = -d/sd - information*(x[2+i]-1)
				g[0] += float64(i+1) * d / sd
				g[1] += d*d - 1
			}
			g[0] -= x[0]
			g[1] -= x[1] * 4
			xs, gs = append(xs, x), append(gs, g)
		}
		c := m.Learn(xs, gs)
		for i, l := range c {
			if information < 1 && l != 0 || information > 1 && l < 0.7 {
				t.Errorf("information %v: value %d is centred by %v", information, i, l)
			}
		}
	}
}
