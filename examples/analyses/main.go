// Command analyses repeats analyses of R's data sets with the tests of this library, and compares the
// decisions. It needs Rscript with the packages energy and MASS. README.md has the table.
package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/given"

	"github.com/olekukonko/tablewriter"
	"gonum.org/v1/gonum/mat"
)

//go:embed analyses.R
var script string

// analysis is one line of the script.
type analysis struct {
	name, kind string
	methods    []string
	p          []float64 // of R's methods
	data       *mat.Dense
}

// read runs the script and reads what it wrote.
func read(dir string) ([]analysis, error) {
	file := filepath.Join(dir, "analyses.R")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command("Rscript", file, dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("analyses: Rscript: %w", err)
	}
	var all []analysis
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		fields := strings.Split(s.Text(), "|")
		if len(fields) != 3 {
			return nil, fmt.Errorf("the script printed %q, want name|kind|p-values", s.Text())
		}
		a := analysis{name: fields[0], kind: fields[1]}
		for _, m := range strings.Split(fields[2], ";") {
			name, value, _ := strings.Cut(m, "=")
			p, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", a.name, err)
			}
			a.methods, a.p = append(a.methods, name), append(a.p, p)
		}
		if a.data, err = table(filepath.Join(dir, fmt.Sprintf("%d.csv", len(all)+1))); err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// table reads numbers without a header.
func table(file string) (*mat.Dense, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	out := mat.NewDense(len(records), len(records[0]), nil)
	for i, r := range records {
		for j, s := range r {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			out.Set(i, j, v)
		}
	}
	return out, nil
}

// groups divides rows whose first column has the groups, in order, and leaves out the last columns.
func groups(x *mat.Dense, last int) []mat.Matrix {
	n, width := x.Dims()
	var out []mat.Matrix
	from := 0
	for i := 1; i <= n; i++ {
		if i == n || x.At(i, 0) != x.At(from, 0) {
			out = append(out, x.Slice(from, i, 1, width-last))
			from = i
		}
	}
	return out
}

// test is our p-value.
func (a analysis) test(ctx context.Context, o kerneltest.Options) (float64, error) {
	n, width := a.data.Dims()
	of := func(r *kerneltest.Result, err error) (float64, error) {
		if err != nil {
			return 0, fmt.Errorf("%s: %w", a.name, err)
		}
		return r.P, nil
	}
	switch {
	case a.kind == "groups":
		s := groups(a.data, 0)
		if len(s) == 2 {
			return of(kerneltest.TwoSample(ctx, s[0], s[1], o))
		}
		return of(kerneltest.Several(ctx, s, o))
	case a.kind == "paired":
		for i := range 2 * n {
			o.Blocks = append(o.Blocks, i%n)
		}
		return of(kerneltest.Several(ctx, []mat.Matrix{a.data.Slice(0, n, 0, 1), a.data.Slice(0, n, 1, 2)}, o))
	case strings.HasPrefix(a.kind, "given"):
		kinds := strings.TrimPrefix(a.kind, "given")
		var z []given.Covariate
		for k, c := range kinds {
			j := width - len(kinds) + k
			z = append(z, given.Covariate{Name: fmt.Sprint("z", k+1), Values: mat.Col(nil, j, a.data),
				Category: c == '1'})
		}
		r, err := given.Samples(ctx, groups(a.data, len(kinds)), z, given.Options{Test: o})
		if err != nil {
			return 0, fmt.Errorf("%s: %w", a.name, err)
		}
		return r.P, nil
	case strings.HasPrefix(a.kind, "factors"):
		o.Standardize = kerneltest.StandardizeNever
	}
	first, err := strconv.Atoi(strings.TrimLeft(a.kind, "abcdefghijklmnopqrstuvwxyz"))
	if err != nil {
		return 0, fmt.Errorf("%s: unknown kind %q", a.name, a.kind)
	}
	return of(kerneltest.Independence(ctx, a.data.Slice(0, n, 0, first), a.data.Slice(0, n, first, width), o))
}

// agreed says whether all methods reject, or none does; ok is false where they differ.
func agreed(p []float64, level float64) (reject, ok bool) {
	count := 0
	for _, v := range p {
		if v <= level {
			count++
		}
	}
	return count > 0, count == 0 || count == len(p)
}

func run() error {
	permutations := flag.Int("permutations", 4999, "number of permutations")
	flag.Parse()
	if _, err := exec.LookPath("Rscript"); err != nil {
		fmt.Println("Rscript is not installed: nothing is compared.")
		return nil
	}
	dir, err := os.MkdirTemp("", "analyses")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	all, err := read(dir)
	if err != nil {
		return err
	}
	t := tablewriter.NewWriter(os.Stdout)
	t.Header("analysis", "rows", "ours", "R", "differs at")
	decided, same := 0, 0
	for _, a := range all {
		p, err := a.test(context.Background(), kerneltest.Options{Permutations: *permutations})
		if err != nil {
			return err
		}
		n, _ := a.data.Dims()
		var peers, differs []string
		for k, m := range a.methods {
			peers = append(peers, fmt.Sprintf("%s %.3g", m, a.p[k]))
		}
		for _, level := range []float64{0.01, 0.10} {
			reject, ok := agreed(a.p, level)
			if !ok {
				continue
			}
			decided++
			if reject == (p <= level) {
				same++
			} else {
				differs = append(differs, fmt.Sprint(level))
			}
		}
		if err := t.Append([]string{a.name, strconv.Itoa(n), fmt.Sprintf("%.3g", p), strings.Join(peers, ", "),
			strings.Join(differs, ", ")}); err != nil {
			return err
		}
	}
	if err := t.Render(); err != nil {
		return err
	}
	fmt.Printf("%d analyses. R's methods agree with one another on %d decisions, and we with %d of them.\n",
		len(all), decided, same)
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "analyses:", err)
		os.Exit(1)
	}
}
