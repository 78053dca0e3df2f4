package formula

import (
	"context"
	"math"
	"testing"

	"bayeskernel/frame"

	"gonum.org/v1/gonum/mat"
)

// The covariance of the penalised functions, the line and the constant taken out, is that of mgcv 1.8-41's
// smoothCon(s(z), absorb.cons = TRUE, diagonal.penalty = TRUE) and smooth2random: so sds has the scale that it has in brms.
func TestSplines(t *testing.T) {
	data, err := frame.Read(context.Background(), "testdata/bayes.csv", frame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for column, want := range map[string][5]float64{ // elements (1,1), (1,2), (3,7), (100,150), trace
		"z": {0.012280387, 0.0147478286, 0.00767178025, -0.0658011571, 8.46322134},
		"x": {0.00495628252, 0.00395384422, 0.0150093825, 0.00141674399, 3.70590981},
	} {
		f, err := Parse("y ~ s(" + column + ")")
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Model(data, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := r.Smooths[0]
		n, k := s.rows.Dims()
		g := mat.NewDense(n, k, nil)
		for j := range k {
			c := mat.Col(nil, j, s.rows)
			slope := 0.0
			for i, v := range c {
				slope += v * s.line[i] / float64(n)
			}
			for i, v := range c {
				g.Set(i, j, v-slope*s.line[i])
			}
		}
		trace := 0.0
		at := func(i, j int) float64 { return mat.Dot(g.RowView(i-1), g.RowView(j-1)) }
		for i := range n {
			trace += at(i+1, i+1)
		}
		for k, got := range []float64{at(1, 1), at(1, 2), at(3, 7), at(100, 150), trace} {
			if math.Abs(got-want[k]) > 1e-7*math.Abs(want[4]) {
				t.Errorf("s(%s): number %d is %.9g, want %.9g", column, k+1, got, want[k])
			}
		}
	}
}
