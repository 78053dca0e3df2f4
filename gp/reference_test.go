package gp

import (
	"math"
	"testing"

	"bayeskernel/internal/fixture"

	"gonum.org/v1/gonum/mat"
)

// reference is one regression of testdata/regression.json.
type reference struct {
	Set, Y  string
	Z       []string
	Columns map[string][]float64
	Points  []struct {
		LogParams []float64 `json:"log_params"`
		LogML     float64
		Grad      []float64 `json:"grad_5point"`
	}
	Maximum struct {
		LogParams []float64 `json:"log_params"`
		LogML     float64
		SD        float64   `json:"residual_sd"`
		First     []float64 `json:"residual_first5"`
	}
}

func references(t *testing.T) []reference {
	t.Helper()
	var all []reference
	fixture.JSON(t, "testdata/regression.json", &all)
	return all
}

// model standardises the columns, as the reference does.
func (r reference) model(t *testing.T) *Model {
	t.Helper()
	n := len(r.Columns[r.Y])
	x := mat.NewDense(n, len(r.Z), nil)
	for j, name := range r.Z {
		x.SetCol(j, standard(r.Columns[name]))
	}
	m, err := New(x, standard(r.Columns[r.Y]), Options{ARD: true})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func standard(v []float64) []float64 {
	mean, square := 0.0, 0.0
	for _, e := range v {
		mean += e / float64(len(v))
	}
	for _, e := range v {
		square += (e - mean) * (e - mean) / float64(len(v)-1)
	}
	out := make([]float64, len(v))
	for i, e := range v {
		out[i] = (e - mean) / math.Sqrt(square)
	}
	return out
}

// The gradients of the reference are five-point differences, good to 1e-9 or so of their size.
func TestReferenceValues(t *testing.T) {
	for _, ref := range references(t) {
		m := ref.model(t)
		for _, p := range ref.Points {
			r, err := m.At(params(p.LogParams))
			if err != nil {
				t.Fatal(err)
			}
			if fixture.Relative(r.LogLikelihood, p.LogML) > 1e-11 {
				t.Errorf("%s at %v: %v, want %v", ref.Set, p.LogParams, r.LogLikelihood, p.LogML)
			}
			grad := make([]float64, len(p.Grad))
			if err := r.Gradient(grad); err != nil {
				t.Fatal(err)
			}
			for a, want := range p.Grad {
				if math.Abs(grad[a]-want) > 1e-7*(1+math.Abs(want)) {
					t.Errorf("%s at %v: derivative %d is %v, want %v", ref.Set, p.LogParams, a, grad[a],
						want)
				}
			}
		}
	}
}

func TestReferenceMaxima(t *testing.T) {
	for _, ref := range references(t) {
		f, err := ref.model(t).Learn(t.Context(), LearnOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(f.LogLikelihood-ref.Maximum.LogML) > 1e-7 {
			t.Errorf("%s: maximum %.10f, want %.10f", ref.Set, f.LogLikelihood, ref.Maximum.LogML)
		}
		for a, u := range logs(f.Params) {
			// The likelihood is flat at its maximum: 1e-9 of it is 1e-4 of a parameter.
			if math.Abs(u-ref.Maximum.LogParams[a]) > 1e-4 {
				t.Errorf("%s: log parameter %d is %v, want %v", ref.Set, a, u, ref.Maximum.LogParams[a])
			}
		}
		left, square, mean := f.Residuals(), 0.0, 0.0
		for _, v := range left {
			mean += v / float64(len(left))
		}
		for _, v := range left {
			square += (v - mean) * (v - mean) / float64(len(left)-1)
		}
		if sd := math.Sqrt(square); math.Abs(sd-ref.Maximum.SD) > 1e-5 {
			t.Errorf("%s: residuals have standard deviation %v, want %v", ref.Set, sd, ref.Maximum.SD)
		}
		for i, want := range ref.Maximum.First {
			if math.Abs(left[i]-want) > 1e-4 {
				t.Errorf("%s: residual %d is %v, want %v", ref.Set, i, left[i], want)
			}
		}
	}
}

// logs are the logarithms of the hyperparameters.
func logs(p Params) []float64 {
	u := []float64{math.Log(p.Signal), math.Log(p.Noise)}
	for _, t := range p.Theta {
		u = append(u, math.Log(t))
	}
	return u
}
