package causal

import (
	"bayeskernel/kerneltest/conditional"
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func kernelOf(t testing.TB, d *Data) *Kernel {
	t.Helper()
	k, err := NewKernel(d, conditional.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Cosines of one cause are found, which have no correlation with it.
func TestKernelPC(t *testing.T) {
	const n = 200
	a, b := normals(21, n), normals(22, n)
	c := normals(23, n)
	for i := range c {
		c[i] = math.Cos(2*a[i]) + b[i]*b[i] + 0.3*c[i]
	}
	d := columns(t, a, b, c)
	r := learn(t, kernelOf(t, d), Options{Alpha: 0.01})
	if r.Graph.String() != "a -> c, b -> c" || r.LeastRows != n {
		t.Errorf("%v, %+v", r.Graph, r)
	}
	if r := learn(t, kernelOf(t, d).Residuals(), Options{Depth: EmptySets, Alpha: 0.01}); r.Tests != 3 {
		t.Errorf("%+v", r)
	}
}

// A test of a table with holes is that of its complete rows.
func TestKernelMissing(t *testing.T) {
	const n = 60
	x, y, z, w := normals(1, n), normals(2, n), normals(3, n), normals(4, n)
	holes := append([]float64{}, y...)
	w[5], holes[7], holes[20] = math.NaN(), math.NaN(), math.NaN()
	d := columns(t, x, holes, z, w)
	got, err := kernelOf(t, d).Independence(context.Background(), 0, 1, []int{2})
	if err != nil {
		t.Fatal(err)
	}
	rows := mat.NewDense(n-2, 3, nil)
	at := 0
	for i := range n {
		if i != 7 && i != 20 {
			rows.SetRow(at, []float64{x[i], y[i], z[i]})
			at++
		}
	}
	direct, err := conditional.NewTable([]string{"a", "b", "c"}, rows, conditional.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := direct.Test(context.Background(), []int{0}, []int{1}, []int{2})
	if err != nil || got.P != want.P || got.Statistic != want.Statistic || got.Rows != n-2 {
		t.Errorf("%+v, want %+v, %v", got, want, err)
	}
	all, err := kernelOf(t, d).Independence(context.Background(), 1, 3, []int{0, 2})
	if err != nil || all.Rows != n-3 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestKernelErrors(t *testing.T) {
	a, b := normals(1, 8), normals(2, 8)
	_, err := PC(context.Background(), kernelOf(t, columns(t, a, b)), Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "causal: the test of a and b: conditional: there are 8") {
		t.Errorf("error %v", err)
	}
}
