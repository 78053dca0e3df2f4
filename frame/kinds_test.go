package frame

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// BenchmarkKinds reads three columns of one kind, or two of numbers and one of another kind: numbers of six places,
// of all the digits that a float64 has, of fifteen digits, whole, with exponents, and with some missing; words; days.
func BenchmarkKinds(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	float := func(format byte, digits int, scale float64) func([]byte) []byte {
		return func(t []byte) []byte { return strconv.AppendFloat(t, r.NormFloat64()*scale, format, digits, 64) }
	}
	one := func(of ...string) func([]byte) []byte {
		return func(t []byte) []byte { return append(t, of[r.IntN(len(of))]...) }
	}
	six := float('f', 6, 1)
	const rows = 100000
	for _, c := range []struct {
		name  string
		first func([]byte) []byte
		last  func([]byte) []byte
	}{
		{"places=6", six, six},
		{"digits=all", float('g', -1, 1), float('g', -1, 1)},
		{"digits=15", float('g', 15, 1), float('g', 15, 1)},
		{"whole", float('f', 0, 1000), float('f', 0, 1000)},
		{"exponents", float('e', 6, 1e-6), float('e', 6, 1e-6)},
		{"missing", six, func(t []byte) []byte {
			if r.IntN(10) == 0 {
				return append(t, "NA"...)
			}
			return six(t)
		}},
		{"words", six, one("red", "green", "blue", "yellow")},
		{"quoted", six, one(`"red"`, `"green"`, `"blue"`, `"yellow"`)},
		{"days", six, one("2026-01-05", "2025-12-31", "2024-02-29", "2021-07-14")},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := []byte("a,b,c\n")
			for range rows {
				text = append(c.first(append(c.first(text), ',')), ',')
				text = append(c.last(text), '\n')
			}
			name := filepath.Join(b.TempDir(), "f.csv")
			if err := os.WriteFile(name, text, 0o666); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := Read(context.Background(), name, Options{Missing: DropMissing}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(3*rows), "ns/value")
		})
	}
}
