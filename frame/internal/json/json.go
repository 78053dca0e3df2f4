// Package json reads tables in JSON for package frame: an object for each row, one after another, as in
// JSON lines, or in a list. Numbers are numbers, true and false booleans, and strings text, which may be
// dates; null and what an object leaves out are missing.
package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"bayeskernel/frame/internal/columnar"
)

// Format returns the format.
func Format() columnar.Format { return columnar.Format{Is: is, Open: open, Whole: 8} }

// is reports whether a file begins with an object, or a list of objects.
func is(first []byte) bool {
	first = bytes.TrimLeft(bytes.TrimPrefix(first, []byte("\ufeff")), " \t\r\n")
	if rest, ok := bytes.CutPrefix(first, []byte("[")); ok {
		first = bytes.TrimLeft(rest, " \t\r\n")
	}
	if len(first) == 0 || first[0] != '{' {
		return false
	}
	rest := bytes.TrimLeft(first[1:], " \t\r\n")
	return len(rest) == 0 || rest[0] == '"' || rest[0] == '}'
}

// column is a column while the file is read.
type column struct {
	name             string
	values           [][]byte // as JSON, nil where missing
	text, truth, any bool     // whether a value is a string, a boolean, anything
	nested           bool
}

// table is a file while it is read.
type table struct {
	columns []*column
	place   map[string]int
	rows    int
}

func open(r io.ReaderAt, size int64) (*columnar.Columns, error) {
	all, err := io.ReadAll(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	all = bytes.TrimPrefix(all, []byte("\ufeff"))
	t := &table{place: map[string]int{}}
	d := json.NewDecoder(bytes.NewReader(all))
	d.UseNumber()
	if err := t.read(d); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		line := 1 + bytes.Count(all[:d.InputOffset()], []byte("\n"))
		return nil, fmt.Errorf("line %d: is not a table in JSON, an object for each row: %w", line, err)
	}
	c := &columnar.Columns{Rows: int64(t.rows), Groups: 1}
	for _, x := range t.columns {
		c.List = append(c.List, x.declared())
	}
	c.Read = func(list []int, asText []bool, add columnar.Add) error {
		pieces := make([]columnar.Piece, len(list))
		for i, k := range list {
			pieces[i] = t.columns[k].piece(t.rows, asText[i])
		}
		if t.rows > 0 {
			return add(t.rows, pieces)
		}
		return nil
	}
	c.ReadGroup = func(_ int, list []int, asText []bool, add columnar.Add) error {
		return c.Read(list, asText, add)
	}
	return c, nil
}

// read reads all rows.
func (t *table) read(d *json.Decoder) error {
	list := false
	for {
		token, err := d.Token()
		switch {
		case err == io.EOF && !list:
			return nil
		case err != nil:
			return err
		case token == json.Delim('[') && t.rows == 0 && !list:
			list = true
			continue
		case token == json.Delim(']') && list:
			return nil
		case token != json.Delim('{'):
			return fmt.Errorf("found %v in the place of an object", token)
		}
		if err := t.row(d); err != nil {
			return err
		}
	}
}

// row reads an object, which is begun.
func (t *table) row(d *json.Decoder) error {
	t.rows++
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		name := key.(string) // a decoder takes no other key
		k, ok := t.place[name]
		if !ok {
			k = len(t.columns)
			t.place[name] = k
			t.columns = append(t.columns, &column{name: name})
		}
		t.columns[k].add(t.rows, value)
	}
	_, err := d.Token()
	return err
}

// add sets the value of a row, counted from 1.
func (c *column) add(row int, value []byte) {
	for len(c.values) < row {
		c.values = append(c.values, nil)
	}
	switch value[0] {
	case 'n':
		return
	case '{', '[':
		c.nested = true
	case '"':
		c.text = true
	case 't', 'f':
		c.truth = true
	}
	c.any = true
	c.values[row-1] = value
}

// declared is what the column holds. Strings that begin as dates do are left to the reader of text.
func (c *column) declared() columnar.Column {
	out := columnar.Column{Name: c.name}
	switch {
	case c.nested:
		out.Refused = "is nested (a list or an object); a table has plain columns only"
	case c.text && !c.dates():
		out.Kind = columnar.Text
	case c.truth && !c.text && !c.numbers():
		out.Kind = columnar.Boolean
	}
	return out
}

func (c *column) dates() bool {
	for _, v := range c.values {
		if v != nil {
			s := plain(v)
			if len(s) < len(time.DateOnly) {
				return false
			}
			_, err := time.Parse(time.DateOnly, string(s[:len(time.DateOnly)]))
			return err == nil
		}
	}
	return false
}

func (c *column) numbers() bool {
	for _, v := range c.values {
		if v != nil && v[0] != 't' && v[0] != 'f' {
			return true
		}
	}
	return false
}

// piece is all of the column.
func (c *column) piece(rows int, asText bool) columnar.Piece {
	asText = asText || c.text
	p := columnar.Piece{}
	for i := range rows {
		var v []byte
		if i < len(c.values) {
			v = c.values[i]
		}
		switch {
		case asText && v == nil:
			p.Text = append(p.Text, nil)
		case asText:
			p.Text = append(p.Text, plain(v))
		default:
			p.Numbers = append(p.Numbers, number(v))
		}
	}
	return p
}

// plain is a value without quotes.
func plain(v []byte) []byte {
	if v[0] != '"' {
		return v
	}
	var s string
	_ = json.Unmarshal(v, &s) // the decoder has read it before
	return []byte(s)
}

func number(v []byte) float64 {
	switch {
	case v == nil:
		return math.NaN()
	case v[0] == 't':
		return 1
	case v[0] == 'f':
		return 0
	}
	x, _ := strconv.ParseFloat(string(v), 64)
	return x // infinite if too large, which is told later
}
