package declared_test

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/model"
)

// processes have values that depend on those before or near.
func processes() []program {
	return []program{
		{name: "gp_regr", order: "rho alpha sigma", rows: 1, constant: 2 * ln2, declare: func(d data) *model.Model {
			m := model.New()
			rho, alpha := m.Positive("rho", model.Gamma(25, 4)), m.Positive("alpha", model.HalfNormal(2))
			noise := m.Positive("sigma", model.HalfNormal(1))
			k := model.SquaredExponential(m.Data("x", d.vector("x")), alpha, rho, noise)
			m.Observe(m.Data("y", d.vector("y")), model.MvNormal(0, k.Cholesky()))
			return m
		}},
		{name: "gp_pois_regr", order: "rho alpha z", rows: 11, constant: ln2, declare: func(d data) *model.Model {
			m := model.New()
			rho, alpha := m.Positive("rho", model.Gamma(25, 4)), m.Positive("alpha", model.HalfNormal(2))
			k := model.SquaredExponential(m.Data("x", d.vector("x")), alpha, rho, 1e-10)
			f := k.Cholesky().MatVec(m.Reals("z", d.count("N"), model.Normal(0, 1)))
			m.Observe(m.Data("k", d.vector("k")), model.PoissonLog(f))
			return m
		}},
		{name: "hierarchical_gp", order: "region_z state_z year state region total share=16 mu region_long state_long " +
			"region_short state_short", rows: 550, declare: votes},
		{name: "state_space_stochastic_level_stochastic_seasonal", order: "mu seasonal beta lambda sigma", rows: 192,
			constant: logOf6 + 3*ln2, declare: drivers},
		{name: "covid19imperial_v2", order: "mu alpha kappa y phi tau ifr", rows: 235, constant: 2 * ln2,
			declare: infections},
	}
}

// votes has, for states and for regions, a Gaussian process with two lengthscales over the years. Sixteen
// variances and that of the error are shares of one.
func votes(d data) *model.Model {
	m := model.New()
	years, n := d.count("N_years"), d.count("N")
	total, share := m.Positive("total", model.Gamma(3, 3)), m.Simplex("share", 17, model.Dirichlet(2))
	sd := total.Scale(17).Mul(share).Sqrt()
	year, inYear := m.Codes("year of", d.count("N_years_obs"), d.codes("year_ind"))
	state, inState := m.Codes("state of", d.count("N_states"), d.codes("state_ind"))
	region, inRegion := m.Codes("region of", d.count("N_regions"), d.codes("region_ind"))
	_, regionOfState := m.Codes("region of state", d.count("N_regions"), d.codes("state_region_ind"))
	mean := m.Real("mu", model.Normal(.5, .5)).
		Add(year.Reals("year", model.Normal(0, sd.El(0)), model.NonCentred).Of(inYear)).
		Add(region.Reals("region", model.Normal(0, sd.El(1)), model.NonCentred).Of(inRegion)).
		Add(state.Reals("state", model.Normal(0, sd.Slice(2, 12).Of(regionOfState)), model.NonCentred).Of(inState))
	ts := make([]float64, years)
	for i := range ts {
		ts[i] = float64(i + 1)
	}
	t := m.Data("t", ts)
	for g, f := range map[string]struct {
		n, long, short int
		rows           []int
	}{
		"region": {d.count("N_regions"), 12, 14, d.codes("region_ind")},
		"state":  {d.count("N_states"), 13, 15, d.codes("state_ind")},
	} {
		long := model.SquaredExponential(t, sd.El(f.long), m.Positive(g+"_long", model.Weibull(30, 8)), 1e-6)
		short := model.SquaredExponential(t, sd.El(f.short), m.Positive(g+"_short", model.Weibull(30, 3)), 0)
		z := model.MatOf(f.n, years, m.Reals(g+"_z", f.n*years, model.Normal(0, 1)))
		gp := z.Mul(long.Add(short).Cholesky().T())
		at := make([]int, n)
		for i, y := range d.codes("year_ind") {
			at[i] = (f.rows[i]-1)*years + y - 1
		}
		mean = mean.Add(gp.Values().At(at))
	}
	m.Observe(m.Data("y", d.vector("y")), model.Normal(mean, sd.El(16)))
	return m
}

// drivers has a level that walks, and a season whose sums over a year are near 0.
func drivers(d data) *model.Model {
	m := model.New()
	n := d.count("n")
	y := d.vector("y")
	sigma := m.PositiveOrdered("sigma", 3, model.StudentT(4, 0, 1))
	mu := m.Intervals("mu", n, average(y)-3*deviation(y), average(y)+3*deviation(y), model.Flat())
	m.Density("steps", mu.Slice(1, n), model.Normal(mu.Slice(0, n-1), sigma.El(1)))
	sum := make([]float64, 11)
	for i := range sum {
		sum[i] = -1
	}
	season := m.Reals("seasonal", n, model.Autoregression(sum, model.Flat(), model.Normal(0, sigma.El(0))))
	beta, lambda := m.Real("beta", model.Flat()), m.Real("lambda", model.Flat())
	mean := mu.Add(beta.Mul(m.Data("x", d.vector("x")))).Add(lambda.Mul(m.Data("w", d.vector("w"))))
	m.Observe(m.Data("y", y), model.Normal(mean.Add(season), sigma.El(2)))
	return m
}

// infections of a day come from those of the days before, and deaths from infections. Expressions have a value
// for each country.
func infections(d data) *model.Model {
	m := model.New()
	countries, days, first := d.count("M"), d.count("N2"), d.count("N0")
	var x [][]float64
	measures := get[[][][]float64](d, "X")
	for t := range days {
		for c := range countries {
			x = append(x, measures[c][t])
		}
	}
	kappa, tau := m.Positive("kappa", model.HalfNormal(.5)), m.Positive("tau", model.Exponential(.03))
	mu := m.Positives("mu", countries, model.Flat())
	m.Density("mu about its mean", mu, model.Normal(3.28, kappa))
	alpha := m.Positives("alpha", d.count("P"), model.Gamma(.1667, 1))
	y, phi := m.Positives("y", countries, model.Exponential(tau.Inv())), m.Positive("phi", model.HalfNormal(5))
	ifr := m.Positives("ifr", countries, model.Normal(1, .1))
	effect := m.Matrix("X", design(transpose(x)...)).MatVec(alpha.Shift(-math.Log(1.05) / 6)).Neg().Exp()
	pop, si := m.Data("pop", d.vector("pop")), d.vector("SI")
	var infected []model.Expr
	gone := y.Scale(float64(first - 1))
	for t := range days {
		if t < first {
			infected = append(infected, y)
			continue
		}
		force := infected[0].Scale(si[t-1])
		for j := 1; j < t; j++ {
			force = force.Add(infected[j].Scale(si[t-1-j]))
		}
		gone = gone.Add(infected[t-1])
		r := mu.Mul(effect.Slice(t*countries, (t+1)*countries)).Mul(gone.Div(pop).OneMinus())
		infected = append(infected, r.Mul(force))
	}
	all := model.MatOf(days, countries, model.Stack(infected...))
	start, end, deaths := d.codes("EpidemicStart"), d.codes("N"), transpose(d.table("deaths"))
	for c, f := range transpose(d.table("f")) {
		lags := mat.NewDense(days, days, nil)
		lags.Set(0, 0, 1e-15)
		for i := 1; i < days; i++ {
			for j := range i {
				lags.Set(i, j, f[i-j-1])
			}
		}
		mean := m.Matrix(fmt.Sprint("f", c+1), lags).MatVec(all.Col(c)).Mul(ifr.El(c))
		m.Observe(m.Data(fmt.Sprint("deaths", c+1), deaths[c][start[c]-1:end[c]]),
			model.NegBinomial2(mean.Slice(start[c]-1, end[c]), phi))
	}
	return m
}
