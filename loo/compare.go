package loo

import (
	"fmt"
	"math"
	"slices"
)

// Model is a result with the name of its model.
type Model struct {
	Name string
	*Result
}

// Compared is a model compared with the best one.
type Compared struct {
	Model
	Difference float64 // ELPD less that of the best model, at most 0
	SE         float64 // of the difference
}

// String says how far the model is behind the best.
func (c Compared) String() string {
	return fmt.Sprintf("%s: elpd %.1f, %.1f from the best (s.e. %.1f)", c.Name, c.ELPD, c.Difference, c.SE)
}

// Compare ranks models by ELPD, the best first. All must have the same observations.
func Compare(models ...Model) ([]Compared, error) {
	if err := alike(models); err != nil {
		return nil, err
	}
	var out []Compared
	for _, m := range models {
		out = append(out, Compared{Model: m})
	}
	slices.SortStableFunc(out, func(a, b Compared) int {
		switch {
		case a.ELPD > b.ELPD:
			return -1
		case a.ELPD < b.ELPD:
			return 1
		}
		return 0
	})
	for k := range out {
		d := make([]float64, len(out[0].Points))
		for i, p := range out[k].Points {
			d[i] = p.ELPD - out[0].Points[i].ELPD
			out[k].Difference += d[i]
		}
		out[k].SE = math.Sqrt(float64(len(d)) * variance(d))
	}
	return out, nil
}

func alike(models []Model) error {
	if len(models) < 2 {
		return fmt.Errorf("loo: there is nothing to compare %d models with, want at least 2", len(models))
	}
	for _, m := range models {
		if m.Result == nil {
			return fmt.Errorf("loo: model %s has no result", m.Name)
		}
		if len(m.Points) != len(models[0].Points) {
			return fmt.Errorf("loo: models %s and %s have %d and %d observations, want the same",
				models[0].Name, m.Name, len(models[0].Points), len(m.Points))
		}
		for i, p := range m.Points {
			if q := models[0].Points[i]; p.Name != q.Name {
				return fmt.Errorf("loo: observation %d is %s in model %s and %s in model %s, want the same",
					i+1, q.Name, models[0].Name, p.Name, m.Name)
			}
		}
	}
	return nil
}

// Stacking returns the weights of the models whose mixture predicts best: they maximise
// sum_i log sum_k w_k exp(elpd_ik). It uses expectation and maximisation until no weight's derivative
// exceeds the mean derivative by 1e-9.
func Stacking(models ...Model) ([]float64, error) {
	if err := alike(models); err != nil {
		return nil, err
	}
	n, k := len(models[0].Points), len(models)
	p := make([]float64, n*k) // relative to the best of each observation
	for i := range n {
		top := math.Inf(-1)
		for _, m := range models {
			top = max(top, m.Points[i].ELPD)
		}
		for j, m := range models {
			p[i*k+j] = math.Exp(m.Points[i].ELPD - top)
		}
	}
	w, share := make([]float64, k), make([]float64, k)
	for j := range w {
		w[j] = 1 / float64(k)
	}
	const most = 100_000
	for range most {
		clear(share)
		for i := range n {
			row, mix := p[i*k:(i+1)*k], 0.0
			for j, v := range row {
				mix += w[j] * v
			}
			for j, v := range row {
				share[j] += v / mix / float64(n)
			}
		}
		worst := 0.0
		for j, s := range share {
			worst = max(worst, s-1)
			w[j] *= s
		}
		if worst < 1e-9 {
			break
		}
	}
	return w, nil
}

// PseudoBMA returns weights proportional to exp(ELPD).
func PseudoBMA(models ...Model) ([]float64, error) {
	if err := alike(models); err != nil {
		return nil, err
	}
	top := math.Inf(-1)
	for _, m := range models {
		top = max(top, m.ELPD)
	}
	w, sum := make([]float64, len(models)), 0.0
	for j, m := range models {
		w[j] = math.Exp(m.ELPD - top)
		sum += w[j]
	}
	for j := range w {
		w[j] /= sum
	}
	return w, nil
}
