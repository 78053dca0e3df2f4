package calibration_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bayeskernel/calibration"
	"bayeskernel/hmc"
	"bayeskernel/nuts"
)

// mean is the posterior of mu in y[i] ~ N(mu, 1), mu ~ N(0, 1). A factor says how often the density
// counts the data: 1 is right.
type mean struct {
	y      []float64
	factor float64
}

func (m mean) Dim() int { return 1 }

func (m mean) LogDensity(x, grad []float64) float64 {
	lp := -x[0] * x[0] / 2
	grad[0] = -x[0]
	for _, y := range m.y {
		lp -= m.factor * (y - x[0]) * (y - x[0]) / 2
		grad[0] += m.factor * (y - x[0])
	}
	return lp
}

// model says how parameters and data of mean come about.
func model(factor float64) calibration.Model {
	return calibration.Model{
		Quantities: []string{"log likelihood"},
		Simulate: func(r *rand.Rand) (calibration.Simulation, error) {
			mu := r.NormFloat64()
			y := make([]float64, 5)
			for i := range y {
				y[i] = mu + r.NormFloat64()
			}
			return calibration.Simulation{
				Truth:     []float64{mu},
				Posterior: func() (hmc.Target, error) { return mean{y, factor}, nil },
				Quantities: func(dst, values []float64) {
					dst[0] = 0
					for _, v := range y {
						dst[0] -= (v - values[0]) * (v - values[0]) / 2
					}
				},
			}, nil
		},
	}
}

// A model is calibrated, once as it is and once with a density that counts the data four times.
// With another seed a right model would leave an envelope with a probability of 2e-6.
func ExampleRun() {
	cfg := calibration.Options{
		Seed:    1,
		Sampler: calibration.NUTS(nuts.Config{Settings: hmc.Settings{Warmup: 200, Draws: 400}}),
	}
	for _, factor := range []float64{1, 4} {
		res, err := calibration.Run(context.Background(), model(factor), cfg)
		if err != nil {
			fmt.Println(err)
			return
		}
		report, err := res.Check(1e-6)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("data counted", factor, "times")
		for _, q := range report.Quantities {
			fmt.Printf("  %s leaves the envelope: %t\n", q.Name, q.Leaves)
		}
	}
	// Output:
	// data counted 1 times
	//   x[0] leaves the envelope: false
	//   log likelihood leaves the envelope: false
	// data counted 4 times
	//   x[0] leaves the envelope: true
	//   log likelihood leaves the envelope: true
}

// The envelope serves for any sample that should be uniform.
func ExampleNewEnvelope() {
	e, err := calibration.NewEnvelope(100, 20, 0.05)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("pointwise level %.4f\n", e.Gamma)
	fmt.Printf("below 0.5: %d to %d of 100\n", e.Lower[9], e.Upper[9])
	// Output:
	// pointwise level 0.0085
	// below 0.5: 37 to 63 of 100
}
