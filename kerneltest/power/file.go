package power

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Read reads records, one JSON object per line. Files may be concatenated, in any order. A last
// line that was cut off, as a study leaves that was killed, is left out, also where another file
// follows.
func Read(r io.Reader) ([]Record, error) {
	records, rest, _, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("power: %w", err)
	}
	if rec, err := parse(rest); err == nil { // only the line feed is missing
		records = append(records, rec)
	}
	return records, nil
}

// read returns the records, what follows the last line feed, and the number of bytes before that.
func read(r io.Reader) (records []Record, rest []byte, whole int64, err error) {
	in := bufio.NewReader(r)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return records, line, whole, nil
		}
		if err != nil {
			return nil, nil, 0, err
		}
		whole += int64(len(line))
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		found, err := parseLine(line)
		if err != nil {
			return nil, nil, 0, fmt.Errorf("line %d is no record: %w", number, err)
		}
		records = append(records, found...)
	}
}

// start is what every line of Write begins with, and has nowhere else: quotes within names are
// escaped.
const start = `{"problem":"`

// parseLine reads the record of a line, and those before it if files without a last line feed were
// concatenated; of a record that was cut off there nothing is kept.
func parseLine(line []byte) ([]Record, error) {
	rec, err := parse(line)
	if err == nil {
		return []Record{rec}, nil
	}
	parts := bytes.Split(line, []byte(start))
	if len(parts) == 1 || !cutOff(parts[0]) {
		return nil, err
	}
	var out []Record
	for _, part := range parts[1:] {
		if rec, err = parse(append([]byte(start), part...)); err == nil {
			out = append(out, rec)
		}
	}
	return out, err // of the last
}

func parse(line []byte) (Record, error) {
	var rec Record
	if err := json.Unmarshal(line, &rec); err != nil {
		return rec, err
	}
	if rec.Problem == "" || rec.Replicate < 0 || len(rec.Results) == 0 {
		return rec, errors.New("want a problem, a replicate of at least 0, and results")
	}
	return rec, nil
}

// cutOff reports whether text begins as every line of Write does, so that nothing else is removed.
func cutOff(text []byte) bool {
	return string(text[:min(len(text), len(start))]) == start[:min(len(text), len(start))]
}

// Write writes records, one line each, every line at once. After Merge a file has one line for each
// replicate, where methods were added in several runs.
func Write(w io.Writer, records ...Record) error {
	for _, rec := range records {
		line, err := json.Marshal(rec)
		if err == nil {
			_, err = w.Write(append(line, '\n'))
		}
		if err != nil {
			return fmt.Errorf("power: %w", err)
		}
	}
	return nil
}

// RunFile is Run with the records of a file, which it creates if necessary. Records in the file are
// not computed again, and each new record is appended at once. A last line that was cut off is
// removed first. Two studies should not share a file at the same time: each makes what the other
// makes too, and the records of both are kept.
func RunFile(ctx context.Context, path string, problems []Problem, methods []Method,
	cfg Options) (records []Record, err error) {
	if err := cfg.check(problems, methods); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("power: %w", err)
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("power: %w", cerr)
		}
	}()
	have, rest, whole, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("power: %s: %w", path, err)
	}
	if rec, perr := parse(rest); perr == nil {
		have = append(have, rec)
		_, err = f.WriteString("\n")
	} else if !cutOff(rest) {
		return nil, fmt.Errorf("power: %s: the last line is no record, nor the start of one: %w", path,
			perr)
	} else if len(rest) > 0 {
		err = os.Truncate(path, whole)
	}
	if err != nil {
		return nil, fmt.Errorf("power: %w", err)
	}
	also := cfg.OnRecord
	cfg.Have = append(have, cfg.Have...)
	cfg.OnRecord = func(rec Record) error {
		if err := Write(f, rec); err != nil {
			return err
		}
		if also != nil {
			return also(rec)
		}
		return nil
	}
	return Run(ctx, problems, methods, cfg)
}
