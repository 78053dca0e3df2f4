package summary

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"

	"gonum.org/v1/gonum/mat"
)

// A plan of few rows has as many pseudo-inputs as bke.Learn would choose, with those that its fit calls for: here
// tight clusters.
func TestPlanDoubles(t *testing.T) {
	const n, d = 90, 2 // nine tight clusters
	var x []float64
	for i := range n {
		c, k := i/10, float64(i%10)
		x = append(x, 10*float64(c/3)+0.05*k-0.01*k*k, 10*float64(c%3)+0.03*k*k-0.2*k)
	}
	fitted, err := bke.Learn(context.Background(), mat.NewDense(n, d, x), inputs.Options{Seed: 1}, bke.Options{},
		bke.LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, _ := fitted.Inputs.Z.Dims()
	p := planFor(t, x, d, PlanOptions{Inputs: inputs.Options{Seed: 1}})
	if got := p.M(); got != want || want == inputs.Default(n, d) {
		t.Errorf("%d pseudo-inputs, want %d, more than %d", got, want, inputs.Default(n, d))
	}
}

// Where quantiles of all rows are another kind than those of a sample, the modes are looked for anew: of 95%
// zeros either the distinct values or all decide.
func TestPlanOfTies(t *testing.T) {
	const n = 200000
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 8))
		x := make([]float64, n)
		for i := range n / 20 {
			x[i] = math.Round(1e6*(r.ExpFloat64()+0.001)) / 1e6
		}
		r.Shuffle(n, func(i, j int) { x[i], x[j] = x[j], x[i] })
		pilot := NewPilot(1, PilotRows, 1)
		pilot.Begin("P")
		pilot.Add(x)
		p, err := NewPlan(context.Background(), pilot, PlanOptions{Columns: []string{"a"},
			All: mat.NewDense(n, 1, x)})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if m := p.M(); m < 2 {
			t.Errorf("seed %d: %d pseudo-inputs", seed, m)
		}
	}
}

// The steps from the mode of all rows end where a search in a fold does.
func TestFollow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	draw := []func() float64{r.NormFloat64, r.ExpFloat64, func() float64 { return float64(r.IntN(40)) + 0.01*r.NormFloat64() },
		func() float64 { return r.NormFloat64() / math.Sqrt(r.ExpFloat64()) }, r.Float64}
	const n, folds = 6000, 6
	for k, of := range draw {
		for _, d := range []int{1, 2} {
			x := make([]float64, n*d)
			for i := range x {
				x[i] = of()
			}
			all := mat.NewDense(n, d, x)
			fitted, err := bke.Learn(context.Background(), all, inputs.Options{Seed: 1, Number: 12}, bke.Options{}, bke.LearnOptions{})
			if err != nil {
				t.Fatal(err)
			}
			mode, ends := fitted.Fit.Modes[0], 0
			for f := range folds {
				m, err := bke.NewModel(all.Slice(f*n/folds, (f+1)*n/folds, 0, d), fitted.Inputs.Z,
					bke.Options{Weight: fitted.Model.Weight()})
				if err != nil {
					t.Fatal(err)
				}
				u, ok := follow(m, mode, 1./folds)
				if !ok {
					continue
				}
				ends++
				theta := math.Exp(u)
				fit, err := m.Learn(context.Background(), bke.LearnOptions{ThetaMin: theta / 1.3, ThetaMax: theta * 1.3})
				if err != nil {
					t.Fatal(err)
				}
				sd, _ := sdOf(fit.Modes[0].Hessian)
				if off := (u - math.Log(fit.Modes[0].Params.Theta[0])) / sd; !(math.Abs(off) < 0.02) {
					t.Errorf("rows %d in %d columns, fold %d: log theta is %.3g sd off", k, d, f, off)
				}
			}
			if ends < folds-1 {
				t.Errorf("rows %d in %d columns: %d of %d folds end at a mode", k, d, ends, folds)
			}
		}
	}
}
