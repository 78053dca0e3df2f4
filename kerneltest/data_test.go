package kerneltest

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// reference is one entry of statistic/testdata/reference.json.
type reference struct {
	Kind string
	Ell  map[string]map[string]any
}

func readJSON(t testing.TB, path string, dst any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, dst); err != nil {
		t.Fatal(err)
	}
}

func readCSV(t testing.TB, path string) *mat.Dense {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	d := mat.NewDense(len(records), len(records[0]), nil)
	for i, r := range records {
		for j, s := range r {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			d.Set(i, j, v)
		}
	}
	return d
}

func gramOf(t testing.TB, k kernels.Kernel, x mat.Matrix) *mat.SymDense {
	t.Helper()
	var g mat.SymDense
	if err := kernels.Gram(&g, k, x); err != nil {
		t.Fatal(err)
	}
	return &g
}

func pooled(x, y mat.Matrix) *mat.Dense {
	var z mat.Dense
	z.Stack(x, y)
	return &z
}

func get[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func normals(seed uint64, n, d int, shift float64) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 7))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, r.NormFloat64()+shift)
		}
	}
	return x
}

// spread is the variance of x, with divisor len(x)-1.
func spread(x []float64) float64 {
	mean, s := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		s += (v - mean) * (v - mean)
	}
	return s / float64(len(x)-1)
}

// relative is the difference of two numbers in units of the second.
func relative(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / math.Abs(want)
}
