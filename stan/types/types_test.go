package types_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayeskernel/stan/record"
	"bayeskernel/stan/syntax"
	"bayeskernel/stan/types"
)

// mistake is an entry of testdata/wrong.txt.
type mistake struct {
	title, program, want string
	pos                  syntax.Pos
}

func mistakes(t testing.TB) []mistake {
	t.Helper()
	b, err := os.ReadFile("testdata/wrong.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []mistake
	line := 0
	for _, s := range strings.Split(string(b), "\n") {
		if title, ok := strings.CutPrefix(s, "-- "); ok {
			out = append(out, mistake{title: strings.TrimSuffix(title, " --")})
			line = 0
			continue
		}
		if len(out) == 0 {
			continue
		}
		m := &out[len(out)-1]
		if message, ok := strings.CutPrefix(strings.TrimLeft(s, " "), "^ "); ok {
			if m.want != "" {
				t.Fatalf("%s: two mistakes in one program", m.title)
			}
			m.want, m.pos = message, syntax.Pos{Line: line, Col: strings.IndexByte(s, '^') + 1}
			continue
		}
		m.program += s + "\n"
		line++
	}
	return out
}

func check(src string) (*types.Info, error) {
	tree, err := syntax.Parse(src)
	if err != nil {
		return nil, err
	}
	lib, err := record.Library()
	if err != nil {
		return nil, err
	}
	return types.Check(tree, lib)
}

// Each wrong program has one mistake, told at its place in the words of the file.
func TestMistakes(t *testing.T) {
	list := mistakes(t)
	if len(list) < 150 {
		t.Fatalf("%d wrong programs, want at least 150", len(list))
	}
	for _, m := range list {
		_, err := check(m.program)
		want := fmt.Sprintf("%v: %s", m.pos, m.want)
		if err == nil {
			t.Errorf("%s: no mistake found, want\n  %s", m.title, want)
		} else if _, ok := err.(syntax.Errors); !ok || err.Error() != want {
			t.Errorf("%s: found\n  %v\nwant\n  %s", m.title, err, want)
		}
	}
}

// Programs of the corpus have no mistakes.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("BAYESKERNEL_STAN_CORPUS")
	if dir == "" {
		t.Skip("BAYESKERNEL_STAN_CORPUS is not set")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.stan"))
	more, _ := filepath.Glob(filepath.Join(dir, "*", "*", "*.stan"))
	files = append(files, more...)
	if len(files) == 0 {
		t.Fatalf("no programs below %s", dir)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := check(string(b)); err != nil {
			t.Errorf("%s:\n%v", f, err)
		}
	}
	t.Logf("%d programs", len(files))
}

// What is allowed and looks wrong, or old, is noted, once.
func TestNotes(t *testing.T) {
	info, err := check(`functions { real f(real x) { return x; print(x); } }
parameters { real mu; }
model {
  target += normal_log(mu, 0, 1);
  target += log(normal_cdf(mu, 0, 1));
  target += normal_log(mu, 0, 2) + f(mu);
}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1:40: this statement is never reached",
		"4:13: normal_log is written with _lpdf, _lpmf, _lcdf or _lccdf and | since Stan 2.33",
		"5:17: normal_cdf takes a | after its first argument since Stan 2.33"}
	var got []string
	for _, n := range info.Notes {
		got = append(got, n.Error())
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("notes\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func FuzzCheck(f *testing.F) {
	for _, m := range mistakes(f) {
		f.Add(m.program)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if _, err := check(src); err != nil {
			if _, ok := err.(syntax.Errors); !ok {
				t.Fatal(err)
			}
		}
	})
}
