package svm

import (
	"fmt"
	"math"
)

// Options says how a machine is trained. Zero values mean the defaults in parentheses.
type Options struct {
	// C bounds the weight of an item (1).
	C float64
	// ClassWeights multiplies C for items of a class (1 each).
	ClassWeights map[string]float64
	// Nu, if not 0, chooses the nu form, which has no C. At most a fraction Nu of the items are on
	// the wrong side of the margin (outside the tube, or outliers), and at least a fraction Nu are
	// support vectors. If Nu is 0, OneClass uses 0.5.
	Nu float64
	// Epsilon is half the width of the tube in which Regress counts no error (0.1). To set it to 0, use
	// NoTube.
	Epsilon float64
	// Tolerance is the largest violation of the optimality conditions (1e-6).
	Tolerance float64
	// Memory bounds the cached rows of the kernel matrix, in bytes (256 MB).
	Memory int64
	// Probabilities fits a logistic curve to decisions in five-fold cross-validation, so that
	// Classifier.Probabilities works. It trains five more machines for each pair of classes.
	Probabilities bool
	Seed          uint64 // of the folds
}

// NoTube is an Epsilon of 0.
const NoTube = math.SmallestNonzeroFloat64

func (o Options) complete() (Options, error) {
	for _, f := range []struct {
		v   *float64
		def float64
	}{{&o.C, 1}, {&o.Epsilon, 0.1}, {&o.Tolerance, 1e-6}} {
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	if o.Memory == 0 {
		o.Memory = 256 << 20
	}
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
	switch {
	case !positive(o.C):
		return o, fmt.Errorf("svm: C is %v, want a positive number", o.C)
	case !(o.Nu >= 0 && o.Nu <= 1):
		return o, fmt.Errorf("svm: nu is %v, want a number from 0 to 1", o.Nu)
	case !positive(o.Epsilon):
		return o, fmt.Errorf("svm: epsilon is %v, want a positive number, or NoTube", o.Epsilon)
	case !positive(o.Tolerance):
		return o, fmt.Errorf("svm: tolerance is %v, want a positive number", o.Tolerance)
	case o.Memory < 0:
		return o, fmt.Errorf("svm: memory is %d bytes, want 0 for the default, or more", o.Memory)
	}
	for class, w := range o.ClassWeights {
		if !positive(w) {
			return o, fmt.Errorf("svm: the weight of class %q is %v, want a positive number", class, w)
		}
	}
	return o, nil
}
