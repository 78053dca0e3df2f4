package embedding

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/bke"
)

// Bands of level 80%, of the embedding of N(0, 1), theta fixed: in the centre they cover at about
// their level, and beyond the central 95% of the data at no less; their width is that of the
// central limit theorem in the centre, and of a row or two outside. Over 60 data sets a share has a
// standard error of 0.02 in the centre and 0.025 outside, so that a reseed fails with probability
// below 1e-4; with kappa = 0, or with the posterior of the paper, this fails.
func TestBandsAreHonest(t *testing.T) {
	const n, sets, theta = 50, 60, 0.4
	var centre, outside, width, inRows, points, far float64
	for set := range sets {
		r := rand.New(rand.NewPCG(11, uint64(set)))
		x := normalRows(r, n, 1)
		m := pooledModel(t, x, x, bke.Options{})
		e := newEmbedding(t, m, x, params(theta, 1), Options{AtTest: true})
		grid := Grid(101, column(-3, 3))
		mean, sd := at(t, e, grid)
		for j := range mean {
			u := grid.At(j, 0)
			mu := normalMean(u, 1, theta)
			hit := 0.0
			if math.Abs(mean[j]-mu) <= 1.2815515655446004*sd[j] {
				hit = 1
			}
			if math.Abs(u) > 1.96 {
				far, outside, inRows = far+1, outside+hit, inRows+sd[j]*n
				continue
			}
			v := normalMean(u, 1, theta/math.Sqrt2) - mu*mu
			points, centre, width = points+1, centre+hit, width+sd[j]/math.Sqrt(v/n)
		}
	}
	centre, outside, width, inRows = centre/points, outside/far, width/points, inRows/far
	if !(centre > 0.72 && centre < 0.90) {
		t.Errorf("in the centre %.3f are covered", centre)
	}
	if !(outside > 0.74) {
		t.Errorf("outside %.3f are covered", outside)
	}
	if !(width > 0.95 && width < 1.1) {
		t.Errorf("the width is %.3f of the central limit theorem's", width)
	}
	if !(inRows > 0.7 && inRows < 2.5) {
		t.Errorf("outside the sd is that of %.2f rows", inRows)
	}
	t.Logf("centre %.3f, outside %.3f, width %.3f, rows %.2f", centre, outside, width, inRows)
}
