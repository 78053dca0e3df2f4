package causal

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bayeskernel/internal/journal"
	"bayeskernel/internal/jsonfloat"
	"bayeskernel/internal/shown"
)

// Record is one test that was made.
type Record struct {
	X, Y string
	S    []string
	Outcome
}

// Log keeps tests, so that none is made twice. Several runs of PC on the same table may share one,
// also with other levels and other knowledge, but not at the same time.
type Log struct {
	mu      sync.Mutex
	records []Record
	at      map[string]int
	file    *journal.Journal
}

// NewLog returns a log in memory.
func NewLog() *Log { return &Log{at: map[string]int{}} }

// OpenLog returns a log that is also in a file, with a line of JSON for each test. What is there
// already is read. About describes the table and the test in one line. A file with another
// description is an error. A last line that was cut short is passed over.
func OpenLog(path, about string) (*Log, error) {
	l := NewLog()
	var err error
	l.file, err = journal.Open(path, about, func(line []byte) error {
		var r jsonRecord
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		l.keep(Record{r.X, r.Y, r.S, Outcome{float64(r.Statistic), float64(r.P), r.Rows,
			r.Doubtful}})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("causal: %w", err)
	}
	return l, nil
}

// Close closes the file, if there is one.
func (l *Log) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// Records lists the tests in the order in which they came.
func (l *Log) Records() []Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.records)
}

// jsonRecord is a line of the file.
type jsonRecord struct {
	X         string           `json:"x"`
	Y         string           `json:"y"`
	S         []string         `json:"s"`
	Statistic jsonfloat.Number `json:"statistic"`
	P         jsonfloat.Number `json:"p"`
	Rows      int              `json:"n"`
	Doubtful  bool             `json:"doubtful,omitempty"`
}

// logKey tells tests apart.
func logKey(x, y string, s []string) string {
	var b []byte
	for _, name := range append([]string{x, y}, s...) {
		b = append(binary.AppendUvarint(b, uint64(len(name))), name...)
	}
	return string(b)
}

// find returns the outcome of a test that was made.
func (l *Log) find(x, y string, s []string) (Outcome, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, ok := l.at[logKey(x, y, s)]
	if !ok {
		return Outcome{}, false
	}
	return l.records[i].Outcome, true
}

func (l *Log) keep(r Record) {
	l.at[logKey(r.X, r.Y, r.S)] = len(l.records)
	l.records = append(l.records, r)
}

func (l *Log) add(r Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep(r)
	if l.file == nil {
		return nil
	}
	s := r.S
	if s == nil {
		s = []string{}
	}
	return l.file.Write(jsonRecord{r.X, r.Y, s, jsonfloat.Number(r.Statistic), jsonfloat.Number(r.P),
		r.Rows, r.Doubtful})
}

// WriteCSV writes all tests: x, y, s (names separated by blanks), statistic, p, n.
func (l *Log) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"x", "y", "s", "statistic", "p", "n"}) // Flush keeps the error
	for _, r := range l.Records() {
		_ = out.Write([]string{shown.Cell(r.X), shown.Cell(r.Y), shown.Cell(strings.Join(r.S, " ")), number(r.Statistic), number(r.P),
			strconv.Itoa(r.Rows)})
	}
	out.Flush()
	return out.Error()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
