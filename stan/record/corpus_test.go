package record

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayeskernel/stan/syntax"
)

// number is a number that JSON cannot say, as text.
type numeric float64

func (f *numeric) UnmarshalJSON(b []byte) error {
	switch s := strings.Trim(string(b), `"`); s {
	case "inf":
		*f = numeric(math.Inf(1))
	case "-inf":
		*f = numeric(math.Inf(-1))
	case "nan":
		*f = numeric(math.NaN())
	default:
		var v float64
		if err := json.Unmarshal(b, &v); err != nil {
			return err
		}
		*f = numeric(v)
	}
	return nil
}

type expected struct {
	ProgramFile string `json:"program_file"`
	DataFile    string `json:"data_file"`
	Names       []string
	Points      []struct {
		U                        []float64
		LP                       numeric
		Grad                     []numeric
		Constrained, Transformed []numeric
	}
	Rejected []struct{ U []float64 }
	Tight    *struct {
		LP   []float64
		Grad [][]float64
	} `json:"ode_tight"`
}

func readJSON(path string, to any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		if b, err = os.ReadFile(path + ".gz"); err == nil {
			path += ".gz"
		}
	}
	if err != nil {
		return err
	}
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return err
		}
		if b, err = io.ReadAll(z); err != nil {
			return err
		}
	}
	return json.Unmarshal(b, to)
}

// Log densities, gradients and values are those of Stan's own C++ for every program below the folder
// BAYESKERNEL_STAN_CORPUS.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("BAYESKERNEL_STAN_CORPUS")
	if dir == "" {
		t.Skip("BAYESKERNEL_STAN_CORPUS is not set")
	}
	programs, _ := filepath.Glob(filepath.Join(dir, "*", "*.stan"))
	good := 0
	for _, file := range programs {
		name := strings.TrimSuffix(filepath.Base(file), ".stan")
		if only := os.Getenv("ONLY"); only != "" && only != name {
			continue
		}
		ok := t.Run(name, func(t *testing.T) {
			if err := compare(dir, file, name); err != nil {
				t.Error(err)
			}
		})
		if ok {
			good++
		}
	}
	t.Logf("%d of %d programs", good, len(programs))
}

func compare(dir, file, name string) error {
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var want expected
	path := filepath.Join(dir, "expected", name+".json")
	if _, err := os.Stat(path); err != nil {
		if _, err := os.Stat(path + ".gz"); err != nil {
			path = filepath.Join(filepath.Dir(file), name+".expected.json")
		}
	}
	if err := readJSON(path, &want); err != nil {
		return fmt.Errorf("no expected values: %w", err)
	}
	tree, err := syntax.Parse(string(src))
	if err != nil {
		return err
	}
	data := Data{}
	if want.DataFile != "" {
		if err := readJSON(filepath.Join(dir, strings.TrimSuffix(want.DataFile, ".gz")), (*map[string]any)(&data)); err != nil {
			return err
		}
	}
	p, err := Bind(tree, data, 1)
	if err != nil {
		return err
	}
	tol := 1e-8
	if want.Tight != nil {
		p.ODETolerance = 1e-11
		tol = 1e-6
	}
	grad, again := make([]float64, p.Dim()), make([]float64, p.Dim())
	chain := p.NewChain()
	for k, pt := range want.Points {
		if len(pt.U) != p.Dim() {
			return fmt.Errorf("%d coordinates, want %d", p.Dim(), len(pt.U))
		}
		lp, err := p.LogDensity(pt.U, grad)
		if err != nil {
			return fmt.Errorf("point %d: %w", k, err)
		}
		wantLP, wantGrad := float64(pt.LP), make([]float64, len(pt.Grad))
		for i, g := range pt.Grad {
			wantGrad[i] = float64(g)
		}
		if want.Tight != nil {
			wantLP, wantGrad = want.Tight.LP[k], want.Tight.Grad[k]
		}
		// The chain replays, as vectors, what was recorded at another point.
		if err := near(lp, grad, wantLP, wantGrad, tol); err != nil {
			return fmt.Errorf("point %d: %w", k, err)
		}
		if err := near(chain.LogDensity(pt.U, again), again, wantLP, wantGrad, tol); err != nil {
			return fmt.Errorf("point %d, replayed: %w", k, err)
		}
		if strings.Contains(string(src), "eigenvectors_sym") {
			continue // their signs, and the basis of equal eigenvalues, are anybody's choice
		}
		values, err := p.Values(pt.U)
		if err != nil {
			return err
		}
		all := append(append([]numeric{}, pt.Constrained...), pt.Transformed...)
		if len(values) != len(all) {
			return fmt.Errorf("%d values, want %d", len(values), len(all))
		}
		for i, v := range all {
			w := float64(v)
			if !(math.Abs(values[i]-w) <= max(tol, 1e-8)*max(1, math.Abs(w))) && !(math.IsNaN(w) && math.IsNaN(values[i])) && values[i] != w && want.Tight == nil {
				return fmt.Errorf("point %d: value %d is %v, want %v", k, i, values[i], w)
			}
		}
	}
	for k, r := range want.Rejected {
		lp, err := p.LogDensity(r.U, grad)
		if !math.IsInf(lp, -1) && !math.IsNaN(lp) {
			return fmt.Errorf("rejected point %d: log density %v (%v), want -Inf", k, lp, err)
		}
		if lp := chain.LogDensity(r.U, grad); !math.IsInf(lp, -1) && !math.IsNaN(lp) {
			return fmt.Errorf("rejected point %d, replayed: log density %v, want -Inf", k, lp)
		}
	}
	return nil
}

// near compares a log density and its gradient with what they should be.
func near(lp float64, grad []float64, wantLP float64, want []float64, tol float64) error {
	if !(math.Abs(lp-wantLP) <= tol*max(1, math.Abs(wantLP))) {
		return fmt.Errorf("log density %v, want %v (difference %v)", lp, wantLP, lp-wantLP)
	}
	for i, g := range want {
		if !(math.Abs(grad[i]-g) <= 10*tol*max(1, math.Abs(g), math.Abs(lp)*1e-6)) {
			return fmt.Errorf("derivative %d is %v, want %v", i, grad[i], g)
		}
	}
	return nil
}
