package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const magic = "a checkpoint\n"

type body struct {
	X []float64
	N int
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	head := []Field{New("seed", 1), New("names", []string{"a", "b"})}
	want := body{[]float64{1. / 3, math.Inf(1), math.Copysign(0, -1), 5e-324}, 7}
	if err := Write(path, magic, head, want); err != nil {
		t.Fatal(err)
	}
	var got body
	if err := Read(path, magic, head, &got); err != nil || got.N != 7 || len(got.X) != 4 {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, v := range want.X {
		if math.Float64bits(got.X[i]) != math.Float64bits(v) {
			t.Errorf("%v, want %v", got.X[i], v)
		}
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c")
	head := []Field{New("seed", 1), New("settings", strings.Repeat("long ", 100))}
	if err := Write(path, magic, head, body{N: 1}); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := append([]byte(nil), good...)
	damaged[len(damaged)-1]++
	for name, c := range map[string]struct {
		bytes []byte
		head  []Field
		want  string
	}{
		"empty":      {nil, head, "not a checkpoint"},
		"other file": {[]byte("chain,lp\n1,2\n"), head, "not a checkpoint"},
		"cut":        {good[:20], head, "cut short"},
		"shorter":    {good[:len(good)-3], head, "damaged"},
		"damaged":    {damaged, head, "damaged"},
		"other run":  {good, []Field{New("seed", 2), head[1]}, "another run:\n  its seed is 1, here it is 2"},
		"long":       {good, []Field{head[0], New("settings", "x")}, "its settings is long"},
		"both": {good, []Field{New("seed", 2), New("settings", "")},
			"\n  its seed is 1, here it is 2;\n  its settings is long"},
		"version": {good, append([]Field{New("thinning", "")}, head...),
			"its thinning is not recorded, here it is none"},
	} {
		if err := os.WriteFile(path, c.bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		var got body
		err := Read(path, magic, c.head, &got)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 400+len(path) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	if err := Read(filepath.Join(dir, "none"), magic, head, &body{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// A file from before the version was kept is refused in one line, whatever run it is of.
func TestVersion(t *testing.T) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(struct{ Fields []Field }{[]Field{New("seed", 1)}}); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b.Bytes())
	path := filepath.Join(t.TempDir(), "c")
	if err := os.WriteFile(path, slices.Concat([]byte(magic), sum[:], b.Bytes()), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Read(path, magic, []Field{New("seed", 2)}, &body{})
	if err == nil || !strings.Contains(err.Error(), "its version is 1, want 4") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}

// A message about two long descriptions shows where they differ, and what is equal is cut.
func TestDiffering(t *testing.T) {
	for _, c := range [][4]string{
		{"1", "2", "1", "2"},
		{"n = 1, kernel se, m = 3", "n = 1, kernel rq, m = 3", "… kernel se …", "… kernel rq …"},
		{"n = 1, m = 3", "n = 2, m = 3", "n = 1 …", "n = 2 …"},
		{"n = 1, m = 3", "n = 1, m = 3, ard", "… m = 3", "… m = 3, ard"},
		{"a, b, b", "a, b", "… b, b", "… b"},
		{"n = 1, m = 3, theta, seed 4", "n = 2, m = 3, theta, seed 5", "n = 1 … seed 4", "n = 2 … seed 5"},
		{"n = 1, m = 3, theta, b, c", "n = 1, m = 4, eta, b, d", "… m = 3, theta … c", "… m = 4, eta … d"},
	} {
		if a, b := Differing(c[0], c[1]); a != c[2] || b != c[3] {
			t.Errorf("Differing(%q, %q) = %q, %q, want %q, %q", c[0], c[1], a, b, c[2], c[3])
		}
	}
}

func TestChanged(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"bke se, data 40324bd0490cd65b, given z 2ad6f2f50229a6db", "bke se, data 28b7d5c01bfe08e6, given z a3084eefc38022b9", "its data are others"},
		{"stan d345d345d345d345", "stan 84f184f184f184f1", "its program or its data are others"},
		{"bke se, data 40324bd0490cd65b", "bke matern52, data 40324bd0490cd65b", ""},
		{"a", "b", ""},
	} {
		if got := Changed(c.a, c.b); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%q and %q: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}
