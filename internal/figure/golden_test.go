package figure

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden images anew")

// goldenDPI keeps the images small; a shifted axis or a lost curve still shows.
const goldenDPI = 40

// The figures look as they did when somebody looked at them. Pixels may differ a little: machines
// round differently on the way.
func TestGolden(t *testing.T) {
	for _, f := range plainFixtures(t) {
		fig, err := f.d.Draw()
		if err != nil {
			t.Fatal(err)
		}
		got := fig.s.raster(goldenDPI)
		path := filepath.Join("testdata", f.name+".png")
		if *update {
			var b bytes.Buffer
			if err := encodePNG(&b, got, goldenDPI); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, f.name, got, want)
	}
}

// compare allows a mean difference of half a shade and strong ones at one pixel in a thousand.
func compare(t *testing.T, name string, got, want image.Image) {
	t.Helper()
	if got.Bounds() != want.Bounds() {
		t.Errorf("%s: bounds %v, want %v", name, got.Bounds(), want.Bounds())
		return
	}
	sum, strong, b := 0, 0, got.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r0, g0, b0, _ := got.At(x, y).RGBA()
			r1, g1, b1, _ := want.At(x, y).RGBA()
			d := max(distance(r0, r1), distance(g0, g1), distance(b0, b1))
			sum += d
			if d > 32 {
				strong++
			}
		}
	}
	n := b.Dx() * b.Dy()
	if 2*sum > n || 1000*strong > n {
		t.Errorf("%s: mean difference %.3f, strong at %d of %d pixels", name,
			float64(sum)/float64(n), strong, n)
	}
}

// distance is the difference of two 16-bit colour values in shades of 8 bits.
func distance(a, b uint32) int {
	d := int(a>>8) - int(b>>8)
	return max(d, -d)
}
