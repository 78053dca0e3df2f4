package summary

import (
	"bytes"
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// mixture has rows of two normal clouds.
func mixture(seed uint64, n, dim int) []float64 {
	r := rand.New(rand.NewPCG(seed, 77))
	out := make([]float64, 0, n*dim)
	for i := range n {
		for range dim {
			v := r.NormFloat64()
			if i%3 == 0 {
				v = 2.5 + 0.4*v
			}
			out = append(out, v)
		}
	}
	return out
}

// planFor makes a plan of rows of sample P.
func planFor(t testing.TB, x []float64, dim int, o PlanOptions) *Plan {
	t.Helper()
	pilot := NewPilot(dim, 100000, 1)
	pilot.Begin("P")
	pilot.Add(x)
	for a := range dim {
		o.Columns = append(o.Columns, string(rune('a'+a)))
	}
	p, err := NewPlan(context.Background(), pilot, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// summarise adds rows as chunks of so many rows.
func summarise(t testing.TB, p *Plan, name string, x []float64, chunk int) *Summary {
	t.Helper()
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	addChunks(t, s, name, x, chunk)
	return s
}

func addChunks(t testing.TB, s *Summary, name string, x []float64, chunk int) {
	t.Helper()
	d := s.plan.Dim()
	for i := 0; i < len(x); i += chunk * d {
		c, err := s.Chunk(name, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Add(x[i:min(i+chunk*d, len(x))]); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func dense(x []float64, dim int) *mat.Dense { return mat.NewDense(len(x)/dim, dim, x) }

// long reports whether tests that take minutes are wanted.
func long() bool { return os.Getenv("BAYESKERNEL_LONG") != "" }

// sealed gives bytes the checksum that they should have.
func sealed(b []byte) []byte {
	body := b[:max(0, len(b)-sha256.Size)]
	sum := sha256.Sum256(body)
	return append(bytes.Clone(body), sum[:]...)
}
