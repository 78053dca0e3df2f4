package frame

import (
	"fmt"
	"io"
)

// TooLarge is the error of a table that takes more memory than Options.Memory.
type TooLarge struct{ text string }

func (e *TooLarge) Error() string { return e.text }

// Size writes a number of bytes in the unit that suits it.
func Size(bytes int64) string {
	const kilo = 1000
	v, unit := float64(bytes), 0
	for units := "kMGT"; v >= kilo && unit < len(units); unit++ {
		v /= kilo
	}
	if unit == 0 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%.3g %cB", v, " kMGT"[unit])
}

// rowBytes is what a row takes: its numbers, and the headers of its labels, whose text equal ones share.
func (b *builder) rowBytes() int64 {
	n := 8 * int64(len(b.index))
	for _, i := range b.text {
		if i >= 0 {
			n += 16
		}
	}
	return n
}

// fits returns an error if so many rows are too many to keep: those read so far, or before that those
// that the file says it has, of which labels may select few.
func (b *builder) fits(rows int64) error {
	bytes := float64(rows) * float64(b.rowBytes()) // a file may lie
	if b.most == 0 || b.stream != nil || bytes <= float64(b.most) || b.record == 0 && b.levels != nil {
		return nil
	}
	more := ""
	if b.record > 0 {
		more = "at least "
	}
	return &TooLarge{fmt.Sprintf("holds %s%d rows of %s, which take %s of memory, and a table may take %s", more,
		rows, plural(len(b.index), "column"), Size(int64(min(bytes, 1e18))), Size(b.most))}
}

// room is how many of the values that are expected memory is set aside for.
func (b *builder) room(values int) int {
	if b.most > 0 {
		return int(min(int64(values), b.most/8+1))
	}
	return values
}

// bytes is what the table takes.
func (t *Frame) bytes() int64 {
	if t.Data.IsEmpty() {
		return 0
	}
	return 8*int64(len(t.Data.RawMatrix().Data)+len(t.Weights)) + 16*int64(len(t.Labels)+len(t.Groups))
}

// whole reads a file that can only be read whole, decompressed.
func (t *text) whole(o Options) ([]byte, error) {
	r := t.r
	if o.Memory > 0 {
		r = io.LimitReader(r, o.Memory+1)
	}
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, t.wrap(err)
	}
	return all, o.admitWhole(int64(len(all)), "takes at least", 1)
}

// admitWhole returns an error if a file of this size, each byte of which takes some in memory, is too large.
func (o Options) admitWhole(size int64, takes string, each int64) error {
	if o.Memory == 0 || size <= o.Memory/max(1, each) {
		return nil
	}
	return &TooLarge{fmt.Sprintf("%s %s of memory, for it has to be read whole, and a table may take %s", takes,
		Size(int64(min(float64(size)*float64(each), 1e18))), Size(o.Memory))}
}
