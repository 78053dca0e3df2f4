package formula

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Smooth is a term s(x): a smooth function of a column, the sum of a line and of penalised functions whose
// coefficients are normal with one standard deviation, sds.
type Smooth struct {
	Label string // as R writes it
	Name  string // of its parameters, as brms writes it: s(x) is sx
	Uses  []string
	of    *node
	by    *node // nil, or a factor: the function is that of one of its levels, and 0 elsewhere
	level int
	line  []float64  // in each row, with mean 0 and root mean square 1
	rows  *mat.Dense // the penalised functions in each row, with mean 0
	basis *splines
	state *learned // what of uses
}

// splines are thin plate regression splines in one variable (Wood 2003), scaled as mgcv scales them, so that sds
// means what it means in brms. With E the matrix of |x_i - x_j|³/12 over the distinct values, U its
// eigenvectors of the k largest absolute eigenvalues and Z orthonormal with (1, x)'UZ = 0, the functions are
// E U Z; their penalty is the integral of the square of the second derivative.
type splines struct {
	shift, size float64 // of the line: (x - shift)/size
	knots       []float64
	to          *mat.Dense // from |x - knot|³/12 to the penalised functions
	means       []float64  // of these
	slopes      []float64  // of these, on the line
}

// mostKnots bounds the work: from more distinct values, so many are taken at equal distances of rank.
const mostKnots = 300

// smoothSize is the number of functions of a smooth term, constant and line included, as in mgcv.
const smoothSize = 10

// smooth reads a term s(x) or s(x, k = 12), or one for each level of a factor, s(x, by = f).
func (r *reading) smooth(n *node) ([]*Smooth, error) {
	plain := *n
	plain.args = nil
	var by *node
	for _, a := range n.args {
		switch {
		case a.kind == named && a.text == "by":
			by = a.args[0].bare()
			continue
		case a.kind == named && a.text != "k":
			return nil, r.fail(a, "s() takes a column of numbers, k, the number of its functions, and by, a column of text; %s is not supported", a.text)
		}
		plain.args = append(plain.args, a)
	}
	if len(plain.args) > 1 && plain.args[1].kind != named {
		return nil, r.fail(n, "%s: smooth functions of one column are there, not of several", n)
	}
	a, o, err := r.arguments(&plain, 1, "k")
	if err != nil {
		return nil, err
	}
	k := float64(smoothSize)
	if o.given("k") {
		k = o["k"]
	}
	x, _, err := r.numbers(a[0])
	if err != nil {
		return nil, err
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(x)))
	if k != math.Trunc(k) || k < 3 || k > 50 {
		return nil, r.fail(n, "k of %s is %v, want a whole number from 3 to 50", n, k)
	}
	if len(distinct) < int(k) {
		return nil, r.fail(n, "%s has %d distinct values, fewer than the %v functions of %s: say k = %d, or factor(%s)", a[0], len(distinct),
			k, n, max(3, len(distinct)-1), a[0])
	}
	s := &Smooth{Label: n.String(), of: a[0], basis: newSplines(x, distinct, int(k)), state: r.from}
	n.names(func(c *node) { s.Uses = append(s.Uses, c.text) })
	s.Name = "s" + smoothName(a[0].String())
	s.line, s.rows = s.basis.at(x)
	if by == nil {
		return []*Smooth{s}, nil
	}
	v, err := r.value(by)
	if err != nil {
		return nil, err
	}
	if v.levels == nil {
		return nil, r.fail(n, "%s is a column of numbers: s(%s, by = ...) wants a factor, as factor(%s)", by, a[0], by)
	}
	var out []*Smooth
	for level, name := range v.levels {
		t := *s
		t.Label, t.Name = s.Label+" "+name, s.Name+smoothName(by.String())+smoothName(name)
		t.by, t.level = by, level
		t.line, t.rows = t.within(v.columns[0], s.line, s.rows)
		out = append(out, &t)
	}
	return out, nil
}

// within are the line and the functions in the rows of the level, and 0 elsewhere.
func (s *Smooth) within(levels, line []float64, bends *mat.Dense) ([]float64, *mat.Dense) {
	at, rows := make([]float64, len(line)), mat.DenseCopyOf(bends)
	_, d := bends.Dims()
	for i, v := range levels {
		if int(v) == s.level {
			at[i] = line[i]
		} else {
			rows.SetRow(i, make([]float64, d))
		}
	}
	return at, rows
}

// values are those of the column in the table of r.
func (s *Smooth) values(r *Regression) ([]float64, error) {
	in := r.reader()
	in.from, in.first = s.state, false
	v, _, err := in.numbers(s.of)
	return v, err
}

// at are the line and the penalised functions in the table of r.
func (s *Smooth) at(r *Regression) (line []float64, bends *mat.Dense, err error) {
	v, err := s.values(r)
	if err != nil {
		return nil, nil, err
	}
	line, bends = s.basis.at(v)
	if s.by == nil {
		return line, bends, nil
	}
	in := r.reader()
	in.from, in.first = s.state, false
	levels, err := in.value(s.by)
	if err != nil {
		return nil, nil, err
	}
	line, bends = s.within(levels.columns[0], line, bends)
	return line, bends, nil
}

// smoothName leaves letters, digits and what names may hold.
func smoothName(text string) string {
	var out []rune
	for _, c := range text {
		if plain("a" + string(c)) {
			out = append(out, c)
		}
	}
	return string(out)
}

func newSplines(x, distinct []float64, k int) *splines {
	s := &splines{}
	for i, v := range x {
		s.shift += (v - s.shift) / float64(i+1)
	}
	for _, v := range x {
		s.size += (v - s.shift) * (v - s.shift) / float64(len(x))
	}
	s.size = math.Sqrt(s.size)
	s.knots = distinct
	if m := len(distinct); m > mostKnots {
		s.knots = nil
		for j := range mostKnots {
			s.knots = append(s.knots, distinct[(j*(m-1)+(mostKnots-1)/2)/(mostKnots-1)])
		}
	}
	// Distances are in units of size: the scale of the penalty undoes the units.
	m := len(s.knots)
	e := mat.NewSymDense(m, nil)
	for i := range m {
		for j := range i {
			e.SetSym(i, j, cube((s.knots[i]-s.knots[j])/s.size))
		}
	}
	var eigen mat.EigenSym
	eigen.Factorize(e, true)
	value := eigen.Values(nil)
	at := make([]int, m)
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return compare(math.Abs(value[b]), math.Abs(value[a])) })
	at = at[:k]
	slices.SortStableFunc(at, func(a, b int) int { return compare(value[b], value[a]) })
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	u, c := mat.NewDense(m, k, nil), mat.NewDense(2, k, nil)
	for j, p := range at {
		for i := range m {
			v := vectors.At(i, p)
			u.Set(i, j, v)
			c.Set(0, j, c.At(0, j)+v)
			c.Set(1, j, c.At(1, j)+v*(s.knots[i]-s.shift)/s.size)
		}
	}
	z := nullSpace(c).Slice(0, k, 0, k-2)
	var to mat.Dense
	to.Mul(u, z)
	penalty := mat.NewSymDense(k-2, nil)
	for i := range k - 2 {
		for j := range i + 1 {
			sum := 0.0
			for l, p := range at {
				sum += z.At(l, i) * value[p] * z.At(l, j)
			}
			penalty.SetSym(i, j, sum)
		}
	}
	s.to = &to
	s.scalePenalty(x, penalty)
	return s
}

// scalePenalty gives the functions root mean square 1 and divides the penalty by its norm over that of the
// functions, as mgcv does; then it changes the functions so that the penalty is the sum of squares.
func (s *splines) scalePenalty(x []float64, penalty *mat.SymDense) {
	_, p := s.to.Dims()
	f := s.functions(x)
	n := float64(len(x))
	size := make([]float64, p)
	for j := range p {
		size[j] = mat.Norm(f.ColView(j), 2) / math.Sqrt(n)
	}
	largest, most := 0.0, 0.0 // norms of the functions by rows, and of the penalty
	for i, v := range x {
		sum := 1 + math.Abs(v-s.shift)/s.size
		for j := range p {
			sum += math.Abs(f.At(i, j)) / size[j]
		}
		largest = max(largest, sum)
	}
	for i := range p {
		sum := 0.0
		for j := range p {
			sum += math.Abs(penalty.At(i, j)) / size[i] / size[j]
		}
		most = max(most, sum)
	}
	scale := most / (largest * largest)
	for i := range p {
		for j := range i + 1 {
			penalty.SetSym(i, j, penalty.At(i, j)/scale)
		}
	}
	var chol mat.Cholesky
	chol.Factorize(penalty)
	var upper mat.TriDense
	chol.UTo(&upper)
	var inverse mat.TriDense
	_ = inverse.InverseTri(&upper) // a condition number is no error here
	var to mat.Dense
	to.Mul(s.to, &inverse)
	s.to = &to
	s.separate(x)
}

// separate takes the constant and the line out of the functions, whose coefficients have flat priors, and turns them so that
// their inner products are 0: the posterior of the curve stays, and coefficients are nearly independent.
func (s *splines) separate(x []float64) {
	_, p := s.to.Dims()
	n := float64(len(x))
	s.means, s.slopes = make([]float64, p), make([]float64, p)
	line, f := s.at(x)
	var means, slopes []float64
	for j := range p {
		mean, slope := 0.0, 0.0
		for i := range x {
			mean += f.At(i, j) / n
			slope += f.At(i, j) * line[i] / n
		}
		means, slopes = append(means, mean), append(slopes, slope)
	}
	s.means, s.slopes = means, slopes
	_, f = s.at(x)
	gram := mat.NewSymDense(p, nil)
	gram.SymOuterK(1, f.T())
	var eigen mat.EigenSym
	eigen.Factorize(gram, true)
	var turn, to mat.Dense
	eigen.VectorsTo(&turn)
	to.Mul(s.to, &turn)
	s.to = &to
	rotate := func(v []float64) []float64 {
		var out mat.VecDense
		out.MulVec(turn.T(), mat.NewVecDense(p, v))
		return out.RawVector().Data
	}
	s.means, s.slopes = rotate(s.means), rotate(s.slopes)
}

// functions are the penalised functions, not centred.
func (s *splines) functions(x []float64) *mat.Dense {
	e := mat.NewDense(len(x), len(s.knots), nil)
	for i, v := range x {
		row := e.RawRowView(i)
		for j, k := range s.knots {
			row[j] = cube((v - k) / s.size)
		}
	}
	var out mat.Dense
	out.Mul(e, s.to)
	return &out
}

// at are the line and the penalised functions.
func (s *splines) at(x []float64) (line []float64, f *mat.Dense) {
	line = make([]float64, len(x))
	f = s.functions(x)
	for i, v := range x {
		line[i] = (v - s.shift) / s.size
		for j, m := range s.means {
			f.Set(i, j, f.At(i, j)-m-s.slopes[j]*line[i])
		}
	}
	return line, f
}

func cube(d float64) float64 { return math.Abs(d*d*d) / 12 }

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// nullSpace is orthogonal with a Q = (0, T), by Householder reflections from the last column on: the order in
// which mgcv takes them, on which its scale of the penalty depends.
func nullSpace(a *mat.Dense) *mat.Dense {
	rows, k := a.Dims()
	left := mat.DenseCopyOf(a)
	q := mat.NewDense(k, k, nil)
	for i := range k {
		q.Set(i, i, 1)
	}
	for i := range rows {
		m := k - i
		u := slices.Clone(left.RawRowView(i)[:m])
		g := mat.Norm(mat.NewVecDense(m, u), 2)
		if u[m-1] < 0 {
			g = -g
		}
		u[m-1] += g
		norm := 0.0
		for _, v := range u {
			norm += v * v
		}
		reflect := func(row []float64) {
			dot := 0.0
			for j, v := range u {
				dot += v * row[j]
			}
			for j, v := range u {
				row[j] -= 2 * dot / norm * v
			}
		}
		for l := range rows {
			reflect(left.RawRowView(l))
		}
		for l := range k {
			reflect(q.RawRowView(l))
		}
	}
	return q
}
