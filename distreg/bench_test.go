package distreg

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// 1000 bags of 280 rows in 5 columns, 50 landmarks.
func benchModel(b *testing.B) *Model {
	r := rand.New(rand.NewPCG(1, 1))
	var bags []mat.Matrix
	var y []float64
	for range 1000 {
		x := mat.NewDense(280, 5, nil)
		centre := r.NormFloat64()
		for i := range 280 {
			for a := range 5 {
				x.Set(i, a, centre+r.NormFloat64())
			}
		}
		bags, y = append(bags, x), append(y, centre)
	}
	z := mat.NewDense(50, 5, nil)
	z.Apply(func(int, int, float64) float64 { return 1.4 * r.NormFloat64() }, z)
	m, err := New(Data{Bags: bags, Y: y, Landmarks: z}, Form{N0: 20, Floor: 1e-4, AlphaSD: 10, Jitter: 1e-3})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

func BenchmarkFeatures(b *testing.B) {
	m := benchModel(b)
	for b.Loop() {
		for _, x := range m.bags {
			m.sum(x, 1.5, false)
		}
	}
}

func BenchmarkMoments(b *testing.B) {
	m := benchModel(b)
	p := Params{Sigma: .1, Kappa: 1, Eta: 1, S: 1, Theta: 1.5}
	at, err := m.prepare(p.Theta, false)
	if err != nil {
		b.Fatal(err)
	}
	grad := make([]float64, 4)
	for b.Loop() {
		m.evidence(grad, m.inferAll(at, p, 2), at.frame, p)
	}
}

func BenchmarkFrame(b *testing.B) {
	m := benchModel(b)
	all := make([]*sums, len(m.bags))
	for i, x := range m.bags {
		all[i] = m.sum(x, 1.5, false)
	}
	for b.Loop() {
		if _, err := m.place(all, 1.5, false); err != nil {
			b.Fatal(err)
		}
	}
}
