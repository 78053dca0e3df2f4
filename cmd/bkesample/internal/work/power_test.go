package work

import (
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/kerneltest/power"

	"gonum.org/v1/gonum/mat"
)

// A named population of n rows is the problem of that n.
func TestNamedPopulation(t *testing.T) {
	for text, sized := range map[string]string{"normal": "normal:n=30",
		"normal:shift=1,n=7": "normal:shift=1,n=30", "linear:n=9,rho=0.5": "linear:rho=0.5,n=30"} {
		p, err := NamedPopulation(text)
		if err != nil {
			t.Fatal(err)
		}
		want, err := power.ParseProblems(sized)
		if err != nil {
			t.Fatal(err)
		}
		x, y := p.draw(rand.New(rand.NewPCG(1, 2)), 30)
		u, v := want[0].Draw(rand.New(rand.NewPCG(1, 2)))
		if !mat.Equal(x, u) || !mat.Equal(y, v) || p.Paired != want[0].Paired {
			t.Errorf("%s is not %s", text, sized)
		}
	}
}

// Rows of a pilot are drawn from their own sample, and those of two variables stay together.
func TestPilot(t *testing.T) {
	p := mat.NewDense(3, 1, []float64{1, 2, 3})
	q := mat.NewDense(2, 1, []float64{11, 12})
	r := rand.New(rand.NewPCG(1, 2))
	x, y := PilotSamples(&input.Dataset{P: p, Q: q}).draw(r, 50)
	for i := range 50 {
		if x.At(i, 0) > 3 || y.At(i, 0) < 11 {
			t.Fatalf("row %d: %v and %v", i, x.At(i, 0), y.At(i, 0))
		}
	}
	double := mat.NewDense(3, 1, []float64{2, 4, 6})
	x, y = PilotPairs(&input.Pairs{Dataset: &input.Dataset{}, X: p, Y: double}).draw(r, 50)
	for i := range 50 {
		if y.At(i, 0) != 2*x.At(i, 0) {
			t.Fatalf("row %d: %v and %v", i, x.At(i, 0), y.At(i, 0))
		}
	}
}

// The number of rows that is found has the power that is wanted, and a tenth fewer has not; where
// it is out of reach, none is. Between two sizes of which one is below and one above, no size is
// left untried that is far from both.
func TestFindPower(t *testing.T) {
	p, err := NamedPopulation("normal:shift=1")
	if err != nil {
		t.Fatal(err)
	}
	f := &PowerFlags{Target: 0.8, Alpha: 0.05, Permutations: 99, Replicates: 60, smallest: 8, most: 200,
		choose: "median", Seed: 1}
	out, err := FindPower(t.Context(), &cli.Console{}, p, f)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(out.Sizes, func(s SizePower) bool { return s.Rows == out.Rows })
	if at < 1 || out.Sizes[at].Power() < 0.8 || out.Sizes[at-1].Power() >= 0.8 ||
		float64(out.Rows) > finest*float64(out.Sizes[at-1].Rows)+1 {
		t.Errorf("%d rows of %+v", out.Rows, out.Sizes)
	}
	// Student's test needs 17 rows in each sample; the kernel test about half as many again.
	if out.Rows < 15 || out.Rows > 40 {
		t.Errorf("%d rows, want about 25", out.Rows)
	}
	if p, err = NamedPopulation("normal"); err != nil {
		t.Fatal(err)
	}
	f.most = 16
	if out, err = FindPower(t.Context(), &cli.Console{}, p, f); err != nil || out.Rows != 0 {
		t.Errorf("%d rows for a difference that is not there, %v", out.Rows, err)
	}
}
