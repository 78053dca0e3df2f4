package record

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"bayeskernel/stan/syntax"
)

// bound is a program of testdata with data.
func bound(t *testing.T, name string, data Data) *Program {
	t.Helper()
	src, err := os.ReadFile("testdata/" + name + ".stan")
	if err != nil {
		t.Fatal(err)
	}
	return written(t, string(src), data)
}

// written is a program with data.
func written(t *testing.T, text string, data Data) *Program {
	t.Helper()
	tree, err := syntax.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Bind(tree, data, 1)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

// slopesAgree holds gradients of a chain, recorded and replayed, against differences.
func slopesAgree(t *testing.T, p *Program, points int, scale, tol float64) {
	t.Helper()
	chain, r := p.NewChain(), rand.New(rand.NewPCG(5, 6))
	u, grad := make([]float64, p.Dim()), make([]float64, p.Dim())
	for range points {
		for i := range u {
			u[i] = scale * r.NormFloat64()
		}
		if lp := chain.LogDensity(u, grad); math.IsInf(lp, 0) || math.IsNaN(lp) {
			t.Fatalf("log density %v at %v: %v", lp, u, chain.Why())
		}
		got := append([]float64(nil), grad...)
		for i := range u {
			want := slope(func(x float64) float64 {
				v := append([]float64(nil), u...)
				v[i] = x
				return chain.LogDensity(v, grad)
			}, u[i])
			if !(math.Abs(got[i]-want) <= tol*max(1, math.Abs(want))) {
				t.Errorf("derivative %d is %.12g, by differences %.12g", i, got[i], want)
			}
		}
	}
}

// Functions that take functions, beside what they are by other means: the program computes the differences,
// which are named e1, e2, ….
func TestHigher(t *testing.T) {
	p := bound(t, "higher", Data{"N": 4.0, "y": []any{1.0, 0.0, 1.0, 1.0}})
	differencesAreZero(t, p, 6)
	slopesAgree(t, p, 3, 0.5, 1e-6)
}

// Decompositions put a matrix together again, and a chain that replays a recording where signs have changed has the
// density of the program.
func TestDecompositions(t *testing.T) {
	p := bound(t, "decompose", Data{"X": []any{[]any{1.0, -1.5}, []any{1.0, 0.0}, []any{1.0, 0.3}, []any{1.0, 2.0}}})
	differencesAreZero(t, p, 3*6+9+1+3+8+4)
	slopesAgree(t, p, 3, 0.5, 1e-6)
	chain, r := p.NewChain(), rand.New(rand.NewPCG(7, 8))
	u, grad := make([]float64, p.Dim()), make([]float64, p.Dim())
	for range 50 {
		for i := range u {
			u[i] = r.NormFloat64()
		}
		got := chain.LogDensity(u, grad)
		want, err := p.LogDensity(u, grad)
		if err != nil || !(math.Abs(got-want) <= 1e-10*max(1, math.Abs(want))) {
			t.Errorf("log density %v, replayed %v: %v", want, got, err)
		}
	}
}

// differencesAreZero holds the values that are named e1, e2, … against 0.
func differencesAreZero(t *testing.T, p *Program, count int) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	for range 5 {
		u := make([]float64, p.Dim())
		for i := range u {
			u[i] = 0.7 * r.NormFloat64()
		}
		l := flatList{named: true}
		if err := p.flat(u, &l); err != nil {
			t.Fatal(err)
		}
		names, values := l.names, l.values
		n := 0
		for i, name := range names {
			if strings.HasPrefix(name, "e") && !strings.HasPrefix(name, "eta") {
				if n++; !(math.Abs(values[i]) <= 1e-9) {
					t.Errorf("%s is %v at %v, want 0", name, values[i], u)
				}
			}
		}
		if n != count {
			t.Errorf("%d differences, want %d", n, count)
		}
	}
}

// The first time and the times of observation of equations may be parameters.
func TestTimesOfEquations(t *testing.T) {
	slopesAgree(t, bound(t, "times", nil), 3, 0.5, 1e-6)
}

// Programs with every statement, type and constraint, whose gradients are held against differences of the log
// density: tuples, changes of variables, constrained types, statements of the language, and its old forms.
func TestPrograms(t *testing.T) {
	data := Data{"A": []any{[]any{1.0, 2.0, 3.0}, []any{4.0, 5.0, 6.0}}, "N": 3.0, "y": []any{1.0, 2.0, 0.5}, "n": 2.0,
		"X": []any{[]any{1.0, 2.0}, []any{3.0, 4.0}, []any{5.0, 7.0}}}
	for _, name := range []string{"tuples", "jacobian", "constraints", "statements", "old"} {
		t.Run(name, func(t *testing.T) {
			p := bound(t, name, data)
			slopesAgree(t, p, 3, 0.5, 1e-6)
			u := make([]float64, p.Dim())
			for i := range u {
				u[i] = 0.1 * float64(1+i%3)
			}
			values, err := p.Generate(u, rand.New(rand.NewPCG(1, 2)))
			if err != nil {
				t.Fatal(err)
			}
			named := flatList{named: true}
			if err := p.generate(u, rand.New(rand.NewPCG(1, 2)), &named); err != nil || !slices.Equal(named.values, values) {
				t.Errorf("values %v with names, %v without: %v", named.values, values, err)
			}
			names, err := p.Columns(u, rand.New(rand.NewPCG(1, 2)))
			if err != nil || len(names) != len(values) {
				t.Errorf("%d names, %d values: %v", len(names), len(values), err)
			}
			for i, v := range values {
				if math.IsNaN(v) {
					t.Errorf("%s is not a number", names[i])
				}
			}
		})
	}
}

// Draws of a chain, which replays transformed parameters, are those of the program to the bit, in any order.
func TestDrawsAreReplayed(t *testing.T) {
	programs := map[string]*Program{
		"decompose": bound(t, "decompose", Data{"X": []any{[]any{1.0, -1.5}, []any{1.0, 0.0}, []any{1.0, 0.3}, []any{1.0, 2.0}}}),
		"higher":    bound(t, "higher", Data{"N": 4.0, "y": []any{1.0, 0.0, 1.0, 1.0}}),
		"own": made(t, `parameters { vector[3] a; real<lower=0> s; }
transformed parameters {
  array[2] vector[3] b; matrix[2, 3] m; array[2, 2] real c; tuple(real, vector[3]) both = (s, a * s); row_vector[3] r = a';
  for (i in 1:2) { b[i] = a * i; for (j in 1:3) m[i, j] = a[j] > 0 ? exp(a[j]) : -i; for (j in 1:2) c[i, j] = i + s^j; }
  if (a[1] > a[2]) b[2] = sort_asc(a);
  vector<lower=-5>[3] bounded = a;
}
model { a ~ normal(0, s); s ~ exponential(1); }
generated quantities { vector[3] y; for (k in 1:3) y[k] = normal_rng(b[2][k], s); real z = c[2, 1] + m[1, 3] + both.2[2];
  if (z > 1) reject("far"); }`),
	}
	for name, p := range programs {
		chain, r := p.NewChain(), rand.New(rand.NewPCG(5, 7))
		u := make([]float64, p.Dim())
		for k := range 20 {
			for i := range u {
				u[i] = 2 * r.NormFloat64()
			}
			got, err := chain.Generate(u, rand.New(rand.NewPCG(1, uint64(k))))
			want, err2 := p.Generate(u, rand.New(rand.NewPCG(1, uint64(k))))
			same := func(a, b float64) bool { return a == b || a != a && b != b }
			if (err == nil) != (err2 == nil) || !slices.EqualFunc(got, want, same) {
				t.Fatalf("%s at %v: %v, %v, want %v, %v", name, u, got, err, want, err2)
			}
		}
	}
}

// made is a program with no data.
func made(t *testing.T, src string) *Program {
	t.Helper()
	tree, err := syntax.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Bind(tree, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
