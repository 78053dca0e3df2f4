package figure

import (
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
)

// tenths writes path data in steps of tenths of a point, half the text of coordinates. A step goes
// from where the last one ended after rounding, so that errors do not add up.
type tenths struct {
	b      []byte
	h      vg.Length // the page's height: SVG counts downwards
	x, y   int       // where the pen is
	mx, my int       // where the part of the path began
}

func (t *tenths) round(q vg.Point) (x, y int) {
	return int(math.Round(10 * float64(q.X))), int(math.Round(10 * float64(t.h-q.Y)))
}

// to appends a move or a line to q.
func (t *tenths) to(command byte, q vg.Point) {
	x, y := t.round(q)
	t.b = append(t.b, command)
	t.step(x, y, false)
	t.x, t.y = x, y
	if command == 'm' {
		t.mx, t.my = x, y
	}
}

// step appends the way from the pen to (x, y).
func (t *tenths) step(x, y int, apart bool) {
	if apart {
		t.b = append(t.b, ' ')
	}
	t.b = appendTenth(t.b, x-t.x)
	if y-t.y >= 0 {
		t.b = append(t.b, ' ')
	}
	t.b = appendTenth(t.b, y-t.y)
}

func appendTenth(b []byte, k int) []byte {
	if k%10 == 0 {
		return strconv.AppendInt(b, int64(k/10), 10)
	}
	if k < 0 {
		b, k = append(b, '-'), -k
	}
	if k >= 10 {
		b = strconv.AppendInt(b, int64(k/10), 10)
	}
	return append(b, '.', byte('0'+k%10))
}

// briefPath is a path in tenths of a point on a page of height h.
func briefPath(p vg.Path, h vg.Length) string {
	t := tenths{h: h}
	for _, c := range p {
		switch c.Type {
		case vg.MoveComp:
			t.to('m', c.Pos)
		case vg.LineComp:
			t.to('l', c.Pos)
		case vg.CurveComp:
			t.b = append(t.b, "?qc"[len(c.Control)])
			for i, q := range c.Control {
				x, y := t.round(q)
				t.step(x, y, i > 0)
			}
			x, y := t.round(c.Pos)
			t.step(x, y, true)
			t.x, t.y = x, y
		case vg.CloseComp:
			t.b = append(t.b, 'z')
			t.x, t.y = t.mx, t.my
		}
	}
	return string(t.b)
}
