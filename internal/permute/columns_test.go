package permute

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func TestColumnSumsAgainstLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{2, 5, 70, 513, 1100} {
		for _, rank := range []int{0, 1, 2, 6, 7, 8, 16, 17, 40} {
			for _, count := range []int{1, 9, 300} {
				columns := make([]float64, n*rank)
				for i := range columns {
					columns[i] = r.NormFloat64()
				}
				s := must(must(NewDesign(n, 5, nil)).Signs(1+n/3, 0, count))
				for _, e := range engines() {
					checkColumnSums(t, e, s, columns, rank)
				}
			}
		}
	}
}

func checkColumnSums(t *testing.T, e Engine, s *Signs, columns []float64, rank int) {
	t.Helper()
	got := make([]float64, s.Count()*rank)
	if err := e.ColumnSums(context.Background(), got, s, columns); err != nil {
		t.Fatal(err)
	}
	for b := 0; b < s.Count(); b += 1 + s.Count()/10 {
		for c := range rank {
			want, size := 0.0, 0.0
			for i, v := range columns[c*s.n : (c+1)*s.n] {
				if s.First(b, i) {
					want += v
					size += math.Abs(v)
				}
			}
			if !(math.Abs(got[b*rank+c]-want) <= 1e-14*size) {
				t.Fatalf("%v, n = %d, permutation %d, column %d: %v, want %v", e.Kind, s.n, b, c,
					got[b*rank+c], want)
			}
		}
	}
}

// The squared norm of the sums of a factor is the sum of its matrix over the first sample.
func TestColumnSumsAreForms(t *testing.T) {
	const n, nx, count = 300, 120, 70
	k := gram(n, 1, false)
	f := factorColumns(k, n)
	rank := len(f) / n
	s := must(must(NewDesign(n, 6, nil)).Signs(nx, 0, count))
	forms := make([]Sums, count)
	if err := Best().Forms(context.Background(), forms, s, Matrix{N: n, Data: k}); err != nil {
		t.Fatal(err)
	}
	sums := make([]float64, count*rank)
	if err := Best().ColumnSums(context.Background(), sums, s, f); err != nil {
		t.Fatal(err)
	}
	for b, want := range forms {
		got := -float64(nx)
		for _, v := range sums[b*rank : (b+1)*rank] {
			got += v * v
		}
		if math.Abs(got-want.XX) > 1e-8*n*n {
			t.Errorf("permutation %d: %v, want %v", b, got, want.XX)
		}
	}
}

func TestColumnSumsStop(t *testing.T) {
	s := must(must(NewDesign(50, 1, nil)).Signs(20, 0, 5))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := Best().ColumnSums(ctx, make([]float64, 5), s, make([]float64, 50))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want cancelled", err)
	}
	columns := make([]float64, 50)
	columns[7] = math.NaN()
	if err := Best().ColumnSums(context.Background(), make([]float64, 5), s, columns); err == nil {
		t.Error("no error for a NaN")
	}
}
