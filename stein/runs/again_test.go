package runs

import (
	"math"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/model"
	"bayeskernel/nuts"

	"gonum.org/v1/gonum/mat"
)

// A model that is fitted again to data of its own has draws of the posterior given these, though the chain began elsewhere: the
// mean of normal values with a wide prior is normal around their mean. Of 100 fits the standardised means of five draws, about
// independent, have a mean square within 4 standard errors of what it is (probability .9999).
func TestAgain(t *testing.T) {
	y := make([]float64, 25)
	for i := range y {
		y[i] = float64(i % 5)
	}
	m := model.New()
	mu := m.Real("mu", model.Normal(0, 100))
	m.Observe(m.Data("y", y), model.Normal(mu, 1))
	p := fixture.Get[*model.Program](t)(m.Compile())
	var c nuts.Config
	c.Draws = 200
	run, err := nuts.Sample(t.Context(), p.Target, c)
	if err != nil {
		t.Fatal(err)
	}
	again := Again(p, run)
	sum, n := 0.0, 0.0
	for seed := range uint64(100) {
		q, draws, err := again(t.Context(), []float64{1.7}, seed)
		if err != nil {
			t.Fatal(err)
		}
		e := fixture.Get[*mat.Dense](t)(q.Residuals([]float64{0})) // the values themselves
		mean := 0.0
		for i := range y {
			mean += e.At(i, 0) / 25
		}
		if len(draws) != kept {
			t.Fatalf("%d draws", len(draws))
		}
		for _, d := range draws {
			z := (d[0] - mean) * 5
			sum += z * z
			n++
		}
	}
	if got := sum / n; math.Abs(got-1) > 4*math.Sqrt(2/n)*1.5 {
		t.Errorf("mean square of standardised draws %v, want 1", got)
	}
}
