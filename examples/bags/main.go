// Bags measures regressions of labels on bags of rows: errors and the coverage of predictive intervals by
// the size of a bag, for numbers and for classes. All data are synthetic.
//
//	go run ./examples/bags -part toy       1000 bags, some of 5 rows: squared error and log loss
//	go run ./examples/bags -part coverage  100 bags, three problems: coverage of 90% intervals
//	go run ./examples/bags -part few       12, 20 and 40 bags, four problems: the same, by averages over sigma and kappa
//	go run ./examples/bags -part classes   300 bags, two classes: log loss beside that of noise ignored
//	go run ./examples/bags -part machines  200 bags, two classes: errors beside support measure machines
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"bayeskernel/bke"
	"bayeskernel/distreg"
	"bayeskernel/distreg/target"
	"bayeskernel/examples/internal/processor"
	"bayeskernel/hmc"
	"bayeskernel/nuts"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

func main() {
	part := flag.String("part", "toy", "toy, coverage, few, classes or machines")
	sets := flag.Int("sets", 3, "data sets")
	seed := flag.Uint64("seed", 1, "of the first")
	flag.Parse()
	var err error
	switch *part {
	case "toy":
		err = toys(*sets, *seed)
	case "coverage":
		err = coverage(*sets, *seed)
	case "few":
		err = few(*sets, *seed)
	case "classes":
		err = classes(*sets, *seed)
	case "machines":
		err = machines(*sets, *seed)
	default:
		err = fmt.Errorf("-part is %q, want toy, coverage, few, classes or machines", *part)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bags:", err)
		os.Exit(1)
	}
}

// problem draws the label of a bag, and its rows.
type problem struct {
	name string
	dim  int
	bag  func(r *rand.Rand, n int) (y float64, x *mat.Dense)
}

var problems = []problem{
	// The rows are chi-squared with y degrees of freedom, divided by y, in five columns: all have the
	// mean 1 (Law, Sutherland, Sejdinovic and Flaxman 2018).
	{"toy", 5, func(r *rand.Rand, n int) (float64, *mat.Dense) {
		y := 4 + 4*r.Float64()
		d := distuv.ChiSquared{K: y, Src: source{r}}
		x := mat.NewDense(n, 5, nil)
		x.Apply(func(int, int, float64) float64 { return d.Rand() / y }, x)
		return y, x
	}},
	{"mixture", 2, func(r *rand.Rand, n int) (float64, *mat.Dense) {
		y := r.Float64()
		x := mat.NewDense(n, 2, nil)
		for i := range n {
			centre := -1.0
			if r.Float64() < y {
				centre = 1
			}
			x.SetRow(i, []float64{centre + .7*r.NormFloat64(), r.NormFloat64()})
		}
		return y, x
	}},
	{"centre, half of the bags wide", 2, func(r *rand.Rand, n int) (float64, *mat.Dense) {
		y, sd := 2*r.Float64()-1, .4
		if r.IntN(2) == 0 {
			sd *= 5
		}
		x := mat.NewDense(n, 2, nil)
		for i := range n {
			x.SetRow(i, []float64{y + sd*r.NormFloat64(), sd * r.NormFloat64()})
		}
		return y, x
	}},
}

// source is what package distuv draws from.
type source struct{ *rand.Rand }

func (s source) Seed(uint64) {}

var sizes = []int{5, 20, 100, 1000}

// draw makes bags of the given sizes, in units of the columns' standard deviations.
func (p problem) draw(r *rand.Rand, size func(i int) int, count int) (bags []mat.Matrix, y []float64) {
	for i := range count {
		label, x := p.bag(r, size(i))
		bags, y = append(bags, x), append(y, label)
	}
	return bags, y
}

// scaled divides columns by their standard deviations over all rows of the first bags.
func scaled(train, test []mat.Matrix) ([]mat.Matrix, []mat.Matrix, error) {
	_, dim := train[0].Dims()
	var data []float64
	for _, b := range train {
		data = append(data, b.(*mat.Dense).RawMatrix().Data...)
	}
	_, scaling, err := bke.Standardize(mat.NewDense(len(data)/dim, dim, data))
	if err != nil {
		return nil, nil, err
	}
	apply := func(bags []mat.Matrix) (out []mat.Matrix, err error) {
		for _, b := range bags {
			x, err := scaling.Apply(b)
			if err != nil {
				return nil, err
			}
			out = append(out, x)
		}
		return out, nil
	}
	if train, err = apply(train); err != nil {
		return nil, nil, err
	}
	test, err = apply(test)
	return train, test, err
}

// toys has 1000 bags, a share of 5 rows, a quarter of 20 and of 100 each and the rest of 1000.
func toys(sets int, seed uint64) error {
	fmt.Println("share of 5 rows | squared error | minus log density | coverage by 5, 20, 100, 1000 rows | CPU s")
	for _, share := range []float64{0, .25, .5} {
		var square, loss, cpu float64
		var inside, of [4]float64
		for s := range sets {
			r := rand.New(rand.NewPCG(seed+uint64(s), 51))
			size := func(i int) int {
				switch u := float64(i%1000) / 1000; {
				case u < share:
					return 5
				case u < share+.25:
					return 20
				case u < share+.5:
					return 100
				}
				return 1000
			}
			train, y := problems[0].draw(r, size, 1000)
			test, truth := problems[0].draw(r, size, 1000)
			train, test, err := scaled(train, test)
			if err != nil {
				return err
			}
			began := processor.Time()
			fit, err := distreg.Learn(context.Background(), train, y, distreg.LearnOptions{Seed: seed})
			if err != nil {
				return err
			}
			cpu += processor.Time() - began
			mean, variance, err := fit.Model.Predict(fit.Params, test)
			if err != nil {
				return err
			}
			for i, v := range variance {
				e := truth[i] - mean[i]
				square += e * e / 1000
				loss += (math.Log(2*math.Pi*v) + e*e/v) / 2000
				count(&inside, &of, test[i], e*e < 1.645*1.645*v)
			}
		}
		n := float64(sets)
		fmt.Printf("%v | %.3f | %.3f | %v | %.1f\n", share, square/n, loss/n, shares(inside, of), cpu/n)
	}
	return nil
}

// count adds a bag to those of its size.
func count(inside, of *[4]float64, x mat.Matrix, in bool) {
	n, _ := x.Dims()
	for k, s := range sizes {
		if s == n {
			of[k]++
			if in {
				inside[k]++
			}
		}
	}
}

func shares(inside, of [4]float64) string {
	text := ""
	for k := range sizes {
		if of[k] == 0 {
			text += "   – "
			continue
		}
		text += fmt.Sprintf(" %.3f", inside[k]/of[k])
	}
	return text
}

// fitted learns from bags, and returns it with the new ones as they are scaled.
func fitted(train, test []mat.Matrix, y []float64, seed uint64) (*distreg.Fit, []mat.Matrix, error) {
	train, test, err := scaled(train, test)
	if err != nil {
		return nil, nil, err
	}
	fit, err := distreg.Learn(context.Background(), train, y, distreg.LearnOptions{Seed: seed})
	return fit, test, err
}

// coverage has 100 bags, a quarter of each size, and 400 new ones.
func coverage(sets int, seed uint64) error {
	fmt.Println("problem | coverage of 90% intervals by 5, 20, 100, 1000 rows | minus log density")
	for _, p := range problems {
		var inside, of [4]float64
		loss := 0.0
		for s := range sets {
			r := rand.New(rand.NewPCG(seed+uint64(s), 52))
			size := func(i int) int { return sizes[i%4] }
			train, y := p.draw(r, size, 100)
			test, truth := p.draw(r, size, 400)
			fit, test, err := fitted(train, test, y, seed)
			if err != nil {
				return err
			}
			mean, variance, err := fit.Model.Predict(fit.Params, test)
			if err != nil {
				return err
			}
			for i, v := range variance {
				e := truth[i] - mean[i]
				loss += (math.Log(2*math.Pi*v) + e*e/v) / 800 / float64(sets)
				count(&inside, &of, test[i], e*e < 1.645*1.645*v)
			}
		}
		fmt.Printf("%v | %v | %.3f\n", p.name, shares(inside, of), loss)
	}
	return nil
}

// fewProblems have labels that follow the centre of the rows, or their spread.
var fewProblems = []struct {
	name string
	dim  int
	bag  func(r *rand.Rand) (y, centre, sd float64)
}{
	{"centre", 1, func(r *rand.Rand) (y, centre, sd float64) {
		centre = r.NormFloat64()
		return centre + .3*r.NormFloat64(), centre, 1
	}},
	{"centre, and a column of noise", 2, func(r *rand.Rand) (y, centre, sd float64) {
		centre = r.NormFloat64()
		return centre + .3*r.NormFloat64(), centre, 1
	}},
	{"sine of twice the centre", 2, func(r *rand.Rand) (y, centre, sd float64) {
		centre = r.NormFloat64()
		return math.Sin(2*centre) + .2*r.NormFloat64(), centre, 1
	}},
	{"spread", 2, func(r *rand.Rand) (y, centre, sd float64) {
		sd = math.Exp(.3 * r.NormFloat64())
		return 3*sd + .3*r.NormFloat64(), r.NormFloat64(), sd
	}},
}

// few has bags of 5 to 39 rows, and 300 new ones.
func few(sets int, seed uint64) error {
	fmt.Println("problem | bags | coverage of 90% intervals: largest evidence | average | bags left out")
	for _, p := range fewProblems {
		draw := func(r *rand.Rand, count int) (bags []mat.Matrix, y []float64) {
			for range count {
				label, centre, sd := p.bag(r)
				x := mat.NewDense(5+r.IntN(35), p.dim, nil)
				x.Apply(func(_, j int, _ float64) float64 {
					if j > 0 {
						return r.NormFloat64()
					}
					return centre + sd*r.NormFloat64()
				}, x)
				bags, y = append(bags, x), append(y, label)
			}
			return bags, y
		}
		for _, count := range []int{12, 20, 40} {
			var held [3]float64
			for s := range sets {
				r := rand.New(rand.NewPCG(seed+uint64(s), 54))
				train, y := draw(r, count)
				test, truth := draw(r, 300)
				fit, test, err := fitted(train, test, y, seed)
				if err != nil {
					return err
				}
				average, err := fit.Average()
				if err != nil {
					return err
				}
				add := func(k int, truth, mean, variance []float64) {
					for i, v := range variance {
						if math.Abs(truth[i]-mean[i]) < 1.645*math.Sqrt(v) {
							held[k] += 1 / float64(len(truth)*sets)
						}
					}
				}
				mean, variance, err := fit.Model.Predict(fit.Params, test)
				if err != nil {
					return err
				}
				add(0, truth, mean, variance)
				if mean, variance, err = average.Predict(test); err != nil {
					return err
				}
				add(1, truth, mean, variance)
				mean, variance = average.LeaveOneOut()
				add(2, y, mean, variance)
			}
			fmt.Printf("%v | %d | %.3f | %.3f | %.3f\n", p.name, count, held[0], held[1], held[2])
		}
	}
	return nil
}

// labelled are bags of two classes, and new ones with the probability of the second class and the class they have.
type labelled struct {
	train, test     []mat.Matrix
	was, is, chance []float64
}

// classes draws bags of the given sizes, in turn, whose class has log odds that grow with the label.
func (p problem) classes(r *rand.Rand, sizes []int, known, fresh int) (*labelled, error) {
	size := func(i int) int { return sizes[i%len(sizes)] }
	chances := func(y []float64) (chance, class []float64) {
		for _, v := range y {
			odds := 12 * (v - .5)
			if p.name == "toy" {
				odds = 3 * (v - 6)
			}
			chance = append(chance, 1/(1+math.Exp(-odds)))
			class = append(class, 0)
			if r.Float64() < chance[len(chance)-1] {
				class[len(class)-1] = 1
			}
		}
		return chance, class
	}
	train, y := p.draw(r, size, known)
	test, y2 := p.draw(r, size, fresh)
	train, test, err := scaled(train, test)
	d := &labelled{train: train, test: test}
	_, d.was = chances(y)
	d.chance, d.is = chances(y2)
	return d, err
}

// ignoring takes the noise out of the embeddings, as if every row were a thousand.
func ignoring(p distreg.Params) distreg.Params {
	p.S = 1e-6
	return p
}

// chances are the probabilities of the second class, for the new bags.
func (d *labelled) chances(ctx context.Context, m *distreg.Model, at distreg.Params, seed uint64) ([]float64, error) {
	post, err := target.New(m, at, target.Options{Classes: true})
	if err != nil {
		return nil, err
	}
	run, err := nuts.Sample(ctx, post.Target, nuts.Config{Settings: hmc.Settings{Chains: 2, Warmup: 300, Draws: 250, Seed: seed}})
	if err != nil {
		return nil, err
	}
	found, err := post.Predict(m, run, d.test)
	var out []float64
	for _, f := range found {
		out = append(out, f.Mean)
	}
	return out, err
}

// classes has 300 bags of two classes and 400 new ones.
func classes(sets int, seed uint64) error {
	fmt.Println("problem | log loss, noise ignored | here | of the true probabilities")
	for _, p := range problems[:2] {
		var ignored, here, truth float64
		for s := range sets {
			ctx := context.Background()
			d, err := p.classes(rand.New(rand.NewPCG(seed+uint64(s), 53)), sizes, 300, 400)
			if err != nil {
				return err
			}
			fit, err := distreg.Learn(ctx, d.train, d.was, distreg.LearnOptions{Seed: seed})
			if err != nil {
				return err
			}
			found, err := d.chances(ctx, fit.Model, fit.Params, seed)
			if err != nil {
				return err
			}
			without, err := d.chances(ctx, fit.Model, ignoring(fit.Params), seed)
			if err != nil {
				return err
			}
			for i, c := range d.is {
				loss := func(chance float64) float64 { return -math.Log(math.Abs(1-c-chance)) / 400 / float64(sets) }
				here += loss(found[i])
				ignored += loss(without[i])
				truth += loss(d.chance[i])
			}
		}
		fmt.Printf("%v | %.3f | %.3f | %.3f\n", p.name, ignored, here, truth)
	}
	return nil
}
