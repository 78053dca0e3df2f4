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

// Hardly a draw comes below where what the values say ends the depth: by quadrature, for a flat prior on the scale of
// values that the data know to within 1.
func TestDepth(t *testing.T) {
	for _, c := range []struct {
		j  int
		s0 float64 // of the values
	}{{3, 20}, {6, 3}, {6, 30}, {8, 2}, {30, 0.7}, {200, 0.4}, {8, 0.2}} {
		// The log density of log σ with the values integrated out, their squares being what is expected.
		density := func(l float64) float64 {
			v := 1 + math.Exp(2*l)
			return -float64(c.j)/2*(math.Log(v)+(1+c.s0*c.s0)/v) + l
		}
		const step = 1e-3
		var mass, mean, square float64
		top := density(math.Log(c.s0))
		for l := math.Log(c.s0) - 20; l < math.Log(c.s0)+20; l += step {
			w := math.Exp(density(l) - top)
			mass, mean, square = mass+w, mean+w*l, square+w*l*l
		}
		mean /= mass
		sd := math.Sqrt(square/mass - mean*mean)
		known := make([]float64, c.j)
		for i := range known {
			known[i] = math.Exp(2 * mean)
		}
		q, below := Depth(known, sd), 0.0
		for l := math.Log(c.s0) - 20; l < mean-q; l += step {
			below += math.Exp(density(l)-top) / mass
		}
		if bounded := q < SDs*sd; bounded != (c.s0 > 2) || bounded && !(below < 1e-3) || q > SDs*sd {
			t.Errorf("%d values, scale %v: %.2g of the draws are more than %.3g below, sd %.3g", c.j, c.s0, below, q, sd)
		}
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
