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

// A summary in the folder of another program is that program's, and one without a mark is of an earlier version.
func TestNamesProgram(t *testing.T) {
	const summary = `{"schema_version": 1, "command": "thin"}`
	for _, c := range []struct {
		mark string
		by   owner
		want string
	}{
		{".nuts", "bkesample", "the results of nuts, which bkesample does not replace"},
		{".bkesample", "nuts", "the results of bkesample, which nuts does not replace"},
		{"", "nuts", "the results of an earlier version of this program, which are read but not replaced"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"summary.json": summary, c.mark: `{"command": "thin", "files": ["summary.json"]}`} {
			if name == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if why, err := c.by.refusal(dir); why != c.want || err != nil {
			t.Errorf("%s in the folder of %q: %q, %v", c.by, c.mark, why, err)
		}
	}
}
