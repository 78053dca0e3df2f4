// Command several measures how often kerneltest.Several finds that three samples differ, beside the
// energy tests of R's package energy, on synthetic data. README.md has the table.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"bayeskernel/kerneltest"

	"github.com/olekukonko/tablewriter"
	"gonum.org/v1/gonum/mat"
)

// law draws one value of sample g in column j.
type law struct {
	name  string
	dim   int
	sizes []int
	value func(r *rand.Rand, g, j int) float64
}

func laws() []law {
	equal := []int{20, 20, 20}
	return []law{
		{"equal", 1, equal, func(r *rand.Rand, _, _ int) float64 { return r.NormFloat64() }},
		{"means 0, .4, .8", 1, equal, func(r *rand.Rand, g, _ int) float64 {
			return r.NormFloat64() + 0.4*float64(g)
		}},
		{"one mean of .8", 1, []int{15, 30, 15}, func(r *rand.Rand, g, _ int) float64 {
			return r.NormFloat64() + 0.8*float64(g/2)
		}},
		{"sd 1, 1.5, 2", 1, equal, func(r *rand.Rand, g, _ int) float64 {
			return r.NormFloat64() * (1 + 0.5*float64(g))
		}},
		{"one bimodal", 1, []int{30, 30, 30}, func(r *rand.Rand, g, _ int) float64 {
			if g < 2 {
				return r.NormFloat64()
			}
			return math.Copysign(0.9, r.Float64()-0.5) + math.Sqrt(0.19)*r.NormFloat64()
		}},
		{"t of 2 df, shifts of .5", 1, equal, func(r *rand.Rand, g, _ int) float64 {
			return r.NormFloat64()/math.Sqrt(r.ExpFloat64()) + 0.5*float64(g)
		}},
		{"means of 3 columns 0, .3, .6", 3, equal, func(r *rand.Rand, g, _ int) float64 {
			return r.NormFloat64() + 0.3*float64(g)
		}},
		{"sd of 3 columns 1, 1.3, 1.6", 3, equal, func(r *rand.Rand, g, _ int) float64 {
			return r.NormFloat64() * (1 + 0.3*float64(g))
		}},
		{"mean of 1 of 10 columns 0, .5, 1", 10, equal, func(r *rand.Rand, g, j int) float64 {
			if j > 0 {
				return r.NormFloat64()
			}
			return r.NormFloat64() + 0.5*float64(g)
		}},
	}
}

func (l law) draw(seed uint64) []mat.Matrix {
	r := rand.New(rand.NewPCG(seed, 2400))
	var out []mat.Matrix
	for g, n := range l.sizes {
		x := mat.NewDense(n, l.dim, nil)
		x.Apply(func(_, j int, _ float64) float64 { return l.value(r, g, j) }, x)
		out = append(out, x)
	}
	return out
}

// script reads samples, of one data set after another, and prints for each the p-values of both tests.
const script = `a <- commandArgs(TRUE); suppressMessages(library(energy)); set.seed(1)
x <- as.matrix(read.csv(a[1], header = FALSE)); s <- as.numeric(strsplit(a[2], ",")[[1]]); n <- sum(s)
for (k in seq_len(nrow(x) / n)) { y <- x[(k - 1) * n + 1:n, -1, drop = FALSE]
  cat(eqdist.etest(y, s, R = 199)$p.value, eqdist.etest(y, s, method = "discoF", R = 199)$p.value, "\n") }`

// energy returns how often R's tests reject, nil where R or its package is not there.
func energy(l law, seed uint64, replicates int) ([]int, error) {
	if _, err := exec.LookPath("Rscript"); err != nil {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "several")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var b strings.Builder
	for rep := range replicates {
		for g, x := range l.draw(seed + uint64(rep)) {
			n, _ := x.Dims()
			for i := range n {
				fmt.Fprintf(&b, "%d", g)
				for j := range l.dim {
					fmt.Fprintf(&b, ",%v", x.At(i, j))
				}
				b.WriteByte('\n')
			}
		}
	}
	file := filepath.Join(dir, "x.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		return nil, err
	}
	sizes := strings.Trim(strings.ReplaceAll(fmt.Sprint(l.sizes), " ", ","), "[]")
	out, err := exec.Command("Rscript", "-e", script, file, sizes).Output()
	if err != nil {
		return nil, nil // the package is not installed
	}
	rejected := make([]int, 2)
	for k, field := range strings.Fields(string(out)) {
		p, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return nil, err
		}
		if p <= 0.05 {
			rejected[k%2]++
		}
	}
	return rejected, nil
}

func run() error {
	replicates := flag.Int("replicates", 200, "number of data sets")
	seed := flag.Uint64("seed", 1, "the seed of the first")
	flag.Parse()
	t := tablewriter.NewWriter(os.Stdout)
	t.Header("law", "rows", "Several", "without energy", "energy alone", "eqdist.etest", "DISCO")
	share := func(count int) string { return fmt.Sprintf("%.3f", float64(count)/float64(*replicates)) }
	for _, l := range laws() {
		var rejected [3]int
		for rep := range *replicates {
			s := l.draw(*seed + uint64(rep))
			o := kerneltest.Options{Permutations: 199, Seed: uint64(rep)}
			r, err := kerneltest.Several(context.Background(), s, o)
			if err != nil {
				return err
			}
			last := len(r.Candidates) - 1
			if r.Reject {
				rejected[0]++
			}
			if r.Candidates[last].P <= 0.05 {
				rejected[2]++
			}
			// The same kernels and seed, but for the energy distance.
			o.Kernel = r.Kernel.Choice()
			if r, err = kerneltest.Several(context.Background(), s, o); err != nil {
				return err
			}
			if r.Reject {
				rejected[1]++
			}
		}
		row := []string{l.name, fmt.Sprint(l.sizes), share(rejected[0]), share(rejected[1]), share(rejected[2]), "", ""}
		peers, err := energy(l, *seed, *replicates)
		if err != nil {
			return err
		}
		for k, count := range peers {
			row[5+k] = share(count)
		}
		if err := t.Append(row); err != nil {
			return err
		}
	}
	return t.Render()
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "several:", err)
		os.Exit(1)
	}
}
