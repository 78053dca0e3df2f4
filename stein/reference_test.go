package stein

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// The numbers of testdata were computed by others: mpmath with 50 digits (kernel, weights, conditional),
// double and long double precision and the Python package stein-thinning 0.2.0 (thinning), and the
// published code of KSDAgg (aggregate).

// number is a JSON number, or a string that holds one with more digits.
type number float64

func (n *number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	*n = number(v)
	return err
}

type vector []number

func (v vector) floats() []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

type table []vector

func (t table) dense() *mat.Dense {
	out := mat.NewDense(len(t), len(t[0]), nil)
	for i, row := range t {
		out.SetRow(i, row.floats())
	}
	return out
}

type named struct {
	Type            string
	Alpha, Nu       number
	Weights, Widths vector
}

func (n named) radial(t *testing.T) kernels.Radial {
	t.Helper()
	switch n.Type {
	case "se":
		return kernels.SE{}
	case "rq":
		return kernels.RQ{Alpha: float64(n.Alpha)}
	case "matern":
		return kernels.Matern{Nu: float64(n.Nu)}
	case "mixture":
		return kernels.Mixture{Weights: n.Weights.floats(), Widths: n.Widths.floats()}
	}
	t.Fatalf("kernel %q", n.Type)
	return nil
}

type reference struct {
	Kernel       named
	X, Score     table
	Theta        vector
	GammaInverse table `json:"gamma_inverse"`

	Stein      table
	V, U       number
	Weights    vector
	WeightedV  number `json:"weighted_v"`
	Signs      table
	WildV      vector `json:"wild_v"`
	WildU      vector `json:"wild_u"`
	RawAt      table  `json:"witness_at"`
	RawWitness table  `json:"witness"`

	Density vector `json:"log_density"`
	M       int
	Runs    []thinned
	Squared number `json:"squared_ksd"`

	SignsQuantiles []string `json:"signs_quantiles"`
	SignsLevel     []string `json:"signs_level"`
	Alpha          number
	Statistic      vector `json:"u_statistic"`
	Quantile, P    vector
	Threshold      vector
	Reject         bool

	KernelX named  `json:"kernel_x"`
	KernelY named  `json:"kernel_y"`
	ThetaX  vector `json:"theta_x"`
	ThetaY  vector `json:"theta_y"`
	Y       table
	ScoreY  table `json:"score_of_y_given_x"`
	Matrix  table
}

type thinned struct {
	Standardise    bool
	Preconditioner string
	GammaInverse   table `json:"gamma_inverse"`
	Index          []int
	KSD            number
	EntropyOnly    []int `json:"entropy_only"`
}

func load(t *testing.T, name string) []reference {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ Cases []reference }
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out.Cases
}

// ard is diag(1/theta²).
func ard(theta []float64, dim int) *mat.DiagDense {
	out := mat.NewDiagDense(dim, nil)
	for i := range dim {
		v := theta[min(i, len(theta)-1)]
		out.SetDiag(i, 1/(v*v))
	}
	return out
}

func symmetric(t table) *mat.SymDense {
	out := mat.NewSymDense(len(t), nil)
	for i := range t {
		for j := i; j < len(t); j++ {
			out.SetSym(i, j, float64(t[i][j]))
		}
	}
	return out
}

func (c reference) kernel(t *testing.T) *Kernel {
	t.Helper()
	var a mat.Symmetric
	if c.GammaInverse != nil {
		a = symmetric(c.GammaInverse)
	} else {
		a = ard(c.Theta.floats(), len(c.X[0]))
	}
	k, err := New(c.Kernel.radial(t), a)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func largest(m mat.Matrix) float64 {
	r, c := m.Dims()
	out := 0.0
	for i := range r {
		for j := range c {
			out = max(out, math.Abs(m.At(i, j)))
		}
	}
	return out
}

func apart(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return largest(&d)
}

func TestKernelReference(t *testing.T) {
	for i, c := range load(t, "kernel") {
		k := c.kernel(t)
		x, u := c.X.dense(), c.Score.dense()
		got, err := k.Matrix(x, u)
		if err != nil {
			t.Fatal(err)
		}
		want := c.Stein.dense()
		scale := largest(want)
		if d := apart(got, want); d > 1e-11*scale {
			t.Errorf("case %d (%v): matrix off by %g of %g", i, c.Kernel, d, scale)
		}
		near := func(name string, got, want float64) {
			t.Helper()
			if !(math.Abs(got-want) <= 1e-11*scale) {
				t.Errorf("case %d: %s = %.15g, want %.15g", i, name, got, want)
			}
		}
		v, err := k.V(x, u)
		if err != nil {
			t.Fatal(err)
		}
		near("V", v, float64(c.V))
		s, err := k.U(x, u)
		if err != nil {
			t.Fatal(err)
		}
		near("U", s, float64(c.U))
		near("weighted V", weighted(got, c.Weights.floats()), float64(c.WeightedV))
		for j, signs := range c.Signs {
			near("wild V", wildV(got, signs.floats()), float64(c.WildV[j]))
			near("wild U", wildU(got, signs.floats()), float64(c.WildU[j]))
		}
		g, err := k.Witness(x, u, c.RawAt.dense())
		if err != nil {
			t.Fatal(err)
		}
		if d := apart(g, c.RawWitness.dense()); d > 1e-11*scale {
			t.Errorf("case %d: witness off by %g of %g", i, d, scale)
		}
		z, err := k.Excess(x, u, x, u)
		if err != nil {
			t.Fatal(err)
		}
		for j := range z {
			near("excess", z[j], mat.Sum(want.RowView(j))/float64(len(z)))
		}
	}
}
