package figure

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
	"math"
)

// WritePNG writes the figure on white, at 180 dots per inch or, if it is wide, fewer.
func (f *Figure) WritePNG(w io.Writer) error {
	dpi := f.s.dpi()
	return encodePNG(w, f.s.raster(dpi), dpi)
}

// encodePNG writes an opaque image with its resolution. The standard encoder has no field for
// that, and tries five filters on each row where the pictures of this package, lines and areas on
// white, gain nothing over the one that subtracts the row above (PNG specification, 9.2).
func encodePNG(w io.Writer, img *image.RGBA, dpi int) error {
	size := img.Rect.Size()
	b := bufio.NewWriter(w)
	chunks := pngChunks{w: b}
	_, chunks.err = b.WriteString("\x89PNG\r\n\x1a\n")
	head := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	head = binary.BigEndian.AppendUint32(head, uint32(size.Y))
	chunks.write("IHDR", append(head, 8, 2, 0, 0, 0)) // 8 bits, red green blue, not interlaced
	perMetre := uint32(math.Round(float64(dpi) / 0.0254))
	dots := binary.BigEndian.AppendUint32(nil, perMetre)
	dots = binary.BigEndian.AppendUint32(dots, perMetre)
	chunks.write("pHYs", append(dots, 1)) // in dots per metre
	chunks.write("IDAT", deflated(img))
	chunks.write("IEND", nil)
	if chunks.err != nil {
		return chunks.err
	}
	return b.Flush()
}

// deflated compresses the rows of an image, each less the row above.
func deflated(img *image.RGBA) []byte {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, zlib.BestSpeed) // a valid level
	size := img.Rect.Size()
	row, above := make([]byte, 3*size.X), make([]byte, 3*size.X)
	out := make([]byte, 1+3*size.X)
	out[0] = 2                     // the filter
	same := make([]byte, len(out)) // what is written of a row that is the one above
	same[0] = out[0]
	for y := range size.Y {
		pix := img.Pix[y*img.Stride:][:4*size.X]
		if y > 0 && bytes.Equal(pix, img.Pix[(y-1)*img.Stride:][:4*size.X]) {
			_, _ = z.Write(same)
			continue
		}
		for x := range size.X {
			copy(row[3*x:3*x+3], pix[4*x:4*x+3])
		}
		for i, v := range row {
			out[1+i] = v - above[i]
		}
		row, above = above, row
		_, _ = z.Write(out) // a bytes.Buffer does not fail
	}
	_ = z.Close()
	return b.Bytes()
}

// pngChunks writes the parts of a PNG file: length, name, data, checksum.
type pngChunks struct {
	w   io.Writer
	err error
}

func (c *pngChunks) write(name string, data []byte) {
	sum := crc32.NewIEEE()
	for _, part := range [][]byte{
		binary.BigEndian.AppendUint32(nil, uint32(len(data))), []byte(name), data} {
		if c.err == nil {
			_, c.err = c.w.Write(part)
		}
	}
	_, _ = sum.Write([]byte(name)) // a hash does not fail
	_, _ = sum.Write(data)
	if c.err == nil {
		_, c.err = c.w.Write(binary.BigEndian.AppendUint32(nil, sum.Sum32()))
	}
}
