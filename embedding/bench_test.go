package embedding

import (
	"math/rand/v2"
	"testing"

	"bayeskernel/bke"
)

// BenchmarkWitness is 800 draws of the hyperparameters, 201 points and 400 + 400 rows: the
// posterior at each point with a band, and 1000 whole functions with a simultaneous one.
func BenchmarkWitness(b *testing.B) {
	for _, c := range []struct {
		name      string
		noise     Noise
		functions int
	}{{"clt/alone", CLT, 0}, {"clt/functions", CLT, 1000}, {"iid/alone", IID, 0}} {
		b.Run(c.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			x, y := normalAndLaplace(r, 400)
			m := pooledModel(b, x, y, bke.Options{})
			w, err := NewWitness(m, Sample{X: x}, Sample{X: y}, someDraws(r, 800),
				Options{Noise: c.noise})
			if err != nil {
				b.Fatal(err)
			}
			grid := Grid(201, x, y)
			for b.Loop() {
				if c.functions == 0 {
					p, err := w.At(b.Context(), grid)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := p.Band(0.8); err != nil {
						b.Fatal(err)
					}
					continue
				}
				f, err := w.Functions(b.Context(), grid, c.functions, 1)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := f.Band(0.95); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
