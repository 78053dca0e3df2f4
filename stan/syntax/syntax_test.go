package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Printing a program and reading it again gives the same text, of every program in testdata and, if
// BAYESKERNEL_STAN_CORPUS is set, of all programs below that folder.
func TestRoundTrip(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.stan")
	if len(files) == 0 {
		t.Fatal("no programs in testdata")
	}
	if dir := os.Getenv("BAYESKERNEL_STAN_CORPUS"); dir != "" {
		more, _ := filepath.Glob(filepath.Join(dir, "*", "*.stan"))
		files = append(files, more...)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Parse(string(b))
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		once := Format(p)
		q, err := Parse(once)
		if err != nil {
			t.Errorf("%s, printed: %v", f, err)
			continue
		}
		if len(q.Notes) > 0 {
			t.Errorf("%s, printed: notes on old syntax: %v", f, q.Notes)
		}
		if again := Format(q); again != once {
			t.Errorf("%s: printed once\n%s\nand twice\n%s", f, once, again)
		}
	}
	t.Logf("%d programs", len(files))
}

// value is the expression that x is given, printed with all its parentheses.
func value(t *testing.T, expr string) string {
	t.Helper()
	p, err := Parse("model { x = " + expr + "; }")
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return full(p.Model.Stmts[0].(*Assign).Right)
}

func full(e Expr) string {
	switch e := e.(type) {
	case *Binary:
		return "(" + full(e.X) + e.Op + full(e.Y) + ")"
	case *Unary:
		if e.Op == "'" {
			return "(" + full(e.X) + "')"
		}
		return "(" + e.Op + full(e.X) + ")"
	case *Choice:
		return "(" + full(e.C) + "?" + full(e.X) + ":" + full(e.Y) + ")"
	}
	return Expression(e)
}

// Operators bind as the reference manual says.
func TestPrecedence(t *testing.T) {
	for expr, want := range map[string]string{
		"a + b * c":         "(a+(b*c))",
		"a - b - c":         "((a-b)-c)",
		"-a ^ b":            "(-(a^b))",
		"a ^ -b ^ c":        "(a^(-(b^c)))",
		"a ^ b ^ c":         "(a^(b^c))",
		"!a == b":           "((!a)==b)",
		"a < b == c < d":    "((a<b)==(c<d))",
		"a || b && c":       "(a||(b&&c))",
		"a * b \\ c":        "(a*(b\\c))",
		"a ? b : c ? d : e": "(a?b:(c?d:e))",
		"x' * y":            "((x')*y)",
		"2.*x":              "(2.*x)",
		"a %/% b % c":       "((a%/%b)%c)",
		"a .* b ./ c":       "((a.*b)./c)",
		"-a'":               "(-(a'))",
	} {
		if got := value(t, expr); got != want {
			t.Errorf("%s is read as %s, want %s", expr, got, want)
		}
	}
}

// Wrong programs: place and message.
func TestErrors(t *testing.T) {
	for src, want := range map[string]string{
		"model { x = 1 }":                               "1:15: found '}', want ';' to end a statement",
		"model {\n  real x\n  y = 1;\n}":                "3:3: found y, want ';' to end a declaration",
		"model { y ~ normal(0, 1 }":                     "1:25: found '}', want ',' or ')' after an argument",
		"data { vector x; }":                            "1:15: found x, want '[' before the size of a vector",
		"parameters { real<lower=0 x; }":                "1:27: found x, want ',' or '>' after a limit",
		"parameters { real<low=0> x; }":                 "1:19: found low, want lower, upper, offset or multiplier",
		"parameters { simplex<lower=0>[3] x; }":         "1:21: a simplex has a constraint already, and takes no limits",
		"data { matrix[3] x; }":                         "1:14: a matrix with 1 size, want 2",
		"model { } data { }":                            "1:11: the block \"data\" stands behind \"model\", want it before",
		"model { } model { }":                           "1:11: a second block \"model\"",
		"modle { }":                                     "1:1: found modle, want a block: functions, data,",
		"model { y ~ normal_lpdf(0, 1); }":              "1:13: found normal_lpdf after ~, want normal",
		"model { 1 = x; }":                              "1:9: this cannot be given a value, want a variable or elements of one",
		"model { x; }":                                  "1:10: found ';', want =, += or ~: an expression alone is no statement",
		"model { real if; }":                            "1:14: if is a word of the language, want the name of a variable",
		"model { /* }":                                  "1:9: a comment begins here and never ends",
		"model { print(\"a); }":                         "1:15: a text begins here and does not end on this line",
		"model { x = 3 $ 4; }":                          "1:15: the character '$' has no place in a program",
		"model { for (i 1:3) x = 1; }":                  "1:16: found 1, want 'in' after the loop variable",
		"model { else x = 1; }":                         "1:9: an else without an if",
		"model { x = (; }":                              "1:14: found ';', want an expression",
		"model { x = (); }":                             "1:13: empty parentheses",
		"model {":                                       "1:8: found the end of the program, want '}' to end the block \"model\"",
		"functions { real f(simplex x) { return 1; } }": "1:20: simplex as the type of an argument",
		"model { target = 3; }":                         "1:16: found '=' after target, want += or ()",
		"#include a.stan\nmodel { }":                    "1:1: #include is not followed here",
	} {
		_, err := Parse(src)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", src, err, want)
		}
	}
	// All that is wrong is told at once.
	_, err := Parse("model {\n  x = ;\n  y = 1;\n  z ~ ;\n}")
	if errs, ok := err.(Errors); !ok || len(errs) != 2 || errs[0].Pos.Line != 2 || errs[1].Pos.Line != 4 {
		t.Errorf("two mistakes: %v", err)
	}
}

func TestShow(t *testing.T) {
	src := "model {\n\tx = ;\n}"
	_, err := Parse(src)
	want := "a.stan:2:6: found ';', want an expression\n  \tx = ;\n  \t    ^"
	if got := Show("a.stan", src, err.(Errors)[0]); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.stan")
	for _, name := range files {
		b, _ := os.ReadFile(name)
		f.Add(string(b))
	}
	f.Add("model { x[1:, :2][3]' = -2 ^ {1, [2., .3e4]}; }")
	f.Fuzz(func(t *testing.T, src string) {
		p, err := Parse(src)
		if err != nil {
			return
		}
		if _, err := Parse(Format(p)); err != nil {
			t.Errorf("%q, printed: %v\n%s", src, err, Format(p))
		}
	})
}

// The names of target before it had one are read, and noted.
func TestOldTarget(t *testing.T) {
	tree, err := Parse("parameters { real y; } model { increment_log_prob(-y * y); if (get_lp() > 1) print(get_lp()); }")
	if err != nil {
		t.Fatal(err)
	}
	if got := Format(tree); strings.Contains(got, "get_lp") || strings.Count(got, "target()") != 2 || !strings.Contains(got, "target += ") {
		t.Errorf("%s", got)
	}
}

// A byte-order mark, as some editors write, is no part of the program.
func TestMarked(t *testing.T) {
	if _, err := Parse("\ufeffparameters { real x; }\n"); err != nil {
		t.Error(err)
	}
	_, err := Parse("\ufeffparameters { real 3; }\n")
	if err == nil || !strings.HasPrefix(err.Error(), "1:19: ") {
		t.Errorf("%v, want an error at 1:19", err)
	}
}
