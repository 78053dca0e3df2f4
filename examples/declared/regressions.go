package declared

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bayeskernel/examples/models"
	"bayeskernel/model"
)

// matrix has these rows.
func matrix(rows [][]float64) *mat.Dense {
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		x.SetRow(i, row)
	}
	return x
}

// columns has these columns.
func columns(all ...[]float64) mat.Matrix { return matrix(all).T() }

// indicator is 1 where a value equals b, else 0.
func indicator(values []float64, b float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		if v == b {
			out[i] = 1
		}
	}
	return out
}

// regression is linear, with normal errors: an intercept and then a coefficient for each column.
func regression(y []float64, x mat.Matrix, sigma model.Dist) (*model.Model, error) {
	m := model.New()
	_, k := x.Dims()
	b := m.Reals("beta", k+1, model.Flat())
	s := m.Positive("sigma", sigma)
	mean := b.El(0).Add(m.Matrix("x", x).MatVec(b.Slice(1, k+1)))
	m.Observe(m.Data("y", y), model.Normal(mean, s))
	return m, nil
}

type kidData struct {
	KidScore []float64 `json:"kid_score"`
	MomHS    []float64 `json:"mom_hs"`
	MomIQ    []float64 `json:"mom_iq"`
	MomWork  []float64 `json:"mom_work"`
}

// KidScore regresses test scores of children on two properties of the mother and their product.
func KidScore() (*model.Model, error) {
	var d kidData
	if err := models.Data("kidscore", &d); err != nil {
		return nil, err
	}
	m := model.New()
	hs, iq := m.Data("mom_hs", d.MomHS), m.Data("mom_iq", d.MomIQ)
	b, sigma := m.Reals("beta", 4, model.Flat()), m.Positive("sigma", model.HalfCauchy(2.5))
	mean := b.El(0).Add(b.El(1).Mul(hs)).Add(b.El(2).Mul(iq)).Add(b.El(3).Mul(hs.Mul(iq)))
	m.Observe(m.Data("kid_score", d.KidScore), model.Normal(mean, sigma))
	return m, nil
}

// KidScoreMomHSIQ is KidScore without the product.
func KidScoreMomHSIQ() (*model.Model, error) {
	var d kidData
	if err := models.Data("kidscore", &d); err != nil {
		return nil, err
	}
	return regression(d.KidScore, columns(d.MomHS, d.MomIQ), model.HalfCauchy(2.5))
}

// KidScoreMomWork regresses the test scores on four classes of the mother's work.
func KidScoreMomWork() (*model.Model, error) {
	var d kidData
	if err := models.Data("kidscore_mom_work", &d); err != nil {
		return nil, err
	}
	w := d.MomWork
	return regression(d.KidScore, columns(indicator(w, 2), indicator(w, 3), indicator(w, 4)),
		model.Flat())
}

// BLR is a linear regression of simulated values.
func BLR() (*model.Model, error) {
	var d struct {
		Y []float64
		X [][]float64
	}
	if err := models.Data("blr", &d); err != nil {
		return nil, err
	}
	m := model.New()
	x := m.Matrix("X", matrix(d.X))
	b := m.Reals("beta", len(d.X[0]), model.Normal(0, 10))
	sigma := m.Positive("sigma", model.HalfNormal(10))
	m.Observe(m.Data("y", d.Y), model.Normal(x.MatVec(b), sigma))
	return m, nil
}

// Diamonds regresses the log price of diamonds on centred contrasts.
func Diamonds() (*model.Model, error) {
	var d struct {
		Y []float64
		X [][]float64 // the first column is of ones
	}
	if err := models.Data("diamonds", &d); err != nil {
		return nil, err
	}
	m := model.New()
	x := m.Matrix("Xc", centred(matrix(d.X)))
	b := m.Reals("b", len(d.X[0])-1, model.Normal(0, 1))
	intercept := m.Real("Intercept", model.StudentT(3, 8, 10))
	sigma := m.Positive("sigma", model.StudentT(3, 0, 10))
	m.Observe(m.Data("Y", d.Y), model.Normal(intercept.Add(x.MatVec(b)), sigma))
	return m, nil
}

// centred is x without its first column, less the mean of each other column.
func centred(x *mat.Dense) mat.Matrix {
	n, k := x.Dims()
	out := mat.NewDense(n, k-1, nil)
	for j := 1; j < k; j++ {
		column := mat.Col(nil, j, x)
		floats.AddConst(-floats.Sum(column)/float64(n), column)
		out.SetCol(j-1, column)
	}
	return out
}

// NES regresses the party that Americans identified with on what else they told.
func NES() (*model.Model, error) {
	var d struct {
		PartyID []float64 `json:"partyid7"`
		Ideo    []float64 `json:"real_ideo"`
		Race    []float64 `json:"race_adj"`
		Age     []float64 `json:"age_discrete"`
		Educ    []float64 `json:"educ1"`
		Gender  []float64
		Income  []float64
	}
	if err := models.Data("nes", &d); err != nil {
		return nil, err
	}
	return regression(d.PartyID, columns(d.Ideo, d.Race, indicator(d.Age, 2), indicator(d.Age, 3),
		indicator(d.Age, 4), d.Educ, d.Gender, d.Income), model.Flat())
}

type mesquiteData struct {
	Weight, Diam1, Diam2, Density, Group []float64

	CanopyHeight []float64 `json:"canopy_height"`
	TotalHeight  []float64 `json:"total_height"`
}

// Mesquite predicts the leaf weight of mesquite bushes from their measures.
func Mesquite() (*model.Model, error) {
	var d mesquiteData
	if err := models.Data("mesquite", &d); err != nil {
		return nil, err
	}
	return regression(d.Weight, columns(d.Diam1, d.Diam2, d.CanopyHeight, d.TotalHeight, d.Density,
		d.Group), model.Flat())
}

// LogMesquite is Mesquite on the log scale.
func LogMesquite() (*model.Model, error) {
	var d mesquiteData
	if err := models.Data("mesquite", &d); err != nil {
		return nil, err
	}
	m := model.New()
	log := func(name string, v []float64) model.Expr { return m.Data(name, v).Log() }
	b, sigma := m.Reals("beta", 7, model.Flat()), m.Positive("sigma", model.Flat())
	mean := b.El(0).Add(b.El(6).Mul(m.Data("group", d.Group)))
	for k, x := range []model.Expr{log("diam1", d.Diam1), log("diam2", d.Diam2),
		log("canopy_height", d.CanopyHeight), log("total_height", d.TotalHeight),
		log("density", d.Density)} {
		mean = mean.Add(b.El(k + 1).Mul(x))
	}
	m.Observe(log("weight", d.Weight), model.Normal(mean, sigma))
	return m, nil
}

// LogVASh predicts the log weight of the bushes from volume, area and shape of the canopy.
func LogVASh() (*model.Model, error) {
	var d mesquiteData
	if err := models.Data("mesquite", &d); err != nil {
		return nil, err
	}
	m := model.New()
	diam1, diam2 := m.Data("diam1", d.Diam1), m.Data("diam2", d.Diam2)
	area := diam1.Mul(diam2)
	volume, shape := area.Mul(m.Data("canopy_height", d.CanopyHeight)), diam1.Div(diam2)
	b, sigma := m.Reals("beta", 6, model.Flat()), m.Positive("sigma", model.Flat())
	mean := b.El(0).Add(b.El(5).Mul(m.Data("group", d.Group)))
	for k, x := range []model.Expr{volume, area, shape, m.Data("total_height", d.TotalHeight)} {
		mean = mean.Add(b.El(k + 1).Mul(x.Log()))
	}
	m.Observe(m.Data("weight", d.Weight).Log(), model.Normal(mean, sigma))
	return m, nil
}

// Kilpisjarvi is the trend of summer temperatures over the years.
func Kilpisjarvi() (*model.Model, error) {
	var d struct {
		X, Y                               []float64
		PMuAlpha, PSAlpha, PMuBeta, PSBeta float64
	}
	if err := models.Data("kilpisjarvi", &d); err != nil {
		return nil, err
	}
	m := model.New()
	alpha := m.Real("alpha", model.Normal(d.PMuAlpha, d.PSAlpha))
	beta := m.Real("beta", model.Normal(d.PMuBeta, d.PSBeta))
	sigma := m.Positive("sigma", model.Flat())
	mean := alpha.Add(beta.Mul(m.Data("x", d.X)))
	m.Observe(m.Data("y", d.Y), model.Normal(mean, sigma))
	return m, nil
}
