package onepass

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/long"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// noisy makes pairs with y = (1 + eps sin 3x) noise.
func noisy(seed uint64, n int, eps float64) (x, y *mat.Dense) {
	r := rand.New(rand.NewPCG(seed, 5))
	x, y = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		v := r.NormFloat64()
		x.Set(i, 0, v)
		y.Set(i, 0, (1+eps*math.Sin(3*v))*r.NormFloat64())
	}
	return x, y
}

// Of independent variables the test rejects as often as its level says, within 3 standard errors: a share
// of false alarms of 0.003 for each of two levels. 25 pairs by default.
func TestIndependenceLevel(t *testing.T) {
	runs := 25
	if long.Enabled() {
		runs = long.Of(600, 2000)
	}
	rejected := map[float64]int{0.05: 0, 0.2: 0}
	for i := range runs {
		x, y := noisy(uint64(i), 5000, 0)
		r, err := Independence(context.Background(), x, y, kerneltest.Options{Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		for alpha := range rejected {
			if r.P <= alpha {
				rejected[alpha]++
			}
		}
	}
	for alpha, k := range rejected {
		share, se := float64(k)/float64(runs), math.Sqrt(alpha*(1-alpha)/float64(runs))
		t.Logf("level %v: %.4f of %d, standard error %.4f", alpha, share, runs, se)
		if math.Abs(share-alpha) > 3*se {
			t.Errorf("level %v: rejected in %.4f of %d runs, %.1f standard errors off", alpha, share, runs,
				(share-alpha)/se)
		}
	}
}

// The statistic and the null are those of HSIC with the same features as Gram matrices, and dependence
// that 2e5 rows show is found.
func TestIndependenceAgainstHSIC(t *testing.T) {
	ctx := context.Background()
	x, y := noisy(1, 1200, 0.3)
	r, err := Independence(ctx, x, y, kerneltest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	gram := func(v *mat.Dense) *mat.SymDense {
		s, err := newPassSide(ctx, v.RawMatrix().Data, 1, kerneltest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := mat.NewDense(1200, s.features, nil)
		s.fill(f, s.x)
		var k mat.Dense
		k.Mul(f, f.T())
		out := mat.NewSymDense(1200, nil)
		for i := range 1200 {
			for j := range i + 1 {
				out.SetSym(i, j, k.At(i, j))
			}
		}
		return out
	}
	h, err := statistic.NewHSIC(gram(x), gram(y))
	if err != nil {
		t.Fatal(err)
	}
	if d := math.Abs(r.Statistic-h.Biased()) / h.Biased(); !(d < 1e-9) {
		t.Errorf("statistic %v, want %v", r.Statistic, h.Biased())
	}
	tail, err := h.Tail(statistic.Spectral)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(math.Log(tail.P/r.P)) > 1e-5*math.Abs(math.Log(tail.P)) {
		t.Errorf("p = %v, want %v", r.P, tail.P)
	}
	a, b := noisy(2, 200000, 0.05)
	if r, err := Independence(ctx, a, b, kerneltest.Options{}); err != nil || !r.Reject {
		t.Errorf("dependence was not found: %+v, %v", r, err)
	}
}

func TestIndependenceRefuses(t *testing.T) {
	x, y := noisy(3, 100, 0)
	if _, err := Independence(context.Background(), x, y, kerneltest.Options{}); err == nil {
		t.Error("100 rows were taken")
	}
	x, y = noisy(3, 2000, 0)
	o := kerneltest.Options{Blocks: make([]int, 2000)}
	if _, err := Independence(context.Background(), x, y, o); err == nil {
		t.Error("blocks were taken")
	}
}
