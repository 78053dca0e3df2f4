package formula

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// ProgramData are the data of the programs that StanProgram and GoProgram write, as JSON.
func (r *Regression) ProgramData() ([]byte, error) {
	out := map[string]any{"N": len(r.Y), "y": r.numbersOf(r.Y)}
	if n := len(r.slopes()); n > 0 {
		_, d := r.X.Dims()
		out["K"], out["X"] = n, matrixRows(r.X.Slice(0, len(r.Y), d-n, d))
	}
	if r.offset != nil {
		out["offsets"] = r.offset
	}
	for name, v := range map[string][]float64{"trials": r.trials, "cens": r.censored} {
		if v != nil {
			out[name] = wholes(v)
		}
	}
	if r.weights != nil {
		out["weights"] = r.weights
	}
	if r.family.categories {
		out["ncat"] = r.categories()
	}
	for k, g := range r.Groups {
		place := map[string]int{}
		for i, l := range g.labels {
			place[l] = i + 1
		}
		of := make([]int, len(g.rows))
		for i, l := range g.rows {
			of[i] = place[l]
		}
		out[fmt.Sprint("J_", k+1)], out[fmt.Sprint("M_", k+1)] = len(g.labels), len(g.Design.Names)
		out[fmt.Sprint("g_", k+1)], out[fmt.Sprint("Z_", k+1)] = of, matrixRows(g.z)
	}
	for k, s := range r.Smooths {
		_, d := s.rows.Dims()
		out[fmt.Sprint("line_", k+1)], out[fmt.Sprint("D_", k+1)], out[fmt.Sprint("B_", k+1)] = s.line, d, matrixRows(s.rows)
	}
	return json.Marshal(out)
}

// numbersOf are the values of the response, whole ones of a discrete family.
func (r *Regression) numbersOf(y []float64) any {
	if r.family.discrete {
		return wholes(y)
	}
	return y
}

func wholes(v []float64) []int {
	out := make([]int, len(v))
	for i, x := range v {
		out[i] = int(math.Round(x))
	}
	return out
}

func matrixRows(x mat.Matrix) [][]float64 {
	n, _ := x.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = mat.Row(nil, i, x)
	}
	return out
}

// lines is text that is written line by line.
type textLines struct {
	strings.Builder
	indent string
}

func (l *textLines) add(format string, a ...any) {
	l.WriteString(l.indent)
	fmt.Fprintf(l, format, a...)
	l.WriteByte('\n')
}

// suffixes tell the parameters of the predictors apart: "" for one, and _2, _3, ... for those of categories.
func (r *Regression) suffixesOf() []string {
	if len(r.predictors) == 1 && r.predictors[0] == "" {
		return []string{""}
	}
	var out []string
	for k := range r.predictors {
		out = append(out, fmt.Sprint("_", k+2))
	}
	return out
}

// stanWord writes a prior in Stan; arguments are the same.
func (p Prior) stanWord() string {
	if p.dist == "lkj" {
		return "lkj_corr_cholesky" + strings.TrimPrefix(p.Text, "lkj")
	}
	return p.Text
}

// goWord writes a prior as a distribution of package model.
func (p Prior) goWord() string {
	name := map[string]string{"normal": "Normal", "student_t": "StudentT", "cauchy": "Cauchy", "double_exponential": "DoubleExponential",
		"logistic": "Logistic", "gamma": "Gamma", "inv_gamma": "InvGamma", "exponential": "Exponential", "lognormal": "LogNormal", "beta": "Beta",
		"uniform": "Uniform", "lkj": "LKJ", "flat": "Flat"}[p.dist]
	var args []string
	for _, a := range p.args {
		args = append(args, fmt.Sprint(a))
	}
	return "model." + name + "(" + strings.Join(args, ", ") + ")"
}
