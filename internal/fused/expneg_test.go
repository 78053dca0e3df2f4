package fused

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestExpNeg(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	const n = 1003
	d, want := make([]float64, n), make([]float64, n)
	for _, c := range []float64{1, 0.5, 1e-200, 3e150} {
		for i := range d {
			y := 700 * rng.Float64()
			switch i % 4 {
			case 0:
				y /= 100
			case 1:
				y = math.Exp2(-float64(i) / 16)
			}
			d[i] = y / c
			want[i], _ = bigExpNeg(mul(newBig(c), newBig(d[i]))).Float64()
		}
		d[17], want[17] = 0, 1
		for _, k := range kinds() {
			got := make([]float64, n)
			k.ExpNeg(got, d, c)
			worst, near := 0.0, 0.0
			for i, v := range got {
				e := math.Abs(v/want[i] - 1)
				if want[i] > 1e-300 {
					worst = max(worst, e)
				}
				if c*d[i] < 1 {
					near = max(near, e)
				}
			}
			if !(worst < 2e-13) || !(near < 1e-15) || got[17] != 1 {
				t.Errorf("%v, c=%v: errors %v, near 0 %v, exp(0) = %v", k, c, worst, near, got[17])
			}
			t.Logf("%v, c=%v: errors %.2g, near 0 %.2g", k, c, worst, near)
		}
	}
}

func TestExpNegFar(t *testing.T) {
	nan := math.NaN()
	d := []float64{690, 709, 745, 746, 1300, 1500, 1e4, 1e9, 1e15, 1e200, math.MaxFloat64,
		math.Inf(1), nan, 0, 5e-324, -1e-17}
	for _, k := range kinds() {
		got := make([]float64, len(d))
		k.ExpNeg(got, d, 1)
		for i, v := range got {
			want := math.Exp(-d[i])
			if math.IsNaN(want) != math.IsNaN(v) || math.Abs(v-want) > 1e-300+1e-12*want {
				t.Errorf("%v: exp(-%v) = %v, want %v", k, d[i], v, want)
			}
			if d[i] > 1e4 && v != 0 {
				t.Errorf("%v: exp(-%v) = %v, want 0", k, d[i], v)
			}
		}
		for _, c := range []float64{0, 5e-324, math.MaxFloat64, math.Inf(1), nan} {
			got := got[:3]
			k.ExpNeg(got, []float64{0, 1, 1e100}, c)
			for i, d := range []float64{0, 1, 1e100} {
				want := math.Exp(-c * d)
				if v := got[i]; v != want && !math.IsNaN(want) {
					t.Errorf("%v: exp(-%v %v) = %v, want %v", k, c, d, v, want)
				}
			}
		}
	}
}

// Every length, in place and not, without touching what lies beside; and the same bits wherever an
// element stands.
func TestExpNegLengths(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, k := range kinds() {
		for n := range 40 {
			d := make([]float64, n)
			for i := range d {
				d[i] = rng.ExpFloat64()
			}
			buf := make([]float64, n+2)
			buf[0], buf[n+1] = -7, -7
			dst := buf[1 : n+1]
			k.ExpNeg(dst, d, 1.5)
			for i, v := range d {
				var one [1]float64
				k.ExpNeg(one[:], []float64{v}, 1.5)
				if dst[i] != one[0] || math.Abs(one[0]-math.Exp(-1.5*v)) > 1e-14 {
					t.Fatalf("%v, n=%d: element %d is %v, alone %v", k, n, i, dst[i], one[0])
				}
			}
			if buf[0] != -7 || buf[n+1] != -7 {
				t.Fatalf("%v, n=%d: wrote beside dst", k, n)
			}
			k.ExpNeg(d, d, 1.5)
			for i := range d {
				if d[i] != dst[i] {
					t.Fatalf("%v, n=%d: in place: %v, want %v", k, n, d[i], dst[i])
				}
			}
		}
	}
}

func TestPowers(t *testing.T) {
	const steps = len(powers)
	for i, bits := range powers {
		v := new(big.Float).SetPrec(3000).SetFloat64(math.Float64frombits(bits + uint64(i)<<43))
		for range 9 {
			v.Mul(v, v)
		}
		got, _ := v.Float64() // v^512 = 2^i; a relative error of 2^-53 in v grows by 512
		if math.Abs(got/math.Ldexp(1, i)-1) > 512*0x1p-53 {
			t.Errorf("entry %d of %d: its power is %v", i, steps, got)
		}
	}
}
