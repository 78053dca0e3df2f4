package kerneltest

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/floats"
)

// Trait is what two columns' distributions may differ in.
type Trait int

const (
	Shape Trait = iota // none of the others stands out
	Level
	Spread
	Skewness
	Tails
)

var traitNames = [...]string{"shape", "level", "spread", "skewness", "tails"}

// String returns a word such as "spread".
func (t Trait) String() string { return traitNames[t] }

// Sight says what the strongest statistic of rule Broad saw, to be put into words: it is no test.
type Sight struct {
	View View
	Part Part
	// Column and Trait are the column, or main direction, in which samples differ most, and how, by
	// polynomials of its scores. Column is -1 where none stands out.
	Column int
	Trait  Trait
}

// standsOut is the number of standard deviations from which a trait stands out, without a correction for their number.
const standsOut = 2.5

// sight looks for the trait that differs most. A column's traits are polynomials of its normal scores of degree 1
// to 4, whose variance between the samples is compared with its expectation.
func (t *several) sight(strongest member) Sight {
	s := Sight{View: strongest.view, Part: strongest.part, Column: -1}
	look := func(scores []float64, column int) float64 {
		trait, size := t.trait(scores)
		if size >= standsOut {
			s.Column, s.Trait = column, trait
		}
		return size
	}
	switch {
	case s.View == Columns && s.Part.Direction == 0:
		look(strongest.rows, s.Part.Columns[0])
		s.Column = s.Part.Columns[0]
	case s.View == Columns && s.Part.Direction > 0:
		look(strongest.rows, 0)
	case s.View == Columns || s.View == Pairs || s.View == Quadratic:
	default:
		data := t.rows
		if within := t.lessBlocks(); within != nil {
			data = within
		}
		best := 0.0
		column := make([]float64, len(t.label))
		for j := range t.dim {
			for i := range column {
				column[i] = data[i*t.dim+j]
			}
			if trait, size := t.trait(rows.NormalScores(column, 1)); size > best {
				best = size
				if s.Column, s.Trait = -1, Shape; size >= standsOut {
					s.Column, s.Trait = j, trait
				}
			}
		}
		if t.dim == 1 {
			s.Column = 0
		}
	}
	return s
}

// trait is the one that differs most between the samples, and by how many standard deviations, of one number.
// Its polynomials are orthogonal over the rows, so that what is one of level is not one of skewness too, and
// two values have a level alone.
func (t *several) trait(scores []float64) (trait Trait, size float64) {
	n := float64(len(scores))
	power := slices.Repeat([]float64{1}, len(scores))
	bases := [][]float64{slices.Repeat([]float64{1 / math.Sqrt(n)}, len(scores))}
	for k := Level; k <= Tails; k++ {
		floats.Mul(power, scores)
		v := slices.Clone(power)
		for _, b := range bases {
			floats.AddScaled(v, -floats.Dot(v, b), b)
		}
		norm := floats.Norm(v, 2)
		if !(norm > 1e-6*floats.Norm(power, 2)) {
			break // as many values as degrees
		}
		floats.Scale(1/norm, v)
		bases = append(bases, v)
		sums, between := make([]float64, len(t.sizes)), 0.0
		for i, x := range v {
			sums[t.label[i]] += x
		}
		for g, s := range sums {
			between += s * s / float64(t.sizes[g])
		}
		if z := math.Sqrt(n * between / float64(len(t.sizes)-1)); z > size {
			size, trait = z, k
		}
	}
	return trait, size
}

// Words says what was seen, such as "the spread of x7" or "how a and b go together"; names are those of the columns.
func (s Sight) Words(names []string) string {
	direction := ""
	if s.View == Columns && s.Part.Direction > 0 {
		direction = []string{"the main direction", "the second main direction"}[s.Part.Direction-1]
	}
	switch {
	case direction != "":
		return fmt.Sprintf("the %v along %s of all columns", s.Trait, direction)
	case s.View == Columns && s.Part.Direction < 0:
		return "how far rows are from the centre, over all columns"
	case s.View == Pairs:
		a, b := names[s.Part.Columns[0]], names[s.Part.Columns[1]]
		switch d := s.Part.Degrees; {
		case d[0] == 1 && d[1] == 1:
			return fmt.Sprintf("how %s and %s go together", a, b)
		case d[0] == 2 && d[1] == 2:
			return fmt.Sprintf("how the distances of %s and %s from their middle go together", a, b)
		case d[0] == 1:
			a, b = b, a
		}
		return fmt.Sprintf("how %s goes with the distance of %s from its middle", b, a)
	case s.View == Quadratic:
		return "how the columns spread and go together"
	}
	one := ""
	if s.Column >= 0 {
		one = fmt.Sprintf("the %v of %s", s.Trait, names[s.Column])
	}
	switch {
	case len(names) == 1 || s.View == Columns:
		return one
	case one != "":
		return "all columns together, and of single ones in " + one
	}
	return "all columns together"
}

// DependenceWords says in a sentence what kind of dependence a test by rule Broad found, by the simplest statistic that
// rejects alone; "" for other rules, and where none does.
func (r *Result) DependenceWords() string {
	if r.KernelY == nil {
		return ""
	}
	for _, s := range []struct {
		views []View
		words string
	}{
		{[]View{Distances, ScoreDistances}, "Distance correlation by itself finds it too."},
		{[]View{Smooth}, "Kernels of smooth dependence find it; distance correlation does not."},
		{[]View{Rows, Curves}, "Only kernels that see fine structure find it."},
	} {
		for _, c := range r.Candidates {
			if slices.Contains(s.views, c.View) && c.P <= r.Alpha {
				return s.words
			}
		}
	}
	return ""
}
