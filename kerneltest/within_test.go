package kerneltest

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/internal/long"
	"bayeskernel/internal/permute"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// inBlocks returns two variables of n rows that depend on each other with this strength, beside what
// their block adds to both.
func inBlocks(seed uint64, n, size int, strength, between float64) (x, y *mat.Dense, blocks []int) {
	r := rand.New(rand.NewPCG(seed, 31))
	x, y = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	var a, b float64
	for i := range n {
		if i%size == 0 {
			a, b = between*r.NormFloat64(), between*r.NormFloat64()
		}
		e := r.NormFloat64()
		x.Set(i, 0, a+e)
		y.Set(i, 0, b+strength*e+r.NormFloat64())
		blocks = append(blocks, i/size)
	}
	return x, y, blocks
}

// centredBy is HKH with H the matrix that takes the mean of its block from each row.
func centredBy(k *mat.SymDense, blocks []int) *mat.Dense {
	n := len(blocks)
	h := mat.NewDense(n, n, nil)
	for i := range n {
		size := 0.0
		for _, b := range blocks {
			if b == blocks[i] {
				size++
			}
		}
		for j := range n {
			if i == j {
				h.Set(i, j, 1)
			}
			if blocks[i] == blocks[j] {
				h.Set(i, j, h.At(i, j)-1/size)
			}
		}
	}
	var out mat.Dense
	out.Product(h, k, h)
	return &out
}

// The statistics within blocks, of matrices and of factors, against products of matrices, and their
// mean over all permutations.
func TestWithinBlocksAgainstMatrices(t *testing.T) {
	for _, c := range []struct {
		n    int
		kept int // bytes for matrices; with none the kernels are factors
	}{{9, keptBytes}, {9, 0}} {
		x, y, _ := inBlocks(1, c.n, 3, 0.7, 1)
		blocks := []int{4, 4, 4, 1, 1, 1, 1, 7, 7}
		se := kernels.SquaredExponential(0.9)
		o := Options{Kernel: Fixed(se, kernels.SquaredExponential(2)), Blocks: blocks}
		o, _ = o.Complete(c.n)
		vx := fixture.Get[*Variable](t)(NewVariable(context.Background(), "x", x, o.Kernel, o))
		vy := fixture.Get[*Variable](t)(NewVariable(context.Background(), "y", y, o.Kernel, o))
		vx.limits.kept, vy.limits.kept = c.kept, c.kept
		test := &independence{n: c.n, o: o, x: within(vx.sides, blocks), y: within(vy.sides, blocks)}
		test.d, _ = permute.NewDesign(c.n, 3, blocks)
		for _, s := range append(test.x, test.y...) {
			if _, err := s.lowRank(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
		}
		const draws = 20000
		got := fixture.Get[*table](t)(test.draw(context.Background(), 0, draws, draws))
		kx, ky := centredBy(fixture.Gram(t, se, x), blocks), centredBy(fixture.Gram(t, se, y), blocks)
		sum, diagonal := 0.0, [2]map[int]float64{{}, {}}
		for i := range c.n {
			for j := range c.n {
				sum += kx.At(i, j) * ky.At(i, j)
			}
			diagonal[0][blocks[i]] += kx.At(i, i)
			diagonal[1][blocks[i]] += ky.At(i, i)
		}
		mean := diagonal[0][4]*diagonal[1][4]/2 + diagonal[0][1]*diagonal[1][1]/3 + diagonal[0][7]*diagonal[1][7]
		n2 := float64(c.n * c.n)
		if want := (sum - mean) / n2; math.Abs(got.values[0][0]-want) > 1e-9 {
			t.Errorf("kept %d: statistic %v, want %v", c.kept, got.values[0][0], want)
		}
		var average, square float64
		for _, v := range got.values[0] {
			average += v / draws
			square += v * v / draws
		}
		if math.Abs(average) > 5*math.Sqrt(square/draws) { // once in a million seeds
			t.Errorf("kept %d: the mean over permutations is %v, want 0 within %v", c.kept, average,
				math.Sqrt(square/draws))
		}
		if ratio := math.Sqrt(square) / got.norm[0]; ratio < 0.5 || ratio > 2 {
			t.Errorf("kept %d: the unit of the statistic is off by a factor of %v", c.kept, ratio)
		}
	}
}

// Power where differences between blocks hide a dependence (.25 with kernels that are not centred within
// them, .77 with those that are), and the level. The limits of the level fail once in a thousand reseeds.
func TestPowerWithinBlocks(t *testing.T) {
	reps := 16
	if long.Enabled() {
		reps = long.Of(200, 2000)
	}
	for _, c := range []struct {
		name              string
		strength, between float64
		least, most       float64 // of the share rejected
	}{
		{"hidden by blocks", 0.4, 3, 0.5, 1},
		{"equal blocks", 0.4, 0, 0.6, 1},
		{"independent within blocks", 0, 3, 0, 0.05},
	} {
		if c.between == 0 && !long.Enabled() {
			continue
		}
		rejected := 0
		for rep := range reps {
			x, y, blocks := inBlocks(uint64(rep)+77, 100, 5, c.strength, c.between)
			o := Options{Blocks: blocks, Seed: uint64(rep), Permutations: 99}
			if fixture.Get[*Result](t)(Independence(context.Background(), x, y, o)).Reject {
				rejected++
			}
		}
		least, most := int(c.least*float64(reps)), reps
		if c.strength == 0 {
			least, most = interval(reps, 0.05, 0.999)
		}
		t.Logf("%s: %d of %d rejected", c.name, rejected, reps)
		if rejected < least || rejected > most {
			t.Errorf("%s: %d of %d rejected, want %d to %d", c.name, rejected, reps, least, most)
		}
	}
}
