package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayeskernel/internal/fixture"
)

// What one program has written, another does not take for its own.
func TestAnotherProgram(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	h := fixture.Get[*held](t)(hold("one", dir))
	if err := h.take("sample", nil, ""); err != nil {
		t.Fatal(err)
	}
	if err := h.mine("summary.json"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "summary.json"), []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	h.letGo(false)
	if why, err := owner("one").refusal(dir); why != "" || err != nil {
		t.Errorf("its own folder is refused: %q, %v", why, err)
	}
	why, err := owner("two").refusal(dir)
	if err != nil || !strings.HasPrefix(why, "what is not two's: ") || !strings.Contains(why, ".one") {
		t.Errorf("another program's folder is refused by %q, %v", why, err)
	}
	if owner("two").owns(filepath.Dir(dir)) {
		t.Error("a folder that holds another program's folder is taken for its own")
	}
}
