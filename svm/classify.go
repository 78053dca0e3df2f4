package svm

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// Classifier tells classes apart. Each pair of classes has a machine, and the class with the most
// votes wins.
type Classifier struct {
	Classes []string // in alphabetical order
	Pairs   []Pair
}

// Pair is the machine of two classes: Decide is positive for the first.
type Pair struct {
	First, Second int // among the classes
	*Machine
	// A and B turn the decision f into the probability of the first class, 1/(1 + exp(A f + B)).
	// Without Options.Probabilities both are 0.
	A, B float64
}

// Classify trains a classifier on labelled items.
func Classify(ctx context.Context, k Kernel, d Data, labels []string, o Options) (*Classifier,
	error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if err := d.check(k); err != nil {
		return nil, err
	}
	if len(labels) != d.count() {
		return nil, fmt.Errorf("svm: there are %d labels, want one for each of %d items", len(labels),
			d.count())
	}
	of := map[string][]int{}
	for i, l := range labels {
		of[l] = append(of[l], i)
	}
	c := &Classifier{Classes: slices.Sorted(maps.Keys(of))}
	if len(c.Classes) < 2 {
		return nil, fmt.Errorf("svm: all labels are %q, want at least two classes", c.Classes[0])
	}
	for class := range o.ClassWeights {
		if of[class] == nil {
			return nil, fmt.Errorf("svm: there is a weight for class %q, which no label has", class)
		}
	}
	for i, first := range c.Classes {
		for j := i + 1; j < len(c.Classes); j++ {
			second := c.Classes[j]
			which := slices.Concat(of[first], of[second])
			p := Pair{First: i, Second: j}
			t := two{kernel: k, data: d.at(which), first: len(of[first]), o: o,
				names: [2]string{first, second}}
			if p.Machine, err = t.train(ctx); err != nil {
				return nil, fmt.Errorf("%w (classes %q and %q)", err, first, second)
			}
			if o.Probabilities {
				if p.A, p.B, err = t.probabilities(ctx); err != nil {
					return nil, fmt.Errorf("%w (classes %q and %q)", err, first, second)
				}
			}
			c.Pairs = append(c.Pairs, p)
		}
	}
	return c, nil
}

// two is the problem of two classes: the first items are of the first.
type two struct {
	kernel Kernel
	data   Data
	first  int
	names  [2]string
	o      Options
}

func (t *two) train(ctx context.Context) (*Machine, error) {
	n := t.data.count()
	p := newProblem(n)
	weight := func(name string) float64 {
		if w, ok := t.o.ClassWeights[name]; ok {
			return w
		}
		return 1
	}
	for i := range n {
		p.of[i], p.y[i], p.p[i] = i, 1, -1
		p.upper[i] = t.o.C * weight(t.names[0])
		if i >= t.first {
			p.y[i], p.upper[i] = -1, t.o.C*weight(t.names[1])
		}
	}
	if t.o.Nu > 0 {
		most := 2 * float64(min(t.first, n-t.first)) / float64(n)
		if t.o.Nu > most {
			return nil, fmt.Errorf("svm: nu is %v, want at most %.4g: twice the share of the smaller class",
				t.o.Nu, most)
		}
		p.apart, p.margin = true, true
		for i := range n {
			p.p[i], p.upper[i] = 0, 1
		}
		fill(p, 1, t.o.Nu*float64(n)/2)
		fill(p, -1, t.o.Nu*float64(n)/2)
	}
	return train(ctx, t.kernel, t.data, p, t.o)
}

// Predict returns the class of each item. Equal votes go to the class that comes first.
func (c *Classifier) Predict(d Data) ([]string, error) {
	votes := make([][]int, d.count())
	for i := range votes {
		votes[i] = make([]int, len(c.Classes))
	}
	for _, p := range c.Pairs {
		f, err := p.Decide(d)
		if err != nil {
			return nil, err
		}
		for i, v := range f {
			if v > 0 {
				votes[i][p.First]++
			} else {
				votes[i][p.Second]++
			}
		}
	}
	out := make([]string, len(votes))
	for i, v := range votes {
		out[i] = c.Classes[slices.Index(v, slices.Max(v))]
	}
	return out, nil
}
