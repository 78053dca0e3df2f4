package rng

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"sort"
	"strings"
	"testing"

	xrand "golang.org/x/exp/rand" //lint:ignore SA1019 the generator under test
)

func TestAdvanceEqualsSteps(t *testing.T) {
	start := uint128{0x0123456789abcdef, 0xfedcba9876543210}
	for _, n := range []uint64{0, 1, 2, 3, 17, 255, 1000} {
		b := make([]byte, 16)
		binary.BigEndian.PutUint64(b[:8], start.hi)
		binary.BigEndian.PutUint64(b[8:], start.lo)
		var pcg xrand.PCGSource
		if err := pcg.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		for range n {
			pcg.Uint64()
		}
		want, _ := pcg.MarshalBinary()
		got := start.advance(uint128{0, n})
		binary.BigEndian.PutUint64(b[:8], got.hi)
		binary.BigEndian.PutUint64(b[8:], got.lo)
		if !bytes.Equal(b, want) {
			t.Errorf("advance by %d: %x, stepping gives %x", n, b, want)
		}
	}
	// Two long jumps are one: only a right carry from the low to the high half makes this so.
	j := goldenJump.mul(uint128{0, 12345})
	if a, b := start.advance(goldenJump).advance(j), start.advance(goldenJump.add(j)); a != b {
		t.Errorf("advance is not additive: %x and %x", a, b)
	}
}

// TestStreamsAreDisjoint computes the smallest gap between the starting points of the chains on
// the orbit: it does not depend on the seed.
func TestStreamsAreDisjoint(t *testing.T) {
	mod := new(big.Int).Lsh(big.NewInt(1), 128)
	jump := new(big.Int).SetUint64(goldenJump.hi)
	jump.Lsh(jump, 64).Add(jump, new(big.Int).SetUint64(goldenJump.lo))
	for _, c := range []struct {
		chains int
		log2   int // the least gap is at least 2 to this power
	}{{4, 125}, {100, 120}, {10000, 114}} {
		at := make([]*big.Int, c.chains)
		for i := range at {
			at[i] = new(big.Int).Mul(jump, big.NewInt(int64(i)))
			at[i].Mod(at[i], mod)
		}
		sort.Slice(at, func(i, j int) bool { return at[i].Cmp(at[j]) < 0 })
		gap := new(big.Int).Sub(new(big.Int).Add(at[0], mod), at[len(at)-1])
		for i := 1; i < len(at); i++ {
			if d := new(big.Int).Sub(at[i], at[i-1]); d.Cmp(gap) < 0 {
				gap = d
			}
		}
		if got := gap.BitLen() - 1; got < c.log2 {
			t.Errorf("%d chains: smallest gap 2^%d, want at least 2^%d", c.chains, got, c.log2)
		}
	}
}

func TestStateIsResumable(t *testing.T) {
	for _, kind := range []Kind{PCG, ChaCha8} {
		s, err := New(kind, Name{7, 0, "test"}, 3)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(s)
		for range 101 {
			r.NormFloat64()
			r.Float64()
		}
		state, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		state = bytes.Clone(state)
		if kind == PCG && len(state) != 16 {
			t.Errorf("a state of %d bytes", len(state))
		}
		var want [64]float64
		for i := range want {
			want[i] = r.NormFloat64()
		}
		fresh, _ := New(kind, Name{}, 0)
		if err := fresh.UnmarshalBinary(state); err != nil {
			t.Fatal(err)
		}
		r = rand.New(fresh)
		for i, w := range want {
			if g := r.NormFloat64(); g != w {
				t.Fatalf("%s: normal %d after resuming is %v, was %v", kind, i, g, w)
			}
		}
	}
}

func TestRewind(t *testing.T) {
	for _, kind := range []Kind{PCG, ChaCha8} {
		s, _ := New(kind, Name{1, 2, "test"}, 3)
		s.Uint64()
		s.Mark()
		var first [300]uint64
		for i := range first {
			first[i] = s.Uint64()
		}
		s.Rewind()
		for i, v := range first {
			if g := s.Uint64(); g != v {
				t.Fatalf("%s: number %d after going back is %x, was %x", kind, i, g, v)
			}
		}
		if n := testing.AllocsPerRun(10, s.Mark); n != 0 {
			t.Errorf("%s: %v allocations", kind, n)
		}
	}
}

func TestErrors(t *testing.T) {
	if _, err := New("mixmax", Name{}, 0); err == nil || !strings.Contains(err.Error(), `"mixmax"`) {
		t.Errorf("unknown kind: %v", err)
	}
	for _, kind := range []Kind{PCG, ChaCha8} {
		s, _ := New(kind, Name{}, 0)
		for _, n := range []int{0, 15, 17} {
			if err := s.UnmarshalBinary(make([]byte, n)); err == nil {
				t.Errorf("%s took a state of %d bytes", kind, n)
			}
		}
	}
}

// TestStreamsAreUnrelated looks at each pair of neighbouring streams (by chain, seed, replicate and
// purpose) for agreement in single bits: the popcount of the exclusive or is binomial with mean 32
// if the streams are independent. A mean over N words has standard error 4/sqrt(N); |z| < 5.5 fails
// by chance 4e-8 of the time, and 12 pairs are looked at: 5e-7 on a reseed.
func TestStreamsAreUnrelated(t *testing.T) {
	const n = 100000
	for _, kind := range []Kind{PCG, ChaCha8} {
		base := Name{1, 0, "sample"}
		pairs := []struct {
			name Name
			c    uint64
		}{{base, 1}, {base, 2}, {base, 3}, {Name{2, 0, "sample"}, 0}, {Name{1, 1, "sample"}, 0},
			{Name{1, 0, "start"}, 0}}
		for _, p := range pairs {
			a, _ := New(kind, base, 0)
			b, _ := New(kind, p.name, p.c)
			sum := 0
			for range n {
				sum += bits.OnesCount64(a.Uint64() ^ b.Uint64())
			}
			if z := (float64(sum)/n - 32) / (4 / math.Sqrt(n)); math.Abs(z) > 5.5 {
				t.Errorf("%s: %v stream %d against stream 0: z = %.1f", kind, p.name, p.c, z)
			}
		}
	}
}

// TestSeedsAreUnbiased looks at the first uniform of 100,000 neighbouring seeds, where seeding both
// words of PCG with the seed gives a mean 3 standard errors off. |z| < 5.5: 4e-8 by chance.
func TestSeedsAreUnbiased(t *testing.T) {
	const n = 100000
	sum := 0.0
	for seed := range uint64(n) {
		s, _ := New(PCG, Name{seed, 0, "sample"}, 0)
		sum += rand.New(s).Float64()
	}
	if z := (sum/n - 0.5) / math.Sqrt(1.0/12/n); math.Abs(z) > 5.5 {
		t.Errorf("mean of first uniforms %v, z = %.1f", sum/n, z)
	}
}

// TestOnlyImporter keeps golang.org/x/exp/rand in this package alone, so that replacing it stays a
// change of one file.
func TestOnlyImporter(t *testing.T) {
	if _, err := os.Stat("../../go.mod"); err != nil {
		t.Skip("not in the module's own tree")
	}
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		f := strings.Fields(line)
		for _, imp := range f[1:] {
			if imp == "golang.org/x/exp/rand" && f[0] != "bayeskernel/internal/rng" {
				t.Errorf("%s imports %s", f[0], imp)
			}
		}
	}
}

func BenchmarkNormFloat64(b *testing.B) {
	for _, kind := range []Kind{PCG, ChaCha8} {
		b.Run(string(kind), func(b *testing.B) {
			s, _ := New(kind, Name{}, 0)
			r := rand.New(s)
			b.ReportAllocs()
			for b.Loop() {
				r.NormFloat64()
			}
		})
	}
}
