package engine

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/density"
)

// The derivatives of each operation are those of differences of its values, five points each.
func TestOperationsOfRecordings(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	random := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = 0.3 + r.Float64()
		}
		return out
	}
	square := random(9)
	for i := range 3 {
		square[i*4] += 3
	}
	normal := FamilyPart{Family: density.Normal(), Tail: Whole}
	for _, c := range []struct {
		name string
		op   Operation
		n    int
		in   [][]float64
	}{
		{"pick", PickEach{[]int32{0, 1, 0, 0}, []int32{2, 0, 1, 1}}, 4, [][]float64{random(3), random(1)}},
		{"sums of rows", RowSum{}, 4, [][]float64{random(4), random(1), random(4)}},
		{"products of rows", RowDot{}, 4, [][]float64{random(4), random(1), random(1), random(4)}},
		{"log sum exp of rows", RowLogSumExp{}, 4, [][]float64{random(4), random(1), random(4)}},
		{"each", Each{Function1{"cosh", math.Cosh, func(x, _ float64) float64 { return math.Sinh(x) }}}, 3, [][]float64{random(3)}},
		{"each of two", Each2{Function2{"hypot", math.Hypot, func(x, y, v float64) (float64, float64) { return x / v, y / v }}}, 3,
			[][]float64{random(3), random(1)}},
		{"log densities", LogDensities{normal}, 3, [][]float64{random(3), random(3), random(1)}},
		{"log densities, two vectors", LogDensities{normal}, 3, [][]float64{random(3), random(1), random(3)}},
		{"solve", SolveLU{3, 2}, 6, [][]float64{square, random(6)}},
		{"log determinant", LogDet{3}, 1, [][]float64{square}},
		{"eigen", EigenSym{3}, 12, [][]float64{{4, .5, .2, .5, 2, .3, .2, .3, 1}}},
		{"segment", &Segment{Scalars: Scalars{Inputs: 2, Lists: []int32{1, 2, 4, 3}, Code: []Instruction{{}, {}, {}, {},
			{Code: MulBy, A: 1, B: 2}, {Code: LogSumOf, A: 0, B: 3}, {Code: DivBy, A: 5, B: 3}, {Code: DotOf, A: 0, B: 4}}},
			Fixed: []float64{1.7}}, 4, [][]float64{random(2)}},
	} {
		out, adj, din := make([]float64, c.n), random(c.n), make([][]float64, len(c.in))
		for k, v := range c.in {
			din[k] = make([]float64, len(v))
		}
		step := c.op.Bind(out, adj, c.in, din)
		value := func() float64 {
			step.Forward()
			s := 0.0
			for i, v := range out {
				s += adj[i] * v
			}
			return s
		}
		value()
		step.Backward()
		for k, v := range c.in {
			for i, at := range v {
				const h = 1e-3
				f := func(d float64) float64 { v[i] = at + d; defer func() { v[i] = at }(); return value() }
				want := (8*(f(h)-f(-h)) - (f(2*h) - f(-2*h))) / (12 * h)
				if !(math.Abs(din[k][i]-want) <= 1e-8*max(1, math.Abs(want))) {
					t.Errorf("%s: derivative in value %d of argument %d is %v, by differences %v", c.name, i, k, din[k][i], want)
				}
			}
		}
	}
}

// A loop that does the same with each of two numbers in turn leaves a group for each, in which the number is no vector;
// values and derivatives are those of the sum written out. Where numbers come in no order, there is one group.
func TestTurnsAreTakenApart(t *testing.T) {
	const n = 30
	for _, braided := range []bool{true, false} {
		s := &Scalars{Inputs: 2, Code: []Instruction{{}, {}, {}}} // place 0 is none
		values, sites := []float64{0, 0.4, -0.7}, []int32{0, 0, 0}
		var roots []int32
		of := func(i int) int32 {
			if braided {
				return int32(1 + i%2)
			}
			return int32(1 + (i*i/3)%2)
		}
		for i := range n {
			y := float64(i)/10 - 1
			s.Code = append(s.Code, Instruction{Code: Constant}, Instruction{Code: MulBy, A: of(i), B: int32(len(s.Code))},
				Instruction{Code: ExpOf, A: int32(len(s.Code) + 1)})
			values, sites = append(values, y, 0, 0), append(sites, 0, 1, 2)
			roots = append(roots, int32(len(s.Code)-1))
		}
		s.Code[1], s.Code[2] = Instruction{Code: InputOf}, Instruction{Code: InputOf}
		guards := false
		r := Roll(s, values, sites, roots, &guards)
		b := r.Density.Bind(r.Density.Terms, []*Node{r.Input})
		copy(b.Value[r.Input.ID], values[1:3])
		got := b.Gradient(r.Base)
		want, slope := 0.0, [2]float64{}
		for i := range n {
			y := float64(i)/10 - 1
			v := math.Exp(values[of(i)] * y)
			want += v
			slope[of(i)-1] += v * y
		}
		d := b.Adjoint[r.Input.ID]
		if math.Abs(got-want) > 1e-12*want || math.Abs(d[0]-slope[0]) > 1e-12 || math.Abs(d[1]-slope[1]) > 1e-12 {
			t.Errorf("in turn %v: %v with slopes %v, want %v, %v", braided, got, d, want, slope)
		}
		picked := false // for a product
		for _, node := range r.Graph.Nodes {
			if _, product := node.Op.(Binary); !product {
				continue
			}
			for _, arg := range node.Args {
				_, gathered := arg.Op.(Gather)
				_, each := arg.Op.(PickEach)
				picked = picked || gathered || each
			}
		}
		if picked == braided {
			t.Errorf("in turn %v: values are picked: %v", braided, picked)
		}
	}
}
