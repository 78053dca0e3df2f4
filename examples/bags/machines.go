package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/distreg"
	"bayeskernel/embedding"
	"bayeskernel/embedding/shrinkage"
	"bayeskernel/kernels"
	"bayeskernel/svm"

	"gonum.org/v1/gonum/mat"
)

// unequal are the sizes of bags of which support vector machines compare all pairs.
var unequal = []int{5, 20, 100}

// machines has 200 bags of two classes, a third of each size, and 400 new ones: the shares that support measure
// machines and the regression put into the wrong class.
func machines(sets int, seed uint64) error {
	fmt.Println("problem | machine | wrong, percent, of bags of 5, 20, 100 rows | of all")
	const known, fresh = 200, 400
	names := []string{"support measure machine, linear", "Gaussian", "Gaussian, flexible shrinkage", "regression, noise ignored",
		"regression", "who knows the label of each bag"}
	for _, p := range problems[:2] {
		wrong := make([][]float64, len(names)) // by size
		for k := range wrong {
			wrong[k] = make([]float64, len(unequal))
		}
		for s := range sets {
			ctx := context.Background()
			d, err := p.classes(rand.New(rand.NewPCG(seed+uint64(s), 54)), unequal, known, fresh)
			if err != nil {
				return err
			}
			guesses, err := d.guesses(ctx, seed)
			if err != nil {
				return err
			}
			for k, guess := range guesses {
				for i, g := range guess {
					if g != d.is[i] {
						wrong[k][i%len(unequal)]++
					}
				}
			}
		}
		for k, name := range names {
			all, by := 0.0, ""
			for i := range unequal {
				of := float64(sets * ((fresh + len(unequal) - 1 - i) / len(unequal)))
				by += fmt.Sprintf(" %.1f", 100*wrong[k][i]/of)
				all += wrong[k][i]
			}
			fmt.Printf("%s | %s |%s | %.1f\n", p.name, name, by, 100*all/float64(sets*fresh))
		}
	}
	return nil
}

// guesses are the classes that each machine gives the new bags, the last from their labels.
func (d *labelled) guesses(ctx context.Context, seed uint64) ([][]float64, error) {
	var out [][]float64
	for _, m := range []struct{ gaussian, shrunk bool }{{false, false}, {true, false}, {true, true}} {
		got, err := d.machine(ctx, m.gaussian, m.shrunk)
		if err != nil {
			return nil, err
		}
		out = append(out, got)
	}
	fit, err := distreg.Learn(ctx, d.train, d.was, distreg.LearnOptions{Seed: seed})
	if err != nil {
		return nil, err
	}
	for _, at := range []distreg.Params{ignoring(fit.Params), fit.Params} {
		found, err := d.chances(ctx, fit.Model, at, seed)
		if err != nil {
			return nil, err
		}
		out = append(out, likelier(found))
	}
	return append(out, likelier(d.chance)), nil
}

// likelier is the class of more than half.
func likelier(chance []float64) []float64 {
	out := make([]float64, len(chance))
	for i, v := range chance {
		if v > 0.5 {
			out[i] = 1
		}
	}
	return out
}

// machine gives new bags a class by a support measure machine: C has the least error where a third of the bags is held
// out, and widths are medians of distances.
func (d *labelled) machine(ctx context.Context, gaussian, shrunk bool) ([]float64, error) {
	var rows []float64
	for _, b := range d.train {
		rows = append(rows, b.(*mat.Dense).RawMatrix().Data...)
	}
	_, dim := d.train[0].Dims()
	med, err := kernels.MedianDistance(mat.NewDense(len(rows)/dim, dim, rows), 1)
	if err != nil {
		return nil, err
	}
	base := kernels.SquaredExponential(med.All / math.Sqrt2)
	var means []*shrinkage.Mean
	var samples []embedding.Sample
	for _, b := range slices.Concat(d.train, d.test) {
		problem, err := shrinkage.NewRows(ctx, base, b, 0)
		if err != nil {
			return nil, err
		}
		e := problem.Empirical()
		if shrunk {
			e = problem.ShrinkSpectral(shrinkage.TrueLeaveOneOut)
		}
		m, err := shrinkage.NewMean(base, b, e.Weights)
		if err != nil {
			return nil, err
		}
		means, samples = append(means, m), append(samples, m.Sample())
	}
	kernel := svm.Kernel{Kernel: base}
	known := len(d.train)
	if gaussian {
		var apart []float64
		for i, a := range means[:known] {
			for _, b := range means[:i] {
				d2, err := shrinkage.MMD2(a, b)
				if err != nil {
					return nil, err
				}
				apart = append(apart, math.Sqrt(max(0, d2)))
			}
		}
		slices.Sort(apart)
		kernel.Width = apart[len(apart)/2]
	}
	labels := make([]string, known)
	for i, c := range d.was {
		labels[i] = fmt.Sprint(c)
	}
	predict := func(c float64, train, from, to int) ([]string, error) {
		m, err := svm.Classify(ctx, kernel, svm.Samples(samples[:train]...), labels[:train], svm.Options{C: c})
		if err != nil {
			return nil, err
		}
		return m.Predict(svm.Samples(samples[from:to]...))
	}
	best, least := 0.0, known
	for _, c := range []float64{1, 10, 100} {
		got, err := predict(c, 2*known/3, 2*known/3, known)
		if err != nil {
			return nil, err
		}
		wrong := 0
		for i, label := range got {
			if label != labels[2*known/3+i] {
				wrong++
			}
		}
		if wrong < least {
			best, least = c, wrong
		}
	}
	got, err := predict(best, known, known, len(samples))
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(got))
	for i, label := range got {
		if label == "1" {
			out[i] = 1
		}
	}
	return out, nil
}
