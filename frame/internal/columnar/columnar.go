// Package columnar says what package frame needs of files that store a table by columns, or that have
// to be read whole before their columns are known.
package columnar

import "io"

// Format is a kind of file, which is recognized by its first bytes.
type Format struct {
	// Is reports whether a file with these first bytes is one.
	Is func(first []byte) bool
	// Open looks at the file. It returns an error that continues "P.parquet: ".
	Open func(r io.ReaderAt, size int64) (*Columns, error)
	// Whole is about how many bytes of memory each byte of the file takes once it is open; 0 for few.
	Whole int64
}

// Columns are what a file of a Format holds.
type Columns struct {
	List []Column
	Rows int64 // as the file says, which need not be true
	// Read reads some columns, in pieces of some rows each. As text says for each column whether it
	// is to be read as text. Pieces are not used after add has returned. An error of add ends it.
	Read func(columns []int, asText []bool, add Add) error
	// Groups is the number of groups of rows in which they are stored, and ReadGroup reads one.
	Groups    int
	ReadGroup func(g int, columns []int, asText []bool, add Add) error
}

// Add takes some rows.
type Add func(rows int, pieces []Piece) error

// Kind is what the values of a column are.
type Kind int

const (
	Number  Kind = iota
	Text         // read as in a CSV file, but always a category where categories are read
	Boolean      // 0 and 1
	Date         // days since 1970-01-01
	Time         // seconds since 1970-01-01 00:00:00, in UTC if the file says so
	Clock        // seconds since midnight
)

// Column says what a column of a file holds.
type Column struct {
	Name string // or "" for row numbers
	Kind Kind
	// Refused says why the column cannot be read, in words that follow its name, such as "holds
	// lists"; it is empty if it can.
	Refused string
}

// Piece is a part of a column: numbers, or text.
type Piece struct {
	Numbers []float64 // NaN where missing
	Text    [][]byte  // nil where missing
}
