package formula

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// centre finds the means of the columns, which are taken away if there is an intercept.
func (r *Regression) centre() {
	if !r.Design.Intercept {
		return
	}
	n, d := r.X.Dims()
	r.means = make([]float64, d-1)
	for j := range r.means {
		for i := range n {
			r.means[j] += (r.X.At(i, j+1) - r.means[j]) / float64(i+1)
		}
	}
}

// independent finds a column that others make, by Gram-Schmidt: with flat priors it has no posterior. The lines of
// smooth terms are columns too.
func (r *Regression) independent() error {
	var all []*mat.VecDense
	var names []string
	if r.X != nil {
		for j, name := range r.Design.Names {
			all, names = append(all, mat.VecDenseCopyOf(r.X.ColView(j))), append(names, name)
		}
	}
	for _, s := range r.Smooths {
		all, names = append(all, mat.NewVecDense(len(s.line), slices.Clone(s.line))), append(names, "the line of "+s.Label)
	}
	var basis []*mat.VecDense
	var of []string
	for j, c := range all {
		size := mat.Norm(c, 2)
		var share []float64
		for range 2 { // twice is enough
			for k, b := range basis {
				s := mat.Dot(b, c)
				c.AddScaledVec(c, -s, b)
				if len(share) == k {
					share = append(share, s)
				}
			}
		}
		if left := mat.Norm(c, 2); left <= 1e-9*size || size == 0 {
			if err := r.collinear(names[j], of, share, size); err != nil {
				return err
			}
			continue
		}
		c.ScaleVec(1/mat.Norm(c, 2), c)
		basis, of = append(basis, c), append(of, names[j])
	}
	return nil
}

// collinear says what a column is made of. With priors that are not flat its coefficient has a posterior all the same, and a
// note says what it is worth.
func (r *Regression) collinear(name string, of []string, share []float64, size float64) error {
	if size == 0 {
		return fmt.Errorf("formula: %s: %s is 0 in every row; leave it out", r.data.Source, name)
	}
	var parts []string
	for k, s := range share {
		if math.Abs(s) > 1e-6*size {
			parts = append(parts, of[k])
		}
	}
	if len(parts) == 1 && parts[0] == "(Intercept)" {
		return fmt.Errorf("formula: %s: %s has the same value in every row; leave it out", r.data.Source, name)
	}
	if n := len(r.Y); len(of) == n {
		parts = []string{fmt.Sprintf("the %d before it, as many as there are rows", n)}
	}
	if r.prior("b", "b").dist != "flat" && !r.separately() {
		r.tied = append(append(r.tied, name), parts...)
		r.Notes = append(r.Notes, fmt.Sprintf("%s is a sum of multiples of %s: the data cannot tell their coefficients apart, only the priors do.", name,
			strings.Join(parts, ", ")))
		return nil
	}
	return fmt.Errorf("formula: %s: %s is a sum of multiples of %s; leave one of them out, or give the coefficients a prior, "+
		"as -prior 'b ~ normal(0, 1)'", r.data.Source, name, strings.Join(parts, ", "))
}
