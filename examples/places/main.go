// Command places counts how often the places are right that are named where two samples differ
// (kerneltest.Places), and how often a place is named at all. README.md has its figures.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"text/tabwriter"

	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

func main() {
	sets := flag.Int("sets", 100, "data sets of each problem")
	seed := flag.Uint64("seed", 1, "of the data sets")
	only := flag.String("only", "", "names of problems, separated by blanks; all if empty")
	flag.Parse()
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "problem\trejected\tnamed\twrong\tclearest right")
	for _, u := range problems() {
		if *only != "" && !strings.Contains(" "+*only+" ", " "+u.name+" ") {
			continue
		}
		c, err := u.count(context.Background(), *sets, *seed)
		if err != nil {
			fmt.Fprintln(os.Stderr, "places:", err)
			os.Exit(1)
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\n", u.name, c.rejected, c.named, c.wrong, c.right)
		t.Flush()
	}
}

// counts are numbers of data sets.
type counts struct {
	rejected int
	named    int // a place is named
	wrong    int // one of them is wrong
	right    int // the clearest place is right at its row, named or not
}

// count looks at data sets numbered from 0 on.
func (u problem) count(ctx context.Context, sets int, seed uint64) (counts, error) {
	var c counts
	for s := range sets {
		r := rand.New(rand.NewPCG(seed, uint64(s)))
		x, y := u.sample(r, u.p), u.sample(r, u.q)
		o := kerneltest.Options{Permutations: 199, Seed: uint64(s)}
		test, err := kerneltest.TwoSample(ctx, x, y, o)
		if err != nil {
			return c, err
		}
		if !test.Reject {
			continue
		}
		c.rejected++
		places, err := kerneltest.Places(ctx, x, y, o)
		if err != nil {
			return c, err
		}
		named, wrong := false, false
		for _, p := range places {
			if p.Named {
				named, wrong = true, wrong || u.wrong(p)
			}
		}
		if named {
			c.named++
		}
		if wrong {
			c.wrong++
		}
		if sign(u.fp(places[0].At)-u.fq(places[0].At)) == places[0].Sign {
			c.right++
		}
	}
	return c, nil
}

// wrong reports whether more than a tenth of an interval, by length or by mass, or the point of several columns,
// has another sign than is claimed. Where the densities are the same any sign is wrong.
func (u problem) wrong(p kerneltest.Place) bool {
	if u.dim > 1 {
		return sign(u.fp(p.At)-u.fq(p.At)) != p.Sign
	}
	const grid = 400
	var length, bad, mass float64
	for k := range grid {
		x := []float64{p.From + (p.To-p.From)*(float64(k)+0.5)/grid}
		a, b := u.fp(x), u.fq(x)
		mass += a + b
		if sign(a-b) != p.Sign {
			length++
			bad += a + b
		}
	}
	return length > 0.1*grid || bad > 0.1*mass
}

func sign(v float64) int {
	switch {
	case v > 1e-12:
		return 1
	case v < -1e-12:
		return -1
	}
	return 0
}

// problem is two laws with their densities.
type problem struct {
	name   string
	n, dim int
	p, q   func(r *rand.Rand, dst []float64)
	fp, fq func(x []float64) float64
}

func (u problem) sample(r *rand.Rand, draw func(*rand.Rand, []float64)) *mat.Dense {
	m := mat.NewDense(u.n, u.dim, nil)
	for i := range u.n {
		draw(r, m.RawRowView(i))
	}
	return m
}

func normals(r *rand.Rand, dst []float64) {
	for i := range dst {
		dst[i] = r.NormFloat64()
	}
}

func density(x, mean, sd float64) float64 {
	z := (x - mean) / sd
	return math.Exp(-z*z/2) / (sd * math.Sqrt(2*math.Pi))
}

func normal(x []float64) float64 {
	f := 1.0
	for _, v := range x {
		f *= density(v, 0, 1)
	}
	return f
}

func uniform(r *rand.Rand, dst []float64) { dst[0] = r.Float64() }

func one([]float64) float64 { return 1 }

func problems() []problem {
	const bumps, rho = 0.88, 0.65
	width, rest := math.Sqrt(1-bumps*bumps), math.Sqrt(1-rho*rho)
	return []problem{
		{"shift", 100, 1, normals, func(r *rand.Rand, dst []float64) { dst[0] = 0.45 + r.NormFloat64() },
			normal, func(x []float64) float64 { return density(x[0], 0.45, 1) }},
		{"spread", 100, 1, normals, func(r *rand.Rand, dst []float64) { dst[0] = 1.4 * r.NormFloat64() },
			normal, func(x []float64) float64 { return density(x[0], 0, 1.4) }},
		{"skewness", 100, 1, normals, func(r *rand.Rand, dst []float64) {
			dst[0] = (r.ExpFloat64() + r.ExpFloat64() - 2) / math.Sqrt2
		}, normal, func(x []float64) float64 {
			g := max(0, x[0]*math.Sqrt2+2)
			return math.Sqrt2 * g * math.Exp(-g)
		}},
		{"two-bumps", 100, 1, normals, func(r *rand.Rand, dst []float64) {
			dst[0] = bumps*float64(2*r.IntN(2)-1) + width*r.NormFloat64()
		}, normal, func(x []float64) float64 {
			return (density(x[0], bumps, width) + density(x[0], -bumps, width)) / 2
		}},
		{"bump", 200, 1, normals, func(r *rand.Rand, dst []float64) {
			if dst[0] = r.NormFloat64(); r.Float64() < 0.1 {
				dst[0] = 2 + 0.2*r.NormFloat64()
			}
		}, normal, func(x []float64) float64 { return 0.9*density(x[0], 0, 1) + 0.1*density(x[0], 2, 0.2) }},
		{"in-part", 150, 1, uniform, func(r *rand.Rand, dst []float64) {
			if dst[0] = r.Float64(); dst[0] > 0.7 {
				from := 0.85
				if r.Float64() < 0.15 {
					from = 0.7
				}
				dst[0] = from + 0.15*r.Float64()
			}
		}, one, func(x []float64) float64 {
			switch {
			case x[0] <= 0.7:
				return 1
			case x[0] <= 0.85:
				return 0.3
			}
			return 1.7
		}},
		{"correlation", 100, 2, normals, func(r *rand.Rand, dst []float64) {
			dst[0] = r.NormFloat64()
			dst[1] = rho*dst[0] + rest*r.NormFloat64()
		}, normal, func(x []float64) float64 { return density(x[0], 0, 1) * density(x[1], rho*x[0], rest) }},
		{"bump-in-the-plane", 150, 2, normals, func(r *rand.Rand, dst []float64) {
			if normals(r, dst); r.Float64() < 0.12 {
				dst[0], dst[1] = 1.5+0.3*r.NormFloat64(), -1+0.3*r.NormFloat64()
			}
		}, normal, func(x []float64) float64 {
			return 0.88*normal(x) + 0.12*density(x[0], 1.5, 0.3)*density(x[1], -1, 0.3)
		}},
		{"none", 100, 1, normals, normals, normal, normal},
		{"none-in-the-plane", 100, 2, normals, normals, normal, normal},
	}
}
