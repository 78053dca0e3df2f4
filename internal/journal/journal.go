// Package journal keeps units of work in a file as they are done: a line that says what they are of, then a
// line of JSON for each. A process that is killed leaves at most one line cut short, which the next one to
// open the file takes away. Files of the same work can be put together but for their first lines.
package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"bayeskernel/internal/checkpoint"
)

// Journal is an open file. Several goroutines may write to it.
type Journal struct {
	mu   sync.Mutex
	file *os.File
}

type head struct {
	About string `json:"about"`
}

// Start is how a file begins whose about begins with these words.
func Start(about string) string { return `{"about":"` + about }

// Open opens or makes a file and calls each for every line in it after the first. About says what they
// are of; a file of something else is an error.
func Open(path, about string, each func([]byte) error) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	end, err := read(f, &about, each)
	if err == nil {
		err = f.Truncate(end) // a line that was cut short
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	j := &Journal{file: f}
	if err == nil && end == 0 {
		err = j.Write(head{about})
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return j, nil
}

// read returns where the last whole line ends. If about is "" it becomes what the file is of.
func read(f *os.File, about *string, each func([]byte) error) (end int64, err error) {
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return end, nil
		}
		if err != nil {
			return 0, err
		}
		if end == 0 {
			var h head
			if err := json.Unmarshal(bytes.TrimSpace(line), &h); err != nil || h.About == "" {
				return 0, errors.New("the first line says nothing of a run, want a file of this package")
			}
			if *about == "" {
				*about = h.About
			}
			if h.About != *about {
				if said := checkpoint.Changed(h.About, *about); said != "" {
					return 0, checkpoint.Otherf("the file is of another run: %s", said)
				}
				its, here := checkpoint.Differing(h.About, *about)
				return 0, checkpoint.Otherf("the file is of %q, want %q", its, here)
			}
		} else if err := each(line); err != nil {
			return 0, fmt.Errorf("the line after byte %d: %w", end, err)
		}
		end += int64(len(line))
	}
}

// Lines reads a file: what it is of, and its lines after the first. One that was cut short is left out.
func Lines(path string) (about string, lines [][]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	_, err = read(f, &about, func(line []byte) error {
		lines = append(lines, bytes.TrimSpace(line))
		return nil
	})
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", path, err)
	}
	return about, lines, nil
}

// Fill writes a file with these lines.
func Fill(w io.Writer, about string, lines [][]byte) error {
	first, err := json.Marshal(head{about})
	if err != nil {
		return err
	}
	for _, line := range append([][]byte{first}, lines...) {
		if _, err := w.Write(append(slices.Clip(line), '\n')); err != nil {
			return err
		}
	}
	return nil
}

// Write adds a line.
func (j *Journal) Write(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_, err = j.file.Write(append(b, '\n'))
	return err
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
