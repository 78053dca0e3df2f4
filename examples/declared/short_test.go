package declared

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// No declaration takes more than 15 lines, from model.New to the end of its function: what is before
// reads the data.
func TestDeclarationsAreShort(t *testing.T) {
	set := token.NewFileSet()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok || s.Sel.Name != "New" {
					return true
				}
				if of, ok := s.X.(*ast.Ident); !ok || of.Name != "model" {
					return true
				}
				found++
				if lines := set.Position(f.End()).Line - set.Position(s.Pos()).Line; lines > 15 {
					t.Errorf("%s takes %d lines, want at most 15", f.Name.Name, lines)
				}
				return false
			})
		}
	}
	if found < 15 {
		t.Errorf("found %d declarations", found)
	}
}
