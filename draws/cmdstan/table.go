package cmdstan

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"bayeskernel/internal/atomicfile"
)

// Table is a file of CmdStan's methods that do not sample: comments, names, rows, comments.
type Table struct {
	Head   []string // comments, without #
	Names  []string // as they are written: theta.1
	Rows   [][]float64
	Digits int      // of numbers; 0: as many as bring the same numbers back
	Tail   []string // comments behind the rows
}

// WriteTable writes a file as a whole or not at all. What is no regular file, such as a device, is written
// into.
func WriteTable(path string, t Table) error {
	fill := func(w io.Writer) error {
		b := appendComments(nil, t.Head)
		b = append(append(b, strings.Join(t.Names, ",")...), '\n')
		for _, row := range t.Rows {
			for k, v := range row {
				if k > 0 {
					b = append(b, ',')
				}
				b = strconv.AppendFloat(b, v, 'g', Options{Digits: t.Digits}.digits(), 64)
			}
			b = append(b, '\n')
			if len(b) > flushBytes {
				if _, err := w.Write(b); err != nil {
					return err
				}
				b = b[:0]
			}
		}
		_, err := w.Write(appendComments(b, t.Tail))
		return err
	}
	err := filled(path, fill)
	if err != nil {
		return fmt.Errorf("cmdstan: %w", err)
	}
	return nil
}

func filled(path string, fill func(io.Writer) error) error {
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
		return atomicfile.Write(path, fill)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := fill(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// Times are the comments that tell how long a chain took, as at the end of a file of draws.
func Times(warmup, sample float64) []string {
	lines := strings.Split(strings.TrimSuffix(string(appendTimes(nil, warmup, sample)), "\n"), "\n")
	for k, l := range lines {
		lines[k] = strings.TrimPrefix(strings.TrimPrefix(l, "#"), " ")
	}
	return lines
}

func appendComments(b []byte, lines []string) []byte {
	for _, l := range lines {
		b = append(append(append(b, "# "...), l...), '\n')
	}
	return b
}

// ReadTable reads the names and rows of a file of any of CmdStan's methods; of a file of draws with those of
// warm-up if it has them. Comments are not read.
func ReadTable(path string) (*Table, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cmdstan: %w", err)
	}
	t := &Table{}
	line := 0
	for l := range strings.Lines(string(b)) {
		line++
		l = strings.TrimSpace(l)
		switch {
		case l == "" || l[0] == '#':
		case t.Names == nil:
			t.Names = strings.Split(l, ",")
		default:
			fields := strings.Split(l, ",")
			if len(fields) != len(t.Names) {
				return nil, fmt.Errorf("cmdstan: %s:%d: %d values, want %d as in the head", path, line, len(fields), len(t.Names))
			}
			row := make([]float64, len(fields))
			for k, f := range fields {
				if row[k], err = parseFloat(strings.TrimSpace(f)); err != nil {
					return nil, fmt.Errorf("cmdstan: %s:%d: %s is %q, want a number", path, line, t.Names[k], f)
				}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	if t.Names == nil {
		return nil, fmt.Errorf("cmdstan: %s: there is no line with the names of columns, want a file of CmdStan", path)
	}
	return t, nil
}
