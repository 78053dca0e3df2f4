package declared_test

import (
	"fmt"

	"bayeskernel/model"
)

// answers are models of item responses.
func answers() []program {
	return []program{
		{name: "2pl_latent_reg_irt", order: "alpha beta theta lambda", rows: 7000, declare: latentRegression(
			func(m *model.Model, d data, a, theta model.Expr) {
				_, item := m.Codes("item", d.count("I"), d.codes("ii"))
				beta := sumsToZero(m, "beta", d.count("I"))
				m.Observe(m.Data("y", d.vector("y")), model.BernoulliLogit(a.Mul(theta).Sub(beta.Of(item))))
			})},
		{name: "grsm_latent_reg_irt", order: "alpha beta kappa theta lambda", rows: 2744, declare: latentRegression(
			func(m *model.Model, d data, a, theta model.Expr) {
				_, item := m.Codes("item", d.count("I"), d.codes("ii"))
				beta := sumsToZero(m, "beta", d.count("I"))
				y := d.vector("y")
				kappa := sumsToZero(m, "kappa", int(most(y)))
				m.Observe(m.Data("y", y).Shift(1), model.PartialCredit(a.Mul(theta).Sub(beta.Of(item)), kappa))
			})},
		{name: "gpcm_latent_reg_irt", order: "alpha beta theta lambda", rows: 5500, declare: latentRegression(
			func(m *model.Model, d data, a, theta model.Expr) {
				answers := d.vector("y")
				rows, credit := make([][]int, d.count("I")), make([][]float64, d.count("I"))
				for n, i := range d.codes("ii") {
					rows[i-1] = append(rows[i-1], n)
					credit[i-1] = append(credit[i-1], answers[n]+1)
				}
				steps := 0
				for _, c := range credit {
					steps += int(most(c)) - 1
				}
				beta, from := sumsToZero(m, "beta", steps), 0
				eta := a.Mul(theta)
				for i, c := range credit {
					to := from + int(most(c)) - 1
					y := m.Data(fmt.Sprint("y", i+1), c)
					m.Observe(y, model.PartialCredit(eta.At(rows[i]), beta.Slice(from, to)))
					from = to
				}
			})},
		{name: "hier_2pl", order: "theta xi@0/2 xi@1/2 mu tau L=1", rows: 19200, declare: correlatedItems},
		{name: "lsat_model", order: "alpha theta beta", rows: 5000, constant: ln2, declare: lsat},
		{name: "bones_model", order: "theta", rows: 422, declare: bones},
	}
}

// sumsToZero has n normal values, of which the last is what makes their sum 0.
func sumsToZero(m *model.Model, name string, n int) model.Expr {
	free := m.Reals(name, n-1, model.Flat())
	all := model.Stack(free, free.Sum().Neg())
	m.Density("all of "+name, all, model.Normal(0, 3))
	return all
}

// latentRegression has persons whose ability depends on what is known of them. Answers are given what
// items discriminate and the abilities, by rows.
func latentRegression(answer func(m *model.Model, d data, a, theta model.Expr)) func(d data) *model.Model {
	return func(d data) *model.Model {
		m := model.New()
		item, i := m.Codes("item of", d.count("I"), d.codes("ii"))
		person, j := m.Codes("person", d.count("J"), d.codes("jj"))
		w := transpose(d.table("W"))
		for k, c := range w[1:] {
			w[k+1] = adjusted(c)
		}
		lambda := m.Reals("lambda", d.count("K"), model.StudentT(3, 0, 1))
		theta := person.Reals("theta", model.Normal(m.Matrix("W", design(w...)).MatVec(lambda), 1))
		a := item.Positives("alpha", model.LogNormal(1, 1))
		answer(m, d, a.Of(i), theta.Of(j))
		return m
	}
}

// adjusted centres a covariate, and divides it by two standard deviations.
func adjusted(v []float64) []float64 { return scaled(centred(v), 1/(2*deviation(v))) }

// correlatedItems has items whose difficulty and log discrimination are correlated.
func correlatedItems(d data) *model.Model {
	m := model.New()
	_, i := m.Codes("item", d.count("I"), d.codes("ii"))
	person, j := m.Codes("person", d.count("J"), d.codes("jj"))
	theta := person.Reals("theta", model.Normal(0, 1))
	mu := m.Reals("mu", 2, model.Normal(0, []float64{1, 5}))
	tau, l := m.Positives("tau", 2, model.Exponential(.1)), m.CorrCholesky("L", 2, model.LKJ(4))
	n := d.count("I")
	xi := model.MatOf(n, 2, m.Reals("xi", 2*n, model.MvNormal(mu, l.ScaleRows(tau))))
	a, b := xi.Col(0).Exp().Of(i), xi.Col(1).Of(i)
	m.Observe(m.Data("y", d.vector("y")), model.BernoulliLogit(a.Mul(theta.Of(j).Sub(b))))
	return m
}

// lsat has the answers of a thousand students to five questions, by patterns of answers.
func lsat(d data) *model.Model {
	var y []float64
	var student, question []int
	n := 0
	for pattern, upto := range d.codes("culm") {
		for ; n < upto; n++ {
			for k, v := range d.table("response")[pattern] {
				y, student, question = append(y, v), append(student, n+1), append(question, k+1)
			}
		}
	}
	m := model.New()
	who, of := m.Codes("student", n, student)
	questions, k := m.Codes("question", d.count("T"), question)
	alpha := questions.Reals("alpha", model.Normal(0, 100))
	theta, beta := who.Reals("theta", model.Normal(0, 1)), m.Positive("beta", model.HalfNormal(100))
	m.Observe(m.Data("y", y), model.BernoulliLogit(beta.Mul(theta.Of(of)).Sub(alpha.Of(k))))
	return m
}

// bones have grades of maturity, whose number differs from bone to bone.
func bones(d data) *model.Model {
	m := model.New()
	theta := m.Reals("theta", d.count("nChild"), model.Normal(0, 36))
	grades, gamma := transpose(d.table("grade")), d.table("gamma")
	for j, delta := range d.vector("delta") {
		var y []float64
		var child []int
		for i, g := range grades[j] {
			if g > 0 {
				y, child = append(y, g), append(child, i)
			}
		}
		if len(y) == 0 {
			continue
		}
		cuts := m.Values(scaled(gamma[j][:d.codes("ncat")[j]-1], delta))
		grade := m.Data(fmt.Sprint("grade", j+1), y)
		m.Observe(grade, model.OrderedLogistic(theta.At(child).Scale(delta), cuts))
	}
	return m
}
