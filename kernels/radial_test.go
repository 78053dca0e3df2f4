package kernels

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// radials has the example of every radial kernel, and more of those with parameters.
func radials() []Radial {
	all := []Radial{Matern{3.5}, RQ{0.7}, RQ{40}, Mixture{[]float64{0.5, 0.3, 0.2}, []float64{1, 0.4, 2.5}}}
	for _, f := range families() {
		r, err := ParseRadial(f.example)
		if err != nil {
			panic(err)
		}
		all = append(all, r)
	}
	return all
}

// withSquares adds psi in one to four dimensions.
func withSquares(t *testing.T) []Radial {
	all := radials()
	for _, r := range radials() {
		for dim := 1; dim <= 4; dim++ {
			psi, _, err := r.Square(dim)
			if err != nil {
				checkError(t, err, "has no integral")
				continue
			}
			all = append(all, psi)
		}
	}
	return all
}

// slope is the derivative of f in log q by eighth-order differences of step h.
func slope(f func(q float64) float64, q, h float64) float64 {
	s := 0.0
	for i, c := range []float64{4. / 5, -1. / 5, 4. / 105, -1. / 280} {
		m := math.Exp(float64(i+1) * h)
		s += c * (f(q*m) - f(q/m)) / h
	}
	return s
}

func TestProfileAgreesWithDifferences(t *testing.T) {
	for _, r := range withSquares(t) {
		for _, q := range []float64{1e-4, 0.01, 0.3, 1, 4, 20, 150, 3000} {
			k, l, rho := r.Profile(q)
			if k > 1e-250 {
				logs := func(q float64) float64 { v, _, _ := r.Profile(q); return math.Log(v) }
				// Differences of log k have errors of 1e-16/(h q) at small q.
				kappa := -2 * k * slope(logs, q, 0.02) / q
				relative(t, fmt.Sprintf("kappa of %v at %v", r, q), math.Exp(l), kappa, 1e-9, 1e-13*k/q)
			}
			want := -2 * slope(func(q float64) float64 { _, v, _ := r.Profile(q); return v }, q, 0.02) / q
			relative(t, fmt.Sprintf("rho of %v at %v", r, q), rho, want, 1e-8, 1e-12*(1+math.Abs(l))/q)
		}
	}
}

func TestProfileAtTheEnds(t *testing.T) {
	for _, r := range withSquares(t) {
		k, l, rho := r.Profile(0)
		if math.Abs(k-1) > 1e-15 || math.IsInf(l, 0) || math.IsNaN(l+rho) || math.IsInf(rho, 0) {
			t.Errorf("%v at 0: k %v, log kappa %v, rho %v", r, k, l, rho)
		}
		for _, q := range []float64{5e-324, 1e-300, 1e-100, 1e-17} {
			k, tiny, rho := r.Profile(q)
			if math.Abs(k-1) > 1e-15 || !(math.Abs(tiny-l) < 1e-8) || !(rho >= 0 && rho*q < 1e-8) {
				t.Errorf("%v at %v: k %v, log kappa %v, rho %v", r, q, k, tiny, rho)
			}
		}
		before := l
		for q := 1.0; q < 1e300; q *= 10 {
			k, l, rho := r.Profile(q)
			if math.IsInf(l, -1) && k == 0 {
				break
			}
			if !(k >= 0 && k < 1) || !(l < before) || !(rho >= 0) || math.IsInf(rho, 0) {
				t.Errorf("%v at %v: k %v, log kappa %v after %v, rho %v", r, q, k, l, before, rho)
				break
			}
			before = l
		}
		k, l, rho = r.Profile(math.Inf(1))
		if k != 0 || !math.IsInf(l, -1) || math.IsNaN(rho) || rho < 0 {
			t.Errorf("%v at +Inf: k %v, log kappa %v, rho %v", r, k, l, rho)
		}
		if k, _, _ := r.Profile(math.NaN()); !math.IsNaN(k) {
			t.Errorf("%v at NaN: %v", r, k)
		}
	}
}

// Many q at once give what one at a time gives, whatever is asked for and wherever it goes.
func TestProfilesEqualProfile(t *testing.T) {
	q := []float64{0, math.Inf(1), 5e-324, 1e308}
	for i := range 400 {
		q = append(q, math.Exp(float64(i)/20-9))
	}
	n := len(q)
	for _, r := range append(withSquares(t), newCustom()) {
		want := make([][4]float64, n)
		for i, v := range q {
			k, l, rho := r.Profile(v)
			want[i] = [4]float64{k, math.Exp(l), l, rho}
		}
		for _, path := range paths() {
			for mask := range 8 {
				out := [4][]float64{make([]float64, n)}
				for j := range 3 {
					if mask>>j&1 == 1 {
						out[j+1] = make([]float64, n)
					}
				}
				if mask%2 == 0 {
					copy(out[0], q)
					Profiles(r, path, out[0], out[1], out[2], out[3], out[0])
				} else {
					Profiles(r, path, out[0], out[1], out[2], out[3], q)
				}
				for j, name := range []string{"k", "kappa", "log kappa", "rho"} {
					for i, v := range out[j] {
						what := fmt.Sprintf("%v, %v: %s at %v", path, r, name, q[i])
						if w := want[i][j]; w != v {
							relative(t, what, v, w, 1e-12, 1e-290)
						}
					}
				}
			}
			v := append([]float64(nil), q...)
			values(r, path, v, v)
			for i := range v {
				relative(t, fmt.Sprintf("%v, %v: value at %v", path, r, q[i]), v[i], want[i][0], 1e-12,
					1e-290)
			}
		}
	}
}

// The square of a rational quadratic kernel has an integral where 4 alpha is more than the number of
// columns, and there only.
func TestSquareOfRQ(t *testing.T) {
	for _, alpha := range []float64{0.3, 0.7, 1.5, 13, 40} {
		for dim := 1; dim <= 5; dim++ {
			if _, _, err := (RQ{alpha}).Square(dim); (err == nil) != (4*alpha > float64(dim)) {
				t.Errorf("alpha = %v, %d columns: %v", alpha, dim, err)
			}
		}
	}
}

// custom is a kernel that somebody else might write: none of its methods but those of Radial are
// seen, nor those of its square.
type custom struct{ Radial }

func (c custom) Square(dim int) (Radial, float64, error) {
	psi, logConst, err := c.Radial.Square(dim)
	return custom{psi}, logConst, err
}

func (custom) String() string { return "custom" }

func newCustom() Radial {
	return custom{Mixture{[]float64{0.5, 0.5}, []float64{1, 2}}}
}

func TestProfilesPanicOnLengths(t *testing.T) {
	for _, out := range [][4][]float64{
		{make([]float64, 2)}, {make([]float64, 3), make([]float64, 2)},
		{make([]float64, 3), nil, make([]float64, 4)}, {make([]float64, 3), nil, nil, {}},
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "kernels: Profiles") {
					t.Errorf("panic %q", s)
				}
			}()
			Profiles(SE{}, 0, out[0], out[1], out[2], out[3], make([]float64, 3))
		}()
	}
	Profiles(SE{}, 0, nil, nil, nil, nil, nil)
}

func TestProfilesDoNotAllocate(t *testing.T) {
	q, a, b, c, d := make([]float64, 300), make([]float64, 300), make([]float64, 300),
		make([]float64, 300), make([]float64, 300)
	for i := range q {
		q[i] = float64(i) / 10
	}
	for _, r := range withSquares(t) {
		for _, path := range paths() {
			if n := testing.AllocsPerRun(5, func() { Profiles(r, path, a, b, c, d, q) }); n != 0 {
				t.Errorf("%v, %v: %v allocations", path, r, n)
			}
		}
	}
}

// The mixture stands in for the kernel to the accuracy that its grid promises.
func TestMixtureStandsIn(t *testing.T) {
	sizes := map[string]int{"se": 1, "matern32": 74, "matern52": 47, "rq:alpha=0.7": 148,
		"rq:alpha=1.5": 74, "rq:alpha=2": 57}
	more := []Radial{RQ{2}, RQ{0.3}, RQ{3}, RQ{10}, RQ{1000}, Matern{20}, Matern{100}}
	for _, r := range append(radials(), more...) {
		weights, widths := r.Mixture()
		if want, ok := sizes[r.String()]; ok && len(weights) != want {
			t.Errorf("%v has %d widths, want %d", r, len(weights), want)
		}
		sum := 0.0
		for _, w := range weights {
			sum += w
		}
		relative(t, fmt.Sprintf("sum of the weights of %v", r), sum, 1, 1e-14, 0)
		for _, q := range []float64{1e-6, 0.01, 0.3, 1, 5, 30, 200} {
			k, _, _ := r.Profile(q)
			got, _, _ := Mixture{weights, widths}.Profile(q)
			relative(t, fmt.Sprintf("mixture of %v at %v", r, q), got, k, 0, 1e-11)
		}
	}
}

func TestShapeParameters(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		r    Radial
		want string
	}{
		{SE{}, ""}, {Matern{1.5}, ""}, {Matern{2}, ""}, {RQ{0.3}, ""},
		{Matern{0.5}, "nu of Matern is 0.5, want more than 1: a rougher kernel has no finite gradient"},
		{Matern{1}, "nu of Matern is 1, want more than 1"},
		{Matern{1.7}, "nu of Matern is 1.7, want an integer or half of one, at most 100"},
		{Matern{nan}, "nu of Matern is NaN"}, {Matern{math.Inf(1)}, "nu of Matern is +Inf"},
		{RQ{0}, "alpha of rq is 0, want a number from 0.001 to 1000"}, {RQ{nan}, "alpha of rq is NaN"},
		{Mixture{}, "mixture has 0 weights and 0 widths"},
		{Mixture{[]float64{1}, []float64{1, 2}}, "mixture has 1 weights and 2 widths"},
		{Mixture{[]float64{1, 0}, []float64{1, 2}}, "weight 2 of mixture is 0"},
		{Mixture{[]float64{0.5, 0.5}, []float64{1, -2}}, "width 2 of mixture is -2"},
		{Mixture{[]float64{0.5, 0.4}, []float64{1, 2}}, "weights of mixture sum to 0.9, want 1"},
		{Mixture{[]float64{nan}, []float64{1}}, "weight 1 of mixture is NaN"},
	} {
		if err := c.r.Check(); c.want == "" {
			if err != nil {
				t.Error(err)
			}
		} else {
			checkError(t, err, c.want)
		}
	}
	_, _, err := RQ{0.7}.Square(3)
	checkError(t, err, "4 alpha of rq:alpha=0.7 is 2.8 in 3 columns, want more than 3")
	psi, _, _ := SE{}.Square(1)
	_, _, err = psi.Square(1)
	checkError(t, err, "is the square of a kernel")
}
