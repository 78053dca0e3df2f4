package loo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/internal/rng"
)

// Fit fits the model without some observations, counted from 0, and returns the log likelihoods of
// all observations at its draws: Program.Without and Program.LogLik of package model do both.
type Fit func(ctx context.Context, without []int) (*draws.Run, error)

// Refit returns a result that has exact leave-one-out densities wherever the Pareto shape of the
// estimate is too large. Each takes one fit.
func Refit(ctx context.Context, r *Result, fit Fit) (*Result, error) {
	if r == nil {
		return nil, errors.New("loo: the result is nil, want one")
	}
	out := *r
	out.Points, out.Warnings = slices.Clone(r.Points), nil
	for i, p := range out.Points {
		if !(p.K > diagnostics.ParetoKThreshold(r.Draws)) {
			continue
		}
		m, err := fitted(ctx, fit, []int{i}, len(r.Points))
		if err != nil {
			return nil, err
		}
		exact := logMeanExp(m.all(i))
		out.Points[i].P += p.ELPD - exact
		out.Points[i].ELPD, out.Points[i].K = exact, 0
	}
	out.total()
	return &out, nil
}

// fitted calls fit and reads its log likelihoods.
func fitted(ctx context.Context, fit Fit, without []int, n int) (*matrix, error) {
	if fit == nil {
		return nil, errors.New("loo: the fit is nil, want a function that fits without some observations")
	}
	run, err := fit(ctx, without)
	if err != nil {
		return nil, fmt.Errorf("loo: a fit without %d observations: %w", len(without), err)
	}
	m, err := read(run)
	if err != nil {
		return nil, err
	}
	if len(m.names) != n {
		return nil, fmt.Errorf("loo: a fit has log likelihoods of %d observations, want %d", len(m.names),
			n)
	}
	return m, nil
}

// Folds deals n observations at random into k folds and returns the fold of each. The sizes of the
// folds differ by at most one.
func Folds(n, k int, seed uint64) ([]int, error) {
	if k < 2 || k > n {
		return nil, fmt.Errorf("loo: %d folds of %d observations, want 2 to as many as there are", k, n)
	}
	src, err := rng.New("", rng.Name{Seed: seed, Purpose: "loo folds"}, 0)
	if err != nil {
		return nil, err
	}
	fold := make([]int, n)
	for place, i := range rand.New(src).Perm(n) {
		fold[i] = place % k
	}
	return fold, nil
}

// KFold fits the model once without each fold and predicts that fold. Folds returns random folds. To
// predict new groups, put all rows of a group into one fold.
func KFold(ctx context.Context, fold []int, fit Fit) (*Result, error) {
	if len(fold) < 2 {
		return nil, fmt.Errorf("loo: there are %d observations, want at least 2", len(fold))
	}
	r := &Result{Method: "K-fold", Points: make([]Point, len(fold))}
	for f := range slices.Max(fold) + 1 {
		var without []int
		for i, g := range fold {
			if g == f {
				without = append(without, i)
			}
		}
		if len(without) == 0 {
			continue
		}
		m, err := fitted(ctx, fit, without, len(fold))
		if err != nil {
			return nil, err
		}
		r.Draws = m.draws
		for _, i := range without {
			r.Points[i] = Point{Name: m.names[i], ELPD: logMeanExp(m.all(i)), P: math.NaN(),
				K: math.NaN(), NEff: math.NaN(), MCSE: math.NaN(), Eff: math.NaN()}
		}
	}
	r.total()
	return r, nil
}

// FutureOut predicts each observation, from number least on, from those before it. It fits without
// the later ones, then reweights the draws of that fit as observations come in. When the Pareto shape
// of the weights exceeds 0.7 it fits again. The log likelihood of an observation may depend on
// earlier observations, but not on later ones.
func FutureOut(ctx context.Context, n, least int, fit Fit) (*Result, error) {
	if least < 1 || least >= n {
		return nil, fmt.Errorf("loo: the first prediction is from %d of %d observations, want 1 to %d",
			least, n, n-1)
	}
	const heavy = 0.7
	r := &Result{Method: "leave-future-out"}
	var m *matrix
	var ratios []float64 // log likelihood of what came in since the fit
	refits := 0
	for i := least; i < n; i++ {
		var w []float64
		k := math.Inf(1)
		if m != nil {
			for s, v := range m.all(i - 1) {
				ratios[s] += v
			}
			w, k = Smooth(ratios, 1)
		}
		if k > heavy {
			var without []int
			for j := i; j < n; j++ {
				without = append(without, j)
			}
			var err error
			if m, err = fitted(ctx, fit, without, n); err != nil {
				return nil, err
			}
			refits++
			ratios = make([]float64, m.draws)
			w, k = slices.Repeat([]float64{-math.Log(float64(m.draws))}, m.draws), 0
		}
		p := point(m.all(i), w, 1)
		p.Name, p.K, p.P = m.names[i], k, math.NaN()
		r.Points, r.Draws = append(r.Points, p), m.draws
	}
	r.total()
	r.Warnings = append(r.Warnings, fmt.Sprintf("%d predictions from %d fits.", len(r.Points), refits))
	return r, nil
}
