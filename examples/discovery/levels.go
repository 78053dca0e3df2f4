package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"bayeskernel/examples/internal/report"
	"bayeskernel/kerneltest/conditional"

	"gonum.org/v1/gonum/mat"
)

// problem is a law of x, y and several columns of z.
type problem struct {
	law       string // how x and y depend on z
	columns   int
	n         int
	dependent string // how x and y depend on each other given z: "", linear, even, or even and faint
	sets      int
}

func (p problem) name() string {
	s := fmt.Sprintf("%s, %d columns, n = %d", p.law, p.columns, p.n)
	if p.dependent != "" {
		s += ", " + p.dependent + " dependence"
	}
	return s
}

func problems() []problem {
	var out []problem
	for _, law := range []string{"interaction", "rough", "discrete"} {
		for _, columns := range []int{3, 4, 5} {
			for _, n := range []int{100, 300} {
				out = append(out, problem{law, columns, n, "", 2000})
			}
		}
	}
	for _, dependent := range []string{"linear", "even"} {
		for _, columns := range []int{1, 3, 4} {
			out = append(out, problem{"interaction", columns, 100, dependent, 500})
		}
	}
	for _, n := range []int{1000, 2000, 4000, 20000} {
		out = append(out, problem{"interaction", 4, n, "", 1000}, problem{"rough", 4, n, "", 1000})
	}
	return append(out, problem{"interaction", 1, 20000, "", 1000}, problem{"interaction", 4, 20000, "linear", 100},
		problem{"interaction", 4, 2000, "faint", 500})
}

// draw has x and y first.
func (p problem) draw(r *rand.Rand) (*mat.Dense, []bool) {
	m := mat.NewDense(p.n, 2+p.columns, nil)
	discrete := make([]bool, 2+p.columns)
	last := 1 + p.columns
	discrete[last] = p.law == "discrete"
	for i := range p.n {
		z := make([]float64, p.columns)
		for j := range z {
			z[j] = r.NormFloat64()
		}
		if p.law == "discrete" {
			z[p.columns-1] = float64(r.IntN(3))
		}
		var f, g float64
		switch p.law {
		case "interaction":
			f, g = z[0], math.Tanh(z[0])
			for j := 1; j < min(3, p.columns); j++ {
				f += z[j-1] * z[j]
				g += z[j-1] * z[j]
			}
		case "rough":
			f, g = math.Sin(2.5*z[0])+0.5*z[1], math.Sin(2.5*z[0])-0.5*z[2]
		case "discrete":
			f = z[0]*(z[p.columns-1]-1) + 0.5*z[1]
			g = z[0]*(z[p.columns-1]-1) - 0.5*z[1]
		}
		a, b := r.NormFloat64(), r.NormFloat64()
		switch p.dependent {
		case "linear":
			b = 0.35*a + math.Sqrt(1-0.35*0.35)*b
		case "faint":
			b = 0.2*(a*a-1) + 0.95*b
		case "even":
			b = 0.5*(a*a-1) + 0.8*b
		}
		m.Set(i, 0, f+0.6*a)
		m.Set(i, 1, g+0.6*b)
		for j, v := range z {
			m.Set(i, 2+j, v)
		}
	}
	return m, discrete
}

// pvalues are those of one data set: combined, of the kernel statistic, of the covariance measure, and
// of the kernel statistic with one lengthscale, as before.
type pvalues struct {
	Case     string     `json:"case"`
	Set      int        `json:"set"`
	P        [4]float64 `json:"p"`
	Doubtful bool       `json:"doubtful"`
	Seconds  float64    `json:"seconds"`
}

func (p pvalues) Of() (string, int) { return p.Case, p.Set }

func (p problem) measure(ctx context.Context, seed uint64, set int, before bool) (pvalues, error) {
	r := rand.New(rand.NewPCG(seed, uint64(set)<<24|uint64(p.n)<<4|uint64(p.columns)))
	m, discrete := p.draw(r)
	names, z := []string{"x", "y"}, []int{}
	for j := range p.columns {
		names, z = append(names, fmt.Sprint("z", j)), append(z, 2+j)
	}
	out := pvalues{Case: p.name(), Set: set}
	began := time.Now()
	c, err := conditional.NewTable(names, m, conditional.Options{Discrete: discrete})
	if err != nil {
		return out, err
	}
	got, err := c.Test(ctx, []int{0}, []int{1}, z)
	if err != nil {
		return out, err
	}
	out.Seconds = time.Since(began).Seconds()
	out.P = [4]float64{got.P, got.KernelP, got.CovarianceP, 1}
	out.Doubtful = got.Doubtful
	if math.IsNaN(got.CovarianceP) {
		out.P[2] = 1
	}
	if before && p.n <= 300 {
		c, err := conditional.NewTable(names, m, conditional.Options{Discrete: discrete, KernelOnly: true,
			OneLengthscale: true})
		if err != nil {
			return out, err
		}
		if got, err = c.Test(ctx, []int{0}, []int{1}, z); err != nil {
			return out, err
		}
		out.P[3] = got.P
	}
	return out, nil
}

func levels(ctx context.Context, s report.Study, before bool, out io.Writer) error {
	list := problems()
	done, err := report.MeasureEach(ctx, s, list, func(p problem) report.Case { return report.Case{Name: p.name(), Sets: p.sets} },
		func(p problem, set int) (pvalues, error) { return p.measure(ctx, s.Seed, set, before) })
	if err != nil {
		return err
	}
	fmt.Fprint(out, "| problem | sets | combined | kernel | covariance | one lengthscale | doubtful | seconds |\n"+
		"| --- | --: | --: | --: | --: | --: | --: | --: |\n")
	for _, p := range list {
		of := done[p.name()]
		if len(of) == 0 {
			continue
		}
		var count [4]int
		doubtful, least := 0, math.Inf(1)
		for _, r := range of {
			for k, v := range r.P {
				if v <= 0.05 {
					count[k]++
				}
			}
			if r.Doubtful && r.P[0] <= 0.05 {
				doubtful++
			}
			least = min(least, r.Seconds)
		}
		fmt.Fprintf(out, "| %s | %d |", p.name(), len(of))
		for k, c := range count {
			if k == 3 && !before {
				fmt.Fprint(out, " |")
				continue
			}
			fmt.Fprintf(out, " %.3f |", float64(c)/float64(len(of)))
		}
		fmt.Fprintf(out, " %.3f | %.2g |\n", float64(doubtful)/float64(len(of)), least)
	}
	return nil
}
