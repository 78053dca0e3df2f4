package declared_test

import "bayeskernel/model"

// counted are rates, and experiments in which what comes next depends on what came before.
func counted() []program {
	common := func(d data) *model.Model {
		m := model.New()
		theta := m.Interval("theta", 0, 1, model.Beta(1, 1))
		trials := []float64{d.number("n1"), d.number("n2")}
		m.Observe(m.Data("k", []float64{d.number("k1"), d.number("k2")}), model.Binomial(trials, theta))
		return m
	}
	return []program{
		{name: "Rate_1_model", order: "theta", rows: 1, declare: func(d data) *model.Model {
			m := model.New()
			theta := m.Interval("theta", 0, 1, model.Beta(1, 1))
			m.Observe(m.Data("k", []float64{d.number("k")}), model.Binomial(d.number("n"), theta))
			return m
		}},
		{name: "Rate_3_model", order: "theta", rows: 2, declare: common},
		{name: "Rate_5_model", order: "theta", rows: 2, declare: common},
		{name: "dogs_log", order: "beta1 beta2", rows: 750, declare: dogsLog},
		{name: "dogs_hierarchical", order: "a b", rows: 750, declare: dogsTogether},
		{name: "dogs_nonhierarchical", order: "mu sigma L=1 z@0/2 z@1/2", rows: 750, constant: 2 * ln2,
			declare: dogsApart},
	}
}

// dogs returns, for each trial of each dog, whether it was shocked, how often it was before and how often not,
// and the numbers of the dogs.
func dogs(m *model.Model, d data) (y, shocks, avoidances model.Expr, dog *model.Index) {
	var before, not []float64
	values, of, _ := flat(d.table("y"))
	for _, row := range d.table("y") {
		sum := 0.0
		for t, v := range row {
			before, not = append(before, sum), append(not, float64(t)-sum)
			sum += v
		}
	}
	_, dog = m.Codes("dog", d.count("n_dogs"), of)
	return m.Data("y", values), m.Data("shocks", before), m.Data("avoidances", not), dog
}

func dogsLog(d data) *model.Model {
	m := model.New()
	y, shocks, avoidances, _ := dogs(m, d)
	b1, b2 := m.Real("beta1", model.Flat()), m.Real("beta2", model.Flat())
	m.Density("beta1 below 0", b1, model.Uniform(-100, 0))
	m.Density("beta2 above 0", b2, model.Uniform(0, 100))
	m.Observe(y, model.BernoulliLogit(b1.Mul(avoidances).Add(b2.Mul(shocks))))
	return m
}

func dogsTogether(d data) *model.Model {
	m := model.New()
	y, shocks, avoidances, _ := dogs(m, d)
	a, b := m.Interval("a", 0, 1, model.Uniform(0, 1)), m.Interval("b", 0, 1, model.Uniform(0, 1))
	m.Observe(y, model.Bernoulli(a.PowOf(shocks).Mul(b.PowOf(avoidances))))
	return m
}

// dogsApart lets dogs differ in both numbers, which are correlated. As there, coordinates of a dog are a row
// times the scaled factor, not the factor times a column.
func dogsApart(d data) *model.Model {
	m := model.New()
	y, shocks, avoidances, dog := dogs(m, d)
	mu, sigma := m.Reals("mu", 2, model.Logistic(0, 1)), m.Positives("sigma", 2, model.HalfNormal(1))
	l := m.CorrCholesky("L", 2, model.LKJ(2))
	n := d.count("n_dogs")
	z := model.MatOf(n, 2, m.Reals("z", 2*n, model.Normal(0, 1)))
	ab := z.Mul(l.ScaleRows(sigma)).AddRow(mu).Each(model.Expr.InvLogit)
	p := ab.Col(0).Of(dog).PowOf(shocks).Mul(ab.Col(1).Of(dog).PowOf(avoidances))
	m.Observe(y, model.Bernoulli(p))
	return m
}
