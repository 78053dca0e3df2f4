package summary

// spreading adds rows to the sums over a lattice: in floating point, for not more than latticeRows of
// them, before these are added to integers.
type spreading struct {
	of   *Lattice
	sums []float64 // of the points
	// Of one column the powers 0 … 7 of where rows are in a cell, from its middle and in steps, are
	// summed, for the weights of the eight points around are polynomials in that; and the cells that
	// have got rows are listed, in the order of the first.
	powers []float64
	cells  []int
}

const latticeRows = 1 << 21

func newSpreading(g *Lattice) *spreading {
	s := &spreading{of: g, sums: make([]float64, g.cells())}
	if len(g.From) == 1 {
		s.powers = make([]float64, g.cells()*taps)
	}
	return s
}

// spread adds rows, and returns how many are beyond the ends.
func (s *spreading) spread(x []float64) (outside int64) {
	if s.powers != nil {
		return s.line(x)
	}
	g := s.of
	for i := 0; i < len(x); i += 2 {
		var u, v [taps]float64
		first, in := g.place(&u, 0, x[i])
		second, also := g.place(&v, 1, x[i+1])
		if !in || !also {
			outside++
			continue
		}
		n := g.Count[1]
		for k, a := range u {
			line := s.sums[(first+k)*n+second:][:taps]
			for l, b := range v {
				line[l] += float64(a * b)
			}
		}
	}
	return outside
}

// line is spread for one column.
func (s *spreading) line(x []float64) (outside int64) {
	g := s.of
	perStep, end := 1/g.Step, float64(g.Count[0]-taps+1)
	for _, v := range x {
		t := float64((v-g.From[0])*perStep) - (taps/2 - 1)
		if !(t >= 0 && t < end) {
			outside++
			continue
		}
		cell := int(t)
		p := (*[taps]float64)(s.powers[cell*taps:])
		if p[0] == 0 {
			s.cells = append(s.cells, cell)
		}
		u := t - float64(cell) - 0.5
		two := u * u
		three, four := two*u, two*two
		p[0]++
		p[1] += u
		p[2] += float64(two)
		p[3] += float64(three)
		p[4] += float64(four)
		p[5] += float64(four * u)
		p[6] += float64(four * two)
		p[7] += float64(four * three)
	}
	return outside
}

// drain adds the sums to integers, and clears them.
func (s *spreading) drain(to []int128) bool {
	if s.powers == nil {
		return drainPoints(to, s.sums)
	}
	for _, cell := range s.cells {
		p := s.powers[cell*taps:][:taps]
		for k := range tapPowers {
			s.sums[cell+k] += dot(tapPowers[k][:], p)
		}
		clear(p)
	}
	good := true
	for _, cell := range s.cells {
		good = drainPoints(to[cell:cell+taps], s.sums[cell:cell+taps]) && good
	}
	s.cells = s.cells[:0]
	return good
}

// dot is the sum of products, the same with and without assembly. Both have eight elements.
func dot(a, b []float64) float64 {
	var s [4]float64
	for len(a) >= 4 && len(b) >= 4 {
		s[0] += float64(a[0] * b[0])
		s[1] += float64(a[1] * b[1])
		s[2] += float64(a[2] * b[2])
		s[3] += float64(a[3] * b[3])
		a, b = a[4:], b[4:]
	}
	return s[0] + s[1] + (s[2] + s[3])
}

// drainPoints adds numbers to integers where they are not 0, and sets them to 0.
func drainPoints(to []int128, sums []float64) bool {
	good := true
	for i, v := range sums {
		if v != 0 {
			good = accumulate(to[i:i+1], sums[i:i+1], unitLattice) && good
			sums[i] = 0
		}
	}
	return good
}

// tapPowers are the coefficients of the Lagrange polynomials on 0 … 7 in powers of t - 3.5.
var tapPowers = func() (out [taps][taps]float64) {
	for k := range out {
		p := &out[k]
		p[0] = inverseTaps[k]
		for j := range taps {
			if j == k {
				continue
			}
			for i := taps - 1; i >= 0; i-- {
				p[i] = float64(p[i] * (3.5 - float64(j)))
				if i > 0 {
					p[i] += p[i-1]
				}
			}
		}
	}
	return out
}()
