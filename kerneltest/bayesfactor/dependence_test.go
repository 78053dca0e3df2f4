package bayesfactor

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/internal/long"

	"gonum.org/v1/gonum/mat"
)

// pairsOf are n pairs of normal variables, y = slope x² + noise.
func pairsOf(n int, slope float64, seed uint64) (x, y *mat.Dense) {
	r := rand.New(rand.NewPCG(seed, 21))
	x, y = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		v := r.NormFloat64()
		x.Set(i, 0, v)
		y.Set(i, 0, slope*(v*v-1)+r.NormFloat64())
	}
	return x, y
}

// dense is log BF at one point from the covariance matrices of the n x n contrast, on an orthonormal
// basis of the doubly centred space.
func dense(t *testing.T, x, y *mat.Dense, tx, ty, s float64) float64 {
	t.Helper()
	n, _ := x.Dims()
	basis := mat.NewDense(n, n-1, nil) // Helmert's
	for k := range n - 1 {
		f := 1 / math.Sqrt(float64((k+1)*(k+2)))
		for i := range k + 1 {
			basis.Set(i, k, f)
		}
		basis.Set(k+1, k, -float64(k+1)*f)
	}
	project := func(v *mat.Dense, theta float64) *mat.Dense {
		gram := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				d := v.At(i, 0) - v.At(j, 0)
				gram.Set(i, j, math.Exp(-d*d/2/theta/theta))
			}
		}
		var left, out mat.Dense
		left.Mul(basis.T(), gram)
		out.Mul(&left, basis)
		return &out
	}
	kx, ky := project(x, tx), project(y, ty)
	q := (n - 1) * (n - 1)
	f := float64(n)
	kappa := 1 / (f * f * (f - 1))
	sigma := mat.NewSymDense(q, nil)
	w := mat.NewVecDense(q, nil)
	for a := range n - 1 {
		for b := range n - 1 {
			i := a*(n-1) + b
			if a == b {
				w.SetVec(i, 1/(f*math.Sqrt(kappa)))
			}
			for c := range n - 1 {
				for d := range n - 1 {
					if j := c*(n-1) + d; j >= i {
						v := s * s * kx.At(a, c) * ky.At(b, d) / (f * f * f * f * kappa)
						if i == j {
							v++
						}
						sigma.SetSym(i, j, v)
					}
				}
			}
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(sigma) {
		t.Fatal("not positive definite")
	}
	var z mat.VecDense
	if err := chol.SolveVecTo(&z, w); err != nil {
		t.Fatal(err)
	}
	return (mat.Dot(w, w) - mat.Dot(w, &z) - chol.LogDet()) / 2
}

func TestDependenceAgainstDense(t *testing.T) {
	x, y := pairsOf(8, 0.7, 1)
	vx, err := newVariable("x", x)
	if err != nil {
		t.Fatal(err)
	}
	vy, err := newVariable("y", y)
	if err != nil {
		t.Fatal(err)
	}
	d := &dependence{sides: [2]*variable{vx, vy}, s: rule{at: []float64{0.1, 1, 4}}}
	for _, theta := range [][2]float64{{0.3, 0.5}, {1, 2}, {5, 0.1}} {
		logs, _ := d.pair(vx.at(theta[0]), vy.at(theta[1]))
		for j, s := range d.s.at {
			if want := dense(t, x, y, theta[0], theta[1], s); !(math.Abs(logs[j]-want) <= 1e-9) {
				t.Errorf("theta %v, s %v: log BF %v, want %v", theta, s, logs[j], want)
			}
		}
	}
	// The integral against a trapezoidal rule of 60 x 60 x 200 points.
	r, err := Dependence(t.Context(), x, y, Options{Nodes: 48, Tolerance: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	const nodes, most = 60, 200
	d.s = rule{}
	for j := range most {
		d.s.at = append(d.s.at, 6*(float64(j)+0.5)/most)
	}
	var at [2][]*directions
	for k, v := range []*variable{vx, vy} {
		for i := range nodes {
			u := math.Log(0.05) + math.Log(120)*(float64(i)+0.5)/nodes
			at[k] = append(at[k], v.at(v.unit*math.Exp(u)))
		}
	}
	sum, total := 0.0, 0.0
	for i := range nodes {
		for k := range nodes {
			logs, _ := d.pair(at[0][i], at[1][k])
			for j, l := range logs {
				p := math.Exp(-d.s.at[j] * d.s.at[j] / 2)
				total += p
				sum += p * math.Exp(l)
			}
		}
	}
	if want := math.Log(sum / total); !(math.Abs(r.LogBF-want) < 2e-4) {
		t.Errorf("log BF %v, by the midpoint rule %v", r.LogBF, want)
	}
}

// Exchanging x and y, the order of the pairs, and units change nothing; dependence raises the factor,
// and its absence keeps it above the floor and below 3.
func TestDependence(t *testing.T) {
	x, y := pairsOf(120, 0.8, 2)
	of := func(x, y *mat.Dense) *DependenceResult {
		r, err := Dependence(t.Context(), x, y, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := of(x, y)
	if r.LogBF < math.Log(20) || r.Probability < 0.95 || !(r.Error < 0.2) {
		t.Errorf("dependent pairs: %+v", r.LogBF)
	}
	fine, err := Dependence(t.Context(), x, y, Options{Nodes: 48})
	if err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(fine.LogBF-r.LogBF) < 2e-3) {
		t.Errorf("log BF %v with 24 nodes, %v with 48", r.LogBF, fine.LogBF)
	}
	swapped := of(y, x)
	moved, scaled := mat.NewDense(120, 1, nil), mat.NewDense(120, 1, nil)
	for i := range 120 {
		moved.Set(119-i, 0, x.At(i, 0))
		scaled.Set(119-i, 0, 1e4*y.At(i, 0)+7)
	}
	for _, other := range []*DependenceResult{swapped, of(moved, scaled)} {
		if !(math.Abs(other.LogBF-r.LogBF) < 1e-7) || !(math.Abs(other.Floor-r.Floor) < 1e-7) {
			t.Errorf("log BF %v and floor %v, want %v and %v", other.LogBF, other.Floor, r.LogBF, r.Floor)
		}
	}
	if math.Abs(swapped.ThetaY.LogMean-r.ThetaX.LogMean) > 1e-6 {
		t.Errorf("theta of x %v, as y %v", r.ThetaX.LogMean, swapped.ThetaY.LogMean)
	}
	x, y = pairsOf(60, 0, 3)
	if r := of(x, y); r.LogBF > math.Log(3) || r.LogBF < r.Floor {
		t.Errorf("independent pairs: log BF %v, floor %v", r.LogBF, r.Floor)
	}
}

// Under H0 the factor exceeds k with probability at most 1/k: above 9 in at most 1% and above 3 in at
// most 5% of 400 sets (a rate of 1/9 would leave 4 or fewer with probability below 1e-15).
func TestDependenceNull(t *testing.T) {
	long.Skip(t)
	above3, above9 := 0, 0
	for set := range 400 {
		x, y := pairsOf(50, 0, uint64(100+set))
		r, err := Dependence(t.Context(), x, y, Options{Nodes: 17})
		if err != nil {
			t.Fatal(err)
		}
		if r.LogBF > math.Log(3) {
			above3++
		}
		if r.LogBF > math.Log(9) {
			above9++
		}
	}
	t.Log(above3, above9)
	if above3 > 20 || above9 > 4 {
		t.Errorf("of 400 factors of independent pairs %d are above 3 and %d above 9", above3, above9)
	}
}

func TestDependenceErrors(t *testing.T) {
	x, y := pairsOf(10, 0, 1)
	for _, c := range []struct {
		x, y *mat.Dense
		want string
	}{
		{x, y.Slice(0, 9, 0, 1).(*mat.Dense), "10 rows and y 9"},
		{x.Slice(0, 3, 0, 1).(*mat.Dense), y.Slice(0, 3, 0, 1).(*mat.Dense), "3 pairs"},
		{x, mat.NewDense(10, 1, nil), "all rows of y are equal"},
	} {
		if _, err := Dependence(t.Context(), c.x, c.y, Options{}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
