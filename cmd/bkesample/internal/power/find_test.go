package power

import (
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/kerneltest/power"

	"gonum.org/v1/gonum/mat"
)

// A named population of n rows is the problem of that n.
func TestNamed(t *testing.T) {
	for text, sized := range map[string]string{"normal": "normal:n=30",
		"normal:shift=1,n=7": "normal:shift=1,n=30", "linear:n=9,rho=0.5": "linear:rho=0.5,n=30"} {
		p, err := named(text)
		if err != nil {
			t.Fatal(err)
		}
		want, err := power.ParseProblems(sized)
		if err != nil {
			t.Fatal(err)
		}
		x, y := p.draw(rand.New(rand.NewPCG(1, 2)), 30)
		u, v := want[0].Draw(rand.New(rand.NewPCG(1, 2)))
		if !mat.Equal(x, u) || !mat.Equal(y, v) || p.paired != want[0].Paired {
			t.Errorf("%s is not %s", text, sized)
		}
	}
}

// Rows of a pilot are drawn from their own sample, and those of two variables stay together.
func TestPilot(t *testing.T) {
	p := mat.NewDense(3, 1, []float64{1, 2, 3})
	q := mat.NewDense(2, 1, []float64{11, 12})
	r := rand.New(rand.NewPCG(1, 2))
	x, y := ofSamples(&input.Dataset{P: p, Q: q}).draw(r, 50)
	for i := range 50 {
		if x.At(i, 0) > 3 || y.At(i, 0) < 11 {
			t.Fatalf("row %d: %v and %v", i, x.At(i, 0), y.At(i, 0))
		}
	}
	double := mat.NewDense(3, 1, []float64{2, 4, 6})
	x, y = ofPairs(&input.Pairs{Dataset: &input.Dataset{}, X: p, Y: double}).draw(r, 50)
	for i := range 50 {
		if y.At(i, 0) != 2*x.At(i, 0) {
			t.Fatalf("row %d: %v and %v", i, x.At(i, 0), y.At(i, 0))
		}
	}
}

// The number of rows that is found has the power that is wanted, and a tenth fewer has not; where
// it is out of reach, none is. Between two sizes of which one is below and one above, no size is
// left untried that is far from both.
func TestFind(t *testing.T) {
	p, err := named("normal:shift=1")
	if err != nil {
		t.Fatal(err)
	}
	f := &flags{target: 0.8, alpha: 0.05, permutations: 99, replicates: 60, smallest: 8, most: 200,
		choose: "median", seed: 1}
	out := &found{from: p, flags: f, method: f.method(false)}
	if err := out.find(t.Context(), &cli.Console{}); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(out.sizes, func(s size) bool { return s.rows == out.rows })
	if at < 1 || out.sizes[at].Power() < 0.8 || out.sizes[at-1].Power() >= 0.8 ||
		float64(out.rows) > finest*float64(out.sizes[at-1].rows)+1 {
		t.Errorf("%d rows of %+v", out.rows, out.sizes)
	}
	// Student's test needs 17 rows in each sample; the kernel test about half as many again.
	if out.rows < 15 || out.rows > 40 {
		t.Errorf("%d rows, want about 25", out.rows)
	}
	if p, err = named("normal"); err != nil {
		t.Fatal(err)
	}
	f.most = 16
	out = &found{from: p, flags: f, method: f.method(false)}
	if err := out.find(t.Context(), &cli.Console{}); err != nil || out.rows != 0 {
		t.Errorf("%d rows for a difference that is not there, %v", out.rows, err)
	}
}
