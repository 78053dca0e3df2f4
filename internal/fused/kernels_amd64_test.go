//go:build amd64 && !noasm

package fused

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

func smallGram(shape []float64) (*gramProblem, *Gram) {
	rng := rand.New(rand.NewPCG(15, 16))
	p := newGramProblem(rng, 21, 3, lengthscales(shape, 2), []float64{1, 1, 1}[:len(shape)], 1)
	redo := func(int, []float64) float64 { return 0 }
	return p, NewGram(p.dim, 3, len(p.theta) > 1, redo)
}

// After wide registers have been used and not cleared, code that mixes old and new instructions, as
// math.Exp does, takes a hundred times as long.
func TestUpperHalvesAreClean(t *testing.T) {
	p := newProblem(rand.New(rand.NewPCG(15, 16)), 21, 3, 0.5, 1)
	s := NewSums(3)
	exps := func() time.Duration {
		begin, sum := time.Now(), 0.0
		for i := range 200 {
			sum += math.Exp(-float64(i) / 40)
		}
		if sum < 1 {
			t.Error("exp is wrong")
		}
		return time.Since(begin)
	}
	timed := func(dirty func()) time.Duration {
		best := time.Hour
		for range 50 {
			dirty()
			best = min(best, exps())
		}
		return best
	}
	// Without VZEROUPPER the kernels make it 110 to 140 times as long. Processors have states in which it takes 12 times as
	// long for milliseconds, whatever was called.
	const slow = 50
	clean := timed(func() {})
	for _, k := range kinds() {
		calls := map[string]func(){
			"Run":    func() { Run(k, s, p.x, p.z, p.shift, p.theta) },
			"ExpNeg": func() { k.ExpNeg(s.K, s.KD, 1) },
		}
		for _, shape := range shapes {
			q, g := smallGram(shape)
			calls[fmt.Sprint("Gram", shape)] = func() { g.Run(k, q.x, q.z, q.shift, q.theta) }
		}
		for name, f := range calls {
			if after := timed(f); after > slow*clean {
				t.Errorf("math.Exp takes %v after %s of %v, %v before", after, name, k, clean)
			}
		}
	}
}

func TestEveryReturnClearsUpperHalves(t *testing.T) {
	text, err := os.ReadFile("kernels_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	before, returns := "", 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "RET" {
			returns++
			if before != "VZEROUPPER" {
				t.Errorf("a return after %q, want VZEROUPPER", before)
			}
		}
		if line != "" {
			before = line
		}
	}
	if want := strings.Count(string(text), "TEXT "); returns < want || want != 12 {
		t.Errorf("%d returns of %d functions, want 12 functions", returns, want)
	}
}

// The AVX-512 passes flush denormal numbers; callers must get theirs back.
func TestDenormalsSurvive(t *testing.T) {
	p := newProblem(rand.New(rand.NewPCG(17, 18)), 21, 3, 0.5, 1)
	half := 0.5
	for _, k := range kinds() {
		p.run(k)
		for _, shape := range shapes {
			q, g := smallGram(shape)
			g.Run(k, q.x, q.z, q.shift, q.theta)
		}
		v := math.SmallestNonzeroFloat64 * 4
		if w := v * half; w == 0 || v+w == 0 {
			t.Errorf("%v: half of %v is %v", k, v, w)
		}
	}
}
