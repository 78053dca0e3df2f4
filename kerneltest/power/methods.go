package power

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/bke/inputs"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"
)

// ParseMethods reads the names of tests of package kerneltest, with white space between them, such
// as "median learned:m=90,weight=1,tau2=1 mmdagg": see the package comment for the list. Problems
// with pairs of rows get a test of independence, others one of two samples. What a name does not
// say is as in o, apart from the seed; of that, Settings describes the level and the number of
// permutations alone.
//
// Of a single kernel the outcome has the lengthscale "theta", and where it was learned the number
// "m" of pseudo-inputs unless the name says it; "thetay" and "my" are those of the second variable.
func ParseMethods(text string, o kerneltest.Options) ([]Method, error) {
	specs, err := parseSpecs(text)
	if err != nil {
		return nil, fmt.Errorf("power: methods: %w", err)
	}
	var out []Method
	for _, s := range specs {
		slices.Sort(s.keys)
		m, err := s.method(o)
		if err != nil {
			return nil, fmt.Errorf("power: method %v: %w", s, err)
		}
		out = append(out, m)
	}
	return out, nil
}

// Settings says in words what o has that all methods share.
func Settings(o kerneltest.Options) string {
	alpha, permutations := o.Alpha, o.Permutations
	if alpha == 0 {
		alpha = 0.05
	}
	if permutations == 0 {
		permutations = 999
	}
	return fmt.Sprintf("level %v, %d permutations", alpha, permutations)
}

// method makes a method of kerneltest of it.
func (s spec) method(o kerneltest.Options) (Method, error) {
	o.Seed, o.Progress = 0, nil
	if !s.recipe(&o) {
		return Method{}, fmt.Errorf("want fixed, energy, default, %s", strings.Join(recipeNames(), ", "))
	}
	both := false
	for _, k := range s.keys {
		if k == familiesKey {
			if both = s.values[k] == "2"; !both || s.name != "fuse" && s.name != "mmdagg" {
				return Method{}, fmt.Errorf("families is %q, want 2, of fuse or mmdagg", s.values[k])
			}
			continue
		}
		if err := set(&o, k, s.values[k]); err != nil {
			return Method{}, err
		}
	}
	if (s.name == "fixed") != (len(o.Kernel.Kernels) > 0) {
		return Method{}, fmt.Errorf("want a positive theta with fixed, and only there")
	}
	run := func(ctx context.Context, d Data, seed uint64) (Outcome, error) {
		o := o
		o.Seed = seed
		if s.name == energyName {
			_, x := d.X.Dims()
			_, y := d.Y.Dims()
			o.Kernel = kerneltest.Fixed(kernels.Distance{Centre: make([]float64, x)})
			if d.Paired {
				o.KernelY = kerneltest.Fixed(kernels.Distance{Centre: make([]float64, y)})
			}
		}
		if both && !d.Paired {
			o.Kernel = bothFamilies(d.X, d.Y, s.name == "mmdagg")
		}
		return apply(ctx, d, o)
	}
	return Method{Name: s.String(), Test: run}, nil
}

// recipe sets rule and combination, and reports whether there are any of this name.
func (s spec) recipe(o *kerneltest.Options) bool {
	for _, r := range kerneltest.Recipes(false) {
		if slices.Contains(r.Methods[:], s.name) {
			o.Kernel.Rule, o.Combine = r.Rule, r.Combine
			return true
		}
	}
	if s.name == "fixed" || s.name == energyName {
		return true
	}
	rule, err := kerneltest.ParseRule(s.name)
	o.Kernel.Rule = rule
	return err == nil && rule != kerneltest.Given
}

// energyName is the test of the energy distance, or for two variables that of distance covariance.
const energyName = "energy"

// recipeNames are the names of methods that are recipes.
func recipeNames() []string {
	var names []string
	for _, r := range kerneltest.Recipes(false) {
		names = append(names, slices.Compact(r.Methods[:])...)
	}
	return names
}

// set sets one option.
func set(o *kerneltest.Options, key, text string) error {
	var err error
	number := func() float64 {
		v, nerr := strconv.ParseFloat(text, 64)
		if nerr != nil || !(v >= 0) || math.IsInf(v, 1) {
			err = fmt.Errorf("%s is %q, want a number that is not negative", key, text)
		}
		return v
	}
	whole := func(most int) int {
		v := number()
		if err == nil && (v != math.Trunc(v) || v > float64(most)) {
			err = fmt.Errorf("%s is %q, want a whole number of at most %d", key, text, most)
		}
		return int(v)
	}
	lengthscale := func() kerneltest.Choice {
		v := number()
		if err == nil && v == 0 {
			err = fmt.Errorf("%s is %q, want a positive number", key, text)
		}
		return kerneltest.Fixed(kernels.SquaredExponential(v))
	}
	c := &o.Kernel
	switch key {
	case "m":
		c.Inputs.Number = whole(1e9)
	case "z":
		c.Inputs.Kind, err = inputs.ParseKind(text)
	case "weight":
		c.Model.Weight = number()
	case "tau2":
		c.Model.Tau2 = number()
	case "quantiles":
		c.Quantiles = whole(1e6)
	case "rungs":
		// The defaults of kerneltest are had by leaving the parameter out.
		c.Rungs = nil
		most := whole(20)
		for e := -most; err == nil && e <= most; e++ {
			c.Rungs = append(c.Rungs, float64(e))
		}
	case "low", "high":
		v, perr := strconv.ParseFloat(text, 64)
		if perr != nil || math.Abs(v) > 20 {
			err = fmt.Errorf("%s is %q, want an exponent of 2 from -20 to 20", key, text)
		}
		if key == "high" { // keys are in order
			c.Rungs = []float64{v}
			break
		}
		if len(c.Rungs) != 1 || c.Rungs[0] < v {
			return fmt.Errorf("low is %q, want a rung of at most high", text)
		}
		for e := c.Rungs[0] - 1; e >= v; e-- {
			c.Rungs = append([]float64{e}, c.Rungs...)
		}
	case "amplitude":
		c.Amplitudes = []float64{number()}
	case "bandwidths":
		c.Bandwidths = whole(1000)
	case "theta":
		*c = lengthscale()
	case "thetay":
		o.KernelY = lengthscale()
	case "combine":
		o.Combine, err = kerneltest.ParseCombination(text)
	case "sharpness":
		o.Sharpness = number()
	case "null":
		o.Null, err = statistic.ParseNull(text)
	case "unbiased":
		o.Unbiased = number() != 0
	case "standardize":
		o.Standardize = kerneltest.StandardizeNever
		if number() != 0 {
			o.Standardize = kerneltest.StandardizeAlways
		}
	default:
		err = fmt.Errorf("there is no %q, want m, z, weight, tau2, quantiles, rungs, low, high, amplitude, "+
			"bandwidths, theta, thetay, combine, sharpness, null, unbiased or standardize", key)
	}
	return err
}

// apply makes the test and picks what is kept of it.
func apply(ctx context.Context, d Data, o kerneltest.Options) (Outcome, error) {
	test := kerneltest.TwoSample
	if d.Paired {
		test = kerneltest.Independence
	}
	r, err := test(ctx, d.X, d.Y, o)
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{P: r.P, Reject: r.Reject, Numbers: make(map[string]float64)}
	for suffix, c := range map[string]*kerneltest.Chosen{"": r.Kernel, "y": r.KernelY} {
		if c == nil {
			continue
		}
		if len(c.Theta) == 1 {
			out.Numbers["theta"+suffix] = c.Theta[0]
		}
		if c.Model != nil && !c.Inputs.Fixed {
			out.Numbers["m"+suffix] = float64(c.Model.M())
		}
	}
	return out, nil
}
