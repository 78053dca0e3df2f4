package declared_test

import (
	"fmt"
	"math"

	"bayeskernel/examples/declared"
	"bayeskernel/model"
)

// hidden have what nobody saw: parts of a mixture, animals that were never caught, states of a chain.
func hidden() []program {
	mixture := func(mean, theta, sd model.Dist) func(d data) *model.Model {
		return func(d data) *model.Model {
			m := model.New()
			mu, t := m.Reals("mu", 2, mean), m.Interval("theta", 0, 1, theta)
			sigma := m.Values([]float64{1, 1})
			if sd != (model.Dist{}) {
				sigma = m.Positives("sigma", 2, sd)
			}
			m.Observe(m.Data("y", d.vector("y")), model.Mix(model.Stack(t, t.OneMinus()),
				model.Normal(mu.El(0), sigma.El(0)), model.Normal(mu.El(1), sigma.El(1))))
			return m
		}
	}
	return []program{
		{name: "normal_mixture", order: "theta mu", rows: 1000,
			declare: mixture(model.Normal(0, 10), model.Uniform(0, 1), model.Dist{})},
		{name: "low_dim_gauss_mix_collapse", order: "mu sigma theta", rows: 1000, constant: 2 * ln2,
			declare: mixture(model.Normal(0, 2), model.Beta(5, 5), model.HalfNormal(2))},
		{name: "Survey_model", order: "theta", rows: 1, declare: survey},
		{name: "M0_model", order: "omega p", rows: 237, declare: together},
		{name: "Mt_model", order: "omega p", rows: 237, declare: captures(byOccasion)},
		{name: "Mb_model", order: "omega p c", rows: 318, declare: captures(afterCapture)},
		{name: "Mth_model", order: "omega mean_p sigma eps", rows: 387, constant: -logOf5,
			declare: captures(byOccasionAndAnimal)},
		{name: "Mh_model", order: "omega mean_p sigma eps", rows: 385, constant: -logOf5, declare: totals},
		{name: "multi_occupancy", order: "alpha beta Omega rho sigma uv@0/2 uv@1/2", rows: 50, constant: 2 * ln2,
			declare: butterflies},
		{name: "ldaK2", order: "theta1=1 theta2=1 theta3=1 phi1=2 phi2=2", rows: 1200, declare: topics},
		{name: "ldaK5", order: fmt.Sprint(numbered("theta", 61, 4), numbered("phi", 5, 1494)), rows: 61,
			constant: anyConstant, declare: documents},
		{name: "hmm_example", order: "theta1=1 theta2=1 mu", rows: 1, constant: -ln2 - logPhi3,
			declare: already(declared.HMMExample)},
		{name: "hmm_drive_0", order: "theta1=1 theta2=1 phi lambda", rows: 1, constant: ln2 - 2*logPhi3,
			declare: already(declared.HMMDrive)},
		{name: "hmm_gaussian", order: "pi1=2 A1=2 A2=2 A3=2 mu sigma", rows: 4, constant: logOf6, declare: chain},
		{name: "iohmm_reg", order: "pi1=2 w b sigma", rows: 500, constant: 3*ln2 - logOf3, declare: driven},
	}
}

// already is a model that this folder declares, with data of its own.
func already(declare func() (*model.Model, error)) func(d data) *model.Model {
	return func(d data) *model.Model {
		m, err := declare()
		if err != nil {
			d.t.Fatal(err)
		}
		return m
	}
}

// logPhi3 is the log of the share of a normal distribution above -3 standard deviations.
var logPhi3 = math.Log(math.Erfc(-3/math.Sqrt2) / 2)

const (
	logOf3 = 1.0986122886681098
	logOf6 = 1.791759469228055
	logOf5 = 1.6094379124341003
)

func numbered(name string, n, free int) string {
	s := ""
	for i := range n {
		s += fmt.Sprintf("%s%d=%d ", name, i+1, free)
	}
	return s
}

// survey does not know how many questionnaires were sent.
func survey(d data) *model.Model {
	m := model.New()
	most := d.count("nmax")
	equal := make([]float64, most)
	for i := range equal {
		equal[i] = 1 / float64(most)
	}
	n := m.Latent("n", 1, model.Categorical(equal))
	theta := m.Interval("theta", 0, 1, model.Uniform(0, 1))
	m.Observe(m.Data("k", d.vector("k")), model.Binomial(n.El(0), theta))
	return m
}

// captures has animals that may have been there but were never caught.
func captures(chance func(m *model.Model, before model.Expr, c catches) model.Expr) func(d data) *model.Model {
	return func(d data) *model.Model {
		m := model.New()
		n, occasions := d.count("M"), d.count("T")
		y, animalOf, occasionOf := flat(d.table("y"))
		before := make([]float64, len(y)) // caught at the occasion before
		for i := range y {
			if occasionOf[i] > 1 {
				before[i] = y[i-1]
			}
		}
		c := catches{n: n, occasions: occasions}
		_, c.animal = m.Codes("animal", n, animalOf)
		_, c.occasion = m.Codes("occasion", occasions, occasionOf)
		there := m.Latent("there", n, model.Bernoulli(m.Interval("omega", 0, 1, model.Uniform(0, 1))))
		p := chance(m, m.Data("before", before), c)
		m.Observe(m.Data("y", y), model.Bernoulli(there.Of(c.animal).Mul(p)))
		return m
	}
}

type catches struct {
	n, occasions     int
	animal, occasion *model.Index
}

func probability(m *model.Model, name string) model.Expr {
	return m.Interval(name, 0, 1, model.Uniform(0, 1))
}

// together has animals that are all caught as easily, at any time.
func together(d data) *model.Model {
	m := model.New()
	var sums []float64
	for _, row := range d.table("y") {
		sums = append(sums, average(row)*float64(len(row)))
	}
	there := m.Latent("there", d.count("M"), model.Bernoulli(probability(m, "omega")))
	m.Observe(m.Data("y", each(sums, math.Round)), model.Binomial(d.count("T"), there.Mul(probability(m, "p"))))
	return m
}

func byOccasion(m *model.Model, _ model.Expr, c catches) model.Expr {
	return m.Intervals("p", c.occasions, 0, 1, model.Uniform(0, 1)).Of(c.occasion)
}

func afterCapture(m *model.Model, before model.Expr, _ catches) model.Expr {
	return model.If(before, probability(m, "c"), probability(m, "p"))
}

func byOccasionAndAnimal(m *model.Model, _ model.Expr, c catches) model.Expr {
	mean := m.Intervals("mean_p", c.occasions, 0, 1, model.Uniform(0, 1))
	sigma := m.Interval("sigma", 0, 5, model.Uniform(0, 5))
	eps := m.Reals("eps", c.n, model.Normal(0, sigma), model.NonCentred)
	return mean.Logit().Of(c.occasion).Add(eps.Of(c.animal)).InvLogit()
}

// totals has animals that differ in how easily they are caught.
func totals(d data) *model.Model {
	m := model.New()
	n := d.count("M")
	there := m.Latent("there", n, model.Bernoulli(probability(m, "omega")))
	mean, sigma := probability(m, "mean_p"), m.Interval("sigma", 0, 5, model.Uniform(0, 5))
	eps := m.Reals("eps", n, model.Normal(mean.Logit(), sigma), model.NonCentred)
	m.Observe(m.Data("y", d.vector("y")), model.Binomial(d.count("T"), there.Mul(eps.InvLogit())))
	return m
}

// butterflies has species of which some were never seen, at sites that have or have not a species.
func butterflies(d data) *model.Model {
	m := model.New()
	species, sites := d.count("S"), d.count("J")
	x := d.table("X")
	for len(x) < species {
		x = append(x, make([]float64, sites))
	}
	seen, speciesOf, _ := flat(x)
	_, s := m.Codes("species", species, speciesOf)
	alpha, beta := m.Real("alpha", model.Cauchy(0, 2.5)), m.Real("beta", model.Cauchy(0, 2.5))
	there := m.Latent("there", species, model.Bernoulli(m.Interval("Omega", 0, 1, model.Beta(2, 2))))
	rho, sigma := m.Interval("rho", -1, 1, model.Flat()), m.Positives("sigma", 2, model.HalfCauchy(2.5))
	m.Density("rho about 0", rho.Shift(1).Scale(.5), model.Beta(2, 2))
	l := model.MatOf(2, 2, model.Stack(m.Const(1), m.Const(0), rho, rho.Square().OneMinus().Sqrt()))
	uv := model.MatOf(species, 2, m.Reals("uv", 2*species, model.MvNormal(0, l.ScaleRows(sigma))))
	psi, theta := uv.Col(0).Add(alpha).InvLogit(), uv.Col(1).Add(beta).InvLogit()
	occupied := m.Latent("occupied", species*sites, model.Bernoulli(there.Mul(psi).Of(s)))
	m.Observe(m.Data("X", seen), model.Binomial(d.count("K"), occupied.Mul(theta.Of(s))))
	return m
}

// topics is a mixture for each document, of which the parts are distributions of words.
func topics(d data) *model.Model {
	m := model.New()
	var theta, phi []model.Expr
	for i := range d.count("M") {
		theta = append(theta, m.Simplex(fmt.Sprint("theta", i+1), 2, model.Dirichlet(1)))
	}
	v := d.count("V")
	for k := range 2 {
		phi = append(phi, m.Simplex(fmt.Sprint("phi", k+1), v, model.Dirichlet(1)))
	}
	_, doc := m.Codes("document", len(theta), d.codes("doc"))
	of := model.MatOf(len(theta), 2, model.Stack(theta...))
	z := m.Latent("topic", d.count("N"), model.Categorical(of.Of(doc)))
	m.Observe(m.Data("word", d.vector("w")), model.Categorical(model.MatOf(2, v, model.Stack(phi...)).Pick(z)))
	return m
}

// documents has the same by counts of words.
func documents(d data) *model.Model {
	m := model.New()
	var theta, phi []model.Expr
	docs, words := d.count("M"), d.count("V")
	for i := range docs {
		theta = append(theta, m.Simplex(fmt.Sprint("theta", i+1), 5, model.Dirichlet(d.vector("alpha"))))
	}
	for k := range 5 {
		phi = append(phi, m.Simplex(fmt.Sprint("phi", k+1), words, model.Dirichlet(d.vector("beta"))))
	}
	counts, length := make([]float64, docs*words), make([]float64, docs)
	of := d.codes("doc")
	for n, w := range d.codes("w") {
		i := of[n] - 1
		counts[i*words+w-1]++
		length[i]++
	}
	p := model.MatOf(docs, 5, model.Stack(theta...)).Mul(model.MatOf(5, words, model.Stack(phi...)))
	m.Observe(m.Data("counts", counts), model.Multinomial(length, p))
	return m
}

// chain is a hidden Markov model. As there, the first value counts in all states at once.
func chain(d data) *model.Model {
	m := model.New()
	const k = 3
	first := m.Simplex("pi1", k, model.Flat())
	var rows []model.Expr
	for j := range k {
		rows = append(rows, m.Simplex(fmt.Sprint("A", j+1), k, model.Flat()))
	}
	mu, sigma := m.Ordered("mu", k, model.Flat()), m.Positives("sigma", k, model.Flat())
	y := d.vector("y")
	z := m.Latent("z", len(y), model.Markov(first, model.MatOf(k, k, model.Stack(rows...)))).Slice(1, len(y))
	m.Observe(m.Data("y1", []float64{y[0], y[0], y[0]}), model.Normal(mu, sigma))
	m.Observe(m.Data("y", y[1:]), model.Normal(mu.Pick(z), sigma.Pick(z)))
	return m
}

// driven has states whose probabilities depend on an input. As there, it is the state before that has them.
func driven(d data) *model.Model {
	m := model.New()
	const k = 3
	n, inputs := d.count("T"), d.count("M")
	u := m.Matrix("u", design(transpose(d.table("u"))...)).Mat()
	first := m.Simplex("pi1", k, model.Flat())
	w := model.MatOf(k, inputs, m.Reals("w", k*inputs, model.Normal(0, 5)))
	b := model.MatOf(k, inputs, m.Reals("b", k*inputs, model.Normal(0, 5)))
	sigma := m.Positives("sigma", k, model.HalfNormal(3))
	next := model.Stack(u.Mul(w.T()).Values().Slice(k, n*k), m.Values(make([]float64, k)))
	z := m.Latent("z", n, model.CategoricalLogit(model.MatOf(n, k, next)))
	m.AddLogDensity(first.Log().Pick(z.El(0)))
	mean := b.Pick(z).Combine(u, model.Expr.Mul).SumRows()
	m.Observe(m.Data("y", d.vector("y")), model.Normal(mean, sigma.Pick(z)))
	return m
}
