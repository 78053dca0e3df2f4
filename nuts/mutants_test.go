package nuts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bayeskernel/internal/long"
)

// mutants are mistakes that a sampler can have and still look right. Each replaces text of one file;
// the comparison with Stan's transitions must notice every one of them.
var mutants = []struct{ name, file, from, to string }{
	{"momentum 3% too large", "../hmc/metric.go",
		"p[i] = r.NormFloat64()", "p[i] = 1.03 * r.NormFloat64()"},
	{"stale gradient", "../hmc/hamiltonian.go", // it lags behind by one evaluation
		"	copy(h.at, x)\n	h.Gradients++\n	return h.target.LogDensity(x, grad)",
		"	h.Gradients++\n	fresh := make([]float64, len(x))\n" +
			"	logp := h.target.LogDensity(x, fresh)\n" +
			"	copy(grad, h.at)\n	copy(h.at, fresh)\n	return logp"},
	{"uniform weights", "nuts.go", "t.logW = logW\n", "t.logW = 0\n"},
	{"half weights", "nuts.go", "t.logW = logW\n", "t.logW = logW / 2\n"},
	{"first half of an unusable tree kept", "nuts.go",
		"	if !s.build(depth-1, b) {\n		return false\n	}",
		"	if !s.build(depth-1, b) {\n		return true\n	}"},
	{"biased choice inside a tree", "nuts.go",
		"if s.choose(pb) {", "if s.choose(pb / (1 - pb)) {"},
	{"U-turn inside a tree ignored", "nuts.go",
		"	t.vEnd, b.vEnd = b.vEnd, t.vEnd\n	return ok", "	t.vEnd, b.vEnd = b.vEnd, t.vEnd\n	return ok || true"},
	{"direction biased", "nuts.go", "if s.choose(0.5) {", "if s.choose(0.7) {"},
}

// TestMutants breaks the sampler in eight ways and sees the comparison with Stan fail each time.
func TestMutants(t *testing.T) {
	long.Skip(t)
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			src, err := os.ReadFile(m.file)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(src), m.from); n != 1 {
				t.Fatalf("%q stands %d times in %s", m.from, n, m.file)
			}
			text := strings.Replace(string(src), m.from, m.to, 1)
			dir := t.TempDir()
			changed := filepath.Join(dir, "changed.go")
			if err := os.WriteFile(changed, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			abs, err := filepath.Abs(m.file)
			if err != nil {
				t.Fatal(err)
			}
			overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{abs: changed}})
			if err != nil {
				t.Fatal(err)
			}
			list := filepath.Join(dir, "overlay.json")
			if err := os.WriteFile(list, overlay, 0o666); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(goTool, "build", "-overlay", list, ".").CombinedOutput(); err != nil {
				t.Fatalf("the mutant does not compile: %s", out)
			}
			out, err := exec.Command(goTool, "test", "-count=1", "-overlay", list, "-run",
				"^TestStanTrace$", "-v", ".").CombinedOutput()
			if err == nil {
				t.Fatal("the mutant lives")
			}
			t.Logf("dies on %d of %d runs", strings.Count(string(out), "    --- FAIL"),
				strings.Count(string(out), "=== RUN   TestStanTrace/"))
		})
	}
}
