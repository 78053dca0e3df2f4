package summary

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Lattice is a grid over which rows are spread.
type Lattice struct {
	From  []float64 `json:"from"`  // the first point of each axis, in units of Plan.SD
	Step  float64   `json:"step"`  // of all axes
	Count []int     `json:"count"` // of points along each axis
}

// taps is the number of points along an axis that a row is spread over. The error of the kernel mean
// is that of interpolation of degree 7: 6e-13 where theta is ten steps, 2e-10 where it is five.
const taps = 8

// unitLattice is how many binary digits sums of weights have.
const unitLattice = 40

// reachOf is how many lengthscales beyond a point the kernel counts as 0: it is below 1e-14 there.
const reachOf = 8.1

// nearOf is how many lengthscales around a point are looked at: the kernel is below 6e-12 beyond.
const nearOf = 7.2

// leastSteps is the smallest theta, in steps of the lattice, for which kernel means can be had.
const leastSteps = 5

func (g *Lattice) check(dim int) error {
	if dim > 2 || len(g.From) != dim || len(g.Count) != dim || !(g.Step > 0) || math.IsInf(g.Step, 1) {
		return fmt.Errorf("summary: lattice has %d axes with a step of %v for %d columns, want 1 or 2 axes",
			len(g.From), g.Step, dim)
	}
	cells := 1.0
	for _, n := range g.Count {
		if n < taps {
			return fmt.Errorf("summary: axis of the lattice has %d points, want at least %d", n, taps)
		}
		cells *= float64(n)
	}
	if cells > mostCells {
		return fmt.Errorf("summary: lattice has %.0f points, want at most %d", cells, mostCells)
	}
	return nil
}

func (g *Lattice) cells() int {
	n := 1
	for _, c := range g.Count {
		n *= c
	}
	return n
}

// place returns the first of the points that u is spread over along axis a, and the weights: the
// Lagrange polynomials on 0 … 7 at t = 3 … 4. It reports false beyond the ends.
func (g *Lattice) place(w *[taps]float64, a int, u float64) (int, bool) {
	s := (u - g.From[a]) / g.Step
	first := math.Floor(s) - 3
	if !(first >= 0 && first+taps <= float64(g.Count[a])) {
		return 0, false
	}
	t := s - first
	var d [taps]float64
	for k := range d {
		d[k] = t - float64(k)
	}
	below := 1.0
	for k := range w {
		w[k] = below * inverseTaps[k]
		below *= d[k]
	}
	above := 1.0
	for k := taps - 1; k >= 0; k-- {
		w[k] *= above
		above *= d[k]
	}
	return int(first), true
}

// inverseTaps are one over the products of k-j, j other than k.
var inverseTaps = func() (out [taps]float64) {
	for k := range out {
		p := 1.0
		for j := range taps {
			if j != k {
				p *= float64(k - j)
			}
		}
		out[k] = 1 / p
	}
	return out
}()

// admit refuses points at which means are not known. If all rows are on the lattice they may be anywhere.
func (g *Lattice) admit(theta float64, points []float64, all bool) error {
	if !(theta >= leastSteps*g.Step) {
		return fmt.Errorf("summary: theta is %.4g, want at least %.4g for kernel means: the lattice of the "+
			"plan is too coarse", theta, leastSteps*g.Step)
	}
	dim := len(g.From)
	for i := 0; i < len(points); i += dim {
		for a, v := range points[i : i+dim] {
			lo := g.From[a] + reachOf*theta
			hi := g.From[a] + g.Step*float64(g.Count[a]-1) - reachOf*theta
			if !all && !(v >= lo && v <= hi) {
				return fmt.Errorf("summary: a point has %.4g in column %d, want it between %.4g and %.4g, as "+
					"the plan has: kernel means further out are not in the summary", v, a+1, lo, hi)
			}
		}
	}
	return nil
}

// means writes the mean of k(X, p) over the rows at each of the points, for sums over n rows.
func (g *Lattice) means(dst, sums []float64, n, theta float64, points []float64) error {
	switch len(g.From) {
	case 1:
		k, reach := make([]float64, g.Count[0]), g.reach(theta)
		for i, p := range points {
			from := g.values(k, 0, theta, p)
			to := min(from+reach, len(k))
			dst[i] = floats.Dot(k[from:to], sums[from:to]) / n
			clear(k[from:to])
		}
		return nil
	case 2:
		return g.plane(dst, sums, n, theta, points)
	}
	return errors.New("summary: kernel means are for up to 2 columns")
}

// coarse returns a lattice of twice the step and the sums over it: those of Lagrange interpolation from
// it to the points of g, the other way round. Every second point is its own; what is in the middle is
// spread over eight.
func (g *Lattice) coarse(sums []float64) (*Lattice, []float64) {
	const before = taps/2 - 1
	out := &Lattice{Step: 2 * g.Step}
	for a, n := range g.Count {
		out.From = append(out.From, g.From[a]-2*before*g.Step)
		out.Count = append(out.Count, (n-1)/2+taps+1)
	}
	// Axis by axis, the last first: so many lines, of points that are so far apart.
	from := append([]int(nil), g.Count...)
	for a := len(from) - 1; a >= 0; a-- {
		lines, apart := 1, 1
		for _, n := range from[:a] {
			lines *= n
		}
		for _, n := range from[a+1:] {
			apart *= n
		}
		next := make([]float64, lines*out.Count[a]*apart)
		for l := range lines {
			for i := range from[a] {
				src := sums[(l*from[a]+i)*apart:][:apart]
				to := func(j int, w float64) {
					dst := next[(l*out.Count[a]+j)*apart:][:apart]
					for c, v := range src {
						dst[c] += w * v
					}
				}
				if i%2 == 0 {
					to(i/2+before, 1)
					continue
				}
				for k, w := range middleTaps {
					to(i/2+k, w)
				}
			}
		}
		sums, from[a] = next, out.Count[a]
	}
	return out, sums
}

// middleTaps are the weights half way between the fourth and the fifth point.
var middleTaps = func() (out [taps]float64) {
	for k := range out {
		out[k] = inverseTaps[k]
		for j := range taps {
			if j != k {
				out[k] *= 3.5 - float64(j)
			}
		}
	}
	return out
}()

// reach is the number of points of an axis that values writes to at most.
func (g *Lattice) reach(theta float64) int { return int(min(2*nearOf*theta/g.Step, mostCells)) + 4 }

// values writes the kernel along an axis from point p, and returns where it begins not to be 0. Where
// it has fallen to 0 again is not written.
//
// From one point of the lattice to the next the kernel changes by a factor, and that by exp(-h²), where h
// is the step in lengthscales. Both are computed anew after every sixteen points, so that products lose no
// more than two digits.
func (g *Lattice) values(k []float64, a int, theta, p float64) (first int) {
	const fresh = 16
	reach := nearOf * theta
	first = min(max(0, int((p-reach-g.From[a])/g.Step)), g.Count[a])
	last := min(g.Count[a], int((p+reach-g.From[a])/g.Step)+2)
	h := g.Step / theta
	change := math.Exp(-h * h)
	for i := first; i < last; i += fresh {
		q := (g.From[a] + g.Step*float64(i) - p) / theta
		v, factor := math.Exp(-q*q/2), math.Exp(-h*(q+h/2))
		for j := i; j < min(i+fresh, last); j++ {
			k[j] = v
			v, factor = float64(v*factor), float64(factor*change)
		}
	}
	return first
}

// plane is means in two columns. Points of a grid, and their middles, have few coordinates along each
// axis: the sums over the first axis are made once for each, and so are kernel values along the other.
func (g *Lattice) plane(dst, sums []float64, n, theta float64, points []float64) error {
	rows, atRow := distinct(points, 0)
	if len(rows) > len(dst)/4+8 {
		g.scattered(dst, sums, n, theta, points)
		return nil
	}
	columns, atColumn := distinct(points, 1)
	width, reach := g.Count[1], g.reach(theta)
	k, lines := make([]float64, g.Count[0]), make([]float64, len(rows)*width)
	for i, x := range rows {
		line := lines[i*width:][:width]
		from := g.values(k, 0, theta, x)
		to := min(from+reach, len(k))
		for r := from; r < to; r++ {
			floats.AddScaled(line, k[r], sums[r*width:][:width])
		}
		clear(k[from:to])
	}
	values, first := make([]float64, len(columns)*width), make([]int, len(columns))
	for j, y := range columns {
		first[j] = g.values(values[j*width:][:width], 1, theta, y)
	}
	for i := range dst {
		a, b := atRow[i]*width, atColumn[i]
		from, to := first[b], min(first[b]+reach, width)
		dst[i] = floats.Dot(values[b*width+from:b*width+to], lines[a+from:a+to]) / n
	}
	return nil
}

// scattered is plane for points that seldom share a coordinate: the sum around each.
func (g *Lattice) scattered(dst, sums []float64, n, theta float64, points []float64) {
	reach, width := g.reach(theta), g.Count[1]
	u, v := make([]float64, g.Count[0]), make([]float64, width)
	for i := range dst {
		a, b := g.values(u, 0, theta, points[2*i]), g.values(v, 1, theta, points[2*i+1])
		c, d := min(a+reach, len(u)), min(b+reach, width)
		sum := 0.0
		for r := a; r < c; r++ {
			sum += u[r] * floats.Dot(v[b:d], sums[r*width+b:r*width+d])
		}
		dst[i] = sum / n
		clear(u[a:c])
		clear(v[b:d])
	}
}

// distinct returns the values of one coordinate, but for rounding, and which of them each point has.
func distinct(points []float64, axis int) (values []float64, at []int) {
	q := len(points) / 2
	order, at := make([]int, q), make([]int, q)
	largest := 0.0
	for i := range order {
		order[i] = i
		largest = max(largest, math.Abs(points[2*i+axis]))
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(points[2*i+axis], points[2*j+axis]), i-j)
	})
	for _, i := range order {
		v := points[2*i+axis]
		if n := len(values); n == 0 || v-values[n-1] > 1e-13*largest {
			values = append(values, v)
		}
		at[i] = len(values) - 1
	}
	return values, at
}
