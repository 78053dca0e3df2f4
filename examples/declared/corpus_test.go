package declared_test

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/model"
)

// program is a Stan program, declared.
type program struct {
	name    string
	declare func(d data) *model.Model
	// order has the names of the declared parameters in the order in which Stan has them. A name is followed by
	// =N where it has N coordinates, not as many as values, and by @A/B for every B-th value from the A-th.
	order string
	// constant is what the declared log density is larger by: Stan leaves out what truncated priors are divided by.
	constant float64
	// tolerance of derivatives is 1e-8 unless said.
	tolerance float64
	// rows is the number of log likelihoods and of predictions, 0 where none can be.
	rows int
}

const ln2 = math.Ln2

// anyConstant is a constant that nobody worked out: the same at all points.
var anyConstant = math.NaN()

// All programs, declared: log densities, with all constants, and gradients are those of Stan's C++ at
// its points, and rows have log likelihoods and predictions. The folder of the programs with Stan's
// values is BAYESKERNEL_STAN_CORPUS.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("BAYESKERNEL_STAN_CORPUS")
	if dir == "" {
		t.Skip("BAYESKERNEL_STAN_CORPUS is not set")
	}
	all := slices.Concat(regressions(), varying(), counted(), answers(), hidden(), processes())
	seen := map[string]bool{}
	for _, p := range all {
		if seen[p.name] {
			t.Errorf("%s is there twice", p.name)
		}
		seen[p.name] = true
		t.Run(p.name, func(t *testing.T) { p.check(t, dir) })
	}
	t.Logf("%d programs", len(all))
}

func (p program) check(t *testing.T, dir string) {
	var want struct {
		Data   string `json:"data_file"`
		Points []struct {
			U, Grad []json.RawMessage
			LP      float64
		}
	}
	path := filepath.Join(dir, "expected", p.name+".json")
	if _, err := os.Stat(path); err != nil {
		path += ".gz"
	}
	decode(t, path, &want)
	d := data{t: t}
	decode(t, filepath.Join(dir, want.Data), &d.values)
	program, err := p.declare(d).Compile()
	if err != nil {
		t.Fatal(err)
	}
	target, err := program.Target()
	if err != nil {
		t.Fatal(err)
	}
	place := places(t, program.Names(), p.order)
	if len(place) != target.Dim() {
		t.Fatalf("order has %d coordinates, the model %d", len(place), target.Dim())
	}
	x, grad := make([]float64, target.Dim()), make([]float64, target.Dim())
	var last []float64
	constant, tolerance := p.constant, max(p.tolerance, 1e-8)
	for i, point := range want.Points {
		for k, v := range point.U {
			x[place[k]] = number(t, v)
		}
		lp := target.LogDensity(x, grad)
		if math.IsNaN(constant) {
			constant = lp - point.LP
		}
		if e := math.Abs(lp - constant - point.LP); !(e <= 1e-8*max(1, math.Abs(point.LP))) {
			t.Errorf("point %d: log density %v less %v, in Stan %v", i+1, lp, constant, point.LP)
		}
		size := 0.0
		for k := range point.Grad {
			size = max(size, math.Abs(number(t, point.Grad[k])))
		}
		for k, v := range point.Grad {
			w := number(t, v)
			if e := math.Abs(grad[place[k]] - w); !(e <= tolerance*max(1, math.Abs(w))+1e-14*size) {
				t.Errorf("point %d: derivative %d is %v, in Stan %v", i+1, k+1, grad[place[k]], w)
			}
		}
		last = make([]float64, len(program.Names()))
		target.(hmc.Constrainer).Constrain(last, x)
	}
	p.rowsOf(t, program, last)
}

// rowsOf wants a log likelihood and a prediction for each row.
func (p program) rowsOf(t *testing.T, program *model.Program, values []float64) {
	t.Helper()
	run := &draws.Run{Names: program.Names(), Chains: []draws.Chain{{Values: [][]float64{values}}}}
	ll, err := program.LogLik(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(ll.Names); got != p.rows {
		t.Errorf("%d log likelihoods, want %d", got, p.rows)
	}
	for i, v := range ll.Chains[0].Values[0] {
		if math.IsNaN(v) || v > 1e3 {
			t.Errorf("log likelihood of %s is %v", ll.Names[i], v)
			break
		}
	}
	predicted, err := program.Predictive(t.Context(), run, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(predicted.Names) < p.rows {
		t.Errorf("%d predictions, want at least %d", len(predicted.Names), p.rows)
	}
	for i, v := range predicted.Chains[0].Values[0] {
		if math.IsNaN(v) {
			t.Errorf("%s is predicted as NaN", predicted.Names[i])
			break
		}
	}
}

// places finds the coordinate of the model that each of Stan's is.
func places(t *testing.T, names []string, order string) []int {
	t.Helper()
	type span struct{ values, free int }
	spans := map[string]*span{}
	var declared []string
	for _, n := range names {
		n, _, _ = strings.Cut(n, "[")
		if spans[n] == nil {
			spans[n] = &span{}
			declared = append(declared, n)
		}
		spans[n].values++
		spans[n].free++
	}
	type part struct {
		name        string
		from, every int
	}
	var parts []part
	for _, f := range strings.Fields(order) {
		f, free, has := strings.Cut(f, "=")
		f, stride, _ := strings.Cut(f, "@")
		q := part{name: f, every: 1}
		if stride != "" {
			if _, err := fmt.Sscanf(stride, "%d/%d", &q.from, &q.every); err != nil {
				t.Fatal(err)
			}
		}
		if spans[f] == nil {
			t.Fatalf("no parameter %s among %s", f, strings.Join(declared, " "))
		}
		if has {
			spans[f].free, _ = strconv.Atoi(free)
		}
		parts = append(parts, q)
	}
	first, at := map[string]int{}, 0
	for _, n := range declared {
		first[n] = at
		at += spans[n].free
	}
	var out []int
	for _, q := range parts {
		for k := q.from; k < spans[q.name].free; k += q.every {
			out = append(out, first[q.name]+k)
		}
	}
	sorted := slices.Sorted(slices.Values(out))
	if len(slices.Compact(sorted)) != len(out) || len(out) != at {
		t.Fatalf("order says %d places for %d coordinates of %s", len(out), at, strings.Join(declared, " "))
	}
	return out
}

func decode(t *testing.T, path string, to any) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.NewDecoder(r).Decode(to); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func number(t *testing.T, raw json.RawMessage) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// data are those of a program, by name.
type data struct {
	t      *testing.T
	values map[string]json.RawMessage
}

func get[T any](d data, name string) T {
	d.t.Helper()
	var v T
	if err := json.Unmarshal(d.values[name], &v); err != nil {
		d.t.Fatalf("%s: %v", name, err)
	}
	return v
}

func (d data) number(name string) float64   { return get[float64](d, name) }
func (d data) count(name string) int        { return get[int](d, name) }
func (d data) vector(name string) []float64 { return get[[]float64](d, name) }
func (d data) codes(name string) []int      { return get[[]int](d, name) }
func (d data) table(name string) [][]float64 {
	return get[[][]float64](d, name)
}

// flat has the rows of a table one after the other, with the numbers of row and column of each value, from 1.
func flat(table [][]float64) (values []float64, row, col []int) {
	for i, r := range table {
		for j, v := range r {
			values, row, col = append(values, v), append(row, i+1), append(col, j+1)
		}
	}
	return values, row, col
}

// each applies f to all values.
func each(v []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = f(x)
	}
	return out
}

func times(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] * b[i]
	}
	return out
}

func average(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// deviation is the standard deviation with n - 1.
func deviation(v []float64) float64 {
	m, sum := average(v), 0.0
	for _, x := range v {
		sum += (x - m) * (x - m)
	}
	return math.Sqrt(sum / float64(len(v)-1))
}

func centred(v []float64) []float64 {
	m := average(v)
	return each(v, func(x float64) float64 { return x - m })
}

func scaled(v []float64, by float64) []float64 {
	return each(v, func(x float64) float64 { return x * by })
}

// most is the largest of some numbers.
func most[T cmp.Ordered](v []T) T { return slices.Max(v) }
