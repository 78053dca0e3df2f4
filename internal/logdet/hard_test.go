package logdet

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/internal/fused"
)

// Columns in units from 1e-4 to 1e4 with a lengthscale each, one of them 1e8 times as large as the
// others, so that the kernel does not see its column.
func TestUnits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, k := range kernels {
		var e errors
		for _, d := range []int{2, 3, 5, 10} {
			for _, f := range []float64{1, 0.3, 0.1, 0.03} {
				for range 3 {
					m := 40
					x, z, theta := normals(r, d), normals(r, m*d), same(d, f*math.Sqrt(float64(d)))
					for a := range d {
						unit := math.Pow(10, 8*r.Float64()-4)
						theta[a] *= unit
						x[a] *= unit
						for l := range m {
							z[l*d+a] *= unit
						}
					}
					theta[r.IntN(d)] *= 1e8
					e.check(t, fmt.Sprintf("D = %d, theta %v", d, f), newProblem(x, z, theta, k))
				}
			}
		}
		e.hold(t, k.name, 1e-13, 1e-12)
	}
}

// A column of large units in which many points are nearly equal: without a common scale it would be
// eliminated first, by rows that have no more than a few digits of it.
func TestNearlyEqual(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for _, near := range []float64{1e-3, 1e-6, 1e-9} {
		var e errors
		for _, f := range []float64{0.1, 0.2} {
			for i := range 60 {
				d := 2 + r.IntN(5)
				x, z := normals(r, d), normals(r, (d+1+r.IntN(30))*d)
				for _, points := range [][]float64{x, z} {
					for l := 0; l < len(points); l += d {
						points[l] = 1e9 * (float64(r.IntN(3)) + near*points[l])
					}
				}
				theta := same(d, f*math.Sqrt(float64(d)))
				theta[0] *= 1e9
				e.check(t, fmt.Sprintf("D = %d", d), newProblem(x, z, theta, kernels[i%3]))
			}
		}
		e.hold(t, fmt.Sprintf("equal to %v", near), 1e-13, 1e-12)
	}
}

// Points near a plane, where no method can do better than the rounding of the data does: about
// 2^-52 over their distance from the plane, and more where the few points that weigh most are near
// a line. The error may be 16 times what a unit in the last place of all numbers changes.
func TestNearPlane(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, thick := range []float64{1e-4, 1e-8, 1e-12} {
		var e errors
		worst, largest := 0.0, 0.0
		for _, d := range []int{2, 3, 5, 10} {
			for _, f := range []float64{1, 0.3, 0.1, 0.03} {
				for _, k := range kernels {
					x, z := nearPlane(r, d, 41, thick)
					p := newProblem(x, z, same(d, f*math.Sqrt(float64(d))), k)
					off := e.check(t, fmt.Sprintf("D = %d, thickness %v", d, thick), p)
					want, _ := p.oracle()
					change := 1e-16 * max(1, math.Abs(want))
					for range 3 {
						moved, _ := p.shaken(r).oracle()
						change = max(change, math.Abs(moved-want))
					}
					worst, largest = max(worst, off/change), max(largest, change)
				}
			}
		}
		e.hold(t, fmt.Sprintf("thickness %v", thick), 0x1p-48/thick, 0x1p-44/thick)
		t.Logf("errors are at most %.2g times what rounding does, which is at most %.1e", worst, largest)
		if !(worst <= 16) {
			t.Errorf("thickness %v: an error is %v times what rounding does", thick, worst)
		}
	}
}

// nearPlane draws points at about that distance from a plane: first x, then the others.
func nearPlane(r *rand.Rand, d, n int, thick float64) (x, z []float64) {
	points := normals(r, n*d)
	for i := 0; i < len(points); i += d {
		s := 0.0
		for _, v := range points[i : i+d-1] {
			s += v
		}
		points[i+d-1] = s + thick*points[i+d-1]
	}
	return points[:d], points[d:]
}

// shaken moves each coordinate by one unit in the last place up or down, with the same weights.
func (p *problem) shaken(r *rand.Rand) *problem {
	move := func(x []float64) []float64 {
		x = slices.Clone(x)
		for i, v := range x {
			x[i] = math.Nextafter(v, math.Inf(2*r.IntN(2)-1))
		}
		return x
	}
	return &problem{x: move(p.x), z: move(p.z), theta: p.theta, kappa: p.kappa, logK: p.logK}
}

// Pseudo-inputs some of which occur two or three times.
func TestCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, c := range []struct {
		d     int
		theta float64
	}{{8, 0.3}, {3, 0.03}, {3, 0.3}, {5, 2}, {2, 0.01}} {
		var e errors
		for range 12 {
			z := normals(r, 20*c.d)
			for l := range 20 {
				for range l % 3 {
					z = append(z, z[l*c.d:(l+1)*c.d]...)
				}
			}
			x, theta := normals(r, c.d), same(c.d, c.theta)
			p := newProblem(x, z, theta, kernels[0])
			e.check(t, fmt.Sprintf("D = %d", c.d), p)
			w := NewInputs(z, c.d).Workspace(fused.Best())
			w.LogDet(p.x, p.kappa, p.logK)
			h := w.Leverages()
			if h[2] != h[22] || h[2] != h[21] || w.in.count[2] != 3 {
				t.Errorf("D = %d: leverages of copies are %v, %v and %v", c.d, h[2], h[21], h[22])
			}
		}
		e.hold(t, fmt.Sprintf("D = %d, theta %v", c.d, c.theta), 1e-14, 1e-12)
	}
}

// Three pseudo-inputs on a line through x, in decimals: the vectors as rounded are not parallel,
// and what rounding leaves of the second and third would outweigh all that are farther away.
func TestLineInDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var e errors
	for _, d := range []int{2, 3, 4, 6} {
		for _, theta := range []float64{0.3, 0.1, 0.05, 0.02} {
			for range 6 {
				x, z := &problem{}, &problem{}
				var along []int64
				for range d {
					v := big.NewRat(int64(r.IntN(9)), 10)
					f, _ := v.Float64()
					x.x, x.exactX = append(x.x, f), append(x.exactX, v)
					along = append(along, int64(1+r.IntN(3)))
				}
				for l := range 3 + 3*d {
					for a := range d {
						by := big.NewRat(along[a]*int64(l+1), 10) // on the line
						if l >= 3 {
							by = big.NewRat(int64(8+r.IntN(9)), 10)
						}
						v := new(big.Rat).Add(x.exactX[a], by)
						f, _ := v.Float64()
						z.x, z.exactX = append(z.x, f), append(z.exactX, v)
					}
				}
				p := newProblem(x.x, z.x, same(d, theta), kernels[0])
				p.exactX, p.exactZ = x.exactX, z.exactX
				e.check(t, fmt.Sprintf("D = %d, theta %v", d, theta), p)
			}
		}
	}
	e.hold(t, "lines", 1e-13, 1e-12)
}

// Points on a plane span it only, whatever rounding makes of the elimination.
func TestPlane(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, theta := range []float64{1, 0.1, 0.01, 0.001} {
		for range 50 {
			d := 2 + r.IntN(7)
			var points []float64
			for range 30 {
				sum := 0.0
				for range d - 1 {
					points = append(points, float64(r.IntN(9))/8)
					sum += points[len(points)-1]
				}
				points = append(points, sum)
			}
			p := newProblem(points[:d], points[d:], same(d, theta), kernels[0])
			w := NewInputs(p.z, d).Workspace(fused.Best())
			w.SetTheta(p.theta)
			if got := w.LogDet(p.x, p.kappa, p.logK); !math.IsInf(got, -1) {
				t.Fatalf("D = %d, theta %v: %v, want -Inf", d, theta, got)
			}
			for _, h := range w.Leverages() {
				if h != 0 {
					t.Fatalf("D = %d: a leverage is %v, want 0", d, h)
				}
			}
		}
	}
}

// Units as small or large as they may be, weights whose logarithms alone are finite, and too few
// points.
func TestExtremes(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	var e errors
	for _, unit := range []float64{1e-250, 1e-100, 1e-30, 1e30, 1e100} {
		for _, f := range []float64{1, 0.1, 0.001} {
			for _, k := range kernels {
				points := normals(r, 21*3)
				for i := range points {
					points[i] *= unit
				}
				e.check(t, fmt.Sprint("unit ", unit), newProblem(points[:3], points[3:], same(3, f*unit), k))
			}
		}
	}
	for range 20 { // vectors of all lengths
		x, z := []float64{0, 0, 0}, normals(r, 30)
		for l := range 10 {
			f := math.Pow(10, -300*r.Float64())
			for a := range 3 {
				z[l*3+a] *= f
			}
		}
		e.check(t, "all lengths", newProblem(x, z, same(3, 1e-3), kernels[2]))
	}
	p := newProblem(normals(r, 3), normals(r, 30), same(3, 1e-3), kernels[0])
	for l := range p.logK {
		if l%2 == 0 {
			p.logK[l] = math.Inf(-1)
		}
	}
	e.check(t, "infinite logarithms", p)
	e.check(t, "two points in three dimensions",
		newProblem(normals(r, 3), normals(r, 6), same(3, 1), kernels[0]))
	e.hold(t, "extremes", 1e-13, 1e-12)
}

// A workspace carries nothing over from row to row, and does not allocate.
func TestWorkspace(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	d := 6
	z := normals(r, 40*d)
	copy(z, z[3*d:4*d])
	in := NewInputs(z, d)
	used, seen := in.Workspace(fused.Best()), map[method]bool{}
	for _, f := range []float64{1, 0.05, 0.3, 0.25, 0.02, 0.7, 0.2} {
		theta := same(d, f*math.Sqrt(float64(d)))
		for range 5 {
			p, fresh := newProblem(normals(r, d), z, theta, kernels[0]), in.Workspace(fused.Best())
			used.SetTheta(theta)
			fresh.SetTheta(theta[:1])
			got, want := used.LogDet(p.x, p.kappa, p.logK), fresh.LogDet(p.x, p.kappa, p.logK)
			seen[used.done] = true
			if got != want {
				t.Fatalf("theta %v: %v, want %v", f, got, want)
			}
			h := fresh.Leverages()
			for l, v := range used.Leverages() {
				if v != h[l] {
					t.Fatalf("theta %v: leverage %v, want %v", f, v, h[l])
				}
			}
			if n := testing.AllocsPerRun(2, func() {
				used.LogDet(p.x, p.kappa, p.logK)
				used.Leverages()
			}); n != 0 {
				t.Fatalf("theta %v: %v allocations", f, n)
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("the rows went %d ways, want 3", len(seen))
	}
}
