package kernels

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"strconv"
	"testing"

	"bayeskernel/internal/dd"
)

// table reads the rows of a file of testdata.
func table[T any](t *testing.T, name string) []T {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Rows []T }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Rows) == 0 {
		t.Fatalf("%s has no rows", name)
	}
	return file.Rows
}

// decimal is a number that is written as a string.
type decimal string

func (d decimal) value(t *testing.T) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(string(d), 64)
	if err != nil && v != 0 {
		t.Fatal(err)
	}
	return v
}

func parse(t *testing.T, text string) Radial {
	t.Helper()
	r, err := ParseRadial(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBesselAgreesWithTable(t *testing.T) {
	worst := 0.0
	for _, row := range table[[3]any](t, "bessel.json") {
		s := row[0].(float64)
		k0, sk1 := bessel01(s)
		for i, v := range []float64{k0, sk1 / s} {
			want := decimal(row[1+i].(string)).value(t)
			e := math.Abs(v/want - 1)
			if worst = max(worst, e); !(e < 1e-15) {
				t.Errorf("e^s K_%d(s) at s = %v is %v, want %v", i, s, v, want)
			}
		}
	}
	t.Logf("largest error %.2g", worst)
	// The Wronskian I_0 K_1 + I_1 K_0 = 1/s, with I by its series.
	for s := 0.01; s < 12; s *= 1.01 {
		i0, i1, term := 0.0, 0.0, 1.0
		for n := 1.0; n < 60; n++ {
			i0 += term
			i1 += term * s / 2 / n
			term *= s * s / 4 / (n * n)
		}
		k0, sk1 := bessel01(s)
		if w := math.Exp(-s) * (i0*sk1 + s*i1*k0); !(math.Abs(w-1) < 3e-15) {
			t.Errorf("Wronskian times s is %v at s = %v, want 1", w, s)
		}
	}
}

func TestProfilesAgreeWithTable(t *testing.T) {
	type row struct {
		Kernel           string
		Q                float64
		K, LogKappa, Rho decimal
	}
	for _, row := range table[row](t, "profiles.json") {
		r := parse(t, row.Kernel)
		k, l, rho := r.Profile(row.Q)
		wantK, wantL, wantRho := row.K.value(t), row.LogKappa.value(t), row.Rho.value(t)
		what := fmt.Sprintf("%v at q = %v: ", r, row.Q)
		// An exponent x is rounded by 1e-16 x.
		relative(t, what+"k", k, wantK, 1e-15*(2+math.Abs(math.Log(wantK))), 1e-300)
		relative(t, what+"log kappa", l, wantL, 1e-15, 1e-15)
		relative(t, what+"rho", rho, wantRho, 4e-15, 0)
		for _, path := range paths() {
			one := make([]float64, 4)
			Profiles(r, path, one[:1], one[1:2], one[2:3], one[3:], []float64{row.Q})
			what := fmt.Sprintf("%v, %v at q = %v: ", path, r, row.Q)
			relative(t, what+"k", one[0], wantK, 1e-15+4e-16*math.Abs(math.Log(wantK)), 1e-290)
			relative(t, what+"kappa", one[1], math.Exp(wantL), 1e-15+4e-16*math.Abs(wantL), 1e-290)
			relative(t, what+"log kappa", one[2], wantL, 1e-15, 1e-15)
			relative(t, what+"rho", one[3], wantRho, 4e-15, 0)
		}
	}
}

// relative checks that got is want to a relative error, or an absolute one.
func relative(t *testing.T, what string, got, want, rel, abs float64) {
	t.Helper()
	if math.Abs(got-want) <= abs {
		return
	}
	if !(math.Abs(got-want) <= rel*math.Abs(want)) {
		t.Errorf("%s is %v, want %v (relative error %.2g)", what, got, want, got/want-1)
	}
}

// The integral of k(x,u) k(u,y) du in one, two and three dimensions by quadrature.
func TestSquareAgreesWithQuadrature(t *testing.T) {
	type row struct {
		Kernel   string
		Dim      int
		Q        float64
		LogConst decimal
		Psi      decimal
	}
	for _, row := range table[row](t, "squares.json") {
		psi, logConst, err := parse(t, row.Kernel).Square(row.Dim)
		if err != nil {
			t.Error(err)
			continue
		}
		what := fmt.Sprintf("square of %s in %d dimensions at q = %v: ", row.Kernel, row.Dim, row.Q)
		k, _, _ := psi.Profile(row.Q)
		relative(t, what+"psi", k, row.Psi.value(t), 1e-12, 0)
		relative(t, what+"logConst", logConst, row.LogConst.value(t), 1e-12, 1e-12)
	}
}

func TestSquareAgreesWithTable(t *testing.T) {
	type row struct {
		Kernel               string
		Dim                  int
		Q                    float64
		LogConst, Psi, Kappa decimal
	}
	worst := map[string]float64{}
	for _, row := range table[row](t, "psi.json") {
		psi, logConst, err := parse(t, row.Kernel).Square(row.Dim)
		if err != nil {
			t.Error(err)
			continue
		}
		what := fmt.Sprintf("square of %s in %d dimensions at q = %v: ", row.Kernel, row.Dim, row.Q)
		want, wantKappa := row.Psi.value(t), row.Kappa.value(t)
		// Rounding of exponents, of recurrences of dim/2 steps, and of sums of up to 200 terms.
		tol := 1e-14 + 1e-15*math.Abs(math.Log(want)) + 1e-16*float64(row.Dim)
		k, l, _ := psi.Profile(row.Q)
		relative(t, what+"psi", k, want, tol, 1e-300)
		relative(t, what+"log kappa", l, math.Log(wantKappa), tol, tol)
		pair, kappa := psi.(paired).pair(row.Q)
		relative(t, what+"psi of pair", pair, want, tol, 1e-300)
		relative(t, what+"kappa of pair", kappa, wantKappa, tol, 1e-300)
		// Gamma functions have logarithms up to 3000 here.
		relative(t, what+"logConst", logConst, row.LogConst.value(t), 1e-14, 1e-12)
		worst[row.Kernel] = max(worst[row.Kernel], math.Abs(pair/want-1)/tol*1e-15)
	}
	t.Log(worst)
}

func TestExactPriorHas32Digits(t *testing.T) {
	type row struct {
		Kernel, Nu  string
		Theta, X, Y []float64
		Eta         float64
		Q, DEta     string
		DTheta      []string
		LogAmp      decimal
	}
	worst := 0.0
	note := func(what string, got dd.Number, text string) {
		t.Helper()
		want, _, err := big.ParseFloat(text, 10, 300, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		d := new(big.Float).SetPrec(300).Add(big.NewFloat(got.Hi), big.NewFloat(got.Lo))
		diff, _ := d.Sub(d, want).Float64()
		w, _ := want.Float64()
		e := math.Abs(diff)
		if worst = max(worst, e); !(e < 1e-29+1e-28*math.Abs(w)) {
			t.Errorf("%s is off by %.2g from %s", what, e, text)
		}
	}
	for i, row := range table[row](t, "wide.json") {
		nu, err := ParseNu(row.Nu)
		if err != nil {
			t.Fatal(err)
		}
		dim := len(row.X)
		p, err := NewPrior(parse(t, row.Kernel), nu, dim)
		if err != nil {
			t.Fatal(err)
		}
		if !p.Exact() {
			t.Errorf("%s under %v in %d dimensions is not exact", row.Kernel, nu, dim)
		}
		p.Set(row.Theta, row.Eta)
		what := fmt.Sprintf("row %d (%s, %v, %d dimensions): ", i+1, row.Kernel, nu, dim)
		relative(t, what+"LogAmplitude", p.LogAmplitude(), row.LogAmp.value(t), 1e-14, 1e-13)
		d, wide := make([]float64, dim), make([]dd.Number, dim)
		q, dEta := p.PairExtended(wide, row.X, row.Y)
		note(what+"Q", q, row.Q)
		note(what+"dEta", dEta, row.DEta)
		q16, dEta16 := p.Pair(d, row.X, row.Y)
		relative(t, what+"Q of Pair", q16, q.Hi, 4e-15, 0)
		relative(t, what+"dEta of Pair", dEta16, dEta.Hi, 4e-15, 1e-15)
		for a := range dim {
			note(fmt.Sprint(what, "dTheta ", a), wide[a], row.DTheta[a])
			relative(t, what+"dTheta of Pair", d[a], wide[a].Hi, 1e-14, 1e-15)
		}
	}
	t.Logf("largest error %.2g", worst)
}
