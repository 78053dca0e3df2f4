package formula

import (
	"fmt"
	"go/format"
	"strings"
)

// GoProgram writes the regression as a program in Go that declares it on package model and samples it. Its data are
// ProgramData.
func (r *Regression) GoProgram() (string, error) {
	if r.weights != nil {
		return "", fmt.Errorf("formula: rows with weights have no declaration in Go; their Stan program has")
	}
	var w textLines
	w.add("// %s, %s: run it with the file of its data.", strings.Join(strings.Fields(r.Formula.Text), " "), r.Family)
	w.add("package main\n")
	w.add("import (\n\"context\"\n\"encoding/json\"\n\"fmt\"\n\"log\"\n\"os\"\n")
	if r.censored != nil {
		w.add("\"math\"")
	}
	w.add("\"bayeskernel/model\"\n\"bayeskernel/nuts\"\n")
	if len(r.slopes())+len(r.Smooths) > 0 {
		w.add("\"gonum.org/v1/gonum/mat\"")
	}
	w.add(")\n")
	r.goData(&w)
	w.add("func declare(m *model.Model, d data) {")
	for k, of := range r.predictors {
		r.goCoefficients(&w, r.suffixesOf()[k], of)
	}
	for _, e := range r.family.extra {
		if p := r.prior(e, e).goWord(); e == "zi" {
			w.add("zi := m.Interval(\"zi\", 0, 1, %s)", p)
		} else {
			w.add("%s := m.Positive(%q, %s)", e, e, p)
		}
	}
	for k, of := range r.predictors {
		r.goEffects(&w, r.suffixesOf()[k], of)
	}
	if r.trials != nil {
		w.add("trials := m.Data(\"trials\", d.Trials)")
	}
	r.goRows(&w)
	w.add("}\n")
	w.WriteString(goMain)
	if len(r.slopes())+len(r.Smooths) > 0 {
		w.WriteString(goMatrix)
	}
	out, err := format.Source([]byte(w.String()))
	return string(out), err
}

const goMain = `func main() {
	if len(os.Args) != 2 {
		log.Fatal("want the file of the data")
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var d data
	if err := json.Unmarshal(text, &d); err != nil {
		log.Fatal(err)
	}
	m := model.New()
	declare(m, d)
	p, err := m.Compile()
	if err != nil {
		log.Fatal(err)
	}
	run, err := nuts.Sample(context.Background(), p.Target, nuts.Config{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Summary())
}
`

const goMatrix = `
// matrix is a matrix of rows.
func matrix(rows [][]float64) *mat.Dense {
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		x.SetRow(i, row)
	}
	return x
}
`

func (r *Regression) goData(w *textLines) {
	w.add("// data are as the file holds them.")
	w.add("type data struct {")
	w.add("N int")
	w.add("Y []float64 `json:\"y\"`")
	if s := r.slopes(); len(s) > 0 {
		w.add("X [][]float64 // %s", strings.Join(s, ", "))
	}
	for _, f := range []struct {
		name string
		v    []float64
	}{{"offsets", r.offset}, {"trials", r.trials}, {"cens", r.censored}} {
		if f.v != nil {
			w.add("%s []float64 `json:%q`", strings.ToUpper(f.name[:1])+f.name[1:], f.name)
		}
	}
	for k, g := range r.Groups {
		w.add("J%d int `json:\"J_%d\"` // levels of %s", k+1, k+1, g.Name)
		w.add("G%d []int `json:\"g_%d\"` // from 1", k+1, k+1)
		w.add("Z%d [][]float64 `json:\"Z_%d\"` // %s", k+1, k+1, strings.Join(g.Design.Names, ", "))
	}
	for k, s := range r.Smooths {
		w.add("Line%d []float64 `json:\"line_%d\"` // of %s", k+1, k+1, s.Label)
		w.add("B%d [][]float64 `json:\"B_%d\"`", k+1, k+1)
	}
	w.add("}\n")
}

func (r *Regression) goCoefficients(w *textLines, x, of string) {
	w.add("eta%s := m.Values(make([]float64, d.N))", x)
	if r.offset != nil {
		w.add("eta%s = eta%s.Add(m.Data(%q, d.Offsets))", x, x, "offset"+x)
	}
	s := r.slopes()
	if len(s) > 0 {
		w.add("x%s := matrix(d.X)", x)
		if r.Design.Intercept {
			w.add("means%s := make([]float64, %d) // of the columns, which are taken away", x, len(s))
			w.add("for i := range d.N {\nfor j := range means%s {\nmeans%s[j] += x%s.At(i, j) / float64(d.N)\n}\n}", x, x, x)
			w.add("for i := range d.N {\nfor j, v := range means%s {\nx%s.Set(i, j, x%s.At(i, j) - v)\n}\n}", x, x, x)
		}
		if r.separately() {
			w.add("b%s := model.Stack(", x)
			for _, a := range s {
				w.add("m.Real(%q, %s),", "b_"+of+a, r.prior("b", "b_"+of+a).goWord())
			}
			w.add(")")
		} else {
			w.add("b%s := m.Reals(%q, %d, %s)", x, "b"+x, len(s), r.prior("b", "b").goWord())
		}
		w.add("eta%s = eta%s.Add(m.Matrix(%q, x%s).MatVec(b%s))", x, x, "X"+x, x, x)
	}
	prior := r.prior("Intercept", "b_"+of+"Intercept").goWord()
	switch {
	case r.Family == "cumulative":
		w.add("cut := m.Ordered(\"Intercept\", %d, %s)", r.categories()-1, prior)
		if len(s) > 0 {
			w.add("m.Quantity(\"b_Intercept\", cut.Add(m.Values(means).Dot(b)))")
		}
	case r.Design.Intercept:
		w.add("intercept%s := m.Real(%q, %s)", x, "Intercept"+x, prior)
		w.add("eta%s = eta%s.Add(intercept%s)", x, x, x)
		if len(s) > 0 {
			w.add("m.Quantity(%q, intercept%s.Sub(m.Values(means%s).Dot(b%s)))", "b_Intercept"+x, x, x, x)
		}
	}
	for k, sm := range r.Smooths {
		name := "bs_" + of + sm.Name + "_1"
		w.add("eta%s = eta%s.Add(m.Data(\"line_%d%s\", d.Line%d).Mul(m.Real(%q, %s)))", x, x, k+1, x, k+1, name, r.prior("b", name).goWord())
	}
}

func (r *Regression) goEffects(w *textLines, x, of string) {
	for k := range r.Groups {
		g := &r.Groups[k]
		w.add("f%d%s, in%d%s := m.Codes(%q, d.J%d, d.G%d)", k+1, x, k+1, x, fmt.Sprint("g_", k+1, x), k+1, k+1)
		if g.together() {
			w.add("sd%d%s := model.Stack(", k+1, x)
			for _, a := range g.Design.Names {
				name := "sd_" + g.Name + "__" + of + short(a)
				w.add("m.Positive(%q, %s),", name, r.groupPrior(g, name).goWord())
			}
			w.add(")")
			w.add("l%d%s := m.CorrCholesky(%q, %d, %s)", k+1, x, "L_"+g.Name+x, len(g.Design.Names), r.prior("cor", "cor").goWord())
			w.add("for j, e := range f%d%s.Effects(%q, sd%d%s, l%d%s) {", k+1, x, "r_"+g.Name+x, k+1, x, k+1, x)
			w.add("z := make([]float64, d.N)\nfor i := range z {\nz[i] = d.Z%d[i][j]\n}", k+1)
			w.add("eta%s = eta%s.Add(e.Of(in%d%s).Mul(m.Data(fmt.Sprint(%q, j+1), z)))\n}", x, x, k+1, x, fmt.Sprintf("Z_%d%s_", k+1, x))
			continue
		}
		for j, a := range g.Design.Names {
			sd, name := "sd_"+g.Name+"__"+of+short(a), "r_"+g.Name+"__"+of+short(a)
			w.add("{\ne := f%d%s.Reals(%q, model.Normal(0, m.Positive(%q, %s)))", k+1, x, name, sd, r.groupPrior(g, sd).goWord())
			w.add("z := make([]float64, d.N)\nfor i := range z {\nz[i] = d.Z%d[i][%d]\n}", k+1, j)
			w.add("eta%s = eta%s.Add(e.Of(in%d%s).Mul(m.Data(\"Z_%d%s_%d\", z)))\n}", x, x, k+1, x, k+1, x, j+1)
		}
	}
	for k, s := range r.Smooths {
		_, n := s.rows.Dims()
		sd := "sds_" + of + s.Name + "_1"
		w.add("bend%d%s := m.Reals(%q, %d, model.Normal(0, m.Positive(%q, %s)))", k+1, x, "s_"+of+s.Name+"_1", n, sd, r.prior("sds", sd).goWord())
		w.add("eta%s = eta%s.Add(m.Matrix(\"B_%d%s\", matrix(d.B%d)).MatVec(bend%d%s))", x, x, k+1, x, k+1, k+1, x)
	}
}

func (r *Regression) goRows(w *textLines) {
	dist := r.family.source
	if r.Family == "categorical" {
		var etas []string
		for _, x := range r.suffixesOf() {
			etas = append(etas, "eta"+x)
		}
		dist = fmt.Sprintf("model.CategoricalLogit(model.Columns(%s.Scale(0), %s))", etas[0], strings.Join(etas, ", "))
	}
	if r.family.zeros {
		dist = fmt.Sprintf("model.Mix(model.Stack(zi, zi.OneMinus()), model.Poisson(%v), %s)", never, dist)
	}
	if r.censored != nil {
		w.add("lo, hi := make([]float64, d.N), make([]float64, d.N)")
		w.add("for i, c := range d.Cens {\nlo[i], hi[i] = math.Inf(-1), math.Inf(1)\nif c == 1 { // this or more\nhi[i] = d.Y[i]\n}\n}")
		dist = fmt.Sprintf("model.CensorAt(%s, lo, hi)", dist)
	}
	w.add("m.Observe(m.Data(\"y\", d.Y), %s)", dist)
}
