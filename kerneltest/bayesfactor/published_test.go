package bayesfactor

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestPointsAtReferences(t *testing.T) {
	for _, c := range references(t) {
		x, y := table(t, c.Name+"_x"), table(t, c.Name+"_y")
		_, dim := x.Dims()
		points := mat.NewDense(len(c.Points.Points), dim, nil)
		for i, p := range c.Points.Points {
			points.SetRow(i, p)
		}
		for _, n := range []struct {
			noise Noise
			want  float64
		}{{PooledNoise, c.Points.LogBF.Pooled}, {SeparateNoise, c.Points.LogBF.Within}} {
			got, err := PointsAt(x, y, points, c.Points.Theta, c.Points.G, n.noise)
			if err != nil {
				t.Fatal(err)
			}
			near(t, c.Name+" points", got, n.want, 1e-6)
		}
	}
}

func TestPublishedAtReferences(t *testing.T) {
	for _, c := range references(t) {
		if c.Published == nil {
			continue
		}
		x, y, z := table(t, c.Name+"_x"), table(t, c.Name+"_y"), table(t, c.Name+"_z")
		for _, f := range c.Published.Fixed {
			d, err := PublishedAt(x, y, z, f.Theta)
			if err != nil {
				t.Fatal(err)
			}
			near(t, c.Name+" prior", d.Prior, f.LogPrior, 1e-9)
			near(t, c.Name+" volJ", d.VolJ, f.VolJ, 1e-8)
			near(t, c.Name+" null", d.Null, f.Null, 1e-8)
			near(t, c.Name+" compiled", d.Compiled, f.Compiled, 1e-8)
			near(t, c.Name+" intended", d.Intended, f.Intended, 1e-7)
			near(t, c.Name+" step, independent", d.StepIndependent, f.Independent, 1e-7)
			near(t, c.Name+" step, paired", d.StepPaired, f.Paired, 1e-7)
		}
		a, err := Published(x, y, z)
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.Name+" compiled", a.Compiled, c.Published.Compiled.LogBF, 1e-7)
		near(t, c.Name+" intended", a.Intended, c.Published.Intended.LogBF, 1e-7)
		near(t, c.Name+" sampler, independent", a.SamplerIndependent, c.Published.Compiled.Independent,
			1e-7)
		near(t, c.Name+" sampler, paired", a.SamplerPaired, c.Published.Compiled.Paired, 1e-7)
	}
}

// A pair of equal rows has a singular Jacobian.
func TestPublishedWithATie(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{0, 1, 2})
	y := mat.NewDense(3, 1, []float64{0, 3, 1})
	z := mat.NewDense(3, 1, []float64{0.5, 1.5, 2.5})
	d, err := PublishedAt(x, y, z, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(d.VolJ, -1) && d.VolJ > -30 {
		t.Errorf("volJ is %v with a tie, want minus infinity but for rounding", d.VolJ)
	}
}
