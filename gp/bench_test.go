package gp

import (
	"fmt"
	"testing"
)

func BenchmarkLearn(b *testing.B) {
	for _, n := range []int{100, 300} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x, y := draw(1, n, 1)
			m, err := New(x, y, Options{})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := m.Learn(b.Context(), LearnOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
