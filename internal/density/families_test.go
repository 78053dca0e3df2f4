package density

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// Every function that returns a family is in All, whose families TestReference compares. PointMass, which takes
// its value, is tested by package model.
func TestAllFamilies(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() && returnsFamily(fn) &&
				fn.Type.Params.NumFields() == 0 {
				found++
			}
		}
	}
	if n := len(All()); found != n {
		t.Errorf("%d functions return a *Family and All has %d", found, n)
	}
}

func returnsFamily(fn *ast.FuncDecl) bool {
	r := fn.Type.Results
	if r == nil || len(r.List) != 1 {
		return false
	}
	star, ok := r.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	name, ok := star.X.(*ast.Ident)
	return ok && name.Name == "Family"
}

// A family with a location m and a scale s has the density f((y-m)/s)/s, where f is the one with
// m = 0 and s = 1. So one whose formulas take the parameters in another order than Params fails.
func TestLocationAndScale(t *testing.T) {
	for _, e := range examples() {
		r := e.rand(5)
		f := e.f
		if len(f.Params) > MaxParams {
			t.Errorf("%s has %d parameters, want at most %d", f.Name, len(f.Params), MaxParams)
		}
		if f.Location < 0 || f.Scale < 0 {
			continue
		}
		if d := f.Params[f.Location].Domain; d != Real {
			t.Errorf("the location of %s is %v, want %v", f.Name, d, Real)
		}
		if d := f.Params[f.Scale].Domain; d != Positive {
			t.Errorf("the scale of %s is %v, want %v", f.Name, d, Positive)
		}
		standard := e.a
		standard[f.Location], standard[f.Scale] = 0, 1
		for range 20 {
			var g, w Grad
			z, a := f.Rand(r, &standard), e.a
			a[f.Location], a[f.Scale] = 4*r.NormFloat64(), math.Exp(r.NormFloat64())
			got := f.LogDensity(a[f.Location]+a[f.Scale]*z, &a, &g, &w)
			want := f.LogDensity(z, &standard, &g, &w) - math.Log(a[f.Scale])
			if !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
				t.Errorf("%s%v: log density %v at location + scale %v, want %v", f.Name, a, got, z, want)
			}
		}
	}
}
