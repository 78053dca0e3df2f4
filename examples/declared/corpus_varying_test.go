package declared_test

import (
	"math"

	"bayeskernel/model"
)

// varying are regressions whose coefficients vary over groups.
func varying() []program {
	radon := func(name, order string, constant float64, declare func(m *model.Model, r radonData) model.Expr) program {
		return program{name: name, order: order, constant: constant, rows: 919, declare: func(d data) *model.Model {
			m := model.New()
			r := radonData{floor: m.Data("floor", d.vector("floor_measure"))}
			if len(d.values["log_uppm"]) > 0 {
				r.uranium = m.Data("log_uppm", d.vector("log_uppm"))
			}
			r.county, r.in = m.Codes("county", d.count("J"), d.codes("county_idx"))
			mean := declare(m, r)
			sigma := m.Positive("sigma_y", model.HalfNormal(1))
			m.Observe(m.Data("log_radon", d.vector("log_radon")), model.Normal(mean, sigma))
			return m
		}}
	}
	intercepts := func(m *model.Model, r radonData, o ...model.Option) model.Expr {
		mu, sd := m.Real("mu_alpha", model.Normal(0, 10)), m.Positive("sigma_alpha", model.HalfNormal(1))
		return r.county.Reals("alpha", model.Normal(mu, sd), o...).Of(r.in)
	}
	slopes := func(m *model.Model, r radonData, o ...model.Option) model.Expr {
		mu, sd := m.Real("mu_beta", model.Normal(0, 10)), m.Positive("sigma_beta", model.HalfNormal(1))
		beta := r.county.Reals("beta", model.Normal(mu, sd), o...)
		return m.Real("alpha", model.Normal(0, 10)).Add(r.floor.Mul(beta.Of(r.in)))
	}
	common := func(m *model.Model, r radonData) model.Expr {
		return m.Real("beta", model.Normal(0, 10)).Mul(r.floor)
	}
	return []program{
		radon("radon_pooled", "alpha beta sigma_y", ln2, func(m *model.Model, r radonData) model.Expr {
			return m.Real("alpha", model.Normal(0, 10)).Add(common(m, r))
		}),
		radon("radon_county_intercept", "alpha beta sigma_y", ln2, func(m *model.Model, r radonData) model.Expr {
			return r.county.Reals("alpha", model.Normal(0, 10)).Of(r.in).Add(common(m, r))
		}),
		radon("radon_partially_pooled_centered", "alpha mu_alpha sigma_alpha sigma_y", 2*ln2,
			func(m *model.Model, r radonData) model.Expr { return intercepts(m, r) }),
		radon("radon_partially_pooled_noncentered", "alpha mu_alpha sigma_alpha sigma_y", 2*ln2,
			func(m *model.Model, r radonData) model.Expr { return intercepts(m, r, model.NonCentred) }),
		radon("radon_variable_intercept_centered", "alpha beta mu_alpha sigma_alpha sigma_y", 2*ln2,
			func(m *model.Model, r radonData) model.Expr { return intercepts(m, r).Add(common(m, r)) }),
		radon("radon_variable_intercept_noncentered", "alpha beta mu_alpha sigma_alpha sigma_y", 2*ln2,
			func(m *model.Model, r radonData) model.Expr {
				return intercepts(m, r, model.NonCentred).Add(common(m, r))
			}),
		radon("radon_variable_slope_centered", "alpha beta mu_beta sigma_beta sigma_y", 2*ln2,
			func(m *model.Model, r radonData) model.Expr { return slopes(m, r) }),
		radon("radon_variable_slope_noncentered", "alpha beta mu_beta sigma_beta sigma_y", 2*ln2,
			func(m *model.Model, r radonData) model.Expr { return slopes(m, r, model.NonCentred) }),
		radon("radon_hierarchical_intercept_noncentered", "alpha beta mu_alpha sigma_alpha sigma_y", 2*ln2,
			func(m *model.Model, r radonData) model.Expr {
				b := m.Reals("beta", 2, model.Normal(0, 10))
				return intercepts(m, r, model.NonCentred).Add(b.El(0).Mul(r.uranium)).Add(b.El(1).Mul(r.floor))
			}),
		{name: "radon_county", order: "a mu_a sigma_a sigma_y", rows: 12573, constant: -2 * math.Log(100),
			declare: radonCounty},
		{name: "election88_full", order: "a b c d e beta sigma_a sigma_b sigma_c sigma_d sigma_e", rows: 11566,
			constant: -5 * math.Log(100), declare: election},
		{name: "pilots", order: "a b mu_a mu_b sigma_a sigma_b sigma_y", rows: 40, constant: -3 * math.Log(100),
			declare: pilots},
		{name: "rats_model", order: "alpha beta mu_alpha mu_beta sigma_y sigma_alpha sigma_beta", rows: 150,
			declare: rats},
		{name: "GLMM1_model", order: "alpha mu_alpha sd_alpha", rows: 2072, constant: -math.Log(5), declare: birds},
		{name: "GLMM_Poisson_model", order: "alpha beta1 beta2 beta3 eps sigma", rows: 40, declare: falcons},
		{name: "seeds_model", order: "alpha0 alpha1 alpha12 alpha2 tau b", rows: 21,
			declare: func(d data) *model.Model {
				return seeds(d, 1e3, func(m *model.Model, n int) model.Expr {
					tau := m.Positive("tau", model.Gamma(1e-3, 1e-3))
					return m.Reals("b", n, model.Normal(0, tau.Pow(-.5)))
				})
			}},
		{name: "seeds_stanified_model", order: "alpha0 alpha1 alpha12 alpha2 b sigma", rows: 21, constant: ln2,
			declare: func(d data) *model.Model {
				return seeds(d, 1, func(m *model.Model, n int) model.Expr {
					return m.Reals("b", n, model.Normal(0, m.Positive("sigma", model.HalfCauchy(1))))
				})
			}},
		{name: "seeds_centered_model", order: "alpha0 alpha1 alpha12 alpha2 c sigma", rows: 21, constant: ln2,
			declare: func(d data) *model.Model {
				return seeds(d, 1, func(m *model.Model, n int) model.Expr {
					c := m.Reals("c", n, model.Normal(0, m.Positive("sigma", model.HalfCauchy(1))))
					return c.Sub(c.Mean())
				})
			}},
		{name: "bym2_offset_only", order: "beta0 sigma rho theta phi", rows: 1921, declare: bym2, constant: anyConstant},
		{name: "irt_2pl", order: "sigma_theta theta sigma_a a mu_b sigma_b b", rows: 2000, constant: 3 * ln2,
			declare: twoParameters},
	}
}

type radonData struct {
	floor, uranium model.Expr
	county         *model.Factor
	in             *model.Index
}

func radonCounty(d data) *model.Model {
	m := model.New()
	county, in := m.Codes("county", d.count("J"), d.codes("county"))
	mu := m.Real("mu_a", model.Normal(0, 1))
	sa, sy := m.Interval("sigma_a", 0, 100, model.Uniform(0, 100)), m.Interval("sigma_y", 0, 100, model.Uniform(0, 100))
	a := county.Reals("a", model.Normal(mu, sa))
	m.Observe(m.Data("y", d.vector("y")), model.Normal(a.Of(in), sy))
	return m
}

// election has votes by four properties of the voter and the state.
func election(d data) *model.Model {
	m := model.New()
	b := m.Reals("beta", 5, model.Normal(0, 100))
	black, female := m.Data("black", d.vector("black")), m.Data("female", d.vector("female"))
	eta := b.El(0).Add(b.El(1).Mul(black)).Add(b.El(2).Mul(female)).Add(b.El(4).Mul(female.Mul(black))).
		Add(b.El(3).Mul(m.Data("v_prev", d.vector("v_prev_full"))))
	for name, by := range map[string]string{"a": "age", "b": "edu", "c": "age_edu", "d": "state", "e": "region_full"} {
		group, in := m.Codes(by, d.count("n_"+by), d.codes(by))
		sd := m.Interval("sigma_"+name, 0, 100, model.Uniform(0, 100))
		eta = eta.Add(group.Reals(name, model.Normal(0, sd)).Of(in))
	}
	m.Observe(m.Data("y", d.vector("y")), model.BernoulliLogit(eta))
	return m
}

func pilots(d data) *model.Model {
	m := model.New()
	sd := func(name string) model.Expr { return m.Interval(name, 0, 100, model.Uniform(0, 100)) }
	effect := func(name, of, by string) model.Expr {
		group, in := m.Codes(of, d.count("n_"+of+"s"), d.codes(by))
		mu := m.Real("mu_"+name, model.Normal(0, 1))
		return group.Reals(name, model.Normal(mu.Scale(10), sd("sigma_"+name))).Of(in)
	}
	mean := effect("a", "group", "group_id").Add(effect("b", "scenario", "scenario_id"))
	m.Observe(m.Data("y", d.vector("y")), model.Normal(mean, sd("sigma_y")))
	return m
}

// rats have a line of growth each.
func rats(d data) *model.Model {
	m := model.New()
	rat, in := m.Codes("rat", d.count("N"), d.codes("rat"))
	line := func(name string) model.Expr {
		mu, sd := m.Real("mu_"+name, model.Normal(0, 100)), m.Positive("sigma_"+name, model.Flat())
		return rat.Reals(name, model.Normal(mu, sd)).Of(in)
	}
	age := m.Data("x", d.vector("x")).Shift(-d.number("xbar"))
	mean := line("alpha").Add(line("beta").Mul(age))
	m.Observe(m.Data("y", d.vector("y")), model.Normal(mean, m.Positive("sigma_y", model.Flat())))
	return m
}

// birds are counted at sites, some of whose counts are missing and predicted.
func birds(d data) *model.Model {
	m := model.New()
	site, in := m.Codes("site", d.count("nsite"), d.codes("obssite"))
	mu := m.Real("mu_alpha", model.Normal(0, 10))
	alpha := site.Reals("alpha", model.Normal(mu, m.Interval("sd_alpha", 0, 5, model.Uniform(0, 5))))
	m.Observe(m.Data("obs", d.vector("obs")), model.PoissonLog(alpha.Of(in)))
	missing := d.codes("missite")
	for i := range missing {
		missing[i]--
	}
	m.Predict("mis", len(missing), model.PoissonLog(alpha.At(missing)))
	return m
}

func falcons(d data) *model.Model {
	m := model.New()
	year := m.Data("year", d.vector("year"))
	beta2 := m.Interval("beta2", -10, 20, model.Flat())
	m.Density("beta2 below 10", beta2, model.Uniform(-10, 10))
	eta := m.Interval("alpha", -20, 20, model.Uniform(-20, 20)).
		Add(m.Interval("beta1", -10, 10, model.Uniform(-10, 10)).Mul(year)).
		Add(beta2.Mul(year.Square())).
		Add(m.Interval("beta3", -10, 10, model.Uniform(-10, 10)).Mul(year.Pow(3)))
	eps := m.Reals("eps", d.count("n"), model.Normal(0, m.Interval("sigma", 0, 5, model.Uniform(0, 5))))
	m.Observe(m.Data("C", d.vector("C")), model.PoissonLog(eta.Add(eps)))
	return m
}

// seeds germinate on plates, of two kinds and in two extracts.
func seeds(d data, sd float64, effect func(m *model.Model, n int) model.Expr) *model.Model {
	m := model.New()
	x1, x2 := m.Data("x1", d.vector("x1")), m.Data("x2", d.vector("x2"))
	eta := m.Real("alpha0", model.Normal(0, sd))
	for name, x := range map[string]model.Expr{"alpha1": x1, "alpha2": x2, "alpha12": x1.Mul(x2)} {
		eta = eta.Add(m.Real(name, model.Normal(0, sd)).Mul(x))
	}
	eta = eta.Add(effect(m, d.count("I")))
	m.Observe(m.Data("n", d.vector("n")), model.BinomialLogit(d.vector("N"), eta))
	return m
}

// bym2 has accidents in areas that are like their neighbours.
func bym2(d data) *model.Model {
	m := model.New()
	n := d.count("N")
	b0, sigma := m.Real("beta0", model.Normal(0, 1)), m.Positive("sigma", model.HalfNormal(1))
	rho := m.Interval("rho", 0, 1, model.Beta(.5, .5))
	theta := m.Reals("theta", n, model.Normal(0, 1))
	from, to := d.codes("node1"), d.codes("node2")
	for i := range from {
		from[i]--
		to[i]--
	}
	phi := m.Reals("phi", n, model.ICAR(n, from, to))
	both := rho.OneMinus().Sqrt().Mul(theta).Add(rho.Scale(1 / d.number("scaling_factor")).Sqrt().Mul(phi))
	e := m.Data("E", d.vector("E"))
	m.Observe(m.Data("y", d.vector("y")), model.PoissonLog(e.Log().Add(b0).Add(both.Mul(sigma))))
	return m
}

// twoParameters has items that differ in difficulty and in what they say of a person.
func twoParameters(d data) *model.Model {
	m := model.New()
	y, itemOf, personOf := flat(d.table("y"))
	item, i := m.Codes("item", d.count("I"), itemOf)
	person, j := m.Codes("person", d.count("J"), personOf)
	theta := person.Reals("theta", model.Normal(0, m.Positive("sigma_theta", model.HalfCauchy(2))))
	a := item.Positives("a", model.LogNormal(0, m.Positive("sigma_a", model.HalfCauchy(2))))
	mu, sd := m.Real("mu_b", model.Normal(0, 5)), m.Positive("sigma_b", model.HalfCauchy(2))
	b := item.Reals("b", model.Normal(mu, sd))
	m.Observe(m.Data("y", y), model.BernoulliLogit(a.Of(i).Mul(theta.Of(j).Sub(b.Of(i)))))
	return m
}
