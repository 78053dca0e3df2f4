// Package checkpoint keeps the state of a run in one file: a line that names the format, the SHA-256
// of the rest, and the rest: a gob of what the run is and of where it stands. A file of another run,
// or one that is damaged, is refused with the reason: in words, a line for each setting that differs.
package checkpoint

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"bayeskernel/internal/atomicfile"
)

// Other is the error of a file that another run has left.
type Other struct{ text string }

func (e *Other) Error() string { return e.text }

// Otherf returns an Other.
func Otherf(format string, args ...any) error { return &Other{fmt.Sprintf(format, args...)} }

// Field is one thing that tells runs apart.
type Field struct{ Name, Value string }

// New returns a field with the value as fmt prints it, "none" for nothing.
func New(name string, value any) Field {
	return Field{name, cmp.Or(fmt.Sprint(value), "none")}
}

// version is that of what bodies hold, whatever the format's name says. It goes up when what was written
// before can no longer be read.
const version = 4

// header is what a file has before the body.
type header struct {
	Fields  []Field
	Version int
}

// Write saves head, which tells this run from others, and body to path, whole or not at all. magic
// names the format and ends with a newline.
func Write(path, magic string, head []Field, body any) error {
	var b bytes.Buffer
	enc := gob.NewEncoder(&b)
	if err := enc.Encode(header{head, version}); err != nil {
		return err
	}
	if err := enc.Encode(body); err != nil {
		return err
	}
	sum := sha256.Sum256(b.Bytes())
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(slices.Concat([]byte(magic), sum[:], b.Bytes()))
		return err
	})
}

// Read reads what Write saved for a run of the same head into body, which is a pointer.
func Read(path, magic string, head []Field, body any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := parse(b, magic, head, body); err != nil {
		return fmt.Errorf("checkpoint %s: %w", path, err)
	}
	return nil
}

func parse(b []byte, magic string, head []Field, body any) error {
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok {
		return fmt.Errorf("not a checkpoint: it begins %q, expected %q",
			b[:min(len(b), len(magic))], magic)
	}
	if len(rest) < sha256.Size {
		return fmt.Errorf("cut short: %d bytes", len(b))
	}
	sum, rest := rest[:sha256.Size], rest[sha256.Size:]
	if got := sha256.Sum256(rest); !bytes.Equal(got[:], sum) {
		return fmt.Errorf("damaged: its checksum is %x…, expected %x…", got[:6], sum[:6])
	}
	dec := gob.NewDecoder(bytes.NewReader(rest))
	var got header
	if err := dec.Decode(&got); err != nil {
		return fmt.Errorf("not readable: %w", err)
	}
	if got.Version != version {
		return fmt.Errorf("its version is %d, want %d: another release of this program wrote it, and "+
			"only that can go on from it", max(1, got.Version), version)
	}
	if err := same(got.Fields, head); err != nil {
		return err
	}
	if err := dec.Decode(body); err != nil {
		return fmt.Errorf("not readable: %w", err)
	}
	return nil
}

// same names every field in which another run differs, one to a line.
func same(got, want []Field) error {
	was := map[string]string{}
	for _, f := range got {
		was[f.Name] = f.Value
	}
	var lines []string
	for _, f := range want {
		if v, ok := was[f.Name]; !ok {
			lines = append(lines, fmt.Sprintf("its %s is not recorded, here it is %s", f.Name,
				brief(f.Value)))
		} else if said := Changed(v, f.Value); said != "" {
			lines = append(lines, said)
		} else if v != f.Value {
			its, here := Differing(v, f.Value)
			lines = append(lines, fmt.Sprintf("its %s is %s, here it is %s", f.Name, brief(its),
				brief(here)))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return Otherf("made by another run:\n  %s", strings.Join(lines, ";\n  "))
}

// contents is what stands for contents in a description: data 40324bd0490cd65b, or a table.
var contents = regexp.MustCompile(`\b(data|stan|table) [0-9a-f]{12,}`)

// Changed says, of the descriptions of a run and of another, that they are of other data or of another program: of
// that nobody can read the difference in what stands for it. It is "" where they are not.
func Changed(a, b string) string {
	its, here := contents.FindStringSubmatch(a), contents.FindStringSubmatch(b)
	switch {
	case its == nil || here == nil || its[1] != here[1] || its[0] == here[0]:
		return ""
	case its[1] == "stan":
		return "its program or its data are others: a file has changed"
	}
	return "its data are others: a file has changed, or other rows or columns are used"
}

// Differing leaves out the items that two lists, separated by commas, have alike, so that a message about
// two long descriptions shows what is different: in lists of one length wherever they are, in others those
// that both begin and end with.
func Differing(a, b string) (string, string) {
	const sep = ", "
	x, y := strings.Split(a, sep), strings.Split(b, sep)
	least := min(len(x), len(y))
	from, to := 0, 0
	for from < least-1 && x[from] == y[from] {
		from++
	}
	for to < least-1-from && x[len(x)-1-to] == y[len(y)-1-to] {
		to++
	}
	cut := func(list, other []string) string {
		var groups []string // runs of items, with … for each run that is left out
		for i, item := range list {
			left := i < from || i >= len(list)-to || len(x) == len(y) && item == other[i]
			last := len(groups) - 1
			switch open := last >= 0 && groups[last] != "…"; {
			case !left && open:
				groups[last] += sep + item
			case !left:
				groups = append(groups, item)
			case open || last < 0:
				groups = append(groups, "…")
			}
		}
		return strings.Join(groups, " ")
	}
	return cut(x, y), cut(y, x)
}

// brief is as much of a value as a message needs.
func brief(s string) string {
	const most = 200
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
