package statistic

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

func gaussian(theta float64) kernels.Kernel {
	return kernels.SquaredExponential(theta)
}

// worst collects the largest differences from the reference, by key.
type worst map[string]float64

func (w worst) near(t *testing.T, where string, ref map[string]any, key string, got, tol float64) {
	t.Helper()
	want, ok := ref[key].(float64)
	if !ok {
		t.Fatalf("%s: no number %s in the reference", where, key)
	}
	d := math.Abs(got - want)
	w[key] = max(w[key], d)
	if !(d <= tol) {
		t.Errorf("%s: %s = %.17g, want %.17g (difference %.2g, tolerance %.2g)", where, key, got,
			want, d, tol)
	}
}

func TestReferenceTwoSamples(t *testing.T) {
	var all map[string]fixture.Reference
	fixture.JSON(t, "testdata/reference.json", &all)
	w := worst{}
	count := 0
	for name, set := range all {
		if set.Kind != "two-sample" {
			continue
		}
		x, y := fixture.CSV(t, "testdata/"+name+"_x.csv"), fixture.CSV(t, "testdata/"+name+"_y.csv")
		for ell, ref := range set.Ell {
			theta, err := strconv.ParseFloat(ell, 64)
			if err != nil {
				t.Fatal(err)
			}
			count++
			checkTwoSamples(t, w, name+" "+ell, x, y, gaussian(theta), ref)
		}
	}
	if count != 15 {
		t.Errorf("%d cases, want 15", count)
	}
	t.Logf("largest differences: %v", w)
}

func checkTwoSamples(t *testing.T, w worst, where string, x, y *mat.Dense, k kernels.Kernel,
	ref map[string]any) {
	m, n := x.RawMatrix().Rows, y.RawMatrix().Rows
	num := fixture.Get[float64](t)
	s := fixture.Get[*MMD](t)(NewMMD(fixture.Gram(t, k, fixture.Pooled(x, y)), m))
	w.near(t, where, ref, "mmd2_b", s.Biased(), 1e-12)
	w.near(t, where, ref, "mmd2_u", num(s.Unbiased()), 1e-12)
	w.near(t, where, ref, "mmd2_u_paired", num(s.Paired()), 1e-12)
	w.near(t, where, ref, "sigma2_H1_liu", num(s.PairedVariance()), 1e-12)
	linear, block := fixture.Get[Averaged](t)(s.Linear()), fixture.Get[Averaged](t)(s.Block())
	w.near(t, where, ref, "mmd2_linear", linear.MMD2, 1e-12)
	w.near(t, where, ref, "linear_var_h", linear.Variance*float64(linear.Terms), 1e-12)
	w.near(t, where, ref, "linear_p", linear.P, 1e-12)
	w.near(t, where, ref, "mmd2_block", block.MMD2, 1e-12)
	w.near(t, where, ref, "block_size", float64(block.Size), 0)
	w.near(t, where, ref, "n_blocks", float64(block.Terms), 0)
	w.near(t, where, ref, "block_p", block.P, 1e-12)
	if l := fixture.Get[Averaged](t)(Linear(k, x, y)); l != linear {
		t.Errorf("%s: Linear from the rows is %v, want %v", where, l, linear)
	}
	if b := fixture.Get[Averaged](t)(Block(k, x, y)); b != block {
		t.Errorf("%s: Block from the rows is %v, want %v", where, b, block)
	}
	tail := fixture.Get[Tail](t)
	spectral := tail(s.Tail(Spectral))
	w.near(t, where, ref, "spectral_stat", spectral.Statistic, 1e-12)
	w.near(t, where, ref, "spectral_sum_lambda", spectral.Mean, 1e-12)
	w.near(t, where, ref, "spectral_sum_lambda2", spectral.Variance/2, 1e-12)
	w.near(t, where, ref, "spectral_p_imhof", spectral.P, 1e-8)
	w.near(t, where, ref, "pearson3_p", tail(s.Tail(Pearson)).P, 1e-8)
	if m != n {
		if _, err := s.Tail(Gamma); err == nil {
			t.Errorf("%s: gamma of samples of %d and %d rows is accepted", where, m, n)
		}
	} else {
		g, scale := tail(s.Tail(Gamma)), float64(m)
		w.near(t, where, ref, "gamma_stat_M_mmd2b", g.Statistic, 1e-11)
		w.near(t, where, ref, "gamma_mean", g.Mean/scale, 1e-12)
		w.near(t, where, ref, "gamma_var", g.Variance/(scale*scale), 1e-12)
		w.near(t, where, ref, "gamma_p", g.P, 1e-8)
	}
	checkFactorMMD(t, where, s, fixture.Get[*Factor](t)(NewFactor(k, fixture.Pooled(x, y), 0)), spectral)
}

// The low-rank forms give the same numbers as the matrices.
func checkFactorMMD(t *testing.T, where string, s *MMD, f *Factor, spectral Tail) {
	low := fixture.Get[*MMD](t)(NewMMDFactor(f, s.m))
	num, tail := fixture.Get[float64](t), fixture.Get[Tail](t)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"Biased", low.Biased(), s.Biased()},
		{"Unbiased", num(low.Unbiased()), num(s.Unbiased())},
		{"Variance", num(low.Variance()), num(s.Variance())},
		{"NullVariance", num(low.NullVariance()), num(s.NullVariance())},
		{"Spectral", tail(low.Tail(Spectral)).P, spectral.P},
		{"Pearson", tail(low.Tail(Pearson)).P, tail(s.Tail(Pearson)).P},
	} {
		if math.Abs(c.got-c.want) > 1e-11 {
			t.Errorf("%s: %s from a factor is %v, want %v", where, c.name, c.got, c.want)
		}
	}
}

func TestReferenceIndependence(t *testing.T) {
	var all map[string]fixture.Reference
	fixture.JSON(t, "testdata/reference.json", &all)
	w := worst{}
	count := 0
	for name, set := range all {
		if set.Kind != "independence" {
			continue
		}
		x, y := fixture.CSV(t, "testdata/"+name+"_x.csv"), fixture.CSV(t, "testdata/"+name+"_y.csv")
		for ell, ref := range set.Ell {
			var a, b float64
			if _, err := fmt.Sscanf(strings.Replace(ell, ",", " ", 1), "%g %g", &a, &b); err != nil {
				t.Fatal(err)
			}
			count++
			checkIndependence(t, w, name+" "+ell, x, y, gaussian(a), gaussian(b), ref)
		}
	}
	if count != 10 {
		t.Errorf("%d cases, want 10", count)
	}
	t.Logf("largest differences: %v", w)
}

func checkIndependence(t *testing.T, w worst, where string, x, y *mat.Dense, kx, ky kernels.Kernel,
	ref map[string]any) {
	s := fixture.Get[*HSIC](t)(NewHSIC(fixture.Gram(t, kx, x), fixture.Gram(t, ky, y)))
	n := float64(s.n)
	num, tail := fixture.Get[float64](t), fixture.Get[Tail](t)
	w.near(t, where, ref, "hsic_b", s.Biased(), 1e-12)
	w.near(t, where, ref, "hsic_u", num(s.Unbiased()), 1e-12)
	spectral := tail(s.Tail(Spectral))
	w.near(t, where, ref, "stat_n_hsic_b", spectral.Statistic, 1e-12)
	w.near(t, where, ref, "spectral_p_imhof", spectral.P, 1e-8)
	g := tail(s.Tail(Gamma))
	w.near(t, where, ref, "gamma_mean", g.Mean/n, 1e-12)
	w.near(t, where, ref, "gamma_var", g.Variance/(n*n), 1e-12)
	w.near(t, where, ref, "gamma_p", g.P, 1e-8)
	g = tail(s.Tail(GammaKCI))
	w.near(t, where, ref, "kci_stat", g.Statistic*n, 1e-11)
	w.near(t, where, ref, "kci_gamma_k", g.Mean*g.Mean/g.Variance, 1e-11)
	w.near(t, where, ref, "kci_gamma_theta", n*g.Variance/g.Mean, 1e-11)
	w.near(t, where, ref, "kci_gamma_p", g.P, 1e-8)
	// No eigenvalue is lost: the weights have the mean and the variance that the traces give.
	if math.Abs(spectral.Mean-g.Mean) > 1e-12 || math.Abs(spectral.Variance-g.Variance) > 1e-12 {
		t.Errorf("%s: mean and variance of the weights %v, %v, by traces %v, %v", where,
			spectral.Mean, spectral.Variance, g.Mean, g.Variance)
	}
	g = tail(s.Tail(GammaDHSIC))
	w.near(t, where, ref, "dhsic_gamma_mean", g.Mean/n, 1e-12)
	w.near(t, where, ref, "dhsic_gamma_var", g.Variance/(n*n), 1e-12)
	w.near(t, where, ref, "dhsic_gamma_p", g.P, 1e-8)

	low := fixture.Get[*HSIC](t)(NewHSICFactor(fixture.Get[*Factor](t)(NewFactor(kx, x, 0)),
		fixture.Get[*Factor](t)(FactorGram(fixture.Gram(t, ky, y), 0))))
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"Biased", low.Biased(), s.Biased()},
		{"Unbiased", num(low.Unbiased()), num(s.Unbiased())},
		{"offMean", low.x.OffMean, s.x.OffMean},
		{"Spectral", tail(low.Tail(Spectral)).P, spectral.P},
		{"Pearson", tail(low.Tail(Pearson)).P, tail(s.Tail(Pearson)).P},
		{"GammaKCI", tail(low.Tail(GammaKCI)).P, tail(s.Tail(GammaKCI)).P},
	} {
		if math.Abs(c.got-c.want) > 1e-11 {
			t.Errorf("%s: %s from factors is %v, want %v", where, c.name, c.got, c.want)
		}
	}
}

func TestKernlab(t *testing.T) {
	var all map[string][3]float64
	fixture.JSON(t, "testdata/kernlab.json", &all)
	for key, want := range all {
		name, ell, _ := strings.Cut(key, "|")
		theta, err := strconv.ParseFloat(ell, 64)
		if err != nil {
			t.Fatal(err)
		}
		x, y := fixture.CSV(t, "testdata/"+name+"_x.csv"), fixture.CSV(t, "testdata/"+name+"_y.csv")
		m, _ := x.Dims()
		s := fixture.Get[*MMD](t)(NewMMD(fixture.Gram(t, gaussian(theta), fixture.Pooled(x, y)), m))
		if d := math.Abs(s.Biased() - want[0]); d > 1e-12 {
			t.Errorf("%s: Biased = %v, want %v", key, s.Biased(), want[0])
		}
		if p := fixture.Get[float64](t)(s.Paired()); math.Abs(p-want[1]) > 1e-12 {
			t.Errorf("%s: Paired = %v, want %v", key, p, want[1])
		}
	}
}
