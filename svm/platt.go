package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/internal/rng"
)

// folds is the number of folds of the cross-validation that probabilities are learned from.
const folds = 5

// probabilities fits 1/(1 + exp(A f + B)) to decisions on items that the machine was not trained on
// (Platt 2000).
func (t *two) probabilities(ctx context.Context) (a, b float64, err error) {
	n := t.data.count()
	if min(t.first, n-t.first) < folds {
		return 0, 0, fmt.Errorf("svm: a class has %d items, want at least %d for probabilities",
			min(t.first, n-t.first), folds)
	}
	src, err := rng.New("", rng.Name{Seed: t.o.Seed, Purpose: "svm folds"}, 0)
	if err != nil {
		return 0, 0, err
	}
	r := rand.New(src)
	fold := make([]int, n)
	for _, class := range [][2]int{{0, t.first}, {t.first, n}} {
		for place, i := range r.Perm(class[1] - class[0]) {
			fold[class[0]+i] = place % folds
		}
	}
	f := make([]float64, n)
	for k := range folds {
		part := *t
		var in, out []int
		part.first = 0
		for i := range n {
			if fold[i] == k {
				out = append(out, i)
				continue
			}
			in = append(in, i)
			if i < t.first {
				part.first++
			}
		}
		part.data = t.data.at(in)
		m, err := part.train(ctx)
		if err != nil {
			return 0, 0, err
		}
		values, err := m.Decide(t.data.at(out))
		if err != nil {
			return 0, 0, err
		}
		for j, i := range out {
			f[i] = values[j]
		}
	}
	a, b = sigmoid(f, t.first)
	return a, b, nil
}

// sigmoid maximises the likelihood of the classes by Newton's method with backtracking (Lin, Lin and
// Weng 2007). The items of the first class come first. Targets are moved away from 0 and 1 as if each
// class had one more item.
func sigmoid(f []float64, first int) (a, b float64) {
	n1, n0 := float64(first), float64(len(f)-first)
	hi, lo := (n1+1)/(n1+2), 1/(n0+2)
	target := func(i int) float64 {
		if i < first {
			return hi
		}
		return lo
	}
	loss := func(a, b float64) float64 {
		s := 0.0
		for i, v := range f {
			z := v*a + b
			// t z + log(1 + exp(-z)), from the side where exp is small.
			if z >= 0 {
				s += target(i)*z + math.Log1p(math.Exp(-z))
			} else {
				s += (target(i)-1)*z + math.Log1p(math.Exp(z))
			}
		}
		return s
	}
	a, b = 0, math.Log((n0+1)/(n1+1))
	at := loss(a, b)
	for range 100 {
		const ridge = 1e-12
		haa, hbb, hab, ga, gb := ridge, ridge, 0.0, 0.0, 0.0
		for i, v := range f {
			z := v*a + b
			e := math.Exp(-math.Abs(z))
			p, q := e/(1+e), 1/(1+e) // p of the first class, q = 1-p, at z >= 0
			if z < 0 {
				p, q = q, p
			}
			d := target(i) - p
			haa += v * v * p * q
			hbb += p * q
			hab += v * p * q
			ga += v * d
			gb += d
		}
		if math.Abs(ga) < 1e-9 && math.Abs(gb) < 1e-9 {
			break
		}
		det := haa*hbb - hab*hab
		da, db := -(hbb*ga-hab*gb)/det, -(haa*gb-hab*ga)/det
		slope, step := ga*da+gb*db, 1.0
		for ; step > 1e-10; step /= 2 {
			if next := loss(a+step*da, b+step*db); next < at+1e-4*step*slope {
				a, b, at = a+step*da, b+step*db, next
				break
			}
		}
		if step <= 1e-10 {
			break
		}
	}
	return a, b
}

// Probabilities returns, for each item, the probability of each class in the order of Classes. With
// more than two classes, they are the least-squares fit to the probabilities of the pairs (the second
// method of Wu, Lin and Weng 2004).
func (c *Classifier) Probabilities(d Data) ([][]float64, error) {
	k := len(c.Classes)
	out := make([][]float64, d.count())
	pair := make([][]float64, len(c.Pairs))
	for j, p := range c.Pairs {
		if p.A == 0 && p.B == 0 {
			return nil, errors.New("svm: the machine was trained without Options.Probabilities")
		}
		f, err := p.Decide(d)
		if err != nil {
			return nil, err
		}
		for i, v := range f {
			f[i] = 1 / (1 + math.Exp(v*p.A+p.B))
		}
		pair[j] = f
	}
	r := make([]float64, k*k)
	for i := range out {
		for j, p := range c.Pairs {
			v := min(max(pair[j][i], 1e-7), 1-1e-7)
			r[p.First*k+p.Second], r[p.Second*k+p.First] = v, 1-v
		}
		out[i] = coupled(r, k)
	}
	return out, nil
}

// coupled returns the probabilities p that minimise sum_ij (r_ji p_i - r_ij p_j)².
func coupled(r []float64, k int) []float64 {
	if k == 2 {
		return []float64{r[1], r[2]}
	}
	q := make([]float64, k*k)
	for i := range k {
		for j := range k {
			if i != j {
				q[i*k+i] += r[j*k+i] * r[j*k+i]
				q[i*k+j] = -r[j*k+i] * r[i*k+j]
			}
		}
	}
	p := slices.Repeat([]float64{1 / float64(k)}, k)
	qp := make([]float64, k)
	for range 1000 {
		pqp := 0.0
		for i := range k {
			qp[i] = 0
			for j := range k {
				qp[i] += q[i*k+j] * p[j]
			}
			pqp += p[i] * qp[i]
		}
		worst := 0.0
		for i := range k {
			worst = max(worst, math.Abs(qp[i]-pqp))
		}
		if worst < 1e-12 {
			break
		}
		for i := range k {
			d := (pqp - qp[i]) / q[i*k+i]
			p[i] += d
			pqp = (pqp + d*(d*q[i*k+i]+2*qp[i])) / (1 + d) / (1 + d)
			for j := range k {
				qp[j] = (qp[j] + d*q[i*k+j]) / (1 + d)
				p[j] /= 1 + d
			}
		}
	}
	return p
}
