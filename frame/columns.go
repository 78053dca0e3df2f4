package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"bayeskernel/frame/internal/columnar"
	"bayeskernel/frame/internal/json"
	"bayeskernel/frame/internal/parquet"
)

// formats are the kinds of files beside text.
func formats() []columnar.Format { return []columnar.Format{parquet.Format(), json.Format()} }

// formatOf finds the format of a file by its first bytes.
func formatOf(first []byte) (columnar.Format, bool) {
	for _, f := range formats() {
		if f.Is(first) {
			return f, true
		}
	}
	return columnar.Format{}, false
}

// randomAccess returns r and its size if it is a file that can be read at any place, or nil.
func randomAccess(r io.Reader) (io.ReaderAt, int64) {
	f, ok := r.(*os.File)
	if !ok {
		return nil, 0
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0
	}
	if at, err := f.Seek(0, io.SeekCurrent); err != nil || at != 0 {
		return nil, 0
	}
	return f, info.Size()
}

// readColumns reads a binary file. file is nil if it can only be read from front to back.
func (t *Frame) readColumns(ctx context.Context, f columnar.Format, x *text, file io.ReaderAt, size int64, o Options) error {
	if file == nil || x.gzip {
		all, err := x.whole(o)
		if err != nil {
			return err
		}
		file, size = bytes.NewReader(all), int64(len(all))
	}
	c, l, err := layColumns(f, file, size, o)
	if err != nil {
		return err
	}
	b := newBuilder(l, o, "row")
	if err := b.fits(c.Rows); err != nil {
		return err
	}
	b.data = make([]float64, 0, reserve(c.Rows, size, len(l.index)))
	if err := b.columns(ctx, c); err != nil {
		return err
	}
	t.take(b, o)
	return nil
}

// layColumns looks at a binary file and finds the columns asked for.
func layColumns(f columnar.Format, file io.ReaderAt, size int64, o Options) (*columnar.Columns, *layout, error) {
	if err := o.admitWhole(size, "takes about", f.Whole); err != nil && f.Whole > 0 {
		return nil, nil, err
	}
	c, err := f.Open(file, size)
	if err != nil {
		return nil, nil, err
	}
	l := &layout{header: true, declared: true}
	for _, col := range c.List {
		l.fields = append(l.fields, clean([]byte(col.Name)))
	}
	if len(l.fields) == 0 {
		return nil, nil, errors.New("holds no columns")
	}
	if err := l.find(o); err != nil {
		return nil, nil, err
	}
	return c, l, l.usable(c.List)
}

// reserve returns how many values to set aside memory for. Encoded values may take less than a bit,
// but a file that says so is not believed.
func reserve(rows, size int64, columns int) int {
	return int(min(max(float64(rows), 0)*float64(columns), 8*float64(size), maxReserve))
}

// usable says which of the columns that are to be read cannot be, and takes note of their kinds.
func (l *layout) usable(list []columnar.Column) error {
	var wrong []error
	var columns []string
	for _, i := range l.index {
		if c := list[i]; i != l.weight && c.Refused == "" && c.Kind != columnar.Text {
			columns = append(columns, l.asked(i))
		}
	}
	advised := l.chosen
	for _, i := range l.index {
		if c := list[i]; c.Refused != "" {
			text := l.where(i) + " " + c.Refused
			if !advised && i != l.weight {
				text += l.advise(columns, i, false)
				advised = true
			}
			wrong = append(wrong, errors.New(text))
		}
	}
	for r, i := range l.text {
		if i >= 0 && list[i].Refused != "" {
			wrong = append(wrong, fmt.Errorf("%s is chosen as %s, but it %s", l.where(i), roleNames[r],
				list[i].Refused))
		}
	}
	return Join(wrong...)
}

// columns reads all rows.
func (b *builder) columns(ctx context.Context, c *columnar.Columns) error {
	var list []int
	var asText []bool
	for k, i := range b.index {
		list, asText = append(list, i), append(asText, c.List[i].Kind == columnar.Text)
		b.declare(k, c.List[i].Kind)
	}
	at := [roles]int{-1, -1} // pieces that are label and group
	for r, i := range b.text {
		if i >= 0 {
			at[r] = len(list)
			list, asText = append(list, i), append(asText, true)
		}
	}
	rec := make([][]byte, len(b.fields))
	var failed error // not of the file
	err := c.Read(list, asText, func(rows int, pieces []columnar.Piece) error {
		failed = ctx.Err()
		if failed == nil && b.stream != nil {
			failed = b.stream.flush(b, streamed)
		}
		if failed == nil {
			failed = b.fits(int64(b.rows))
		}
		if failed != nil {
			return failed
		}
		for row := range rows {
			b.at++
			if b.addNumbers(pieces, at, row) {
				continue
			}
			for p, i := range list {
				switch {
				case pieces[p].Text != nil:
					rec[i] = trim(pieces[p].Text[row])
				case math.IsNaN(pieces[p].Numbers[row]):
					rec[i] = nil
				default:
					rec[i] = strconv.AppendFloat(nil, pieces[p].Numbers[row], 'g', -1, 64)
				}
			}
			b.add(rec)
		}
		return nil
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		return Join(b.problems.err(b.unit), err)
	}
	if b.record == 0 && b.stream == nil {
		return errors.New("holds columns but no rows")
	}
	return b.finish()
}

// addNumbers adds a row of pieces without detours, and reports whether it could: whether nothing is
// missing or wrong. The general way, by add, gives the same.
func (b *builder) addNumbers(pieces []columnar.Piece, at [roles]int, row int) bool {
	for k, i := range b.index {
		p := &pieces[k]
		if p.Text != nil {
			return false
		}
		v := p.Numbers[row]
		if v-v != 0 || i == b.weight && v <= 0 { // v-v is NaN for infinities too
			return false
		}
	}
	for _, p := range at {
		if p >= 0 && len(trim(pieces[p].Text[row])) == 0 {
			return false
		}
	}
	if b.levels != nil && !b.selected(trim(pieces[at[0]].Text[row])) {
		b.record++
		return true
	}
	b.record++
	for k := range b.index {
		b.data = append(b.data, pieces[k].Numbers[row])
		b.held[k] = true
	}
	for r, p := range at {
		if p >= 0 {
			b.texts[r] = append(b.texts[r], b.internLabel(trim(pieces[p].Text[row])))
		}
	}
	b.keep(1)
	return true
}
