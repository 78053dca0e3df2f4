package engine

// Operations on latents: whole numbers that are summed out. Where their states are given, these are
// ordinary operations; no derivative goes to the states.

// Pick has, for each row, the values of its first argument that go with a state: Width of them, from
// Width times (state - Lo) on. With a third argument, a second state, it is the value in row state - Lo
// and column second state - Lo2 of a matrix of Cols columns.
type Pick struct{ Lo, Width, Lo2, Cols int }

type pickStep struct {
	Pick
	out, adj, in, din []float64
	z, w              []float64
}

func (p Pick) Bind(out, adj []float64, in, din [][]float64) Step {
	s := &pickStep{Pick: p, out: out, adj: adj, in: in[0], din: din[0], z: in[1]}
	if len(in) > 2 {
		s.w = in[2]
	}
	return s
}

// at is the place of the first value of a row.
func (s *pickStep) at(row int) int {
	k := int(s.z[row%len(s.z)]) - s.Lo
	if s.w != nil {
		return k*s.Cols + int(s.w[row%len(s.w)]) - s.Lo2
	}
	return k * s.Width
}

func (s *pickStep) Forward() {
	for row := range len(s.out) / s.Width {
		at := s.at(row)
		copy(s.out[row*s.Width:(row+1)*s.Width], s.in[at:at+s.Width])
	}
}

func (s *pickStep) Backward() {
	if s.din == nil {
		return
	}
	for row := range len(s.out) / s.Width {
		at := s.at(row)
		for j, a := range s.adj[row*s.Width : (row+1)*s.Width] {
			s.din[at+j] += a
		}
	}
}

// Indicator is 1 where a comparison of its arguments holds and 0 elsewhere. It has no derivative.
type Indicator int

// The comparisons.
const (
	IsEqual Indicator = iota
	IsAbove
)

type indicatorStep struct {
	kind   Indicator
	out    []float64
	x, y   []float64
	xm, ym int
}

func (k Indicator) Bind(out, _ []float64, in, _ [][]float64) Step {
	s := &indicatorStep{kind: k, out: out, x: in[0], y: in[1]}
	if len(in[0]) > 1 {
		s.xm = -1
	}
	if len(in[1]) > 1 {
		s.ym = -1
	}
	return s
}

func (s *indicatorStep) Forward() {
	for i := range s.out {
		x, y := s.x[i&s.xm], s.y[i&s.ym]
		s.out[i] = 0
		if s.kind == IsEqual && x == y || s.kind == IsAbove && x > y {
			s.out[i] = 1
		}
	}
}

func (s *indicatorStep) Backward() {}

// If is its second argument where the first is not 0, and its third elsewhere. The other one, which
// may not be finite, is not looked at.
type If struct{}

type ifStep struct {
	out, adj []float64
	in, din  [][]float64
	mask     [3]int
}

func (If) Bind(out, adj []float64, in, din [][]float64) Step {
	s := &ifStep{out: out, adj: adj, in: in, din: din}
	for k, v := range in {
		if len(v) > 1 {
			s.mask[k] = -1
		}
	}
	return s
}

func (s *ifStep) which(i int) int {
	if s.in[0][i&s.mask[0]] != 0 {
		return 1
	}
	return 2
}

func (s *ifStep) Forward() {
	for i := range s.out {
		k := s.which(i)
		s.out[i] = s.in[k][i&s.mask[k]]
	}
}

func (s *ifStep) Backward() {
	for i, a := range s.adj {
		k := s.which(i)
		if d := s.din[k]; d != nil {
			d[i&s.mask[k]] += a
		}
	}
}
