// Package checkpoint keeps the state of a run in one file: a line that names the format, the SHA-256
// of the rest, and the rest: a gob of what the run is and of where it stands. A file of another run,
// or one that is damaged, is refused with the reason.
package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"slices"

	"bayeskernel/internal/atomicfile"
)

// Field is one thing that tells runs apart.
type Field struct{ Name, Value string }

// New returns a field with the value as fmt prints it.
func New(name string, value any) Field { return Field{name, fmt.Sprint(value)} }

// Write saves head, which tells this run from others, and body to path, whole or not at all. magic
// names the format and ends with a newline.
func Write(path, magic string, head []Field, body any) error {
	var b bytes.Buffer
	enc := gob.NewEncoder(&b)
	if err := enc.Encode(head); err != nil {
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
		return err
	}
	if err := parse(b, magic, head, body); err != nil {
		return fmt.Errorf("%s is %w", path, err)
	}
	return nil
}

func parse(b []byte, magic string, head []Field, body any) error {
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok {
		return fmt.Errorf("no checkpoint: it begins %q, want %q", b[:min(len(b), len(magic))], magic)
	}
	if len(rest) < sha256.Size {
		return fmt.Errorf("cut short: it has %d bytes", len(b))
	}
	sum, rest := rest[:sha256.Size], rest[sha256.Size:]
	if got := sha256.Sum256(rest); !bytes.Equal(got[:], sum) {
		return fmt.Errorf("damaged: its checksum is %x…, want %x…", got[:6], sum[:6])
	}
	dec := gob.NewDecoder(bytes.NewReader(rest))
	var got []Field
	if err := dec.Decode(&got); err != nil {
		return fmt.Errorf("not readable: %w", err)
	}
	if err := same(got, head); err != nil {
		return err
	}
	if err := dec.Decode(body); err != nil {
		return fmt.Errorf("not readable: %w", err)
	}
	return nil
}

// same says in which respect another run differs.
func same(got, want []Field) error {
	if len(got) != len(want) {
		return fmt.Errorf("made by another version of this program")
	}
	for i, w := range want {
		if g := got[i]; g != w {
			return fmt.Errorf("made by another run: its %s is %s, want %s", g.Name, brief(g.Value),
				brief(w.Value))
		}
	}
	return nil
}

// brief is as much of a value as a message needs.
func brief(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
