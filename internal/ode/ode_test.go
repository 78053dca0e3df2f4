package ode

import (
	"errors"
	"math"
	"testing"
)

// system is one of functions.
type system struct {
	f  func(t float64, y, f []float64)
	jy func(t float64, y, j []float64)
	jp func(t float64, y, j []float64)
}

func (s system) Eval(t float64, y, f, jy, jp []float64) {
	s.f(t, y, f)
	if jy != nil {
		s.jy(t, y, jy)
		s.jp(t, y, jp)
	}
}

// logistic growth has the solution K/(1 + (K/y0 - 1) exp(-r t)), for parameters r and K.
func logistic(r, k float64) system {
	return system{
		func(_ float64, y, f []float64) { f[0] = r * y[0] * (1 - y[0]/k) },
		func(_ float64, y, j []float64) { j[0] = r * (1 - 2*y[0]/k) },
		func(_ float64, y, j []float64) { j[0], j[1] = y[0]*(1-y[0]/k), r*y[0]*y[0]/(k*k) },
	}
}

func robertson(k1, k2, k3 float64) system {
	return system{
		func(_ float64, y, f []float64) {
			f[0] = -k1*y[0] + k3*y[1]*y[2]
			f[2] = k2 * y[1] * y[1]
			f[1] = -f[0] - f[2]
		},
		func(_ float64, y, j []float64) {
			copy(j, []float64{-k1, k3 * y[2], k3 * y[1], k1, -k3*y[2] - 2*k2*y[1], -k3 * y[1],
				0, 2 * k2 * y[1], 0})
		},
		func(_ float64, y, j []float64) {
			copy(j, []float64{-y[0], 0, y[1] * y[2], y[0], -y[1] * y[1], -y[1] * y[2], 0, y[1] * y[1], 0})
		},
	}
}

// Solutions and their derivatives in start values and parameters are those of the closed form.
func TestClosedForm(t *testing.T) {
	const r, k, y0 = 0.7, 3.0, 0.2
	times := []float64{0, 0.5, 2, 2, 9}
	for _, method := range []Method{DormandPrince, Radau, Eighth} {
		s, err := New(1, 2, true, Options{Method: method, RelTol: 1e-10, AbsTol: 1e-10})
		if err != nil {
			t.Fatal(err)
		}
		y, sens := make([]float64, 5), make([]float64, 15)
		if err := s.Solve(logistic(r, k), 0, []float64{y0}, times, y, sens); err != nil {
			t.Fatal(err)
		}
		for i, at := range times {
			e := math.Exp(-r * at)
			d := y0 + (k-y0)*e
			want := []float64{k * y0 / d, k * k * e / (d * d), k * y0 * (k - y0) * e * at / (d * d),
				y0 * y0 * (1 - e) / (d * d)}
			for j, got := range []float64{y[i], sens[3*i], sens[3*i+1], sens[3*i+2]} {
				if !(math.Abs(got-want[j]) <= 1e-8*(1+math.Abs(want[j]))) {
					t.Errorf("method %d at %v: value %d is %v, want %v", method, at, j, got, want[j])
				}
			}
		}
	}
}

// Predator and prey, by mpmath's Taylor series with 30 digits.
func TestLotkaVolterra(t *testing.T) {
	const a, b, c, d = 0.55, 0.028, 0.84, 0.026
	sys := system{f: func(_ float64, y, f []float64) {
		f[0], f[1] = (a-b*y[1])*y[0], (-c+d*y[0])*y[1]
	}, jy: func(_ float64, y, j []float64) {
		copy(j, []float64{a - b*y[1], -b * y[0], d * y[1], -c + d*y[0]})
	}, jp: func(float64, []float64, []float64) {}}
	want := []float64{49.115232560377803, 7.4793946120935349, 16.821544677471417, 36.409378015038896,
		36.847462955737149, 6.0352059486699971}
	for _, method := range []Method{DormandPrince, Radau, Eighth} {
		s, _ := New(2, 0, false, Options{Method: method, RelTol: 1e-11, AbsTol: 1e-11})
		y := make([]float64, 6)
		if err := s.Solve(sys, 0, []float64{33.956, 5.933}, []float64{1, 5, 20}, y, nil); err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if !(math.Abs(y[i]-w) <= 1e-8*w) {
				t.Errorf("method %d: value %d is %v, want %v", method, i, y[i], w)
			}
		}
		if s.Stiff() {
			t.Errorf("method %d: called stiff", method)
		}
	}
}

// Robertson's reaction, which is stiff: values and derivatives by scipy's Radau with tolerance 1e-12,
// derivatives by differences of five points.
func TestRobertson(t *testing.T) {
	times := []float64{.4, 40, 400}
	want := []float64{9.85172114e-01, 3.38639538e-05, 1.47940222e-02, 7.15827069e-01, 9.18553476e-06,
		2.84163746e-01, 4.50518668e-01, 3.22290144e-06, 5.49478109e-01}
	first := [][3]float64{{-0.35595257, -1.58317664e-11, 9.54238142e-08},
		{-4.24755877, -2.28835509e-09, 1.37308080e-05}, {-5.9583728, -3.78967220e-09, 2.27381536e-05}}
	s, _ := New(3, 3, false, Options{Method: Radau, RelTol: 1e-9, AbsTol: 1e-13})
	y, sens := make([]float64, 9), make([]float64, 27)
	if err := s.Solve(robertson(.04, 3e7, 1e4), 0, []float64{1, 0, 0}, times, y, sens); err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if !(math.Abs(y[i]-w) <= 2e-8*w) {
			t.Errorf("value %d is %v, want %v", i, y[i], w)
		}
	}
	for i, row := range first {
		for j, w := range row {
			if got := sens[9*i+j]; !(math.Abs(got-w) <= 1e-5*math.Abs(w)) {
				t.Errorf("derivative %d at %v is %v, want %v", j, times[i], got, w)
			}
		}
	}
	t.Logf("%d steps", s.Steps())
	e, _ := New(3, 3, false, Options{MaxSteps: 5000})
	if err := e.Solve(robertson(.04, 3e7, 1e4), 0, []float64{1, 0, 0}, times, y, nil); !errors.Is(err, ErrStiff) {
		t.Errorf("the explicit method: %v, want %v", err, ErrStiff)
	}
	if !e.Stiff() {
		t.Error("the explicit method saw no stiffness")
	}
	for _, method := range []Method{DormandPrince, Eighth} { // go on with the implicit method
		s, _ := New(3, 3, false, Options{Method: method, Switch: true, RelTol: 1e-9, AbsTol: 1e-13})
		if err := s.Solve(robertson(.04, 3e7, 1e4), 0, []float64{1, 0, 0}, times, y, sens); err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if !(math.Abs(y[i]-w) <= 2e-8*w) {
				t.Errorf("method %d, then the implicit one: value %d is %v, want %v", method, i, y[i], w)
			}
		}
		t.Logf("method %d: %d steps", method, s.Steps())
	}
}

// What cannot be solved ends with an error.
func TestErrors(t *testing.T) {
	blowup := system{f: func(_ float64, y, f []float64) { f[0] = y[0] * y[0] },
		jy: func(_ float64, y, j []float64) { j[0] = 2 * y[0] }, jp: func(float64, []float64, []float64) {}}
	for _, method := range []Method{DormandPrince, Radau, Eighth} {
		s, _ := New(1, 0, false, Options{Method: method})
		y := make([]float64, 1)
		if err := s.Solve(blowup, 0, []float64{1}, []float64{2}, y, nil); err == nil {
			t.Errorf("method %d: solved beyond infinity: %v", method, y)
		}
		if err := s.Solve(blowup, 0, []float64{1}, []float64{-1}, y, nil); err == nil {
			t.Errorf("method %d: went back in time", method)
		}
	}
	if _, err := New(0, 1, false, Options{}); err == nil {
		t.Error("no equations, no error")
	}
	if _, err := New(1, 1, false, Options{RelTol: -1}); err == nil {
		t.Error("a negative tolerance, no error")
	}
}

func TestAllocations(t *testing.T) {
	for _, method := range []Method{DormandPrince, Radau, Eighth} {
		s, _ := New(1, 2, true, Options{Method: method})
		var sys System = logistic(.7, 3)
		y, sens, y0, times := make([]float64, 1), make([]float64, 3), []float64{.2}, []float64{4}
		if n := testing.AllocsPerRun(10, func() { s.Solve(sys, 0, y0, times, y, sens) }); n > 1 {
			t.Errorf("method %d: %v allocations", method, n)
		}
	}
}

func BenchmarkLogistic(b *testing.B) {
	s, _ := New(1, 2, true, Options{RelTol: 1e-8, AbsTol: 1e-8})
	var sys System = logistic(.7, 3)
	y, sens, y0, times := make([]float64, 1), make([]float64, 3), []float64{.2}, []float64{4}
	for b.Loop() {
		s.Solve(sys, 0, y0, times, y, sens)
	}
}
