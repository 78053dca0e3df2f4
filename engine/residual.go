package engine

import (
	"fmt"
	"math"

	"bayeskernel/internal/density"
)

// Residual is a term of continuous values that brings them to coordinates in which they are independent standard
// normal, under its parameters. Residuals writes as many as there are values. A value of probability 0 or 1 is infinite.
type Residual interface {
	Residuals(out []float64) error
}

// Residuals of single values are the normal quantiles of their probabilities.
func (t *univariateTerm) Residuals(out []float64) error {
	if err := t.continuous(); err != nil {
		return err
	}
	for i := range t.y {
		below, above := t.tails(i)
		out[i] = density.NormalScore(below, above)
	}
	return nil
}

// Residuals of normal values need no quantiles.
func (t *normalTerm) Residuals(out []float64) error {
	for i, v := range t.y {
		out[i] = (v - t.a[0][i&t.mask[0]]) / t.a[1][i&t.mask[1]]
	}
	return nil
}

// continuous says why values have no residuals.
func (t *univariateTerm) continuous() error {
	switch {
	case t.f.Discrete || t.f.Atom:
		return fmt.Errorf("the values of %s are not continuous", t.f.Name)
	case t.f.Below == nil || t.f.Above == nil:
		return fmt.Errorf("the distribution function of %s is not here", t.f.Name)
	case t.cut != nil && t.cut.Censored:
		return fmt.Errorf("values of a censored %s are not known", t.f.Name)
	}
	return nil
}

// tails are the logs of the probabilities below value i and above it.
func (t *univariateTerm) tails(i int) (below, above float64) {
	if !t.params(&t.p, i) {
		return math.NaN(), math.NaN()
	}
	if t.cut == nil {
		return t.f.Below(t.y[i], &t.p, &t.g), t.f.Above(t.y[i], &t.p, &t.g)
	}
	lo, hi := t.cutOff(i)
	whole := t.edge(lo, hi, &t.p, &t.g)
	return t.edge(lo, t.y[i], &t.p, &t.g) - whole, t.edge(t.y[i], hi, &t.p, &t.g) - whole
}

// Residuals of a mixture are those of its distribution function, the weighted sum of its parts'.
func (t *mixtureTerm) Residuals(out []float64) error {
	k := len(t.parts)
	for _, p := range t.parts {
		if err := p.continuous(); err != nil {
			return err
		}
	}
	below, above := make([]float64, k), make([]float64, k)
	for i := range t.y {
		w := t.w
		if t.each {
			w = t.w[i*k : (i+1)*k]
		}
		for j, p := range t.parts {
			below[j], above[j] = p.tails(i)
			below[j] += math.Log(w[j])
			above[j] += math.Log(w[j])
		}
		out[i] = density.NormalScore(logSum(below), logSum(above))
	}
	return nil
}

// Residuals of vectors are those of each value given those before it.
func (t *mvNormalTerm) Residuals(out []float64) error {
	if t.df != nil {
		return fmt.Errorf("the values of multi_student_t are not independent of each other in any linear coordinates")
	}
	for start := 0; start < len(t.y); start += t.dim {
		t.square(start)
		copy(out[start:], t.w)
	}
	return nil
}

// Residuals of a series are those of its beginning and of its steps.
func (t *seriesTerm) Residuals(out []float64) error {
	t.leave()
	p := len(t.c)
	for _, part := range []struct {
		of  Term
		out []float64
	}{{t.first, out[:p]}, {t.step, out[p:]}} {
		r, ok := part.of.(Residual)
		if !ok {
			return fmt.Errorf("the steps of an autoregression have no residuals")
		}
		if err := r.Residuals(part.out); err != nil {
			return err
		}
	}
	return nil
}
