package exe

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"

	"bayeskernel/cmd/nuts/internal/face"
)

// mark ends a file that carries a program. Before it stands the program as JSON, and its length.
const mark = "\x00nuts carries \x00\x01"

// launch is the first argument of a call by a script; its file follows.
const launch = "\x01launch"

var errNothing = errors.New("the file carries no program")

// load appends a program to a file.
func load(w io.Writer, m *face.Model) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(len(b)))
	_, err = w.Write(append(b, mark...))
	return err
}

// carried reads the program that a file carries.
func carried(path string) (*face.Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	tail := make([]byte, 8+len(mark))
	at := info.Size() - int64(len(tail))
	if at < 0 {
		return nil, errNothing
	}
	if _, err := f.ReadAt(tail, at); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(tail)
	if string(tail[8:]) != mark || n > uint64(at) {
		return nil, errNothing
	}
	b := make([]byte, n)
	if _, err := f.ReadAt(b, at-int64(n)); err != nil {
		return nil, err
	}
	m := &face.Model{}
	return m, json.Unmarshal(b, m)
}

// Carried does what the arguments say if the running program carries a Stan program, or was called by a script
// that does. It reports whether that is so, and the exit code.
func Carried(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, ok bool) {
	path, err := os.Executable()
	rest := args
	if len(args) > 1 && args[0] == launch {
		path, rest, err = args[1], args[2:], nil
	}
	if err != nil {
		return 0, false
	}
	m, err := carried(path)
	if err != nil {
		return 0, false
	}
	return face.Run(ctx, m, rest, stdout, stderr), true
}
