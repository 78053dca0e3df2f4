package model

import (
	"fmt"

	"bayeskernel/engine"

	"bayeskernel/draws"
	"bayeskernel/draws/zarr"
)

// Content is what Write puts beside the draws of the posterior; nil leaves a part out.
type Content struct {
	Prior           *draws.Run // from Program.Prior
	PriorPredictive *draws.Run // from Program.Predictive of Prior
	Predictive      *draws.Run // from Program.Predictive of the posterior
	LogLik          *draws.Run // from Program.LogLik of the posterior
}

// Write writes the draws of the posterior and what belongs to them as a Zarr folder that xarray and
// ArviZ read as InferenceData: groups posterior and sample_stats, and prior, prior_predictive,
// posterior_predictive, log_likelihood, observed_data and constant_data. Parameters that run over a
// factor have its labels.
func (p *Program) Write(dir string, posterior *draws.Run, with Content) error {
	o := zarr.Options{Dims: map[string][]zarr.Dim{}}
	for _, r := range p.m.records {
		if !r.node.Scalar && !gapped(r.node) {
			o.Dims[r.name] = []zarr.Dim{p.dim(r.name, r.node)}
		}
	}
	observed, predicted := p.m.observations, p.predicted()
	var densities []*observation
	for _, l := range p.likelihoods() {
		densities = append(densities, &observation{name: l.name, n: l.count()})
	}
	for _, g := range []struct {
		name string
		run  *draws.Run
		make func(*draws.Run) ([]zarr.Array, error)
	}{
		{"prior", with.Prior, p.parameterArrays},
		{"prior_predictive", with.PriorPredictive, arraysOf(predicted)},
		{"posterior_predictive", with.Predictive, arraysOf(predicted)},
		{"log_likelihood", with.LogLik, arraysOf(densities)},
	} {
		if g.run == nil {
			continue
		}
		arrays, err := g.make(g.run)
		if err != nil {
			return fmt.Errorf("model: %s: %w", g.name, err)
		}
		o.Groups = append(o.Groups, zarr.Group{Name: g.name, Arrays: arrays})
	}
	var seen, constant []zarr.Array
	for _, d := range p.m.data {
		name := about(d).what[len("data "):]
		a := zarr.Array{Name: name, Dims: []zarr.Dim{{Name: name + "_dim_0", Size: d.N}},
			Values: d.Value}
		isObserved := false
		for _, q := range observed {
			of, _ := engine.DataOf(q.y)
			isObserved = isObserved || of == d
		}
		if isObserved {
			seen = append(seen, a)
		} else {
			constant = append(constant, a)
		}
	}
	for _, in := range p.m.indices {
		a := zarr.Array{Name: in.name + "_index", Dims: []zarr.Dim{{Name: in.name + "_index_dim_0",
			Size: len(in.at)}}}
		for _, k := range in.at {
			a.Values = append(a.Values, float64(k))
		}
		constant = append(constant, a)
	}
	if seen != nil {
		o.Groups = append(o.Groups, zarr.Group{Name: "observed_data", Arrays: seen})
	}
	if constant != nil {
		o.Groups = append(o.Groups, zarr.Group{Name: "constant_data", Arrays: constant})
	}
	return zarr.Write(dir, posterior, o)
}

// dim is the dimension of a vector: the factor that it runs over, with its labels, or its own.
func (p *Program) dim(name string, n *engine.Node) zarr.Dim {
	if about(n).over != nil && len(about(n).over.labels) == n.N {
		return zarr.Dim{Name: about(n).over.name, Size: n.N, Names: about(n).over.labels}
	}
	return zarr.Dim{Name: name + "_dim_0", Size: n.N}
}

// gapped reports whether values are not all those from the first on, as those that are missing may be: each is an
// array of its own.
func gapped(n *engine.Node) bool {
	places := about(n).places
	return len(places) > 0 && places[len(places)-1] >= len(places)
}

// parameterArrays are the recorded values of a run.
func (p *Program) parameterArrays(run *draws.Run) ([]zarr.Array, error) {
	at := 0
	var out []zarr.Array
	for _, r := range p.m.records {
		if gapped(r.node) {
			for i := range r.node.N {
				a := zarr.Array{Name: r.name + placeOf(r.node, i), Dims: zarr.ChainDraw(run)}
				if err := fill(&a, run, at+i, 1); err != nil {
					return nil, err
				}
				out = append(out, a)
			}
			at += r.node.N
			continue
		}
		a := zarr.Array{Name: r.name, Dims: zarr.ChainDraw(run)}
		if !r.node.Scalar {
			a.Dims = append(a.Dims, p.dim(r.name, r.node))
		}
		if err := fill(&a, run, at, r.node.N); err != nil {
			return nil, err
		}
		out = append(out, a)
		at += r.node.N
	}
	return out, nil
}

// arraysOf returns what makes arrays of values for each observation.
func arraysOf(all []*observation) func(run *draws.Run) ([]zarr.Array, error) {
	return func(run *draws.Run) ([]zarr.Array, error) {
		at := 0
		var out []zarr.Array
		for _, o := range all {
			a := zarr.Array{Name: o.name, Dims: append(zarr.ChainDraw(run),
				zarr.Dim{Name: o.name + "_dim_0", Size: o.n})}
			if err := fill(&a, run, at, o.n); err != nil {
				return nil, err
			}
			out = append(out, a)
			at += o.n
		}
		return out, nil
	}
}

// fill takes n columns of a run from column at on.
func fill(a *zarr.Array, run *draws.Run, at, n int) error {
	if at+n > len(run.Names) {
		return fmt.Errorf("a run with %d columns is not of this model", len(run.Names))
	}
	chains, rows := run.Used()
	for _, c := range chains {
		for _, row := range run.Chains[c].Values[:rows] {
			a.Values = append(a.Values, row[at:at+n]...)
		}
	}
	return nil
}
