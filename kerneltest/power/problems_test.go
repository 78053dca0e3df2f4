package power

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

func draw(t *testing.T, spec string, seed uint64) (x, y *mat.Dense) {
	t.Helper()
	p, err := ParseProblems(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p[0].Draw(rand.New(rand.NewPCG(seed, 0)))
}

// near checks the mean of f over rows against its expectation, at 6 standard errors: 2e-9 for a
// reseed, if f has a distribution that the central limit theorem likes.
func near(t *testing.T, what string, x *mat.Dense, want float64, f func(row []float64) float64) {
	t.Helper()
	n, _ := x.Dims()
	sum, squares := 0.0, 0.0
	for i := range n {
		v := f(x.RawRowView(i)) - want
		sum += v
		squares += v * v
	}
	if !(math.Abs(sum) <= 6*math.Sqrt(squares)) {
		t.Errorf("%s: mean is %v, want %v", what, want+sum/float64(n), want)
	}
}

func square(j int) func([]float64) float64 {
	return func(row []float64) float64 { return row[j] * row[j] }
}

func product(row []float64) float64 { return row[0] * row[1] }

// beside puts the columns of x and y beside each other.
func beside(x, y *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Augment(x, y)
	return &out
}

func TestMomentsOfProblems(t *testing.T) {
	x, y := draw(t, "normal:shift=0.7,sd=2,n=20000,dim=2", 1)
	near(t, "normal x", x, 1, square(1))
	near(t, "normal y mean", y, 0.7, func(row []float64) float64 { return row[0] })
	near(t, "normal y other mean", y, 0, func(row []float64) float64 { return row[1] })
	near(t, "normal y", y, 4, square(1))

	_, y = draw(t, "normal-laplace:n=20000", 2)
	near(t, "laplace", y, 1, square(0))
	near(t, "laplace |y|", y, math.Sqrt(0.5), func(r []float64) float64 { return math.Abs(r[0]) })

	_, y = draw(t, "correlation:n=20000,dim=3", 3)
	near(t, "correlation variance", y, 1, square(1))
	near(t, "correlation", y, 0.35, product)
	near(t, "no correlation", y, 0, func(row []float64) float64 { return row[0] * row[2] })
	_, y = draw(t, "correlation:n=20000,dim=3,among=9", 3)
	near(t, "correlation of all", y, 0.35, func(row []float64) float64 { return row[0] * row[2] })

	x, y = draw(t, "ties:shift=0.3,n=20000,dim=1", 4)
	phi := distuv.UnitNormal.CDF
	zero := func(row []float64) float64 {
		if row[0] != math.Round(row[0]) {
			t.Fatalf("%v is no integer", row[0])
		}
		if row[0] == 0 {
			return 1
		}
		return 0
	}
	near(t, "ties x", x, phi(0.5)-phi(-0.5), zero)
	near(t, "ties y", y, phi(0.2)-phi(-0.8), zero)

	// E s(x) s(y) with s = sin 2x is the square of the mean of s² over a period.
	x, y = draw(t, "sinusoid:n=20000", 5)
	near(t, "sinusoid", beside(x, y), 0.25,
		func(r []float64) float64 { return math.Sin(2*r[0]) * math.Sin(2*r[1]) })
	near(t, "sinusoid margin", x, math.Pi*math.Pi/3, square(0))

	x, y = draw(t, "circle:n=20000", 6)
	near(t, "circle", beside(x, y), 1+2*0.25,
		func(r []float64) float64 { return r[0]*r[0] + r[1]*r[1] })
	near(t, "circle product", beside(x, y), 0, product)

	x, y = draw(t, "linear:rho=-0.4,n=20000,dim=2", 7)
	near(t, "linear", beside(x, y), -0.4, func(r []float64) float64 { return r[0] * r[2] })
	near(t, "linear other", beside(x, y), 0, func(r []float64) float64 { return r[1] * r[2] })
	near(t, "linear y", y, 1, square(0))
}

// The components are 1000 apart, so that each row tells its own.
func TestComponents(t *testing.T) {
	for _, random := range []string{"0", "1"} {
		x, y := draw(t, "grid:eps=4,per=2000,spacing=1000,random="+random, 8)
		for k, s := range []*mat.Dense{x, y} {
			counts := make(map[[2]float64]int)
			n, _ := s.Dims()
			for i := range n {
				row := s.RawRowView(i)
				at := [2]float64{math.Round(row[0] / 1000), math.Round(row[1] / 1000)}
				counts[at]++
				row[0], row[1] = row[0]-1000*at[0], row[1]-1000*at[1]
			}
			eps := []float64{1, 4}[k]
			for i := range n {
				row := s.RawRowView(i)
				row[0], row[1] = (row[0]+row[1])/math.Sqrt2, (row[0]-row[1])/math.Sqrt2
			}
			near(t, "grid along (1, 1)", s, eps, square(0))
			near(t, "grid along (-1, 1)", s, 1, square(1))
			near(t, "grid covariance", s, 0, product)
			for a := range 3 {
				for b := range 3 {
					c := counts[[2]float64{float64(a), float64(b)}]
					if random == "0" && c != 2000 || math.Abs(float64(c)-2000) > 6*math.Sqrt(2000) {
						t.Errorf("component (%d, %d) has %d rows, want about 2000", a, b, c)
					}
				}
			}
		}
	}
	x, y := draw(t, "mixture:sd=3,n=20000,mean=1000", 9)
	for k, s := range []*mat.Dense{x, y} {
		var others, last []float64
		for i := range 20000 {
			row := s.RawRowView(i)
			a, b := math.Copysign(1000, row[0]), math.Copysign(1000, row[1])
			v := []float64{row[0] - a, row[1] - b}
			if a < 0 && b < 0 {
				last = append(last, v...)
			} else {
				others = append(others, v...)
			}
		}
		if share := float64(len(last)) / 40000; math.Abs(share-0.25) > 6*math.Sqrt(0.1875/20000) {
			t.Errorf("share of the last component is %v", share)
		}
		near(t, "mixture last", mat.NewDense(len(last), 1, last), []float64{1, 9}[k], square(0))
		near(t, "mixture", mat.NewDense(len(others), 1, others), 1, square(0))
	}
}

// The density is 1 on average, touches 0 at amplitude 1, and is that of the sample: the share of
// rows in the half of a cell with the peak is (1 + integral of a e bump over it)/2.
func TestPerturbed(t *testing.T) {
	const steps = 100000
	peak, least := 0.0, 1.0
	mean := 0.0
	for i := range steps {
		u := (float64(i) + 0.5) / steps
		f := perturbedDensity([]float64{u}, 1, 2, []float64{1, -1})
		mean += f / steps
		least = min(least, f)
		peak += math.E * math.Abs(bump(u-1)) / steps
	}
	if math.Abs(mean-1) > 1e-9 || !(least >= 0 && least < 1e-8) {
		t.Errorf("the density has mean %v and minimum %v, want 1 and 0", mean, least)
	}
	seen := make(map[bool]bool)
	for seed := range uint64(40) { // one sign only: 2e-12
		x, y := draw(t, "perturbed:amplitude=0.9,peaks=1,n=2000", seed)
		left := func(row []float64) float64 {
			if row[0] < 0.5 {
				return 1
			}
			return 0
		}
		share := 0.0
		for i := range 2000 {
			share += left(x.RawRowView(i)) / 2000
		}
		up := share > 0.5
		seen[up] = true
		want := 0.5 + 0.45*peak
		if !up {
			want = 1 - want
		}
		near(t, "perturbed", x, want, left)
		near(t, "uniform", y, 0.5, left)
	}
	if len(seen) != 2 {
		t.Error("40 data sets have the same sign")
	}
	// In two dimensions: 1 within each cell, and the product of the coordinates has the sign's.
	x, _ := draw(t, "perturbed:amplitude=1,dim=2,n=20000,peaks=1", 1)
	sides := func(r []float64) float64 { return math.Copysign(1, (r[0]-0.5)*(r[1]-0.5)) }
	sum := 0.0
	for i := range 20000 {
		sum += sides(x.RawRowView(i))
	}
	near(t, "perturbed 2-D", x, math.Copysign(peak*peak, sum), sides)
}

func TestParseProblems(t *testing.T) {
	for text, want := range map[string]string{
		"grid:eps=2.0,per=100":            "grid:eps=2",
		" grid:per=50,eps=1/2/4 ":         "grid:per=50 grid:eps=2,per=50 grid:eps=4,per=50",
		"normal normal:n=1e1,dim=2/3":     "normal normal:n=10,dim=2 normal:n=10,dim=3",
		"perturbed:amplitude=0.3,peaks=2": "perturbed",
		"perturbed:peaks=1/3,dim=1/2": "perturbed:peaks=1 perturbed:dim=2,peaks=1 " +
			"perturbed:peaks=3 perturbed:dim=2,peaks=3",
		"sinusoid circle linear:rho=0,n=200": "sinusoid circle linear:rho=0,n=200",
	} {
		problems, err := ParseProblems(text)
		var names []string
		for _, p := range problems {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%q: %q, want %q, error %v", text, got, want, err)
		}
	}
	for _, text := range []string{"", " ", "nothing", "grid:eps", "grid:eps=", "grid:eps=x",
		"grid:eps=NaN", "grid:eps=0", "grid:eps=-1", "grid:eps=2,eps=2", "grid:n=3", "normal:n=2.5",
		"normal:n=0", "perturbed:amplitude=1.1", "perturbed:dim=24",
		"normal:n=1e7,dim=11", "linear:rho=2", "grid:random=0.5", "normal:=3"} {
		if p, err := ParseProblems(text); err == nil || !strings.HasPrefix(err.Error(), "power: ") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: problems %v, error %v", text, p, err)
		}
	}
	// The names that are listed, with their defaults, are those of the package comment.
	for _, name := range ProblemNames() {
		p, err := ParseProblems(name)
		if err != nil || strings.Contains(p[0].Name, ":") {
			t.Errorf("%s: %+v, error %v", name, p, err)
		}
		paired := slices.Contains([]string{"sinusoid", "circle", "linear"}, p[0].Name) ||
			strings.HasPrefix(p[0].Name, "dependence-")
		if paired != p[0].Paired {
			t.Errorf("%s: paired is %v", name, p[0].Paired)
		}
	}
}
