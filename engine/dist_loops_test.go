package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/density"
)

// draws of parameters in their domains.
func parameterOf(r *rand.Rand, f *density.Family, k int) float64 {
	switch d := f.Params[k].Domain; {
	case f.Name == "uniform":
		return float64(20*k-10) + r.Float64()
	case f.Name == "pareto" && k == 0:
		return 0.001 + 0.001*r.Float64()
	case f.Name == "pareto_type_2" && k == 0:
		return -r.Float64()
	case d == density.Positive || d == density.NonNegative:
		return math.Exp(0.7 * r.NormFloat64())
	case d == density.Unit:
		return 0.05 + 0.9*r.Float64()
	case d == density.Count:
		return float64(5 + r.IntN(20))
	}
	return r.NormFloat64()
}

// Every family, with each argument a number, a number that is data, by rows, or rows that are data, and
// values that are data or not: the term and its derivatives are those of the single values, added up, to
// 1e-11 of the sum of their sizes.
func TestLoops(t *testing.T) {
	const n = 520 // more than a block
	r := rand.New(rand.NewPCG(5, 6))
	for _, f := range density.All() {
		if f.Name == "flat" {
			continue
		}
		kinds := 1
		for range f.Params {
			kinds *= 4
		}
		for code := range 2 * kinds {
			fixedY := code%2 == 0 || f.Discrete
			if code%2 == 1 && f.Discrete {
				continue
			}
			checkLoop(t, r, f, n, code/2, fixedY)
		}
	}
}

func checkLoop(t *testing.T, r *rand.Rand, f *density.Family, n, code int, fixedY bool) {
	c := &Memory{}
	node := func(scalar, fixed bool, v []float64) *Node {
		out := &Node{ID: len(c.Value), N: len(v), Scalar: scalar, Fixed: fixed, Value: v}
		c.Value = append(c.Value, v)
		if fixed {
			c.Adjoint = append(c.Adjoint, nil)
		} else {
			c.Adjoint = append(c.Adjoint, make([]float64, len(v)))
		}
		return out
	}
	u := &Univariate{Family: f}
	name := f.Name
	for k := range f.Params {
		kind := code >> (2 * k) & 3
		scalar, fixed := kind < 2, kind%2 == 1 || f.Params[k].Domain == density.Count
		v := make([]float64, n)
		if scalar {
			v = v[:1]
		}
		for i := range v {
			v[i] = parameterOf(r, f, k)
		}
		u.Args = append(u.Args, node(scalar, fixed, v))
		name += fmt.Sprintf(" %s%s", map[bool]string{true: "number", false: "rows"}[scalar],
			map[bool]string{true: ", data;", false: ";"}[fixed])
	}
	y := make([]float64, n)
	var p density.Params
	for i := range y {
		for k, a := range u.Args {
			p[k] = a.Value[i%a.N]
		}
		y[i] = f.Rand(r, &p)
		if f.Name == "uniform" {
			y[i] = 8*r.Float64() - 4
		}
		if f.Name == "beta" || f.Name == "beta_proportion" { // small shapes draw 0 and 1
			y[i] = min(max(y[i], 0.001), 0.999)
		}
	}
	yn := node(false, fixedY, y)

	term := u.Bind(c, yn)
	got := term.Add()
	want, size := 0.0, 0.0
	dy := make([]float64, n)
	da, sa := make([][]float64, len(u.Args)), make([][]float64, len(u.Args))
	for k, a := range u.Args {
		da[k], sa[k] = make([]float64, a.N), make([]float64, a.N)
	}
	var g, work density.Grad
	for i, v := range y {
		for k, a := range u.Args {
			p[k] = a.Value[i%a.N]
		}
		l := f.LogDensity(v, &p, &g, &work)
		want += l
		size += math.Abs(l)
		dy[i] = g[0]
		for k, a := range u.Args {
			da[k][i%a.N] += g[k+1]
			sa[k][i%a.N] += math.Abs(g[k+1])
		}
	}
	if !(math.Abs(got-want) <= 1e-11*(1+size)) {
		t.Fatalf("%s: the term is %v, want %v", name, got, want)
	}
	if !fixedY {
		for i, d := range c.Adjoint[yn.ID] {
			if !(math.Abs(d-dy[i]) <= 1e-10*(1+math.Abs(dy[i]))) {
				t.Fatalf("%s: the derivative in value %d, %v, is %v, want %v", name, i, y[i], d, dy[i])
			}
		}
	}
	for k, a := range u.Args {
		if a.Fixed {
			continue
		}
		for i, d := range c.Adjoint[a.ID] {
			if !(math.Abs(d-da[k][i]) <= 1e-10*(1+sa[k][i])) {
				t.Fatalf("%s: the derivative in %s %d is %v, want %v", name, f.Params[k].Name, i, d, da[k][i])
			}
		}
	}
}
