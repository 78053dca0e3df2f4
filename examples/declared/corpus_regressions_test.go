package declared_test

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/model"
)

// design has these columns.
func design(columns ...[]float64) mat.Matrix {
	x := mat.NewDense(len(columns[0]), len(columns), nil)
	for j, c := range columns {
		x.SetCol(j, c)
	}
	return x
}

// normalRegression has an intercept and a coefficient for each column, all flat.
func normalRegression(y []float64, sigma model.Dist, columns ...[]float64) *model.Model {
	m := model.New()
	k := len(columns)
	b, s := m.Reals("beta", k+1, model.Flat()), m.Positive("sigma", sigma)
	x := m.Matrix("x", design(columns...))
	m.Observe(m.Data("y", y), model.Normal(b.El(0).Add(x.MatVec(b.Slice(1, k+1))), s))
	return m
}

func logisticRegression(y []float64, columns ...[]float64) *model.Model {
	m := model.New()
	a, b := m.Real("alpha", model.Flat()), m.Reals("beta", len(columns), model.Flat())
	x := m.Matrix("x", design(columns...))
	m.Observe(m.Data("y", y), model.BernoulliLogit(a.Add(x.MatVec(b))))
	return m
}

// regressions have flat coefficients.
func regressions() []program {
	linear := func(name string, rows int, y func(d data) []float64, sigma model.Dist, constant float64,
		x func(d data) [][]float64) program {
		return program{name: name, order: "beta sigma", rows: rows, constant: constant,
			declare: func(d data) *model.Model { return normalRegression(y(d), sigma, x(d)...) }}
	}
	logOf := func(name string) func(d data) []float64 {
		return func(d data) []float64 { return each(d.vector(name), math.Log) }
	}
	as := func(name string) func(d data) []float64 {
		return func(d data) []float64 { return d.vector(name) }
	}
	earn := func(name string, y func(d data) []float64, x func(d data) [][]float64) program {
		return linear(name, 1192, y, model.Flat(), 0, x)
	}
	height := func(d data) [][]float64 { return [][]float64{d.vector("height")} }
	bush := func(d data) (volume, area, shape []float64) {
		a, b, h := d.vector("diam1"), d.vector("diam2"), d.vector("canopy_height")
		ratio := times(a, each(b, func(x float64) float64 { return 1 / x }))
		return each(times(times(a, b), h), math.Log), each(times(a, b), math.Log), each(ratio, math.Log)
	}
	wells := func(name string, x func(d data) [][]float64) program {
		return program{name: name, order: "alpha beta", rows: 3020, declare: func(d data) *model.Model {
			return logisticRegression(d.vector("switched"), x(d)...)
		}}
	}
	dist := func(d data) []float64 { return scaled(d.vector("dist"), .01) }
	educ := func(d data) []float64 { return scaled(d.vector("educ"), .25) }
	cDist := func(d data) []float64 { return centred(dist(d)) }
	cArsenic := func(d data) []float64 { return centred(d.vector("arsenic")) }
	return []program{
		earn("earn_height", as("earn"), height),
		earn("logearn_height", logOf("earn"), height),
		earn("log10earn_height", func(d data) []float64 { return each(d.vector("earn"), math.Log10) }, height),
		earn("logearn_height_male", logOf("earn"), func(d data) [][]float64 {
			return [][]float64{d.vector("height"), d.vector("male")}
		}),
		earn("logearn_logheight_male", logOf("earn"), func(d data) [][]float64 {
			return [][]float64{each(d.vector("height"), math.Log), d.vector("male")}
		}),
		earn("logearn_interaction", logOf("earn"), func(d data) [][]float64 {
			h, male := d.vector("height"), d.vector("male")
			return [][]float64{h, male, times(h, male)}
		}),
		earn("logearn_interaction_z", logOf("earn"), func(d data) [][]float64 {
			h, male := d.vector("height"), d.vector("male")
			z := scaled(centred(h), 1/deviation(h))
			return [][]float64{z, male, times(z, male)}
		}),
		linear("kidscore_momhs", 434, as("kid_score"), model.HalfCauchy(2.5), ln2, func(d data) [][]float64 {
			return [][]float64{d.vector("mom_hs")}
		}),
		linear("kidscore_momiq", 434, as("kid_score"), model.HalfCauchy(2.5), ln2, func(d data) [][]float64 {
			return [][]float64{d.vector("mom_iq")}
		}),
		linear("kidscore_interaction_c", 434, as("kid_score"), model.Flat(), 0, func(d data) [][]float64 {
			hs, iq := centred(d.vector("mom_hs")), centred(d.vector("mom_iq"))
			return [][]float64{hs, iq, times(hs, iq)}
		}),
		linear("logmesquite_logva", 46, logOf("weight"), model.Flat(), 0, func(d data) [][]float64 {
			volume, area, _ := bush(d)
			return [][]float64{volume, area, d.vector("group")}
		}),
		linear("logmesquite_logvas", 46, logOf("weight"), model.Flat(), 0, func(d data) [][]float64 {
			volume, area, shape := bush(d)
			return [][]float64{volume, area, shape, logOf("total_height")(d), logOf("density")(d),
				d.vector("group")}
		}),
		linear("sesame_one_pred_a", 240, as("watched"), model.Flat(), 0, func(d data) [][]float64 {
			return [][]float64{d.vector("encouraged")}
		}),
		{name: "nes_logit_model", order: "alpha beta", rows: 1179, declare: func(d data) *model.Model {
			return logisticRegression(d.vector("vote"), d.vector("income"))
		}},
		wells("wells_dist100_model", func(d data) [][]float64 { return [][]float64{dist(d)} }),
		wells("wells_dist100ars_model", func(d data) [][]float64 {
			return [][]float64{dist(d), d.vector("arsenic")}
		}),
		wells("wells_interaction_model", func(d data) [][]float64 {
			return [][]float64{dist(d), d.vector("arsenic"), times(dist(d), d.vector("arsenic"))}
		}),
		wells("wells_interaction_c_model", func(d data) [][]float64 {
			return [][]float64{cDist(d), cArsenic(d), times(cDist(d), cArsenic(d))}
		}),
		wells("wells_dae_model", func(d data) [][]float64 {
			return [][]float64{dist(d), d.vector("arsenic"), educ(d)}
		}),
		wells("wells_dae_c_model", func(d data) [][]float64 {
			return [][]float64{cDist(d), cArsenic(d), times(cDist(d), cArsenic(d)), educ(d)}
		}),
		wells("wells_daae_c_model", func(d data) [][]float64 {
			return [][]float64{cDist(d), cArsenic(d), times(cDist(d), cArsenic(d)), d.vector("assoc"), educ(d)}
		}),
		wells("wells_dae_inter_model", func(d data) [][]float64 {
			a, b, c := cDist(d), cArsenic(d), centred(educ(d))
			return [][]float64{a, b, c, times(a, b), times(a, c), times(b, c)}
		}),
		{name: "logistic_regression_rhs", order: "beta0 z tau lambda caux", rows: 54, constant: 1537 * ln2,
			declare: horseshoe, tolerance: 1e-7},
		{name: "nn_rbm1bJ10", order: "sigma2_alpha sigma2_beta alpha beta alpha1 beta1", rows: 100,
			declare: network},
		{name: "losscurve_sislob", order: "omega theta LR mu_LR sd_LR loss_sd", rows: 55, declare: lossCurve},
		{name: "dugongs_model", order: "alpha beta lambda tau U3=0", rows: 27, declare: dugongs},
	}
}

// horseshoe is a logistic regression with many columns, of whose coefficients few are large.
func horseshoe(d data) *model.Model {
	m := model.New()
	k := d.count("d")
	b0 := m.Real("beta0", model.Normal(0, d.number("scale_icept")))
	tau := m.Positive("tau", model.StudentT(d.number("nu_global"), 0, 2*d.number("scale_global")))
	lambda := m.Positives("lambda", k, model.StudentT(d.number("nu_local"), 0, 1))
	caux := m.Positive("caux", model.InvGamma(d.number("slab_df")/2, d.number("slab_df")/2))
	c2, l2 := caux.Scale(d.number("slab_scale")*d.number("slab_scale")), lambda.Square()
	local := c2.Mul(l2).Div(c2.Add(tau.Square().Mul(l2))).Sqrt()
	z := m.Reals("z", k, model.Normal(0, 1))
	x := m.Matrix("x", design(transpose(d.table("x"))...))
	m.Observe(m.Data("y", d.vector("y")), model.BernoulliLogit(b0.Add(x.MatVec(z.Mul(local).Mul(tau)))))
	return m
}

func transpose(rows [][]float64) [][]float64 {
	out := make([][]float64, len(rows[0]))
	for j := range out {
		for _, r := range rows {
			out[j] = append(out[j], r[j])
		}
	}
	return out
}

// network has a layer of ten hidden units and ten classes, of which the first has logit 1.
func network(d data) *model.Model {
	m := model.New()
	const hidden, classes = 10, 10
	inputs := d.count("M")
	scale := func(n float64) float64 { return math.Pow(.05/(n*n), 2) }
	s2a := m.Positive("sigma2_alpha", model.InvGamma(.25, .25*scale(float64(inputs))))
	s2b := m.Positive("sigma2_beta", model.InvGamma(.25, .25*scale(hidden)))
	alpha := m.Reals("alpha", inputs*hidden, model.Normal(0, s2a.Sqrt()))
	beta := m.Reals("beta", hidden*(classes-1), model.Normal(0, s2b.Sqrt()))
	alpha1, beta1 := m.Reals("alpha1", hidden, model.Normal(0, 1)), m.Reals("beta1", classes-1, model.Normal(0, 1))
	x := m.Matrix("x", design(transpose(d.table("x"))...)).Mat()
	unit := x.Mul(model.MatOf(hidden, inputs, alpha).T()).AddRow(alpha1).Each(model.Expr.Tanh)
	v := unit.Mul(model.MatOf(classes-1, hidden, beta).T()).AddRow(beta1)
	logits := []model.Expr{m.Const(1)}
	for j := range classes - 1 {
		logits = append(logits, v.Col(j))
	}
	m.Observe(m.Data("y", d.vector("y")), model.CategoricalLogit(model.Columns(logits...)))
	return m
}

// lossCurve has losses that grow over the years of a cohort to a ratio of its premium.
func lossCurve(d data) *model.Model {
	m := model.New()
	_, cohort := m.Codes("cohort", d.count("n_cohort"), d.codes("cohort_id"))
	_, year := m.Codes("year", d.count("n_time"), d.codes("t_idx"))
	omega, theta := m.Positive("omega", model.LogNormal(0, .5)), m.Positive("theta", model.LogNormal(0, .5))
	mu, sd := m.Real("mu_LR", model.Normal(0, .5)), m.Positive("sd_LR", model.LogNormal(0, .5))
	ratio := m.Positives("LR", d.count("n_cohort"), model.LogNormal(mu, sd))
	lossSD := m.Positive("loss_sd", model.LogNormal(0, .7))
	t, premium := m.Data("t_value", d.vector("t_value")), m.Data("premium", d.vector("premium"))
	growth := t.Div(theta).PowOf(omega).Neg().Exp().OneMinus()
	mean := ratio.Mul(premium).Of(cohort).Mul(growth.Of(year))
	m.Observe(m.Data("loss", d.vector("loss")), model.Normal(mean, lossSD.Mul(premium).Of(cohort)))
	return m
}

// dugongs grow towards a length.
func dugongs(d data) *model.Model {
	m := model.New()
	alpha, beta := m.Real("alpha", model.Normal(0, 1000)), m.Real("beta", model.Normal(0, 1000))
	lambda := m.Interval("lambda", .5, 1, model.Uniform(.5, 1))
	tau := m.Positive("tau", model.Gamma(1e-4, 1e-4))
	mean := alpha.Sub(beta.Mul(lambda.PowOf(m.Data("x", d.vector("x")))))
	m.Observe(m.Data("Y", d.vector("Y")), model.Normal(mean, tau.Pow(-.5)))
	m.Quantity("U3", lambda.Logit())
	return m
}
