package bke

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/internal/fused"
	"bayeskernel/kernels"
)

// readLikelihood reads testdata/likelihood/name.
func readLikelihood(t testing.TB, name string, v any) {
	t.Helper()
	fixture.JSON(t, filepath.Join("testdata", "likelihood", name), v)
}

// readLikelihoodCSV reads the rows of a file of numbers, after a header of skip lines.
func readLikelihoodCSV(t testing.TB, name string, skip int) [][]float64 {
	t.Helper()
	return fixture.Rows(t, filepath.Join("testdata", "likelihood", name), skip)
}

// numeral is a number written as a string.
type numeral float64

func (n *numeral) UnmarshalJSON(b []byte) error {
	s, err := strconv.Unquote(string(b))
	if err != nil {
		return err
	}
	v, err := strconv.ParseFloat(s, 64)
	*n = numeral(v)
	return err
}

// kernelOf returns the name of one of the three kernels, or of the portable one where this
// processor does not have it.
func pathOf(k int) string {
	if kind := fused.Kind(k); fused.Available(kind) {
		return kind.String()
	}
	return fused.Portable.String()
}

func nearly(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s = %.17g, want %.17g (off by %.2g)", what, got, want, (got-want)/want)
	}
}

func TestReferencePseudolikelihood(t *testing.T) {
	var file struct {
		Cases []struct {
			X, Z         [][]float64
			Lengthscales []float64
			Tau2         float64
			Convention   string
			Eta          float64
			LogGaussian  numeral   `json:"log_gaussian"`
			LogJacobian  numeral   `json:"log_jacobian"`
			Sum          numeral   `json:"log_pseudolikelihood"`
			DTheta       []numeral `json:"d_log_lengthscales"`
			DTau2        numeral   `json:"d_log_tau2"`
			DEta         numeral   `json:"d_log_eta"`
			DIsotropic   *numeral  `json:"d_log_isotropic_lengthscale"`
		}
	}
	readLikelihood(t, "log_pseudolikelihood.json", &file)
	if len(file.Cases) != 11 {
		t.Fatalf("%d cases, want 11", len(file.Cases))
	}
	for i, c := range file.Cases {
		nu, err := kernels.ParseNu(c.Convention)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 12 {
			ard, rows, kernel := k%2 == 0, 3*(k/2%2), pathOf(k/4) // rows in a block, 0 for all
			theta, dTheta := c.Lengthscales, c.DTheta
			if !ard {
				if c.DIsotropic == nil {
					continue
				}
				theta, dTheta = theta[:1], []numeral{*c.DIsotropic}
			}
			t.Run(fmt.Sprintf("%d/ard=%v/rows=%d/%s", i, ard, rows, kernel), func(t *testing.T) {
				o := Options{Nu: nu, ARD: ard, Weight: 1, Path: kernel}
				mod, err := NewModel(fixture.Matrix(c.X), fixture.Matrix(c.Z), o)
				if err != nil {
					t.Fatal(err)
				}
				e := blockEvaluator(mod, rows)
				p := Params{Theta: theta, Tau2: c.Tau2, Eta: c.Eta}
				gaussian, jacobian := e.Value(p)
				nearly(t, "Gaussian part", gaussian, float64(c.LogGaussian), 1e-10)
				nearly(t, "Jacobian part", jacobian, float64(c.LogJacobian), 1e-10)
				want := make([]float64, 0, 5)
				for _, d := range dTheta {
					want = append(want, float64(d))
				}
				want = append(want, float64(c.DTau2))
				if nu == Gaussian {
					want = append(want, float64(c.DEta))
				}
				got := make([]float64, len(want))
				nearly(t, "value", e.Gradient(got, p), float64(c.Sum), 1e-10)
				for j := range want {
					nearly(t, "d/d log "+mod.Free()[j], got[j], want[j], 1e-10)
				}
				mod.opts.Weight = 0.3 // another, from the parts
				want0 := 0.3*float64(c.LogGaussian) + float64(c.LogJacobian)
				scale := math.Abs(0.3*float64(c.LogGaussian)) + math.Abs(float64(c.LogJacobian))
				if v := e.Gradient(got, p); !(math.Abs(v-want0) <= 1e-10*scale) {
					t.Errorf("value at weight 0.3 = %.17g, want %.17g", v, want0)
				}
			})
		}
	}
}

func TestReferenceLogGamma(t *testing.T) {
	var file struct {
		Cases []struct {
			D        int
			Z, X     [][]float64
			Theta    float64
			LogGamma []numeral `json:"log_gamma"`
		}
	}
	readLikelihood(t, "loggamma.json", &file)
	if len(file.Cases) != 15 {
		t.Fatalf("%d cases, want 15", len(file.Cases))
	}
	for _, c := range file.Cases {
		mod, err := NewModel(fixture.Matrix(c.X), fixture.Matrix(c.Z), Options{})
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, want := range c.LogGamma {
			sum += float64(want)
			got := rowLogGamma(mod, i, c.Theta)
			what := fmt.Sprintf("D = %d, theta = %v, row %d", c.D, c.Theta, i)
			nearly(t, what, got, float64(want), 1e-13)
			for k := range 3 {
				mod.path, _ = fused.Parse(pathOf(k))
				nearly(t, what+", "+mod.Path(), oneLogGamma(mod, i, c.Theta), float64(want), 1e-13)
			}
		}
		for k := range 3 {
			mod.path, _ = fused.Parse(pathOf(k))
			_, jacobian := mod.Evaluator().Value(Params{Theta: []float64{c.Theta}, Tau2: 1})
			nearly(t, "sum, "+mod.Path(), jacobian, sum, 1e-12)
		}
	}
}

// rowLogGamma is log gamma of one row, by the pass for any dimension.
func rowLogGamma(mod *Model, i int, theta float64) float64 {
	one := *mod
	one.n, one.x = 1, mod.x[i*mod.dim:(i+1)*mod.dim]
	return newRowPass(&one).run([]float64{theta}, false).logGamma
}

// oneLogGamma is the same by the evaluator's pass.
func oneLogGamma(mod *Model, i int, theta float64) float64 {
	one := *mod
	one.n, one.x = 1, mod.x[i*mod.dim:(i+1)*mod.dim]
	return one.Evaluator().sums(Params{Theta: []float64{theta}}, false).logGamma
}

func TestReferenceEquation15(t *testing.T) {
	var file map[string]json.RawMessage
	readLikelihood(t, "bkl_reference.json", &file)
	names := []string{"m1_normal_laplace_1d", "m2_shift_3d_unequal", "m3_blobs_grid_2d"}
	if len(file) != len(names)+1 {
		t.Fatalf("%d entries, want %d", len(file), len(names)+1)
	}
	for _, name := range names {
		rows := append(readLikelihoodCSV(t, name+"_x.csv", 0),
			readLikelihoodCSV(t, name+"_y.csv", 0)...)
		var cases []struct {
			Theta, Tau2 float64
			Norm        int
			Gaussian    float64 `json:"gauss_part"`
			Jacobian    float64 `json:"log_jacobian"`
			Total       float64
		}
		if err := json.Unmarshal(file[name], &cases); err != nil || len(cases) != 24 {
			t.Fatal(len(cases), err)
		}
		for i, c := range cases {
			mod, err := NewModel(fixture.Matrix(rows[6:26]), fixture.Matrix(rows[:6]),
				Options{Nu: Nu(c.Norm), Weight: 1, Path: pathOf(i % 3)})
			if err != nil {
				t.Fatal(err)
			}
			g, j := mod.Evaluator().Value(Params{Theta: []float64{c.Theta}, Tau2: c.Tau2})
			what := fmt.Sprintf("%s %+v", name, c)
			nearly(t, what+": Gaussian part", g, c.Gaussian, 1e-9)
			nearly(t, what+": Jacobian part", j, c.Jacobian, 1e-9)
			nearly(t, what+": sum", g+j, c.Total, 1e-9)
		}
	}
}
